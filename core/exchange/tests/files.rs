//! A file of each tool, and the figures that the tool itself prints of it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tare_exchange::{IMPORTS, Import, ImportedCase, Reading, Source, made, together};
use tare_samples::{Outcome, POLICY, UNTARED};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn source(name: &str) -> Source {
    let path = path(name);
    let mut beside = BTreeMap::new();
    for other in ["benchmark.json", "estimates.json", "sample.json"] {
        if let Ok(bytes) = std::fs::read(path.with_file_name(other)) {
            beside.insert(other.to_owned(), bytes);
        }
    }
    Source { name: name.to_owned(), bytes: std::fs::read(&path).unwrap(), beside }
}

/// Reads a file as what it looks like, which has to be that format.
fn read(name: &str, format: &str) -> Reading {
    let source = source(name);
    let found = Import::found(&source).unwrap();
    assert_eq!(found.name, format, "{name}");
    found.read(&source).unwrap()
}

fn of(reading: &Reading, name: &str) -> ImportedCase {
    let all = made(reading, "file");
    let names: Vec<String> = all.iter().map(|made| made.measurement.variant.id.clone()).collect();
    all.into_iter().find(|made| made.measurement.variant.id == name).unwrap_or_else(|| panic!("{name} of {names:?}"))
}

#[track_caller]
fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-3 * wanted.abs(), "{found} where the tool says {wanted}");
}

/// Whether samples are kept that lead back to the time.
fn kept(made: &ImportedCase) -> usize {
    made.measurement.launches.iter().flat_map(|launch| &launch.turns).map(|turn| turn.elapsed.len()).sum()
}

#[test]
fn what_is_imported_is_never_taken_for_tared() {
    assert_ne!(UNTARED, POLICY);
    for (name, format) in [("gobench.txt", "gobench"), ("hyperfine.json", "hyperfine"), ("k6.json", "k6")] {
        for made in made(&read(name, format), name) {
            assert!(made.measurement.variant.is_imported());
            let summary = made.summary.unwrap();
            assert_eq!(summary.raw, summary.time, "{name}");
            assert!(summary.kernels.is_empty() && !summary.below_resolution);
        }
    }
}

#[test]
fn go_prints_these_medians_with_benchstat() {
    let reading = read("gobench.txt", "gobench");
    assert_eq!(reading.machine["cpu"], "AMD EPYC");
    // benchstat: Fields-2 2.386µ, Count/size=10-2 18.22n, Count/size=1000-2 135.6n
    for (name, median) in [
        ("go/example.com/words::BenchmarkFields#GOMAXPROCS=2", 2386.0),
        ("go/example.com/words::BenchmarkCount/size=10#GOMAXPROCS=2", 18.22),
        ("go/example.com/words::BenchmarkCount/size=1000#GOMAXPROCS=2", 135.6),
    ] {
        let made = of(&reading, name);
        let summary = made.summary.as_ref().unwrap();
        assert!((summary.statistics.median - median).abs() <= 5e-4 * median, "{}", summary.statistics.median);
        assert_eq!((kept(&made), summary.launches, summary.samples), (6, 1, 6));
        assert_eq!(summary.warnings[0].code, "one-process");
    }
    let reported =
        of(&reading, "go/example.com/words::BenchmarkFields#GOMAXPROCS=2").measurement.calibration.unwrap().reported;
    assert!(reported.metrics.contains(&("allocs/op".to_owned(), "1".to_owned())), "{reported:?}");
}

#[test]
fn criterion_prints_these_intervals() {
    // fib/recursive/10  time: [387.42 ns 736.66 ns 1.1491 µs]; fib/flat [44.500 ns 93.881 ns 152.42 ns]
    let parts = ["criterion/fib/recursive/10/new/estimates.json", "criterion/fib/flat/new/sample.json"];
    let reading = together(parts.iter().map(|part| read(part, "criterion")).collect());
    for (name, [low, estimate, high]) in
        [("rust/fib/recursive/10", [387.42, 736.66, 1149.1]), ("rust/fib/flat", [44.5, 93.881, 152.42])]
    {
        let made = of(&reading, name);
        let time = made.summary.as_ref().unwrap().time;
        close(time.low, low);
        close(time.estimate, estimate);
        close(time.high, high);
        assert_eq!(kept(&made), 20);
    }
    let reading = read("criterion-messages.json", "criterion-messages");
    let time = of(&reading, "rust/Queries/[LIGHT] Bam query all").summary.unwrap().time;
    close(time.estimate, 55911.196);
    close(time.high, 57807.901);
}

#[test]
fn google_benchmark_prints_these_means() {
    let reading = read("googlebench.json", "googlebench");
    for (name, mean, median, deviation) in
        [("cpp/BM_Sort/16", 224.0, 213.0, 43.3), ("cpp/BM_Sort/256", 8590.0, 8619.0, 268.0)]
    {
        let made = of(&reading, name);
        let summary = made.summary.as_ref().unwrap();
        for (found, wanted) in
            [(summary.time.estimate, mean), (summary.statistics.median, median), (summary.statistics.stddev, deviation)]
        {
            assert!((found - wanted).abs() <= 3e-3 * wanted, "{name}: {found} where the tool says {wanted}");
        }
        assert_eq!(kept(&made), 4);
    }
    let failed = of(&reading, "cpp/BM_Fails");
    assert!(matches!(&failed.measurement.outcome, Outcome::Failed(failure) if failure.message == "no such file"));
    // In microseconds.
    let micro = of(&reading, "cpp/BM_Micro").summary.unwrap().time.estimate;
    assert!((1.0..3.0).contains(&micro), "{micro}");
}

#[test]
fn catch2_prints_these_means_and_keeps_no_samples() {
    let reading = read("catch2.xml", "catch2");
    let made = of(&reading, "cpp/Fibonacci::fib 10");
    let summary = made.summary.as_ref().unwrap();
    close(summary.time.estimate, 241.011);
    close(summary.time.low, 240.635);
    close(summary.time.high, 242.139);
    assert_eq!((kept(&made), summary.samples), (0, 20));
    assert!(summary.statistics.median.is_nan());
    close(of(&reading, "cpp/Fibonacci::fib <15>").summary.unwrap().time.estimate, 2696.43);
    close(of(&reading, "cpp/Other::inner::fib 5").summary.unwrap().time.estimate, 2858.87);
}

#[test]
fn pytest_benchmark_prints_these_figures() {
    let reading = read("pytest.json", "pytest-benchmark");
    for (name, [least, most, mean, deviation, median], rounds) in [
        ("python/test_words.py::test_pedantic", [332.4, 1021.4, 430.625, 238.9582, 348.5], 8),
        ("python/test_words.py::test_split#10", [409.65, 1_771_970.35, 3883.2276, 74345.0457, 438.15], 925),
        (
            "python/test_words.py::test_split#1000",
            [38937.9998, 36_165_715.0, 471_933.583_3, 3_941_432.998_9, 42413.0],
            84,
        ),
    ] {
        let made = of(&reading, name);
        let summary = made.summary.as_ref().unwrap();
        let s = &summary.statistics;
        for (found, wanted) in
            [(s.min, least), (s.max, most), (s.mean, mean), (s.stddev, deviation), (s.median, median)]
        {
            assert!((found - wanted).abs() <= 1e-6 * wanted, "{name}: {found} where the tool says {wanted}");
        }
        assert_eq!(kept(&made), rounds);
    }
    assert!(reading.started.is_some());
}

#[test]
fn pyperf_prints_these_means_over_processes() {
    let reading = read("pyperf.json", "pyperf");
    // sum: Mean +- std dev: 28.6 ns +- 17.7 ns; Median 26.0 ns. sorted: 8.43 us +- 3.76 us; 7.32 us.
    for (name, mean, deviation, median) in [("python/sum", 28.6, 17.7, 26.0), ("python/sorted", 8430.0, 3760.0, 7320.0)]
    {
        let made = of(&reading, name);
        let summary = made.summary.as_ref().unwrap();
        let s = &summary.statistics;
        for (found, wanted) in
            [(s.mean, mean), (summary.time.estimate, mean), (s.stddev, deviation), (s.median, median)]
        {
            assert!((found - wanted).abs() <= 3e-3 * wanted, "{name}: {found} where the tool says {wanted}");
        }
        // Six processes of three values each: an interval over processes, which nothing is wrong with.
        assert_eq!((summary.launches, kept(&made)), (6, 18));
        assert!(summary.time.is_bounded() && summary.warnings.is_empty());
    }
}

#[test]
fn hyperfine_prints_these_means_over_processes() {
    let reading = read("hyperfine.json", "hyperfine");
    // seq 10: 4.7 ms ± 5.7 ms, 1.2 ms … 18.3 ms; seq 1000: 2.1 ms ± 2.6 ms, 1.1 ms … 8.6 ms
    for (name, [mean, deviation, least, most]) in
        [("command/seq 10#n=10", [4.7, 5.7, 1.2, 18.3]), ("command/seq 1000#n=1000", [2.1, 2.6, 1.1, 8.6])]
    {
        let summary = of(&reading, name).summary.unwrap();
        let s = &summary.statistics;
        for (found, wanted) in [(summary.time.estimate, mean), (s.stddev, deviation), (s.min, least), (s.max, most)] {
            assert!((found / 1e6 - wanted).abs() <= 0.051, "{name}: {found} where the tool says {wanted}");
        }
        assert_eq!(summary.launches, 8);
    }
    assert_eq!(
        of(&reading, "command/seq 10#n=10").measurement.variant.case.parameters.values,
        [("n".to_owned(), "10".to_owned())]
    );
}

#[test]
fn jmh_and_benchmarkdotnet_say_these_figures() {
    let reading = read("jmh.json", "jmh");
    let made = of(&reading, "java/org.openjdk.jmh.samples.JMHSample_01_HelloWorld.wellHelloThere");
    let summary = made.summary.as_ref().unwrap();
    // 3.376e9 ops/s; a third of a nanosecond each, kept to nine digits.
    assert!((summary.time.estimate * 3.376_238_873_122_818_5 - 1.0).abs() < 1e-6, "{}", summary.time.estimate);
    let back = &made.measurement.launches[0].turns[0];
    let sample = back.elapsed[0] as f64 / back.iterations[0] as f64;
    assert!((sample * 3.376_842_765_688_582 - 1.0).abs() < 2e-6, "{sample}");

    let reading = read("benchmarkdotnet.json", "benchmarkdotnet");
    let made = of(&reading, "csharp/Sample.Benchmarks.Fib10");
    let summary = made.summary.as_ref().unwrap();
    close(summary.statistics.mean, 24.4202);
    close(summary.statistics.stddev, 0.198_121);
    close(summary.statistics.median, 24.4195);
    assert_eq!(kept(&made), 14);
}

#[test]
fn phpbench_says_this_average() {
    let reading = read("phpbench.xml", "phpbench-xml");
    let made = of(&reading, "php/Bench1::subjectName#some params");
    // time-avg is 10 µs.
    assert_eq!(made.summary.as_ref().unwrap().time.estimate, 10_000.0);
    let case = &made.measurement.variant.case;
    assert_eq!(case.groups, ["group1", "group2"]);
    assert_eq!(case.parameters.values[1], ("bar".to_owned(), "[baz: bon]".to_owned()));
    assert_eq!(reading.started.as_deref(), Some("2015-01-01T00:00:00.000Z"));
}

#[test]
fn load_generators_print_these_latencies_and_get_no_interval() {
    let figure = |made: &ImportedCase, name: &str| -> f64 {
        let metrics = &made.measurement.calibration.as_ref().unwrap().reported.metrics;
        metrics
            .iter()
            .find(|(metric, _)| metric == name)
            .unwrap_or_else(|| panic!("{name} of {metrics:?}"))
            .1
            .parse()
            .unwrap()
    };
    // avg=2.91ms min=339.8µs med=1.2ms max=15.78ms p(90)=7.86ms p(95)=9.36ms p(99)=14.57ms; 40 at 421.298035/s
    let k6 = of(&read("k6.json", "k6"), "http/http_req_duration");
    let summary = k6.summary.as_ref().unwrap();
    let s = &summary.statistics;
    for (found, wanted) in
        [(s.mean, 2.91), (s.min, 0.3398), (s.median, 1.2), (s.max, 15.78), (s.p95, 9.36), (s.p99, 14.57)]
    {
        assert!((found / 1e6 - wanted).abs() <= 0.01, "{found} where k6 says {wanted}");
    }
    close(figure(&k6, "http_reqs.rate"), 421.298);
    assert_eq!(summary.samples, 40);

    // Latency 6.60ms 1.92ms 12.50ms; 99.000% 11.18ms; Requests/sec: 2000.28
    let wrk2 = read("wrk2.txt", "wrk2");
    assert_eq!(wrk2.tool, "wrk2");
    let wrk2 = of(&wrk2, "http/http://127.0.0.1:80/index.html#threads=2 connections=100");
    let found = wrk2.summary.as_ref().unwrap();
    assert_eq!((found.time.estimate, found.statistics.max, found.statistics.p99), (6.60e6, 12.50e6, 11.18e6));
    close(figure(&wrk2, "requests_per_s"), 2000.28);

    let wrk = read("wrk.txt", "wrk2");
    assert_eq!(wrk.tool, "wrk");
    let wrk = of(&wrk, "http/http://127.0.0.1:18931/#threads=1 connections=2");
    assert_eq!(wrk.summary.as_ref().unwrap().time.estimate, 2.71e6);
    assert_eq!(wrk.summary.as_ref().unwrap().statistics.median, 705_000.0);

    for made in [k6, wrk2, wrk] {
        let summary = made.summary.unwrap();
        assert!(!summary.time.is_bounded(), "latencies of one run hold each other up");
        assert_eq!(summary.warnings[0].code, "no-interval");
    }
}

#[test]
fn a_histogram_log_is_read_by_tag() {
    let reading = read("hdr.hlog", "hdr");
    let names: Vec<&str> = reading.cases.iter().map(|case| case.benchmark.as_str()).collect();
    assert_eq!(names, ["logged", "A"]);
    let [all, tagged] = [0, 1].map(|at| reading.cases[at].given.clone());
    // The log has the same intervals twice: without a tag, and with the tag A.
    assert_eq!(all.samples, tagged.samples);
    assert!(all.samples.unwrap() > 0 && all.max >= all.p99 && all.p99 >= all.median);
    assert!(reading.started.is_some());
}

#[test]
fn every_format_has_a_file_here() {
    let with_file: Vec<&str> = vec![
        "phpbench-xml",
        "catch2",
        "criterion-messages",
        "criterion",
        "googlebench",
        "jmh",
        "pytest-benchmark",
        "pyperf",
        "hyperfine",
        "benchmarkdotnet",
        "k6",
        "hdr",
        "wrk2",
        "gobench",
    ];
    // oha's reader is held against its published schema, in `hostile.rs`.
    let without: Vec<&str> =
        IMPORTS.iter().map(|format| format.name).filter(|name| !with_file.contains(name)).collect();
    assert_eq!(without, ["oha"]);
}
