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
    is_worth(summary, next, WIDER).then_some((summary, next))
}

/// From its lower to its upper end: more, as from 0 µs to 35 s, says nothing.
const WIDEST: f64 = 100.0;

/// Whether the interval of the next run is so many times as wide as the time's own, and says something.
pub(crate) fn is_worth(summary: &Summary, next: &NextRun, wider: f64) -> bool {
    let half = (next.high - next.low) / 2.0;
    next.high < WIDEST * next.low && half > wider * summary.time.half_width()
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

#[cfg(test)]
mod tests {
    use tare_statistics::comparison::NextRun;
    use tare_statistics::{Estimate, Summary};

    use super::is_worth;

    #[test]
    fn a_next_run_from_nothing_to_anything_is_not_told() {
        let time = Estimate { estimate: 100.0, low: 95.0, high: 105.0 };
        let summary = Summary { time, ..Summary::default() };
        for (low, high, told) in
            [(80.0, 120.0, true), (96.0, 104.0, false), (20.0, 500.0, true), (1e-9, 35e12, false), (0.0, 150.0, false)]
        {
            let next = NextRun { low, high, runs: 9, commits: 1 };
            assert_eq!(is_worth(&summary, &next, 1.5), told, "{low} to {high}");
        }
    }
}
