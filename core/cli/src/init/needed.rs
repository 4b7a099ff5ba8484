//! What a build server has to have before the benchmarks of a project run, by the files that the project has. It is a beginning, which its reader completes.

use std::fs;
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
        let version = match names_old_go(folder) {
            // Tare's own files are in a newer Go, which builds older modules as they ask.
            true => "go-version: stable".to_owned(),
            false => format!("go-version-file: \"{below}go.mod\""),
        };
        needed.steps += &format!("      - uses: actions/setup-go@v5\n        with:\n          {version}\n");
        needed.packages.push("golang");
    }
    if has("composer.json") {
        needed.packages.extend(["composer", "php-cli", "php-mbstring", "php-xml"]);
    }
    if has("Cargo.toml") {
        needed.packages.push("cargo");
        if is_nightly(folder) {
            needed.steps += "      - run: rustup toolchain install nightly --profile minimal\n";
        }
    }
    if has("CMakeLists.txt") {
        needed.packages.extend(["cmake", "g++", "make"]);
    }
    let is_package = ["pyproject.toml", "setup.py"].iter().any(|name| has(name));
    let requirements = ["requirements.txt", "requirements-dev.txt"].into_iter().filter(|name| has(name));
    let mut installed: Vec<String> = requirements.map(|name| format!("-r {below}{name}")).collect();
    let Optional { extras, groups, left_out } = Optional::of(folder);
    if is_package {
        let place = if below.is_empty() { "." } else { below.trim_end_matches('/') };
        let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
        installed.push(if extras.is_empty() { format!("-e {place}") } else { format!("-e '{place}{extras}'") });
    }
    installed.extend(groups.iter().map(|group| format!("--group {below}pyproject.toml:{group}")));
    // Names are other people's text, and these are read by a shell.
    if !installed.is_empty() && super::is_plain(below) {
        // Debian's pip is older than groups.
        let newer = if groups.is_empty() { "" } else { "python3 -m pip install --upgrade pip && " };
        let command = format!("{newer}python3 -m pip install {} pytest pytest-benchmark", installed.join(" "));
        needed.steps += "      - uses: actions/setup-python@v5\n        with:\n          python-version: \"3.x\"\n";
        if !left_out.is_empty() {
            needed.steps +=
                &format!("      # Left out: the extras {}. Name those that benchmarks import.\n", left_out.join(", "));
        }
        needed.steps += &format!("      - run: {command}\n");
        needed.packages.push("python3-venv");
        needed.commands.push("python3 -m venv .tare-venv && . .tare-venv/bin/activate".to_owned());
        needed.commands.push(command);
    }
    needed
}

/// Whether go.mod names a Go that can't build Tare's worker.
fn names_old_go(folder: &Path) -> bool {
    const OLDEST: [u32; 2] = [1, 21];
    let text = fs::read_to_string(folder.join("go.mod")).unwrap_or_default();
    let Some(version) = text.lines().find_map(|line| line.trim().strip_prefix("go ")) else { return true };
    let mut parts = version.trim().split('.').map(|part| part.parse().unwrap_or(0));
    [parts.next().unwrap_or(0), parts.next().unwrap_or(0)] < OLDEST
}

/// Whether a package of Rust has functions with `#[bench]`, which nightly toolchains alone compile.
pub(super) fn is_nightly(folder: &Path) -> bool {
    let benches = fs::read_dir(folder.join("benches")).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = ["src/lib.rs", "src/main.rs"].map(|name| folder.join(name));
    files.into_iter().chain(benches).any(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().any(|line| line.trim_start().starts_with("#![feature(") && line.contains("test"))
    })
}

/// What benchmarks and tests of a Python package import besides the package, by the names of its lists.
#[derive(Debug, Default, PartialEq, Eq)]
struct Optional {
    extras: Vec<String>,
    groups: Vec<String>,
    /// Other extras.
    left_out: Vec<String>,
}

impl Optional {
    /// Of the `pyproject.toml` in a folder: lists whose names begin with `bench` or `test`, as those of most packages do.
    fn of(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("pyproject.toml")).unwrap_or_default();
        let Ok(project) = text.parse::<toml::Table>() else { return Self::default() };
        let named = |table: Option<&toml::Value>| -> (Vec<String>, Vec<String>) {
            let names = table.and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
            names
                .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)))
                .cloned()
                .partition(|name| {
                    let lower = name.to_ascii_lowercase();
                    lower.starts_with("bench") || lower.starts_with("test")
                })
        };
        let (extras, left_out) = named(project.get("project").and_then(|table| table.get("optional-dependencies")));
        let (groups, _) = named(project.get("dependency-groups"));
        Self { extras, groups, left_out }
    }
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
        fs::write(folder.path().join("go.mod"), "module x\n\ngo 1.24.0\n").unwrap();
        let found = needed(folder.path(), "lib/");
        let install = "python3 -m pip install -r lib/requirements.txt -e lib pytest pytest-benchmark";
        assert!(found.steps.contains("go-version-file: \"lib/go.mod\"\n"), "{}", found.steps);
        assert!(found.steps.ends_with(&format!("      - run: {install}\n")), "{}", found.steps);
        assert_eq!(found.commands.last().map(String::as_str), Some(install));
        for package in ["golang", "cmake", "php-cli", "python3-venv"] {
            assert!(found.packages.contains(&package), "{package}");
        }
        let lists = "[project.optional-dependencies]\nspeed = []\ntesting = []\n\"bench'x\" = []\n[dependency-groups]\nbench = []\nlint = []\n";
        fs::write(folder.path().join("pyproject.toml"), lists).unwrap();
        assert!(needed(folder.path(), "").steps.contains("# Left out: the extras speed. "));
        assert_eq!(
            needed(folder.path(), "").commands.last().map(String::as_str),
            Some(
                "python3 -m pip install --upgrade pip && python3 -m pip install -r requirements.txt -e '.[testing]' --group pyproject.toml:bench pytest pytest-benchmark"
            )
        );
        assert!(found.steps.contains("go-version-file"), "a go.mod that names a version");
        fs::write(folder.path().join("go.mod"), "module x\n\ngo 1.7\n").unwrap();
        assert!(needed(folder.path(), "").steps.contains("go-version: stable\n"));
        assert!(!found.steps.contains("nightly"));
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        fs::create_dir(folder.path().join("benches")).unwrap();
        fs::write(folder.path().join("benches/a.rs"), "#![feature(test)]\nextern crate test;\n").unwrap();
        assert!(needed(folder.path(), "").steps.contains("rustup toolchain install nightly"));
        let hostile = needed(folder.path(), "lib; true/");
        assert!(!hostile.steps.contains("pip install") && hostile.commands.is_empty(), "{hostile:?}");
    }
}
