//! Where files differ: whether the code that a case can reach differs.

use tare_reach::{Difference, Look, Seen};
use tare_samples::{Proof, ProofLevel};

use super::compiled::Compiled;
use super::interpreted::Interpreted;
use super::look::Source;
use super::pairs::Pair;
use super::{Finding, Prover};

/// Compares the code of a source's cases.
pub(super) struct Code<'a, 'p> {
    prover: &'p Prover<'a>,
    starts_alike: bool,
    compiled: Option<Compiled>,
    interpreted: Option<Interpreted<'a, 'p>>,
}

impl<'a, 'p> Code<'a, 'p> {
    pub(super) fn new(source: &'p Source<'a>, look: &'p Look, prover: &'p Prover<'a>) -> Self {
        let [base, candidate] = source.starts(prover.sides);
        let compiled = source.programs().map(|programs| Compiled::new(source, programs));
        let interpreted = Interpreted::new(source, look, prover);
        Self { prover, starts_alike: base == candidate, compiled, interpreted }
    }

    /// What is found of a pair whose files differ so. `files`: how many it depends on.
    pub(super) fn judge(&mut self, pair: &Pair<'_>, differences: &[&Difference], seen: &Seen, files: usize) -> Finding {
        if !self.starts_alike {
            return Finding::Unproven("its processes are started differently".to_owned());
        }
        let is_source = |difference: &&Difference| self.interpreted.as_ref().is_some_and(|it| it.is_source(difference));
        if let Some(first) = differences.iter().find(|difference| !is_source(difference)) {
            return Finding::Differs(first.shown());
        }
        match (&mut self.compiled, &mut self.interpreted) {
            (Some(compiled), _) => compiled.judge(pair, files, self.prover.stopped),
            (None, Some(interpreted)) => interpreted.judge(pair, differences, seen, files),
            (None, None) => match differences.first() {
                Some(first) => Finding::Differs(first.shown()),
                None => Finding::Unchanged(Proof { level: ProofLevel::Files, files, units: 0 }),
            },
        }
    }
}
