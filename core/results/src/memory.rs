use std::collections::BTreeMap;

use tare_samples::WeighedMemory;
use tare_statistics::memory::{MARGIN, MemoryComparison, compared};

use super::RunView;
use crate::comparison::ComparisonKind;

/// By the ids of base and candidate.
pub type MemoryComparisons<'a> = BTreeMap<(&'a str, &'a str), MemoryComparison>;

/// The chance that any of a run's comparisons of memory calls alike variants different.
const ALPHA: f64 = 0.01;

/// The live pairs whose memory was weighed on both sides. The chance of a false claim is shared out equally (Bonferroni).
pub fn memory_comparisons(view: &RunView) -> MemoryComparisons<'_> {
    let held = |id: &str| -> Option<&WeighedMemory> {
        let variant = view.variants.iter().find(|variant| variant.variant.id == id)?;
        variant.calibration.as_ref()?.memory.as_ref()
    };
    let live = view.comparisons.judged().filter(|pair| pair.kind == ComparisonKind::Live);
    let pairs: Vec<_> = live
        .filter_map(|pair| {
            let (base, candidate) = (pair.base.id.as_str(), pair.candidate.id.as_str());
            Some(((base, candidate), (held(base)?, held(candidate)?)))
        })
        .collect();
    let confidence = 1.0 - ALPHA / pairs.len().max(1) as f64;
    pairs
        .into_iter()
        .filter_map(|(ids, (base, candidate))| Some((ids, compared(base, candidate, MARGIN, confidence)?)))
        .collect()
}
