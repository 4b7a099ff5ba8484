//! What makes a worker of a runtime and a source: one driver a language.

mod clocks;
mod commands;
mod cpp;
mod go;
mod links;
mod marker;
mod php;
mod python;
mod rust;

use std::path::{Path, PathBuf};

use tare_languages::Language;
use tare_samples::{Failure, FailureKind, RuntimeCommand};

use crate::cache::{remedy, tell_of_missing_home};

/// A source on a runtime, ready to be launched as often as wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ready {
    /// What a launch starts.
    pub start: RuntimeCommand,
    /// What it loads. None where the toolchain leaves the source out: then there is nothing to launch, and a notice says why.
    pub files: Vec<String>,
    /// What the user should know.
    pub notices: Vec<String>,
}

/// A benchmark that can't be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub benchmark: String,
    /// Where it stands.
    pub file: String,
    /// The line in that file.
    pub line: u64,
}

/// What a program was linked of, as its toolchain says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects {
    /// The toolchain's own list.
    pub listed: Vec<u8>,
    /// Flags with which it was built.
    pub flags: Vec<String>,
    /// The folder of the toolchain.
    pub toolchain: PathBuf,
}

/// What makes workers of a language's runtimes.
trait Driver: Sync {
    /// See [`ready`].
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure>;

    /// See [`ready_beside`].
    fn ready_beside(
        &self,
        runtime: &RuntimeCommand,
        source: &Path,
        _beside: &mut Beside,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Ready, Failure> {
        self.ready(runtime, source, tell)
    }

    /// See [`ready_for_clocks`].
    fn ready_for_clocks(&self, runtime: &RuntimeCommand, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        self.ready(runtime, Path::new(""), tell)
    }

    /// See [`objects`].
    fn objects(
        &self,
        _runtime: &RuntimeCommand,
        _source: &Path,
        _arguments: &[&str],
        _stop: &dyn Fn() -> bool,
    ) -> Result<Option<Objects>, Failure> {
        Ok(None)
    }

    /// See [`links`].
    fn links(
        &self,
        _runtime: &RuntimeCommand,
        _source: &Path,
        _count: u32,
        _enough: &(dyn Fn() -> bool + Sync),
    ) -> Option<Result<Vec<String>, String>> {
        None
    }

    /// See [`source_to_judge`].
    fn source_to_judge(&self, _runtime: &RuntimeCommand) -> Result<PathBuf, Failure> {
        Ok(PathBuf::new())
    }

    /// See [`Ready::opted_out`].
    fn opted_out(&self, _files: &[String], _failure: &Failure) -> Option<String> {
        None
    }

    /// See [`Ready::list_without`].
    fn list_without(&self, _start: &mut RuntimeCommand, _benchmarks: &[String]) {}

    /// See [`Ready::leave_out`].
    fn leave_out(&self, _ready: &mut Ready) -> Option<LeftOut> {
        None
    }
}

/// The driver of each language; a new one is added here.
const DRIVERS: [(Language, &dyn Driver); 7] = [
    (Language::Php, &php::Php),
    (Language::Go, &go::Go),
    (Language::Python, &python::Python),
    (Language::Cpp, &cpp::Cpp),
    (Language::Rust, &rust::Rust),
    (Language::Worker, &Itself),
    (Language::Commands, &commands::Commands),
];

/// A command that is a worker.
struct Itself;

impl Driver for Itself {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, _: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        Ok(Ready { start: runtime.clone(), files: vec![text(source)], notices: Vec::new() })
    }
}

fn driver(name: &str) -> Result<&'static dyn Driver, Failure> {
    let found = DRIVERS.iter().find(|(language, _)| language.name() == name);
    found.map(|(_, driver)| *driver).ok_or_else(|| {
        let names: Vec<&str> = DRIVERS.iter().map(|(language, _)| language.name()).collect();
        Failure::new(
            FailureKind::Runtime,
            format!("there is no driver for the language `{name}`"),
            format!(
                "the languages are {}; write worker for a command that speaks the worker protocol itself",
                names.join(", ")
            ),
        )
    })
}

impl Ready {
    /// Why nothing is listed, where a package's `TestMain` has ended its process as one that has nothing to do: no failure, as under
    /// `go test`.
    pub fn opted_out(&self, failure: &Failure) -> Option<String> {
        driver(&self.start.driver).ok()?.opted_out(&self.files, failure)
    }

    /// Workers launched from now on don't run these benchmarks to list them, where listing runs any.
    pub fn list_without(&mut self, benchmarks: &[String]) {
        if let (Ok(driver), false) = (driver(&self.start.driver), benchmarks.is_empty()) {
            driver.list_without(&mut self.start, benchmarks);
        }
    }

    /// The benchmark at which the last worker ended or hung while it listed its cases. Workers launched from now on leave it out, so
    /// that the others can be measured. `None` where the worker left no trace of it.
    pub fn leave_out(&mut self) -> Option<LeftOut> {
        driver(&self.start.driver).ok()?.leave_out(self)
    }
}

/// Makes `source` (absolute; a file, or the folder of a Go package) ready on `runtime`: unpacks the worker, builds. `tell` takes what
/// is done meanwhile, a line each, for somebody who waits.
///
/// # Errors
/// A [`Failure`] with the place where there is one: what doesn't compile, a toolchain that isn't there, a cache that can't be
/// written.
pub fn ready(runtime: &RuntimeCommand, source: &Path, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
    ready_beside(runtime, source, &mut Beside::default(), tell)
}

/// What toolchains have said of sources that are made ready beside each other, and needn't be asked again. The sources stay as they are meanwhile.
#[derive(Debug, Default)]
pub struct Beside {
    rust: rust::Asked,
}

/// As [`ready`], for a source of several.
///
/// # Errors
/// Those of [`ready`].
pub fn ready_beside(
    runtime: &RuntimeCommand,
    source: &Path,
    beside: &mut Beside,
    tell: &mut dyn FnMut(&str),
) -> Result<Ready, Failure> {
    tell_of_missing_home(tell);
    driver(&runtime.driver)?.ready_beside(runtime, source, beside, tell)
}

/// The folder with the record of what a Rust program was linked of; it isn't there where none was written.
#[must_use]
pub fn linked(program: &Path) -> PathBuf {
    rust::linked(program)
}

/// The folder in which Cargo has built a Rust program of [`ready`], whose place differs from checkout to checkout; `None` for another program.
#[must_use]
pub fn target_of(program: &Path) -> Option<&Path> {
    rust::target_of(program)
}

/// What the program of `source` is linked of, which [`ready`] has built on `runtime`: by `arguments` of the toolchain, which stand before its flags
/// (`tare_code::GO_LIST`). `None` where the language links no program of the source. It may take as long as a build; `stop` is asked meanwhile.
///
/// # Errors
/// A [`Failure`] where the program isn't that of the sources as they are, where the toolchain says nothing, and once `stop` is true.
pub fn objects(
    runtime: &RuntimeCommand,
    source: &Path,
    arguments: &[&str],
    stop: &dyn Fn() -> bool,
) -> Result<Option<Objects>, Failure> {
    driver(&runtime.driver)?.objects(runtime, source, arguments, stop)
}

/// Links the program of `source`, which [`ready`] has built on `runtime`, `count` times more, each with the functions in another order: the paths
/// of these programs, the same for the same number. They are kept as the build is. `None` where the language's programs aren't linked by its driver. It takes about as long as
/// so many links, on all CPUs that the calling thread may use. No other link begins once there are `enough`, and there are fewer paths then.
///
/// # Errors
/// Why there are none, in words: a linker that can't, an order that the user has chosen, sources that have changed since.
pub fn links(
    runtime: &RuntimeCommand,
    source: &Path,
    count: u32,
    enough: &(dyn Fn() -> bool + Sync),
) -> Option<Result<Vec<String>, String>> {
    driver(&runtime.driver).ok()?.links(runtime, source, count, enough)
}

/// Makes a worker of `runtime` for its clocks alone. For C++ the command is a compiler. Where something has to be built for
/// it, that is kept, and `tell` takes a line for somebody who waits.
///
/// # Errors
/// As [`ready`].
pub fn ready_for_clocks(runtime: &RuntimeCommand, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
    tell_of_missing_home(tell);
    driver(&runtime.driver)?.ready_for_clocks(runtime, tell)
}

/// Something that [`ready`] makes a worker of, to see what a runtime says of itself; it isn't loaded.
///
/// # Errors
/// A cache that can't be written, and a command that names no program where each is judged by itself.
pub fn source_to_judge(runtime: &RuntimeCommand) -> Result<PathBuf, Failure> {
    driver(&runtime.driver)?.source_to_judge(runtime)
}

/// A path as text, for the wire.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A worker that can't be unpacked.
pub(crate) fn not_unpacked(error: &crate::cache::EmbeddedError) -> Failure {
    let message = format!("the worker can't be unpacked to {}: {}", error.path.display(), error.source);
    Failure::new(FailureKind::Runtime, message, remedy(&error.source))
}

#[cfg(test)]
mod tests {
    use super::{DRIVERS, Driver, Failure, FailureKind, Language, Path, PathBuf, Ready, RuntimeCommand, driver, text};

    /// A language that isn't there: an interpreter and a script are all that it takes.
    struct Ruby;

    impl Driver for Ruby {
        fn ready(&self, runtime: &RuntimeCommand, source: &Path, _: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
            let mut start = runtime.clone();
            start.command.push("worker.rb".to_owned());
            Ok(Ready { start, files: vec![text(source)], notices: Vec::new() })
        }
    }

    #[test]
    fn every_language_has_one_driver() {
        for language in Language::all() {
            assert_eq!(DRIVERS.iter().filter(|(own, _)| *own == language).count(), 1, "{language:?}");
            assert!(driver(language.name()).is_ok());
        }
        let failure = driver("ruby").err().unwrap();
        assert!(
            failure.message.contains("`ruby`") && failure.remedy.contains("php, go, python, cpp, rust, worker"),
            "{failure}"
        );
    }

    #[test]
    fn a_new_driver_makes_a_worker_and_has_the_rest() {
        let ruby: &dyn Driver = &Ruby;
        let runtime = RuntimeCommand { command: vec!["ruby".to_owned(), "-w".to_owned()], ..RuntimeCommand::default() };
        let mut ready = ruby.ready(&runtime, Path::new("/a/x_bench.rb"), &mut |_| ()).unwrap();
        assert_eq!(ready.start.command, ["ruby", "-w", "worker.rb"]);
        assert_eq!(ready.files, ["/a/x_bench.rb"]);
        let clocks = ruby.ready_for_clocks(&runtime, &mut |_| ()).unwrap();
        assert_eq!((clocks.start, clocks.files), (ready.start.clone(), vec![String::new()]));
        assert_eq!((ruby.source_to_judge(&runtime).unwrap(), ruby.leave_out(&mut ready)), (PathBuf::new(), None));
        let failure = Failure::new(FailureKind::Exit, "the process ended", "");
        assert_eq!(ruby.opted_out(&ready.files, &failure), None);
        let before = ready.start.clone();
        ruby.list_without(&mut ready.start, &["a".to_owned()]);
        assert_eq!(ready.start, before, "listing Ruby runs nothing");
    }
}
