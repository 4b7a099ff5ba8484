//! A look at a source: a process that is followed loads it and runs each of its cases once, untimed.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tare_follow::Record;
use tare_plan::{Planned, Settings};
use tare_reach::{CommitRecords, Dependencies, Facts, Loading, Look, Root, Stamps, Touched, differences};
use tare_samples::{Failure, fnv1a};

use super::Sides;
use super::own::Own;
use super::pairs::{Pair, start_of};
use super::process::{Process, Worker};
use super::told::{Stage, ToldPaths, built_with, touched};

/// A case that takes less, hooks included, is called some more times: other calls may take other ways.
const SHORT: Duration = Duration::from_millis(5);
const MOST_CALLS: u128 = 20;
/// So many cases are looked at in processes of their own, at most.
const MOST_APART: usize = 1_000;
/// Raised where a look of before would be misread, or was taken by another rule.
const RULES: u32 = 26;

/// Pairs whose bases are loaded by one process.
pub(super) struct Source<'a> {
    pub(super) pairs: Vec<&'a Pair<'a>>,
}

impl<'a> Source<'a> {
    pub(super) fn base(&self) -> &'a Planned {
        self.pairs[0].base
    }

    /// The bases, each once.
    pub(super) fn bases(&self) -> Vec<&'a Planned> {
        let mut known = HashSet::new();
        let bases = self.pairs.iter().map(|pair| pair.base);
        bases.filter(|base| known.insert(base.variant.case.id())).collect()
    }

    /// The compiled programs of both sides, where cases are compiled into one.
    pub(super) fn programs(&self) -> Option<[PathBuf; 2]> {
        let of = |planned: &Planned| match planned.variant.case.language.as_str() {
            "go" => planned.start.command.first().map(PathBuf::from),
            "cpp" | "rust" => planned.sources.first().map(PathBuf::from),
            _ => None,
        };
        Some([of(self.pairs[0].base)?, of(self.pairs[0].candidate)?])
    }

    /// How the processes of both sides are started, as texts in which the sides are alike.
    pub(super) fn starts(&self, sides: &Sides) -> [Vec<String>; 2] {
        let programs = self.programs();
        let one = |planned: &Planned, root: &Root, at: usize| {
            let side = root.folder();
            let program = programs.as_ref().map(|programs| programs[at].as_path());
            let mut all = start_of(&planned.start, side, program);
            all.extend(planned.bootstrap.iter().map(|path| path.replace(&*side.to_string_lossy(), "{side}")));
            all
        };
        let pair = self.pairs[0];
        [one(pair.base, &sides.roots[0], 0), one(pair.candidate, &sides.roots[1], 1)]
    }

    /// All that a look at the side `at` depends on beside files.
    pub(super) fn key(&self, sides: &Sides, at: usize) -> String {
        let side = [self.pairs[0].base, self.pairs[0].candidate][at];
        let runtime = &side.variant.runtime;
        let place = side.sources.first().map(|path| sides.roots[at].place(Path::new(path)).shown());
        let facts: Vec<String> = runtime.facts.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let starts = self.starts(sides);
        format!(
            "{} {RULES}\n{} {}\n{}\n{}\n{place:?}\n{:016x}",
            env!("CARGO_PKG_VERSION"),
            runtime.language,
            runtime.version,
            facts.join(","),
            starts[at].join("\n"),
            inherited()
        )
    }
}

/// What processes inherit of this one's environment, by which they may choose what they read; without what a shell changes by itself.
fn inherited() -> u64 {
    let is_own = |name: &OsStr| {
        let bytes = name.as_encoded_bytes();
        bytes.starts_with(b"TARE_") || [b"PWD".as_slice(), b"OLDPWD", b"SHLVL", b"_"].contains(&bytes)
    };
    let mut variables: Vec<(OsString, OsString)> = std::env::vars_os().filter(|(name, _)| !is_own(name)).collect();
    variables.sort();
    let parts =
        variables.iter().flat_map(|(name, value)| [name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\0"]);
    fnv1a(parts.flatten().copied())
}

/// Pairs by what their base loads.
pub(super) fn sources<'a>(pairs: &[&'a Pair<'a>]) -> Vec<Source<'a>> {
    let mut sources: Vec<Source<'a>> = Vec::new();
    for pair in pairs {
        let key = |planned: &'a Planned| {
            // What the first process of a Go package leaves for others has a name of its own in each listing.
            (&planned.start, planned.sources.first(), &planned.bootstrap)
        };
        match sources.iter_mut().find(|source| key(source.pairs[0].base) == key(pair.base)) {
            Some(source) => source.pairs.push(pair),
            None => sources.push(Source { pairs: vec![pair] }),
        }
    }
    sources
}

/// Takes a look at a source, or takes the one that was kept, if its files still say the same. `tell` hears of so many more cases that are done.
///
/// # Errors
///
/// Why no process can be followed on this machine.
pub(super) fn looked(
    source: &Source<'_>,
    kept: Option<&CommitRecords>,
    sides: &Sides,
    (worker, settings): (&mut Worker, &Settings),
    stamps: &Stamps,
    (stopped, tell): (&dyn Fn() -> bool, &dyn Fn(usize)),
) -> Result<Look, String> {
    let key = source.key(sides, 0);
    let known = kept.and_then(|kept| kept.get(&key)).filter(|look| still_holds(look, source, sides, stamps));
    let is_known = known.is_some();
    let looker = Looker { source, sides, settings, stamps, tell };
    let mut look = match known {
        Some(look) => {
            tell(source.bases().len());
            look
        }
        None => looker.look(worker, false, stopped)?,
    };
    let goes_apart = looker.may_be_of_one(&look);
    if goes_apart {
        look = Looker { tell: &|_| {}, ..looker }.look(worker, true, stopped)?;
    }
    if let Some(kept) = kept.filter(|_| !stopped() && (goes_apart || !is_known)) {
        kept.put(&key, &look);
    }
    Ok(look)
}

fn still_holds(look: &Look, source: &Source<'_>, sides: &Sides, stamps: &Stamps) -> bool {
    let base = &sides.roots[0];
    let holds = |facts: &Facts| differences(facts, base, base, stamps).is_ok();
    let has = |pair: &&Pair<'_>| match look.cases.get(&pair.base.variant.case.id()) {
        Some(Ok(seen)) => holds(&seen.facts),
        // What failed is tried again.
        Some(Err(_)) | None => false,
    };
    holds(&look.shared.facts) && source.pairs.iter().all(has)
}

struct Looker<'a> {
    source: &'a Source<'a>,
    sides: &'a Sides,
    settings: &'a Settings,
    stamps: &'a Stamps,
    tell: &'a dyn Fn(usize),
}

impl Looker<'_> {
    /// Whether one process, which ran all cases, has asked for something that differs between the sides, or that no proof covers: it may be the business
    /// of one of them.
    fn may_be_of_one(&self, look: &Look) -> bool {
        let [base, candidate] = &self.sides.roots;
        let is_uncovered = |facts: &Facts| !facts.outside.is_empty() || facts.incomplete.is_some();
        let differs =
            || differences(&look.shared.facts, base, candidate, self.stamps).is_ok_and(|found| !found.is_empty());
        let mut of_cases = look.cases.values().flatten().map(|seen| &seen.facts);
        self.runs_to_list()
            && !look.apart
            && (2..=MOST_APART).contains(&look.cases.len())
            && (is_uncovered(&look.shared.facts) || of_cases.any(is_uncovered) || differs())
    }

    /// To list what there is, a process runs each benchmark once, unless another has left the names to it.
    fn runs_to_list(&self) -> bool {
        self.source.base().variant.case.language == "go"
    }

    /// `apart`: each case has a process of its own, whatever else one could do.
    fn look(&self, worker: &mut Worker, apart: bool, stopped: &dyn Fn() -> bool) -> Result<Look, String> {
        let mut look = Look { apart, ..Look::default() };
        let mut rest = self.source.bases();
        rest.reverse();
        while !rest.is_empty() && !stopped() {
            let mut process = match self.begin(worker, apart, &mut look)? {
                Ok(process) => process,
                Err(failure) => {
                    let why = format!("no process of it could be looked at: {}", failure.message);
                    look.cases.extend(rest.iter().map(|base| (base.variant.case.id(), Err(why.clone()))));
                    (self.tell)(rest.len());
                    return Ok(look);
                }
            };
            if self.runs_to_list() && !apart {
                let all: Vec<String> = rest.drain(..).map(|base| base.variant.case.id()).collect();
                look.cases.extend(all.iter().map(|id| (id.clone(), Ok(Dependencies::default()))));
                (self.tell)(all.len());
                self.let_go(process, worker, &mut look, (&all, false));
                break;
            }
            let (mut shown, mut is_clean) = (Vec::new(), true);
            while let Some(base) = rest.pop() {
                let id = base.variant.case.id();
                let seen = self.case(&mut process, base);
                let failed = seen.is_err();
                is_clean &= !failed;
                if failed && !shown.is_empty() {
                    // Others may have left it that way: it is tried once more as the first of a process.
                    rest.push(base);
                    break;
                }
                look.cases.insert(
                    id.clone(),
                    seen.map_err(|failure| format!("it failed when it was looked at: {}", failure.message)),
                );
                shown.push(id);
                (self.tell)(1);
                if failed || !process.copies || stopped() {
                    break;
                }
            }
            self.let_go(process, worker, &mut look, (&shown, is_clean));
        }
        Ok(look)
    }

    /// Lets a process load the source: one that has let go of another, or a fresh one.
    fn begin(&self, worker: &mut Worker, apart: bool, look: &mut Look) -> Result<Result<Process, Failure>, String> {
        let base = self.source.base();
        if let Some(mut process) = worker.take_free(base)
            && self.load(&mut process, apart, look).is_ok()
        {
            return Ok(Ok(process));
        }
        Ok(match worker.start(base, self.subject())? {
            Ok(mut process) => self.load(&mut process, apart, look).map(|()| process),
            Err(failure) => Err(failure),
        })
    }

    /// The folder that holds the program's own files, where the subject is whatever a command starts. A benchmark's process is the subject itself.
    fn subject(&self) -> Option<PathBuf> {
        let is_command = self.source.base().variant.case.language == "commands";
        is_command.then(|| self.sides.roots[0].folder().canonicalize().ok()).flatten()
    }

    fn load(&self, process: &mut Process, apart: bool, look: &mut Look) -> Result<(), Failure> {
        let base = self.source.base();
        let mut sources = base.sources.clone();
        if let (true, [_, names]) = (self.runs_to_list() && !apart, sources.as_mut_slice()) {
            *names = process.scratch("names");
        }
        process.conversation.load(&sources, base.bootstrap.as_deref(), deadline(base, self.settings))?;
        let code = process.code_before.clone() + &process.code();
        let told = ToldPaths::of(&code);
        let loaded = process.follower.take();
        for (record, stage) in [(&process.started, Stage::StartUp), (&loaded, Stage::Loading)] {
            look.shared.facts.add(&self.facts(record, stage, &told, &mut process.written));
        }
        look.shared.facts.add(&self.read_by_code(&told, &process.written));
        look.shared.code.push_str(&code);
        Ok(())
    }

    /// Runs a case, a few times where it is short.
    fn case(&self, process: &mut Process, base: &Planned) -> Result<Dependencies, Failure> {
        let case = &base.variant.case;
        let deadline = deadline(base, self.settings);
        let parameters = case.parameters.name.as_deref().unwrap_or("");
        let conversation = &mut process.conversation;
        conversation.prepare(case.index, case.own_name(), parameters, self.settings.clock.as_deref(), deadline)?;
        let prepared = process.follower.take();
        // The first call loads what the others find.
        let begun = Instant::now();
        process.conversation.run("case", 0, &[1], deadline)?;
        let taken = begun.elapsed();
        let first = process.follower.take();
        // What a turn takes of random bytes with nothing in it, an empty subject shows.
        process.conversation.run("null", 0, &[1], deadline)?;
        let empty = process.follower.take();
        process.conversation.run("case", 0, &[1], deadline)?;
        let again = process.follower.take();
        if taken < SHORT {
            let more = (SHORT.as_nanos() / taken.as_nanos().max(1)).clamp(1, MOST_CALLS) as usize;
            process.conversation.run("case", 0, &vec![1; more], deadline)?;
        }
        process.conversation.finish(deadline)?;
        let last = process.follower.take();
        let code = process.code();
        let told = ToldPaths::of(&code);
        let mut facts = self.facts(&prepared, Stage::Loading, &told, &mut process.written);
        for (record, stage) in [(&first, Stage::Untold), (&again, Stage::Case(&empty)), (&last, Stage::Untold)] {
            facts.add(&self.facts(record, stage, &told, &mut process.written));
        }
        facts.add(&self.read_by_code(&told, &process.written));
        Ok(Dependencies { facts, code })
    }

    /// What the worker says that code read, or asked the size of: it counts whether or not it was asked while sources were loaded.
    fn read_by_code(&self, told: &ToldPaths, written: &BTreeSet<PathBuf>) -> Facts {
        let looked_up = told.read.iter().filter(|path| !written.contains(*path)).cloned().collect();
        let touched = Touched { looked_up, ..Touched::default() };
        let own = Own::of(None, &self.sides.checkouts);
        let loading = Loading { python: false, starts: false, sizes: &|_| true, listed: &told.listed };
        let roots = (&self.sides.roots[0], self.sides.project.as_path());
        Facts::of(&touched, roots, loading, &|path| own.has(path), self.stamps)
    }

    /// Lets a process go from the source, and sees what it leaves behind.
    fn let_go(&self, process: Process, worker: &mut Worker, look: &mut Look, (shown, is_clean): (&[String], bool)) {
        let (record, free) = process.let_go(is_clean, deadline(self.source.base(), self.settings));
        worker.keep(free);
        let last = self.facts(&record, Stage::Untold, &ToldPaths::default(), &mut BTreeSet::new());
        for id in shown {
            if let Some(Ok(seen)) = look.cases.get_mut(id) {
                seen.facts.outside.extend(last.outside.iter().cloned());
            }
        }
    }

    fn facts(&self, record: &Record, stage: Stage<'_>, told: &ToldPaths, written: &mut BTreeSet<PathBuf>) -> Facts {
        // What was there before stays an input in later stages, too, though the case has changed it.
        written.extend(record.written.difference(&record.changed).cloned());
        let language = self.source.base().variant.case.language.as_str();
        let mut touched = touched(record, stage, written);
        let program = self.source.programs().map(|[base, _]| base);
        if let Some(path) = program.as_deref().and_then(|program| built_with(&touched, program)) {
            // The other side has one of its own, which isn't compared.
            let why = format!("it looks at {}, which was built with it", path.display());
            touched.incomplete.get_or_insert(why);
        }
        if program.is_none() {
            // Both sides have the same interpreter.
            touched.outside.retain(|what| !what.starts_with(tare_follow::OWN_PROGRAM));
        }
        let is_loading = !matches!(stage, Stage::Case(_) | Stage::Untold);
        let sizes = |path: &Path| match language {
            // Autoloaders ask for files of which the size is no matter; of which it is, the worker tells.
            "php" => !is_loading,
            // Where modules lie, the worker asks, too.
            "python" => !is_loading || path.extension().is_none_or(|extension| extension != "py"),
            _ => true,
        };
        let loading = Loading {
            python: language == "python",
            starts: stage == Stage::StartUp,
            sizes: &sizes,
            listed: &told.listed,
        };
        let own = Own::of(program, &self.sides.checkouts);
        let root = &self.sides.roots[0];
        Facts::of(&touched, (root, &self.sides.project), loading, &|path| own.has(path), self.stamps)
    }
}

fn deadline(base: &Planned, settings: &Settings) -> Duration {
    match base.variant.case.settings.timeout_ms {
        Some(ms) if !settings.timeout_given => Duration::from_millis(ms),
        _ => settings.timeout,
    }
}
