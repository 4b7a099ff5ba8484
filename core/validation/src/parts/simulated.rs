use std::fmt::Display;
use std::ops::Range;

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tare_plan::Settings;
use tare_validation::page::SimulatedRow;
use tare_validation::simulated::{Counted, Question, compare, compare_suites, models};

use crate::Validation;

/// Simulated comparisons in a record.
pub(super) const CHUNK: u64 = 50;
const SLOWDOWNS: [f64; 6] = [0.0, 0.0025, 0.005, 0.01, 0.02, 0.05];
const SUITE: usize = 100;

impl Validation {
    /// Counts what is missing of a key, a chunk a record, and gives the whole, put together by `add`.
    pub(super) fn counted<T: Default + Display + Serialize + DeserializeOwned>(
        &mut self,
        key: &str,
        wanted: u64,
        chunk: u64,
        add: impl Fn(&mut T, T),
        count: impl Fn(Range<u64>) -> T,
    ) -> Result<T> {
        let chunks = wanted.div_ceil(chunk);
        for index in 0..chunks {
            let seeds = index * chunk..((index + 1) * chunk).min(wanted);
            let key = format!("{key}, seeds to {}", seeds.end);
            if !self.state.has(&key, index) {
                self.go_on()?;
                let counted = count(seeds);
                self.state.add(&key, index, &counted)?;
            }
        }
        let mut all = T::default();
        for index in 0..chunks {
            let end = ((index + 1) * chunk).min(wanted);
            self.state.all(&format!("{key}, seeds to {end}"))?.into_iter().for_each(|counted| add(&mut all, counted));
        }
        eprintln!("{key}: {all}");
        Ok(all)
    }

    pub(crate) fn simulated(&mut self) -> Result<(Vec<SimulatedRow>, Counted)> {
        let mut rows = Vec::new();
        for model in models() {
            for slowdown in SLOWDOWNS {
                for early in [true, false] {
                    // A fixed number of launches is there for comparison: where there is nothing, and where there is much.
                    if !early && slowdown != 0.0 && slowdown != 0.01 {
                        continue;
                    }
                    let launches = if early { None } else { Some(20) };
                    let question = Question {
                        slowdown,
                        setups_ns: [0.0; 2],
                        gate: None,
                        settings: Settings { launches, ..Settings::default() },
                    };
                    let wanted = if slowdown == 0.0 { self.counts.identical } else { self.counts.different };
                    let stopping = if early { "early" } else { "fixed" };
                    let key = format!("simulated, {}, {slowdown}, {stopping}", model.name);
                    let counted =
                        self.counted(&key, wanted, CHUNK, Counted::add, |seeds| compare(&model, &question, seeds))?;
                    rows.push((format!("{} ({})", model.name, model.meaning), slowdown, early, counted));
                }
            }
        }
        let question = Question { slowdown: 0.0, setups_ns: [0.0; 2], gate: None, settings: Settings::default() };
        let model = models().into_iter().find(|model| model.name == "launch outliers").context("no such model")?;
        let suites = self.counts.suites;
        let suites =
            self.counted("suites", suites, 2, Counted::add, |seeds| compare_suites(&model, &question, SUITE, seeds))?;
        Ok((rows, suites))
    }
}
