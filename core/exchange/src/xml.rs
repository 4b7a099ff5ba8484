//! XML documents of others as a tree. Refused: document types, and with them entities of their own, whatever they expand to; other depth
//! than [`DEEPEST`]; what isn't well-formed.

use std::collections::BTreeMap;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::fault::{Fault, Position};
use crate::limits::{DEEPEST, LONGEST_NAME};

/// Elements of a document.
const MOST_ELEMENTS: usize = 5_000_000;

/// An element with its attributes, elements and text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
    pub(crate) line: u64,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    pub(crate) fn need(&self, name: &str) -> Result<&str, Fault> {
        self.attribute(name).ok_or_else(|| self.fault(format!("<{}> has no attribute {name}", self.name)))
    }

    /// An attribute as a number, where it is there.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            self.fault(format!("{name}={shown:?} of <{}> is not a number", self.name))
        })
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    pub(crate) fn first(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(crate) fn place(&self) -> Position {
        Position::Line(self.line)
    }

    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::new(self.place(), what)
    }
}

/// Reads a whole document: its root.
pub(crate) fn parse(bytes: &[u8]) -> Result<Element, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Fault::at_line(line, "isn't UTF-8").with_remedy("save it as UTF-8")
    })?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut lines = Lines { bytes, at: 0, line: 1 };
    let mut open: Vec<Element> = Vec::new();
    let mut root: Option<Element> = None;
    let mut elements = 0usize;
    loop {
        let event = reader.read_event().map_err(|error| {
            Fault::new(lines.place_at(reader.error_position()), format!("not valid XML: {error}"))
                .with_remedy("write the file again with its tool; it may be incomplete")
        })?;
        let line = lines.line_at(reader.buffer_position());
        let fault = |what: String| Fault::new(Position::Line(line), what);
        match event {
            Event::Start(start) | Event::Empty(start) if root.is_some() && open.is_empty() => {
                return Err(fault(format!("a second root, <{}>", shown(start.name().as_ref()))));
            }
            Event::Start(start) => {
                elements += 1;
                if open.len() >= DEEPEST {
                    return Err(fault(format!("more than {DEEPEST} elements within each other")));
                }
                open.push(element(&start, line)?);
            }
            Event::Empty(start) => {
                elements += 1;
                close(&mut open, &mut root, element(&start, line)?);
            }
            Event::End(_) => {
                if let Some(done) = open.pop() {
                    close(&mut open, &mut root, done);
                }
            }
            Event::Text(text) => {
                append(&mut open, &text, line)?;
            }
            Event::CData(text) => {
                append(&mut open, &text, line)?;
            }
            Event::GeneralRef(reference) => {
                let text = match reference.resolve_char_ref().map_err(|error| fault(error.to_string()))? {
                    Some(character) => character.to_string(),
                    None => {
                        let own = resolve_xml_entity(&reference);
                        own.ok_or_else(|| fault(format!("the entity &{}; isn't one of XML's own", shown(&reference))))?
                            .to_owned()
                    }
                };
                append(&mut open, &text, line)?;
            }
            Event::DocType(_) => {
                return Err(fault(
                    "a document type, which files of benchmarks don't have; Tare doesn't read its entities".to_owned(),
                )
                .with_remedy("take the <!DOCTYPE …> out if you trust the rest"));
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
        if elements > MOST_ELEMENTS {
            return Err(Fault::of_file(format!("more than {MOST_ELEMENTS} elements")));
        }
    }
    if let Some(unclosed) = open.last() {
        let what = format!("<{}>, which begins in line {}, has no end", shown(&unclosed.name), unclosed.line);
        return Err(Fault::new(lines.place_at(bytes.len() as u64), what)
            .with_remedy("write the file again with its tool; it may be incomplete"));
    }
    root.ok_or_else(|| Fault::of_file("no XML: there is no element in it"))
}

fn element(start: &BytesStart<'_>, line: u64) -> Result<Element, Fault> {
    let fault = |what: String| Fault::new(Position::Line(line), what);
    let mut element = Element { name: start.name().as_ref().to_owned(), line, ..Element::default() };
    // A second attribute of the same name is an error of the iterator.
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| fault(error.to_string()))?;
        let value =
            attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| fault(error.to_string()))?.into_owned();
        if value.len() > LONGEST_NAME {
            return Err(fault(format!("an attribute of {} bytes; {LONGEST_NAME} is the most", value.len())));
        }
        element.attributes.insert(attribute.key.as_ref().to_owned(), value);
    }
    Ok(element)
}

fn close(open: &mut [Element], root: &mut Option<Element>, done: Element) {
    match open.last_mut() {
        Some(parent) => parent.children.push(done),
        None => *root = Some(done),
    }
}

fn append(open: &mut [Element], text: &str, line: u64) -> Result<(), Fault> {
    let Some(element) = open.last_mut() else {
        return match text.trim().is_empty() {
            true => Ok(()),
            false => Err(Fault::new(Position::Line(line), "text outside of any element")),
        };
    };
    if element.text.len() + text.len() > LONGEST_NAME {
        return Err(Fault::new(Position::Line(line), format!("a text of more than {LONGEST_NAME} bytes")));
    }
    element.text.push_str(text);
    Ok(())
}

fn shown(name: &str) -> String {
    name.chars().take(60).collect()
}

/// Lines of positions that only grow.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn line_at(&mut self, position: u64) -> u64 {
        let to = (position as usize).clamp(self.at, self.bytes.len());
        self.line += self.bytes[self.at..to].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = to;
        self.line
    }

    /// Line and column, in bytes from 1.
    fn place_at(&mut self, position: u64) -> Position {
        let line = self.line_at(position);
        let begin = self.bytes[..self.at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        Position::Column(line, (self.at - begin + 1) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_document_is_a_tree() {
        let root =
            parse(b"<?xml version=\"1.0\"?>\n<a x='1 &lt; 2'>\n  <b n=\"2.5\"/>t&amp;&#65;<![CDATA[<c>]]></a>\n")
                .unwrap();
        assert_eq!((root.name.as_str(), root.attribute("x"), root.text.trim()), ("a", Some("1 < 2"), "t&A<c>"));
        let b = root.first("b").unwrap();
        assert_eq!((b.number("n").unwrap(), b.number("m").unwrap(), b.line), (Some(2.5), None, 3));
    }

    #[test]
    fn what_is_hostile_or_broken_is_refused_with_its_line() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<x>&b;</x>";
        for (text, said) in [
            (bomb, "f:1: a document type"),
            ("<a>\n&b;</a>", "f:2: the entity &b; isn't one of XML's own"),
            ("<a>\n<b></a>", "f:2:4: not valid XML"),
            ("<a>\n<b>", "f:2:4: <b>, which begins in line 2, has no end"),
            ("<a x='1' x='2'/>", "f:1: "),
            ("<a x='&no;'/>", "f:1: "),
            ("<a/><b/>", "a second root, <b>"),
            ("<a/>x", "text outside of any element"),
            ("", "no XML: there is no element"),
            ("<a>&#0;</a>", "f:1: "),
        ] {
            let refusal = parse(text.as_bytes()).unwrap_err().in_file("f").to_string();
            assert!(refusal.contains(said), "{text}: {refusal}");
        }
        let deep = "<a>".repeat(100_000);
        assert!(parse(deep.as_bytes()).unwrap_err().to_string().contains("more than 64 elements"));
        assert!(parse(b"<a n='NaN'/>").unwrap().number("n").is_err());
    }
}
