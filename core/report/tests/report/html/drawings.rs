//! The pictures of a page: a mark for each thing that was measured, and a table behind each picture.

use super::{between, marks, pictures, section, with_distributions};
use crate::fixtures;
use std::collections::BTreeSet;
use tare_report::html_page;
use tare_results::{ComparisonView, RunView};
use tare_statistics::Estimate;

#[test]
fn pictures_have_a_mark_for_each_case_and_a_table_behind_them() {
    for view in
        [fixtures::compared(), fixtures::controlled(0.001), fixtures::several(), fixtures::suite(), fixtures::modes()]
    {
        let view = with_distributions(view, 10);
        let page = html_page(&view);
        let known = |pair: &&ComparisonView| pair.comparison.shown().is_some();
        let ratios = view.comparisons.judged().filter(known).count();
        for svg in pictures(&page) {
            assert!(svg.contains("role=\"img\"") && svg.contains("<title>"), "{svg}");
            let table = section(svg, "aria-details=\"", "\"");
            assert!(page.contains(&format!("<table id=\"{table}\"")), "no table {table}");
        }
        let forests: Vec<&str> =
            pictures(&page).into_iter().filter(|svg| svg.starts_with("class=\"forest\"")).collect();
        assert_eq!(forests.iter().map(|svg| marks(svg)).sum::<usize>(), ratios);
        assert_eq!(forests.len(), usize::from(ratios > 0));
        let tall = pictures(&page).into_iter().filter(|svg| svg.starts_with("class=\"forest tall\""));
        assert_eq!(tall.map(|svg| svg.matches("<use ").count()).sum::<usize>(), ratios, "for a narrow window, too");
        let rows: Vec<&str> = pictures(&page).into_iter().filter(|svg| svg.starts_with("class=\"row\"")).collect();
        assert!(rows.iter().all(|svg| marks(svg) == 1));
        if ratios > 0 {
            let table = section(&page, "<table id=\"rows\"", "</table>");
            assert_eq!(table.matches("<tr data-k").count(), view.comparisons.judged().count());
            assert_eq!(marks(table), ratios);
        } else {
            let resolved = |v: &&tare_results::VariantView| v.summary.as_ref().is_some_and(|s| !s.below_resolution);
            assert_eq!(rows.len(), view.variants.iter().filter(resolved).count());
        }
    }
}

#[test]
fn each_case_has_a_section_that_its_row_leads_to() {
    let view = with_distributions(fixtures::compared(), 12);
    let page = html_page(&view);
    let ids: BTreeSet<&str> = between(&page, "<details id=\"", "\"").into_iter().collect();
    let links: BTreeSet<&str> =
        between(section(&page, "<table id=\"rows\"", "</table>"), "href=\"#", "\"").into_iter().collect();
    assert_eq!(links.len(), view.comparisons.judged().count());
    assert!(links.is_subset(&ids), "{links:?} {ids:?}");
    // Every id is there once.
    let all = between(&page, " id=\"", "\"");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    let first = section(&page, "<details id=\"c1\"", "</details>");
    let of = |class: &str| pictures(first).iter().filter(|svg| svg.contains(class)).count();
    for number in [0, 1] {
        let drawn = pictures(first).into_iter().find(|svg| svg.contains(&format!("class=\"over o{number}\"")));
        assert!(
            drawn.is_some_and(|svg| svg.contains("quartiles s0") && svg.contains("quartiles s1")),
            "over each other"
        );
    }
    assert_eq!((of("class=\"over n0\""), of("class=\"over n1\"")), (2, 2), "each beside an empty benchmark");
    assert!(first.contains("beside an empty benchmark</figcaption>"), "{first}");
    assert_eq!(
        (of("line s0 course"), of("class=\"bar s0\"")),
        (2, 2),
        "samples in order, and where the ± comes from, of both"
    );
    assert_eq!(
        between(first, "<figcaption>", "</figcaption>")
            .iter()
            .filter(|one| **one == "Change in each pair of launches")
            .count(),
        1
    );
    assert!(
        first.contains("loop and call, subtracted from each call") && first.contains("where the ± comes from"),
        "{first}"
    );
    // Of stored runs, or where launches of a side are missing, nobody knows which were measured together.
    let mut apart = view.clone();
    for variant in apart.variants.iter_mut().step_by(2) {
        variant.distribution.as_mut().unwrap().launches.pop();
    }
    assert!(!html_page(&apart).contains("Change in each pair of launches"));
    // As many points as launches.
    let points = section(first, "class=\"launches s0\" d=\"", "\"");
    assert_eq!(points.matches('z').count(), 12);
    assert!(first.contains("time of each launch"));
    // 65.93 ns ± 0.70 and launches of it, each a thousandth longer.
    let single = html_page(&with_distributions(fixtures::suite(), 2));
    let adler = between(&single, "<details ", "</details>").into_iter().find(|case| case.contains("adler32")).unwrap();
    assert!(adler.contains(">65.93, 66.00 ns<"), "{adler}");
}

#[test]
fn what_a_picture_refers_to_is_on_its_page() {
    let mut view = fixtures::suite();
    for (variant, size) in view.variants.iter_mut().zip([10, 100, 1_000, 10_000]) {
        variant.variant.case.benchmark = "Sort".into();
        variant.variant.case.parameters.name = Some(format!("n={size}"));
        variant.variant.case.parameters.values = vec![("n".into(), size.to_string())];
    }
    let page = html_page(&view);
    assert!(page.contains("aria-details=\"sweep-1-sort-t\""), "{page}");
    for target in page.split("aria-details=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert_eq!(page.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
    }
}

#[test]
fn figures_that_are_none_are_no_coordinates() {
    let mut view = with_distributions(fixtures::controlled(0.01), 4);
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 1e-300];
    for (number, pair) in view.comparisons.pairs.iter_mut().enumerate() {
        let of = |shift: usize| strange[(number + shift) % strange.len()];
        let strange = Estimate { estimate: of(0), low: of(2), high: of(4) };
        pair.comparison.ratio = Some(strange);
        pair.base.time = Some(strange);
        pair.candidate.time = Some(strange);
        pair.comparison.margin = of(1);
        pair.comparison.confidence = of(3);
    }
    for (number, variant) in view.variants.iter_mut().enumerate() {
        let of = |shift: usize| strange[(number + shift) % strange.len()];
        if let Some(summary) = &mut variant.summary {
            summary.time = Estimate { estimate: of(0), low: of(1), high: of(2) };
        }
        if let Some(distribution) = &mut variant.distribution {
            distribution.launches[0].time = of(3);
            distribution.low = of(5);
        }
    }
    for view in [view.clone(), RunView { comparisons: tare_results::ComparisonsView::default(), ..view }] {
        let page = html_page(&view);
        for svg in between(&page, "<svg ", "</svg>") {
            for place in between(svg, " d=\"", "\"")
                .iter()
                .chain(&between(svg, " x=\"", "\""))
                .chain(&between(svg, "width=\"", "\""))
            {
                assert!(!place.contains("NaN") && !place.contains("inf"), "{svg}");
                assert!(place.len() < 9_000, "{svg}");
            }
            for width in between(svg, " width=\"", "\"") {
                assert!(!width.starts_with('-'), "{svg}");
            }
        }
    }
}
