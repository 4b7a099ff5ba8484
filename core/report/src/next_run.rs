//! What the next run of a case will read, where that is less certain than what this one knows.

use tare_samples::TimeUnit;
use tare_statistics::Summary;
use tare_statistics::comparison::NextRun;

use crate::figure::Figure;
use tare_results::VariantView;

/// By so much the interval of the next run has to be wider than the time's own to be worth a line.
const WIDER: f64 = 1.5;

/// The interval of the next run where it is clearly wider than that of the time: a reader who takes ± for what a second run
/// would show is mistaken there.
pub(crate) fn wider(variant: &VariantView) -> Option<(&Summary, &NextRun)> {
    let summary = variant.summary.as_ref()?;
    let next = variant.next_run.as_ref()?;
    let is_wider = (next.high - next.low) / 2.0 > WIDER * summary.time.half_width();
    is_wider.then_some((summary, next))
}

/// `next run 1.02 to 1.11 µs (95 %, 12 runs)`.
pub(crate) fn phrase(variant: &VariantView, unit: TimeUnit) -> Option<String> {
    wider(variant).map(|(summary, next)| format!("next run {}", range(summary, next, unit)))
}

/// `1.02 µs to 1.11 µs (95 %, 12 runs)`.
pub(crate) fn range(summary: &Summary, next: &NextRun, unit: TimeUnit) -> String {
    // Digits are those that the interval's own width leaves.
    let half = (next.high - next.low) / 2.0;
    let own = tare_statistics::Estimate {
        estimate: summary.time.estimate,
        low: summary.time.estimate - half,
        high: summary.time.estimate + half,
    };
    let end = |value: f64| Figure::beside(value, &own, unit).inline();
    let commits = if next.commits > 1 { format!(" of {} commits", next.commits) } else { String::new() };
    format!("{} to {} (95 %, {} runs{commits})", end(next.low), end(next.high), next.runs)
}
