//! Pages of loads and clocks, and how pictures of several runtimes go with the rows of comparisons.

use crate::{clocks, fixtures, load};
use tare_report::{clocks_page, html_page, load_page};
use tare_results::LoadView;
use tare_statistics::Warning;
use tare_statistics::comparison::Verdict;

fn heading(page: &str) -> &str {
    page.split_once("<h1>").unwrap().1.split("</h1>").next().unwrap()
}

#[test]
fn a_load_that_says_nothing_has_no_figure_in_its_answer() {
    let mut view = load::two();
    assert!(heading(&load_page(&view)).contains("Throughput"), "{}", heading(&load_page(&view)));
    for pair in &mut view.comparisons {
        pair.comparison.verdict = Verdict::Inconclusive;
    }
    assert_eq!(heading(&load_page(&view)), "No difference can be told apart from noise");
}

#[test]
fn a_load_shows_what_does_it_again_and_what_is_to_know_of_its_comparisons() {
    let mut view = load::two();
    view.comparisons[1].comparison.warnings = vec![Warning {
        code: "not-confirmed".into(),
        message: "looked slower".into(),
        remedy: "measure longer".into(),
    }];
    let bare = load_page(&LoadView { again: None, ..view.clone() });
    assert!(!bare.contains("does it again") && bare.contains("Of the comparison of latency p50:"), "{bare}");
    assert!(bare.contains("not-confirmed") && bare.contains("measure longer"));
    view.again = Some("tare load http 'http://localhost:8080/old'".into());
    assert!(load_page(&view).contains("<code>tare load http 'http://localhost:8080/old'</code>"));
    view.again = Some("tare load http \u{202e}".into());
    assert!(!load_page(&view).contains("does it again"), "it couldn't be copied as it is shown");
}

#[test]
fn clocks_are_told_by_language_and_their_words_are_explained() {
    let view = clocks::view();
    let page = clocks_page(&view);
    let languages: Vec<&str> =
        view.runtimes.iter().map(|one| one.name.as_str()).filter(|name| *name != "native").collect();
    assert!(heading(&page).starts_with("Reading the time costs ") && !heading(&page).contains("native"));
    assert!(languages.iter().any(|name| heading(&page).contains(&format!(" in {name}"))), "{}", heading(&page));
    // Their rates weren't found out, for want of time.
    let mut hasty = view.clone();
    hasty.runtimes.iter_mut().flat_map(|runtime| &mut runtime.clocks).for_each(|clock| clock.rate = None);
    assert!(heading(&clocks_page(&hasty)).starts_with("Reading the time costs "));
    let words = page.split_once("<section id=\"words\">").unwrap().1;
    for word in ["cost of a read", "smallest step", "coarse", "tsc", "cputime"] {
        assert!(words.contains(&format!("<dt>{word}")), "{word}: {words}");
    }
    assert!(page.contains("What follows from it") && page.contains("isn't to be had by sleeping"));
}

#[test]
fn bars_of_what_is_compared_are_its_rows() {
    let mut view = fixtures::several();
    // Each side by itself was read far from what it takes beside the base.
    for variant in &mut view.variants {
        variant.variant.runtime.name.clone_from(&variant.variant.label);
        if let Some(summary) = &mut variant.summary {
            summary.time = tare_statistics::Estimate { estimate: 9_999.0, low: 9_998.0, high: 10_000.0 };
        }
    }
    let page = html_page(&view);
    let picture = page.split_once("<section id=\"more\">").unwrap().1.split("</section>").next().unwrap();
    assert_eq!(picture.matches("class=\"bar ").count(), 5 * 3, "a bar for each case on each runtime: {picture}");
    assert!(!picture.contains("10.0 µs") && !picture.contains("10.000 µs") && !picture.contains("9.999"), "{picture}");
}

#[test]
fn names_of_one_class_are_told_apart_in_the_picture_of_all_changes() {
    let mut view = fixtures::several();
    for (number, pair) in view.comparisons.pairs.iter_mut().enumerate() {
        pair.title = format!("AClassWithALongName::benchOfOneThingAmongMany number {number} B");
    }
    let page = html_page(&view);
    let picture = page.split_once("class=\"forest\"").unwrap().1.split("</svg>").next().unwrap();
    assert!(!picture.contains("AClassWithALongName"), "{picture}");
}
