//! Sources and benchmarks that couldn't be loaded or listed: which of them are reported, and of which revision they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tare_definition::{Filter, Source, is_source_name};
use tare_plan::Planned;
use tare_results::{NoticeLevel, NoticeView};
use tare_samples::{Failure, FailureKind};

use super::namesakes;
use tare_request::Request;

/// How much of a source is looked into.
const MOST_BYTES: u64 = 4 << 20;

/// Cases of a revision that a failure may have kept from being listed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct MissingCases {
    /// Driver of the runtimes that it can be of.
    pub(super) driver: String,
    /// Where the source lies below its root; `None` for all of them.
    pub(super) source: Option<String>,
    /// The only benchmark of the source that it is, where that is known.
    pub(super) benchmark: Option<String>,
}

impl MissingCases {
    /// Whether a case of another revision may have its partner among these, so that it can't be known whether it has one.
    pub(crate) fn may_hold(&self, planned: &Planned, request: &Request) -> bool {
        let source = || planned.sources.first().map_or(String::new(), |source| namesakes::place(source, request));
        // Sets and sub-benchmarks as well: `BenchmarkSort` is that of `BenchmarkSort/large`.
        let is_of = |benchmark: &String| {
            let rest = planned.variant.case.own_name().strip_prefix(benchmark.as_str());
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
        };
        self.driver == planned.variant.runtime.command.driver
            && self.source.as_ref().is_none_or(|known| *known == source())
            && self.benchmark.as_ref().is_none_or(is_of)
    }
}

struct Broken {
    failure: Failure,
    /// Positions among the request's sides, and what is missing on each.
    missing: Vec<(usize, MissingCases)>,
    /// It may keep a case that was asked for from being measured.
    matters: bool,
}

impl Broken {
    fn sides(&self) -> BTreeSet<usize> {
        self.missing.iter().map(|(side, _)| *side).collect()
    }
}

/// All of it.
#[derive(Default)]
pub(super) struct Breakages(Vec<Broken>);

impl Breakages {
    /// With several runtimes or revisions the same file fails on each in the same way: told once.
    pub(super) fn add(&mut self, side: usize, extent: MissingCases, failure: Failure, matters: bool) {
        match self.0.iter_mut().find(|known| known.failure == failure) {
            Some(known) => {
                known.missing.push((side, extent));
                known.matters |= matters;
            }
            None => self.0.push(Broken { failure, missing: vec![(side, extent)], matters }),
        }
    }

    /// What was added elsewhere as well.
    pub(super) fn extend(&mut self, other: Self) {
        for Broken { failure, missing, matters } in other.0 {
            for (side, extent) in missing {
                self.add(side, extent, failure.clone(), matters);
            }
        }
    }

    /// Takes out what the base alone can't load of the benchmark files that `--benchmarks` lent to it: it lacks what they measure, and their cases are only in the
    /// candidate.
    pub(super) fn without_what_the_base_lacks(&mut self, request: &Request) -> Vec<NoticeView> {
        let Some(giver) = request.lent_to_base() else { return Vec::new() };
        let base = &request.sides[0].name;
        let is_lacking = |broken: &mut Broken| {
            let kind = broken.failure.kind;
            broken.sides().iter().all(|side| *side == 0)
                && matches!(
                    kind,
                    FailureKind::Load
                        | FailureKind::Syntax
                        | FailureKind::Provider
                        | FailureKind::Exception
                        | FailureKind::Fatal
                )
        };
        let told = |Broken { failure, .. }| NoticeView {
            level: NoticeLevel::Warning,
            message: format!(
                "{base} can't load this benchmark file of {giver}, so its cases are only in {giver}: {}",
                failure.message
            ),
            file: failure.file,
            line: failure.line,
            remedy: String::new(),
        };
        self.0.extract_if(.., is_lacking).map(told).collect()
    }

    /// What is to be told, and what it takes from which revision. What the filter leaves out isn't told, unless nothing that it asks
    /// for was found (`found_any`): then what was asked for may be in there after all.
    pub(super) fn into_reported(
        self,
        request: &Request,
        found_any: bool,
    ) -> (Vec<Failure>, Vec<(usize, MissingCases)>) {
        let told: Vec<Broken> = self.0.into_iter().filter(|broken| broken.matters || !found_any).collect();
        let missing = told.iter().flat_map(|broken| broken.missing.iter().cloned()).collect();
        (told.into_iter().map(|broken| named(broken, request)).collect(), missing)
    }
}

/// Where revisions are compared, with the names of those that it is of. What is wrong with a runtime names it already.
fn named(broken: Broken, request: &Request) -> Failure {
    let sides = broken.sides();
    let failure = broken.failure;
    if request.sides.len() < 2 || failure.kind == FailureKind::Runtime {
        return failure;
    }
    let names: Vec<&str> = sides.iter().map(|&side| request.sides[side].name.as_str()).collect();
    Failure { message: format!("{}: {}", names.join(" and "), failure.message), ..failure }
}

/// Whether a source of which nothing could be loaded may hold cases that the filter asks for: by its path and its text. A binary has
/// no text.
pub(super) fn may_be_asked_for(source: &Source, filter: &Filter) -> bool {
    let language = source.language.entry();
    let class = source.absolute.file_stem().map(|stem| stem.to_string_lossy());
    if language.named_by_class && class.is_some_and(|class| filter.excludes_class(&class)) {
        return false;
    }
    if !filter.chooses_by_name() || language.magic.is_some() {
        return true;
    }
    let mut files = vec![source.absolute.clone()];
    if source.absolute.is_dir() {
        files = fs::read_dir(&source.absolute).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|file| is_source_name(source.language, file));
    }
    let mut known = format!("{}/{}", source.language.name(), source.path.display());
    for file in files {
        let text = text(&file);
        known.push('\n');
        known.push_str((language.names_in)(&text).as_ref().unwrap_or(&text));
    }
    filter.may_match_in(&known)
}

/// The failure of a source whose name is no text: messages to workers are.
pub(super) fn without_text() -> Failure {
    Failure::new(FailureKind::Load, "the file's name, or a folder's above it, is not UTF-8", "rename it")
}

pub(super) fn text(file: &Path) -> String {
    let bytes = tare_files::read_beginning(file, MOST_BYTES).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
