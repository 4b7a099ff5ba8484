//! JSON that can be shown: what a terminal or an editor would act on is escaped, although JSON would let it stand.

/// A JSON document with each character in its strings escaped that controls a terminal (C1 and DEL; ECMA-48), ends a line for some
/// readers (U+2028, U+2029), or turns around or hides what stands beside it (Unicode Standard Annex 9, and other format characters). Its
/// meaning is the same: such characters can only stand in strings.
pub fn escaped_json(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    for c in document.chars() {
        if is_harmful(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// What is hidden anywhere else, but for what joins the parts of emoji and of words. Those of ASCII are escaped already, or stand between values.
fn is_harmful(c: char) -> bool {
    c > '~' && tare_samples::is_hidden(c) && !matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::escaped_json;

    #[test]
    fn what_acts_on_a_reader_is_escaped_and_means_the_same() {
        let name = "a\u{9b}31m\u{202e}b\u{2028}c\u{7f}\u{e0041}é日👍\u{200d}";
        let document = serde_json::json!({ name: name }).to_string();
        let shown = escaped_json(&document);
        assert_eq!(
            shown,
            "{\"A\":\"A\"}".replace('A', "a\\u009b31m\\u202eb\\u2028c\\u007f\\udb40\\udc41é日👍\u{200d}")
        );
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read[name], name);
    }
}
