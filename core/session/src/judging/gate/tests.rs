use std::collections::BTreeMap;

use tare_definition::{FailOn, Project};
use tare_plan::{Group, Pair, Planned};
use tare_results::{ComparisonKind, ComparisonView, ComparisonsView, GateOutcome, RunView, SideView, UnpairedView};
use tare_samples::{
    About, Calls, Case, CaseAssertion, CaseSettings, Correction, Likeness, Origin, Parameters, Proof, ProofLevel,
    Runtime, RuntimeCommand, Variant,
};
use tare_statistics::comparison::{Comparison, Flag, Rule, Verdict};
use tare_statistics::work::{Work, WorkVerdict};
use tare_statistics::{Estimate, Warning};

use super::{Concluded, Ending, Gates, slower};

/// An undecided pair with warnings of these codes.
fn undecided(codes: &[&str]) -> ComparisonView {
    let warning =
        |code: &&str| Warning { code: (*code).to_owned(), message: format!("{code} it is"), remedy: String::new() };
    let side = || SideView { id: "a".to_owned(), label: "a".to_owned(), time: None };
    let ratio = Some(Estimate { estimate: 1.06, low: 1.05, high: 1.07 });
    let warnings = codes.iter().map(warning).collect();
    let comparison = Comparison { ratio, pairs: 20, ..Comparison::without_ratio(&Rule::default(), warnings) };
    ComparisonView {
        title: "sort".to_owned(),
        base: side(),
        candidate: side(),
        kind: ComparisonKind::Live,
        comparison,
        machine_code: Some(Likeness::Moved),
        machines: None,
        work: None,
        work_by: Vec::new(),
    }
}

#[test]
fn a_gate_that_code_which_only_moved_leaves_open_says_so() {
    let (message, outcome) = slower(&undecided(&["drift", "code-moved"]), None).unwrap();
    assert_eq!(outcome, GateOutcome::Undecided);
    assert_eq!(message, "it takes 5 to 7 % more time than the base: too uncertain to decide (warning code-moved)");
}

#[test]
fn a_gate_that_lacks_the_second_measurement_says_so() {
    let flagged = |pairs: u32| {
        let mut pair = undecided(&[]);
        pair.comparison.flag = Some(Flag { first: Verdict::Slower, pairs, p_value: 0.2, claim: None });
        slower(&pair, Some(0.03)).unwrap().0
    };
    let more = "it takes 5 to 7 % more time than the base: more than that, and";
    assert_eq!(flagged(0), format!("{more} there was no time to measure it again"));
    assert_eq!(flagged(4), format!("{more} no second measurement has confirmed it"));
    let within = slower(&undecided(&[]), Some(0.06)).unwrap().0;
    assert_eq!(within, "it takes 5 to 7 % more time than the base: too uncertain to decide");
}

/// What is concluded of these pairs by what `--fail-on` asks for.
fn concluded(pairs: Vec<ComparisonView>, fail_on: &[FailOn]) -> Concluded {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::find(folder.path()).unwrap();
    let gates = Gates::new(fail_on, &project).unwrap();
    let mut view = run(pairs);
    gates.judge(&mut view);
    gates.conclude(&mut view)
}

fn run(pairs: Vec<ComparisonView>) -> RunView {
    let origin = Origin {
        id: "run".to_owned(),
        started: "2026-11-24T00:00:00Z".to_owned(),
        tags: Vec::new(),
        machine: BTreeMap::new(),
        findings: Vec::new(),
        git: BTreeMap::new(),
        policy: 2,
        seed: 1,
        tare: "0".to_owned(),
        imported: None,
    };
    RunView {
        ended: None,
        profiles: Vec::new(),
        origin,
        variants: Vec::new(),
        comparisons: ComparisonsView { pairs, ..ComparisonsView::default() },
        notices: Vec::new(),
        file_failures: Vec::new(),
        spent: None,
        stored: false,
        again: None,
    }
}

/// A pair whose change lies from `low` to `high`, undecided against a margin of 0.5 %.
fn open(low: f64, high: f64) -> ComparisonView {
    let mut pair = undecided(&[]);
    pair.comparison.ratio = Some(Estimate { estimate: f64::midpoint(low, high), low, high });
    pair
}

const SLOWER_BY_5: FailOn = FailOn::Slower(Some(0.05));

#[test]
fn a_gate_is_judged_at_the_percentage_that_it_states() {
    let noise = || vec![open(0.977, 1.023)];
    let held = concluded(noise(), &[SLOWER_BY_5, FailOn::Inconclusive]);
    assert_eq!((held.ending, held.why.as_deref()), (Ending::Passed, Some("no gate tripped")));
    // Not known to 5 % either.
    let wide = concluded(vec![open(0.9, 1.1)], &[SLOWER_BY_5, FailOn::Inconclusive]);
    assert_eq!((wide.ending, wide.why.as_deref()), (Ending::Undecided, Some("1 gate undecided (sort, slower=5 %)")));
    // Where no percentage is stated, the verdict is what counts.
    for asked in [vec![FailOn::Inconclusive], vec![FailOn::Slower(None), FailOn::Inconclusive]] {
        let open = concluded(noise(), &asked);
        assert_eq!(open.why.as_deref(), Some("1 gate undecided (sort, margin 0.5 %)"), "{asked:?}");
        assert_eq!(open.ending, Ending::Undecided);
    }
}

#[test]
fn a_row_passes_by_what_its_gate_asks_whatever_its_verdict() {
    let asked = |pair: ComparisonView, by: Option<f64>| {
        concluded(vec![pair], &[FailOn::Slower(by), FailOn::Inconclusive]).ending
    };
    // It differs, and by less than 2 %.
    assert_eq!(asked(open(1.002, 1.019), Some(0.02)), Ending::Passed);
    assert_eq!(asked(open(1.002, 1.019), None), Ending::Undecided);
    let mut slower = open(1.006, 1.019);
    (slower.comparison.verdict, slower.comparison.confirmed) = (Verdict::Slower, true);
    assert_eq!(asked(slower.clone(), Some(0.02)), Ending::Passed);
    assert_eq!(asked(slower.clone(), Some(0.01)), Ending::Undecided);
    assert_eq!(asked(slower, Some(0.005)), Ending::Tripped);
    // Beyond it, and not called.
    assert_eq!(asked(open(1.05, 1.07), Some(0.02)), Ending::Undecided);
    let mut same = open(0.98, 1.025);
    (same.comparison.verdict, same.comparison.within) = (Verdict::Same, Some(0.025));
    assert_eq!(asked(same.clone(), None), Ending::Passed);
    assert_eq!(asked(same, Some(0.02)), Ending::Undecided);
}

/// Typical calls are known to lie within what the gate asks for, and what a call costs isn't.
#[test]
fn a_gate_is_about_what_the_verdict_is_about() {
    let mut pair = open(0.95, 1.06);
    pair.comparison.typical = Some(Estimate { estimate: 1.01, low: 1.006, high: 1.014 });
    pair.comparison.rests_on = About::Typical;
    let asked = |pair: &ComparisonView| concluded(vec![pair.clone()], &[SLOWER_BY_5, FailOn::Inconclusive]).ending;
    assert_eq!(asked(&pair), Ending::Undecided);
    let (message, _) = slower(&pair, Some(0.05)).unwrap();
    let told = "typical calls, which its row shows, don't decide: on average it takes from 5 % less to 6 % more time than the base";
    assert!(message.starts_with(told), "{message}");
    pair.comparison.about = About::Typical;
    assert_eq!(asked(&pair), Ending::Passed);
}

#[test]
fn what_is_proven_to_be_unchanged_passes_all_gates_on_comparisons() {
    let proof = Proof { level: ProofLevel::Files, files: 41, units: 0 };
    let mut pair = open(1.0, 1.0);
    pair.comparison = Comparison::unchanged(proof, &Rule::default());
    let ends = |gates: &[FailOn]| concluded(vec![pair.clone()], gates).ending;
    for gates in [[SLOWER_BY_5, FailOn::Inconclusive], [FailOn::Slower(None), FailOn::Inconclusive]] {
        assert_eq!(ends(&gates), Ending::Passed);
    }
}

/// The least of what a case's gates state is asked of its pairs, of controls nothing; and nothing where a gate asks for the verdict.
#[test]
fn pairs_are_asked_for_the_least_percentage_of_their_gates() {
    let folder = tempfile::tempdir().unwrap();
    let limits =
        "[[limit]]\ncase = \"sort\"\nmax-slowdown = \"3%\"\n[[limit]]\ncase = \"hash\"\nmax-slowdown = \"10%\"\n";
    std::fs::write(folder.path().join("tare.toml"), limits).unwrap();
    let asked = |fail_on: &[FailOn]| {
        let gates = Gates::new(fail_on, &Project::find(folder.path()).unwrap()).unwrap();
        let mut groups = ["sort", "hash", "parse"].map(group);
        gates.ask(&mut groups);
        groups.map(|group| [group.pairs[0].gate, group.pairs[1].gate])
    };
    assert_eq!(asked(&[FailOn::Inconclusive]), [[Some(0.03), None], [Some(0.1), None], [None, None]]);
    assert_eq!(asked(&[SLOWER_BY_5]), [[Some(0.03), None], [Some(0.05), None], [Some(0.05), None]]);
    assert_eq!(asked(&[FailOn::Slower(None)]), [[None, None]; 3]);
}

/// A base, a candidate, and the base again.
fn group(benchmark: &str) -> Group {
    let planned = |name: &str| {
        let case = Case {
            index: 0,
            language: "php".to_owned(),
            benchmark: benchmark.to_owned(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters::default(),
            file: "a.php".to_owned(),
            line: 1,
            groups: Vec::new(),
            settings: CaseSettings::default(),
        };
        let runtime = Runtime {
            name: name.to_owned(),
            language: "php".to_owned(),
            version: "1".to_owned(),
            command: RuntimeCommand::default(),
            correction: Correction::Serial,
            facts: BTreeMap::new(),
        };
        let variant = Variant { id: name.to_owned(), case, runtime, calls: Calls::Pilot, label: name.to_owned() };
        Planned {
            variant,
            sources: Vec::new(),
            bootstrap: None,
            start: RuntimeCommand::default(),
            code: Vec::new(),
            layouts: tare_plan::Layouts::One,
            startup: tare_plan::Startup::default(),
        }
    };
    let pairs = vec![Pair::new(0, 1), Pair { control: true, ..Pair::new(0, 2) }];
    Group { case: benchmark.to_owned(), variants: ["old", "new", "old again"].map(planned).to_vec(), pairs }
}

#[test]
fn a_gate_that_had_nothing_to_compare_says_so() {
    let ended = |fail_on: &[FailOn], pairs: Vec<ComparisonView>| {
        let folder = tempfile::tempdir().unwrap();
        let gates = Gates::new(fail_on, &Project::find(folder.path()).unwrap()).unwrap();
        let mut view = run(pairs);
        let moved = UnpairedView { title: "sort".to_owned(), side: "HEAD".to_owned() };
        view.comparisons.unpaired.push(moved);
        let found = gates.conclude(&mut view);
        (found.ending, found.why)
    };
    let why = "no gate tripped, because no case is on both sides".to_owned();
    for asked in [vec![SLOWER_BY_5, FailOn::Inconclusive], vec![FailOn::Slower(None)]] {
        assert_eq!(ended(&asked, Vec::new()), (Ending::Passed, Some(why.clone())));
    }
    assert_eq!(ended(&[], Vec::new()), (Ending::Passed, None));
    // One pair is something.
    assert_eq!(ended(&[SLOWER_BY_5], vec![open(0.99, 1.01)]), (Ending::Passed, Some("no gate tripped".to_owned())));
}

#[test]
fn every_run_with_gates_says_how_it_ended() {
    let silent = concluded(vec![open(0.9, 1.1)], &[]);
    assert_eq!((silent.ending, silent.why), (Ending::Passed, None));
    let forgiven = concluded(vec![open(0.9, 1.1)], &[SLOWER_BY_5]);
    assert_eq!(forgiven.ending, Ending::Passed);
    assert_eq!(
        forgiven.why.as_deref(),
        Some("no gate tripped; 1 gate undecided (sort, slower=5 %), which only `--fail-on inconclusive` counts")
    );
    let mut slow = open(1.2, 1.3);
    (slow.comparison.verdict, slow.comparison.confirmed) = (Verdict::Slower, true);
    let tripped = concluded(vec![slow], &[FailOn::Slower(None), FailOn::Inconclusive]);
    assert_eq!(
        (tripped.ending, tripped.why.as_deref()),
        (Ending::Tripped, Some("1 gate tripped (sort, margin 0.5 %)"))
    );
}

#[test]
fn a_gate_on_work_alone_is_asked_of_work_alone() {
    let of = |verdict: Option<WorkVerdict>, fail_on: &[FailOn]| {
        let mut pair = open(0.9, 1.1);
        pair.work = verdict.map(|verdict| Work {
            base: 100.0,
            candidate: 110.0,
            ratio: None,
            verdict,
            varies: None,
            system_calls: None,
            allocations: None,
        });
        let found = concluded(vec![pair], fail_on);
        (found.ending, found.why.unwrap_or_default())
    };
    let (by_1, strict) = ([FailOn::Work(0.01)], [FailOn::Work(0.01), FailOn::Inconclusive]);
    let (ending, why) = of(None, &by_1);
    assert_eq!(ending, Ending::Passed);
    assert!(why.starts_with("no gate tripped; 1 gate undecided (sort, work=1 %)"), "{why}");
    // That time isn't known was not asked.
    let held = (Ending::Passed, "no gate tripped".to_owned());
    assert_eq!(of(Some(WorkVerdict::Equal), &strict), held);
    assert_eq!(of(Some(WorkVerdict::Varies), &strict).0, Ending::Undecided);
    assert_eq!(of(Some(WorkVerdict::More), &strict).0, Ending::Tripped);
}

#[test]
fn cases_of_several_undecided_gates_are_counted_since_the_report_names_them() {
    let named = |name: &str, label: &str| {
        let mut pair = open(0.9, 1.1);
        (pair.title, pair.candidate.label) = (name.to_owned(), label.to_owned());
        pair.candidate.id = format!("{name}@{label}");
        pair
    };
    let all = ["a", "b", "c", "d"].map(|name| named(name, "new")).to_vec();
    let told = concluded(all, &[FailOn::Inconclusive]);
    assert_eq!(told.why.as_deref(), Some("4 gates undecided (margin 0.5 %)"));
    let told = concluded(vec![named("a", "php8.2"), named("a", "php8.4")], &[FailOn::Inconclusive]);
    assert_eq!(told.why.as_deref(), Some("2 gates undecided (margin 0.5 %)"));
}

/// No more launches decide these, so the line of `--fail-on inconclusive` tells how many they are.
#[test]
fn what_stays_undecided_since_its_code_has_only_moved_is_counted() {
    let of = |pairs| concluded(pairs, &[FailOn::Inconclusive]).why.unwrap();
    let mut moved = undecided(&["code-moved"]);
    moved.candidate.id = "b".to_owned();
    assert_eq!(of(vec![undecided(&["drift"])]), "1 gate undecided (sort, margin 0.5 %)");
    let told = of(vec![undecided(&["drift"]), moved]);
    assert!(told.ends_with("; 1 of them for code that has only moved (code-moved))"), "{told}");
}

/// Gates of `--fail-on`, and of a `tare.toml` of this text.
fn gates(fail_on: &[FailOn], text: &str) -> Gates {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tare.toml"), text).unwrap();
    Gates::new(fail_on, &Project::find(folder.path()).unwrap()).unwrap()
}

fn case(benchmark: &str, assertions: &[&str]) -> Case {
    let mut case = group(benchmark).variants[0].variant.case.clone();
    let asserted = |&text: &&str| CaseAssertion { text: text.to_owned(), place: String::new() };
    case.settings.assertions = assertions.iter().map(asserted).collect();
    case
}

#[test]
fn the_command_line_goes_before_the_file() {
    let text = "[compare]\nfail-on = [\"slower=5%\", \"inconclusive\"]\n";
    assert_eq!((gates(&[], text).slower, gates(&[], text).inconclusive), (Some(Some(0.05)), true));
    let typed = gates(&[FailOn::Slower(Some(0.02))], text);
    assert_eq!((typed.slower, typed.inconclusive), (Some(Some(0.02)), false));
    assert_eq!(gates(&[FailOn::Work(0.03), FailOn::Work(0.01)], "").work, Some(0.01), "the stricter one");
}

/// A limit weighs, counts and has measured what it matches, and nothing else.
#[test]
fn limits_ask_for_their_own_figures_of_the_cases_that_they_match() {
    let limit = |key: &str| gates(&[], &format!("[[limit]]\ncase = \"sort\"\n{key}\n"));
    let asked = |key: &str, benchmark: &str| {
        let (gates, case) = (limit(key), case(benchmark, &[]));
        (gates.asks_for_figures(&case).is_some(), gates.limit_memory(&case), gates.count(&case))
    };
    assert_eq!(asked("max-time = \"2 ms\"", "sort"), (true, false, false));
    assert_eq!(asked("max-memory = \"2 MB\"", "sort"), (true, true, false));
    assert_eq!(asked("max-memory-growth = \"2 %\"", "sort"), (false, true, false));
    assert_eq!(asked("max-instructions = 500", "sort"), (true, false, true));
    assert_eq!(asked("max-work-change = \"2 %\"", "sort"), (false, false, true));
    for key in ["max-time = \"2 ms\"", "max-memory = \"2 MB\"", "max-instructions = 500"] {
        assert_eq!(asked(key, "hash"), (false, false, false), "{key}");
    }
    assert!(gates(&[FailOn::Work(0.01)], "").count(&case("hash", &[])));
    let asserting = case("sort", &["mode(variant.time.avg) < 1 ms"]);
    assert!(gates(&[], "").asks_for_figures(&asserting).is_some());
}

#[test]
fn a_gate_that_nothing_is_judged_by_says_so() {
    let (sort, hash) = (case("sort", &[]), case("hash", &[]));
    let told = |gates: &Gates, compares, meant| gates.without_effect(&[&sort, &hash], compares, meant);
    let limits = gates(
        &[],
        "[[limit]]\ncase = \"sort\"\nmax-slowdown = \"3%\"\n[[limit]]\ncase = \"sotr\"\nmax-time = \"1 s\"\n",
    );
    let unmatched = "tare.toml:4: the limit for `sotr` matches no case".to_owned();
    let alone = "tare.toml:1: the limit for `sort` needs a comparison, and this run has none".to_owned();
    assert_eq!(told(&limits, true, true), std::slice::from_ref(&unmatched));
    assert_eq!(told(&limits, false, true), [alone, unmatched.clone()]);
    assert_eq!(told(&limits, false, false), [unmatched]);
    for fail_on in [FailOn::Slower(None), FailOn::Work(0.01), FailOn::Inconclusive] {
        let gates = gates(&[fail_on], "");
        assert_eq!(told(&gates, false, true), ["`fail-on` has no effect: this run has no comparison"]);
        assert_eq!((told(&gates, true, true).len(), told(&gates, false, false).len()), (0, 0));
    }
    // Assertions may be inconclusive without a comparison.
    let asserting = case("sort", &["mode(variant.time.avg) < 1 ms"]);
    assert!(!gates(&[FailOn::Inconclusive], "").need_a_comparison(&[&hash, &asserting]));
    assert!(gates(&[FailOn::Slower(None)], "").need_a_comparison(&[&hash, &asserting]));
    assert!(!gates(&[], "").need_a_comparison(&[&hash]));
}

/// A ratio on the limit itself holds; one that reaches beyond it isn't decided.
#[test]
fn more_work_is_judged_by_where_its_interval_lies() {
    let of = |low: f64, high: f64, verdict| {
        let mut pair = open(0.99, 1.01);
        let ratio = Some(Estimate { estimate: f64::midpoint(low, high), low, high });
        pair.work = Some(Work {
            base: 100.0,
            candidate: 110.0,
            ratio,
            verdict,
            varies: None,
            system_calls: None,
            allocations: None,
        });
        super::more_work(&pair, 0.25).map(|(_, outcome)| outcome)
    };
    assert_eq!(of(1.1, 1.25, WorkVerdict::More), None);
    assert_eq!(of(1.2, 1.3, WorkVerdict::More), Some(GateOutcome::Undecided));
    assert_eq!(of(1.25, 1.3, WorkVerdict::More), Some(GateOutcome::Undecided));
    assert_eq!(of(1.3, 1.4, WorkVerdict::More), Some(GateOutcome::Tripped));
    assert_eq!(of(1.1, 1.25, WorkVerdict::Varies), None);
    assert_eq!(of(1.1, 1.3, WorkVerdict::Varies), Some(GateOutcome::Undecided));
}

#[test]
fn a_ratio_of_unknown_error_is_not_judged() {
    let (message, outcome) = slower(&open(0.0, f64::INFINITY), Some(0.05)).unwrap();
    assert_eq!(
        (message.as_str(), outcome),
        ("too few launches to know the error of the ratio", GateOutcome::Undecided)
    );
}

#[test]
fn three_rules_are_named_and_the_others_counted() {
    let asked = |rule: &str| ("sort".to_owned(), rule.to_owned());
    assert_eq!(super::listed(&["a", "b", "c"].map(asked)), "sort, a; sort, b; sort, c");
    assert_eq!(super::listed(&["a", "b", "c", "d", "e"].map(asked)), "sort, a; sort, b; sort, c; 2 more rules");
}
