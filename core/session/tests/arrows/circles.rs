//! Files that import each other in a loop, within each crate. Between crates there is none: the compiler refuses it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{core, sources};

/// Circles that stand still: every file of a circle that isn't named here is an error, and so is one named here that is in none.
const KNOWN: &[&str] = &[];

/// A module by its path, `["judging", "gate"]`; a crate's front page is the empty one.
type Module = Vec<String>;

/// The module that a source is, by its path below `src`.
fn module_of(below: &Path) -> Module {
    let mut parts: Module = below.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// A source without comments, texts, and its own tests.
fn code_of(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// What a list in braces names, each with what stands before the braces.
fn flattened(before: &str, text: &str, found: &mut Vec<String>) {
    let text = text.trim();
    let Some(open) = text.find('{') else {
        let name = text.split(" as ").next().unwrap_or_default().trim();
        found.push(format!("{before}{name}"));
        return;
    };
    let before = format!("{before}{}", text[..open].trim());
    let inner = text[open + 1..].rsplit_once('}').map_or("", |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                flattened(&before, &inner[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inner[start..].trim().is_empty() {
        flattened(&before, &inner[start..], found);
    }
}

/// All paths of a source that begin in its crate: those of its `use`, and those that stand in the code.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut using: Option<String> = None;
    for line in code.lines() {
        let start = line.trim_start();
        let begins = start.strip_prefix("use ").or_else(|| {
            let public = start.strip_prefix("pub")?;
            public
                .split_once("use ")
                .filter(|(before, _)| before.trim().is_empty() || before.trim_end().ends_with(')'))
                .map(|(_, path)| path)
        });
        let text = match (&mut using, begins) {
            (Some(text), _) => {
                text.push_str(start);
                text.clone()
            }
            (None, Some(path)) => path.to_owned(),
            (None, None) => {
                rest.push_str(line);
                rest.push('\n');
                continue;
            }
        };
        match text.split_once(';') {
            Some((path, _)) => {
                flattened("", path, &mut found);
                using = None;
            }
            None => using = Some(text),
        }
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    found.extend(rest.split(|c| !is_part(c)).filter(|word| word.contains("::")).map(str::to_owned));
    found
}

/// The module whose item a path names, seen from another module; `None` for what is of another crate, or of the
/// module's own room: itself, what it stands in, and what stands in it.
fn target(path: &str, from: &Module, modules: &BTreeSet<Module>) -> Option<Module> {
    let mut parts = path.split("::").peekable();
    let mut at: Module = match *parts.peek()? {
        "crate" => {
            parts.next();
            Vec::new()
        }
        "self" => {
            parts.next();
            from.clone()
        }
        "super" => from.clone(),
        name => {
            // A child of the module itself.
            let child: Module = from.iter().cloned().chain([name.to_owned()]).collect();
            if !modules.contains(&child) {
                return None;
            }
            from.clone()
        }
    };
    while parts.next_if_eq(&"super").is_some() {
        at.pop()?;
    }
    for part in parts {
        let child: Module = at.iter().cloned().chain([part.to_owned()]).collect();
        if !modules.contains(&child) {
            break;
        }
        at = child;
    }
    // A module's own file and the files in its folder are one room: what it hands to them is no way back.
    (!at.starts_with(from) && !from.starts_with(&at)).then_some(at)
}

/// Which module of a crate imports which.
fn imports(files: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let modules: BTreeSet<Module> = files.keys().cloned().collect();
    let arrows = |(module, text): (&Module, &String)| {
        let all = paths(&code_of(text));
        (module.clone(), all.iter().filter_map(|path| target(path, module, &modules)).collect())
    };
    files.iter().map(arrows).collect()
}

/// All that can be reached from a module.
fn reached<'a>(from: &'a Module, arrows: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        next.extend(arrows.get(module).into_iter().flatten().filter(|to| seen.insert(*to)));
    }
    seen
}

/// The modules that reach themselves.
fn in_circles(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<&Module> {
    arrows.keys().filter(|module| reached(module, arrows).contains(module)).collect()
}

#[test]
fn no_file_imports_itself_by_way_of_others() {
    let mut found = BTreeMap::new();
    let mut count = 0;
    for entry in fs::read_dir(core()).unwrap().flatten() {
        let root = entry.path().join("src");
        let is_test =
            |path: &Path| path.to_string_lossy().ends_with("tests.rs") || path.iter().any(|part| part == "tests");
        let files: BTreeMap<Module, String> = sources(&root)
            .into_iter()
            .filter(|path| !is_test(path))
            .map(|path| (module_of(path.strip_prefix(&root).unwrap()), fs::read_to_string(&path).unwrap()))
            .collect();
        let arrows = imports(&files);
        count += arrows.values().map(BTreeSet::len).sum::<usize>();
        let name = entry.file_name().into_string().unwrap();
        for module in in_circles(&arrows) {
            let file = format!("{name}/src/{}.rs", module.join("/"));
            found.insert(file, arrows[module].iter().map(|to| to.join("::")).collect::<Vec<_>>());
        }
    }
    assert!(count > 800, "only {count} imports were found");
    let unknown: Vec<_> = found.iter().filter(|(file, _)| !KNOWN.contains(&file.as_str())).collect();
    assert!(unknown.is_empty(), "files that import each other in a loop, and what each imports: {unknown:#?}");
    let gone: Vec<_> = KNOWN.iter().filter(|file| !found.contains_key(**file)).collect();
    assert!(gone.is_empty(), "{gone:?} are in no circle any more: take them out of this list");
}

#[test]
fn circles_are_found_however_they_are_written() {
    let files = |all: &[(&str, &str)]| -> BTreeMap<Module, String> {
        all.iter().map(|(name, text)| (module_of(Path::new(name)), (*text).to_owned())).collect()
    };
    let circles = |all: &[(&str, &str)]| {
        let arrows = imports(&files(all));
        in_circles(&arrows).iter().map(|module| module.join("::")).collect::<Vec<_>>()
    };
    let lib = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::{B, C as D};\n");
    let straight = [lib, ("a.rs", "use crate::b::B;\nuse std::fmt;\n"), ("b.rs", "// crate::a::A\npub struct B;\n")];
    assert_eq!(circles(&straight), [""; 0]);
    // In the code, and in a list over several lines.
    let both = [lib, ("a.rs", "pub(crate) use crate::{\n    b::{B, C},\n};\n"), ("b.rs", "fn b() -> crate::a::A {}\n")];
    assert_eq!(circles(&both), ["a", "b"]);
    let inside =
        [("lib.rs", "mod a;"), ("a.rs", "mod c;\nuse self::c::C;\nuse super::x;\n"), ("a/c.rs", "use super::A;\n")];
    assert_eq!(circles(&inside), [""; 0]);
    let outside = [lib, ("a.rs", "mod c;"), ("a/c.rs", "use crate::b::B;\n"), ("b.rs", "use crate::a::c::C;\n")];
    assert_eq!(circles(&outside), ["a::c", "b"]);
    let tests = [
        lib,
        ("a.rs", "use crate::b::B;\n"),
        ("b.rs", "fn b() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
    ];
    assert_eq!(circles(&tests), [""; 0]);
}
