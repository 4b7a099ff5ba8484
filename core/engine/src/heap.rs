//! The heap of a fresh process. Until it has as many pages as the first collection leaves, each of them costs the subject a fault of the
//! kernel's, which a process that has lived for some milliseconds doesn't pay again.

use tare_plan::Settings;
use tare_samples::{Calibration, Calls, Subject};
use tare_worker::Launcher;

use crate::lane::Lane;

/// What a Go program allocates before it collects for the first time (runtime/mgcpacer.go, `heapMinimum`).
const FIRST_HEAP_BYTES: f64 = (4 << 20) as f64;
/// A heap that takes longer to grow costs little a call: a fault of a microsecond in each 25 of them.
const LONGEST_GROWTH_NS: f64 = 25_000_000.0;
/// Calls that allocate bytes which differ by no more than this share of them let heaps grow alike.
const UNLIKE: f64 = 0.1;

impl Lane<'_> {
    /// Lets the heap of the launch in progress grow, untimed, where the worker has counted what the subject allocates. Not where sides of a
    /// comparison grow alike: their launches are short. Not where the user says how many calls there are to be.
    pub(crate) fn grow_heap(&mut self, launcher: &dyn Launcher, settings: &Settings) {
        let samples = self.samples_of_growth();
        if samples > 0
            && self
                .turn(launcher, settings, 0, Subject::Case, samples - 1, vec![self.calibration.iterations; 1])
                .is_some()
        {
            self.forget_turn();
        }
    }

    /// What [`Lane::grow_heap`] will take, in nanoseconds.
    pub(crate) fn growth_ns(&self) -> f64 {
        self.samples_of_growth() as f64 * self.sample_wall_ns
    }

    fn samples_of_growth(&self) -> u64 {
        if (self.compared && !self.grows_unlike) || self.planned.variant.calls != Calls::Pilot {
            return 0;
        }
        samples_of_growth(&self.calibration, self.sample_wall_ns)
    }

    /// Whether a heap beside another grows at another pace: one that is still growing would pass for slower calls.
    pub(crate) fn grows_unlike(&self, other: &Self) -> bool {
        let (one, other) = (bytes_per_call(&self.calibration), bytes_per_call(&other.calibration));
        (one - other).abs() > UNLIKE * one.max(other)
    }
}

fn bytes_per_call(calibration: &Calibration) -> f64 {
    calibration.reported.allocations.map_or(0.0, |allocations| allocations.bytes_per_call())
}

/// `sample_ns` is what one takes, with what isn't timed.
fn samples_of_growth(calibration: &Calibration, sample_ns: f64) -> u64 {
    let bytes = bytes_per_call(calibration);
    if !bytes.is_normal() || calibration.iterations == 0 {
        return 0;
    }
    let wanted = FIRST_HEAP_BYTES / bytes / calibration.iterations as f64;
    wanted.min(LONGEST_GROWTH_NS / sample_ns.max(1.0)) as u64
}

#[cfg(test)]
mod tests {
    use tare_samples::{Allocations, Calibration, Reported};

    use super::samples_of_growth;

    fn samples(bytes: u64, sample_ns: f64, iterations: u64) -> u64 {
        let reported = Reported {
            allocations: Some(Allocations { calls: 10, count: 10, bytes: 10 * bytes }),
            ..Reported::default()
        };
        samples_of_growth(&Calibration { iterations, reported, ..Calibration::default() }, sample_ns)
    }

    #[test]
    fn as_many_samples_as_allocate_the_first_heap_and_no_more_than_25_ms() {
        assert_eq!(samples(192, 450_000.0, 500), 43, "4 MiB of 192 B are 21,845 calls");
        assert_eq!(samples(8, 500_000.0, 1_250), 50, "these take 25 ms");
        assert_eq!(samples(1 << 20, 1e6, 1), 4);
        assert_eq!(samples(64 << 20, 1e6, 1), 0, "one call is more than that");
        assert_eq!(samples(100, 100_000_000.0, 500), 0, "a stopped timer makes it long");
        assert_eq!(samples(0, 450_000.0, 500), 0);
        assert_eq!(samples_of_growth(&Calibration { iterations: 500, ..Calibration::default() }, 450_000.0), 0);
    }
}
