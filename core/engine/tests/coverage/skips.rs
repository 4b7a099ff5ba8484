//! A benchmark that skips itself is left out as long as nothing is kept of it, and fails from then on.

use tare_samples::{Calls, FailureKind, Outcome};
use tare_simulation::{CaseTruth, Truth};

use crate::simulated::measurement;

#[test]
fn what_has_been_measured_is_not_left_out() {
    let truth = Truth::of(CaseTruth { skipping_launches: 0.2, ..CaseTruth::default() });
    let (mut left_out, mut failed) = (0, 0);
    for seed in 0..50 {
        let measured = measurement(&truth, &crate::settings(), Calls::Pilot, seed);
        match measured.outcome {
            Outcome::Skipped(reason) => {
                assert!(measured.launches.is_empty(), "seed {seed}: {} launches are kept", measured.launches.len());
                assert_eq!(reason, "not in this launch");
                left_out += 1;
            }
            Outcome::Failed(failure) => {
                assert!(!measured.launches.is_empty(), "seed {seed}");
                assert_eq!(failure.kind, FailureKind::Exception);
                assert_eq!(
                    failure.message,
                    "the benchmark skipped itself after samples were taken: not in this launch"
                );
                failed += 1;
            }
            Outcome::Ok | Outcome::Interrupted => {}
        }
    }
    assert!(left_out > 5 && failed > 5, "{left_out} left out, {failed} failed");
}
