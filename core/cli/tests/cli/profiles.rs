//! `tare profile`: what it refuses, and what it leaves. Which tools there are differs by machine; Python's sampler is always there.

use std::fs;

use crate::harness::{Dir, go_cache, has_valgrind};

const WORK: &str = "def bench_work():\n    return sum(range(1000))\n\ndef bench_other():\n    pass\n\ndef bench_dies():\n    import os\n    os._exit(3)\n";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.file("bench_work.py", WORK);
    dir
}

#[test]
fn a_pattern_must_match_one_case() {
    let dir = dir();
    let said = dir.tare(&["profile", "bench_work.py", "--case", "nothing"]).finish(2);
    assert!(said.stderr.contains("no case matches --case"), "{said}");
    let said = dir.tare(&["profile", "bench_work.py", "--case", "bench_"]).finish(2);
    assert!(said.stderr.contains("matches 3: python/bench_work"), "{said}");
    assert!(!dir.path().join(".tare/profiles").exists(), "what is refused leaves nothing");
}

#[test]
fn a_tool_of_another_language_and_a_folder_that_cannot_be_made_are_refused() {
    let dir = dir();
    let said = dir.tare(&["profile", "bench_work.py", "--case", "work", "--tool", "pprof"]).finish(2);
    assert!(said.stderr.contains("pprof is for go"), "{said}");
    dir.file("taken", "");
    let said = dir.tare(&["profile", "bench_work.py", "--case", "work", "--output", "taken/here"]).finish(2);
    assert!(said.stderr.contains("--output"), "{said}");
}

#[test]
fn a_tool_that_is_not_there_is_missing_with_how_to_get_it() {
    let dir = dir();
    // The interpreter itself: what stands in the path for it may be a script, which needs a path.
    let asked =
        std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    let runtime = format!("python:{}", String::from_utf8(asked.stdout).unwrap().trim());
    for (tool, program) in [("callgrind", "valgrind"), ("strace", "strace")] {
        let mut command =
            dir.tare(&["profile", "bench_work.py", "--case", "work", "--tool", tool, "--runtime", &runtime]);
        let folder = dir.path().join("nothing");
        fs::create_dir_all(&folder).unwrap();
        command.command.env("PATH", &folder);
        let said = command.finish(2);
        assert!(said.stderr.contains(&format!("no program `{program}`")), "{said}");
        assert!(said.stderr.contains("apt-get install"), "{said}");
    }
}

#[test]
fn a_case_that_ends_its_process_is_no_profile() {
    let dir = dir();
    let said = dir.tare(&["profile", "bench_work.py", "--case", "dies"]).finish(4);
    assert!(said.stderr.contains("under sampler"), "{said}");
    assert_eq!(fs::read_dir(dir.path().join(".tare/profiles")).unwrap().count(), 0, "no empty profile is left");
}

#[test]
fn stacks_and_flame_graph_are_kept_with_the_project() {
    let dir = dir();
    let document = dir.tare(&["profile", "bench_work.py", "--case", "work", "--json"]).finish(0).document().0;
    assert_eq!((&document["format"], &document["tool"]), (&"tare.profile".into(), &"sampler".into()));
    let folder = dir.path().join(document["folder"].as_str().unwrap());
    let stacks = fs::read_to_string(folder.join("stacks.folded")).unwrap();
    assert!(stacks.contains("bench_work.py:bench_work "), "{stacks}");
    let picture = fs::read_to_string(folder.join("flame.svg")).unwrap();
    assert!(picture.contains("<svg") && picture.contains("bench_work"), "{picture}");
}

#[test]
fn a_page_shows_the_profile_and_pages_of_runs_show_it_beside_the_case() {
    let dir = dir();
    dir.tare(&["profile", "bench_work.py", "--case", "work", "--html", "profile.html"]).finish(0);
    let page = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    let written = page("profile.html");
    assert!(written.contains("of the time is spent in") && written.contains("class=\"flame\""), "{written}");
    assert!(!written.contains("<script"), "{written}");
    assert!(written.contains("tare profile bench_work.py --case work --tool sampler"), "{written}");
    dir.tare(&["run", "bench_work.py", "--filter", "work|other", "--launches", "2", "--samples", "2", "--calls", "10"])
        .finish(0);
    dir.tare(&["report", "--html", "run.html"]).finish(0);
    let run = page("run.html");
    assert_eq!(run.matches("class=\"flame\"").count(), 1, "of the case that was looked at alone: {run}");
    assert!(run.contains("Recorded by Tare's own profiler for Python on"), "{run}");
    // What isn't a profile hinders no report.
    for folder in fs::read_dir(dir.path().join(".tare/profiles")).unwrap() {
        fs::write(folder.unwrap().path().join("profile.json"), "{\"case\": 3").unwrap();
    }
    dir.tare(&["report", "--html", "run.html"]).finish(0);
    assert!(!page("run.html").contains("class=\"flame\""));
}

const COUNTED: &str = "    public function benchNothing(): void {}
    public function benchWork(): void { for ($i = 0; $i < 200; ++$i) {} }
    public function benchTwice(): void { for ($i = 0; $i < 400; ++$i) {} }
    public function benchAsk(): void { getmypid(); getmypid(); getmypid(); }";

fn php() -> String {
    let asked = std::process::Command::new("php").args(["-r", "echo PHP_BINARY;"]).output().unwrap();
    format!("php={}", String::from_utf8(asked.stdout).unwrap())
}

/// Twice the work takes twice the instructions, nothing takes none, and a limit is judged by them.
#[test]
fn instructions_are_counted_without_the_loop() {
    if !has_valgrind() {
        return;
    }
    let dir = Dir::new();
    dir.php("CountBench", COUNTED);
    dir.file(
        "tare.toml",
        "[[limit]]\ncase = \"Nothing\"\nmax-instructions = 100000\n[[limit]]\ncase = \"Twice\"\nmax-instructions = 10\n",
    );
    let document = dir.run_calibrated(&["CountBench.php", "--work", "--json"]).finish(1).document();
    let of = |name: &str| {
        let counts = document.case(&format!("CountBench::bench{name}"))["instructions"].clone();
        let figure = |key: &str| counts[key].as_f64().unwrap_or_else(|| panic!("{key}: {counts:#}"));
        (figure("per_call"), figure("raw_per_call"), figure("apart"))
    };
    let (nothing, work, twice) = (of("Nothing"), of("Work"), of("Twice"));
    assert!(work.0 > 1000.0 && work.1 > work.0, "{work:?}");
    // What the loop's first and last turn take isn't doubled.
    let ratio = twice.0 / work.0;
    assert!((1.9..2.1).contains(&ratio), "{ratio}: {work:?} {twice:?}");
    assert!(nothing.0.abs() < 0.05 * work.0, "{nothing:?}");
    assert!(twice.2 < 0.02 * twice.0, "{twice:?}");
    let asks = |name: &str| {
        document.case(&format!("CountBench::bench{name}"))["instructions"]["system_calls"].as_f64().unwrap()
    };
    assert_eq!((asks("Ask"), asks("Nothing")), (3.0, 0.0));
    let gates = document.0["gates"].as_array().unwrap();
    assert_eq!(gates.len(), 1, "{gates:#?}");
    assert_eq!((&gates[0]["rule"], &gates[0]["outcome"]), (&"max-instructions 10".into(), &"tripped".into()));
    let screen = dir.tare(&["show"]).finish(0);
    assert!(screen.stdout.contains("instructions") && screen.stdout.contains("system calls"), "{screen}");
}

/// What a call uses up is made anew before each, and isn't counted.
#[test]
fn a_set_up_for_one_call_is_made_for_each_that_is_counted() {
    if !has_valgrind() {
        return;
    }
    let dir = Dir::new();
    let drained = |name: &str, number: u32| {
        format!(
            "def test_{name}(benchmark):\n    \
             benchmark.pedantic(drain, setup=lambda: ((list(range({number})),), {{}}), rounds=3)\n"
        )
    };
    let body = "def drain(numbers):\n    while numbers:\n        numbers.pop()\n\n\n".to_owned();
    dir.file("test_drain.py", &(body + &drained("few", 1000) + "\n\n" + &drained("many", 2000)));
    let document = dir.run_calibrated(&["test_drain.py", "--work", "--json"]).finish(0).document();
    let of = |name: &str| document.case(name)["instructions"]["per_call"].as_f64().unwrap();
    let ratio = of("test_many") / of("test_few");
    assert!((1.95..2.05).contains(&ratio), "{ratio}");
}

#[test]
fn without_valgrind_no_instructions_are_counted_and_a_limit_is_undecided() {
    let dir = Dir::new();
    dir.php("CountBench", COUNTED);
    let folder = dir.path().join("nothing");
    fs::create_dir_all(&folder).unwrap();
    let runtime = php();
    let run = |status: i32| {
        let mut command =
            dir.run_calibrated(&["CountBench.php", "--filter", "Nothing", "--work", "--json", "--runtime", &runtime]);
        command.command.env("PATH", &folder);
        command.finish(status)
    };
    let finished = run(0);
    finished.says_once(&["no work is counted: there is no program `valgrind`"]);
    let document = finished.document();
    document.assert_measured("CountBench::benchNothing");
    assert_eq!(document.case("CountBench::benchNothing").get("instructions"), None);
    let limit = "[compare]\nfail-on = [\"inconclusive\"]\n[[limit]]\ncase = \"Nothing\"\nmax-instructions = 100\n";
    dir.file("tare.toml", limit);
    let document = run(3).document();
    let message = document.0["gates"][0]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("its instructions were not counted"), "{message}");
}

/// What a call executes gets a verdict of its own, and a gate.
#[test]
fn work_is_compared_beside_time() {
    if !has_valgrind() {
        return;
    }
    let dir = Dir::repository();
    let loop_of = |turns: u32| format!("for ($i = 0; $i < {turns}; ++$i) {{ $s = $i; }}");
    // Says that a process that is counted has loaded it.
    let loads = dir.path().join("loads");
    let source = |name: &str, turns: u32| {
        format!(
            "<?php\nif (getenv('TARE_COUNT') === '1') {{ file_put_contents('{}', \"x\\n\", FILE_APPEND); }}\n\
             final class {name} {{\n    public function benchLoop(): void {{ {} }}\n    public function benchAlike(): void {{ {} }}\n}}\n",
            loads.display(),
            loop_of(turns),
            loop_of(300)
        )
    };
    dir.file("WorkBench.php", &source("WorkBench", 1000));
    dir.commit("one");
    dir.file("WorkBench.php", &source("WorkBench", 1020));
    dir.commit("two");
    dir.file("tare.toml", "[[limit]]\ncase = \"Loop\"\nmax-work-change = \"0.4 %\"\n[[limit]]\ncase = \"Loop\"\nmax-work-change = \"5 %\"\n");
    let words = ["--work", "--fail-on", "work=0.5%", "--json"];
    let document = dir.compare("HEAD~1", "HEAD", &words).finish(1).document().0;
    let work = |title: &str| {
        let rows = document["comparisons"].as_array().unwrap();
        rows.iter().find(|row| row["title"].as_str().unwrap().contains(title)).unwrap()["work"].clone()
    };
    assert_eq!(
        (&work("Loop")["verdict"], &work("Loop")["by"]),
        (&"more".into(), &"callgrind".into()),
        "{}",
        work("Loop")
    );
    assert!(work("Loop")["low"].as_f64().unwrap() > 1.005, "{}", work("Loop"));
    assert_eq!(work("Alike")["verdict"], "equal", "{}", work("Alike"));
    assert_eq!(work("Alike").get("functions"), None);
    let functions = work("Loop")["functions"].clone();
    assert_eq!(functions.as_array().map(Vec::len), Some(1), "{functions}");
    assert_eq!((&functions[0]["name"], &functions[0]["unit"]), (&"WorkBench::benchLoop".into(), &"statements".into()));
    // Twenty turns of a thousand, each a statement, beside those of the method itself.
    let part = functions[0]["part"].as_f64().unwrap();
    assert!((0.0198..0.02).contains(&part), "{part}");
    // One of each side, and with another seed for the row that differs: none is started anew for another row.
    assert_eq!(fs::read_to_string(&loads).unwrap().lines().count(), 4);
    let rules: Vec<&str> =
        document["gates"].as_array().unwrap().iter().map(|gate| gate["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["--fail-on work=0.5 %", "max-work-change 0.4 %"]);
}

/// Under callgrind a program of an interpreter is the interpreter's functions, so its own are counted by a hook of the language.
#[test]
fn work_of_python_names_the_functions_of_the_program() {
    if !has_valgrind() {
        return;
    }
    let dir = Dir::repository();
    // Says that a process that tells its functions has loaded it.
    let loads = dir.path().join("loads");
    let source = |times: u32| {
        format!(
            "import os\nif 'TARE_FUNCTIONS' in os.environ:\n    open({loads:?}, 'a').write('x\\n')\n\
             class Lexer:\n    def next(self):\n        for _ in range(200):\n            pass\n\
             def bench_lexed():\n    lexer = Lexer()\n    for _ in range({times}):\n        lexer.next()\n\
             def bench_longer():\n    return 'a' in 'b' * (50000 * {times})\n\
             def bench_alike():\n    return Lexer().next()\n",
            loads = loads.display().to_string()
        )
    };
    dir.file("bench_work.py", &source(1));
    dir.commit("one");
    dir.file("bench_work.py", &source(2));
    dir.commit("two");
    let finished = dir.compare("HEAD~1", "HEAD", &["--work", "--json"]).finish(0);
    let document = finished.document().0;
    let functions = |title: &str| {
        let rows = document["comparisons"].as_array().unwrap();
        let row = rows.iter().find(|row| row["title"].as_str().unwrap().contains(title)).unwrap();
        assert_eq!(row["work"]["verdict"], if title == "alike" { "equal" } else { "more" }, "{row:#}");
        row["work"]["functions"].clone()
    };
    let lexed = functions("lexed");
    let called = lexed.as_array().unwrap().iter().find(|one| one["name"] == "bench_work.Lexer.next").unwrap();
    assert_eq!((&called["unit"], &called["calls"]["base"]), (&"bytecode".into(), &1.0.into()), "{lexed:#}");
    assert_eq!(called["calls"]["candidate"], 2.0, "{lexed:#}");
    assert!(lexed.as_array().unwrap().iter().all(|one| one["unit"] == "bytecode"), "{lexed:#}");
    // What C does for it, no function of the program does.
    let longer = functions("longer");
    let all = longer.as_array().map_or(&[][..], Vec::as_slice);
    assert!(all.iter().all(|one| one["unit"] == "interpreter"), "{longer:#}");
    assert!(functions("alike").is_null());
    assert_eq!(fs::read_to_string(&loads).unwrap().lines().count(), 4, "a launch of each side of the rows that differ");
}

/// Go has threads of its own; its goroutines are counted in the one that measures.
#[test]
fn work_of_go_is_compared_in_the_thread_that_measures() {
    if !has_valgrind() || go_cache().is_none() {
        return;
    }
    let dir = Dir::repository();
    let source = |turns: u32| {
        format!(
            "package work\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkLoop(b *testing.B) {{\n\
             \tfor i := 0; i < b.N; i++ {{\n\t\ts := 0\n\t\tfor k := 0; k < {turns}; k++ {{\n\t\t\ts += k ^ s<<1\n\t\t}}\n\
             \t\tsink = s\n\t}}\n}}\n\nfunc BenchmarkShared(b *testing.B) {{\n\tc := make(chan int)\n\
             \tfor i := 0; i < b.N; i++ {{\n\t\tgo func() {{ c <- i }}()\n\t\tsink = <-c\n\t}}\n}}\n"
        )
    };
    dir.file("go.mod", "module example.org/work\n\ngo 1.22\n");
    dir.file("work_test.go", &source(1000));
    dir.commit("one");
    dir.file("work_test.go", &source(1010));
    dir.commit("two");
    let words = ["--work", "--json"];
    let document = dir.compare("HEAD~1", "HEAD", &words).finish(0).document().0;
    let work = |title: &str| {
        let rows = document["comparisons"].as_array().unwrap();
        rows.iter().find(|row| row["title"].as_str().unwrap().contains(title)).unwrap()["work"].clone()
    };
    let found = work("Loop");
    assert_eq!(found["verdict"], "more", "{found}");
    assert!(found["low"].as_f64().unwrap() > 1.005 && found["high"].as_f64().unwrap() < 1.015, "{found}");
    let found = work("Shared");
    assert!(["equal", "varies"].contains(&found["verdict"].as_str().unwrap()), "{found}");
}
