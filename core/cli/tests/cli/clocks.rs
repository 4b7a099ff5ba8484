//! `tare clock` with runtimes that are there, that aren't, and that misbehave.

use serde_json::{Value, json};

use crate::harness::{Dir, assert_failure};

const WORKER: &str = include_str!("../fixtures/clock_worker.py");

/// `--runtime` for the made-up worker that does `wrong`.
fn made_up(wrong: &str) -> String {
    format!("{wrong}=worker:python3 clock_worker.py {wrong}")
}

fn with_worker() -> Dir {
    let dir = Dir::new();
    dir.file("clock_worker.py", WORKER);
    dir
}

fn rows<'a>(document: &'a Value, key: &str, runtime: &str) -> Vec<&'a Value> {
    document[key].as_array().unwrap().iter().filter(|row| row["runtime"] == runtime).collect()
}

#[test]
fn clocks_and_waits_are_measured() {
    let dir = with_worker();
    let runtime = made_up("good");
    let finished = dir.tare(&["clock", "--json", "--runtime", &runtime]).finish(0);
    let document = finished.document().0;
    assert_eq!((&document["format"], &document["version"]), (&json!("tare.clock"), &json!(1)));
    let native = rows(&document, "clocks", "native");
    let names: Vec<&str> = native.iter().map(|row| row["clock"].as_str().unwrap()).collect();
    for name in ["monotonic", "monotonic_raw", "realtime", "process_cputime", "gettimeofday", "tsc"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for row in native.iter().filter(|row| row["status"] == "ok") {
        for key in ["min", "median", "p99"] {
            assert!(row["read_ns"][key].is_f64() && row["back_to_back_ns"][key].is_f64(), "{row:#}");
        }
        assert!(row["backward_steps"].is_u64() && row["stalled_reads"].is_u64(), "{row:#}");
        // A figure, or plainly none; what isn't known says why.
        assert!(row["rate_ppm"].is_f64() || row["rate_ppm"].is_null(), "{row:#}");
        assert!(row["system_call"].is_boolean() || row["system_call_unknown"].is_string(), "{row:#}");
    }
    let cpu = native.iter().find(|row| row["clock"] == "process_cputime").unwrap();
    assert!(cpu["rate_ppm"].is_null(), "CPU time has no rate: {cpu:#}");

    let made_up = rows(&document, "clocks", "good");
    assert_eq!(made_up.len(), 1);
    assert_eq!(made_up[0]["step_ns"], json!(4e6));
    assert_eq!(made_up[0]["read_ns"], json!({"min": 500.0, "median": 500.0, "p99": 500.0}));
    assert_eq!(made_up[0]["findings"], json!(["coarse"]));
    assert_eq!(made_up[0]["rate_ppm"], Value::Null, "it doesn't follow real time");

    let sleeps = |runtime| -> Vec<i64> {
        let waits = rows(&document, "waits", runtime).into_iter();
        waits.filter(|row| row["call"] == "sleep").map(|row| row["requested_ns"].as_i64().unwrap()).collect()
    };
    let asked = [-1, 0, 1, 1_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];
    assert_eq!((sleeps("native"), sleeps("good")), (asked.to_vec(), asked.to_vec()));
    let waits = rows(&document, "waits", "good");
    assert_eq!(waits[0]["call"], "yield");
    assert_eq!(
        (&waits[1]["status"], &waits[1]["reason"]),
        (&json!("unavailable"), &json!("no time\u{1b}[31m runs back"))
    );
    assert_eq!(waits[4]["taken_ns"], json!({"min": 51_000.0, "median": 51_000.0, "p99": 51_000.0}));
}

#[test]
fn a_runtime_that_fails_is_a_row_and_the_rest_goes_on() {
    let dir = with_worker();
    let wrong = ["exits", "old", "later-wire", "too-few", "negative", "fractions", "dies"];
    let mut arguments = vec!["clock", "--json", "--timeout", "1m", "--runtime", "gone=php:./not-there"];
    let runtimes: Vec<String> = wrong.iter().map(|wrong| made_up(wrong)).collect();
    for runtime in &runtimes {
        arguments.extend(["--runtime", runtime]);
    }
    arguments.extend(["--runtime", "compiler=cpp:false"]);
    let good = made_up("good");
    arguments.extend(["--runtime", &good]);
    let document = dir.tare(&arguments).finish(4).document().0;
    let failure = |name: &str| {
        let found = document["runtimes"].as_array().unwrap().iter().find(|of| of["name"] == name).unwrap();
        assert_eq!(found["status"], "failed", "{found:#}");
        found["failure"].clone()
    };
    for (name, kind, message) in [
        ("gone", "runtime", "there is no program"),
        ("exits", "exit", "first message (hello)"),
        ("old", "protocol", "doesn't have the capability `clocks`"),
        ("later-wire", "protocol", "version 9"),
        ("too-few", "protocol", "sent"),
        ("negative", "protocol", "`blocks` must be"),
        ("fractions", "protocol", "`values` must be"),
        ("dies", "exit", "ended with status 3"),
        ("compiler", "runtime", "can't compile"),
    ] {
        assert_failure(&failure(name), &json!({"kind": kind, "message": message}));
    }
    assert_failure(&failure("exits"), &json!({"stderr": "no such runtime here"}));
    for name in ["native", "good"] {
        assert!(!rows(&document, "clocks", name).is_empty() && !rows(&document, "waits", name).is_empty());
    }
    // What isn't known isn't made up.
    assert_eq!(rows(&document, "clocks", "negative").len() + rows(&document, "waits", "negative").len(), 0);
}

#[test]
fn a_runtime_that_hangs_is_given_up() {
    let dir = with_worker();
    let runtimes = ["never-hello", "hangs", "good"].map(made_up);
    let mut arguments = vec!["clock", "--json", "--timeout", "5s"];
    for runtime in &runtimes {
        arguments.extend(["--runtime", runtime]);
    }
    let document = dir.tare(&arguments).finish(4).document().0;
    let of =
        |name: &str| document["runtimes"].as_array().unwrap().iter().find(|of| of["name"] == name).unwrap().clone();
    assert_failure(
        &of("never-hello")["failure"],
        &json!({"kind": "timeout", "message": "first message (hello): no answer"}),
    );
    assert_failure(&of("hangs")["failure"], &json!({"kind": "timeout", "message": "no answer within 5 s"}));
    assert_eq!(of("good")["status"], "ok");
}

#[test]
fn a_runtime_that_can_not_be_followed_is_measured_all_the_same() {
    let dir = with_worker();
    let runtime = made_up("hangs-when-followed");
    let finished = dir.tare(&["clock", "--timeout", "5s", "--json", "--runtime", &runtime]).finish(0);
    let document = finished.document().0;
    let row = rows(&document, "clocks", "hangs-when-followed")[0];
    assert_eq!((&row["system_call"], &row["step_ns"]), (&Value::Null, &json!(4e6)));
    assert!(row["system_call_unknown"].as_str().unwrap().contains("no answer"), "{row:#}");
}

#[test]
fn of_a_worker_that_could_not_be_followed_no_system_call_is_denied() {
    let dir = with_worker();
    let (here, elsewhere) = (made_up("good"), made_up("elsewhere"));
    let finished = dir.tare(&["clock", "--json", "--runtime", &here, "--runtime", &elsewhere]).finish(0);
    let document = finished.document().0;
    assert_eq!(rows(&document, "clocks", "good")[0]["system_call"], json!(false));
    let row = rows(&document, "clocks", "elsewhere")[0];
    assert_eq!((&row["system_call"], &row["step_ns"]), (&Value::Null, &json!(4e6)));
    assert!(row["system_call_unknown"].as_str().unwrap().contains("another one is the worker"), "{row:#}");
}

#[test]
fn nothing_is_left_of_a_process_that_is_followed() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let dir = with_worker();
        let mark = dir.path().join("followed");
        let runtime = format!("x=worker:python3 clock_worker.py hangs-when-followed {}", mark.display());
        let running = dir.tare(&["clock", "--timeout", "1h", "--runtime", &runtime]).start();
        dir.wait_until("the worker is followed", || mark.exists());
        running.signal(signal);
        if signal == rustix::process::Signal::INT {
            // The first one lets what is under way end, which this never does.
            std::thread::sleep(std::time::Duration::from_millis(50));
            running.signal(signal);
        }
        running.wait();
        dir.assert_no_process_is_left();
    }
}

#[test]
fn an_interruption_shows_what_was_ready_and_says_so() {
    let dir = with_worker();
    let mark = dir.path().join("followed");
    let arguments = ["clock", "--timeout", "5s", "--runtime"];
    let runtime = format!("x=worker:python3 clock_worker.py hangs-when-followed {}", mark.display());
    for json in [false, true] {
        let _ = std::fs::remove_file(&mark);
        let more: &[&str] = if json { &["--json"] } else { &[] };
        let running = dir.tare(&[&arguments[..], &[&runtime], more].concat()).start();
        // By then clocks and waits are measured; following never ends by itself.
        dir.wait_until("the worker is followed", || mark.exists());
        running.signal(rustix::process::Signal::INT);
        let finished = running.wait();
        assert_eq!(finished.status, Some(130), "{finished}");
        if json {
            let document = finished.document().0;
            assert_eq!(document["interrupted"], json!(true));
            let of = |name: &str| {
                document["runtimes"].as_array().unwrap().iter().find(|of| of["name"] == name).unwrap().clone()
            };
            assert_eq!((&of("native")["status"], &of("x")["status"]), (&json!("interrupted"), &json!("interrupted")));
            assert!(!rows(&document, "clocks", "x").is_empty() && !rows(&document, "waits", "native").is_empty());
            assert!(
                rows(&document, "clocks", "native").iter().all(|row| row["rate_ppm"].is_null()),
                "it wasn't followed to its end"
            );
        } else {
            finished.says_once(&["interrupted: native, x the report shows only what was ready by then"]);
        }
        dir.assert_no_process_is_left();
    }
}

#[test]
fn runtimes_of_the_project_are_looked_at() {
    let dir = with_worker();
    dir.file("tare.toml", "[runtime.mine]\nlanguage = \"worker\"\ncommand = \"python3 clock_worker.py good\"\n");
    let document = dir.tare(&["clock", "--json", "--runtime", "mine"]).finish(0).document().0;
    assert_eq!(rows(&document, "clocks", "mine").len(), 1);
    assert_eq!(document["runtimes"].as_array().unwrap().len(), 2, "those that are named, and no others");
}

#[test]
fn the_table_shows_what_was_refused_and_no_control_characters() {
    let dir = with_worker();
    let (good, exits) = (made_up("good"), made_up("exits"));
    let finished = dir.tare(&["clock", "--runtime", &good, "--runtime", &exits]).finish(4);
    finished.says_once(&[
        "coarse: good steps moves in steps of 4 ms",
        "good sleep -1 ns: not available: no time\\u{1b}[31m runs back",
        "exits failed: the worker didn't send its first message (hello)",
        "no such runtime here",
    ]);
}

#[test]
fn wrong_usage_is_told_before_anything_is_measured() {
    let dir = Dir::new();
    for (arguments, said) in [
        (["--runtime", "./thing"], "the language of `./thing` is unknown from its name"),
        (["--runtime", "native=php"], "is the name of the system's own clocks"),
        (["--runtime", "x=pph:php"], "there is no language `pph`"),
        (["--cpus", "9999"], "--cpus"),
        (["--cpus", "x"], "--cpus"),
        (["--timeout", "soon"], "soon"),
    ] {
        let finished = dir.tare(&["clock", arguments[0], arguments[1]]).finish(2);
        assert!(finished.stderr.contains(said), "{finished}");
    }
}

/// Whether the costs agree is for a quiet machine to say; here, that every clock is compared, and that a disagreement counts.
#[test]
fn the_script_that_compares_with_a_loop_in_c_compares_every_clock() {
    let dir = Dir::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/clock-agreement");
    let compared = |margin: &str| {
        let mut command = std::process::Command::new("python3");
        command.arg(script).args(["--turns", "1", "--margin", margin, "--tare", env!("CARGO_BIN_EXE_tare")]);
        command.env("TARE_LOCK", dir.lock()).output().unwrap()
    };
    let output = compared("1e9");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    for clock in ["gettimeofday", "monotonic", "monotonic_coarse", "process_cputime"] {
        let line = said.lines().find(|line| line.split(' ').next() == Some(clock));
        assert!(line.is_some_and(|line| line.contains("tare") && line.contains("ns")), "{clock} in {said}");
    }
    assert_eq!(compared("0").status.code(), Some(1));
}
