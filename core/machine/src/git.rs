//! Which revision of the code is measured.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::files::printable;

/// Head and the first changed path come first, so more than this is never needed.
const MOST_BYTES: u64 = 64 << 10;

/// The version control facts of `directory`, by name: `commit` (full hash), `branch` (absent on a detached head) and
/// `dirty` (`true` or `false`: whether a tracked file differs from the commit).
///
/// Runs one `git status` that takes no lock and writes nothing. Empty without git, outside a repository, in one
/// that git refuses to trust, and when the answer takes longer than `limit`.
pub fn revision(directory: &Path, limit: Duration) -> BTreeMap<String, String> {
    run(&mut status("git", directory), limit).map(|text| parse(&text)).unwrap_or_default()
}

fn status(program: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command
        // A monitor named by the repository's own configuration would be run.
        .args(["-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--branch"])
        .args(["--untracked-files=no", "--ignore-submodules=dirty"])
        .current_dir(directory)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // Set in a hook, where they would name another repository than the directory's.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command
}

/// The start of what `command` writes; `None` when it can't be started, fails, or doesn't end within `limit`.
fn run(command: &mut Command, limit: Duration) -> Option<String> {
    let deadline = Instant::now() + limit;
    let mut child = command.spawn().ok()?;
    let answer = read(&mut child, deadline);
    let succeeded = answer.as_ref().is_some_and(|bytes| {
        // Cut off after all that is needed, git is ended by its pipe.
        bytes.len() as u64 == MOST_BYTES || ends_well(&mut child, deadline)
    });
    let _ = child.kill();
    let _ = child.wait();
    answer.filter(|_| succeeded).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn read(child: &mut Child, deadline: Instant) -> Option<Vec<u8>> {
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    // Where the user has as many threads as are allowed there is no answer, and no panic.
    let reader = move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MOST_BYTES).read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    };
    thread::Builder::new().spawn(reader).ok()?;
    receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?.ok()
}

fn ends_well(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
            _ => return false,
        }
    }
}

fn parse(status: &str) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut dirty = false;
    for line in status.lines() {
        if let Some(commit) = line.strip_prefix("# branch.oid ") {
            facts.insert("commit", Some(commit).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit())));
        } else if let Some(branch) = line.strip_prefix("# branch.head ") {
            facts.insert("branch", Some(branch).filter(|&text| text != "(detached)"));
        } else {
            dirty |= !line.starts_with('#');
        }
    }
    if facts.is_empty() {
        return BTreeMap::new();
    }
    facts.insert("dirty", Some(if dirty { "true" } else { "false" }));
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), printable(value?)?))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    use super::{parse, revision, run, status};

    const AMPLE: Duration = Duration::from_secs(60);

    fn git(directory: &Path, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.invalid", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(directory)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn repository() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        git(directory.path(), &["init", "--quiet", "--initial-branch=main"]);
        fs::write(directory.path().join("tracked"), "1").unwrap();
        git(directory.path(), &["add", "tracked"]);
        git(directory.path(), &["commit", "--quiet", "-m", "first"]);
        directory
    }

    #[test]
    fn a_clean_a_changed_and_a_detached_tree_are_told_apart() {
        let directory = repository();
        let facts = revision(directory.path(), AMPLE);
        assert_eq!(facts["branch"], "main");
        assert_eq!(facts["commit"].len(), 40);
        assert_eq!(facts["dirty"], "false");

        fs::write(directory.path().join("untracked"), "1").unwrap();
        assert_eq!(revision(directory.path(), AMPLE)["dirty"], "false");
        fs::write(directory.path().join("tracked"), "22").unwrap();
        assert_eq!(revision(directory.path(), AMPLE)["dirty"], "true");

        git(directory.path(), &["checkout", "--quiet", "--detach"]);
        let detached = revision(directory.path(), AMPLE);
        assert_eq!(detached.get("branch"), None);
        assert_eq!(detached["commit"], facts["commit"]);
    }

    #[test]
    fn a_hostile_branch_name_is_text() {
        let directory = repository();
        let name = "$(touch\u{a0}pwned);`id`-\"é\"'<b>";
        git(directory.path(), &["checkout", "--quiet", "-b", name]);
        assert_eq!(revision(directory.path(), AMPLE)["branch"], "$(touch pwned);`id`-\"é\"'<b>");
    }

    #[test]
    fn a_monitor_named_by_the_repository_is_not_run() {
        let directory = repository();
        let witness = directory.path().join("witness");
        git(directory.path(), &["config", "core.fsmonitor", &format!("touch {}; false", witness.display())]);
        assert_eq!(revision(directory.path(), AMPLE)["dirty"], "false");
        assert!(!witness.exists());
    }

    #[test]
    fn before_the_first_commit_there_is_a_branch_only() {
        let directory = tempfile::tempdir().unwrap();
        git(directory.path(), &["init", "--quiet", "--initial-branch=main"]);
        let facts = revision(directory.path(), AMPLE);
        assert_eq!((facts.get("branch").map(String::as_str), facts.get("commit")), (Some("main"), None));
    }

    #[test]
    fn no_repository_no_folder_and_no_git_give_no_facts() {
        let directory = tempfile::tempdir().unwrap();
        assert!(revision(directory.path(), AMPLE).is_empty());
        assert!(revision(&directory.path().join("nowhere"), AMPLE).is_empty());
        assert_eq!(run(&mut status("git-that-is-not-there", directory.path()), AMPLE), None);
    }

    #[test]
    fn a_git_that_does_not_answer_is_given_up() {
        let mut sleeper = Command::new("sleep");
        sleeper.arg("1000").stdout(std::process::Stdio::piped());
        assert_eq!(run(&mut sleeper, Duration::ZERO), None);
    }

    #[test]
    fn endless_output_is_cut_off() {
        let mut endless = Command::new("yes");
        endless.arg("1 .M file").stdout(std::process::Stdio::piped());
        assert_eq!(run(&mut endless, AMPLE).map(|text| text.len()), Some(64 << 10));
    }

    #[test]
    fn nonsense_gives_no_facts() {
        assert!(parse("").is_empty());
        assert!(parse("usage: git\n").is_empty());
        assert_eq!(parse("# branch.oid \u{1b}[2J\n# branch.head \u{1b}[2Jx\n")["branch"], "[2Jx");
    }
}
