//! Comparisons as a person sees them, at the widths of real terminals.

use crate::fixtures;
use insta::assert_snapshot;
use tare_report::{TableOptions, junit_xml, markdown_summary, run_table};
use tare_results::{ComparisonKind, ComparisonView, RunView};
use tare_samples::{About, Failure, FailureKind, Outcome};
use tare_statistics::comparison::{Flag, Verdict};
use tare_statistics::{Estimate, Warning};

fn at(width: usize) -> TableOptions {
    TableOptions { width, ..TableOptions::default() }
}

/// The report without its last paragraph, which other snapshots hold.
fn top(text: &str) -> &str {
    // The last paragraph says where the figures come from.
    text.rsplit_once("\n\n").map_or(text, |(above, _)| above)
}

const EVIL: &str = "\x1b[2J\x1b[31mred\u{202e}drow\r\nnewline|`@maria` #12 <b>";

#[test]
fn two_revisions() {
    assert_snapshot!("compared_120", run_table(&fixtures::controlled(0.0008), &at(120)));
    assert_snapshot!("compared_100", top(&run_table(&fixtures::controlled(0.0008), &at(100))));
    assert_snapshot!("compared_80", top(&run_table(&fixtures::controlled(0.0008), &at(80))));
    assert_snapshot!("compared_50", top(&run_table(&fixtures::controlled(0.0008), &at(50))));
}

#[test]
fn what_is_unchanged_takes_few_lines() {
    for width in [80, 100] {
        let text = run_table(&fixtures::documentation(), &at(width));
        assert_snapshot!(format!("documentation_{width}"), text);
        // The last line of ten is the exit status.
        assert!(text.lines().count() < 10, "{text}");
    }
    let all = run_table(&fixtures::documentation(), &TableOptions { all_rows: true, ..at(100) });
    assert_eq!(all.matches("41 files and 12 functions are equal").count(), 36, "{all}");
    assert_snapshot!("mixed_100", run_table(&fixtures::mixed(), &at(100)));
    assert_snapshot!("mixed_80", run_table(&fixtures::mixed(), &at(80)));
}

#[test]
fn many_that_failed_on_both_sides_stand_once_below_by_their_cause() {
    let mut view = fixtures::documentation();
    let why = Failure::new(FailureKind::Exception, "there is no function simpleDispatcher".to_owned(), "define it");
    for variant in &mut view.variants {
        (variant.outcome, variant.summary) = (Outcome::Failed(why.clone()), None);
    }
    for pair in &mut view.comparisons.pairs {
        (pair.comparison.verdict, pair.comparison.proof) = (Verdict::Inconclusive, None);
    }
    let text = run_table(&view, &at(100));
    assert!(text.contains("36 failed on both sides (--all-rows lists them)"), "{text}");
    assert_eq!(text.matches("no function simpleDispatcher").count(), 1, "{text}");
    assert!(text.lines().count() < 20, "{text}");
    let all = run_table(&view, &TableOptions { all_rows: true, ..at(100) });
    assert!(all.lines().count() > 36 && !all.contains("failed on both sides"), "{all}");
}

#[test]
fn in_ascii_and_in_colour() {
    let ascii = TableOptions { unicode: false, ..at(100) };
    assert_snapshot!("compared_100_ascii", top(&run_table(&fixtures::controlled(0.0008), &ascii)));
    let colour = TableOptions { colour: true, ..at(100) };
    let text = run_table(&fixtures::outlier(), &colour).replace('\x1b', "␛");
    assert_snapshot!("outlier_100_colour", text.split("\n\n").next().unwrap_or_default());
}

#[test]
fn several_runtimes_and_methods_of_a_class() {
    assert_snapshot!("two_estimands_100", top(&run_table(&fixtures::of_two_estimands(), &at(100))));
    assert_snapshot!("two_estimands_80", top(&run_table(&fixtures::of_two_estimands(), &at(80))));
    assert_snapshot!("several_100", top(&run_table(&fixtures::several(), &at(100))));
    assert_snapshot!("methods_80", top(&run_table(&fixtures::methods(), &at(80))));
}

#[test]
fn one_huge_ratio() {
    assert_snapshot!("outlier_100", top(&run_table(&fixtures::outlier(), &at(100))));
    assert_snapshot!("outlier_80", top(&run_table(&fixtures::outlier(), &at(80))));
}

#[test]
fn everything_that_is_known_of_a_pair() {
    let mut view = fixtures::controlled(0.0008);
    view.comparisons.pairs.drain(5..20);
    let text = run_table(&view, &TableOptions { verbose: true, ..at(100) });
    let start = text.find("NothingBench::benchNothing, feature").expect("details");
    let end = text.find("NothingBench::benchNothing (main)").expect("the variants' details");
    assert_snapshot!("compared_100_verbose", &text[start..end]);
}

#[test]
fn hostile_names_are_shown_and_harmless() {
    assert_snapshot!("hostile_comparisons_80", run_table(&fixtures::hostile_comparisons(EVIL), &at(80)));
}

#[test]
fn a_warning_of_all_comparisons_is_shown_with_their_noise_floor() {
    let quiet = run_table(&fixtures::controlled(0.0008), &at(100));
    assert!(
        quiet.contains("identical code read within ±0.08 % (5 controls), its intervals reach to ±0.21 %"),
        "{quiet}"
    );
    assert!(!quiet.contains("warning: noise-floor"), "{quiet}");
    let noisy = run_table(&fixtures::controlled(0.008), &at(100));
    assert!(noisy.contains("warning: noise-floor\n  identical code differed by 0.81 %, more than the margin of 0.5 %"));
}

#[test]
fn controls_are_no_rows_and_count_for_nothing() {
    let without = run_table(&fixtures::compared(), &at(100));
    let with = run_table(&fixtures::controlled(0.03), &at(100));
    for text in [&without, &with] {
        let answer = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(answer.starts_with("2 of 19 benchmarks got slower, "), "{text}");
        assert!(
            answer.contains("; 13 are the same within 0.47 %; a gate tripped. feature/faster-hash (4f2a9be07d)"),
            "{text}"
        );
    }
    assert_eq!(without.matches("benchHash adler32").count(), with.matches("benchHash adler32").count());
}

#[test]
fn what_was_not_confirmed_says_so() {
    let mut view = fixtures::compared();
    let wide = run_table(&view, &at(140));
    assert!(
        wide.contains("slower, faster: the interval lies beyond the margin of 0.5 %, and a second, fresh"),
        "{wide}"
    );
    let open = view.comparisons.pairs.iter_mut().find(|pair| pair.title.ends_with("joaat")).expect("a pair");
    open.comparison.flag = Some(Flag { first: Verdict::Slower, pairs: 0, p_value: 1.0, claim: None });
    let seen_once = run_table(&view, &at(140));
    assert!(seen_once.contains("undecided (slower, not measured again)"), "{seen_once}");
    let open = view.comparisons.pairs.iter_mut().find(|pair| pair.title.ends_with("joaat")).expect("a pair");
    open.comparison.flag = Some(Flag { first: Verdict::Slower, pairs: 8, p_value: 0.41, claim: None });
    assert!(run_table(&view, &at(140)).contains("undecided (slower at first)"));
    view.comparisons.pairs[2].comparison.confirmed = false;
    assert!(run_table(&view, &at(140)).contains("slower, not confirmed"));
    let narrow = run_table(&view, &at(72));
    let told = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("in full: HashBench::benchHash crc32 slower, not confirmed; "), "{narrow}");
    assert!(told.contains("; HashBench::benchHash joaat undecided (slower at first)"), "{narrow}");
    for pair in &mut view.comparisons.pairs {
        pair.kind = ComparisonKind::Stored;
    }
    let stored = run_table(&view, &at(140));
    assert!(stored.contains("beyond the margin of 0.5 %\n") && !stored.contains("not confirmed"), "{stored}");
}

/// An interval without 0 in it: of a hundred rows of untouched code one has it by chance.
#[test]
fn a_difference_that_is_not_called_is_undecided_by_its_first_word() {
    let mut view = fixtures::compared();
    let of = |view: &mut RunView, estimate: f64, low: f64, high: f64| {
        let open = |pair: &&mut ComparisonView| pair.title.contains("joaat");
        let pair = view.comparisons.pairs.iter_mut().find(open).expect("an undecided pair");
        pair.comparison.verdict = Verdict::Inconclusive;
        let ratio = Estimate { estimate, low, high };
        (pair.comparison.ratio, pair.comparison.typical, pair.comparison.rests_on) = (Some(ratio), None, About::Time);
        ["run_table", "markdown", "junit"].map(|format| match format {
            "run_table" => run_table(view, &at(80)),
            "markdown" => markdown_summary(view),
            _ => junit_xml(view),
        })
    };
    for (estimate, low, high, said) in [
        (0.9904, 0.9836, 0.9972, "undecided (faster?)"),
        (1.004, 1.000_02, 1.0078, "undecided (slower?)"),
        (1.6, 1.001, 2.4, "undecided (slower?)"),
        // Beyond the margin as a whole: a first look asks for more certainty than the interval that is shown.
        (0.98, 0.97, 0.99, "undecided (faster?)"),
        (1.0, 0.98, 1.02, "undecided"),
    ] {
        for text in of(&mut view, estimate, low, high) {
            assert!(text.contains(said), "{said} in {text}");
            assert!(!text.contains("perhaps within the margin"), "{text}");
        }
    }
    // What keeps it open isn't the interval, and then the row says what does.
    let open = view.comparisons.pairs.iter_mut().find(|pair| pair.title.contains("joaat")).expect("the pair");
    let warning = |code: &str| Warning { code: code.into(), message: String::new(), remedy: String::new() };
    open.comparison.warnings = vec![warning("control-differs")];
    let [_, comment, _] = of(&mut view, 1.0, 0.9977, 1.0023);
    assert!(comment.contains("undecided (the base differs from itself too)"), "{comment}");
    // A warning that speaks of another figure than the row's change has it in the row.
    let open = view.comparisons.pairs.iter_mut().find(|pair| pair.title.contains("joaat")).expect("the pair");
    open.comparison.warnings = vec![warning("means-differ")];
    open.comparison.ratio = Some(Estimate { estimate: 0.977, low: 0.96, high: 0.994 });
    open.comparison.typical = Some(Estimate { estimate: 0.99, low: 0.98, high: 1.001 });
    let comment = markdown_summary(&view);
    assert!(
        comment.contains("-2.3 % ± 1.7 | undecided (mean and typical calls disagree; typical -1.0 %)"),
        "{comment}"
    );
}

#[test]
fn times_of_a_stored_run_are_told_to_be_put_to_the_other_runs_machine() {
    let told = "the second time is the first one with the change applied";
    let mut view = fixtures::compared();
    assert!(!run_table(&view, &at(100)).contains(told), "live sides met one machine");
    for pair in &mut view.comparisons.pairs {
        pair.kind = ComparisonKind::Stored;
    }
    assert!(!run_table(&view, &at(100)).contains(told), "the change is that of the times as they are");
    for pair in &mut view.comparisons.pairs {
        pair.candidate.time = pair.candidate.time.map(|time| Estimate {
            estimate: 1.04 * time.estimate,
            low: 1.04 * time.low,
            high: 1.04 * time.high,
        });
    }
    for text in [run_table(&view, &at(100)), markdown_summary(&view)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.matches(told).count(), 1, "{text}");
        assert!(text.contains("read up to 4 % more or less"), "{text}");
    }
}

#[test]
fn without_a_ratio_the_reason_is_told() {
    let text = run_table(&fixtures::compared(), &at(100));
    let row = text.lines().find(|line| line.starts_with("NothingBench::benchNothing ")).expect("a row");
    assert!(row.contains("  base below resolution ") && row.ends_with("can't be compared"), "{row}");
    let narrow = run_table(&fixtures::compared(), &at(64));
    let mut rows = narrow.lines().skip_while(|line| *line != "NothingBench::benchNothing");
    let row = rows.nth(1).expect("a name without room stands above its row");
    assert!(row.contains("  – ") && row.ends_with("can't be compared"), "{row}");
    let told = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("NothingBench::benchNothing can't be compared (base below resolution)"), "{narrow}");
}

#[test]
fn what_is_not_compared_is_still_shown() {
    let text = run_table(&fixtures::outlier(), &at(100));
    assert!(text.contains("benchGet    failed: exception"), "{text}");
    let raw = run_table(&fixtures::outlier(), &TableOptions { raw: true, ..at(100) });
    assert!(raw.contains("  raw"), "{raw}");
}

#[test]
fn the_drawing_agrees_with_the_verdict() {
    // However narrow the axis: a line that leaves the margin crosses or passes its edge, one that isn't called reaches into it.
    for step in 0..400 {
        let mut view = fixtures::outlier();
        let pair = &mut view.comparisons.pairs[0];
        pair.comparison = fixtures::comparison(0.99 + 0.000_05 * f64::from(step), 0.002);
        let verdict = pair.comparison.verdict;
        let text = run_table(&view, &at(100));
        let row = text.lines().find(|line| line.contains("benchHash adler32")).expect("a row");
        let (left, right) = (row.find(['┊', '┼']).expect("an edge"), row.rfind(['┊', '┼']).expect("an edge"));
        let (low, high) = (row.find(['├', '●']).expect("a line"), row.rfind(['┤', '●']).expect("a line"));
        let seen = match () {
            () if low > right => Verdict::Slower,
            () if high < left => Verdict::Faster,
            () => Verdict::Inconclusive,
        };
        let called = if verdict.is_difference() { verdict } else { Verdict::Inconclusive };
        assert_eq!(seen, called, "{row}");
    }
}

#[test]
fn the_quotient_of_rates_is_the_change() {
    let mut view = fixtures::compared();
    view.comparisons.pairs.truncate(1);
    let pair = &mut view.comparisons.pairs[0];
    let at = |time: f64| Some(Estimate { estimate: time, low: time, high: time });
    // By themselves the sides differ by half, and beside each other by as much again.
    (pair.base.time, pair.candidate.time) = (at(1000.0), at(1500.0));
    pair.comparison.ratio = at(2.0);
    let sides = [(pair.base.id.clone(), 1000.0), (pair.candidate.id.clone(), 1500.0)];
    view.variants.retain_mut(|variant| {
        let Some((_, time)) = sides.iter().find(|(id, _)| *id == variant.variant.id) else { return false };
        variant.calibration.as_mut().unwrap().reported.bytes = Some(1_000_000);
        let summary = variant.summary.as_mut().unwrap();
        (summary.time, summary.below_resolution) = (at(*time).unwrap(), false);
        true
    });
    let shown = run_table(&view, &self::at(120));
    let mut lines = shown.lines().skip_while(|line| !line.contains("throughput"));
    let (head, row) = (lines.next().expect("a head"), lines.next().expect("a row"));
    let end = |line: &str, word: &str| line.find(word).map(|at| line[..at + word.len()].chars().count());
    assert_eq!(end(head, "throughput"), end(row, "500 GB/s"), "{shown}");
    assert_eq!(shown.matches("B/s").count(), 1, "the base's is the candidate's, divided by the change: {shown}");
}

#[test]
fn a_comparison_in_a_session_says_what_it_may_spend() {
    let mut view = fixtures::controlled(0.0008);
    assert!(!tare_report::brief(&view).contains("session"));
    view.comparisons.session = Some(tare_results::SessionView {
        name: "faster <b>\u{1b}".to_owned(),
        number: 12,
        level: 0.000_080_4,
        error: 0.01,
        left: 100.0 / 112.0,
    });
    let said = "it may call a difference in vain with 0.008 %, all comparisons of the session together with 1 %; 89 % of that is left.";
    // A line of prose ends at 100 columns.
    for text in [run_table(&view, &at(120)).replace('\n', " "), tare_report::brief(&view)] {
        assert!(text.contains("Comparison 12 of session `faster <b>") && text.contains(said), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    let (comment, page) = (markdown_summary(&view), tare_report::html_page(&view));
    assert!([&comment, &page].iter().all(|text| text.contains("Comparison 12 of session")));
    // In a comment it is code, in which nothing is a mark.
    assert!(!page.contains("faster <b>") && !comment.contains('\u{1b}'));
}
