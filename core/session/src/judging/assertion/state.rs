//! What the figures of an assertion may be: rows of values that go together.

use tare_definition::{Aggregate, Figure, Metric};
use tare_results::{ComparisonView, VariantView};
use tare_samples::Calls;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use crate::judging::figures::{time, times};

/// A figure of an assertion: a number times what is only known within an interval.
struct Term {
    factor: f64,
    /// Positions in [`States::unknown`].
    of: Vec<usize>,
}

/// Figures of an assertion, and what is known of them.
#[derive(Default)]
pub(super) struct States {
    terms: Vec<Term>,
    /// Each once, by a name of its own: what two figures share moves both.
    unknown: Vec<(String, Estimate)>,
    described: Vec<String>,
}

impl States {
    /// Adds a figure of `variant`, in microseconds or bytes. `compared`: its comparison, and the base of that; then a time is the base's,
    /// times the ratio.
    pub(super) fn add(
        &mut self,
        figure: &Figure,
        variant: &VariantView,
        compared: Option<(&ComparisonView, &VariantView)>,
    ) -> Result<(), String> {
        let calls = calls(variant) as f64;
        let per = if figure.metric == Metric::TimeNet { calls } else { 1.0 };
        match figure.metric {
            Metric::Revs => {
                let scatters =
                    !matches!(figure.aggregate, Aggregate::Mean | Aggregate::Mode | Aggregate::Min | Aggregate::Max);
                let value = if scatters { 0.0 } else { calls };
                self.known(figure, value, format!("{value}"));
            }
            Metric::MemoryPeak => {
                let held =
                    memory(variant, figure.aggregate).ok_or("its memory was not measured, or PHP is older than 8.2")?;
                self.described.push(format!("{figure} is {:.0} to {:.0} bytes", held.low, held.high));
                let position = self.unknown(format!("{} memory", variant.variant.id), held);
                self.terms.push(Term { factor: 1.0, of: vec![position] });
            }
            Metric::TimeAverage | Metric::TimeNet => {
                let summary = variant.summary.as_ref().ok_or("it was not measured")?;
                let (raw, statistics) = (summary.raw.estimate, &summary.statistics);
                let tared = |sample: f64| sample - raw + summary.time.estimate;
                let point = |value: f64| (per * value / 1e3, time(per * value));
                let (value, shown) = match figure.aggregate {
                    Aggregate::Mean | Aggregate::Mode => return self.add_time(figure, variant, compared, per),
                    Aggregate::Min => point(tared(statistics.min)),
                    Aggregate::Max => point(tared(statistics.max)),
                    Aggregate::StandardDeviation => point(statistics.stddev),
                    Aggregate::RelativeDeviation => {
                        (100.0 * statistics.rstdev, format!("{:.2} %", 100.0 * statistics.rstdev))
                    }
                    Aggregate::Variance => {
                        let deviation = per * statistics.stddev / 1e3;
                        (deviation * deviation, format!("{:.4} µs²", deviation * deviation))
                    }
                };
                self.known(figure, value, shown);
            }
        }
        Ok(())
    }

    /// A mean or a mode, which have intervals.
    fn add_time(
        &mut self,
        figure: &Figure,
        variant: &VariantView,
        compared: Option<(&ComparisonView, &VariantView)>,
        per: f64,
    ) -> Result<(), String> {
        let (mode, factor) = (figure.aggregate == Aggregate::Mode, per / 1e3);
        let kind = if mode { "mode" } else { "mean" };
        let of = |variant: &VariantView| {
            let summary = variant.summary.as_ref()?;
            Some(if mode { summary.typical.unwrap_or(summary.time) } else { summary.time })
        };
        let Some((pair, base)) = compared else {
            let known = of(variant).ok_or("it was not measured")?;
            self.described.push(format!("{figure} is {}", range(known, per)));
            let position = self.unknown(format!("{} {kind}", variant.variant.id), known);
            self.terms.push(Term { factor, of: vec![position] });
            return Ok(());
        };
        let known = of(base).ok_or("the base was not measured")?;
        let found = &pair.comparison;
        let mut ratio =
            (if mode { found.typical.or(found.ratio) } else { found.ratio }).ok_or("its ratio is undefined")?;
        if ratio.low == f64::NEG_INFINITY {
            return Err("its ratio has no interval".to_owned());
        }
        if found.verdict == Verdict::Same {
            // What is within the margin doesn't matter, so it must not break a rule that allows no difference.
            (ratio.low, ratio.high) = (ratio.low.min(1.0), ratio.high.max(1.0));
        }
        self.described.push(format!("{figure} is {} to {} the base's", times(ratio.low), times(ratio.high)));
        let base = self.unknown(format!("{} {kind}", base.variant.id), known);
        let ratio = self.unknown(format!("{kind} ratio"), ratio);
        self.terms.push(Term { factor, of: vec![base, ratio] });
        Ok(())
    }

    fn known(&mut self, figure: &Figure, value: f64, shown: String) {
        self.described.push(format!("{figure} is {shown}"));
        self.terms.push(Term { factor: value, of: Vec::new() });
    }

    fn unknown(&mut self, name: String, known: Estimate) -> usize {
        self.unknown.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            self.unknown.push((name, known));
            self.unknown.len() - 1
        })
    }

    /// Every combination of the ends of what is unknown, and of what lies between.
    pub(super) fn rows(&self) -> Vec<Vec<f64>> {
        let mut unknown: Vec<Vec<f64>> = vec![Vec::new()];
        for (_, known) in &self.unknown {
            let with = |row: &Vec<f64>| {
                [known.low, known.estimate, known.high].map(|value| [row.as_slice(), &[value]].concat())
            };
            unknown = unknown.iter().flat_map(with).collect();
        }
        let value = |term: &Term, row: &Vec<f64>| term.of.iter().fold(term.factor, |product, &at| product * row[at]);
        unknown.iter().map(|row| self.terms.iter().map(|term| value(term, row)).collect()).collect()
    }

    /// The figures, for people.
    pub(super) fn described(&self) -> String {
        self.described.join("; ")
    }
}

fn range(known: Estimate, per: f64) -> String {
    if known.is_bounded() {
        format!("{} to {}", time(per * known.low), time(per * known.high))
    } else {
        format!("{}, and its error is unknown", time(per * known.estimate))
    }
}

/// PHPBench's revolutions: what the source or the command line fixed; else 1, as there. One bare call is one, too.
fn calls(variant: &VariantView) -> u64 {
    match variant.variant.calls {
        Calls::Loop(calls) => calls,
        _ => 1,
    }
}

/// The most that the process held by PHP's own account, over the launches that ran the subject, in bytes. PHP counts every byte, so
/// all that is uncertain is what launches differ by.
fn memory(variant: &VariantView, aggregate: Aggregate) -> Option<Estimate> {
    let weighed = variant.calibration.as_ref()?.memory.as_ref()?;
    let held: Option<Vec<f64>> = weighed.subject.iter().map(|held| held.runtime_peak_bytes.map(|b| b as f64)).collect();
    let held = held.filter(|held| !held.is_empty())?;
    let low = held.iter().copied().fold(f64::INFINITY, f64::min);
    let high = held.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let estimate = held.iter().sum::<f64>() / held.len() as f64;
    Some(match aggregate {
        Aggregate::Min => Estimate { estimate: low, low, high: low },
        Aggregate::Max => Estimate { estimate: high, low: high, high },
        _ => Estimate { estimate, low, high },
    })
}
