//! Text from outside, made safe to be shown: names, output, what files and servers say.

/// Whether a character writes to the terminal, changes the direction of what stands around it (Unicode Standard Annex 9, table 4), begins another
/// line, or can't be seen. Variation selectors aren't among them: emoji are written with them.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// What is hidden, escaped as in Rust source; so it stays on one line. Idempotent.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    shown
}

/// As [`printable`], trimmed and cut after `most` of its characters.
pub fn printable_line(text: &str, most: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        Some((cut, _)) => printable(&text[..cut]) + "…",
        None => printable(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_hidden, printable, printable_line};

    #[test]
    fn each_kind_of_what_is_hidden_is_escaped() {
        for (kind, characters) in [
            ("C0", "\0\u{7}\u{8}\t\n\r\u{1b}\u{1f}"),
            ("DEL", "\u{7f}"),
            ("C1", "\u{80}\u{85}\u{9b}\u{9d}\u{9f}"),
            ("bidirectional marks", "\u{61c}\u{200e}\u{200f}"),
            ("bidirectional embeddings and overrides", "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}"),
            ("bidirectional isolates", "\u{2066}\u{2067}\u{2068}\u{2069}"),
            ("line and paragraph separators", "\u{2028}\u{2029}"),
            ("of no width", "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{180e}"),
            ("fillers, tags and no characters", "\u{115f}\u{3164}\u{ffa0}\u{e0001}\u{e007f}\u{fffe}\u{ffff}"),
        ] {
            for character in characters.chars() {
                let shown = printable(&format!("a{character}b"));
                assert_eq!(shown, format!("a{}b", character.escape_default()), "{kind}");
                assert!(shown.is_ascii() && !shown.chars().any(is_hidden), "{kind}");
                assert_eq!(printable(&shown), shown, "{kind}");
            }
        }
        let seen = " é e\u{301} 日本 👍 ❤\u{fe0f} \"it's\" C:\\temp a - – … ";
        assert_eq!(printable(seen), seen);
    }

    #[test]
    fn a_line_is_trimmed_and_bounded() {
        assert_eq!(printable_line(" \n a\nb \t", 80), "a\\nb");
        assert_eq!(printable_line(&"é".repeat(81), 80), "é".repeat(80) + "…");
        assert_eq!(printable_line(&"é".repeat(80), 80), "é".repeat(80));
        assert_eq!(printable_line("\u{1b}[2J", 1), "\\u{1b}…");
    }
}
