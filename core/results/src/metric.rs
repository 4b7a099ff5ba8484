use std::collections::BTreeMap;

use tare_samples::Calibration;
use tare_statistics::metric::{AmountVerdict, MetricComparison, ratio_of_launches};

use super::RunView;
use crate::comparison::{ComparisonKind, ComparisonView};

/// By the ids of base and candidate.
pub type MetricComparisons<'a> = BTreeMap<(&'a str, &'a str), Vec<MetricComparison>>;

/// What is told and not compared: the kernel guesses how CPU time is parted (by what ticks see, often 0 in a launch), and how often a process is switched off is its neighbours' doing as
/// much as its own, and so is how long it waited for its CPU.
const GUESSED: [&str; 4] = ["user_ns", "system_ns", "context_switches", "waited_ns"];

/// The chance that any of a run's figures beside time is called different where it isn't.
const ALPHA: f64 = 0.01;

/// What the launches of both sides say of one figure.
struct Figures {
    name: String,
    base: Vec<f64>,
    candidate: Vec<f64>,
}

/// The live pairs whose launches tell figures of themselves, each figure that both sides have in the order of the base's. The chance of a false claim is shared out
/// equally (Bonferroni).
pub fn metric_comparisons(view: &RunView) -> MetricComparisons<'_> {
    let calibrated = |id: &str| -> Option<&Calibration> {
        view.variants.iter().find(|variant| variant.variant.id == id)?.calibration.as_ref()
    };
    let of_pair = |pair: &'_ ComparisonView| -> Option<Vec<Figures>> {
        let (base, candidate) = (calibrated(&pair.base.id)?, calibrated(&pair.candidate.id)?);
        let both = |(name, _): &(String, String)| {
            (!GUESSED.contains(&name.as_str())).then_some(())?;
            Some(Figures { name: name.clone(), base: base.figures(name)?, candidate: candidate.figures(name)? })
        };
        Some(base.reported.metrics.iter().filter_map(both).collect())
    };
    let live = view.comparisons.judged().filter(|pair| pair.kind == ComparisonKind::Live);
    let pairs: Vec<_> = live.filter_map(|pair| Some((pair, of_pair(pair)?))).collect();
    let count: usize = pairs.iter().map(|(_, figures)| figures.len()).sum();
    let confidence = 1.0 - ALPHA / count.max(1) as f64;
    let mut found = MetricComparisons::new();
    for (pair, figures) in pairs {
        let compared: Vec<MetricComparison> = figures
            .into_iter()
            .filter_map(|Figures { name, base, candidate }| {
                let ratio = ratio_of_launches(&base, &candidate, confidence)?;
                let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
                let verdict = AmountVerdict::of(&ratio, pair.comparison.margin, pair.comparison.same);
                Some(MetricComparison {
                    name,
                    base: mean(&base),
                    candidate: mean(&candidate),
                    ratio,
                    confidence,
                    verdict,
                })
            })
            .collect();
        if !compared.is_empty() {
            found.insert((pair.base.id.as_str(), pair.candidate.id.as_str()), compared);
        }
    }
    found
}
