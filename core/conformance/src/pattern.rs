use serde_json::{Map, Value};
use tare_frames::MAX_INTEGER;

/// What a reply should look like: the keys it names are compared, others are free.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    entries: Vec<(String, Rule)>,
    text: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Rule {
    Exactly(Value),
    OneOf(Vec<Value>),
    Integer,
    Boolean,
    Text,
    Texts(Size),
    Integers(Size),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Size {
    Any,
    Exactly(u64),
    AtLeast(u64),
}

impl Pattern {
    pub(crate) fn parse(value: &Value) -> Result<Self, String> {
        let entries = value.as_object().ok_or("a pattern is an object")?;
        let entries = entries.iter().map(|(key, value)| Ok((key.clone(), Rule::parse(value)?)));
        Ok(Self { entries: entries.collect::<Result<_, String>>()?, text: value.to_string() })
    }

    /// The pattern as its vector has it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_of(&self, frame: &str) -> bool {
        self.entries.iter().any(|(key, rule)| key == "frame" && rule.holds(&Value::from(frame)))
    }

    pub(crate) fn holds(&self, reply: &Map<String, Value>) -> bool {
        self.entries.iter().all(|(key, rule)| reply.get(key).is_some_and(|value| rule.holds(value)))
    }
}

impl Rule {
    fn parse(value: &Value) -> Result<Self, String> {
        let Value::Object(entries) = value else { return Ok(Self::Exactly(value.clone())) };
        if let (1, Some(Value::Array(values))) = (entries.len(), entries.get("one_of")) {
            return Ok(Self::OneOf(values.clone()));
        }
        let size = match (entries.len(), entries.get("length"), entries.get("least")) {
            (1, ..) => Size::Any,
            (2, Some(length), None) => Size::Exactly(length.as_u64().ok_or("`length` is an integer")?),
            (2, None, Some(least)) => Size::AtLeast(least.as_u64().ok_or("`least` is an integer")?),
            _ => return Err(format!("there is no pattern {value}")),
        };
        match (entries.get("any").and_then(Value::as_str), size) {
            (Some("integer"), Size::Any) => Ok(Self::Integer),
            (Some("boolean"), Size::Any) => Ok(Self::Boolean),
            (Some("string"), Size::Any) => Ok(Self::Text),
            (Some("strings"), size) => Ok(Self::Texts(size)),
            (Some("integers"), size) => Ok(Self::Integers(size)),
            _ => Err(format!("there is no pattern {value}")),
        }
    }

    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Exactly(expected) => value == expected,
            Self::OneOf(values) => values.contains(value),
            Self::Integer => is_integer(value),
            Self::Boolean => value.is_boolean(),
            Self::Text => value.is_string(),
            Self::Texts(size) => size.holds(value, Value::is_string),
            Self::Integers(size) => size.holds(value, is_integer),
        }
    }
}

impl Size {
    fn holds(self, value: &Value, item: impl Fn(&Value) -> bool) -> bool {
        let Value::Array(items) = value else { return false };
        let count = items.len() as u64;
        items.iter().all(item)
            && match self {
                Self::Any => true,
                Self::Exactly(length) => count == length,
                Self::AtLeast(least) => count >= least,
            }
    }
}

fn is_integer(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| number <= MAX_INTEGER)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Pattern;

    fn holds(pattern: Value, reply: Value) -> bool {
        Pattern::parse(&pattern).unwrap().holds(reply.as_object().unwrap())
    }

    #[test]
    fn a_pattern_sees_type_size_and_absence() {
        assert!(holds(json!({"id": 1}), json!({"id": 1, "more": "x"})));
        assert!(!holds(json!({"id": 1}), json!({"more": "x"})));
        assert!(!holds(json!({"id": 1}), json!({"id": true})));
        assert!(holds(json!({"id": {"one_of": [1, -1]}}), json!({"id": -1})));
        assert!(!holds(json!({"id": {"any": "integer"}}), json!({"id": -1})));
        assert!(!holds(json!({"id": {"any": "integer"}}), json!({"id": 1.0})));
        assert!(holds(json!({"a": {"any": "integers", "length": 2}}), json!({"a": [0, 5]})));
        assert!(!holds(json!({"a": {"any": "integers", "length": 2}}), json!({"a": [0]})));
        assert!(!holds(json!({"a": {"any": "integers"}}), json!({"a": [0, -5]})));
        assert!(!holds(json!({"a": {"any": "strings", "least": 1}}), json!({"a": []})));
        assert!(!holds(json!({"a": {"any": "boolean"}}), json!({"a": 1})));
    }

    #[test]
    fn a_misspelt_pattern_is_refused() {
        for pattern in [
            json!([]),
            json!({"a": {"any": "number"}}),
            json!({"a": {"any": "string", "length": 1}}),
            json!({"a": {"x": 1}}),
        ] {
            assert!(Pattern::parse(&pattern).is_err(), "{pattern}");
        }
    }
}
