//! The same comparison, measured on several machines, judged over all of them.

use crate::harness::{Dir, Finished, simulated};

/// Three cases. `changed` is what `case1` takes beside its base; each machine's truth is its own.
fn truth(dir: &Dir, seed: u32, changed: f64) {
    let case = |name: &str, ns: f64| {
        format!("[[case]]\nname = \"{name}\"\ntime-ns = {ns}\nnoise = {{ model = \"gaussian\", spread = 0.001 }}\n")
    };
    let cases = [("base", 100.0), ("changed", changed), ("alike", 100.0)].map(|(name, ns)| case(name, ns)).concat();
    dir.file("truth.toml", &format!("seed = {seed}\n{cases}"));
}

/// What a machine measures into a store of its own.
fn measured(dir: &Dir, store: &str, more: &[&str]) -> Finished {
    let all = ["run", "truth.toml", "--runtime", &simulated(""), "--base", "base", "--samples", "3", "--launches", "8"];
    dir.tare(&[&all[..], &["--store", store], more].concat()).finish(0)
}

fn verdict(document: &serde_json::Value, candidate: &str) -> String {
    let comparisons = document["comparisons"].as_array().unwrap();
    let found = comparisons.iter().find(|one| one["candidate"].as_str().unwrap().contains(candidate)).unwrap();
    found["verdict"].as_str().unwrap().to_owned()
}

/// Sources lie in one place for all machines, and are the same text: the truth is changed in the store's own run only by its seed.
#[test]
fn machines_that_agree_give_one_verdict_and_each_of_them_is_shown() {
    let dir = Dir::new();
    truth(&dir, 1, 110.0);
    for (store, seed) in [("n1", "11"), ("n2", "12"), ("n3", "13")] {
        measured(&dir, store, &["--seed", seed]);
    }
    let pooled = dir.tare(&["merge", "--replicas", "n1", "n2", "n3", "--json"]).finish(0);
    let document = pooled.document().0;
    assert_eq!((verdict(&document, "changed"), verdict(&document, "alike")), ("slower".into(), "same".into()));
    let machines = &document["comparisons"][0]["machines"];
    let names: Vec<&str> =
        machines["each"].as_array().unwrap().iter().map(|one| one["machine"].as_str().unwrap()).collect();
    assert_eq!(names, ["n1", "n2", "n3"]);
    assert!(machines["kinds"][0]["ratio"]["estimate"].as_f64().unwrap() > 1.0);
    assert!(!dir.store().exists(), "nothing is stored");
    let shown = dir.tare(&["merge", "--replicas", "n1", "n2", "n3", "--fail-on", "slower"]).finish(1);
    shown.says_once(&["changed on each machine", "slower, over 3 machines", "3 machines measured this comparison"]);
    // A page has the table.
    dir.tare(&["merge", "--replicas", "n1", "n2", "n3", "--html", "all.html"]).finish(0);
    assert!(std::fs::read_to_string(dir.path().join("all.html")).unwrap().contains("On each machine"));
}

#[test]
fn what_are_no_replicas_is_refused() {
    let dir = Dir::new();
    truth(&dir, 1, 110.0);
    measured(&dir, "n1", &[]);
    measured(&dir, "wide", &["--margin", "3%"]);
    let refused = |stores: &[&str], says: &str| {
        dir.tare(&[&["merge", "--replicas"], stores].concat()).finish(2).says_once(&[says]);
    };
    refused(
        &["n1"],
        "--replicas needs complete runs of one comparison from two machines or more, and there is one in n1",
    );
    refused(&["n1", "wide"], "aren't the same comparison: the setting `margin` is 0.005 there and 0.03 here");
    truth(&dir, 1, 120.0);
    measured(&dir, "other", &[]);
    refused(&["n1", "other"], "aren't the same comparison: the content of the sources is");
    let run = ["run", "truth.toml", "--runtime", &simulated(""), "--samples", "3", "--launches", "6", "--store"];
    for store in ["alone1", "alone2"] {
        dir.tare(&[&run[..], &[store]].concat()).finish(0);
    }
    refused(&["alone1", "alone2"], "compares nothing: --replicas is for comparisons");
    dir.tare(&[&run[..], &["part", "--shard", "1/2"]].concat()).finish(0);
    refused(&["part", "n1"], "is a part of a suite (--shard), not the whole on one machine");
    dir.tare(&["merge", "--replicas", "n1", "wide", "--tag", "x"]).finish(2).says_once(&["cannot be used with"]);
    dir.tare(&["run", "truth.toml", "--replicate", "3"]).finish(2).says_once(&["required arguments were not provided"]);
}
