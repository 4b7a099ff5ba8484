//! A request, its values checked when they are asked for (PROTOCOL 2.4).

use super::fault::{in_quotes, Fault};
use super::json::{members, Value, LARGEST_INTEGER};
use std::collections::HashSet;

pub(crate) struct Request {
    pub(crate) kind: String,
    pub(crate) id: i64,
    members: Vec<(String, Value)>,
}

impl Request {
    /// Reads a line without its line feed. The fault is `bad-frame`, with the request's number where it is usable.
    pub(crate) fn read(line: &[u8]) -> Result<Self, Fault> {
        let members =
            members(line).map_err(|why| Fault::new("bad-frame", format!("The line isn't a frame: {why}.")))?;
        let request = Self { kind: String::new(), id: -1, members };
        let twice = request.twice();
        let id = match request.find("id") {
            Some(Value::Integer(id)) if *id >= 0 && twice.as_deref() != Some("id") => Some(*id),
            _ => None,
        };
        let bad = |message: String| Fault { request: id, ..Fault::new("bad-frame", message) };
        if let Some(key) = twice {
            return Err(bad(format!("The key {} stands more than once.", in_quotes(&key))));
        }
        let Some(number) = id else {
            return Err(bad("The request has no `id` that is an integer from 0 to 2^53-1.".to_owned()));
        };
        let Some(Value::Text(kind)) = request.find("frame") else {
            return Err(bad("The request has no string `frame`.".to_owned()));
        };
        Ok(Self { kind: kind.clone(), id: number, ..request })
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str, Fault> {
        match self.value(key)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong(key, "a string")),
        }
    }

    pub(crate) fn integer(&self, key: &str, least: i64, most: i64) -> Result<i64, Fault> {
        match self.value(key)? {
            Value::Integer(number) if (least..=most).contains(number) => Ok(*number),
            _ => Err(self.wrong(key, &format!("an integer from {least} to {most}"))),
        }
    }

    /// `otherwise` where the key is absent.
    pub(crate) fn integer_or(&self, key: &str, otherwise: i64) -> Result<i64, Fault> {
        if self.has(key) {
            self.integer(key, 0, LARGEST_INTEGER)
        } else {
            Ok(otherwise)
        }
    }

    pub(crate) fn texts(&self, key: &str) -> Result<&[String], Fault> {
        match self.value(key)? {
            Value::Texts(texts) => Ok(texts),
            _ => Err(self.wrong(key, "an array of at least one string")),
        }
    }

    pub(crate) fn integers(&self, key: &str, longest: usize) -> Result<&[i64], Fault> {
        match self.value(key)? {
            Value::Integers(numbers) if numbers.len() <= longest && numbers.iter().all(|number| *number >= 0) => {
                Ok(numbers)
            }
            _ => Err(self.wrong(key, &format!("an array of 1 to {longest} integers from 0 to 2^53-1"))),
        }
    }

    fn find(&self, key: &str) -> Option<&Value> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn value(&self, key: &str) -> Result<&Value, Fault> {
        self.find(key).ok_or_else(|| Fault::bad_request(format!("The `{}` request lacks the key `{key}`.", self.kind)))
    }

    fn wrong(&self, key: &str, wanted: &str) -> Fault {
        Fault::bad_request(format!("The key `{key}` of the `{}` request wants {wanted}.", self.kind))
    }

    /// A key that stands twice, `id` before others.
    fn twice(&self) -> Option<String> {
        let mut seen = HashSet::new();
        let mut found = None;
        for (key, _) in &self.members {
            if !seen.insert(key) && (found.is_none() || key == "id") {
                found = Some(key.clone());
            }
        }
        found
    }
}
