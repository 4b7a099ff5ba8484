//! What attributes and programs ask for.

use crate::counter::Counters;
use crate::worker;
use std::borrow::Borrow;
use std::time::Duration;

/// The options of a benchmark, of a group, or of the whole program; `None` where one isn't set.
#[derive(Clone, Default)]
pub struct Options {
    pub sample_count: Option<u32>,
    pub sample_size: Option<u32>,
    pub threads: Option<Vec<usize>>,
    pub counters: Counters,
    pub min_time: Option<Duration>,
    pub max_time: Option<Duration>,
    pub skip_ext_time: Option<bool>,
    pub ignore: Option<bool>,
}

impl Options {
    /// These, and those of what is around them where these say nothing.
    pub(crate) fn within(self, outer: &Options) -> Options {
        Options {
            sample_count: self.sample_count.or(outer.sample_count),
            sample_size: self.sample_size.or(outer.sample_size),
            threads: self.threads.or_else(|| outer.threads.clone()),
            counters: self.counters.within(outer.counters),
            min_time: self.min_time.or(outer.min_time),
            max_time: self.max_time.or(outer.max_time),
            skip_ext_time: self.skip_ext_time.or(outer.skip_ext_time),
            ignore: self.ignore.or(outer.ignore),
        }
    }

    /// In how many threads the benchmark runs: each number once, the smallest first.
    pub(crate) fn thread_counts(&self) -> Vec<usize> {
        let named = self.threads.iter().flatten();
        let mut counts: Vec<usize> = named.map(|count| if *count == 0 { worker::cpus() } else { *count }).collect();
        if counts.is_empty() {
            counts.push(1);
        }
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// Whether Divan wouldn't run it.
    pub(crate) fn asks_for_nothing(&self) -> bool {
        self.sample_count == Some(0) || self.sample_size == Some(0) || self.max_time == Some(Duration::ZERO)
    }

    /// Says which of them have no effect; each once in a program.
    pub(crate) fn tell_ignored(&self) {
        let budget = "the budget decides how long is measured (--budget, --precision)";
        for (name, is_set, why) in [
            ("sample_count", self.sample_count.is_some(), "the number of samples follows from how they scatter"),
            ("min_time", self.min_time.is_some(), budget),
            ("max_time", self.max_time.is_some(), budget),
            ("skip_ext_time", self.skip_ext_time.is_some(), "set-ups and drops don't count for the budget"),
        ] {
            if is_set {
                worker::tell("info", "ignored", format!("{name} has no effect: {why}."), "");
            }
        }
    }
}

/// Numbers of threads as one number, as a truth (all CPUs, or one), or as several. `KIND` lets numbers and iterators both be taken.
pub trait IntoThreads<const KIND: u32> {
    fn into_threads(self) -> Vec<usize>;
}

impl IntoThreads<0> for usize {
    fn into_threads(self) -> Vec<usize> {
        vec![self]
    }
}

impl IntoThreads<0> for bool {
    fn into_threads(self) -> Vec<usize> {
        vec![usize::from(!self)]
    }
}

impl<I: IntoIterator> IntoThreads<1> for I
where
    I::Item: Borrow<usize>,
{
    fn into_threads(self) -> Vec<usize> {
        self.into_iter().map(|count| *count.borrow()).collect()
    }
}

/// A duration, or seconds.
pub trait IntoDuration {
    fn into_duration(self) -> Duration;
}

impl IntoDuration for Duration {
    fn into_duration(self) -> Duration {
        self
    }
}

impl IntoDuration for u64 {
    fn into_duration(self) -> Duration {
        Duration::from_secs(self)
    }
}

impl IntoDuration for f64 {
    fn into_duration(self) -> Duration {
        Duration::from_secs_f64(self)
    }
}
