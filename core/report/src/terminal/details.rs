use tare_samples::TimeUnit;
use tare_statistics::{Estimate, Summary};

use super::block;
use super::line::{Page, Style};
use crate::figure::{Figure, percent, time};
use crate::text::one_line;
use crate::{between_runs, next_run};
use tare_results::VariantView;

/// Everything that is known of each case: intervals, descriptive figures, the uncertainty budget, kernels.
pub(super) fn write(page: &mut Page, variants: &[VariantView]) {
    for variant in variants {
        let Some(summary) = &variant.summary else { continue };
        page.gap();
        let label = &variant.variant.label;
        let suffix = if label.is_empty() { String::new() } else { format!(" ({label})") };
        let mut line = page.line();
        line.push(Style::Bold, &block::name(page, &(variant.title() + &suffix), page.width));
        page.put(line);
        // A few runs that happen to agree say less than ± does.
        let next = variant
            .next_run
            .as_ref()
            .filter(|next| next_run::is_worth(summary, next, 1.0))
            .map(|next| vec![next_run::range(summary, next, TimeUnit::fitting(summary.time.estimate))]);
        let phrases: [(&str, Vec<String>); 10] = [
            ("time", interval(&summary.time)),
            ("next run", next.unwrap_or_default()),
            ("typical", summary.typical.as_ref().map(interval).unwrap_or_default()),
            ("raw", interval(&summary.raw)),
            ("statistics", statistics(summary)),
            ("uncertainty", if variant.variant.is_imported() { Vec::new() } else { budget(summary) }),
            ("outliers", outliers(summary)),
            ("peaks", peaks(summary)),
            ("kernels", kernels(summary)),
            ("method", method(variant, summary)),
        ];
        for (title, phrases) in phrases {
            if !phrases.is_empty() {
                page.phrases(2, (Style::Dim, &format!("{title:<13}")), Style::Plain, ", ", &phrases);
            }
        }
    }
}

fn interval(estimate: &Estimate) -> Vec<String> {
    let unit = TimeUnit::fitting(estimate.estimate);
    let end = |value: f64| Figure::beside(value, estimate, unit).inline();
    if !estimate.is_bounded() {
        return vec![Figure::interval(estimate, unit).inline()];
    }
    vec![Figure::interval(estimate, unit).inline(), format!("from {} to {}", end(estimate.low), end(estimate.high))]
}

fn statistics(summary: &Summary) -> Vec<String> {
    let s = &summary.statistics;
    let times = [
        ("mean", s.mean),
        ("median", s.median),
        ("mode", s.mode),
        ("min", s.min),
        ("max", s.max),
        ("stddev", s.stddev),
        ("MAD", s.mad),
        ("p95", s.p95),
        ("p99", s.p99),
    ];
    let unit = TimeUnit::fitting(summary.time.estimate);
    let figure = |value: f64| Figure::beside(value, &summary.time, unit).inline();
    // What another tool didn't tell is no number.
    let known = times.iter().filter(|(_, value)| value.is_finite());
    let mut phrases: Vec<String> = known.map(|(name, value)| format!("{name} {}", figure(*value))).collect();
    if s.rstdev.is_finite() {
        phrases.insert(phrases.len().min(6), format!("rstdev {}", percent(s.rstdev)));
    }
    phrases
}

fn budget(summary: &Summary) -> Vec<String> {
    if !summary.time.is_bounded() {
        return Vec::new();
    }
    let u = &summary.uncertainty;
    let parts = [
        ("within launches", u.within_launch),
        ("between launches", u.between_launch),
        ("clock resolution", u.clock_resolution),
        ("clock cost", u.clock_cost),
        ("call", u.call),
        ("drift", u.drift),
        (between_runs::NAME, u.between_runs),
    ];
    // Earlier versions knew nothing of the last.
    let parts = if summary.between_runs.is_some() { &parts[..] } else { &parts[..6] };
    let mut phrases = vec![format!("standard {}", time(u.combined))];
    phrases.extend(parts.iter().map(|(name, value)| format!("{name} {}", time(*value))));
    phrases
}

fn outliers(summary: &Summary) -> Vec<String> {
    let o = &summary.outliers;
    let parts = [
        ("low severe", o.low_severe),
        ("low mild", o.low_mild),
        ("high mild", o.high_mild),
        ("high severe", o.high_severe),
    ];
    let mut phrases: Vec<String> =
        parts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")).collect();
    if let Some(last) = phrases.last_mut() {
        last.push_str(&format!(" of {} samples", summary.samples));
    }
    phrases
}

fn peaks(summary: &Summary) -> Vec<String> {
    if summary.peaks.len() < 2 { Vec::new() } else { summary.peaks.iter().map(|peak| time(*peak)).collect() }
}

fn kernels(summary: &Summary) -> Vec<String> {
    summary.kernels.iter().map(|(name, estimate)| format!("{} {}", one_line(name), time(estimate.estimate))).collect()
}

fn method(variant: &VariantView, summary: &Summary) -> Vec<String> {
    let calls = match summary.iterations {
        // The file doesn't tell, or samples differ.
        0 if variant.variant.is_imported() => {
            return vec![format!("{} samples", summary.samples), format!("{} launches", summary.launches)];
        }
        0 => "one bare call a sample".to_owned(),
        1 => "1 call a sample".to_owned(),
        n => format!("{n} calls a sample"),
    };
    let mut phrases = vec![calls, format!("{} samples", summary.samples), format!("{} launches", summary.launches)];
    if let Some(calibration) = &variant.calibration {
        phrases.push(format!("{} untimed samples at the start of a turn", calibration.warm));
        if !calibration.clock.is_empty() {
            phrases.push(format!("clock {}", one_line(&calibration.clock)));
        }
    }
    phrases
}
