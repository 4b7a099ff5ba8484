use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{Finding, Level, Moment, Span, joined, of_machine, of_runtime, of_span};

const MEANWHILE: Span<'_> = Span { when: "meanwhile", longer: "--duration" };

fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    folder
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// What a span says that began with the first `/proc/stat` and ended with the second.
fn span(before: &str, after: &str) -> Vec<Finding> {
    let folder = machine(&[("proc/stat", before)]);
    let begin = Moment::with_processes(folder.path());
    write(folder.path(), &[("proc/stat", after)]);
    of_span(&begin, &Moment::with_processes(folder.path()), MEANWHILE)
}

fn level(findings: &[Finding], code: &str) -> Level {
    findings.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("nothing on {code}")).level
}

#[test]
fn steal_is_judged_by_its_share_of_the_span_not_since_boot() {
    // A third was stolen before; what counts is what follows.
    let stat = |idle: u64, steal: u64| format!("cpu  1000 0 0 {idle} 0 0 0 {steal} 0 0\ncpu0 1\ncpu1 1\n");
    let of = |stolen: u64| level(&span(&stat(1000, 1000), &stat(2000 - stolen, 1000 + stolen)), "steal");
    assert_eq!([of(0), of(9), of(10), of(49), of(50)], {
        use Level::{Disturbs, Good, MayDisturb};
        [Good, Good, MayDisturb, MayDisturb, Disturbs]
    });
}

#[test]
fn a_package_that_was_throttled_counts_once_not_once_for_each_of_its_cpus() {
    let counts = |package: u64| -> Vec<(String, String)> {
        let of = |cpu: u64| {
            let folder = format!("sys/devices/system/cpu/cpu{cpu}");
            [
                (format!("{folder}/topology/physical_package_id"), (cpu / 2).to_string()),
                (format!("{folder}/thermal_throttle/core_throttle_count"), "1".to_owned()),
                (format!("{folder}/thermal_throttle/package_throttle_count"), package.to_string()),
            ]
        };
        (0..4).flat_map(of).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let put = |files: &[(String, String)]| {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        write(folder.path(), &files);
    };
    let told = |findings: &[Finding]| findings.iter().find(|finding| finding.code == "thermal").unwrap().found.clone();
    put(&counts(10));
    let before = Moment::with_processes(folder.path());
    // Four cores, and two packages of two CPUs each.
    let since_boot = told(&of_machine(folder.path(), &BTreeMap::new(), &[]));
    assert!(since_boot.contains("24 times"), "{since_boot}");
    put(&counts(13));
    let findings = of_span(&before, &Moment::with_processes(folder.path()), MEANWHILE);
    assert!(told(&findings).contains("6 times"), "{}", told(&findings));
}

#[test]
fn turbo_that_is_switched_by_policy_is_known() {
    const POLICY: &str = "sys/devices/system/cpu/cpufreq/policy";
    for (flags, expected) in [
        (["0", "0"], Level::Good),
        (["0", "1"], Level::MayDisturb),
        (["x", "1"], Level::MayDisturb),
        (["0", "x"], Level::Unknown),
    ] {
        let paths = [format!("{POLICY}0/boost"), format!("{POLICY}4/boost")];
        let folder = machine(&[(&paths[0], flags[0]), (&paths[1], flags[1])]);
        assert_eq!(level(&of_machine(folder.path(), &BTreeMap::new(), &[]), "turbo"), expected, "{flags:?}");
    }
    assert_eq!(level(&of_machine(machine(&[]).path(), &BTreeMap::new(), &[]), "turbo"), Level::Unknown);
}

#[test]
fn our_own_time_is_no_load_of_others() {
    let own = |ticks: u64| format!("7 (tare) S 1 7 7 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0\n");
    let folder = machine(&[
        ("proc/stat", "cpu  100 0 0 900 0 0 0 0 0 0\ncpu0 1\n"),
        ("proc/self/stat", &own(10)),
        ("proc/7/stat", &own(10)),
    ]);
    let before = Moment::with_processes(folder.path());
    write(
        folder.path(),
        &[
            ("proc/stat", "cpu  200 0 0 900 0 0 0 0 0 0\ncpu0 1\n"),
            ("proc/self/stat", &own(110)),
            ("proc/7/stat", &own(110)),
        ],
    );
    let findings = of_span(&before, &Moment::with_processes(folder.path()), MEANWHILE);
    let load = findings.iter().find(|finding| finding.code == "load").unwrap();
    assert_eq!((load.level, load.found.as_str()), (Level::Good, "0.0 of 1 CPUs used by other programs meanwhile"));
}

#[test]
fn counters_that_stand_still_go_back_or_overflow_say_nothing() {
    let fine = "cpu  100 0 0 900 0 0 0 0 0 0\ncpu0 1\n";
    for (before, after) in [
        (fine, fine),
        (fine, "cpu  1 0 0 9 0 0 0 0 0 0\ncpu0 1\n"),
        (fine, "cpu  18446744073709551615 1 1 1 1 1 1 1\ncpu0 1\n"),
        (fine, "cpu  1 2 3\ncpu0 1\n"),
        (fine, "cpu  1000 0 0 9000 0 0 0 0 0 0\n"),
        ("", fine),
    ] {
        let findings = span(before, after);
        assert_eq!([level(&findings, "steal"), level(&findings, "load")], [Level::Unknown; 2], "{before:?} {after:?}");
    }
}

#[test]
fn governors_are_told_from_each_other() {
    let of = |governor: &str| {
        let folder = machine(&[("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor)]);
        level(&of_machine(folder.path(), &BTreeMap::new(), &[]), "governor")
    };
    assert_eq!(of("performance\n"), Level::Good);
    assert_eq!(of("userspace\n"), Level::MayDisturb);
    for following in ["powersave", "ondemand", "conservative", "schedutil"] {
        assert_eq!(of(following), Level::Disturbs, "{following}");
    }
    for nonsense in ["", "\u{1}", "power save", "performance\u{1b}[0m"] {
        assert_eq!(of(nonsense), Level::Unknown, "{nonsense:?}");
    }
}

#[test]
fn one_governor_that_makes_no_sense_hides_the_good_ones() {
    let folder = machine(&[
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "\0\n"),
        ("sys/devices/system/cpu/cpu2/online", "0\n"),
    ]);
    assert_eq!(level(&of_machine(folder.path(), &BTreeMap::new(), &[]), "governor"), Level::Unknown);
    fs::remove_file(folder.path().join("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor")).unwrap();
    assert_eq!(level(&of_machine(folder.path(), &BTreeMap::new(), &[]), "governor"), Level::Good);
}

#[test]
fn each_code_comes_once_and_the_worse_one_stays() {
    let finding = |code, level| Finding::new(code, level, format!("{level:?}"), "", "");
    let standing = vec![finding("swap", Level::MayDisturb), finding("thermal", Level::Disturbs)];
    let moving = vec![finding("swap", Level::Disturbs), finding("thermal", Level::Good), finding("load", Level::Good)];
    let joined = joined(standing, moving);
    let all: Vec<(&str, Level)> = joined.iter().map(|finding| (finding.code.as_str(), finding.level)).collect();
    assert_eq!(all, [("swap", Level::Disturbs), ("thermal", Level::Disturbs), ("load", Level::Good)]);
}

#[test]
fn a_quota_that_makes_no_sense_is_not_none() {
    let of = |limit: &str| {
        let folder = machine(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", limit)]);
        let facts = crate::facts(folder.path());
        level(&of_machine(folder.path(), &facts, &[]), "cpu-quota")
    };
    assert_eq!(of("max 100000\n"), Level::Good);
    assert_eq!(of("150000 100000\n"), Level::Disturbs);
    assert_eq!(of("400000 100000\n"), Level::MayDisturb);
    for nonsense in ["", "-5 0\n", "lots\n", "\0"] {
        assert_eq!(of(nonsense), Level::Unknown, "{nonsense:?}");
    }
}

#[test]
fn a_layout_that_setarch_fixed_is_seen() {
    let folder = machine(&[("proc/sys/kernel/randomize_va_space", "2\n"), ("proc/self/personality", "00040000\n")]);
    assert_eq!(level(&of_machine(folder.path(), &BTreeMap::new(), &[]), "aslr"), Level::MayDisturb);
}

proptest! {
    #[test]
    fn any_text_in_any_file_is_judged_or_unknown(text in ".{0,200}", other in "[0-9 cpu\n]{0,80}") {
        let files: Vec<(&str, &str)> = [
            "proc/stat", "proc/self/stat", "proc/7/stat", "proc/self/status", "proc/self/cgroup", "proc/meminfo", "proc/vmstat",
            "proc/cpuinfo", "proc/sys/kernel/randomize_va_space", "proc/self/personality", "sys/devices/system/cpu/isolated",
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
            "sys/kernel/mm/transparent_hugepage/enabled", "sys/fs/cgroup/cpu.stat",
        ].into_iter().map(|path| (path, text.as_str())).collect();
        let folder = machine(&files);
        let before = Moment::with_processes(folder.path());
        write(folder.path(), &[("proc/stat", &other), ("proc/vmstat", &other)]);
        let after = Moment::with_processes(folder.path());
        let facts = crate::facts(folder.path());
        let measuring = super::measuring_cpus(folder.path());
        for finding in joined(of_machine(folder.path(), &facts, &measuring), of_span(&before, &after, MEANWHILE)) {
            prop_assert!(!finding.found.is_empty());
            prop_assert!(finding.found.chars().all(|c| !c.is_control()), "{:?}", finding);
            prop_assert!(finding.level == Level::Good || !finding.effect.is_empty(), "{:?}", finding);
        }
    }

    #[test]
    fn any_fact_of_a_runtime_is_judged(
        language in prop::sample::select(vec!["php", "go", "cpp", "python", "other"]),
        facts in prop::collection::btree_map("[a-zA-Z_-]{0,12}", ".{0,300}", 0..20),
    ) {
        for finding in of_runtime(language, &facts) {
            prop_assert!(finding.found.chars().all(|c| !c.is_control()));
            prop_assert!(finding.found.chars().count() <= 220);
        }
    }
}
