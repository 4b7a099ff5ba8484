//! Targets whose main function rustc generates: which they are, which toolchains compile their `#[bench]`, and which file's benchmarks are asked for.

use std::path::Path;
use std::process::Stdio;

use tare_samples::{Failure, FailureKind};

use super::super::text;
use super::invocation::Invocation;
use super::settings;
use super::target::{Kind, Target, same};

/// The first version whose harness is the one that Tare's crate `test` is written for (`sdk/rust/wrapper/libtest.rs`).
const FIRST: u32 = 75;
/// What a source may be, at the most.
const LARGEST_SOURCE: u64 = 16 << 20;
/// What a manifest may be, at the most.
const LARGEST_MANIFEST: u64 = 16 << 20;

/// `Cargo.toml`: what `cargo metadata` doesn't tell of it.
pub(super) struct Manifest(toml::Table);

impl Manifest {
    /// An unreadable one is empty: Cargo says what is wrong with it.
    pub(super) fn read(path: &Path) -> Self {
        let text = tare_files::text(path, LARGEST_MANIFEST).unwrap_or_default();
        Self(text.parse().unwrap_or_default())
    }

    /// Whether rustc generates the main function of a target.
    pub(super) fn has_harness(&self, kind: Kind, name: &str) -> bool {
        let key = match kind {
            Kind::Library => "lib",
            Kind::Program => "bin",
            Kind::Benchmark => "bench",
        };
        let of = |table: &toml::Value| table.get("harness").and_then(toml::Value::as_bool).unwrap_or(true);
        match self.0.get(key) {
            Some(toml::Value::Array(all)) => {
                all.iter().find(|table| table.get("name").and_then(toml::Value::as_str) == Some(name)).is_none_or(of)
            }
            Some(table) => of(table),
            None => true,
        }
    }
}

/// A framework that the main function would begin, where rustc generates another one: forgotten in the manifest, it runs nothing.
///
/// # Errors
/// A failure of kind `load` that says where to write what.
pub(super) fn check_main(target: &Target) -> Result<(), Failure> {
    let text_of = || tare_files::text(&target.source, LARGEST_SOURCE).unwrap_or_default();
    if !target.has_harness || !target.files.is_empty() || !tare_languages::has_own_main(&text_of()) {
        return Ok(());
    }
    let manifest = target.folder.join("Cargo.toml");
    let failure = Failure::new(
        FailureKind::Load,
        "rustc puts a main function of its own into this target, in which the benchmarks don't run: its manifest lacks `harness = false`",
        format!(
            "write into {}: [[bench]], name = \"{}\", harness = false; `cargo bench` needs it, too",
            manifest.display(),
            target.name
        ),
    );
    Err(failure.at(text(&target.source), 0))
}

/// Why the toolchain that Cargo picks in `folder` compiles no `#[bench]`, for people.
///
/// # Errors
/// A compiler that can't be started.
pub(super) fn refusal(invocation: &Invocation, root: &Path, folder: &Path) -> Result<Option<String>, Failure> {
    let (mut command, rustc) = invocation.own_compiler(folder);
    let output = command.arg("--version").stderr(Stdio::inherit()).output().map_err(|error| {
        let message = format!("the compiler `{rustc}` can't be started: {error}");
        Failure::new(FailureKind::Runtime, message, "install Rust's compiler, or name it with RUSTC")
    })?;
    let of_cargo = settings::of_the_environment(root, folder);
    let of_cargo = of_cargo.into_iter().find(|(name, _)| name == "RUSTC_BOOTSTRAP").map(|(_, value)| value);
    let allowed = invocation.variable("RUSTC_BOOTSTRAP").or(of_cargo).unwrap_or_default();
    let version = String::from_utf8_lossy(&output.stdout);
    Ok(refusal_of(version.split_whitespace().nth(1).unwrap_or_default(), &allowed))
}

fn refusal_of(version: &str, allowed: &str) -> Option<String> {
    let is_unstable = version.contains("-nightly") || version.contains("-dev");
    if !((is_unstable && allowed != "-1") || !matches!(allowed, "" | "0" | "-1")) {
        return Some(format!(
            "#[bench] is compiled by nightly toolchains alone, and Cargo picks {version} here; name one: --runtime \"cargo +nightly\", or for good [runtime.nightly] with command = \"cargo +nightly\" in tare.toml"
        ));
    }
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    minor
        .is_none_or(|minor| minor < FIRST)
        .then(|| format!("Tare measures #[bench] with toolchains from 1.{FIRST} on, and Cargo picks {version} here"))
}

/// For the program, where other files of the target have benchmarks, too: whose are listed. Benchmarks that a macro puts elsewhere come with the first file.
pub(super) fn files_asked_for(target: &Target) -> Vec<(String, String)> {
    let Some(at) = target.files.iter().position(|file| same(file, &target.source)) else { return Vec::new() };
    if target.files.len() == 1 {
        return Vec::new();
    }
    let mut variables = vec![("TARE_RUST_FILE".to_owned(), text(&target.files[at]))];
    if at == 0 {
        let others: Vec<String> = target.files[1..].iter().map(|file| text(file)).collect();
        variables.push(("TARE_RUST_OTHER_FILES".to_owned(), others.join("\n")));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::{Manifest, refusal_of};
    use crate::drivers::rust::target::Kind;

    #[test]
    fn a_target_has_a_harness_unless_the_manifest_says_otherwise() {
        let text = "[lib]\nharness = false\n[[bench]]\nname = \"a\"\nharness = false\n[[bench]]\nname = \"b\"\n";
        let manifest = Manifest(text.parse().unwrap());
        let has = |kind, name| manifest.has_harness(kind, name);
        assert!(!has(Kind::Library, "x") && !has(Kind::Benchmark, "a"));
        assert!(has(Kind::Benchmark, "b") && has(Kind::Benchmark, "c") && has(Kind::Program, "a"));
    }

    #[test]
    fn toolchains_without_bench_are_told() {
        for (version, allowed) in [("1.95.0", ""), ("1.95.0", "0"), ("1.97.0-nightly", "-1"), ("1.95.0-beta.2", "")] {
            assert!(refusal_of(version, allowed).unwrap().contains(version), "{version} {allowed}");
        }
        assert!(refusal_of("1.60.0-nightly", "").unwrap().contains("from 1.75 on"));
        for (version, allowed) in [("1.97.0-nightly", ""), ("1.95.0", "1"), ("1.95.0", "mine")] {
            assert_eq!(refusal_of(version, allowed), None, "{version} {allowed}");
        }
    }
}
