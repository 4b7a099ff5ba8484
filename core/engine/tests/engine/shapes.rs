//! Verdicts on subjects whose shape differs, counted through the whole engine on simulated machines whose truth is known: a tail of the
//! candidate's own, or of the base's, is part of what a call costs. The long counts are those of `make validate`.
//!
//! Fixed seeds: a count is the same on every machine. `--nocapture` shows the figures.

use tare_plan::Settings;
use tare_validation::simulated::{Counted, Model, Question, compare, persistent, shapes};

const COMPARISONS: u64 = 20;

fn count(shape: &Model, comparisons: u64) -> Counted {
    let question = Question { slowdown: 0.0, setups_ns: [0.0; 2], gate: None, settings: Settings::default() };
    let counted = compare(shape, &question, 0..comparisons);
    println!("{}: {counted}", shape.name);
    counted
}

/// The expected costs differ by 5 % or more: nothing is called the same, but what met none of the few launches that tell, nor of the wrong sign. A
/// state of the machine that lasts for all launches of a comparison shows in none of them (`levels`).
#[test]
fn a_tail_is_not_called_the_same_nor_of_the_wrong_sign() {
    for shape in shapes() {
        let counted = count(&shape, COMPARISONS);
        assert_eq!(counted.wrong_sign, 0, "{}: {counted}", shape.name);
        assert!(counted.same <= counted.unmet, "{}: {counted}", shape.name);
        assert_eq!(counted.wrong_bound, counted.wrong_unmet, "{}: {counted}", shape.name);
    }
}

/// Tails that come often enough for a handful of launches to hold them are found.
#[test]
fn a_frequent_tail_is_found() {
    for shape in shapes() {
        let frequent = shape.name == "between samples"
            || ["of samples", "call"].iter().any(|end| shape.name.ends_with(end))
            || shape.name.contains("mean");
        if frequent {
            let counted = count(&shape, COMPARISONS);
            assert!(counted.slower >= COMPARISONS - 1, "{}: {counted}", shape.name);
            // Of 20 intervals at 99 % more than two miss in one count of 1,000.
            assert!(counted.covered + 2 >= COMPARISONS, "{}: {counted}", shape.name);
        }
    }
}

/// Both sides with the same tail.
#[test]
fn identical_code_with_a_tail_is_not_called_different() {
    for shape in shapes() {
        let counted = count(&shape.alike(), COMPARISONS);
        assert_eq!(counted.called_different(), 0, "{}: {counted}", shape.name);
        assert!(counted.covered + 2 >= COMPARISONS, "{}: {counted}", shape.name);
        assert!(counted.typical_covered + 2 >= counted.typical_defined, "{}: {counted}", shape.name);
    }
}

/// Launches that resemble the ones before them are fewer than they look.
#[test]
fn launches_that_go_together_are_no_difference() {
    for shape in persistent() {
        if matches!(shape.name, "launches by 0.3" | "launches by 0.5") {
            let counted = count(&shape, 2 * COMPARISONS);
            assert!(counted.called_different() <= 1, "{}: {counted}", shape.name);
        }
    }
}
