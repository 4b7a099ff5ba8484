//! What a file says, before anything is made of it: the values that every importer gives.

use std::collections::BTreeMap;

use tare_samples::{Parameters, Reported};
use tare_statistics::GivenFigures;

use crate::fault::{Fault, Position};
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
    /// Entries that name no benchmark, or none that can be kept: each is told in the notices, as far as they reach.
    pub left_out: u64,
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
    /// What tells it apart from the same benchmark in the same file, as the name of a baseline; mostly empty.
    pub label: String,
    /// Other facts about the runtime.
    pub facts: BTreeMap<String, String>,
    /// Samples by process, in the order of the file; none where the file has figures only.
    pub launches: Vec<Vec<Sample>>,
    /// What the file says of their figures.
    pub given: GivenFigures,
    /// What else was measured: throughput, percentiles, counters.
    pub reported: Reported,
    /// Why there are no figures, where its tool says that it failed.
    pub failed: Option<String>,
    /// Why there are no figures, where its tool skipped it.
    pub skipped: Option<String>,
    /// What failed beside what its figures are of: runs, repetitions, requests.
    pub failures: Option<String>,
    /// Figures that are in the file and aren't taken over, and why.
    pub(crate) dropped: Vec<Fault>,
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

    /// Adds a figure that is kept as its tool gave it. One that isn't finite says nothing, and is dropped.
    pub(crate) fn metric(&mut self, name: impl Into<String>, value: f64) {
        let name = name.into();
        if value.is_finite() {
            self.reported.metrics.push((name, value.to_string()));
        } else {
            let shown: String = name.chars().take(60).collect();
            self.drop_figure(Fault::of_file(format!("{shown} is {value}")));
        }
    }

    /// A figure beside the samples, where it can be read; else it is dropped, and told.
    pub(crate) fn figure<T>(&mut self, read: Result<Option<T>, Fault>) -> Option<T> {
        read.unwrap_or_else(|fault| {
            self.drop_figure(fault);
            None
        })
    }

    fn drop_figure(&mut self, fault: Fault) {
        if self.dropped.len() < MOST_NOTICES {
            self.dropped.push(fault);
        }
    }

    /// Its name and parameters, for a message.
    pub(crate) fn shown(&self) -> String {
        let cut = |text: &str| text.chars().take(100).collect::<String>();
        match &self.parameters.name {
            Some(set) => format!("{}#{}", cut(&self.benchmark), cut(set)),
            None => cut(&self.benchmark),
        }
    }

    /// Two with the same identity are one benchmark.
    fn identity(&self) -> (String, String, Option<String>, String) {
        let Self { language, benchmark, parameters, label, .. } = self;
        (language.clone(), benchmark.clone(), parameters.name.clone(), label.clone())
    }

    /// Names it by settings of its tool, too, which its name doesn't hold.
    pub(crate) fn set(&mut self, settings: Vec<(String, String)>) {
        for (name, value) in settings {
            let own = self.parameters.name.take().map(|own| format!("{own} ")).unwrap_or_default();
            self.parameters.name = Some(format!("{own}{name}={value}"));
            self.parameters.values.push((name, value));
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
            MOST_NOTICES => self.notices.push("further entries that Tare leaves out are not listed".to_owned()),
            count if count < MOST_NOTICES && !self.notices.contains(&text) => self.notices.push(text),
            _ => {}
        }
    }

    /// Takes a benchmark as it was read into `case`. One that can't be read costs itself: it is kept as failed, with the reason, and where it has no
    /// name it is left out and told.
    pub(crate) fn take(&mut self, mut case: CaseRead, read: Result<(), Fault>) {
        if let Err(fault) = &read {
            (case.launches, case.given) = (Vec::new(), GivenFigures::default());
            case.failed = Some(format!("its entry can't be read: {}", reason(fault)));
        }
        let name = case.benchmark.len() + case.parameters.name.as_ref().map_or(0, String::len);
        if case.benchmark.is_empty() || name > LONGEST_NAME {
            let why = match read {
                Err(fault) => reason(&fault),
                Ok(()) if name > LONGEST_NAME => format!("a name of {name} bytes; {LONGEST_NAME} is the most"),
                Ok(()) => "a benchmark without a name".to_owned(),
            };
            self.leave_out(&why);
            return;
        }
        self.cases.push(case);
    }

    /// Tells of an entry that isn't taken over at all.
    pub(crate) fn leave_out(&mut self, why: &str) {
        self.left_out += 1;
        self.notice(format!("an entry is left out: {why}"));
    }

    /// Names benchmarks of one name by those of these facts, too, in which they differ. A fact that says the same as one before it is left out.
    pub(crate) fn tell_apart_by_facts(&mut self, names: &[&str]) {
        let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, case) in self.cases.iter().enumerate() {
            alike.entry((case.benchmark.clone(), case.parameters.name.clone())).or_default().push(index);
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
                let told: Vec<_> = chosen.iter().filter_map(fact).collect();
                case.set(told);
            }
        }
    }

    /// Leaves out benchmarks that share name, parameters and label: a number by their order would be another benchmark's in the next file.
    pub(crate) fn leave_out_namesakes(&mut self) {
        let mut alike: BTreeMap<_, usize> = BTreeMap::new();
        for case in &self.cases {
            *alike.entry(case.identity()).or_default() += 1;
        }
        alike.retain(|_, count| *count > 1);
        if alike.is_empty() {
            return;
        }
        for case in std::mem::take(&mut self.cases) {
            match alike.get_mut(&case.identity()) {
                None => self.cases.push(case),
                Some(count) => {
                    self.left_out += 1;
                    if *count > 0 {
                        let name = case.shown();
                        self.notice(format!(
                            "{count} benchmarks have the name {name}, so Tare leaves them out; give each a name of its own"
                        ));
                        *count = 0;
                    }
                }
            }
        }
    }

    /// Refuses what no report could show, and what holds nothing.
    pub(crate) fn checked(mut self) -> Result<Self, Fault> {
        let mut cases = std::mem::take(&mut self.cases);
        for case in &mut cases {
            let shown = case.shown();
            if let Some(what) = &case.failures {
                self.notice(format!("{shown}: {what}"));
            }
            for fault in std::mem::take(&mut case.dropped) {
                self.notice(format!("{shown}: a figure is left out: {}", reason(&fault)));
            }
            let has_time = case.launches.iter().any(|launch| !launch.is_empty())
                || case.given.time.is_some()
                || case.given.mean.or(case.given.median).is_some();
            if case.failed.is_none() && case.skipped.is_none() && !has_time {
                case.failed = Some("the file has no time of it".to_owned());
            }
            if let Some(why) = &case.failed {
                self.notice(format!("{shown} failed: {why}"));
            }
        }
        self.cases = cases;
        self.leave_out_namesakes();
        if self.cases.is_empty() && self.left_out > 0 {
            let why = self.notices.join("; ");
            return Err(Fault::of_file(format!("Tare can read no benchmark of {} in it; {why}", self.tool)));
        }
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
        Ok(self)
    }
}

/// What is wrong and where, without the file's name, which stands before it.
pub(crate) fn reason(fault: &Fault) -> String {
    let place = match &fault.place {
        Position::File => String::new(),
        Position::Line(line) => format!("line {line}: "),
        Position::Column(line, column) => format!("line {line}, column {column}: "),
        Position::Member(path) => format!("{path}: "),
    };
    format!("{place}{}", fault.what)
}

/// Refuses more samples of a process each than a store and a report are made for.
pub(crate) fn too_many_launches(launches: usize) -> Result<(), Fault> {
    if launches <= MOST_LAUNCHES {
        return Ok(());
    }
    Err(Fault::of_file(format!("{launches} samples of a process each; {MOST_LAUNCHES} are the most"))
        .with_remedy("import a part of them"))
}
