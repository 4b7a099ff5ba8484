//! What `cargo bench` builds a program of.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// What a target is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A `[[bench]]`.
    Benchmark,
    /// The unit tests of a library.
    Library,
    /// The unit tests of a program.
    Program,
}

/// A target of `cargo bench`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The file that is asked for: its root, or one with `#[bench]` that its root leads to.
    pub(super) source: PathBuf,
    /// All files with `#[bench]` that its root leads to, where it has a harness; in the order in which they are declared.
    pub(super) files: Vec<PathBuf>,
    /// Whether rustc generates its main function.
    pub(super) has_harness: bool,
    /// The folder of its package.
    pub(super) folder: PathBuf,
    /// What Cargo tells the program of its package.
    pub(super) variables: Vec<(String, String)>,
}

/// What `cargo bench` would build a target for; none of examples, tests and build scripts.
pub(super) fn kind_of(target: &Value) -> Option<Kind> {
    let kinds = target.get("kind").and_then(Value::as_array)?;
    kinds.iter().find_map(|kind| match kind.as_str()? {
        "bench" => Some(Kind::Benchmark),
        "bin" => Some(Kind::Program),
        "lib" | "rlib" | "dylib" | "cdylib" | "staticlib" | "proc-macro" => Some(Kind::Library),
        _ => None,
    })
}

/// Whether two paths lead to one file.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
