use serde::{Deserialize, Serialize};

use crate::unit::TimeUnit;

/// A benchmark with one named set of inputs, as its worker enumerated it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Position in the worker's enumeration of [`Case::file`]; how the core names the case on the wire.
    pub index: u64,
    /// Language of the worker that found it: `php`, `go`, …
    pub language: String,
    /// The subject's name as the user wrote it: `HashBench::benchHash`.
    pub benchmark: String,
    /// What [`Case::benchmark`] begins with to tell it from one of the same name in another source: `codec::`. The worker doesn't know of
    /// it. Empty mostly.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Where its Go package lies below the project's root, `.` for the root itself: the same from whichever folder a run is asked for, and
    /// wherever the function stands that is called. The worker doesn't know of it. Empty in other languages, and in runs stored before
    /// there was one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The named inputs; empty for a benchmark without parameters.
    pub parameters: Parameters,
    /// The file that defines it, as given to the worker.
    pub file: String,
    /// Line of the definition, 1-based; 0 where the language can't tell.
    pub line: u64,
    /// Groups that the user put it in.
    pub groups: Vec<String>,
    /// What the source asks for.
    pub settings: CaseSettings,
}

impl Case {
    /// The name of [`Case::benchmark`] in its source.
    pub fn own_name(&self) -> &str {
        self.benchmark.strip_prefix(&self.prefix).unwrap_or(&self.benchmark)
    }

    /// What stands between the benchmark and the name of its parameters where people read it: as Google Benchmark prints it in C++, and a space
    /// elsewhere.
    pub fn separator(&self) -> &'static str {
        if self.language == "cpp" { "/" } else { " " }
    }

    /// A command is what its parameters are called, and its benchmark's name says nothing.
    pub fn is_named_by_set(&self) -> bool {
        self.language == "commands" && self.parameters.name.is_some()
    }

    /// How people call it: its benchmark, and the name of its parameters.
    pub fn title(&self) -> String {
        match self.parameters.name.as_deref() {
            Some(set) if self.is_named_by_set() => set.to_owned(),
            Some("") => format!("{} \"\"", self.benchmark),
            Some(set) => format!("{}{}{}", self.benchmark, self.separator(), set),
            None => self.benchmark.clone(),
        }
    }

    /// Whether two runs mean the same benchmark. By its identity, but in Go by the place of its package and the name in it: namesakes in
    /// several packages are told apart within a run only, by what else is measured in it.
    pub fn is_same(&self, other: &Self) -> bool {
        if self.place.is_empty() || other.place.is_empty() {
            return self.id() == other.id();
        }
        self.language == other.language
            && self.place == other.place
            && self.own_name() == other.own_name()
            && self.parameters.name == other.parameters.name
    }

    /// The identity of the case across runs: `php/HashBench::benchHash#md5`.
    pub fn id(&self) -> String {
        match &self.parameters.name {
            Some(name) => format!("{}/{}#{}", self.language, self.benchmark, name),
            None => format!("{}/{}", self.language, self.benchmark),
        }
    }
}

/// One named set of inputs. The values stay in the worker; these are their printed forms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Name of the set; `None` for a benchmark without parameters.
    pub name: Option<String>,
    /// Printed values by parameter name, in the order of the definition.
    pub values: Vec<(String, String)>,
}

/// Settings given in the benchmark's source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSettings {
    /// Calls a sample (`Revs` in PHPBench). `Some(0)` asks for one bare call without a loop.
    pub iterations: Option<u64>,
    /// Samples a launch (`Iterations` in PHPBench).
    pub samples: Option<u64>,
    /// The longest that one request to the worker may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The unit that the author wants to read.
    pub unit: Option<TimeUnit>,
    /// The source asks to leave this case out, and why.
    pub skip: Option<String>,
    /// The source marks its benchmark, or this set of it, as what others are compared with. Runs stored before there was
    /// such a mark have none.
    #[serde(default)]
    pub base: bool,
    /// It works with several threads at once, and gets all CPUs where the user names none. Runs stored before workers told that have none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub parallel: bool,
    /// What is asserted of its figures, in PHPBench's expression language. Runs stored before they were judged have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<CaseAssertion>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What is asserted of a case's figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseAssertion {
    /// As written: `mode(variant.time.avg) < 200 ms`.
    pub text: String,
    /// Where it is said: `phpbench.json:3`, `--assert`; empty where the benchmark itself says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(prefix: &str, name: &str, place: &str) -> Case {
        Case {
            index: 0,
            language: "go".into(),
            benchmark: format!("{prefix}{name}"),
            prefix: prefix.into(),
            place: place.into(),
            parameters: Parameters::default(),
            file: "suite/suite.go".into(),
            line: 1,
            groups: vec![],
            settings: CaseSettings::default(),
        }
    }

    #[test]
    fn a_go_case_is_known_by_its_place_and_without_one_by_its_identity() {
        let parse = case("", "BenchmarkParse", "codec");
        assert!(parse.is_same(&case("codec::", "BenchmarkParse", "codec")));
        assert!(parse.is_same(&Case { file: "p_test.go".into(), ..parse.clone() }));
        assert!(!parse.is_same(&case("", "BenchmarkParse", ".")));
        assert!(!parse.is_same(&case("", "BenchmarkWrite", "codec")));
        let set = Parameters { name: Some("set".into()), values: vec![] };
        assert!(!parse.is_same(&Case { parameters: set, ..parse.clone() }));
        // As runs were once stored.
        assert!(parse.is_same(&case("", "BenchmarkParse", "")));
        assert!(!parse.is_same(&case("codec::", "BenchmarkParse", "")));
        assert!(case("codec::", "BenchmarkParse", "").is_same(&case("codec::", "BenchmarkParse", "codec")));
    }
}
