use tare_samples::Reported;

use super::line::{Page, Style};
use crate::amount::{amount, rate};
use crate::figure::time;
use crate::text::one_line;
use tare_results::{RunView, VariantView};

/// What benchmarks say of themselves, and their runtimes count: a line for each that says anything.
pub(super) fn write(page: &mut Page, view: &RunView) {
    let mut first = true;
    for variant in &view.variants {
        let Some(reported) = variant.calibration.as_ref().map(|calibration| &calibration.reported) else { continue };
        let phrases = phrases(reported, variant, scale(variant, view));
        if phrases.is_empty() {
            continue;
        }
        if std::mem::take(&mut first) {
            page.gap();
        }
        let lead = format!("{}: ", one_line(&variant.full_title()));
        page.phrases(0, (Style::Dim, &lead), Style::Plain, ", ", &phrases);
    }
}

/// How many times its own rate a candidate has by the time that stands in the table beside the base's, so that the quotient of both rates is the change.
fn scale(variant: &VariantView, view: &RunView) -> f64 {
    let mut pairs = view.comparisons.pairs.iter().filter(|pair| pair.candidate.id == variant.variant.id);
    let (Some(pair), None) = (pairs.next(), pairs.next()) else { return 1.0 };
    let shown = pair.candidate_time().zip(pair.candidate.time);
    shown.map_or(1.0, |(shown, own)| own.estimate / shown.estimate)
}

fn phrases(reported: &Reported, variant: &VariantView, scale: f64) -> Vec<String> {
    let mut phrases = Vec::new();
    phrases.extend(variant.bytes_a_second().map(|bytes| rate(scale * bytes.estimate, "B")));
    phrases.extend(variant.items_a_second().map(|items| rate(scale * items.estimate, " items")));
    let value = |text: &str| text.parse().map_or_else(|_| text.to_owned(), |number| amount(number, ""));
    // Figures of other tools that are times say so by their name.
    let metric = |(name, number): &(String, String)| match (name.strip_suffix("_ns"), number.parse::<f64>()) {
        (Some(name), Ok(nanoseconds)) => format!("{} {}", one_line(name), time(nanoseconds)),
        _ => format!("{} {}", value(number), one_line(name)),
    };
    phrases.extend(reported.metrics.iter().map(metric));
    phrases.extend(reported.labels.iter().map(|label| one_line(label)));
    phrases
}
