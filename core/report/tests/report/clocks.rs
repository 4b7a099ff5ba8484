//! `tare clock` as people and programs read it.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use tare_report::{Layout, TableOptions, clocks_document, clocks_report};
use tare_results::{ClockRow, ClocksView, RuntimeClocks, WaitRow};
use tare_samples::{Failure, FailureKind};
use tare_statistics::clocks::{ClockFigures, Finding, Rate, Spread};

fn at(width: usize) -> TableOptions {
    TableOptions { width, ..TableOptions::default() }
}

fn spread(min: f64, median: f64, p99: f64) -> Spread {
    Spread { min, median, p99 }
}

fn clock(name: &str, step: f64, cost: f64) -> ClockRow {
    ClockRow {
        name: name.to_owned(),
        refused: None,
        seen: ClockFigures {
            step: Some(step),
            read: Some(spread(cost, cost * 1.02, cost * 1.4)),
            back_to_back: Some(spread(cost, cost + 1.0, cost + 9.0)),
            reads: 19_999,
            turn: Some(cost + 1.0),
            ..ClockFigures::default()
        },
        reads_a_block: 1_000,
        rate: Some(Rate { ppm: 0.0, uncertainty_ppm: 0.02 }),
        frequency_hz: None,
        system_call: Ok(false),
        findings: Vec::new(),
    }
}

fn waits(calls: &[&str], taken: impl Fn(i64) -> Result<f64, String>) -> Vec<WaitRow> {
    let row = |call: &str, requested_ns| WaitRow {
        call: call.to_owned(),
        requested_ns,
        times: 300,
        taken: taken(requested_ns).map(|taken| spread(taken * 0.9, taken, taken * 1.3)),
    };
    let mut rows = vec![row("yield", 0)];
    for call in calls {
        let asked = [-1, 0, 1, 1_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];
        rows.extend(asked.map(|requested| row(call, requested)));
    }
    rows
}

fn slept(requested: i64) -> Result<f64, String> {
    match requested {
        -1 => Err("the kernel refuses it".to_owned()),
        requested => Ok(requested as f64 + 54_000.0),
    }
}

pub(crate) fn view() -> ClocksView {
    let mut coarse = clock("monotonic_coarse", 4e6, 5.1);
    coarse.seen.stalled_reads = 19_999;
    coarse.rate = Some(Rate { ppm: -173.0, uncertainty_ppm: 441.0 });
    coarse.findings = vec![Finding::Coarse { step: 4e6 }];
    let mut cpu = clock("process_cputime", 280.0, 274.0);
    (cpu.rate, cpu.system_call) = (None, Ok(true));
    let mut odd = clock("realtime", 21.0, 19.4);
    (odd.seen.backward_steps, odd.seen.furthest_back) = (3, Some(700.0));
    let rate = Rate { ppm: 50.2, uncertainty_ppm: 3.1 };
    odd.rate = Some(rate);
    odd.system_call = Err("the kernel doesn't let the worker be followed: EPERM".to_owned());
    odd.findings = vec![
        Finding::Backward { steps: 3, furthest: 700.0 },
        Finding::Stalled { standstill: 45_000.0 },
        Finding::Off { rate },
    ];
    let mut tsc = clock("tsc", 14.0, 16.5);
    (tsc.rate, tsc.frequency_hz) = (None, Some(2.0e9));
    let mut refused = clock("tai", 0.0, 0.0);
    refused.refused = Some("the kernel refuses it: Invalid argument".to_owned());
    let native = RuntimeClocks {
        name: "native".to_owned(),
        language: "native".to_owned(),
        clocks: vec![clock("monotonic", 20.0, 19.2), coarse, odd, cpu, tsc, refused],
        waits: waits(&["sleep"], slept),
        timer_slack_ns: Some(50_000),
        ..RuntimeClocks::default()
    };
    let named = |name: &str, version: &str, clocks: Vec<ClockRow>, waits: Vec<WaitRow>| RuntimeClocks {
        disturbed: Vec::new(),
        name: name.to_owned(),
        language: name.to_owned(),
        version: version.to_owned(),
        clocks,
        waits,
        timer_slack_ns: Some(50_000),
        failure: None,
        interrupted: false,
    };
    let gone = RuntimeClocks {
        name: "python3".to_owned(),
        failure: Some(Failure {
            stderr: "Traceback: \x1b[2Jgone\n".to_owned(),
            ..Failure::new(
                FailureKind::Exit,
                "the process ended with status 3 and without an answer",
                "look at what it printed",
            )
        }),
        ..RuntimeClocks::default()
    };
    let mut machine = BTreeMap::new();
    machine.insert("clocksource".to_owned(), "tsc".to_owned());
    machine.insert("workers".to_owned(), "on CPU 1".to_owned());
    ClocksView {
        machine,
        runtimes: vec![
            native,
            named("php", "8.2.36", vec![clock("hrtime", 46.0, 66.7)], waits(&["sleep", "usleep"], slept)),
            named(
                "go",
                "1.26.8",
                vec![clock("time.Now", 63.0, 65.3)],
                waits(&["sleep"], |asked| Ok(asked.max(0) as f64 + 1e6)),
            ),
            named(
                "g++",
                "GCC 12.2.0",
                vec![clock("high_resolution_clock", 28.0, 29.7)],
                waits(&["sleep"], |asked| Ok(asked.max(33) as f64)),
            ),
            gone,
        ],
        duration_s: 9.3,
        building_s: 8.6,
    }
}

#[test]
fn a_machine() {
    for width in [100, 80, 60] {
        assert_snapshot!(format!("clocks_{width}"), clocks_report(&view(), &at(width)));
    }
    let ascii = TableOptions { unicode: false, ..at(80) };
    assert_snapshot!("clocks_80_ascii", clocks_report(&view(), &ascii));
    assert_snapshot!("clocks_json", clocks_document(&view(), Layout::Pretty));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let plain = clocks_report(&view(), &at(80));
    let mut coloured = clocks_report(&view(), &TableOptions { colour: true, ..at(80) });
    assert!(coloured.contains("\x1b[1m"));
    for code in ["0", "1", "2", "31", "32", "33"] {
        coloured = coloured.replace(&format!("\x1b[{code}m"), "");
    }
    assert_eq!(coloured, plain);
}

/// Names, versions, reasons and output come from workers.
pub(crate) fn hostile(bad: &str) -> ClocksView {
    let bad = bad.to_owned();
    let mut view = view();
    for of in &mut view.runtimes {
        (of.name, of.version) = (bad.clone(), bad.clone());
        for row in &mut of.clocks {
            row.name = bad.clone();
            row.system_call = Err(bad.clone());
            row.findings.push(Finding::Coarse { step: f64::MAX });
            row.seen.read = Some(spread(-1e300, f64::INFINITY, f64::NAN));
        }
        for row in &mut of.waits {
            row.call = if row.call == "yield" { bad.clone() } else { row.call.clone() };
        }
        of.waits.push(WaitRow { call: bad.clone(), requested_ns: i64::MIN, times: 1, taken: Err(bad.clone()) });
        of.waits.push(WaitRow {
            call: "sleep".to_owned(),
            requested_ns: i64::MAX,
            times: 1,
            taken: Ok(spread(0.0, 1e30, 1e30)),
        });
    }
    view.machine.insert(bad.clone(), bad.clone());
    view
}

#[test]
fn hostile_text_leaves_no_mark() {
    let bad = "a\x1b[2J\u{202e}b\nc\r\0".repeat(20);
    let view = hostile(&bad);
    for width in [30, 80, 100] {
        let report = clocks_report(&view, &TableOptions { verbose: true, ..at(width) });
        for line in report.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert!(!line.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
        }
    }
    let document: serde_json::Value = serde_json::from_str(&clocks_document(&view, Layout::Compact)).unwrap();
    assert_eq!(document["clocks"][0]["runtime"], bad);
    assert!(document["clocks"][0]["read_ns"].get("p99").is_none(), "JSON has no NaN");
}

#[test]
fn nothing_measured_is_no_table() {
    assert_snapshot!("clocks_none", clocks_report(&ClocksView::default(), &at(80)));
}

#[test]
fn columns_go_whole_and_are_named() {
    let all = ["clock", "step", "min", "median", "p99", "pair", "back", "still", "ppm", "call"];
    for width in 40..=100 {
        let report = clocks_report(&view(), &at(width));
        let shown: Vec<&str> = report.lines().next().unwrap().split_whitespace().collect();
        let note = report.split("no room here for ").nth(1).map_or("", |rest| rest.split(':').next().unwrap());
        let dropped: Vec<&str> =
            note.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty()).collect();
        let mut together = [shown.clone(), dropped.clone()].concat();
        together.sort_by_key(|name| all.iter().position(|known| known == name));
        assert_eq!(together, all, "{width} columns:\n{report}");
        assert!(dropped.is_empty() || width < 80, "{width} columns:\n{report}");
        assert!(!dropped.is_empty() || width > 60, "{width} columns:\n{report}");
        assert!(shown.contains(&"step") && shown.contains(&"median"), "{width} columns:\n{report}");
    }
}

#[test]
fn what_was_interrupted_is_marked() {
    let mut view = view();
    view.runtimes[0].interrupted = true;
    let text = clocks_report(&view, &at(80));
    assert!(text.contains("interrupted: native\n  the report shows only what was ready by then\n"), "{text}");
    let document = clocks_document(&view, Layout::Pretty);
    assert!(
        document.contains("\"interrupted\": true") && document.contains("\"status\": \"interrupted\""),
        "{document}"
    );
    assert!(!clocks_document(&self::view(), Layout::Pretty).contains("interrupted"));
}
