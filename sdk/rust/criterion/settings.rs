//! What benchmarks and programs can ask for. Most of it is decided by Tare: then it is accepted, and said once to have no effect.

use crate::worker;

/// How many inputs of a batch are made at once.
#[derive(Debug, Eq, PartialEq, Copy, Hash, Clone)]
pub enum BatchSize {
    SmallInput,
    LargeInput,
    PerIteration,
    NumBatches(u64),
    NumIterations(u64),
    #[doc(hidden)]
    __NonExhaustive,
}

impl BatchSize {
    /// Inputs of a batch, of a sample of so many calls: Criterion's numbers.
    pub(crate) fn calls_per_batch(self, calls: u64) -> u64 {
        let in_batches = |batches: u64| calls / batches + u64::from(calls % batches > 0);
        match self {
            BatchSize::SmallInput => in_batches(10),
            BatchSize::LargeInput => in_batches(1000),
            BatchSize::PerIteration => 1,
            BatchSize::NumBatches(0) | BatchSize::NumIterations(0) => panic!("Batch size must not be zero."),
            BatchSize::NumBatches(batches) => in_batches(batches),
            BatchSize::NumIterations(size) => size,
            BatchSize::__NonExhaustive => panic!("__NonExhaustive is no size."),
        }
    }
}

/// What one call processes. An author's `match` names all kinds that the project's version has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Throughput {
    #[cfg(not(any(tare_package = "0.3", tare_package = "0.4", tare_package = "0.5")))]
    Bits(u64),
    Bytes(u64),
    #[cfg(not(tare_package = "0.3"))]
    BytesDecimal(u64),
    Elements(u64),
    #[cfg(not(any(
        tare_package = "0.3",
        tare_package = "0.4",
        tare_package = "0.5",
        tare_package = "0.6",
        tare_package = "0.7"
    )))]
    ElementsAndBytes { elements: u64, bytes: u64 },
}

impl Throughput {
    pub(crate) fn tell(&self, definition: &mut worker::Definition) {
        match *self {
            Throughput::Bytes(bytes) => definition.bytes = Some(bytes),
            #[cfg(not(tare_package = "0.3"))]
            Throughput::BytesDecimal(bytes) => definition.bytes = Some(bytes),
            Throughput::Elements(items) => definition.items = Some(items),
            #[cfg(not(any(
                tare_package = "0.3",
                tare_package = "0.4",
                tare_package = "0.5",
                tare_package = "0.6",
                tare_package = "0.7"
            )))]
            Throughput::ElementsAndBytes { elements, bytes } => {
                definition.items = Some(elements);
                definition.bytes = Some(bytes);
            }
            #[cfg(not(any(tare_package = "0.3", tare_package = "0.4", tare_package = "0.5")))]
            Throughput::Bits(bits) if bits % 8 == 0 => definition.bytes = Some(bits / 8),
            #[cfg(not(any(tare_package = "0.3", tare_package = "0.4", tare_package = "0.5")))]
            Throughput::Bits(bits) => definition.metrics.push(("bits".to_owned(), bits as f64)),
        }
    }
}

/// Accepted; Tare's pictures have scales of their own.
#[derive(Debug, Default, Clone, Copy)]
pub enum AxisScale {
    #[default]
    Linear,
    Logarithmic,
}

/// Accepted; Tare draws no plots of Criterion's kind.
#[derive(Debug, Clone, Default)]
pub struct PlotConfiguration {
    scale: AxisScale,
}

impl PlotConfiguration {
    pub fn summary_scale(mut self, new_scale: AxisScale) -> PlotConfiguration {
        self.scale = new_scale;
        self
    }
}

/// Accepted; the pilot finds how samples are made.
#[derive(Debug, Clone, Copy)]
pub enum SamplingMode {
    Auto,
    Linear,
    Flat,
}

#[derive(Debug, Clone, Copy)]
pub enum Baseline {
    CompareLenient,
    CompareStrict,
    Save,
    Discard,
}

#[derive(Debug, Clone, Copy)]
pub enum PlottingBackend {
    Gnuplot,
    Plotters,
    None,
}

/// Which benchmarks the program has.
#[derive(Clone, Debug)]
pub enum BenchmarkFilter {
    AcceptAll,
    /// A regular expression, as text: the one of the crate `regex` isn't needed for it.
    Regex(Pattern),
    Exact(String),
    RejectAll,
}

/// A regular expression by its text.
#[derive(Clone, Debug)]
pub struct Pattern(String);

impl<T: std::fmt::Display> From<T> for Pattern {
    fn from(pattern: T) -> Self {
        Pattern(pattern.to_string())
    }
}

impl BenchmarkFilter {
    pub(crate) fn pattern(text: String) -> Self {
        BenchmarkFilter::Regex(Pattern(text))
    }

    pub(crate) fn accepts(&self, name: &str) -> bool {
        match self {
            BenchmarkFilter::AcceptAll => true,
            BenchmarkFilter::Exact(exact) => name == exact,
            BenchmarkFilter::RejectAll => false,
            BenchmarkFilter::Regex(Pattern(pattern)) => {
                // Those that are no regular expression stand for themselves.
                worker::matches(pattern, name).unwrap_or_else(|| name.contains(pattern.as_str()))
            }
        }
    }
}

/// Says of an option that it has no effect; once in a program for each.
pub(crate) fn ignored(option: &str, why: &str) {
    worker::begin();
    worker::tell("info", "ignored", format!("{option} has no effect: {why}."), "");
}

/// Methods that are accepted and have no effect, for any receiver; the checks are Criterion's own.
macro_rules! without_effect {
    ($this:ty, $result:ty) => {
        #[track_caller]
        pub fn sample_size(self: $this, n: usize) -> $result {
            assert!(n >= 10);
            crate::settings::ignored("sample_size", "the number of samples follows from how they scatter");
            self
        }

        #[track_caller]
        pub fn warm_up_time(self: $this, dur: std::time::Duration) -> $result {
            assert!(dur.as_nanos() > 0);
            crate::settings::ignored("warm_up_time", "the pilot finds the warm-in");
            self
        }

        #[track_caller]
        pub fn measurement_time(self: $this, dur: std::time::Duration) -> $result {
            assert!(dur.as_nanos() > 0);
            crate::settings::ignored(
                "measurement_time",
                "the budget decides how long is measured (--budget, --precision)",
            );
            self
        }

        #[track_caller]
        pub fn nresamples(self: $this, n: usize) -> $result {
            assert!(n > 0);
            crate::settings::ignored("nresamples", "intervals come from how launches differ, not from resampling");
            self
        }

        #[track_caller]
        pub fn noise_threshold(self: $this, threshold: f64) -> $result {
            assert!(threshold >= 0.0);
            crate::settings::ignored("noise_threshold", "the difference that doesn't matter is --margin");
            self
        }

        #[track_caller]
        pub fn confidence_level(self: $this, cl: f64) -> $result {
            assert!(cl > 0.0 && cl < 1.0);
            crate::settings::ignored("confidence_level", "intervals hold 95 %, verdicts 99 %");
            self
        }

        #[track_caller]
        pub fn significance_level(self: $this, sl: f64) -> $result {
            assert!(sl > 0.0 && sl < 1.0);
            crate::settings::ignored("significance_level", "all comparisons of a suite together are wrong in 1 %");
            self
        }
    };
}
pub(crate) use without_effect;
