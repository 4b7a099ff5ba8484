//! What the main function that rustc generates calls: it offers the benchmarks, and passes over the tests.

use crate::bencher::{run, Bencher};
use crate::described::{TestDesc, TestDescAndFn, TestFn, TestName};
use crate::worker;
use std::path::Path;
use std::process::{ExitCode, Termination};

/// The file whose benchmarks are asked for; all, where there is none.
const FILE: &str = "TARE_RUST_FILE";
/// The other files of this program that are asked for by themselves, a path a line. Benchmarks that are in none of them belong to whoever says so: macros define functions at other places.
const OTHERS: &str = "TARE_RUST_OTHER_FILES";

/// What a test or a benchmark returns.
pub fn assert_test_result<T: Termination>(result: T) -> Result<(), String> {
    if result.report() == ExitCode::SUCCESS {
        Ok(())
    } else {
        Err("the benchmark's function returned an error".to_owned())
    }
}

pub fn test_main_static(tests: &[&TestDescAndFn]) {
    worker::begin_to_end();
    let wanted = Wanted::asked_for();
    let mut count = 0;
    for test in tests {
        if let TestFn::StaticBenchFn(bench) = test.testfn {
            if wanted.has(test.desc.source_file) {
                count += 1;
                offer(&test.desc, bench);
            }
        }
    }
    if count == 0 {
        let message =
            "No function with #[bench] was compiled: the conditions of those that there are (#[cfg]) don't hold.";
        worker::tell("warning", "empty", message.to_owned(), "Name their features: --runtime \"cargo --features …\".");
    }
    worker::end();
}

/// The same where panics abort.
pub fn test_main_static_abort(tests: &[&TestDescAndFn]) {
    test_main_static(tests);
}

fn offer(desc: &TestDesc, bench: fn(&mut Bencher) -> Result<(), String>) {
    let TestName::StaticTestName(name) = desc.name;
    let skip = match (desc.ignore, desc.ignore_message) {
        (false, _) => String::new(),
        (true, None) => "its author ignores it".to_owned(),
        (true, Some(why)) => format!("its author ignores it: {why}"),
    };
    let definition = worker::Definition {
        benchmark: name.to_owned(),
        file: desc.source_file.to_owned(),
        line: desc.start_line as u32,
        skip,
        code: vec![bench as usize],
        ..Default::default()
    };
    worker::offer(definition, &mut |driver| {
        if let Err(message) = run(driver, bench) {
            // As a panic of the function; this place says nothing.
            std::panic::resume_unwind(Box::new(message));
        }
    });
}

/// Which files' benchmarks are offered.
struct Wanted {
    file: Option<String>,
    others: Option<String>,
}

impl Wanted {
    fn asked_for() -> Self {
        Wanted { file: std::env::var(FILE).ok(), others: std::env::var(OTHERS).ok() }
    }

    /// rustc's path of a file is relative, the core's isn't.
    fn has(&self, source: &str) -> bool {
        let is = |path: &str| Path::new(path).ends_with(source);
        match (&self.file, &self.others) {
            (None, _) => true,
            (Some(file), None) => is(file),
            (Some(file), Some(others)) => is(file) || !others.lines().any(is),
        }
    }
}
