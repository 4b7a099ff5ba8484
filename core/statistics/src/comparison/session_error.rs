//! The error of a session: one family-wise error for all comparisons of a piece of work, however many these become.
//!
//! Alpha spending: the comparison of number n may call a difference in vain with a probability of α g(n), where the
//! g(n) sum to 1. The probability that a whole session calls any in vain is then α at most, by Bonferroni's inequality,
//! however the comparisons depend on each other and whenever the session ends (Foster & Stine, "α-investing: a
//! procedure for sequential control of expected false discoveries", JRSS B 70(2), 2008; Tian & Ramdas, "Online control
//! of the familywise error rate", Statistical Methods in Medical Research 30(4), 2021).
//!
//! Which change is compared next may depend on all verdicts before it: launches are fresh in each comparison, so its
//! p-values are p-values whatever led to it. The series is g(n) = h / ((n + h − 1) (n + h)), whose first n terms sum to
//! n / (n + h): half of the error is spent by the first h comparisons, and the levels of the first h lie within a
//! factor of four.

use super::FAMILY_WISE_ERROR;

/// After so many comparisons half of a session's error is spent: h.
pub const HALF_SPENT_AFTER: u64 = 100;

/// The family-wise error that the comparison of this number, from 1, may spend: a probability. All of them together
/// have [`FAMILY_WISE_ERROR`]. A number of 0 is taken for 1.
pub fn session_level(number: u64) -> f64 {
    let (half, number) = (HALF_SPENT_AFTER as f64, number.max(1) as f64);
    FAMILY_WISE_ERROR * half / (number + half - 1.0) / (number + half)
}

/// The share of a session's error that is left after so many comparisons: from 1 to 0.
pub fn session_left(comparisons: u64) -> f64 {
    let half = HALF_SPENT_AFTER as f64;
    half / (comparisons as f64 + half)
}

#[cfg(test)]
mod tests {
    use super::{FAMILY_WISE_ERROR, HALF_SPENT_AFTER, session_left, session_level};

    #[test]
    fn what_is_spent_and_what_is_left_is_all_of_it() {
        let mut spent = 0.0;
        for number in 1..=100_000 {
            spent += session_level(number);
            let left = FAMILY_WISE_ERROR * session_left(number);
            assert!((spent + left - FAMILY_WISE_ERROR).abs() < 1e-12, "{number}: {spent} {left}");
        }
        assert!(spent < FAMILY_WISE_ERROR);
        assert_eq!((session_left(0), session_left(HALF_SPENT_AFTER)), (1.0, 0.5));
    }

    #[test]
    fn levels_fall_slowly_and_are_never_0() {
        assert!((1..1_000).all(|number| session_level(number + 1) < session_level(number)));
        assert!(session_level(1) < 4.0 * session_level(HALF_SPENT_AFTER));
        assert!(session_level(u64::MAX) > 0.0);
        assert_eq!(session_level(0), session_level(1), "there is no comparison before the first");
    }
}
