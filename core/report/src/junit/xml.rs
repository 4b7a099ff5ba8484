use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::cases::{Case, Outcome, Suite};
use crate::answer::answer;
use crate::message::visible_message;
use crate::text::{one_line, visible, without_colour};
use tare_results::RunView;

type Xml = Writer<Vec<u8>>;

/// Lines of captured output that are kept, the last ones.
const CAPTURED: usize = 200;

pub(super) fn document(view: &RunView, suites: &[Suite]) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut writer, view, suites).expect("writing to memory does not fail");
    String::from_utf8_lossy(&writer.into_inner()).into_owned() + "\n"
}

fn write(writer: &mut Xml, view: &RunView, suites: &[Suite]) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let [tests, failures, errors, _] = counts(all());
    let mut root = writer
        .create_element("testsuites")
        .with_attribute(("name", "tare"))
        .with_attribute(("tests", tests.as_str()))
        .with_attribute(("failures", failures.as_str()))
        .with_attribute(("errors", errors.as_str()));
    let seconds = view.spent.map(|spent| format!("{:.3}", spent.wall_ns as f64 / 1e9));
    if let Some(seconds) = &seconds {
        root = root.with_attribute(("time", seconds.as_str()));
    }
    root.write_inner_content(|writer| suites.iter().try_for_each(|one| suite(writer, view, one)))?;
    Ok(())
}

/// Tests, failures, errors, skipped.
fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> [String; 4] {
    let mut counts = [0_usize; 4];
    for case in cases {
        counts[0] += 1;
        match case.outcome {
            Outcome::Passed => {}
            Outcome::Failure { .. } => counts[1] += 1,
            Outcome::Error { .. } => counts[2] += 1,
            Outcome::Skipped(_) => counts[3] += 1,
        }
    }
    counts.map(|count| count.to_string())
}

fn suite(writer: &mut Xml, view: &RunView, suite: &Suite) -> io::Result<()> {
    let [tests, failures, errors, skipped] = counts(suite.cases.iter());
    let mut element = writer
        .create_element("testsuite")
        .with_attribute(("name", suite.name))
        .with_attribute(("tests", tests.as_str()))
        .with_attribute(("failures", failures.as_str()))
        .with_attribute(("errors", errors.as_str()))
        .with_attribute(("skipped", skipped.as_str()));
    let timestamp = timestamp(&view.origin.started);
    if let Some(timestamp) = timestamp {
        element = element.with_attribute(("timestamp", timestamp));
    }
    element.write_inner_content(|writer| {
        properties(writer, view)?;
        suite.cases.iter().try_for_each(|one| case(writer, one))
    })?;
    Ok(())
}

/// `2026-03-01T14:22:07` of RFC 3339: the report has no room for a zone.
fn timestamp(started: &str) -> Option<&str> {
    let start = started.get(..19)?;
    let shape = "0000-00-00T00:00:00";
    let fits = |(c, s): (char, char)| if s == '0' { c.is_ascii_digit() } else { c == s };
    start.chars().zip(shape.chars()).all(fits).then_some(start)
}

fn properties(writer: &mut Xml, view: &RunView) -> io::Result<()> {
    let origin = &view.origin;
    let seed = origin.seed.to_string();
    let policy = origin.policy.to_string();
    let answer = answer(view);
    let own = [("answer", &answer), ("run", &origin.id), ("tare", &origin.tare), ("seed", &seed), ("policy", &policy)];
    let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
    let machine = origin.machine.iter().map(|(name, value)| (format!("machine.{name}"), value));
    writer.create_element("properties").write_inner_content(|writer| {
        own.chain(machine).try_for_each(|(name, value)| {
            let property = writer.create_element("property");
            let property = property.with_attribute(("name", attribute(&name).as_str()));
            property.with_attribute(("value", attribute(value).as_str())).write_empty().map(|_| ())
        })
    })?;
    Ok(())
}

fn case(writer: &mut Xml, case: &Case) -> io::Result<()> {
    let element = writer
        .create_element("testcase")
        .with_attribute(("name", attribute(&case.name).as_str()))
        .with_attribute(("classname", attribute(&case.class).as_str()));
    element.write_inner_content(|writer| {
        match &case.outcome {
            Outcome::Passed => {}
            Outcome::Failure { kind, message, text } => result(writer, "failure", kind, message, text)?,
            Outcome::Error { kind, message, text } => result(writer, "error", kind, message, text)?,
            Outcome::Skipped(message) => {
                writer
                    .create_element("skipped")
                    .with_attribute(("message", attribute(message).as_str()))
                    .write_empty()?;
            }
        }
        output(writer, "system-out", &case.out)?;
        output(writer, "system-err", &case.err)
    })?;
    Ok(())
}

fn result(writer: &mut Xml, element: &str, kind: &str, message: &str, text: &str) -> io::Result<()> {
    writer
        .create_element(element)
        .with_attribute(("message", attribute(message).as_str()))
        .with_attribute(("type", attribute(kind).as_str()))
        .write_text_content(BytesText::new(&content(text)))?;
    Ok(())
}

fn output(writer: &mut Xml, element: &str, text: &str) -> io::Result<()> {
    if !text.trim().is_empty() {
        writer.create_element(element).write_text_content(BytesText::new(&content(text)))?;
    }
    Ok(())
}

/// A value on one line, with what can't be seen spelt out.
fn attribute(text: &str) -> String {
    visible(&one_line(text), true).chars().filter(|c| allowed(*c)).collect()
}

/// The last lines of a text, without colours and without what XML forbids; what can't be seen is spelt out.
fn content(text: &str) -> String {
    let text = without_colour(text.trim_end());
    let lines: Vec<&str> = text.lines().collect();
    let kept = lines[lines.len().saturating_sub(CAPTURED)..].join("\n");
    let kept: String = kept.chars().filter(|c| allowed(*c)).collect();
    visible_message(&kept)
}

/// XML 1.0, section 2.2, production 2.
fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}
