//! From files to stored runs.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use tare_definition::Project;
use tare_exchange::{IMPORTS, Import, LARGEST_FILE, Reading, Source, made, rfc3339, together};
use tare_samples::{Imported, Origin, Outcome, UNTARED};
use tare_store::{Access, RunFilter, RunState, Store};

use super::folders;
use crate::error::Error;
use crate::project::open_store;

/// Names of the formats that [`import`] reads, in the order in which they are tried.
pub fn import_formats() -> impl Iterator<Item = &'static str> {
    IMPORTS.iter().map(|format| format.name)
}

/// Files to be imported.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// The files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Their format; found by looking at each where none is named.
    pub format: Option<String>,
    /// Tags of the runs.
    pub tags: Vec<String>,
}

/// What became of a file, or of files that are one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// Identity of the run.
    pub run: String,
    /// The tool that measured it, with its version where that is known.
    pub tool: String,
    /// The file, as it was named; of several the folder that they are in.
    pub file: String,
    /// Benchmarks.
    pub cases: usize,
    /// Those of them that failed, or of which nothing can be read but the name.
    pub failed: usize,
    /// Those that have no time: what failed, and what skipped itself.
    pub without_time: usize,
    /// Entries of the file that are left out.
    pub left_out: u64,
    /// Samples that are kept.
    pub samples: usize,
    /// The same file was imported before, as this run; nothing was stored.
    pub again: bool,
    /// What wasn't taken over.
    pub notices: Vec<String>,
}

impl fmt::Display for ImportOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, tool, file, cases, failed, left_out, samples, again, .. } = self;
        let (word, of) = if *again { ("is already there as", "") } else { ("imported as", " of ") };
        let tool = if *again { "" } else { tool };
        let s = |count: usize| if count == 1 { "" } else { "s" };
        write!(f, "{file} {word} run {run}: {cases} case{}, {samples} sample{}{of}{tool}", s(*cases), s(*samples))?;
        if *failed > 0 {
            write!(f, "; {failed} of the cases failed")?;
        }
        match left_out {
            0 => Ok(()),
            1 => write!(f, "; 1 entry is left out"),
            count => write!(f, "; {count} entries are left out"),
        }
    }
}

/// Names that are drawn for a run, at most, until one is free: of 65,536 for each second.
const DRAWS: usize = 1_000;

/// A file that was read.
struct FileRead {
    format: &'static Import,
    source: Source,
    reading: Reading,
    /// When the file was last written.
    written: Timestamp,
}

/// What became of all files.
#[derive(Debug, Default)]
pub struct ImportReport {
    /// What was stored, or was there already.
    pub runs: Vec<ImportOutcome>,
    /// Files that couldn't be read, and why. The others are stored all the same.
    pub refused: Vec<Error>,
    /// Files that aren't measurements and were passed over.
    pub passed_over: Vec<String>,
}

impl ImportReport {
    /// What isn't taken over, by file.
    pub fn messages(&self) -> Vec<String> {
        let of_run = |run: &ImportOutcome| -> Vec<String> {
            run.notices.iter().map(|notice| format!("{}: {notice}", run.file)).collect()
        };
        self.passed_over.iter().cloned().chain(self.runs.iter().flat_map(of_run)).collect()
    }

    /// Whether anything that was stored has a time.
    ///
    /// # Errors
    ///
    /// What is wrong with each file that couldn't be read, and what became of the others.
    pub fn ending(self) -> Result<bool, Error> {
        let wrong: Vec<String> = self.refused.iter().map(|error| error.message.clone()).collect();
        match (wrong.is_empty(), self.runs.len()) {
            (true, _) => Ok(self.runs.iter().any(|run| run.cases > run.without_time)),
            (false, 0) => Err(Error::usage(wrong.join("\n"))),
            (false, 1) => Err(Error::usage(format!("{}\nthe other files are imported as 1 run", wrong.join("\n")))),
            (false, runs) => {
                Err(Error::usage(format!("{}\nthe other files are imported as {runs} runs", wrong.join("\n"))))
            }
        }
    }
}

/// Reads files and stores what is in them: a run a file, or one run of all where each file has one benchmark. Of a folder every file of
/// Criterion's is read. A file that can't be read costs itself.
///
/// # Errors
///
/// Where there is no such format, or the store can't be written.
pub fn import(request: &ImportRequest, project: &Project) -> Result<ImportReport, Error> {
    let format = match &request.format {
        Some(name) => Some(Import::named(name).ok_or_else(|| unknown(name))?),
        None => None,
    };
    let mut runs: Vec<Vec<FileRead>> = Vec::new();
    let mut report = ImportReport::default();
    let (files, refused) = folders::opened(&request.files);
    report.refused = refused;
    let is_changes_alone = files.iter().all(|path| folders::is_change(path));
    for path in &files {
        if folders::is_change(path) && !is_changes_alone {
            report.passed_over.push(format!("{}: it holds the change between two runs, and no times", path.display()));
            continue;
        }
        let read = match read(path, format) {
            Ok(read) => read,
            Err(error) => {
                report.refused.push(error);
                continue;
            }
        };
        let of_one_run = |run: &&mut Vec<FileRead>| read.format.is_part && run[0].format.name == read.format.name;
        match runs.iter_mut().find(of_one_run) {
            Some(run) => run.push(read),
            None => runs.push(vec![read]),
        }
    }
    if runs.is_empty() {
        return Ok(report);
    }
    let mut store = open_store(project, Access::ReadWrite)?;
    for mut files in runs {
        // One run whatever the order in which its files were named.
        files.sort_by(|one, other| one.source.name.cmp(&other.source.name));
        folders::label(&mut files, |file: &mut FileRead| (&file.source, &mut file.reading));
        report.runs.push(stored(&mut *store, files, &request.tags)?);
    }
    Ok(report)
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = import_formats().collect();
    Error::usage(format!("--format {name}: there is no such format; name one of {}", names.join(", ")))
}

fn read(path: &Path, format: Option<&'static Import>) -> Result<FileRead, Error> {
    let is_input = path == Path::new("-");
    let shown = if is_input { "standard input".to_owned() } else { path.display().to_string() };
    let refused = |error: std::io::Error| Error::usage(format!("{shown}: {error}; name a file that can be read"));
    let bytes = match is_input {
        true => limited(&mut std::io::stdin().lock()),
        false => tare_files::open(path).and_then(|mut file| limited(&mut file)),
    };
    let bytes = bytes.map_err(refused)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Error::usage(format!("{shown}: more than {} MiB; import a part of it", LARGEST_FILE >> 20)));
    }
    let mut source = Source { name: shown.clone(), bytes, ..Source::default() };
    let format = match format {
        Some(format) => format,
        None => Import::found(&source).map_err(Error::usage)?,
    };
    for name in format.beside.iter().filter(|_| !is_input) {
        let Ok(mut file) = tare_files::open(&path.with_file_name(name)) else { continue };
        if let Ok(bytes) = limited(&mut file)
            && bytes.len() as u64 <= LARGEST_FILE
        {
            source.beside.insert((*name).to_owned(), bytes);
        }
    }
    let reading = format.read(&source).map_err(Error::usage)?;
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let written = modified.and_then(|time| Timestamp::try_from(time).ok()).unwrap_or_else(Timestamp::now);
    Ok(FileRead { format, source, reading, written })
}

/// All of it, or one byte more than a file may have.
fn limited(from: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn stored(store: &mut dyn Store, files: Vec<FileRead>, tags: &[String]) -> Result<ImportOutcome, Error> {
    let mut hash = Sha256::new();
    for file in &files {
        hash.update((file.source.bytes.len() as u64).to_le_bytes());
        hash.update(&file.source.bytes);
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let format = files[0].format.name;
    let file = folders::shared(files.iter().map(|file| file.source.name.as_str()));
    let written = files.iter().map(|file| file.written).min().unwrap_or_else(Timestamp::now);
    let reading = together(files.into_iter().map(|file| file.reading).collect());
    let tool = format!("{} {}", reading.tool, reading.version).trim().to_owned();
    let cases = made(&reading, &file);
    let samples = cases.iter().flat_map(|case| &case.measurement.launches).flat_map(|launch| &launch.turns);
    let mut outcome = ImportOutcome {
        run: String::new(),
        tool,
        file: file.clone(),
        cases: cases.len(),
        failed: cases.iter().filter(|case| matches!(case.measurement.outcome, Outcome::Failed(_))).count(),
        without_time: cases.iter().filter(|case| case.summary.is_none()).count(),
        left_out: reading.left_out,
        samples: samples.map(|turn| turn.elapsed.len()).sum(),
        again: false,
        notices: reading.notices.clone(),
    };
    let earlier = store.runs(&RunFilter::default()).map_err(Error::failed)?;
    let same = |imported: &Imported| imported.digest == digest && imported.format == format;
    if let Some(run) =
        earlier.iter().find(|run| run.state == RunState::Complete && run.origin.imported.as_ref().is_some_and(same))
    {
        let mut notices = outcome.notices;
        notices.extend(tags.iter().filter(|tag| !run.origin.tags.contains(tag)).map(|tag| {
            format!("--tag {tag} has no effect: the run that has this file has other tags; name the run by its id")
        }));
        return Ok(ImportOutcome { run: run.origin.id.clone(), again: true, notices, ..outcome });
    }
    // What claims to be of tomorrow would stay the newest run until then.
    let tomorrow = rfc3339(Timestamp::now() + SignedDuration::from_hours(24));
    let told = reading.started.clone().filter(|started| *started <= tomorrow);
    if told.is_none() && reading.started.is_some() {
        outcome.notices.push("the file says that it was measured in the future; Tare ignores that time".to_owned());
    }
    let time_told = told.is_some();
    let started = told.unwrap_or_else(|| rfc3339(written.min(Timestamp::now())));
    let digits: String = started.chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    // Of many files with one time, as after unpacking, two may draw the same end.
    let drawn = || format!("{day}-{time}-{:04x}", rand::random::<u16>());
    let is_free = |id: &String| !earlier.iter().any(|run| run.origin.id == *id);
    let origin = Origin {
        id: std::iter::repeat_with(drawn).take(DRAWS).find(is_free).unwrap_or_else(drawn),
        started,
        tags: tags.to_vec(),
        machine: reading.machine.clone(),
        findings: Vec::new(),
        git: reading.git.clone(),
        imported: Some(Imported {
            tool: reading.tool.clone(),
            version: reading.version.clone(),
            format: format.to_owned(),
            file,
            digest,
            time_told,
        }),
        policy: UNTARED,
        seed: 0,
        tare: env!("CARGO_PKG_VERSION").to_owned(),
    };
    store.begin_run(&origin, "").map_err(Error::failed)?;
    let put = put(store, &origin.id, &cases);
    if let Err(error) = put {
        // Half an imported run is none.
        let _ = store.finish_run(&origin.id, RunState::Interrupted).and_then(|()| store.delete_run(&origin.id));
        return Err(error);
    }
    outcome.run = origin.id;
    Ok(outcome)
}

fn put(store: &mut dyn Store, run: &str, cases: &[tare_exchange::ImportedCase]) -> Result<(), Error> {
    let put = |store: &mut dyn Store| {
        for (ordinal, case) in (0..).zip(cases) {
            let measurement = &case.measurement;
            let id = &measurement.variant.id;
            store.put_variant(run, ordinal, &measurement.variant)?;
            if let Some(calibration) = &measurement.calibration {
                store.put_calibration(run, id, calibration)?;
            }
            let launches: Vec<_> = measurement.launches.iter().map(|launch| (id.as_str(), launch)).collect();
            if !launches.is_empty() {
                store.put_launches(run, &launches)?;
            }
            store.put_outcome(run, id, &measurement.outcome, case.summary.as_ref())?;
        }
        store.finish_run(run, RunState::Complete)
    };
    put(store).map_err(Error::failed)
}
