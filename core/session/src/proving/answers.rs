//! What looks have answered so far.

use std::collections::HashMap;
use std::path::PathBuf;

use tare_reach::{Kept, Look, Place};
use tare_samples::ProofLevel;

use super::interpreted::Interpreted;
use super::look::Source;
use super::looking::Looking;
use super::pairs::Pair;
use super::progress::Progress;
use super::{Finding, Prover};
use crate::event::LookingStep;
use crate::measuring::on_all_cpus::on_all_cpus;

/// Looks at sources, and what is found by them.
pub(super) struct Answers<'a> {
    sources: &'a [Source<'a>],
    /// Looks that are kept: of the base, and of the candidate, which the next comparison finds where it is the base. Of a working tree none are.
    kept: [Option<Kept>; 2],
    /// By the places of sources.
    looks: HashMap<usize, Look>,
    /// By the candidate's variant.
    pub(super) found: HashMap<&'a str, Finding>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(sources: &'a [Source<'a>], kept: [Option<Kept>; 2]) -> Self {
        Self { sources, kept, looks: HashMap::new(), found: HashMap::new() }
    }

    /// Looks at what hasn't been looked at yet, as far as there is time, and judges it.
    ///
    /// # Errors
    ///
    /// Why no process can be followed.
    pub(super) fn add(&mut self, looking: &Looking<'_, '_>, prover: &Prover<'_>) -> Result<(), String> {
        let missing: Vec<(usize, &Source<'a>)> =
            self.sources.iter().enumerate().filter(|(at, source)| self.unknown_in(*at, source) > 0).collect();
        let sources: Vec<&Source<'a>> = missing.iter().map(|(_, source)| *source).collect();
        let mut looks = looking.at(&sources, self.kept[0].as_ref(), prover.sides, LookingStep::Cases)?;
        let new: Vec<(usize, &Source<'a>, Look)> = missing
            .into_iter()
            .enumerate()
            .filter_map(|(among, (at, source))| Some((at, source, looks.remove(&among)?)))
            .collect();
        let cases = new.iter().map(|(_, source, _)| source.pairs.len()).sum();
        let mut progress = Progress::begin(looking.session, LookingStep::Comparing, cases);
        on_all_cpus(
            &new,
            looking.cpus,
            |_| (),
            |(), (_, source, look)| prover.judge(source, look),
            |(_, source, look), findings| {
                progress.add(findings.len());
                if let [Some(_), Some(kept_next)] = &self.kept
                    && findings.iter().all(Finding::is_unchanged)
                {
                    // The candidate of this comparison is the base of the next, and would show the same. Where a file differs that decided nothing here, the
                    // next comparison sees that, and takes a look of its own.
                    let sides = prover.sides.roots.each_ref().map(|root| root.path(&Place::Inside(PathBuf::new())));
                    if let Some(look) = look.moved(&sides[0], &sides[1]) {
                        kept_next.put(&source.key(prover.sides, 1), &look);
                    }
                }
                for (pair, finding) in source.pairs.iter().zip(findings) {
                    self.found.insert(&pair.candidate.variant.id, finding);
                }
                true
            },
        );
        self.looks.extend(new.into_iter().map(|(at, _, look)| (at, look)));
        Ok(())
    }

    /// Whether at least half of what was looked at is unchanged.
    pub(super) fn are_mostly_unchanged(&self) -> bool {
        2 * self.found.values().filter(|finding| finding.is_unchanged()).count() >= self.found.len()
            && !self.found.is_empty()
    }

    /// How many cases haven't been looked at.
    pub(super) fn unknown(&self) -> usize {
        self.sources.iter().enumerate().map(|(at, source)| self.unknown_in(at, source)).sum()
    }

    fn unknown_in(&self, at: usize, source: &Source<'_>) -> usize {
        let is_known = |pair: &&Pair<'_>| {
            self.looks.get(&at).is_some_and(|look| look.cases.contains_key(&pair.base.variant.case.id()))
        };
        source.pairs.iter().filter(|pair| !is_known(pair)).count()
    }

    /// Where code decided, the candidate is looked at as well, and what is found takes the proof away where it has to. The next comparison finds that look
    /// where it is the base.
    ///
    /// # Errors
    ///
    /// Why no process can be followed.
    pub(super) fn confirm(&mut self, looking: &Looking<'_, '_>, prover: &Prover<'_>) -> Result<(), String> {
        let found = &self.found;
        let is_by_code = |pair: &Pair<'_>| matches!(found.get(&*pair.candidate.variant.id), Some(Finding::Unchanged(proof)) if proof.level == ProofLevel::Code);
        // Of what is compiled, code is all that the linker kept.
        let is_doubted =
            |source: &Source<'_>| source.programs().is_none() && source.pairs.iter().any(|pair| is_by_code(pair));
        let all = self.sources.iter().enumerate().filter_map(|(at, source)| Some((source, self.looks.get(&at)?)));
        let doubted: Vec<(&Source<'a>, &Look)> = all.filter(|(source, _)| is_doubted(source)).collect();
        let turned: Vec<Vec<Pair<'_>>> =
            doubted.iter().map(|(source, _)| source.pairs.iter().map(|pair| pair.turned()).collect()).collect();
        let others: Vec<Source<'_>> = turned.iter().map(|pairs| Source { pairs: pairs.iter().collect() }).collect();
        let others: Vec<&Source<'_>> = others.iter().collect();
        let again = looking.at(&others, self.kept[1].as_ref(), &prover.sides.turned(), LookingStep::Candidates)?;
        let mut changed = Vec::new();
        for (at, (source, look)) in doubted.into_iter().enumerate() {
            let pairs: Vec<&Pair<'a>> = source.pairs.iter().filter(|pair| is_by_code(pair)).copied().collect();
            let interpreted = Interpreted::new(source, look, prover);
            let unlike = again.get(&at).zip(interpreted).map(|(again, interpreted)| interpreted.unlike(&pairs, again));
            let unseen = || Some(Finding::Unproven("there was no time to run its candidate".to_owned()));
            let unlike = unlike.unwrap_or_else(|| pairs.iter().map(|_| unseen()).collect());
            let unlike = pairs.into_iter().zip(unlike);
            changed.extend(unlike.filter_map(|(pair, finding)| Some((pair.candidate.variant.id.as_str(), finding?))));
        }
        self.found.extend(changed);
        Ok(())
    }
}
