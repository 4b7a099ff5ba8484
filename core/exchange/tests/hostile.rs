//! Files that are broken, or meant to break something: each is read or refused with its place, and none is believed that isn't a time.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use proptest::prelude::*;
use tare_exchange::{IMPORTS, Import, Source, made};

fn source(bytes: impl Into<Vec<u8>>) -> Source {
    Source { name: "file".to_owned(), bytes: bytes.into(), ..Source::default() }
}

fn refused(format: &str, text: &str) -> String {
    let read = Import::named(format).unwrap().read(&source(text));
    read.err().unwrap_or_else(|| panic!("{format} took {text}")).to_string()
}

/// One document of each format, as small as it can be.
const SMALLEST: &[(&str, &str)] = &[
    (
        "phpbench-xml",
        r#"<phpbench version="1"><suite date="2026-01-01T00:00:00+00:00"><benchmark class="A"><subject name="b"><variant revs="10"><iteration time-net="500" time-revs="10"/><iteration time-net="510" time-revs="10"/><stats mean="50.5" mode="50"/></variant></subject></benchmark></suite></phpbench>"#,
    ),
    (
        "catch2",
        r#"<Catch name="c"><TestCase name="t"><BenchmarkResults name="b" samples="20" iterations="3"><mean value="10" lowerBound="9" upperBound="11" ci="0.95"/><standardDeviation value="1"/></BenchmarkResults></TestCase></Catch>"#,
    ),
    (
        "criterion-messages",
        r#"{"reason":"benchmark-complete","id":"a","iteration_count":[1,2],"measured_values":[10,20],"unit":"ns","typical":{"estimate":10,"lower_bound":9,"upper_bound":11,"unit":"ns"}}"#,
    ),
    ("criterion", r#"{"iters":[1,2],"times":[10,20]}"#),
    (
        "googlebench",
        r#"{"context":{"date":"2026-01-01T00:00:00+00:00","num_cpus":2},"benchmarks":[{"name":"a","run_name":"a","run_type":"iteration","iterations":10,"real_time":5.0,"cpu_time":4.0,"time_unit":"us"}]}"#,
    ),
    (
        "jmh",
        r#"[{"jmhVersion":"1","benchmark":"a.b","mode":"avgt","threads":1,"primaryMetric":{"score":5,"scoreUnit":"ns/op","rawData":[[4,6],[5,5]]}}]"#,
    ),
    (
        "pytest-benchmark",
        r#"{"machine_info":{"python_version":"3"},"benchmarks":[{"name":"t","stats":{"mean":0.1,"iterations":3,"rounds":2,"data":[0.1,0.1]}}]}"#,
    ),
    (
        "pyperf",
        r#"{"version":"1.0","benchmarks":[{"metadata":{"name":"a"},"runs":[{"metadata":{"loops":4},"values":[0.5,0.25]}]}]}"#,
    ),
    ("hyperfine", r#"{"results":[{"command":"a","mean":1.5,"times":[1,2]}]}"#),
    (
        "benchmarkdotnet",
        r#"{"HostEnvironmentInfo":{},"Benchmarks":[{"Type":"A","Method":"B","Parameters":"n=1","Statistics":{"N":2,"Mean":5,"OriginalValues":[4,6]}}]}"#,
    ),
    (
        "oha",
        r#"{"summary":{"successRate":1.0,"total":2.0,"slowest":0.05,"fastest":0.001,"average":0.002,"requestsPerSec":50.5,"totalData":1300,"sizePerRequest":13,"sizePerSec":650.0},"responseTimeHistogram":{"0.001":1},"latencyPercentiles":{"p10":0.001,"p25":0.001,"p50":0.0015,"p75":0.0025,"p90":0.003,"p95":0.004,"p99":0.005,"p99.9":0.006,"p99.99":null},"statusCodeDistribution":{"200":100,"500":1},"errorDistribution":{"request timeout":1}}"#,
    ),
    (
        "k6",
        r#"{"metrics":{"iterations":{"count":4,"rate":2},"http_reqs":{"count":4,"rate":2},"http_req_duration":{"avg":2.5,"min":1,"med":2,"max":4,"p(90)":3.5,"p(95)":3.9}}}"#,
    ),
    (
        "wrk2",
        "Running 1s test @ http://h/\n  1 threads and 2 connections\n    Latency     2.71ms    4.81ms  36.75ms   90.85%\n     50%  705.00us\n  1392 requests in 1.01s, 254.20KB read\nRequests/sec:   1383.00\n",
    ),
    (
        "gobench",
        "goos: linux\npkg: a/b\nBenchmarkX-8 \t 100\t 12.5 ns/op\t 3 B/op\nBenchmarkX-8 100 13.5 ns/op\nPASS\n",
    ),
];

fn hdr() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/hdr.hlog")).unwrap()
}

fn documents() -> Vec<(&'static str, String)> {
    let small = SMALLEST.iter().map(|(name, text)| (*name, (*text).to_owned()));
    small.chain([("hdr", hdr().lines().take(6).map(|line| format!("{line}\n")).collect())]).collect()
}

#[test]
fn every_format_reads_its_smallest_file_and_recognises_it() {
    let documents = documents();
    for format in IMPORTS {
        let (_, text) = documents
            .iter()
            .find(|(name, _)| *name == format.name)
            .unwrap_or_else(|| panic!("{} has no document here", format.name));
        let source = source(text.as_str());
        assert_eq!(Import::found(&source).unwrap().name, format.name);
        let reading = format.read(&source).unwrap();
        let cases = made(&reading, "file");
        assert!(
            cases.iter().any(|case| case.summary.as_ref().is_some_and(|summary| summary.time.estimate > 0.0)),
            "{}",
            format.name
        );
    }
}

#[test]
fn oha_is_read_as_its_schema_says() {
    let (_, text) = SMALLEST.iter().find(|(name, _)| *name == "oha").unwrap();
    let case = &Import::named("oha").unwrap().read(&source(*text)).unwrap().cases[0];
    let given = &case.given;
    assert_eq!((given.mean, given.min, given.max), (Some(2e6), Some(1e6), Some(50e6)));
    assert_eq!((given.median, given.p95, given.p99, given.samples), (Some(1.5e6), Some(4e6), Some(5e6), Some(101)));
    assert!(case.reported.metrics.contains(&("requests_per_s".to_owned(), "50.5".to_owned())));
    // A percentile that there were too few requests for is null, and no 0.
    assert!(!case.reported.metrics.iter().any(|(name, _)| name == "p99.99_ns"));
}

/// What is said of a file's benchmarks, where the file is read: failures and notices.
fn told(format: &str, text: &str) -> String {
    let reading =
        Import::named(format).unwrap().read(&source(text)).unwrap_or_else(|error| panic!("{format} {text}: {error}"));
    let failed = reading.cases.iter().filter_map(|case| case.failed.clone());
    failed.chain(reading.notices.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_no_time_costs_its_benchmark_and_is_told_with_its_place() {
    for (format, text, said) in [
        (
            "hyperfine",
            r#"{"results":[{"command":"a","mean":1,"times":[1,-0.5]}]}"#,
            "results[0].times: -0.5 is below 0",
        ),
        ("hyperfine", r#"{"results":[{"command":"a","mean":1,"times":[1,1e300]}]}"#, "more than a hundred years"),
        ("hyperfine", r#"{"results":[{"command":"a","mean":1,"times":[NaN]}]}"#, "results[0].times: NaN is no time"),
        (
            "hyperfine",
            r#"{"results":[{"command":"a","mean":1,"times":[1,"2"]}]}"#,
            "results[0].times: is no array of numbers",
        ),
        (
            "hyperfine",
            r#"{"results":[{"command":"a","mean":1,"mean":2,"times":[1]}]}"#,
            "the member \"mean\" occurs once more",
        ),
        ("hyperfine", r#"{"results":[]}"#, "file: there is no benchmark of hyperfine in it"),
        ("hyperfine", r#"{"results":[{"command":"a","mean":1,"times":[1"#, "it may be incomplete"),
        ("gobench", "BenchmarkX 100 -3 ns/op\n", "line 1: -3 is below 0"),
        ("gobench", "pkg: a\nBenchmarkX 100 NaN ns/op\n", "line 2: NaN is no time"),
        ("gobench", "BenchmarkX 100 inf ns/op\n", "line 1: inf is no time"),
        ("gobench", "BenchmarkX 100 3 furlongs\n", "line 1: the line has no time (ns/op)"),
        ("gobench", "BenchmarkX 100 3 ns/op 5\n", "line 1: \"5\" has no unit"),
        ("gobench", "nothing\n", "file: there is no benchmark of go test in it"),
        (
            "googlebench",
            r#"{"context":{},"benchmarks":[{"name":"a","iterations":1,"real_time":5,"time_unit":"furlongs"}]}"#,
            "is no unit of time",
        ),
        (
            "googlebench",
            r#"{"context":{},"benchmarks":[{"name":"a","iterations":1.5,"real_time":5}]}"#,
            "1.5 is no count",
        ),
        (
            "jmh",
            r#"[{"benchmark":"a","mode":"thrpt","primaryMetric":{"score":1,"scoreUnit":"ops/s","rawData":[[0]]}}]"#,
            "have no time each",
        ),
        (
            "jmh",
            r#"[{"benchmark":"a","mode":"avgt","primaryMetric":{"score":1,"scoreUnit":"MB/s","rawData":[[1]]}}]"#,
            "neither a time a call nor calls a time",
        ),
        ("criterion", r#"{"iters":[1,2],"times":[1]}"#, "iters: has 2 entries, and the times 1"),
        (
            "pyperf",
            r#"{"benchmarks":[{"metadata":{"name":"a","unit":"byte"},"runs":[]}]}"#,
            "in the unit \"byte\", and not times",
        ),
        (
            "phpbench-xml",
            "<phpbench>\n<suite><benchmark class=\"A\"><subject name=\"b\"><variant>\n<iteration time-net=\"x\"/></variant></subject></benchmark></suite></phpbench>",
            "line 3: time-net=\"x\" of <iteration> is not a number",
        ),
        (
            "phpbench-xml",
            "<!DOCTYPE p [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><phpbench>&a;</phpbench>",
            "file:1: a document type",
        ),
        ("catch2", "<Catch><TestCase name=\"t\"><BenchmarkResults name=\"b\"/></TestCase></Catch>", "without <mean>"),
        ("wrk2", "Running 1s test @ http://h/\n", "has no line of latencies"),
        ("wrk2", "Running 1s test @ http://h/\nLatency 3xs 1ms 2ms 5%\n", "line 2: \"3xs\" is not a time with a unit"),
    ] {
        let is_whole = ["it may be incomplete", "there is no benchmark", "a document type"];
        let found =
            if is_whole.iter().any(|whole| said.contains(whole)) { refused(format, text) } else { told(format, text) };
        assert!(found.contains(said), "{format}: {found}\nshould say {said}");
    }
    let unknown = Import::found(&source("hello\n")).err().unwrap().to_string();
    assert!(unknown.contains("looks like no format") && unknown.contains("--format"), "{unknown}");
    let latin = Import::named("gobench")
        .unwrap()
        .read(&source(b"BenchmarkX 1 2 ns/op\nBenchmark\xe9 1 2 ns/op".to_vec()))
        .unwrap();
    assert_eq!(latin.cases[1].benchmark, "Benchmark\\xe9");
    assert!(latin.notices[0].contains("1 bytes of it aren't UTF-8"), "{:?}", latin.notices);
}

#[test]
fn a_log_that_claims_more_than_it_holds_is_refused_without_making_room_for_it() {
    use base64::Engine;
    // The cookie of a plain histogram, then a length of 2 GiB.
    let claim = [0x1c, 0x84, 0x93, 0x13, 0x7f, 0xff, 0xff, 0xff];
    let encoded = base64::engine::general_purpose::STANDARD.encode(claim);
    let text = format!("#[Histogram log format version 1.3]\n0.0,1.0,1.0,{encoded}\n");
    assert!(refused("hdr", &text).contains("it claims 2147483647 bytes"), "{}", refused("hdr", &text));
}

#[test]
fn long_names_and_many_samples_have_limits() {
    let name = "x".repeat(1 << 20);
    let text = format!(r#"{{"results":[{{"command":"{name}","mean":1,"times":[1]}}]}}"#);
    assert_eq!(Import::named("hyperfine").unwrap().read(&source(text)).unwrap().cases[0].benchmark.len(), 1 << 20);
    let text = format!(r#"{{"results":[{{"command":"{name}x","mean":1,"times":[1]}}]}}"#);
    assert!(refused("hyperfine", &text).contains("a text of 1048577 bytes"));
    let text = format!("Benchmark{name} 1 2 ns/op\nBenchmarkX 1 2 ns/op\n");
    let reading = Import::named("gobench").unwrap().read(&source(text)).unwrap();
    assert_eq!((reading.cases.len(), reading.left_out), (1, 1));
}

#[test]
fn more_benchmarks_or_samples_than_a_file_may_have_are_refused() {
    let lines: String = (0..=100_000).map(|number| format!("BenchmarkX{number} 1 2 ns/op\n")).collect();
    assert!(refused("gobench", &lines).contains("100001 benchmarks; 100000 are the most"));
    let samples = "1,".repeat(20_000_000);
    let text = format!(r#"{{"results":[{{"command":"a","mean":1,"times":[{samples}1]}}]}}"#);
    assert!(refused("hyperfine", &text).contains("more than 20000000 values"));
    // Over the whole document, and what isn't a number takes more room.
    let text = format!(r#"{{"a":[{0}0],"b":[{0}0],"results":[]}}"#, "[],".repeat(1_300_000));
    assert!(refused("hyperfine", &text).contains("more than 20000000 values"));
    // Each run of a command is a process, and is kept as a launch.
    let times = "1,".repeat(200_000);
    let text = format!(r#"{{"results":[{{"command":"a","mean":1,"times":[{times}1]}}]}}"#);
    assert!(told("hyperfine", &text).contains("200001 samples of a process each; 200000 are the most"));
    let line = format!("BenchmarkX 1 2 ns/op{}\n", " 1 u".repeat(1_001));
    assert!(told("gobench", &line).contains("1002 figures in a line"), "{}", told("gobench", &line));
}

#[test]
fn what_is_told_of_a_file_has_an_end() {
    let skipped: String = (0..99_999).map(|number| format!("--- SKIP: BenchmarkY{number}\n")).collect();
    let reading = Import::named("gobench").unwrap().read(&source(format!("{skipped}BenchmarkX 1 2 ns/op\n"))).unwrap();
    let skipped = reading.cases.iter().filter(|case| case.skipped.is_some()).count();
    assert_eq!((reading.cases.len(), skipped, reading.notices.len()), (100_000, 99_999, 101));
    assert_eq!(reading.notices[100], "further entries that Tare leaves out are not listed");
}

#[test]
fn a_byte_order_mark_hides_no_line() {
    let of = |format: &str, text: String| {
        let reading = Import::named(format).unwrap().read(&source(format!("\u{feff}{text}"))).unwrap();
        let samples = reading.cases.iter().flat_map(|case| &case.launches).map(Vec::len).sum::<usize>();
        (reading.cases.len(), samples)
    };
    assert_eq!(of("gobench", "BenchmarkX 1 500 ns/op\nBenchmarkX 1 100 ns/op\n".to_owned()), (1, 2));
    let wrk = documents().into_iter().find(|(name, _)| *name == "wrk2").unwrap().1;
    assert_eq!(of("wrk2", format!("{wrk}{}", wrk.replace("http://h/", "http://i/"))).0, 2);
}

#[test]
fn benchmarks_of_one_name_have_histories_of_their_own() {
    let ids = |format: &str, text: &str| -> Vec<String> {
        let reading = Import::named(format).unwrap().read(&source(text)).unwrap();
        made(&reading, "file").into_iter().map(|made| made.measurement.variant.case.id()).collect()
    };
    let go = ids("gobench", "BenchmarkX 1 100 ns/op\nBenchmarkX-4 1 400 ns/op\nBenchmarkY-4 1 3 ns/op\n");
    assert_eq!(go, ["go/BenchmarkX", "go/BenchmarkX#GOMAXPROCS=4", "go/BenchmarkY#GOMAXPROCS=4"]);
    let entry = |n: u32| format!(r#"{{"command":"a","mean":1,"times":[1],"parameters":{{"n":"{n}"}}}}"#);
    let hyperfine = ids("hyperfine", &format!(r#"{{"results":[{},{}]}}"#, entry(1), entry(4)));
    assert_eq!(hyperfine, ["command/a#n=1", "command/a#n=4"]);
}

fn hostile_text() -> impl Strategy<Value = String> {
    let awkward: Vec<char> = "\u{1b}[\n\r\t\u{0}\u{202e}\u{2066}\u{200d}<>&\"'{}[],:;#/=-%日🎉e0".chars().collect();
    let character =
        prop_oneof![2 => any::<char>(), 5 => prop::sample::select(awkward), 3 => prop::char::range(' ', '~')];
    prop::collection::vec(character, 0..80).prop_map(|characters| characters.into_iter().collect())
}

/// A document of a format with some of its bytes changed, taken out or doubled.
fn damaged() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let documents = documents();
    (0..documents.len(), prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>(), 1..40usize), 1..6))
        .prop_map(move |(which, changes)| {
            let (name, text) = &documents[which];
            let mut bytes = text.clone().into_bytes();
            for (at, kind, byte, length) in changes {
                if bytes.is_empty() {
                    break;
                }
                let at = at.index(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.truncate(at),
                    2 => {
                        let end = (at + length).min(bytes.len());
                        bytes.drain(at..end);
                    }
                    _ => {
                        let end = (at + length).min(bytes.len());
                        let piece = bytes[at..end].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            (*name, bytes)
        })
}

/// Whatever is read can be stored: times that are times, ids that differ.
fn is_sound(format: &Import, source: &Source) {
    let Ok(reading) = format.read(source) else { return };
    let cases = made(&reading, &source.name);
    let mut ids: Vec<&str> = cases.iter().map(|case| case.measurement.variant.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), cases.len());
    for case in &cases {
        if let Some(summary) = &case.summary {
            assert!(summary.time.estimate >= 0.0 && summary.time.estimate.is_finite(), "{:?}", summary.time);
            assert!(!summary.time.low.is_nan() && !summary.time.high.is_nan());
            assert!(summary.time.low <= summary.time.estimate && summary.time.estimate <= summary.time.high);
        }
        for turn in case.measurement.launches.iter().flat_map(|launch| &launch.turns) {
            assert_eq!(turn.iterations.len(), turn.elapsed.len());
            assert!(turn.iterations.iter().all(|calls| *calls > 0));
        }
    }
}

proptest! {
    #[test]
    fn fuzz_any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let source = source(bytes);
        let _ = Import::found(&source);
        for format in IMPORTS {
            is_sound(format, &source);
        }
    }

    #[test]
    fn fuzz_any_text_is_read_or_refused(text in hostile_text()) {
        let source = source(text);
        let _ = Import::found(&source);
        for format in IMPORTS {
            is_sound(format, &source);
        }
    }

    #[test]
    fn fuzz_damaged_files_are_read_or_refused((name, bytes) in damaged()) {
        is_sound(Import::named(name).unwrap(), &source(bytes));
    }

    #[test]
    fn fuzz_figures_of_any_size_are_times_or_refused(value in prop_oneof![any::<f64>(), -1e3..1e3f64], calls in any::<i64>()) {
        let number = serde_json::to_string(&value).unwrap();
        let texts = [
            ("hyperfine", format!(r#"{{"results":[{{"command":"a","mean":{number},"times":[{number},1]}}]}}"#)),
            ("googlebench", format!(r#"{{"context":{{}},"benchmarks":[{{"name":"a","iterations":{calls},"real_time":{number}}}]}}"#)),
            ("gobench", format!("BenchmarkX {calls} {value} ns/op\n")),
            ("jmh", format!(r#"[{{"benchmark":"a","mode":"thrpt","primaryMetric":{{"score":{number},"scoreUnit":"ops/s","rawData":[[{number}]]}}}}]"#)),
            ("pyperf", format!(r#"{{"benchmarks":[{{"metadata":{{"name":"a","loops":{calls}}},"runs":[{{"values":[{number}]}}]}}]}}"#)),
            ("catch2", format!("<Catch><BenchmarkResults name=\"b\" samples=\"{calls}\"><mean value=\"{value}\" lowerBound=\"{value}\" upperBound=\"{value}\" ci=\"0.95\"/></BenchmarkResults></Catch>")),
        ];
        for (name, text) in texts {
            is_sound(Import::named(name).unwrap(), &source(text));
        }
    }
}
