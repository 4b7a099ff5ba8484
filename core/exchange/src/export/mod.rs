//! The formats that a stored run is written in. A new one is a module that makes bytes of a run, and one entry of [`EXPORTS`].

mod gobench;
mod hyperfine;
mod names;
mod openmetrics;
#[cfg(feature = "parquet")]
mod parquet;
mod phpbench;
mod pyperf;

use tare_results::{RunView, VariantView};
use tare_samples::{Launch, Origin};

use crate::fault::Fault;

/// A run to be written: its view, and what each variant's samples were.
#[derive(Debug, Clone)]
pub struct Exported<'a> {
    /// The run.
    pub view: &'a RunView,
    /// Its variants that were measured, in the view's order.
    pub variants: Vec<ExportedVariant<'a>>,
}

/// A variant to be written.
#[derive(Debug, Clone)]
pub struct ExportedVariant<'a> {
    /// What was measured, and the figures.
    pub view: &'a VariantView,
    /// What is stored of it.
    pub launches: Vec<Launch>,
    /// Of each launch its time and its samples, tared, in nanoseconds per call; as the tool gave them where another one measured it.
    pub times: Vec<(f64, Vec<f64>)>,
}

/// A file, and what couldn't be said in its format.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// What was left out, each told once.
    pub notices: Vec<String>,
}

/// A format that a run is written in.
#[derive(Clone, Copy)]
pub struct Export {
    /// What it is asked for by.
    pub name: &'static str,
    /// Other names that people type for it: of a tool that reads it.
    pub also: &'static [&'static str],
    /// What it is for, in a line.
    pub help: &'static str,
    /// The whole file.
    pub write: fn(&Exported<'_>) -> Result<Written, Fault>,
}

/// All of them that aren't reports.
pub const EXPORTS: &[Export] = &[
    Export {
        name: "gobench",
        also: &["benchstat"],
        help: "a line for each launch, as benchstat reads it",
        write: gobench::write,
    },
    Export { name: "pyperf", also: &[], help: "samples by launch, as pyperf reads them", write: pyperf::write },
    Export {
        name: "hyperfine",
        also: &[],
        help: "times of launches, as hyperfine's scripts read them",
        write: hyperfine::write,
    },
    Export {
        name: "phpbench-xml",
        also: &[],
        help: "launches as iterations, as PHPBench reads them",
        write: phpbench::write,
    },
    Export {
        name: "parquet",
        also: &[],
        help: "a row for each raw sample, for DuckDB, pandas, …",
        #[cfg(feature = "parquet")]
        write: parquet::write,
        #[cfg(not(feature = "parquet"))]
        write: |_| Err(Fault::of_file("this tare was built without Parquet; build it with `cargo build --release`")),
    },
    Export {
        name: "openmetrics",
        also: &[],
        help: "times as gauges, for Prometheus and the like",
        write: openmetrics::write,
    },
];

impl Export {
    /// The format that this is a name of.
    pub fn named(name: &str) -> Option<&'static Self> {
        EXPORTS.iter().find(|format| format.is_called(name))
    }

    /// Whether this is a name of it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.also.contains(&name)
    }
}

impl ExportedVariant<'_> {
    /// Its case, with what tells it from other variants of the case.
    fn name(&self) -> String {
        let label = &self.view.variant.label;
        let title = self.view.title();
        // A command's label is its line.
        if label.is_empty() || *label == title { title } else { format!("{title} ({label})") }
    }

    /// Calls of a launch, over all its samples; 1 where it isn't known.
    fn calls(&self, launch: usize) -> u64 {
        let told = self.view.calibration.as_ref().is_none_or(|calibration| !is_untold(&calibration.reported.labels));
        let of = |launch: &Launch| -> u64 {
            let turns = launch.turns_of(&tare_samples::Subject::Case);
            turns.flat_map(|turn| &turn.iterations).fold(0, |sum: u64, calls| sum.saturating_add((*calls).max(1)))
        };
        self.launches.get(launch).filter(|_| told).map_or(1, of).max(1)
    }

    /// Times of formats that have no place for one below 0; `None` where there is one.
    fn positive(&self) -> Option<&[(f64, Vec<f64>)]> {
        let negative =
            self.times.iter().any(|(time, samples)| *time <= 0.0 || samples.iter().any(|sample| *sample < 0.0));
        (!negative && !self.times.is_empty()).then_some(&self.times)
    }
}

fn is_untold(labels: &[String]) -> bool {
    labels.iter().any(|label| label == crate::making::CALLS_UNTOLD)
}

/// What was left out of a format that takes times above 0 only, and what has no samples.
fn left_out(exported: &Exported<'_>, format: &str) -> Vec<String> {
    let left: Vec<String> = exported
        .variants
        .iter()
        .filter(|variant| variant.positive().is_none())
        .map(|variant| tare_samples::printable(&variant.name()))
        .collect();
    let more = left.len().saturating_sub(3);
    let mut shown = left.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        shown.push_str(&format!(" and {more} more"));
    }
    match left.is_empty() {
        true => Vec::new(),
        false => {
            vec![format!("{format} can't hold times below 0, or cases without samples; left out: {shown}")]
        }
    }
}

/// Who measured: `tare 0.1.0`, or the tool that a run was imported from.
fn measured_by(origin: &Origin) -> String {
    match &origin.imported {
        Some(imported) => format!("{} {}", imported.tool, imported.version).trim().to_owned(),
        None => format!("tare {}", origin.tare),
    }
}
