//! What a tool is asked for: its arguments as the client sees them, and as they are checked. What a client sends is input from outside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tare_definition::session_name;

/// Longest text of an argument, in bytes.
const LONGEST: usize = 4_096;
/// Paths that a request names, at most.
const PATHS: usize = 100;
/// Seconds that a case may be measured for.
const SECONDS: std::ops::RangeInclusive<f64> = 0.05..=600.0;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    List,
    Run,
    Compare,
    Why,
    Show,
}

/// A tool as a client is told of it.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Names of its arguments.
    takes: &'static [&'static str],
}

pub(crate) const TOOLS: [Entry; 5] = [
    Entry {
        tool: Tool::List,
        name: "list",
        about: "Lists the benchmarks of this project without measuring them.",
        takes: &["filter", "paths"],
    },
    Entry {
        tool: Tool::Run,
        name: "run",
        about: "Measures benchmarks: the mean time of a call of each with a 95 % interval. To learn whether a change made code slower call `compare` instead.",
        takes: &["filter", "paths", "budget_seconds"],
    },
    Entry {
        tool: Tool::Compare,
        name: "compare",
        about: "Says which benchmarks a change made slower or faster: measures the working tree (with changes that aren't committed) and a commit in turns on this machine. \
                What can't have changed isn't measured.",
        takes: &["base", "candidate", "filter", "paths", "budget_seconds", "measure_all", "session", "own_benchmarks"],
    },
    Entry {
        tool: Tool::Why,
        name: "why",
        about: "Says without measuring which files, functions or code of a benchmark differ between two revisions, or that none does.",
        takes: &["case", "base", "candidate", "paths", "own_benchmarks"],
    },
    Entry {
        tool: Tool::Show,
        name: "show",
        about: "Shows a stored run again, the newest by default.",
        takes: &["run"],
    },
];

impl Entry {
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|entry| entry.name == name)
    }

    /// A JSON Schema of its arguments.
    pub(crate) fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.takes.iter().map(|name| ((*name).to_owned(), property(name))).collect();
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        schema.as_object().cloned().unwrap_or_default()
    }
}

fn property(name: &str) -> Value {
    match name {
        "filter" => {
            json!({ "type": "string", "description": "Only cases whose `Class::method#parameters` matches this regular expression" })
        }
        "paths" => json!({ "type": "array", "items": { "type": "string" }, "maxItems": PATHS,
            "description": "Files or folders of benchmarks, relative to the project. Default: those of tare.toml, or the whole project" }),
        "budget_seconds" => json!({ "type": "number", "minimum": SECONDS.start(), "maximum": SECONDS.end(),
            "description": "Time for each case; more of it makes the interval narrower. Default: what tare.toml says, else 2 for `run` and 4 for `compare`" }),
        "base" => {
            json!({ "type": "string", "description": "What to compare with: a git revision, or a stored run. Default: HEAD" })
        }
        "candidate" => json!({ "type": "string", "description": "What is judged. Default: `.`, the working tree" }),
        "measure_all" => json!({ "type": "boolean", "description": "Measure also what is proven unchanged" }),
        "session" => {
            json!({ "type": "string", "description": "Comparisons of one session share an \
            error of 1 %, so that of many tried changes those that do nothing aren't called faster. Default: one \
            session for all comparisons of this server" })
        }
        "own_benchmarks" => {
            json!({ "type": "boolean", "description": "Measure each side with its own \
            benchmark files. By default both have those of `base`, or those of the working tree where that is \
            compared, so that a changed benchmark can't pass for a gain" })
        }
        "case" => {
            json!({ "type": "string", "description": "Only cases whose name matches this regular expression. Default: all" })
        }
        _ => {
            json!({ "type": "string", "description": "An id, a part of one, a tag, or latest; `~2` after a tag or latest goes back two. Default: latest" })
        }
    }
}

/// The arguments of a request, of whichever tool.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Asked {
    pub(crate) filter: Option<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) budget_seconds: Option<f64>,
    pub(crate) base: Option<String>,
    pub(crate) candidate: Option<String>,
    pub(crate) measure_all: bool,
    pub(crate) session: Option<String>,
    pub(crate) own_benchmarks: bool,
    pub(crate) case: Option<String>,
    pub(crate) run: Option<String>,
}

impl Asked {
    /// Checked; what is wrong, and what to write instead.
    pub(crate) fn of(entry: &Entry, arguments: Map<String, Value>) -> Result<Self, String> {
        if let Some(other) = arguments.keys().find(|name| !entry.takes.contains(&name.as_str())) {
            let takes = entry.takes.join(", ");
            return Err(format!("`{}` has no argument `{}`; it takes {takes}", entry.name, beginning(other)));
        }
        for (name, value) in &arguments {
            let kind = property(name)["type"].clone();
            if !is_of(value, &kind) {
                return Err(format!(
                    "`{name}` of `{}` has another type than its schema says, which is {kind}",
                    entry.name
                ));
            }
        }
        let asked: Self = serde_json::from_value(Value::Object(arguments))
            .map_err(|error| format!("the arguments of `{}` aren't those of its schema: {error}", entry.name))?;
        let texts = [&asked.filter, &asked.base, &asked.candidate, &asked.case, &asked.run];
        for text in texts.into_iter().flatten().chain(&asked.paths) {
            if text.len() > LONGEST {
                return Err(format!("an argument has {} bytes; {LONGEST} are the most", text.len()));
            }
            if text.contains('\0') {
                return Err("an argument has a NUL character, which no name has; leave it out".to_owned());
            }
        }
        if let Some(session) = &asked.session {
            session_name(session).map_err(|error| format!("`session`: {error}"))?;
        }
        if asked.paths.len() > PATHS {
            return Err(format!(
                "`paths` has {} entries; {PATHS} are the most: name a folder instead",
                asked.paths.len()
            ));
        }
        if asked.budget_seconds.is_some_and(|seconds| !SECONDS.contains(&seconds)) {
            return Err(format!("`budget_seconds` has to lie between {} and {}", SECONDS.start(), SECONDS.end()));
        }
        Ok(asked)
    }

    pub(crate) fn budget(&self) -> Option<Duration> {
        self.budget_seconds.map(Duration::from_secs_f64)
    }

    pub(crate) fn base(&self) -> &str {
        self.base.as_deref().unwrap_or("HEAD")
    }

    pub(crate) fn candidate(&self) -> &str {
        self.candidate.as_deref().unwrap_or(".")
    }

    /// The side whose benchmark files both are measured with. The working tree is measured in place: it has its own.
    pub(crate) fn benchmarks(&self) -> Option<&str> {
        const WORKING_TREE: &str = ".";
        let sides = [self.base(), self.candidate()].map(|name| name.strip_prefix("git:").unwrap_or(name));
        let giver = if sides.contains(&WORKING_TREE) { WORKING_TREE } else { sides[0] };
        (!self.own_benchmarks).then_some(giver)
    }

    /// The paths from the project's root, links followed: what lies outside of it is none of the project's.
    pub(crate) fn paths_within(&self, root: &Path) -> Result<Vec<PathBuf>, String> {
        let root = std::fs::canonicalize(root).map_err(|error| format!("cannot read {}: {error}", root.display()))?;
        let within = |path: &String| {
            let whole = std::fs::canonicalize(root.join(path)).map_err(|error| {
                format!("`paths`: {}: {error}; name files or folders of the project", beginning(path))
            })?;
            match whole.strip_prefix(&root) {
                Ok(below) if below.as_os_str().is_empty() => Ok(PathBuf::from(".")),
                Ok(below) => Ok(below.to_owned()),
                Err(_) => Err(format!(
                    "`paths`: {} is outside the project {}; name files or folders in it",
                    beginning(path),
                    root.display()
                )),
            }
        };
        self.paths.iter().map(within).collect()
    }
}

/// Whether a value is what a schema calls `kind`. Of an array all entries have to be texts; a text or a number may be null, which is as good as left out.
fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("string") => value.is_string() || value.is_null(),
        Some("number") => value.is_number() || value.is_null(),
        Some("boolean") => value.is_boolean(),
        _ => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
    }
}

/// So much of a text as an answer repeats.
fn beginning(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Asked, Entry, TOOLS};

    fn asked(tool: &str, arguments: Value) -> Result<Asked, String> {
        let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
        Asked::of(Entry::of(tool).unwrap(), arguments)
    }

    #[test]
    fn every_argument_that_a_tool_takes_is_understood() {
        for entry in &TOOLS {
            for (name, schema) in entry.schema()["properties"].as_object().unwrap() {
                let value = match schema["type"].as_str().unwrap() {
                    "string" => json!("x"),
                    "array" => json!(["x"]),
                    "number" => json!(1),
                    _ => json!(true),
                };
                assert!(asked(entry.name, json!({ name: value })).is_ok(), "{} {name}", entry.name);
                let wrong = asked(entry.name, json!({ name: { "a": 1 } })).unwrap_err();
                assert!(wrong.contains("another type"), "{wrong}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_what_to_write() {
        for (tool, arguments, told) in [
            ("show", json!({ "filter": "x" }), "`show` has no argument `filter`; it takes run"),
            ("run", json!({ "budget_seconds": 0 }), "between 0.05 and 600"),
            ("run", json!({ "budget_seconds": 1e9 }), "between 0.05 and 600"),
            ("run", json!({ "filter": "x".repeat(5_000) }), "5000 bytes"),
            ("run", json!({ "paths": vec!["x"; 101] }), "name a folder instead"),
            ("compare", json!({ "base": "a\0b" }), "NUL"),
            ("compare", json!({ "session": "" }), "`session`: it is empty"),
            ("compare", json!({ "session": "x".repeat(101) }), "100 are the most"),
            ("compare", json!({ "session": "a\nb" }), "isn't seen"),
            ("run", json!({ "session": "a" }), "has no argument `session`"),
        ] {
            let why = asked(tool, arguments).unwrap_err();
            assert!(why.contains(told), "{why}");
        }
    }

    #[test]
    fn both_sides_have_the_benchmarks_of_the_base_where_they_can() {
        let giver = |arguments: Value| asked("compare", arguments).unwrap().benchmarks().map(str::to_owned);
        assert_eq!(giver(json!({})).as_deref(), Some("."), "the working tree is measured in place");
        assert_eq!(giver(json!({ "base": "HEAD~2", "candidate": "git:HEAD" })).as_deref(), Some("HEAD~2"));
        assert_eq!(giver(json!({ "base": "git:main", "candidate": "HEAD" })).as_deref(), Some("main"));
        assert_eq!(giver(json!({ "base": ".", "candidate": "HEAD" })).as_deref(), Some("."));
        assert_eq!(giver(json!({ "own_benchmarks": true })), None);
    }

    #[test]
    fn paths_stay_in_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("bench")).unwrap();
        std::fs::write(folder.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
        let within = |path: &str| asked("run", json!({ "paths": [path] })).unwrap().paths_within(&root);
        let absolute = root.join("bench");
        for inside in ["bench", "./bench/../bench", absolute.to_str().unwrap()] {
            assert_eq!(within(inside).unwrap(), [std::path::PathBuf::from("bench")], "{inside}");
        }
        assert_eq!(within(".").unwrap(), [std::path::PathBuf::from(".")]);
        for outside in ["..", "/etc", "../secret", "out/secret", "bench/../../secret"] {
            assert!(within(outside).unwrap_err().contains("is outside the project"), "{outside}");
        }
        assert!(within("missing").unwrap_err().contains("name files or folders of the project"));
    }
}
