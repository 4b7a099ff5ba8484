//! Expected costs side by side: the ratio of the means of launch pairs.
//!
//! The mean holds what a subject does now and then by itself (collections, page faults, rehashing, each hundredth call), which every
//! robust location throws out with the machine's noise. What other processes took of the core is off before ([`own_turns`]); what is left of the
//! machine's noise hits both sides of a pair alike, since their turns come in random order, and makes the interval wider, not wrong
//! (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, take means for this reason).

use tare_samples::{Launch, Subject};

use crate::autocorrelation;
use crate::own_time::{mean_per_call, own_turns};
use crate::settling::{Settling, settle};

use super::location::{Location, Neighbours};
use super::{PairRatio, clusters};

/// The tared mean times per call of the two sides of a launch pair, in nanoseconds, above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairMeans {
    /// Of the base.
    pub base: f64,
    /// Of the candidate.
    pub candidate: f64,
}

/// The mean time of a call raw, in samples of `size` calls from round `from` on, less what the null's samples leave for later; nanoseconds.
pub(super) fn raw_mean(launch: &Launch, size: u64, from: u32) -> Option<f64> {
    let case = own_turns(launch, &Subject::Case, size);
    let null = own_turns(launch, &Subject::Null, size);
    let (between, samples) =
        null.iter().fold((0.0, 0usize), |(between, samples), turn| (between + turn.between, samples + turn.samples));
    let of_null = if samples > 0 { between / samples as f64 / size.max(1) as f64 } else { 0.0 };
    Some(mean_per_call(case.iter().filter(|turn| turn.round >= from))? - of_null)
}

/// The first round of a launch's steady part, by the times that stand for its rounds, in order: 0 but where the launch begins slower than
/// it goes on. What is left out of one side has to be left out of the other.
pub(super) fn steady_from(rounds: &[(u32, f64)]) -> u32 {
    let times: Vec<f64> = rounds.iter().map(|&(_, time)| time).collect();
    match settle(&times) {
        Some(Settling::WarmsUp { from }) => rounds.get(from).map_or(0, |&(round, _)| round),
        _ => 0,
    }
}

/// The ratio of the means over launch pairs, Σ candidates / Σ bases, as a natural logarithm.
///
/// Each pair adds uᵢ = cᵢ/c̄ − bᵢ/b̄ (the ratio estimator's linearisation: Cochran, "Sampling Techniques", 3rd ed., 1977, §6.3): ln R + uᵢ is what
/// it says, the mean of these is ln R, and the root of their variance over n its standard error, inflated where neighbouring pairs go together
/// ([`Neighbours`]). Student's t with n − 1 degrees of freedom. Nothing bounds a pair's influence: launches are a level of
/// chance, and a launch that is slow is part of what a call costs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MeanRatio {
    pub(super) location: Location,
    /// What each pair says.
    pub(super) influences: Vec<f64>,
}

impl MeanRatio {
    /// `None` for fewer than two pairs, or where one has no means.
    pub(super) fn of(pairs: &[PairRatio]) -> Option<Self> {
        let means: Vec<PairMeans> = pairs.iter().map(|pair| pair.means).collect::<Option<_>>()?;
        if means.len() < 2 {
            return None;
        }
        let n = means.len() as f64;
        let (base, candidate) = means
            .iter()
            .fold((0.0, 0.0), |(base, candidate), pair| (base + pair.base / n, candidate + pair.candidate / n));
        let log_ratio = (candidate / base).ln();
        let influences: Vec<f64> =
            means.iter().map(|pair| log_ratio + pair.candidate / candidate - pair.base / base).collect();
        let neighbours = Neighbours::of(means.len(), autocorrelation::lag_one(&influences).unwrap_or(0.0));
        let (standard_error, draws) = clusters::standard_error(&influences, pairs)?;
        let standard_error = standard_error * neighbours.shown;
        let possible_inflation = neighbours.possible / neighbours.shown;
        let location = Location { mean: log_ratio, standard_error, freedom: draws as f64 - 1.0, possible_inflation };
        (log_ratio.is_finite() && standard_error.is_finite()).then_some(Self { location, influences })
    }
}

#[cfg(test)]
mod tests {
    use super::{MeanRatio, PairMeans, steady_from};
    use crate::comparison::PairRatio;

    fn pairs(means: &[(f64, f64)]) -> Vec<PairRatio> {
        let pair = |&(base, candidate): &(f64, f64)| {
            let mut pair = PairRatio::of_rounds(vec![0.0], 0.0).unwrap();
            pair.means = Some(PairMeans { base, candidate });
            pair
        };
        means.iter().map(pair).collect()
    }

    /// By hand: Σc/Σb = 33/30; u = (10/11 − 1, 13/11 − 1, 10/11 − 1)·1 with b̄ = 10.
    #[test]
    fn the_ratio_is_that_of_the_sums() {
        let found = MeanRatio::of(&pairs(&[(10.0, 10.0), (10.0, 13.0), (10.0, 10.0)])).unwrap();
        assert!((found.location.mean - 1.1f64.ln()).abs() < 1e-12, "{found:?}");
        let u = [-1.0 / 11.0, 2.0 / 11.0, -1.0 / 11.0f64];
        let error = (u.iter().map(|u| u * u).sum::<f64>() / 2.0 / 3.0).sqrt();
        assert!((found.location.standard_error - error).abs() < 1e-12, "{found:?}");
        assert_eq!(found.location.freedom, 2.0);
    }

    #[test]
    fn a_machine_that_is_slower_for_both_leaves_no_error() {
        let found = MeanRatio::of(&pairs(&[(10.0, 11.0), (20.0, 22.0), (15.0, 16.5)])).unwrap();
        assert!(
            (found.location.mean - 1.1f64.ln()).abs() < 1e-12 && found.location.standard_error < 1e-12,
            "{found:?}"
        );
    }

    #[test]
    fn one_pair_without_means_leaves_none() {
        let mut some = pairs(&[(1.0, 1.0), (1.0, 2.0)]);
        assert!(MeanRatio::of(&some).is_some());
        some[1].means = None;
        assert!(MeanRatio::of(&some).is_none());
    }

    #[test]
    fn pairs_that_go_together_are_known_less_well() {
        let wave = |pair: usize| if pair % 16 < 8 { 11.0 } else { 10.0 };
        let slow: Vec<(f64, f64)> = (0..32).map(|pair| (10.0, wave(pair))).collect();
        let fast: Vec<(f64, f64)> = (0..32).map(|pair| (10.0, wave(pair * 7 % 16 + 16 * (pair % 2)))).collect();
        let [slow, fast] = [slow, fast].map(|means| MeanRatio::of(&pairs(&means)).unwrap().location.standard_error);
        assert!(slow > 2.0 * fast, "{slow} {fast}");
    }

    #[test]
    fn a_slow_start_ends_where_rounds_are_steady() {
        let rounds: Vec<(u32, f64)> =
            (0..40).map(|round| (round, if round < 10 { 13.0 } else { 10.0 } + 0.01 * f64::from(round % 3))).collect();
        assert_eq!(steady_from(&rounds), 10);
        assert_eq!(steady_from(&rounds[10..]), 0);
    }
}
