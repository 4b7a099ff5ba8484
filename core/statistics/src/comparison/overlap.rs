//! What nobody knows of how loop and call overlap with the subject, and what of it a ratio leaves open.
//!
//! On an out-of-order CPU a part of loop and call hides behind the subject; which share of it adds to the subject's time isn't known. Half is taken
//! off. Sides of different code may have any two shares. Near-identical code on the same compiler has nearly the same share, whatever that is: the
//! same instructions stand around the same call. What it leaves open of the ratio then goes with the effect, and vanishes with it.

use crate::quantile::select_median;

use super::PairRatio;

/// Shares of near-identical code differ by this much, at most, where its times are the same: a quarter of a per cent of loop and call, half of
/// which are taken off. An assumption (decision 24), as is the next.
const LEAST_APART: f64 = 0.0025;
/// And by so much more for each unit of the logarithm of the ratio of the raw times: code that has changed by a tenth may hide a tenth more or less of
/// loop and call. From a factor of e on everything is open.
const APART_BY_EFFECT: f64 = 1.0;
/// Loop and call of near-identical code cost the same, within this: else they weren't compiled alike.
const ALIKE_CALLS: f64 = 0.1;

/// What is open of a log-ratio, the same way in every launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    /// Either way.
    separate: f64,
    /// Half of loop and call over the base's time, where both sides have nearly the same share of them; 0 where there is nothing such.
    common: f64,
}

impl Overlap {
    pub(super) fn of(pairs: &[PairRatio]) -> Self {
        let median = |value: fn(&PairRatio) -> f64| {
            select_median(&mut pairs.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        // Of one launch a loop is known badly, of all of them well.
        if are_alike([median(|pair| pair.calls[0]), median(|pair| pair.calls[1])]) {
            Self { separate: median(|pair| pair.correction), common: median(|pair| pair.common) }
        } else {
            Self { separate: median(|pair| pair.correction + pair.unlike), common: 0.0 }
        }
    }

    /// The least log-ratio that `log_ratio` leaves possible; −∞ where the candidate may take no time at all.
    pub(super) fn lower(&self, log_ratio: f64) -> f64 {
        self.ends(log_ratio).fold(log_ratio, f64::min) - self.always()
    }

    /// The greatest.
    pub(super) fn upper(&self, log_ratio: f64) -> f64 {
        self.ends(log_ratio).fold(log_ratio, f64::max) + self.always()
    }

    /// How much of a difference is sure, seen towards `sign` (1: slower); 0 or less where none is.
    pub(super) fn sure(&self, log_ratio: f64, sign: f64) -> f64 {
        if sign < 0.0 { -self.upper(log_ratio) } else { self.lower(log_ratio) }
    }

    /// The least log-ratio above 0 of which `wanted` is sure; ∞ where there is none.
    pub(super) fn needed(&self, wanted: f64) -> f64 {
        let (mut low, mut high) = (wanted, wanted + self.always());
        while self.lower(high) < wanted {
            (low, high) = (high, 2.0 * high + LEAST_APART);
            if high > 100.0 {
                return f64::INFINITY;
            }
        }
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if self.lower(middle) < wanted { low = middle } else { high = middle }
        }
        high
    }

    /// What is open however small the effect is.
    fn always(&self) -> f64 {
        self.separate + LEAST_APART * 2.0 * self.common
    }

    /// Log-ratios at the ends of what is possible: both hide all or nothing, or one of them hides so much less than the other.
    fn ends(&self, log_ratio: f64) -> impl Iterator<Item = f64> {
        let (ratio, half) = (log_ratio.exp(), self.common);
        let raw = ((ratio + half) / (1.0 + half)).ln();
        let share = (APART_BY_EFFECT * raw.abs()).min(1.0);
        let (near, far) = (share, 1.0 - share);
        let shares = [(0.0, 0.0), (0.0, near), (near, 0.0), (1.0, 1.0), (1.0, far), (far, 1.0)];
        let possible = shares.into_iter().filter(move |_| half > 0.0);
        possible.map(move |(of_base, of_candidate)| {
            let tared = |time: f64, share: f64| (time + (1.0 - 2.0 * share) * half).max(0.0);
            (tared(ratio, of_candidate) / tared(1.0, of_base)).ln()
        })
    }
}

/// Whether loops and calls of so many nanoseconds on either side can have been compiled alike.
fn are_alike(calls_ns: [f64; 2]) -> bool {
    let (low, high) = (calls_ns[0].min(calls_ns[1]), calls_ns[0].max(calls_ns[1]));
    high - low <= ALIKE_CALLS * high
}

/// What [`PairRatio::common`] says for loops and calls of so many nanoseconds on either side and a base of `time_ns`.
pub(super) fn common(calls_ns: [f64; 2], time_ns: f64) -> f64 {
    f64::midpoint(calls_ns[0], calls_ns[1]).max(0.0) / 2.0 / time_ns
}

#[cfg(test)]
mod tests {
    use super::{LEAST_APART, Overlap, PairRatio, common};

    #[test]
    fn what_is_open_goes_with_the_effect() {
        let overlap = Overlap { separate: 0.0, common: 0.3 };
        // Nothing is seen: only what shares of the same code may differ by, of 0.6.
        assert!((overlap.upper(0.0) - LEAST_APART * 0.6).abs() < 1e-12, "{}", overlap.upper(0.0));
        assert!((overlap.lower(0.0) + LEAST_APART * 0.6).abs() < 1e-12);
        // A tenth more: both ends lie above 0, and that of nothing hidden is (0.4 / 0.3 → 1.1 − 0.3 over 1 − 0.3).
        let (low, high) = (overlap.lower(1.1f64.ln()).exp(), overlap.upper(1.1f64.ln()).exp());
        assert!(low > 1.02 && low < 1.4 / 1.3 && high > 0.8 / 0.7, "{low} {high}");
        // Swapped sides: the same ends, the other way round, from the candidate's point of view.
        assert!(overlap.upper(-0.1) < 0.0 && overlap.lower(-0.1) < -0.1);
        // Of twice the time hardly anything is sure; at e times all is open, as for different code.
        let half = Overlap { separate: 0.0, common: 0.6 };
        assert!(half.lower(1.0) < 1.0 - 0.3, "{}", half.lower(1.0));
    }

    #[test]
    fn a_side_that_may_take_no_time_has_no_lower_end() {
        let overlap = Overlap { separate: 0.0, common: 0.9 };
        assert_eq!(overlap.lower(0.5f64.ln()), f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_needed_is_sure() {
        for overlap in [Overlap { separate: 0.02, common: 0.0 }, Overlap { separate: 0.0, common: 0.4 }] {
            let needed = overlap.needed(0.01);
            assert!((overlap.lower(needed) - 0.01).abs() < 1e-9, "{overlap:?}: {needed}");
            assert!((overlap.sure(needed, 1.0) - 0.01).abs() < 1e-9);
        }
    }

    #[test]
    fn loops_of_which_most_pairs_say_that_they_differ_are_no_near_identical_code() {
        let pairs = |calls: [[f64; 2]; 3]| {
            let of = |calls| {
                let mut pair = PairRatio::of_rounds(vec![0.0], 0.01).unwrap();
                (pair.calls, pair.common, pair.unlike) = (calls, 0.3, 0.5);
                pair
            };
            Overlap::of(&calls.map(of))
        };
        let alike = Overlap { separate: 0.01, common: 0.3 };
        assert_eq!(pairs([[1.0, 1.0]; 3]), alike);
        // Each pair is off by more than a tenth, and not in one direction.
        assert_eq!(pairs([[1.0, 1.3], [1.2, 1.0], [1.1, 1.1]]), alike);
        assert_eq!(pairs([[1.0, 1.2]; 3]), Overlap { separate: 0.51, common: 0.0 });
        assert!((common([1.2, 1.2], 2.0) - 0.3).abs() < 1e-12);
    }
}
