use tare_results::{ComparisonKind, ComparisonView, ComparisonsView, GateOutcome, SideView};
use tare_samples::{About, Likeness};
use tare_statistics::comparison::{Comparison, Verdict};
use tare_statistics::{Estimate, Warning};

use super::{moved, slower};

/// An undecided pair with warnings of these codes.
fn undecided(codes: &[&str]) -> ComparisonView {
    let warning =
        |code: &&str| Warning { code: (*code).to_owned(), message: format!("{code} it is"), remedy: String::new() };
    let side = || SideView { id: "a".to_owned(), label: "a".to_owned(), time: None };
    let comparison = Comparison {
        ratio: Some(Estimate { estimate: 1.06, low: 1.05, high: 1.07 }),
        typical: None,
        mean_bound: None,
        about: About::Time,
        rests_on: About::Time,
        confidence: 0.99,
        verdict: Verdict::Inconclusive,
        margin: 0.005,
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
    }
}

#[test]
fn a_gate_that_code_which_only_moved_leaves_open_says_so() {
    let (message, outcome) = slower(&undecided(&["drift", "code-moved"]), None).unwrap();
    assert_eq!(outcome, GateOutcome::Undecided);
    assert_eq!(
        message,
        "it takes 105 % to 107 % of the base's time: whether that is too slow can't be told; code-moved: code-moved it is"
    );
}

/// No more launches decide these, so the line of `--fail-on inconclusive` tells how many they are.
#[test]
fn what_stays_undecided_since_its_code_has_only_moved_is_counted() {
    let of = |pairs: Vec<ComparisonView>| moved(&ComparisonsView { pairs, ..ComparisonsView::default() });
    assert_eq!(of(vec![undecided(&["drift"])]), "");
    let mut called = undecided(&["code-moved"]);
    called.comparison.verdict = Verdict::Same;
    assert_eq!(
        of(vec![undecided(&["drift"]), undecided(&["code-moved"]), called]),
        ", 1 of them for code that has only moved (code-moved)"
    );
}
