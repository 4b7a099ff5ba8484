//! From what a file says to what a store keeps.

use std::collections::{BTreeMap, BTreeSet};

use tare_samples::{
    Calibration, Calls, Case, CaseSettings, Correction, Failure, FailureKind, IMPORT_DRIVER, Launch, Measurement,
    Outcome, Runtime, RuntimeCommand, Subject, Turn, Variant,
};
use tare_statistics::{Summary, Warning, WarningCode, untared};

use crate::reading::{CaseRead, Reading, Sample};

/// What a reader must know of samples whose number of calls the file doesn't tell.
pub const CALLS_UNTOLD: &str = "calls a sample not told";

/// Samples are kept as whole nanoseconds and calls. Where the calls aren't told, a time is kept as that of so many of them, which is a
/// resolution of a millionth of a nanosecond and says nothing of calls.
const RESOLUTION: u64 = 1_000_000;

/// How far a sample may be moved by keeping it as whole nanoseconds of its calls: as far as the least of four digits, which tools print, is rounded.
const MOVED: f64 = 5e-4;

/// A benchmark of an imported run, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCase {
    /// What was measured, and its samples.
    pub measurement: Measurement,
    /// What is said of it; `None` where there is no time.
    pub summary: Option<Summary>,
}

/// All benchmarks of a file. `place` is the file as a case names it.
pub fn made(reading: &Reading, place: &str) -> Vec<ImportedCase> {
    let cases = reading.cases.iter().enumerate();
    cases.map(|(index, case)| one(reading, case, index as u64, place)).collect()
}

fn one(reading: &Reading, read: &CaseRead, index: u64, place: &str) -> ImportedCase {
    let case = Case {
        index,
        language: read.language.clone(),
        benchmark: read.benchmark.clone(),
        prefix: String::new(),
        place: String::new(),
        parameters: read.parameters.clone(),
        file: place.to_owned(),
        line: 0,
        groups: read.groups.clone(),
        settings: CaseSettings::default(),
    };
    let label = read.label.clone();
    let id = if label.is_empty() { case.id() } else { format!("{}~{label}", case.id()) };
    // Of few short calls whole nanoseconds would be another time: 0.4 ns of one call would be none. The time is worth more than their number.
    let told: Option<BTreeSet<u64>> =
        read.launches.iter().flatten().map(|sample| sample.calls.filter(|_| !is_moved(sample))).collect();
    let iterations = match told.as_ref().map(|told| told.iter().copied().collect::<Vec<_>>()).as_deref() {
        Some([calls]) => *calls,
        _ => 0,
    };
    let runtime = Runtime {
        name: reading.tool.clone(),
        language: read.language.clone(),
        version: read.runtime_version.clone(),
        command: RuntimeCommand {
            name: reading.tool.clone(),
            driver: IMPORT_DRIVER.to_owned(),
            ..RuntimeCommand::default()
        },
        correction: Correction::Serial,
        facts: read.facts.clone(),
    };
    // The tool chose the calls of its samples, anew in each run.
    let variant = Variant { id, case, runtime, calls: Calls::Pilot, label };
    let mut reported = read.reported.clone();
    if told.is_none() {
        reported.labels.push(CALLS_UNTOLD.to_owned());
    }
    let calibration = Calibration { iterations, rounds: 1, reported, ..Calibration::default() };
    let outcome = match (&read.failed, &read.skipped) {
        (Some(message), _) => Outcome::Failed(Failure::new(FailureKind::Exception, message, "").at(place, 0)),
        (None, Some(reason)) => Outcome::Skipped(reason.clone()),
        (None, None) => Outcome::Ok,
    };
    let launches: Vec<Launch> = read
        .launches
        .iter()
        .filter(|samples| !samples.is_empty())
        .enumerate()
        .map(|one| launch(one, told.is_some()))
        .collect();
    let samples: Vec<Vec<f64>> =
        read.launches.iter().map(|launch| launch.iter().map(|sample| sample.time).collect()).collect();
    let mut summary = if outcome == Outcome::Ok { untared(&samples, &read.given, iterations) } else { None };
    if let (Some(summary), Some(what)) = (&mut summary, &read.failures) {
        let remedy = "repair the cause, and measure again".to_owned();
        summary.warnings.push(Warning { code: WarningCode::Failures.into(), message: what.clone(), remedy });
    }
    let measurement =
        Measurement { variant, calibration: Some(calibration), launches, outcome, printed: String::new() };
    ImportedCase { measurement, summary }
}

fn launch((ordinal, samples): (usize, &Vec<Sample>), told: bool) -> Launch {
    let kept = |sample: &Sample| whole(&Sample { calls: sample.calls.filter(|_| told), ..*sample });
    let (iterations, elapsed): (Vec<u64>, Vec<u64>) = samples.iter().map(kept).unzip();
    let turn = Turn {
        round: 0,
        subject: Subject::Case,
        warm: 0,
        iterations,
        elapsed,
        pauses: Vec::new(),
        at_ns: 0,
        stretch: None,
    };
    Launch { ordinal: ordinal as u32, turns: vec![turn], ..Launch::default() }
}

fn is_moved(sample: &Sample) -> bool {
    let (calls, elapsed) = whole(sample);
    (elapsed as f64 / calls as f64 - sample.time).abs() > MOVED * sample.time
}

/// Calls and nanoseconds of a sample.
fn whole(sample: &Sample) -> (u64, u64) {
    let calls = sample.calls.unwrap_or(RESOLUTION).max(1);
    match sample.time * calls as f64 {
        total if total < 2f64.powi(63) => (calls, total.round() as u64),
        _ => (1, sample.time.round() as u64),
    }
}

/// The samples of each launch of the case, in nanoseconds per call, nothing taken off.
pub fn samples_of(launches: &[Launch]) -> Vec<Vec<f64>> {
    let per_call = |turn: &Turn| -> Vec<f64> {
        turn.elapsed
            .iter()
            .zip(&turn.iterations)
            .map(|(elapsed, calls)| *elapsed as f64 / (*calls).max(1) as f64)
            .collect()
    };
    launches.iter().map(|launch| launch.turns_of(&Subject::Case).flat_map(per_call).collect()).collect()
}

/// What differs between readings is lost where they become one run: one benchmark a file, as Criterion writes them.
pub fn together(readings: Vec<Reading>) -> Reading {
    let mut all = readings.into_iter();
    let Some(mut first) = all.next() else { return Reading::default() };
    for reading in all {
        first.cases.extend(reading.cases);
        first.left_out += reading.left_out;
        for notice in reading.notices {
            first.notice(notice);
        }
        let keep = |mine: &mut BTreeMap<String, String>, other: BTreeMap<String, String>| {
            for (name, value) in other {
                mine.entry(name).or_insert(value);
            }
        };
        keep(&mut first.machine, reading.machine);
        keep(&mut first.git, reading.git);
        // The earliest.
        first.started = match (first.started.take(), reading.started) {
            (Some(mine), Some(other)) => Some(mine.min(other)),
            (mine, other) => mine.or(other),
        };
    }
    first.leave_out_namesakes();
    first
}
