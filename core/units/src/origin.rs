//! Whose code a file is.

use std::path::{Path, PathBuf};

/// Whose code a source file is: it decides how far its names are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The project's.
    Project,
    /// An installed dependency.
    Library,
    /// The runtime's own library.
    Runtime,
    /// What runs benchmarks: Tare's worker, pytest. It calls what it is known to call, and its names count for nothing.
    Harness,
}

/// Where code of each origin lies.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The project's checkout.
    pub project: PathBuf,
    /// The runtime's library, as the extraction tells.
    pub runtime: Vec<PathBuf>,
    /// Tare's unpacked workers.
    pub harness: Vec<PathBuf>,
}

/// Packages that run tests and benchmarks, and one of setuptools that looks at each import by a computed name.
const RUNNERS: [&str; 8] =
    ["_pytest", "pytest", "pluggy", "pytest_benchmark", "pytest_codspeed", "iniconfig", "xdist", "_distutils_hack"];
const PHP_RUNNER: &str = "phpbench";
/// What the runtime's library has in later versions.
const BACKPORTS: [&str; 1] = ["typing_extensions.py"];
const DEPENDENCIES: [&str; 3] = ["site-packages", "dist-packages", "vendor"];

impl Places {
    /// Whose code the file is. What lies nowhere known is taken for the project's, whose names are followed furthest.
    #[must_use]
    pub fn origin(&self, file: &Path) -> Origin {
        let within = file.strip_prefix(&self.project).ok();
        // Checkouts lie beside the workers.
        let holds_it = |folder: &PathBuf| within.is_some() && self.project.starts_with(folder);
        if self.harness.iter().any(|folder| file.starts_with(folder) && !holds_it(folder)) {
            return Origin::Harness;
        }
        let parts: Vec<_> = within.unwrap_or(file).components().filter_map(|part| part.as_os_str().to_str()).collect();
        if let Some(at) = parts.iter().rposition(|part| DEPENDENCIES.contains(part)) {
            let package = parts.get(at + 1).copied().unwrap_or_default();
            // A copy of Python's in a project's own folder is what the project calls: nothing runs benchmarks from there.
            let runner = match parts[at] {
                "vendor" => package == PHP_RUNNER,
                _ => RUNNERS.contains(&package.trim_end_matches(".py")),
            };
            if BACKPORTS.contains(&package) {
                return Origin::Runtime;
            }
            return if runner { Origin::Harness } else { Origin::Library };
        }
        if within.is_none() && self.runtime.iter().any(|folder| file.starts_with(folder)) {
            return Origin::Runtime;
        }
        Origin::Project
    }
}
