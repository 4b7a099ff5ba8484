//! Figures of a variant that are the same whatever runs beside it: what its calls execute, counted, or what its process holds, weighed. Variants needn't take turns for them, so that
//! what was read before stands beside what is read now.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_engine::{memory_calls, weigh_memory};
use tare_languages::of_name;
use tare_plan::{Planned, Settings};
use tare_profile::{ProfileError, Samples, Tool};
use tare_samples::{Calls, CountedWork, Failure, Metric, WeighedMemory};
use tare_worker::{GiveUp, Launcher, ProcessLauncher};

use crate::error::Error;
use crate::event::{Event, LookingStep};
use crate::failures::{describe, first_line};
use crate::measuring::counters::{Counters, Part, Row, Wanted};
use crate::measuring::work::{calls_of, longest_call_ns};
use crate::on_all_cpus::on_all_cpus;
use crate::session::Session;
use crate::step_progress::StepProgress;

/// A sample that takes so long, in nanoseconds, says how long a call takes, about; so many calls at the most.
const TELLING_NS: u64 = 1_000_000;
const MOST_CALLS: u64 = 1 << 16;

/// What was read of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reading {
    /// What its calls execute, in two launches or more.
    Work(CountedWork),
    /// What its process holds.
    Memory(WeighedMemory),
}

/// How variants are read.
pub(crate) struct Reader<'a> {
    pub(crate) metric: Metric,
    pub(crate) settings: &'a Settings,
    pub(crate) launcher: &'a ProcessLauncher,
    /// Nothing is timed, so all of these are used at once.
    pub(crate) cpus: &'a [usize],
    pub(crate) session: &'a Session<'a>,
}

impl Reader<'_> {
    /// Whether the metric can be read here at all.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub(crate) fn check(metric: Metric) -> Result<(), Error> {
        match Tool::Callgrind.check("", &[]) {
            Err(ProfileError::Missing { what, .. }) if metric == Metric::Instructions => Err(Error::usage(format!(
                "--metric instructions counts by valgrind, and {what}; install it, as with `apt-get install valgrind`"
            ))),
            _ => Ok(()),
        }
    }

    /// How long a call takes, about, in nanoseconds: launches make as many calls as fit. No measurement: it may be off by what else runs here.
    ///
    /// # Errors
    /// The worker's failure, or a variant that can't be read, in words.
    pub(crate) fn call_ns(&self, planned: &Planned) -> Result<f64, String> {
        let language = planned.variant.runtime.language.as_str();
        if of_name(language).calls_are_processes && self.metric == Metric::Memory {
            return Err("--metric memory reads the process that calls a benchmark, and a command is a process of its own; take --metric instructions, or leave it out".to_owned());
        }
        let found = self.shortest_call(planned).map_err(|failure| describe(&failure))?;
        let longest = longest_call_ns(language);
        if found > longest && self.metric == Metric::Instructions {
            return Err(format!(
                "a call takes longer than {:.0} ms, and valgrind makes it fifty times as long; search with a smaller input of it, or leave --metric out",
                longest / 1e6
            ));
        }
        Ok(found)
    }

    fn shortest_call(&self, planned: &Planned) -> Result<f64, Failure> {
        let case = &planned.variant.case;
        let limit = case.settings.timeout_ms.filter(|_| !self.settings.timeout_given);
        let deadline = limit.map_or(self.settings.timeout, Duration::from_millis);
        let mut launcher = self.launcher.clone();
        let stop = Arc::clone(self.session.stop_flag());
        launcher.give_up_when(Some(GiveUp::when(move || stop.load(Ordering::Relaxed))));
        let mut conversation = launcher.launch(&planned.start, self.settings.seed)?;
        let found = (|| {
            let parameters = case.parameters.name.as_deref().unwrap_or("");
            conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline)?;
            conversation.prepare(case.index, case.own_name(), parameters, self.settings.clock.as_deref(), deadline)?;
            let mut calls = match planned.variant.calls {
                Calls::Bare => 0,
                Calls::Loop(calls) => calls,
                Calls::Pilot => 1,
            };
            loop {
                let samples = conversation.run("case", 1, &[calls, calls], deadline)?;
                let least = samples.elapsed.iter().copied().min().unwrap_or(0);
                if planned.variant.calls != Calls::Pilot || least >= TELLING_NS || calls >= MOST_CALLS {
                    return Ok(least.max(1) as f64 / calls.max(1) as f64);
                }
                calls *= 8;
            }
        })();
        conversation.close();
        found
    }

    /// Reads variants of one case, each with as many calls as fit where one takes `call_ns`; for each why it can't be read, in a line. Counts have `seeds`
    /// launches, two at least, of the first seeds: what is read at another time has the same.
    ///
    /// # Errors
    /// It was interrupted.
    pub(crate) fn read(
        &self,
        variants: &[&Planned],
        call_ns: f64,
        seeds: usize,
    ) -> Result<Vec<Result<Reading, String>>, Error> {
        let mut found = match self.metric {
            Metric::Memory => self.weighed(variants, call_ns),
            _ => self.counted(variants, call_ns, seeds),
        };
        if self.session.is_stopped() {
            return Err(Error::interrupted());
        }
        let all = found.iter_mut().map(|one| one.take().unwrap_or_else(|| Err("nothing came of it".to_owned())));
        Ok(all.collect())
    }

    fn counted(&self, variants: &[&Planned], call_ns: f64, seeds: usize) -> Vec<Option<Result<Reading, String>>> {
        let bases = variants.iter().enumerate().map(|(at, planned)| {
            let samples = Samples::of(planned, 1);
            let (calls, first_calls) = calls_of(planned, samples, call_ns);
            Wanted { planned, at, calls, first_calls, call_ns, samples }
        });
        let (bases, seeds) = (bases.collect(), seeds as u64);
        let row = Row { differs: true, bases, candidates: Vec::new(), pairs: Vec::new(), seeds };
        let stop = Arc::clone(self.session.stop_flag());
        let give_up = GiveUp::when(move || stop.load(Ordering::Relaxed));
        let found = std::cell::RefCell::new(vec![None; variants.len()]);
        let progress =
            std::cell::RefCell::new(StepProgress::begin(self.session, LookingStep::Counting, row.launches()));
        std::thread::scope(|scope| {
            Counters::new(scope, self.cpus, self.settings, &give_up).answer(&row, &|part| match part {
                Part::Launches(number) => progress.borrow_mut().add(number),
                Part::More(number) => progress.borrow_mut().more(number),
                Part::Row(works) => {
                    works.into_iter().for_each(|(at, work)| found.borrow_mut()[at] = Some(Ok(Reading::Work(work))));
                }
                Part::Failed(at, error) => found.borrow_mut()[at] = Some(Err(first_line(&error.to_string()))),
                // Only pairs have functions.
                Part::Unnamed(..) => {}
            });
        });
        self.session.emit(&Event::Looked);
        found.into_inner()
    }

    fn weighed(&self, variants: &[&Planned], call_ns: f64) -> Vec<Option<Result<Reading, String>>> {
        let mut found = vec![None; variants.len()];
        let places: Vec<usize> = (0..variants.len()).collect();
        let own = self.launcher;
        let launcher = |cpu: Option<usize>| cpu.map_or_else(|| own.clone(), |cpu| own.of_cpu(cpu, &[]));
        let (stop, settings) = (Arc::clone(self.session.stop_flag()), self.settings);
        let weigh = |launcher: &mut ProcessLauncher, at: &usize| {
            let calls = memory_calls(variants[*at].variant.calls, &[call_ns]);
            weigh_memory(variants[*at], calls, false, settings, launcher, &|| stop.load(Ordering::Relaxed))
        };
        on_all_cpus(&places, self.cpus, launcher, weigh, |at, weighed| {
            found[*at] = match weighed {
                Ok(weighed) => weighed.map(|weighed| Ok(Reading::Memory(weighed))),
                Err(failure) => Some(Err(first_line(&failure.message))),
            };
            !self.session.is_stopped()
        });
        found
    }
}
