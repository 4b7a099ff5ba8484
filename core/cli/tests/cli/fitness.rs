//! `tare doctor`, and what runs keep of what may have disturbed them.

use serde_json::Value;

use crate::harness::Dir;

fn codes(findings: &Value) -> Vec<&str> {
    findings.as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[test]
fn doctor_judges_the_machine_and_each_runtime_and_a_vanished_one_is_a_line() {
    let dir = Dir::new();
    let arguments = ["doctor", "--runtime", "php", "--runtime", "gone=/nowhere/php9", "--runtime", "python3"];
    let document = dir.tare(&[&arguments[..], &["--json"]].concat()).finish(0).document().0;
    assert_eq!((&document["format"], &document["version"]), (&"tare.doctor".into(), &1.into()));
    let machine = codes(&document["findings"]);
    for code in ["governor", "clocksource", "steal", "load", "aslr", "cpu-quota", "perf-events"] {
        assert!(machine.contains(&code), "{machine:?}");
    }
    let runtimes = document["runtimes"].as_array().unwrap();
    assert_eq!(runtimes.len(), 3);
    assert!(codes(&runtimes[0]["findings"]).contains(&"xdebug"), "{runtimes:#?}");
    assert!(runtimes[1]["failure"]["message"].as_str().unwrap().contains("/nowhere/php9"), "{runtimes:#?}");
    assert!(!runtimes[1]["failure"]["remedy"].as_str().unwrap().is_empty());
    assert!(codes(&runtimes[2]["findings"]).contains(&"frame-pointers"), "{runtimes:#?}");
    assert!(document.get("noise").is_none());

    let report = dir.tare(&arguments).finish(0);
    report.says_once(&["gone: php failed there is no program `/nowhere/php9`"]);
}

#[test]
fn a_runtime_that_ends_or_keeps_silent_while_it_is_asked_is_a_line() {
    let dir = Dir::new();
    dir.script("ends", "#!/bin/sh\nexit 3\n")
        .script("babbles", "#!/bin/sh\necho '\u{1b}[31mno frame' >\"$TARE_WIRE\"\n");
    let report = dir.tare(&["doctor", "--runtime", "a=php:./ends", "--runtime", "b=worker:./babbles"]).finish(0);
    report.says_once(&["a: php failed", "b: worker failed"]);
}

#[test]
fn languages_that_are_not_installed_are_named_once() {
    let dir = Dir::new();
    let mut command = dir.tare(&["doctor"]);
    command.command.env("PATH", dir.path());
    command.finish(0).says_once(&["not installed: php, go, python3"]);
}

#[test]
fn a_program_is_judged_by_its_build_only_when_it_is_named() {
    let dir = Dir::new();
    let report = dir.tare(&["doctor", "--runtime", "native"]).finish(0);
    report.says_once(&["there is no C++ program whose build Tare could inspect", "--runtime cpp:build/my_bench"]);
}

#[test]
fn a_machine_that_can_not_be_read_is_unknown_and_no_error() {
    let dir = Dir::new();
    let report = dir.tare(&["doctor", "--root", "nowhere", "--runtime", "php"]).finish(0);
    report.says_once(&["clocksource: /sys/devices/system/clocksource/clocksource0/current_clocksource is not there"]);
    assert!(!report.stdout.contains("disturbs "), "{report}");
}

#[test]
fn a_run_keeps_what_may_have_disturbed_it_and_shows_what_did() {
    let dir = Dir::new();
    dir.file("bench_sum.py", "def bench_sum():\n    sum((1, 2, 3))\n");
    let run =
        |more: &[&str]| dir.run(&[&["--runtime", "dev=env PYTHONDEVMODE=1 python3", "bench_sum.py"], more].concat());
    let measured = run(&["--json"]).finish(0).document().0;
    let of_runtime = |document: &Value| -> Vec<Value> {
        let all = document["findings"].as_array().unwrap();
        all.iter().filter(|finding| finding["runtime"] == "dev").cloned().collect()
    };
    let kept = of_runtime(&measured);
    assert!(kept.iter().any(|finding| finding["code"] == "dev-mode" && finding["level"] == "disturbs"), "{measured:#}");
    assert!(measured["findings"].as_array().unwrap().iter().all(|f| f["level"] != "good" && f["level"] != "unknown"));
    assert_eq!(dir.stored().0["findings"], measured["findings"], "what is stored is what was shown");

    // The machine's own findings may stand beside it: this test may run on a busy one.
    dir.tare(&["show"]).finish(0).says_once(&["disturbed by:", "dev: dev-mode on", "`tare doctor` explains"]);
    run(&[]).finish(0).says_once(&["dev: dev-mode on"]);
}

#[test]
fn an_interrupted_look_at_the_noise_shows_what_was_ready() {
    let dir = Dir::new();
    let told = dir.path().join("../told");
    let running = dir.tare(&["doctor", "--noise", "--runtime", "php"]).start_telling(&told);
    let said = || std::fs::read_to_string(&told).unwrap_or_default();
    // By then all subjects were compared in the same rounds.
    dir.wait_until("the second part begins", || said().contains("one after the other: the first"));
    running.signal(rustix::process::Signal::INT);
    let finished = running.wait();
    assert_eq!(finished.status, Some(130), "{finished}");
    finished.says_once(&["noise floor", "interrupted: the report shows only what was ready by then"]);
    let rows: Vec<&str> = finished.stdout.lines().filter(|line| line.starts_with("NoiseBench::")).collect();
    assert!(
        !rows.is_empty() && rows.iter().all(|row| row.contains('±') && row.ends_with("not measured")),
        "{finished}"
    );
    dir.assert_no_process_is_left();
}
