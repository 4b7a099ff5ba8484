//! Builds a package's test binary, and says what the compiler says when it can't.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Deserializer, Value};
use tare_samples::{Failure, FailureKind};

use super::embed;
use super::invocation::Invocation;
use super::manifest::{self, Inputs, Manifest};
use super::operations;
use super::text;
use super::toolchain::Toolchain;
use crate::building;
use crate::builds;
use crate::cache::remedy;
use crate::embedded::content_key;

/// The last `-buildmode` among flags, if what it makes can't be started.
fn other_than_a_program<'f>(flags: impl Iterator<Item = &'f String>) -> Option<&'f str> {
    let mut mode = None;
    let mut flags = flags.peekable();
    while let Some(flag) = flags.next() {
        match flag.trim_start_matches('-').strip_prefix("buildmode") {
            Some("") => mode = flags.peek().map(|next| next.as_str()),
            Some(rest) => mode = rest.strip_prefix('=').or(mode),
            None => {}
        }
    }
    mode.filter(|mode| !["default", "exe", "pie"].contains(mode))
}

/// What became of a package.
pub(super) enum Built {
    /// It has a test binary.
    Binary(Manifest),
    /// Build constraints leave out all of it, or all of its tests: `go test ./...` passes over such packages, too. Why, for people.
    LeftOut(String),
}

pub(super) fn build(
    invocation: &Invocation,
    source: &Path,
    folder: &Path,
    identity: String,
    tell: &mut dyn FnMut(&str),
) -> Result<Built, Failure> {
    let toolchain = Toolchain::find(invocation, source)?;
    if let Some(mode) = other_than_a_program(toolchain.flags.iter().chain(&invocation.flags)) {
        return Err(Failure::new(
            FailureKind::Runtime,
            format!(
                "-buildmode={mode}, set in GOFLAGS or in the runtime's flags, makes no program that can be started"
            ),
            "leave -buildmode out, or take exe or pie: --runtime NAME='env GOFLAGS= go'",
        ));
    }
    let (overlay, warning) = toolchain.overlay()?;
    tell(&format!("building {} with {}", source.display(), toolchain.version));
    // Taken before the build: what changes during it is noticed the next time.
    let inputs = inputs(invocation, source, &toolchain);
    let known = inputs.is_some();
    let cannot = |error: io::Error| {
        Failure::new(
            FailureKind::Runtime,
            format!("the binary can't be written to {}: {error}", folder.display()),
            remedy(&error),
        )
    };
    make_own(folder).map_err(cannot)?;
    let fresh = tempfile::Builder::new().prefix("building-").tempdir_in(folder).map_err(cannot)?;
    let overlay = operations::added(&overlay, source, fresh.path()).map_err(cannot)?;
    let binary = fresh.path().join("package.test");
    let (overlay, out) = (format!("-overlay={}", text(&overlay)), text(&binary));
    let mut arguments = vec!["test", "-c", "-vet=off", overlay.as_str(), "-o", out.as_str()];
    arguments.extend(invocation.flags.iter().map(String::as_str));
    arguments.push(".");
    let output = building::output(&mut invocation.command(&arguments, source)).map_err(|error| {
        Failure::new(
            FailureKind::Runtime,
            format!("{} can't be started: {error}", invocation.program.display()),
            "name another toolchain with --runtime NAME=COMMAND",
        )
    })?;
    if !output.status.success() {
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said);
        if is_excluded(&said, source) {
            return Ok(Built::LeftOut(left_out(source, "all of its files")));
        }
        return Err(not_built(&said, source));
    }
    let Ok(content) = fs::read(&binary) else {
        return Ok(Built::LeftOut(left_out(source, "its test files")));
    };
    let name = format!("{:016x}.test", content_key([content.as_slice()].into_iter()));
    fs::rename(&binary, folder.join(&name)).map_err(cannot)?;
    let built = Manifest {
        identity,
        binary: name,
        goroot: text(&toolchain.goroot),
        warning,
        inputs: inputs.unwrap_or_default(),
    };
    if known {
        built.write(folder).map_err(cannot)?;
    } else {
        manifest::forget(folder);
    }
    Ok(Built::Binary(built))
}

/// A folder that nobody else can write to. One that isn't so goes, with what others may have put there.
fn make_own(folder: &Path) -> io::Result<()> {
    if folder.exists() && !tare_files::is_private(folder) {
        fs::remove_dir_all(folder)?;
    }
    builds::hold(folder)
}

fn left_out(source: &Path, what: &str) -> String {
    format!(
        "{} is left out: build constraints exclude {what} on this system; if that is a mistake, give the runtime the build tags: \"go -tags=…\"",
        source.display()
    )
}

/// Whether the go command says that constraints exclude the package itself, and not one that it imports.
fn is_excluded(said: &str, source: &Path) -> bool {
    let folder = text(source);
    said.lines()
        .filter_map(|line| line.split_once("build constraints exclude all Go files in "))
        .any(|(_, excluded)| excluded.trim_end() == folder)
}

/// All that the build reads, by the go command's own account; `None` where it gives none. Mostly the build fails as well then and
/// says why, but a flag of the build may be one that `go list` doesn't know.
fn inputs(invocation: &Invocation, source: &Path, toolchain: &Toolchain) -> Option<Inputs> {
    let mut folders = BTreeSet::from([source.to_owned()]);
    let mut files: BTreeSet<PathBuf> = toolchain.settings.iter().cloned().collect();
    let mut listed = BTreeSet::new();
    // A module or workspace file that comes into being further up would be used.
    for parent in source.ancestors() {
        files.extend(["go.mod", "go.work", "vendor/modules.txt"].map(|name| parent.join(name)));
    }
    let mut arguments = vec!["list", "-deps", "-test", FIELDS];
    arguments.extend(invocation.flags.iter().map(String::as_str));
    arguments.push(".");
    let output = building::output(&mut invocation.command(&arguments, source)).ok();
    let output = output.filter(|output| output.status.success())?;
    for package in Deserializer::from_slice(&output.stdout).into_iter::<Value>() {
        let package = package.ok()?;
        let Some(folder) = package.get("Dir").and_then(Value::as_str).map(PathBuf::from) else { continue };
        for kind in ["", "Test", "XTest"] {
            let texts = |key: &str| {
                let texts = package.get(format!("{kind}{key}")).and_then(Value::as_array).into_iter().flatten();
                texts.filter_map(Value::as_str)
            };
            files.extend(texts("EmbedFiles").map(|name| folder.join(name)));
            for pattern in texts("EmbedPatterns") {
                embed::folders(&folder, pattern, &mut listed);
            }
        }
        folders.insert(folder);
    }
    Some(Inputs::of(&folders, &files, &listed))
}

const FIELDS: &str =
    "-json=Dir,EmbedFiles,EmbedPatterns,TestEmbedFiles,TestEmbedPatterns,XTestEmbedFiles,XTestEmbedPatterns";

/// The first place that the compiler or the go command names, with its message; all it said as standard error.
fn not_built(said: &str, source: &Path) -> Failure {
    let place = said.lines().find_map(|line| place(line.trim()));
    let remedy = if said.contains("no space left on device") { NO_SPACE } else { REMEDY };
    let failure = match place {
        Some((file, line, message)) => {
            let syntax = message.starts_with("syntax error") || message.starts_with("expected ");
            let kind = if syntax { FailureKind::Syntax } else { FailureKind::Load };
            let file = text(&source.join(file.trim_start_matches("./")));
            Failure::new(kind, format!("the package doesn't build: {message}"), remedy).at(file, line)
        }
        None => {
            let first = said.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
            let message = first.unwrap_or("the go command doesn't say why").trim_start_matches("go: ");
            Failure::new(FailureKind::Load, format!("the package doesn't build: {message}"), remedy).at(text(source), 0)
        }
    };
    Failure { stderr: said.to_owned(), ..failure }
}

const REMEDY: &str = "repair it; `go vet .` in the package's folder shows the same error";
const NO_SPACE: &str = "free some space there, or set TMPDIR, GOCACHE and XDG_CACHE_HOME to folders on a disk that has some (`df` shows which are full)";

/// `file.go:12:5: message` or `file.go:12: message`.
fn place(line: &str) -> Option<(&str, u64, &str)> {
    let end = line.find(".go:")? + 3;
    let (file, rest) = (&line[..end], &line[end + 1..]);
    let (number, rest) = rest.split_once(':')?;
    let rest = match rest.split_once(':') {
        Some((column, message)) if column.parse::<u64>().is_ok() => message,
        _ => rest,
    };
    Some((file, number.parse().ok()?, rest.trim()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tare_samples::FailureKind;

    use super::{is_excluded, not_built, other_than_a_program};

    #[test]
    fn an_excluded_package_is_not_one_that_imports_an_excluded_package() {
        let said = "# m/a\npackage m/a: build constraints exclude all Go files in /m/a\nFAIL\tm/a [setup failed]\n";
        assert!(is_excluded(said, Path::new("/m/a")));
        let said = "# m/a\na.go:3:8: build constraints exclude all Go files in /m/b\nFAIL\tm/a [setup failed]\n";
        assert!(!is_excluded(said, Path::new("/m/a")));
    }

    #[test]
    fn the_compilers_place_and_message_are_found() {
        let said = "# a.b/c [a.b/c.test]\n./x_test.go:12:5: undefined: foo\n./x_test.go:13:5: undefined: bar\n";
        let failure = not_built(said, Path::new("/m/c"));
        assert_eq!((failure.kind, failure.file.as_str(), failure.line), (FailureKind::Load, "/m/c/x_test.go", 12));
        assert_eq!(failure.message, "the package doesn't build: undefined: foo");
        assert!(failure.stderr.contains("bar"));
        let failure = not_built("x.go:3:1: syntax error: unexpected }", Path::new("/m"));
        assert_eq!(failure.kind, FailureKind::Syntax);
        let failure = not_built("../up/x.go:3: import cycle: no", Path::new("/m"));
        assert_eq!((failure.line, failure.message.as_str()), (3, "the package doesn't build: import cycle: no"));
    }

    #[test]
    fn what_has_no_place_is_said_too() {
        let failure = not_built("# p\ngo: go.mod file not found in current directory\n", Path::new("/m"));
        assert_eq!(failure.message, "the package doesn't build: go.mod file not found in current directory");
        assert!(not_built("", Path::new("/m")).message.contains("doesn't say"));
        let full = "# p.test\n/go/pkg/tool/link: mapping output file failed: no space left on device\n";
        let failure = not_built(full, Path::new("/m"));
        assert!(failure.message.ends_with("no space left on device") && failure.remedy.contains("TMPDIR"), "{failure}");
    }

    #[test]
    fn a_mode_that_makes_no_program_is_found() {
        let of = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            other_than_a_program(words.iter()).map(str::to_owned)
        };
        assert_eq!(of("-buildmode=plugin -race").as_deref(), Some("plugin"));
        assert_eq!(of("--buildmode c-shared").as_deref(), Some("c-shared"));
        assert_eq!(
            (of("-buildmode=plugin -buildmode=exe"), of("-buildmode=pie -buildmodes=x"), of("")),
            (None, None, None)
        );
    }
}
