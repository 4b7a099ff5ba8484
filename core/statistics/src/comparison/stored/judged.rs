//! What two stored runs show, and what is said of it.

use tare_samples::About;

use super::history::{Model, fenced};
use super::points::{Run, RunPoints, dot};
use super::spread::Spread;
use super::{LITTLE_HISTORY, PRIOR_DEVIATION, confidence};
use crate::comparison::decision::{Confirmation, Grounds};
use crate::comparison::evidence::Basis;
use crate::comparison::judgement::Judgement;
use crate::comparison::{Comparison, Rule, Verdict, minimum_detectable_effect};
use crate::quantile::{mean, variance};
use crate::student;
use crate::summary::Estimate;
use crate::warning::{Warning, WarningCode};

/// Reference kernels that moved by more than this factor between two runs deserve a word: nobody has measured how well they
/// follow a case so far.
const UNLIKE_SPEED: f64 = 1.5;

/// Probability of finding the effect that is called detectable.
const POWER: f64 = 0.8;

/// Typical calls have to be known by so much better than expected costs to be asked.
const SHARPER: f64 = 1.25;

/// Two runs that can be compared.
pub(super) struct Pair<'a> {
    points: [&'a RunPoints; 2],
    base: Run,
    candidate: Run,
    /// The same, of typical calls, where these may sharpen what expected costs show.
    typical: Option<[Run; 2]>,
    kernels: Vec<String>,
}

/// What one of the two figures shows.
#[derive(Debug, Clone, Copy)]
struct Finding {
    ratio: Estimate,
    /// Half the interval, on the logarithmic scale.
    reach: f64,
    detectable: f64,
    /// Runs of the history, and how far its levels lie apart.
    runs: usize,
    between_levels: f64,
}

impl<'a> Pair<'a> {
    /// Fails with the reason for which there is no ratio.
    pub(super) fn of(base: &'a RunPoints, candidate: &'a RunPoints, about: About) -> Result<Self, Warning> {
        let sides = [
            ("base", base, WarningCode::BaseBelowResolution),
            ("candidate", candidate, WarningCode::CandidateBelowResolution),
        ];
        for (name, run, below_resolution) in sides {
            if run.launches.is_empty() {
                let message = format!("the {name} has no finished launch of this case");
                return Err(Warning::new(WarningCode::NoLaunches, message, "measure it, or choose another run"));
            }
            let mut figures = run.launches.iter().map(|launch| launch.figure(about));
            if let Some(time) = figures.find(|&time| !(time > 0.0 && time.is_finite())) {
                return Err(Warning::new(
                    below_resolution,
                    format!(
                        "a launch of the {name} took {time} ns a call with the overhead subtracted, so there is no ratio"
                    ),
                    "give each call more to do, or measure longer (--budget)",
                ));
            }
        }
        let of_candidate = candidate.kernels();
        let mut kernels = base.kernels();
        kernels.retain(|name| of_candidate.binary_search(name).is_ok());
        let refusal = || {
            Warning::new(
                WarningCode::NoKernels,
                "the runs have no reference kernel in common, so a change of the machine's speed would look like a change of the code"
                    .to_owned(),
                "measure both again with this version, or compare them live",
            )
        };
        if kernels.is_empty() {
            return Err(refusal());
        }
        let seen_from = |about: About| -> Option<[Run; 2]> {
            Some([Run::of(base, &kernels, about)?, Run::of(candidate, &kernels, about)?])
        };
        let [base_run, candidate_run] = seen_from(about).ok_or_else(refusal)?;
        let typical = if about == About::Time { seen_from(About::Typical) } else { None };
        Ok(Self { points: [base, candidate], base: base_run, candidate: candidate_run, typical, kernels })
    }

    /// A verdict by expected costs, but for a difference that typical calls know better, where nothing lies between the two.
    ///
    /// Where a few slow launches make expected costs scatter from run to run, their interval says nothing, and typical calls that agree may
    /// still show a change (docs/decisions/0028, as far as it fits). Which of the two is asked for it depends on the widths of their intervals and not on
    /// where they lie, so that it costs no error; typical calls aren't asked where the means of either run lie otherwise from its typical
    /// calls than those of the other, and aren't believed where expected costs are seen to differ the other way. `doubt`: why no difference is called.
    pub(super) fn judge(
        &self,
        history: &[RunPoints],
        rule: &Rule,
        family: usize,
        doubt: Option<Warning>,
    ) -> Comparison {
        let (level, margin) = (1.0 - confidence(family), rule.margin);
        let time = self.see([&self.base, &self.candidate], history, margin, level);
        let typical =
            self.typical.as_ref().map(|[base, candidate]| self.see([base, candidate], history, margin, level));
        let mut warnings = self.warnings(&time);
        let mut seen = Judgement::of_ratio(rule, &time.ratio);
        let mut decides = time;
        if let Some(sharper) = typical.filter(|typical| time.reach > SHARPER * typical.reach) {
            let agree = self.between(level).is_some_and(|between| between.holds(1.0));
            let said = Verdict::of(&sharper.ratio, margin);
            let opposed = match said {
                Verdict::Slower => time.ratio.high < 1.0,
                Verdict::Faster => time.ratio.low > 1.0,
                _ => false,
            };
            if !agree || opposed {
                warnings.extend((said.is_difference() && said != seen.verdict).then(|| means_differ(said)));
            } else {
                decides = sharper;
                if said.is_difference() {
                    seen = Judgement { verdict: said, basis: Basis::Typical, ..Judgement::nothing() };
                } else if seen.verdict.is_difference() {
                    seen = Judgement::nothing();
                }
            }
        }
        let smaller = self.base.launches.len().min(self.candidate.launches.len());
        let comparison = Comparison {
            ratio: Some(time.ratio),
            typical: typical.map(|typical| typical.ratio),
            confidence: confidence(family),
            minimum_detectable_effect: Some(decides.detectable),
            pairs: u32::try_from(smaller).unwrap_or(u32::MAX),
            ..Comparison::without_ratio(rule, warnings)
        };
        let doubts = doubt.into_iter().collect();
        comparison.decided(&seen, Grounds { doubts, ..Grounds::of(Confirmation::Needless) })
    }

    /// The ratio of one figure with its interval at 1 − `level`.
    fn see(&self, [base, candidate]: [&Run; 2], history: &[RunPoints], margin: f64, level: f64) -> Finding {
        let model = Model::without(history, self.points, &self.kernels, base.about);
        let weights = &model.weights.values;
        let centre = candidate.relative(weights) - base.relative(weights);
        let spread = Spread::of(base, candidate, &model);
        let reach = spread.reach(level);
        // What the levels add lies beyond the margin as well.
        let students = student::quantile(1.0 - level / 2.0, spread.degrees_of_freedom) * spread.deviation;
        let beyond = (margin.ln_1p() + reach - students).exp_m1();
        let detectable =
            minimum_detectable_effect(spread.deviation, spread.degrees_of_freedom, level, beyond.max(margin), POWER);
        Finding {
            ratio: ratio(centre, reach),
            reach,
            detectable,
            runs: model.runs,
            between_levels: model.between_levels,
        }
    }

    /// By how much more expected costs differ than typical calls do. What the machine does to a run is in both figures, so launches are
    /// evidence here (Welch's interval): of each, its mean over its typical call, which is bounded as the median over launches bounds it.
    /// `None` where they don't say.
    fn between(&self, level: f64) -> Option<Estimate> {
        let typical = self.typical.as_ref()?;
        let equal = vec![1.0 / self.kernels.len() as f64; self.kernels.len()];
        let of = |run: &Run, typical: &Run| -> Option<(f64, f64, f64)> {
            let centre = typical.relative(&equal);
            let typical = fenced(typical.launches.iter().map(|launch| launch.relative(&equal) - centre).collect());
            let beyond: Vec<f64> =
                run.launches.iter().zip(&typical).map(|(launch, of)| launch.relative(&equal) - centre - of).collect();
            Some((mean(&beyond)?, variance(&beyond)? / beyond.len() as f64, (beyond.len() - 1) as f64))
        };
        let (from, base, base_freedom) = of(&self.base, &typical[0])?;
        let (to, candidate, candidate_freedom) = of(&self.candidate, &typical[1])?;
        let both = base + candidate;
        if both == 0.0 {
            return Some(ratio(to - from, 0.0));
        }
        let freedom = both * both / (base * base / base_freedom + candidate * candidate / candidate_freedom);
        Some(ratio(to - from, student::quantile(1.0 - level / 2.0, freedom) * both.sqrt()))
    }

    /// Mean movement of each kernel from base to candidate, on the logarithmic scale.
    fn movement(&self) -> Vec<f64> {
        self.candidate.kernel_means().iter().zip(self.base.kernel_means()).map(|(to, from)| to - from).collect()
    }

    fn warnings(&self, seen: &Finding) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if seen.runs < LITTLE_HISTORY {
            warnings.push(Warning::new(
                WarningCode::LittleHistory,
                format!(
                    "{} stored, so by how much runs differ is largely assumed ({} %), not measured",
                    match seen.runs {
                        0 => "no other run of this case is".to_owned(),
                        1 => "one other run of this case is".to_owned(),
                        runs => format!("{runs} other runs of this case are"),
                    },
                    100.0 * PRIOR_DEVIATION,
                ),
                "keep more runs of the same code on this machine (8 or more), or compare the two live",
            ));
        }
        if seen.between_levels > 0.0 {
            warnings.push(Warning::new(
                WarningCode::Levels,
                format!(
                    "the times of earlier runs lie on levels up to {:.1} % apart, which commits don't explain or which came back; the interval is wider by that",
                    100.0 * seen.between_levels.exp_m1()
                ),
                "a live comparison of the two detects smaller differences",
            ));
        }
        let equal = vec![1.0 / self.kernels.len() as f64; self.kernels.len()];
        let factor = dot(&equal, &self.movement()).exp();
        if !(1.0 / UNLIKE_SPEED..=UNLIKE_SPEED).contains(&factor) {
            warnings.push(Warning::new(
                WarningCode::SpeedDiffers,
                format!("the reference kernels took {factor:.2} times as long in the candidate's run as in the base's: hardly the same machine"),
                "check frequency scaling and load, or compare the two live",
            ));
        }
        warnings
    }
}

fn means_differ(typical: Verdict) -> Warning {
    Warning::new(
        WarningCode::MeansDiffer,
        format!(
            "typical calls alone are {typical}, calls on average aren't: one run has more rare, slow calls or launches than the other, and the average decides"
        ),
        "compare the two live; --about typical judges undisturbed calls alone",
    )
}

fn ratio(centre: f64, reach: f64) -> Estimate {
    // Absurd times make absurd ratios, but numbers all the same.
    let of = |logarithm: f64| logarithm.exp().clamp(f64::MIN_POSITIVE, f64::MAX);
    Estimate { estimate: of(centre), low: of(centre - reach), high: of(centre + reach) }
}
