//! After how many launches, or launch pairs, a measurement is looked at to see whether it may end. Each look is a
//! chance to be fooled, so what is claimed at one depends on which others there are.

use tare_samples::MINIMUM_LAUNCHES;

/// Launch pairs at which the first measurement of a comparison is looked at: after each of those with which most
/// comparisons are settled, then every few. Looks cost little of the error, since neighbours see nearly the same pairs,
/// and the next one lies no launches away that weren't needed.
#[rustfmt::skip]
pub(crate) const FIRST: [u32; 30] = [
    MINIMUM_LAUNCHES, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 26, 28, 31, 34, 37, 40,
    46, 52, 60, 68, 78, 88, 100, 114,
];
/// More launch pairs than this aren't made, unless the user gives more time than usual.
pub const MOST_PAIRS: u32 = FIRST[21];
/// And never more than this.
pub const MOST_PAIRS_WITH_TIME: u32 = FIRST[FIRST.len() - 1];
/// Launch pairs at which the second measurement is looked at, as far as it goes ([`second`]); its p-values are
/// multiplied by their number (Bonferroni).
const SECOND: [u32; 10] = [3, 4, 7, 10, 14, 20, 30, 45, 68, 100];
/// The second measurement makes no more launch pairs than this, unless the first one may.
const MOST_SECOND_PAIRS: u32 = SECOND[6];
/// Launches at which a measurement with `--precision` may end. They grow farther apart, so that stopping by peeking
/// costs little coverage.
const PRECISION: [u32; 6] = [9, 13, 19, 28, 42, 60];

/// Launch pairs at which a second measurement is looked at, where the first one may make `most`: up to about as many,
/// thirty at least. With fewer, what the first could just see would hardly be seen again.
pub(crate) fn second(most: u32) -> &'static [u32] {
    let most = most.max(MOST_SECOND_PAIRS);
    &SECOND[..SECOND.partition_point(|&look| look <= most)]
}

/// Whether a measurement with `--precision` is looked at after so many launches.
pub fn is_precision_look(launches: u32) -> bool {
    PRECISION.contains(&launches)
}

#[cfg(test)]
mod tests {
    use super::is_precision_look;

    /// The coverage of stopped measurements was counted with these: one more would cost some of it.
    #[test]
    fn a_precision_is_looked_at_six_times() {
        assert_eq!((0..=200).filter(|&made| is_precision_look(made)).collect::<Vec<u32>>(), [9, 13, 19, 28, 42, 60]);
    }
}
