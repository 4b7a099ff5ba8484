//! Text from outside on a page: what it means to a browser is the template's business, which escapes it; here it is kept short, and what
//! would hide or turn around what stands beside it is made visible.

use maud::{Markup, PreEscaped, html};

use crate::text::{one_line, truncate_middle, visible, width};

/// Columns of a name in a table, a list or a caption.
const NAME: usize = 90;
/// Characters of a message.
const MESSAGE: usize = 1_500;
/// Characters of a command within a message.
const CODE: usize = 40;
/// Lines of a message.
const LINES: usize = 12;
/// Characters of what is shown once, in full.
const FULL: usize = 4_000;

/// A name, at most 90 columns: what is longer loses its middle.
pub fn short(text: &str) -> String {
    shortened(text, NAME)
}

/// The same with room for so many columns.
pub(crate) fn shortened(text: &str, room: usize) -> String {
    let shown = visible(&one_line(&clipped(text, 4 * room)), true);
    truncate_middle(&shown, room, true)
}

/// The same text, in which no line ends between a figure and its unit.
pub(crate) fn unbroken(text: &str) -> String {
    const UNITS: [&str; 5] = ["ns", "µs", "ms", "s", "%"];
    let mut words = text.split(' ').peekable();
    let mut whole = String::with_capacity(text.len() + 16);
    while let Some(word) = words.next() {
        whole.push_str(word);
        let Some(next) = words.peek() else { break };
        let unit = next.trim_end_matches([',', ';', ':', ')', '.']);
        let is_figure = word.ends_with(|c: char| c.is_ascii_digit());
        let is_bound = word.trim_start_matches('(') == "<";
        whole.push(if (is_figure && UNITS.contains(&unit)) || is_bound { '\u{a0}' } else { ' ' });
    }
    whole
}

/// A name that stands by itself, whatever direction its script is written in.
pub(crate) fn name(text: &str) -> Markup {
    html! { bdi { (short(text)) } }
}

/// The whole of a name that [`short`] cuts, up to 4,000 characters; `None` where nothing is cut.
pub(crate) fn full(text: &str) -> Option<String> {
    let clip = beginning(text, FULL);
    let shown = visible(&one_line(&clip), true);
    (width(&shown) > NAME || clip.len() < text.len()).then(|| counted(shown, text, &clip))
}

/// A command to be copied, whole; `None` where it is longer than 4,000 characters, or has characters that a page doesn't show as they are.
pub fn copyable(command: &str) -> Option<&str> {
    let shown = visible(&one_line(&beginning(command, FULL)), true);
    (shown == command).then_some(command)
}

/// A command in a line of its own, which never breaks: it scrolls, and is copied whole.
pub fn command(text: &str) -> Markup {
    html! { pre class="command" tabindex="0" role="region" aria-label="Command" { code { (text) } } }
}

/// A message with its line ends, at most 1,500 characters in 12 lines.
pub(crate) fn prose(text: &str) -> String {
    let clip = beginning(text.trim(), MESSAGE);
    let mut lines: Vec<String> = clip.lines().take(LINES + 1).map(|line| visible(line, true)).collect();
    if lines.len() > LINES {
        lines[LINES] = "…".to_owned();
    }
    counted(lines.join("\n"), text.trim(), &clip)
}

/// A message with its line ends, in which what stands between two `backticks` is code, as where it is read as it was written.
pub(crate) fn told(text: &str) -> Markup {
    let shown = prose(text);
    let parts: Vec<&str> = shown.split('`').collect();
    let whole = parts.len() % 2 == 1;
    html! {
        span class="prose" {
            @for (number, part) in parts.iter().enumerate() {
                @match (whole, number % 2) {
                    (true, 0) => (part),
                    // Code never breaks: what is too long for a line stays as it was written.
                    (true, _) if part.chars().count() <= CODE && !part.contains('\n') => code { (part) },
                    (true, _) => { "`" (part) "`" },
                    (false, _) => { @if number > 0 { "`" } (part) },
                }
            }
        }
    }
}

fn counted(shown: String, text: &str, clip: &str) -> String {
    match text.len() - clip.len() {
        0 => shown,
        left => format!("{shown}… ({left} more bytes)"),
    }
}

fn beginning(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// Beginning and end of what is so long that escaping all of it would take long.
fn clipped(text: &str, characters: usize) -> String {
    if text.len() <= 8 * characters {
        return text.to_owned();
    }
    let end: Vec<char> = text.chars().rev().take(characters).collect();
    beginning(text, characters) + &end.into_iter().rev().collect::<String>()
}

/// Text as the value of an attribute that comes back as it is; characters that can't be seen are written by their numbers, so that none stands in the page itself.
pub fn attribute(text: &str) -> PreEscaped<String> {
    let mut value = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '"' => value.push_str(&format!("&#{};", u32::from(c))),
            c if tare_samples::is_hidden(c) => value.push_str(&format!("&#{};", u32::from(c))),
            c => value.push(c),
        }
    }
    PreEscaped(value)
}

#[cfg(test)]
mod tests {
    use super::{full, prose, short, unbroken};

    #[test]
    fn what_stands_between_backticks_is_code() {
        let shown = |text: &str| super::told(text).into_string();
        assert_eq!(
            shown("see `a <b>` or `c`."),
            r#"<span class="prose">see <code>a &lt;b&gt;</code> or <code>c</code>.</span>"#
        );
        for text in ["an odd ` one", "`", "``````".repeat(3).as_str(), &format!("`{}`", "x".repeat(100))] {
            let plain = shown(text).replace("<code>", "`").replace("</code>", "`");
            assert_eq!(plain, format!(r#"<span class="prose">{text}</span>"#));
        }
    }

    #[test]
    fn no_line_ends_between_a_figure_and_its_unit() {
        assert_eq!(unbroken("a call takes 13.6 µs (x 2), 3 s to"), "a call takes 13.6\u{a0}µs (x 2), 3\u{a0}s to");
        assert_eq!(unbroken("(up to +58 %), 1 faster"), "(up to +58\u{a0}%), 1 faster");
        assert_eq!(unbroken(""), "");
    }

    #[test]
    fn names_are_short_and_tell_their_beginning_and_end() {
        let long = format!("begin{}end", "x".repeat(1_000_000));
        let shown = short(&long);
        assert!(shown.starts_with("begin") && shown.ends_with("end"), "{shown}");
        assert!(shown.chars().count() <= 90);
        assert_eq!(short("a\n\u{202e}b\u{1b}[31m"), "a\\n\\u{202e}b\\u{1b}[31m");
        assert_eq!(short("short"), "short");
    }

    #[test]
    fn the_whole_name_is_there_where_it_was_cut_and_ends_somewhere() {
        assert_eq!(full("short"), None);
        assert_eq!(full(&"y".repeat(200)), Some("y".repeat(200)));
        let whole = full(&"z".repeat(1_000_000)).expect("cut");
        assert!(whole.len() < 5_000 && whole.ends_with("… (996000 more bytes)"), "{}", whole.len());
    }

    #[test]
    fn messages_keep_their_lines() {
        assert_eq!(prose("one\ntwo\u{7}\n"), "one\ntwo\\u{7}");
        assert_eq!(prose(&"l\n".repeat(50)).lines().count(), 13);
    }
}
