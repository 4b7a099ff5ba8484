//! Where files differ: whether the code that a case can reach differs.

use tare_reach::Look;
use tare_samples::{Proof, ProofLevel};

use super::compiled::Compiled;
use super::interpreted::Interpreted;
use super::look::Source;
use super::pairs::LookedPair;
use super::{Finding, Prover};

/// Compares the code of a source's cases.
pub(super) struct Code<'a, 'p> {
    prover: &'p Prover<'a>,
    /// What its processes are started with on one side alone.
    started_with: Option<String>,
    compiled: Option<Compiled>,
    interpreted: Option<Interpreted<'a, 'p>>,
}

impl<'a, 'p> Code<'a, 'p> {
    pub(super) fn new(source: &'p Source<'a>, look: &'p Look, prover: &'p Prover<'a>) -> Self {
        let [base, candidate] = source.starts(prover.sides);
        let compiled = source.programs().map(|programs| {
            let roots = prover.sides.roots.each_ref().map(|root| root.folder().to_owned());
            Compiled::new(source, programs, roots)
        });
        let interpreted = Interpreted::new(source, look, prover);
        Self { prover, started_with: of_one_side(&base, &candidate), compiled, interpreted }
    }

    /// What is found of each.
    pub(super) fn judge(&mut self, asked: &[LookedPair<'_>]) -> Vec<Finding> {
        if let Some(word) = &self.started_with {
            let why = format!("its processes are started with `{word}` on one side alone");
            return asked.iter().map(|_| Finding::Unproven(why.clone())).collect();
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

/// The first word of either start that the other hasn't at its place. Of `name=value` the name alone: a value of the environment may be a secret.
fn of_one_side(base: &[String], candidate: &[String]) -> Option<String> {
    let at = (0..base.len().max(candidate.len())).find(|&at| base.get(at) != candidate.get(at))?;
    let word = candidate.get(at).filter(|word| !base.contains(word)).or_else(|| base.get(at))?;
    Some(word.split('=').next().unwrap_or(word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::of_one_side;

    #[test]
    fn a_start_names_what_one_side_alone_has() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let found = |base: &str, candidate: &str| of_one_side(&words(base), &words(candidate));
        assert_eq!(found("php worker.php", "php worker.php"), None);
        assert_eq!(found("php worker.php", "php -n worker.php").as_deref(), Some("-n"));
        assert_eq!(found("php -n worker.php", "php worker.php").as_deref(), Some("-n"));
        assert_eq!(found("php TOKEN=a", "php TOKEN=b").as_deref(), Some("TOKEN"));
        assert_eq!(found("php", "php TOKEN=b").as_deref(), Some("TOKEN"));
    }
}
