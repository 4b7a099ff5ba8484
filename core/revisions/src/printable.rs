use tare_samples::{printable, printable_line};

/// The longest line that is worth showing, in characters.
const MOST_CHARACTERS: usize = 500;

/// `text` as one line to show: trimmed, of bounded length, and with escapes in the place of what is hidden.
pub(crate) fn line(text: &str) -> String {
    printable_line(text, MOST_CHARACTERS)
}

/// `bytes` as lines to show: blank ones at the ends left out, each escaped as in [`line`] but of any length, tabs left as they are. A carriage return
/// ends a line, as a progress bar means it to.
pub(crate) fn lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let mut shown = String::with_capacity(text.len());
    for part in text.trim().split_inclusive(['\r', '\n', '\t']) {
        let (part, end) = match part.strip_suffix(['\r', '\n']) {
            Some(part) => (part, "\n"),
            None => part.strip_suffix('\t').map_or((part, ""), |part| (part, "\t")),
        };
        shown.push_str(&printable(part));
        shown.push_str(end);
    }
    shown
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
