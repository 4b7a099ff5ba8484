//! What is written for other tools: figures that come back, and names that harm nobody.
#![allow(clippy::unwrap_used)]

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use tare_exchange::{
    EXPORTS, Export, Exported, ExportedVariant, Import, ImportedCase, Source, Written, made, samples_of,
};
use tare_results::{ComparisonsView, RunView, VariantView};
use tare_samples::{CountedLaunch, CountedWork, Imported, Memory, Origin, UNTARED};
use tare_statistics::quantile::mean;

/// A name that moves cursors, turns writing round, breaks lines, closes tags and quotes, and is a formula.
const HOSTILE: &str =
    "=1+1 \u{1b}[31m\u{9b}2J\n\r\t\u{0}\u{202e}\u{2066}\u{200b}</b><script>alert(1)</script>\"'\\{}[]&amp;;#,日🎉 -8";

fn cases(names: &[&str]) -> Vec<ImportedCase> {
    let results: Vec<serde_json::Value> = names
        .iter()
        .map(|name| {
            let short: String = name.chars().take(200).collect();
            serde_json::json!({ "command": name, "mean": 0.5, "times": [0.5, 0.25, 0.75], "parameters": { short.clone(): short } })
        })
        .collect();
    let document = serde_json::json!({ "results": results }).to_string();
    let source = Source { name: "file".into(), bytes: document.into_bytes(), ..Source::default() };
    made(&Import::named("hyperfine").unwrap().read(&source).unwrap(), HOSTILE)
}

fn view(made: &[ImportedCase]) -> RunView {
    let imported = Imported { tool: HOSTILE.into(), version: HOSTILE.into(), ..Imported::default() };
    let origin = Origin {
        id: "20260101-000000-0000".into(),
        started: "2026-01-01T00:00:00.000Z".into(),
        tags: vec![HOSTILE.into()],
        machine: [("cpu".to_owned(), HOSTILE.to_owned())].into(),
        findings: Vec::new(),
        git: [("commit".to_owned(), HOSTILE.to_owned())].into(),
        imported: Some(imported),
        policy: UNTARED,
        seed: 0,
        tare: "0.1.0".into(),
    };
    let variant = |made: &ImportedCase| VariantView {
        variant: made.measurement.variant.clone(),
        calibration: made.measurement.calibration.clone(),
        outcome: made.measurement.outcome.clone(),
        summary: made.summary.clone(),
        memory: Memory::default(),
        next_run: None,
        distribution: None,
    };
    RunView {
        ended: None,
        profiles: Vec::new(),
        origin,
        variants: made.iter().map(variant).collect(),
        comparisons: ComparisonsView::default(),
        notices: Vec::new(),
        file_failures: Vec::new(),
        spent: None,
        stored: true,
        again: None,
    }
}

fn written(format: &str, made: &[ImportedCase]) -> Written {
    written_of(format, &view(made), made)
}

fn written_of(format: &str, view: &RunView, made: &[ImportedCase]) -> Written {
    let variants = view.variants.iter().zip(made).map(|(shown, made)| {
        let launches = made.measurement.launches.clone();
        let times = samples_of(&launches).into_iter().map(|samples| (mean(&samples).unwrap(), samples)).collect();
        ExportedVariant { view: shown, launches, times }
    });
    let variants = variants.collect();
    (Export::named(format).unwrap().write)(&Exported { view, variants }).unwrap()
}

#[test]
fn hostile_names_are_harmless_in_every_format() {
    let long = "x".repeat((1 << 20) - 1000);
    let made = cases(&[HOSTILE, "", "plain", &long].map(|name| if name.is_empty() { " " } else { name }));
    for format in EXPORTS.iter().filter(|format| format.name != "parquet") {
        let text = String::from_utf8(written(format.name, &made).bytes).unwrap();
        for c in text.chars().filter(|c| !matches!(c, '\n')) {
            assert!(!c.is_control() && !matches!(c, '\u{200b}' | '\u{202e}' | '\u{2066}'), "{c:?} in {}", format.name);
        }
        match format.name {
            "pyperf" | "hyperfine" => drop(serde_json::from_str::<serde_json::Value>(&text).unwrap()),
            "phpbench-xml" => {
                assert!(!text.contains("<script>"), "{text}");
                let source = Source { name: "back".into(), bytes: text.into_bytes(), ..Source::default() };
                let back = Import::named("phpbench-xml").unwrap().read(&source).unwrap();
                assert_eq!(back.cases.len(), 4);
            }
            "gobench" => {
                let source = Source { name: "back".into(), bytes: text.clone().into_bytes(), ..Source::default() };
                let back = Import::named("gobench").unwrap().read(&source).unwrap();
                assert_eq!(back.cases.iter().map(|case| case.launches[0].len()).collect::<Vec<_>>(), [3, 3, 3, 3]);
                for line in text.lines().filter(|line| line.starts_with("Benchmark")) {
                    assert_eq!(line.split(' ').count(), 6, "{}", &line[..60]);
                }
            }
            "openmetrics" => {
                assert!(text.ends_with("# EOF\n"));
                for line in text.lines().filter(|line| !line.starts_with('#')) {
                    assert!(line.starts_with("tare_") && line.rsplit(' ').next().unwrap().parse::<f64>().is_ok());
                }
            }
            other => panic!("{other} isn't looked at"),
        }
    }
}

#[test]
fn our_own_gobench_file_comes_back_as_what_it_was() {
    let mut made = cases(&["plain"]);
    let launch = made[0].measurement.launches[0].clone();
    made[0].measurement.launches = (0..6).map(|ordinal| tare_samples::Launch { ordinal, ..launch.clone() }).collect();
    let mut calibration = made[0].measurement.calibration.clone().unwrap_or_default();
    calibration.reported.bytes = Some(1_000);
    made[0].measurement.calibration = Some(calibration);
    let mut own = view(&made);
    own.origin.imported = None;
    own.origin.git = [("commit".to_owned(), "9f3cf78".to_owned())].into();
    let text = String::from_utf8(written_of("gobench", &own, &made).bytes).unwrap();
    // benchstat makes a table for each set of values: of two runs of one suite there is one.
    let set = ["run:", "commit:", "label:", "runtime:"];
    assert!(!text.lines().any(|line| set.iter().any(|name| line.starts_with(name))), "{text}");
    let line = text.lines().find(|line| line.starts_with("Benchmark")).unwrap();
    let fields: Vec<&str> = line.split(' ').collect();
    let value =
        |unit: &str| fields[fields.iter().position(|field| *field == unit).unwrap() - 1].parse::<f64>().unwrap();
    assert!((value("MB/s") - 1e6 / value("ns/op")).abs() < 1e-6, "{line}");
    let source = Source { name: "back".into(), bytes: text.into_bytes(), ..Source::default() };
    let back = Import::named("gobench").unwrap().read(&source).unwrap();
    assert_eq!(back.cases[0].launches.iter().map(Vec::len).collect::<Vec<_>>(), [1; 6], "a line is a launch");
    assert_eq!(back.tool, tare_samples::OWN_TOOL);
    assert_eq!(back.git["commit"], "9f3cf78");
    assert!(back.notices.iter().any(|notice| notice.contains("taken off its times before")), "{:?}", back.notices);
}

#[test]
fn variants_that_only_label_runtime_or_a_blank_tell_apart_come_back_apart() {
    let mut made = cases(&["a b", "a_b", "sort", "sort 2", "sort 3"]);
    let sort = made[2].measurement.variant.case.clone();
    for (made, (runtime, label)) in
        made.iter_mut().zip([("php", ""), ("php", ""), ("php", "php, 500 calls"), ("php", "php"), ("php8", "php")])
    {
        let variant = &mut made.measurement.variant;
        if variant.case.benchmark.starts_with("sort") {
            variant.case.clone_from(&sort);
        }
        runtime.clone_into(&mut variant.runtime.name);
        label.clone_into(&mut variant.label);
    }
    let text = String::from_utf8(written("gobench", &made).bytes).unwrap();
    let source = Source { name: "back".into(), bytes: text.clone().into_bytes(), ..Source::default() };
    let reading = Import::named("gobench").unwrap().read(&source).unwrap();
    let back = tare_exchange::made(&reading, "back");
    let ids: Vec<String> = back.iter().map(|made| made.measurement.variant.case.id()).collect();
    let sort = |values: &str| format!("go/Benchmark/sort/sort=sort#{values}");
    let hashed = |at: usize| {
        let hash = tare_samples::fnv1a(made[at].measurement.variant.id.bytes()) as u32;
        format!("go/Benchmark/a_b/a_b=a_b~{hash:08x}#runtime=php")
    };
    assert_eq!(
        ids,
        [
            hashed(0),
            hashed(1),
            sort("runtime=php label=php, 500 calls"),
            sort("runtime=php label=php"),
            sort("runtime=php8 label=php")
        ],
        "{text}"
    );
    assert!(back.iter().all(|made| samples_of(&made.measurement.launches) == [[0.5e9, 0.25e9, 0.75e9]]), "{text}");
}

#[test]
fn what_took_less_than_no_time_is_left_out_and_the_rest_is_read() {
    let made = cases(&["empty", "sort"]);
    let shown = view(&made);
    // Of an empty subject what surrounds it is taken off, and by chance more than it took.
    let variant = |(index, view)| {
        let launches = made[index as usize].measurement.launches.clone();
        let sign = if index == 0u32 { -1.0 } else { 1.0 };
        ExportedVariant { view, launches, times: vec![(sign, vec![sign, sign]), (2.0, vec![2.0])] }
    };
    let variants = (0u32..).zip(&shown.variants).map(variant).collect();
    let written = (Export::named("gobench").unwrap().write)(&Exported { view: &shown, variants }).unwrap();
    let text = String::from_utf8(written.bytes).unwrap();
    assert!(!text.contains("empty") && text.contains("sort"), "{text}");
    assert!(written.notices.iter().any(|notice| notice.contains("below 0")), "{:?}", written.notices);
}

#[test]
fn less_than_a_nanosecond_of_one_call_keeps_its_digits() {
    let text = "goos: linux\nBenchmarkX 1 0.4 ns/op\nBenchmarkX 1 12.35 ns/op\nBenchmarkY 3 33.33 ns/op\n";
    let read = |text: &str| {
        let source = Source { name: "file".into(), bytes: text.as_bytes().to_vec(), ..Source::default() };
        made(&Import::named("gobench").unwrap().read(&source).unwrap(), "file")
    };
    let made = read(text);
    assert_eq!(samples_of(&made[0].measurement.launches), [[0.4, 12.35]]);
    // 100 ns of three calls, as they were counted.
    assert_eq!(made[1].measurement.launches[0].turns[0].iterations, [3]);
    let back = String::from_utf8(written("gobench", &made).bytes).unwrap();
    assert!(back.contains(" 1 0.4 ns/op") && back.contains(" 1 12.35 ns/op"), "{back}");
    assert_eq!(samples_of(&read(&back)[0].measurement.launches), [[0.4, 12.35]]);
}

#[test]
fn what_calls_allocate_goes_out_as_go_test_writes_it_and_what_they_execute_as_a_unit_of_its_own() {
    let mut made = cases(&["plain"]);
    let mut calibration = made[0].measurement.calibration.clone().unwrap_or_default();
    calibration.reported.allocations = Some(tare_samples::Allocations { calls: 100, count: 300, bytes: 11_200 });
    let mut check = |calibration: &tare_samples::Calibration, end: &str| {
        made[0].measurement.calibration = Some(calibration.clone());
        let text = String::from_utf8(written("gobench", &made).bytes).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("Benchmark")).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.ends_with(end)), "{text}");
    };
    check(&calibration, " 112 B/op 3 allocs/op");
    let launch = CountedLaunch { calls: [1, 2, 3], subject: [150, 260, 370], null_calls: [1, 2], ..Default::default() };
    calibration.work = Some(CountedWork { launches: vec![launch], ..CountedWork::default() });
    check(&calibration, " 112 B/op 3 allocs/op 110 instructions/op");
}

#[test]
fn what_is_written_is_read_back_with_its_figures() {
    let made = cases(&["sort"]);
    for format in ["gobench", "pyperf", "hyperfine", "phpbench-xml"] {
        let source = Source { name: "back".into(), bytes: written(format, &made).bytes, ..Source::default() };
        assert_eq!(Import::found(&source).unwrap().name, format);
        let back = Import::named(format).unwrap().read(&source).unwrap();
        let times: Vec<f64> = back.cases[0].launches.iter().flatten().map(|sample| sample.time).collect();
        assert_eq!(times, [0.5e9, 0.25e9, 0.75e9], "{format}");
    }
}

#[test]
fn parquet_has_a_row_for_each_sample() {
    let made = cases(&[HOSTILE, "sort"]);
    let bytes = written("parquet", &made).bytes;
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 6);
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.get_string(3).unwrap().as_str()).collect();
    assert_eq!(names, [HOSTILE, HOSTILE, HOSTILE, "sort", "sort", "sort"]);
    let times: Vec<f64> = rows.iter().map(|row| row.get_double(14).unwrap()).collect();
    assert_eq!(times[3..], [0.5e9, 0.25e9, 0.75e9]);
    assert_eq!(
        (rows[4].get_string(8).unwrap().as_str(), rows[4].get_int(9).unwrap(), rows[4].get_long(12).unwrap()),
        ("case", 1, 1)
    );
}

#[test]
fn a_case_without_samples_is_left_out_and_named() {
    let document = r#"{"results":[{"command":"kept","mean":0.5,"times":[0.5]},{"command":"figures only","mean":0.5}]}"#;
    let source = Source { name: "file".into(), bytes: document.into(), ..Source::default() };
    let made = made(&Import::named("hyperfine").unwrap().read(&source).unwrap(), "file");
    for format in ["pyperf", "hyperfine", "phpbench-xml", "gobench"] {
        let notices = written(format, &made).notices;
        assert!(
            notices.iter().any(|notice| notice.contains("figures only") && notice.contains("left out")),
            "{format}: {notices:?}"
        );
    }
}
