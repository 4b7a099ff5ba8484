//! Latencies of requests that wait for each other, as load generators write them: their percentiles are kept, and no interval is made of
//! their scatter. Requests that failed are reported.

use crate::reading::CaseRead;
use tare_statistics::GivenFigures;

/// Reports requests that failed. `inside` are those of them whose latencies are in the figures. Where all failed the case failed.
pub(super) fn failures(case: &mut CaseRead, (failed, inside, all): (u64, u64, u64), what: &str) {
    if failed == 0 && all > 0 {
        return;
    }
    let mut told = format!("{failed} of {all} requests failed{}{what}", if what.is_empty() { "" } else { ": " });
    if failed >= all {
        (case.failed, case.given) = (Some(told), GivenFigures::default());
        return;
    }
    if inside > 0 {
        told.push_str("; the file has one time for all requests, the failed ones among them");
    }
    case.failures = Some(told);
}

/// Whether a status is that of an answer that was wanted: 200 to 299.
pub(super) fn is_expected(status: &str) -> bool {
    status.len() == 3 && status.starts_with('2')
}

/// Percentiles that Tare has a place for, too.
pub(super) fn keep(case: &mut CaseRead, name: &str, value: f64) {
    match name.trim_end_matches(".000") {
        "p50" | "50" | "med" | "p(50)" => case.given.median = Some(value),
        "p95" | "95" | "p(95)" => case.given.p95 = Some(value),
        "p99" | "99" | "p(99)" => case.given.p99 = Some(value),
        _ => {}
    }
}
