use super::TableOptions;
use crate::text::{one_line, truncate_end, visible, width, wrap};

/// Emphasis; never the only carrier of a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Dim,
    Bold,
    Yellow,
    Red,
    Green,
}

impl Style {
    fn sgr(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "\x1b[2m",
            Self::Bold => "\x1b[1m",
            Self::Yellow => "\x1b[33m",
            Self::Red => "\x1b[31m",
            Self::Green => "\x1b[32m",
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
    /// Names aren't cut, and lines are wider for it.
    whole_names: bool,
}

/// A name that is shown whole: a parameter set may have any size.
const WHOLE_NAME: usize = 150;
/// Prose wider than this is hard to read, however wide the terminal.
const PROSE: usize = 100;

impl Page {
    pub(super) fn new(options: &TableOptions) -> Self {
        Self {
            width: options.width.max(1),
            unicode: options.unicode,
            colour: options.colour,
            text: String::new(),
            whole_names: options.whole_names,
        }
    }

    /// The columns that names of up to `longest` columns get, where they usually get `usual` at most. Where names stay whole, lines become as much
    /// wider as they take more; but beside names that are longer than a line no figure would be found.
    pub(super) fn room_for_names(&mut self, longest: usize, usual: usize) -> usize {
        if !self.whole_names || longest <= usual || longest > WHOLE_NAME {
            return longest.min(usual);
        }
        self.width += longest - usual;
        longest
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

    /// The text on as many lines as it takes.
    pub(super) fn put_whole(&mut self, indent: usize, style: Style, text: &str) {
        for part in wrap(text, self.width.saturating_sub(indent).max(1)) {
            let mut line = self.line();
            line.pad_to(indent).push(style, &part);
            self.put(line);
        }
    }

    /// The line, if there is anything on it.
    pub(super) fn put_unless_empty(&mut self, line: Line) {
        if line.width() > 0 {
            self.put(line);
        }
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
