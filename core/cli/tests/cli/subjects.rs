//! Subjects that throw, end their process, print without end, eat all memory, never return.

use serde_json::json;

use crate::harness::{Dir, Finished};

/// Measures a class beside a good one, whose times must be in the store.
fn beside_a_good_one(dir: &Dir, class: &str, body: &str, arguments: &[&str]) -> Finished {
    dir.good().php(class, body);
    let mut all = vec!["."];
    all.extend(arguments);
    let shown = dir.run(&all).finish(4);
    dir.stored().assert_measured("GoodBench::benchGood");
    shown
}

#[test]
fn a_subject_that_throws() {
    let dir = Dir::new();
    let body = r#"    public function benchThrows(): void
    {
        echo "before\tthe \e]0;title\x07\n";
        throw new LogicException("cannot divide\nby zero");
    }
    public function benchOther(): void { $a = [3, 1, 2]; sort($a); }"#;
    let shown = beside_a_good_one(&dir, "ThrowBench", body, &[]);
    shown.says_once(&[
        "failed: ThrowBench::benchThrows",
        "ThrowBench.php:7",
        "exception: LogicException: cannot divide by zero",
        "repair the subject, or leave it out with --exclude",
        r"before the \u{1b}]0;title\u{7}",
    ]);
    let stored = dir.stored();
    stored.assert_measured("ThrowBench::benchOther");
    let wanted = json!({"kind": "exception", "message": "cannot divide\nby zero", "file": "ThrowBench.php", "line": 7, "stdout": "before\tthe"});
    stored.assert_failed("ThrowBench::benchThrows", &wanted);
}

#[test]
fn a_subject_that_throws_after_some_launches_keeps_them() {
    let dir = Dir::new();
    dir.php(
        "LaterBench",
        r#"    private static $isNew = true;
    public function benchLater(): void
    {
        if (self::$isNew) {
            self::$isNew = false;
            file_put_contents(__DIR__ . '/processes', 'x', FILE_APPEND);
            if (filesize(__DIR__ . '/processes') === 5) { throw new LogicException('worn out'); }
        }
    }"#,
    );
    let arguments = ["run", "LaterBench.php", "--launches", "60", "--samples", "2"];
    dir.tare(&arguments).finish(4).says_once(&["worn out", "LaterBench.php:10"]);
    let stored = dir.stored();
    stored.assert_failed("LaterBench::benchLater", &json!({"kind": "exception", "line": 10}));
    // The first process was the pilot's.
    assert_eq!(stored.case("LaterBench::benchLater")["launches"], 3);
    assert_eq!(dir.launches().len(), 3);
}

#[test]
fn a_subject_that_calls_exit() {
    let dir = Dir::new();
    let body = "    public function benchExit(): void\n    {\n        exit(0);\n    }";
    let shown = beside_a_good_one(&dir, "ExitBench", body, &[]);
    shown.says_once(&[
        "User code ended the process while ExitBench::benchExit ran.",
        "ExitBench.php:4",
        "Remove the exit or die from the code that is measured.",
    ]);
    dir.stored().assert_failed("ExitBench::benchExit", &json!({"kind": "exit", "file": "ExitBench.php", "line": 4}));
}

#[test]
fn a_subject_that_prints_ten_megabytes() {
    let dir = Dir::new();
    let body = r#"    /** @Revs(1) */
    public function benchPrints(): void { echo str_repeat(str_repeat('x', 99) . "\n", 104858); fwrite(STDERR, "warned\n"); }
    /** @Revs(1) */
    public function benchPrintsAndThrows(): void { echo str_repeat('y', 10 << 20), "\nthe end\n"; throw new Exception('enough'); }"#;
    let shown = beside_a_good_one(&dir, "PrintBench", body, &[]);
    shown.says_once(&["failed: PrintBench::benchPrintsAndThrows", "exception: Exception: enough", "│ the end"]);
    assert!(shown.stdout.len() < 20_000 && shown.stderr.len() < 20_000, "the screen is flooded");
    let stored = dir.stored();
    stored.assert_measured("PrintBench::benchPrints");
    stored.assert_failed(
        "PrintBench::benchPrintsAndThrows",
        &json!({"kind": "exception", "line": 7, "stdout": "bytes left out"}),
    );
    assert!(stored.case("PrintBench::benchPrintsAndThrows")["failure"]["stdout"].as_str().unwrap().len() < 20_000);
}

#[test]
fn a_subject_that_hits_the_memory_limit() {
    let dir = Dir::new();
    let body = "    public function benchMemory(): void\n    {\n        $kept = [];\n        while (true) { $kept[] = str_repeat('x', 1 << 20); }\n    }";
    let shown = beside_a_good_one(&dir, "MemoryBench", body, &["--runtime", "php -d memory_limit=32M"]);
    shown.says_once(&[
        "MemoryBench.php:7",
        "fatal: Allowed memory size of 33554432 bytes exhausted",
        "php -d memory_limit=1G",
    ]);
    dir.stored()
        .assert_failed("MemoryBench::benchMemory", &json!({"kind": "fatal", "file": "MemoryBench.php", "line": 7}));
}

#[test]
fn subjects_that_never_return() {
    let dir = Dir::new();
    let body = "    public function benchEndless(): void { while (true) { } }
    public function benchEndlessPrint(): void { while (true) { echo str_repeat('y', 65536); } }
    public function benchDeaf(): void { pcntl_async_signals(true); pcntl_signal(SIGTERM, SIG_IGN); while (true) { sleep(1); } }";
    let shown = beside_a_good_one(&dir, "EndlessBench", body, &["--timeout", "3s"]);
    shown.says_once(&["EndlessBench.php:4", "EndlessBench.php:5", "EndlessBench.php:6"]);
    let stored = dir.stored();
    for (case, line) in [("benchEndless", 4), ("benchEndlessPrint", 5), ("benchDeaf", 6)] {
        let wanted = json!({"kind": "timeout", "message": "no answer within 3 s", "remedy": "--timeout", "file": "EndlessBench.php", "line": line});
        stored.assert_failed(&format!("EndlessBench::{case}"), &wanted);
    }
}

#[test]
fn subjects_that_die_by_a_signal() {
    let dir = Dir::new();
    let body = "    public function benchSegv(): void { posix_kill(getmypid(), 11); sleep(60); }
    public function benchKill(): void { posix_kill(getmypid(), 9); sleep(60); }";
    let shown = beside_a_good_one(&dir, "SignalBench", body, &[]);
    shown.says_once(&[
        "SignalBench.php:4",
        "signal: the process was ended by signal 11 (SIGSEGV)",
        "SignalBench.php:5",
        "signal: the process was killed by signal 9 (SIGKILL)",
        "the kernel does this when memory runs out",
    ]);
    let stored = dir.stored();
    stored.assert_failed("SignalBench::benchSegv", &json!({"kind": "signal", "file": "SignalBench.php", "line": 4}));
    stored.assert_failed("SignalBench::benchKill", &json!({"kind": "signal", "file": "SignalBench.php", "line": 5}));
}

#[test]
fn what_a_subject_starts_ends_with_it() {
    let dir = Dir::new();
    // `finish` looks for processes that are left.
    let body = "    /** @Revs(1) */
    public function benchLeaves(): void { exec('sleep 300 > /dev/null 2>&1 &'); }
    /** @Revs(1) */
    public function benchLeavesAndExits(): void { exec('sleep 300 > /dev/null 2>&1 &'); exit(1); }
    /** @Revs(1) */
    public function benchLeavesWithOurOutput(): void { proc_open(['sleep', '300'], [], $pipes); throw new Exception('left'); }";
    beside_a_good_one(&dir, "LeavesBench", body, &[]);
    dir.stored().assert_measured("LeavesBench::benchLeaves");
}

#[test]
fn a_hook_that_throws_fails_its_case() {
    let dir = Dir::new();
    let body = r#"    public function up(): void { throw new Exception('no set-up'); }
    public function down(): void { throw new Exception('no tear-down'); }
    /** @BeforeMethods({"up"}) */
    public function benchUp(): void {}
    /** @AfterMethods({"down"}) */
    public function benchDown(): void {}"#;
    let shown = beside_a_good_one(&dir, "HooksBench", body, &[]);
    shown.says_once(&["Exception: no set-up", "HooksBench.php:4", "Exception: no tear-down", "HooksBench.php:5"]);
}
