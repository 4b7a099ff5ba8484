//! What earlier runs of a case say of how its runs differ where nothing has changed.

use super::cuts::Cuts;
use super::levels::{changes_of_level, segment_of};
use super::points::{Run, RunPoints, median_of};
use super::weights::Weights;
use tare_samples::About;

use crate::autocorrelation::{inflation, lag_one, unbiased};
use crate::changepoint::SHORTEST_SEGMENT;
use crate::quantile::standard_deviation;

/// The newest runs that are looked at: older ones say little of today's machine, and cost the more.
const NEWEST: usize = 100;

/// Of typical calls, a run this many standard deviations from its level counts as if it were that near: one run under load, or one that
/// was a change by itself, widens the intervals, and doesn't blind them for good. Expected costs have no fence: their tails are theirs.
const FENCE: f64 = 5.0;

/// Fewest values that have a fence: of fewer the median deviation is too often small by chance.
const FEWEST_FENCED: usize = 6;

/// One run of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relative {
    /// Natural logarithm of the time in nanoseconds per call: the mean over launches, or of typical calls the median.
    pub raw: f64,
    /// The same relative to the reference kernels, Σ w ln(kernel) taken off each launch. Comparable with those of the same
    /// history only.
    pub relative: f64,
}

/// A history in figures, for a caller that shows how much the reference kernels explain.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The newest 100 runs in the order given; `None` for a run that can't be compared (no launches, a kernel missing, a time
    /// that isn't above 0).
    pub runs: Vec<Option<Relative>>,
    /// Kernels that the newest run's launches all timed, with the weight of each.
    pub weights: Vec<(String, f64)>,
    /// Whether the weights were fitted to the history; they are equal where it's too short, or where that is no worse.
    pub fitted: bool,
    /// Indices into `runs` at which a new level begins, of the code or of the machine.
    pub changes: Vec<usize>,
    /// Those of them that are the code's: the commit changed there, and the level before isn't met again.
    pub cuts: Vec<usize>,
    /// Standard deviation of a run about its level, of the relative value: a fraction, nearly. `None` for fewer than two runs.
    pub standard_deviation: Option<f64>,
    /// Degrees of freedom of that.
    pub degrees_of_freedom: f64,
}

impl History {
    /// The history of one case on one runtime, oldest first. `None` where the newest run has no kernels.
    pub fn of(history: &[RunPoints], about: About) -> Option<Self> {
        let newest = &history[history.len().saturating_sub(NEWEST)..];
        let names = newest.last()?.kernels();
        if names.is_empty() {
            return None;
        }
        let logs: Vec<Option<Run>> = newest.iter().map(|points| Run::of(points, &names, about)).collect();
        let positions: Vec<usize> = (0..logs.len()).filter(|&position| logs[position].is_some()).collect();
        let model = Model::of(&logs.iter().flatten().cloned().collect::<Vec<_>>(), &[], names.len());
        let relative = |run: &Run| Relative { raw: run.raw(), relative: run.relative(&model.weights.values) };
        Some(Self {
            runs: logs.iter().map(|run| run.as_ref().map(relative)).collect(),
            weights: names.into_iter().zip(model.weights.values.iter().copied()).collect(),
            fitted: model.weights.fitted,
            changes: model.changes.iter().map(|&change| positions[change]).collect(),
            cuts: model.cuts.iter().map(|&cut| positions[cut]).collect(),
            standard_deviation: (model.degrees_of_freedom > 0.0).then(|| model.variance.sqrt()),
            degrees_of_freedom: model.degrees_of_freedom,
        })
    }

    /// Standard deviations over all runs of the raw and of the relative logarithm: by how much the kernels make runs alike.
    /// Changes of the code are in both. `None` for fewer than two runs.
    pub fn spreads(&self) -> Option<(f64, f64)> {
        let column = |value: fn(&Relative) -> f64| self.runs.iter().flatten().map(value).collect::<Vec<_>>();
        Some((standard_deviation(&column(|run| run.raw))?, standard_deviation(&column(|run| run.relative))?))
    }
}

/// How runs of a case differ where nothing has changed.
pub(super) struct Model {
    pub(super) weights: Weights,
    pub(super) runs: usize,
    /// Variance of a run's relative value about its level; 0 at no degrees of freedom.
    pub(super) variance: f64,
    pub(super) degrees_of_freedom: f64,
    /// Variance of single launches about their run, and its degrees of freedom.
    pub(super) launches: Pooled,
    /// What of `variance` comes from the launches.
    pub(super) within: f64,
    /// How far levels lie apart that the machine made: see [`Cuts`].
    pub(super) between_levels: f64,
    changes: Vec<usize>,
    cuts: Vec<usize>,
    speeds: Speeds,
}

/// Where the kernels of the runs lie: how the machine's speed has moved.
struct Speeds {
    centre: Vec<f64>,
    /// Distance of the farthest run.
    farthest: f64,
}

impl Speeds {
    fn of(runs: &[Run], kernels: usize) -> Self {
        let means: Vec<Vec<f64>> = runs.iter().map(Run::kernel_means).collect();
        let centre: Vec<f64> = (0..kernels).map(|kernel| median_of(means.iter().map(|run| run[kernel]))).collect();
        let farthest = means.iter().map(|run| distance(run, &centre)).fold(0.0, f64::max);
        Self { centre, farthest }
    }
}

/// Root mean square over kernels.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len().max(1) as f64).sqrt()
}

/// A variance with its degrees of freedom, pooled from several.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pooled {
    squares: f64,
    degrees_of_freedom: f64,
}

impl Pooled {
    /// Of a run's launches about their mean, or of typical calls their median, with one degree of freedom less than there are launches.
    /// Beside a median a disturbed launch counts as if it lay on the fence: the median takes no more notice of it either.
    pub(super) fn of(run: &Run, weights: &[f64]) -> Self {
        let centre = run.relative(weights);
        let deviations = run.launches.iter().map(|launch| launch.relative(weights) - centre).collect();
        let deviations = bounded(deviations, run.about);
        Self { squares: squares(&deviations), degrees_of_freedom: (run.launches.len() - 1) as f64 }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            squares: self.squares + other.squares,
            degrees_of_freedom: self.degrees_of_freedom + other.degrees_of_freedom,
        }
    }

    /// 0 where there is nothing to tell it by.
    pub(super) fn variance(self) -> f64 {
        if self.degrees_of_freedom > 0.0 { self.squares / self.degrees_of_freedom } else { 0.0 }
    }
}

impl Model {
    /// The newest of `history` that have the kernels, without the runs that are judged: they are no evidence on themselves, but for
    /// whether a level is met again.
    pub(super) fn without(history: &[RunPoints], judged: [&RunPoints; 2], names: &[String], about: About) -> Self {
        let newest = &history[history.len().saturating_sub(NEWEST + judged.len())..];
        let of = |points: &&RunPoints| Run::of(points, names, about);
        let others: Vec<Run> = newest.iter().filter(|points| !judged.contains(points)).filter_map(|p| of(&p)).collect();
        Self::of(&others, &judged.iter().filter_map(of).collect::<Vec<_>>(), names.len())
    }

    fn of(runs: &[Run], judged: &[Run], kernels: usize) -> Self {
        // Weights are needed to see the levels, and levels to fit the weights. Runs in blocks of few are near enough to one level
        // each, and a change of the code is in one block only.
        let blocks = (runs.len() / SHORTEST_SEGMENT).max(1);
        let blocks: Vec<usize> = (0..runs.len()).map(|run| (run / SHORTEST_SEGMENT).min(blocks - 1)).collect();
        let by_blocks = Weights::of(runs, &blocks, kernels).values;
        let values: Vec<f64> = runs.iter().map(|run| run.relative(&by_blocks)).collect();
        let commits: Vec<Option<&str>> = runs.iter().map(|run| run.commit.as_deref()).collect();
        let changes = changes_of_level(&values);
        let judged: Vec<_> = judged.iter().map(|run| (run.relative(&by_blocks), run.commit.as_deref())).collect();
        let Cuts { places: cuts, between_levels } = Cuts::of(&values, &commits, &changes, &judged);
        let segments = segment_of(runs.len(), &changes);
        let weights = Weights::of(runs, &segments, kernels);
        let free = runs.len() as f64 - (changes.len() + 1) as f64 - weights.parameters;
        let degrees_of_freedom = if runs.is_empty() { 0.0 } else { free.max(0.0) };
        let about = runs.first().map_or(About::Time, |run| run.about);
        let residuals = bounded(weights.residuals.clone(), about);
        let launches = runs.iter().map(|run| Pooled::of(run, &weights.values)).fold(Pooled::default(), Pooled::and);
        let within: f64 = runs.iter().map(|run| run.of_location(launches.variance())).sum();
        Self {
            variance: variance(&residuals, &segments),
            runs: runs.len(),
            within: within / runs.len().max(1) as f64,
            degrees_of_freedom: degrees_of_freedom * independent(&residuals),
            weights,
            launches,
            between_levels,
            changes,
            cuts,
            speeds: Speeds::of(runs, kernels),
        }
    }

    /// How much further the kernels of `run` lie from the history's than those of any of its runs do, on the logarithmic scale.
    pub(super) fn beyond(&self, run: &Run) -> f64 {
        (distance(&run.kernel_means(), &self.speeds.centre) - self.speeds.farthest).max(0.0)
    }
}

/// What share of values that go together counts as if they were independent, (1 − r)/(1 + r) of a first-order autoregression (Box, Jenkins
/// & Reinsel, "Time Series Analysis", §2.1.5): a machine that wanders has shown fewer places than there are runs. Of r counts what is
/// more than one standard error above 0: few runs often go together by chance.
fn independent(residuals: &[f64]) -> f64 {
    let count = residuals.len();
    let r = lag_one(residuals).map_or(0.0, |r| unbiased(r, count) - 1.0 / (count as f64).sqrt());
    inflation(r).powi(-2)
}

/// Variance of leave-one-out residuals: the larger of their mean square and of half the mean squared successive difference
/// within segments (von Neumann et al., Annals of Mathematical Statistics 12(2), 1941), which levels that were cut wrongly
/// don't make smaller.
fn variance(residuals: &[f64], segments: &[usize]) -> f64 {
    if residuals.is_empty() {
        return 0.0;
    }
    let about_levels = squares(residuals) / residuals.len() as f64;
    let differences: Vec<f64> = residuals
        .windows(2)
        .zip(segments.windows(2))
        .filter(|(_, segment)| segment[0] == segment[1])
        .map(|(pair, _)| (pair[1] - pair[0]).powi(2) / 2.0)
        .collect();
    let successive = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    about_levels.max(successive)
}

fn bounded(deviations: Vec<f64>, about: About) -> Vec<f64> {
    if about == About::Typical { fenced(deviations) } else { deviations }
}

/// Deviations with those beyond the [`FENCE`] set on it, in standard deviations as their median shows them.
pub(super) fn fenced(mut deviations: Vec<f64>) -> Vec<f64> {
    let deviation = median_of(deviations.iter().map(|value| value.abs())) / 0.674_489_750_196_081_7;
    if deviation > 0.0 && deviations.len() >= FEWEST_FENCED {
        for value in &mut deviations {
            *value = value.clamp(-FENCE * deviation, FENCE * deviation);
        }
    }
    deviations
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}
