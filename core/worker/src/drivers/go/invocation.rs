//! What the user named as a Go runtime: `go`, `/opt/go1.25/bin/go`, `env GOGC=200 go -tags=pure`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use tare_samples::{Failure, FailureKind, RuntimeCommand};

use crate::cache::{cache_folder, missing_home};
use crate::embedded::go_sdk_key;

/// A toolchain with its settings.
#[derive(Debug, Clone)]
pub(super) struct Invocation {
    /// `K=V` words before the program; they go to the build and to the binary alike.
    pub(super) environment: Vec<(String, String)>,
    pub(super) program: PathBuf,
    /// Words behind the program: flags of the build.
    pub(super) flags: Vec<String>,
}

/// Variables that matter to a running binary alone.
const RUNNING: [&str; 5] = ["GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "GOTRACEBACK"];
/// Variables that a build depends on and whose names don't begin with GO or CGO_.
const BUILDING: [&str; 6] = ["CC", "CXX", "AR", "FC", "PKG_CONFIG", "HOME"];

impl Invocation {
    pub(super) fn of(runtime: &RuntimeCommand) -> Result<Self, Failure> {
        let mut words = runtime.command.iter().peekable();
        let mut environment = runtime.environment.clone();
        if words.next_if(|word| *word == "env").is_some() {
            while let Some(word) = words.next_if(|word| word.contains('=')) {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                environment.push((name.to_owned(), value.to_owned()));
            }
        }
        let Some(program) = words.next() else {
            return Err(Failure::new(
                FailureKind::Runtime,
                format!("the runtime `{}` names no go command", runtime.name),
                "give one: --runtime \"NAME=env GOGC=200 go\"",
            ));
        };
        let flags: Vec<String> = words.cloned().collect();
        let invocation = Self { environment, program: located(program, runtime.folder.as_deref())?, flags };
        invocation.refuse_overlay()?;
        Ok(invocation)
    }

    /// All that tells one build from another, apart from the files.
    pub(super) fn identity(&self, source: &Path) -> String {
        let mut variables: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
            .chain(self.environment.iter().cloned())
            .filter(|(name, _)| {
                (name.starts_with("GO") || name.starts_with("CGO_") || BUILDING.contains(&name.as_str()))
                    && !RUNNING.contains(&name.as_str())
            })
            .collect();
        // The later of two settings is the one that holds.
        variables.reverse();
        variables.sort_by(|(a, _), (b, _)| a.cmp(b));
        variables.dedup_by(|(a, _), (b, _)| a == b);
        let modified = fs::metadata(&self.program).ok().and_then(|file| {
            let time = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((file.len(), time.as_nanos()))
        });
        format!(
            "{:016x}\n{}\n{} {modified:?}\n{:?}\n{variables:?}",
            go_sdk_key(),
            source.display(),
            self.program.display(),
            self.flags
        )
    }

    /// The go command with `arguments` in `folder`.
    pub(super) fn command(&self, arguments: &[&str], folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        if missing_home().is_some()
            && let Ok(cache) = cache_folder()
        {
            without_home(&mut command, &cache, &|name| std::env::var_os(name).is_some());
        }
        command
            .args(arguments)
            .current_dir(folder)
            .env("PWD", folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    fn refuse_overlay(&self) -> Result<(), Failure> {
        let flags = self.environment.iter().rev().find(|(name, _)| name == "GOFLAGS").map(|(_, value)| value.clone());
        let flags = flags.or_else(|| std::env::var("GOFLAGS").ok()).unwrap_or_default();
        if flags.split_whitespace().chain(self.flags.iter().map(String::as_str)).any(|flag| flag.contains("-overlay")) {
            return Err(Failure::new(
                FailureKind::Runtime,
                "-overlay is set already, in GOFLAGS or in the runtime's flags, and the go command takes only one",
                "leave -overlay out: Tare uses it to build the worker",
            ));
        }
        Ok(())
    }
}

/// The go command makes folders in a home that isn't there. Without one it makes none, but has to be told where what it builds and loads is
/// kept, where nobody has said so.
fn without_home(command: &mut Command, cache: &Path, set: &dyn Fn(&str) -> bool) {
    command.env_remove("HOME");
    if !set("GOCACHE") && !set("XDG_CACHE_HOME") {
        command.env("GOCACHE", cache.join("go-build"));
    }
    if !set("GOPATH") && !set("GOMODCACHE") {
        command.env("GOMODCACHE", cache.join("go-mod"));
    }
}

/// The program's path, links resolved, so that an exchanged toolchain is noticed.
fn located(program: &str, folder: Option<&Path>) -> Result<PathBuf, Failure> {
    let found = if program.contains('/') {
        let base = folder.map(Path::to_owned).or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        Some(base.join(program)).filter(|path| path.is_file())
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
    };
    found.map(|path| fs::canonicalize(&path).unwrap_or(path)).ok_or_else(|| {
        Failure::new(
            FailureKind::Runtime,
            format!("there is no go command `{program}`"),
            "install Go 1.21 or later, or name a toolchain: --runtime \"NAME=/usr/local/go/bin/go\"",
        )
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::process::Command;

    use tare_samples::RuntimeCommand;

    use super::{Invocation, without_home};

    fn of(words: &[&str]) -> Result<Invocation, tare_samples::Failure> {
        let command = words.iter().map(|word| (*word).to_owned()).collect();
        Invocation::of(&RuntimeCommand { name: "x".into(), driver: "go".into(), command, ..Default::default() })
    }

    #[test]
    fn a_home_that_is_not_there_is_not_named_to_the_go_command() {
        let changed = |set: &[&str]| {
            let mut command = Command::new("go");
            without_home(&mut command, Path::new("/cache"), &|name| set.contains(&name));
            let text = |value: &std::ffi::OsStr| value.to_str().unwrap().to_owned();
            command.get_envs().map(|(name, value)| (text(name), value.map(text))).collect::<BTreeMap<_, _>>()
        };
        let expected = |all: &[(&str, Option<&str>)]| {
            all.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect::<BTreeMap<_, _>>()
        };
        let (cache, modules) = (("GOCACHE", Some("/cache/go-build")), ("GOMODCACHE", Some("/cache/go-mod")));
        assert_eq!(changed(&[]), expected(&[("HOME", None), cache, modules]));
        assert_eq!(changed(&["GOPATH", "GOCACHE"]), expected(&[("HOME", None)]));
        assert_eq!(changed(&["XDG_CACHE_HOME"]), expected(&[("HOME", None), modules]));
    }

    #[test]
    fn settings_and_flags_stand_around_the_program() {
        // Any program will do: it isn't started here.
        let found = of(&["env", "GOGC=200", "GODEBUG=a=b", "sh", "-tags=pure"]).unwrap();
        assert_eq!(found.environment, [("GOGC".into(), "200".into()), ("GODEBUG".into(), "a=b".into())]);
        assert_eq!(found.flags, ["-tags=pure"]);
        assert!(found.program.is_absolute());
    }

    #[test]
    fn another_gogc_is_the_same_build_and_another_goarch_is_not() {
        let identity = |words: &[&str]| of(words).unwrap().identity(Path::new("/p"));
        assert_eq!(identity(&["sh"]), identity(&["env", "GOGC=200", "sh"]));
        assert_ne!(identity(&["sh"]), identity(&["env", "GOARCH=none", "sh"]));
        assert_ne!(identity(&["sh"]), identity(&["sh", "-race"]));
        assert_ne!(identity(&["env", "GOARCH=a", "sh"]), identity(&["env", "GOARCH=b", "sh"]));
    }

    #[test]
    fn what_is_missing_is_said() {
        assert!(of(&["env", "GOGC=1"]).unwrap_err().message.contains("names no go command"));
        assert!(of(&["no-such-go-command"]).unwrap_err().remedy.contains("--runtime"));
        assert!(of(&["sh", "-overlay=x.json"]).unwrap_err().message.contains("takes only one"));
    }
}
