//! Pages of loads and clocks, and how pictures of several runtimes go with the rows of comparisons.

use crate::{clocks, fixtures, load};
use tare_report::{clocks_page, html_page, load_page, profile_page, runtime_name};
use tare_results::{LoadComparison, LoadKnee, LoadStage, LoadView, ProfileFound, ProfileView};
use tare_statistics::comparison::Verdict;
use tare_statistics::{Estimate, Warning};

fn heading(page: &str) -> &str {
    page.split_once("<h1>").unwrap().1.split("</h1>").next().unwrap()
}

#[test]
fn a_load_that_says_nothing_has_no_figure_in_its_answer() {
    let mut view = load::two();
    assert!(heading(&load_page(&view)).contains("Throughput"), "{}", heading(&load_page(&view)));
    for pair in &mut view.comparisons {
        pair.comparison.verdict = Verdict::Inconclusive;
    }
    assert_eq!(heading(&load_page(&view)), "All differences may be noise");
}

#[test]
fn a_load_shows_what_does_it_again_and_what_is_to_know_of_its_comparisons() {
    let mut view = load::two();
    view.comparisons[1].comparison.warnings = vec![Warning {
        code: "not-confirmed".into(),
        message: "looked slower".into(),
        remedy: "measure longer".into(),
    }];
    let bare = load_page(&LoadView { again: None, ..view.clone() });
    assert!(!bare.contains("does it again") && bare.contains("Of the comparison of latency p50:"), "{bare}");
    assert!(bare.contains("not-confirmed") && bare.contains("measure longer"));
    view.again = Some("tare load http 'http://localhost:8080/old'".into());
    assert!(load_page(&view).contains("<code>tare load http 'http://localhost:8080/old'</code>"));
    view.again = Some("tare load http \u{202e}".into());
    assert!(!load_page(&view).contains("does it again"), "it couldn't be copied as it is shown");
}

#[test]
fn a_load_says_what_failed_which_rate_it_holds_and_what_noise_is() {
    let mut view = load::two();
    let control =
        LoadComparison { control: true, candidate: view.comparisons[0].base.clone(), ..view.comparisons[0].clone() };
    assert!(!load_page(&view).contains("id=\"controls\""));
    view.comparisons.push(control);
    let page = load_page(&view);
    let controls = page.split_once("<table id=\"controls\"").unwrap().1.split("</table>").next().unwrap();
    assert!(
        controls.contains("For comparison, targets against themselves") && controls.matches("<tr>").count() == 2,
        "{controls}"
    );
    assert!(page.matches("data-head=\"p99\"").count() == 2, "rows are read one below the other on a narrow screen");

    let first = &mut view.targets[1].operations[0];
    first.failures = vec![("http-5xx".into(), first.count)];
    let (name, count) = (view.targets[1].name.clone(), view.targets[1].operations[0].count);
    let failed = format!("{count} of {count} operations of {name} failed");
    assert!(heading(&load_page(&view)).ends_with(&failed), "{}", heading(&load_page(&view)));
    view.comparisons.clear();
    assert!(heading(&load_page(&view)).contains(&format!("{name}: all {count} operations failed")));
    assert!(!load_page(&view).contains("One target says") && load_page(&view).contains("couldn't be compared"));

    let target = &mut view.targets[0];
    target.stages =
        vec![LoadStage { rate: 500.0, ..LoadStage::default() }, LoadStage { rate: 900.0, ..LoadStage::default() }];
    target.knee = Some(LoadKnee { rate: Some(500.0), ..LoadKnee::default() });
    view.targets.truncate(1);
    let page = load_page(&view);
    assert!(heading(&page).ends_with("holds 500/s, and no more at the next stage"), "{}", heading(&page));
    assert!(page.contains("over all rates together"));
}

#[test]
fn every_candidate_of_a_load_is_told_with_its_own_base() {
    let mut view = load::two();
    view.targets =
        vec![view.targets[0].clone(), view.targets[1].clone(), view.targets[0].clone(), view.targets[1].clone()];
    let pair = view.comparisons[0].clone();
    let of =
        |candidate: &str, base: &str| LoadComparison { candidate: candidate.into(), base: base.into(), ..pair.clone() };
    view.comparisons = vec![of("new get", "old get"), of("new put", "old put")];
    view.targets[0].name = "old get".into();
    // A rate and its ± have one unit.
    view.targets[0].throughput = Some(Estimate { estimate: 6_838.0, low: -7_289.0, high: 20_965.0 });
    let page = load_page(&view);
    assert!(page.contains("<strong><bdi>new get</bdi></strong> against <strong><bdi>old get</bdi></strong>; <strong><bdi>new put</bdi></strong> against"), "{page}");
    assert!(page.contains("<td data-head=\"base\"><bdi>old put</bdi></td>") && page.contains("7k ± 14k"));
}

#[test]
fn clocks_are_told_by_language_and_their_words_are_explained() {
    let view = clocks::view();
    let page = clocks_page(&view);
    let languages: Vec<&str> =
        view.runtimes.iter().map(|one| one.name.as_str()).filter(|name| *name != "native").collect();
    assert!(heading(&page).starts_with("Reading the time costs ") && !heading(&page).contains("native"));
    assert!(languages.iter().any(|name| heading(&page).contains(&format!(" in {name}"))), "{}", heading(&page));
    // Their rates weren't found out, for want of time.
    let mut hasty = view.clone();
    hasty.runtimes.iter_mut().flat_map(|runtime| &mut runtime.clocks).for_each(|clock| clock.rate = None);
    assert!(heading(&clocks_page(&hasty)).starts_with("Reading the time costs "));
    let words = page.split_once("<section id=\"words\">").unwrap().1;
    for word in ["cost of a read", "smallest step", "coarse", "tsc", "cputime"] {
        assert!(words.contains(&format!("<dt>{word}")), "{word}: {words}");
    }
    assert!(page.contains("What follows from it") && page.contains("sleeping can't wait for less"));
}

#[test]
fn bars_of_what_is_compared_are_its_rows() {
    let mut view = fixtures::several();
    // Each side by itself was read far from what it takes beside the base.
    for variant in &mut view.variants {
        variant.variant.runtime.name.clone_from(&variant.variant.label);
        if let Some(summary) = &mut variant.summary {
            summary.time = tare_statistics::Estimate { estimate: 9_999.0, low: 9_998.0, high: 10_000.0 };
        }
    }
    let page = html_page(&view);
    let picture = page.split_once("<section id=\"more\">").unwrap().1.split("</section>").next().unwrap();
    assert_eq!(
        picture.matches("class=\"bar ").count(),
        2 * 5 * 3,
        "a bar for each case on each runtime, wide and narrow: {picture}"
    );
    assert!(!picture.contains("10.0 µs") && !picture.contains("10.000 µs") && !picture.contains("9.999"), "{picture}");
}

#[test]
fn names_of_one_class_are_told_apart_in_the_picture_of_all_changes() {
    let mut view = fixtures::several();
    for (number, pair) in view.comparisons.pairs.iter_mut().enumerate() {
        pair.title = format!("AClassWithALongName::benchOfOneThingAmongMany number {number} B");
    }
    let page = html_page(&view);
    let picture = page.split_once("class=\"forest\"").unwrap().1.split("</svg>").next().unwrap();
    assert!(!picture.contains("AClassWithALongName"), "{picture}");
}

#[test]
fn a_built_program_is_called_by_its_language_on_pages_and_not_where_another_thing_has_its_name() {
    let mut view = fixtures::several();
    let built = |view: &mut tare_results::RunView, language: &str| {
        for pair in &mut view.comparisons.pairs {
            "native".clone_into(&mut pair.base.label);
        }
        for variant in view.variants.iter_mut().map(|one| &mut one.variant).filter(|one| one.label == "php8.2") {
            "native".clone_into(&mut variant.runtime.name);
            "native".clone_into(&mut variant.label);
            language.clone_into(&mut variant.runtime.language);
        }
    };
    built(&mut view, "cpp");
    let page = html_page(&view);
    assert!(page.contains("C++") && !page.contains("native"), "{page}");
    // A branch of that name keeps it.
    let mut view = fixtures::several();
    built(&mut view, "php");
    assert!(html_page(&view).contains("native"));
    assert_eq!((runtime_name("native"), runtime_name("php8.4")), ("C++", "php8.4"));
}

/// A profile of a case, seen by a sampler.
fn profile(subject: &str, function: &str) -> ProfileView {
    ProfileView {
        case: subject.into(),
        subject: subject.into(),
        runtime: ("php".to_owned(), "8.4.1".to_owned()).into(),
        started: "2026-03-02T08:10:00Z".into(),
        tool: "excimer".into(),
        notes: Vec::new(),
        folder: ".tare/profiles/x".into(),
        again: Some("tare profile . --case 'hash$' --tool excimer".into()),
        found: ProfileFound::Stacks {
            calls: 1000,
            total: 100,
            unit: "samples".into(),
            own: vec![(function.into(), 70), ("main".into(), 30)],
            stacks: vec![(format!("main;{function}"), 70), ("main".into(), 30)],
            files: ["flame.svg".into(), "stacks.folded".into(), "raw".into()],
        },
    }
}

/// The same, all of it called by this text.
pub(crate) fn hostile_profile(text: &str) -> ProfileView {
    let mut hostile = profile(text, text);
    hostile.runtime = (text.to_owned(), text.to_owned()).into();
    hostile.tool = text.into();
    hostile.started = text.into();
    hostile.folder = text.into();
    hostile.notes = vec![text.into()];
    hostile.again = Some(text.into());
    hostile
}

#[test]
fn a_flame_graph_stands_beside_the_case_that_it_is_of() {
    let mut view = fixtures::suite();
    let one = &view.variants[2].variant;
    let (subject, runtime, title) = (one.case.id(), one.runtime.name.clone(), one.case.benchmark.clone());
    view.profiles = vec![profile(&subject, "hash"), profile("another case", "nothing")];
    for profile in &mut view.profiles {
        profile.runtime.name.clone_from(&runtime);
    }
    let page = html_page(&view);
    assert_eq!(page.matches("class=\"flame\"").count(), 1, "{page}");
    let case = page.split("<details id=").find(|part| part.contains("class=\"flame\"")).unwrap();
    assert!(
        case.contains(&title) && case.contains("Recorded by the profiler Excimer of PHP on 2026-03-02 at 08:10 UTC"),
        "{case}"
    );
    let table = case.split("class=\"flame\"").nth(1).unwrap().split("aria-details=\"").nth(1).unwrap();
    let table = table.split('"').next().unwrap();
    assert_eq!(page.matches(&format!("id=\"{table}\"")).count(), 1, "the table behind it: {table}");
    view.profiles[0].runtime.name = "another runtime".into();
    assert!(!html_page(&view).contains("class=\"flame\""));
}

#[test]
fn a_profile_has_a_page_of_its_own_and_hostile_names_are_text_there() {
    let page = profile_page(&profile("HashBench::benchHash", "hash"));
    assert!(heading(&page).starts_with("70.0 % of the time is spent in hash itself"), "{}", heading(&page));
    assert!(!page.contains("<script") && page.matches("<rect").count() == 2, "{page}");
    assert_eq!(
        page.matches(">Where the time goes<").count(),
        2,
        "the heading, and the picture's title for who can't see it: {page}"
    );
    assert!(page.contains("the profiler Excimer of PHP recorded which functions it was in: 100 samples"), "{page}");
    assert!(page.contains("<code>tare profile . --case 'hash$' --tool excimer</code>"), "{page}");
    let mut counted = profile("a", "b");
    counted.found = ProfileFound::Counts {
        what: "instructions".into(),
        calls: (10, 20).into(),
        per_call: 1234.0,
        raw_per_call: 1300.0,
        repeat_difference: 0.0,
        parts: vec![("<b>work".into(), 1234.0)],
    };
    let page = profile_page(&counted);
    assert!(heading(&page).contains("instructions") && page.contains("&lt;b&gt;work"), "{page}");
    let attack = "</title></style><script>alert(1)</script>\u{202e}\u{1b}[31m";
    let page = profile_page(&hostile_profile(attack));
    assert!(!page.contains("<script") && !page.contains('\u{202e}') && !page.contains('\u{1b}'), "{page}");
}
