//! What Criterion 0.3 had and later versions don't.

use crate::bencher::Bencher;
use crate::criterion::Criterion;
use crate::group::offer;
use crate::id::BenchmarkId;
use crate::measurement::{Measurement, WallTime};
use crate::settings::{without_effect, PlotConfiguration, SamplingMode, Throughput};
use std::fmt::Debug;
use std::panic::Location;

type Routine<T, M> = Box<dyn FnMut(&mut Bencher<'_, M>, &T)>;

struct Named<T, M: Measurement> {
    id: String,
    place: &'static Location<'static>,
    routine: Routine<T, M>,
}

/// A function and its name, for `bench_functions`.
pub struct Fun<I: Debug, M: Measurement + 'static = WallTime> {
    named: Named<I, M>,
}

impl<I: Debug + 'static, M: Measurement> Fun<I, M> {
    #[track_caller]
    pub fn new<F>(name: &str, f: F) -> Fun<I, M>
    where
        F: FnMut(&mut Bencher<'_, M>, &I) + 'static,
    {
        Fun { named: Named { id: name.to_owned(), place: Location::caller(), routine: Box::new(f) } }
    }
}

/// Several functions of one name.
pub struct Benchmark<M: Measurement = WallTime> {
    routines: Vec<Named<(), M>>,
    throughput: Option<Throughput>,
}

/// Several functions of one name, each with several values.
pub struct ParameterizedBenchmark<T: Debug, M: Measurement = WallTime> {
    values: Vec<T>,
    routines: Vec<Named<T, M>>,
    throughput: Option<Box<dyn Fn(&T) -> Throughput>>,
}

/// What `Criterion::bench` takes.
pub trait BenchmarkDefinition<M: Measurement = WallTime>: Sized {
    #[doc(hidden)]
    fn run(self, group_id: &str, c: &mut Criterion<M>);
}

impl<M: Measurement + 'static> Benchmark<M> {
    without_effect!(Self, Self);

    #[track_caller]
    pub fn new<S, F>(id: S, f: F) -> Benchmark<M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>) + 'static,
    {
        Benchmark { routines: Vec::new(), throughput: None }.with_function(id, f)
    }

    #[track_caller]
    pub fn with_function<S, F>(mut self, id: S, mut f: F) -> Benchmark<M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>) + 'static,
    {
        let routine: Routine<(), M> = Box::new(move |bencher, ()| f(bencher));
        self.routines.push(Named { id: id.into(), place: Location::caller(), routine });
        self
    }

    pub fn throughput(mut self, throughput: Throughput) -> Benchmark<M> {
        self.throughput = Some(throughput);
        self
    }

    pub fn plot_config(self, _: PlotConfiguration) -> Self {
        self
    }

    pub fn sampling_mode(self, _: SamplingMode) -> Self {
        self
    }
}

impl<M: Measurement> BenchmarkDefinition<M> for Benchmark<M> {
    fn run(self, group_id: &str, c: &mut Criterion<M>) {
        let is_alone = self.routines.len() == 1;
        for mut named in self.routines {
            let function = (!is_alone || group_id != named.id).then(|| named.id.clone());
            let id = BenchmarkId { function, parameter: None };
            offer(c, group_id, id, self.throughput.as_ref(), named.place, &mut |bencher| (named.routine)(bencher, &()));
        }
    }
}

impl<T: Debug + 'static, M: Measurement + 'static> ParameterizedBenchmark<T, M> {
    without_effect!(Self, Self);

    #[track_caller]
    pub fn new<S, F, I>(id: S, f: F, parameters: I) -> ParameterizedBenchmark<T, M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>, &T) + 'static,
        I: IntoIterator<Item = T>,
    {
        let values = parameters.into_iter().collect();
        ParameterizedBenchmark { values, routines: Vec::new(), throughput: None }.with_function(id, f)
    }

    #[track_caller]
    pub fn with_function<S, F>(mut self, id: S, f: F) -> ParameterizedBenchmark<T, M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>, &T) + 'static,
    {
        self.routines.push(Named { id: id.into(), place: Location::caller(), routine: Box::new(f) });
        self
    }

    pub fn throughput<F>(mut self, throughput: F) -> ParameterizedBenchmark<T, M>
    where
        F: Fn(&T) -> Throughput + 'static,
    {
        self.throughput = Some(Box::new(throughput));
        self
    }

    pub fn plot_config(self, _: PlotConfiguration) -> Self {
        self
    }

    pub fn sampling_mode(self, _: SamplingMode) -> Self {
        self
    }
}

impl<T: Debug + 'static, M: Measurement + 'static> BenchmarkDefinition<M> for ParameterizedBenchmark<T, M> {
    fn run(self, group_id: &str, c: &mut Criterion<M>) {
        let is_alone = self.routines.len() == 1;
        for mut named in self.routines {
            for value in &self.values {
                let id = BenchmarkId {
                    function: (!is_alone || group_id != named.id).then(|| named.id.clone()),
                    parameter: (self.values.len() > 1).then(|| format!("{value:?}")),
                };
                let throughput = self.throughput.as_ref().map(|of| of(value));
                offer(c, group_id, id, throughput.as_ref(), named.place, &mut |bencher| {
                    (named.routine)(bencher, value)
                });
            }
        }
    }
}

impl<M: Measurement + 'static> Criterion<M> {
    #[doc(hidden)]
    #[track_caller]
    pub fn bench_function_over_inputs<I, F>(&mut self, id: &str, f: F, inputs: I) -> &mut Criterion<M>
    where
        I: IntoIterator,
        I::Item: Debug + 'static,
        F: FnMut(&mut Bencher<'_, M>, &I::Item) + 'static,
    {
        self.bench(id, ParameterizedBenchmark::new(id, f, inputs))
    }

    #[doc(hidden)]
    pub fn bench_functions<I>(&mut self, id: &str, funs: Vec<Fun<I, M>>, input: I) -> &mut Criterion<M>
    where
        I: Debug + 'static,
    {
        let routines = funs.into_iter().map(|fun| fun.named).collect();
        self.bench(id, ParameterizedBenchmark { values: vec![input], routines, throughput: None })
    }

    #[doc(hidden)]
    pub fn bench<B: BenchmarkDefinition<M>>(&mut self, group_id: &str, benchmark: B) -> &mut Criterion<M> {
        benchmark.run(group_id, self);
        self
    }
}
