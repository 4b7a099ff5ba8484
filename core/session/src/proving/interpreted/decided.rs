//! Compares the code that the cases of a look can reach; cases for which the same files matter are decided together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tare_follow::as_recorded;
use tare_reach::{Dependencies, Facts, Place, Question as Of, Root};
use tare_units::{Begins, CaseRan, Decision, Language, Origin, Question, Reach, Recording, Units, Words, decide};

use super::super::pairs::{LookedPair, Pair};
use super::{Interpreted, has_ending, words_of_start};

/// Files of both sides, as far as they matter to some cases of a look.
struct Files {
    base: Vec<tare_units::Source>,
    head: Vec<tare_units::Source>,
    gone: Vec<String>,
}

/// A case whose code has to be compared, by its place among those that were asked for.
struct Waiting<'s> {
    at: usize,
    case: Recording,
    words: Vec<Arc<Words>>,
    /// Sources that it read beside those that all cases read, and where it sought something.
    read: BTreeSet<&'s Place>,
    sought: BTreeSet<&'s Path>,
    differing: BTreeSet<&'s Place>,
}

impl Waiting<'_> {
    /// Whether the same files matter to both.
    fn is_like(&self, other: &Self) -> bool {
        (&self.read, &self.sought, &self.differing) == (&other.read, &other.sought, &other.differing)
    }
}

impl Interpreted<'_, '_> {
    /// Compares the code of those of the cases, by their places; those of equal files together.
    pub(super) fn decided(&self, asked: &[LookedPair<'_>], left: Vec<usize>) -> Vec<(usize, Result<Decision, String>)> {
        let mut decided = Vec::with_capacity(left.len());
        if left.is_empty() {
            return decided;
        }
        let base = &self.prover.sides.roots[0];
        let (loading, differing) = match (self.recorded(&self.look.shared, base), self.differing()) {
            (Ok(loading), Ok(differing)) => (loading, differing),
            (Err(why), _) | (_, Err(why)) => return left.into_iter().map(|at| (at, Err(why.clone()))).collect(),
        };
        let shared_read: BTreeSet<&Place> = self.look.shared.facts.files().collect();
        // With the first units it is known where the runtime lies, whose files name nothing.
        if let Err(why) = self.read_units(self.own_sources(&shared_read, base).iter()) {
            return left.into_iter().map(|at| (at, Err(why.clone()))).collect();
        }
        let words = self.words(&shared_read);
        let mut waiting = Vec::new();
        for at in left {
            match self.wait(at, &asked[at], &shared_read, &loading) {
                Ok(case) => waiting.push(case),
                Err(finding) => decided.push((at, finding)),
            }
        }
        while let Some(first) = waiting.pop() {
            let (mut group, others): (Vec<Waiting<'_>>, _) = waiting.into_iter().partition(|case| case.is_like(&first));
            group.push(first);
            waiting = others;
            match self.files(&group[0], &shared_read, &differing) {
                Ok(files) => decided.extend(self.decided_together(asked, &group, &files, (&loading, &words))),
                Err(why) => decided.extend(group.iter().map(|case| (case.at, Err(why.clone())))),
            }
        }
        decided
    }

    /// The sources among those, but for what runs benchmarks: that is many files, and its names count for nothing.
    fn own_sources(&self, read: &BTreeSet<&Place>, root: &Root) -> Vec<PathBuf> {
        let places = self.places();
        let sources = read.iter().filter(|place| has_ending(place, self.endings)).map(|place| root.path(place));
        sources.filter(|path| places.origin(path) != Origin::Harness && path.is_file()).collect()
    }

    /// What has to be known of a case.
    ///
    /// # Errors
    ///
    /// The answer, or why there is none, where that is plain already.
    fn wait<'s>(
        &self,
        at: usize,
        asked: &'s LookedPair<'s>,
        shared_read: &BTreeSet<&'s Place>,
        loading: &Recording,
    ) -> Result<Waiting<'s>, Result<Decision, String>> {
        let case = self.recorded(asked.seen, &self.prover.sides.roots[0]).map_err(Err)?;
        let differing: BTreeSet<&Place> = asked.differences.iter().map(|one| &one.asked.place).collect();
        if !differing.is_empty() {
            let [of_loading, of_case] = [loading, &case].map(Recording::files);
            let ran = |shown: &str| of_loading.contains(shown) || of_case.contains(shown);
            let is_read = |shown: &str| [loading, &case].iter().any(|recording| recording.read.contains(shown));
            let mut shown = differing.iter().map(|place| place.shown());
            if let Some(file) = shown.find(|shown| !ran(shown) || is_read(shown)) {
                return Err(Ok(Decision::Different { file, unit: String::new(), reach: Reach::Executed }));
            }
        }
        let read: BTreeSet<&Place> = asked.seen.facts.files().filter(|place| !shared_read.contains(place)).collect();
        let mut words = self.words(&read);
        words.push(words_of_start(asked.pair).into());
        let read = read.into_iter().filter(|place| has_ending(place, self.endings)).collect();
        Ok(Waiting { at, case, words, read, sought: sought(&asked.seen.facts), differing })
    }

    fn decided_together(
        &self,
        asked: &[LookedPair<'_>],
        group: &[Waiting<'_>],
        files: &Files,
        (loading, words): (&Recording, &[Arc<Words>]),
    ) -> Vec<(usize, Result<Decision, String>)> {
        let base = &self.prover.sides.roots[0];
        let file = |pair: &Pair<'_>| {
            pair.base.sources.first().map(|file| base.place(file.as_ref()).shown()).unwrap_or_default()
        };
        let files_of: Vec<String> = group.iter().map(|case| file(asked[case.at].pair)).collect();
        let words_of: Vec<Vec<&Words>> =
            group.iter().map(|case| case.words.iter().map(AsRef::as_ref).collect()).collect();
        let cases: Vec<CaseRan<'_>> = group
            .iter()
            .zip(files_of.iter().zip(&words_of))
            .map(|(case, (file, words))| {
                let name = asked[case.at].pair.base.variant.case.own_name();
                let (class, method) = name.rsplit_once("::").unwrap_or_default();
                let begins = (self.language == Language::Php).then_some(Begins { file, class, method });
                CaseRan { begins, ran: &case.case, words }
            })
            .collect();
        let words: Vec<&Words> = words.iter().map(AsRef::as_ref).collect();
        let decisions = decide(&Question {
            language: self.language,
            base: &files.base,
            head: &files.head,
            gone: &files.gone,
            loading,
            words: &words,
            cases: &cases,
        });
        group.iter().map(|case| case.at).zip(decisions.into_iter().map(Ok)).collect()
    }

    /// The files that matter to a case, and to those like it.
    fn files(&self, case: &Waiting<'_>, shared_read: &BTreeSet<&Place>, differing: &[Place]) -> Result<Files, String> {
        let [base, candidate] = &self.prover.sides.roots;
        let is_source = |place: &&Place| has_ending(place, self.endings);
        let loaded: BTreeSet<&Place> =
            shared_read.iter().copied().filter(is_source).chain(case.read.iter().copied()).collect();
        // What the case didn't load and differs, another call may.
        let unloaded: BTreeSet<&Place> = differing.iter().filter(|place| !loaded.contains(place)).collect();
        let is_at = |place: &Place, root: &Root| root.path(place).is_file();
        // Of Python what is in a file that one side lacks doesn't matter: its name does.
        let is_seen = |place: &&Place| {
            is_source(place) && (self.language == Language::Php || is_at(place, base) && is_at(place, candidate))
        };
        let (unloaded, mut opaque): (BTreeSet<&Place>, BTreeSet<&Place>) = unloaded.into_iter().partition(is_seen);
        let mut sought = sought(&self.look.shared.facts);
        sought.extend(&case.sought);
        let mut changed: BTreeSet<&Place> = case.differing.iter().chain(&unloaded).copied().collect();
        let mut places = self.places();
        // What runs benchmarks is many files, and its names count for nothing.
        let counts = |place: &&&Place| places.origin(&base.path(place)) != Origin::Harness;
        let of_base = loaded.iter().chain(&unloaded).filter(counts).map(|place| base.path(place));
        let of_head = changed.iter().filter(counts).map(|place| candidate.path(place));
        let files: Vec<PathBuf> = of_base.chain(of_head).filter(|path| path.is_file()).collect();
        self.read_units(files.iter())?;
        let known = &self.prover.known;
        // Nor does it of a file that isn't Python.
        let is_fault = |path: &PathBuf| matches!(known.units(path).as_deref(), Some(Units::Fault(_)));
        let (faulty, unloaded): (BTreeSet<&Place>, BTreeSet<&Place>) = unloaded.into_iter().partition(|place| {
            self.language == Language::Python && [base, candidate].iter().any(|root| is_fault(&root.path(place)))
        });
        changed.retain(|place| !faulty.contains(place));
        opaque.extend(faulty);
        places.runtime = known.folders();
        let sourced = |place: &Place, root: &Root, loaded: bool| {
            let path = root.path(place);
            let units = known.units(&path);
            tare_units::Source {
                path: place.shown(),
                origin: places.origin(&base.path(place)),
                loaded,
                folders: if loaded { Vec::new() } else { unsought(place, &sought) },
                units: units.unwrap_or_else(|| Units::Fault("it isn't there".to_owned()).into()),
            }
        };
        let mut sources: Vec<tare_units::Source> = loaded.iter().map(|place| sourced(place, base, true)).collect();
        sources.extend(unloaded.iter().filter(|place| is_at(place, base)).map(|place| sourced(place, base, false)));
        // A file that only the candidate has stands on the base's side as one without units.
        let new = unloaded.iter().filter(|place| !is_at(place, base)).chain(&opaque);
        sources.extend(
            new.map(|place| tare_units::Source {
                units: Units::Known(Vec::new()).into(),
                ..sourced(place, base, false)
            }),
        );
        let is_there = |place: &&&Place| is_at(place, candidate);
        let head = changed.iter().filter(is_there).map(|place| sourced(place, candidate, false)).collect();
        let is_gone = |place: &&&Place| !is_at(place, candidate);
        let gone = changed.iter().filter(is_gone).chain(&opaque).map(|place| place.shown()).collect();
        Ok(Files { base: sources, head, gone })
    }

    /// What ran, with files named as sources are.
    pub(super) fn recorded(&self, seen: &Dependencies, root: &Root) -> Result<Recording, String> {
        let mut whole = Recording::default();
        if seen.code.is_empty() {
            return Err("the worker didn't say which code ran".to_owned());
        }
        // A module's file is named as its folder in the path of modules was written: `benchmarks/../package/module.py`.
        let named = |file: &str| match file.starts_with('/') {
            true => root.place(&as_recorded(file.as_ref())).shown(),
            false => file.to_owned(),
        };
        for (_, recording) in Recording::read(seen.code.as_bytes()).map_err(|error| error.to_string())? {
            whole = whole.with(recording.renamed(named));
        }
        Ok(whole)
    }
}

/// Folders of a side in which a look sought something.
fn sought(facts: &Facts) -> BTreeSet<&Path> {
    let inside = facts.answers.keys().filter_map(|asked| match &asked.place {
        Place::Inside(path) if asked.question == Of::Names => Some(path.as_path()),
        Place::Inside(path) => path.parent(),
        Place::Outside(_) => None,
    });
    inside.flat_map(Path::ancestors).collect()
}

/// Names of the folders around a file, up to one of those.
fn unsought(place: &Place, sought: &BTreeSet<&Path>) -> Vec<String> {
    let Place::Inside(path) = place else { return Vec::new() };
    let folders = path.ancestors().skip(1).take_while(|folder| !sought.contains(folder));
    folders.filter_map(|folder| folder.file_name()).map(|name| name.to_string_lossy().into_owned()).collect()
}
