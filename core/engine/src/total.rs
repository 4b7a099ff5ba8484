//! One budget for a suite of comparisons: what time there is goes where it decides something. Pure.
//!
//! Time goes to comparisons by how wide their intervals are and what their launches cost, never by where an interval lies. For normal errors the spread of a sample says nothing of its
//! mean, so wrong verdicts come no more often than they do with a fixed time for each. A comparison that would need much more time than there is left ends early; the others are measured
//! in the order of what they still need.

use tare_statistics::comparison::Widths;

/// Parts of the time that are left for the second measurement of what is flagged: while nothing is, and at most.
const SECOND_AT_LEAST: f64 = 0.04;
const SECOND_AT_MOST: f64 = 0.15;
/// The interval of identical code lies within a bound when it is this much narrower than that: its middle is off by a part of its width.
const ENOUGH: f64 = 0.7;

/// What is known of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Outlook {
    /// What it has taken, in nanoseconds.
    pub(crate) took_ns: f64,
    /// What the launches that are planned for it will take.
    pub(crate) left_ns: f64,
    /// What those of them will take that are made however little time there is.
    pub(crate) least_ns: f64,
    /// What it still needs to be decided, or to be known sharply; `None` where that isn't known yet, or nothing is needed.
    pub(crate) needs_ns: Option<f64>,
    /// What its second measurement will take, about as much as the first; 0 where it isn't flagged.
    pub(crate) second_ns: f64,
}

/// Launch pairs that are still needed to be decided, of which `made` have given intervals of these widths; or to be known sharply, where the bound of `same` decides already. At least one.
pub(crate) fn pairs_needed(made: u32, widths: Widths) -> f64 {
    let width = if widths.decided <= ENOUGH { widths.sharp } else { widths.decided };
    let all = f64::from(made) * (width / ENOUGH).powi(2);
    (all - f64::from(made)).max(1.0)
}

/// Nanoseconds of all lanes together that are left for first measurements. `total_ns` and `elapsed_ns` by the clock, since the first launch. What is kept for second
/// measurements goes by what is flagged so far: each flag is about the group that has it, and what its time is taken from are the others.
pub(crate) fn left_ns(total_ns: f64, elapsed_ns: f64, lanes: usize, outlooks: &[Option<Outlook>]) -> f64 {
    let flagged: f64 = outlooks.iter().flatten().map(|outlook| outlook.second_ns).sum();
    let second_ns = (SECOND_AT_LEAST * total_ns + flagged / lanes as f64).min(SECOND_AT_MOST * total_ns);
    (total_ns - second_ns - elapsed_ns).max(0.0) * lanes as f64
}

/// Which groups have to wait for the others, of which it isn't sure that all can be decided in `left_ns`. Those of which nothing is known yet don't.
pub(crate) fn postponed(outlooks: &[Option<Outlook>], left_ns: f64) -> Vec<bool> {
    let mut needs: Vec<(f64, usize)> =
        outlooks.iter().enumerate().filter_map(|(group, outlook)| Some(((*outlook)?.needs_ns?, group))).collect();
    needs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut postponed = vec![false; outlooks.len()];
    let mut promised = 0.0;
    for (position, (needed, group)) in needs.into_iter().enumerate() {
        promised += needed;
        // The nearest goes on in any case: what it needs is an estimate.
        postponed[group] = position > 0 && promised > left_ns;
    }
    postponed
}

#[cfg(test)]
mod tests {
    use super::{Outlook, Widths, left_ns, pairs_needed, postponed};

    #[test]
    fn an_interval_twice_as_wide_needs_four_times_the_pairs() {
        let needed = |decided: f64| pairs_needed(10, Widths { decided, sharp: 5.0 }) + 10.0;
        assert!((needed(2.8) / needed(1.4) - 4.0).abs() < 1e-9, "{} {}", needed(2.8), needed(1.4));
        assert_eq!(pairs_needed(10, Widths { decided: 0.1, sharp: 0.1 }), 1.0, "one more shows it");
        assert!(
            (pairs_needed(10, Widths { decided: 0.7, sharp: 1.4 }) - 30.0).abs() < 1e-9,
            "decided, and to be sharper"
        );
    }

    #[test]
    fn what_is_nearest_comes_first_and_a_part_is_left_for_second_measurements() {
        let needing = |needs_ns: f64| Some(Outlook { needs_ns: Some(needs_ns), ..Outlook::default() });
        let outlooks = [needing(30.0), None, needing(10.0), Some(Outlook::default()), needing(25.0)];
        assert_eq!(postponed(&outlooks, 40.0), [true, false, false, false, false]);
        assert_eq!(postponed(&outlooks, 5.0), [true, false, false, false, true]);
        assert_eq!(postponed(&outlooks, 65.0), [false; 5]);
        let flagged = |second_ns: f64| Some(Outlook { second_ns, ..Outlook::default() });
        assert_eq!(left_ns(100.0, 25.0, 2, &outlooks), 142.0);
        assert_eq!(left_ns(100.0, 25.0, 2, &[flagged(8.0), None, flagged(2.0)]), 132.0);
        assert_eq!(left_ns(100.0, 25.0, 2, &[flagged(800.0)]), 120.0, "most of the time is for first measurements");
        assert_eq!(left_ns(100.0, 99.0, 2, &outlooks), 0.0);
    }
}
