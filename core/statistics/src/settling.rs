//! Whether and where a launch settles, from the sequence of its times per call.

use crate::changepoint::change_points;
use crate::quantile::{median, select_median, sort};

/// Levels that differ by less than this share of the last one are the same level.
const RELATIVE_TOLERANCE: f64 = 0.01;

/// Levels that differ by less than this many median absolute deviations of the noise are the same level.
const NOISE_TOLERANCE: f64 = 3.0;

/// A first sample is slow for warm-up's sake, not by chance, this many deviations above the level: 4 standard
/// deviations.
const COLD: f64 = 6.0;

/// Slow first samples that make a warm-up; a single one may be a spike.
const FEWEST_COLD: usize = 2;

/// A launch has settled when its last level holds for this share of it.
const SETTLED_SHARE: f64 = 0.25;

/// Fewest samples of which anything is said.
const FEWEST_SAMPLES: usize = 20;

/// How a launch's time per call behaves. `from` is the index of the first sample of the steady part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settling {
    /// One level from `from`, which is 0. A passing disturbance of at most a quarter of the samples doesn't count when
    /// the level before it is the level after.
    Steady {
        /// First sample of the steady part.
        from: usize,
    },
    /// Slower before `from`, and never faster.
    WarmsUp {
        /// First sample of the steady part.
        from: usize,
    },
    /// At some time before `from` it was faster.
    SlowsDown {
        /// First sample of the steady part.
        from: usize,
    },
    /// The last level holds for less than a quarter of the samples, or two levels take turns.
    NeverSettles,
}

/// Classifies a launch by its times per call, in the order of measuring and any unit, after Barrett, Bolz-Tereick,
/// Killick, Mount & Tratt, "Virtual machine warmup blows hot and cold", OOPSLA 2017, §4: segments between
/// [`change_points`] are compared with the last by their medians; those within 1 % of it, or 3 median absolute
/// deviations of the samples from their own segments' medians (2 standard deviations), are equivalent to it. Here the
/// last quarter must be of one level where the paper has the last 500 of 2,000 iterations, and two or more slow samples
/// at the very start, too few for a segment, are a warm-up as well.
///
/// `None` for fewer than 20 samples: of fewer, noise passes for a change too often. Simulated
/// (`tests/simulation/settling.rs`): stationary noise (Gaussian, log-normal, autocorrelated at 0.5, with spikes) is
/// called anything but steady in under 1 %; a warm-up of 10 % over the first quarter of 200 samples with 2 % noise is
/// found in over 95 %, as a step or as a ramp.
pub fn settle(times: &[f64]) -> Option<Settling> {
    if times.len() < FEWEST_SAMPLES {
        return None;
    }
    let segments = segments(times);
    let noise = residual_deviation(times, &segments);
    let last = segments.last()?;
    let tolerance = (RELATIVE_TOLERANCE * last.level.abs()).max(NOISE_TOLERANCE * noise);
    let same = |segment: &&Segment| (segment.level - last.level).abs() <= tolerance;
    let tail = segments.iter().rev().take_while(same).map(|segment| segment.from).last()?;
    if tail == 0 {
        return Some(cold_start(times, last.level, tolerance.max(COLD * noise)));
    }
    let disturbed: usize =
        segments.iter().filter(|segment| !same(segment)).map(|segment| segment.to - segment.from).sum();
    let share = |samples: usize| samples as f64 / times.len() as f64;
    if segments.first().is_some_and(|first| same(&first)) {
        let passing = share(disturbed) <= SETTLED_SHARE;
        return Some(if passing { Settling::Steady { from: 0 } } else { Settling::NeverSettles });
    }
    if share(times.len() - tail) < SETTLED_SHARE {
        return Some(Settling::NeverSettles);
    }
    let was_faster = segments.iter().any(|segment| segment.level < last.level - tolerance);
    Some(if was_faster { Settling::SlowsDown { from: tail } } else { Settling::WarmsUp { from: tail } })
}

struct Segment {
    from: usize,
    to: usize,
    /// Median of its samples.
    level: f64,
}

fn segments(times: &[f64]) -> Vec<Segment> {
    let changes = change_points(times);
    let bounds: Vec<usize> = [0].into_iter().chain(changes).chain([times.len()]).collect();
    bounds
        .windows(2)
        .filter_map(|bound| {
            let level = select_median(&mut times[bound[0]..bound[1]].to_vec())?;
            Some(Segment { from: bound[0], to: bound[1], level })
        })
        .collect()
}

/// Median absolute deviation of the samples from the medians of their own segments. Where more than half of them are
/// equal, as on a coarse clock, it is 0 and says nothing; then a third of the smallest deviation, so that one step of
/// the clock is no change of level.
fn residual_deviation(times: &[f64], segments: &[Segment]) -> f64 {
    let mut residuals: Vec<f64> = segments
        .iter()
        .flat_map(|segment| times[segment.from..segment.to].iter().map(|time| (time - segment.level).abs()))
        .collect();
    sort(&mut residuals);
    let deviation = median(&residuals).unwrap_or(0.0);
    if deviation > 0.0 {
        return deviation;
    }
    let step = residuals.into_iter().find(|&residual| residual > 0.0).unwrap_or(0.0);
    // A hair more than a third, for the rounding of times per call.
    step / NOISE_TOLERANCE * (1.0 + 1e-9)
}

/// A launch of one level, but for its first samples.
fn cold_start(times: &[f64], level: f64, tolerance: f64) -> Settling {
    let cold = times.iter().take_while(|&&time| time > level + tolerance).count();
    if cold >= FEWEST_COLD { Settling::WarmsUp { from: cold } } else { Settling::Steady { from: 0 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence of levels, each with its length, with a small deterministic noise.
    fn levels(parts: &[(f64, usize)]) -> Vec<f64> {
        let flat = parts.iter().flat_map(|&(level, length)| std::iter::repeat_n(level, length));
        flat.enumerate().map(|(index, level)| level + (index * 7919 % 101) as f64 / 500.0).collect()
    }

    #[test]
    fn each_course_has_its_name() {
        let settled = |parts: &[(f64, usize)]| settle(&levels(parts)).unwrap();
        assert_eq!(settled(&[(10.0, 200)]), Settling::Steady { from: 0 });
        assert_eq!(settled(&[(12.0, 50), (10.0, 150)]), Settling::WarmsUp { from: 50 });
        assert_eq!(settled(&[(12.0, 50), (11.0, 50), (10.0, 100)]), Settling::WarmsUp { from: 100 });
        assert_eq!(settled(&[(9.0, 50), (10.0, 150)]), Settling::SlowsDown { from: 50 });
        assert_eq!(settled(&[(12.0, 50), (9.0, 50), (10.0, 100)]), Settling::SlowsDown { from: 100 });
        assert_eq!(settled(&[(10.0, 170), (12.0, 30)]), Settling::NeverSettles);
        assert_eq!(settled(&[(10.0, 60), (12.0, 60), (10.0, 60), (12.0, 60), (10.0, 60)]), Settling::NeverSettles);
    }

    #[test]
    fn a_passing_disturbance_leaves_a_launch_steady() {
        assert_eq!(settle(&levels(&[(10.0, 90), (13.0, 20), (10.0, 90)])), Some(Settling::Steady { from: 0 }));
    }

    #[test]
    fn a_few_cold_calls_are_a_warm_up_and_one_is_not() {
        assert_eq!(settle(&levels(&[(30.0, 3), (10.0, 197)])), Some(Settling::WarmsUp { from: 3 }));
        assert_eq!(settle(&levels(&[(30.0, 1), (10.0, 199)])), Some(Settling::Steady { from: 0 }));
    }

    #[test]
    fn a_step_of_half_a_percent_is_no_step() {
        assert_eq!(settle(&levels(&[(10.05, 50), (10.0, 150)])), Some(Settling::Steady { from: 0 }));
        let noiseless = [vec![10.05; 50], vec![10.0; 150]].concat();
        assert_eq!(settle(&noiseless), Some(Settling::Steady { from: 0 }));
    }

    #[test]
    fn too_few_samples_say_nothing() {
        assert_eq!(settle(&[1.0; 19]), None);
        assert_eq!(settle(&[1.0; 20]), Some(Settling::Steady { from: 0 }));
    }
}
