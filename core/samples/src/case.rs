use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::TimeUnit;

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

    /// Whether two runs mean the same benchmark. By its identity, but in Go by the folder of its package and the name in it: namesakes in
    /// several packages are told apart within a run only, by what else is measured in it.
    pub fn is_same(&self, other: &Self) -> bool {
        let of_package = |case: &Self| Path::new(&case.file).parent().map(Path::to_path_buf);
        if self.language == "go" && other.language == "go" {
            return of_package(self) == of_package(other)
                && self.own_name() == other.own_name()
                && self.parameters.name == other.parameters.name;
        }
        self.id() == other.id()
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
}
