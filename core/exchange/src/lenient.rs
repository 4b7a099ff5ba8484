//! What tools write into their JSON that isn't JSON, where its meaning is plain: numbers that are none, a share with its `%`, and texts that nobody escaped.

use std::borrow::Cow;

/// What stands in a document for a number that is none: a text that no tool writes.
pub(crate) const NO_FIGURE: &str = "\0NaN";
/// It as it is written.
const FIGURE_TEXT: &[u8] = b"\"\\u0000NaN\"";

/// As Python, C and JavaScript write numbers that are none. The longest come first.
const WITHOUT_END: [&str; 4] = ["infinity", "nan(ind)", "nan", "inf"];

/// The document as JSON. Outside of texts, NaN, Infinity and numbers beyond what a double holds become [`NO_FIGURE`], and the `%` behind a number is
/// dropped. In texts, a backslash that begins no escape stands for itself (`c:\hello`), and control characters are escaped.
pub(crate) fn lenient(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut made = Made { bytes, made: Vec::new(), kept: 0 };
    let (mut at, mut inside) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if inside => {
                if !begins_an_escape(&bytes[at + 1..]) {
                    made.replace(at, 1, b"\\\\");
                    at += 1;
                    continue;
                }
                at += 1;
            }
            b'"' => inside = !inside,
            byte @ 0..0x20 if inside => made.replace(at, 1, format!("\\u{byte:04x}").as_bytes()),
            b'0'..=b'9' if !inside => {
                let length = number(&mut made, at);
                at += length;
                if bytes.get(at) == Some(&b'%') {
                    made.replace(at, 1, b"");
                    at += 1;
                }
                continue;
            }
            b'-' | b'+' | b'N' | b'n' | b'I' | b'i' if !inside => {
                let sign = usize::from(matches!(bytes[at], b'-' | b'+'));
                let word = WITHOUT_END.iter().find(|word| {
                    bytes
                        .get(at + sign..at + sign + word.len())
                        .is_some_and(|own| own.eq_ignore_ascii_case(word.as_bytes()))
                });
                if let Some(word) = word {
                    made.replace(at, sign + word.len(), FIGURE_TEXT);
                    at += sign + word.len();
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    made.ended()
}

/// Passes over a number, and replaces one that is beyond a double; its length.
fn number(made: &mut Made<'_>, at: usize) -> usize {
    let bytes = made.bytes;
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    let length = bytes[at..].iter().take_while(|byte| is_of_number(byte)).count();
    // No other is beyond a double.
    let may_be = length > 300 || bytes[at..at + length].iter().any(|byte| matches!(byte, b'e' | b'E'));
    let text = std::str::from_utf8(&bytes[at..at + length]).ok().filter(|_| may_be);
    if text.and_then(|text| text.parse::<f64>().ok()).is_some_and(f64::is_infinite) {
        // With the sign that it may have.
        let sign = usize::from(at > made.kept && bytes[at - 1] == b'-');
        made.replace(at - sign, length + sign, FIGURE_TEXT);
    }
    length
}

/// Whether what follows a backslash is the rest of one of JSON's escapes.
fn begins_an_escape(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'u') => rest.len() > 4 && rest[1..5].iter().all(u8::is_ascii_hexdigit),
        Some(next) => br#""\/bfnrt"#.contains(next),
        None => false,
    }
}

/// A copy of a document with replacements, which is made with the first of them.
struct Made<'d> {
    bytes: &'d [u8],
    made: Vec<u8>,
    /// Where what isn't copied yet begins.
    kept: usize,
}

impl<'d> Made<'d> {
    fn replace(&mut self, at: usize, length: usize, by: &[u8]) {
        self.made.extend_from_slice(&self.bytes[self.kept..at]);
        self.made.extend_from_slice(by);
        self.kept = at + length;
    }

    fn ended(mut self) -> Cow<'d, [u8]> {
        if self.kept == 0 {
            return Cow::Borrowed(self.bytes);
        }
        self.made.extend_from_slice(&self.bytes[self.kept..]);
        Cow::Owned(self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::lenient;

    #[test]
    fn what_tools_write_that_is_no_json_becomes_json() {
        for (written, read) in [
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#"["c:\hello", "\u12g4", "\u00e9\n\\x"]"#, r#"["c:\\hello", "\\u12g4", "\u00e9\n\\x"]"#),
            ("[\"a\tb\nc\"]", r#"["a\u0009b\u000ac"]"#),
            (r#"{"rms": 12%, "b": "12%"}"#, r#"{"rms": 12, "b": "12%"}"#),
            (r#"[-1e999, -nan, "NaN"]"#, r#"["\u0000NaN", "\u0000NaN", "NaN"]"#),
            (r#"["\"#, r#"["\\"#),
        ] {
            assert_eq!(String::from_utf8_lossy(&lenient(written.as_bytes())), read, "{written}");
        }
    }
}
