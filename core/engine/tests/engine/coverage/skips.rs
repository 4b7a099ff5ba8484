//! A benchmark that skips itself is left out as long as nothing is kept of it, and fails from then on.

use tare_samples::{Calls, FailureKind, Outcome};
use tare_simulation::{CaseTruth, Truth};

use super::simulated::{measurement, resumed};

#[test]
fn what_has_been_measured_is_not_left_out() {
    let truth = Truth::of(CaseTruth { skipping_launches: 0.2, ..CaseTruth::default() });
    let (mut left_out, mut failed) = (0, 0);
    for seed in 0..50 {
        let measured = measurement(&truth, &super::settings(), Calls::Pilot, seed);
        match measured.outcome {
            Outcome::Skipped(reason) => {
                assert!(measured.launches.is_empty(), "seed {seed}: {} launches are kept", measured.launches.len());
                assert_eq!(reason, "not in this launch");
                left_out += 1;
            }
            Outcome::Failed(failure) => {
                assert!(!measured.launches.is_empty(), "seed {seed}");
                assert_eq!(failure.kind, FailureKind::Exception);
                assert_eq!(failure.message, "the benchmark skipped itself after some samples: not in this launch");
                failed += 1;
            }
            Outcome::Ok | Outcome::Interrupted => {}
        }
    }
    assert!(left_out > 5 && failed > 5, "{left_out} left out, {failed} failed");
}

#[test]
fn what_is_listed_as_left_out_has_failed_once_a_launch_is_kept() {
    let (truth, settings) = (Truth::of(CaseTruth::default()), super::settings());
    let mut earlier = measurement(&truth, &settings, Calls::Pilot, 1);
    earlier.launches.truncate(2);
    let went_on = resumed(earlier.clone(), &truth, &settings, "not now");
    let Outcome::Failed(failure) = went_on.outcome else { panic!("{:?}", went_on.outcome) };
    assert_eq!(failure.kind, FailureKind::Exception);
    assert_eq!(failure.message, "the benchmark skipped itself after some samples: not now");
    assert_eq!((failure.file.as_str(), went_on.launches), ("truth", earlier.launches.clone()));

    earlier.launches.clear();
    assert_eq!(resumed(earlier, &truth, &settings, "not now").outcome, Outcome::Skipped("not now".into()));
}
