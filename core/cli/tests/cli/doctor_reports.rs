//! Whole reports of machines that are folders.

mod machines;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;
use tare_machine::fitness::Moment;
use tare_report::{Layout, TableOptions, doctor_document, doctor_report};
use tare_results::{DoctorView, RuntimeFitness};
use tare_samples::{Correction, Failure, FailureKind, Runtime, RuntimeCommand};

use tare_session::{doctor_of_machine, of_runtime};

type Files<'a> = &'a [(&'a str, &'a str)];

/// A machine, and what its counters say a second later.
fn seen(machine: &[Files<'_>], later: Files<'_>) -> DoctorView {
    let folder = tempfile::tempdir().unwrap();
    let write = |files: Files<'_>| {
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    };
    machine.iter().for_each(|files| write(files));
    let before = Moment::with_processes(folder.path());
    write(later);
    let after = Moment::with_processes(folder.path());
    let mut view = doctor_of_machine(folder.path(), &before, &after, "over 1 s");
    // That of the build.
    view.machine.remove("arch");
    view
}

fn at_80(view: &DoctorView) -> String {
    doctor_report(view, &TableOptions { width: 80, ..TableOptions::default() })
}

fn code<'a>(view: &'a DoctorView, code: &str) -> &'a tare_samples::Finding {
    view.findings.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("nothing on {code}"))
}

#[test]
fn a_laptop_on_powersave() {
    let view = seen(&[machines::LAPTOP], machines::LAPTOP_LATER);
    assert_snapshot!("laptop", at_80(&view));
    let verbose = TableOptions { verbose: true, ..TableOptions::default() };
    assert_snapshot!("laptop_100_verbose", doctor_report(&view, &verbose));
    let colour = TableOptions { width: 80, colour: true, unicode: false, ..TableOptions::default() };
    assert_snapshot!("laptop_colour_ascii", doctor_report(&view, &colour).replace('\x1b', "␛"));
    assert_snapshot!("laptop_json", doctor_document(&view, Layout::Pretty));
}

#[test]
fn a_server_with_isolated_cpus() {
    assert_snapshot!("server", at_80(&seen(&[machines::SERVER], machines::SERVER_LATER)));
}

#[test]
fn isolated_cpus_outside_of_a_binding_are_unused() {
    let bound = seen(&[machines::SERVER, &[("proc/self/status", "Cpus_allowed_list:\t0-1\n")]], &[]);
    let isolated = code(&bound, "isolated");
    assert_eq!(isolated.found, "CPU 6,7, unused; workers run on CPU 1");
}

#[test]
fn a_kvm_guest_with_steal() {
    assert_snapshot!("guest", at_80(&seen(&[machines::GUEST], machines::GUEST_LATER)));
}

#[test]
fn a_container_with_a_quota() {
    assert_snapshot!("container", at_80(&seen(&[machines::CONTAINER], machines::CONTAINER_LATER)));
}

#[test]
fn an_arm_board_without_tsc() {
    assert_snapshot!("board", at_80(&seen(&[machines::BOARD], machines::BOARD_LATER)));
}

#[test]
fn an_unreadable_sys() {
    // A folder where a file should be is what a test that runs as root can't read.
    let unreadable: Vec<(&str, &str)> =
        machines::SERVER.iter().filter(|(path, _)| !path.starts_with("sys/")).copied().collect();
    let folders: Files<'_> = &[
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor/x", ""),
        ("sys/devices/system/cpu/intel_pstate/no_turbo/x", ""),
        ("sys/devices/system/cpu/smt/active/x", ""),
        ("sys/devices/system/cpu/isolated/x", ""),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource/x", ""),
        ("sys/kernel/mm/transparent_hugepage/enabled/x", ""),
    ];
    assert_snapshot!("unreadable", at_80(&seen(&[&unreadable, folders], machines::SERVER_LATER)));
}

#[test]
fn nothing_at_all() {
    let view = seen(&[], &[]);
    assert_snapshot!("nothing", at_80(&view));
    assert!(view.findings.iter().all(|finding| finding.level == tare_samples::FindingLevel::Unknown));
}

#[test]
fn a_loop_of_links_is_no_machine_and_no_end() {
    let folder = tempfile::tempdir().unwrap();
    symlink("proc", folder.path().join("proc")).unwrap();
    symlink("sys", folder.path().join("sys")).unwrap();
    let moment = Moment::with_processes(folder.path());
    let view = doctor_of_machine(folder.path(), &moment, &moment, "over 1 s");
    assert!(view.findings.iter().all(|finding| finding.level == tare_samples::FindingLevel::Unknown), "{view:#?}");
}

#[test]
fn nonsense_in_every_file() {
    let every: Vec<&str> = machines::ALL.iter().flat_map(|files| files.iter().map(|(path, _)| *path)).collect();
    let huge = "9".repeat(400);
    let long = "x".repeat(100_000);
    for text in [
        "",
        "\n",
        "\0\u{1}\u{2}\u{fffd}",
        &huge,
        "-1",
        "NaN",
        "\u{1b}]0;owned\u{7}\u{202e}x",
        &long,
        "[",
        "18446744073709551615",
    ] {
        let files: Vec<(&str, &str)> = every.iter().map(|path| (*path, text)).collect();
        let later: Vec<(&str, &str)> = files.clone();
        let view = seen(&[&files], &later);
        for width in [40, 80] {
            let report = doctor_report(&view, &TableOptions { width, ..TableOptions::default() });
            assert!(!report.chars().any(|c| c != '\n' && c.is_control()), "{text:?}: {report}");
            assert!(!report.contains('\u{202e}'), "{report}");
            assert!(report.lines().all(|line| line.chars().count() <= width), "{report}");
        }
        for finding in &view.findings {
            assert!(finding.found.chars().count() < 400, "{text:?}: {finding:?}");
        }
        for (name, fine) in [("governor", "performance"), ("steal", "0.0"), ("clocksource", "tsc")] {
            assert!(!code(&view, name).found.contains(fine), "invented: {:?}", code(&view, name));
        }
    }
    let control: Vec<(&str, &str)> = every.iter().map(|path| (*path, "\u{1b}[31mred\n")).collect();
    assert_snapshot!("nonsense", at_80(&seen(&[&control], &[])));
}

fn runtime(name: &str, language: &str, facts: Files<'_>) -> RuntimeFitness {
    let facts: BTreeMap<String, String> =
        facts.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let runtime = Runtime {
        name: name.to_owned(),
        language: language.to_owned(),
        version: "1.2.3".to_owned(),
        command: RuntimeCommand::default(),
        correction: Correction::Serial,
        facts,
    };
    RuntimeFitness {
        findings: of_runtime(&runtime),
        name: runtime.name,
        language: runtime.language,
        version: runtime.version,
        failure: None,
    }
}

#[test]
fn runtimes_that_no_one_should_measure_on_and_one_that_vanished() {
    let view = DoctorView {
        runtimes: vec![
            runtime("php", "php", machines::PHP_AT_THE_DESK),
            runtime("clean", "php", machines::PHP_CLEAN),
            runtime("go", "go", machines::GO_RACE),
            runtime("build/my_bench", "cpp", machines::CPP_DEBUG),
            runtime("python3", "python", machines::PYTHON_WATCHED),
            runtime("old", "php", &[("zts", "no")]),
            runtime("sim", "simulated", &[]),
            RuntimeFitness {
                name: "php9".to_owned(),
                language: "php".to_owned(),
                failure: Some(Failure::new(
                    FailureKind::Runtime,
                    "`php9` can't be started: No such file or directory\u{1b}[31m",
                    "check the command of --runtime",
                )),
                ..RuntimeFitness::default()
            },
        ],
        not_installed: vec!["go".to_owned()],
        ..DoctorView::default()
    };
    assert_snapshot!("runtimes", at_80(&view));
}
