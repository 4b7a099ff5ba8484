//! One source after the other is answered whole: its base is looked at, what that shows is compared with the candidate's files, and where code decides the
//! candidate is looked at as well. Whatever time there is, what was begun first has its answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use tare_reach::{CommitRecords, Look, Stamps};
use tare_request::Request;
use tare_samples::ProofLevel;
use tare_worker::ProcessLauncher;

use super::interpreted::Interpreted;
use super::look::{Source, looked};
use super::pairs::Pair;
use super::process::Worker;
use super::{Answered, Finding, Prover, Sides};
use crate::event::LookingStep;
use crate::on_all_cpus::on_all_cpus_in_parts;
use crate::session::Session;
use crate::step_progress::StepProgress;

/// How looks are taken.
pub(super) struct Looking<'a> {
    pub(super) request: &'a Request,
    pub(super) launcher: &'a ProcessLauncher,
    pub(super) cpus: &'a [usize],
    pub(super) stamps: &'a Stamps,
    /// Whether nothing more is wanted, for want of time mostly; by what was answered.
    pub(super) is_over: &'a (dyn Fn(Answered) -> bool + Sync),
    /// Looks that are kept: of the base, and of the candidate, which the next comparison finds where it is the base. Of a working tree none are.
    pub(super) kept: [Option<CommitRecords>; 2],
}

/// What comes of a source.
enum Part<'a> {
    /// So many more of its cases are done.
    Cases(usize),
    /// So many more looks have to be taken than was known.
    More(usize),
    /// What is found of it, by the candidates' variants; or why no process can be followed.
    Found(Result<Vec<(&'a str, Finding)>, String>),
}

/// How many cases were answered, and how many of them are unchanged.
#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    unchanged: AtomicUsize,
}

impl Counts {
    fn add(&self, findings: &[(&str, Finding)]) {
        self.answered.fetch_add(findings.len(), Ordering::Release);
        let unchanged = findings.iter().filter(|(_, finding)| finding.is_unchanged()).count();
        self.unchanged.fetch_add(unchanged, Ordering::Release);
    }

    fn so_far(&self) -> Answered {
        // Added in this order: never more unchanged than answered.
        let unchanged = self.unchanged.load(Ordering::Acquire);
        Answered { cases: self.answered.load(Ordering::Acquire), unchanged }
    }
}

impl Looking<'_> {
    /// What is found of the pairs of sources, as far as there is time; by the candidates' variants.
    ///
    /// # Errors
    ///
    /// Why no process can be followed.
    pub(super) fn answers<'a>(
        &self,
        sources: &[Source<'a>],
        prover: &Prover<'_>,
        session: &Session<'_>,
    ) -> Result<HashMap<&'a str, Finding>, String> {
        let (mut found, mut refused) = (HashMap::new(), None);
        let counts = Counts::default();
        let is_over = || (self.is_over)(counts.so_far());
        let cases = sources.iter().map(|source| source.bases().len()).sum();
        let mut progress = StepProgress::begin(session, LookingStep::Cases, cases);
        on_all_cpus_in_parts(
            sources,
            self.cpus,
            |cpu| Worker::new(cpu.map_or_else(|| self.launcher.clone(), |cpu| self.launcher.of_cpu(cpu, &[]))),
            |worker, source, tell| {
                let findings = self.answer(source, prover, worker, &is_over, tell);
                if let Ok(findings) = &findings {
                    counts.add(findings);
                }
                tell(Part::Found(findings));
            },
            |_, part| {
                match part {
                    Part::Cases(cases) => progress.add(cases),
                    Part::More(cases) => progress.more(cases),
                    Part::Found(Ok(findings)) => found.extend(findings),
                    Part::Found(Err(why)) => refused = Some(why),
                }
                refused.is_none() && !is_over()
            },
        );
        refused.map_or(Ok(found), Err)
    }

    /// What is found of those pairs of a source that there was time for.
    fn answer<'a>(
        &self,
        source: &Source<'a>,
        prover: &Prover<'_>,
        worker: &mut Worker,
        is_over: &dyn Fn() -> bool,
        tell: &dyn Fn(Part<'a>),
    ) -> Result<Vec<(&'a str, Finding)>, String> {
        let mut look_at = |source: &Source<'_>, kept: Option<&CommitRecords>, sides: &Sides| {
            let settings = (&mut *worker, &self.request.settings);
            looked(source, kept, sides, settings, self.stamps, (is_over, &|cases| tell(Part::Cases(cases))))
        };
        let look = look_at(source, self.kept[0].as_ref(), prover.sides)?;
        let answered = |pair: &&&Pair<'a>| look.cases.contains_key(&pair.base.variant.case.id());
        let source = Source { pairs: source.pairs.iter().filter(answered).copied().collect() };
        if source.pairs.is_empty() {
            return Ok(Vec::new());
        }
        let mut findings = prover.judge(&source, &look);
        // Of what is compiled, code is all that the linker kept.
        if source.programs().is_none() && findings.iter().any(is_by_code) {
            let turned: Vec<Pair<'_>> = source.pairs.iter().map(|pair| pair.turned()).collect();
            let candidates = Source { pairs: turned.iter().collect() };
            tell(Part::More(candidates.bases().len()));
            let again = look_at(&candidates, self.kept[1].as_ref(), &prover.sides.turned())?;
            confirm(&mut findings, &source, (&look, &again), prover);
        } else if let [Some(_), Some(kept_next)] = &self.kept
            && findings.iter().all(Finding::is_unchanged)
        {
            // The candidate of this comparison is the base of the next, and would show the same. Where a file differs that decided nothing here, the
            // next comparison sees that, and takes a look of its own.
            let sides = prover.sides.roots.each_ref().map(|root| root.folder());
            if let Some(look) = look.moved(sides[0], sides[1]) {
                kept_next.put(&source.key(prover.sides, 1), &look);
            }
        }
        let variants = source.pairs.iter().map(|pair| pair.candidate.variant.id.as_str());
        Ok(variants.zip(findings).collect())
    }
}

fn is_by_code(finding: &Finding) -> bool {
    matches!(finding, Finding::Unchanged(proof) if proof.level == ProofLevel::Code)
}

/// Takes the proof by code away where the candidate's look shows something else than the base's.
fn confirm(findings: &mut [Finding], source: &Source<'_>, (look, again): (&Look, &Look), prover: &Prover<'_>) {
    let Some(interpreted) = Interpreted::new(source, look, prover) else { return };
    let by_code: Vec<usize> = (0..findings.len()).filter(|at| is_by_code(&findings[*at])).collect();
    let pairs: Vec<&Pair<'_>> = by_code.iter().map(|at| source.pairs[*at]).collect();
    for (at, unlike) in by_code.into_iter().zip(interpreted.unlike(&pairs, again)) {
        if let Some(unlike) = unlike {
            findings[at] = unlike;
        }
    }
}
