//! Names and messages from outside: nothing in them runs, shows itself as something else, or asks for anything.

use super::{again, with_distributions};
use crate::pages::hostile_profile;
use crate::{clocks, fixtures, load};
use std::collections::BTreeSet;
use tare_report::{
    HistoryMark, HistoryOf, HistoryPicture, Theme, clocks_page, clocks_pictures, html_page, load_page, load_pictures,
    profile_page, run_pictures,
};
use tare_results::{ProfileView, RunView};
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

/// What an attacker may call a thing.
fn attacks() -> Vec<String> {
    let attacks = [
        "<script>alert(1)</script>",
        "</title></style></script><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "\" style=\"position:fixed",
        "-->]]>&lt;b&gt;&#60;script&#62;",
        "javascript:alert(1)",
        "../../../etc/passwd",
        "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J",
        "a\nb\r\nc\u{2028}d\u{85}e\u{b}f",
        "\u{202e}drow\u{2066}\u{200f}\u{61c}\u{200b}\u{feff}\u{ad}",
        "\u{0}\u{1}\u{7f}\u{fffe}\u{ffff}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f1e9}\u{1f1ea}",
        "أهلا بالعالم",
        "Z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}",
        "",
    ];
    let long = "<b>\u{202e}long".repeat(80_000);
    attacks.into_iter().map(str::to_owned).chain([long]).collect()
}

/// Every page that there is, of views in which all that may come from outside is this text.
fn pages(text: &str) -> Vec<(&'static str, String)> {
    let mut with_profile = again(&hostile(text), text);
    let (profiled, of) = (hostile_profile(text), &with_profile.variants[0].variant);
    with_profile.profiles = vec![ProfileView {
        subject: of.case.id(),
        runtime: (of.runtime.name.clone(), text.to_owned()).into(),
        ..profiled.clone()
    }];
    let mut imported = hostile(text);
    imported.origin.imported = Some(tare_samples::Imported {
        tool: text.into(),
        version: text.into(),
        format: text.into(),
        file: text.into(),
        digest: text.into(),
        ..Default::default()
    });
    vec![
        ("a run", html_page(&with_profile)),
        ("an imported run", html_page(&imported)),
        ("a load", load_page(&load::hostile(text))),
        ("clocks", clocks_page(&clocks::hostile(text))),
        ("a profile", profile_page(&profiled)),
    ]
}

/// Every picture as a file: its name, and what is in it.
fn files(text: &str) -> Vec<(String, String)> {
    let mut pictures = run_pictures(&hostile(text));
    pictures.extend(load_pictures(&load::hostile(text)));
    pictures.extend(clocks_pictures(&clocks::hostile(text)));
    let mark = |at: u8| HistoryMark {
        label: text.to_owned(),
        started: text.to_owned(),
        value: Some(Estimate { estimate: f64::from(at), low: 1.0, high: 9.0 }),
        apart: false,
    };
    let marks: Vec<HistoryMark> = (2..6).map(mark).collect();
    pictures.extend(
        (HistoryPicture { of: HistoryOf::Time, title: text, marks: &marks, changes: &[2], listed: 3 }).picture(),
    );
    pictures.into_iter().map(|picture| (picture.name.clone(), picture.document(Theme::System))).collect()
}

/// Fails where the text is more than text in this page or picture. `plain`: the elements that it has when all names are plain.
fn is_only_text(what: &str, attack: &str, page: &str, plain: &BTreeSet<String>) {
    let attack: String = attack.chars().take(60).collect();
    let found: BTreeSet<String> = elements(page).into_iter().collect();
    assert!(found.is_subset(plain), "{what}, {attack:?} added {:?}", found.difference(plain).collect::<Vec<_>>());
    // An attribute begins after a space inside of a tag, and attacks have a quote to end the one that they stand in.
    let tags = page.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag);
    for tag in tags {
        let has = |name: &str| tag.contains(&format!(" {name}"));
        assert!(!has("onmouseover") && !has("onerror") && !has("onload"), "{what}, {attack:?}: {tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{what}, {attack:?}: {tag}");
        assert!(!tag.contains("position:fixed"), "{what}, {attack:?}: {tag}");
    }
    let unseen = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}' | '\u{ad}')
    };
    assert!(!page.contains(unseen), "{what}, {attack:?}: {:?}", page.chars().find(|c| unseen(*c)));
    assert!(page.len() < 3_000_000, "{what}, {attack:?}: {} bytes", page.len());
}

#[test]
fn nothing_that_comes_from_outside_is_more_than_text() {
    let set = |page: &str| -> BTreeSet<String> { elements(page).into_iter().collect() };
    let plain: Vec<(&str, BTreeSet<String>, usize)> =
        pages("plain").iter().map(|(what, page)| (*what, set(page), page.matches("<script").count())).collect();
    for attack in attacks() {
        for ((what, page), (_, elements, scripts)) in pages(&attack).iter().zip(&plain) {
            is_only_text(what, &attack, page, elements);
            assert_eq!(page.matches("<script").count(), *scripts, "{what}");
        }
    }
}

#[test]
fn every_picture_is_harmless_as_a_file_and_so_is_its_name() {
    let plain: BTreeSet<String> = files("plain").iter().flat_map(|(_, picture)| elements(picture)).collect();
    assert!(files("plain").len() > 20 && !plain.contains("script"));
    for attack in attacks() {
        let files = files(&attack);
        let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), files.len(), "no file is written over another one");
        for (name, picture) in &files {
            is_only_text(name, &attack, picture, &plain);
            assert!(!picture.contains("<script") && picture.ends_with("</svg>\n"), "{name}");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
            assert!(!name.is_empty() && name.len() < 200 && name.chars().all(is_plain), "{name}");
        }
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
