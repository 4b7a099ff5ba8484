//! Names that come from elsewhere than source code: words of data files, arguments and native extension modules.

use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

use crate::index::normal;

const MOST_WORDS: usize = 1_000_000;
const LONGEST_WORD: usize = 200;
/// How programs and their libraries begin.
const NATIVE: &[u8] = b"\x7fELF";
/// A text in native code has at least so many letters, as for strings(1): machine code holds nearly every pair of letters by chance.
const SHORTEST_TEXT: usize = 4;
/// How archives and compressed files begin: what they hold can't be seen.
const PACKED: [&[u8]; 7] = [
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"SQLite format 3\0",
];

/// Words by which code could name units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub(crate) words: BTreeSet<String>,
    /// Those of native code that are in none of its texts. They may be names all the same, and no names are put together of them.
    pub(crate) native: BTreeSet<String>,
    pub(crate) opaque: Option<String>,
    /// The words in the form in which names are compared, once they were asked for.
    plain: OnceLock<HashSet<String>>,
}

impl Words {
    pub(crate) fn plain(&self) -> &HashSet<String> {
        self.plain.get_or_init(|| self.words.iter().map(|word| normal(word)).collect())
    }

    /// Adds what a file holds. `name` is what a reader knows it by.
    pub fn add(&mut self, name: &str, content: &[u8]) {
        if PACKED.iter().any(|magic| content.starts_with(magic)) {
            self.hide(name);
        }
        if !content.starts_with(NATIVE) {
            return self.split(name, content, false);
        }
        // What native code hands to the interpreter ends with a zero.
        let is_text =
            |text: &&[u8]| text.len() >= SHORTEST_TEXT && text.iter().all(|byte| (b' '..=b'~').contains(byte));
        for text in content.split(|byte| *byte == 0).filter(is_text) {
            self.split(name, text, false);
        }
        self.split(name, content, true);
    }

    fn split(&mut self, name: &str, content: &[u8], native: bool) {
        let identifier = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        for word in content.split(|byte| !identifier(byte)) {
            if word.len() < 2 || word.len() > LONGEST_WORD {
                continue;
            }
            if self.words.len() + self.native.len() >= MOST_WORDS {
                self.hide(name);
                return;
            }
            // A name in a program may touch what isn't one; then both are words.
            let text = String::from_utf8_lossy(word);
            for part in text.split(char::REPLACEMENT_CHARACTER).filter(|part| part.len() > 1) {
                if !native {
                    self.words.insert(part.to_owned());
                } else if !self.words.contains(part) {
                    self.native.insert(part.to_owned());
                }
            }
        }
    }

    /// Something was read whose words can't be seen.
    pub fn hide(&mut self, name: &str) {
        self.opaque.get_or_insert_with(|| name.to_owned());
    }
}
