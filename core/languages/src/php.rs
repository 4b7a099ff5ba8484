use crate::entry::{Clocks, Entry, Execution, Packages, Pattern};

pub(crate) const ENTRY: Entry = Entry {
    name: "php",
    endings: &["php"],
    patterns: &[Pattern { of_phpbench: true, ..Pattern::plain("*Bench.php") }],
    named_by_class: true,
    programs: &["php"],
    usual_command: Some("php"),
    judged_by_itself: true,
    clocks: Clocks { programs: &["php"], compilers: false },
    execution: Execution::Interpreted,
    profilers: &["excimer", "xdebug", "perf"],
    tells_functions: true,
    is_worker_frame: |frame| {
        frame.starts_with("Tare\\") || frame.contains("worker.php") || frame.contains("CallPathSource.php")
    },
    packages_of_projects: Some(Packages { named_in: "composer.json", folder: "vendor", command: "composer install" }),
    ..Entry::UNKNOWN
};
