//! Names from outside, made harmless for a format.

/// Characters that change the direction of writing, or can't be seen.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Without what moves a cursor, changes the direction of writing or can't be seen: that is escaped as in Rust source.
pub(super) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// One word: what is blank becomes `_`.
pub(super) fn word(text: &str) -> String {
    printable(text).chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}
