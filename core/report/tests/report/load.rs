//! `tare load` as people and programs read it.

use crate::{fixtures, schema_check};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use tare_report::{Layout, TableOptions, load_document, load_report};
use tare_results::{LoadComparison, LoadLatency, LoadMemory, LoadOperation, LoadSecond, LoadTarget, LoadView};
use tare_statistics::comparison::Verdict;
use tare_statistics::{Estimate, Warning};
use unicode_width::UnicodeWidthStr;

fn at(width: usize) -> TableOptions {
    TableOptions { width, ..TableOptions::default() }
}

/// Percentiles of a server whose median is `median` ns and whose tail is `tail` times that at its end.
fn latency(median: u64, tail: f64) -> LoadLatency {
    let value = |share: f64| (median as f64 * (1.0 + (tail - 1.0) * share)) as u64;
    let named = [("p50", 0.0), ("p90", 0.02), ("p95", 0.04), ("p99", 0.1), ("p99.9", 0.4), ("p99.99", 0.8)];
    let curve = [(0.0, -0.2), (50.0, 0.0), (75.0, 0.01), (90.0, 0.02), (99.0, 0.1), (99.9, 0.4), (99.99, 0.8)];
    LoadLatency {
        percentiles: named.iter().map(|(name, share)| ((*name).to_owned(), value(*share))).collect(),
        curve: curve.iter().map(|(at, share)| (*at, value(f64::max(*share, 0.0)))).collect(),
        max: value(1.0),
        mean: value(0.03) as f64,
    }
}

fn seconds(count: u32, each: u64, median: u64) -> Vec<LoadSecond> {
    let second = |second: u32| LoadSecond {
        second,
        succeeded: each + u64::from(second * 7919 % 13) * each / 40,
        failed: 0,
        p50: Some(median),
        p99: Some(median * u64::from(3 + second * 31 % 5)),
        max: Some(median * 20),
    };
    (0..count).map(second).collect()
}

fn target(name: &str, throughput: f64, median: u64) -> LoadTarget {
    let count = (throughput * 30.0) as u64;
    LoadTarget {
        name: name.to_owned(),
        duration_s: 30.0,
        throughput: Some(Estimate { estimate: throughput, low: throughput * 0.994, high: throughput * 1.006 }),
        connections: Some(50),
        operations: vec![LoadOperation {
            name: "request".into(),
            count,
            statuses: vec![(200, count)],
            bytes: count * 853,
            connects: 50,
            latency: Some(latency(median, 40.0)),
            ..LoadOperation::default()
        }],
        series: seconds(30, throughput as u64, median),
        about: "HTTP/1.1".into(),
        ..LoadTarget::default()
    }
}

/// Two servers that took turns; the second is slower.
pub(crate) fn two() -> LoadView {
    let targets = vec![
        target("http://localhost:8080/old", 41_250.0, 1_190_000),
        target("http://localhost:8080/new", 39_100.0, 1_260_000),
    ];
    let pair = |metric: &str, ratio: f64, half: f64| LoadComparison {
        control: false,
        base: targets[0].name.clone(),
        candidate: targets[1].name.clone(),
        metric: metric.to_owned(),
        comparison: fixtures::comparison(ratio, half),
    };
    // The figure itself; judged as a time, its inverse.
    let mut throughput = pair("throughput", 0.948, 0.011);
    throughput.comparison.verdict = Verdict::Slower;
    let comparisons = vec![
        throughput,
        pair("latency.p50", 1.055, 0.009),
        pair("latency.p90", 1.003, 0.031),
        pair("latency.p99", 1.0002, 0.0019),
    ];
    let gates = vec!["http://localhost:8080/new: latency.p50 is slower than of http://localhost:8080/old".to_owned()];
    LoadView { targets, comparisons, seed: Some(4242), block_s: Some(0.25), gates, ..LoadView::default() }
}

/// An open loop that couldn't be kept, against a server that fails in many ways; another that isn't there.
fn troubled() -> LoadView {
    let mut slow = target("https://localhost:8443/slow?with=a-query", 412.0, 21_000_000);
    slow.rate = Some(1000.0);
    slow.arrivals = Some("poisson".to_owned());
    slow.about = "HTTP/2 over TLS".into();
    let operation = &mut slow.operations[0];
    operation.failures =
        vec![("closed".into(), 120), ("http-5xx".into(), 2_310), ("reset".into(), 4), ("timeout".into(), 77)];
    operation.statuses = vec![(0, 3), (200, 10_046), (503, 2_310)];
    (operation.late, operation.dropped) = (8_800, 17_603);
    slow.warnings = vec![Warning {
        code: "rate-not-kept".into(),
        message: "8800 of 29994 requests began more than 1 ms after they were due, 17603 never began".into(),
        remedy: "lower the rate, or give it more connections (-c)".into(),
    }];
    let absent = LoadTarget {
        name: "http://localhost:1/".into(),
        failure: Some("refused: Connection refused (os error 111)".into()),
        ..LoadTarget::default()
    };
    let warnings = vec![Warning {
        code: "load".into(),
        message: "1.9 of 2 CPUs used by other programs just before the load: rustc (4711) 1.02: other work competes \
             for caches, memory and power, and sometimes for the workers' CPU"
            .into(),
        remedy: "end it, or wait until it is done".into(),
    }];
    LoadView { targets: vec![slow, absent], seed: Some(7), interrupted: true, warnings, ..LoadView::default() }
}

/// Operations of worker processes.
fn workers() -> LoadView {
    let mut cache = target("CacheBench on php8.2", 88_000.0, 41_000);
    (cache.connections, cache.workers) = (None, Some(4));
    cache.about = String::new();
    cache.operations[0].name = "get".into();
    cache.operations[0].statuses.clear();
    let mut put = cache.operations[0].clone();
    (put.name, put.count) = ("put".into(), put.count / 9);
    put.failures = vec![("RedisException: OOM command not allowed".into(), 12)];
    cache.operations.push(put);
    let memory = |worker: u32| LoadMemory {
        worker,
        rss_bytes: Some(24_800_000 + u64::from(worker) * 4096),
        peak_rss_bytes: Some(25_100_000),
        runtime_bytes: Some(432_000),
        runtime_peak_bytes: worker.is_multiple_of(2).then_some(512_000),
    };
    cache.memory = (0..4).map(memory).collect();
    LoadView { targets: vec![cache], seed: Some(11), ..LoadView::default() }
}

/// Names, kinds and messages as an enemy would choose them.
pub(crate) fn hostile(text: &str) -> LoadView {
    let mut view = troubled();
    let target = &mut view.targets[0];
    target.name = format!("http://localhost/{text}");
    target.about = text.to_owned();
    target.warnings[0] = Warning { code: text.to_owned(), message: text.to_owned(), remedy: text.to_owned() };
    let operation = &mut target.operations[0];
    operation.name = text.to_owned();
    operation.failures.push((text.to_owned(), u64::MAX / 4));
    operation.statuses.push((65_535, u64::MAX / 4));
    let mut second = operation.clone();
    second.name = format!("{text} again");
    target.operations.push(second);
    view.targets[1].failure = Some(text.to_owned());
    view.gates = vec![text.to_owned()];
    view.warnings[0] = Warning { code: text.to_owned(), message: text.to_owned(), remedy: text.to_owned() };
    let mut comparison = fixtures::comparison(1.1, 0.01);
    comparison.warnings.push(Warning { code: text.into(), message: text.into(), remedy: text.into() });
    view.comparisons = vec![LoadComparison {
        control: false,
        base: format!("http://localhost/{text}"),
        candidate: text.to_owned(),
        metric: text.to_owned(),
        comparison,
    }];
    view
}

const SCRIPT: &str = "<script>alert(1)</script>\u{1b}[2J\u{1b}]0;owned\u{7}\r\n\u{202e}gnp.exe\u{0}\t日本";

#[test]
fn one_target_and_two() {
    assert_snapshot!("load_two_100", load_report(&two(), &at(100)));
    assert_snapshot!("load_two_80", load_report(&two(), &at(80)));
    assert_snapshot!("load_two_80_ascii", load_report(&two(), &TableOptions { unicode: false, ..at(80) }));
    let colour = load_report(&two(), &TableOptions { colour: true, ..at(80) });
    assert_snapshot!("load_two_80_colour", colour.replace('\x1b', "␛"));
}

#[test]
fn what_went_wrong() {
    assert_snapshot!("load_troubled_100", load_report(&troubled(), &at(100)));
    assert_snapshot!("load_troubled_80", load_report(&troubled(), &at(80)));
    assert_snapshot!("load_troubled_40", load_report(&troubled(), &at(40)));
}

#[test]
fn operations_of_workers() {
    assert_snapshot!("load_workers_80", load_report(&workers(), &at(80)));
}

#[test]
fn hostile_text_is_shown_and_harmless() {
    assert_snapshot!("load_hostile_80", load_report(&hostile(SCRIPT), &at(80)));
    let long = "x".repeat(10_000);
    let report = load_report(&hostile(&long), &at(80));
    assert!(report.lines().all(|line| line.width() <= 80));
}

#[test]
fn colour_changes_nothing_but_colour() {
    for view in [two(), troubled(), workers(), hostile(SCRIPT)] {
        let mut coloured = load_report(&view, &TableOptions { colour: true, ..at(80) });
        for code in ["0", "1", "2", "31", "32", "33"] {
            coloured = coloured.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(coloured, load_report(&view, &at(80)));
    }
}

fn parsed(view: &LoadView) -> Value {
    serde_json::from_str(&load_document(view, Layout::Compact)).expect("a document is JSON")
}

fn against_schema(document: &Value) -> Vec<String> {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/tare.load.schema.json")).expect("the schema is JSON");
    schema_check::violations(&schema, &schema, document, "")
}

#[test]
fn documents_follow_the_schema_and_keep_hostile_text_as_it_is() {
    for view in [two(), troubled(), workers(), hostile(SCRIPT), LoadView::default()] {
        assert_eq!(against_schema(&parsed(&view)), Vec::<String>::new());
    }
    let operation = &parsed(&hostile(SCRIPT))["targets"][0]["operations"][0];
    assert_eq!(operation["name"], SCRIPT);
    assert_eq!(operation["failures"][SCRIPT], json!(u64::MAX / 4));
    assert_snapshot!("load_two_json", load_document(&two(), Layout::Pretty));
}

#[test]
fn the_schema_refuses_what_the_contract_forbids() {
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut document = parsed(&two());
        change(&mut document);
        against_schema(&document)
    };
    assert_eq!(broken(&|_| {}), [""; 0]);
    for change in [
        &|d: &mut Value| d["version"] = json!(2) as Value,
        &|d: &mut Value| d["targets"][0]["operations"][0]["latency"]["unit"] = json!("ms"),
        &|d: &mut Value| d["targets"][0]["throughput"]["unit"] = json!("req/s"),
        &|d: &mut Value| d["comparisons"][0]["verdict"] = json!("regressed"),
        &|d: &mut Value| drop(d["targets"][0]["operations"][0].as_object_mut().unwrap().remove("failures")),
        &|d: &mut Value| d["targets"][0]["invented"] = json!(1),
    ] as [&dyn Fn(&mut Value); 6]
    {
        assert_eq!(broken(change).len(), 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::inputs(128), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_load_report_leaves_its_lines(
        characters in prop::collection::vec(prop_oneof![any::<char>(), prop::char::range(' ', '~')], 0..60),
        figures in prop::array::uniform6(any::<u64>()),
        throughput in prop_oneof![any::<f64>(), 0.0..1e6f64],
        width in 1usize..140,
        flags in any::<[bool; 2]>(),
    ) {
        let text: String = characters.into_iter().collect();
        let mut view = hostile(&text);
        let target = &mut view.targets[0];
        target.throughput = Some(Estimate { estimate: throughput, low: throughput * 0.9, high: throughput * 1.1 });
        target.duration_s = throughput;
        target.series[0].second = figures[0] as u32;
        target.series[1].succeeded = figures[1] / 2;
        target.series[1].p99 = Some(figures[2]);
        let operation = &mut target.operations[0];
        // The sum of a run's counts is a count.
        (operation.count, operation.late, operation.dropped) = (figures[3] / 8, figures[4] / 8, figures[5] / 8);
        operation.bytes = figures[0];
        let latency = operation.latency.as_mut().expect("a latency");
        latency.curve.iter_mut().zip(figures).for_each(|(row, figure)| row.1 = figure);
        latency.mean = throughput;
        let options = TableOptions { width, colour: flags[0], unicode: flags[1], ..TableOptions::default() };
        let mut plain = load_report(&view, &options);
        if options.colour {
            for code in ["0", "1", "2", "31", "32", "33"] {
                plain = plain.replace(&format!("\x1b[{code}m"), "");
            }
        }
        for line in plain.lines() {
            prop_assert!(line.width() <= width, "{} columns of {width}: {line:?}", line.width());
            prop_assert!(!line.chars().any(char::is_control), "a control character in {line:?}");
            prop_assert!(options.unicode || line.is_ascii(), "not ASCII: {line:?}");
        }
        prop_assert!(against_schema(&parsed(&view)).is_empty(), "{:?}", against_schema(&parsed(&view)));
    }
}
