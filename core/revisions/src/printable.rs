use std::fmt::Write;

/// The longest line that is worth showing, in characters.
const MOST_CHARACTERS: usize = 500;

/// `text` as one line to show: trimmed, of bounded length, and with escapes in the place of what could write to the
/// terminal or reorder the line.
pub(crate) fn line(text: &str) -> String {
    let mut shown = String::new();
    for (index, character) in text.trim().chars().enumerate() {
        if index == MOST_CHARACTERS {
            shown.push('…');
            break;
        }
        escape(character, &mut shown);
    }
    shown
}

/// `bytes` as lines to show: blank ones at the ends left out, each escaped as in [`line`] but of any length. A carriage return
/// ends a line, as a progress bar means it to.
pub(crate) fn lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let mut shown = String::with_capacity(text.len());
    for character in text.trim().chars() {
        match character {
            '\r' | '\n' => shown.push('\n'),
            '\t' => shown.push('\t'),
            other => escape(other, &mut shown),
        }
    }
    shown
}

fn escape(character: char, into: &mut String) {
    // Directional formatting (Unicode Standard Annex 9, table 4) makes a line read otherwise than it is.
    let reorders =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if character.is_control() || reorders {
        let _ = write!(into, "{}", character.escape_default());
    } else {
        into.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::{line, lines};

    #[test]
    fn what_could_write_to_the_terminal_is_escaped() {
        assert_eq!(line(" a\u{1b}[2Jb\nc\u{202e}d é "), "a\\u{1b}[2Jb\\nc\\u{202e}d é");
        assert_eq!(lines(b"\n1 %\r2 %\r\n\tdone\x07\xff\n\n"), "1 %\n2 %\n\tdone\\u{7}\u{fffd}");
    }

    #[test]
    fn a_line_is_bounded() {
        assert_eq!(line(&"é".repeat(10_000)).chars().count(), 501);
        assert_eq!(line(&"é".repeat(500)).chars().count(), 500);
    }
}
