//! The comment for a pull request.

use crate::fixtures;
use insta::assert_snapshot;
use proptest::prelude::*;
use tare_report::markdown_summary;
use tare_results::{ComparisonView, ComparisonsView, GateKind, GateOutcome, GateView, RunEnd, RunView};
use tare_samples::{Failure, FailureKind};
use tare_statistics::comparison::{Comparison, Flag, Verdict};
use tare_statistics::work::{Work, WorkVerdict};

const EVIL: &str =
    "\x1b[31ma|b`c``d` @maria org/repo#12 GH-12 <script>\u{202e}[x](https://e.vil) www.e.vil\r\n# title\\";

/// A line with its code spans taken out, as GFM 6.3 finds them.
fn without_code(line: &str) -> String {
    let run = |text: &str| text.chars().take_while(|c| *c == '`').count();
    let mut out = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            let escaped: String = rest.chars().take(2).collect();
            out.push_str(&escaped);
            rest = &rest[escaped.len()..];
        } else if c == '`' {
            let length = run(rest);
            let body = &rest[length..];
            let mut at = 0;
            let end = loop {
                match body[at..].find('`') {
                    None => break None,
                    Some(found) if run(&body[at + found..]) == length => break Some(at + found),
                    Some(found) => at += found + run(&body[at + found..]),
                }
            };
            rest = match end {
                Some(end) => &body[end + length..],
                None => panic!("an open span in {line}"),
            };
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Everything that must hold of a comment, whatever is in it.
fn check(text: &str) {
    assert!(text.len() <= 65_536, "{} bytes", text.len());
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "a control character");
    assert_eq!(text.matches("\n<details>").count(), text.matches("\n</details>").count());
    for line in text.lines() {
        let bare = without_code(line);
        let bare = bare.strip_prefix("### ").unwrap_or(&bare);
        if line.starts_with('|') {
            let pipes = line.replace("\\|", "").matches('|').count();
            assert!(line.ends_with('|') && matches!(pipes, 3 | 6), "{pipes} pipes in {line}");
        }
        let bare = bare.replace("&#8203;", "\u{200b}").replace("&lt;", "");
        for mark in ['@', '#'] {
            let open = bare.match_indices(mark).any(|(at, _)| !bare[at + 1..].starts_with('\u{200b}'));
            assert!(!open, "{mark} in {line}");
        }
        let tags = ["<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>"];
        let bare = tags.iter().fold(bare, |bare, tag| bare.replace(tag, ""));
        let unescaped = |mark: char| bare.match_indices(mark).any(|(at, _)| !bare[..at].ends_with('\\'));
        assert!(!unescaped('<') && !unescaped('['), "markup in {line}");
        assert!(!bare.contains("://") && !bare.contains("www."), "a link in {line}");
    }
}

#[test]
fn what_changed_stands_on_top_and_the_rest_is_folded() {
    let text = markdown_summary(&fixtures::controlled(0.0008));
    check(&text);
    assert_snapshot!("markdown_compared", text);
}

#[test]
fn without_comparisons_it_is_a_table_of_times() {
    let text = markdown_summary(&fixtures::troubled());
    check(&text);
    assert_snapshot!("markdown_troubled", text);
}

#[test]
fn hostile_names_link_mention_and_break_nothing() {
    let text = markdown_summary(&fixtures::hostile_comparisons(EVIL));
    check(&text);
    assert_snapshot!("markdown_hostile", text);
    check(&markdown_summary(&fixtures::hostile()));
    check(&markdown_summary(&fixtures::several()));
    check(&markdown_summary(&fixtures::methods()));
}

#[test]
fn undecided_gates_are_one_line_a_rule() {
    let mut view = fixtures::controlled(0.0008);
    let gate = |pair: &ComparisonView| GateView {
        title: pair.title.clone(),
        variant: pair.candidate.id.clone(),
        base: Some(pair.base.id.clone()),
        kind: GateKind::Slower(Some(0.01)),
        rule: "slower=1%".to_owned(),
        outcome: GateOutcome::Undecided,
        message: "whether that is too slow can't be told".to_owned(),
    };
    view.comparisons.gates = view.comparisons.judged().take(12).map(gate).collect();
    let text = markdown_summary(&view);
    check(&text);
    let told: Vec<&str> = text.lines().filter(|line| line.contains("undecided**")).collect();
    assert_eq!(told.len(), 1, "{text}");
    assert!(told[0].starts_with("**12 gates undecided**, `slower=1%`: `NothingBench::benchNothing`, "), "{text}");
    assert!(told[0].ends_with(", … and 2 more"), "{text}");
    assert!(!text.contains(", gate undecided"), "a cell says one thing: {text}");
    assert!(!tare_report::answer(&view).contains("gate"), "once is enough: {text}");
    // What knows nothing of any comparison hasn't passed.
    let word = |view: &RunView| {
        let all = view.comparisons.judged().map(gate).collect();
        let comparisons = ComparisonsView { gates: all, ..view.comparisons.clone() };
        markdown_summary(&RunView {
            comparisons,
            ended: Some(RunEnd { passed: true, why: "none tripped".to_owned() }),
            ..view.clone()
        })
    };
    assert!(word(&view).contains("**Not decided:** none tripped"));
    // Nor where others are proven to be unchanged.
    let mut proven = view.clone();
    proven.comparisons.pairs[0].comparison.verdict = Verdict::Unchanged;
    let mut known = proven.comparisons.judged().map(gate).collect::<Vec<_>>();
    known.remove(0);
    proven.comparisons.gates = known;
    proven.ended = Some(RunEnd { passed: true, why: "none tripped".to_owned() });
    assert!(markdown_summary(&proven).contains("**Not decided:** none tripped"));
    proven.comparisons.gates.remove(0);
    assert!(markdown_summary(&proven).contains("**Passed:** none tripped"));
    view.ended = Some(RunEnd { passed: true, why: "none tripped".to_owned() });
    assert!(markdown_summary(&view).contains("**Passed:** none tripped"));
    // What looked different, and wasn't measured again in time, is no pass, and isn't folded.
    let mut suspect = view.clone();
    let flag = Flag { first: Verdict::Slower, pairs: 0, p_value: 0.2, claim: None };
    let flagged = &mut suspect.comparisons.pairs[0];
    flagged.comparison =
        Comparison { verdict: Verdict::Inconclusive, flag: Some(flag), confirmed: false, ..flagged.comparison.clone() };
    let text = markdown_summary(&suspect);
    assert!(text.contains("**Not decided:** none tripped"), "{text}");
    view.ended = None;
    // More than three that tripped are told by their names: the table has what each says.
    let mut tripped = view.clone();
    tripped.comparisons.gates.truncate(4);
    tripped.comparisons.gates.iter_mut().for_each(|gate| gate.outcome = GateOutcome::Tripped);
    assert!(markdown_summary(&tripped).contains("**4 gates tripped**, `slower=1%`: `"));
    tripped.comparisons.gates.truncate(3);
    assert_eq!(markdown_summary(&tripped).matches("**Gate tripped:** `").count(), 3);
    // One alone is told in full.
    view.comparisons.gates.truncate(1);
    assert!(markdown_summary(&view).contains("**Gate undecided:** `"));
    // What isn't compared has the name that the gate has for it.
    view.comparisons.gates = vec![view.comparisons.gates[0].clone(); 2];
    view.comparisons.gates.iter_mut().for_each(|gate| {
        gate.variant.clear();
        gate.title = "Else::where".to_owned();
    });
    assert!(markdown_summary(&view).contains("**2 gates undecided**, `slower=1%`: `Else::where`, `Else::where`"));
}

#[test]
fn what_work_says_of_those_whose_time_is_undecided_is_in_the_sentence() {
    let mut view = fixtures::controlled(0.0008);
    let verdicts = [WorkVerdict::Equal, WorkVerdict::Equal, WorkVerdict::Varies, WorkVerdict::More];
    let same = |pair: &&mut ComparisonView| pair.comparison.verdict == Verdict::Same;
    for (pair, verdict) in view.comparisons.pairs.iter_mut().filter(same).zip(verdicts) {
        (pair.comparison.verdict, pair.comparison.within) = (Verdict::Inconclusive, None);
        pair.work = Some(Work {
            base: 100.0,
            candidate: 101.0,
            ratio: None,
            verdict,
            varies: None,
            system_calls: None,
            allocations: None,
        });
    }
    let sentence = tare_report::answer(&view);
    assert!(sentence.contains("6 are undecided (2 do equal work, 1 more)"), "{sentence}");
    view.comparisons.pairs.iter_mut().for_each(|pair| pair.work = None);
    let sentence = tare_report::answer(&view);
    assert!(sentence.contains("6 are undecided;"), "{sentence}");
}

#[test]
fn how_the_gates_ended_and_what_failed_for_one_cause_are_said_once() {
    let mut view = fixtures::documentation();
    assert!(!markdown_summary(&view).contains("**Passed"), "no gate was asked for");
    for (passed, lead) in [(true, "**Passed:** no gate"), (false, "**Failed:** no gate")] {
        view.ended = Some(RunEnd { passed, why: format!("no gate {EVIL}") });
        let text = markdown_summary(&view);
        check(&text);
        assert_eq!(text.matches(lead).count(), 1, "{text}");
    }
    let failed = |file: &str| Failure {
        file: file.to_owned(),
        ..Failure::new(FailureKind::Load, "No module named 'nothere'".to_owned(), "install it")
    };
    view.file_failures = ["a.py", "b.py", EVIL].map(failed).to_vec();
    let text = markdown_summary(&view);
    check(&text);
    assert_eq!(text.matches("nothere").count(), 1, "{text}");
    assert!(text.contains("**Failed:** `a.py`, `b.py`, "), "{text}");
}

#[test]
fn a_commit_that_changes_nothing_needs_a_sentence() {
    let text = markdown_summary(&fixtures::documentation());
    check(&text);
    let open: Vec<&str> = text.split("<details>").next().into_iter().flat_map(str::lines).collect();
    assert_eq!(
        open,
        [
            "### All 36 benchmarks are unchanged: nothing that they execute or read differs",
            "",
            "`HEAD` (`6462cde8b1`) against `HEAD~1` (`91e2b7c4d0`)",
            "",
        ]
    );
    assert!(text.contains("<summary>36 unchanged: 41 files and 12 functions are equal</summary>"), "{text}");
    assert!(text.contains("| `dynamicLastRoute mark` | 41 files and 12 functions are equal |"), "{text}");
    let mixed = markdown_summary(&fixtures::mixed());
    check(&mixed);
    assert_snapshot!("markdown_mixed", mixed);
}

/// A run with `count` pairs more.
fn long(count: usize, title: &str) -> RunView {
    let mut view = fixtures::controlled(0.0008);
    for index in 0..count {
        let mut pair = view.comparisons.pairs[1 + index % 17].clone();
        pair.title = format!("{title}{index}");
        view.comparisons.pairs.push(pair);
    }
    view
}

#[test]
fn what_does_not_fit_is_counted() {
    let view = long(3000, "HashBench::benchHash ");
    let text = markdown_summary(&view);
    check(&text);
    let rows = text.lines().filter(|line| line.starts_with("| `")).count();
    let left: usize = text
        .lines()
        .filter_map(|line| line.strip_prefix("… and ")?.strip_suffix(" more rows, left out")?.parse::<usize>().ok())
        .sum();
    assert_eq!(rows + left, view.comparisons.judged().count());
    assert!(left > 0 && rows > 300, "{rows} rows shown, {left} left out");
    assert!(text.starts_with("### ") && text.ends_with("</sub>\n\n</details>\n"), "head and foot stay");
}

#[test]
fn wide_and_marked_characters_keep_the_bound() {
    let name = "日\u{301}\u{302}\u{303}@".repeat(300);
    let mut view = fixtures::hostile_comparisons(&name);
    let gate = view.comparisons.gates[0].clone();
    view.comparisons.gates.extend(std::iter::repeat_n(gate, 100));
    let unpaired = view.comparisons.unpaired[0].clone();
    view.comparisons.unpaired.extend(std::iter::repeat_n(unpaired, 1000));
    for index in 0..1000 {
        let mut pair = view.comparisons.pairs[1 + index % 17].clone();
        pair.comparison.warnings[0].code = format!("{index}{name}");
        view.comparisons.pairs.push(pair);
    }
    check(&markdown_summary(&view));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::inputs(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_out(text in "([ -~]|[`|@#<>\\\\\n\u{1b}\u{202e}日é]){0,40}") {
        check(&markdown_summary(&fixtures::hostile_comparisons(&text)));
    }
}

#[test]
fn what_disturbed_a_run_is_said_once_and_harmless() {
    let text = markdown_summary(&fixtures::disturbed());
    assert_eq!(text.matches("**Disturbed by** `governor powersave`, `steal 7.2 %").count(), 1, "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains("\nforged") && !text.contains("QEMU"), "{text}");
}
