//! What launches of their own found beside the times: memory and instructions.

use crate::{fixtures, schema_check};
use insta::assert_snapshot;
use serde_json::Value;
use tare_report::{Layout, TableOptions, run_document, run_table};
use tare_results::RunView;
use tare_samples::{Allocations, CountedLaunch, CountedWork, FunctionUnit, Memory, TurnCounts, WeighedMemory};
use tare_statistics::Estimate;
use tare_statistics::work::{Caller, FunctionWork, Happenings, Work, WorkVerdict};

fn at(width: usize) -> TableOptions {
    TableOptions { width, ..TableOptions::default() }
}

/// Five launches of a process of `kilobytes`, and of one with the null.
fn weighed(kilobytes: u64, subject: u64) -> WeighedMemory {
    let launch = |ordinal: u64, more: u64| Memory {
        peak_rss_bytes: Some(1000 * (kilobytes + more) + 4096 * (ordinal * 7 % 5)),
        runtime_peak_bytes: Some(400_000 + 1000 * more),
    };
    WeighedMemory {
        calls: 1000,
        from_ready: true,
        subject: (0..5).map(|ordinal| launch(ordinal, subject)).collect(),
        null: (0..5).map(|ordinal| launch(ordinal, 0)).collect(),
        traced: None,
    }
}

fn counted(each: u64, again: u64) -> CountedWork {
    let launch = |again: u64| CountedLaunch {
        calls: [100, 200, 300],
        subject: [100, 200, 300].map(|calls| 9_000_000 + (each + 61) * calls + again * (calls - 100) / 100),
        null_calls: [100, 300],
        null: [100, 300].map(|calls| 9_000_000 + 61 * calls),
        ..CountedLaunch::default()
    };
    CountedWork { launches: vec![launch(0), launch(again)], ..CountedWork::default() }
}

fn with(mut view: RunView, memory: bool, instructions: bool) -> RunView {
    for (index, variant) in (0u64..).zip(&mut view.variants) {
        let heavy = variant.variant.label.contains("JIT") || variant.variant.label.contains("b");
        let Some(calibration) = &mut variant.calibration else { continue };
        calibration.memory = memory.then(|| {
            weighed(if heavy { 26_900 } else { 24_100 }, if index.is_multiple_of(3) { 0 } else { 850 * index })
        });
        calibration.work = instructions.then(|| counted(1210 * index, 137 * (index % 2)));
    }
    view
}

#[test]
fn memory_and_instructions_of_a_suite() {
    let view = with(fixtures::suite(), true, true);
    assert_snapshot!("besides_100", run_table(&view, &at(100)));
    assert_snapshot!("besides_80", run_table(&with(fixtures::suite(), false, true), &at(80)));
    assert_snapshot!("besides_40", run_table(&with(fixtures::suite(), false, true), &at(40)));
}

#[test]
fn system_calls_and_allocations_of_a_suite() {
    let mut view = with(fixtures::suite(), false, true);
    // The first makes three, the second one in thirty calls, which isn't worth a line; a third allocates.
    let turns = |each: [u64; 3]| Some(TurnCounts { subject: each.map(|calls| 1 + calls), null: [1, 1] });
    for (variant, (system_calls, allocations)) in
        view.variants.iter_mut().zip([([300, 600, 900], [0; 3]), ([3, 6, 9], [0; 3]), ([0; 3], [150, 300, 450])])
    {
        let launches = variant.calibration.iter_mut().flat_map(|calibration| &mut calibration.work);
        for launch in launches.flat_map(|work| &mut work.launches) {
            (launch.system_calls, launch.allocations) = (turns(system_calls), turns(allocations));
        }
    }
    let page = run_table(&view, &at(80));
    let at = page.find("work a call").expect("a block");
    assert_snapshot!("besides_happenings", page[at..].split("\n\n").next().unwrap());
    let document: Value = serde_json::from_str(&run_document(&view, Layout::Compact)).unwrap();
    assert_eq!(document["cases"][0]["instructions"]["system_calls"], 3.0);
    assert_eq!(document["cases"][2]["instructions"]["allocations"], 1.5);
}

#[test]
fn memory_and_instructions_of_what_is_compared() {
    let view = with(fixtures::several(), true, true);
    assert_snapshot!("besides_compared_100", run_table(&view, &at(100)));
    assert_snapshot!("besides_compared_80_ascii", run_table(&view, &TableOptions { unicode: false, ..at(80) }));
}

#[test]
fn colour_changes_nothing_but_colour() {
    for view in [with(fixtures::suite(), true, true), with(fixtures::several(), true, true)] {
        let mut coloured = run_table(&view, &TableOptions { colour: true, ..at(80) });
        for code in ["0", "1", "2", "31", "32", "33"] {
            coloured = coloured.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(coloured, run_table(&view, &at(80)));
    }
}

#[test]
fn the_document_has_both() {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/tare.run.schema.json")).expect("the schema is JSON");
    let parsed = |view: &RunView| -> Value {
        let document: Value = serde_json::from_str(&run_document(view, Layout::Compact)).expect("a document is JSON");
        assert_eq!(schema_check::violations(&schema, &schema, &document, ""), Vec::<String>::new());
        document
    };
    let document = parsed(&with(fixtures::suite(), true, true));
    let case = document["cases"].as_array().unwrap().iter().rfind(|case| case.get("instructions").is_some()).unwrap();
    assert_eq!(case["instructions"]["calls"], serde_json::json!([100, 300]));
    assert!(case["memory"]["weighed"]["subject"]["estimate"].is_f64(), "{case:#}");

    let document = parsed(&with(fixtures::several(), true, false));
    let pairs = document["comparisons"].as_array().unwrap();
    let verdicts: Vec<&str> = pairs.iter().map(|pair| pair["memory"]["verdict"].as_str().unwrap()).collect();
    assert!(verdicts.contains(&"more"), "{verdicts:?}");
    // Ten pairs share the one per cent.
    assert_eq!(pairs[0]["memory"]["ratio"]["confidence"], 0.999);
    assert_eq!(pairs[0]["memory"]["margin"], 0.02);
}

/// The first pair does more work, in functions of a program that an interpreter runs, one of which has the name of an attacker.
fn working_more(unit: FunctionUnit) -> RunView {
    let mut view = fixtures::compared();
    let ratio = Some(Estimate { estimate: 1.0104, low: 1.01, high: 1.0108 });
    let function =
        |name: &str, part: f64, calls: [f64; 2]| FunctionWork { name: name.to_owned(), unit, part, calls, by: None };
    let pair = &mut view.comparisons.pairs[0];
    pair.work = Some(Work {
        base: 98_000.0,
        candidate: 99_019.2,
        ratio,
        verdict: WorkVerdict::More,
        varies: None,
        system_calls: Some(Happenings { base: 10.0, candidate: 12.25, differs: true }),
        allocations: Some(Happenings { base: 3.0, candidate: 3.1, differs: false }),
    });
    pair.work_by = vec![
        function("markdown_it.rules_inline.text.text", 0.089, [1.0, 2.0]),
        function(&format!("m.<locals>.\u{1b}[31m\u{202e}{}<script>", "x".repeat(4000)), -0.0042, [3.0, 3.0]),
    ];
    view
}

#[test]
fn functions_say_what_they_are_counted_in() {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/tare.run.schema.json")).expect("the schema is JSON");
    for (unit, words) in [
        (FunctionUnit::Instructions, "; time undecided: markdown_it.rules"),
        (FunctionUnit::Interpreter, "; in functions of the interpreter: markdown_it.rules"),
        (FunctionUnit::Bytecode, "; in bytecode instructions: markdown_it.rules"),
        (FunctionUnit::Statements, "; in statements executed: markdown_it.rules"),
    ] {
        let view = working_more(unit);
        let page = tare_report::html_page(&view);
        let texts = [run_table(&view, &at(400)), tare_report::markdown_summary(&view), page];
        for (at, text) in texts.into_iter().enumerate() {
            // Lines are broken, and markup escapes what it could take for its own.
            let plain = text.replace('\\', "").replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(plain.contains(words), "{words}: {text}");
            assert!(plain.contains("; system calls 10 → 12.25") && !plain.contains("allocations 3"), "{text}");
            // A terminal takes no markup for its own.
            let hostile = ["\u{1b}[31m", "\u{202e}", "xx<script>"];
            for hostile in &hostile[..if at == 0 { 2 } else { 3 }] {
                assert!(!text.contains(hostile), "{hostile:?} of {words}: {}", text.lines().next().unwrap());
            }
        }
        let document: Value = serde_json::from_str(&run_document(&view, Layout::Compact)).expect("a document is JSON");
        assert_eq!(schema_check::violations(&schema, &schema, &document, ""), Vec::<String>::new());
        assert_eq!(document["comparisons"][0]["work"]["functions"][0]["unit"], unit.name());
    }
    // Who calls it otherwise: the one caller, and one of several, whose name may be an attacker's.
    let mut view = working_more(FunctionUnit::Instructions);
    let texts =
        [(2.0, "called 1 → 2 times by m.\\u{1b}<a>;"), (1.5, "called 1 → 2 times, 1 → 1.50 of them by m.\\u{1b}<a>;")];
    for (after, words) in texts {
        view.comparisons.pairs[0].work_by[0].by = Some(Caller { name: "m.\u{1b}<a>".to_owned(), calls: [1.0, after] });
        let text = run_table(&view, &at(400));
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{text}");
        let document: Value = serde_json::from_str(&run_document(&view, Layout::Compact)).expect("a document is JSON");
        assert_eq!(schema_check::violations(&schema, &schema, &document, ""), Vec::<String>::new());
        assert_eq!(document["comparisons"][0]["work"]["functions"][0]["by"]["calls"]["candidate"], after);
    }
    assert_snapshot!("functions_80", run_table(&working_more(FunctionUnit::Bytecode), &at(80)));
}

/// Bytes and allocations of a hundred calls; what a map grew by now and then is no byte a call.
fn allocations(bytes: u64, count: u64) -> Option<Allocations> {
    Some(Allocations { calls: 100, count: 100 * count, bytes: 100 * bytes + 3 })
}

fn allocating(mut view: RunView) -> RunView {
    for (index, variant) in view.variants.iter_mut().enumerate() {
        let Some(calibration) = &mut variant.calibration else { continue };
        calibration.reported.allocations = if index % 4 < 2 { allocations(0, 0) } else { allocations(96, 3) };
    }
    view
}

/// The first pair begins to allocate, the second allocates more, the others as before.
fn allocating_more(mut view: RunView) -> RunView {
    for (at, pair) in view.comparisons.pairs.iter().enumerate() {
        for (id, is_candidate) in [(&pair.base.id, false), (&pair.candidate.id, true)] {
            let variant = view.variants.iter_mut().find(|variant| variant.variant.id == *id);
            let Some(calibration) = variant.and_then(|variant| variant.calibration.as_mut()) else { continue };
            calibration.reported.allocations = match (at, is_candidate) {
                (0, false) => allocations(0, 0),
                (0, true) => allocations(64, 1),
                (1, true) => allocations(160, 4),
                _ => allocations(96, 3),
            };
        }
    }
    view
}

#[test]
fn allocations_are_columns_and_their_changes_a_row() {
    for width in [100, 60, 40] {
        assert_snapshot!(format!("allocations_{width}"), run_table(&allocating(fixtures::suite()), &at(width)));
    }
    let view = allocating_more(fixtures::compared());
    assert_snapshot!("allocations_compared_100", run_table(&view, &at(100)));
    assert_snapshot!("allocations_compared_60", run_table(&view, &at(60)));
    let comment = tare_report::markdown_summary(&view);
    let rows: Vec<&str> = comment.split("| allocations |").nth(1).unwrap().lines().collect();
    assert_eq!(rows[..2], [" B/op | change | allocs/op | change |", "| --- | ---: | ---: | ---: | ---: |"]);
    assert_eq!(rows[2], "| `NothingBench::benchNothing` | 0 → 64 | new | 0 → 1 | new |");
    assert_eq!(rows[3], "| `HashBench::benchHash adler32` | 96 → 160 | +66.7 % | 3 → 4 | +33.3 % |");
}
