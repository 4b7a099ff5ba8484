use std::fmt::Write;

/// Writes one flat object.
pub(crate) struct ObjectWriter {
    line: String,
}

impl ObjectWriter {
    pub(crate) fn new(frame: &str) -> Self {
        let mut writer = Self { line: String::from("{\"frame\":") };
        writer.text(frame);
        writer
    }

    pub(crate) fn end(mut self) -> String {
        self.line.push('}');
        self.line
    }

    pub(crate) fn integer(mut self, key: &str, value: u64) -> Self {
        self.key(key);
        self.number(value);
        self
    }

    pub(crate) fn signed(mut self, key: &str, value: i64) -> Self {
        self.key(key);
        let _ = write!(self.line, "{value}");
        self
    }

    pub(crate) fn signeds(mut self, key: &str, values: &[i64]) -> Self {
        self.array(key, values, |writer, value| {
            let _ = write!(writer.line, "{value}");
        });
        self
    }

    /// A fault's `id`: −1 for `None`.
    pub(crate) fn id_or_none(mut self, id: Option<u64>) -> Self {
        match id {
            Some(id) => self.integer("id", id),
            None => {
                self.key("id");
                self.line.push_str("-1");
                self
            }
        }
    }

    pub(crate) fn boolean(mut self, key: &str, value: bool) -> Self {
        self.key(key);
        self.line.push_str(if value { "true" } else { "false" });
        self
    }

    /// Leaves the key out where it is false.
    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        if value { self.boolean(key, true) } else { self }
    }

    pub(crate) fn string(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.text(value);
        self
    }

    pub(crate) fn strings<S: AsRef<str>>(mut self, key: &str, values: &[S]) -> Self {
        self.array(key, values, |writer, value| writer.text(value.as_ref()));
        self
    }

    pub(crate) fn integers(mut self, key: &str, values: &[u64]) -> Self {
        self.array(key, values, |writer, value| writer.number(*value));
        self
    }

    pub(crate) fn optional_integer(self, key: &str, value: Option<u64>) -> Self {
        match value {
            Some(value) => self.integer(key, value),
            None => self,
        }
    }

    pub(crate) fn optional_string(self, key: &str, value: Option<&String>) -> Self {
        match value {
            Some(value) => self.string(key, value),
            None => self,
        }
    }

    /// Leaves the key out where the array is empty.
    pub(crate) fn optional_integers(self, key: &str, values: &[u64]) -> Self {
        if values.is_empty() { self } else { self.integers(key, values) }
    }

    pub(crate) fn optional_strings(self, key: &str, values: &[String]) -> Self {
        if values.is_empty() { self } else { self.strings(key, values) }
    }

    fn array<T>(&mut self, key: &str, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.key(key);
        self.line.push('[');
        for (position, value) in values.iter().enumerate() {
            if position > 0 {
                self.line.push(',');
            }
            write(self, value);
        }
        self.line.push(']');
    }

    fn key(&mut self, key: &str) {
        self.line.push(',');
        self.text(key);
        self.line.push(':');
    }

    fn number(&mut self, value: u64) {
        // Writing to a String can't fail.
        let _ = write!(self.line, "{value}");
    }

    fn text(&mut self, text: &str) {
        self.line.push('"');
        for character in text.chars() {
            match character {
                '"' => self.line.push_str("\\\""),
                '\\' => self.line.push_str("\\\\"),
                '\n' => self.line.push_str("\\n"),
                '\r' => self.line.push_str("\\r"),
                '\t' => self.line.push_str("\\t"),
                '\0'..='\u{1f}' | '\u{7f}' => {
                    let _ = write!(self.line, "\\u{:04x}", u32::from(character));
                }
                other => self.line.push(other),
            }
        }
        self.line.push('"');
    }
}
