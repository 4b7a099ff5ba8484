use tare_samples::{About, TimeUnit};
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use super::super::block;
use super::super::line::{Page, Style};
use crate::effect;
use crate::figure::{Figure, share};
use crate::wording::{self, Detail};
use tare_results::{ComparisonKind, ComparisonView, RunView, SideView};

/// Everything that is known of each pair: the ratio with the ends of its interval, both times with theirs, the evidence.
pub(super) fn write(page: &mut Page, view: &RunView) {
    for pair in &view.comparisons.pairs {
        page.gap();
        let mut line = page.line();
        let sides = format!("{} vs {} ({})", pair.candidate.label, pair.base.label, pair.kind.name());
        let sides = if pair.title.is_empty() { sides } else { format!("{}, {sides}", pair.title) };
        line.push(Style::Bold, &block::name(page, &sides, page.width));
        page.put(line);
        let phrases: [(&str, Vec<String>); 6] = [
            ("verdict", vec![wording::verdict(pair, Detail::Full)]),
            ("ratio", ratio(pair)),
            ("typical", typical(pair)),
            ("base", time(&pair.base)),
            ("candidate", time(&pair.candidate)),
            ("evidence", evidence(pair)),
        ];
        for (title, phrases) in phrases {
            if !phrases.is_empty() {
                page.phrases(2, (Style::Dim, &format!("{title:<13}")), Style::Plain, ", ", &phrases);
            }
        }
    }
}

fn ratio(pair: &ComparisonView) -> Vec<String> {
    match wording::ratio(pair.comparison.ratio) {
        None => match (wording::proof(&pair.comparison), wording::change_of(&pair.comparison)) {
            (Some(proof), _) => vec![format!("not measured: {proof}")],
            (None, Some(change)) => vec![change.inline(), wording::reason(&pair.comparison)],
            (None, None) => vec![format!("undefined: {}", wording::reason(&pair.comparison))],
        },
        Some(ratio) => {
            let confidence = pair.comparison.confidence * 100.0;
            vec![
                Figure::ratio(&ratio).inline(),
                format!("{:.5} from {:.5} to {:.5} ({confidence:.0} %)", ratio.estimate, ratio.low, ratio.high),
                format!("margin {}", share(pair.comparison.margin)),
            ]
        }
    }
}

/// The ratio of typical calls, where there is one beside that of expected costs.
fn typical(pair: &ComparisonView) -> Vec<String> {
    wording::ratio(pair.comparison.typical).map_or_else(Vec::new, |ratio| {
        let rests = if pair.comparison.rests_on == About::Typical {
            vec!["the verdict rests on it".to_owned()]
        } else {
            Vec::new()
        };
        let ends = format!("{:.5} from {:.5} to {:.5}", ratio.estimate, ratio.low, ratio.high);
        [vec![Figure::ratio(&ratio).inline(), ends], rests].concat()
    })
}

fn time(side: &SideView) -> Vec<String> {
    let Some(time) = side.time else { return vec!["not measured".to_owned()] };
    let unit = TimeUnit::fitting(time.estimate);
    let end = |value: f64| Figure::beside(value, &time, unit).inline();
    let Estimate { low, high, .. } = time;
    vec![Figure::interval(&time, unit).inline(), format!("from {} to {}", end(low), end(high))]
}

fn evidence(pair: &ComparisonView) -> Vec<String> {
    let comparison = &pair.comparison;
    let mut phrases =
        vec![format!("{} launch {}", comparison.pairs, if comparison.pairs == 1 { "pair" } else { "pairs" })];
    if let Some(flag) = &comparison.flag {
        phrases.push(format!("{} of them in the second measurement", flag.pairs));
        phrases.push(format!("p = {} for {}", p_value(flag.p_value), flag.first));
    }
    if pair.kind == ComparisonKind::Live && comparison.verdict == Verdict::Same && comparison.pairs > 0 {
        // Of n launches none meets what hits a share p of them with a probability of (1 − p)^n.
        let share_seen = 1.0 - 0.01f64.powf(1.0 / f64::from(comparison.pairs));
        phrases.push(format!(
            "an effect that occurs in fewer than {} of the launches may be missing in these",
            share(share_seen)
        ));
    }
    if let Some(effect) = comparison.minimum_detectable_effect.filter(|effect| *effect <= effect::TOO_NOISY) {
        phrases.push(format!("minimum detectable effect {}", share(effect)));
    }
    phrases
}

/// Three significant digits; the exponent where there would be many zeros.
fn p_value(p: f64) -> String {
    if p.is_nan() {
        "unknown".to_owned()
    } else if p >= 0.001 || p == 0.0 {
        format!("{p:.3}")
    } else {
        format!("{p:.1e}")
    }
}
