//! Writes replies: one flat JSON object on a line (PROTOCOL §1).

use super::fault::Fault;
use super::json::LARGEST_INTEGER;
use std::fmt::Write;

/// Longest text sent, in bytes: a frame has a limit, and no reader wants more.
const LONGEST_TEXT: usize = 65_536;

pub(crate) struct Frame {
    text: String,
}

impl Frame {
    /// One that answers no request: the hello.
    pub(crate) fn first(kind: &str) -> Self {
        let mut frame = Self { text: String::with_capacity(512) };
        frame.text.push_str("{\"frame\":");
        frame.put_text(kind);
        frame
    }

    pub(crate) fn new(kind: &str, id: i64) -> Self {
        Self::first(kind).integer("id", id)
    }

    pub(crate) fn text(mut self, key: &str, text: &str) -> Self {
        self.put_key(key);
        self.put_text(text);
        self
    }

    /// Left out where it is empty.
    pub(crate) fn optional(self, key: &str, text: &str) -> Self {
        if text.is_empty() {
            self
        } else {
            self.text(key, text)
        }
    }

    pub(crate) fn integer(mut self, key: &str, number: i64) -> Self {
        self.put_key(key);
        self.put_integer(number);
        self
    }

    pub(crate) fn boolean(mut self, key: &str, truth: bool) -> Self {
        self.put_key(key);
        self.text.push_str(if truth { "true" } else { "false" });
        self
    }

    pub(crate) fn texts<T: AsRef<str>>(mut self, key: &str, texts: &[T]) -> Self {
        self.put_key(key);
        self.text.push('[');
        for (at, text) in texts.iter().enumerate() {
            self.put_comma(at);
            self.put_text(text.as_ref());
        }
        self.text.push(']');
        self
    }

    pub(crate) fn integers(mut self, key: &str, numbers: &[i64]) -> Self {
        self.put_key(key);
        self.text.push('[');
        for (at, number) in numbers.iter().enumerate() {
            self.put_comma(at);
            self.put_integer(*number);
        }
        self.text.push(']');
        self
    }

    /// What happened, where, and what to do.
    pub(crate) fn fault(self, fault: &Fault) -> Self {
        let frame = self.text("kind", fault.kind).text("message", &fault.message);
        let frame = frame.optional("remedy", &fault.remedy).optional("file", &fault.file);
        if fault.line > 0 {
            frame.integer("line", i64::from(fault.line))
        } else {
            frame
        }
    }

    /// The line with its line feed.
    pub(crate) fn line(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }

    fn put_comma(&mut self, at: usize) {
        if at > 0 {
            self.text.push(',');
        }
    }

    fn put_key(&mut self, key: &str) {
        self.text.push_str(",\"");
        self.text.push_str(key);
        self.text.push_str("\":");
    }

    fn put_integer(&mut self, number: i64) {
        let _ = write!(self.text, "{}", number.clamp(-LARGEST_INTEGER, LARGEST_INTEGER));
    }

    fn put_text(&mut self, text: &str) {
        self.text.push('"');
        for character in cut(text, LONGEST_TEXT).chars() {
            match character {
                '"' | '\\' => {
                    self.text.push('\\');
                    self.text.push(character);
                }
                '\0'..='\x1f' | '\x7f' => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(character));
                }
                _ => self.text.push(character),
            }
        }
        self.text.push('"');
    }
}

/// The longest beginning that ends with a whole character and has at most so many bytes.
pub(crate) fn cut(text: &str, longest: usize) -> &str {
    let mut end = text.len().min(longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
