//! What a person sees, at the widths of real terminals.

use crate::fixtures;
use insta::assert_snapshot;
use tare_report::{TableOptions, case_list, notices, run_log, run_table, side_by_side};
use tare_statistics::{Warning, WarningCode};

fn at(width: usize) -> TableOptions {
    TableOptions { width, ..TableOptions::default() }
}

/// Escapes shown, so that a snapshot can be read.
fn seen(text: &str) -> String {
    text.replace('\x1b', "␛")
}

#[test]
fn a_suite() {
    assert_snapshot!("suite_100", run_table(&fixtures::suite(), &at(100)));
    assert_snapshot!("suite_80", run_table(&fixtures::suite(), &at(80)));
    assert_snapshot!("suite_60", run_table(&fixtures::suite(), &at(60)));
    assert_snapshot!("suite_40", run_table(&fixtures::suite(), &at(40)));
    assert_snapshot!("suite_30", run_table(&fixtures::suite(), &at(30)));
}

#[test]
fn warnings_call_commands_by_their_line() {
    let mut view = fixtures::suite();
    for (variant, line) in view.variants.iter_mut().zip(["cat words.txt", "dd if=words.txt"]) {
        let case = &mut variant.variant.case;
        case.language = "commands".to_owned();
        case.benchmark = "commands".to_owned();
        case.parameters.name = Some(line.to_owned());
        if let Some(summary) = &mut variant.summary {
            summary.warnings.push(Warning {
                code: WarningCode::InstructionsNotCounted.into(),
                message: "it isn't counted".to_owned(),
                remedy: String::new(),
            });
        }
    }
    let page = run_table(&view, &at(100));
    let warning =
        page.split("warning: ").find(|warning| warning.starts_with("instructions-not-counted")).expect("told");
    assert!(warning.contains("\n  cat words.txt, dd if=words.txt\n"), "{warning}");
}

#[test]
fn a_suite_in_colour_and_in_ascii() {
    let colour = TableOptions { colour: true, ..at(80) };
    assert_snapshot!("suite_80_colour", seen(&run_table(&fixtures::suite(), &colour)));
    let ascii = TableOptions { unicode: false, ..at(80) };
    assert_snapshot!("suite_80_ascii", run_table(&fixtures::suite(), &ascii));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let plain_tables = [fixtures::suite(), fixtures::troubled(), fixtures::hostile(), fixtures::modes()];
    for view in plain_tables.into_iter().chain([fixtures::controlled(0.008), fixtures::several()]) {
        let plain = run_table(&view, &at(80));
        let mut coloured = run_table(&view, &TableOptions { colour: true, ..at(80) });
        for code in ["0", "1", "2", "31", "32", "33"] {
            coloured = coloured.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(coloured, plain);
    }
}

#[test]
fn a_suite_in_full() {
    let options = TableOptions { verbose: true, raw: true, ..at(100) };
    assert_snapshot!("magnitudes_100_verbose", run_table(&fixtures::magnitudes(), &options));
    assert_snapshot!("magnitudes_60", run_table(&fixtures::magnitudes(), &at(60)));
}

#[test]
fn what_a_call_typically_takes_stands_below_what_it_costs_where_it_is_another() {
    assert_snapshot!("tails_100", run_table(&fixtures::tails(), &at(100)));
    assert_snapshot!("tails_40", run_table(&fixtures::tails(), &at(40)));
    let verbose = run_table(&fixtures::tails(), &TableOptions { verbose: true, ..at(100) });
    assert!(verbose.contains("noted: outliers in 3 cases"), "{verbose}");
    assert!(!run_table(&fixtures::tails(), &at(100)).contains("outliers"), "a fact is shown to those who ask");
    let runs = [("a".to_owned(), fixtures::tails()), ("b".to_owned(), fixtures::tails())];
    assert_snapshot!("tails_runs_100", side_by_side(&runs, &at(100)));
}

#[test]
fn failures_warnings_and_notices() {
    assert_snapshot!("troubled_100", run_table(&fixtures::troubled(), &at(100)));
    assert_snapshot!("troubled_60", run_table(&fixtures::troubled(), &at(60)));
    let colour = TableOptions { colour: true, ..at(100) };
    assert_snapshot!("notices_colour", seen(&notices(&fixtures::troubled().notices, &colour)));
}

#[test]
fn calls_side_by_side() {
    assert_snapshot!("modes_100", run_table(&fixtures::modes(), &at(100)));
    assert_snapshot!("modes_80_raw", run_table(&fixtures::modes(), &TableOptions { raw: true, ..at(80) }));
    assert_snapshot!("modes_40", run_table(&fixtures::modes(), &at(40)));
}

#[test]
fn stored_runs_side_by_side() {
    let runs = [("before".to_owned(), fixtures::suite()), ("after".to_owned(), fixtures::elsewhere())];
    assert_snapshot!("runs_80", side_by_side(&runs, &at(80)));
}

#[test]
fn runs_under_one_policy_on_one_machine_need_no_note() {
    let runs = [("a".to_owned(), fixtures::suite()), ("b".to_owned(), fixtures::suite())];
    assert!(!side_by_side(&runs, &at(80)).contains("note:"));
}

#[test]
fn hostile_names_are_shown_and_harmless() {
    assert_snapshot!("hostile_80", run_table(&fixtures::hostile(), &at(80)));
    assert_snapshot!("hostile_60_ascii", run_table(&fixtures::hostile(), &TableOptions { unicode: false, ..at(60) }));
}

#[test]
fn the_log_and_the_list() {
    assert_snapshot!("log_100", run_log(&fixtures::log(), &at(100)));
    assert_snapshot!("log_50", run_log(&fixtures::log(), &at(50)));
    assert_snapshot!("log_empty", run_log(&[], &at(80)));
    let cases: Vec<_> = fixtures::troubled().variants.into_iter().map(|v| v.variant.case).collect();
    assert_snapshot!("list_80", case_list(&cases, &TableOptions { verbose: true, ..at(80) }));
}

#[test]
fn the_unit_that_the_author_asked_for_is_used() {
    let mut view = fixtures::magnitudes();
    view.variants[1].variant.case.settings.unit = Some(tare_samples::TimeUnit::Microseconds);
    let text = run_table(&view, &at(100));
    assert!(text.contains("0.06593 µs ± 0.00081"), "{text}");
}

#[test]
fn a_runtime_at_two_places_is_described_once() {
    let mut view = fixtures::suite();
    let lines = |view: &tare_results::RunView| {
        let shown = tare_report::run_table(view, &at(100));
        let runtime = &view.variants[0].variant.runtime;
        shown.matches(&format!("{} {},", runtime.language, runtime.version)).count()
    };
    assert_eq!(lines(&view), 1);
    view.variants[0].variant.runtime.command.command = vec!["/elsewhere/php".into()];
    assert_eq!(lines(&view), 1);
}

#[test]
fn two_runtimes_have_two_scales_and_an_overlapping_one_is_half_subtracted() {
    let mut view = fixtures::suite();
    view.variants.truncate(4);
    for variant in &mut view.variants[2..] {
        variant.variant.runtime.name = "jit".into();
        variant.variant.runtime.correction = tare_samples::Correction::Overlapping;
        let summary = variant.summary.as_mut().expect("a summary");
        summary.overhead.call.estimate = 0.31;
        summary.overhead.surplus = None;
    }
    let text = run_table(&view, &at(100));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("overhead subtracted, php8.2: call 23.4 ns, clock 38.1 ns, "), "{text}");
    let half = "call 0.31 ns (half of it, the other half is in ±, since it overlaps the code), clock 38.6 ns";
    assert!(text.contains(&format!("overhead subtracted, jit: {half}")), "{text}");
}

#[test]
fn an_interrupted_case_shows_its_figures_and_says_so() {
    let mut view = fixtures::suite();
    view.variants[1].outcome = tare_samples::Outcome::Interrupted;
    let text = run_table(&view, &at(100));
    assert!(text.contains("benchHash adler32            65.93 ns"), "{text}");
    assert!(text.contains("interrupted: HashBench::benchHash adler32\n"), "{text}");
    assert!(text.contains("19 measured, 1 interrupted"), "{text}");
}

#[test]
fn a_run_in_which_everything_failed_does_not_look_well() {
    let mut view = fixtures::troubled();
    view.variants.retain(|v| matches!(v.outcome, tare_samples::Outcome::Failed(_)));
    // Two cases and a file, as many as are told.
    let text = run_table(&view, &at(80));
    assert!(text.contains("0 measured, 3 failed"), "{text}");
    assert_eq!(
        text.matches("failed: ").count(),
        2 + 2,
        "a block for the two cases, one for the file, and their cells: {text}"
    );
}

#[test]
fn what_disturbed_a_run_is_a_line_and_what_may_have_is_asked_for() {
    let view = fixtures::disturbed();
    assert_snapshot!("disturbed_80", run_table(&view, &at(80)));
    let verbose = run_table(&view, &TableOptions { verbose: true, ..at(100) });
    assert!(verbose.contains("perhaps by: virtualisation QEMU"), "{verbose}");
    assert_eq!(verbose.matches("disturbed by:").count(), 1);
    let mut calm = view;
    calm.origin.findings.retain(|finding| finding.level == tare_samples::FindingLevel::MayDisturb);
    let calm = run_table(&calm, &at(80));
    assert!(!calm.contains("disturbed") && !calm.contains("tare doctor"), "a virtual machine is no warning: {calm}");
}

#[test]
fn what_was_settled_and_put_back() {
    use tare_report::tune_report;
    use tare_results::{TuneOutcome, TuneRow};
    let row = |what: &str, path: &str, outcome| TuneRow {
        what: what.into(),
        path: path.into(),
        old: "powersave".into(),
        new: "performance".into(),
        outcome,
    };
    let policy = |number: u32| format!("/sys/devices/system/cpu/cpufreq/policy{number}/scaling_governor");
    let mut rows: Vec<TuneRow> = (0..8).map(|number| row("governor", &policy(number), TuneOutcome::Settled)).collect();
    rows.push(row("governor", &policy(8), TuneOutcome::NotSettled("permission denied".into())));
    rows.push(row("governor", &policy(9), TuneOutcome::Planned));
    rows.push(row("governor", &policy(10), TuneOutcome::Back));
    rows.push(row("governor", &policy(11), TuneOutcome::AsItWas));
    rows.push(row("governor", &policy(12), TuneOutcome::Foreign("ondemand\u{1b}[31m".into())));
    rows.push(row("governor", &policy(13), TuneOutcome::NotBack("it is not there any more".into())));
    assert_snapshot!("tune_80", tune_report(&rows, false, &at(80)));
    let files = tune_report(&rows, true, &at(80));
    assert_eq!(files.matches("scaling_governor").count(), rows.len());
}

/// Cases of `benchmark` with these labels, which all fail in the same way.
fn failing(cases: &[(&str, &str, Option<&str>, &str)]) -> tare_results::RunView {
    let mut view = fixtures::suite();
    view.variants.clear();
    for (number, (language, benchmark, set, label)) in cases.iter().enumerate() {
        let mut variant = fixtures::ok(benchmark, *set, 50.0, 1.0);
        variant.variant.id = format!("variant {number}");
        variant.variant.case.language = (*language).to_owned();
        variant.variant.label = (*label).to_owned();
        variant.outcome = tare_samples::Outcome::Failed(tare_samples::Failure {
            trace: "runner.py:361 run()\nplugin.py:5 call()\ntest_x.py:6 test_long()".to_owned(),
            ..tare_samples::Failure::new(
                tare_samples::FailureKind::Exception,
                "assert 1 == 2\n +  where 1 = f()",
                "mend it",
            )
            .at("test_x.py", 6)
        });
        view.variants.push(variant);
    }
    view
}

#[test]
fn what_a_label_repeats_of_the_title_is_said_once() {
    let view = failing(&[
        ("php", "SumBench::benchTotal", None, "benchTotal"),
        ("python", "bench_total", None, "bench_total, fast"),
        ("php", "HashBench::benchHash", Some("md5"), "md5"),
        ("php", "HashBench::benchHash", Some("sha1"), "benchHash#sha1, control"),
        ("php", "SumBench::benchOther", None, "php8.2"),
    ]);
    let text = run_table(&view, &TableOptions { verbose: true, ..at(120) });
    let told: Vec<&str> = text.split("\nfailed: ").nth(1).unwrap().split_whitespace().collect();
    let names = "SumBench::benchTotal, bench_total fast, HashBench::benchHash md5, HashBench::benchHash sha1 (control), SumBench::benchOther";
    assert!(told.join(" ").starts_with(names), "{text}");
    assert!(text.contains("SumBench::benchOther php8.2"), "{text}");
}

#[test]
fn as_many_are_named_as_are_counted() {
    // Two languages may call a case the same.
    let mut view = failing(&[("php", "sort", None, ""), ("python", "sort", None, ""), ("python", "other", None, "")]);
    view.file_failures.push(tare_samples::Failure::new(tare_samples::FailureKind::Load, "no", "").at("a.py", 0));
    let text = run_table(&view, &at(100));
    assert!(text.contains("failed: sort (php), sort (python), other\n"), "{text}");
    assert!(text.contains("failed: a.py\n") && text.contains("0 measured, 4 failed"), "{text}");
}

#[test]
fn of_a_trace_the_line_is_shown_and_the_rest_on_request() {
    let view = failing(&[("python", "test_long", None, "")]);
    let text = run_table(&view, &at(80));
    assert!(text.contains("  test_x.py:6\n") && text.contains("where 1 = f()"), "{text}");
    assert!(!text.contains("runner.py"), "{text}");
    let all = run_table(&view, &TableOptions { verbose: true, ..at(80) });
    assert!(all.contains("trace") && all.contains("runner.py:361 run()"), "{all}");
    let document = tare_report::run_document(&view, tare_report::Layout::Pretty);
    assert!(document.contains("runner.py:361 run()\\nplugin.py:5 call()"), "{document}");
}

#[test]
fn names_stay_whole_where_no_terminal_cuts_them() {
    let mut view = fixtures::suite();
    let long = format!("BenchmarkDeep/{}/size=1000000", "a_level_of_its_own/".repeat(6));
    view.variants[0].variant.case.benchmark.clone_from(&long);
    view.variants[0].variant.case.parameters.name = None;
    let shown = |view: &tare_results::RunView, whole_names| {
        run_table(view, &TableOptions { whole_names, ..TableOptions::default() })
    };
    assert!(
        shown(&view, true).lines().any(|line| line.contains(&long) && line.contains("resolution")),
        "{}",
        shown(&view, true)
    );
    assert!(!shown(&view, false).contains(&long));
    let cases: Vec<_> = view.variants.iter().map(|variant| variant.variant.case.clone()).collect();
    let listed = case_list(&cases, &TableOptions { whole_names: true, ..TableOptions::default() });
    assert!(listed.lines().any(|line| line.contains(&format!("{long}  "))), "{listed}");
    // Beside names that are longer than a line no figure would be found: they stand above their rows.
    let deep = "deeply/nested/".repeat(7);
    let last = view.variants.len() - 1;
    for (number, at) in [(7, 0), (8, last)] {
        view.variants[at].variant.case.benchmark = format!("{deep}case{number}/{deep}end");
        view.variants[at].variant.case.parameters.name = None;
    }
    let text = shown(&view, true);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let joined: String = text.lines().collect();
    for number in [7, 8] {
        assert!(joined.contains(&format!("{deep}case{number}/{deep}end")), "{text}");
    }
    // A name without end doesn't make lines without end.
    view.variants[0].variant.case.benchmark = "x".repeat(1_000_000);
    assert!(shown(&view, true).lines().all(|line| line.chars().count() < 600));
}
