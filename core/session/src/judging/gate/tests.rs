use std::collections::BTreeMap;

use tare_definition::{FailOn, Project};
use tare_results::{ComparisonKind, ComparisonView, ComparisonsView, GateOutcome, RunView, SideView, UnpairedView};
use tare_samples::{About, Likeness, Origin};
use tare_statistics::comparison::{Comparison, Verdict};
use tare_statistics::{Estimate, Warning};

use super::{Concluded, Ending, Gates, slower};

/// An undecided pair with warnings of these codes.
fn undecided(codes: &[&str]) -> ComparisonView {
    let warning =
        |code: &&str| Warning { code: (*code).to_owned(), message: format!("{code} it is"), remedy: String::new() };
    let side = || SideView { id: "a".to_owned(), label: "a".to_owned(), time: None };
    let comparison = Comparison {
        ratio: Some(Estimate { estimate: 1.06, low: 1.05, high: 1.07 }),
        typical: None,
        within: None,
        proof: None,
        about: About::Time,
        rests_on: About::Time,
        confidence: 0.99,
        verdict: Verdict::Inconclusive,
        margin: 0.005,
        same: 0.03,
        minimum_detectable_effect: None,
        pairs: 20,
        flag: None,
        confirmed: false,
        warnings: codes.iter().map(warning).collect(),
    };
    ComparisonView {
        title: "sort".to_owned(),
        base: side(),
        candidate: side(),
        kind: ComparisonKind::Live,
        comparison,
        machine_code: Some(Likeness::Moved),
        machines: None,
    }
}

#[test]
fn a_gate_that_code_which_only_moved_leaves_open_says_so() {
    let (message, outcome) = slower(&undecided(&["drift", "code-moved"]), None).unwrap();
    assert_eq!(outcome, GateOutcome::Undecided);
    assert_eq!(
        message,
        "it takes 1.05× to 1.07× the base's time: whether that is too slow can't be told; code-moved: code-moved it is"
    );
}

/// What is concluded of these pairs by what `--fail-on` asks for.
fn concluded(pairs: Vec<ComparisonView>, fail_on: &[FailOn]) -> Concluded {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::find(folder.path()).unwrap();
    let gates = Gates::new(fail_on, &project).unwrap();
    let mut view = run(pairs);
    gates.judge(&mut view);
    gates.conclude(&view)
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
    // Where no percentage is stated, the margin is what counts.
    for asked in [vec![FailOn::Inconclusive], vec![FailOn::Slower(None), FailOn::Inconclusive]] {
        let open = concluded(noise(), &asked);
        assert_eq!(open.why.as_deref(), Some("1 gate undecided (sort, margin 0.5 %)"), "{asked:?}");
        assert_eq!(open.ending, Ending::Undecided);
    }
}

#[test]
fn a_gate_that_had_nothing_to_compare_says_so() {
    let ended = |fail_on: &[FailOn], pairs: Vec<ComparisonView>| {
        let folder = tempfile::tempdir().unwrap();
        let gates = Gates::new(fail_on, &Project::find(folder.path()).unwrap()).unwrap();
        let mut view = run(pairs);
        let moved = UnpairedView { title: "sort".to_owned(), side: "HEAD".to_owned() };
        view.comparisons.unpaired.push(moved);
        let found = gates.conclude(&view);
        (found.ending, found.why)
    };
    let why = "no gate tripped, for nothing was compared: no case is on both sides".to_owned();
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
fn cases_of_one_rule_are_told_together_and_many_are_counted() {
    let named = |name: &str, label: &str| {
        let mut pair = open(0.9, 1.1);
        (pair.title, pair.candidate.label) = (name.to_owned(), label.to_owned());
        pair.candidate.id = format!("{name}@{label}");
        pair
    };
    let all = ["a", "b", "c", "d"].map(|name| named(name, "new")).to_vec();
    let told = concluded(all, &[FailOn::Inconclusive]);
    assert_eq!(told.why.as_deref(), Some("4 gates undecided (a, b, c and 1 more, margin 0.5 %)"));
    let told = concluded(vec![named("a", "php8.2"), named("a", "php8.4")], &[FailOn::Inconclusive]);
    assert_eq!(told.why.as_deref(), Some("2 gates undecided (a of php8.2, a of php8.4, margin 0.5 %)"));
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
