use std::ffi::OsStr;
use std::path::Path;

use crate::entry::{Clocks, Entry, Execution, Pattern, SharedNames};

pub(crate) const ENTRY: Entry = Entry {
    name: "go",
    endings: &["go"],
    patterns: &[Pattern {
        text: Some(|text| {
            text.lines().any(|line| line.starts_with("func Benchmark") || line.starts_with("func Operation"))
        }),
        told: Some("*_test.go (with func Benchmark…)"),
        ..Pattern::plain("*_test.go")
    }],
    passes_over,
    packages: true,
    programs: &["go"],
    usual_command: Some("go"),
    judged_by_itself: true,
    clocks: Clocks { programs: &["go"], compilers: false },
    execution: Execution::Built,
    builds_differ_by: 0.015,
    // 0.55 s for 7 MB of test program (Go 1.26, without debugging information, on an idle machine).
    link_ns: 0.6e9,
    shared_names: SharedNames::ByPackage,
    profilers: &["pprof", "perf"],
    // Seen with Valgrind 3.19: its preemption ends callgrind; without it, ± 30,000 instructions a call of a scheduler that is never
    // the same twice.
    uncounted: Some((
        "callgrind can't count a process of Go: the runtime's threads and signals end it, or are counted instead",
        "name pprof, perf or strace with --tool, or count calls with `tare run --work`",
    )),
    counted_at: "testing.tareUsed",
    taken_over_at: Some("runtime.acquirep"),
    is_worker_frame: |frame| frame == "testing.(*B).runN",
    ..Entry::UNKNOWN
};

/// `go` ignores files and folders that begin with `_`, and folders called `testdata`; what it is started in may be called anything.
fn passes_over(path: &Path) -> bool {
    let ignored = |name: &OsStr| name == "testdata" || name.as_encoded_bytes().starts_with(b"_");
    path.iter().any(ignored)
}
