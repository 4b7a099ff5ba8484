//! What is one place: a language, and a warning. Whoever wants to know something of either asks its entry.

use std::fs;
use std::path::Path;

use tare_definition::Language;
use tare_statistics::WarningCode;

use super::{core, sources};

/// Where a language may be named: its entry, its driver, its facts, its SDK; the tools that check all of them; and what is only for one by
/// its nature.
const OF_A_LANGUAGE: &[&str] = &[
    "languages/src/",
    "worker/src/drivers/",
    "worker/src/drivers.rs",
    "worker/src/embedded.rs",
    "machine/src/fitness/runtimes.rs",
    "machine/src/fitness/runtimes/",
    "validation/src/",
    // The worker of whole commands.
    "commands/src/",
    // Names of C++ are shown as Google Benchmark prints them.
    "report/src/terminal/group.rs",
    "samples/src/case.rs",
    // Samples in processes of their own are for PHP.
    "session/src/listing/environment.rs",
    // The texts of Go packages say which names their benchmarks can have.
    "session/src/listing/narrowed.rs",
    // Other tools are each for a language.
    "exchange/src/",
    // PHPBench's configuration is for PHP.
    "definition/src/project.rs",
    // The noise is measured on PHP.
    "session/src/doctor/noise.rs",
    // What shows that code is unchanged is another thing for each language.
    "code/src/go",
    "session/src/proving/",
    "units/src/",
    "worker/src/units.rs",
    // Pprof's files are read by the program `go`.
    "profile/src/sampled.rs",
];
const CODES: &str = "statistics/src/warning/codes.rs";

/// What of a source is no test.
fn code_of(path: &Path) -> String {
    if path.ends_with("tests.rs") || path.iter().any(|part| part == "tests") {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Whether `word` stands in a text, and isn't the end of a longer one.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || before == '_')
    })
}

fn languages_in(code: &str) -> Vec<&'static str> {
    // A command that is a worker has no language.
    let all = Language::all().filter(|language| *language != Language::Worker);
    let is_named = |language: &Language| {
        has(code, &format!("\"{}\"", language.name())) || has(code, &format!("Language::{language:?}"))
    };
    all.filter(is_named).map(Language::name).collect()
}

fn warnings_in(code: &str) -> Vec<&'static str> {
    let codes = WarningCode::ALL.iter().map(|code| code.entry().code);
    // One word may stand for anything; where it is a code, that is said.
    codes
        .filter(|name| match name.contains('-') {
            true => code.contains(&format!("\"{name}\"")),
            false => code.contains(&format!("code: \"{name}\"")) || code.contains(&format!("code == \"{name}\"")),
        })
        .collect()
}

/// Every source of the crates, its path below `core`, and its code.
fn all_code() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(core()).unwrap().flatten() {
        for path in sources(&entry.path().join("src")) {
            let name = path.strip_prefix(core()).unwrap().to_string_lossy().into_owned();
            all.push((name, code_of(&path)));
        }
    }
    assert!(all.len() > 200, "{}", all.len());
    all
}

#[test]
fn a_language_is_named_in_its_own_files_only() {
    for (name, code) in all_code() {
        if OF_A_LANGUAGE.iter().any(|place| name.starts_with(place)) {
            continue;
        }
        let named = languages_in(&code);
        assert!(named.is_empty(), "core/{name} names {named:?}: ask `tare_languages` for what it wants to know");
    }
    for place in OF_A_LANGUAGE {
        assert!(core().join(place).exists(), "{place} isn't there: take it out of this list");
    }
}

#[test]
fn a_warning_is_named_by_its_code_only() {
    for (name, code) in all_code() {
        // A setting of a simulated subject is called as what it brings about.
        let exempt = name == CODES || name.starts_with("simulation/src/");
        let named = if exempt { Vec::new() } else { warnings_in(&code) };
        assert!(named.is_empty(), "core/{name} names {named:?}: write `WarningCode::…`");
    }
}

#[test]
fn what_names_them_is_found() {
    assert_eq!(languages_in(r#"match language { "go" | "cpp" => 1 }"#), ["go", "cpp"]);
    assert_eq!(languages_in("source.language == Language::Php && x"), ["php"]);
    assert_eq!(languages_in(r#"SdkLanguage::Cpp => "gopher", Language::Worker, Language::all()"#), [""; 0]);
    assert_eq!(warnings_in(r#"x == "code-moved" || y.code == "drift" || "levels""#), ["drift", "code-moved"]);
    assert_eq!(warnings_in(r#"Warning { code: "prints".to_owned() }"#), ["prints"]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(code_of(&folder.join("tests/arrows/places.rs")).is_empty());
    assert!(code_of(&folder.join("src/clocks/runtimes.rs")).contains("Language::all"));
}
