//! docs/validation.md: what was measured, and nothing else.

mod bisections;
mod histories;
mod means;
mod shapes;
mod stored;
mod suites;

use std::fmt::Write;

use crate::compiled::{Language, Subject};
use crate::php::true_ratio;
use crate::said::RunReport;
use crate::simulated::{Counted, Quantiles};
use crate::tools::{Claim, Tool};

pub use bisections::BisectRow;
pub use histories::Histories;
pub use means::MeansRow;
pub use shapes::{EffectRow, RunsRow, ShapeRow, Shapes};
pub use stored::StoredRow;
pub use suites::SuiteRow;

/// Where and when.
#[derive(Debug, Clone)]
pub struct Session {
    /// Day, as 2026-01-31.
    pub date: String,
    /// How much was measured, as it was asked for.
    pub length: String,
    /// Facts of the machine, by name.
    pub machine: Vec<(String, String)>,
    /// Revisions of the code; several where it was measured in several goes.
    pub revisions: Vec<String>,
}

/// A row of comparisons by `tare`.
#[derive(Debug, Clone)]
pub struct PhpRow {
    /// `quiet` or `bursty neighbours`.
    pub machine: &'static str,
    /// Turns of the copy.
    pub turns: u32,
    /// As given to `--margin`.
    pub margin: &'static str,
    /// What was said.
    pub said: Vec<RunReport>,
}

/// A row of comparisons of two commits by `tare`.
#[derive(Debug, Clone)]
pub struct CompiledRow {
    /// In what.
    pub language: Language,
    /// Of what.
    pub subject: Subject,
    /// What was said.
    pub said: Vec<RunReport>,
}

/// A row of comparisons by another tool.
#[derive(Debug, Clone)]
pub struct ToolRow {
    /// Which.
    pub tool: Tool,
    /// With its version, or why it can't be had.
    pub version: Result<String, String>,
    /// Claims about identical code, then about a copy that is slower by 1 %.
    pub claims: [Vec<Claim>; 2],
}

/// A simulated row: a model, the slowdown as a fraction, whether it may stop early, and what was counted.
pub type SimulatedRow = (String, f64, bool, Counted);

/// What was counted. Parts that weren't asked for are empty, and not on the page.
#[derive(Debug, Clone, Default)]
pub struct ValidationResults {
    /// On simulated machines.
    pub simulated: Vec<SimulatedRow>,
    /// Whole suites on simulated machines.
    pub suites: Counted,
    /// Subjects with slow work of their own, on simulated machines.
    pub shapes: Option<Shapes>,
    /// Such subjects in real languages.
    pub means: Vec<MeansRow>,
    /// Histories of stored runs, on simulated machines.
    pub stored: Vec<StoredRow>,
    /// Shifts of level in histories of cases.
    pub histories: Option<Histories>,
    /// Searches for a commit, on simulated machines.
    pub bisections: Vec<BisectRow>,
    /// A whole suite of real PHP.
    pub suite: Vec<SuiteRow>,
    /// Real PHP.
    pub php: Vec<PhpRow>,
    /// Real Go and C++.
    pub compiled: Vec<CompiledRow>,
    /// Other tools.
    pub tools: Vec<ToolRow>,
}

fn percent(fraction: f64) -> String {
    format!("{:.2} %", 100.0 * fraction)
}

fn seconds(ms: &[f64]) -> String {
    Quantiles::of(ms).map_or("–".to_owned(), |found| format!("{:.2} / {:.2} s", found.median / 1e3, found.p95 / 1e3))
}

/// Writes the page.
pub fn page(session: &Session, found: &ValidationResults) -> String {
    let mut text = String::from(
        "# Validation\n\nWritten by `make validate`. Every figure was measured in the session described here.\n\n",
    );
    let Session { date, length, machine, revisions } = session;
    let facts: Vec<String> = machine.iter().map(|(name, value)| format!("{name} {value}")).collect();
    // Writing to a string doesn't fail.
    let _ = writeln!(
        text,
        "- date: {date}\n- length: {length}\n- revision: {}\n- machine: {}\n",
        revisions.join(", "),
        facts.join(", ")
    );
    if !found.simulated.is_empty() {
        of_simulated(&mut text, &found.simulated, &found.suites);
    }
    if let Some(found) = &found.shapes {
        shapes::write(&mut text, found);
    }
    if !found.stored.is_empty() {
        stored::write(&mut text, &found.stored);
    }
    if let Some(found) = &found.histories {
        histories::write(&mut text, found);
    }
    if !found.bisections.is_empty() {
        bisections::write(&mut text, &found.bisections);
    }
    if found.suite.iter().any(|row| !row.said.is_empty()) {
        suites::write(&mut text, &found.suite);
    }
    if !found.means.is_empty() {
        means::write(&mut text, &found.means);
    }
    if !found.php.is_empty() {
        of_php(&mut text, &found.php);
    }
    if !found.compiled.is_empty() {
        of_compiled(&mut text, &found.compiled);
    }
    if !found.tools.is_empty() {
        of_tools(&mut text, &found.tools);
    }
    text
}

fn of_simulated(text: &mut String, rows: &[SimulatedRow], suites: &Counted) {
    text.push_str(
        "## Simulated machines\n\nWhole comparisons through the engine, on simulated time, from fixed seeds. *Flagged*: called different \
         before the second measurement. *Coverage* is that of the 99 % interval; *error* the root mean square error of the ratio; \
         *time* the simulated time to the verdict, median and 95th percentile; *within* the bound of `same` (median), and *too little* how often the \
         truth lies beyond it.\n\n\
         | model | slower by | stopping | comparisons | slower | faster | same | within | too little | flagged | coverage | error | pairs | time |\n\
         | --- | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (model, slowdown, early, counted) in rows {
        let share = |count| percent(counted.share(count));
        let _ = writeln!(
            text,
            "| {model} | {} % | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.3} % | {:.1} | {} |",
            100.0 * slowdown,
            if *early { "early" } else { "fixed" },
            counted.comparisons,
            share(counted.slower),
            share(counted.faster),
            share(counted.same),
            counted.median_bound(),
            share(counted.wrong_bound),
            share(counted.flagged),
            percent(counted.coverage()),
            100.0 * counted.error_sd(),
            counted.mean_pairs(),
            seconds(&counted.run_ms)
        );
    }
    if let Some(cases) = suites.comparisons.checked_div(suites.runs) {
        let _ = writeln!(
            text,
            "\nOf {} suites of {cases} identical cases each, {} raised an alarm.",
            suites.runs, suites.alarming_runs
        );
    }
    text.push('\n');
}

fn of_php(text: &mut String, rows: &[PhpRow]) {
    text.push_str(
        "## Real PHP\n\nA loop against copies of it with more turns, one comparison a run of `tare`, two worker processes, and a file for each \
         comparison, with other methods between those that are compared. With bursty \
         neighbours a process on each CPU spins and sleeps by turns, each for a random 1 to 50 ms.\n\n\
         | machine | slower by | margin | comparisons | slower | faster | same | flagged | coverage | error (sd) | mean error | measuring | whole run |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for PhpRow { machine, turns, margin, said } in rows {
        let truth = true_ratio(*turns);
        let _ = writeln!(text, "| {machine} | {:.2} % | {margin} | {} |", 100.0 * (truth - 1.0), Row { truth, said });
    }
    text.push('\n');
}

fn of_compiled(text: &mut String, rows: &[CompiledRow]) {
    text.push_str(
        "## Real Go and C++\n\nTwo commits, each built at a path of its own and afresh for each comparison, with other code in front of what is \
         measured; one comparison a run of `tare compare`. Where it is slower the second commit \
         makes the arithmetic loop longer by 1 %, and puts such a loop behind the sort, as long as 1 % of the sort was when the \
         repository was made. Builds are in the whole runs, where anything had to be built, and not in *measuring*.\n\n\
         | language | subject | slower by | comparisons | slower | faster | same | flagged | coverage | error (sd) | mean error | measuring | whole run |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for CompiledRow { language, subject, said } in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} % | {} |",
            language.name(),
            subject.meaning,
            100.0 * subject.slower_by,
            Row { truth: 1.0 + subject.slower_by, said }
        );
    }
    text.push('\n');
}

/// What a row counts, from the number of comparisons to the time of a whole run.
struct Row<'a> {
    truth: f64,
    said: &'a [RunReport],
}

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { truth, said } = self;
        let of = |verdict: &str| said.iter().filter(|said| said.verdict == verdict).count();
        let ratios: Vec<_> = said.iter().filter_map(|said| said.ratio).collect();
        let errors: Vec<f64> = ratios.iter().map(|ratio| (ratio.estimate / truth).ln()).collect();
        let covered = ratios.iter().filter(|ratio| (ratio.low..=ratio.high).contains(truth)).count();
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let squares: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
        let sd = (squares / (errors.len().max(2) - 1) as f64).sqrt();
        write!(
            f,
            "{} | {} | {} | {} | {} | {covered} of {} | {:.3} % | {:+.3} % | {} | {}",
            said.len(),
            of("slower"),
            of("faster"),
            of("same"),
            said.iter().filter(|said| said.flagged).count(),
            ratios.len(),
            100.0 * sd,
            100.0 * mean,
            seconds(&said.iter().map(|said| said.measuring_ms).collect::<Vec<_>>()),
            seconds(&said.iter().map(|said| said.run_ms).collect::<Vec<_>>()),
        )
    }
}

fn of_tools(text: &mut String, rows: &[ToolRow]) {
    text.push_str(
        "## Other tools\n\nThe same kind of loop, in the same session, the base first and then the candidate, as each tool is documented. \
         A claim is what the tool itself says with its own defaults.\n\n\
         | tool | version | a claim is | identical code called different | 1 % slower called so | time |\n\
         | --- | --- | --- | --: | --: | --: |\n",
    );
    for ToolRow { tool, version, claims: [identical, slower] } in rows {
        match version {
            Ok(version) => {
                let called = identical.iter().filter(|claim| claim.difference.is_some()).count();
                let found = slower.iter().filter(|claim| claim.difference.is_some_and(|ratio| ratio > 1.0)).count();
                let took: Vec<f64> = identical.iter().chain(slower).map(|claim| claim.took_ms).collect();
                let _ = writeln!(
                    text,
                    "| {} | {version} | {} | {called} of {} | {found} of {} | {} |",
                    tool.name(),
                    tool.claim(),
                    identical.len(),
                    slower.len(),
                    seconds(&took)
                );
            }
            Err(reason) => {
                let reason = reason.replace('|', "/").replace('\n', " ");
                let _ = writeln!(text, "| {} | not to be had: {reason} | | | | |", tool.name());
            }
        }
    }
    text.push('\n');
}
