//! Runs in which nothing was measured.

use std::time::Duration;

use tare_results::{ComparisonsView, RunView};
use tare_samples::{Failure, FailureKind, Origin, Spent};

use crate::listing::enumerate::CaseListing;

/// What there is to show of it.
pub(crate) fn without_variants(origin: Origin, found: CaseListing, took: Duration, again: Option<String>) -> RunView {
    RunView {
        profiles: Vec::new(),
        origin,
        variants: Vec::new(),
        comparisons: ComparisonsView::default(),
        notices: found.notices,
        file_failures: found.failures,
        spent: Some(Spent { wall_ns: took.as_nanos() as u64, ..Spent::default() }),
        stored: false,
        again,
    }
}

/// The report of a run that failed before anything was measured.
pub fn failed_run(origin: Origin, message: String) -> RunView {
    let found = CaseListing::failed(vec![Failure::new(FailureKind::Load, message, "")]);
    without_variants(origin, found, Duration::ZERO, None)
}
