use crate::entry::{Clocks, Entry, Execution, Pattern, SharedNames};

/// A line that defines a benchmark or a test, in a class or not: what has none of them is a program, which importing it might start.
fn defines(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.starts_with("def bench_") || line.starts_with("def test_")
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
    programs: &["python", "pypy"],
    usual_command: Some("python3"),
    judged_by_itself: true,
    clocks: Clocks { programs: &["python3"], compilers: false },
    execution: Execution::Interpreted,
    shared_names: SharedNames::ByModule,
    profilers: &["sampler"],
    memory_tracer: Some(("PYTHONTRACEMALLOC", "1")),
    ..Entry::UNKNOWN
};
