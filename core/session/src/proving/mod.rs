//! Before revisions are compared: which cases execute and read nothing that differs between them. Those are `unchanged`, and aren't measured.
//!
//! Each source of the base is loaded once by a process that is followed, and each of its cases is run once ([`look`]). What they asked of the system is
//! asked of the candidate's files ([`tare_reach`]). Where source files differ, the code that the cases can reach decides ([`code`]).

mod answers;
mod causes;
mod code;
mod compiled;
mod differing;
mod interpreted;
mod look;
mod own;
mod pairs;
mod process;
mod told;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tare_plan::Group;
use tare_reach::{
    CommitRecords, Dependencies, Difference, Facts, Look, Place, Question, Root, Stamps, differences, mentions_module,
};
use tare_request::Request;
use tare_samples::{Case, Proof};
use tare_worker::ProcessLauncher;

use crate::event::Event;
use crate::session::Session;
use answers::Looking;
pub(crate) use causes::why_measured;
use interpreted::Known;
use look::{Source, sources};
use pairs::{LookedPair, Pair};
use told::ToldPaths;

/// What is known of a case before it is measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    /// Nothing that it executes or reads differs.
    Unchanged(Proof),
    /// This differs, a clause: "`src/Parser.php`: `Parser::next` differs".
    Differs(String),
    /// This differs and wasn't executed, and another call may: "`src/Parser.php`: `Parser::next` differs, and `Parser::all` can call it".
    MayDiffer(String),
    /// Whether something differs can't be told; the reason, a clause.
    Unproven(String),
}

impl Finding {
    fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged(_))
    }

    /// What is known to differ.
    pub(crate) fn what_differs(self) -> Option<String> {
        match self {
            Self::Differs(what) => Some(what),
            _ => None,
        }
    }
}

/// Where the sides of a comparison lie.
#[derive(Clone)]
pub(crate) struct Sides {
    roots: [Root; 2],
    /// Folders in which checkouts of revisions lie.
    checkouts: Vec<PathBuf>,
    /// The folder of the whole repository, which holds the user's own files.
    project: PathBuf,
    /// Virtual environments in it.
    environments: Vec<PathBuf>,
}

/// The part of `--total` after which looks end: what isn't looked at by then is measured.
const PART_OF_TOTAL: f64 = 0.5;
/// What is left of it for measuring, at least and at most, where most of what was looked at by then is unchanged: a look answers in a tenth of the time of a measurement, or less.
const LEFT_AT_LEAST: f64 = 0.1;
const LEFT_AT_MOST: f64 = 0.25;
/// What one case takes that has to be measured, twice where it differs, and each further one beside it.
const TO_MEASURE_ONE: Duration = Duration::from_secs(8);
const TO_MEASURE_ANOTHER: Duration = Duration::from_secs(3);

/// How many cases were looked at, and how many of them are unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Answered {
    cases: usize,
    unchanged: usize,
}

/// When looks end, of a time for the whole suite.
fn looks_end(total: Duration, answered: Answered) -> Duration {
    let Answered { cases, unchanged } = answered;
    if cases == 0 || 2 * unchanged < cases {
        return total.mul_f64(PART_OF_TOTAL);
    }
    let left = match u32::try_from(cases - unchanged).unwrap_or(u32::MAX) {
        0 => Duration::ZERO,
        others => TO_MEASURE_ANOTHER.saturating_mul(others - 1).saturating_add(TO_MEASURE_ONE),
    };
    total - left.clamp(total.mul_f64(LEFT_AT_LEAST), total.mul_f64(LEFT_AT_MOST))
}

/// What is found of each group, in their order; `None` where it isn't asked, or where there was no time for it. `measured`: whether a case has to be measured whatever is found, and why. `used`: of `--total`.
pub(crate) fn prove(
    groups: &[Group],
    request: &Request,
    own: &Path,
    (launcher, cpus): (&ProcessLauncher, &[usize]),
    measured: &dyn Fn(&Case) -> Option<String>,
    used: Duration,
    session: &Session<'_>,
) -> Vec<Option<Finding>> {
    let nothing = || vec![None; groups.len()];
    let refuse = |why: &str| session.notice(format!("no case can be proven to be unchanged: {why}; all are measured"));
    let sides = match Sides::of(request, own) {
        Ok(Some(sides)) => sides,
        Ok(None) => return nothing(),
        Err(why) => {
            refuse(&why);
            return nothing();
        }
    };
    let all_pairs: Vec<Vec<Pair<'_>>> = groups.iter().map(|group| pairs::of(group, &sides, measured)).collect();
    let wanted: Vec<&Pair<'_>> = all_pairs.iter().flatten().filter(|pair| pair.hindrance.is_none()).collect();
    let mut sources = sources(&wanted);
    let stamps = Stamps::default();
    let kept = [0, 1].map(|at| {
        let commit = request.sides[at].commit.as_deref().filter(|_| !request.sides[at].in_place());
        commit.map(|commit| CommitRecords::of(own, commit))
    });
    let begun = Instant::now();
    let stop = session.stop_flag();
    let is_over = |answered: Answered| {
        stop.load(Ordering::Relaxed)
            || request.settings.total.is_some_and(|total| used + begun.elapsed() > looks_end(total, answered))
    };
    // Of what is under way.
    let stopped = || is_over(Answered { cases: 1, unchanged: 1 });
    let prover = Prover { sides: &sides, stamps: &stamps, own, known: Known::default(), stopped: &stopped };
    // Where time is short what is likely to differ is known to differ, and measured first.
    sources.sort_by_cached_key(|source| !interpreted::names_what_differs(source, &prover));
    let looking = Looking { request, launcher, cpus, stamps: &stamps, is_over: &is_over, kept };
    let answers = looking.answers(&sources, &prover, session);
    session.emit(&Event::Looked);
    let found = match answers {
        Ok(found) => found,
        Err(why) => {
            refuse(&why);
            return nothing();
        }
    };
    let unknown = wanted.len() - found.len();
    if unknown > 0 && !session.is_stopped() {
        session.notice(format!(
            "--total was too short to look at {unknown} of {} cases; Tare measures these as if they had changed",
            wanted.len()
        ));
    }
    CommitRecords::clean(own);
    all_pairs.iter().map(|pairs| together(pairs, &found)).collect()
}

/// What is found of a group: it is unchanged where all of its pairs are.
fn together(pairs: &[Pair<'_>], found: &HashMap<&str, Finding>) -> Option<Finding> {
    let mut whole: Option<Finding> = None;
    for pair in pairs {
        let finding = match &pair.hindrance {
            Some(why) => Finding::Unproven(why.clone()),
            None => found.get(pair.candidate.variant.id.as_str())?.clone(),
        };
        whole = Some(match (whole, finding) {
            (None, finding) => finding,
            (Some(Finding::Unchanged(_)), finding) => finding,
            (Some(worse), _) => worse,
        });
    }
    whole
}

/// What pytest reads of a `pyproject.toml`; `None` where it can't be read.
fn pytests_part(path: &Path) -> Option<Option<toml::Value>> {
    let document: toml::Table = std::fs::read_to_string(path).ok()?.parse().ok()?;
    Some(document.get("tool").and_then(|tools| tools.get("pytest")).cloned())
}

/// Virtual environments of Python that lie in one of these folders (PEP 405: `pyvenv.cfg` is at their top).
fn environments(folders: &[&Path]) -> Vec<PathBuf> {
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    entries.map(|entry| entry.path()).filter(|folder| folder.join("pyvenv.cfg").is_file()).collect()
}

impl Sides {
    /// `None` where no two revisions are compared.
    ///
    /// # Errors
    ///
    /// A side that lies in no repository of git, as a clause.
    fn of(request: &Request, own: &Path) -> Result<Option<Self>, String> {
        let [base, candidate] = request.sides.as_slice() else { return Ok(None) };
        let top = |folder: &Path| {
            let found = folder.ancestors().find(|folder| folder.join(".git").exists());
            found.map(Path::to_owned).ok_or_else(|| format!("no folder above `{}` has a `.git`", folder.display()))
        };
        let [first, second] = [top(&base.root)?, top(&candidate.root)?];
        let project = top(&request.folder)?;
        let checked_out = [(base, &first), (candidate, &second)].into_iter().filter(|(side, _)| !side.in_place());
        let checkouts: Vec<PathBuf> = checked_out.filter_map(|(_, top)| Some(top.parent()?.to_owned())).collect();
        let environments = environments(&[&project, &request.folder]);
        let root = |folder: &Path| {
            let root = Root::new(folder, own).with_environments(&environments);
            checkouts.iter().fold(root, |root, folder| root.and_own(folder))
        };
        Ok(Some(Self { roots: [root(&first), root(&second)], checkouts, project, environments }))
    }
}

impl Sides {
    /// The other way round.
    fn turned(&self) -> Self {
        let mut turned = self.clone();
        turned.roots.reverse();
        turned
    }
}

/// Judges what looks have shown.
struct Prover<'a> {
    sides: &'a Sides,
    stamps: &'a Stamps,
    /// Tare's own folder.
    own: &'a Path,
    known: Known,
    stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Prover<'_> {
    /// What is found of each pair of a source, in their order.
    fn judge(&self, source: &Source<'_>, look: &Look) -> Vec<Finding> {
        let [base, candidate] = &self.sides.roots;
        let differ = |facts: &Facts| {
            differences(facts, base, candidate, self.stamps).map_err(|changed| {
                Finding::Unproven(format!(
                    "`{}` changed while it was looked at, by the case or by another program",
                    changed.0.shown()
                ))
            })
        };
        let shared = differ(&look.shared.facts);
        let see = |pair: &&Pair<'_>| match look.cases.get(&pair.base.variant.case.id()) {
            Some(Ok(seen)) => Ok((seen, differ(&seen.facts)?)),
            Some(Err(why)) => Err(Finding::Unproven(why.clone())),
            None => Err(Finding::Unproven("it wasn't looked at".to_owned())),
        };
        let own: Vec<Result<(&Dependencies, Vec<Difference>), Finding>> = source.pairs.iter().map(see).collect();
        let (mut findings, mut asked) = (Vec::new(), Vec::new());
        for (pair, own) in source.pairs.iter().zip(&own) {
            match self.ask(pair, look, shared.as_deref(), own.as_ref()) {
                Ok(one) => {
                    asked.push(one);
                    findings.push(None);
                }
                Err(finding) => findings.push(Some(finding)),
            }
        }
        let mut judged = code::Code::new(source, look, self).judge(&asked).into_iter();
        findings.into_iter().filter_map(|finding| finding.or_else(|| judged.next())).collect()
    }

    /// What has to be judged of a pair: what its process and the case asked for that differs.
    fn ask<'s>(
        &self,
        pair: &'s Pair<'s>,
        look: &'s Look,
        shared: Result<&'s [Difference], &Finding>,
        own: Result<&'s (&'s Dependencies, Vec<Difference>), &Finding>,
    ) -> Result<LookedPair<'s>, Finding> {
        let (seen, own) = own.map_err(Clone::clone)?;
        let facts = [&look.shared.facts, &seen.facts];
        if let Some(why) = facts.iter().find_map(|facts| facts.incomplete.as_ref()) {
            return Err(Finding::Unproven(why.clone()));
        }
        if let Some(what) = facts.iter().find_map(|facts| facts.outside.iter().next()) {
            return Err(Finding::Unproven(format!("it depends on {what}")));
        }
        let shared = shared.map_err(Clone::clone)?;
        let runners = |one: &Difference| self.is_of_other_tools(one, [&look.shared.code, &seen.code]);
        let differences = shared.iter().chain(own).filter(|one| self.counts(one, &facts) && !runners(one)).collect();
        let all_equal = shared.is_empty() && own.is_empty();
        let files = facts.iter().flat_map(|facts| facts.files()).collect::<HashSet<_>>().len();
        Ok(LookedPair { pair, differences, all_equal, seen, files })
    }

    /// Whether only what other tools want to know differs of a `pyproject.toml` that nothing but pytest has read, by the `code` that ran.
    fn is_of_other_tools(&self, difference: &Difference, code: [&String; 2]) -> bool {
        let Place::Inside(place) = &difference.asked.place else { return false };
        let is_its = place.file_name().is_some_and(|name| name == "pyproject.toml");
        let sides = self.sides.roots.each_ref().map(|root| root.path(&difference.asked.place));
        let asks = matches!(difference.asked.question, Question::Content | Question::Existence);
        is_its
            && asks
            && !difference.is_of_mode()
            && !code.iter().any(|code| ToldPaths::of(code).read.contains(&sides[0]))
            && pytests_part(&sides[0]).is_some_and(|part| pytests_part(&sides[1]) == Some(part))
    }

    /// Whether a difference matters: names of modules that only one side has do where a source that was read could mean them.
    fn counts(&self, difference: &Difference, facts: &[&Facts]) -> bool {
        if !difference.is_of_modules() {
            return true;
        }
        let names = difference.names();
        let read = facts.iter().flat_map(|facts| facts.files());
        let sources = read.filter(|place| matches!(place, Place::Inside(_)));
        sources.into_iter().any(|place| {
            let text = std::fs::read(self.sides.roots[0].path(place)).unwrap_or_default();
            mentions_module(&String::from_utf8_lossy(&text), &names)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tare_definition::Project;
    use tare_definition::Selection;
    use tare_request::{Request, Side};

    use std::time::Duration;

    use super::{Answered, Sides, looks_end, pytests_part};

    #[test]
    fn of_a_project_file_pytest_reads_its_own_part() {
        let folder = tempfile::tempdir().unwrap();
        let part = |text: &str| {
            let path = folder.path().join("pyproject.toml");
            fs::write(&path, text).unwrap();
            pytests_part(&path)
        };
        let of = |version: &str, options: &str| {
            part(&format!("[project]\nversion = \"{version}\"\n[tool.pytest.ini_options]\naddopts = \"{options}\"\n"))
        };
        assert_eq!(of("1", "-q"), of("2", "-q"));
        assert_ne!(of("1", "-q"), of("1", "-v"));
        assert_eq!(part("[tool.ruff]\nline-length = 100\n"), Some(None));
        assert_ne!(part("[tool.pytest]\naddopts = []\n"), Some(None));
        assert_eq!(part("[project\n"), None, "what can't be read is no part");
        assert_eq!(pytests_part(&folder.path().join("none")), None);
    }

    #[test]
    fn looks_leave_what_the_cases_take_that_have_to_be_measured() {
        let end = |total: u64, cases, unchanged| {
            looks_end(Duration::from_secs(total), Answered { cases, unchanged }).as_secs_f64()
        };
        assert_eq!(end(60, 0, 0), 30.0, "nothing is known");
        assert_eq!(end(60, 100, 49), 30.0, "most have to be measured");
        assert_eq!(end(60, 1000, 1000), 54.0);
        assert_eq!(end(60, 1000, 999), 52.0);
        assert_eq!(end(60, 1000, 997), 46.0);
        assert_eq!(end(60, 1000, 900), 45.0, "a quarter at the most");
        assert_eq!(end(10, 1000, 999), 7.5);
        assert_eq!(end(600, 1000, 999), 540.0);
    }

    #[test]
    fn a_side_without_git_is_named_and_a_store_elsewhere_is_none_of_its_business() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["project/.git", "other"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let project = Project::find(&at("project")).unwrap();
        let mut request = Request::of_selection(&Selection::default(), at("project"), &project).unwrap();
        let side = |root: &Path| Side {
            name: ".".into(),
            commit: None,
            root: root.to_owned(),
            working_tree: true,
            folder: root.to_owned(),
        };
        let own = at("elsewhere");
        request.sides = vec![side(&at("project"))];
        assert!(matches!(Sides::of(&request, &own), Ok(None)));
        request.sides = vec![side(&at("project")), side(&at("project"))];
        assert!(matches!(Sides::of(&request, &own), Ok(Some(_))));
        request.sides = vec![side(&at("project")), side(&at("other"))];
        let why = Sides::of(&request, &own).err().unwrap();
        assert_eq!(why, format!("no folder above `{}` has a `.git`", at("other").display()));
    }
}
