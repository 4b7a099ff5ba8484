//! What is measured: a file that `tare exec` writes, or the tables of a `tare.toml`, as the worker reads them.

use std::env;
use std::ffi::CString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The commands of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    /// In the order in which they are reported.
    pub commands: Vec<CommandLine>,
    /// What starting and awaiting an empty process takes is taken off.
    pub tare_start: bool,
    /// Where their output goes.
    pub output: Output,
}

/// One command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {
    /// As reports call it; no two have the same.
    pub name: String,
    /// Program and arguments.
    pub words: Vec<String>,
    /// The others are compared with it.
    pub base: bool,
    /// Names of its parameters, and their values.
    pub parameters: Vec<(String, String)>,
    /// A shell command before each execution, outside its time.
    pub prepare: Option<String>,
    /// The same behind it.
    pub conclude: Option<String>,
    /// The shell that runs it, whose own start-up is taken off.
    pub shell: Option<String>,
    /// What it reads from; nothing where no file is named.
    pub input: Option<PathBuf>,
    /// Statuses other than 0 that are no failure; an empty list stands for all.
    pub ignored: Option<Vec<i32>>,
}

/// Where the standard output of commands goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// Nowhere.
    #[default]
    Null,
    /// Into a pipe that Tare reads and drops.
    Pipe,
    /// To where Tare's own goes.
    Inherited,
    /// Into a file, which each execution writes anew.
    File(PathBuf),
}

impl CommandLine {
    /// Whether a status is no failure.
    pub(crate) fn ignores(&self, status: i32) -> bool {
        self.ignored.as_ref().is_some_and(|codes| codes.is_empty() || codes.contains(&status))
    }
}

/// The file of a program, found as a shell finds it.
///
/// # Errors
/// Why there is none, and what to do: two sentences.
pub fn program(word: &str) -> Result<CString, (String, String)> {
    let found = if word.contains('/') {
        Some(PathBuf::from(word)).filter(|path| path.exists())
    } else {
        let folders = env::var_os("PATH").unwrap_or_default();
        let all: Vec<PathBuf> = env::split_paths(&folders).map(|folder| folder.join(word)).collect();
        all.iter().find(|path| is_executable(path)).or_else(|| all.iter().find(|path| path.is_file())).cloned()
    };
    let Some(path) = found else {
        let remedy = match word.split_once('=') {
            Some((name, _)) if !name.is_empty() && !name.contains('/') => {
                "a variable is set by `env` before the command, as in `env LC_ALL=C sort`"
            }
            _ => "check its name; what only a shell knows (built-ins, pipes, `*`) needs --shell",
        };
        return Err((format!("there is no program `{word}`"), remedy.to_owned()));
    };
    if path.is_dir() {
        return Err((format!("`{}` is a folder", path.display()), "name a program in it".to_owned()));
    }
    if !is_executable(&path) {
        let remedy = "check its rights (chmod +x), or name what runs it before it";
        return Err((format!("`{}` may not be executed", path.display()), remedy.to_owned()));
    }
    CString::new(path.into_os_string().into_encoded_bytes())
        .map_err(|_| (format!("`{word}` has a NUL byte"), "leave it out".to_owned()))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
