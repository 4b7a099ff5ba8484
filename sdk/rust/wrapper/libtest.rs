//! Tare's crate `test` for programs with rustc's own harness, where the toolchain has `#[bench]`: rustc takes it in the place of the toolchain's.
//!
//! No package has this crate, so Cargo can't compile it: it is compiled here, once for each way in which programs are, into a folder beside them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

use super::{after, facts_of, version_of, FLAGS};

/// The first minor version of which all is there that our crate uses; its harness tells the place of a function.
const FIRST: u32 = 75;
/// Options of code generation that are the program's alone.
const OWN: [&str; 7] = ["metadata=", "extra-filename=", "incremental", "linker=", "lto", "prefer-dynamic", "link-arg"];

/// Where the arguments compile a program with rustc's harness, names our crate `test` in them.
pub fn give(arguments: &mut Vec<OsString>, sdk: &Path) {
    let source = sdk.join("libtest/lib.rs");
    let has_harness = arguments.iter().any(|argument| argument == "--test");
    if !has_harness || !source.is_file() || !has_bench(&version_of(&arguments[0])) {
        return;
    }
    let Some(folder) = after(arguments, "--out-dir").map(PathBuf::from) else { return };
    match library(arguments, &source, &folder) {
        Ok(library) => {
            let mut named = OsString::from("test=");
            named.push(library);
            arguments.extend(["--extern".into(), named]);
        }
        Err(why) => {
            eprintln!("error: Tare's crate for #[bench] can't be compiled: {why}");
            exit(1);
        }
    }
}

/// Whether a compiler of this version compiles `#[bench]`.
fn has_bench(version: &str) -> bool {
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    let allowed = env::var("RUSTC_BOOTSTRAP").unwrap_or_default();
    let is_unstable = version.contains("-nightly") || version.contains("-dev");
    minor.map_or(false, |minor| minor >= FIRST)
        && ((is_unstable && allowed != "-1") || !matches!(allowed.as_str(), "" | "0" | "-1"))
}

/// The library, compiled as the program is.
fn library(arguments: &[OsString], source: &Path, folder: &Path) -> Result<PathBuf, String> {
    let mut options = vec![OsString::from("--edition=2021"), "--crate-name=test".into(), "--crate-type=rlib".into()];
    options.extend(["-C", "metadata=tare", "-C", "extra-filename=-tare", "--cap-lints=allow"].map(OsString::from));
    options.extend(generation(arguments));
    options.extend(env::var(FLAGS).unwrap_or_default().split_whitespace().map(OsString::from));
    // The version is that of the user's package.
    let is_of_ours = |fact: &&[OsString]| !fact[1].to_string_lossy().starts_with("tare_package");
    options.extend(facts_of(arguments).chunks(2).filter(is_of_ours).flatten().cloned());
    let mut hash = std::collections::hash_map::DefaultHasher::new();
    (&options, source).hash(&mut hash);
    let place = folder.join(format!("tare-test-{:016x}", hash.finish()));
    let library = place.join("libtest-tare.rlib");
    if library.is_file() {
        return Ok(library);
    }
    let fresh = folder.join(format!(".tare-test-{}", std::process::id()));
    fs::create_dir_all(&fresh).map_err(|error| format!("{}: {error}", fresh.display()))?;
    let compiled = Command::new(&arguments[0]).args(&options).arg("--out-dir").arg(&fresh).arg(source).output();
    let done = match compiled {
        Ok(output) if output.status.success() => fs::rename(&fresh, &place).map_err(|error| error.to_string()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    };
    let _ = fs::remove_dir_all(&fresh);
    // Another program's compiler may have been faster.
    match done {
        Err(why) if !library.is_file() => Err(why),
        _ => Ok(library),
    }
}

/// Options that decide how code is generated and for what.
fn generation(arguments: &[OsString]) -> Vec<OsString> {
    let mut options = Vec::new();
    let mut words = arguments.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let is_own = |option: &OsStr| option.to_str().map_or(true, |text| OWN.iter().any(|own| text.starts_with(own)));
        match text {
            "-C" | "--codegen" | "-Z" | "--target" => {
                if let Some(value) = words.next().filter(|value| text == "-Z" || text == "--target" || !is_own(value)) {
                    options.extend([word.clone(), value.clone()]);
                }
            }
            _ if text.starts_with("-C") && !is_own(OsStr::new(&text[2..])) => options.push(word.clone()),
            _ if text.starts_with("-Z") || text.starts_with("--target=") => options.push(word.clone()),
            _ => {}
        }
    }
    options
}
