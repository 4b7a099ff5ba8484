//! Pictures of their own: how many marks they hold, and that no name in them is more than text.

use crate::fixtures;
use tare_report::{
    HistoryMark, HistoryOf, HistoryPicture, Picture, Theme, clocks_page, clocks_pictures, load_page, load_pictures,
    run_pictures,
};
use tare_results::{
    ClockRow, ClocksView, LoadLatency, LoadMemory, LoadOperation, LoadSecond, LoadTarget, LoadView, RunView,
    RuntimeClocks, WaitRow,
};
use tare_statistics::Estimate;
use tare_statistics::clocks::{ClockFigures, Spread};

fn sweep(name: &str, runtimes: &[&str]) -> RunView {
    let mut view = fixtures::suite();
    view.variants.clear();
    for size in [100, 200, 400, 800, 1600] {
        for (at, runtime) in runtimes.iter().enumerate() {
            let time = 40.0 + 3.0 * f64::from(size) * (at + 1) as f64;
            let mut variant = fixtures::ok(name, Some(&format!("set {size}")), time, time * 0.01);
            variant.variant.case.parameters.values =
                vec![("n".into(), size.to_string()), (format!("k{name}"), name.to_owned())];
            variant.variant.runtime.name = (*runtime).to_owned();
            variant.variant.label = (*runtime).to_owned();
            variant.variant.id = format!("{size}@{at}");
            view.variants.push(variant);
        }
    }
    view
}

fn load(name: &str) -> LoadView {
    let latency = LoadLatency {
        curve: (0..90).map(|p| (f64::from(p), 1_000 + u64::from(p as u32))).collect(),
        ..LoadLatency::default()
    };
    let second = |second: u32| LoadSecond {
        second,
        succeeded: 100,
        failed: u64::from(second % 2),
        p50: Some(1_000),
        p99: Some(5_000),
        max: Some(9_000),
    };
    let target = || LoadTarget {
        name: name.to_owned(),
        duration_s: 10.0,
        throughput: Some(Estimate { estimate: 100.0, low: 99.0, high: 101.0 }),
        operations: vec![LoadOperation {
            name: name.to_owned(),
            count: 1000,
            latency: Some(latency.clone()),
            ..LoadOperation::default()
        }],
        series: (0..10).map(second).collect(),
        memory: vec![LoadMemory { worker: 0, rss_bytes: Some(1 << 20), ..LoadMemory::default() }],
        about: name.to_owned(),
        failure: Some(name.to_owned()),
        ..LoadTarget::default()
    };
    LoadView {
        targets: vec![target(), target()],
        run: name.to_owned(),
        tags: vec![name.to_owned()],
        gates: vec![name.to_owned()],
        ..LoadView::default()
    }
}

fn clocks(name: &str) -> ClocksView {
    let spread = |median: f64| Spread { min: median * 0.9, median, p99: median * 2.0 };
    let clock = ClockRow {
        name: name.to_owned(),
        refused: None,
        seen: ClockFigures { step: Some(20.0), read: Some(spread(25.0)), ..ClockFigures::default() },
        reads_a_block: 100,
        rate: None,
        frequency_hz: None,
        system_call: Ok(false),
        findings: Vec::new(),
    };
    let refused = ClockRow { refused: Some(name.to_owned()), ..clock.clone() };
    let wait = |requested_ns: i64| WaitRow {
        call: name.to_owned(),
        requested_ns,
        times: 9,
        taken: Ok(spread(requested_ns as f64 + 5e4)),
    };
    let runtime = RuntimeClocks {
        name: name.to_owned(),
        clocks: vec![clock, refused],
        waits: [1_000, 10_000, 1_000_000].map(wait).to_vec(),
        ..RuntimeClocks::default()
    };
    ClocksView { runtimes: vec![runtime], ..ClocksView::default() }
}

fn dots(picture: &Picture) -> usize {
    picture.document(Theme::Light).matches("class=\"dot ").count()
}

fn of<'a>(pictures: &'a [Picture], start: &str) -> &'a Picture {
    pictures.iter().find(|picture| picture.name.starts_with(start)).unwrap_or_else(|| panic!("no picture {start}"))
}

#[test]
fn a_sweep_has_a_mark_for_each_size_and_says_how_it_grows() {
    let pictures = run_pictures(&sweep("Sort::bench", &["php"]));
    let picture = of(&pictures, "sweep-1");
    // The legend has one, too.
    assert_eq!(dots(picture), 5 + 1);
    let said = picture.figure().into_string();
    assert!(said.contains("Grows as O(n)") && said.contains("power of 0.9"), "{said}");
    assert!(pictures.iter().all(|picture| picture.name != "runtimes"));
}

#[test]
fn runtimes_stand_side_by_side_as_bars_and_where_they_are_many_as_cells() {
    let pictures = run_pictures(&sweep("Sort::bench", &["php8.2", "php8.4"]));
    assert_eq!(of(&pictures, "runtimes").document(Theme::Light).matches("class=\"bar ").count(), 10);
    let many: Vec<String> = (0..8).map(|number| format!("php{number}")).collect();
    let names: Vec<&str> = many.iter().map(String::as_str).collect();
    let pictures = run_pictures(&sweep("Sort::bench", &names));
    let matrix = of(&pictures, "runtimes").document(Theme::Light);
    assert_eq!(matrix.matches("<rect class=\"cell ").count(), 5 * 8);
    assert!(matrix.contains("×2.") && matrix.contains("×1.00"), "{matrix}");
}

#[test]
fn loads_and_clocks_have_their_pictures() {
    let pictures = load_pictures(&load("server"));
    let names: Vec<&str> = pictures.iter().map(|picture| picture.name.as_str()).collect();
    assert_eq!(names, ["latency", "throughput", "latency-in-time", "failures", "memory"]);
    assert_eq!(dots(of(&pictures, "throughput")), 2 * 10 + 2);
    let pictures = clocks_pictures(&clocks("monotonic"));
    assert_eq!(of(&pictures, "clocks").document(Theme::Light).matches("class=\"bar ").count(), 2);
    assert_eq!(dots(of(&pictures, "waits")), 3 + 1);
}

#[test]
fn a_history_has_a_mark_a_run_and_a_line_a_change() {
    let mark = |time: f64| HistoryMark {
        label: "a".into(),
        started: "b".into(),
        value: Some(Estimate { estimate: time, low: time - 1.0, high: time + 1.0 }),
        apart: false,
    };
    let marks: Vec<HistoryMark> = [10.0, 10.1, 20.0, 20.2].map(mark).to_vec();
    let picture = HistoryPicture { of: HistoryOf::Time, title: "case", marks: &marks, changes: &[2], listed: 400 }
        .picture()
        .unwrap();
    assert_eq!((dots(&picture), picture.document(Theme::Light).matches("class=\"zero\"").count()), (4, 1));
    let figures = |listed: usize| {
        let page = HistoryPicture { of: HistoryOf::Time, title: "case", marks: &marks, changes: &[2], listed }
            .picture()
            .unwrap();
        page.figure().into_string()
    };
    assert!(!figures(4).contains("Of the newest") && figures(4).matches("<tr>").count() == 5);
    let newest = figures(2);
    assert!(
        newest.contains("Of the newest 2 runs the figures stand below") && newest.contains("<td>4</td>"),
        "{newest}"
    );
    assert!(!newest.contains("<td>2</td>"), "{newest}");
    assert!(
        HistoryPicture { of: HistoryOf::Time, title: "case", marks: &[], changes: &[], listed: 400 }
            .picture()
            .is_none()
    );
}

#[test]
fn a_history_of_work_has_gaps_and_counts_in_its_table() {
    let mark = |count: Option<f64>, apart: bool| HistoryMark {
        label: "a".into(),
        started: "b".into(),
        value: count.map(|count| Estimate { estimate: count, low: count, high: count }),
        apart,
    };
    let marks = [
        (Some(50_250.0), false),
        (Some(50_250.0), false),
        (None, false),
        (Some(50_501.5), false),
        (Some(40_000.0), true),
    ]
    .map(|(count, apart)| mark(count, apart));
    let picture = |marks: &[HistoryMark]| {
        HistoryPicture { of: HistoryOf::Work, title: "case", marks, changes: &[3], listed: 400 }.picture()
    };
    let found = picture(&marks).unwrap();
    let svg = found.document(Theme::Light);
    // One of the stretches has more than a run, and none has an interval.
    assert_eq!((dots(&found), svg.matches("class=\"line ").count(), svg.matches("class=\"error").count()), (4, 1, 0));
    let page = found.figure().into_string();
    assert!(page.contains("<td>50250</td>") && page.contains("<td>50502</td>") && !page.contains("legend"), "{page}");
    assert!(page.contains("1 change of work, at the upright line. The upright axis doesn't begin at 0."), "{page}");
    assert!(picture(&marks[2..3]).is_none());
    // The second run counts as the first.
    assert_eq!(page.matches("<td>50250</td>").count(), 1, "{page}");
    assert!(page.contains("A run that counts the same as the one before it has no row."), "{page}");
}

/// What is written between `<` and `>`.
fn elements(text: &str) -> Vec<&str> {
    text.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()).collect()
}

#[test]
fn whatever_a_name_holds_it_is_short_text() {
    let megabyte = "m".repeat(1 << 20);
    let names = [
        "<script>alert(1)</script>",
        "</title></style><b>",
        "a\u{1b}[31m\n\u{202e}b\u{0}",
        "\u{feff}🎉'\"&",
        &megabyte,
    ];
    let plain = |name: &str| {
        let mut texts: Vec<String> = vec![load_page(&load(name)), clocks_page(&clocks(name))];
        let runs = run_pictures(&sweep(name, &[name, "other"]));
        let mark = HistoryMark {
            label: name.into(),
            started: name.into(),
            value: Some(Estimate { estimate: 1.0, low: 0.9, high: 1.1 }),
            apart: false,
        };
        let history = HistoryPicture { of: HistoryOf::Time, title: name, marks: &[mark], changes: &[], listed: 1 }
            .picture()
            .unwrap();
        for picture in
            runs.iter().chain(&load_pictures(&load(name))).chain(&clocks_pictures(&clocks(name))).chain([&history])
        {
            assert!(
                picture.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                "{}",
                picture.name
            );
            texts.push(picture.document(Theme::System));
            texts.push(picture.figure().into_string());
        }
        texts
    };
    for name in names {
        for text in plain(name) {
            assert!(text.len() < 200_000, "{} bytes", text.len());
            assert!(
                !text.chars().any(|c| matches!(c, '\u{1b}' | '\u{0}' | '\u{202e}' | '\u{feff}')),
                "an acting character"
            );
            let inside = elements(&text);
            assert!(inside.iter().all(|element| !element.starts_with("script") && *element != "b"), "{name}");
        }
    }
}
