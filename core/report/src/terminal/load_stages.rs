//! A rate that grew in stages: what a target did at each, and up to which it held.

use tare_results::{LoadKnee, LoadStage};

use super::line::{Page, Style};
use crate::amount::rate;
use crate::figure::time;

const HEAD: [&str; 7] = ["asked for", "throughput", "p50", "p99", "max", "late, dropped", "failed"];
const GAP: usize = 2;

/// A row for each stage, and a sentence.
pub(super) fn write(page: &mut Page, stages: &[LoadStage], knee: &LoadKnee) {
    let rows: Vec<[String; 7]> = stages.iter().map(cells).collect();
    let header = HEAD.map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&header]).map(|row| page.measure(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    // What doesn't fit is left out, the least telling first.
    let mut shown: Vec<usize> = (0..HEAD.len()).collect();
    let needed = |shown: &[usize]| shown.iter().map(|column| widths[*column] + GAP).sum::<usize>() + 2;
    for left_out in [4, 2, 6, 5] {
        if needed(&shown) > page.width {
            shown.retain(|column| *column != left_out);
        }
    }
    put(page, &header, &widths, &shown, Style::Dim);
    for (stage, row) in stages.iter().zip(&rows) {
        let holds = knee.rate.is_some_and(|rate| stage.rate <= rate);
        put(page, row, &widths, &shown, if holds { Style::Plain } else { Style::Yellow });
    }
    page.prose(2, (Style::Plain, ""), Style::Bold, &sentence(stages, knee));
}

fn cells(stage: &LoadStage) -> [String; 7] {
    let at = |name: &str| stage.latency.as_ref()?.percentile(name);
    let shown = |value: Option<u64>| value.map_or("–".to_owned(), |value| time(value as f64));
    [
        rate(stage.rate, ""),
        rate(stage.throughput, ""),
        shown(at("p50")),
        shown(at("p99")),
        shown(stage.latency.as_ref().map(|latency| latency.max)),
        format!("{}, {}", stage.late, stage.dropped),
        stage.failed.to_string(),
    ]
}

fn put(page: &mut Page, row: &[String; 7], widths: &[usize], shown: &[usize], style: Style) {
    let mut line = page.line();
    let mut at = 2;
    for column in shown {
        line.pad_to(at + widths[*column] - page.measure(&row[*column])).push(style, &row[*column]);
        at += widths[*column] + GAP;
    }
    page.put(line);
}

/// Up to which rate it held.
pub(crate) fn sentence(stages: &[LoadStage], knee: &LoadKnee) -> String {
    let limit = knee.limit.as_ref().map(|limit| (limit.percentile.as_str(), time(limit.most_ns as f64)));
    let passes = match (&limit, knee.passes_at) {
        (Some((name, most)), Some(at)) => format!("; {name} passes {most} at about {}", rate(at, "")),
        _ => String::new(),
    };
    let with = limit.map_or(String::new(), |(name, most)| format!(" with {name} within {most}"));
    let highest = stages.iter().map(|stage| stage.rate).fold(0.0, f64::max);
    match knee.rate {
        None => format!("doesn't hold the first rate{with}{passes}"),
        Some(held) if held >= highest => format!("holds all rates up to {}{with}", rate(held, "")),
        Some(held) => format!("holds {}{with}, and no more at the next stage{passes}", rate(held, "")),
    }
}

#[cfg(test)]
mod tests {
    use tare_results::{LoadKnee, LoadLatency, LoadStage, LoadTarget, LoadView};

    use crate::json::{Layout, load_document};
    use crate::terminal::{TableOptions, load_report};

    fn view() -> LoadView {
        let stage = |rate: f64, p99: u64, kept: bool| LoadStage {
            rate,
            throughput: rate.min(900.0),
            dropped: if kept { 0 } else { 123 },
            kept,
            latency: Some(LoadLatency {
                percentiles: vec![("p50".to_owned(), p99 / 3), ("p99".to_owned(), p99)],
                max: 2 * p99,
                ..LoadLatency::default()
            }),
            ..LoadStage::default()
        };
        let stages =
            vec![stage(250.0, 3_000_000, true), stage(500.0, 6_000_000, true), stage(1000.0, 800_000_000, false)];
        let knee =
            LoadKnee { rate: Some(500.0), limit: Some(("p99".to_owned(), 50_000_000).into()), passes_at: Some(675.25) };
        let target = LoadTarget { name: "http://h/".to_owned(), stages, knee: Some(knee), ..LoadTarget::default() };
        LoadView { targets: vec![target], ..LoadView::default() }
    }

    #[test]
    fn each_stage_has_a_row_and_the_knee_a_sentence() {
        for width in [40, 60, 80, 100] {
            let text = load_report(&view(), &TableOptions { width, ..TableOptions::default() });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                words.contains(
                    "holds 500/s with p99 within 50 ms, and no more at the next stage; p99 passes 50 ms at about 675/s"
                ),
                "{words}"
            );
            assert!(text.contains("800 ms") && text.contains("900/s"), "{text}");
        }
    }

    #[test]
    fn stages_are_in_the_document() {
        let document: serde_json::Value = serde_json::from_str(&load_document(&view(), Layout::Compact)).unwrap();
        let target = &document["targets"][0];
        assert_eq!(target["stages"].as_array().unwrap().len(), 3);
        assert_eq!((&target["stages"][2]["kept"], &target["stages"][2]["dropped"]), (&false.into(), &123.into()));
        let knee = serde_json::json!({"rate": 500.0, "percentile": "p99", "limit": 50_000_000, "passes_at": 675.25});
        assert_eq!(target["knee"], knee);
    }
}
