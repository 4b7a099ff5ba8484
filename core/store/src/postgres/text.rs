//! Texts as PostgreSQL keeps them: it has no U+0000, and names of benchmarks may.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// Stands before what is escaped; itself escaped where a text has it.
const ESCAPE: char = '\u{1}';

/// U+0000 is stored as U+0001 `0`, and U+0001 as U+0001 `1`. Other texts stay as they are.
pub(super) fn stored(text: &str) -> Cow<'_, str> {
    if text.contains(['\0', ESCAPE]) {
        Cow::Owned(text.replace(ESCAPE, "\u{1}1").replace('\0', "\u{1}0"))
    } else {
        Cow::Borrowed(text)
    }
}

/// What was stored.
pub(super) fn read(stored: String) -> String {
    if stored.contains(ESCAPE) { stored.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}") } else { stored }
}

/// By which a text of any length is found in an index.
pub(super) fn digest(texts: &[&str]) -> Vec<u8> {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    digest.finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_comes_back_and_no_two_are_stored_alike() {
        let texts = ["", "a\\0b", "\0", "\u{1}", "\u{1}0", "\u{1}1", "\0\u{1}\u{1}0\0", "\u{1}\u{1}0", "日本\n"];
        let mut seen = Vec::new();
        for text in texts {
            let kept = stored(text).into_owned();
            assert!(!kept.contains('\0'), "{text:?}");
            assert_eq!(read(kept.clone()), text);
            assert!(!seen.contains(&kept), "{text:?}");
            seen.push(kept);
        }
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}
