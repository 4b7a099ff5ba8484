//! Comparisons as a person sees them, at the widths of real terminals.

use crate::fixtures;
use insta::assert_snapshot;
use tare_report::{TableOptions, junit_xml, markdown_summary, run_table};
use tare_results::{ComparisonKind, ComparisonView};
use tare_samples::About;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

fn at(width: usize) -> TableOptions {
    TableOptions { width, ..TableOptions::default() }
}

/// The report down to what the scale weighed; the rest is told by other snapshots.
fn top(text: &str) -> &str {
    text.split("\nscale: ").next().unwrap_or(text)
}

const EVIL: &str = "\x1b[2J\x1b[31mred\u{202e}drow\r\nnewline|`@maria` #12 <b>";

#[test]
fn two_revisions() {
    assert_snapshot!("compared_120", run_table(&fixtures::controlled(0.0008), &at(120)));
    assert_snapshot!("compared_100", top(&run_table(&fixtures::controlled(0.0008), &at(100))));
    assert_snapshot!("compared_80", top(&run_table(&fixtures::controlled(0.0008), &at(80))));
    assert_snapshot!("compared_50", top(&run_table(&fixtures::controlled(0.0008), &at(50))));
}

#[test]
fn in_ascii_and_in_colour() {
    let ascii = TableOptions { unicode: false, ..at(100) };
    assert_snapshot!("compared_100_ascii", top(&run_table(&fixtures::controlled(0.0008), &ascii)));
    let colour = TableOptions { colour: true, ..at(100) };
    let text = run_table(&fixtures::outlier(), &colour).replace('\x1b', "␛");
    assert_snapshot!("outlier_100_colour", text.split("\n\n").next().unwrap_or_default());
}

#[test]
fn several_runtimes_and_methods_of_a_class() {
    assert_snapshot!("two_estimands_100", top(&run_table(&fixtures::of_two_estimands(), &at(100))));
    assert_snapshot!("two_estimands_80", top(&run_table(&fixtures::of_two_estimands(), &at(80))));
    assert_snapshot!("several_100", top(&run_table(&fixtures::several(), &at(100))));
    assert_snapshot!("methods_80", top(&run_table(&fixtures::methods(), &at(80))));
}

#[test]
fn one_huge_ratio() {
    assert_snapshot!("outlier_100", top(&run_table(&fixtures::outlier(), &at(100))));
    assert_snapshot!("outlier_80", top(&run_table(&fixtures::outlier(), &at(80))));
}

#[test]
fn everything_that_is_known_of_a_pair() {
    let mut view = fixtures::controlled(0.0008);
    view.comparisons.pairs.drain(5..20);
    let text = run_table(&view, &TableOptions { verbose: true, ..at(100) });
    let start = text.find("NothingBench::benchNothing, feature").expect("details");
    let end = text.find("NothingBench::benchNothing (main)").expect("the variants' details");
    assert_snapshot!("compared_100_verbose", &text[start..end]);
}

#[test]
fn hostile_names_are_shown_and_harmless() {
    assert_snapshot!("hostile_comparisons_80", run_table(&fixtures::hostile_comparisons(EVIL), &at(80)));
}

#[test]
fn a_warning_of_all_comparisons_is_shown_with_their_noise_floor() {
    let quiet = run_table(&fixtures::controlled(0.0008), &at(100));
    assert!(
        quiet.contains("identical code read within ±0.08 % (5 controls), its intervals reach to ±0.21 %"),
        "{quiet}"
    );
    assert!(!quiet.contains("warning: noise-floor"), "{quiet}");
    let noisy = run_table(&fixtures::controlled(0.008), &at(100));
    assert!(noisy.contains("warning: noise-floor\n  identical code differed by 0.81 %, more than the margin of 0.5 %"));
}

#[test]
fn controls_are_no_rows_and_count_for_nothing() {
    let without = run_table(&fixtures::compared(), &at(100));
    let with = run_table(&fixtures::controlled(0.03), &at(100));
    for text in [&without, &with] {
        assert!(text.contains("2 slower, 1 faster, 13 same, 3 undecided (margin 0.5 %, 99 % intervals)"), "{text}");
    }
    assert_eq!(without.matches("benchHash adler32").count(), with.matches("benchHash adler32").count());
}

#[test]
fn what_was_not_confirmed_says_so() {
    let mut view = fixtures::compared();
    let wide = run_table(&view, &at(140));
    assert!(wide.contains("same (slower at first)"), "{wide}");
    assert!(wide.contains("slower, seen twice"), "{wide}");
    assert!(wide.contains("undecided (would have seen 1.8 %)"), "{wide}");
    let mut noisy = fixtures::compared();
    for pair in &mut noisy.comparisons.pairs {
        pair.comparison.minimum_detectable_effect = pair.comparison.minimum_detectable_effect.map(|_| 2.2);
    }
    assert!(run_table(&noisy, &at(140)).contains("undecided (would have seen 3.2×)"), "a factor, not 220 %");
    view.comparisons.pairs[2].comparison.confirmed = false;
    assert!(run_table(&view, &at(140)).contains("slower, not confirmed"));
    let narrow = run_table(&view, &at(80));
    assert!(narrow.contains("seen at first only: HashBench::benchHash fnv132 (slower)"), "{narrow}");
    assert!(!narrow.contains("each difference was seen twice"), "{narrow}");
}

/// An interval without 0 in it that crosses the margin: there is a difference, and nobody knows whether it matters.
#[test]
fn a_difference_that_may_lie_within_the_margin_is_undecided_and_says_why() {
    let mut view = fixtures::compared();
    let open = |pair: &&mut ComparisonView| pair.title.contains("joaat");
    let pair = view.comparisons.pairs.iter_mut().find(open).expect("an undecided pair");
    pair.comparison.verdict = Verdict::Inconclusive;
    let ratio = Estimate { estimate: 0.9904, low: 0.9836, high: 0.9972 };
    (pair.comparison.ratio, pair.comparison.typical, pair.comparison.rests_on) = (Some(ratio), None, About::Time);
    let full = "undecided (differs, perhaps by less than the margin)";
    assert!(run_table(&view, &at(160)).contains(full));
    assert!(markdown_summary(&view).contains(full));
    assert!(junit_xml(&view).contains(full));
    let narrow = run_table(&view, &at(80));
    assert!(narrow.contains("differ, perhaps by less than the margin: HashBench::benchHash joaat"), "{narrow}");
    // Beyond the margin as a whole: a first look asks for more certainty than the interval that is shown.
    let pair = view.comparisons.pairs.iter_mut().find(|pair| pair.comparison.ratio == Some(ratio)).expect("the pair");
    pair.comparison.ratio = Some(Estimate { estimate: 0.98, low: 0.97, high: 0.99 });
    let wide = run_table(&view, &at(160));
    assert!(wide.contains("undecided (beyond the margin, but not certain)") && !wide.contains("differs"), "{wide}");
    let narrow = run_table(&view, &at(80));
    assert!(narrow.contains("beyond the margin, but not certain: HashBench::benchHash joaat"), "{narrow}");
}

#[test]
fn times_of_a_stored_run_are_told_to_be_put_to_the_other_runs_machine() {
    let told = "the candidate's times are put to the machine's state in the base's run";
    let mut view = fixtures::compared();
    assert!(!run_table(&view, &at(100)).contains(told), "live sides met one machine");
    for pair in &mut view.comparisons.pairs {
        pair.kind = ComparisonKind::Stored;
    }
    assert!(!run_table(&view, &at(100)).contains(told), "the change is that of the times as they are");
    for pair in &mut view.comparisons.pairs {
        pair.candidate.time = pair.candidate.time.map(|time| Estimate {
            estimate: 1.04 * time.estimate,
            low: 1.04 * time.low,
            high: 1.04 * time.high,
        });
    }
    for text in [run_table(&view, &at(100)), markdown_summary(&view)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.matches(told).count(), 1, "{text}");
        assert!(text.contains("as measured they differ from these by up to 4 %"), "{text}");
    }
}

#[test]
fn without_a_ratio_the_reason_is_told() {
    let text = run_table(&fixtures::compared(), &at(100));
    let row = text.lines().find(|line| line.starts_with("NothingBench::benchNothing ")).expect("a row");
    assert!(row.contains("undefined: base below resolution") && row.ends_with("undecided"), "{row}");
}

#[test]
fn what_is_not_compared_is_still_shown() {
    let text = run_table(&fixtures::outlier(), &at(100));
    assert!(text.contains("benchGet    failed: exception"), "{text}");
    let raw = run_table(&fixtures::outlier(), &TableOptions { raw: true, ..at(100) });
    assert!(raw.contains("  raw"), "{raw}");
}

#[test]
fn the_drawing_agrees_with_the_verdict() {
    // However narrow the axis: a line that leaves the margin crosses or passes its edge, one that is the same stays inside.
    for step in 0..400 {
        let mut view = fixtures::outlier();
        let pair = &mut view.comparisons.pairs[0];
        pair.comparison = fixtures::comparison(0.99 + 0.000_05 * f64::from(step), 0.002);
        let verdict = pair.comparison.verdict;
        let text = run_table(&view, &at(100));
        let row = text.lines().find(|line| line.contains("benchHash adler32")).expect("a row");
        let (left, right) = (row.find(['┊', '┼']).expect("an edge"), row.rfind(['┊', '┼']).expect("an edge"));
        let (low, high) = (row.find(['├', '●']).expect("a line"), row.rfind(['┤', '●']).expect("a line"));
        let seen = match () {
            () if low > right => Verdict::Slower,
            () if high < left => Verdict::Faster,
            () if low > left && high < right => Verdict::Same,
            () => Verdict::Inconclusive,
        };
        assert_eq!(seen, verdict, "{row}");
    }
}

#[test]
fn the_quotient_of_rates_is_the_change() {
    let mut view = fixtures::compared();
    view.comparisons.pairs.truncate(1);
    let pair = &mut view.comparisons.pairs[0];
    let at = |time: f64| Some(Estimate { estimate: time, low: time, high: time });
    // By themselves the sides differ by half, and beside each other by as much again.
    (pair.base.time, pair.candidate.time) = (at(1000.0), at(1500.0));
    pair.comparison.ratio = at(2.0);
    let sides = [(pair.base.id.clone(), 1000.0), (pair.candidate.id.clone(), 1500.0)];
    view.variants.retain_mut(|variant| {
        let Some((_, time)) = sides.iter().find(|(id, _)| *id == variant.variant.id) else { return false };
        variant.calibration.as_mut().unwrap().reported.bytes = Some(1_000_000);
        let summary = variant.summary.as_mut().unwrap();
        (summary.time, summary.below_resolution) = (at(*time).unwrap(), false);
        true
    });
    let shown = run_table(&view, &self::at(100));
    assert!(shown.contains(": 1.00 TB/s") && shown.contains(": 500 GB/s"), "{shown}");
}
