//! What is asked of a comparison, and when it is looked at.

use super::{FAMILY_WISE_ERROR, Rule};
use crate::looks::{self, MOST_PAIRS};

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
    /// Launch pairs at most, where they aren't fixed; [`MINIMUM_LAUNCHES`](tare_samples::MINIMUM_LAUNCHES) to
    /// [`looks::MOST_PAIRS_WITH_TIME`]. The error is spent over so many.
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
    /// The family-wise error of the suite: the probability that `slower` or `faster` is called in vain of any of its cases. Less than
    /// [`FAMILY_WISE_ERROR`] where a session shares that among its comparisons ([`session_level`](super::session_level)).
    pub error: f64,
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
            error: FAMILY_WISE_ERROR,
        }
    }
}

impl Question {
    /// Pairs of the first measurement.
    pub(super) fn most(&self) -> u32 {
        self.fixed_pairs.unwrap_or(self.most_pairs).max(1)
    }

    /// Whether the first measurement is looked at after so many launch pairs.
    pub(super) fn is_look(&self, pairs: u32) -> bool {
        match self.fixed_pairs {
            Some(fixed) => pairs == fixed,
            None => pairs == self.most() || looks::FIRST.contains(&pairs),
        }
    }

    /// The launch pairs at which the first measurement is looked at next.
    pub(super) fn next_look(&self, made: u32) -> Option<u32> {
        match self.fixed_pairs {
            Some(fixed) => Some(fixed).filter(|&fixed| fixed > made),
            None => looks::FIRST.iter().map(|&look| look.min(self.most())).find(|&look| look > made),
        }
    }

    /// The launch pairs at which it was looked at before these.
    pub(super) fn looks_before(&self, pairs: u32) -> impl Iterator<Item = u32> {
        let all: &[u32] = if self.fixed_pairs.is_some() { &[] } else { &looks::FIRST };
        all.iter().copied().filter(move |&look| look < pairs)
    }

    /// Launch pairs at which a second measurement is looked at.
    pub(super) fn second_looks(&self) -> &'static [u32] {
        looks::second(self.most())
    }

    /// As a share of what both measurements may gather: a first one that spent all would leave nothing for the interval over
    /// both, and no difference could be called any more.
    pub(super) fn information(&self, pairs: u32) -> f64 {
        let second = self.second_looks().last().copied().unwrap_or(0);
        f64::from(pairs) / f64::from(self.most() + second)
    }
}
