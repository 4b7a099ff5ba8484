//! Searches for the commit to blame: their texts, documents and pages.

use tare_report::{Layout, bisect_document, bisect_page, bisect_text};
use tare_results::{
    BisectCase, BisectCommit, BisectEnd, BisectHunk, BisectHunks, BisectRevision, BisectSkipped, BisectStep,
    BisectVerdict, BisectView, HunksEnd, LikeliestCommit,
};
use tare_samples::Metric;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::work::{WorkVaries, WorkVerdict};

fn ratio(estimate: f64) -> Estimate {
    Estimate { estimate, low: estimate - 0.002, high: estimate + 0.002 }
}

fn commit(number: usize) -> BisectCommit {
    BisectCommit {
        commit: format!("{number:040x}"),
        short: format!("{number:07x}"),
        parent: format!("{:040x}", number.wrapping_sub(1)),
        date: "2026-11-28T18:31:41+00:00".to_owned(),
        subject: format!("commit {number} <script>alert(1)</script>"),
    }
}

/// A search of 200 commits that found the sixtieth in three steps.
fn search(metric: Metric) -> BisectView {
    let confidence = (metric != Metric::Instructions).then_some(0.99);
    let verdict = match metric {
        Metric::Instructions => BisectVerdict::Work(WorkVerdict::More, None),
        _ => BisectVerdict::Time(Verdict::Slower),
    };
    let history: Vec<BisectCommit> = (1..=200).map(commit).collect();
    let step = |at: usize, has: bool, likeliest: usize, probability: f64| BisectStep {
        commit: history[at].commit.clone(),
        short: history[at].short.clone(),
        launches: 10,
        from_good: ratio(if has { 1.03 } else { 1.0 }),
        to_bad: ratio(if has { 1.0 } else { 1.03 }),
        whole: ratio(1.03),
        confidence,
        log_odds: if has { 3.9 } else { -3.9 },
        between: None,
        changed: if has { 0.98 } else { 0.02 },
        likeliest: LikeliestCommit { short: history[likeliest].short.clone(), probability },
    };
    let course = |from: usize, to: usize| {
        (0..200).map(|at| if (from..to).contains(&at) { 1.0 / (to - from) as f64 } else { 0.0 }).collect::<Vec<f64>>()
    };
    BisectView {
        good: BisectRevision { name: "v1.4".to_owned(), commit: "a".repeat(40) },
        bad: BisectRevision { name: "HEAD".to_owned(), commit: "b".repeat(40) },
        metric,
        cases: vec![BisectCase {
            id: "php/SumBench::benchSum".to_owned(),
            title: "SumBench::benchSum".to_owned(),
            change: Some(ratio(1.03)),
            confidence,
            verdict,
        }],
        steps: vec![step(99, true, 99, 0.02), step(49, false, 99, 0.03), step(59, true, 59, 0.97)],
        course: vec![course(0, 100), course(50, 100), course(59, 60)],
        skipped: vec![BisectSkipped {
            commit: "c".repeat(40),
            short: "ccccccc".to_owned(),
            why: "it doesn't build".to_owned(),
        }],
        unchanged: Vec::new(),
        wanted: 0.95,
        confidence: 0.97,
        end: BisectEnd::Found { commit: history[59].clone(), change: ratio(1.0298), level: confidence },
        hunks: Some(BisectHunks {
            of: 4,
            hunks: vec![BisectHunk {
                file: "src/a b.php".to_owned(),
                line: 7,
                lines: 1,
                text: "-for (;;) {\n+for (;;) { // <b>\\u{1b}".to_owned(),
            }],
            change: Some(ratio(1.0297)),
            level: confidence,
            tried: 5,
            left_out: 1,
            end: HunksEnd::Found,
        }),
        history,
        wall_ns: 39_000_000_000,
    }
}

#[test]
fn the_text_says_what_was_found_and_of_which_metric() {
    insta::assert_snapshot!(bisect_text(&search(Metric::Time)));
    let counted = bisect_text(&search(Metric::Instructions));
    assert!(
        counted.contains("made `SumBench::benchSum` execute more instructions than its parent does: +2.98 % (within ")
    );
    assert!(!counted.contains("slower") && !counted.contains("interval"), "{counted}");
    let weighed = bisect_text(&search(Metric::Memory));
    assert!(
        weighed.contains("hold more memory than its parent does") && weighed.contains("weighed afresh"),
        "{weighed}"
    );
}

#[test]
fn a_search_that_found_nothing_says_why_and_what_to_do() {
    let without = |verdict: BisectVerdict| {
        let mut view = BisectView { end: BisectEnd::NoChange, hunks: None, ..search(Metric::Instructions) };
        view.cases[0].verdict = verdict;
        (bisect_text(&view), bisect_page(&view))
    };
    for (verdict, said, remedy) in [
        (
            BisectVerdict::Work(WorkVerdict::Equal, None),
            "executes as many instructions in v1.4 as in HEAD",
            "leave --metric out",
        ),
        (BisectVerdict::Work(WorkVerdict::Varies, Some(WorkVaries::Turns)), "now more, now less", "a fixed seed"),
        (
            BisectVerdict::Work(WorkVerdict::Varies, Some(WorkVaries::Threads)),
            "threads that aren't counted",
            "leave --metric out",
        ),
        (BisectVerdict::Time(Verdict::Unchanged), "by proof", ""),
        (BisectVerdict::Time(Verdict::Inconclusive), "No difference of", "--budget"),
    ] {
        let (text, page) = without(verdict);
        assert!(text.contains(said) && text.contains(remedy), "{text}");
        assert!(page.contains(&said.replace('\'', "&#39;")) || page.contains(said), "{said}: {page}");
    }
}

#[test]
fn hunks_of_each_end_are_told() {
    let text = |end: HunksEnd, number: usize, change: Option<f64>| {
        let mut view = search(Metric::Time);
        let hunks = view.hunks.as_mut().unwrap();
        hunks.hunks = vec![hunks.hunks[0].clone(); number];
        (hunks.end, hunks.change) = (end, change.map(ratio));
        bisect_text(&view)
    };
    for (end, number, change, said) in [
        (HunksEnd::Found, 2, Some(1.03), "2 of its 4 hunks bring the change together: +3.00 %"),
        (HunksEnd::One, 1, None, "one hunk only"),
        (
            HunksEnd::All,
            4,
            Some(1.03),
            "No smaller part of its 4 hunks shows the change (5 parts were tried, 1 of them",
        ),
        (HunksEnd::Bound, 4, Some(1.03), "None of 5 parts"),
        (HunksEnd::Bound, 2, Some(1.03), "A smaller part may do"),
        (HunksEnd::Unconfirmed, 1, Some(1.001), "isn't sure"),
        (HunksEnd::Found, 30, Some(1.03), "and 22 more hunks"),
    ] {
        let text = text(end, number, change);
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn the_document_has_the_metric_and_the_hunks() {
    let of = |metric: Metric| -> serde_json::Value {
        serde_json::from_str(&bisect_document(&search(metric), Layout::Pretty)).unwrap()
    };
    let document = of(Metric::Time);
    assert_eq!((&document["metric"], &document["commits"]), (&"time".into(), &200.into()));
    assert_eq!((&document["hunks"][0]["file"], &document["hunks"][0]["line"]), (&"src/a b.php".into(), &7.into()));
    assert_eq!((&document["hunks_of"], &document["hunks_end"]), (&4.into(), &"found".into()));
    assert_eq!(document["change"]["confidence"], 0.99);
    let document = of(Metric::Instructions);
    assert_eq!((&document["metric"], &document["cases"][0]["verdict"]), (&"instructions".into(), &"more".into()));
    assert_eq!(document["change"].get("confidence"), None);
}

#[test]
fn a_page_of_a_search_has_its_steps_and_runs_nothing() {
    let page = bisect_page(&search(Metric::Time));
    assert!(!page.contains("<script") && page.contains("default-src 'none'; style-src 'unsafe-inline'"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("// &lt;b&gt;"), "{page}");
    // A mark for the version of each step in either picture, and an interval of the ends, of each step and of the commit.
    assert_eq!(page.matches("l4 7h-8z").count(), 6);
    assert_eq!(page.matches("<g id=\"f").count(), 5);
    for said in
        ["The interval of every step", "One of its 4 hunks", "it doesn", "commit 60", "against its parent", "97.0 %"]
    {
        assert!(page.contains(said), "{said}");
    }
    let without = BisectView {
        steps: Vec::new(),
        course: Vec::new(),
        end: BisectEnd::Interrupted,
        hunks: None,
        ..search(Metric::Time)
    };
    let page = bisect_page(&without);
    assert!(
        page.contains("was interrupted") && !page.contains("id=\"commits\"") && !page.contains("id=\"intervals\""),
        "{page}"
    );
}
