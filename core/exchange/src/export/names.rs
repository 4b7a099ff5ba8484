//! Names from outside, made harmless for a format.

use tare_samples::printable;

/// One word: what is blank becomes `_`.
pub(super) fn word(text: &str) -> String {
    printable(text).chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}
