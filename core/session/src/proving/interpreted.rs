//! Sources of interpreted languages that differ: whether a unit that differs was executed, or could be.

mod decided;
mod known;
mod ran;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tare_reach::{Dependencies, Difference, Look, Place, Question as Of, mentions_module};
use tare_samples::{Proof, ProofLevel};
use tare_units::{Decision, Language, Mentioned, Origin, Places, Reach, Units, Words, mentions_any, tokens};
use tare_worker::{cache_folder, print_units};

use super::differing::sources;
use super::look::Source;
use super::pairs::{LookedPair, Pair};
use super::{Finding, Prover};
use known::Differing;
pub(super) use known::Known;

/// Data files larger than this may name anything.
const LARGEST: u64 = 64 << 20;

/// The sources of a look, by language.
pub(super) struct Interpreted<'a, 'p> {
    source: &'p Source<'a>,
    look: &'p Look,
    prover: &'p Prover<'a>,
    language: Language,
    endings: &'static [&'static str],
    /// Of modules that aren't source.
    opaque: &'static [&'static str],
    /// Of loading the sources.
    shared: OnceCell<Result<Loads<'p>, String>>,
}

/// What a part of a look loaded, and what that mentions.
struct Loads<'s> {
    read: BTreeSet<&'s Place>,
    /// Sources, but for those of what runs benchmarks.
    mentioned: Vec<(Origin, Arc<Mentioned>)>,
    /// Of files that aren't sources.
    words: Vec<Arc<Words>>,
    /// Of code that ran.
    ran: HashSet<String>,
}

/// A language, and the endings of its files.
struct Kind {
    language: Language,
    endings: &'static [&'static str],
    opaque: &'static [&'static str],
}

impl Kind {
    fn of(source: &Source<'_>) -> Option<Self> {
        let (language, endings, opaque): (_, &[&str], &[&str]) = match source.base().variant.case.language.as_str() {
            "python" => (Language::Python, &["py"], &["so", "pyc", "zip", "egg"]),
            "php" => (Language::Php, &["php", "inc", "phtml"], &["phar"]),
            _ => return None,
        };
        Some(Self { language, endings, opaque })
    }
}

/// Files that differ between the sides and that the language loads, whether or not a look did.
fn differing(prover: &Prover<'_>, kind: Kind) -> Differing {
    prover.known.differing(kind.language, || {
        sources(prover.sides, prover.own, &[kind.endings, kind.opaque].concat()).map(Arc::new)
    })
}

/// Whether a source differs, or names a file that does. Its cases are the likeliest to differ; what that says is no proof of anything.
pub(super) fn names_what_differs(source: &Source<'_>, prover: &Prover<'_>) -> bool {
    let Some(Ok(differing)) = Kind::of(source).map(|kind| differing(prover, kind)) else { return false };
    let names: Vec<Cow<'_, str>> = differing
        .iter()
        .map(|place| {
            let (Place::Inside(path) | Place::Outside(path)) = place;
            path.file_name().unwrap_or_default().to_string_lossy()
        })
        .collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    source.base().sources.iter().map(Path::new).any(|path| {
        let text = || fs::read(path).unwrap_or_default();
        differing.contains(&prover.sides.roots[0].place(path))
            || mentions_module(&String::from_utf8_lossy(&text()), &names)
    })
}

impl<'a, 'p> Interpreted<'a, 'p> {
    /// `None` for other languages.
    pub(super) fn new(source: &'p Source<'a>, look: &'p Look, prover: &'p Prover<'a>) -> Option<Self> {
        let Kind { language, endings, opaque } = Kind::of(source)?;
        Some(Self { source, look, prover, language, endings, opaque, shared: OnceCell::new() })
    }

    /// Whether it is the content of a source that differs.
    fn is_source(&self, difference: &Difference) -> bool {
        difference.asked.question == Of::Content
            && !difference.is_of_mode()
            && has_ending(&difference.asked.place, self.endings)
    }

    /// What is found of each.
    pub(super) fn judge(&self, asked: &[LookedPair<'_>]) -> Vec<Finding> {
        let mut found: Vec<Option<Finding>> = asked.iter().map(|asked| self.judged_by_files(asked)).collect();
        let left = found.iter().enumerate().filter(|(_, finding)| finding.is_none()).map(|(at, _)| at).collect();
        for (at, decided) in self.decided(asked, left) {
            found[at] = Some(match decided {
                Ok(Decision::Same { units }) => {
                    // Where all that was asked of files is the same, and code says that no call can load what differs, files have decided: a candidate's process would
                    // get the same answers.
                    let level = if asked[at].all_equal { ProofLevel::Files } else { ProofLevel::Code };
                    Finding::Unchanged(Proof { level, files: asked[at].files, units })
                }
                Ok(Decision::Different { file, unit, reach }) => {
                    let what = described(&file, &unit, &reach);
                    if reach == Reach::Executed { Finding::Differs(what) } else { Finding::MayDiffer(what) }
                }
                Ok(Decision::Unknown { why }) | Err(why) => Finding::Unproven(why),
            });
        }
        let unseen = || Finding::Unproven("its code wasn't compared".to_owned());
        found.into_iter().map(|finding| finding.unwrap_or_else(unseen)).collect()
    }

    /// What is found without comparing code.
    fn judged_by_files(&self, asked: &LookedPair<'_>) -> Option<Finding> {
        if let Some(first) = asked.differences.iter().find(|difference| !self.is_source(difference)) {
            return Some(Finding::Differs(first.shown()));
        }
        let is_same = asked.differences.is_empty()
            && self.mentions_what_differs(asked.pair, asked.seen).is_ok_and(|mentions| !mentions);
        is_same.then_some(Finding::Unchanged(Proof { level: ProofLevel::Files, files: asked.files, units: 0 }))
    }

    /// Whether a source that differs and wasn't loaded is mentioned anywhere in what was: only then can another call load it.
    fn mentions_what_differs(&self, pair: &Pair<'_>, seen: &Dependencies) -> Result<bool, String> {
        let differing = self.differing()?;
        if differing.is_empty() {
            return Ok(false);
        }
        // The cases of a look share nearly all that they load.
        let shared = self.shared.get_or_init(|| self.loads(&self.look.shared)).as_ref().map_err(String::clone)?;
        let own = self.loads(seen)?;
        let all = [shared, &own];
        let is_read = |place: &Place| all.iter().any(|loads| loads.read.contains(place));
        let unloaded: Vec<&Place> = differing.iter().filter(|place| !is_read(place)).collect();
        let sides_of = |place: &Place| self.prover.sides.roots.each_ref().map(|root| root.path(place));
        let new = unloaded.iter().filter(|place| has_ending(place, self.endings)).flat_map(|place| sides_of(place));
        let new: Vec<PathBuf> = new.filter(|path| path.is_file()).collect();
        self.read_units(new.iter())?;
        let known = &self.prover.known;
        let units: Vec<(String, Option<Arc<Units>>)> =
            unloaded.iter().flat_map(|place| sides_of(place).map(|path| (place.shown(), known.units(&path)))).collect();
        let unloaded: Vec<(String, Option<&Units>)> =
            units.iter().map(|(shown, units)| (shown.clone(), units.as_deref())).collect();
        let of_loaded: Vec<(Origin, &Mentioned)> =
            all.iter().flat_map(|loads| &loads.mentioned).map(|(origin, of)| (*origin, of.as_ref())).collect();
        let of_start = words_of_start(pair);
        let words: Vec<&Words> =
            all.iter().flat_map(|loads| &loads.words).map(AsRef::as_ref).chain([&of_start]).collect();
        Ok(mentions_any(self.language, &of_loaded, &words, &all.map(|loads| &loads.ran), &unloaded))
    }

    /// What was read and ran in a part of a look, and what it mentions.
    fn loads<'s>(&self, seen: &'s Dependencies) -> Result<Loads<'s>, String> {
        let base = &self.prover.sides.roots[0];
        let known = &self.prover.known;
        let read: BTreeSet<&Place> = seen.facts.files().collect();
        let mut places = self.places();
        let sources = read.iter().filter(|place| has_ending(place, self.endings)).map(|place| base.path(place));
        let mut sources: Vec<PathBuf> = sources.collect();
        sources.retain(|path| places.origin(path) != Origin::Harness);
        self.read_units(sources.iter().filter(|path| path.is_file()))?;
        places.runtime = known.folders();
        let of_file = |path: &PathBuf| Some((places.origin(path), known.mentioned(path)?));
        let mentioned = sources.iter().filter_map(of_file).collect();
        let words = self.words(&read);
        Ok(Loads { read, mentioned, words, ran: tokens(&seen.code) })
    }

    fn places(&self) -> Places {
        Places {
            project: self.prover.sides.roots[0].folder().to_owned(),
            runtime: Vec::new(),
            harness: cache_folder().into_iter().collect(),
        }
    }

    fn differing(&self) -> Differing {
        differing(self.prover, Kind { language: self.language, endings: self.endings, opaque: self.opaque })
    }

    /// Words of what was read that isn't source, by file.
    fn words(&self, read: &BTreeSet<&Place>) -> Vec<Arc<Words>> {
        let root = &self.prover.sides.roots[0];
        let split = |place: &Place| {
            let path = root.path(place);
            self.prover.known.words(&path, || words_of(place, &path))
        };
        self.data(read).map(split).collect()
    }

    /// What is read and isn't source.
    fn data<'f>(&self, read: &'f BTreeSet<&'f Place>) -> impl Iterator<Item = &'f Place> {
        let (endings, language) = (self.endings, self.language);
        let runtimes = self.prover.known.prefixes();
        let is_runtimes = move |place: &Place| matches!(place, Place::Outside(path) if !is_package(path) && runtimes.iter().any(|prefix| path.starts_with(prefix)));
        read.iter().copied().filter(move |place| {
            !has_ending(place, endings) && !is_of_the_system(place, language) && !is_runtimes(place)
        })
    }

    /// Has the runtime print the units of those files that aren't known yet.
    fn read_units<'f>(&self, files: impl Iterator<Item = &'f PathBuf>) -> Result<(), String> {
        let runtime = &self.source.base().variant.runtime;
        let version = format!("{} {} {:?}", runtime.language, runtime.version, runtime.facts);
        let roots = &self.prover.sides.roots;
        let is_of_library = |path: &Path| roots.iter().all(|root| matches!(root.place(path), Place::Outside(_)));
        self.prover.known.read_units(files, |missing| {
            let stopped = self.prover.stopped;
            let printed = print_units(&runtime.command, &version, missing, &is_of_library, &mut || !stopped())
                .map_err(|failure| failure.message)?;
            tare_units::read(&printed).map_err(|error| error.to_string())
        })
    }
}

/// Words of parameters, arguments and environment.
fn words_of_start(pair: &Pair<'_>) -> Words {
    let mut words = Words::default();
    let case = &pair.base.variant.case;
    let named = case.parameters.values.iter().map(|(name, value)| format!("{name} {value}"));
    let start = &pair.base.start;
    let environment = start.environment.iter().map(|(name, value)| format!("{name} {value}"));
    for text in named.chain(start.command.iter().cloned()).chain(environment).chain(case.parameters.name.clone()) {
        words.add("its parameters and arguments", text.as_bytes());
    }
    words
}

fn words_of(place: &Place, path: &Path) -> Words {
    let mut words = Words::default();
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() <= LARGEST => {
            words.add(&place.shown(), &fs::read(path).unwrap_or_default());
        }
        _ => words.hide(&place.shown()),
    }
    words
}

/// Libraries and settings of the system and the runtime, which name no unit of a project.
fn is_of_the_system(place: &Place, language: Language) -> bool {
    if language == Language::Python && describes_a_package(place) {
        return true;
    }
    let Place::Outside(path) = place else { return false };
    // PHP's extensions and settings lie wherever it was installed.
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if language == Language::Php && (name.contains(".so") || name.ends_with(".ini")) {
        return true;
    }
    !is_package(path)
        && ["/usr", "/lib", "/lib64", "/etc", "/opt", "/bin"].iter().any(|folder| path.starts_with(folder))
}

fn is_package(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "site-packages" || part.as_os_str() == "dist-packages")
}

/// What an installed package says of itself to people and installers: pytest reads it of each, to find plugins by their entry points.
fn describes_a_package(place: &Place) -> bool {
    let (Place::Inside(path) | Place::Outside(path)) = place;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    ["METADATA", "PKG-INFO", "RECORD", "WHEEL", "SOURCES.txt"].contains(&name)
        && [".dist-info", ".egg-info"].iter().any(|ending| folder.ends_with(ending))
}

fn described(file: &str, unit: &str, reach: &Reach) -> String {
    let whole = ["<module>", "<file>"].contains(&unit);
    let what = if unit.is_empty() {
        format!("`{file}`, which it reads as data, differs")
    } else if whole {
        format!("`{file}`: what it does when it is loaded differs")
    } else {
        format!("`{file}`: `{unit}` differs")
    };
    match reach {
        Reach::Named { by } if *by == format!("`{file}`: `{unit}`") => {
            format!("{what}, and another call can execute it")
        }
        Reach::Named { by } if !by.is_empty() => format!("{what}, and {by} can call it"),
        Reach::Named { .. } => format!("{what}, and the runtime can call it"),
        Reach::Loaded => format!("{what}, and another call can load that file"),
        Reach::Enumerated { by } => format!("{what}, and {by} can call any"),
        Reach::Executed => what,
    }
}

/// Whether a place is a source file of a language, by its ending.
fn has_ending(place: &Place, endings: &[&str]) -> bool {
    let (Place::Inside(path) | Place::Outside(path)) = place;
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| endings.contains(&extension))
}
