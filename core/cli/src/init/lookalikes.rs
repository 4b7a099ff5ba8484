//! Files outside the usual folders that look like benchmarks: a project's own layout is no reason to find nothing.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

/// As much of a file as is looked at.
const MOST_BYTES: u64 = 1 << 20;
/// As many files as are looked at.
const MOST_FILES: usize = 20_000;

/// Files of the repository, relative to `folder`, in which a benchmark of pytest's or PHPBench's stands; the folders of those where there are more than `most`.
/// Of Go and Rust the build tool knows, and of C++ the build does.
pub(super) fn lookalikes(folder: &Path, most: usize) -> BTreeSet<String> {
    let listed = Command::new("git").args(["ls-files", "-z", "*.py", "*.php"]).current_dir(folder).output();
    let Ok(listed) = listed else { return BTreeSet::new() };
    let names = listed.stdout.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    let found: BTreeSet<String> = names
        .take(MOST_FILES)
        .filter(|name| super::is_plain(name) && looks_like_one(folder, name))
        .map(str::to_owned)
        .collect();
    if found.len() <= most {
        return found;
    }
    let above = |name: &String| Path::new(name).parent().map(|parent| parent.to_string_lossy().into_owned());
    let folders: BTreeSet<String> = found.iter().filter_map(above).filter(|name| !name.is_empty()).collect();
    if folders.len() <= most { folders } else { BTreeSet::new() }
}

fn looks_like_one(folder: &Path, name: &str) -> bool {
    let mut text = Vec::new();
    let path = folder.join(name);
    // A link may lead anywhere.
    let is_plain = path.symlink_metadata().is_ok_and(|status| status.is_file());
    let read = std::fs::File::open(&path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    is_plain && read.is_ok() && is_benchmark(name, &String::from_utf8_lossy(&text))
}

fn is_benchmark(name: &str, text: &str) -> bool {
    if name.ends_with(".php") {
        return name.ends_with("Bench.php") && text.contains("function bench");
    }
    // A test with a parameter `benchmark`: the fixture of pytest-benchmark and of pytest-codspeed.
    text.split("def test_").skip(1).any(|test| {
        let parameters = test.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        parameters.is_some_and(|(parameters, _)| {
            parameters.split(',').any(|one| one.split([':', '=']).next().is_some_and(|one| one.trim() == "benchmark"))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::{is_benchmark, lookalikes};

    #[test]
    fn a_test_that_asks_for_the_fixture_is_one() {
        for (name, text, is) in [
            ("a.py", "def test_it(benchmark):\n    pass\n", true),
            ("a.py", "def test_it(\n    n: int,\n    benchmark: BenchmarkFixture,\n) -> None:\n    pass\n", true),
            ("a.py", "def test_it(benchmark_dir):\n    pass\n", false),
            ("a.py", "def helper(benchmark):\n    pass\n", false),
            ("src/SumBench.php", "<?php class SumBench { public function benchSum() {} }", true),
            ("src/Workbench.php", "<?php class Workbench { public function benchSum() {} }", false),
            ("src/SumBench.php", "<?php class SumBench { }", false),
        ] {
            assert_eq!(is_benchmark(name, text), is, "{text}");
        }
    }

    #[test]
    fn what_the_repository_holds_is_named_by_file_and_many_by_folder() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| Command::new("git").args(arguments).current_dir(folder.path()).status().unwrap();
        assert!(lookalikes(folder.path(), 8).is_empty(), "no repository");
        git(&["init", "-q"]);
        fs::create_dir(folder.path().join("speed")).unwrap();
        for name in ["speed/one.py", "speed/two.py", "speed/$(x).py", "other.py"] {
            fs::write(folder.path().join(name), "def test_it(benchmark): pass\n").unwrap();
        }
        git(&["add", "speed"]);
        assert_eq!(Vec::from_iter(lookalikes(folder.path(), 8)), ["speed/one.py", "speed/two.py"]);
        assert_eq!(Vec::from_iter(lookalikes(folder.path(), 1)), ["speed"]);
    }
}
