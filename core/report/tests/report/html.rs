//! The page: what its pictures hold, that it asks for nothing, that nothing in it runs or shows itself as something else.

use crate::fixtures;
use std::collections::BTreeSet;

use tare_report::html_page;
use tare_results::{ComparisonView, RunView};
use tare_samples::Failure;
use tare_statistics::comparison::Verdict;
use tare_statistics::{Distribution, Estimate, LaunchSpread, Warning};

/// Samples and launches around the time of each variant.
/// The run as one that this command makes again.
fn again(view: &RunView, command: &str) -> RunView {
    RunView { again: Some(command.to_owned()), ..view.clone() }
}

fn with_distributions(mut view: RunView, launches: usize) -> RunView {
    for variant in &mut view.variants {
        if let Some(summary) = &variant.summary {
            let time = summary.time.estimate;
            let launch = |number: usize| LaunchSpread {
                time: time * (1.0 + number as f64 * 1e-3),
                lower_quartile: time * 0.99,
                median: time,
                upper_quartile: time * 1.01,
            };
            variant.distribution = Some(Distribution {
                launches: (0..launches).map(launch).collect(),
                low: time * 0.97,
                high: time * 1.06,
                counts: (0..40).map(|bin| 40 - bin).collect(),
                below: 0,
                above: 3,
            });
        }
    }
    view
}

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

/// What stands between each pair of these.
fn between<'a>(page: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    page.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

fn pictures(page: &str) -> Vec<&str> {
    between(page, "<svg ", "</svg>").into_iter().filter(|svg| !svg.contains("aria-hidden")).collect()
}

fn marks(svg: &str) -> usize {
    svg.matches("class=\"mark ").count()
}

/// The element whose name and attributes hold this text, up to its end.
fn section<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    between(page, start, end)[0]
}

#[test]
fn pictures_have_a_mark_for_each_case_and_a_table_behind_them() {
    for view in
        [fixtures::compared(), fixtures::controlled(0.001), fixtures::several(), fixtures::suite(), fixtures::modes()]
    {
        let view = with_distributions(view, 10);
        let page = html_page(&view);
        let known = |pair: &&ComparisonView| pair.comparison.shown().is_some();
        let ratios = view.comparisons.judged().filter(known).count();
        for svg in pictures(&page) {
            assert!(svg.contains("role=\"img\"") && svg.contains("<title>"), "{svg}");
            let table = section(svg, "aria-details=\"", "\"");
            assert!(page.contains(&format!("<table id=\"{table}\"")), "no table {table}");
        }
        let forests: Vec<&str> =
            pictures(&page).into_iter().filter(|svg| svg.starts_with("class=\"forest\"")).collect();
        assert_eq!(forests.iter().map(|svg| marks(svg)).sum::<usize>(), ratios);
        assert_eq!(forests.len(), usize::from(ratios > 0));
        let rows: Vec<&str> = pictures(&page).into_iter().filter(|svg| svg.starts_with("class=\"row\"")).collect();
        assert!(rows.iter().all(|svg| marks(svg) == 1));
        if ratios > 0 {
            let table = section(&page, "<table id=\"rows\"", "</table>");
            assert_eq!(table.matches("<tr data-k").count(), view.comparisons.judged().count());
            assert_eq!(marks(table), ratios);
        } else {
            let resolved = |v: &&tare_results::VariantView| v.summary.as_ref().is_some_and(|s| !s.below_resolution);
            assert_eq!(rows.len(), view.variants.iter().filter(resolved).count());
        }
    }
}

#[test]
fn each_case_has_a_section_that_its_row_leads_to() {
    let view = with_distributions(fixtures::compared(), 12);
    let page = html_page(&view);
    let ids: BTreeSet<&str> = between(&page, "<details id=\"", "\"").into_iter().collect();
    let links: BTreeSet<&str> =
        between(section(&page, "<table id=\"rows\"", "</table>"), "href=\"#", "\"").into_iter().collect();
    assert_eq!(links.len(), view.comparisons.judged().count());
    assert!(links.is_subset(&ids), "{links:?} {ids:?}");
    // Every id is there once.
    let all = between(&page, " id=\"", "\"");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    let first = section(&page, "<details id=\"c1\"", "</details>");
    assert_eq!(pictures(first).len(), 2, "base and candidate side by side");
    // As many points as launches.
    let points = section(first, "class=\"launches\" d=\"", "\"");
    assert_eq!(points.matches('z').count(), 12);
    assert!(first.contains("time of each launch"));
    // 65.93 ns ± 0.70 and launches of it, each a thousandth longer.
    let single = html_page(&with_distributions(fixtures::suite(), 2));
    let adler = between(&single, "<details ", "</details>").into_iter().find(|case| case.contains("adler32")).unwrap();
    assert!(adler.contains(">65.93, 66.00 ns<"), "{adler}");
}

#[test]
fn the_answer_is_one_sentence() {
    let answer = |view: &RunView| section(&html_page(view), "<h1>", "</h1>").to_owned();
    let compared = fixtures::compared();
    let (slower, all) = (compared.comparisons.count(Verdict::Slower), compared.comparisons.judged().count());
    let said = answer(&compared);
    // How many, and by how much the one that changed most.
    assert!(said.starts_with(&format!("{slower} of {all} slower (")) && said.contains(" faster ("), "{said}");
    assert!(said.contains("the same") && said.contains("can't be told apart from noise"), "{said}");
    assert!(said.ends_with("1 can't be compared"), "{said}");
    let said = answer(&fixtures::suite());
    assert!(
        said.starts_with("20 benchmarks measured: a call takes 41.3 ns (StringBench::benchConcatenate) to 1.92 µs"),
        "{said}"
    );
    assert!(said.ends_with("1 too short to be seen (&lt; 0.78 ns)"), "{said}");
    assert!(answer(&fixtures::troubled()).ends_with("3 failed"));
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
fn the_page_asks_for_nothing_from_outside() {
    let page = html_page(&again(&with_distributions(fixtures::controlled(0.01), 10), "tare run"));
    for load in [
        "http://",
        "https://",
        "src=",
        "url(",
        "@import",
        "<link",
        "<iframe",
        "<img",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ] {
        assert!(!page.contains(load), "{load}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page.matches("<script>").count(), 1);
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
        assert_eq!(page.matches("<details ").count(), 200);
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
        "commit 4f2a9be07d",
        "tare compare main feature/hash --filter 'a|b' --seed 4242",
    ] {
        assert!(method.contains(fact), "{fact}: {method}");
    }
    assert!(html_page(&fixtures::suite()).contains("is not stored"));
    let single = html_page(&fixtures::suite());
    assert!(!section(&single, "<section id=\"method\">", "</section>").contains("Holm"));
}

#[test]
fn warnings_and_failures_come_with_what_to_do() {
    let page = html_page(&fixtures::troubled());
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

/// `text` wherever a run takes text from outside.
fn hostile(text: &str) -> RunView {
    let mut view = with_distributions(fixtures::hostile_comparisons(text), 3);
    for variant in &mut view.variants {
        variant.variant.case.benchmark = text.into();
        variant.variant.case.file = text.into();
        variant.variant.runtime.name = text.into();
        variant.variant.runtime.language = text.into();
        variant.variant.runtime.version = text.into();
        variant.variant.runtime.facts.insert(text.into(), text.into());
        if let Some(summary) = &mut variant.summary {
            summary.kernels.push((text.into(), Estimate::default()));
            summary.warnings.push(Warning { code: text.into(), message: text.into(), remedy: text.into() });
        }
    }
    let origin = &mut view.origin;
    origin.tags = vec![text.into(); 3];
    origin.tare = text.into();
    origin.git =
        [("commit", text), ("branch", text), ("dirty", text)].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    for fact in ["cpu", "cpus", "os", "kernel", "governor", "workers"] {
        origin.machine.insert(fact.into(), text.into());
    }
    origin.findings.push(tare_samples::Finding {
        runtime: text.into(),
        code: text.into(),
        level: tare_samples::FindingLevel::Disturbs,
        found: text.into(),
        effect: text.into(),
        remedy: text.into(),
    });
    view.notices.push(tare_results::NoticeView {
        level: tare_results::NoticeLevel::Error,
        message: text.into(),
        file: text.into(),
        line: 3,
        remedy: text.into(),
    });
    view.file_failures.push(Failure::new(tare_samples::FailureKind::Syntax, text, text).at(text, 1));
    view
}

/// Elements of a page, with their attributes: what an attacker must not add to.
fn elements(page: &str) -> Vec<String> {
    page.split('<').skip(1).map(|rest| rest.split(['>', ' ', '/']).next().unwrap().to_ascii_lowercase()).collect()
}

#[test]
fn nothing_that_comes_from_outside_is_more_than_text() {
    let attacks = [
        "<script>alert(1)</script>",
        "</title></style></script><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "\" style=\"position:fixed",
        "-->]]>&lt;b&gt;&#60;script&#62;",
        "javascript:alert(1)",
        "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J",
        "a\nb\r\nc\u{2028}d\u{85}e\u{b}f",
        "\u{202e}drow\u{2066}\u{200f}\u{61c}\u{200b}\u{feff}\u{ad}",
        "\u{0}\u{1}\u{7f}\u{fffe}\u{ffff}",
        "أهلا بالعالم",
        "Z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}",
        "",
    ];
    let plain: BTreeSet<String> = elements(&html_page(&again(&hostile("plain"), "plain"))).into_iter().collect();
    for attack in attacks {
        let page = html_page(&again(&hostile(attack), attack));
        let found: BTreeSet<String> = elements(&page).into_iter().collect();
        assert!(found.is_subset(&plain), "{attack:?} added {:?}", found.difference(&plain).collect::<Vec<_>>());
        assert_eq!(page.matches("<script").count(), 1, "{attack:?}");
        // An attribute begins after a space inside of a tag, and attacks have a quote to end the one that they stand in.
        let tags = page.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag);
        for tag in tags {
            assert!(
                !tag.contains("onmouseover") && !tag.contains("onerror") && !tag.contains("onload"),
                "{attack:?}: {tag}"
            );
            assert_eq!(tag.matches('"').count() % 2, 0, "{attack:?}: {tag}");
            assert!(!tag.contains("position:fixed"), "{attack:?}: {tag}");
        }
        let unseen = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}' | '\u{ad}')
        };
        assert!(!page.contains(unseen), "{attack:?}: {:?}", page.chars().find(|c| unseen(*c)));
    }
}

#[test]
fn a_name_of_a_megabyte_is_cut_and_told_once() {
    let ordinary = html_page(&hostile("name")).len();
    let huge = html_page(&hostile(&"<x".repeat(500_000)));
    assert!(huge.len() < ordinary + 1_000_000, "{} bytes, of short names {ordinary}", huge.len());
    let long = format!("{}END", "long".repeat(300));
    let mut view = fixtures::compared();
    view.comparisons.pairs[1].title = long.clone();
    view.comparisons.pairs[1].comparison.warnings.clear();
    let page = html_page(&view);
    assert_eq!(page.matches(&long).count(), 1, "in full once, below its case");
    assert!(page.matches("longlong").count() > 3);
}

#[test]
fn figures_that_are_none_are_no_coordinates() {
    let mut view = with_distributions(fixtures::controlled(0.01), 4);
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 1e-300];
    for (number, pair) in view.comparisons.pairs.iter_mut().enumerate() {
        let of = |shift: usize| strange[(number + shift) % strange.len()];
        let strange = Estimate { estimate: of(0), low: of(2), high: of(4) };
        pair.comparison.ratio = Some(strange);
        pair.base.time = Some(strange);
        pair.candidate.time = Some(strange);
        pair.comparison.margin = of(1);
        pair.comparison.confidence = of(3);
    }
    for (number, variant) in view.variants.iter_mut().enumerate() {
        let of = |shift: usize| strange[(number + shift) % strange.len()];
        if let Some(summary) = &mut variant.summary {
            summary.time = Estimate { estimate: of(0), low: of(1), high: of(2) };
        }
        if let Some(distribution) = &mut variant.distribution {
            distribution.launches[0].time = of(3);
            distribution.low = of(5);
        }
    }
    for view in [view.clone(), RunView { comparisons: tare_results::ComparisonsView::default(), ..view }] {
        let page = html_page(&view);
        for svg in between(&page, "<svg ", "</svg>") {
            for place in between(svg, " d=\"", "\"")
                .iter()
                .chain(&between(svg, " x=\"", "\""))
                .chain(&between(svg, "width=\"", "\""))
            {
                assert!(!place.contains("NaN") && !place.contains("inf"), "{svg}");
                assert!(place.len() < 9_000, "{svg}");
            }
            for width in between(svg, " width=\"", "\"") {
                assert!(!width.starts_with('-'), "{svg}");
            }
        }
    }
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
fn what_a_picture_refers_to_is_on_its_page() {
    let mut view = fixtures::suite();
    for (variant, size) in view.variants.iter_mut().zip([10, 100, 1_000, 10_000]) {
        variant.variant.case.benchmark = "Sort".into();
        variant.variant.case.parameters.name = Some(format!("n={size}"));
        variant.variant.case.parameters.values = vec![("n".into(), size.to_string())];
    }
    let page = html_page(&view);
    assert!(page.contains("aria-details=\"sweep-1-sort-t\""), "{page}");
    for target in page.split("aria-details=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert_eq!(page.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
    }
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
