//! What a build server has to have before the benchmarks of a project run, by the files that the project has. It is a beginning, which its reader completes.

use std::path::Path;

/// Steps of a workflow, and packages and commands of a job.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needed {
    /// For GitHub's runners, which have compilers, CMake, Rust, PHP and Composer.
    pub(super) steps: String,
    /// Of Debian.
    pub(super) packages: Vec<&'static str>,
    /// After them, in a shell.
    pub(super) commands: Vec<String>,
}

/// What a project in `folder` needs; `below`: the folder in its repository, with a slash at its end, or empty.
pub(super) fn needed(folder: &Path, below: &str) -> Needed {
    let has = |name: &str| folder.join(name).is_file();
    let mut needed = Needed::default();
    if has("go.mod") {
        needed.steps += &format!(
            "      - uses: actions/setup-go@v5\n        with:\n          go-version-file: \"{below}go.mod\"\n"
        );
        needed.packages.push("golang");
    }
    if has("composer.json") {
        needed.packages.extend(["composer", "php-cli", "php-mbstring", "php-xml"]);
    }
    if has("Cargo.toml") {
        needed.packages.push("cargo");
    }
    if has("CMakeLists.txt") {
        needed.packages.extend(["cmake", "g++", "make"]);
    }
    let is_package = ["pyproject.toml", "setup.py"].iter().any(|name| has(name));
    let requirements = ["requirements.txt", "requirements-dev.txt"].into_iter().filter(|name| has(name));
    let mut installed: Vec<String> = requirements.map(|name| format!("-r {below}{name}")).collect();
    if is_package {
        let place = if below.is_empty() { "." } else { below.trim_end_matches('/') };
        installed.push(format!("-e {place}"));
    }
    // Names are other people's text, and these are read by a shell.
    if !installed.is_empty() && super::is_plain(below) {
        let command = format!("python3 -m pip install {} pytest pytest-benchmark", installed.join(" "));
        needed.steps += "      - uses: actions/setup-python@v5\n        with:\n          python-version: \"3.x\"\n";
        needed.steps += &format!("      - run: {command}\n");
        needed.packages.push("python3-venv");
        needed.commands.push("python3 -m venv .tare-venv && . .tare-venv/bin/activate".to_owned());
        needed.commands.push(command);
    }
    needed
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Needed, needed};

    #[test]
    fn each_language_by_the_file_that_its_tools_go_by() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(needed(folder.path(), ""), Needed::default());
        for name in ["go.mod", "CMakeLists.txt", "composer.json", "requirements.txt", "pyproject.toml"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = needed(folder.path(), "lib/");
        let install = "python3 -m pip install -r lib/requirements.txt -e lib pytest pytest-benchmark";
        assert!(found.steps.contains("go-version-file: \"lib/go.mod\"\n"), "{}", found.steps);
        assert!(found.steps.ends_with(&format!("      - run: {install}\n")), "{}", found.steps);
        assert_eq!(found.commands.last().map(String::as_str), Some(install));
        for package in ["golang", "cmake", "php-cli", "python3-venv"] {
            assert!(found.packages.contains(&package), "{package}");
        }
        let hostile = needed(folder.path(), "lib; true/");
        assert!(!hostile.steps.contains("pip install") && hostile.commands.is_empty(), "{hostile:?}");
    }
}
