//! Cases that are measured at once, and one budget for them all.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use serde_json::Value;

use crate::harness::Dir;

/// Four methods, on two runtimes that are the same.
fn suite(dir: &Dir) -> [&'static str; 4] {
    dir.php(
        "SumBench",
        "    public function benchOne(): void { md5('x'); }
    public function benchTwo(): void { sha1('x'); }
    public function benchThree(): void { crc32('x'); }
    public function benchFour(): void { strrev('x'); }",
    );
    ["--runtime", "a=php", "--runtime", "b=php"]
}

fn cpus() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn lanes_measure_at_once_and_every_case_as_often_as_on_one() {
    if cpus() < 2 {
        eprintln!("skipped: there is one CPU");
        return;
    }
    let dir = Dir::new();
    let runtimes = suite(&dir);
    let run = |lanes: &str| {
        let arguments =
            [&runtimes[..], &["--launches", "3", "--lanes", lanes, "--seed", "5", "--events", "events"]].concat();
        let _ = fs::remove_file(dir.path().join("events"));
        let document = dir.tare(&[&["run", "--samples", "2", "--json"], &arguments[..]].concat()).finish(0).document();
        let events = fs::read_to_string(dir.path().join("events")).unwrap();
        let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (document.0, events)
    };
    for (lanes, said) in [("1", "1, as asked for"), ("2", "2, as asked for")] {
        let (document, events) = run(lanes);
        assert_eq!(document["machine"]["lanes"], said, "{:#}", document["machine"]);
        let launches: Vec<&Value> =
            document["cases"].as_array().unwrap().iter().map(|case| &case["launches"]).collect();
        // What noise makes look different is measured once more: thirty launches at the most.
        let first = |launches: &&Value| launches.as_u64().is_some_and(|launches| launches % 30 == 3);
        assert!(launches.len() == 8 && launches.iter().all(first), "{lanes} lanes: {launches:?}");
        let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
        let seen: BTreeSet<u64> = of("progress").iter().map(|event| event["lane"].as_u64().unwrap()).collect();
        assert_eq!(seen, (0..lanes.parse().unwrap()).collect(), "each lane measures something");
        let rows: BTreeSet<&str> = of("rows")
            .iter()
            .flat_map(|event| event["rows"].as_array().unwrap())
            .map(|row| row["name"].as_str().unwrap())
            .collect();
        let all = ["SumBench::benchOne", "SumBench::benchTwo", "SumBench::benchThree", "SumBench::benchFour"];
        assert_eq!(rows, all.into(), "{lanes} lanes");
        // The first row doesn't wait for the last case.
        let at = |kind: &str| events.iter().position(|event| event["event"] == kind).unwrap();
        let last = events.iter().rposition(|event| event["event"] == "launched").unwrap();
        assert!(at("rows") < last, "{events:?}");
        assert_eq!(dir.stored().0["machine"]["lanes"], said, "it is stored");
    }
}

#[test]
fn by_itself_a_comparison_of_several_cases_has_several_lanes_and_a_run_has_one() {
    let dir = Dir::new();
    let runtimes = suite(&dir);
    let document = dir.run(&[&runtimes[..], &["--json"]].concat()).finish(0).document().0;
    let said = document["machine"]["lanes"].as_str();
    let told = said.is_some_and(|said| said.starts_with(|first: char| first.is_ascii_digit()));
    assert_eq!(told, cpus() > 1, "{said:?}");
    // One case, one lane, and nothing to look for; and times of a run are absolute.
    for arguments in [&["--filter", "One", "--runtime", "a=php", "--runtime", "b=php"][..], &["--runtime", "a=php"]] {
        let document = dir.run(&[arguments, &["--json"]].concat()).finish(0).document().0;
        assert!(document["machine"].get("lanes").is_none(), "{:#}", document["machine"]);
    }
}

#[test]
fn what_can_not_be_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    suite(&dir);
    for (arguments, message) in [
        (&["--lanes", "0"][..], "a number from 1 on, or auto"),
        (&["--lanes", "many"], "a number from 1 on, or auto"),
        (&["--lanes", "1000"], "--lanes 1000: each lane has a core of its own"),
        (&["--lanes", "2", "--cpus", "0"], "--cpus names 1 of one kind"),
        (&["--total", "1s"], "--total is for comparisons, and this run has none"),
        (&["--total", "0s"], "it is 0; write a length of time above it"),
        (&["--total", "1s", "--budget", "1s"], "cannot be used with"),
    ] {
        let shown = dir.tare(&[&["run", "SumBench.php"], arguments].concat()).finish(2);
        shown.says_once(&[message]).never_says(&["launch", "panicked"]);
    }
}

#[test]
fn what_a_total_does_not_pay_for_is_reported_and_the_rest_is_measured() {
    let dir = Dir::new();
    let runtimes = suite(&dir);
    // A pilot and six launches of PHP take longer than the first; how far the second goes is the machine's affair.
    for (total, least, status) in [("100ms", 4, 4), ("8s", 0, 0)] {
        let document =
            dir.tare(&[&["run", "--total", total, "--json"], &runtimes[..]].concat()).finish(status).document().0;
        let pairs = document["comparisons"].as_array().unwrap().iter().map(|pair| pair["pairs"].as_u64().unwrap());
        let measured = pairs.filter(|&pairs| pairs > 0).inspect(|&pairs| assert!(pairs >= 6, "{document:#}")).count();
        let left_out = (0..=4)
            .rev()
            .find(|out| document["notices"].to_string().contains(&format!("{out} of 4 benchmarks weren't measured")))
            .unwrap_or(0);
        assert_eq!(measured + left_out, 4, "{document:#}");
        assert!(left_out >= least, "--total {total}: {document:#}");
        assert!(measured > 0 || document["cases"].as_array().is_none_or(Vec::is_empty), "{document:#}");
    }
}
