//! A suite of PHP methods, compared by the built `tare`: how long it takes, how much of it is decided, and whether anything is called wrongly.
//!
//! Two commits of a project with a class of sixty methods. Either nothing differs between them, or four methods make 2, 5, 10 and 20 % more turns
//! of the loop that is all of their work.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::php::work;
use crate::said::{RunError, access, output};

/// Methods of the suite.
pub const METHODS: usize = 60;
/// Which of them are slower in the second commit of a suite that differs, and by how many hundredths.
pub const SLOWER: [(usize, u32); 4] = [(7, 2), (22, 5), (37, 10), (52, 20)];

/// What a comparison of the suite said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteSaid {
    /// From the command's start to its end, in seconds.
    pub wall_s: f64,
    /// Comparisons that nothing was said of.
    pub inconclusive: usize,
    /// Methods called slower or faster that are not, or the other way round.
    pub wrong: Vec<String>,
    /// Slower methods that were called so.
    pub found: usize,
    /// Lanes that the run had, as it says itself.
    pub lanes: String,
}

#[derive(Deserialize)]
struct Document {
    comparisons: Vec<Comparison>,
    machine: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Comparison {
    verdict: String,
    candidate: String,
    /// The bound of `same`.
    #[serde(default)]
    within: f64,
}

/// Where the project is, and the command.
#[derive(Debug)]
pub struct Suite {
    tare: PathBuf,
    folder: PathBuf,
}

impl Suite {
    /// Makes `folder` a repository whose one commit has the suite, and whose working tree has it as well or, where it `differs`, with the slower methods.
    ///
    /// # Errors
    /// Files that can't be written; git failing; no command at `tare`.
    pub fn new(tare: &Path, folder: &Path, differs: bool) -> Result<Self, RunError> {
        let tare = tare.canonicalize().map_err(access(tare))?;
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).map_err(access(folder))?;
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(access(folder));
        write("tare.toml", "")?;
        write(".gitignore", ".tare\n")?;
        write("SuiteBench.php", &source(false))?;
        let git = |arguments: &[&str]| {
            let settings = ["-c", "user.name=suite", "-c", "user.email=suite@localhost", "-c", "commit.gpgsign=false"];
            output(Command::new("git").args(settings).args(arguments).current_dir(folder))
        };
        git(&["init", "--quiet", "--initial-branch=main"])?;
        git(&["add", "--all"])?;
        git(&["commit", "--quiet", "--message", "The suite"])?;
        if differs {
            write("SuiteBench.php", &source(true))?;
        }
        Ok(Self { tare, folder: folder.to_owned() })
    }

    /// Compares the working tree with the commit, with these further options of `tare compare`, parted by spaces.
    ///
    /// # Errors
    /// `tare` failing, or saying something else than sixty comparisons.
    pub fn compare(&self, differs: bool, options: &str, seed: u64) -> Result<SuiteSaid, RunError> {
        let mut command = Command::new(&self.tare);
        command.args(["compare", "HEAD", ".", "--json", "--no-store", "--seed", &seed.to_string()]);
        command.args(options.split_whitespace());
        let begun = Instant::now();
        let printed = output(command.current_dir(&self.folder))?;
        let wall_s = begun.elapsed().as_secs_f64();
        let failed =
            |message: String| RunError::Run { command: format!("{command:?}"), status: "success".to_owned(), message };
        let document: Document = serde_json::from_slice(&printed).map_err(|error| failed(error.to_string()))?;
        if document.comparisons.len() != METHODS {
            return Err(failed(format!("{} comparisons instead of {METHODS}", document.comparisons.len())));
        }
        // By so many percent.
        let slowed = |id: &str| {
            let named = |method: usize| id.contains(&format!("::{}", name(method)));
            SLOWER.iter().find(|&&(method, _)| differs && named(method)).map_or(0, |&(_, percent)| percent)
        };
        let is_slower = |id: &str| slowed(id) > 0;
        let wrong = |comparison: &&Comparison| match comparison.verdict.as_str() {
            "slower" => !is_slower(&comparison.candidate),
            "faster" => true,
            "same" => f64::from(slowed(&comparison.candidate)) > 100.0 * comparison.within,
            _ => false,
        };
        let count = |verdict: &str| document.comparisons.iter().filter(|found| found.verdict == verdict).count();
        let right = |found: &&Comparison| found.verdict == "slower" && is_slower(&found.candidate);
        Ok(SuiteSaid {
            wall_s,
            inconclusive: count("inconclusive"),
            wrong: document.comparisons.iter().filter(wrong).map(|found| found.candidate.clone()).collect(),
            found: document.comparisons.iter().filter(right).count(),
            lanes: document.machine.get("lanes").cloned().unwrap_or_else(|| "1".to_owned()),
        })
    }
}

fn name(method: usize) -> String {
    format!("benchMethod{method:02}")
}

/// Sixty methods of six kinds and ten sizes.
fn source(slower: bool) -> String {
    let mut text = String::from("<?php\n\nfinal class SuiteBench\n{\n");
    for method in 0..METHODS {
        let size = 1 + method / 6;
        let more = SLOWER.iter().find(|&&(slow, _)| slower && slow == method).map_or(0, |&(_, percent)| percent);
        let is_slower = SLOWER.iter().any(|&(slow, _)| slow == method);
        let body = match method % 6 {
            // All of its work, so that the stated part is the true one but for the call.
            _ if is_slower => work(4_000 * (100 + more) / 100),
            0 => format!(
                "$text = ''; for ($i = 0; $i < {}; ++$i) {{ $text .= chr(65 + $i % 26); }} strlen($text);",
                60 * size
            ),
            1 => work(500 * u32::try_from(size).unwrap_or(1)),
            2 => format!(
                "$all = []; for ($i = 0; $i < {}; ++$i) {{ $all[] = ($i * 7919) % 1009; }} sort($all);",
                40 * size
            ),
            3 => format!("for ($i = 0; $i < {}; ++$i) {{ md5('tare' . $i); }}", 10 * size),
            4 => {
                format!("$all = array_fill(0, {}, 'a,b'); foreach ($all as $one) {{ explode(',', $one); }}", 40 * size)
            }
            _ => format!(
                "for ($i = 0; $i < {}; ++$i) {{ preg_match('/(\\\\d+)-(\\\\w+)/', \"text 12-ab $i\"); }}",
                12 * size
            ),
        };
        let _ = writeln!(text, "    public function {}(): void {{ {body} }}", name(method));
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use super::{METHODS, SLOWER, name, source};

    #[test]
    fn the_commits_differ_in_the_slower_methods_alone() {
        let (base, slower) = (source(false), source(true));
        let differing: Vec<&str> = base.lines().zip(slower.lines()).filter(|(a, b)| a != b).map(|(_, b)| b).collect();
        assert_eq!(differing.len(), SLOWER.len());
        assert!(SLOWER.iter().all(|&(method, _)| differing.iter().any(|line| line.contains(&name(method)))));
        assert_eq!(base.matches("public function bench").count(), METHODS);
    }
}
