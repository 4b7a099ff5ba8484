//! The manager of benchmarks.

use crate::bencher::Bencher;
use crate::group::BenchmarkGroup;
use crate::id::BenchmarkId;
use crate::measurement::{Measurement, WallTime};
use crate::profiler::Profiler;
use crate::settings::{ignored, without_effect, BenchmarkFilter, PlottingBackend};
use crate::worker;
use std::path::Path;
use std::time::Duration;

/// Lets benchmarks be configured and defined.
pub struct Criterion<M: Measurement = WallTime> {
    filter: BenchmarkFilter,
    #[allow(dead_code)]
    measurement: M,
    /// Where the code of the function begins that defines the benchmarks; 0 where it isn't known.
    target: usize,
}

impl Default for Criterion {
    fn default() -> Criterion {
        worker::begin();
        Criterion { filter: BenchmarkFilter::AcceptAll, measurement: WallTime, target: 0 }
    }
}

/// Goes through the benchmarks of a function of `criterion_group!`.
#[doc(hidden)]
pub fn in_target<M: Measurement, F: Fn(&mut Criterion<M>)>(criterion: &mut Criterion<M>, target: F) {
    // A function that the macro names has no data: all of its code is reached from this instance.
    let call: fn(&F, &mut Criterion<M>) = call_target::<M, F>;
    criterion.target = call as usize;
    worker::part(|| call(&target, criterion));
    criterion.target = 0;
}

#[inline(never)]
fn call_target<M: Measurement, F: Fn(&mut Criterion<M>)>(target: &F, criterion: &mut Criterion<M>) {
    target(criterion);
}

impl<M: Measurement> Criterion<M> {
    without_effect!(Self, Criterion<M>);

    /// Benchmarks with a measurement other than the time are left out.
    pub fn with_measurement<M2: Measurement>(self, m: M2) -> Criterion<M2> {
        Criterion { filter: self.filter, measurement: m, target: self.target }
    }

    pub fn with_profiler<P: Profiler + 'static>(self, _: P) -> Criterion<M> {
        ignored("with_profiler", "`tare profile` profiles a benchmark");
        self
    }

    pub fn plotting_backend(self, _: PlottingBackend) -> Criterion<M> {
        self
    }

    pub fn with_plots(self) -> Criterion<M> {
        self
    }

    pub fn without_plots(self) -> Criterion<M> {
        self
    }

    #[doc(hidden)]
    pub fn can_plot(&self) -> bool {
        false
    }

    pub fn save_baseline(self, _: String) -> Criterion<M> {
        ignored("save_baseline", "runs are stored by themselves, and `tare run --tag` names them");
        self
    }

    /// 0.3 has no strictness.
    #[cfg(tare_package = "0.3")]
    pub fn retain_baseline(self, baseline: String) -> Criterion<M> {
        self.retained(baseline)
    }

    #[cfg(not(tare_package = "0.3"))]
    pub fn retain_baseline(self, baseline: String, _strict: bool) -> Criterion<M> {
        self.retained(baseline)
    }

    fn retained(self, _: String) -> Criterion<M> {
        ignored("retain_baseline", "`tare compare` names what is compared");
        self
    }

    /// Only benchmarks whose whole name this matches.
    pub fn with_filter<S: Into<String>>(mut self, filter: S) -> Criterion<M> {
        self.filter = BenchmarkFilter::pattern(filter.into());
        self
    }

    pub fn with_benchmark_filter(mut self, filter: BenchmarkFilter) -> Criterion<M> {
        self.filter = filter;
        self
    }

    pub fn with_output_color(self, _: bool) -> Criterion<M> {
        self
    }

    #[doc(hidden)]
    pub fn output_directory(self, _: &Path) -> Criterion<M> {
        ignored("output_directory", "results are kept in Tare's store");
        self
    }

    #[doc(hidden)]
    pub fn profile_time(self, _: Option<Duration>) -> Criterion<M> {
        self
    }

    #[doc(hidden)]
    pub fn final_summary(&self) {}

    /// What runs, and how long, is said to `tare`.
    pub fn configure_from_args(self) -> Criterion<M> {
        self
    }

    #[track_caller]
    pub fn benchmark_group<S: Into<String>>(&mut self, group_name: S) -> BenchmarkGroup<'_, M> {
        let name = group_name.into();
        assert!(!name.is_empty(), "Group name must not be empty.");
        BenchmarkGroup::new(self, name)
    }

    pub(crate) fn accepts(&self, name: &str) -> bool {
        self.filter.accepts(name)
    }

    pub(crate) fn target(&self) -> usize {
        self.target
    }
}

impl<M: Measurement + 'static> Criterion<M> {
    #[track_caller]
    pub fn bench_function<F>(&mut self, id: &str, f: F) -> &mut Criterion<M>
    where
        F: FnMut(&mut Bencher<'_, M>),
    {
        self.benchmark_group(id).bench_function(BenchmarkId::of_the_group(), f);
        self
    }

    #[track_caller]
    pub fn bench_with_input<F, I>(&mut self, id: BenchmarkId, input: &I, f: F) -> &mut Criterion<M>
    where
        F: FnMut(&mut Bencher<'_, M>, &I),
    {
        let group = id.function.expect(
            "Cannot use BenchmarkId::from_parameter with Criterion::bench_with_input. \
             Consider using a BenchmarkGroup or BenchmarkId::new instead.",
        );
        let id = BenchmarkId { function: None, parameter: id.parameter };
        self.benchmark_group(group).bench_with_input(id, input, f);
        self
    }
}
