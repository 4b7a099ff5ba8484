use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tare_simulation::Truth;
use tare_statistics::comparison::Verdict;

use super::runs::{measured_of, spread, truths};
use super::{Model, Quantiles, Question};

/// What is mixed into the seed of the machine that is asked for the printed effect: launches of another one.
const OTHER_MACHINE: u64 = 1 << 40;

/// How often an effect is called that is just as large as the smallest one which a run said it would have called four times in five.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Detected {
    /// Of each run that printed an effect: the effect, a fraction.
    pub effects: Vec<f64>,
    /// Those that a run of the same kind called.
    pub called: u64,
}

impl Detected {
    /// Puts another count beside this one.
    pub fn add(&mut self, other: Self) {
        self.effects.extend(other.effects);
        self.called += other.called;
    }

    /// Share of the effects that were called.
    pub fn share(&self) -> f64 {
        self.called as f64 / self.effects.len().max(1) as f64
    }
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let median = Quantiles::of(&self.effects).map_or(0.0, |effects| effects.median);
        let share = 100.0 * self.share();
        write!(
            f,
            "{} of {} called ({share:.1} %), median effect {:.3} %",
            self.called,
            self.effects.len(),
            100.0 * median
        )
    }
}

/// For each seed: a suite of `cases` comparisons of identical code prints the smallest effect that it would have called, for its first
/// case; then a suite on a machine of another seed has just this effect in its first case.
pub fn detect_printed(model: &Model, question: &Question, cases: usize, seeds: Range<u64>) -> Detected {
    let mut all = Detected::default();
    spread(seeds, |seed| once(model, question, cases, seed)).into_iter().for_each(|detected| all.add(detected));
    all
}

fn once(model: &Model, question: &Question, cases: usize, seed: u64) -> Detected {
    let machine = |seed: u64| Truth { seed, scale: model.scale, cases: truths(model, question, cases) };
    let (printing, _) = measured_of(machine(seed), None, &question.settings);
    let first = printing.comparisons.first().map(|compared| &compared.comparison);
    // The screen shows it where nothing could be decided; what could and differs is another matter.
    let printed = first.filter(|comparison| !comparison.verdict.is_difference());
    let Some(effect) = printed.and_then(|comparison| comparison.minimum_detectable_effect) else {
        return Detected::default();
    };
    let mut asked = machine(seed ^ OTHER_MACHINE);
    asked.cases[1].time_ns *= 1.0 + effect;
    let (asking, _) = measured_of(asked, None, &question.settings);
    let verdict = asking.comparisons.first().map(|compared| compared.comparison.verdict);
    Detected { effects: vec![effect], called: u64::from(verdict == Some(Verdict::Slower)) }
}
