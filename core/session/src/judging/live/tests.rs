use tare_results::{ComparisonKind, ComparisonView, GroupMean, SideView};
use tare_samples::{Proof, ProofLevel};
use tare_statistics::comparison::{Comparison, Rule, Verdict};
use tare_statistics::{Estimate, Warning, WarningCode};

use super::with_means;

/// A row whose change lies `half` percent round `percent`.
fn row(percent: f64, half: f64) -> ComparisonView {
    let of = |percent: f64| (percent / 100.0).exp();
    let ratio = Estimate { estimate: of(percent), low: of(percent - half), high: of(percent + half) };
    let time = Some(Estimate { estimate: 100.0, low: 99.0, high: 101.0 });
    let side = |name: &str| SideView { id: name.to_owned(), label: name.to_owned(), time };
    ComparisonView {
        title: "sort".to_owned(),
        base: side("old"),
        candidate: side("new"),
        kind: ComparisonKind::Live,
        comparison: Comparison { pairs: 20, ..Comparison::of_ratio(&Rule::default(), ratio, None) },
        machine_code: None,
        machines: None,
        work: None,
        work_by: Vec::new(),
    }
}

fn mean(rows: Vec<ComparisonView>) -> GroupMean {
    with_means(rows).geometric_means.remove(0)
}

fn said(rows: Vec<ComparisonView>) -> (Option<Verdict>, bool) {
    let GroupMean { verdict, within, .. } = mean(rows);
    (verdict, within.is_some())
}

#[test]
fn four_rows_that_say_nothing_alone_say_something_together() {
    let rows: Vec<ComparisonView> = [-1.0, -2.5, -2.0, -2.5].map(|percent| row(percent, 2.4)).to_vec();
    assert!(rows[..3].iter().any(|row| !row.comparison.verdict.is_difference()));
    assert_eq!(said(rows), (Some(Verdict::Faster), false));
    let same: Vec<ComparisonView> = [-1.0, 1.2, 0.4, -0.3].map(|percent| row(percent, 4.0)).to_vec();
    assert!(same.iter().all(|row| row.comparison.verdict == Verdict::Inconclusive));
    assert_eq!(said(same.clone()), (Some(Verdict::Same), true));
    // The bound is that of the rows.
    let strict = same.into_iter().map(|mut row| {
        row.comparison.same = 0.01;
        row
    });
    assert_eq!(said(strict.collect()), (Some(Verdict::Inconclusive), false));
}

#[test]
fn rows_that_go_together_have_a_mean_and_no_verdict_of_it() {
    let mut stored = vec![row(3.0, 0.2), row(3.0, 0.2)];
    stored[1].kind = ComparisonKind::Stored;
    assert_eq!(said(stored), (None, false));
}

#[test]
fn what_a_control_puts_in_doubt_is_no_difference_of_the_suite_either() {
    let mut rows = vec![row(3.0, 0.2), row(3.0, 0.2)];
    assert_eq!(said(rows.clone()).0, Some(Verdict::Slower));
    rows[1].comparison.warnings =
        vec![Warning { code: WarningCode::ControlDiffers.into(), message: String::new(), remedy: String::new() }];
    assert_eq!(said(rows).0, Some(Verdict::Inconclusive));
}

#[test]
fn unchanged_rows_are_counted_and_have_no_part_in_it() {
    let mut rows = vec![row(3.0, 0.2), row(3.2, 0.2), row(9.0, 0.2), row(9.0, 0.2)];
    for row in &mut rows[2..] {
        let proof = Proof { level: ProofLevel::Code, files: 3, units: 12 };
        (row.comparison, row.base.time) = (Comparison::unchanged(proof, &Rule::default()), None);
    }
    let found = mean(rows);
    assert_eq!((found.cases, found.unchanged, found.left_out.len()), (2, 2, 0));
    assert!(found.ratio.is_some_and(|ratio| (ratio.estimate.ln() - 0.031).abs() < 1e-9));
}
