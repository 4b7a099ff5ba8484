use tare_samples::Reported;

use super::TableOptions;
use super::line::{Page, Style};
use crate::amount::amount;
use crate::figure::time;
use crate::names::Names;
use crate::text::one_line;
use tare_results::RunView;

/// Cases that are shown; the rest is counted.
const SHOWN: usize = 10;

/// Counters and words that benchmarks report of themselves, a line a case; of what is compared, and of many, with `verbose`.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    if !view.comparisons.is_empty() && !options.verbose {
        return;
    }
    let titles: Vec<String> = view.variants.iter().map(|variant| variant.full_title()).collect();
    let shared = Names::of(titles.iter().map(String::as_str));
    let said: Vec<(&str, Vec<String>)> = view
        .variants
        .iter()
        .zip(&titles)
        .filter_map(|(variant, title)| Some((shared.short(title), phrases(&variant.calibration.as_ref()?.reported))))
        .filter(|(_, phrases)| !phrases.is_empty())
        .collect();
    let shown = if options.verbose || said.len() <= SHOWN + 1 { said.len() } else { SHOWN };
    page.gap();
    for (name, phrases) in &said[..shown] {
        page.phrases(0, (Style::Dim, &format!("{}: ", one_line(name))), Style::Plain, ", ", phrases);
    }
    if shown < said.len() {
        let more = format!("… and {} more cases report something (--verbose)", said.len() - shown);
        page.prose(0, (Style::Dim, ""), Style::Dim, &more);
    }
}

fn phrases(reported: &Reported) -> Vec<String> {
    let value = |text: &str| text.parse().map_or_else(|_| text.to_owned(), |number| amount(number, ""));
    // Figures of other tools that are times say so by their name.
    let metric = |(name, number): &(String, String)| match (name.strip_suffix("_ns"), number.parse::<f64>()) {
        (Some(name), Ok(nanoseconds)) => format!("{} {}", one_line(name), time(nanoseconds)),
        _ => format!("{} {}", value(number), one_line(name)),
    };
    let labels = reported.labels.iter().map(|label| one_line(label));
    reported.metrics.iter().map(metric).chain(labels).collect()
}
