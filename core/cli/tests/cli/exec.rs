//! `tare exec`: which commands there are, what is compared with what, and what goes wrong.

use std::collections::BTreeMap;

use crate::harness::{Dir, has_valgrind};
use crate::unchanged::found;

const SHORT: [&str; 3] = ["--budget", "200ms", "--json"];

#[test]
fn commands_take_turns_against_the_first_or_the_one_that_is_named() {
    let dir = Dir::new();
    let commands = ["true 1", "true 2", "true 2"];
    for (base, pairs) in [
        (&[][..], [["true 2", "true 1", "true 2"], ["true 2 (2)", "true 1", "true 2 (2)"]]),
        (&["--base", "true 2"], [["true 1", "true 2", "true 1"], ["true 2 (2)", "true 2", "true 2 (2)"]]),
    ] {
        let document = dir.tare(&[&["exec"], &commands[..], base, &SHORT].concat()).finish(0).document();
        assert_eq!(document.compared(), pairs);
    }
}

#[test]
fn gates_of_benchmarks_judge_no_commands() {
    let dir = Dir::new();
    dir.file("tare.toml", "[compare]\nfail-on = [\"slower=5%\", \"inconclusive\"]\n");
    let document = dir.tare(&[&["exec", "true", "sleep 0.02"], &SHORT[..]].concat()).finish(0).document();
    assert_eq!(document.compared(), [["sleep 0.02", "true", "sleep 0.02"]]);
    assert!(document.0["gates"].as_array().is_none_or(Vec::is_empty), "{:#}", document.0["gates"]);
}

#[test]
fn a_command_that_fails_is_told_and_the_others_go_on() {
    let dir = Dir::new();
    let commands = ["true", "sh -c 'echo why >&2; exit 1'", "true 2"];
    let document = dir.tare(&[&["exec"], &commands[..], &SHORT].concat()).finish(4).document();
    assert_eq!(document.compared(), [["true 2", "true", "true 2"]]);
    let text = document.0.to_string();
    assert!(text.contains("the command ended with status 1: why"), "{text}");
}

#[test]
fn hooks_stand_where_they_belong() {
    let dir = Dir::new();
    let hooks = [
        "--setup",
        "echo setup >> log",
        "--prepare",
        "echo prepare >> log",
        "--conclude",
        "echo conclude >> log",
        "--cleanup",
        "echo cleanup >> log",
    ];
    dir.tare(&[&["exec", "sh -c 'echo {x} >> log'", "-L", "x=run", "--runs", "6"], &hooks[..], &SHORT[2..]].concat())
        .finish(0);
    let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!((lines.first(), lines.last()), (Some(&"setup"), Some(&"cleanup")));
    let between = &lines[1..lines.len() - 1];
    assert!(between.len() >= 18, "{log}");
    for (at, line) in between.iter().enumerate() {
        assert_eq!(*line, ["prepare", "run", "conclude"][at % 3], "{log}");
    }
}

#[test]
fn what_is_no_command_is_refused_before_anything_runs() {
    let dir = Dir::new();
    for (arguments, says) in [
        (&[""][..], "a command is empty"),
        (&["echo 'a"], "a quote in `echo 'a` isn't closed"),
        (&["true", "-L", "x=1"], "no command has the parameter `x`"),
        (&["true", "nowhere-to-be-found"], "there is no program `nowhere-to-be-found`"),
        (&["true", "LC_ALL=C sort"], "a variable is set by `env` before the command"),
        (&["true", "/tmp"], "`/tmp` is a folder"),
        (&["true", "-r", "10"], "-r is hyperfine's option and not one of Tare's: write --runs N"),
        (&["true", "--base", "false"], "--base false is none of these commands; name one of `true`"),
        (&["true", "false", "--setup", "touch ran", "--setup", "true", "--setup", "true"], "--setup is given 3 times"),
        (&["true", "--launches", "7"], "--launches is for benchmarks"),
        (&["true", "--input", "nowhere"], "--input nowhere: No such file"),
        (&["true", "--ignore-failure=x"], "is no list of statuses"),
    ] {
        dir.tare(&[&["exec"], arguments].concat()).finish(2).says_once(&[says]);
    }
    assert!(!dir.path().join("ran").exists());
}

#[test]
fn a_second_ctrl_c_leaves_no_command_behind() {
    let dir = Dir::new();
    dir.file("long.sh", "echo > begun\nexec sleep 600\n");
    let running = dir.tare(&["exec", "sh long.sh"]).start();
    dir.wait_until("the command has begun", || dir.path().join("begun").exists());
    running.signal(rustix::process::Signal::INT);
    // Each is told to the program as a signal of its own.
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    dir.assert_no_process_is_left();
}

#[test]
fn commands_that_differ_where_their_names_are_cut_are_told_apart() {
    let dir = Dir::new();
    let commands = ["true -1 -c big.txt", "true -6 -c big.txt"];
    let report = dir.tare(&[&["exec"], &commands[..], &SHORT[..2]].concat()).finish(0);
    report.says_once(&["true -6 -c big.txt against true -1 -c big.txt", " base candidate change (99 %) "]);
}

#[test]
fn what_commands_take_beside_time_is_compared() {
    let dir = Dir::new();
    let commands = ["dd if=/dev/zero of=/dev/null count=1 bs=32M", "dd if=/dev/zero of=/dev/null count=1 bs=48M"];
    let options = ["--runs", "6", "--json"];
    let document = dir.tare(&[&["exec"], &commands[..], &options].concat()).finish(0).document();
    let metrics = document.0["comparisons"][0]["metrics"].as_array().unwrap();
    let of =
        |name: &str| metrics.iter().find(|metric| metric["name"] == name).unwrap_or_else(|| panic!("{metrics:#?}"));
    let peak = of("peak_bytes");
    assert_eq!((&peak["verdict"], &of("page_faults")["verdict"]), (&"more".into(), &"more".into()), "{metrics:#?}");
    assert!(of("cpu_ns")["base"].as_f64().is_some_and(|ns| ns > 1e5), "{metrics:#?}");
    let [base, candidate] = ["base", "candidate"].map(|side| peak[side].as_f64().unwrap());
    assert!((candidate - base - f64::from(16 << 20)).abs() < 1e6, "{peak:#}");
    let report = dir.tare(&[&["exec"], &commands[..], &options[..2]].concat()).finish(0);
    report.says_once(&["beside time intervals of 99."]);
}

/// Time says nothing of one in a thousand on a busy machine; instructions do, of all processes that a command starts.
#[test]
fn what_commands_execute_is_counted_and_may_fail_a_gate() {
    if !has_valgrind() {
        return;
    }
    let dir = Dir::new();
    dir.file("few.txt", &"a line of words\n".repeat(1000)).file("more.txt", &"a line of words\n".repeat(1100));
    let asked =
        ["exec", "sh -c 'cat few.txt | wc -w'", "sh -c 'cat more.txt | wc -w'", "sh -c 'cat few.txt | wc -w; '"];
    let options = ["--runs", "6", "--work", "--fail-on", "work=0.01%", "--json"];
    let document = dir.tare(&[&asked[..], &options].concat()).finish(1).document();
    let work: Vec<&serde_json::Value> =
        document.0["comparisons"].as_array().unwrap().iter().map(|pair| &pair["work"]).collect();
    assert_eq!([&work[0]["verdict"], &work[1]["verdict"]], ["more", "equal"], "{work:#?}");
    assert!(work.iter().all(|work| work["base"].as_f64().is_some_and(|count| count > 100_000.0)), "{work:#?}");
    assert!(
        work.iter().all(|work| work["system_calls"]["base"].as_f64().is_some_and(|count| count > 20.0)),
        "{work:#?}"
    );
    assert_eq!(work[1]["system_calls"]["differs"], false, "{work:#?}");
}

#[test]
fn what_commands_write_is_shown_where_that_is_asked_for() {
    let dir = Dir::new();
    let shown = dir.tare(&["exec", "echo seen", "--runs", "6", "--output", "inherit"]).finish(0);
    assert!(shown.stdout.lines().filter(|line| *line == "seen").count() >= 6, "{shown}");
    dir.tare(&["exec", "echo seen", "--runs", "6"]).finish(0).never_says(&["seen seen"]);
}

#[test]
fn hyperfines_scripts_read_what_is_exported() {
    let dir = Dir::new();
    let of = |file| dir.tare(&["exec", "sleep {n}", "-L", "n=0.01,0.02", "--runs", "6", "--export-hyperfine", file]);
    of("no/such").finish(2).says_once(&["--export-hyperfine no/such: No such file"]);
    of("times.json").finish(0);
    let text = std::fs::read_to_string(dir.path().join("times.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let results = document["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|result| &result["command"]).collect::<Vec<_>>(), ["sleep 0.01", "sleep 0.02"]);
    for (result, n) in results.iter().zip(["0.01", "0.02"]) {
        assert!(result["times"].as_array().is_some_and(|times| times.len() >= 6), "{text}");
        assert!(result["user"].is_number() && result["system"].is_number(), "{text}");
        assert_eq!(result["parameters"]["n"], n);
    }
}

#[test]
fn what_an_interpreter_asks_for_at_its_start_takes_no_proof_away() {
    const COMMANDS: &str = "[[command]]\nname = \"hashes\"\ncommand = \"env PYTHONHASHSEED=random python3 -S one.py\"\n\
        [[command]]\nname = \"draws\"\ncommand = \"python3 -S draws.py\"\n\
        [[command]]\nname = \"draws another's\"\ncommand = \"sh -c 'cat $(shuf -n1 -e a a a a a a a b)'\"\n";
    let dir = Dir::repository();
    dir.file("tare.toml", COMMANDS).file("one.py", "print({'a', 'b'})").file("a", "1").file("b", "1");
    dir.file("draws.py", "import os; open('a' if os.urandom(1)[0] < 240 else 'b')").commit("one");
    dir.file("b", "2").commit("two");
    let Some(found) = found(&dir, "HEAD~1", "HEAD", "tare.toml") else { return };
    assert_eq!(found["commands#hashes"], "unchanged files");
    // By chance the other file was read, which differs.
    for name in ["draws", "draws another's"] {
        assert_ne!(found[&format!("commands#{name}")], "unchanged files");
    }
}

#[test]
fn a_project_names_commands_which_its_revisions_run() {
    const COMMANDS: &str = "[run]\nbudget = \"200ms\"\n[[command]]\nname = \"read {of}\"\ncommand = \"cat {of}.txt\"\n\
        parameters = { of = [\"a\", \"b\"] }\n\
        [[command]]\nname = \"write {to}\"\ncommand = \"sh -c 'echo x >> {to}'\"\nparameters = { to = [\"c\", \"d\"] }\n";
    let dir = Dir::repository();
    dir.file("tare.toml", COMMANDS).file("a.txt", "1").file("b.txt", "1").commit("one");
    // Of what a command makes, the look can't tell whether a commit has it: earlier runs have left it there.
    dir.file("b.txt", "2").file("d", "x\n").commit("two");
    let document = dir.tare(&["run", "--json"]).finish(0).document();
    assert_eq!(document.cases().len(), 4);
    let misspelt = COMMANDS.replace("parameters", "parameter");
    dir.file("tare.toml", &misspelt);
    dir.tare(&["list"]).finish(2).says_once(&["tare.toml:6: unknown key `parameter`", "did you mean `parameters`?"]);
    dir.file("tare.toml", COMMANDS);
    let Some(found) = found(&dir, "HEAD~1", "HEAD", "tare.toml") else { return };
    let wanted =
        [("read a", "unchanged files"), ("read b", "differs"), ("write c", "unproven"), ("write d", "unproven")];
    assert_eq!(found, BTreeMap::from(wanted.map(|(name, finding)| (format!("commands#{name}"), finding.to_owned()))));
}
