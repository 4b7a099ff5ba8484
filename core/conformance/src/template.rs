use serde_json::{Map, Value};

/// What stands for `{source}`, `{kernel}` and their like.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    entries: Vec<(&'static str, Value)>,
}

impl Names {
    pub(crate) fn with(&self, name: &'static str, value: impl Into<Value>) -> Self {
        let mut entries = self.entries.clone();
        entries.push((name, value.into()));
        Self { entries }
    }

    /// A request of a session with its placeholders filled in and its repetitions written out.
    pub(crate) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.fill_text(text),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect()),
            Value::Object(entries) => match repetition(entries) {
                Some((item, times)) => Value::Array(vec![item.clone(); times]),
                None => entries.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect(),
            },
            other => other.clone(),
        }
    }

    /// One pass from left to right: what is filled in may have braces of its own.
    fn fill_text(&self, text: &str) -> Value {
        if let Some((_, value)) = self.entries.iter().find(|(name, _)| text == format!("{{{name}}}")) {
            return value.clone();
        }
        let (mut filled, mut rest) = (String::new(), text);
        'text: while let Some(at) = rest.find('{') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            for (name, value) in &self.entries {
                if let (Some(after), Value::String(value)) = (rest.strip_prefix(&format!("{{{name}}}")), value) {
                    filled.push_str(value);
                    rest = after;
                    continue 'text;
                }
            }
            filled.push('{');
            rest = &rest[1..];
        }
        filled.push_str(rest);
        Value::String(filled)
    }
}

fn repetition(entries: &Map<String, Value>) -> Option<(&Value, usize)> {
    let times = usize::try_from(entries.get("times")?.as_u64()?).ok()?;
    (entries.len() == 2).then_some((entries.get("repeat")?, times))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Names;

    #[test]
    fn placeholders_and_repetitions_are_filled_in() {
        let names = Names::default().with("benchmark", "a{parameters}").with("parameters", "p").with("case", 3);
        let request = json!({"case": "{case}", "benchmark": "{benchmark} {parameters} {other} {", "iterations": {"repeat": 7, "times": 3}});
        let filled = json!({"case": 3, "benchmark": "a{parameters} p {other} {", "iterations": [7, 7, 7]});
        assert_eq!(names.fill(&request), filled);
    }
}
