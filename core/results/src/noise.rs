use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tare_samples::Runtime;
use tare_statistics::Estimate;

/// How different identical code looked on a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseView {
    /// What ran it; `None` where nothing could be measured.
    pub runtime: Option<Runtime>,
    /// What the machine said of itself.
    pub machine: BTreeMap<String, String>,
    /// Launch pairs of each interleaved comparison.
    pub pairs: u32,
    /// A row a subject.
    pub rows: Vec<NoiseRow>,
}

/// One subject, compared with itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseRow {
    /// Its name.
    pub subject: String,
    /// The ratio with its interval, measured in the same rounds.
    pub interleaved: Option<Estimate>,
    /// The ratio of two times, the second measured after the first.
    pub one_after_the_other: Option<f64>,
}

impl NoiseView {
    /// The largest error of a ratio that is 1, as fractions: interleaved, and one after the other.
    pub fn floors(&self) -> (Option<f64>, Option<f64>) {
        let most = |ratios: Vec<f64>| {
            ratios.into_iter().map(|ratio| ratio.ln().abs().exp_m1()).max_by(f64::total_cmp).filter(|f| f.is_finite())
        };
        (
            most(self.rows.iter().filter_map(|row| row.interleaved.map(|ratio| ratio.estimate)).collect()),
            most(self.rows.iter().filter_map(|row| row.one_after_the_other).collect()),
        )
    }
}
