//! Names and messages from outside: nothing in them runs, shows itself as something else, or asks for anything.

use super::{again, with_distributions};
use crate::fixtures;
use std::collections::BTreeSet;
use tare_report::html_page;
use tare_results::RunView;
use tare_samples::Failure;
use tare_statistics::{Estimate, Warning};

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
