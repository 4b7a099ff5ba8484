//! What is asked of a comparison, and when it is looked at.

use tare_samples::MINIMUM_LAUNCHES;

use super::Rule;

/// Launch pairs at which the first measurement is looked at: after each of those with which most comparisons are settled, then every few. Looks cost little
/// of the error, since neighbours see nearly the same pairs, and the next one lies no launches away that weren't needed.
#[rustfmt::skip]
pub(super) const LOOKS: [u32; 30] = [
    MINIMUM_LAUNCHES, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 26, 28, 31, 34, 37, 40,
    46, 52, 60, 68, 78, 88, 100, 114,
];
/// More launch pairs than this aren't made, unless the user gives more time than usual.
pub const MOST_PAIRS: u32 = LOOKS[21];
/// And never more than this.
pub const MOST_PAIRS_WITH_TIME: u32 = LOOKS[LOOKS.len() - 1];
/// Launch pairs at which the second measurement is looked at, as far as it goes ([`Question::second_looks`]); its p-values are
/// multiplied by their number (Bonferroni).
const SECOND_LOOKS: [u32; 10] = [3, 4, 7, 10, 14, 20, 30, 45, 68, 100];
/// The second measurement makes no more launch pairs than this, unless the first one may.
const MOST_SECOND_PAIRS: u32 = SECOND_LOOKS[6];

/// What is asked of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// What is asked of its intervals.
    pub rule: Rule,
    /// Slower by this fraction at most is what gates ask for: where that is known, and the verdict is `same`, no sharper verdict is waited for. `None` where
    /// no gate states a percentage.
    pub gate: Option<f64>,
    /// Launch pairs in all, where the user fixed them: they are looked at once, at the end.
    pub fixed_pairs: Option<u32>,
    /// Launch pairs at most, where they aren't fixed; [`MINIMUM_LAUNCHES`] to [`MOST_PAIRS_WITH_TIME`]. The error is spent over so many.
    pub most_pairs: u32,
    /// Both sides are the same code. A control is measured once: what it shows is the noise.
    pub control: bool,
    /// A standard deviation (of the log-ratio) that more pairs don't take away, since it was drawn once for all of them: how one build of the
    /// same code differs from the next. 0 where there is nothing such.
    pub between_builds: f64,
    /// By how much (a standard deviation of the log-ratio) such builds differ where the linker puts their code elsewhere, as far as is known of the
    /// language. It doesn't keep a difference from being called, which is real for these two builds; who reads it is told. 0 where there is nothing such.
    pub layout: f64,
    /// The machine code of both is the same, but begins elsewhere within a line of the cache: so many bytes behind its beginning in the base and in the
    /// candidate. A difference is then the place's, or that of data that was made otherwise; which of them, no launch can tell.
    pub moved: Option<(u8, u8)>,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            gate: None,
            fixed_pairs: None,
            most_pairs: MOST_PAIRS,
            control: false,
            between_builds: 0.0,
            layout: 0.0,
            moved: None,
        }
    }
}

impl Question {
    /// Pairs of the first measurement.
    pub(super) fn most(&self) -> u32 {
        self.fixed_pairs.unwrap_or(self.most_pairs).max(1)
    }

    /// Launch pairs at which a second measurement is looked at: up to about as many as the first one may make, thirty at least. With fewer, what
    /// the first could just see would hardly be seen again.
    pub(super) fn second_looks(&self) -> &'static [u32] {
        let most = self.most().max(MOST_SECOND_PAIRS);
        &SECOND_LOOKS[..SECOND_LOOKS.partition_point(|&look| look <= most)]
    }

    /// As a share of what both measurements may gather: a first one that spent all would leave nothing for the interval over
    /// both, and no difference could be called any more.
    pub(super) fn information(&self, pairs: u32) -> f64 {
        let second = self.second_looks().last().copied().unwrap_or(0);
        f64::from(pairs) / f64::from(self.most() + second)
    }
}
