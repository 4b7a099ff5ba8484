//! What stands on a page, in which order, and how much of it there is.

use super::{again, between, section, with_distributions};
use crate::fixtures;
use tare_report::html_page;
use tare_results::{ComparisonView, GateOutcome, RunView};
use tare_statistics::comparison::Verdict;
use tare_statistics::{Estimate, Warning};

/// `count` comparisons of cases of their own.
fn large(count: usize) -> RunView {
    let template = fixtures::compared();
    let judged: Vec<&ComparisonView> = template.comparisons.judged().skip(1).collect();
    let mut view = RunView { variants: Vec::new(), ..template.clone() };
    view.comparisons.pairs.clear();
    for number in 0..count {
        let mut pair = judged[number % judged.len()].clone();
        pair.title = format!("PriceListBench::benchTotalOfAllOrders customers {number}");
        for (side, name) in [(&mut pair.base, "main"), (&mut pair.candidate, "feature/hash")] {
            side.id = format!("{number}@{name}");
            let mut variant =
                fixtures::ok(&format!("PriceListBench::benchTotal{number}"), None, 80.0 + number as f64, 0.7);
            variant.variant.id.clone_from(&side.id);
            variant.variant.label = name.into();
            view.variants.push(variant);
        }
        view.comparisons.pairs.push(pair);
    }
    view
}

#[test]
fn the_answer_is_one_sentence() {
    let answer = |view: &RunView| section(&html_page(view), "<h1>", "</h1>").replace('\u{a0}', " ");
    let compared = fixtures::compared();
    let (slower, all) = (compared.comparisons.count(Verdict::Slower), compared.comparisons.judged().count());
    let said = answer(&compared);
    // How many, and by how much the one that changed most.
    assert!(said.starts_with(&format!("{slower} of {all} benchmarks got slower, <code><bdi>")), "{said}");
    assert!(said.contains("</bdi></code> most, by 5.61 %; 1 got faster, <code><bdi>"), "{said}");
    assert!(
        said.ends_with("; 2 are undecided; 1 can't be compared; 13 are the same within 0.47 %; a gate tripped"),
        "{said}"
    );
    // What was left out comes first: the rest is said of the others alone.
    let mut cut = fixtures::documentation();
    cut.comparisons.unmeasured = 64;
    let said = answer(&cut);
    assert!(said.starts_with("64 of 100 benchmarks weren't measured; 36 are unchanged"), "{said}");
    let said = answer(&fixtures::suite());
    let least = "<code><bdi>benchConcatenate</bdi></code>";
    assert!(said.starts_with(&format!("20 benchmarks measured: a call takes 41.3 ns ({least}) to 1.92 µs")), "{said}");
    assert!(said.ends_with("1 too short to measure (&lt; 0.78 ns)"), "{said}");
    assert!(answer(&fixtures::troubled()).ends_with("3 failed"));
}

#[test]
fn what_seems_to_differ_is_counted_apart_from_noise() {
    let answer = |low: f64, high: f64| {
        let mut view = fixtures::compared();
        for pair in view.comparisons.pairs.iter_mut().filter(|pair| pair.comparison.verdict == Verdict::Inconclusive) {
            pair.comparison.ratio =
                pair.comparison.ratio.map(|_| Estimate { estimate: (low * high).sqrt(), low, high });
            pair.comparison.typical = pair.comparison.ratio;
        }
        html_page(&view).replace('\u{a0}', " ")
    };
    for (low, high, seems) in [(1.002, 1.051, true), (0.949, 0.998, true), (0.99, 1.05, false)] {
        let page = answer(low, high);
        let said = section(&page, "<h1>", "</h1>");
        assert!(said.contains(" undecided"), "{low} to {high}: {said}");
        assert_eq!(page.contains("excludes &quot;no difference&quot;"), seems, "{low} to {high}");
    }
}

#[test]
fn what_matters_comes_first() {
    let page = html_page(&fixtures::compared());
    let kinds = between(section(&page, "<table id=\"rows\"", "</table>"), "<tr data-k=\"", "\"");
    let mut order: Vec<&str> = kinds.clone();
    order.dedup();
    assert_eq!(order, ["slower", "faster", "inconclusive", "same"]);
    let changes: Vec<f64> = between(section(&page, "<table id=\"rows\"", "</table>"), "class=\"n c\" data-v=\"", "\"")
        .iter()
        .take(kinds.iter().filter(|kind| **kind == "slower").count())
        .map(|value| value.parse().unwrap())
        .collect();
    assert!(changes.is_sorted_by(|a, b| a >= b), "{changes:?}");
}

#[test]
fn two_hundred_cases_fit_into_a_megabyte() {
    for launches in [10, 60] {
        let mut view = with_distributions(large(200), launches);
        for summary in view.variants.iter_mut().filter_map(|variant| variant.summary.as_mut()).step_by(3) {
            summary.warnings.push(Warning {
                code: "multimodal".into(),
                message: "the samples cluster around 81.2 ns (70 %) and 95.1 ns (30 %)".into(),
                remedy: "something switches between two speeds: look at the CPU's frequency and at other load".into(),
            });
        }
        let page = html_page(&again(&view, "tare compare main feature/hash"));
        assert!(page.len() < 1_000_000, "{} bytes with {launches} launches", page.len());
        assert_eq!(page.matches("<details id=\"c").count(), 200);
        // What is left out is told; a page of sixty has all.
        assert!(
            page.contains("The first 4 cases have all their pictures"),
            "{}",
            section(&page, "<section id=\"cases\">", "</p>")
        );
        assert_eq!(page.matches("line s0 course").count(), 8);
        let sixty = html_page(&with_distributions(large(60), launches));
        assert!(!sixty.contains("have all their pictures") && sixty.matches("line s0 course").count() == 120);
    }
}

#[test]
fn how_it_was_measured_stands_there_with_the_run_s_own_facts() {
    let command = "tare compare main feature/hash --filter 'a|b' --seed 4242";
    let page = html_page(&again(&fixtures::compared(), command));
    let method = section(&page, "<section id=\"method\">", "</section>");
    for fact in [
        "2026-03-01 at 14:22 UTC",
        "AMD EPYC 7B13 with 2 logical CPUs",
        "php 8.2.29 (opcache off, jit off, xdebug off)",
        "8 fresh processes (launches)",
        "320 timed samples",
        "99 % intervals",
        "margin of 0.5 %",
        "at most 1 % (Holm's correction)",
        "7c1e, seed 4242.",
        "php8.2 (0c3f5d9a1b), php8.2 (4f2a9be07d)",
        "tare compare main feature/hash --filter 'a|b' --seed 4242",
    ] {
        assert!(method.contains(fact), "{fact}: {method}");
    }
    // Where nothing was measured nothing is said of measuring.
    let proven = html_page(&fixtures::documentation());
    let method = section(&proven, "<section id=\"method\">", "</section>");
    assert!(
        method.contains("In 36 comparisons everything that the case executes or reads is equal on both sides"),
        "{method}"
    );
    assert!(!method.contains("an empty benchmark") && !proven.contains("<section id=\"cases\">"), "{method}");
    assert_eq!(
        proven.matches("41 files and 12 functions are equal").count(),
        36,
        "each row says what its proof covers"
    );
    assert!(html_page(&fixtures::suite()).contains("is not stored"));
    let single = html_page(&fixtures::suite());
    assert!(!section(&single, "<section id=\"method\">", "</section>").contains("Holm"));
}

#[test]
fn warnings_and_failures_come_with_what_to_do() {
    let page = html_page(&fixtures::troubled());
    assert!(section(&page, "<section id=\"next\">", "</section>").contains("3 couldn't be measured"), "{page}");
    let remedy = "something switches between two speeds";
    assert!(section(&page, "<section id=\"notes\">", "</section>").contains(remedy));
    let cases = between(&page, "<details id=", "</details>");
    let warned = cases.iter().filter(|case| case.contains("multimodal"));
    assert!(warned.clone().count() > 5 && warned.clone().all(|case| case.contains(remedy)));
    assert!(page.contains("the subject or one of its hooks threw"));
    assert!(page.contains("correct the source"));
    let gated = html_page(&fixtures::compared());
    assert!(gated.contains("gate tripped") && gated.contains("gate undecided"));
}

#[test]
fn what_tripped_stands_before_what_is_undecided_which_folds() {
    let mut view = fixtures::compared();
    let open: Vec<_> =
        view.comparisons.gates.iter().filter(|gate| gate.outcome == GateOutcome::Undecided).cloned().collect();
    view.comparisons.gates.splice(0..0, open.iter().cycle().take(20).cloned());
    let page = html_page(&view);
    let (tripped, undecided) = (page.find("gate tripped").unwrap(), page.find("21 gates undecided").unwrap());
    assert!(tripped < undecided);
    let folded = section(&page, "<details class=\"gates open\"", "</details>");
    assert!(folded.contains("… and 9 more") && !folded.contains("tripped"), "{folded}");
}

#[test]
fn what_calls_allocate_and_process_stands_among_the_figures() {
    let mut view = fixtures::suite();
    assert!(!html_page(&view).contains("B/op"));
    let calibration = view.variants[1].calibration.get_or_insert_default();
    calibration.reported.allocations = Some(tare_samples::Allocations { calls: 10, count: 25, bytes: 1_120 });
    calibration.reported.bytes = Some(4_096);
    let page = html_page(&view);
    for (name, figure) in [("(B/op)", "112"), ("(allocs/op)", "2.5")] {
        assert_eq!(page.matches(&format!("{name}</th><td>{figure}</td>")).count(), 1, "{name}");
    }
    assert!(page.contains("data processed</th><td>"), "{page}");
}

#[test]
fn revisions_are_not_called_runtimes() {
    let mut view = fixtures::suite();
    let mut again = view.variants.clone();
    for (variants, name) in [(&mut view.variants, "HEAD~1"), (&mut again, "HEAD")] {
        for variant in variants {
            variant.variant.runtime.name = name.into();
            variant.variant.runtime.at_revision("35e5ec8776".repeat(4), "php");
        }
    }
    view.variants.extend(again);
    let page = html_page(&view);
    assert!(page.contains("in 2 revisions") && page.contains("the first revision is HEAD~1"), "{page}");
    assert!(!page.contains("2 runtimes"));
    assert!(page.contains("HEAD~1 (35e5ec8776)"), "commits are abbreviated");
}

#[test]
fn where_nothing_is_on_both_sides_the_page_says_so_and_what_to_do() {
    let mut view = fixtures::suite();
    view.comparisons.unpaired =
        ["old", "new"].map(|side| tare_results::UnpairedView { title: "sort (php)".into(), side: side.into() }).into();
    let page = html_page(&view);
    assert!(page.contains("<h1>Nothing could be compared"), "{page}");
    assert!(page.contains("To compare benchmarks with different names, measure them in one run"), "{page}");
}
