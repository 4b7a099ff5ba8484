//! What is wrong with one entry of a file costs that entry: the others are read with their figures, and it is reported.
#![allow(clippy::unwrap_used)]

use tare_exchange::{Import, ImportedCase, Reading, Source, made, together};
use tare_samples::Outcome;

fn read_named(format: &str, name: &str, bytes: impl Into<Vec<u8>>) -> Result<Reading, String> {
    let source = Source { name: name.to_owned(), bytes: bytes.into(), ..Source::default() };
    Import::named(format).unwrap().read(&source).map_err(|fault| fault.to_string())
}

fn read(format: &str, text: &str) -> Reading {
    read_named(format, "file", text).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

/// Ids and times in nanoseconds; what failed or skipped itself has its reason.
fn results(reading: &Reading) -> Vec<(String, Result<f64, String>)> {
    let one = |made: ImportedCase| {
        let result = match (made.measurement.outcome, made.summary) {
            (Outcome::Ok, Some(summary)) => Ok((summary.time.estimate * 1e6).round() / 1e6),
            (Outcome::Failed(failure), _) => Err(failure.message),
            (Outcome::Skipped(reason), _) => Err(reason),
            (outcome, _) => Err(format!("{outcome:?} without a time")),
        };
        (made.measurement.variant.id, result)
    };
    made(reading, "file").into_iter().map(one).collect()
}

fn wanted(all: &[(&str, Result<f64, &str>)]) -> Vec<(String, Result<f64, String>)> {
    all.iter().map(|(id, result)| ((*id).to_owned(), result.map_err(str::to_owned))).collect()
}

/// Warnings that stand beside the figures of each benchmark.
fn failures(reading: &Reading) -> Vec<String> {
    let all = made(reading, "file").into_iter().filter_map(|made| made.summary).flat_map(|summary| summary.warnings);
    all.filter(|warning| warning.code == "failures").map(|warning| warning.message).collect()
}

#[test]
fn a_counter_that_is_no_number_costs_itself() {
    let entry = |name: &str, more: &str| {
        format!(
            r#"{{"name":"{name}","run_name":"{name}","run_type":"iteration","iterations":10,"real_time":5.0,"cpu_time":4.0,"time_unit":"us"{more}}}"#
        )
    };
    let all = [
        entry("a", r#","ratio":NaN"#),
        entry("b", r#","iterations":7"#),
        entry("c", r#","rate":-Infinity,"ratio":0.5"#),
        entry("d", r#","big":1e999"#),
    ];
    let reading = read("googlebench", &format!(r#"{{"context":{{}},"benchmarks":[{}]}}"#, all.join(",")));
    let times = ["cpp/a", "cpp/b", "cpp/c", "cpp/d"].map(|id| (id, Ok(5000.0)));
    assert_eq!(results(&reading), wanted(&times));
    assert_eq!(
        reading.notices,
        [
            r#"the member "iterations" occurs once more in the same object; Tare uses the first"#,
            "a: a figure is left out: ratio is NaN",
            "c: a figure is left out: rate is NaN",
            "d: a figure is left out: big is NaN",
        ]
    );
    assert!(reading.cases[2].reported.metrics.contains(&("ratio".to_owned(), "0.5".to_owned())));
}

#[test]
fn nothing_vanishes_of_what_go_test_prints() {
    let text = "goos: linux\npkg: a/b\n\
        BenchmarkOk-8 \t 100\t 12.5 ns/op\n\
        BenchmarkHit-8 1000 0.93 hit-rate\n\
        BenchmarkTorn-8 \thello\nmore of it\n 200\t 25.5 ns/op\t 3 B/op\n\
        BenchmarkSays-8 \tsaid 7 300\t 35.5 ns/op\n\
        BenchmarkFail-8 \t--- FAIL: BenchmarkFail-8\n    a_test.go:5: it is no good\n\
        BenchmarkSkip\n--- SKIP: BenchmarkSkip\n    a_test.go:9: no server\n\
        BenchmarkBare-8 \t 100\n\
        --- FAIL: TestOther (0.00s)\n    a_test.go:7: other\n\
        BenchmarkPanic-8 \tpanic: oh no\n\ngoroutine 1 [running]:\nexit status 2\nFAIL\ta/b\t0.1s\n";
    let mut all = wanted(&[
        ("go/a/b::BenchmarkOk#GOMAXPROCS=8", Ok(12.5)),
        ("go/a/b::BenchmarkHit#GOMAXPROCS=8", Err("line 4: the line has no time (ns/op)")),
        ("go/a/b::BenchmarkTorn#GOMAXPROCS=8", Ok(25.5)),
        ("go/a/b::BenchmarkSays#GOMAXPROCS=8", Ok(35.5)),
        ("go/a/b::BenchmarkBare#GOMAXPROCS=8", Err("line 14: the line has no figures")),
        ("go/a/b::BenchmarkFail#GOMAXPROCS=8", Err("a_test.go:5: it is no good")),
        ("go/a/b::BenchmarkPanic#GOMAXPROCS=8", Err("panic: oh no")),
        ("go/a/b::BenchmarkSkip", Err("it skipped itself")),
    ]);
    let reading = read("gobench", text);
    assert_eq!(results(&reading), all);
    for said in ["the test TestOther failed", "FAIL a/b 0.1s", "BenchmarkFail#GOMAXPROCS=8 failed: a_test.go:5"] {
        assert!(reading.notices.iter().any(|notice| notice.contains(said)), "{said}: {:?}", reading.notices);
    }
    // As events, and as PowerShell's `>` writes it.
    let event = |line: &str| {
        serde_json::json!({"Time": "2026-01-01T00:00:00Z", "Action": "output", "Package": "a/b", "Output": line})
            .to_string()
            + "\n"
    };
    let events: String = text.split_inclusive('\n').map(event).collect();
    for (_, message) in &mut all {
        if let Err(message) = message {
            *message = message.replace("line 4", "line 3").replace("line 14", "line 13");
        }
    }
    assert!(
        Import::found(&Source { bytes: events.clone().into_bytes(), ..Source::default() }).unwrap().name == "gobench"
    );
    let of_events = results(&read("gobench", &events));
    assert_eq!(of_events.len(), all.len());
    for ((id, result), (wanted_id, wanted)) in of_events.iter().zip(&all) {
        assert_eq!((id, result.as_ref().ok()), (wanted_id, wanted.as_ref().ok()));
    }
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let reading = read_named("gobench", "file", wide).unwrap();
    assert_eq!(reading.cases.len(), 8);
}

#[test]
fn a_quote_that_its_tool_did_not_escape_costs_nothing() {
    let entry = |name: &str| format!(r#"{{"name":"{name}","run_type":"iteration","iterations":1,"real_time":5}}"#);
    let file = |names: &[&str]| {
        let all: Vec<String> = names.iter().map(|name| entry(name)).collect();
        format!("{{\"context\":{{}},\n\"benchmarks\":[\n{}]}}", all.join(",\n"))
    };
    let reading = read("googlebench", &file(&["a", r#"find("x", "y")"#, "b"]));
    assert_eq!(
        results(&reading),
        wanted(&[("cpp/a", Ok(5.0)), (r#"cpp/find("x", "y")"#, Ok(5.0)), ("cpp/b", Ok(5.0))])
    );
    let said = "line 4: the tool that wrote the file left out the backslashes before 4 quotes; Tare adds them";
    assert_eq!(reading.notices, [said]);
    let text = file(&["a", r#"x"}, {"name":1 y"#]);
    assert!(Import::found(&Source { bytes: file(&[r#"a "b""#]).into_bytes(), ..Source::default() }).is_ok());
    // What could be another member is no quote of a text.
    let refused = read_named("googlebench", "file", text).unwrap_err();
    assert!(refused.starts_with("file:4:") && refused.contains("repair the file at this place"), "{refused}");
}

#[test]
fn a_panic_is_of_the_benchmark_that_ran() {
    for (text, id, why) in [
        ("BenchmarkX-8 \tpanic: oh\n", "go/BenchmarkX#GOMAXPROCS=8", "panic: oh"),
        ("BenchmarkX-8 \t\npanic: oh\n", "go/BenchmarkX#GOMAXPROCS=8", "panic: oh"),
        (
            "BenchmarkX\nBenchmarkX-8 \tfatal error: all asleep\n",
            "go/BenchmarkX#GOMAXPROCS=8",
            "fatal error: all asleep",
        ),
        (
            "BenchmarkX-8 \tpanic: test timed out after 1s\nFAIL\ta 1s\n",
            "go/a::BenchmarkX#GOMAXPROCS=8",
            "panic: test timed out after 1s",
        ),
    ] {
        assert_eq!(results(&read("gobench", text)), wanted(&[(id, Err(why))]), "{text}");
    }
}

#[test]
fn work_that_failed_is_a_failure() {
    let wrk = "Running 1s test @ http://h/\n  1 threads and 2 connections\n    Latency     0.00us    0.00us   0.00us    -nan%\n  0 requests in 1.00s, 0.00B read\n  Socket errors: connect 2, read 0, write 0, timeout 0\n";
    let why = "there was no answer: Socket errors: connect 2, read 0, write 0, timeout 0";
    assert_eq!(results(&read("wrk2", wrk)), wanted(&[("http/http://h/#threads=1 connections=2", Err(why))]));

    let bad = "Running 1s test @ http://h/\n  1 threads and 2 connections\n    Latency 2.00ms 1.00ms 3.00ms 90%\n  100 requests in 1.00s, 1.00KB read\n  Non-2xx or 3xx responses: 40\n";
    let reading = read("wrk2", bad);
    assert_eq!(results(&reading)[0].1, Ok(2e6));
    assert_eq!(
        failures(&reading),
        [
            "40 of 100 requests failed: Non-2xx or 3xx responses: 40; the file has one time for all requests, the failed ones among them"
        ]
    );
    let all = bad.replace("responses: 40", "responses: 100");
    assert_eq!(
        results(&read("wrk2", &all))[0].1,
        Err("100 of 100 requests failed: Non-2xx or 3xx responses: 100".into())
    );

    let oha = |codes: &str, more: &str| {
        format!(
            r#"{{"summary":{{"average":0.002}},"latencyPercentiles":{{"p50":0.0015}},"statusCodeDistribution":{codes},"errorDistribution":{{}}{more}}}"#
        )
    };
    let reading = read("oha", &oha(r#"{"200":50,"503":950}"#, ""));
    assert_eq!(results(&reading)[0].1, Ok(2e6));
    assert_eq!(
        failures(&reading),
        [
            "950 of 1000 requests failed: status 503 950 times; the file has one time for all requests, the failed ones among them"
        ]
    );
    assert_eq!(reading.notices.len(), 1, "{:?}", reading.notices);
    // With `--stats-success-breakdown` the file tells the times of the others.
    let good = r#","latencyPercentilesSuccessful":{"p50":0.009}"#;
    let reading = read("oha", &oha(r#"{"200":50,"503":950}"#, good));
    assert_eq!(results(&reading)[0].1, Ok(9e6));
    assert_eq!(failures(&reading), ["950 of 1000 requests failed: status 503 950 times"]);
    for none in [r#"{"503":10}"#, r#"{"301":10}"#] {
        assert!(results(&read("oha", &oha(none, "")))[0].1.is_err());
    }

    let hyperfine = r#"{"results":[{"command":"a","mean":9,"times":[1,1,25],"exit_codes":[0,0,1]},{"command":"b","mean":1,"times":[1],"exit_codes":[null]}]}"#;
    let reading = read("hyperfine", hyperfine);
    let why = "1 of 1 runs ended with a status other than 0";
    assert_eq!(results(&reading), wanted(&[("command/a", Ok(1e9)), ("command/b", Err(why))]));
    assert_eq!(failures(&reading), ["1 of 3 runs ended with a status other than 0; their times aren't taken over"]);
}

#[test]
fn an_id_is_made_of_content_and_what_cannot_be_told_apart_is_refused() {
    let entry = |command: &str, time: u32, parameters: &str| {
        format!(r#"{{"command":"{command}","mean":{time},"times":[{time}]{parameters}}}"#)
    };
    let file = |entries: &[String]| format!(r#"{{"results":[{}]}}"#, entries.join(","));
    let (n1, n4) = (r#","parameters":{"n":"1"}"#, r#","parameters":{"n":"4"}"#);
    let both = read("hyperfine", &file(&[entry("a", 1, n1), entry("a", 2, n4)]));
    assert_eq!(results(&both), wanted(&[("command/a#n=1", Ok(1e9)), ("command/a#n=4", Ok(2e9))]));
    // The same whatever stands beside it.
    let one = read("hyperfine", &file(&[entry("a", 2, n4)]));
    assert_eq!(results(&one), wanted(&[("command/a#n=4", Ok(2e9))]));

    let equal = read("hyperfine", &file(&[entry("sleep", 1, ""), entry("b", 3, ""), entry("sleep", 2, "")]));
    assert_eq!(results(&equal), wanted(&[("command/b", Ok(3e9))]));
    assert_eq!(equal.left_out, 2);
    assert_eq!(
        equal.notices,
        ["2 benchmarks have the name sleep, so Tare leaves them out; give each a name of its own"]
    );
    let alone = read_named("hyperfine", "file", file(&[entry("a", 1, ""), entry("a", 1, "")])).unwrap_err();
    assert!(alone.contains("2 benchmarks have the name a"), "{alone}");

    // Families, modes, jobs and processors.
    let family = |family: u32, label: &str| {
        format!(
            r#"{{"name":"f","run_name":"f","family_index":{family},"run_type":"iteration","iterations":1,"real_time":{family}.5,"label":"{label}"}}"#
        )
    };
    let families = |one: &str, other: &str| {
        let all = [family(1, one), family(1, one), family(2, other)].join(",");
        read_named("googlebench", "file", format!(r#"{{"context":{{}},"benchmarks":[{all}]}}"#))
    };
    let apart = results(&families("snappy", "zstd").unwrap());
    assert_eq!(apart, wanted(&[("cpp/f#label=snappy", Ok(1.5)), ("cpp/f#label=zstd", Ok(2.5))]));
    assert!(families("", "").unwrap_err().contains("2 benchmarks have the name f"));
    let jmh = |mode: &str, unit: &str| {
        format!(
            r#"{{"benchmark":"a","mode":"{mode}","threads":1,"primaryMetric":{{"score":5,"scoreUnit":"{unit}","rawData":[[5]]}}}}"#
        )
    };
    let ids = |text: &str| results(&read("jmh", text)).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids(&format!("[{},{}]", jmh("thrpt", "ops/s"), jmh("avgt", "ns/op"))), ["java/a", "java/a#mode=avgt"]);
    assert_eq!(ids(&format!("[{}]", jmh("avgt", "ns/op"))), ["java/a#mode=avgt"]);
}

#[test]
fn ten_thousand_namesakes_are_one_notice() {
    let line = r#"{"command":"a","mean":1,"times":[1]}"#;
    let all = vec![line; 10_000].join(",");
    let text = format!(r#"{{"results":[{all},{{"command":"b","mean":1,"times":[1]}}]}}"#);
    let reading = read("hyperfine", &text);
    assert_eq!((reading.cases.len(), reading.left_out, reading.notices.len()), (1, 10_000, 1));
}

#[test]
fn two_files_of_one_benchmark_are_not_numbered() {
    let part = |name: &str| read_named("criterion", name, r#"{"iters":[1,2],"times":[10,20]}"#).unwrap();
    let all = together(vec![
        part("a/criterion/fib/new/sample.json"),
        part("b/criterion/fib/new/sample.json"),
        part("criterion/g/new/sample.json"),
    ]);
    assert_eq!(results(&all), wanted(&[("rust/g", Ok(10.0))]));
    assert!(all.notices.iter().any(|notice| notice.contains("2 benchmarks have the name fib")), "{:?}", all.notices);
}

#[test]
fn what_criterion_says_of_a_change_is_no_time() {
    let change = |mean: f64| {
        let figure = format!(
            r#"{{"point_estimate":{mean},"standard_error":0.1,"confidence_interval":{{"confidence_level":0.95,"lower_bound":{},"upper_bound":1}}}}"#,
            mean - 0.1
        );
        format!(r#"{{"mean":{figure},"median":{figure}}}"#)
    };
    for mean in [0.03, -0.03] {
        let refused = read_named("criterion", "x/change/estimates.json", change(mean)).unwrap_err();
        assert!(refused.contains("it holds the change between two runs, and no times"), "{refused}");
    }
}

#[test]
fn the_summary_of_k6_2_is_read() {
    let metric = |name: &str, kind: &str, contains: &str, values: &str| {
        format!(r#"{{"name":"{name}","type":"{kind}","contains":"{contains}","values":{values}}}"#)
    };
    let all = [
        metric(
            "http_req_duration",
            "trend",
            "time",
            r#"{"avg":2.5,"min":1,"med":2,"max":4,"p(90)":3.5,"p(95)":3.9,"count":40}"#,
        ),
        metric("http_req_failed", "rate", "default", r#"{"rate":0.25,"matches":10,"total":40}"#),
        metric("http_reqs", "counter", "default", r#"{"count":40,"rate":20}"#),
    ];
    let text = format!(
        r#"{{"version":"1.0.0","metadata":{{"k6Version":"2.0.0"}},"results":{{"metrics":[{}]}}}}"#,
        all.join(",")
    );
    let source = Source { bytes: text.clone().into_bytes(), ..Source::default() };
    assert_eq!(Import::found(&source).unwrap().name, "k6");
    let reading = read("k6", &text);
    assert_eq!(reading.version, "2.0.0");
    assert_eq!(results(&reading), wanted(&[("http/http_req_duration", Ok(2.5e6))]));
    assert!(failures(&reading)[0].starts_with("10 of 40 requests failed"), "{:?}", failures(&reading));
}

#[test]
fn text_that_nobody_escaped_and_a_share_with_its_sign_cost_nothing() {
    // As Google Benchmark wrote them until 1.4.
    let text = r#"{"context":{},"benchmarks":[
        {"name":"a","iterations":10,"real_time":12.5,"time_unit":"ns"},
        {"name":"b","error_occurred":true,"error_message":"File not found c:\hello.txt.","iterations":1,"real_time":0,"time_unit":"ns"},
        {"name":"a_RMS","rms": 2%}]}"#;
    let reading = read("googlebench", text);
    let why = r"File not found c:\hello.txt.";
    assert_eq!(results(&reading), wanted(&[("cpp/a", Ok(12.5)), ("cpp/b", Err(why))]));
}

#[test]
fn aggregates_that_only_their_names_tell_are_no_benchmarks() {
    let entry = |name: &str, time: f64| {
        format!(r#"{{"name":"{name}","iterations":2,"real_time":{time},"cpu_time":1,"time_unit":"us"}}"#)
    };
    let file = |entries: &[String]| format!(r#"{{"context":{{}},"benchmarks":[{}]}}"#, entries.join(","));
    let fit = [
        r#"{"name":"n_BigO","cpu_coefficient":672,"real_coefficient":672,"big_o":"N","time_unit":"ns"}"#.to_owned(),
        r#"{"name":"n_RMS","rms":0.02}"#.to_owned(),
    ];
    let aggregates = [entry("n_mean", 11.0), entry("n_median", 10.5), entry("n_stddev", 1.5)];
    let whole = [&[entry("n", 10.0), entry("n", 12.0)][..], &aggregates, &fit].concat();
    assert_eq!(results(&read("googlebench", &file(&whole))), wanted(&[("cpp/n", Ok(11_000.0))]));
    let only = read("googlebench", &file(&aggregates));
    assert_eq!(results(&only), wanted(&[("cpp/n", Ok(11_000.0))]));
    assert_eq!((only.cases[0].given.samples, only.cases[0].given.stddev), (Some(2), Some(1500.0)));
    // A benchmark may be called so.
    let own = read("googlebench", &file(&[entry("rolling_mean", 3.0), entry("rolling_median", 4.0)]));
    assert_eq!(results(&own), wanted(&[("cpp/rolling_mean", Ok(3000.0)), ("cpp/rolling_median", Ok(4000.0))]));
}

#[test]
fn a_go_benchmark_is_called_the_same_whatever_else_its_file_holds() {
    let package = |name: &str| format!("pkg: example.org/{name}\nBenchmarkParse-8 10 7 ns/op\n");
    let alone = results(&read("gobench", &package("xml")));
    assert_eq!(alone, wanted(&[("go/example.org/xml::BenchmarkParse#GOMAXPROCS=8", Ok(7.0))]));
    for both in [package("json") + &package("xml"), package("xml") + &package("json")] {
        let both = results(&read("gobench", &both));
        assert!(both.len() == 2 && both.contains(&alone[0]), "{both:?}");
    }
}

#[test]
fn results_belong_to_the_package_that_the_line_behind_them_names() {
    let text = "PASS\nBenchmarkEncode-8 30000 42033 ns/op\nok  \tencoding/base32\t3.593s\n\
        PASS\nBenchmarkEncode-8 100000 16033 ns/op\nok  \tencoding/base64\t4.593s\nBenchmarkEncode-8 10 7 ns/op\n";
    assert_eq!(
        results(&read("gobench", text)),
        wanted(&[
            ("go/encoding/base32::BenchmarkEncode#GOMAXPROCS=8", Ok(42033.0)),
            ("go/encoding/base64::BenchmarkEncode#GOMAXPROCS=8", Ok(16033.0)),
            ("go/BenchmarkEncode#GOMAXPROCS=8", Ok(7.0)),
        ])
    );
    // One package, written twice, is no second package.
    let again = "pkg: a/b\nBenchmarkX 10 5 ns/op\nok  \ta/b\t1s\npkg: a/b\nBenchmarkX 10 7 ns/op\nok  \ta/b\t1s\n";
    assert_eq!(results(&read("gobench", again)), wanted(&[("go/a/b::BenchmarkX", Ok(6.0))]));
}

#[test]
fn go_writes_no_suffix_for_one_processor() {
    let text = "BenchmarkStore/Add 10 1 ns/op\nBenchmarkStore/Add-1 10 2 ns/op\nBenchmarkStore/Add-1-2 10 3 ns/op\n\
        BenchmarkStore/Add-08 10 4 ns/op\nBenchmark-16 10 5 ns/op\n";
    assert_eq!(
        results(&read("gobench", text)),
        wanted(&[
            ("go/BenchmarkStore/Add", Ok(1.0)),
            ("go/BenchmarkStore/Add-1", Ok(2.0)),
            ("go/BenchmarkStore/Add-1#GOMAXPROCS=2", Ok(3.0)),
            ("go/BenchmarkStore/Add-08", Ok(4.0)),
            ("go/Benchmark#GOMAXPROCS=16", Ok(5.0)),
        ])
    );
}

#[test]
fn requests_that_came_too_late_have_no_latency() {
    let wrk = |mean: &str, requests: u64, more: &str| {
        format!(
            "Running 30s test @ http://a/\n  1 threads and 10 connections\n    Latency {mean} 0.00us 0.00us -nan%\n     50% {mean}\n  {requests} requests in 30.04s, 70.49KB read\n{more}"
        )
    };
    let late = |times: u64| format!("  Socket errors: connect 0, read 0, write 0, timeout {times}\n");
    let bad = "  Non-2xx or 3xx responses: 735\n";
    let id = "http/http://a/#threads=1 connections=10";
    // All came too late: wrk writes 0.
    for (requests, more) in [(40, late(40)), (735, late(735) + bad), (40, String::new())] {
        let reading = read("wrk2", &wrk("0.00us", requests, &more));
        let [(_, Err(why))] = &results(&reading)[..] else { panic!("{:?}", results(&reading)) };
        assert!(why.starts_with(&format!("wrk recorded no latency of {requests} requests")), "{why}");
    }
    // Some did: they are among the requests, and not in the latencies.
    let some = read("wrk2", &wrk("7.85s", 296, &late(41)));
    assert_eq!(results(&some), wanted(&[(id, Ok(7.85e9))]));
    assert_eq!(some.cases[0].given.samples, Some(255));
    assert!(failures(&some)[0].starts_with("41 of 296 requests failed"), "{:?}", failures(&some));
    // wrk2 doesn't count them.
    let two = read("wrk2", &wrk("7.85s", 296, &(late(41) + "  Thread calibration: mean lat.: 1 usec\n")));
    assert!(failures(&two)[0].starts_with("41 of 337 requests failed"), "{:?}", failures(&two));
}

#[test]
fn a_threshold_of_k6_that_was_crossed_is_reported() {
    // `--summary-export` writes true where it was crossed.
    let export = r#"{"metrics":{"http_req_duration":{"avg":2,"med":2,"thresholds":{"p(95)<500":false,"max<1":true}},
        "http_reqs":{"count":2,"rate":1}}}"#;
    assert_eq!(read("k6", export).notices, ["k6's threshold max<1 on http_req_duration was crossed"]);
    let handled = r#"{"metrics":{"http_req_duration":{"type":"trend","contains":"time","values":{"avg":2,"med":2},
        "thresholds":{"p(95)<500":{"ok":true},"max<1":{"ok":false}}}}}"#;
    assert_eq!(read("k6", handled).notices, ["k6's threshold max<1 on http_req_duration was crossed"]);
}

#[test]
fn a_batch_of_jmh_is_one_operation_of_another_kind() {
    let entry = |batch: u64| {
        format!(
            r#"{{"benchmark":"a.B.c","mode":"ss","threads":1,"measurementBatchSize":{batch},"primaryMetric":{{"score":5.0,"scoreUnit":"ms/op","rawData":[[5.0]]}}}}"#
        )
    };
    let reading = read("jmh", &format!("[{},{}]", entry(1), entry(100)));
    assert_eq!(
        results(&reading),
        wanted(&[("java/a.B.c#mode=ss", Ok(5e6)), ("java/a.B.c#mode=ss batch=100", Ok(5e6))])
    );
    assert_eq!(reading.cases[1].launches[0][0].calls, Some(1));
}
