//! `tare-validate`: what `make validate` runs. Progress goes to standard error; the page is written at the end of each part.

#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand, ValueEnum};
use tare_plan::Settings;
use tare_validation::compiled::{Compiled, LANGUAGES, SUBJECTS, Subject};
use tare_validation::neighbours::{Neighbours, disturb};
use tare_validation::page::{CompiledRow, Found, PhpRow, Session, ToolRow, page};
use tare_validation::php::{BASE_TURNS, COPIES, Php};
use tare_validation::said::Said;
use tare_validation::simulated::{Counted, Question, compare, compare_suites, models};
use tare_validation::state::State;
use tare_validation::tools::{Ready, TOOLS};

const DISTURB: &str = "disturb";
/// Simulated comparisons in a record.
const CHUNK: u64 = 50;
const SLOWDOWNS: [f64; 6] = [0.0, 0.0025, 0.005, 0.01, 0.02, 0.05];
const SUITE: usize = 100;

#[derive(Parser)]
#[command(about = "Counts false alarms, power and coverage, and writes docs/validation.md")]
struct Arguments {
    /// How much to measure
    #[arg(long, value_enum, default_value = "short")]
    length: Length,
    /// Comparisons in each row instead: simulated, of real code and of other tools alike
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    comparisons: Option<u64>,
    /// Only these parts; may be given several times
    #[arg(long, value_enum)]
    part: Vec<Part>,
    /// Go on only with rows of compiled code whose name holds this ("C++, Sort", "again"); the page shows all that is known
    #[arg(long, value_name = "TEXT")]
    row: Option<String>,
    /// The built command
    #[arg(long, default_value = "target/release/tare")]
    tare: PathBuf,
    /// Where state, tools and generated files go
    #[arg(long, default_value = "target/validation")]
    folder: PathBuf,
    /// The page
    #[arg(long, default_value = "docs/validation.md")]
    page: PathBuf,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Subcommand)]
enum Role {
    /// Be a bursty neighbour on a CPU
    #[command(hide = true)]
    Disturb {
        /// Which
        cpu: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Length {
    Short,
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Simulated,
    Php,
    Compiled,
    Tools,
}

/// How many of each.
struct Counts {
    identical: u64,
    different: u64,
    suites: u64,
    php: u64,
    compiled: u64,
    tools: u64,
}

struct Validation {
    arguments: Arguments,
    counts: Counts,
    state: State,
    interrupted: Arc<AtomicBool>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(Role::Disturb { cpu }) = arguments.role {
        return Ok(disturb(cpu)?);
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    let counts = match (arguments.comparisons, arguments.length) {
        (Some(n), _) => Counts { identical: n, different: n, suites: n.div_ceil(10), php: n, compiled: n, tools: n },
        (None, Length::Short) => Counts { identical: 100, different: 50, suites: 10, php: 10, compiled: 5, tools: 3 },
        (None, Length::Full) => {
            Counts { identical: 1_000, different: 200, suites: 300, php: 100, compiled: 100, tools: 20 }
        }
    };
    let revision = tare_machine::revision(Path::new("."), Duration::from_secs(5));
    let mut code = revision.get("commit").cloned().unwrap_or("unknown".to_owned());
    if revision.get("dirty").is_some_and(|dirty| dirty == "true") {
        code.push_str(" and uncommitted changes");
    }
    let state = State::open(&arguments.folder.join("state.jsonl"), &code)?;
    let mut validation = Validation { arguments, counts, state, interrupted };
    validation.run()
}

impl Validation {
    fn run(&mut self) -> Result<()> {
        let wanted = |part: Part, parts: &[Part]| parts.is_empty() || parts.contains(&part);
        let parts = self.arguments.part.clone();
        let mut found = Found::default();
        if wanted(Part::Simulated, &parts) {
            (found.simulated, found.suites) = self.simulated()?;
            self.write(&found)?;
        }
        if wanted(Part::Php, &parts) {
            found.php = self.php()?;
            self.write(&found)?;
        }
        if wanted(Part::Compiled, &parts) {
            found.compiled = self.compiled()?;
            self.write(&found)?;
        }
        if wanted(Part::Tools, &parts) {
            found.tools = self.tools()?;
            self.write(&found)?;
        }
        Ok(())
    }

    fn go_on(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            anyhow::bail!("interrupted: what was measured is kept; run it again to go on");
        }
        Ok(())
    }

    /// Counts what is missing of a key, a chunk a record, and gives the whole.
    fn counted(
        &mut self,
        key: &str,
        wanted: u64,
        chunk: u64,
        count: impl Fn(std::ops::Range<u64>) -> Counted,
    ) -> Result<Counted> {
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
        let mut all = Counted::default();
        for index in 0..chunks {
            let end = ((index + 1) * chunk).min(wanted);
            self.state.all(&format!("{key}, seeds to {end}"))?.into_iter().for_each(|counted| all.add(counted));
        }
        eprintln!("{key}: {all}");
        Ok(all)
    }

    fn simulated(&mut self) -> Result<(Vec<tare_validation::page::SimulatedRow>, Counted)> {
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
                        settings: Settings { launches, ..Settings::default() },
                    };
                    let wanted = if slowdown == 0.0 { self.counts.identical } else { self.counts.different };
                    let stopping = if early { "early" } else { "fixed" };
                    let key = format!("simulated, {}, {slowdown}, {stopping}", model.name);
                    let counted = self.counted(&key, wanted, CHUNK, |seeds| compare(&model, &question, seeds))?;
                    rows.push((format!("{} ({})", model.name, model.meaning), slowdown, early, counted));
                }
            }
        }
        let question = Question { slowdown: 0.0, setups_ns: [0.0; 2], settings: Settings::default() };
        let model = models().into_iter().find(|model| model.name == "launch outliers").context("no such model")?;
        let suites = self.counts.suites;
        let suites = self.counted("suites", suites, 2, |seeds| compare_suites(&model, &question, SUITE, seeds))?;
        Ok((rows, suites))
    }

    fn php(&mut self) -> Result<Vec<PhpRow>> {
        let php = Php::new(&self.arguments.tare, &self.arguments.folder.join("php"))?;
        let mut questions: Vec<(u32, &'static str)> = COPIES.iter().map(|&turns| (turns, "0.5%")).collect();
        questions.push((4_020, "0.2%"));
        let mut rows = Vec::new();
        for (machine, noisy) in [("quiet", false), ("bursty neighbours", true)] {
            let cpus = tare_machine::allowed_cpus()?;
            let neighbours = noisy.then(|| Neighbours::start(DISTURB, &cpus)).transpose();
            let neighbours = neighbours.context("the neighbours can't be started")?;
            let key = |turns: u32, margin: &str| format!("php, {machine}, {turns} turns, margin {margin}");
            // All rows grow together: a machine that changes in the course of an hour is then the same for all of them.
            for index in 0..self.counts.php {
                for &(turns, margin) in &questions {
                    let key = key(turns, margin);
                    if self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let said = php.compare(turns, margin, index);
                    self.go_on()?;
                    let said = said?;
                    eprintln!("{key}: {} of {}: {said:?}", index + 1, self.counts.php);
                    self.state.add(&key, index, &said)?;
                }
            }
            drop(neighbours);
            for &(turns, margin) in &questions {
                let mut said: Vec<Said> = self.state.all(&key(turns, margin))?;
                said.truncate(self.counts.php as usize);
                rows.push(PhpRow { machine, turns, margin, said });
            }
        }
        Ok(rows)
    }

    fn compiled(&mut self) -> Result<Vec<CompiledRow>> {
        let mut rows = Vec::new();
        for language in LANGUAGES {
            self.go_on()?;
            let folder = self.arguments.folder.join("compiled").join(language.name());
            let compiled = Compiled::new(language, &self.arguments.tare, &folder)?;
            let key = |subject: Subject| {
                let budget = subject.budget.map_or(String::new(), |budget| format!(", {budget}"));
                format!("compiled, {}, {}, {}{budget}", language.name(), subject.name, subject.candidate())
            };
            for index in 0..self.counts.compiled {
                for subject in SUBJECTS {
                    let key = key(subject);
                    let wanted = self.arguments.row.as_ref().is_none_or(|row| key.contains(row));
                    if !wanted || self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let said = compiled.compare(subject, index);
                    self.go_on()?;
                    let said = said?;
                    eprintln!("{key}: {} of {}: {said:?}", index + 1, self.counts.compiled);
                    self.state.add(&key, index, &said)?;
                }
            }
            for subject in SUBJECTS {
                let mut said: Vec<Said> = self.state.all(&key(subject))?;
                said.truncate(self.counts.compiled as usize);
                rows.push(CompiledRow { language, subject, said });
            }
        }
        Ok(rows)
    }

    fn tools(&mut self) -> Result<Vec<ToolRow>> {
        let mut rows = Vec::new();
        for tool in TOOLS {
            self.go_on()?;
            eprintln!("{}", tool.name());
            let ready = match Ready::new(tool, &self.arguments.folder.join("tools")) {
                Ok(ready) => ready,
                Err(error) => {
                    eprintln!("{}: {error}", tool.name());
                    rows.push(ToolRow { tool, version: Err(error.to_string()), claims: [Vec::new(), Vec::new()] });
                    continue;
                }
            };
            let turns = [BASE_TURNS, 4_040];
            let key = |turns: u32| format!("tools, {}, {turns} turns", tool.name());
            for index in 0..self.counts.tools {
                for turns in turns {
                    if self.state.has(&key(turns), index) {
                        continue;
                    }
                    self.go_on()?;
                    let claim = ready.compare(turns);
                    self.go_on()?;
                    let claim = claim?;
                    eprintln!("{}: {} of {}: {claim:?}", key(turns), index + 1, self.counts.tools);
                    self.state.add(&key(turns), index, &claim)?;
                }
            }
            let claims = turns.map(|turns| self.state.all(&key(turns)));
            let [identical, slower] = claims;
            rows.push(ToolRow { tool, version: Ok(ready.version), claims: [identical?, slower?] });
        }
        Ok(rows)
    }

    fn write(&self, found: &Found) -> Result<()> {
        let facts = tare_machine::facts(Path::new("/"));
        let of = |name: &str| facts.get(name).map(|value| (name.to_owned(), value.clone()));
        // What the page shows may have been measured in several goes.
        let mut parts = Vec::new();
        for (there, names) in [
            (!found.simulated.is_empty(), ["simulated", "suites"].as_slice()),
            (!found.php.is_empty(), &["php"]),
            (!found.compiled.is_empty(), &["compiled"]),
            (!found.tools.is_empty(), &["tools"]),
        ] {
            parts.extend(there.then_some(names).into_iter().flatten().copied());
        }
        let revisions = self.state.revisions(&parts).into_iter().map(str::to_owned).collect();
        let session = Session {
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            length: match (self.arguments.comparisons, self.arguments.length) {
                (Some(n), _) => format!("{n} comparisons a row"),
                (None, Length::Short) => "short".to_owned(),
                (None, Length::Full) => "full".to_owned(),
            },
            machine: ["cpu", "cpus", "kernel", "virtualisation"].into_iter().filter_map(of).collect(),
            revisions,
        };
        let text = page(&session, found);
        std::fs::write(&self.arguments.page, text).with_context(|| format!("{}", self.arguments.page.display()))?;
        eprintln!("wrote {}", self.arguments.page.display());
        Ok(())
    }
}
