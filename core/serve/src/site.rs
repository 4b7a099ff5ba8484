//! Where pages are, and so how they name each other: behind a server, which makes each when it is asked for, or as files.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use tare_report::{Beside, file_name};

use crate::history::Change;

/// The script of pages.
pub(crate) const SCRIPT: &str = "/app.js";
/// Names of files at the top.
pub(crate) const RUNS: &str = "index.html";
pub(crate) const CASES: &str = "cases.html";
pub(crate) const CHANGES: &str = "changes.html";
pub(crate) const FEED: &str = "feed.atom";
pub(crate) const STYLE: &str = "tare.css";
pub(crate) const PAGE_SCRIPT: &str = "tare.js";
/// Folders of files.
pub(crate) const FOLDERS: [&str; 3] = [OF_RUNS, HISTORIES, BADGES];
const OF_RUNS: &str = "runs";
const HISTORIES: &str = "histories";
const BADGES: &str = "badges";

/// Bytes of a hash in a name: names come from outside, and two that are unlike must not meet in one file.
const HASH: usize = 10;
/// Bytes of a run's id that is the name of its file.
const LONGEST: usize = 60;

/// How pages name each other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Site<'a> {
    /// Behind the server of these pages.
    Served,
    /// Files below one folder.
    Files {
        /// From the page to that folder: empty, or `../`.
        up: &'static str,
        /// Ids of the runs that have a page.
        runs: &'a BTreeSet<String>,
    },
}

impl Site<'_> {
    /// Whether there is a server, which can search, filter and compare.
    pub(crate) fn is_served(self) -> bool {
        matches!(self, Self::Served)
    }

    fn place(self, served: &str, file: &str) -> String {
        match self {
            Self::Served => served.to_owned(),
            Self::Files { up, .. } => format!("{up}{file}"),
        }
    }

    pub(crate) fn all_runs(self) -> String {
        self.place("/", RUNS)
    }

    pub(crate) fn cases(self) -> String {
        self.place("/cases", CASES)
    }

    pub(crate) fn changes(self) -> String {
        self.place("/changes", CHANGES)
    }

    pub(crate) fn feed(self) -> String {
        self.place("/feed.atom", FEED)
    }

    /// The page of a run; `None` where it has none.
    pub(crate) fn run(self, id: &str) -> Option<String> {
        match self {
            Self::Served => Some(format!("/runs/{}", encoded(id))),
            Self::Files { up, runs } => runs.contains(id).then(|| format!("{up}{}", run_file(id))),
        }
    }

    /// The history of a case on a runtime: of all kinds where `kind` is `None`, which files don't have.
    pub(crate) fn history(self, case: &str, runtime: &str, kind: Option<&str>) -> Option<String> {
        match (self, kind) {
            (Self::Served, None) => Some(format!("/history?{}", asked(case, runtime))),
            (Self::Served, Some(kind)) => Some(format!("/history?{}&kind={}", asked(case, runtime), encoded(kind))),
            (Self::Files { up, .. }, Some(kind)) => Some(format!("{up}{}", history_file(case, runtime, kind))),
            (Self::Files { .. }, None) => None,
        }
    }

    /// The history in which a change is seen.
    pub(crate) fn change(self, change: &Change) -> String {
        self.history(&change.case, &change.runtime, Some(&change.kind)).unwrap_or_default()
    }

    /// The badge of a history. With one `kind` alone the server needn't be told it.
    pub(crate) fn badge(self, case: &str, runtime: &str, kind: &str, is_only: bool) -> String {
        match self {
            Self::Served if is_only => format!("/badge.svg?{}", asked(case, runtime)),
            Self::Served => format!("/badge.svg?{}&kind={}", asked(case, runtime), encoded(kind)),
            Self::Files { up, .. } => format!("{up}{}", badge_file(case, runtime, kind)),
        }
    }

    /// Style sheet and script of a page, by addresses that are written into `room`.
    pub(crate) fn beside(self, room: &mut [String; 2]) -> Beside<'_> {
        match self {
            Self::Served => Beside::Script(SCRIPT),
            Self::Files { up, .. } => {
                *room = [STYLE, PAGE_SCRIPT].map(|name| format!("{up}{name}"));
                Beside::Files { style: &room[0], script: &room[1] }
            }
        }
    }
}

/// Text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

fn asked(case: &str, runtime: &str) -> String {
    format!("case={}&runtime={}", encoded(case), encoded(runtime))
}

/// The file of a run's page, from the top.
pub(crate) fn run_file(id: &str) -> String {
    format!("{OF_RUNS}/{}.html", safe(&[id]))
}

/// The file of a history, from the top.
pub(crate) fn history_file(case: &str, runtime: &str, kind: &str) -> String {
    format!("{HISTORIES}/{}.html", safe(&[case, runtime, kind]))
}

/// The file of its badge, from the top.
pub(crate) fn badge_file(case: &str, runtime: &str, kind: &str) -> String {
    format!("{BADGES}/{}.svg", safe(&[case, runtime, kind]))
}

/// The name of a file that is these texts' own: letters, digits, `-` and `_`, at most 81 bytes.
fn safe(parts: &[&str]) -> String {
    // Ids of runs are fit to be names. A `_` stands before every hash, and in no such id.
    if let [id] = parts
        && is_plain(id)
        && id.len() <= LONGEST
    {
        return (*id).to_owned();
    }
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let hash: String = hash.finalize().iter().take(HASH).map(|byte| format!("{byte:02x}")).collect();
    format!("{}_{hash}", file_name(parts.first().copied().unwrap_or_default()))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Whether a file from the top can be one of ours: what a list of files says comes from outside, too.
pub(crate) fn is_ours(name: &str) -> bool {
    if [RUNS, CASES, CHANGES, FEED, STYLE, PAGE_SCRIPT].contains(&name) {
        return true;
    }
    let Some((folder, file)) = name.split_once('/') else { return false };
    let ending = if folder == BADGES { ".svg" } else { ".html" };
    FOLDERS.contains(&folder) && file.strip_suffix(ending).is_some_and(|stem| is_plain(&stem.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Site, badge_file, history_file, is_ours, run_file};

    #[test]
    fn whatever_a_name_holds_its_file_is_plain_and_its_own() {
        let long = "n".repeat(4_000);
        let names = [
            "",
            "/",
            "..",
            "../../etc/passwd",
            "a/b",
            "a b",
            "a`b`",
            "<script>",
            "\u{0}",
            "\u{202e}x",
            "ä",
            "Ä",
            "CON",
            &long,
            "\n",
        ];
        let mut files = BTreeSet::new();
        for name in names {
            for file in [
                run_file(name),
                history_file(name, "php", "k"),
                badge_file("php/a", name, "k"),
                history_file("a", "b", name),
            ] {
                assert!(is_ours(&file) && file.len() < 100, "{name:?}: {file}");
                assert!(files.insert(file.clone()), "{name:?}: {file} is another's");
            }
        }
        assert_ne!(history_file("a", "bc", "d"), history_file("ab", "c", "d"));
    }

    #[test]
    fn a_list_from_outside_names_nothing_else() {
        for name in [
            "../index.html",
            "runs/../../x.html",
            "/etc/passwd",
            "runs/.html",
            "runs/a/b.html",
            "runs/a.svg",
            "badges/a.html",
            "",
            "runs",
            "notes.html",
            "runs/A.html",
        ] {
            assert!(!is_ours(name), "{name}");
        }
        assert!(is_ours("index.html") && is_ours("runs/20260101-000000-abcd.html") && is_ours("badges/a.svg"));
    }

    #[test]
    fn a_run_without_a_page_has_no_link() {
        let runs = BTreeSet::from(["one".to_owned()]);
        let site = Site::Files { up: "../", runs: &runs };
        assert_eq!((site.run("one").as_deref(), site.run("two")), (Some("../runs/one.html"), None));
        assert_eq!(Site::Served.run("a/b").as_deref(), Some("/runs/a%2Fb"));
    }
}
