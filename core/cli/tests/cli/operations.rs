//! `tare load PATH`: operations by several workers at once. What they do here takes no server, and nothing is said of how long it takes.

use serde_json::Value;

use crate::harness::{Dir, TestCommand, go_cache};

/// Operations that succeed, fail, and end the process, by name.
const SUITE: &str = r#"<?php
/**
 * @BeforeMethods("connect")
 * @AfterMethods("disconnect")
 */
final class Stub
{
    private $number = -1;

    public function connect(\Tare\LoadWorker $worker): void
    {
        if (getenv('REFUSED') === (string) $worker->number) {
            throw new RuntimeException('no server for this one');
        }
        $this->number = $worker->number;
    }

    public function disconnect(): void
    {
        file_put_contents(getenv('TRACE') ?: '/dev/null', "{$this->number}\n", FILE_APPEND);
    }

    /** @Operation(weight=9) */
    public function get(\Tare\LoadWorker $worker): void
    {
        if ($worker->number !== $this->number) {
            throw new LogicException('another worker');
        }
    }

    /** @Operation(weight=1) */
    public function put(): void
    {
    }

    /** @Operation(weight=0, name="break") */
    public function fails(\Tare\LoadWorker $worker): void
    {
        if ($worker->turn % 2 === 1) {
            throw new DomainException("turn \x1b[31m odd");
        }
    }

    /** @Operation(weight=0) */
    public function leave(\Tare\LoadWorker $worker): void
    {
        if ($worker->number === 1 && $worker->turn >= 5) {
            posix_kill(getmypid(), 9);
        }
    }
}
"#;

fn dir() -> Dir {
    let dir = Dir::new();
    dir.file("StubBench.php", SUITE);
    dir
}

fn with<'a>(dir: &'a Dir, (name, value): (&str, &str), arguments: &[&str]) -> TestCommand<'a> {
    let mut command = dir.tare(arguments);
    command.command.env(name, value);
    command
}

fn operation<'a>(target: &'a Value, name: &str) -> &'a Value {
    let operations = target["operations"].as_array().unwrap();
    operations.iter().find(|operation| operation["name"] == name).unwrap_or_else(|| panic!("no {name} in {target:#}"))
}

#[test]
fn operations_are_done_by_all_workers_in_the_parts_of_the_mix() {
    let dir = dir();
    let trace = dir.path().join("trace");
    let arguments = ["load", "StubBench.php", "--workers", "3", "--operations", "2000", "--seed", "5", "--json"];
    let document = with(&dir, ("TRACE", trace.to_str().unwrap()), &arguments).finish(0).document().0;
    assert_eq!((&document["format"], &document["version"]), (&"tare.load".into(), &1.into()));
    let target = &document["targets"][0];
    assert_eq!((&target["status"], &target["workers"]), (&"ok".into(), &3.into()));
    assert_eq!((&target["suite"], &target["mix"]["get"]), (&"Stub".into(), &9.into()));
    assert_eq!(operation(target, "get")["count"], 5400);
    assert_eq!(operation(target, "put")["count"], 600);
    assert_eq!(target["operations"].as_array().unwrap().len(), 2, "what has no weight isn't done");
    assert!(target["throughput"]["estimate"].as_f64().unwrap() > 0.0);
    let memory = target["memory"].as_array().unwrap();
    assert_eq!(memory.len(), 3);
    for worker in memory {
        assert!(worker["rss_bytes"].as_u64().unwrap() > worker["runtime_bytes"].as_u64().unwrap(), "{worker}");
        assert!(worker["peak_rss_bytes"].as_u64() >= worker["rss_bytes"].as_u64(), "{worker}");
    }
    // Each cleaned up, by its own number.
    let mut cleaned: Vec<String> = std::fs::read_to_string(trace).unwrap().lines().map(str::to_owned).collect();
    cleaned.sort();
    assert_eq!(cleaned, ["0", "1", "2"]);
}

#[test]
fn what_the_project_builds_is_built_before_it_is_looked_for() {
    let dir = Dir::new();
    dir.file("Stub.php.in", SUITE).file("tare.toml", "[run]\nbuild = \"cp Stub.php.in StubBench.php\"\n");
    let arguments = ["load", "StubBench.php", "-w", "1", "-n", "10"];
    dir.tare(&arguments).finish(0).says_once(&["building: cp Stub.php.in StubBench.php"]);
    dir.file("tare.toml", "[run]\nbuild = \"echo not today; exit 3\"\n");
    dir.tare(&arguments).finish(4).says_once(&["ended with exit status: 3", "change `build` in [run]"]);
}

#[test]
fn what_fails_is_counted_by_kind_and_told() {
    let dir = dir();
    let arguments = ["load", "StubBench.php", "-w", "2", "-n", "100", "--mix", "break=1"];
    let document = dir.tare(&[&arguments[..], &["--json"]].concat()).finish(0).document().0;
    let operation = operation(&document["targets"][0], "break");
    assert_eq!((&operation["count"], &operation["failures"]["DomainException"]), (&200.into(), &100.into()));
    let shown = dir.tare(&arguments).finish(0);
    assert!(shown.stdout.contains("DomainException 100") && !shown.stdout.contains('\u{1b}'), "{}", shown.stdout);
    dir.tare(&[&arguments[..], &["--fail-on", "failures=10%"]].concat()).finish(1);
}

#[test]
fn a_worker_that_dies_leaves_the_others_at_work() {
    let dir = dir();
    let command = ["load", "StubBench.php", "-w", "3", "-n", "500", "--mix", "leave=1", "--json"];
    let document = dir.tare(&command).finish(4).document().0;
    let target = &document["targets"][0];
    assert_eq!(operation(target, "leave")["count"], 1000);
    assert_eq!((&target["fallen"][0]["worker"], &target["fallen"][0]["stage"]), (&1.into(), &"work".into()));
    let warnings = target["warnings"].to_string();
    assert!(warnings.contains("worker 1 of 3 failed") && warnings.contains("not scaled up"), "{warnings}");
}

#[test]
fn a_set_up_that_fails_in_one_worker_is_told_and_in_all_ends_it() {
    let dir = dir();
    let command = ["load", "StubBench.php", "-w", "2", "-n", "50", "--json"];
    let document = with(&dir, ("REFUSED", "1"), &command).finish(4).document().0;
    let target = &document["targets"][0];
    assert_eq!((&target["workers"], &target["fallen"][0]["stage"]), (&1.into(), &"set-up".into()));
    assert!(target["warnings"].to_string().contains("no server for this one"), "{target:#}");
    let command = ["load", "StubBench.php", "-w", "1", "-n", "50", "--json"];
    let target = &with(&dir, ("REFUSED", "0"), &command).finish(4).document().0["targets"][0];
    assert_eq!(target["status"], "failed");
    assert!(target["failure"].as_str().unwrap().contains("no server for this one"), "{target:#}");
}

#[test]
fn what_can_not_be_done_is_refused_before_anything_is() {
    let dir = dir();
    for (arguments, told) in [
        (&["--mix", "gett=1"][..], "has no operation `gett`; it has get, put, break, leave"),
        (&["--mix", "get=0"], "all weights are 0"),
        (&["--mix", "get"], "has no weight"),
        (&["--workers", "0"], "--workers"),
        (&["--workers", "100000"], "don't fit"),
        (&["--rate", "0"], "--rate"),
        (&["--arrivals", "poisson"], "--rate"),
        (&["-n", "5", "--duration", "1s"], "cannot be used with"),
        (&["--fail-on", "slower"], "something to compare"),
        (&["--filter", "Other"], "no suite"),
    ] {
        let finished = dir.tare(&[&["load", "StubBench.php"], arguments].concat()).finish(2);
        assert!(finished.stderr.contains(told), "{arguments:?}: {}", finished.stderr);
    }
    dir.file("EmptyBench.php", "<?php final class EmptyBench { public function benchIt(): void {} }");
    assert!(dir.tare(&["load", "EmptyBench.php"]).finish(2).stderr.contains("no operation found"));
    dir.file(
        "WeightlessBench.php",
        "<?php final class Weightless { /** @Operation(weight=0) */ public function a(): void {} }",
    );
    assert!(dir.tare(&["load", "WeightlessBench.php"]).finish(2).stderr.contains("have the weight 0"));
    dir.file("WrongBench.php", "<?php final class Wrong { /** @Operation(weight=-1) */ public function a(): void {} }");
    assert!(dir.tare(&["load", "WrongBench.php"]).finish(4).stderr.contains("Operation wants a weight"));
}

#[test]
fn suites_of_one_name_in_two_files_are_refused() {
    let dir = Dir::new();
    let class = |operation: &str| {
        format!("<?php final class KeyValue {{ /** @Operation */ public function {operation}(): void {{}} }}")
    };
    dir.file("a/ReadBench.php", &class("get"));
    dir.file("b/ScanBench.php", &class("scan"));
    let told = dir.tare(&["load", "a", "b", "-n", "5"]).finish(2).stderr;
    assert!(
        told.contains("the suite KeyValue in b/ScanBench.php:1 has the name of another one, in a/ReadBench.php:1"),
        "{told}"
    );
    // One file, named twice, is one suite; and what the filter leaves out is in nobody's way.
    dir.file("b/OtherBench.php", &class("scan").replace("KeyValue", "Other"));
    dir.tare(&["load", "a", "a/ReadBench.php", "-n", "5"]).finish(0);
    dir.tare(&["load", "a", "b", "-n", "5", "--filter", "Other"]).finish(0);
}

#[test]
fn an_open_loop_does_what_is_due() {
    let dir = dir();
    let arguments =
        ["load", "StubBench.php", "-w", "2", "--rate", "200", "--duration", "1s", "--warm-up", "0", "--seed", "3"];
    let document = dir.tare(&[&arguments[..], &["--json"]].concat()).finish(0).document().0;
    let target = &document["targets"][0];
    let all =
        |key: &str| target["operations"].as_array().unwrap().iter().map(|of| of[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(all("count") + all("dropped"), 200);
    assert_eq!(target["arrivals"], "constant");
    assert_eq!(target["rate"], 200.0);
}

#[test]
fn runtimes_take_turns_and_are_compared_mix_by_mix() {
    let dir = dir();
    let arguments = [
        "load",
        "StubBench.php",
        "-w",
        "2",
        "-n",
        "400",
        "--mix",
        "get=1,put=1",
        "--mix",
        "put=1",
        "--runtime",
        "a=php",
        "--runtime",
        "b=php",
        "--chart",
    ];
    let document = dir.tare(&[&arguments[..], &["--json"]].concat()).finish(0).document().0;
    let names: Vec<&str> =
        document["targets"].as_array().unwrap().iter().map(|it| it["target"].as_str().unwrap()).collect();
    assert_eq!(names, ["a get=1,put=1", "b get=1,put=1", "a put=1", "b put=1"]);
    let compared = document["comparisons"].as_array().unwrap();
    let throughput = compared.iter().filter(|it| it["metric"] == "throughput");
    let pairs: Vec<_> =
        throughput.map(|it| (it["base"].as_str().unwrap(), it["candidate"].as_str().unwrap())).collect();
    assert_eq!(pairs, [("a get=1,put=1", "b get=1,put=1"), ("a put=1", "b put=1")]);
    let shown = dir.tare(&arguments).finish(0).stdout;
    assert!(shown.contains("Stub get=1,put=1") && shown.contains("throughput, Stub put=1"), "{shown}");
}

/// A suite that one of the runtimes doesn't see would drop out of the comparison.
#[test]
fn a_runtime_that_sees_no_operations_is_told() {
    let dir = dir();
    let condition = "if (ini_get('precision') !== '5') {\n/**\n * @BeforeMethods";
    let hidden = SUITE.replacen("/**\n * @BeforeMethods", condition, 1) + "}\n";
    dir.file("StubBench.php", &hidden);
    let arguments =
        ["load", "StubBench.php", "-w", "1", "-n", "20", "--runtime", "a=php", "--runtime", "b=php -d precision=5"];
    let finished = dir.tare(&[&arguments[..], &["--json"]].concat()).finish(4);
    finished.says_once(&["Stub has operations on a, and none on b"]);
    let targets = finished.document().0["targets"].as_array().unwrap().clone();
    assert_eq!(targets.iter().map(|it| it["runtime"].as_str().unwrap()).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn latencies_are_logged_for_the_tools_of_hdr_histogram() {
    let dir = dir();
    dir.tare(&["load", "StubBench.php", "-w", "2", "-n", "300", "--hdr", "latencies.hlog", "--json"]).finish(0);
    let document = dir.tare(&["load", "hdr", "latencies.hlog", "--json"]).finish(0).document().0;
    assert_eq!(document["targets"][0]["operations"][0]["count"], 600);
}

/// The mix holds in Python as well, and classes make an instance a worker.
#[test]
fn python_serves_operations_too() {
    let dir = Dir::new();
    let source = "import tare\n\n\nclass Stub:\n    def __init__(self, worker):\n        self.number = worker.number\n\n    \
        @tare.operation(weight=3)\n    def get(self, worker):\n        assert worker.number == self.number\n\n    \
        @tare.operation()\n    def put(self):\n        raise ValueError('no')\n";
    dir.file("bench_stub.py", source);
    let document = dir.tare(&["load", "bench_stub.py", "-w", "2", "-n", "1000", "--json"]).finish(4).document().0;
    let target = &document["targets"][0];
    assert_eq!(
        (&operation(target, "get")["count"], &operation(target, "get")["failures"]),
        (&1500.into(), &Value::Object(Default::default()))
    );
    assert_eq!(operation(target, "put")["failures"]["ValueError"], 500);
    assert_eq!(target["status"], "failed", "one of its operations did nothing but fail");
    let gated = ["load", "bench_stub.py", "-w", "2", "-n", "100", "--fail-on", "failures=0%"];
    dir.tare(&gated).finish(1).says_once(&["exit status 1: 1 gate tripped"]);
}

#[test]
fn go_serves_operations_too() {
    if go_cache().is_none() {
        eprintln!("skipped: there is no go");
        return;
    }
    let dir = Dir::new();
    dir.file("go.mod", "module example.org/stub\n\ngo 1.21\n");
    let source = "package stub\n\nimport \"errors\"\n\nvar number = -1\n\nfunc SetUpOperations(worker, workers int) error {\n\tnumber = worker\n\t\
        return nil\n}\n\n// OperationGet reads.\n//\n//tare:weight 3\nfunc OperationGet(worker, turn int) error {\n\tif worker != number {\n\t\t\
        panic(\"another worker\")\n\t}\n\treturn nil\n}\n\nfunc OperationPut(worker, turn int) error { return errors.New(\"no\") }\n";
    dir.file("stub_test.go", source);
    let document = dir.tare(&["load", "stub_test.go", "-w", "2", "-n", "1000", "--json"]).finish(4).document().0;
    let target = &document["targets"][0];
    assert_eq!(
        (&operation(target, "get")["count"], &operation(target, "get")["failures"]),
        (&1500.into(), &Value::Object(Default::default()))
    );
    assert_eq!(operation(target, "put")["failures"]["*errors.errorString"], 500);
}
