//! The toolchain that the go command chooses for a package, and its patched package `testing`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tare_samples::{Failure, FailureKind};

use super::invocation::Invocation;
use super::{overlay, text};
use crate::building;
use crate::cache::{cache_folder, in_cache};
use crate::drivers::not_unpacked;
use crate::embedded::{content_key, go_sdk};

/// What `go env` says in the package's folder: a `toolchain` line of go.mod may choose another version there.
#[derive(Debug)]
pub(super) struct Toolchain {
    pub(super) version: String,
    pub(super) goroot: PathBuf,
    /// Flags of all go commands, from `GOFLAGS`.
    pub(super) flags: Vec<String>,
    /// Files of settings that the build reads: go.mod, go.work, the user's go/env.
    pub(super) settings: Vec<PathBuf>,
}

impl Toolchain {
    pub(super) fn find(invocation: &Invocation, folder: &Path) -> Result<Self, Failure> {
        let arguments = ["env", "-json", "GOROOT", "GOVERSION", "GOMOD", "GOWORK", "GOENV", "GOFLAGS"];
        let output = building::output(&mut invocation.command(&arguments, folder)).map_err(|error| {
            Failure::new(
                FailureKind::Runtime,
                format!("{} can't be started: {error}", invocation.program.display()),
                "name another toolchain with --runtime NAME=COMMAND",
            )
        })?;
        let said = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
        let get = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        if !output.status.success() || get("GOROOT").is_empty() {
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let message = stderr.lines().next().unwrap_or("it says nothing").trim_start_matches("go: ").to_owned();
            let failure = Failure::new(
                FailureKind::Runtime,
                format!("{} doesn't work here as a go command: {message}", invocation.program.display()),
                "run `go env` in the package's folder; name another toolchain with --runtime NAME=COMMAND",
            );
            return Err(Failure { stderr, ..failure });
        }
        let mut settings: Vec<PathBuf> = Vec::new();
        for key in ["GOMOD", "GOWORK"] {
            let path = PathBuf::from(get(key));
            if path.is_absolute() && path.is_file() {
                settings.push(path.with_extension(if key == "GOMOD" { "sum" } else { "work.sum" }));
                settings.push(path);
            }
        }
        settings.push(PathBuf::from(get("GOENV")));
        let goroot = PathBuf::from(get("GOROOT"));
        settings.push(goroot.join("VERSION"));
        settings.retain(|path| path.is_absolute());
        let flags = words(&get("GOFLAGS"));
        Ok(Self { version: get("GOVERSION"), goroot, flags, settings })
    }

    /// Writes the overlay of this toolchain, unless it is there, and gives its path and what the user should know of it.
    pub(super) fn overlay(&self) -> Result<(PathBuf, Option<String>), Failure> {
        let testing = self.goroot.join("src").join("testing");
        let read = |name: &str| {
            fs::read_to_string(testing.join(name)).map_err(|error| {
                Failure::new(
                    FailureKind::Runtime,
                    format!("the source of package testing can't be read: {}: {error}", testing.join(name).display()),
                    "use a Go installation that has its standard library as source",
                )
            })
        };
        let (benchmark, main) = (read("benchmark.go")?, read("testing.go")?);
        let patched = overlay::patch(&benchmark, &main).map_err(|unknown| {
            Failure::new(
                FailureKind::Runtime,
                format!("Tare can't build its worker into the standard library of {}: {unknown}", self.version),
                "use a Go from 1.21 on that this version of Tare knows, or a newer Tare",
            )
        })?;
        let mut contents = go_sdk();
        contents.push(("benchmark.go".to_owned(), patched.benchmark.into_bytes()));
        contents.push(("testing.go".to_owned(), patched.testing.into_bytes()));
        contents.push(("tare_constants.go".to_owned(), patched.constants.into_bytes()));
        let parts = contents.iter().flat_map(|(name, data)| [name.as_bytes(), data.as_slice()]);
        let root = text(&testing);
        let key = content_key(parts.chain([root.as_bytes()]));
        let name = format!("go/overlay-{key:016x}");
        let folder = cache_folder().map_err(|error| not_unpacked(&error))?.join(&name);
        let replace: Map<String, Value> = contents
            .iter()
            .map(|(name, _)| (text(&testing.join(name)), Value::String(text(&folder.join(name)))))
            .collect();
        let replace = Value::Object(Map::from_iter([("Replace".to_owned(), Value::Object(replace))]));
        contents.push(("overlay.json".to_owned(), replace.to_string().into_bytes()));
        let contents: Vec<(&str, &[u8])> =
            contents.iter().map(|(name, data)| (name.as_str(), data.as_slice())).collect();
        in_cache(&name, &contents).map_err(|error| not_unpacked(&error))?;
        let warning = patched.warning.map(|why| {
            format!(
                "{}: b.StopTimer stops the world here, as under go test, and its cost isn't taken off: {why}",
                self.version
            )
        });
        Ok((folder.join("overlay.json"), warning))
    }
}

/// The words of `GOFLAGS`: one that begins with a quote goes to the next such quote, and nothing stands for a quote within.
fn words(mut text: &str) -> Vec<String> {
    let mut words = Vec::new();
    loop {
        text = text.trim_start();
        let Some(first) = text.chars().next() else { return words };
        let (word, rest) = match first {
            '\'' | '"' => text[1..].split_once(first).unwrap_or((&text[1..], "")),
            _ => text.split_once(char::is_whitespace).unwrap_or((text, "")),
        };
        words.push(word.to_owned());
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_quoted_flag_is_one_word() {
        assert_eq!(words(""), Vec::<String>::new());
        assert_eq!(words(" -race  -tags=a,b "), ["-race", "-tags=a,b"]);
        assert_eq!(words("'-ldflags=-s -w' \"-gcflags=-N -l\" -v"), ["-ldflags=-s -w", "-gcflags=-N -l", "-v"]);
        assert_eq!(words("-x 'open"), ["-x", "open"]);
    }
}
