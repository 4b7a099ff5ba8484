use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a revision can't be had. Other people's text in it is escaped.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// There is no `git` to run.
    #[error("git can't be started: {source}; install it, or put it on the PATH")]
    GitMissing {
        /// What the system said.
        source: io::Error,
    },
    /// The folder belongs to no repository.
    #[error(
        "{}: not in a git repository, so it has no revisions to compare; run `git init` and commit, or name a folder in a repository",
        folder.display()
    )]
    NotARepository {
        /// The folder that was asked about.
        folder: PathBuf,
    },
    /// The repository has no files beside it.
    #[error("{}: a bare repository, or its git directory, has no working tree; go to one", folder.display())]
    NoWorkingTree {
        /// The folder that was asked about.
        folder: PathBuf,
    },
    /// Git refuses the repository because it belongs to someone else.
    #[error(
        "{}: git doesn't trust the repository, because it belongs to another user: {said}; make it yours, or add it to `safe.directory`",
        folder.display()
    )]
    Untrusted {
        /// The folder that was asked about.
        folder: PathBuf,
        /// What git said.
        said: String,
    },
    /// Nothing was ever committed.
    #[error("{}: the repository has no commits yet; commit something first, `.` stands for the files as they are", top.display())]
    NoCommits {
        /// The repository's top level.
        top: PathBuf,
    },
    /// No commit, branch or tag has the name.
    #[error("there is no revision `{name}`{}", remedy(near, *shallow))]
    Unknown {
        /// The name, escaped.
        name: String,
        /// Branches and tags with nearly that name, the nearest first.
        near: Vec<String>,
        /// The clone has a part of the history only.
        shallow: bool,
    },
    /// Several objects have the abbreviated name.
    #[error("the revision `{name}` is ambiguous: {said}; write more of its hash")]
    Ambiguous {
        /// The name, escaped.
        name: String,
        /// What git said, with the candidates.
        said: String,
    },
    /// The name stands for a file or a folder.
    #[error("`{name}` is a {kind}, not a commit; name a commit, a branch or a tag")]
    NotACommit {
        /// The name, escaped.
        name: String,
        /// `blob` or `tree`.
        kind: String,
    },
    /// No way leads from one revision to the other.
    #[error("{good} is no ancestor of {bad}, so no commits lead from one to the other; {}", other_way(good, bad, *shallow))]
    NoAncestor {
        /// The name of the revision that should be the older one, escaped.
        good: String,
        /// That of the other one, escaped.
        bad: String,
        /// The clone has a part of the history only.
        shallow: bool,
    },
    /// The second is the older one.
    #[error(
        "{bad} is an ancestor of {good}, so nothing leads from {good} to it; name the older one first: {bad} {good}"
    )]
    Exchanged {
        /// The name of the revision that should be the older one, escaped.
        good: String,
        /// That of the other one, escaped.
        bad: String,
    },
    /// What a change is compared with is in no clone any more.
    #[error(
        "the base {base} is neither in this clone nor at {remote} ({said}); {}, or name another base with --base",
        if is_gone(said) { "a force-push may have removed it: rebase the branch and push it" } else { "see to it that git reaches the server" }
    )]
    BaseGone {
        /// A branch or a commit, escaped.
        base: String,
        /// Where it was looked for.
        remote: &'static str,
        /// What git said.
        said: String,
    },
    /// Two revisions have no history in common.
    #[error(
        "{base} and {head} have no commit in common, so Tare can't tell where the change began; rebase the branch, or name another base with --base"
    )]
    NoMergeBase {
        /// The base, escaped.
        base: String,
        /// The other one, escaped.
        head: String,
    },
    /// No remote says what a change is compared with.
    #[error("no remote `{remote}` says which branch a change is for; name the base with --base, as --base main")]
    NoRemote {
        /// Its name.
        remote: &'static str,
    },
    /// There are too many commits to search.
    #[error("more than {most} commits lie between the two revisions; name nearer ones, or follow first parents alone")]
    TooManyCommits {
        /// As many may be.
        most: usize,
    },
    /// The project's folder doesn't exist in the revision.
    #[error("{}: this benchmark folder doesn't exist in the revision `{revision}`", folder.display())]
    FolderMissing {
        /// The revision's name, escaped.
        revision: String,
        /// The project's root, relative to the repository's top level.
        folder: PathBuf,
    },
    /// A submodule of the revision couldn't be had.
    #[error(
        "the submodule {path} of the revision `{revision}` isn't in this clone, and git can't fetch it: {said}; fetch it once with `git submodule update \
         --init --recursive`, and comparisons take it from there"
    )]
    Submodule {
        /// The revision's name, escaped.
        revision: String,
        /// Where it belongs, escaped.
        path: String,
        /// What git said.
        said: String,
    },
    /// Files of the revision are kept by Git LFS, and can't be had.
    #[error(
        "the revision `{revision}` has files that Git LFS keeps, and they can't be checked out: {said}; install git-lfs, and get them with `git lfs fetch \
         --all`"
    )]
    Lfs {
        /// The revision's name, escaped.
        revision: String,
        /// What git said.
        said: String,
    },
    /// The command that prepares a revision failed.
    #[error(
        "preparing the revision `{revision}` failed: `{command}` ended with {status}; run it by hand in a checkout of the revision"
    )]
    PrepareFailed {
        /// The revision's name, escaped.
        revision: String,
        /// The command, escaped.
        command: String,
        /// How it ended: `exit status: 2`, `signal: 9 (SIGKILL)`.
        status: String,
        /// The last 64 KiB of what it printed.
        output: String,
    },
    /// The command that prepares a revision took too long.
    #[error("preparing the revision `{revision}` took longer than {} s: `{command}` was ended; allow it more time, or make it faster", limit.as_secs_f64())]
    PrepareTimedOut {
        /// The revision's name, escaped.
        revision: String,
        /// The command, escaped.
        command: String,
        /// The time it had.
        limit: Duration,
        /// The last 64 KiB of what it printed.
        output: String,
    },
    /// A command couldn't be run, or not be watched.
    #[error("`{command}` can't be run: {source}; check the rights and limits of this user")]
    CannotRun {
        /// The command, escaped.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// Git failed.
    #[error("`{command}` failed ({status}): {said}; run it by hand in {}", folder.display())]
    Git {
        /// The command, escaped.
        command: String,
        /// How it ended.
        status: String,
        /// What it said.
        said: String,
        /// Where it was run.
        folder: PathBuf,
    },
    /// Git didn't answer.
    #[error("`{command}` didn't end within {} s; run it by hand in {}", limit.as_secs(), folder.display())]
    GitTimedOut {
        /// The command, escaped.
        command: String,
        /// The time it had.
        limit: Duration,
        /// Where it was run.
        folder: PathBuf,
    },
    /// A file or folder of Tare's own can't be used.
    #[error("{}: can't {action}: {source}; make it usable, or remove it", path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What was to be done with it.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The user has had enough.
    #[error("interrupted")]
    Interrupted,
}

fn other_way(good: &str, bad: &str, shallow: bool) -> String {
    match shallow {
        true => "the clone is shallow: get the rest with `git fetch --unshallow --tags`".to_owned(),
        false => format!("name an older one, as the one that `git merge-base {good} {bad}` prints"),
    }
}

fn remedy(near: &[String], shallow: bool) -> String {
    let quoted: Vec<_> = near.iter().map(|name| format!("`{name}`")).collect();
    let shallow = if shallow { "; the clone is shallow: get the rest with `git fetch --unshallow --tags`" } else { "" };
    match (quoted.is_empty(), shallow) {
        (false, _) => format!("; did you mean {}?{shallow}", quoted.join(" or ")),
        (true, "") => "; `git branch --all` and `git tag` list the names, `git fetch` gets new ones".to_owned(),
        (true, _) => shallow.to_owned(),
    }
}

/// Whether git's words are of a server that answered, and hasn't got what was asked for.
fn is_gone(said: &str) -> bool {
    ["not our ref", "couldn't find remote ref"].iter().any(|words| said.contains(words))
}
