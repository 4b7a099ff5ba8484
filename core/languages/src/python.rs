use crate::entry::{Clocks, Entry, Execution, Pattern, SharedNames};

/// A line that defines a benchmark or a test, in a class or not: what has none of them is a program, which importing it might start.
fn defines(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.starts_with("def bench_") || line.starts_with("def test_")
}

/// What makes names that no line defines.
const MAKES_NAMES: [&str; 5] = ["setattr(", "globals(", "import *", "exec(", "type("];

/// Definitions, imports and assignments, of which a benchmark has its name. A class with another one above it has that one's benchmarks, too.
fn names_in(text: &str) -> Option<String> {
    let mut names = String::new();
    // Within the brackets of an import of several lines.
    let mut imports = false;
    for line in text.lines().map(str::trim) {
        let inherits =
            line.starts_with("class ") && line.contains('(') && !line.contains("()") && !line.contains("(object)");
        if inherits || MAKES_NAMES.iter().any(|maker| line.contains(maker)) {
            return None;
        }
        let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        let is_import = imports || begins(&["from ", "import "]);
        let assigned = line.split_once('=').map(|(name, _)| name).filter(|name| name.trim().chars().all(is_of_a_name));
        let whole = Some(line).filter(|_| is_import || begins(&["def ", "async def ", "class "]));
        if let Some(part) = whole.or(assigned) {
            // A comment behind it names nothing.
            names.push_str(part.split('#').next().unwrap_or(part));
            names.push('\n');
        }
        imports = is_import && (imports || line.contains('(')) && !line.contains(')');
    }
    Some(names)
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Benchmarks, or programs that measure something themselves.
const BENCHMARKS: Pattern =
    Pattern { text: Some(|text| text.lines().any(defines)), told: None, ..Pattern::plain("benchmark_*.py") };

/// Tests, some of which may be benchmarks.
const fn tests(glob: &'static str) -> Pattern {
    Pattern { text: Some(|text| text.contains("benchmark")), told: None, ..Pattern::plain(glob) }
}

pub(crate) const ENTRY: Entry = Entry {
    name: "python",
    endings: &["py"],
    patterns: &[Pattern::plain("bench_*.py"), tests("test_*.py"), tests("*_test.py"), BENCHMARKS],
    names_in,
    programs: &["python", "pypy"],
    usual_command: Some("python3"),
    judged_by_itself: true,
    clocks: Clocks { programs: &["python3"], compilers: false },
    execution: Execution::Interpreted,
    shared_names: SharedNames::ByModule,
    profilers: &["sampler"],
    tells_functions: true,
    memory_tracer: Some(("PYTHONTRACEMALLOC", "1")),
    ..Entry::UNKNOWN
};

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn a_benchmark_has_its_name_of_what_its_source_defines() {
        let source = "import nowhere  # test_a\nfrom here import (\n    test_imported,\n)\n\nWORDS = ['test_b']\n\nclass TestGroup:\n    \
                      async def test_method(self, benchmark):\n        benchmark(test_c)\n        print('test_d')\n\ntest_alias = made\n";
        let names = names_in(source).unwrap();
        for name in ["test_imported", "TestGroup", "test_method", "test_alias"] {
            assert!(names.contains(name), "{name}: {names}");
        }
        for other in ["test_b", "test_c", "test_d"] {
            assert!(!names.contains(other), "{other}: {names}");
        }
        for unknown in ["class TestX(Base):\n    pass", "setattr(Test, name, f)", "from x import *"] {
            assert_eq!(names_in(unknown), None, "{unknown}");
        }
    }
}
