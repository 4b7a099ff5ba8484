//! Layouts of the code as a level of chance: identical code whose layouts differ, and a difference beside them. The long counts are those of `make validate`.
//!
//! Fixed seeds: a count is the same on every machine. `--nocapture` shows the figures.

use tare_plan::Settings;
use tare_simulation::CaseTruth;
use tare_validation::simulated::{Counted, Model, Question, compare, compare_suites, persistent};

use crate::counts::runs;

/// A case whose links differ by `spread`, two of the same code by √2 times that.
fn model(spread: f64, links: u32) -> Model {
    at_places(spread, links, 0)
}

/// The same, where what a link is worth is the place of the case's code within lines.
fn at_places(spread: f64, links: u32, layout_places: u8) -> Model {
    let model = persistent().into_iter().find(|model| model.name == "layouts by 3 %").unwrap();
    Model { case: CaseTruth { layout_spread: spread, links, layout_places, ..model.case.clone() }, ..model }
}

fn question(slowdown: f64) -> Question {
    Question { slowdown, setups_ns: [0.0; 2], gate: None, settings: Settings::default() }
}

fn count(spread: f64, links: u32, slowdown: f64, comparisons: u64) -> Counted {
    counted(&model(spread, links), slowdown, comparisons)
}

fn counted(model: &Model, slowdown: f64, comparisons: u64) -> Counted {
    let CaseTruth { layout_spread, links, layout_places, .. } = model.case;
    let counted = compare(model, &question(slowdown), 0..comparisons);
    println!(
        "layouts by {} % at {layout_places} places, {links} links, slower by {} %: {counted}",
        100.0 * layout_spread,
        100.0 * slowdown
    );
    assert_eq!(counted.comparisons, comparisons);
    counted
}

/// At 1 % more than this are called in fewer than one count of 1,000; the interval at 99 % misses in as many.
fn most_false(count: u64) -> u64 {
    0.01f64.mul_add(count as f64, 3.0 * (0.01 * count as f64).sqrt()) as u64 + 1
}

/// Few links, and as many as of a large package, on both of which the launches go round several times.
#[test]
fn identical_code_is_not_called_different_by_its_layouts() {
    let comparisons = runs(1_000, 60);
    for spread in [0.03, 0.1] {
        for links in [8, 24] {
            let counted = count(spread, links, 0.0, comparisons);
            assert!(counted.called_different() <= 1 + comparisons / 200, "{spread} {links}: {counted}");
            assert!(counted.defined - counted.covered <= 2 * most_false(comparisons), "{spread} {links}: {counted}");
        }
    }
}

/// A suite's cases have links of their own places, and nothing is called in any of them.
#[test]
fn a_suite_of_untouched_functions_is_not_called() {
    let suites = runs(50, 2);
    let counted = compare_suites(&model(0.03, 24), &question(0.0), 60, 0..suites);
    println!("suites of 60, layouts by 3 %: {counted}");
    assert!(counted.called_different() <= suites / 25, "{counted}");
}

/// One file in all launches: what its layout is worth passes for a difference, as it did. It is what the others are measured against.
#[test]
fn one_layout_in_all_launches_would_be_called() {
    let counted = count(0.03, 0, 0.0, 20);
    assert!(counted.called_different() >= 14, "{counted}");
}

/// 3 % more is found where layouts leave room for it: an error of 0.5 √(2/12) % of the ratio over twelve links, and of 1 √(2/24) % over 24.
#[test]
fn three_per_cent_is_found_beside_layouts() {
    let comparisons = runs(200, 40);
    for (spread, links) in [(0.003, 8), (0.005, 12), (0.01, 24)] {
        let counted = count(spread, links, 0.03, comparisons);
        assert!(counted.slower * 10 >= comparisons * 9 && counted.faster == 0, "{spread} {links}: {counted}");
    }
}

/// Where the place within lines is what a link is worth, pairs that have it in common are free of it: identical code isn't called, and reads the same.
#[test]
fn links_at_the_same_places_are_started_together() {
    let comparisons = runs(1_000, 40);
    for places in [2, 4] {
        for links in [8, 24] {
            let counted = counted(&at_places(0.1, links, places), 0.0, comparisons);
            assert!(counted.called_different() <= 1 + comparisons / 200, "{places} {links}: {counted}");
            assert!(counted.defined - counted.covered <= 2 * most_false(comparisons), "{places} {links}: {counted}");
        }
    }
}

/// 3 % more, beside places that differ by 10 %, is found: it isn't where nothing is known of places.
#[test]
fn three_per_cent_is_found_beside_places_that_differ_by_ten() {
    let comparisons = runs(200, 20);
    let known = counted(&at_places(0.1, 12, 2), 0.03, comparisons);
    assert!(known.slower * 10 >= comparisons * 9 && known.faster == 0, "{known}");
    let unknown = counted(&at_places(0.1, 12, 0), 0.03, comparisons);
    assert!(unknown.slower * 10 < comparisons, "{unknown}");
}
