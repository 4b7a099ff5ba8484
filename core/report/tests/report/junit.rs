//! JUnit's XML, read back: well formed, and of the shape that Surefire writes and Jenkins validates.

use crate::fixtures;
use std::collections::BTreeMap;

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use tare_report::junit_xml;
use tare_samples::{Failure, FailureKind, Outcome};

#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn started(start: &BytesStart) -> Self {
        let attributes = start.attributes().map(|attribute| {
            let attribute = attribute.expect("an attribute");
            let value = quick_xml::escape::unescape(&attribute.value).expect("known entities").into_owned();
            (attribute.key.as_ref().to_owned(), value)
        });
        let name = start.name().as_ref().to_owned();
        Self { name, attributes: attributes.collect(), ..Self::default() }
    }

    fn at(&self, attribute: &str) -> &str {
        self.attributes.get(attribute).map_or("", String::as_str)
    }

    fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    fn all<'a>(&'a self, name: &str) -> Vec<&'a Element> {
        let below = self.children.iter().flat_map(|child| child.all(name));
        below.chain((self.name == name).then_some(self)).collect()
    }
}

fn parse(xml: &str) -> Element {
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(allowed), "a character that XML 1.0 forbids");
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut stack = vec![Element::default()];
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(start) => stack.push(Element::started(&start)),
            Event::Empty(start) => stack.last_mut().expect("a parent").children.push(Element::started(&start)),
            Event::End(_) => {
                let done = stack.pop().expect("an element");
                stack.last_mut().expect("a parent").children.push(done);
            }
            Event::Text(text) => stack.last_mut().expect("a parent").text.push_str(&text),
            Event::GeneralRef(name) => {
                let reference = format!("&{};", &*name);
                let text = quick_xml::escape::unescape(&reference).expect("a known entity").into_owned();
                stack.last_mut().expect("a parent").text.push_str(&text);
            }
            Event::Decl(_) => {}
            Event::Eof => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    let mut root = stack.pop().expect("the document");
    assert!(stack.is_empty() && root.children.len() == 1, "one root");
    root.children.remove(0)
}

/// Attributes that must and may stand on an element, and its children in their order, after junit-10.xsd of Jenkins'
/// xUnit plugin and the reports of Surefire.
fn shape(name: &str) -> (&'static [&'static str], &'static [&'static str], &'static [&'static str]) {
    match name {
        "testsuites" => (&["name", "tests", "failures", "errors"], &["time"], &["testsuite"]),
        "testsuite" => {
            (&["name", "tests", "failures", "errors", "skipped"], &["timestamp"], &["properties", "testcase"])
        }
        "properties" => (&[], &[], &["property"]),
        "property" => (&["name", "value"], &[], &[]),
        "testcase" => (&["name", "classname"], &[], &["skipped", "error", "failure", "system-out", "system-err"]),
        "failure" | "error" => (&["message", "type"], &[], &[]),
        "skipped" => (&["message"], &[], &[]),
        "system-out" | "system-err" => (&[], &[], &[]),
        other => panic!("no such element: {other}"),
    }
}

fn check_shape(element: &Element) {
    let (must, may, children) = shape(&element.name);
    for name in must {
        assert!(element.attributes.contains_key(*name), "no {name} on {}", element.name);
    }
    for name in element.attributes.keys().map(String::as_str) {
        assert!(must.contains(&name) || may.contains(&name), "{name} on {}", element.name);
    }
    let places = element.children.iter().map(|child| children.iter().position(|name| *name == child.name));
    let places: Vec<usize> = places.map(|place| place.expect("an allowed child")).collect();
    assert!(places.is_sorted(), "children of {} out of order", element.name);
    element.children.iter().for_each(check_shape);
}

fn check(xml: &str) -> Element {
    let root = parse(xml);
    assert_eq!(root.name, "testsuites");
    check_shape(&root);
    for element in root.all("testsuite").into_iter().chain([&root]) {
        let count = |name: &str| element.all(name).len().to_string();
        assert_eq!(element.at("tests"), count("testcase"));
        assert_eq!(element.at("failures"), count("failure"));
        assert_eq!(element.at("errors"), count("error"));
        assert!(element.name == "testsuites" || element.at("skipped") == count("skipped"));
    }
    root
}

fn case<'a>(root: &'a Element, class: &str, name: &str) -> &'a Element {
    let cases = root.all("testcase");
    let found = cases.iter().find(|case| case.at("classname") == class && case.at("name") == name);
    found.unwrap_or_else(|| panic!("no {class} {name}"))
}

/// A warning of a variant that has no test case of its own.
fn view_of_pairs_with_warnings() -> tare_results::RunView {
    let mut view = fixtures::controlled(0.0008);
    let base = view.comparisons.judged().find(|pair| pair.base.label == "main").unwrap().base.id.clone();
    let variant = view.variants.iter_mut().find(|one| one.variant.id == base).unwrap();
    variant.summary.as_mut().unwrap().warnings.push(tare_statistics::Warning {
        code: "a".into(),
        message: "it is so".into(),
        remedy: String::new(),
    });
    view
}

#[test]
fn a_tripped_gate_is_a_failure_and_an_open_one_is_skipped() {
    let root = check(&junit_xml(&fixtures::controlled(0.0008)));
    let slower = case(&root, "comparison.HashBench", "benchHash sha1: feature/faster-hash vs main");
    let failure = slower.child("failure").expect("a failure");
    assert_eq!((failure.at("type"), failure.at("message")), ("--fail-on slower", "5.6 % slower, at least 4.7 %"));
    assert!(slower.child("system-out").unwrap().text.starts_with("slower: +5.61 % ± 0.93 (99 %)\n"));
    // Slower too, but no gate asked for it.
    let ungated = case(&root, "comparison.HashBench", "benchHash crc32: feature/faster-hash vs main");
    assert!(ungated.child("failure").is_none() && ungated.child("skipped").is_none());
    let open = case(&root, "php.HashBench", "benchHash murmur3a (feature/faster-hash)");
    assert!(open.child("skipped").unwrap().at("message").starts_with("undecided, max-time 64 ns"));
    let unsure = case(&root, "comparison.HashBench", "benchHash joaat: feature/faster-hash vs main");
    assert_eq!(unsure.child("skipped").unwrap().at("message"), "undecided");
    // Nothing was measured of it, and nothing failed.
    let proven = check(&junit_xml(&fixtures::documentation()));
    let name = r"comparison.FastRoute.Benchmark.RouteBench";
    let unchanged = case(&proven, name, "dynamicLastRoute mark: HEAD vs HEAD~1");
    assert!(unchanged.child("skipped").is_none() && unchanged.child("failure").is_none());
    let said = &unchanged.child("system-out").unwrap().text;
    assert_eq!(said, "unchanged: 41 files and 12 functions are equal");
    // Controls are no tests, nor is each side of a pair beside the pair.
    let suites = root.all("testsuite");
    let alone: Vec<&str> = suites[0].all("testcase").iter().map(|case| case.at("name")).collect();
    // A gate is on one alone, and one is in `feature/faster-hash` only.
    let wanted = ["benchHash murmur3a (feature/faster-hash)", "benchConcatenate (feature/faster-hash)"];
    assert_eq!((alone, suites[1].at("tests")), (wanted.to_vec(), "19"));
    let warned = view_of_pairs_with_warnings();
    let said =
        check(&junit_xml(&warned)).all("system-out").iter().filter(|out| out.text.contains("main: warning a")).count();
    assert_eq!(said, 1);
}

#[test]
fn failures_are_errors_and_what_was_skipped_is_skipped() {
    let root = check(&junit_xml(&fixtures::troubled()));
    let failed = case(&root, "php.StoreBench", "benchGet");
    let error = failed.child("error").expect("an error");
    assert_eq!(error.at("type"), "exception");
    assert_eq!(error.at("message"), "RuntimeException: no server at 127.0.0.1:6379");
    assert!(error.text.contains("\nsrc/Client.php:91\n"));
    assert!(failed.child("system-out").unwrap().text.starts_with("connecting to"));
    assert!(failed.child("system-err").unwrap().text.starts_with("PHP Warning:  fsockopen()"), "without colours");
    assert_eq!(case(&root, "php.SodiumBench", "benchSeal").child("skipped").unwrap().at("message"), "needs ext-sodium");
    assert_eq!(case(&root, "php.SodiumBench", "benchOpen").child("skipped").unwrap().at("message"), "interrupted");
    assert_eq!(case(&root, "files", "benchmarks/BrokenBench.php").child("error").unwrap().at("type"), "syntax");
    let measured = case(&root, "php.HashBench", "benchHash adler32");
    assert!(measured.child("system-out").unwrap().text.starts_with("time 65.93 ns ± 0.70 a call (95 %)\n"));
    assert_eq!((root.at("time"), root.all("testsuite")[0].at("timestamp")), ("12.300", "2026-03-01T14:22:07"));
}

#[test]
fn a_gate_on_something_unknown_is_not_lost() {
    let mut view = fixtures::compared();
    view.comparisons.gates[0].variant = "gone".into();
    let root = check(&junit_xml(&view));
    assert_eq!(root.at("failures"), "1");
    assert!(case(&root, "HashBench", "benchHash sha1").child("failure").is_some());
}

/// XML lets them stand, and whoever reads it in a terminal or a browser is misled.
#[test]
fn what_turns_text_around_or_can_not_be_seen_is_spelt_out() {
    let marks = ['\u{202e}', '\u{2066}', '\u{2028}', '\u{9b}'];
    let text = format!("a{}b", marks.iter().collect::<String>());
    let mut view = fixtures::hostile_comparisons(&text);
    let printed = Failure { stdout: text.clone(), ..Failure::new(FailureKind::Fatal, &text, &text) };
    view.variants[0].outcome = Outcome::Failed(printed);
    let xml = junit_xml(&view);
    assert!(!xml.contains(marks), "{xml}");
    assert!(xml.contains("a\\u{202e}\\u{2066}\\u{2028}\\u{9b}b"), "{xml}");
}

#[test]
fn an_empty_run_is_a_report_too() {
    let mut view = fixtures::suite();
    view.variants.clear();
    view.spent = None;
    let root = check(&junit_xml(&view));
    assert_eq!((root.at("tests"), root.children.len()), ("0", 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::inputs(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_the_document(text in prop_oneof![any::<String>(), "([ -~]|[\u{0}-\u{1f}\u{7f}\u{fffe}\u{ffff}\\]>]){0,40}"]) {
        let root = check(&junit_xml(&fixtures::hostile_comparisons(&text)));
        prop_assert!(root.all("testcase").len() > 20);
    }
}
