use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{FrameError, FrameErrorKind};
use crate::limits::{MAX_FRAME_BYTES, MAX_INTEGER};

/// A line that is one JSON object, its values not looked at yet: which keys count depends on `frame`, and that
/// may stand last. Values are kept as text and read when a frame asks for them, so that whatever stands under
/// an unknown key costs one scan and no memory, however deeply it is nested.
pub(crate) struct Object<'a> {
    frame: String,
    id: Option<u64>,
    entries: HashMap<Cow<'a, str>, &'a RawValue>,
}

impl<'a> Object<'a> {
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self, FrameError> {
        if line.len() > MAX_FRAME_BYTES {
            let message = format!("the line has {} bytes; a frame has at most {MAX_FRAME_BYTES}", line.len());
            return Err(FrameError::bad_frame(None, message));
        }
        let text = std::str::from_utf8(line).map_err(|error| {
            FrameError::bad_frame(None, format!("the line isn't UTF-8 from byte {} on", error.valid_up_to()))
        })?;
        if text.contains('\n') {
            return Err(FrameError::bad_frame(None, "there is a line feed inside the frame"));
        }
        let Entries { entries, duplicate } = parse_entries(text)
            .map_err(|error| FrameError::bad_frame(None, format!("the line isn't one JSON object: {error}")))?;
        let id = match duplicate.as_deref() {
            Some("id") => None,
            _ => entries.get("id").and_then(|raw| integer(raw)),
        };
        if let Some(key) = duplicate {
            return Err(FrameError::bad_frame(id, format!("the key `{}` stands more than once", key.escape_debug())));
        }
        let frame = match entries.get("frame") {
            None => return Err(FrameError::bad_frame(id, "the frame lacks the key `frame`")),
            Some(raw) => serde_json::from_str::<String>(raw.get())
                .map_err(|_| FrameError::bad_frame(id, "the frame's key `frame` must be a string"))?,
        };
        Ok(Self { frame, id, entries })
    }

    pub(crate) fn frame(&self) -> &str {
        &self.frame
    }

    pub(crate) fn unknown(&self) -> FrameError {
        FrameError {
            kind: FrameErrorKind::UnknownFrame,
            message: format!("there is no frame `{}`", self.frame.escape_debug()),
            id: self.id,
        }
    }

    pub(crate) fn bad(&self, what: impl fmt::Display) -> FrameError {
        FrameError {
            kind: FrameErrorKind::BadValue,
            message: format!("the frame `{}`: {what}", self.frame.escape_debug()),
            id: self.id,
        }
    }

    /// The `id` of a request or of a reply to one (PROTOCOL 1.4).
    pub(crate) fn id(&self) -> Result<u64, FrameError> {
        self.id.ok_or_else(|| {
            let fault = match self.entries.contains_key("id") {
                true => format!("`id` must be an integer from 0 to {MAX_INTEGER}"),
                false => "the key `id` is missing".to_owned(),
            };
            FrameError::bad_frame(None, format!("the frame `{}`: {fault}", self.frame.escape_debug()))
        })
    }

    /// The `id` of a fault: `None` for −1.
    pub(crate) fn id_or_none(&self) -> Result<Option<u64>, FrameError> {
        match self.entries.get("id") {
            Some(raw) if raw.get() == "-1" => Ok(None),
            _ => self.id().map(Some),
        }
    }

    pub(crate) fn string(&self, key: &str) -> Result<String, FrameError> {
        self.required(key, self.optional_string(key)?)
    }

    pub(crate) fn optional_string(&self, key: &str) -> Result<Option<String>, FrameError> {
        self.read(key, "a string")
    }

    /// A string that must be one of `known`; the value that belongs to it.
    pub(crate) fn one_of<T: Copy>(&self, key: &str, known: &[(&str, T)]) -> Result<T, FrameError> {
        let text = self.string(key)?;
        known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            self.bad(format_args!("`{key}` must be one of {}; it is `{}`", names.join(", "), text.escape_debug()))
        })
    }

    pub(crate) fn boolean(&self, key: &str) -> Result<bool, FrameError> {
        self.required(key, self.optional_boolean(key)?)
    }

    pub(crate) fn optional_boolean(&self, key: &str) -> Result<Option<bool>, FrameError> {
        self.read(key, "a boolean")
    }

    pub(crate) fn integer(&self, key: &str, most: u64) -> Result<u64, FrameError> {
        self.required(key, self.optional_integer(key, most)?)
    }

    pub(crate) fn optional_integer(&self, key: &str, most: u64) -> Result<Option<u64>, FrameError> {
        let wanted = format!("an integer from 0 to {most}");
        match self.read::<u64>(key, &wanted)? {
            Some(value) if value > most => Err(self.wrong(key, &wanted)),
            value => Ok(value),
        }
    }

    pub(crate) fn strings(&self, key: &str) -> Result<Vec<String>, FrameError> {
        self.required(key, self.optional_strings(key)?)
    }

    pub(crate) fn optional_strings(&self, key: &str) -> Result<Option<Vec<String>>, FrameError> {
        self.read(key, "an array of strings")
    }

    pub(crate) fn integers(&self, key: &str) -> Result<Vec<u64>, FrameError> {
        self.required(key, self.optional_integers(key)?)
    }

    pub(crate) fn optional_integers(&self, key: &str) -> Result<Option<Vec<u64>>, FrameError> {
        let wanted = format!("an array of integers from 0 to {MAX_INTEGER}");
        match self.read::<Vec<u64>>(key, &wanted)? {
            Some(values) if values.iter().any(|value| *value > MAX_INTEGER) => Err(self.wrong(key, &wanted)),
            values => Ok(values),
        }
    }

    /// An integer from −`most` to `most`.
    pub(crate) fn signed(&self, key: &str, most: i64) -> Result<i64, FrameError> {
        let wanted = format!("an integer from -{most} to {most}");
        let value: i64 = self.required(key, self.read(key, &wanted)?)?;
        if (-most..=most).contains(&value) { Ok(value) } else { Err(self.wrong(key, &wanted)) }
    }

    /// Integers from −`most` to `most`.
    pub(crate) fn signeds(&self, key: &str, most: i64) -> Result<Vec<i64>, FrameError> {
        let wanted = format!("an array of integers from -{most} to {most}");
        let values: Vec<i64> = self.required(key, self.read(key, &wanted)?)?;
        match values.iter().all(|value| (-most..=most).contains(value)) {
            true => Ok(values),
            false => Err(self.wrong(key, &wanted)),
        }
    }

    /// Refuses an array without entries, or with more than `most`.
    pub(crate) fn counted(&self, key: &str, count: usize, most: usize) -> Result<(), FrameError> {
        match count {
            0 => Err(self.bad(format_args!("`{key}` is empty; it must have 1 to {most} entries"))),
            count if count > most => {
                Err(self.bad(format_args!("`{key}` has {count} entries; it must have 1 to {most}")))
            }
            _ => Ok(()),
        }
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Result<T, FrameError> {
        value.ok_or_else(|| self.bad(format_args!("the key `{key}` is missing")))
    }

    fn wrong(&self, key: &str, wanted: &str) -> FrameError {
        self.bad(format_args!("`{key}` must be {wanted}"))
    }

    fn read<T: DeserializeOwned>(&self, key: &str, wanted: &str) -> Result<Option<T>, FrameError> {
        let Some(raw) = self.entries.get(key) else { return Ok(None) };
        serde_json::from_str(raw.get()).map(Some).map_err(|error| {
            // The scan has checked the grammar; of what reading can still find in a string there is only this.
            if error.is_syntax() && raw.get().contains("\\u") {
                let frame = self.frame.escape_debug();
                let message = format!("the frame `{frame}`: `{key}` has half of an escaped surrogate pair");
                return FrameError::bad_frame(self.id, message);
            }
            self.wrong(key, wanted)
        })
    }
}

/// `id` as PROTOCOL 1.4 wants it.
fn integer(raw: &RawValue) -> Option<u64> {
    serde_json::from_str::<u64>(raw.get()).ok().filter(|value| *value <= MAX_INTEGER)
}

struct Entries<'a> {
    entries: HashMap<Cow<'a, str>, &'a RawValue>,
    /// The key that was found a second time; the whole object is read all the same, for its `id`.
    duplicate: Option<String>,
}

fn parse_entries(text: &str) -> Result<Entries<'_>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let entries = deserializer.deserialize_map(EntriesVisitor)?;
    deserializer.end()?;
    Ok(entries)
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Entries { entries: HashMap::new(), duplicate: None };
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            match found.entries.entry(key) {
                Entry::Vacant(vacant) => {
                    vacant.insert(value);
                }
                // A duplicated `id` outweighs every other duplicate: it takes the id away.
                Entry::Occupied(occupied) if found.duplicate.is_none() || occupied.key() == "id" => {
                    found.duplicate = Some(occupied.key().to_string());
                }
                Entry::Occupied(_) => {}
            }
        }
        Ok(found)
    }
}

/// A key, borrowed from the line unless it has escapes (`"i\u0064"` is `id`).
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
