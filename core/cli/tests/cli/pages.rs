//! Pages: `--html` of a run and of a comparison, and `tare report` of what is stored.

use std::fs;

use crate::harness::{Dir, TRUTH, simulated};

/// What stands before the command that does it again.
const COMMAND: &str = "<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Command\"><code>";

fn page(dir: &Dir, name: &str) -> String {
    fs::read_to_string(dir.path().join(name)).unwrap()
}

fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    page.split(start).nth(1).unwrap_or_else(|| panic!("no {start}: {page}")).split(end).next().unwrap()
}

/// Two runs of the simulated cases, stored by tag.
fn stored() -> Dir {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    for (tag, seed) in [("before", "3"), ("after", "4")] {
        let options = ["run", "truth.toml", "--launches", "6", "--samples", "30", "--seed", seed, "--tag", tag];
        dir.tare(&[&options[..], &["--filter", "gaussian|nothing", "--runtime", &simulated("")]].concat()).finish(0);
    }
    dir
}

#[test]
fn a_run_writes_a_page_with_its_samples_and_the_command_that_makes_it_again() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let options = ["run", "truth.toml", "--launches", "6", "--samples", "30", "--seed", "3", "--html", "page.html"];
    let finished = dir.tare(&[&options[..], &["--runtime", &simulated("")]].concat()).finish(0);
    assert!(finished.stdout.contains("gaussian"), "the table is printed, too: {finished}");
    let written = page(&dir, "page.html");
    assert!(between(&written, "<h1>", "</h1>").contains("measured"), "{written}");
    let launches = between(&written, "class=\"launches\" d=\"", "\"");
    assert_eq!(launches.matches('z').count(), 6, "{launches}");
    let again = between(&written, COMMAND, "</code>");
    for part in ["tare run truth.toml", "--launches 6", "--samples 30", "--seed 3", "--runtime "] {
        assert!(again.contains(part), "{part}: {again}");
    }
    // What is stored gives the same page, samples and command included.
    dir.tare(&["report", "--html", "again.html"]).finish(0);
    assert_eq!(written, page(&dir, "again.html"));
}

#[test]
fn a_stored_run_by_name_or_the_newest_gives_its_page() {
    let dir = stored();
    let finished = dir.tare(&["report", "before", "--html", "one.html"]).finish(0);
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("", ""));
    dir.tare(&["report", "--html", "newest.html"]).finish(0);
    let [one, newest] = ["one.html", "newest.html"].map(|name| page(&dir, name));
    assert!(between(&one, "<header>", "</header>").contains("tagged before"));
    assert!(between(&newest, "<header>", "</header>").contains("tagged after"));
}

#[test]
fn two_stored_runs_are_compared() {
    let dir = stored();
    dir.tare(&["report", "before", "after", "--html", "two.html"]).finish(0);
    let written = page(&dir, "two.html");
    assert!(between(&written, "<h1>", "</h1>").contains(" of 2 "), "{written}");
    assert!(between(&written, "<header>", "</header>").contains("after</bdi></strong> against <strong><bdi>before"));
    assert_eq!(between(&written, COMMAND, "</code>"), "tare compare before after");
    dir.tare(&["compare", "before", "after", "--html", "compared.html"]).finish(0);
    assert_eq!(written, page(&dir, "compared.html"));
    let options = ["--margin", "3%", "--about", "typical", "--filter", "gaussian|x", "--html", "part.html"];
    dir.tare(&[&["compare", "before", "after"], &options[..]].concat()).finish(0);
    let again = "tare compare before after --filter 'gaussian|x' --margin '3%' --about typical";
    assert_eq!(between(&page(&dir, "part.html"), COMMAND, "</code>").replace("&#39;", "'"), again);
    // Samples, samples in order of time, and what the uncertainty is made of.
    assert_eq!(written.matches("class=\"panel\"").count(), 14, "one of both sides and three of each, of two cases");
}

#[test]
fn what_can_t_be_done_is_refused_and_leaves_no_page() {
    let dir = stored();
    let told = |arguments: &[&str], parts: &[&str]| {
        let finished = dir.tare(arguments).finish(2);
        for part in parts {
            assert!(finished.stderr.contains(part), "{part}: {finished}");
        }
        assert_eq!(finished.stdout, "");
    };
    told(&["report"], &["--html FILE"]);
    told(&["report", "before"], &["--html FILE"]);
    told(&["report", "unheard-of", "--html", "page.html"], &["unheard-of"]);
    told(&["report", "before", "unheard-of", "--html", "page.html"], &["unheard-of"]);
    told(&["report", "before", "after", "before", "--html", "page.html"], &["before"]);
    told(
        &["report", "--html", "no/such/folder.html"],
        &["--html no/such/folder.html", "name a file in a folder that can be written"],
    );
    told(&["report", "--html", "."], &["--html .:"]);
    told(&["report", "--html", "-"], &["--html -: Tare writes the results to standard output", "./-"]);
    told(&["report", "--svg", "-"], &["--svg -:"]);
    let markdown = ["run", "truth.toml", "--markdown", "-", "--runtime", &simulated("")];
    told(&markdown, &["--markdown -:", "`tare export RUN --format markdown` write to it"]);
    told(&["run", "truth.toml", "--events", "-", "--runtime", &simulated("")], &["--events -:"]);
    assert!(!dir.path().join("-").exists());
    let unwritable = ["run", "truth.toml", "--html", "no/folder.html", "--runtime", &simulated("")];
    told(&unwritable, &["--html no/folder.html", "name a file in a folder that can be written"]);
    assert!(!dir.path().join("page.html").exists());
    assert_eq!(dir.tare(&["log", "--json"]).finish(0).document().0["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn without_a_store_there_is_nothing_to_report() {
    let dir = Dir::new();
    let finished = dir.tare(&["report", "--html", "page.html"]).finish(2);
    assert!(!finished.stderr.is_empty(), "{finished}");
    assert!(!dir.path().join("page.html").exists() && !dir.path().join(".tare").exists());
}

#[test]
fn a_run_that_fails_before_it_measures_says_so_on_its_page() {
    let dir = Dir::new();
    dir.file("BrokenBench.php", "<?php\nfinal class BrokenBench { public function benchX(: void {} }\n");
    dir.run(&["BrokenBench.php", "--html", "page.html"]).finish(4);
    let written = page(&dir, "page.html");
    assert!(between(&written, "<h1>", "</h1>").contains("1 failed"), "{written}");
    assert!(written.contains("BrokenBench.php"));
}
