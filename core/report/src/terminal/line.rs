use unicode_width::UnicodeWidthChar;

use super::TableOptions;

/// Emphasis; never the only carrier of a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Dim,
    Bold,
    Yellow,
    Red,
}

impl Style {
    fn sgr(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "\x1b[2m",
            Self::Bold => "\x1b[1m",
            Self::Yellow => "\x1b[33m",
            Self::Red => "\x1b[31m",
        }
    }
}

/// One line of the page. Everything that enters it is made visible first, so nothing hostile can leave it.
#[derive(Debug, Clone)]
pub(super) struct Line {
    unicode: bool,
    width: usize,
    spans: Vec<(Style, String)>,
}

impl Line {
    pub(super) fn new(unicode: bool) -> Self {
        Self { unicode, width: 0, spans: Vec::new() }
    }

    pub(super) fn push(&mut self, style: Style, text: &str) -> &mut Self {
        let text = visible(text, self.unicode);
        self.width += width(&text);
        self.spans.push((style, text));
        self
    }

    /// Fills with spaces up to `column`; a line that is longer already is left alone.
    pub(super) fn pad_to(&mut self, column: usize) -> &mut Self {
        if column > self.width {
            let blank = " ".repeat(column - self.width);
            self.push(Style::Plain, &blank);
        }
        self
    }

    pub(super) fn append(&mut self, other: Self) -> &mut Self {
        self.width += other.width;
        self.spans.extend(other.spans);
        self
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Trailing blanks come from padding; they must not cost a visible character its place.
    fn trim(&mut self) {
        while let Some((style, text)) = self.spans.pop() {
            let kept = text.trim_end_matches(' ');
            self.width -= text.len() - kept.len();
            if !kept.is_empty() {
                self.spans.push((style, kept.to_owned()));
                return;
            }
        }
    }

    fn clip(&mut self, limit: usize) {
        self.trim();
        while self.width > limit {
            let Some((style, text)) = self.spans.pop() else { return };
            let before = self.width - width(&text);
            let cut = truncate_end(&text, limit.saturating_sub(before), self.unicode);
            self.width = before + width(&cut);
            self.spans.push((style, cut));
            self.trim();
        }
    }
}

/// The text of a report as it grows, line by line.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) width: usize,
    pub(super) unicode: bool,
    colour: bool,
    text: String,
}

/// Prose wider than this is hard to read, however wide the terminal.
const PROSE: usize = 100;

impl Page {
    pub(super) fn new(options: &TableOptions) -> Self {
        Self { width: options.width.max(1), unicode: options.unicode, colour: options.colour, text: String::new() }
    }

    pub(super) fn line(&self) -> Line {
        Line::new(self.unicode)
    }

    pub(super) fn put(&mut self, mut line: Line) {
        line.clip(self.width);
        for (style, text) in &line.spans {
            if self.colour && *style != Style::Plain && !text.trim().is_empty() {
                self.text.push_str(style.sgr());
                self.text.push_str(text);
                self.text.push_str("\x1b[0m");
            } else {
                self.text.push_str(text);
            }
        }
        self.text.push('\n');
    }

    /// An empty line, unless the page is empty or ends with one already.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// The width that `text` takes once it is made visible.
    pub(super) fn measure(&self, text: &str) -> usize {
        width(&visible(text, self.unicode))
    }

    /// Prose: each line of `text` wrapped at spaces. `lead` stands before the first line, blanks before the others.
    pub(super) fn prose(&mut self, indent: usize, lead: (Style, &str), style: Style, text: &str) {
        let hang = indent + self.measure(lead.1);
        let room = self.width.min(PROSE).saturating_sub(hang).max(8);
        let mut first = true;
        for paragraph in text.lines() {
            for piece in wrap(&visible(paragraph.trim_end(), self.unicode), room) {
                let mut line = self.line();
                line.pad_to(indent);
                if first {
                    line.push(lead.0, lead.1);
                }
                line.pad_to(hang).push(style, &piece);
                self.put(line);
                first = false;
            }
        }
        if first && !lead.1.trim().is_empty() {
            let mut line = self.line();
            line.pad_to(indent).push(lead.0, lead.1);
            self.put(line);
        }
    }

    /// Phrases joined by `separator`, broken only between phrases where they fit.
    pub(super) fn phrases(
        &mut self,
        indent: usize,
        lead: (Style, &str),
        style: Style,
        separator: &str,
        phrases: &[String],
    ) {
        let hang = indent + self.measure(lead.1);
        let room = self.width.min(PROSE).saturating_sub(hang).max(8);
        // Where a phrase is longer than a line, holding phrases together only wastes lines.
        if phrases.iter().any(|phrase| self.measure(&one_line(phrase)) + separator.len() > room) {
            let phrases: Vec<String> = phrases.iter().map(|phrase| one_line(phrase)).collect();
            return self.prose(indent, lead, style, &phrases.join(separator));
        }
        let mut lines: Vec<String> = Vec::new();
        for (index, phrase) in phrases.iter().enumerate() {
            let last = index + 1 == phrases.len();
            let piece = format!("{}{}", one_line(phrase), if last { "" } else { separator.trim_end() });
            match lines.last_mut() {
                Some(line) if self.measure(line) + 1 + self.measure(&piece) <= room => {
                    line.push(' ');
                    line.push_str(&piece);
                }
                _ => lines.push(piece),
            }
        }
        self.prose(indent, lead, style, &lines.join("\n"));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// `text` with its line ends escaped, for places where it must stay on one line.
pub(super) fn one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r")
}

/// Zero-width marks in a row that are still taken for writing rather than for an attack on the lines around.
const MARKS: usize = 3;

/// `text` without anything that moves the cursor, changes the direction of writing or can't be seen: such characters
/// are escaped as in Rust source. Without `unicode` all is ASCII. Idempotent.
pub(super) fn visible(text: &str, unicode: bool) -> String {
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
        _ => return None,
    })
}

/// Characters that are printable by the letter of Unicode but change or hide what stands around them.
fn hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Columns of text that [`visible`] has been over. The sum over characters is what terminals draw; sequences that
/// some fonts join are never wider than that.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn ellipsis(unicode: bool) -> &'static str {
    if unicode { "…" } else { "..." }
}

fn head(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > room {
            return &text[..at];
        }
    }
    text
}

fn tail(text: &str, room: usize) -> &str {
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
pub(super) fn truncate_end(text: &str, room: usize, unicode: bool) -> String {
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
pub(super) fn truncate_middle(text: &str, room: usize, unicode: bool) -> String {
    let mark = ellipsis(unicode);
    let letters = room.saturating_sub(width(mark));
    if width(text) <= room || letters < 4 {
        return truncate_end(text, room, unicode);
    }
    let end = letters / 2;
    format!("{}{mark}{}", head(text, letters - end), tail(text, end))
}

/// Breaks visible text at spaces into lines of at most `room` columns; longer words are cut.
fn wrap(text: &str, room: usize) -> Vec<String> {
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
