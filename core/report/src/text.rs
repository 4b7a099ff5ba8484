//! Text from outside made fit to be shown: escaped, measured in columns, cut and wrapped.

use tare_samples::is_hidden;
use unicode_width::UnicodeWidthChar;

/// `text` with its line ends escaped, for places where it must stay on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r")
}

/// Digits of a commit that people tell commits apart by.
const COMMIT: usize = 10;

/// A revision as people read it: the first digits of its commit, and whether its files differed.
pub(crate) fn abbreviated(revision: &str) -> String {
    let (commit, rest) = revision.split_at(revision.find(' ').unwrap_or(revision.len()));
    commit.chars().take(COMMIT).chain(rest.chars()).collect()
}

/// Zero-width marks in a row that are still taken for writing rather than for an attack on the lines around.
const MARKS: usize = 3;

/// `text` without anything that moves the cursor, changes the direction of writing or can't be seen: such characters
/// are escaped as in Rust source. Without `unicode` all is ASCII. Idempotent.
pub(crate) fn visible(text: &str, unicode: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    let mut before: Option<char> = None;
    for c in text.chars() {
        let zero_width = c.width() == Some(0);
        marks = if zero_width { marks + 1 } else { 0 };
        match c {
            ' '..='~' => out.push(c),
            '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(|b| !b.is_ascii() && b.width() != Some(0)) => {
                // Terminals disagree on what an emoji's variation selector does to its width; without it they don't.
                marks -= 1;
                continue;
            }
            _ if !unicode => match transliterated(c) {
                Some(ascii) => out.push_str(ascii),
                None => out.extend(c.escape_default()),
            },
            _ if hidden(c) || c.width().is_none() => out.extend(c.escape_default()),
            _ if zero_width && (marks > MARKS || before.is_none()) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// The report's own symbols for a terminal that has only ASCII.
fn transliterated(c: char) -> Option<&'static str> {
    Some(match c {
        '±' => "+/-",
        'µ' | 'μ' => "u",
        '…' => "...",
        '→' => "->",
        '×' => "x",
        '–' | '—' => "-",
        '·' => "-",
        '│' => "|",
        '’' => "'",
        '≥' => ">=",
        '┊' => ":",
        '├' | '┤' => "|",
        '─' => "-",
        '┼' => "+",
        '●' => "o",
        '◂' => "<",
        '▸' => ">",
        _ => return None,
    })
}

/// What is hidden anywhere, and variation selectors, on whose width terminals disagree.
fn hidden(c: char) -> bool {
    is_hidden(c) || matches!(c, '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}')
}

/// Columns of text that [`visible`] has been over. The sum over characters is what terminals draw; sequences that
/// some fonts join are never wider than that.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

pub(crate) fn ellipsis(unicode: bool) -> &'static str {
    if unicode { "…" } else { "..." }
}

pub(crate) fn head(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > room {
            return &text[..at];
        }
    }
    text
}

pub(crate) fn tail(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        start = at;
    }
    // A mark without its letter would sit on the ellipsis.
    text[start..].trim_start_matches(|c: char| c.width() == Some(0))
}

/// Visible `text` cut at its end to `room` columns.
pub(crate) fn truncate_end(text: &str, room: usize, unicode: bool) -> String {
    let mark = ellipsis(unicode);
    if width(text) <= room {
        text.to_owned()
    } else if room < mark.len().min(3) && !unicode || room == 0 {
        head(text, room).to_owned()
    } else {
        format!("{}{mark}", head(text, room - width(mark)))
    }
}

/// Visible `text` cut in its middle to `room` columns: its beginning says what it is, its end which one.
pub(crate) fn truncate_middle(text: &str, room: usize, unicode: bool) -> String {
    let mark = ellipsis(unicode);
    let letters = room.saturating_sub(width(mark));
    if width(text) <= room || letters < 4 {
        return truncate_end(text, room, unicode);
    }
    let end = letters / 2;
    format!("{}{mark}{}", head(text, letters - end), tail(text, end))
}

/// Breaks visible text at spaces into lines of at most `room` columns; longer words are cut.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let indent: String = text.chars().take_while(|c| *c == ' ').take(room / 2).collect();
    let mut lines = Vec::new();
    let mut line = indent.clone();
    for mut word in text.split(' ').filter(|word| !word.is_empty()) {
        if line.len() > indent.len() {
            if width(&line) + 1 + width(word) <= room {
                line.push(' ');
            } else {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            }
        }
        while width(&line) + width(word) > room {
            let fits = head(word, room - width(&line));
            // At least one character, even if it is wider than the room: the page clips it.
            let fits = if fits.is_empty() { word.chars().next().map_or(0, char::len_utf8) } else { fits.len() };
            line.push_str(&word[..fits]);
            word = &word[fits..];
            if word.is_empty() {
                break;
            }
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// Captured output without its SGR sequences, which are harmless and would only clutter. Any others are left, to be
/// shown escaped.
pub(crate) fn without_colour(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\x1b[") {
        out.push_str(&rest[..start]);
        let sequence = &rest[start + 2..];
        let end = sequence.find(|c: char| !(c.is_ascii_digit() || c == ';' || c == ':')).unwrap_or(sequence.len());
        if sequence[end..].starts_with('m') {
            rest = &sequence[end + 1..];
        } else {
            out.push_str("\x1b[");
            rest = sequence;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{truncate_end, truncate_middle, visible, width, wrap};

    #[test]
    fn what_can_not_be_seen_is_shown() {
        assert_eq!(visible("a\x1b[31mb\u{202e}c\n\u{200b}", true), "a\\u{1b}[31mb\\u{202e}c\\n\\u{200b}");
        assert_eq!(visible("é 日本 👍", true), "é 日本 👍");
        assert_eq!(visible("❤\u{fe0f}", true), "❤");
        assert_eq!(visible("1\u{fe0f}", true), "1\\u{fe0f}");
        assert_eq!(visible("e\u{301}", true), "e\u{301}");
        assert_eq!(visible("\u{301}", true), "\\u{301}");
        assert_eq!(visible("65 µs ± 1 → é", false), "65 us +/- 1 -> \\u{e9}");
    }

    #[test]
    fn names_are_cut_to_columns_not_to_characters() {
        assert_eq!(truncate_middle("benchHash sha3-256", 12, true), "benchH…3-256");
        assert_eq!(truncate_middle("benchHash sha3-256", 12, false), "bench...-256");
        assert_eq!(truncate_middle("日本語日本語日本語", 9, true), "日本…本語");
        assert_eq!(truncate_end("benchHash", 6, true), "bench…");
        assert_eq!(truncate_end("benchHash", 0, true), "");
        for room in 0..20 {
            assert!(width(&truncate_middle("日本語e\u{301}日本語日本語", room, true)) <= room);
            assert!(width(&truncate_middle("日本語e\u{301}日本語日本語", room, false)) <= room);
        }
    }

    #[test]
    fn prose_is_wrapped_at_spaces_and_long_words_are_cut() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("  at line 3 of it", 11), ["  at line 3", "  of it"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
