//! What a program asks of all its benchmarks.

use crate::counter::{BytesCount, BytesFormat, CharsCount, CyclesCount, IntoCounter, ItemsCount};
use crate::options::Options;
use crate::worker;
use std::fmt;
use std::time::Duration;

/// Lets benchmarks be chosen and configured.
#[derive(Default)]
pub struct Divan {
    pub(crate) options: Options,
    pub(crate) ignored: Ignored,
    without: Vec<Filter>,
}

/// What becomes of benchmarks that their author ignores.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Ignored {
    #[default]
    LeftOut,
    Measured,
    Alone,
}

enum Filter {
    Pattern(String),
    Exact(String),
}

impl fmt::Debug for Divan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Divan").finish()
    }
}

impl Divan {
    pub fn from_args() -> Self {
        Self::default()
    }

    /// What runs, and how long, is said to `tare`.
    #[must_use]
    pub fn config_with_args(self) -> Self {
        self
    }

    /// Tare runs each before it is measured.
    pub fn test_benches(&self) {}

    /// `tare list` does.
    pub fn list_benches(&self) {}

    #[must_use]
    pub fn color(self, _: impl Into<Option<bool>>) -> Self {
        self
    }

    #[must_use]
    pub fn run_ignored(mut self) -> Self {
        self.ignored = Ignored::Measured;
        self
    }

    #[must_use]
    pub fn run_only_ignored(mut self) -> Self {
        self.ignored = Ignored::Alone;
        self
    }

    /// The crate `regex-lite` isn't needed for it: its expressions give their text.
    #[must_use]
    pub fn skip_regex(mut self, filter: impl ToString) -> Self {
        self.without.push(Filter::Pattern(filter.to_string()));
        self
    }

    #[must_use]
    pub fn skip_exact(mut self, filter: impl Into<String>) -> Self {
        self.without.push(Filter::Exact(filter.into()));
        self
    }

    pub fn sample_count(mut self, count: u32) -> Self {
        self.options.sample_count = Some(count);
        self
    }

    pub fn sample_size(mut self, count: u32) -> Self {
        self.options.sample_size = Some(count);
        self
    }

    pub fn threads<T: IntoIterator<Item = usize>>(mut self, threads: T) -> Self {
        self.options.threads = Some(threads.into_iter().collect());
        self
    }

    pub fn min_time(mut self, time: Duration) -> Self {
        self.options.min_time = Some(time);
        self
    }

    pub fn max_time(mut self, time: Duration) -> Self {
        self.options.max_time = Some(time);
        self
    }

    pub fn skip_ext_time(mut self, skip: bool) -> Self {
        self.options.skip_ext_time = Some(skip);
        self
    }

    pub fn counter<C: IntoCounter>(mut self, counter: C) -> Self {
        self.options.counters.put(counter);
        self
    }

    pub fn items_count<C: Into<ItemsCount>>(self, count: C) -> Self {
        self.counter(count.into())
    }

    pub fn bytes_count<C: Into<BytesCount>>(self, count: C) -> Self {
        self.counter(count.into())
    }

    pub fn chars_count<C: Into<CharsCount>>(self, count: C) -> Self {
        self.counter(count.into())
    }

    pub fn cycles_count<C: Into<CyclesCount>>(self, count: C) -> Self {
        self.counter(count.into())
    }

    pub fn bytes_format(self, _: BytesFormat) -> Self {
        self
    }

    /// Whether the program has the case of this name, which Divan would print.
    pub(crate) fn has(&self, path: &str) -> bool {
        !self.without.iter().any(|filter| match filter {
            Filter::Exact(exact) => path == exact,
            // What is no regular expression stands for itself.
            Filter::Pattern(pattern) => {
                worker::matches(pattern, path).unwrap_or_else(|| path.contains(pattern.as_str()))
            }
        })
    }
}
