//! Files that a benchmark lacks in a checkout and that the working tree has: git ignores them, or doesn't know them.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use tare_definition::Project;
use tare_request::{Request, Side};
use tare_results::{NoticeLevel, NoticeView};
use tare_samples::Failure;

/// What messages name files by: between quotes or brackets, or up to a colon or white space.
static PLACES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"['"`(]([^'"`()\n]{1,400})['"`)]|([^\s'"`():,;]{2,400})"#).ok());
/// Of a failure's output so much is read, bytes.
const MOST: usize = 64 << 10;
/// Files that are named.
const NAMED: usize = 3;

/// A warning beside failures in checkouts that name such a file.
pub(crate) fn notice<'f>(
    request: &Request,
    project: &Project,
    failures: impl Iterator<Item = &'f Failure>,
) -> Option<NoticeView> {
    let checkouts: Vec<&Side> = request.sides.iter().filter(|side| !side.in_place()).collect();
    let mut lacking: BTreeSet<PathBuf> = BTreeSet::new();
    for failure in failures {
        for text in [&failure.message, &failure.stderr, &failure.stdout] {
            let text = text.get(..MOST).unwrap_or(text);
            let places = PLACES.iter().flat_map(|places| places.captures_iter(text));
            let names = places.filter_map(|found| Some(found.get(1).or(found.get(2))?.as_str()));
            lacking.extend(names.flat_map(|name| checkouts.iter().filter_map(|side| lacks(side, &project.root, name))));
        }
    }
    let named: Vec<String> = lacking.iter().take(NAMED).map(|path| format!("`{}`", path.display())).collect();
    let are = if named.len() == 1 { "is" } else { "are" };
    (!named.is_empty()).then(|| NoticeView {
        level: NoticeLevel::Warning,
        message: format!(
            "{} {are} in the working tree and not in the commits: checkouts lack what git ignores or doesn't know",
            named.join(", ")
        ),
        file: String::new(),
        line: 0,
        remedy: "commit it, or have `[compare] prepare` in tare.toml fetch or make it".to_owned(),
    })
}

/// The file below the project's root that the name means, where the checkout lacks it and the working tree has it.
fn lacks(side: &Side, project: &Path, name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let below = match path.is_absolute() {
        true => path.strip_prefix(&side.root).ok()?,
        false => path.strip_prefix(".").unwrap_or(path),
    };
    // What a benchmark prints says nothing of files elsewhere.
    if !below.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let is_lacking = !side.root.join(below).exists() && project.join(below).is_file();
    is_lacking.then(|| below.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tare_definition::{Project, Selection};
    use tare_request::{Request, Side};
    use tare_samples::{Failure, FailureKind};

    use super::notice;

    #[test]
    fn a_file_that_only_the_working_tree_has_is_named_where_a_checkout_asked_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["project/data", "checkout/data"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["project/data/big.json", "project/data/both.json", "checkout/data/both.json"] {
            fs::write(at(name), "x").unwrap();
        }
        let project = Project { root: at("project"), ..Project::default() };
        let mut request = Request::of_selection(&Selection::default(), at("project"), &project).unwrap();
        let side = |root: &Path, working_tree: bool| Side {
            name: "HEAD".into(),
            commit: None,
            root: root.to_owned(),
            working_tree,
            folder: root.to_owned(),
        };
        let told = |request: &Request, message: &str| {
            let failure = Failure::new(FailureKind::Fatal, message, String::new());
            notice(request, &project, [failure].iter()).map(|notice| notice.message)
        };
        request.sides = vec![side(&at("checkout"), false)];
        let absolute = format!("[Errno 2] No such file or directory: '{}'", at("checkout/data/big.json").display());
        let said = told(&request, &absolute).unwrap();
        assert!(said.starts_with("`data/big.json` is in the working tree and not in the commits"), "{said}");
        assert_eq!(told(&request, "open data/big.json: no such file or directory").unwrap(), said);
        assert_eq!(told(&request, "can't read data/both.json or data/none.json"), None);
        assert_eq!(told(&request, "can't read ../project/data/big.json"), None);
        request.sides = vec![side(&at("checkout"), true)];
        assert_eq!(told(&request, &absolute), None);
    }
}
