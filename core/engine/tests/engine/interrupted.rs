//! Comparisons beside processes that leave hardly a sample alone, on simulated machines whose truth is known: what is said of typical calls holds the
//! truth, or nothing is said of them.
//!
//! Fixed seeds: a count is the same on every machine. `--nocapture` shows the figures.

use tare_plan::Settings;
use tare_simulation::{Bursts, CaseTruth, Noise, Scale};
use tare_validation::simulated::{Counted, Model, Question, compare};

const COMPARISONS: u64 = 20;

/// Calls of 0.5 ms, most of which fit between two time slices of other processes; a candidate's calls are longer than the time between two.
fn crowded(candidate_ns: f64) -> Model {
    let case = CaseTruth { noise: Noise::Gaussian { spread: 0.02 }, time_ns: 0.5e6, ..CaseTruth::default() };
    Model {
        name: "crowded",
        meaning: "2 %, others have the core for 4 ms of every 12",
        scale: Scale {
            bursts: Some(Bursts { slowdown: 400.0, on_ms: 4.0, off_ms: 8.0, latency_ms: 4.0, preempts: true }),
            ..Scale::default()
        },
        candidate: Some(CaseTruth { time_ns: candidate_ns, ..case.clone() }),
        case,
    }
}

fn count(model: &Model) -> Counted {
    let question = Question { slowdown: 0.0, setups_ns: [0.0; 2], gate: None, settings: Settings::default() };
    let counted = compare(model, &question, 0..COMPARISONS);
    println!("{}: {counted}\n{:?}", model.name, counted.warned);
    counted
}

#[test]
fn typical_calls_of_which_none_is_spared_are_not_made_up() {
    let counted = count(&crowded(20.0 * 0.5e6));
    assert!(counted.slower >= 19 && counted.covered >= 18, "{counted}");
    assert!(counted.typical_covered + 1 >= counted.typical_defined, "{counted}");
    let unsaid = COMPARISONS - counted.typical_defined;
    assert!(unsaid > 0 && counted.warned.get("always-interrupted") == Some(&unsaid), "{counted}");
}

#[test]
fn typical_calls_that_are_spared_in_some_rounds_stay_sharp() {
    let counted = count(&crowded(0.5e6));
    assert!(counted.called_different() == 0 && counted.same >= 18 && counted.covered >= 18, "{counted}");
    assert_eq!(counted.typical_defined, COMPARISONS, "{counted}");
    assert!(counted.typical_covered + 1 >= counted.typical_defined, "{counted}");
}
