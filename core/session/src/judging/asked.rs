//! What is asked of a comparison of stored runs, and what it says where there is no ratio.

use tare_samples::About;
use tare_statistics::Warning;
use tare_statistics::comparison::{CONFIDENCE, Comparison, Verdict};

/// What is asked of a comparison of stored runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) about: About,
    pub(crate) margin: f64,
}

/// A comparison without a ratio, and why.
pub(crate) fn refused(warning: Warning, asked: Asked) -> Comparison {
    Comparison {
        ratio: None,
        typical: None,
        within: None,
        proof: None,
        mean_bound: None,
        about: asked.about,
        rests_on: asked.about,
        confidence: CONFIDENCE,
        verdict: Verdict::Inconclusive,
        margin: asked.margin,
        minimum_detectable_effect: None,
        pairs: 0,
        flag: None,
        confirmed: false,
        warnings: vec![warning],
    }
}
