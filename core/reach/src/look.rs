//! A look: what the cases of a source depend on, each run once.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::record::Facts;

/// What the cases of one source depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// What loading the source depends on, and with it every case.
    pub shared: Dependencies,
    /// What each depends on besides, by the case's identity; or why that isn't known.
    pub cases: BTreeMap<String, Result<Dependencies, String>>,
    /// Each case had a process of its own, where one process could have looked at all of them together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
}

/// What a stretch of a process depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependencies {
    /// Files, folders and paths.
    pub facts: Facts,
    /// What the worker wrote of the code that ran (PROTOCOL 1.10), a line of JSON for each answer; empty where it doesn't tell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
}

impl Look {
    /// The same look, as it would have been taken in a checkout at `to` instead of `from`: what workers write of code names files by their whole path.
    /// `None` where such a path may be written in several ways.
    #[must_use]
    pub fn moved(&self, from: &Path, to: &Path) -> Option<Self> {
        let text = |folder: &Path| {
            let text = format!("{}/", folder.to_str()?.trim_end_matches('/'));
            let plain = text.bytes().all(|byte| (byte.is_ascii_graphic() || byte == b' ') && !b"\"\\".contains(&byte));
            plain.then_some(text)
        };
        let (from, to) = (text(from)?, text(to)?);
        let moved =
            |seen: &Dependencies| Dependencies { facts: seen.facts.clone(), code: seen.code.replace(&from, &to) };
        let cases = self.cases.iter().map(|(id, seen)| (id.clone(), seen.as_ref().map(&moved).map_err(Clone::clone)));
        Some(Self { shared: moved(&self.shared), cases: cases.collect(), apart: self.apart })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Dependencies, Look};

    #[test]
    fn code_of_a_look_that_is_moved_is_of_the_other_checkout() {
        let seen = |code: &str| Dependencies { code: code.to_owned(), ..Dependencies::default() };
        let look = Look {
            shared: seen(r#"{"file":"/a/b/x.py"}"#),
            cases: [("c".to_owned(), Ok(seen("/a/b/ /a/bc/")))].into(),
            apart: false,
        };
        let moved = look.moved(Path::new("/a/b/"), Path::new("/a/d")).unwrap();
        assert_eq!(moved.shared.code, r#"{"file":"/a/d/x.py"}"#);
        assert_eq!(moved.cases["c"].as_ref().unwrap().code, "/a/d/ /a/bc/");
        assert_eq!(look.moved(Path::new("/ä"), Path::new("/a/d")), None);
        assert_eq!(look.moved(Path::new("/a\tb"), Path::new("/a/d")), None);
    }
}
