//! How often the interval of a run holds the truth where runs differ by more than their launches show, by what the store knows of earlier runs.

use tare_statistics::comparison::{TimeOfRun, between_runs};
use tare_statistics::{Estimate, Summary};

use super::source::{Source, runs};

const CASES: usize = 10;
const TRUE: f64 = 1000.0;

/// What differs, as standard deviations on the logarithmic scale.
#[derive(Debug, Clone, Copy)]
struct World {
    /// Between runs: the machine's pace, the same for all cases of a run.
    together: f64,
    /// Between runs, of each case alone.
    alone: f64,
    /// Of a run's launches: their interval knows it.
    launches: f64,
}

impl World {
    /// One run of all cases, with the intervals that its launches give.
    fn run(self, source: &mut Source) -> Vec<Estimate> {
        let pace = self.together * source.gaussian();
        let mut read = || {
            let off = pace + self.alone * source.gaussian() + self.launches * source.gaussian();
            let estimate = TRUE * off.exp();
            let half = 1.959_963_984_540_054 * self.launches * estimate;
            Estimate { estimate, low: estimate - half, high: estimate + half }
        };
        (0..CASES).map(|_| read()).collect()
    }

    /// The share of widened intervals that hold the truth, after so many earlier runs, and their half-width, as a part of the time, on average.
    fn held(self, earlier: usize, worlds: usize, seed: u64) -> (f64, f64) {
        let mut source = Source::new(seed);
        let (mut held, mut wide) = (0usize, 0.0);
        for _ in 0..worlds {
            let past: Vec<Vec<Estimate>> = (0..earlier).map(|_| self.run(&mut source)).collect();
            let of_case = |case: usize| past.iter().map(|run| TimeOfRun { time: run[case], commit: None }).collect();
            let histories: Vec<Vec<TimeOfRun>> = (0..CASES).map(of_case).collect();
            for (time, term) in self.run(&mut source).into_iter().zip(between_runs(&histories)) {
                let summary =
                    Summary { time, raw: time, confidence: 0.95, between_runs: Some(term), ..Summary::default() };
                let widened = summary.with_between_runs().time;
                held += usize::from(widened.holds(TRUE));
                wide += widened.half_width() / time.estimate;
            }
        }
        let all = (worlds * CASES) as f64;
        (held as f64 / all, wide / all)
    }
}

#[test]
fn the_interval_of_a_run_holds_what_runs_read() {
    // (between runs together, alone; launches), and the least and the most that is held without, with 3 and with 13 earlier runs.
    let worlds = runs(4_000, 400);
    for (together, alone, launches, expected) in [
        (0.008, 0.0, 0.001, [0.98, 0.93, 0.92]),
        (0.008, 0.0, 0.007, [0.97, 0.95, 0.93]),
        (0.0, 0.008, 0.003, [0.97, 0.96, 0.94]),
        (0.005, 0.005, 0.005, [0.98, 0.96, 0.94]),
        (0.012, 0.0, 0.003, [0.91, 0.87, 0.91]),
        (0.02, 0.0, 0.005, [0.70, 0.80, 0.91]),
        (0.004, 0.0, 0.05, [0.94, 0.94, 0.94]),
        (0.0, 0.0, 0.01, [0.98, 0.97, 0.96]),
    ] {
        let world = World { together, alone, launches };
        for (earlier, least) in [0, 3, 13].into_iter().zip(expected) {
            let (held, wide) = world.held(earlier, worlds, 31);
            println!("{world:?}, {earlier} earlier runs: held {:.1} %, ± {:.2} %", 100.0 * held, 100.0 * wide);
            assert!(held >= least, "{world:?}, {earlier} earlier runs: {held}");
        }
    }
}

#[test]
fn a_machine_that_is_steady_is_known_to_be() {
    let world = World { together: 0.001, alone: 0.0, launches: 0.001 };
    let (_, at_first) = world.held(0, 100, 32);
    let (held, later) = world.held(20, 100, 32);
    println!("± {:.2} %, after 20 runs {:.2} %, held {held}", 100.0 * at_first, 100.0 * later);
    assert!(later < at_first / 1.8 && held > 0.95, "{at_first} {later} {held}");
}
