//! Which files a crate's root leads to, by the declarations of modules that stand on lines of their own.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tare_languages::has_bench_attribute;

/// What a source may be, at the most; the search for sources takes no larger ones either.
const LARGEST: u64 = 16 << 20;
/// More files than a crate has.
const MOST: usize = 100_000;

/// Those of them that have `#[bench]`, in the order in which they are declared.
pub(super) fn with_bench(root: &Path) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    let mut found = Vec::new();
    // The file, and the folder in which its modules are looked for.
    let mut left = vec![(root.to_owned(), root.parent().unwrap_or(root).to_owned())];
    while let Some((file, folder)) = left.pop() {
        let Ok(real) = file.canonicalize() else { continue };
        if known.len() >= MOST || !known.insert(real) {
            continue;
        }
        let Ok(text) = tare_files::text(&file, LARGEST) else { continue };
        let mut modules = declared(&text, &file, &folder);
        modules.reverse();
        left.extend(modules);
        if has_bench_attribute(&text) {
            found.push(file);
        }
    }
    found
}

/// Files of the modules that a text declares, and the folders of their own modules.
fn declared(text: &str, file: &Path, folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut modules = Vec::new();
    let mut path: Option<&str> = None;
    // The folder of each module that is written within the text and has a block, by how far it is indented.
    let mut within: Vec<(usize, PathBuf)> = Vec::new();
    for line in text.lines() {
        let indented = line.len() - line.trim_start().len();
        let mut words = line.trim();
        if words.is_empty() || words.starts_with("//") {
            continue;
        }
        while within.last().is_some_and(|(outer, _)| *outer >= indented) {
            within.pop();
        }
        let folder = within.last().map_or(folder, |(_, folder)| folder.as_path());
        // Attributes before it, on the same line.
        while let Some(attribute) = words.strip_prefix("#[") {
            let Some((inner, rest)) = attribute.split_once(']') else { break };
            path = path_of(inner).or(path);
            words = rest.trim_start();
        }
        if words.is_empty() {
            continue;
        }
        let given = path.take();
        let Some((name, rest)) = name_of_module(words) else { continue };
        match rest {
            ";" => modules.extend(file_of(name, given, file, folder)),
            _ => within.push((indented, folder.join(given.unwrap_or(name)))),
        }
    }
    modules
}

/// `path = "…"`, as an attribute has it.
fn path_of(attribute: &str) -> Option<&str> {
    let value = attribute.trim().strip_prefix("path")?.trim_start().strip_prefix('=')?.trim();
    value.strip_prefix('"')?.strip_suffix('"')
}

/// The name in `pub(crate) mod name;` or `mod name {`, and what is behind it: its first character.
fn name_of_module(words: &str) -> Option<(&str, &str)> {
    let words = match words.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => words,
    };
    let words = words.strip_prefix("mod ")?.trim_start();
    let words = words.strip_prefix("r#").unwrap_or(words);
    let end = words.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))?;
    let rest = words[end..].trim_start();
    matches!(rest.as_bytes().first(), Some(b';' | b'{')).then(|| (&words[..end], &rest[..1]))
}

fn file_of(name: &str, given: Option<&str>, file: &Path, folder: &Path) -> Option<(PathBuf, PathBuf)> {
    if let Some(given) = given {
        // Beside the file that says so; what it declares lies beside it, as with `mod.rs`.
        let path = file.parent()?.join(given);
        let folder = path.parent()?.to_owned();
        return Some((path, folder));
    }
    let below = folder.join(name);
    let files = [below.with_file_name(format!("{name}.rs")), below.join("mod.rs")];
    files.into_iter().find(|file| file.is_file()).map(|file| (file, below))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::with_bench;

    const BENCH: &str = "#[bench]\nfn a(b: &mut test::Bencher) {}\n";

    #[test]
    fn files_are_found_as_the_compiler_finds_them() {
        let top = tempfile::tempdir().unwrap();
        let root = "mod plain;\n#[cfg(test)]\npub(crate) mod folder;\n#[cfg(test)] mod same_line;\n#[path = \"../elsewhere.rs\"]\nmod given;\n\
            mod inner {\n    #[bench]\n    fn a() {}\n    mod deep;\n}\nmod loops;\n// mod comment;\nmodern! { };\nmod missing;\n";
        for (name, text) in [
            ("src/lib.rs", root),
            ("src/plain.rs", "mod below;"),
            ("src/plain/below.rs", BENCH),
            ("src/folder/mod.rs", &format!("mod beside;\n{BENCH}")),
            ("src/folder/beside.rs", BENCH),
            ("src/same_line.rs", BENCH),
            ("elsewhere.rs", BENCH),
            ("src/inner/deep.rs", BENCH),
            ("src/loops.rs", "#[path = \"lib.rs\"]\nmod again;\n"),
            ("src/comment.rs", BENCH),
            ("src/unused.rs", BENCH),
        ] {
            let path = top.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = with_bench(&top.path().join("src/lib.rs"));
        let names: Vec<&str> =
            found.iter().map(|path| Path::new(path).strip_prefix(top.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "src/lib.rs",
                "src/plain/below.rs",
                "src/folder/mod.rs",
                "src/folder/beside.rs",
                "src/same_line.rs",
                "src/../elsewhere.rs",
                "src/inner/deep.rs",
            ]
        );
    }
}
