//! Names of revisions and files that are meant to do harm, or only look like it.

use std::fs;

use crate::harness::{Dir, simulated};

#[test]
fn hostile_names_of_revisions_are_names_and_nothing_else() {
    let dir = Dir::two_commits();
    for name in [
        "$(touch pwned)",
        "; touch pwned",
        "`touch pwned`",
        "git:--output=pwned",
        "git:--upload-pack=touch pwned",
        "git:-n1",
        "HEAD\u{1b}[31m",
        "HEAD\n",
        "\u{202e}DAEH",
        "../../../etc/passwd",
        "HEAD^{/x\u{7}}",
        "run:'; DROP TABLE runs; --",
        "%s%n",
        &"x".repeat(100_000),
    ] {
        let shown = dir.compare(name, "HEAD", &[]).finish(2);
        assert_eq!(shown.stdout, "");
        assert!(shown.stderr.len() < 3_000, "{} bytes about {:?}", shown.stderr.len(), &name[..20]);
        shown.never_says(&["panicked", "pilot"]);
    }
    let files = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.collect();
    files.sort();
    assert_eq!(files, [".git", "WorkBench.php", "tare.toml"]);
}

#[test]
fn a_branch_may_be_called_what_git_lets_it_be_called() {
    let dir = Dir::two_commits();
    let name = "<b>&\"$(touch$IFS-pwned)|`x`;\u{202e}";
    dir.git(&["branch", name, "HEAD~1"]);
    let reports = ["--junit", "junit.xml", "--markdown", "summary.md", "--prepare", "true", "--json"];
    let document = dir.compare(name, "HEAD", &reports).finish(0).document();
    assert_eq!(document.compared(), [["WorkBench::benchWork", name, "HEAD"]]);
    let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
    assert!(junit.contains("&lt;b&gt;&amp;") && !junit.contains("<b>"), "{junit}");
    // Between back quotes nothing is markup.
    let markdown = fs::read_to_string(dir.path().join("summary.md")).unwrap();
    assert!(markdown.contains("``<b>&\"$(touch$IFS-pwned)\\|`x`;\\u{202e}``"), "{markdown}");
    assert_eq!((markdown.matches("<b>").count(), markdown.matches('\u{202e}').count()), (2, 0), "{markdown}");
    dir.tare(&["show"]).finish(0).never_says(&["\u{202e}"]);
    assert!(!dir.path().join("pwned").exists());
    dir.assert_nothing_is_left();
}

#[test]
fn control_characters_of_a_name_that_git_understands_do_not_reach_the_screen() {
    let dir = Dir::two_commits();
    dir.git(&["commit", "--quiet", "--allow-empty", "--message", "evil \u{1b}]0;pwned\u{7}"]);
    // `finish` looks for control characters.
    let shown = dir.compare("HEAD~1", ":/evil \u{1b}.0;", &[]).finish(0);
    shown.never_says(&["panicked"]);
    dir.tare(&["show"]).finish(0);
    dir.assert_nothing_is_left();
}

#[test]
fn hostile_names_of_files_are_measured_in_both_revisions() {
    let dir = Dir::repository();
    for (number, name) in
        ["-rf Bench.php", "a'b\"$(touch pwned)Bench.php", "esc\u{1b}[31mBench.php", "grüße\nBench.php"]
            .iter()
            .enumerate()
    {
        let class =
            format!("<?php\nfinal class N{number}Bench {{ public function benchIt(): void {{ md5('x'); }} }}\n");
        dir.file(name, &class);
    }
    dir.commit("one");
    dir.commit("two");
    let document = dir.compare("HEAD~1", "HEAD", &["--json"]).finish(0).document();
    assert_eq!(document.compared().len(), 4);
    let shown = dir.compare("HEAD~1", "HEAD", &[]).finish(0);
    shown.never_says(&["panicked"]);
    assert!(!dir.path().join("pwned").exists());
    dir.assert_nothing_is_left();
}

#[test]
fn a_repository_cannot_have_code_run_by_being_checked_out() {
    let dir = Dir::repository();
    let hook = |name: &str| dir.script(&format!(".git/hooks/{name}"), "#!/bin/sh\ntouch \"$PWD/pwned-by-a-hook\"\n");
    dir.file("truth.toml", "[[case]]\nname = \"x\"\n").commit("one");
    for name in ["post-checkout", "reference-transaction", "post-index-change"] {
        hook(name);
    }
    dir.compare("HEAD", ".", &["truth.toml", "--runtime", &simulated("")]).finish(0);
    let found = std::process::Command::new("find").arg(dir.path()).args(["-name", "pwned*"]).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
}

/// Git looks at the files that it keeps. Others, which a benchmark may load, are whose the folder is.
#[test]
fn a_checkout_of_another_user_is_made_anew() {
    let dir = Dir::two_commits();
    dir.compare("HEAD~1", "HEAD", &[]).finish(0);
    let tree = dir.checkout(&dir.git(&["rev-parse", "HEAD"]));
    fs::write(tree.join("phpbench.json"), r#"{"runner.bootstrap": "no-such-file.php"}"#).unwrap();
    // Only root can give a folder away.
    if std::os::unix::fs::chown(&tree, Some(65_534), None).is_err() {
        return;
    }
    dir.compare("HEAD~1", "HEAD", &[]).finish(0).says_once(&["HEAD: checking out"]);
    assert!(!tree.join("phpbench.json").exists());
    dir.assert_nothing_is_left();
}
