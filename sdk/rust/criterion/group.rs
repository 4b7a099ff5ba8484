//! Benchmarks that belong together.

use crate::bencher::Bencher;
use crate::criterion::Criterion;
use crate::id::{BenchmarkId, IntoBenchmarkId};
use crate::measurement::{is_wall_time, Measurement};
use crate::settings::{without_effect, PlotConfiguration, SamplingMode, Throughput};
use crate::worker;
use std::panic::Location;

/// Defines benchmarks whose names begin alike.
pub struct BenchmarkGroup<'a, M: Measurement> {
    criterion: &'a mut Criterion<M>,
    name: String,
    throughput: Option<Throughput>,
}

impl<'a, M: Measurement> BenchmarkGroup<'a, M> {
    without_effect!(&mut Self, &mut Self);

    pub(crate) fn new(criterion: &'a mut Criterion<M>, name: String) -> Self {
        BenchmarkGroup { criterion, name, throughput: None }
    }

    pub fn plot_config(&mut self, _: PlotConfiguration) -> &mut Self {
        self
    }

    pub fn throughput(&mut self, throughput: Throughput) -> &mut Self {
        self.throughput = Some(throughput);
        self
    }

    pub fn sampling_mode(&mut self, _: SamplingMode) -> &mut Self {
        crate::settings::ignored("sampling_mode", "the pilot finds how many calls a sample has");
        self
    }

    #[track_caller]
    pub fn bench_function<ID: IntoBenchmarkId, F>(&mut self, id: ID, mut f: F) -> &mut Self
    where
        F: FnMut(&mut Bencher<'_, M>),
    {
        let place = Location::caller();
        offer(self.criterion, &self.name, id.into_benchmark_id(), self.throughput.as_ref(), place, &mut f);
        self
    }

    #[track_caller]
    pub fn bench_with_input<ID: IntoBenchmarkId, F, I>(&mut self, id: ID, input: &I, mut f: F) -> &mut Self
    where
        F: FnMut(&mut Bencher<'_, M>, &I),
        I: ?Sized,
    {
        let place = Location::caller();
        let mut body = |bencher: &mut Bencher<'_, M>| f(bencher, input);
        offer(self.criterion, &self.name, id.into_benchmark_id(), self.throughput.as_ref(), place, &mut body);
        self
    }

    pub fn finish(self) {}
}

/// What makes groups, and benchmarks without one.
impl<M: Measurement> Criterion<M> {
    #[track_caller]
    pub fn benchmark_group<S: Into<String>>(&mut self, group_name: S) -> BenchmarkGroup<'_, M> {
        let name = group_name.into();
        assert!(!name.is_empty(), "Group name must not be empty.");
        BenchmarkGroup::new(self, name)
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

/// Hands a benchmark to the worker, which measures it here or lists it.
pub(crate) fn offer<M: Measurement>(
    criterion: &Criterion<M>,
    group: &str,
    id: BenchmarkId,
    throughput: Option<&Throughput>,
    place: &Location<'_>,
    body: &mut dyn FnMut(&mut Bencher<'_, M>),
) {
    let benchmark = match &id.function {
        Some(function) => format!("{group}/{function}"),
        None => group.to_owned(),
    };
    let mut definition = worker::Definition {
        benchmark,
        parameters: id.parameter.unwrap_or_default(),
        file: place.file().to_owned(),
        line: place.line(),
        ..Default::default()
    };
    if !criterion.accepts(&definition.full_name()) {
        return;
    }
    if criterion.target() != 0 {
        definition.code.push(criterion.target());
    }
    if let Some(throughput) = throughput {
        throughput.tell(&mut definition);
    }
    if !is_wall_time::<M>() {
        definition.skip = format!("it measures {}, and Tare measures the time", std::any::type_name::<M>());
    }
    worker::offer(definition, &mut |driver| body(&mut Bencher::new(driver)));
}
