//! What a file says, before anything is made of it: the values that every importer gives.

use std::collections::BTreeMap;

use tare_samples::{Parameters, Reported};
use tare_statistics::Given;

use crate::fault::Fault;
use crate::limits::{LONGEST_NAME, MOST_CASES, MOST_LAUNCHES, MOST_NOTICES, MOST_SAMPLES};

/// A file, as it was named, and what is in it.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// How it was named.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Files in the same folder that its format asks for, by name.
    pub beside: BTreeMap<String, Vec<u8>>,
}

impl Source {
    /// Its text, without a byte order mark.
    pub(crate) fn text(&self) -> Result<&str, Fault> {
        let text = std::str::from_utf8(&self.bytes).map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
        text.map_err(|error| {
            let line = 1 + self.bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Fault::at_line(line, "isn't UTF-8").with_remedy("save it as UTF-8")
        })
    }
}

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The tool that wrote it.
    pub tool: String,
    /// The tool's version; empty where it isn't told.
    pub version: String,
    /// When it was measured, RFC 3339 in UTC; `None` where it isn't told.
    pub started: Option<String>,
    /// Facts about the machine, by Tare's names where it has one: `cpu`, `cpus`, `os`, `arch`.
    pub machine: BTreeMap<String, String>,
    /// Facts from version control: `commit`, `branch`, `dirty`.
    pub git: BTreeMap<String, String>,
    /// The benchmarks, in the order of the file.
    pub cases: Vec<CaseRead>,
    /// What was in the file and isn't taken over, each told once.
    pub notices: Vec<String>,
}

/// One benchmark of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseRead {
    /// Its name.
    pub benchmark: String,
    /// Its parameters.
    pub parameters: Parameters,
    /// Groups that it is in.
    pub groups: Vec<String>,
    /// Language of the benchmark; `command` of whole commands, `http` of requests.
    pub language: String,
    /// The runtime's version; empty where it isn't told.
    pub runtime_version: String,
    /// Other facts about the runtime.
    pub facts: BTreeMap<String, String>,
    /// Samples by process, in the order of the file; none where the file has figures only.
    pub launches: Vec<Vec<Sample>>,
    /// What the file says of their figures.
    pub given: Given,
    /// What else was measured: throughput, percentiles, counters.
    pub reported: Reported,
    /// Why there are no figures, where its tool says that it failed.
    pub failed: Option<String>,
    /// Why there are no figures, where its tool skipped it.
    pub skipped: Option<String>,
}

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Nanoseconds per call.
    pub time: f64,
    /// Calls in it; `None` where the file doesn't tell.
    pub calls: Option<u64>,
}

impl CaseRead {
    pub(crate) fn new(language: &str, benchmark: impl Into<String>) -> Self {
        Self { language: language.to_owned(), benchmark: benchmark.into(), ..Self::default() }
    }

    /// Adds a figure that is kept as its tool gave it. One that isn't finite says nothing.
    pub(crate) fn metric(&mut self, name: impl Into<String>, value: f64) {
        if value.is_finite() {
            self.reported.metrics.push((name.into(), value.to_string()));
        }
    }

    /// Names it by parameters, `name=value`, in the order given.
    pub(crate) fn parametrise(&mut self, values: Vec<(String, String)>) {
        if !values.is_empty() {
            let printed: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            self.parameters = Parameters { name: Some(printed.join(" ")), values };
        }
    }
}

impl Reading {
    pub(crate) fn of(tool: &str) -> Self {
        Self { tool: tool.to_owned(), ..Self::default() }
    }

    pub(crate) fn fact(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.machine.insert(name.to_owned(), value);
        }
    }

    pub(crate) fn notice(&mut self, text: impl Into<String>) {
        let text = text.into();
        // Nobody reads more, and each is compared with all before it.
        match self.notices.len() {
            MOST_NOTICES => self.notices.push("what else isn't taken over is not listed".to_owned()),
            count if count < MOST_NOTICES && !self.notices.contains(&text) => self.notices.push(text),
            _ => {}
        }
    }

    /// Names benchmarks of one name by these values, too, so that each has a history of its own.
    pub(crate) fn tell_apart(&mut self, by: impl Fn(&CaseRead) -> Vec<(String, String)>) {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for case in &self.cases {
            *count.entry(case.benchmark.clone()).or_default() += 1;
        }
        for case in &mut self.cases {
            if count[&case.benchmark] > 1 && case.parameters.name.is_none() {
                case.parametrise(by(case));
            }
        }
    }

    /// Names benchmarks of one name by those of these facts, too, in which they differ. A fact that says the same as one before it is left out.
    pub(crate) fn tell_apart_by_facts(&mut self, names: &[&str]) {
        let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, case) in self.cases.iter().enumerate() {
            alike.entry(case.benchmark.clone()).or_default().push(index);
        }
        for group in alike.values() {
            let facts = |name: &str| group.iter().map(|index| self.cases[*index].facts.get(name)).collect::<Vec<_>>();
            let told: Vec<_> = names.iter().map(|name| facts(name)).collect();
            let mut chosen: Vec<usize> = Vec::new();
            for (number, values) in told.iter().enumerate() {
                if values.iter().any(|value| *value != values[0]) && !chosen.iter().any(|one| told[*one] == *values) {
                    chosen.push(number);
                }
            }
            for index in group {
                let case = &mut self.cases[*index];
                let fact = |number: &usize| Some((names[*number].to_owned(), case.facts.get(names[*number])?.clone()));
                let values = chosen.iter().filter_map(fact).collect();
                case.parametrise(values);
            }
        }
    }

    /// Refuses what no report could show, and what holds nothing.
    pub(crate) fn checked(self) -> Result<Self, Fault> {
        if self.cases.is_empty() {
            return Err(Fault::of_file(format!("there is no benchmark of {} in it", self.tool)));
        }
        if self.cases.len() > MOST_CASES {
            return Err(Fault::of_file(format!("{} benchmarks; {MOST_CASES} are the most", self.cases.len())));
        }
        let samples: usize = self.cases.iter().flat_map(|case| &case.launches).map(Vec::len).sum();
        if samples > MOST_SAMPLES {
            return Err(Fault::of_file(format!("{samples} samples; {MOST_SAMPLES} are the most")));
        }
        too_many_launches(self.cases.iter().map(|case| case.launches.len()).sum())?;
        for case in &self.cases {
            let name = case.benchmark.len() + case.parameters.name.as_ref().map_or(0, String::len);
            if case.benchmark.is_empty() || name > LONGEST_NAME {
                let what = if name == 0 {
                    "a benchmark without a name".to_owned()
                } else {
                    format!("a name of {name} bytes; {LONGEST_NAME} is the most")
                };
                return Err(Fault::of_file(what));
            }
        }
        Ok(self)
    }
}

/// Refuses more samples of a process each than a store and a report are made for.
pub(crate) fn too_many_launches(launches: usize) -> Result<(), Fault> {
    if launches <= MOST_LAUNCHES {
        return Ok(());
    }
    Err(Fault::of_file(format!("{launches} samples of a process each; {MOST_LAUNCHES} are the most"))
        .with_remedy("import a part of them"))
}
