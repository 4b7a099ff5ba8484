//! `--filter` and what can't be loaded or listed: failures of what it leaves out aren't told and don't count.

use serde_json::json;

use crate::harness::{Dir, assert_failure};

const PROVIDERS: &str = r#"    public function throwing(): array { throw new DomainException('no data'); }
    /** @ParamProviders({"throwing"}) */
    public function benchThrowing(array $p): void {}
    public function benchWithout(): void { $a = [3, 1, 2]; sort($a); }"#;

#[test]
fn a_benchmark_that_is_left_out_does_not_fail() {
    let dir = Dir::new();
    dir.php("ProviderBench", PROVIDERS);
    for filter in ["benchWithout", "^ProviderBench::benchWithout$", "Without"] {
        let shown = dir.run(&[".", "--filter", filter]).finish(0);
        shown.never_says(&["failed", "no data"]);
    }
    assert_eq!(dir.tare(&["list", ".", "--filter", "Without"]).finish(0).stderr, "");
    // One that is asked for fails, by itself and beside another; as it does where it may hold the set that is asked for.
    for filter in ["Throwing", "Provider", "ProviderBench::benchThrowing#md5"] {
        let shown = dir.run(&[".", "--filter", filter, "--filter", "Without"]).finish(4);
        shown.says_once(&["DomainException: no data"]);
    }
}

#[test]
fn a_file_that_is_left_out_does_not_fail() {
    let dir = Dir::new();
    dir.good().file(
        "SyntaxBench.php",
        "<?php\nfinal class SyntaxBench\n{\n    public function benchA() { return 1 +; }\n}\n",
    );
    for filter in ["Good", "^GoodBench::benchGood$", "php/Good"] {
        dir.run(&[".", "--filter", filter]).finish(0).never_says(&["SyntaxBench"]);
    }
    for filter in ["Syntax", "SyntaxBench::benchA#md5 16", "bench", "."] {
        let shown = dir.run(&[".", "--filter", filter, "--filter", "Good"]).finish(4);
        shown.says_once(&["SyntaxBench.php:4"]);
    }
    // What groups the benchmarks of a file are in isn't known before it is loaded.
    dir.run(&[".", "--group", "fast"]).finish(4).says_once(&["SyntaxBench.php:4"]);
}

#[test]
fn where_nothing_matches_what_failed_is_told_since_it_may_be_in_there() {
    let dir = Dir::new();
    dir.good().file("SyntaxBench.php", "<?php\nfinal class SyntaxBench {\n");
    let document = dir.run(&[".", "--filter", "madeAtRunTime", "--json"]).finish(4).document();
    assert_failure(&document.0["failures"][0], &json!({"kind": "syntax", "file": "SyntaxBench.php"}));
}
