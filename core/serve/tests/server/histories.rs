//! Histories of cases, and changes of level in them.

use std::path::Path;

use tare_store::{Access, RunState, SqliteStore, Store};

use crate::{Server, origin, running};

/// A variant of this benchmark on this runtime.
pub(crate) fn variant(benchmark: &str, runtime: &str) -> tare_samples::Variant {
    tare_samples::Variant {
        id: format!("php/{benchmark}@{runtime}"),
        case: tare_samples::Case {
            index: 0,
            language: "php".into(),
            benchmark: benchmark.into(),
            prefix: String::new(),
            place: String::new(),
            parameters: Default::default(),
            file: "Sort.php".into(),
            line: 1,
            groups: vec![],
            settings: Default::default(),
        },
        runtime: tare_samples::Runtime {
            name: runtime.into(),
            language: "php".into(),
            version: "8.2".into(),
            command: Default::default(),
            correction: tare_samples::Correction::Serial,
            facts: Default::default(),
        },
        calls: tare_samples::Calls::Pilot,
        label: runtime.into(),
    }
}

/// As a run's start is kept, to the second.
fn at(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What is said of samples around this time, in nanoseconds.
pub(crate) fn summary(time: f64) -> tare_statistics::Summary {
    tare_statistics::Summary {
        time: tare_statistics::Estimate { estimate: time, low: time - 1.0, high: time + 1.0 },
        ..Default::default()
    }
}

/// A call of so many instructions, in two launches.
pub(crate) fn counted(each: f64, environment: tare_samples::CountEnvironment) -> tare_samples::CountedWork {
    let calls = [100, 200, 300];
    let launch = tare_samples::CountedLaunch {
        calls,
        subject: calls.map(|calls| 900 + (each * calls as f64) as u64),
        null_calls: [100, 300],
        ..Default::default()
    };
    let environment = Some(environment);
    tare_samples::CountedWork {
        launches: vec![launch; tare_statistics::work::MOST_SEEDS],
        environment,
        ..Default::default()
    }
}

/// Runs of one case at commits of their own, the first 1…1: the instructions of a call, where they were counted, on that version of the runtime.
fn stored_counts(folder: &Path, runs: &[(Option<f64>, &str)]) {
    let mut store = SqliteStore::open(folder.join(".tare/tare.db"), Access::ReadWrite).unwrap();
    for (number, (count, runtime)) in (0..).zip(runs) {
        let started = at(jiff::Timestamp::now() - jiff::SignedDuration::from_mins(60 - number));
        let origin = tare_samples::Origin {
            git: [("commit".to_owned(), (number + 1).to_string().repeat(40))].into(),
            ..origin(format!("20260101-{number:06}-abcd"), started)
        };
        store.begin_run(&origin, "{}").unwrap();
        let variant = variant("sort", "php");
        store.put_variant(&origin.id, 0, &variant).unwrap();
        let environment = tare_samples::CountEnvironment {
            tool: "valgrind-3.24.0".into(),
            runtime: (*runtime).into(),
            libraries: "00ff".into(),
        };
        let work = count.map(|count| counted(count, environment));
        store
            .put_calibration(&origin.id, &variant.id, &tare_samples::Calibration { work, ..Default::default() })
            .unwrap();
        store.put_outcome(&origin.id, &variant.id, &tare_samples::Outcome::Ok, Some(&summary(200.0))).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
}

#[test]
fn a_change_of_work_is_seen_with_its_first_run_and_another_runtime_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = ("8.3.1", "8.4.0");
    stored_counts(
        folder.path(),
        &[(Some(50_000.0), old), (Some(50_000.0), old), (None, old), (Some(50_250.0), old), (Some(41_000.0), new)],
    );
    let server = Server::of(folder.path());
    let history = document(&server, "/api/v1/history?case=php%2Fsort&runtime=php");
    let points = history["points"].as_array().unwrap();
    let of = |name: &str| points.iter().map(|point| point[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("work_change"), [false, false, false, true, false]);
    assert_eq!(of("instructions")[3]["estimate"], 50_250.0);
    assert!(of("instructions")[2].is_null());
    assert_eq!(of("recounted")[4], "runtime 8.4.0 after 8.3.1");
    assert!(of("recounted")[..4].iter().all(serde_json::Value::is_null), "{history:#}");
    for place in ["/api/v1/changes", "/api/v1/history?case=php%2Fsort&runtime=php"] {
        let found = document(&server, place);
        let changes = found["changes"].as_array().unwrap();
        assert_eq!(changes.len(), 1, "{found:#}");
        let change = &changes[0];
        assert_eq!((&change["of"], &change["run"]), (&"work".into(), &"20260101-000003-abcd".into()));
        assert_eq!((&change["from_instructions"], &change["to_instructions"]), (&50_000.0.into(), &50_250.0.into()));
        assert!(change["from_ns"].is_null() && change["confirmation"].is_null(), "{change:#}");
        let command = "tare compare 222222222222 444444444444 --filter '^sort$' --work";
        assert_eq!(change["confirm"], command);
    }
    let cases = document(&server, "/api/v1/cases");
    assert_eq!(
        (&cases["cases"][0]["instructions"]["estimate"], &cases["cases"][0]["change"]),
        (&41_000.0.into(), &serde_json::Value::Null)
    );
    assert_eq!(cases["cases"][0]["work_change"]["of"], "work");
    let page = server.get("/history?case=php%2Fsort&runtime=php").1;
    for text in [
        "<strong>+0.50 % work</strong>: from 50000 to 50250 instructions",
        "the only change of work in 4 counted runs",
        "</a>: <bdi>runtime 8.4.0 after 8.3.1</bdi>",
        "<table id=\"work-changes\"",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let (cases, feed) = (server.get("/cases").1, server.get("/feed.atom").1);
    // Of the new runtime there is one run, which is no line.
    assert!(cases.contains("+0.50 % work</a>") && cases.matches("<polyline").count() == 1, "{cases}");
    assert!(feed.contains(": +0.50 % work</title>") && feed.contains("from 50000 instructions to 50250"), "{feed}");
    // A history without counts says nothing of them.
    let other = tempfile::tempdir().unwrap();
    stored_counts(other.path(), &[(None, old), (None, old)]);
    let server = Server::of(other.path());
    let (cases, page) = (server.get("/cases").1, server.get("/history?case=php%2Fsort&runtime=php").1);
    assert!(!cases.contains("instructions") && !page.contains("Work"), "{page}");
}

#[test]
fn a_change_of_work_is_confirmed_by_the_sides_of_a_comparison() {
    for (of_base, result) in [(50_000.0, "confirmed"), (50_250.0, "refuted")] {
        let folder = tempfile::tempdir().unwrap();
        stored_counts(folder.path(), &[(Some(50_000.0), "8"), (Some(50_250.0), "8")]);
        let mut store = SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).unwrap();
        let origin = origin("20260101-000030-abcd".into(), at(jiff::Timestamp::now()));
        store.begin_run(&origin, "{}").unwrap();
        for (ordinal, (label, digit, count)) in (0..).zip([("HEAD~1", "1", of_base), ("HEAD", "2", 50_250.0)]) {
            let mut side = variant("sort", label);
            side.runtime.at_revision(digit.repeat(40), "php");
            let environment = tare_samples::CountEnvironment { runtime: "8".into(), ..Default::default() };
            let work = Some(counted(count, environment));
            store.put_variant(&origin.id, ordinal, &side).unwrap();
            store
                .put_calibration(&origin.id, &side.id, &tare_samples::Calibration { work, ..Default::default() })
                .unwrap();
            store.put_outcome(&origin.id, &side.id, &tare_samples::Outcome::Ok, Some(&summary(200.0))).unwrap();
        }
        store.finish_run(&origin.id, RunState::Complete).unwrap();
        let found = document(&Server::of(folder.path()), "/api/v1/changes");
        assert_eq!(found["changes"][0]["confirmation"]["result"], result, "{found:#}");
    }
}

/// Twelve runs at commit 1…1, and twelve at 2…2 that take a tenth more; then a comparison of both.
pub(crate) fn changed(folder: &Path, verdict: Option<tare_statistics::comparison::Verdict>) {
    changed_of(folder, 24, verdict);
}

/// The first so many of these runs.
fn changed_of(folder: &Path, runs: i64, verdict: Option<tare_statistics::comparison::Verdict>) {
    let commit = |digit: &str| digit.repeat(40);
    let path = folder.join(".tare/tare.db");
    let mut store = SqliteStore::open(path, Access::ReadWrite).unwrap();
    let now = jiff::Timestamp::now();
    let origin = |number: i64, commit: String| tare_samples::Origin {
        git: [("commit".to_owned(), commit)].into(),
        ..origin(format!("20260101-{number:06}-abcd"), at(now - jiff::SignedDuration::from_mins(60 - number)))
    };
    let variant = |runtime: &str| variant("sort", runtime);
    for number in 0..runs {
        let (digit, level) = if number < 12 { ("1", 200.0) } else { ("2", 220.0) };
        let origin = origin(number, commit(digit));
        store.begin_run(&origin, "{}").unwrap();
        store.put_variant(&origin.id, 0, &variant("php")).unwrap();
        let time = level + (number * 7 % 5) as f64 * 0.3;
        store.put_outcome(&origin.id, "php/sort@php", &tare_samples::Outcome::Ok, Some(&summary(time))).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    let Some(verdict) = verdict else { return };
    let origin = origin(30, commit("2"));
    store.begin_run(&origin, "{}").unwrap();
    for (ordinal, (label, digit, time)) in (0..).zip([("HEAD~1", "1", 201.0), ("HEAD", "2", 221.0)]) {
        let mut side = variant(label);
        side.runtime.at_revision(commit(digit), "php");
        store.put_variant(&origin.id, ordinal, &side).unwrap();
        store.put_outcome(&origin.id, &side.id, &tare_samples::Outcome::Ok, Some(&summary(time))).unwrap();
    }
    let said = tare_store::StoredComparison {
        base: "php/sort@HEAD~1".into(),
        candidate: "php/sort@HEAD".into(),
        kind: "live".into(),
        title: "sort".into(),
        base_label: "HEAD~1".into(),
        candidate_label: "HEAD".into(),
        comparison: serde_json::from_value(serde_json::json!({
            "ratio": { "estimate": 1.1, "low": 1.09, "high": 1.11 }, "confidence": 0.99, "verdict": verdict.name(), "margin": 0.005,
            "minimum_detectable_effect": 0.02, "pairs": 24, "flag": null, "confirmed": true, "warnings": [],
        }))
        .unwrap(),
        machine_code: None,
    };
    store.put_comparison(&origin.id, 0, &said).unwrap();
    store.finish_run(&origin.id, RunState::Complete).unwrap();
}

#[test]
fn a_change_shows_what_measures_it_and_what_that_said() {
    use tare_statistics::comparison::Verdict;
    let said = [
        (None, None, "tare compare"),
        (Some(Verdict::Slower), Some("confirmed"), "<strong>confirmed</strong>"),
        (Some(Verdict::Same), Some("refuted"), "<strong>refuted</strong>: it found no such difference"),
        (Some(Verdict::Faster), Some("refuted"), "<strong>refuted</strong>"),
        (Some(Verdict::Inconclusive), Some("undecided"), "<strong>undecided</strong>"),
    ];
    for (verdict, result, shown) in said {
        let folder = tempfile::tempdir().unwrap();
        changed(folder.path(), verdict);
        let server = Server::of(folder.path());
        let (_, answer) = server.get("/api/v1/changes");
        let document: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        let changes = document["changes"].as_array().unwrap();
        // An old commit that is measured once more is no return to what it took, and a side is no case of its own.
        assert_eq!((changes.len(), &document["cases"]), (1, &1.into()), "{document:#}");
        let (ones, twos) = ("1".repeat(40), "2".repeat(40));
        assert_eq!(changes[0]["confirm"], format!("tare compare {} {} --filter '^sort$'", &ones[..12], &twos[..12]));
        assert_eq!(changes[0]["confirmation"]["result"].as_str(), result, "{document:#}");
        let report = server.get("/runs/20260101-000000-abcd").1;
        assert!(report.contains("<header><nav aria-label=\"Pages\">"), "from a report to the other pages: {report}");
        for path in ["/changes", "/history?case=php%2Fsort&runtime=php"] {
            let page = server.get(path).1;
            assert!(page.contains(shown) && page.contains("tare compare 1111"), "{path}: {page}");
        }
    }
}

#[test]
fn of_histories_that_are_too_short_nothing_is_claimed() {
    let folder = tempfile::tempdir().unwrap();
    drop(running(folder.path(), "t"));
    let server = Server::of(folder.path());
    assert!(server.get("/changes").1.contains("No case was measured within seven days"));
    drop(server);
    let other = tempfile::tempdir().unwrap();
    changed(other.path(), None);
    let page = Server::of(other.path()).get("/changes").1;
    assert!(page.contains("1 of them has the 8 runs") && !page.contains("So few times can't show a change"), "{page}");
    // The same case with two runs.
    let few = tempfile::tempdir().unwrap();
    changed_of(few.path(), 2, None);
    let page = Server::of(few.path()).get("/changes").1;
    assert!(page.contains("0 of them have the 8 runs") && page.contains("So few times can't show a change"), "{page}");
}

/// Runs of one case that began so many hours ago and took so long.
fn stored_at(folder: &Path, runs: &[(i64, f64)]) {
    let mut store = SqliteStore::open(folder.join(".tare/tare.db"), Access::ReadWrite).unwrap();
    for (number, (hours, time)) in runs.iter().enumerate() {
        let started = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(*hours);
        let origin = origin(format!("20260101-{number:06}-abcd"), at(started));
        store.begin_run(&origin, "{}").unwrap();
        store.put_variant(&origin.id, 0, &variant("sort", "php")).unwrap();
        store.put_outcome(&origin.id, "php/sort@php", &tare_samples::Outcome::Ok, Some(&summary(*time))).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
}

fn changes_shown(folder: &Path) -> usize {
    let (_, answer) = Server::of(folder).get("/api/v1/changes");
    let document: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    document["changes"].as_array().unwrap().len()
}

#[test]
fn a_change_of_this_week_is_shown_however_many_runs_followed_and_however_seldom_they_come() {
    let time = |number: i64, level: f64| level + (number * 7 % 5) as f64 * 0.3;
    // Every half hour for a week and a day; two hundred runs reach back four days.
    let often: Vec<(i64, f64)> =
        (0..384).map(|number| (191 - number / 2, time(number, if number < 120 { 100.0 } else { 150.0 }))).collect();
    // Every third day: the new level has four runs, the first of them nine days ago.
    let seldom: Vec<(i64, f64)> =
        (0..20).map(|number| (72 * (19 - number), time(number, if number < 16 { 100.0 } else { 130.0 }))).collect();
    // The same, seen long ago.
    let earlier: Vec<(i64, f64)> =
        (0..20).map(|number| (72 * (19 - number), time(number, if number < 10 { 100.0 } else { 130.0 }))).collect();
    for (runs, shown) in [(often, 1), (seldom, 1), (earlier, 0)] {
        let folder = tempfile::tempdir().unwrap();
        stored_at(folder.path(), &runs);
        assert_eq!(changes_shown(folder.path()), shown, "{runs:?}");
    }
}

fn document(server: &Server, path: &str) -> serde_json::Value {
    serde_json::from_str(server.get(path).1.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

#[test]
fn a_slower_machine_and_other_numbers_of_calls_are_histories_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).unwrap();
    let machine = |cpu: &str| [("cpu", cpu), ("load", "0.1")].map(|(name, fact)| (name.to_owned(), fact.to_owned()));
    for number in 0..32 {
        // The second half was measured on another machine, where all takes longer.
        let (cpu, longer) = if number < 16 { ("Quick", 1.0) } else { ("Slow", 1.5) };
        let started = at(jiff::Timestamp::now() - jiff::SignedDuration::from_mins(60 - number));
        let origin = tare_samples::Origin {
            machine: machine(cpu).into(),
            ..origin(format!("20260101-{number:06}-abcd"), started)
        };
        store.begin_run(&origin, "{}").unwrap();
        // Of three numbers of calls one gets slower on the second machine.
        let changed = if number < 24 { 100.0 } else { 120.0 };
        for (ordinal, (calls, level)) in (0..).zip([("auto", 200.0), ("1 call", 400.0), ("500 calls", changed)]) {
            let mut variant = variant("sort", "php");
            variant.id = format!("php/sort*{calls}");
            let time = level * longer + (number * 7 % 5) as f64 * 0.3;
            store.put_variant(&origin.id, ordinal, &variant).unwrap();
            store.put_outcome(&origin.id, &variant.id, &tare_samples::Outcome::Ok, Some(&summary(time))).unwrap();
        }
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    let server = Server::of(folder.path());
    let news = document(&server, "/api/v1/changes");
    let changes = news["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{news:#}");
    assert_eq!(changes[0]["calls"], "500 calls");
    assert_eq!(changes[0]["run"], "20260101-000024-abcd");
    let history = document(&server, "/api/v1/history?case=php%2Fsort&runtime=php");
    let points = history["points"].as_array().unwrap();
    let kinds: std::collections::BTreeSet<&str> = points.iter().map(|point| point["kind"].as_str().unwrap()).collect();
    assert_eq!((points.len(), kinds.len()), (96, 6), "{kinds:?}");
    let page = server.get("/changes").1;
    let link = page.split("href=\"/history").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    let page = server.get(&format!("/history{link}")).1;
    assert!(page.contains("<strong>+19.9 %, slower</strong>") && page.contains("in 16 runs"), "{page}");
    assert_eq!(page.matches("<option").count(), 6, "{page}");
    assert!(page.contains(" selected>Slow; 500 calls<"), "{page}");
    // Without a choice that of the newest run is shown, and whatever is chosen the others can be.
    let page = server.get("/history?case=php%2Fsort&runtime=php&branch=&tag=").1;
    assert!(
        page.contains("In the times of 16 runs no change of level shows") && page.matches("<option").count() == 6,
        "{page}"
    );
}

#[test]
fn namesakes_in_two_go_packages_that_were_run_one_by_one_are_histories_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).unwrap();
    for number in 0..24 {
        let started = at(jiff::Timestamp::now() - jiff::SignedDuration::from_mins(60 - number));
        let origin = origin(format!("20260101-{number:06}-abcd"), started);
        store.begin_run(&origin, "{}").unwrap();
        let (place, time) = if number % 2 == 0 { ("codec", 200.0) } else { (".", 300.0) };
        let mut variant = variant("BenchmarkSort", "go");
        (variant.id, variant.case.language) = ("go/BenchmarkSort".into(), "go".into());
        variant.case.place = place.into();
        store.put_variant(&origin.id, 0, &variant).unwrap();
        store.put_outcome(&origin.id, &variant.id, &tare_samples::Outcome::Ok, Some(&summary(time))).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    let server = Server::of(folder.path());
    let history = document(&server, "/api/v1/history?case=go%2FBenchmarkSort&runtime=go");
    let points = history["points"].as_array().unwrap();
    let of = |of_codec: bool| {
        let is_own = |kind: &str| kind.contains("; package codec") == of_codec;
        let own = points.iter().filter(|point| is_own(point["kind"].as_str().unwrap()));
        own.map(|point| point["time_ns"]["estimate"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((of(true), of(false)), (vec![200.0; 12], vec![300.0; 12]), "{history:#}");
    // Addresses from before packages were told apart mean what their words still say.
    let kinds: std::collections::BTreeSet<&str> = points.iter().map(|point| point["kind"].as_str().unwrap()).collect();
    let plain = kinds.iter().find(|kind| !kind.contains("package")).unwrap().replace(' ', "%20").replace(';', "%3B");
    let path = format!("/api/v1/history?case=go%2FBenchmarkSort&runtime=go&kind={plain}");
    assert_eq!(document(&server, &path)["points"].as_array().unwrap().len(), 12);
}

#[test]
fn a_run_that_is_a_comparison_is_compared_by_what_was_judged_in_it() {
    let folder = tempfile::tempdir().unwrap();
    changed(folder.path(), Some(tare_statistics::comparison::Verdict::Slower));
    let server = Server::of(folder.path());
    let (run, comparison) = ("20260101-000003-abcd", "20260101-000030-abcd");
    for (base, candidate) in [(run, comparison), (comparison, run)] {
        let (status, page) = server.get(&format!("/compare?base={base}&candidate={candidate}"));
        assert!(status == 200 && page.contains(&format!("{comparison} (HEAD)")), "{page}");
        assert!(page.contains("is itself a comparison of revisions; of its sides HEAD"), "{page}");
        assert!(page.contains("<table id=\"rows\"") && !page.contains("Nothing could be compared"), "{page}");
    }
}

#[test]
fn the_list_of_runs_has_what_each_says() {
    let folder = tempfile::tempdir().unwrap();
    changed(folder.path(), Some(tare_statistics::comparison::Verdict::Slower));
    let server = Server::of(folder.path());
    let runs = document(&server, "/api/v1/runs");
    let answers: Vec<&str> =
        runs["runs"].as_array().unwrap().iter().map(|run| run["answer"].as_str().unwrap()).collect();
    assert_eq!(answers[..2], ["`sort` got slower by 10.0 %", "1 benchmark measured"]);
    let (_, page) = server.get("/");
    assert!(
        page.contains("<td data-head=\"what it says\"><code><bdi>sort</bdi></code> got slower by 10.0 %</td>"),
        "{page}"
    );
    assert!(!page.contains("complete"), "that a run is complete is no news: {page}");
}

#[test]
fn the_list_of_cases_begins_with_what_changed_last() {
    let folder = tempfile::tempdir().unwrap();
    changed(folder.path(), None);
    let mut store = SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).unwrap();
    for (number, benchmark) in [r"App\Bench::slow", r"App\Bench::once"].into_iter().enumerate() {
        let origin = origin(format!("20270101-00000{number}-abcd"), "2027-01-01T00:00:00Z".to_owned());
        let variant = variant(benchmark, "php");
        store.begin_run(&origin, "{}").unwrap();
        store.put_variant(&origin.id, 0, &variant).unwrap();
        let summary = summary(9_000.0 / (number as f64 + 1.0));
        store.put_outcome(&origin.id, &variant.id, &tare_samples::Outcome::Ok, Some(&summary)).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    drop(store);
    let server = Server::of(folder.path());
    let order = |path: &str| -> Vec<String> {
        let found = document(&server, path);
        found["cases"].as_array().unwrap().iter().map(|case| case["case"].as_str().unwrap().to_owned()).collect()
    };
    let (slow, once, sort) = (r"php/App\Bench::slow", r"php/App\Bench::once", "php/sort");
    assert_eq!(order("/api/v1/cases"), [sort, once, slow], "what changed, then by name");
    assert_eq!(order("/api/v1/cases?sort=name"), [once, slow, sort]);
    assert_eq!(order("/api/v1/cases?sort=time"), [slow, once, sort]);
    assert_eq!(order("/api/v1/cases?sort=newest")[2], sort);
    let cases = document(&server, "/api/v1/cases?words=sort");
    let case = &cases["cases"][0];
    let time = case["time_ns"]["estimate"].as_f64().unwrap();
    assert!((219.0..222.0).contains(&time) && case["change"]["to_ns"].as_f64() > Some(218.0), "{case:#}");
    let (_, page) = server.get("/cases?words=App&sort=time");
    // What both begin with is said once, and what changed has a line of its own.
    assert!(page.contains("2 cases of <bdi>App\\Bench</bdi>") && page.contains("<bdi>slow</bdi>"), "{page}");
    assert!(page.contains("newest time ↓") && page.contains("9.0000 µs ± 0.0010"), "{page}");
    let (_, page) = server.get("/cases");
    assert!(page.contains("<polyline") && page.contains(" %, slower</a>, "), "{page}");
    assert_eq!(page.matches("<polyline").count(), 1, "one run is no line: {page}");
}
