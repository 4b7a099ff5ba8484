//! `tare compare` of git revisions: which are found, what is compared with what, where it is kept.

use crate::harness::{Dir, simulated};

/// A truth of one subject that takes exactly so long.
fn exact(name: &str, nanoseconds: f64) -> String {
    format!("[[case]]\nname = \"{name}\"\ntime-ns = {nanoseconds:?}\nnoise = {{ model = \"exact\" }}\n")
}

#[test]
fn two_commits_are_measured_side_by_side_and_kept_in_the_store_of_the_project() {
    let dir = Dir::two_commits();
    let hashes = [dir.git(&["rev-parse", "HEAD"]), dir.git(&["rev-parse", "HEAD~1"])];
    let first = dir.compare("HEAD~1", "HEAD", &["--json", "--tag", "both"]).finish(0);
    first.says_once(&["HEAD~1: checking out", "HEAD: checking out"]);
    let document = first.document();
    for id in ["WorkBench::benchWork@HEAD~1", "WorkBench::benchWork@HEAD"] {
        document.assert_measured(id);
        assert_eq!(document.case(id)["file"], "WorkBench.php");
    }
    assert_eq!(document.cases().len(), 2);
    assert_eq!(document.compared(), [["WorkBench::benchWork", "HEAD~1", "HEAD"]]);
    let pair = &document.0["comparisons"][0];
    assert_eq!(pair["base"], "php/WorkBench::benchWork@HEAD~1");
    assert_eq!(pair["candidate"], "php/WorkBench::benchWork@HEAD");
    assert_eq!((&pair["kind"], &pair["pairs"], &pair["confirmed"]), (&"live".into(), &1.into(), &false.into()));
    // One launch has no spread: nothing can be said, and that is said.
    assert_eq!(pair["verdict"], "inconclusive");
    assert!(pair["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "few-pairs"), "{pair:#}");
    assert_eq!(document.0["stored"], true);

    // In the store where it was asked, not in that of a checkout; and the figures are those that were printed.
    let shown = dir.tare(&["show", "both", "--json"]).finish(0).document();
    assert_eq!(shown.0["cases"], document.0["cases"]);
    assert_eq!(shown.0["comparisons"], document.0["comparisons"]);
    assert_eq!(shown.0["id"], document.0["id"]);

    let mut cached = dir.cached_commits();
    cached.sort();
    let mut wanted = hashes.to_vec();
    wanted.sort();
    assert_eq!(cached, wanted);
    dir.assert_nothing_is_left();
    // Checked out once; a branch is another name of the same commit.
    let again = dir.compare("HEAD~1", "main", &[]).finish(0);
    again.never_says(&["checking out"]);
    assert_eq!(dir.cached_commits().len(), 2);
    dir.assert_nothing_is_left();
}

#[test]
fn the_working_tree_is_measured_as_it_is() {
    let dir = Dir::repository();
    dir.work(20).commit("first");
    let body =
        "    public function benchWork(): void { md5('x'); }\n    public function benchNew(): void { md5('x'); }";
    dir.php("WorkBench", body).php("FreshBench", "    public function benchFresh(): void { md5('x'); }");
    let document = dir.compare("HEAD", ".", &["--json"]).finish(0).document();
    assert_eq!(document.compared(), [["WorkBench::benchWork", "HEAD", "working tree"]]);
    document.assert_measured("WorkBench::benchNew@working tree");
    document.assert_measured("FreshBench::benchFresh@working tree");
    let only = |title: &str| serde_json::json!({"title": title, "side": "working tree"});
    let unpaired = document.0["unpaired"].as_array().unwrap();
    assert_eq!(unpaired.len(), 2, "{unpaired:#?}");
    assert!(unpaired.contains(&only("WorkBench::benchNew")) && unpaired.contains(&only("FreshBench::benchFresh")));
    assert_eq!(dir.cached_commits().len(), 1, "the working tree is not checked out");
    assert_eq!(dir.git(&["status", "--porcelain"]), "M WorkBench.php\n?? FreshBench.php");
    dir.assert_nothing_is_left();
}

#[test]
fn a_project_in_a_subfolder_is_compared_from_any_folder_of_it() {
    let dir = Dir::repository();
    let class = |call: &str| format!("<?php\nfinal class InBench {{ public function benchIn(): void {{ {call} }} }}\n");
    dir.good()
        .file("tools/speed/tare.toml", "")
        .file("tools/speed/cases/InBench.php", &class("md5('x');"))
        .commit("one");
    dir.file("tools/speed/cases/InBench.php", &class("sha1('x');")).commit("two");
    for (folder, path, file) in
        [("tools/speed", "cases", "cases/InBench.php"), ("tools/speed/cases", ".", "InBench.php")]
    {
        let mut command = dir.compare("HEAD~1", "HEAD", &[path, "--json"]);
        command.command.current_dir(dir.path().join(folder));
        let document = command.finish(0).document();
        assert_eq!(document.compared(), [["InBench::benchIn", "HEAD~1", "HEAD"]]);
        assert_eq!(document.case("InBench::benchIn@HEAD")["file"], file);
        assert_eq!(document.cases().len(), 2, "the file above the project is not in it");
        dir.assert_nothing_is_left();
    }
    assert!(dir.path().join("tools/speed/.tare/tare.db").exists());
    assert!(!dir.path().join(".tare").exists());
    // Where the folder didn't exist yet, that is told, and the other revision is measured.
    dir.git(&["checkout", "--quiet", "--orphan", "young"]);
    dir.git(&["rm", "-r", "--quiet", "--cached", "tools"]);
    std::fs::rename(dir.path().join("tools"), dir.path().join("away")).unwrap();
    dir.commit("without");
    dir.git(&["checkout", "--quiet", "main"]);
    let mut command = dir.compare("young", "main", &["."]);
    command.command.current_dir(dir.path().join("tools/speed"));
    command.command.args(["--fail-on", "slower"]);
    let shown = command.finish(0);
    shown.says_once(&[
        "tools/speed: this benchmark folder doesn't exist in the revision `young`; Tare treats this revision as one without benchmarks",
        "only in main: InBench::benchIn",
        "no gate tripped",
    ]);
    dir.assert_nothing_is_left();
    // Where no side has it nothing can be compared.
    let mut command = dir.compare("young", "young~0", &["."]);
    command.command.current_dir(dir.path().join("tools/speed"));
    command.finish(4).says_once(&["tools/speed: this benchmark folder doesn't exist in the revision `young`\n"]);
}

#[test]
fn cases_of_one_side_are_listed_and_no_error() {
    let dir = Dir::repository();
    let class = |name: &str| {
        format!(
            "    public function benchBoth(): void {{ md5('x'); }}\n    public function {name}(): void {{ md5('x'); }}"
        )
    };
    dir.php("CaseBench", &class("benchOld")).commit("one");
    dir.php("CaseBench", &class("benchNew")).commit("two");
    let shown = dir.compare("HEAD~1", "HEAD", &[]).finish(0);
    shown.says_once(&["only in HEAD~1: CaseBench::benchOld", "only in HEAD: CaseBench::benchNew"]);
    let document = dir.stored();
    assert_eq!(document.compared(), [["CaseBench::benchBoth", "HEAD~1", "HEAD"]]);
    for (id, status) in document.statuses() {
        assert_eq!(status, "ok", "{id}");
    }
    assert_eq!(document.cases().len(), 4);
    dir.assert_nothing_is_left();
}

#[test]
fn a_case_whose_calls_were_changed_is_still_compared() {
    let dir = Dir::repository();
    let class =
        |calls: u32| format!("    /** @Revs({calls}) */\n    public function benchRevs(): void {{ md5('x'); }}");
    dir.php("RevsBench", &class(100)).commit("one");
    dir.php("RevsBench", &class(200)).commit("two");
    let document = dir.compare_calibrated("HEAD~1", "HEAD", &["--json"]).finish(0).document();
    assert_eq!(document.compared(), [["RevsBench::benchRevs", "HEAD~1", "HEAD"]]);
    assert_eq!(document.case("RevsBench::benchRevs@HEAD~1")["iterations"], 100);
    assert_eq!(document.case("RevsBench::benchRevs@HEAD")["iterations"], 200);
}

#[test]
fn a_revision_can_be_compared_with_itself() {
    let dir = Dir::two_commits();
    let document = dir.compare("HEAD", "HEAD", &["--json"]).finish(0).document();
    assert_eq!(document.compared(), [["WorkBench::benchWork", "HEAD", "HEAD again"]]);
    let document = dir.compare(".", ".", &["--json"]).finish(0).document();
    assert_eq!(document.compared(), [["WorkBench::benchWork", "working tree", "working tree again"]]);
    dir.assert_nothing_is_left();
}

#[test]
fn several_runtimes_are_compared_across_the_revisions_each_with_itself() {
    let dir = Dir::two_commits();
    let runtimes = ["--runtime", "a=php", "--runtime", "b=php -n", "--json"];
    let document = dir.compare("HEAD~1", "HEAD", &runtimes).finish(0).document();
    let pairs = [["WorkBench::benchWork", "a HEAD~1", "a HEAD"], ["WorkBench::benchWork", "b HEAD~1", "b HEAD"]];
    assert_eq!(document.compared(), pairs);
    dir.assert_nothing_is_left();
}

#[test]
fn names_that_stand_for_nothing_are_refused_with_near_ones() {
    let dir = Dir::two_commits();
    dir.git(&["tag", "v1.0"]);
    for (base, candidate, messages) in [
        ("mian", "HEAD", &["`mian` is neither a git revision nor a stored run", "did you mean `main`?"][..]),
        ("HEAD", "v1.1", &["`v1.1` is neither", "did you mean `v1.0`?"]),
        ("HEAD~7", "HEAD", &["there is no revision `HEAD~7`"]),
        ("git:nowhere", ".", &["there is no revision `nowhere`"]),
        ("run:nowhere", ".", &["there is no store at"]),
        ("", "HEAD", &["`` is neither a git revision nor a stored run"]),
        ("HEAD:WorkBench.php", "HEAD", &["`HEAD:WorkBench.php` is a blob, not a commit"]),
    ] {
        let shown = dir.compare(base, candidate, &[]).finish(2);
        shown.says_once(messages).never_says(&["pilot", "panicked"]);
        assert_eq!(shown.stdout, "", "{base} {candidate}");
    }
    assert!(!dir.path().join(".tare").exists(), "nothing was measured, and something was made");
    dir.run(&["."]).finish(0);
    dir.compare("run:nowhere", "HEAD", &[]).finish(2).says_once(&["no run is called \"nowhere\""]);
}

#[test]
fn without_a_repository_or_commits_that_is_told() {
    let dir = Dir::new();
    dir.good();
    // The root lies above the folder that somebody stands in, who may not know why.
    let mark = format!(
        "{} makes this folder the project's root",
        dir.path().canonicalize().unwrap().join("tare.toml").display()
    );
    dir.compare(".", "HEAD", &[])
        .finish(2)
        .says_once(&["not in a git repository, so it has no revisions to compare", &mark]);
    dir.git(&["init", "--quiet"]);
    dir.compare("HEAD", ".", &[]).finish(2).says_once(&["the repository has no commits yet"]);
    assert!(!dir.path().join(".tare").exists());
}

#[test]
fn a_name_that_is_both_a_revision_and_a_run_has_to_be_told_apart() {
    let dir = Dir::two_commits();
    dir.git(&["tag", "v1"]);
    dir.run(&[".", "--tag", "v1", "--tag", "before"]).finish(0);
    dir.compare("v1", "HEAD", &[])
        .finish(2)
        .says_once(&["`v1` is a git revision and the stored run", "write git:v1 or run:v1"]);
    let document = dir.compare("git:v1", ".", &["--json"]).finish(0).document();
    assert_eq!(document.compared()[0][2], "working tree");
    for (base, candidate) in [("run:v1", "HEAD"), ("HEAD", "run:v1"), ("before", ".")] {
        let shown = dir.compare(base, candidate, &[]).finish(2);
        shown
            .says_once(&["is a stored run and", "name two of a kind, or measure and compare with `tare run --against"]);
    }
    dir.assert_nothing_is_left();
}

#[test]
fn what_a_revision_fails_to_load_is_not_measured_in_the_other_and_the_rest_is_compared() {
    let dir = Dir::repository();
    dir.good()
        .file("WorkBench.php", "<?php\nfinal class WorkBench { public function benchWork(: void {} }\n")
        .commit("broken");
    dir.work(20).commit("mended");
    let shown = dir.compare("HEAD~1", "HEAD", &[]).finish(4);
    // What a revision fails to load is not missing in it.
    shown
        .says_once(&[
            "WorkBench.php:2",
            "syntax: HEAD~1: ",
            "not measured, because files of HEAD~1 failed to load, and these may contain the counterparts of: WorkBench::benchWork",
        ])
        .never_says(&["checkouts", "only in HEAD"]);
    let document = dir.stored();
    assert_eq!(document.compared(), [["GoodBench::benchGood", "HEAD~1", "HEAD"]]);
    assert_eq!(document.cases().len(), 2, "what has no partner was measured");
    dir.assert_nothing_is_left();
}

#[test]
fn a_revision_without_the_path_is_no_error_as_long_as_another_has_it() {
    let dir = Dir::repository();
    dir.good().commit("one");
    dir.work(20).commit("two");
    dir.compare("HEAD~1", "HEAD", &["WorkBench.php"]).finish(0).says_once(&["only in HEAD: WorkBench::benchWork"]);
    let shown = dir.compare("HEAD~1", "HEAD", &["NoBench.php"]).finish(2);
    shown.says_once(&["NoBench.php: there is no such file or folder"]).never_says(&["worktrees", "checkouts"]);
    dir.assert_nothing_is_left();
}

#[test]
fn a_base_below_resolution_has_no_ratio() {
    let dir = Dir::repository();
    dir.file("truth.toml", &exact("subject", 0.0)).commit("nothing");
    dir.file("truth.toml", &exact("subject", 50.0)).commit("something");
    let arguments = ["truth.toml", "--runtime", &simulated(""), "--launches", "6", "--samples", "5", "--seed", "7"];
    let measured = |more: &[&str]| dir.tare(&[&["compare", "HEAD~1", "HEAD"], &arguments[..], more].concat()).finish(0);
    let document = measured(&["--json"]).document();
    let pair = &document.0["comparisons"][0];
    assert!(pair["ratio"].is_null() && pair["verdict"] == "inconclusive", "{pair:#}");
    assert!(pair["warnings"].as_array().unwrap().iter().any(|one| one["code"] == "base-below-resolution"), "{pair:#}");
    measured(&[]).says_once(&["so there is no ratio to it", "`subject` can't be compared"]);
    // The other way round there is one: almost nothing of something.
    let shown = dir.tare(&[&["compare", "HEAD", "HEAD~1"], &arguments[..], &["--json"]].concat()).finish(0).document();
    assert_ne!(shown.0["comparisons"][0]["verdict"], "slower", "{:#}", shown.0["comparisons"]);
    dir.assert_nothing_is_left();
}

#[test]
fn two_names_of_one_commit_are_told_to_be_that() {
    let dir = Dir::two_commits();
    dir.git(&["branch", "other"]);
    let told = "other and HEAD are the same commit";
    dir.compare("other", "HEAD", &[]).finish(0).says_once(&[told]);
    dir.compare("HEAD~1", "HEAD", &[]).finish(0).never_says(&["the same commit"]);
    dir.compare("HEAD", "HEAD", &[])
        .finish(0)
        .says_once(&["HEAD and HEAD again are the same commit", "name another revision"]);
    dir.compare("HEAD", ".", &[]).finish(0).says_once(&["HEAD and working tree are the same commit"]);
    dir.file("WorkBench.php", "<?php class WorkBench { function benchWork() { strrev('another'); } }");
    dir.compare("HEAD", ".", &[]).finish(0).never_says(&["the same commit"]);
}
