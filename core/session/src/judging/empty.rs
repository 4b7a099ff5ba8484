//! Runs in which nothing was measured.

use std::time::Duration;

use tare_request::again;
use tare_results::{ComparisonsView, RunView};
use tare_samples::{Failure, FailureKind, Origin, Spent};

use crate::job::Job;
use crate::listing::enumerate::CaseListing;
use crate::listing::unprepared;
use crate::ran::{End, Ran};

/// What there is to show of it.
fn without_variants(origin: Origin, found: CaseListing, took: Duration, again: Option<String>) -> RunView {
    RunView {
        ended: None,
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

/// A revision of a comparison failed, so that no case has a partner: that is reported, and nothing is measured.
pub(crate) fn nothing_compared(job: Job, mut found: CaseListing, took: Duration) -> Ran {
    found.notices.extend(unprepared::notice(&job.request));
    let blame = found.blame();
    Ran { view: without_variants(job.origin, found, took, Some(again(&job.request))), end: End::NothingCompared(blame) }
}

/// Nothing was found: is that the user's error, or did everything fail?
pub(crate) fn nothing_found(job: Job, mut found: CaseListing, took: Duration) -> Ran {
    if !found.failures.is_empty() {
        found.notices.extend(unprepared::notice(&job.request));
    }
    let filtered = job.request.chooses();
    let end = End::NothingFound { blame: found.blame(), filtered };
    Ran { view: without_variants(job.origin, found, took, Some(again(&job.request))), end }
}

/// The report of a run that failed before anything was measured.
pub fn failed_run(origin: Origin, message: String) -> RunView {
    let found = CaseListing::failed(vec![Failure::new(FailureKind::Load, message, "")]);
    without_variants(origin, found, Duration::ZERO, None)
}
