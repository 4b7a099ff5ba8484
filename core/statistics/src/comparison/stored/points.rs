//! What a stored run gives to a comparison.

use tare_samples::{About, Calibration, Correction, Launch};

use crate::estimate::{LaunchTimes, launch_times};
use crate::quantile::{mean, select_median};

/// One launch of one variant, in figures: plain data, which nothing has been assumed of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchPoint {
    /// Expected cost of a call, tared, other processes' work left out, in nanoseconds: the launch's mean. At or below 0 where the
    /// subject weighs no more than the null.
    pub time: f64,
    /// What an undisturbed call takes, tared, in nanoseconds: the launch's median.
    pub typical: f64,
    /// Median time of each reference kernel by name, in nanoseconds per call, loop included.
    pub kernels: Vec<(String, f64)>,
}

/// The launches of one variant in one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunPoints {
    /// In the order of measuring, which doesn't matter here.
    pub launches: Vec<LaunchPoint>,
    /// The commit whose code it measured; two runs with the same one are taken for the same code. `None` where it isn't known.
    pub commit: Option<String>,
}

impl RunPoints {
    /// The points of measured launches, tared as [`crate::estimate`] does it: a warm-up that most launches show is left out.
    /// Launches without samples of the case or the null are passed over.
    pub fn of(launches: &[Launch], calibration: &Calibration, correction: Correction) -> Self {
        let launches = launch_times(launches, calibration, correction)
            .map(|LaunchTimes { time, typical, kernels }| LaunchPoint {
                time,
                typical,
                kernels: kernels.into_iter().collect(),
            })
            .collect();
        Self { launches, commit: None }
    }

    /// The points of launches that another tool measured, by the samples of each in nanoseconds per call: without reference kernels.
    pub fn untared(launches: &[Vec<f64>]) -> Self {
        let point = |samples: &Vec<f64>| {
            let time = mean(samples)?;
            let typical = select_median(&mut samples.clone())?;
            Some(LaunchPoint { time, typical, kernels: Vec::new() })
        };
        Self { launches: launches.iter().filter_map(point).collect(), commit: None }
    }

    /// The same, of that commit.
    pub fn at_commit(self, commit: Option<String>) -> Self {
        Self { commit, ..self }
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
    /// What is compared of the launch, in nanoseconds per call.
    pub(super) fn figure(&self, about: About) -> f64 {
        match about {
            About::Time => self.time,
            About::Typical => self.typical,
        }
    }

    fn log_kernel(&self, name: &str) -> Option<f64> {
        let (_, time) = self.kernels.iter().find(|(kernel, _)| kernel == name)?;
        logarithm(*time)
    }
}

fn logarithm(time: f64) -> Option<f64> {
    (time > 0.0 && time.is_finite()).then(|| time.ln())
}

/// A run on the logarithmic scale, with the kernels of one list.
///
/// Of expected costs it is the mean over launches: slow launches belong to what is paid, so none is left out and none is bounded. What that
/// makes uncertain is seen in the scatter of launches and of runs, which isn't bounded either: tails make the interval wide, and
/// no alarm. Of typical calls it is the median, and what lies far off is bounded.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) launches: Vec<LogLaunch>,
    pub(super) about: About,
    pub(super) commit: Option<String>,
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
    pub(super) fn of(points: &RunPoints, names: &[String], about: About) -> Option<Self> {
        let log_launch = |launch: &LaunchPoint| {
            let kernels = names.iter().map(|name| launch.log_kernel(name)).collect::<Option<_>>()?;
            Some(LogLaunch { time: logarithm(launch.figure(about))?, kernels })
        };
        let launches: Vec<LogLaunch> = points.launches.iter().map(log_launch).collect::<Option<_>>()?;
        (!launches.is_empty()).then(|| Self { launches, about, commit: points.commit.clone() })
    }

    /// The launches' time relative to the kernels, together: the logarithm of their mean, or their median.
    pub(super) fn relative(&self, weights: &[f64]) -> f64 {
        self.together(self.launches.iter().map(|launch| launch.relative(weights)))
    }

    /// The same of the time itself.
    pub(super) fn raw(&self) -> f64 {
        self.together(self.launches.iter().map(|launch| launch.time))
    }

    fn together(&self, logarithms: impl Iterator<Item = f64> + Clone) -> f64 {
        match self.about {
            About::Typical => median_of(logarithms),
            About::Time => {
                // Beside the largest none overflows.
                let largest = logarithms.clone().fold(f64::NEG_INFINITY, f64::max);
                let shares: Vec<f64> = logarithms.map(|logarithm| (logarithm - largest).exp()).collect();
                largest + mean(&shares).unwrap_or(1.0).ln()
            }
        }
    }

    /// Variance of [`Self::relative`] where single launches have `variance`: a median's is π/2 of a mean's, from three on.
    pub(super) fn of_location(&self, variance: f64) -> f64 {
        let is_median = self.about == About::Typical && self.launches.len() > 2;
        let widening = if is_median { std::f64::consts::FRAC_PI_2 } else { 1.0 };
        widening * variance / self.launches.len() as f64
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
    use tare_samples::{About, Calibration, Correction, Launch, Subject, Turn};

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
        assert_eq!(points.launches, [LaunchPoint { time: 90.0, typical: 90.0, kernels }]);
    }

    #[test]
    fn a_kernel_counts_where_every_launch_timed_it() {
        let launch = |kernels: &[(&str, f64)]| LaunchPoint {
            time: 5.0,
            typical: 5.0,
            kernels: kernels.iter().map(|&(name, time)| (name.to_owned(), time)).collect(),
        };
        let of = |launches: &[LaunchPoint]| RunPoints { launches: launches.to_vec(), commit: None }.kernels();
        let both = launch(&[("text", 2.0), ("null", 1.0), ("text", 3.0)]);
        assert_eq!(of(std::slice::from_ref(&both)), ["null", "text"]);
        assert_eq!(of(&[both.clone(), launch(&[("null", 1.0)])]), ["null"]);
        assert_eq!(of(&[both.clone(), launch(&[("null", 0.0), ("text", f64::NAN)])]), [""; 0]);
        assert_eq!(of(&[]), [""; 0]);
    }

    #[test]
    fn a_dear_launch_is_in_the_expected_cost_and_not_in_the_typical_one() {
        let launch = |time: f64| LaunchPoint { time, typical: time, kernels: vec![("null".to_owned(), 1.0)] };
        let points = RunPoints { launches: [8.0, 8.0, 8.0, 8.0, 18.0].map(launch).to_vec(), commit: None };
        let of = |about| Run::of(&points, &["null".to_owned()], about).unwrap().relative(&[1.0]).exp();
        assert!((of(About::Time) - 10.0).abs() < 1e-12 && (of(About::Typical) - 8.0).abs() < 1e-12);
    }

    #[test]
    fn times_without_a_logarithm_make_no_run() {
        let names = ["null".to_owned()];
        let run = |time: f64, kernel: f64| {
            let kernels = vec![("null".to_owned(), kernel)];
            let launches = vec![LaunchPoint { time, typical: 1.0, kernels }];
            Run::of(&RunPoints { launches, commit: None }, &names, About::Time)
        };
        assert!((run(2.0, 4.0).unwrap().relative(&[0.5]) - (2f64.ln() - 0.5 * 4f64.ln())).abs() < 1e-12);
        for (time, kernel) in
            [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, 0.0), (1.0, f64::NAN)]
        {
            assert!(run(time, kernel).is_none(), "{time} {kernel}");
        }
        assert!(Run::of(&RunPoints::default(), &names, About::Time).is_none());
    }
}
