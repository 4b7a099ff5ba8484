//! What a worker said of its runtime, judged. Pure: facts in, findings out.

mod cpp;
mod go;
mod php;
mod python;
mod rust;

use std::collections::BTreeMap;

use super::{Finding, Level};
use crate::files;

/// What a worker said, by name.
struct Facts<'a>(&'a BTreeMap<String, String>);

impl Facts<'_> {
    /// The fact as one printable line; `None` where the worker doesn't say.
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|value| files::printable(value).unwrap_or_default())
    }

    /// Judges a fact; one that isn't told is unknown.
    fn judged(&self, code: &'static str, name: &str, judge: impl FnOnce(&str) -> Finding) -> Finding {
        match self.get(name) {
            Some(value) => judge(&value),
            None => unsaid(code, name),
        }
    }
}

fn unsaid(code: &'static str, name: &str) -> Finding {
    Finding::new(
        code,
        Level::Unknown,
        format!("the worker doesn't say `{name}`"),
        "it isn't known",
        "use the worker that comes with this tare",
    )
}

/// Judges the facts of a worker's `hello`, of a runtime of `language` (`php`, `go`, `cpp`, `python`, `rust`). For another language there is
/// nothing to judge by, and no finding.
pub fn of_runtime(language: &str, facts: &BTreeMap<String, String>) -> Vec<Finding> {
    let facts = Facts(facts);
    match language {
        "php" => php::findings(&facts),
        "go" => go::findings(&facts),
        "cpp" => cpp::findings(&facts),
        "python" => python::findings(&facts),
        "rust" => rust::findings(&facts),
        _ => Vec::new(),
    }
}

/// Whether functions keep the register that leads from one stack frame to the next: a profiler can walk the stack then, and
/// each call costs a little more. A property, not a fault; two builds that differ in it aren't alike.
fn frame_pointers(facts: &Facts<'_>) -> Finding {
    facts.judged("frame-pointers", "frame_pointers", |value| Finding::good("frame-pointers", value))
}
