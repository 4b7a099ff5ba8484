//! What a stored run gives to a comparison.

use tare_samples::{Calibration, Correction, Launch};

use crate::estimate::launch_times;
use crate::quantile::{mean, select_median};

/// One launch of one variant, in figures: plain data, which nothing has been assumed of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchPoint {
    /// Tared time, in nanoseconds per call. At or below 0 where the subject weighs no more than the null.
    pub time: f64,
    /// Median time of each reference kernel by name, in nanoseconds per call, loop included.
    pub kernels: Vec<(String, f64)>,
}

/// The launches of one variant in one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunPoints {
    /// In the order of measuring, which doesn't matter here.
    pub launches: Vec<LaunchPoint>,
}

impl RunPoints {
    /// The points of measured launches, tared as [`crate::estimate`] does it: a warm-up that most launches show is left out.
    /// Launches without samples of the case or the null are passed over.
    pub fn of(launches: &[Launch], calibration: &Calibration, correction: Correction) -> Self {
        let launches = launch_times(launches, calibration, correction)
            .map(|(time, kernels)| LaunchPoint { time, kernels: kernels.into_iter().collect() })
            .collect();
        Self { launches }
    }

    /// Kernels that all launches timed, sorted by name, each once.
    pub(super) fn kernels(&self) -> Vec<String> {
        let Some((first, rest)) = self.launches.split_first() else { return Vec::new() };
        let mut names: Vec<String> = first
            .kernels
            .iter()
            .filter(|(name, _)| std::iter::once(first).chain(rest).all(|launch| launch.log_kernel(name).is_some()))
            .map(|(name, _)| name.clone())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl LaunchPoint {
    fn log_kernel(&self, name: &str) -> Option<f64> {
        let (_, time) = self.kernels.iter().find(|(kernel, _)| kernel == name)?;
        logarithm(*time)
    }
}

fn logarithm(time: f64) -> Option<f64> {
    (time > 0.0 && time.is_finite()).then(|| time.ln())
}

/// A run on the logarithmic scale, with the kernels of one list.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) launches: Vec<LogLaunch>,
}

#[derive(Debug, Clone)]
pub(super) struct LogLaunch {
    pub(super) time: f64,
    pub(super) kernels: Vec<f64>,
}

impl LogLaunch {
    /// The time relative to the kernels.
    pub(super) fn relative(&self, weights: &[f64]) -> f64 {
        self.time - dot(weights, &self.kernels)
    }
}

impl Run {
    /// `None` without launches, or where one has no logarithm of its time or of one of the kernels.
    pub(super) fn of(points: &RunPoints, names: &[String]) -> Option<Self> {
        let log_launch = |launch: &LaunchPoint| {
            let kernels = names.iter().map(|name| launch.log_kernel(name)).collect::<Option<_>>()?;
            Some(LogLaunch { time: logarithm(launch.time)?, kernels })
        };
        let launches: Vec<LogLaunch> = points.launches.iter().map(log_launch).collect::<Option<_>>()?;
        (!launches.is_empty()).then_some(Self { launches })
    }

    /// Median over launches of the time relative to the kernels.
    pub(super) fn relative(&self, weights: &[f64]) -> f64 {
        median_of(self.launches.iter().map(|launch| launch.relative(weights)))
    }

    /// Median over launches of the time itself.
    pub(super) fn raw(&self) -> f64 {
        median_of(self.launches.iter().map(|launch| launch.time))
    }

    /// Mean over launches of each kernel.
    pub(super) fn kernel_means(&self) -> Vec<f64> {
        let kernels = self.launches.first().map_or(0, |launch| launch.kernels.len());
        let column = |kernel: usize| self.launches.iter().map(|launch| launch.kernels[kernel]).collect::<Vec<_>>();
        (0..kernels).filter_map(|kernel| mean(&column(kernel))).collect()
    }
}

/// Of no values 0, which [`Run::of`] leaves no way to.
pub(super) fn median_of(values: impl Iterator<Item = f64>) -> f64 {
    select_median(&mut values.collect::<Vec<_>>()).unwrap_or(0.0)
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use tare_samples::{Calibration, Correction, Launch, Subject, Turn};

    use super::{LaunchPoint, Run, RunPoints};

    fn turn(subject: Subject, calls: u64, elapsed: u64) -> Turn {
        Turn {
            round: 0,
            subject,
            warm: 1,
            iterations: vec![calls; 3],
            elapsed: vec![elapsed; 3],
            pauses: Vec::new(),
            at_ns: 0,
            stretch: None,
        }
    }

    #[test]
    fn a_launch_is_tared_and_its_kernels_are_not() {
        let turns = vec![
            turn(Subject::Clock, 1, 50),
            turn(Subject::Case, 10, 1050),
            turn(Subject::Null, 10, 150),
            turn(Subject::Kernel("text".into()), 100, 7000),
            turn(Subject::Kernel("arithmetic".into()), 100, 3000),
        ];
        let calibration = Calibration { iterations: 10, ..Calibration::default() };
        let launches = [Launch { turns, ..Launch::default() }, Launch::default()];
        let points = RunPoints::of(&launches, &calibration, Correction::Serial);
        let kernels = vec![("arithmetic".to_owned(), 30.0), ("text".to_owned(), 70.0)];
        assert_eq!(points.launches, [LaunchPoint { time: 90.0, kernels }]);
    }

    #[test]
    fn a_kernel_counts_where_every_launch_timed_it() {
        let launch = |kernels: &[(&str, f64)]| LaunchPoint {
            time: 5.0,
            kernels: kernels.iter().map(|&(name, time)| (name.to_owned(), time)).collect(),
        };
        let of = |launches: &[LaunchPoint]| RunPoints { launches: launches.to_vec() }.kernels();
        let both = launch(&[("text", 2.0), ("null", 1.0), ("text", 3.0)]);
        assert_eq!(of(std::slice::from_ref(&both)), ["null", "text"]);
        assert_eq!(of(&[both.clone(), launch(&[("null", 1.0)])]), ["null"]);
        assert_eq!(of(&[both.clone(), launch(&[("null", 0.0), ("text", f64::NAN)])]), [""; 0]);
        assert_eq!(of(&[]), [""; 0]);
    }

    #[test]
    fn times_without_a_logarithm_make_no_run() {
        let names = ["null".to_owned()];
        let run = |time: f64, kernel: f64| {
            let kernels = vec![("null".to_owned(), kernel)];
            Run::of(&RunPoints { launches: vec![LaunchPoint { time, kernels }] }, &names)
        };
        assert!((run(2.0, 4.0).unwrap().relative(&[0.5]) - (2f64.ln() - 0.5 * 4f64.ln())).abs() < 1e-12);
        for (time, kernel) in
            [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, 0.0), (1.0, f64::NAN)]
        {
            assert!(run(time, kernel).is_none(), "{time} {kernel}");
        }
        assert!(Run::of(&RunPoints::default(), &names).is_none());
    }
}
