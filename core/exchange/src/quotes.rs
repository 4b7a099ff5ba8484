//! Quotes within texts of a JSON document that its tool didn't escape: `"name": "say "hi""`.

/// The bytes that a member's name may have for a quote before it to be the end of a text.
const LONGEST_MEMBER: usize = 1000;

/// The document with a backslash before each such quote, how many there are, and the line of the first. `None` where there is none, or where a text has no end.
///
/// A quote ends a text where what follows it is what has to follow there: the colon of a member, the next member, or the end of an object. In a valid document
/// that is so of each, so it comes back as `None`.
pub(crate) fn escaped(bytes: &[u8]) -> Option<(Vec<u8>, usize, usize)> {
    let mut made = Vec::with_capacity(bytes.len() + 16);
    let (mut count, mut first, mut at) = (0, 0, 0);
    let mut within: Vec<u8> = Vec::new();
    let mut is_name = false;
    while let Some(&byte) = bytes.get(at) {
        made.push(byte);
        at += 1;
        match byte {
            b'{' | b'[' => {
                within.push(byte);
                is_name = byte == b'{';
            }
            b'}' | b']' => drop(within.pop()),
            b',' => is_name = within.last() == Some(&b'{'),
            b':' => is_name = false,
            b'"' => loop {
                match *bytes.get(at)? {
                    b'\\' => {
                        made.extend_from_slice(&bytes[at..(at + 2).min(bytes.len())]);
                        at += 2;
                        continue;
                    }
                    b'"' if ends_text(&bytes[at + 1..], within.last().copied(), is_name) => {
                        made.push(b'"');
                        at += 1;
                        break;
                    }
                    b'"' => {
                        if count == 0 {
                            first = at;
                        }
                        count += 1;
                        made.extend_from_slice(b"\\\"");
                    }
                    other => made.push(other),
                }
                at += 1;
            },
            _ => {}
        }
    }
    let line = 1 + bytes[..first].iter().filter(|byte| **byte == b'\n').count();
    (count > 0).then_some((made, count, line))
}

/// Whether a text may end before `rest`, in what is `within` an object or an array.
fn ends_text(rest: &[u8], within: Option<u8>, is_name: bool) -> bool {
    let (next, rest) = match rest.trim_ascii_start() {
        [] => return true,
        [next, rest @ ..] => (*next, rest.trim_ascii_start()),
    };
    let begins_value = || rest.first().is_some_and(|byte| b"\"{[-+tfnNiI0123456789".contains(byte));
    let ends_value = || rest.first().is_none_or(|byte| b",]}".contains(byte));
    match (within, next) {
        (Some(b'{'), b':') if is_name => begins_value(),
        (Some(b'{'), _) if is_name => false,
        (Some(b'{'), b',') => begins_member(rest),
        (Some(b'{'), b'}') | (Some(b'['), b']') => ends_value(),
        (Some(b'['), b',') => begins_value(),
        _ => false,
    }
}

fn begins_member(rest: &[u8]) -> bool {
    let Some(name) = rest.strip_prefix(b"\"") else { return false };
    let mut bytes = name.iter().enumerate().take(LONGEST_MEMBER);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return name[at + 1..].trim_ascii_start().starts_with(b":"),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_quote_within_a_text_is_escaped_and_valid_documents_stay() {
        for (written, read) in [
            (r#"{"name": "say "hi" now", "n": 1}"#, r#"{"name": "say \"hi\" now", "n": 1}"#),
            (r#"{"a": "f("b", 1)", "c": "g("d","e")"}"#, r#"{"a": "f(\"b\", 1)", "c": "g(\"d\",\"e\")"}"#),
            (r#"[{"a": "{"b"}"}, "x"y", "z"]"#, r#"[{"a": "{\"b\"}"}, "x\"y", "z"]"#),
            (r#"{"a"b": """}"#, r#"{"a\"b": "\""}"#),
        ] {
            let (made, count, line) = escaped(written.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(&made), read, "{written}");
            assert!(count > 0 && line == 1);
        }
        let valid = r#"{"a": "b\"c", "d": ["e", "f" , "g:"], "h" : {"i": "}", "j":"," } , "k": ""}"#;
        for document in [valid, "[]", r#""text""#, r#"["no end"#, r#"["no end\"#, ""] {
            assert_eq!(escaped(document.as_bytes()), None, "{document}");
        }
        assert_eq!(escaped(b"[\n\n\"a\"b\"]").unwrap().2, 3);
    }
}
