//! Where a `//go:embed` pattern looks: a file that comes there is in the next build.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Adds the folders below `package` whose names decide what `pattern` takes. Rather one too many: it costs a build that wasn't needed.
pub(super) fn folders(package: &Path, pattern: &str, found: &mut BTreeSet<PathBuf>) {
    let mut reached = vec![package.to_owned()];
    let mut chosen = false;
    for part in pattern.strip_prefix("all:").unwrap_or(pattern).split('/') {
        chosen = chosen || part.contains(['*', '?', '[', '\\']);
        if !chosen {
            reached.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in reached.into_iter().filter(|path| is_folder(path)) {
            let part: Vec<char> = part.chars().collect();
            next.extend(names(&folder).filter(|name| may_match(&part, name)).map(|name| folder.join(name)));
            found.insert(folder);
        }
        reached = next;
    }
    // A folder is embedded with all that is in it.
    while let Some(path) = reached.pop() {
        if is_folder(&path) && found.insert(path.clone()) {
            reached.extend(names(&path).map(|name| path.join(name)));
        }
    }
}

/// Links aren't followed, as the go command doesn't.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|file| file.is_dir())
}

fn names(folder: &Path) -> impl Iterator<Item = String> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok())
}

/// A class, like `[a-z]`, stands for any one character here.
fn may_match(pattern: &[char], name: &str) -> bool {
    let mut rest = name.chars();
    match pattern {
        [] => name.is_empty(),
        ['*', after @ ..] => {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| may_match(after, &name[at..]))
        }
        ['[', after @ ..] => {
            // A bracket may be in the class itself, escaped.
            let mut end = 0;
            while end < after.len() && after[end] != ']' {
                end += if after[end] == '\\' { 2 } else { 1 };
            }
            rest.next().is_some() && may_match(after.get(end + 1..).unwrap_or_default(), rest.as_str())
        }
        ['?', after @ ..] => rest.next().is_some() && may_match(after, rest.as_str()),
        ['\\', letter, after @ ..] | [letter, after @ ..] => {
            rest.next() == Some(*letter) && may_match(after, rest.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::{folders, may_match};

    #[test]
    fn a_pattern_looks_where_its_wildcards_are_and_in_all_of_a_folder() {
        let base = tempfile::tempdir().unwrap();
        for folder in ["t/deep/er", "u/a1", "u/b1/in", "other/x"] {
            fs::create_dir_all(base.path().join(folder)).unwrap();
        }
        fs::write(base.path().join("t/one.txt"), "").unwrap();
        let looked = |pattern: &str| {
            let mut found = BTreeSet::new();
            folders(base.path(), pattern, &mut found);
            let names = found.iter().map(|path| path.strip_prefix(base.path()).unwrap().to_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        assert_eq!(looked("t/*.txt"), ["t"]);
        assert_eq!(looked("t/one.txt"), Vec::<String>::new(), "a file is known by itself");
        assert_eq!(looked("all:t"), ["t", "t/deep", "t/deep/er"]);
        assert_eq!(looked("u/a*/*.txt"), ["u", "u/a1"]);
        assert_eq!(looked("u/[bc]1/name"), ["u", "u/a1", "u/b1"]);
        assert_eq!(looked("o*"), ["", "other", "other/x"]);
    }

    #[test]
    fn what_the_go_command_matches_matches() {
        for (pattern, name, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a.text", false),
            ("a?c*", "abc", true),
            ("a?c*", "ac", false),
            ("[a-c]x", "bx", true),
            ("[\\]]x", "]x", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("*é", "né", true),
        ] {
            let letters: Vec<char> = pattern.chars().collect();
            assert_eq!(may_match(&letters, name), expected, "{pattern} {name}");
        }
    }
}
