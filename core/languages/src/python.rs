use crate::entry::{Clocks, Entry, Execution, Pattern, SharedNames};

/// Tests, some of which may be benchmarks.
const fn tests(glob: &'static str) -> Pattern {
    Pattern { text: Some(|text| text.contains("benchmark")), told: None, ..Pattern::plain(glob) }
}

pub(crate) const ENTRY: Entry = Entry {
    name: "python",
    endings: &["py"],
    patterns: &[Pattern::plain("bench_*.py"), tests("test_*.py"), tests("*_test.py")],
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
