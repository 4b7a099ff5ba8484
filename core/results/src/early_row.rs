use serde::Serialize;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

/// What is known of a case, or of a comparison, as soon as it is measured: before the rest of the run is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EarlyRow {
    /// The case; with the name of what is compared where a case has several comparisons.
    pub name: String,
    /// Its tared time per call in nanoseconds, of the candidate where it is compared; `None` where there is none yet.
    pub time: Option<Estimate>,
    /// The ratio to its base.
    pub ratio: Option<Estimate>,
    /// What is said of it, as far as it can be said before the whole suite is known.
    pub verdict: Option<Verdict>,
    /// It looks different, and is measured once more before anything is said.
    pub again: bool,
    /// `failed` or `skipped`, it or its base; why is in the report.
    pub failed: Option<String>,
}
