use crate::text::{one_line, truncate_end, truncate_middle, visible};

/// Columns of a name.
const LONGEST_NAME: usize = 80;
/// Columns of a message.
const LONGEST_MESSAGE: usize = 240;

/// Text of at most `columns`, and of no more characters than that: marks take no column, but their share of a comment.
fn bounded(text: &str, columns: usize, cut: fn(&str, usize, bool) -> String) -> String {
    let text = visible(&one_line(text), true);
    if text.chars().count() <= columns {
        return text;
    }
    let text = cut(&text, columns, true);
    if text.chars().count() > columns { text.chars().take(columns).collect() } else { text }
}

/// Foreign text as a code span, in which GitHub neither links nor mentions anything. `cell`: in a table, where a `|`
/// would end the cell even inside a span.
pub(super) fn code(text: &str, cell: bool) -> String {
    let text = bounded(text, LONGEST_NAME, truncate_middle);
    let text = if cell { without_pipes(&text) } else { text };
    if text.trim().is_empty() {
        // A span needs something between its fences.
        return "`\"\"`".to_owned();
    }
    // GFM 6.3: the fence is a run of backticks that doesn't come inside.
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `|` escaped as tables want it. After a backslash readers disagree on what `\|` means, so there it is spelt out.
fn without_pipes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' if out.ends_with('\\') => out.push_str("u{7c}"),
            '|' => out.push_str("\\|"),
            c => out.push(c),
        }
    }
    // A backslash before the cell's end would escape it.
    if out.ends_with('\\') {
        out.push(' ');
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A sentence as text. Every mark that Markdown or HTML could read is escaped (GFM 6.1 allows it for all ASCII
/// punctuation); behind `@` and `#` stands a zero-width space, for GitHub looks for mentions and references after it has
/// resolved the escapes. What stands between two backticks is a code span.
pub(super) fn prose(text: &str) -> String {
    let text = bounded(text.trim(), LONGEST_MESSAGE, truncate_end);
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text.as_str();
    while let Some((before, (span, behind))) =
        rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    {
        out += &without_marks(before);
        out += &if span.trim().is_empty() { without_marks(&format!("`{span}`")) } else { code(span, false) };
        rest = behind;
    }
    out + &without_marks(rest)
}

fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut digits_refer = false;
    for c in text.chars() {
        if digits_refer && c.is_ascii_digit() {
            // `GH-12` refers as `#12` does.
            out.push_str("&#8203;");
        }
        let before = out.len();
        match c {
            '@' | '#' => {
                out.push('\\');
                out.push(c);
                out.push_str("&#8203;");
            }
            // `www.` begins a link.
            '.' if !out.to_ascii_lowercase().ends_with("www") => out.push(c),
            // Without meaning inside a line; escaping them would only make the source hard to read.
            ',' | ';' | '?' | '%' | '"' | '\'' | '(' | ')' => out.push(c),
            c if c.is_ascii_punctuation() => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        digits_refer = c == '-' && out[..before].to_ascii_lowercase().ends_with("gh");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, prose};

    #[test]
    fn a_name_stays_in_its_span_and_in_its_cell() {
        assert_eq!(code("HashBench::benchHash md5", true), "`HashBench::benchHash md5`");
        assert_eq!(code("a`b``c", true), "```a`b``c```");
        assert_eq!(code("`a", true), "`` `a ``");
        assert_eq!(code("a|b", true), r"`a\|b`");
        assert_eq!(code("a|b", false), "`a|b`");
        assert_eq!(code(r"a\|b", true), r"`a\u{7c}b`");
        assert_eq!(code(r"App\", true), r"` App\  `");
        assert_eq!(code("a\nb\u{202e}", true), r"`a\nb\u{202e}`");
        assert_eq!(code(" ", true), "`\"\"`");
    }

    #[test]
    fn a_message_links_and_mentions_nothing() {
        assert_eq!(prose("ask @maria about #12"), r"ask \@&#8203;maria about \#&#8203;12");
        assert_eq!(prose("see GH-12, not a-1"), r"see GH\-&#8203;12, not a\-1");
        assert_eq!(prose("<b>[x](https://e.vil)|`"), r"\<b\>\[x\](https\:\/\/e.vil)\|\`");
        assert_eq!(prose("only `--fail-on x` of `@m <b>`` `"), r"only `--fail-on x` of `@m <b>`\` \`");
        assert_eq!(prose("5.6 % at www.e.vil"), r"5.6 % at www\.e.vil");
        assert_eq!(prose("a\n# b\u{1b}"), r"a\\n\#&#8203; b\\u\{1b\}");
    }
}
