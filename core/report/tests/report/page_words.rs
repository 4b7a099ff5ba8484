//! What a page tells who has never heard of Tare: what to do next, and what its words mean.

use crate::fixtures;
use tare_report::html_page;
use tare_results::RunView;
use tare_statistics::comparison::Verdict;

/// What stands between the first of these and the end that follows it.
fn section(page: &str, start: &str, end: &str) -> String {
    page.split_once(start).unwrap().1.split(end).next().unwrap().to_owned()
}

/// What stands under `What to do next`.
fn next(view: &RunView) -> String {
    section(&html_page(view), "<section id=\"next\">", "</section>")
}

#[test]
fn what_to_do_next_follows_from_what_was_found() {
    let mut view = fixtures::compared();
    let said = next(&view);
    let worst =
        section(&html_page(&view), "<table id=\"rows\"", "</table>").split("href=\"").nth(1).unwrap().to_owned();
    let link = worst.split('"').next().unwrap();
    assert!(said.contains("Slower: ") && said.contains(&format!("href=\"{link}\"")), "{said}");
    assert!(said.contains("a difference may be there or not") && said.contains("--budget"), "{said}");
    assert!(!said.contains("Nothing:") && !said.contains("different times"), "{said}");
    for pair in &mut view.comparisons.pairs {
        pair.comparison.confirmed = false;
    }
    assert!(next(&view).contains("weren't confirmed by a second measurement"), "{}", next(&view));
    for pair in &mut view.comparisons.pairs {
        pair.kind = tare_results::ComparisonKind::Stored;
    }
    assert!(next(&view).contains("tare compare BASE CANDIDATE"), "{}", next(&view));
    for pair in &mut view.comparisons.pairs {
        pair.kind = tare_results::ComparisonKind::Live;
        pair.comparison.verdict = Verdict::Same;
    }
    assert!(next(&view).contains("Nothing: no difference is larger than the margin"), "{}", next(&view));
    let alone = next(&fixtures::suite());
    assert!(alone.contains("tare compare HEAD ."), "{alone}");
}

#[test]
fn words_of_the_page_are_explained_and_those_of_other_pages_are_not() {
    let words = |view: &RunView| section(&html_page(view), "<section id=\"words\">", "</section>");
    let compared = words(&fixtures::compared());
    for word in ["base, candidate", "margin", "here 0.5 %", "undecided", "launch", "x ± y"] {
        assert!(compared.contains(word), "{word}: {compared}");
    }
    let alone = words(&fixtures::suite());
    assert!(alone.contains("launch") && !alone.contains("margin") && !alone.contains("candidate"), "{alone}");
}

#[test]
fn a_verdict_over_machines_is_not_explained_by_a_second_measurement() {
    let mut view = fixtures::compared();
    view.again = Some("tare run --seed 7".to_owned());
    assert!(next(&view).contains("A second, fresh measurement"), "{}", next(&view));
    let machine = |name: &str| tare_results::MachineView { machine: name.into(), kind: "x".into(), comparison: None };
    for pair in &mut view.comparisons.pairs {
        pair.machines = Some(tare_results::MachinesView {
            each: ["first", "second", "third"].map(machine).into(),
            kinds: Vec::new(),
            between: None,
        });
    }
    let page = html_page(&view);
    assert!(!page.contains("second, fresh measurement") && page.contains("3 machines made the same comparisons"));
    assert!(next(&view).contains("Several machines agree on it"), "{}", next(&view));
    assert!(section(&page, "id=\"method\"", "</section>").contains("tare merge --replicas"), "{page}");
}

#[test]
fn the_heading_leads_to_what_to_do_next() {
    let header = |view: &RunView| section(&html_page(view), "<header>", "</header>");
    assert!(header(&fixtures::compared()).contains("href=\"#next\""));
    let mut empty = fixtures::suite();
    empty.variants.clear();
    assert!(!header(&empty).contains("href=\"#next\""));
}
