//! What an undisturbed call takes, where that isn't what a call costs on average.

use tare_samples::TimeUnit;
use tare_statistics::{Differing, Estimate, Summary};

use crate::figure::{Figure, share};

/// The typical time of a call, where it differs from the mean cost.
pub(crate) fn differing_typical(summary: &Summary) -> Option<(&Estimate, Differing)> {
    Some((summary.typical.as_ref()?, summary.differing?))
}

/// `typical 9.98 µs ± 0.05: rare slow calls +65 %`.
pub(crate) fn phrase(summary: &Summary, unit: TimeUnit) -> Option<String> {
    figure_and_reason(summary, unit).map(|what| format!("typical {what}"))
}

/// The same where a heading says that it is the typical time.
pub(crate) fn figure_and_reason(summary: &Summary, unit: TimeUnit) -> Option<String> {
    let (typical, why) = differing_typical(summary)?;
    let figure = Figure::interval(typical, unit).inline();
    let reason = match why {
        Differing::SlowCalls => "rare slow calls",
        Differing::FastCalls => "rare fast calls",
        Differing::SomeLaunches => "some launches",
    };
    let more = summary.time.estimate / typical.estimate - 1.0;
    // Of what lies at 0 there is no share.
    let share = (typical.low > 0.0 && more.is_finite())
        .then(|| format!(" {}{}", if more < 0.0 { '-' } else { '+' }, share(more)));
    Some(format!("{figure}: {reason}{}", share.unwrap_or_default()))
}
