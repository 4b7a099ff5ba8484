//! Damaged files: entries removed, torn, doubled, with values of other types. Every benchmark that is in such a file is stored or reported, those that
//! weren't damaged have their figures, and no file is refused because of one entry. `PROPTEST_CASES` says how many files of each format are tried, as of the properties beside these tests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tare_exchange::{Import, ImportedCase, Reading, Source, made};

/// Entries of a file.
const ENTRIES: usize = 8;

/// A generator of known state (xorshift64*): the same files each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % most
    }

    fn of<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}

fn files() -> usize {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(20)
}

/// What a value of a document is replaced by. Texts in capitals become what isn't JSON once it is written.
fn other(dice: &mut Dice, number: usize) -> Value {
    let unique = format!("other {number}");
    let all = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!([]),
        json!({}),
        json!([null, "x", 1]),
        json!("@NaN@"),
        json!("@-Infinity@"),
        json!("@1e999@"),
        json!(unique),
    ];
    dice.of(&all).clone()
}

/// Replaces, removes or renames a value somewhere in it.
fn damage(value: &mut Value, dice: &mut Dice, number: usize) {
    let is_here = dice.below(4) == 0;
    match value {
        Value::Object(members) if !members.is_empty() && !is_here => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = dice.of(&names).clone();
            match dice.below(4) {
                0 => drop(members.remove(&name)),
                1 => {
                    let own = members.remove(&name).unwrap();
                    members.insert(format!("{name}2"), own);
                }
                _ => damage(members.get_mut(&name).unwrap(), dice, number),
            }
        }
        Value::Array(values) if !values.is_empty() && !is_here => {
            let at = dice.below(values.len());
            match dice.below(3) {
                0 => drop(values.remove(at)),
                _ => damage(&mut values[at], dice, number),
            }
        }
        value => *value = other(dice, number),
    }
}

fn written(value: &Value) -> String {
    ["NaN", "-Infinity", "1e999"]
        .iter()
        .fold(value.to_string(), |text, word| text.replace(&format!("\"@{word}@\""), word))
}

/// A text with a piece replaced or its end cut off, from `from` on.
fn torn(text: &str, from: usize, dice: &mut Dice) -> String {
    let at = from + dice.below((text.len() - from).max(1));
    let (before, behind) = text.split_at(at);
    match dice.below(4) {
        0 => before.to_owned(),
        1 => format!("{before} its own print {behind}"),
        2 => format!("{before}NaN{behind}"),
        _ => {
            let end = (1 + dice.below(6)).min(behind.len());
            format!("{before}{}", &behind[end..])
        }
    }
}

/// A format: how an entry is made, and how a file is made of entries.
struct Format {
    name: &'static str,
    entry: fn(usize) -> Value,
    file: fn(&[String]) -> String,
    /// How a text is damaged; documents of JSON have it `None`.
    tear: Option<fn(&str, &mut Dice) -> String>,
    /// Entries of one name are repetitions of one benchmark, and not two.
    repeats: bool,
}

fn json_file(head: &str, tail: &str, entries: &[String]) -> String {
    format!("{head}{}{tail}", entries.join(","))
}

fn named(n: usize) -> String {
    format!("case{n}")
}

fn time(n: usize) -> f64 {
    10.0 + n as f64
}

const FORMATS: &[Format] = &[
    Format {
        name: "hyperfine",
        entry: |n| json!({"command": named(n), "mean": time(n), "median": time(n), "stddev": 0.1, "user": 0.5, "times": [time(n), time(n) + 1.0], "exit_codes": [0, 0], "parameters": {"n": n.to_string()}}),
        file: |entries| json_file(r#"{"results":["#, "]}", entries),
        tear: None,
        repeats: false,
    },
    Format {
        name: "googlebench",
        entry: |n| json!({"name": named(n), "run_name": named(n), "family_index": n, "run_type": "iteration", "iterations": 10, "real_time": time(n), "cpu_time": 4.0, "time_unit": "us", "ratio": 0.5}),
        file: |entries| json_file(r#"{"context":{"num_cpus":2},"benchmarks":["#, "]}", entries),
        tear: None,
        repeats: true,
    },
    Format {
        name: "jmh",
        entry: |n| json!({"benchmark": named(n), "mode": "avgt", "threads": 1, "params": {"n": n.to_string()}, "primaryMetric": {"score": time(n), "scoreUnit": "ns/op", "rawData": [[time(n), 6.0], [5.0, 5.0]]}, "secondaryMetrics": {"gc": {"score": 1.0, "scoreUnit": "ms"}}}),
        file: |entries| json_file("[", "]", entries),
        tear: None,
        repeats: false,
    },
    Format {
        name: "pytest-benchmark",
        entry: |n| json!({"name": named(n), "fullname": named(n), "group": "g", "extra_info": {"size": 3}, "stats": {"mean": time(n), "min": 1.0, "iterations": 3, "rounds": 2, "data": [time(n), time(n)]}}),
        file: |entries| json_file(r#"{"machine_info":{"python_version":"3"},"benchmarks":["#, "]}", entries),
        tear: None,
        repeats: false,
    },
    Format {
        name: "pyperf",
        entry: |n| json!({"metadata": {"name": named(n), "loops": 4}, "runs": [{"values": [time(n)], "metadata": {"loops": 2}}, {"values": [time(n), 0.5]}]}),
        file: |entries| json_file(r#"{"version":"1.0","benchmarks":["#, "]}", entries),
        tear: None,
        repeats: false,
    },
    Format {
        name: "benchmarkdotnet",
        entry: |n| json!({"Type": "A", "Method": named(n), "Parameters": format!("n={n}"), "DisplayInfo": "A.B: DefaultJob", "Memory": {"BytesAllocatedPerOperation": 8}, "Statistics": {"N": 2, "Mean": time(n), "OriginalValues": [time(n), 6.0]}}),
        file: |entries| json_file(r#"{"HostEnvironmentInfo":{},"Benchmarks":["#, "]}", entries),
        tear: None,
        repeats: false,
    },
    Format {
        name: "k6",
        entry: |n| json!({"name": format!("trend{n}_duration"), "type": "trend", "contains": "time", "values": {"avg": time(n), "min": 1.0, "med": 2.0, "max": 4.0, "p(95)": 3.9}}),
        file: |entries| json_file(r#"{"metadata":{"k6Version":"2"},"results":{"metrics":["#, "]}}", entries),
        tear: None,
        repeats: false,
    },
    Format {
        name: "criterion-messages",
        entry: |n| json!({"reason": "benchmark-complete", "id": named(n), "iteration_count": [1, 2], "measured_values": [time(n), 20.0], "unit": "ns", "throughput": [{"per_iteration": 3, "unit": "bytes"}], "typical": {"estimate": time(n), "lower_bound": 9.0, "upper_bound": 30.0, "unit": "ns"}}),
        file: |entries| entries.join("\n"),
        tear: None,
        repeats: false,
    },
    Format {
        name: "gobench",
        entry: |n| json!(format!("BenchmarkCase{n}-8 \t 100\t {} ns/op\t 3 B/op", time(n))),
        file: |entries| format!("goos: linux\npkg: a\n{}\nPASS\n", entries.join("\n")),
        tear: Some(|text, dice| torn(text, "BenchmarkCase0-8 ".len(), dice)),
        repeats: true,
    },
    Format {
        name: "wrk2",
        entry: |n| {
            json!(format!(
                "Running 1s test @ http://h/{n}\n  1 threads and 2 connections\n    Latency     {}ms    4.81ms  36.75ms   90.85%\n     50%  705.00us\n  1392 requests in 1.01s, 254.20KB read\nRequests/sec:   1383.00",
                time(n)
            ))
        },
        file: |entries| entries.join("\n"),
        tear: Some(|text, dice| torn(text, "Running 1s test @ http://h/0\n".len(), dice)),
        repeats: false,
    },
    Format {
        name: "phpbench-xml",
        entry: |n| {
            json!(format!(
                r#"<subject name="bench{n}"><variant revs="10"><iteration time-net="{}" time-revs="10" mem-peak="3"/><iteration time-net="510" time-revs="10"/><stats mean="50.5" mode="50"/></variant></subject>"#,
                100.0 * time(n)
            ))
        },
        file: |entries| {
            format!(
                "<phpbench version=\"1\"><suite date=\"2026-01-01T00:00:00+00:00\"><benchmark class=\"A\">{}</benchmark></suite></phpbench>",
                entries.join("\n")
            )
        },
        tear: Some(attribute),
        repeats: false,
    },
    Format {
        name: "catch2",
        entry: |n| {
            json!(format!(
                r#"<BenchmarkResults name="b{n}" samples="20" iterations="3"><mean value="{}" lowerBound="9" upperBound="31" ci="0.95"/><standardDeviation value="1"/></BenchmarkResults>"#,
                time(n)
            ))
        },
        file: |entries| format!("<Catch name=\"c\"><TestCase name=\"t\">{}</TestCase></Catch>", entries.join("\n")),
        tear: Some(attribute),
        repeats: false,
    },
];

/// XML stays well-formed: an attribute has another value, or is called otherwise.
fn attribute(text: &str, dice: &mut Dice) -> String {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let pair = dice.below(quotes.len() / 2);
    let (begin, end) = (quotes[2 * pair], quotes[2 * pair + 1]);
    match dice.below(4) {
        0 => format!("{}2=\"{}", &text[..begin - 1], &text[begin + 1..]),
        _ => format!("{}\"{}{}", &text[..begin], dice.of(&["NaN", "", "-1", "x", "1e999", "inf"]), &text[end..]),
    }
}

fn read(name: &str, text: &str) -> Result<Reading, String> {
    let source = Source { name: "file".to_owned(), bytes: text.as_bytes().to_vec(), ..Source::default() };
    Import::named(name).unwrap().read(&source).map_err(|fault| fault.to_string())
}

fn times(reading: &Reading) -> BTreeMap<String, f64> {
    let known = |made: ImportedCase| Some((made.measurement.variant.id, made.summary?.time.estimate));
    made(reading, "file").into_iter().filter_map(known).collect()
}

fn text_of(entry: &Value) -> String {
    entry.as_str().map_or_else(|| written(entry), str::to_owned)
}

#[test]
fn every_benchmark_of_a_damaged_file_is_stored_or_reported() {
    for format in FORMATS {
        let mut dice = Dice(0x5eed_0001 + format.name.len() as u64);
        for number in 0..files() {
            let mut entries: Vec<Value> = (0..ENTRIES).map(format.entry).collect();
            let mut whole: Vec<bool> = vec![true; ENTRIES];
            let mut texts: Vec<String> = entries.iter().map(text_of).collect();
            for _ in 0..=dice.below(4) {
                // The last stays as it is, so that there is one.
                let at = dice.below(texts.len() - 1);
                match dice.below(6) {
                    0 if texts.len() > 3 => {
                        entries.remove(at);
                        texts.remove(at);
                        whole.remove(at);
                    }
                    1 if !format.repeats => {
                        let (entry, text) = (entries[at].clone(), texts[at].clone());
                        entries.insert(at, entry);
                        texts.insert(at, text);
                        whole[at] = false;
                        whole.insert(at, false);
                    }
                    _ => {
                        match format.tear {
                            Some(tear) => texts[at] = tear(&texts[at], &mut dice),
                            None => {
                                // What is no object is no message of cargo's.
                                let own = entries[at].clone();
                                damage(&mut entries[at], &mut dice, number * 100 + at);
                                if format.name == "criterion-messages" && entries[at]["iteration_count"].is_null() {
                                    entries[at] = own;
                                }
                                texts[at] = written(&entries[at]);
                            }
                        }
                        whole[at] = false;
                    }
                }
            }
            let file = (format.file)(&texts);
            let shown = || format!("{} no. {number}:\n{file}", format.name);
            let reading = read(format.name, &file).unwrap_or_else(|refused| panic!("{refused}\n{}", shown()));
            let found = reading.cases.len() + usize::try_from(reading.left_out).unwrap();
            assert_eq!(found, texts.len(), "{}\n{:#?}", shown(), reading.notices);
            // What isn't stored with a time has a reason that is told.
            for case in &reading.cases {
                let why = case.failed.as_ref();
                let told = |why: &String| reading.notices.iter().any(|notice| notice.contains(why.as_str()));
                assert!(why.is_none_or(told), "{why:?} {:?}\n{}", reading.notices, shown());
            }
            // The others are what they are alone.
            let times = times(&reading);
            for (text, _) in texts.iter().zip(&whole).filter(|(_, whole)| **whole) {
                for (id, time) in self::times(&read(format.name, &(format.file)(std::slice::from_ref(text))).unwrap()) {
                    assert_eq!(times.get(&id), Some(&time), "{id}\n{}", shown());
                }
            }
        }
    }
}

#[test]
fn a_file_that_was_cut_off_is_refused_with_line_and_column_or_read_up_to_there() {
    for format in FORMATS {
        let mut dice = Dice(0x5eed_0002 + format.name.len() as u64);
        let texts: Vec<String> = (0..ENTRIES).map(|n| text_of(&(format.entry)(n))).collect();
        let file = (format.file)(&texts);
        let by_line = matches!(format.name, "gobench" | "wrk2" | "criterion-messages");
        for _ in 0..files() {
            let cut = &file[..1 + dice.below(file.len() - 1)];
            match read(format.name, cut) {
                Ok(reading) => {
                    let begun = (0..ENTRIES).filter(|n| cut.contains(&texts[*n][..texts[*n].len().min(44)])).count();
                    let found = reading.cases.len() + usize::try_from(reading.left_out).unwrap();
                    assert!(by_line && found >= begun, "{}: {found} of {begun}:\n{cut}", format.name);
                }
                Err(refused) if by_line => {
                    let whole = cut.contains(&texts[0]);
                    assert!(!whole, "{}: {refused}:\n{cut}", format.name);
                }
                Err(refused) => {
                    let place: Vec<&str> = refused.split(':').take(4).collect();
                    let is_number = |text: &str| text.parse::<u64>().is_ok();
                    let told = place.len() > 3 && place[0] == "file" && is_number(place[1]) && is_number(place[2]);
                    assert!(told, "{}: {refused}", format.name);
                }
            }
        }
    }
}

#[test]
fn a_file_of_one_benchmark_loses_what_is_damaged_alone() {
    let whole = json!({"summary": {"successRate": 1.0, "total": 2.0, "slowest": 0.05, "fastest": 0.001, "average": 0.002, "requestsPerSec": 50.5},
        "latencyPercentiles": {"p50": 0.0015, "p99": 0.005}, "statusCodeDistribution": {"200": 100, "500": 1}, "errorDistribution": {"timeout": 1}});
    let mut dice = Dice(0x5eed_0003);
    for number in 0..files() {
        let mut one = whole.clone();
        damage(&mut one, &mut dice, number);
        let text = written(&one);
        let reading = read("oha", &text).unwrap_or_else(|refused| panic!("{refused}\n{text}"));
        assert_eq!(reading.cases.len(), 1);
        let answers = &one["statusCodeDistribution"];
        if answers.is_object() && *answers != whole["statusCodeDistribution"] {
            // What the file says now may be that all failed.
            continue;
        }
        // A mean that stands as it was is the time.
        let mean = reading.cases[0].given.mean;
        assert!(one["summary"]["average"] != json!(0.002) || mean == Some(2e6), "{mean:?}\n{text}");
    }
}

#[test]
fn a_broken_line_of_a_histogram_log_costs_its_interval() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/hdr.hlog");
    let log = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    let is_interval = |line: &&&str| line.contains("HISTF");
    let all = lines.iter().filter(is_interval).count();
    let mut dice = Dice(0x5eed_0004);
    for _ in 0..files() {
        let at = loop {
            let at = dice.below(lines.len());
            if is_interval(&&lines[at]) {
                break at;
            }
        };
        let mut own: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let from = own[at].find("HISTF").unwrap();
        let to = from + dice.below(own[at].len() - from);
        own[at].truncate(to);
        let reading = read("hdr", &own.join("\n")).unwrap();
        if reading.left_out == 0 {
            // A checksum was cut off, and no value.
            assert_eq!(times(&reading), times(&read("hdr", &log).unwrap()), "{}", own[at]);
            continue;
        }
        assert_eq!((reading.cases.len(), reading.left_out), (2, 1), "{all} {:?}", reading.notices);
        let place = format!("line {}: ", at + 1);
        assert!(reading.notices.iter().any(|notice| notice.contains(&place)), "{place} {:?}", reading.notices);
    }
}
