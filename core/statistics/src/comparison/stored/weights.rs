//! How much of each reference kernel is in a case: ridge regression towards equal weights.

use super::points::{Run, dot, median_of};
use crate::quantile::{mean, standard_error};

/// Fewest runs that weights are fitted to, and fewest for each kernel. Launches of one run share the machine's speed, so that
/// runs are the evidence. Simulated with four kernels (`tests/simulation/stored.rs`), eight runs raise no more false alarms with
/// fitted weights than with equal ones, and find a change of 20 % in 75 % of comparisons where equal ones find 62 %.
const FEWEST_RUNS: usize = 8;
const RUNS_PER_KERNEL: usize = 2;

/// Ridge strengths that are tried, strongest first, in the mean squared movement of a kernel over the launches. 0.001 is next
/// to no ridge.
const STRENGTHS: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

/// Weights and what is known of them.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// One for each kernel.
    pub(super) values: Vec<f64>,
    /// Effective number of parameters (Hastie, Tibshirani & Friedman, "The Elements of Statistical Learning", eq.
    /// 3.50); 0 for equal weights.
    pub(super) parameters: f64,
    /// Each run's relative value less the median of the others in its segment, under weights that were fitted without
    /// it, in the order of the runs; empty for fewer than two runs.
    pub(super) residuals: Vec<f64>,
    /// Whether they aren't the equal ones.
    pub(super) fitted: bool,
}

impl Weights {
    /// 1/K for each of `kernels`.
    fn equal(kernels: usize) -> Vec<f64> {
        vec![1.0 / kernels.max(1) as f64; kernels]
    }

    /// The weights for runs whose levels are given by their segments (of [`super::levels::segment_of`]).
    ///
    /// Times and kernels are centred in their segment, so that a change of the code is not explained by the kernels, and each
    /// strength is judged by the absolute errors of runs that are left out. A strength has to beat equal weights and
    /// all the stronger ones by more than chance would; else equal weights it is.
    pub(super) fn of(runs: &[Run], segments: &[usize], kernels: usize) -> Self {
        let equal = Self::equal(kernels);
        let mut best = Self {
            residuals: residuals(runs, segments, |_| Some(equal.clone())).unwrap_or_default(),
            values: equal,
            parameters: 0.0,
            fitted: false,
        };
        if kernels == 0 || runs.len() < FEWEST_RUNS.max(RUNS_PER_KERNEL * kernels) {
            return best;
        }
        let sums = Sums::new(runs, segments, kernels);
        for strength in STRENGTHS {
            let ridge = strength * sums.all.trace() / kernels as f64;
            let Some((values, factor)) = sums.all.solve(ridge) else { continue };
            let without = |run: usize| Some(sums.without(run).solve(ridge)?.0);
            let Some(found) = residuals(runs, segments, without) else { continue };
            if is_smaller(&found, &best.residuals) {
                let parameters = kernels as f64 - ridge * trace_of_inverse(&factor);
                best = Self { values, parameters, residuals: found, fitted: true };
            }
        }
        best
    }
}

/// Leave-one-out residuals under the weights that `without` gives for each run. `None` for fewer than two runs, or where a run
/// has no weights.
fn residuals(runs: &[Run], segments: &[usize], without: impl Fn(usize) -> Option<Vec<f64>>) -> Option<Vec<f64>> {
    if runs.len() < 2 {
        return None;
    }
    (0..runs.len())
        .map(|run| {
            let weights = without(run)?;
            let others = (0..runs.len()).filter(|&other| other != run && segments[other] == segments[run]);
            Some(runs[run].relative(&weights) - median_of(others.map(|other| runs[other].relative(&weights))))
        })
        .collect()
}

/// Whether errors are smaller than `others` of the same runs, by more than the standard error of their mean difference (the one
/// standard error rule of Breiman et al., "Classification and Regression Trees", 1984, §3.4.3): weights that are but a
/// little better in the history are worse for the next run as often as not.
fn is_smaller(errors: &[f64], others: &[f64]) -> bool {
    let gains: Vec<f64> = errors.iter().zip(others).map(|(error, other)| other.abs() - error.abs()).collect();
    mean(&gains).zip(standard_error(&gains)).is_some_and(|(gain, error)| gain > error)
}

/// Sums over launches from which the moments about the segments' means come, with or without one run.
struct Sums {
    segments: Vec<Moments>,
    runs: Vec<(usize, Moments)>,
    all: Scatter,
}

#[derive(Clone)]
struct Moments {
    launches: f64,
    /// Of the kernels and, last, the time.
    sums: Vec<f64>,
    /// Of their products, pair by pair.
    products: Vec<Vec<f64>>,
}

/// Sums of squares and products about the segments' means: kernels, and the time in the last row and column.
#[derive(Clone)]
struct Scatter(Vec<Vec<f64>>);

impl Moments {
    fn none(variables: usize) -> Self {
        Self { launches: 0.0, sums: vec![0.0; variables], products: vec![vec![0.0; variables]; variables] }
    }

    fn add(&mut self, other: &Self, sign: f64) {
        self.launches += sign * other.launches;
        for (row, sum) in other.sums.iter().enumerate() {
            self.sums[row] += sign * sum;
            for column in 0..other.sums.len() {
                self.products[row][column] += sign * other.products[row][column];
            }
        }
    }
}

impl Scatter {
    fn none(variables: usize) -> Self {
        Self(vec![vec![0.0; variables]; variables])
    }

    fn add(&mut self, moments: &Moments, sign: f64) {
        if moments.launches == 0.0 {
            return;
        }
        for row in 0..self.0.len() {
            for column in 0..self.0.len() {
                let about_mean =
                    moments.products[row][column] - moments.sums[row] * moments.sums[column] / moments.launches;
                self.0[row][column] += sign * about_mean;
            }
        }
    }

    fn kernels(&self) -> usize {
        self.0.len() - 1
    }

    fn trace(&self) -> f64 {
        (0..self.kernels()).map(|kernel| self.0[kernel][kernel]).sum()
    }

    /// Weights that minimise the squared error plus `ridge` times their squared distance from equal ones, and the Cholesky
    /// factor of the ridged matrix. `None` where nothing moves.
    fn solve(&self, ridge: f64) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        let kernels = self.kernels();
        let equal = Weights::equal(kernels);
        let right: Vec<f64> =
            (0..kernels).map(|row| self.0[row][kernels] - dot(&self.0[row][..kernels], &equal)).collect();
        let factor = cholesky(&self.0, kernels, ridge)?;
        let offsets = substitute(&factor, &right);
        Some((equal.iter().zip(&offsets).map(|(equal, offset)| equal + offset).collect(), factor))
    }
}

impl Sums {
    fn new(runs: &[Run], segments: &[usize], kernels: usize) -> Self {
        let variables = kernels + 1;
        // Values near the first launch's: sums of products of large logarithms would lose digits.
        let row_of = |launch: &super::points::LogLaunch| -> Vec<f64> {
            let first = &runs[0].launches[0];
            let kernels = launch.kernels.iter().zip(&first.kernels).map(|(kernel, origin)| kernel - origin);
            kernels.chain([launch.time - first.time]).collect()
        };
        let mut by_segment = vec![Moments::none(variables); segments.last().map_or(0, |last| last + 1)];
        let mut by_run = Vec::with_capacity(runs.len());
        for (run, &segment) in runs.iter().zip(segments) {
            let mut moments = Moments::none(variables);
            for values in run.launches.iter().map(row_of) {
                let products = values.iter().map(|a| values.iter().map(|b| a * b).collect()).collect();
                moments.add(&Moments { launches: 1.0, sums: values, products }, 1.0);
            }
            by_segment[segment].add(&moments, 1.0);
            by_run.push((segment, moments));
        }
        let mut all = Scatter::none(variables);
        for moments in &by_segment {
            all.add(moments, 1.0);
        }
        Self { segments: by_segment, runs: by_run, all }
    }

    /// The scatter as if `run` had never been.
    fn without(&self, run: usize) -> Scatter {
        let (segment, moments) = &self.runs[run];
        let mut others = self.segments[*segment].clone();
        others.add(moments, -1.0);
        let mut scatter = self.all.clone();
        scatter.add(&self.segments[*segment], -1.0);
        scatter.add(&others, 1.0);
        scatter
    }
}

/// The lower Cholesky factor of the leading `size` rows and columns with `ridge` on the diagonal; `None` where that isn't
/// positive definite.
fn cholesky(matrix: &[Vec<f64>], size: usize, ridge: f64) -> Option<Vec<Vec<f64>>> {
    let mut factor = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let rest = matrix[row][column] - dot(&factor[row][..column], &factor[column][..column]);
            if row == column {
                let pivot = rest + ridge;
                if !(pivot > 0.0 && pivot.is_finite()) {
                    return None;
                }
                factor[row][row] = pivot.sqrt();
            } else {
                factor[row][column] = rest / factor[column][column];
            }
        }
    }
    Some(factor)
}

/// Solves L Lᵀ x = `right` for the lower factor L.
fn substitute(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let size = factor.len();
    let mut solution = right.to_vec();
    for row in 0..size {
        solution[row] = (solution[row] - dot(&factor[row][..row], &solution[..row])) / factor[row][row];
    }
    for row in (0..size).rev() {
        let below: f64 = (row + 1..size).map(|next| factor[next][row] * solution[next]).sum();
        solution[row] = (solution[row] - below) / factor[row][row];
    }
    solution
}

fn trace_of_inverse(factor: &[Vec<f64>]) -> f64 {
    (0..factor.len())
        .map(|column| {
            let unit: Vec<f64> = (0..factor.len()).map(|row| f64::from(u8::from(row == column))).collect();
            substitute(factor, &unit)[column]
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use tare_samples::About;

    use super::super::points::{LogLaunch, Run};
    use super::*;

    /// Values that look random in 0 to 1, the same each time.
    fn value(index: usize) -> f64 {
        (index as f64 * 0.754_877_666_246_692_7).fract()
    }

    /// Runs of four launches whose time is mixed from three kernels, at a level for each segment, with `scatter` between runs.
    fn mixed(runs: usize, mix: [f64; 3], levels: [f64; 2], scatter: f64) -> (Vec<Run>, Vec<usize>) {
        let run = |run: usize| {
            let launch = |launch: usize| {
                let kernels: Vec<f64> = (0..3)
                    .map(|k| 4.0 + 0.4 * value(31 * run + 7 * k) + 0.05 * value(97 * run + 11 * launch + k))
                    .collect();
                let own = scatter * (value(1009 * run + 5) - 0.5);
                LogLaunch { time: 9.0 + levels[2 * run / runs] + dot(&mix, &kernels) + own, kernels }
            };
            Run { launches: (0..4).map(launch).collect(), about: About::Typical, commit: None }
        };
        ((0..runs).map(run).collect(), (0..runs).map(|run| 2 * run / runs).collect())
    }

    #[test]
    fn an_exact_mix_is_found_through_a_change_of_level() {
        let mix = [0.7, -0.1, 0.5];
        let (runs, segments) = mixed(20, mix, [0.0, 0.3], 0.0);
        let weights = Weights::of(&runs, &segments, 3);
        assert!(weights.fitted);
        for (found, expected) in weights.values.iter().zip(mix) {
            assert!((found - expected).abs() < 0.01, "{:?}", weights.values);
        }
        assert!(weights.parameters > 2.9 && weights.parameters < 3.0, "{}", weights.parameters);
        assert!(weights.residuals.iter().all(|residual| residual.abs() < 0.005), "{:?}", weights.residuals);
    }

    #[test]
    fn equal_weights_stay_where_they_are_right_or_the_runs_are_few() {
        let third = 1.0 / 3.0;
        let (runs, segments) = mixed(20, [third; 3], [0.0, 0.3], 0.0);
        let weights = Weights::of(&runs, &segments, 3);
        assert!(weights.values.iter().all(|weight| (weight - third).abs() < 1e-9), "{:?}", weights.values);
        let (runs, segments) = mixed(7, [0.7, -0.1, 0.5], [0.0, 0.0], 0.0);
        let few = Weights::of(&runs, &segments, 3);
        assert_eq!((few.fitted, few.values, few.parameters), (false, vec![third; 3], 0.0));
    }

    #[test]
    fn a_fit_is_never_worse_than_equal_weights_for_a_run_left_out() {
        for seed in 0..40 {
            let (mut runs, segments) = mixed(12, [0.3, 0.4, 0.3], [0.0, 0.0], 0.3);
            runs.rotate_left(seed % 12);
            runs[seed % 12].launches[0].time += 0.02 * seed as f64;
            let equal = residuals(&runs, &segments, |_| Some(vec![1.0 / 3.0; 3])).unwrap();
            let mean_absolute = |errors: &[f64]| errors.iter().map(|error| error.abs()).sum::<f64>();
            assert!(mean_absolute(&Weights::of(&runs, &segments, 3).residuals) <= mean_absolute(&equal));
        }
    }

    #[test]
    fn sums_without_a_run_are_those_of_the_others() {
        let (runs, segments) = mixed(10, [0.5, 0.2, 0.3], [0.0, 0.2], 0.05);
        let sums = Sums::new(&runs, &segments, 3);
        for out in 1..10 {
            let others: Vec<Run> = (0..10).filter(|run| *run != out).map(|run| runs[run].clone()).collect();
            let left: Vec<usize> = (0..10).filter(|run| *run != out).map(|run| segments[run]).collect();
            let expected = Sums::new(&others, &left, 3).all;
            let found = sums.without(out);
            for (found, expected) in found.0.iter().flatten().zip(expected.0.iter().flatten()) {
                assert!((found - expected).abs() < 1e-10, "{found} {expected}");
            }
        }
    }

    #[test]
    fn the_solution_solves_the_ridged_equations() {
        let (runs, segments) = mixed(10, [0.5, 0.2, 0.3], [0.0, 0.2], 0.05);
        let scatter = Sums::new(&runs, &segments, 3).all;
        let (weights, factor) = scatter.solve(0.3).unwrap();
        for row in 0..3 {
            // The gradient of the squared error plus the ridge is 0.
            let gradient = scatter.0[row][3] - dot(&scatter.0[row][..3], &weights) - 0.3 * (weights[row] - 1.0 / 3.0);
            assert!(gradient.abs() < 1e-12, "{gradient}");
        }
        let column = substitute(&factor, &[0.0, 1.0, 0.0]);
        let product: f64 = dot(&scatter.0[1][..3], &column) + 0.3 * column[1];
        assert!((product - 1.0).abs() < 1e-12);
        assert!(trace_of_inverse(&factor) > column[1]);
    }

    #[test]
    fn kernels_that_never_move_leave_equal_weights() {
        let launch = |time: f64| LogLaunch { time, kernels: vec![1.0, 2.0] };
        let runs: Vec<Run> = (0..12)
            .map(|run| Run {
                launches: vec![launch(value(run)), launch(value(run + 20))],
                about: About::Typical,
                commit: None,
            })
            .collect();
        let weights = Weights::of(&runs, &[0; 12], 2);
        assert_eq!((weights.fitted, weights.values), (false, vec![0.5, 0.5]));
    }
}
