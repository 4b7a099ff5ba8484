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

/// A figure's name and value: one that is a time or bytes says so by its name.
pub(super) fn figure(name: &str, value: f64) -> (String, String) {
    match (name.strip_suffix("_ns"), name.strip_suffix("_bytes")) {
        (Some(short), _) => (one_line(short), time(value)),
        (_, Some(short)) => (one_line(short), amount(value, "B")),
        _ => (one_line(name), amount(value, "")),
    }
}

fn phrases(reported: &Reported) -> Vec<String> {
    let metric = |(name, number): &(String, String)| match number.parse::<f64>() {
        Ok(number) => match figure(name, number) {
            (short, value) if short == one_line(name) => format!("{value} {short}"),
            (short, value) => format!("{short} {value}"),
        },
        Err(_) => format!("{number} {}", one_line(name)),
    };
    let labels = reported.labels.iter().map(|label| one_line(label));
    reported.metrics.iter().map(metric).chain(labels).collect()
}
