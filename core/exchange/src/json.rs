//! JSON documents of others. Of members of one name the first stands, and the others are reported. No more depth than [`DEEPEST`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use crate::fault::{Fault, Position};
use crate::lenient::{NO_FIGURE, lenient};
use crate::limits::{DEEPEST, LONGEST_NAME, MOST_NOTICES, MOST_SAMPLES};
use crate::quotes;

/// A value. Arrays of numbers alone are kept as such: files hold millions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Numbers(Vec<f64>),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// Reads a whole document. `told` gets what in it doesn't count. A quote within a text that its tool didn't escape costs nothing where its place is plain.
pub(crate) fn parse(bytes: &[u8], told: &mut Vec<String>) -> Result<Json, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let noticed = told.len();
    parse_once(bytes, told).or_else(|fault| {
        let (repaired, count, line) = quotes::escaped(bytes).ok_or_else(|| fault.clone())?;
        told.truncate(noticed);
        let read = parse_once(&repaired, told).map_err(|_| fault)?;
        told.push(match count {
            1 => format!("line {line}: the tool that wrote the file left out the backslash before a quote; Tare adds it"),
            _ => format!(
                "line {line}: the tool that wrote the file left out the backslashes before {count} quotes; Tare adds them"
            ),
        });
        Ok(read)
    })
}

fn parse_once(bytes: &[u8], told: &mut Vec<String>) -> Result<Json, Fault> {
    let bytes = lenient(bytes);
    let mut reader = serde_json::Deserializer::from_slice(&bytes);
    let left = Cell::new(MOST_SAMPLES);
    let twice = RefCell::new(BTreeMap::new());
    let seed = Seed { depth: 0, left: &left, twice: &twice };
    let read = seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    for (name, times) in twice.into_inner() {
        let often = if times == 1 { "once more".to_owned() } else { format!("{times} times more") };
        told.push(format!("the member {name:?} occurs {often} in the same object; Tare uses the first"));
    }
    read.map_err(|error| {
        let place = Position::Column(error.line() as u64, error.column() as u64);
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        let remedy = match error.classify() {
            Category::Syntax => "its tool wrote invalid JSON: repair the file at this place",
            _ => "write the file again with its tool; it may be incomplete",
        };
        Fault::new(place, format!("not valid JSON: {what}")).with_remedy(remedy)
    })
}

/// What a value that isn't a number in an array of numbers takes of a document's room, in such numbers.
const OTHER: usize = 8;

#[derive(Clone, Copy)]
struct Seed<'l> {
    depth: usize,
    /// Members that stand more than once in an object, and how often more; of so many names at most as have room in a report.
    twice: &'l RefCell<BTreeMap<String, u64>>,
    /// Room that is left in the document, in numbers.
    left: &'l Cell<usize>,
}

impl Seed<'_> {
    fn take<E: serde::de::Error>(&self, room: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(room);
        self.left.set(left.ok_or_else(|| E::custom(format!("more than {MOST_SAMPLES} values")))?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Json, E> {
        match value.len() {
            _ if value == NO_FIGURE => Ok(Json::Number(f64::NAN)),
            0..=LONGEST_NAME => Ok(Json::Text(value.to_owned())),
            bytes => Err(E::custom(format!("a text of {bytes} bytes; {LONGEST_NAME} is the most"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Json, A::Error> {
        let depth = deeper::<A::Error>(self.depth)?;
        let mut numbers: Vec<f64> = Vec::new();
        let mut values: Vec<Json> = Vec::new();
        while let Some(value) = sequence.next_element_seed(Seed { depth, ..self })? {
            match value {
                Json::Number(number) if values.is_empty() => {
                    self.take(1)?;
                    numbers.push(number);
                }
                value => {
                    self.take(OTHER * (numbers.len() + 1))?;
                    values.extend(numbers.drain(..).map(Json::Number));
                    values.push(value);
                }
            }
        }
        Ok(if values.is_empty() { Json::Numbers(numbers) } else { Json::Array(values) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let depth = deeper::<A::Error>(self.depth)?;
        let mut members = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(Seed { depth, ..self })?;
            self.take(OTHER)?;
            match members.entry(name) {
                Entry::Vacant(place) => drop(place.insert(value)),
                Entry::Occupied(first) => {
                    let shown: String = first.key().chars().take(60).collect();
                    let mut twice = self.twice.borrow_mut();
                    if twice.len() < MOST_NOTICES || twice.contains_key(&shown) {
                        *twice.entry(shown).or_default() += 1;
                    }
                }
            }
        }
        Ok(Json::Object(members))
    }
}

fn deeper<E: serde::de::Error>(depth: usize) -> Result<usize, E> {
    if depth >= DEEPEST {
        return Err(E::custom(format!("more than {DEEPEST} objects and arrays within each other")));
    }
    Ok(depth + 1)
}

/// A value, and where it stands in its document.
#[derive(Debug, Clone)]
pub(crate) struct At<'a> {
    pub(crate) value: &'a Json,
    path: String,
}

impl<'a> At<'a> {
    pub(crate) fn root(value: &'a Json) -> Self {
        Self { value, path: String::new() }
    }

    pub(crate) fn place(&self) -> Position {
        if self.path.is_empty() { Position::File } else { Position::Member(self.path.clone()) }
    }

    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::new(self.place(), what)
    }

    fn step(&self, name: &str) -> String {
        let shown: String = name.chars().take(60).collect();
        if self.path.is_empty() { shown } else { format!("{}.{shown}", self.path) }
    }

    /// A member that may be missing; `null` counts as missing.
    pub(crate) fn get(&self, name: &str) -> Option<At<'a>> {
        let Json::Object(members) = self.value else { return None };
        members.get(name).filter(|value| **value != Json::Null).map(|value| At { value, path: self.step(name) })
    }

    /// A member, or `null`: of what stands around benchmarks nothing has to be there.
    pub(crate) fn member(&self, name: &str) -> At<'a> {
        self.get(name).unwrap_or(At { value: &Json::Null, path: self.step(name) })
    }

    /// A member that must be there.
    pub(crate) fn need(&self, name: &str) -> Result<At<'a>, Fault> {
        self.get(name).ok_or_else(|| Fault::new(Position::Member(self.step(name)), "is missing"))
    }

    pub(crate) fn members(&self) -> Vec<(&'a str, At<'a>)> {
        match self.value {
            Json::Object(members) => {
                members.iter().map(|(name, value)| (name.as_str(), At { value, path: self.step(name) })).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The entries of an array.
    pub(crate) fn entries(&self) -> Result<Vec<At<'a>>, Fault> {
        match self.value {
            Json::Array(values) => {
                let at = |(number, value)| At { value, path: format!("{}[{number}]", self.path) };
                Ok(values.iter().enumerate().map(at).collect())
            }
            Json::Numbers(numbers) if numbers.is_empty() => Ok(Vec::new()),
            _ => Err(self.fault("is no array of objects")),
        }
    }

    /// The values of an array of whatever; none of anything else.
    pub(crate) fn values(&self) -> Vec<Json> {
        match self.value {
            Json::Array(values) => values.clone(),
            Json::Numbers(numbers) => numbers.iter().copied().map(Json::Number).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn numbers(&self) -> Result<&'a [f64], Fault> {
        match self.value {
            Json::Numbers(numbers) => Ok(numbers),
            _ => Err(self.fault("is no array of numbers")),
        }
    }

    pub(crate) fn number(&self) -> Result<f64, Fault> {
        match self.value {
            Json::Number(number) => Ok(*number),
            _ => Err(self.fault("is not a number")),
        }
    }

    pub(crate) fn text(&self) -> Result<&'a str, Fault> {
        match self.value {
            Json::Text(text) => Ok(text),
            _ => Err(self.fault("is no text")),
        }
    }

    /// A text, a number or a truth value as a reader would write it; nothing of arrays and objects.
    pub(crate) fn printed(&self) -> Option<String> {
        match self.value {
            Json::Text(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            Json::Bool(is) => Some(is.to_string()),
            _ => None,
        }
    }

    /// A member as a number, where it is there.
    pub(crate) fn maybe(&self, name: &str) -> Result<Option<f64>, Fault> {
        self.get(name).map(|at| at.number()).transpose()
    }

    /// A member as a reader would write it; empty where it isn't there.
    pub(crate) fn text_or_empty(&self, name: &str) -> String {
        self.get(name).and_then(|at| at.printed()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Json, parse};

    fn refusal(text: &str) -> String {
        parse(text.as_bytes(), &mut Vec::new()).unwrap_err().in_file("a.json").to_string()
    }

    #[test]
    fn a_document_is_read_whole_or_refused_with_its_place() {
        let document = parse(b"\xef\xbb\xbf{\"a\": [1, 2.5], \"b\": [{\"c\": null}, 3]}", &mut Vec::new()).unwrap();
        let root = At::root(&document);
        assert_eq!(root.need("a").unwrap().numbers().unwrap(), [1.0, 2.5]);
        assert_eq!(root.need("b").unwrap().entries().unwrap().len(), 2);
        assert!(root.need("b").unwrap().entries().unwrap()[0].get("c").is_none());
        let missing = root.need("b").unwrap().entries().unwrap()[0].need("d").unwrap_err();
        assert_eq!(missing.in_file("a.json").to_string(), "a.json: b[0].d: is missing");

        for (text, said) in [
            ("{\"a\": 1,", "a.json:1:8: not valid JSON: EOF"),
            ("[Nano]", "a.json:1:13: not valid JSON"),
            ("[1] 2", "trailing characters"),
            ("", "EOF"),
        ] {
            assert!(refusal(text).contains(said), "{text}: {}", refusal(text));
        }
        assert!(refusal(&"[".repeat(100_000)).contains("more than 64 objects and arrays"));
        let long = format!("[\"{}\"]", "x".repeat((1 << 20) + 1));
        assert!(refusal(&long).contains("a text of 1048577 bytes"));
    }

    #[test]
    fn numbers_without_end_are_numbers_and_the_first_of_two_members_stands() {
        let text = r#"[NaN, -Infinity, inf, -nan(ind), 1e999, -2.5E+400, "NaN, \" inf", 2]"#;
        let Json::Array(values) = parse(text.as_bytes(), &mut Vec::new()).unwrap() else { panic!() };
        assert!(values[..6].iter().all(|value| matches!(value, Json::Number(number) if number.is_nan())), "{values:?}");
        assert_eq!(values[6..], [Json::Text("NaN, \" inf".into()), Json::Number(2.0)]);
        let mut told = Vec::new();
        let twice = parse(br#"{"a": 1, "a": 2, "a": null}"#, &mut told).unwrap();
        assert_eq!(At::root(&twice).need("a").unwrap().number().unwrap(), 1.0);
        assert_eq!(told, [r#"the member "a" occurs 2 times more in the same object; Tare uses the first"#]);
    }

    #[test]
    fn numbers_beside_other_values_are_kept_in_their_order() {
        let Json::Array(values) = parse(b"[1, 2, \"x\", 3]", &mut Vec::new()).unwrap() else { panic!() };
        assert_eq!(values, [Json::Number(1.0), Json::Number(2.0), Json::Text("x".into()), Json::Number(3.0)]);
    }
}
