//! Where files differ: whether the code that a case can reach differs.

use std::path::PathBuf;

use tare_reach::{Look, Place};
use tare_samples::{Proof, ProofLevel};

use super::compiled::Compiled;
use super::interpreted::Interpreted;
use super::look::Source;
use super::pairs::LookedPair;
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
        let compiled = source.programs().map(|programs| {
            let roots = prover.sides.roots.each_ref().map(|root| root.path(&Place::Inside(PathBuf::new())));
            Compiled::new(source, programs, roots)
        });
        let interpreted = Interpreted::new(source, look, prover);
        Self { prover, starts_alike: base == candidate, compiled, interpreted }
    }

    /// What is found of each.
    pub(super) fn judge(&mut self, asked: &[LookedPair<'_>]) -> Vec<Finding> {
        if !self.starts_alike {
            let why = "its processes are started differently";
            return asked.iter().map(|_| Finding::Unproven(why.to_owned())).collect();
        }
        match (&mut self.compiled, &mut self.interpreted) {
            (None, Some(interpreted)) => interpreted.judge(asked),
            (Some(compiled), _) => asked
                .iter()
                .map(|asked| {
                    let differs = asked.differences.first().map(|first| Finding::Differs(first.shown()));
                    differs.unwrap_or_else(|| compiled.judge(asked.pair, asked.files, self.prover.stopped))
                })
                .collect(),
            (None, None) => asked
                .iter()
                .map(|asked| match asked.differences.first() {
                    Some(first) => Finding::Differs(first.shown()),
                    None => Finding::Unchanged(Proof { level: ProofLevel::Files, files: asked.files, units: 0 }),
                })
                .collect(),
        }
    }
}
