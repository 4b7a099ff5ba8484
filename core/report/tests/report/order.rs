//! Rows of compared cases stand in one order.

use tare_report::{TableOptions, html_page, markdown_summary, run_table};
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use crate::fixtures;

#[test]
fn a_terminal_a_page_and_markdown_have_one_order() {
    let mut view = fixtures::compared();
    // Named after the place that they belong to.
    let rows = [
        ("row-f", Verdict::Inconclusive, 0.99, 1.02),
        ("row-b", Verdict::Slower, 1.01, 1.02),
        ("row-g", Verdict::Inconclusive, 0.9, 1.2),
        ("row-d", Verdict::Faster, 0.97, 0.98),
        ("row-e", Verdict::Inconclusive, 1.001, 1.012),
        ("row-a", Verdict::Slower, 1.2, 1.3),
        ("row-c", Verdict::Faster, 0.5, 0.6),
    ];
    assert!(view.comparisons.pairs.len() >= rows.len());
    view.comparisons.pairs.truncate(rows.len());
    for (pair, (title, verdict, low, high)) in view.comparisons.pairs.iter_mut().zip(rows) {
        let ratio = Estimate { estimate: f64::midpoint(low, high), low, high };
        title.clone_into(&mut pair.title);
        (pair.comparison.ratio, pair.comparison.typical) = (Some(ratio), None);
        (pair.comparison.verdict, pair.comparison.within) = (verdict, None);
        pair.comparison.warnings.clear();
        for variant in &mut view.variants {
            if variant.variant.id == pair.base.id || variant.variant.id == pair.candidate.id {
                title.clone_into(&mut variant.variant.case.benchmark);
                variant.variant.case.parameters.name = None;
            }
        }
    }
    let of_page = html_page(&view);
    let page = of_page.split_once("<tbody").unwrap().1;
    let table = run_table(&view, &TableOptions::default());
    let markdown = markdown_summary(&view);
    let table_of_markdown = markdown.split_once("| ---").unwrap().1;
    let table_of_terminal = table.split_once("\n\n").unwrap().1;
    for text in [page, table_of_terminal, table_of_markdown] {
        let mut found: Vec<(usize, &str)> =
            rows.iter().map(|(title, ..)| (text.find(title).unwrap_or(usize::MAX), *title)).collect();
        found.sort_unstable();
        let order: Vec<&str> = found.into_iter().map(|(_, title)| title).collect();
        assert_eq!(order, ["row-a", "row-b", "row-c", "row-d", "row-e", "row-f", "row-g"], "{text}");
    }
}
