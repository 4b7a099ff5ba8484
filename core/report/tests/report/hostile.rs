//! Whatever benchmarks are called and whatever they print: no line is too wide, nothing moves the cursor.

use crate::fixtures;
use proptest::prelude::*;
use tare_report::{
    Layout, TableOptions, case_list, junit_xml, markdown_summary, run_document, run_log, run_table, side_by_side,
};
use tare_results::RunView;
use tare_samples::{Failure, FailureKind, Outcome, TimeUnit};
use tare_statistics::Estimate;
use unicode_width::UnicodeWidthStr;

/// Text of any characters, rich in those that terminals and aligners trip over.
fn text() -> impl Strategy<Value = String> {
    let awkward = "\u{1b}[\u{9b}\n\r\t\u{0}\u{7f}\u{85}\u{ad}\u{301}\u{200b}\u{200d}\u{202e}\u{2066}\u{2028}\u{fe0f}\u{fe0e}\u{20e3}\
        \u{feff}\u{1160}\u{3164}\u{e0041}日本🎉👍🏽❤1#🇩🇪ﷺلا\u{0e33}กำ µ±…→:~m";
    let awkward: Vec<char> = awkward.chars().collect();
    let character =
        prop_oneof![3 => any::<char>(), 4 => prop::sample::select(awkward), 3 => prop::char::range(' ', '~')];
    prop::collection::vec(character, 0..60).prop_map(|characters| characters.into_iter().collect())
}

/// Figures of any size, and what isn't one.
fn figure() -> impl Strategy<Value = f64> {
    let awkward =
        [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE];
    prop_oneof![3 => 0.9..1.1f64, 2 => 0.01..100.0f64, 2 => prop::sample::select(awkward.to_vec())]
}

fn view(names: &[String], times: &[f64]) -> RunView {
    let mut view = fixtures::troubled();
    view.variants.truncate(3);
    for (index, name) in names.iter().enumerate() {
        let time = times[index % times.len()];
        let benchmark = if index % 2 == 0 { format!("{name}::bench") } else { "HashBench::benchHash".to_owned() };
        let mut variant = fixtures::ok(&benchmark, Some(name), time, time.abs() * 0.02);
        variant.variant.case.file = name.clone();
        variant.variant.case.groups = vec![name.clone()];
        variant.variant.runtime.version = name.clone();
        variant.variant.case.settings.unit = (index == 1).then_some(TimeUnit::Seconds);
        variant.outcome = match index % 5 {
            2 => Outcome::Skipped(name.clone()),
            3 => Outcome::Failed(Failure {
                stdout: name.clone(),
                stderr: name.repeat(9),
                trace: name.repeat(9),
                ..Failure::new(FailureKind::Fatal, name, name).at(name, 7)
            }),
            _ => Outcome::Ok,
        };
        let summary = variant.summary.as_mut().expect("a summary");
        summary.below_resolution = index % 7 == 4;
        summary.kernels.push((name.clone(), Estimate::default()));
        let warning = tare_statistics::Warning { code: name.clone(), message: name.clone(), remedy: name.clone() };
        summary.warnings.push(warning);
        view.variants.push(variant);
    }
    if let Some(name) = names.first() {
        view.origin.tags = vec![name.clone()];
        view.origin.id = name.clone();
        view.origin.started = name.clone();
        view.origin.machine.insert("cpu".into(), name.clone());
        view.origin.machine.insert(name.clone(), name.clone());
        view.notices[0].message = name.clone();
        view.notices[0].file = name.clone();
        view.file_failures[0].message = name.clone();
    }
    view
}

fn check(text: &str, options: &TableOptions) -> Result<(), TestCaseError> {
    let mut plain = text.to_owned();
    if options.colour {
        for code in ["0", "1", "2", "31", "32", "33"] {
            plain = plain.replace(&format!("\x1b[{code}m"), "");
        }
    }
    for line in plain.lines() {
        prop_assert!(line.width() <= options.width, "{} columns of {}: {line:?}", line.width(), options.width);
        prop_assert!(!line.chars().any(char::is_control), "a control character in {line:?}");
        let directs =
            |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        prop_assert!(!line.chars().any(directs), "an invisible character in {line:?}");
        prop_assert!(options.unicode || line.is_ascii(), "not ASCII: {line:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::inputs(192), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_report_leaves_its_lines(
        names in prop::collection::vec(text(), 0..8),
        times in prop::collection::vec(prop_oneof![-1e3..1e3f64, 1e-6..1e12f64, Just(0.0), Just(f64::NAN), Just(1e300)], 1..4),
        width in 1usize..140,
        flags in any::<[bool; 5]>(),
    ) {
        let options = TableOptions {
            width,
            whole_names: false,
            colour: flags[0],
            unicode: flags[1],
            raw: flags[2],
            verbose: flags[3],
            chart: flags[0],
            plots: flags[1],
            all_rows: false,
        };
        let mut view = view(&names, &times);
        check(&run_table(&view, &options), &options)?;
        let cases: Vec<_> = view.variants.iter().map(|v| v.variant.case.clone()).collect();
        check(&case_list(&cases, &options), &options)?;
        let mut rows = fixtures::log();
        rows[0].tags = names.clone();
        rows[1].id = names.first().cloned().unwrap_or_default();
        rows[2].branch = names.last().cloned().unwrap_or_default();
        check(&run_log(&rows, &options), &options)?;
        let tag = names.first().cloned().unwrap_or_default();
        check(&side_by_side(&[(tag.clone(), view.clone()), ("b".into(), fixtures::elsewhere())], &options), &options)?;
        for (index, variant) in view.variants.iter_mut().enumerate() {
            variant.variant.label = if index % 2 == 0 { tag.clone() } else { "other".into() };
        }
        check(&run_table(&view, &options), &options)?;
    }

    #[test]
    fn no_comparison_leaves_its_lines(
        name in text(),
        ratios in prop::collection::vec((figure(), figure(), figure()), 1..8),
        settings in (figure(), figure(), prop::option::of(figure())),
        width in 1usize..160,
        flags in any::<[bool; 4]>(),
        hostile in any::<bool>(),
    ) {
        let options = TableOptions {
            width,
            whole_names: false,
            colour: flags[0],
            unicode: flags[1],
            raw: flags[2],
            verbose: flags[3],
            chart: flags[0],
            plots: flags[1],
            all_rows: false,
        };
        let mut view = if hostile { fixtures::hostile_comparisons(&name) } else { fixtures::controlled(0.01) };
        let (margin, confidence, effect) = settings;
        for (pair, (estimate, low, high)) in view.comparisons.pairs.iter_mut().zip(ratios.iter().cycle()) {
            let ratio = Estimate { estimate: *estimate, low: *low, high: *high };
            pair.comparison.ratio = Some(ratio);
            pair.comparison.margin = margin;
            pair.comparison.confidence = confidence;
            pair.comparison.minimum_detectable_effect = effect;
            pair.base.time = Some(Estimate { estimate: *high, low: *low, high: *high });
            pair.candidate.time = Some(ratio);
        }
        for mean in &mut view.comparisons.geometric_means {
            mean.base = effect;
            mean.ratio = view.comparisons.pairs[0].comparison.ratio;
        }
        check(&run_table(&view, &options), &options)?;
        for layout in [Layout::Pretty, Layout::Compact] {
            let document = run_document(&view, layout);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&document).is_ok(), "{document}");
        }
        prop_assert!(markdown_summary(&view).len() <= 65_536);
        prop_assert!(junit_xml(&view).ends_with("</testsuites>\n"));
    }
}
