//! Before revisions are compared: which cases execute and read nothing that differs between them. Those are `unchanged`, and aren't measured.
//!
//! Each source of the base is loaded once by a process that is followed, and each of its cases is run once ([`look`]). What they asked of the system is
//! asked of the candidate's files ([`tare_reach`]). Where source files differ, the code that the cases can reach decides ([`code`]).

mod code;
mod compiled;
mod differing;
mod interpreted;
mod look;
mod looking;
mod own;
mod pairs;
mod process;
mod progress;
mod told;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use tare_plan::Group;
use tare_reach::{Difference, Facts, Kept, Look, Place, Root, Seen, Stamps, differences, mentions_module};
use tare_request::Request;
use tare_samples::{Case, Proof, ProofLevel};
use tare_worker::ProcessLauncher;

use crate::event::{Event, LookingStep};
use crate::measuring::on_all_cpus::on_all_cpus;
use crate::session::Session;
use interpreted::{Interpreted, Known};
use look::{Source, sources};
use looking::Looking;
use pairs::{Asked, Pair};
use progress::Progress;

/// What is known of a case before it is measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    /// Nothing that it executes or reads differs.
    Unchanged(Proof),
    /// This differs, a clause: "`src/Parser.php`: `Parser::next` differs".
    Differs(String),
    /// Whether something differs can't be told; the reason, a clause.
    Unproven(String),
}

impl Finding {
    fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged(_))
    }
}

/// Where the sides of a comparison lie.
pub(crate) struct Sides {
    roots: [Root; 2],
    /// Folders in which checkouts of revisions lie.
    checkouts: Vec<PathBuf>,
    /// The folder of the whole repository, which holds the user's own files.
    project: PathBuf,
}

/// The part of `--total` that looks may take: what isn't looked at by then is measured.
const PART_OF_TOTAL: u32 = 4;

/// What is found of each group, in their order; `None` where it isn't asked, or where there was no time for it. `measured`: whether a case has to be measured whatever is found, and why.
pub(crate) fn prove(
    groups: &[Group],
    request: &Request,
    own: &Path,
    (launcher, cpus): (&ProcessLauncher, &[usize]),
    measured: &dyn Fn(&Case) -> Option<String>,
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
    let all_pairs: Vec<Vec<Pair<'_>>> = groups.iter().map(|group| pairs::of(group, measured)).collect();
    let wanted: Vec<&Pair<'_>> = all_pairs.iter().flatten().filter(|pair| pair.hindrance.is_none()).collect();
    let sources = sources(&wanted);
    let stamps = Stamps::default();
    let [kept, kept_next] = [0, 1].map(|at| {
        let commit = request.sides[at].commit.as_deref().filter(|_| !request.sides[at].in_place());
        commit.map(|commit| Kept::of(own, commit))
    });
    let until = request.settings.total.map(|total| Instant::now() + total / PART_OF_TOTAL);
    let is_late = move || until.is_some_and(|until| Instant::now() > until);
    let looking = Looking { request, launcher, cpus, session, stamps: &stamps, is_late: &is_late };
    let looks = match looking.at(&sources, kept.as_ref(), &sides, LookingStep::Cases) {
        Ok(looks) => looks,
        Err(why) => {
            session.emit(&Event::Looked);
            refuse(&why);
            return nothing();
        }
    };
    let stop = session.stop_flag();
    let stopped = || stop.load(Ordering::Relaxed) || is_late();
    let prover = Prover { sides: &sides, stamps: &stamps, own, known: Known::default(), stopped: &stopped };
    let mut found: HashMap<&str, Finding> = HashMap::new();
    let mut progress = Progress::begin(session, LookingStep::Comparing, wanted.len());
    let looked: Vec<(&Source<'_>, &Look)> =
        sources.iter().enumerate().filter_map(|(at, source)| Some((source, looks.get(&at)?))).collect();
    on_all_cpus(
        &looked,
        cpus,
        |_| (),
        |(), (source, look)| prover.judge(source, look),
        |(source, look), findings| {
            progress.add(findings.len());
            if let (Some(_), Some(kept_next)) = (&kept, &kept_next)
                && findings.iter().all(Finding::is_unchanged)
            {
                // The candidate of this comparison is the base of the next, and would show the same. Where a file differs that decided nothing here, the
                // next comparison sees that, and takes a look of its own.
                let [base, candidate] = sides.roots.each_ref().map(|root| root.path(&Place::Inside(PathBuf::new())));
                if let Some(look) = look.moved(&base, &candidate) {
                    kept_next.put(&source.key(&sides, 1), &look);
                }
            }
            for (pair, finding) in source.pairs.iter().zip(findings) {
                found.insert(&pair.candidate.variant.id, finding);
            }
            true
        },
    );
    if let Err(why) = confirm(looked, &looking, kept_next.as_ref(), &prover, &mut found) {
        session.emit(&Event::Looked);
        refuse(&why);
        return nothing();
    }
    session.emit(&Event::Looked);
    let is_known = |at: usize, pair: &Pair<'_>| {
        looks.get(&at).is_some_and(|look| look.cases.contains_key(&pair.base.variant.case.id()))
    };
    let unknown_in =
        |(at, source): (usize, &Source<'_>)| source.pairs.iter().filter(|pair| !is_known(at, pair)).count();
    let unknown: usize = sources.iter().enumerate().map(unknown_in).sum();
    if is_late() && unknown > 0 {
        session.notice(format!(
            "a quarter of --total was too short to look at {unknown} of {} cases; Tare measures these as if they had changed",
            wanted.len()
        ));
    }
    Kept::clean(own);
    all_pairs.iter().map(|pairs| together(pairs, &found)).collect()
}

/// Where code decided, the candidate is looked at as well, and what is found takes the proof away where it has to. The next comparison finds that look
/// where it is the base.
///
/// # Errors
///
/// Why no process can be followed.
fn confirm<'a>(
    looked: Vec<(&Source<'a>, &Look)>,
    looking: &Looking<'_, '_>,
    kept: Option<&Kept>,
    prover: &Prover<'_>,
    found: &mut HashMap<&'a str, Finding>,
) -> Result<(), String> {
    let is_by_code = |found: &HashMap<&str, Finding>, pair: &Pair<'_>| matches!(found.get(&*pair.candidate.variant.id), Some(Finding::Unchanged(proof)) if proof.level == ProofLevel::Code);
    // Of what is compiled, code is all that the linker kept.
    let is_doubted =
        |source: &Source<'_>| source.programs().is_none() && source.pairs.iter().any(|pair| is_by_code(found, pair));
    let doubted: Vec<(&Source<'a>, &Look)> = looked.into_iter().filter(|(source, _)| is_doubted(source)).collect();
    let turned: Vec<Vec<Pair<'_>>> =
        doubted.iter().map(|(source, _)| source.pairs.iter().map(|pair| pair.turned()).collect()).collect();
    let others: Vec<Source<'_>> = turned.iter().map(|pairs| Source { pairs: pairs.iter().collect() }).collect();
    let again = looking.at(&others, kept, &prover.sides.turned(), LookingStep::Candidates)?;
    for (at, (source, look)) in doubted.into_iter().enumerate() {
        let pairs: Vec<&Pair<'a>> = source.pairs.iter().filter(|pair| is_by_code(found, pair)).copied().collect();
        let interpreted = Interpreted::new(source, look, prover);
        let unlike = again.get(&at).zip(interpreted).map(|(again, interpreted)| interpreted.unlike(&pairs, again));
        let unseen = || Some(Finding::Unproven("there was no time to run its candidate".to_owned()));
        let unlike = unlike.unwrap_or_else(|| pairs.iter().map(|_| unseen()).collect());
        for (pair, finding) in pairs.into_iter().zip(unlike) {
            if let Some(finding) = finding {
                found.insert(&pair.candidate.variant.id, finding);
            }
        }
    }
    Ok(())
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
        let root = |folder: &Path| checkouts.iter().fold(Root::new(folder, own), |root, folder| root.and_own(folder));
        Ok(Some(Self { roots: [root(&first), root(&second)], checkouts, project }))
    }
}

impl Sides {
    /// The other way round.
    fn turned(&self) -> Self {
        let [base, candidate] = self.roots.clone();
        Self { roots: [candidate, base], checkouts: self.checkouts.clone(), project: self.project.clone() }
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
            differences(facts, base, candidate, self.stamps)
                .map_err(|changed| Finding::Unproven(format!("`{}` changed while it was looked at", changed.0.shown())))
        };
        let shared = differ(&look.shared.facts);
        let see = |pair: &&Pair<'_>| match look.cases.get(&pair.base.variant.case.id()) {
            Some(Ok(seen)) => Ok((seen, differ(&seen.facts)?)),
            Some(Err(why)) => Err(Finding::Unproven(why.clone())),
            None => Err(Finding::Unproven("it wasn't looked at".to_owned())),
        };
        let own: Vec<Result<(&Seen, Vec<Difference>), Finding>> = source.pairs.iter().map(see).collect();
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
        own: Result<&'s (&'s Seen, Vec<Difference>), &Finding>,
    ) -> Result<Asked<'s>, Finding> {
        let (seen, own) = own.map_err(Clone::clone)?;
        let facts = [&look.shared.facts, &seen.facts];
        if let Some(why) = facts.iter().find_map(|facts| facts.incomplete.as_ref()) {
            return Err(Finding::Unproven(why.clone()));
        }
        if let Some(what) = facts.iter().find_map(|facts| facts.outside.iter().next()) {
            return Err(Finding::Unproven(format!("it depends on {what}")));
        }
        let shared = shared.map_err(Clone::clone)?;
        let differences = shared.iter().chain(own).filter(|one| self.counts(one, &facts)).collect();
        let files = facts.iter().flat_map(|facts| facts.files()).collect::<HashSet<_>>().len();
        Ok(Asked { pair, differences, seen, files })
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

    use super::Sides;

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
