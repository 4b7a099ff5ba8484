//! Every option of `tare load PATH`: it takes effect, or the report says once that it has none. A new option fails the test until it stands in
//! the table.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Dir, Finished};
use crate::load_options::options;

const SUITES: &str = "import tare\n\n\nclass Base:\n    @tare.operation(weight=1)\n    def get(self):\n        pass\n\n    \
    @tare.operation(weight=1)\n    def put(self):\n        pass\n\n\nclass Alpha(Base):\n    pass\n\n\nclass AlphaTwo(Base):\n    pass\n";

struct Ran {
    dir: Dir,
    finished: Finished,
    document: Value,
}

impl Ran {
    fn target(&self) -> &Value {
        &self.document["targets"][0]
    }

    fn count(&self, name: &str) -> u64 {
        let operations = self.target()["operations"].as_array().unwrap();
        operations
            .iter()
            .find(|operation| operation["name"] == name)
            .map_or(0, |found| found["count"].as_u64().unwrap())
    }

    fn has_written(&self, file: &str, what: &str) -> bool {
        std::fs::read_to_string(self.dir.path().join(file)).is_ok_and(|text| text.contains(what))
    }
}

type Effects = Vec<(&'static str, fn(&Ran) -> bool)>;

/// Options that are tested elsewhere, and where.
const ELSEWHERE: [(&str, &str); 9] = [
    ("--chart", "operations"),
    ("--verbose", "operations"),
    ("--no-wait", "hostile_runs"),
    ("--store", "stores"),
    ("--help", "usage"),
    ("--version", "usage"),
    // Refused below.
    ("--stages", "operation_options"),
    ("--for", "operation_options"),
    ("--timeout", "operation_options"),
];

const COUNTED: &str = "-w 2 -n 40 --mix get=3,put=1 --filter Alpha --exclude Two --runtime python3 --ramp 1ms --hdr load.hdr --html load.html \
    --control --seed 5 --margin 3% --fail-on failures=0% --tag mine --events events --json";

fn of_counted() -> Effects {
    vec![
        ("--workers", |ran| ran.target()["workers"] == 2),
        // As many for each worker.
        ("--operations", |ran| ran.count("get") + ran.count("put") == 80),
        ("--mix", |ran| (50..=70).contains(&ran.count("get")) && ran.count("put") >= 10),
        ("--filter", |ran| ran.document["targets"].as_array().unwrap().iter().all(|target| target["suite"] == "Alpha")),
        ("--exclude", |ran| ran.document["targets"].as_array().unwrap().len() == 1),
        ("--runtime", |ran| ran.target()["runtime"] == "python3"),
        ("--ramp", |ran| ran.has_written("load.html", "--ramp 1ms")),
        ("--hdr", |ran| ran.has_written("load.hdr", "HIST")),
        ("--html", |ran| ran.has_written("load.html", "<html")),
        ("--control", |ran| ran.document["controls"].as_array().is_some_and(|controls| !controls.is_empty())),
        ("--seed", |ran| ran.document["seed"] == 5),
        ("--margin", |ran| ran.document["controls"][0]["margin"] == 0.03),
        ("--fail-on", |ran| ran.finished.stderr.contains("exit status 0: no gate tripped")),
        ("--tag", |ran| ran.document["tags"] == json!(["mine"])),
        ("--json", |ran| ran.document["format"] == "tare.load"),
        ("--events", |ran| ran.dir.path().join("events").exists()),
    ]
}

const PACED: &str = "-w 2 --filter Base --rate 100 --arrivals poisson --duration 400ms --warm-up 0 --seed 5 --no-store --margin 3% --json";

fn of_paced() -> Effects {
    vec![
        ("--rate", |ran| ran.target()["rate"] == 100.0),
        ("--arrivals", |ran| ran.target()["arrivals"] == "poisson"),
        // About forty are due, and none in advance.
        ("--duration", |ran| (15..=80).contains(&(ran.count("get") + ran.count("put")))),
        ("--warm-up", |ran| (15..=80).contains(&(ran.count("get") + ran.count("put")))),
        ("--no-store", |ran| ran.document.get("run").is_none()),
        ("--margin", |ran| {
            ran.finished.stderr.matches("--margin has no effect: this load compares nothing").count() == 1
        }),
    ]
}

fn ran(asked: &str) -> Ran {
    let dir = Dir::new();
    dir.file("bench_suites.py", SUITES);
    let words: Vec<&str> = ["load", "bench_suites.py"].into_iter().chain(asked.split_whitespace()).collect();
    let finished = dir.tare(&words).finish(0);
    let document = finished.document().0;
    Ran { dir, finished, document }
}

#[test]
fn every_option_of_operations_takes_effect_or_is_told() {
    for (asked, effects) in [(COUNTED, of_counted()), (PACED, of_paced())] {
        let ran = ran(asked);
        for (option, is_so) in effects {
            assert!(is_so(&ran), "{option}\n{:#}\n{}", ran.document, ran.finished.stderr);
        }
    }
    let dir = Dir::new();
    dir.file(
        "bench_suites.py",
        SUITES.replace("pass\n\n\nclass Alpha", "__import__('time').sleep(60)\n\n\nclass Alpha").as_str(),
    );
    for of_stages in [["--stages", "3"], ["--for", "1s"]] {
        dir.tare(&[&["load", "bench_suites.py", "--rate", "5"], &of_stages[..]].concat())
            .finish(2)
            .says_once(&["--stages and --for go with a rate that grows"]);
    }
    let stuck =
        ["load", "bench_suites.py", "-w", "1", "-n", "1", "--mix", "put=1", "--filter", "Base", "--timeout", "300ms"];
    dir.tare(&stuck).finish(4);
}

#[test]
fn every_option_of_operations_is_in_the_table() {
    let all = [of_counted(), of_paced()].concat();
    let tested = all.iter().map(|(option, _)| *option).chain(ELSEWHERE.iter().map(|(option, _)| *option));
    let tested: BTreeSet<String> = tested.map(str::to_owned).collect();
    assert_eq!(options(&Dir::new().tare(&["load", "--help"]).finish(0)), tested);
}
