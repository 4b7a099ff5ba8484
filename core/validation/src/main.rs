//! `tare-validate`: what `make validate` runs. Progress goes to standard error; the page is written at the end of each part.

#![allow(clippy::print_stderr)]

mod parts;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand, ValueEnum};
use tare_validation::neighbours::disturb;
use tare_validation::page::{Session, ValidationResults, page};
use tare_validation::state::State;

const DISTURB: &str = "disturb";

#[derive(Parser)]
#[command(about = "Counts false alarms, power and coverage, and writes docs/validation.md")]
struct Arguments {
    /// How much to measure
    #[arg(long, value_enum, default_value = "short")]
    length: Length,
    /// Comparisons in each row instead: simulated, of real code and of other tools alike
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    comparisons: Option<u64>,
    /// Printed effects that are looked for in each row of theirs instead: each takes up to 200 comparisons
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    effects: Option<u64>,
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
    Shapes,
    Stored,
    Histories,
    Bisections,
    Means,
    Suite,
    Php,
    Compiled,
    Tools,
}

/// How many of each.
struct Counts {
    identical: u64,
    different: u64,
    suites: u64,
    shapes: u64,
    effects: u64,
    stored: u64,
    histories: u64,
    bisections: u64,
    means: u64,
    suite: u64,
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
    let mut counts = match (arguments.comparisons, arguments.length) {
        (Some(n), _) => Counts {
            identical: n,
            different: n,
            suites: n.div_ceil(10),
            shapes: n,
            effects: n,
            stored: n,
            histories: n,
            bisections: n,
            means: n,
            suite: n,
            php: n,
            compiled: n,
            tools: n,
        },
        (None, Length::Short) => Counts {
            identical: 100,
            different: 50,
            suites: 10,
            shapes: 50,
            effects: 20,
            stored: 50,
            histories: 1_000,
            bisections: 100,
            means: 2,
            suite: 2,
            php: 10,
            compiled: 5,
            tools: 3,
        },
        (None, Length::Full) => Counts {
            identical: 1_000,
            different: 200,
            suites: 300,
            shapes: 1_000,
            effects: 400,
            stored: 1_000,
            histories: 10_000,
            bisections: 1_000,
            means: 5,
            suite: 10,
            php: 100,
            compiled: 100,
            tools: 20,
        },
    };
    counts.effects = arguments.effects.unwrap_or(counts.effects);
    let revision = tare_machine::revision(Path::new("."), Duration::from_secs(5));
    let mut code = revision.get("commit").cloned().unwrap_or("unknown".to_owned());
    if revision.get("dirty").is_some_and(|dirty| dirty == "true") {
        code.push_str(" and uncommitted changes");
    }
    let path = arguments.folder.join("state.jsonl");
    let state = State::open(&path, &code)?;
    for other in state.revisions(&[""]).into_iter().filter(|&other| other != code) {
        eprintln!(
            "validate: {} has figures measured with revision {other}: the page shows them, and they aren't measured again; remove the file to begin anew",
            path.display()
        );
    }
    let mut validation = Validation { arguments, counts, state, interrupted };
    validation.run()
}

impl Validation {
    fn run(&mut self) -> Result<()> {
        let wanted = |part: Part, parts: &[Part]| parts.is_empty() || parts.contains(&part);
        let parts = self.arguments.part.clone();
        let mut found = ValidationResults::default();
        if wanted(Part::Simulated, &parts) {
            (found.simulated, found.suites) = self.simulated()?;
            self.write(&found)?;
        }
        if wanted(Part::Shapes, &parts) {
            found.shapes = Some(self.shapes()?);
            self.write(&found)?;
        }
        if wanted(Part::Stored, &parts) {
            found.stored = self.stored()?;
            self.write(&found)?;
        }
        if wanted(Part::Histories, &parts) {
            found.histories = Some(self.histories()?);
            self.write(&found)?;
        }
        if wanted(Part::Bisections, &parts) {
            found.bisections = self.bisections()?;
            self.write(&found)?;
        }
        if wanted(Part::Means, &parts) {
            found.means = self.means()?;
            self.write(&found)?;
        }
        if wanted(Part::Suite, &parts) {
            found.suite = self.suite()?;
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

    fn write(&self, found: &ValidationResults) -> Result<()> {
        let facts = tare_machine::facts(Path::new("/"));
        let of = |name: &str| facts.get(name).map(|value| (name.to_owned(), value.clone()));
        // What the page shows may have been measured in several goes.
        let mut parts = Vec::new();
        for (there, names) in [
            (!found.simulated.is_empty(), ["simulated", "suites"].as_slice()),
            (found.shapes.is_some(), &["shapes"]),
            (!found.stored.is_empty(), &["stored"]),
            (found.histories.is_some(), &["histories"]),
            (!found.bisections.is_empty(), &["bisections"]),
            (!found.means.is_empty(), &["means"]),
            (!found.suite.is_empty(), &["suite"]),
            (!found.php.is_empty(), &["php afresh"]),
            (!found.compiled.is_empty(), &["builds"]),
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
