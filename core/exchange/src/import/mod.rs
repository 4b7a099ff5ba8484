//! The formats that files are read in. A new one is a module that makes a [`Reading`] of a file, and one entry of [`IMPORTS`].

mod benchmarkdotnet;
mod catch2;
mod criterion;
mod gobench;
mod googlebench;
mod gotest;
mod hdr;
mod hyperfine;
mod jmh;
mod k6;
mod oha;
mod phpbench;
mod pyperf;
mod pytest;
mod requests;
mod text;
mod wrk;

use std::borrow::Cow;

use crate::fault::Fault;
use crate::json::{self, Json};
use crate::reading::{Reading, Source};

/// Bytes of a file by which its format is told.
const BEGINNING: usize = 1 << 20;

/// How a file is recognised.
#[derive(Clone, Copy)]
enum Looks {
    /// By its text.
    Text(fn(&str) -> bool),
    /// By what its JSON document has.
    Json(fn(&Json) -> bool),
}

/// A format that files are read in.
#[derive(Clone, Copy)]
pub struct Import {
    /// What it is asked for by.
    pub name: &'static str,
    /// What writes it, in a line.
    pub help: &'static str,
    looks: Looks,
    read: fn(&Source) -> Result<Reading, Fault>,
    /// Files in the same folder that it reads as well, where they are there.
    pub beside: &'static [&'static str],
    /// A file has one benchmark of several that were measured together: files that are named together become one run.
    pub is_part: bool,
}

const fn import(
    name: &'static str,
    help: &'static str,
    looks: Looks,
    read: fn(&Source) -> Result<Reading, Fault>,
) -> Import {
    Import { name, help, looks, read, beside: &[], is_part: false }
}

/// All of them. The first that a file looks like is taken.
pub const IMPORTS: &[Import] = &[
    import("phpbench-xml", "PHPBench, --dump-file", Looks::Text(phpbench::is), phpbench::read),
    import("catch2", "Catch2, -r xml", Looks::Text(catch2::is), catch2::read),
    import(
        "criterion-messages",
        "cargo criterion, --message-format=json",
        Looks::Text(criterion::is_messages),
        criterion::read_messages,
    ),
    Import {
        beside: criterion::BESIDE,
        is_part: true,
        ..import(
            "criterion",
            "Criterion, estimates.json or sample.json",
            Looks::Json(criterion::is_file),
            criterion::read_file,
        )
    },
    import(
        "googlebench",
        "Google Benchmark, --benchmark_out_format=json",
        Looks::Json(googlebench::is),
        googlebench::read,
    ),
    import("jmh", "JMH, -rf json", Looks::Json(jmh::is), jmh::read),
    import("pytest-benchmark", "pytest-benchmark, --benchmark-json", Looks::Json(pytest::is), pytest::read),
    import("pyperf", "pyperf, -o", Looks::Json(pyperf::is), pyperf::read),
    import("hyperfine", "hyperfine, --export-json", Looks::Json(hyperfine::is), hyperfine::read),
    import(
        "benchmarkdotnet",
        "BenchmarkDotNet, its JSON exporters",
        Looks::Json(benchmarkdotnet::is),
        benchmarkdotnet::read,
    ),
    import("oha", "oha, --output-format json", Looks::Json(oha::is), oha::read),
    import("k6", "k6, --summary-export or handleSummary", Looks::Json(k6::is), k6::read),
    import("hdr", "HdrHistogram, interval logs", Looks::Text(hdr::is), hdr::read),
    import("wrk2", "wrk and wrk2, standard output", Looks::Text(wrk::is), wrk::read),
    import("gobench", "go test -bench, standard output, and -json", Looks::Text(gobench::is), gobench::read),
];

impl Import {
    /// The format of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        IMPORTS.iter().find(|format| format.name == name)
    }

    /// The format that a file looks like.
    ///
    /// # Errors
    ///
    /// Where it looks like none, or is none of JSON though it begins like it.
    pub fn found(source: &Source) -> Result<&'static Self, Fault> {
        let (bytes, _) = text::utf8(&source.bytes, false);
        // What a file is shows at its beginning.
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING)]);
        let by_text = IMPORTS.iter().find(|format| matches!(format.looks, Looks::Text(is) if is(&text)));
        if let Some(format) = by_text {
            return Ok(format);
        }
        let unknown = || {
            let names: Vec<&str> = IMPORTS.iter().map(|format| format.name).collect();
            Fault::of_file("looks like no format that is known here")
                .with_remedy(format!("name it with --format, one of {}", names.join(", ")))
                .in_file(&source.name)
        };
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']) {
            return Err(unknown());
        }
        let json = json::parse(&bytes, &mut Vec::new()).map_err(|fault| fault.in_file(&source.name))?;
        IMPORTS.iter().find(|format| matches!(format.looks, Looks::Json(is) if is(&json))).ok_or_else(unknown)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Where it isn't what it should be: the error says where, and what to do.
    pub fn read(&self, source: &Source) -> Result<Reading, Fault> {
        // A histogram log's lines are read as bytes.
        let (bytes, broken) = text::utf8(&source.bytes, self.name == "hdr");
        let plain;
        let source = match bytes {
            Cow::Borrowed(_) => source,
            Cow::Owned(bytes) => {
                plain = Source { name: source.name.clone(), bytes, beside: source.beside.clone() };
                &plain
            }
        };
        let read = (self.read)(source).map(|mut reading| {
            if broken > 0 {
                reading.notice(format!("{broken} bytes of it aren't UTF-8; names have them as \\x and two digits"));
            }
            reading
        });
        read.map_err(|fault| {
            let file =
                if fault.file.is_empty() { source.name.clone() } else { format!("{}: {}", source.name, fault.file) };
            fault.in_file(&file)
        })
    }
}
