//! What Cargo calls in the place of rustc (`RUSTC_WRAPPER`) in a build for Tare: where the crate compiled is one that Tare knows, its source is replaced by Tare's own,
//! with the same features, dependencies and metadata. All other crates are compiled as ever. README.md says how it is called.
//!
//! A program is linked through it, too (`link.rs`), so that what it was linked of is known afterwards.
//!
//! It depends on nothing but the standard library, and takes some microseconds beside the start of a process.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

mod alike;
mod libtest;
mod link;

/// A crate whose source Tare has its own of.
struct Replaced {
    /// Name of the package, as `CARGO_PKG_NAME` has it.
    package: &'static str,
    /// First and last of its versions, major and minor.
    versions: ((u64, u64), (u64, u64)),
    /// The root of Tare's source, below the folder of the SDK.
    source: &'static str,
}

/// `codspeed-criterion-compat` hands on what the crate below it has, so that one alone is replaced.
const REPLACED: &[Replaced] = &[
    Replaced { package: "criterion", versions: ((0, 3), (0, 8)), source: "criterion/lib.rs" },
    Replaced {
        package: "codspeed-criterion-compat-walltime",
        versions: ((0, 0), (u64::MAX, 0)),
        source: "criterion/lib.rs",
    },
    Replaced { package: "divan", versions: ((0, 1), (0, 1)), source: "divan/lib.rs" },
    Replaced { package: "divan-macros", versions: ((0, 1), (0, 1)), source: "divan-macros/lib.rs" },
];

/// Folder of the SDK.
const SDK: &str = "TARE_RUST_SDK";
/// The wrapper that the project itself asks for, called behind this one.
const NEXT: &str = "TARE_RUST_NEXT_WRAPPER";
/// Arguments for every crate but build scripts and macros of procedures, with blanks between.
const FLAGS: &str = "TARE_RUST_FLAGS";
/// A file with the folders of packages that only a replaced crate needs, one a line: they are compiled as empty crates.
const EMPTY: &str = "TARE_RUST_EMPTY";

fn main() {
    if link::is_called() {
        exit(link::link());
    }
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    if let Some(sdk) = env::var_os(SDK) {
        if let Some(source) = source_for(&arguments, Path::new(&sdk)) {
            let facts = facts_of(&arguments);
            replace(&mut arguments, &source);
            arguments.extend(facts);
        }
        libtest::give(&mut arguments, Path::new(&sdk));
    }
    alike::make_alike(&mut arguments);
    if runs_on_the_target(&arguments) {
        arguments.extend(env::var(FLAGS).unwrap_or_default().split_whitespace().map(OsString::from));
    }
    let linker = link::through_here(&mut arguments);
    if let Some(next) = env::var_os(NEXT).filter(|next| !next.is_empty()) {
        arguments.insert(0, next);
    }
    if arguments.is_empty() {
        eprintln!("tare: this is called by Cargo, as RUSTC_WRAPPER");
        exit(2);
    }
    let mut command = Command::new(&arguments[0]);
    command.args(&arguments[1..]);
    command.envs(linker.map(|linker| (link::LINKER, linker)));
    exit(run(&mut command, &arguments[0]));
}

#[cfg(unix)]
fn run(command: &mut Command, program: &OsStr) -> i32 {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    eprintln!("tare: {} can't be started: {error}", Path::new(program).display());
    127
}

#[cfg(not(unix))]
fn run(command: &mut Command, program: &OsStr) -> i32 {
    match command.status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            eprintln!("tare: {} can't be started: {error}", Path::new(program).display());
            127
        }
    }
}

/// Tare's source for the crate that these arguments compile; none where it stays as it is.
fn source_for(arguments: &[OsString], sdk: &Path) -> Option<PathBuf> {
    let package = env::var("CARGO_PKG_NAME").ok()?;
    let name = after(arguments, "--crate-name")?;
    if let Some(replaced) = REPLACED.iter().find(|replaced| replaced.package == package) {
        let source = sdk.join(replaced.source);
        let is_its_library = is_library_of(&package, name) && is_compiled_as_library(arguments);
        return (is_its_library && is_within(replaced.versions) && source.is_file()).then_some(source);
    }
    if !is_for_replaced_alone() {
        return None;
    }
    Some(sdk.join(if name == "build_script_build" { "wrapper/empty_program.rs" } else { "wrapper/empty.rs" }))
}

/// Whether a crate becomes a part of programs that are measured; not so where no crate is compiled.
fn runs_on_the_target(arguments: &[OsString]) -> bool {
    let kind = after(arguments, "--crate-type").and_then(OsStr::to_str);
    after(arguments, "--crate-name").is_some_and(|name| name != "___" && name != "build_script_build")
        && kind != Some("proc-macro")
}

/// The library itself: not a build script, a test or an example of the package.
fn is_library_of(package: &str, name: &OsStr) -> bool {
    name.to_str() == Some(package.replace('-', "_").as_str())
}

fn is_compiled_as_library(arguments: &[OsString]) -> bool {
    !arguments.iter().any(|argument| argument == "--test")
        && matches!(after(arguments, "--crate-type").and_then(OsStr::to_str), Some("lib" | "rlib" | "proc-macro"))
}

fn is_within((first, last): ((u64, u64), (u64, u64))) -> bool {
    let number = |name| env::var(name).ok().and_then(|text: String| text.parse::<u64>().ok());
    match (number("CARGO_PKG_VERSION_MAJOR"), number("CARGO_PKG_VERSION_MINOR")) {
        (Some(major), Some(minor)) => first <= (major, minor) && (major, minor) <= last,
        _ => false,
    }
}

fn is_for_replaced_alone() -> bool {
    let (Some(list), Some(folder)) = (env::var_os(EMPTY), env::var_os("CARGO_MANIFEST_DIR")) else { return false };
    let Some(folder) = folder.to_str() else { return false };
    std::fs::read_to_string(list).is_ok_and(|text| text.lines().any(|line| line == folder))
}

/// The source is the first argument that is a file of Rust; the edition of Tare's own sources is 2021.
fn replace(arguments: &mut [OsString], source: &Path) {
    if let Some(input) = arguments.iter_mut().find(|argument| Path::new(argument).extension() == Some(OsStr::new("rs")))
    {
        *input = source.into();
    }
    for argument in arguments {
        if argument.to_str().is_some_and(|text| text.starts_with("--edition=")) {
            *argument = "--edition=2021".into();
        }
    }
}

/// What the crate compiled can't know of its own compilation, as conditions that it asks for (`worker/facts.rs`). An environment variable wouldn't do: Cargo compares those that a crate reads
/// with its own, and would compile the crate anew each time.
fn facts_of(arguments: &[OsString]) -> Vec<OsString> {
    let codegen = |key: &str| codegen(arguments, key);
    let version = version_of(&arguments[0]);
    let (numbers, channel) = version.split_once('-').unwrap_or((&version, ""));
    let mut numbers = numbers.split('.').skip(1);
    let mut facts = vec![
        ("minor", numbers.next().unwrap_or_default().to_owned()),
        ("patch", numbers.next().unwrap_or_default().to_owned()),
    ];
    facts.push(("channel", channel.split('.').next().unwrap_or_default().to_owned()));
    facts.push(("optimisation", codegen("opt-level").unwrap_or_else(|| "0".to_owned())));
    facts.push(("units", codegen("codegen-units").unwrap_or_default()));
    facts.push(("overflow", codegen("overflow-checks").unwrap_or_default()));
    facts.push(("frames", codegen("force-frame-pointers").unwrap_or_default()));
    // Cargo lets libraries keep what the linker optimises by only where it does.
    facts.push((
        "lto",
        if arguments.iter().any(|argument| argument == "linker-plugin-lto") { "on" } else { "off" }.to_owned(),
    ));
    let number = |name| env::var(name).unwrap_or_default();
    facts.push(("package", format!("{}.{}", number("CARGO_PKG_VERSION_MAJOR"), number("CARGO_PKG_VERSION_MINOR"))));
    let conditions = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("tare_{name}=\"{value}\""));
    conditions.flat_map(|condition| [OsString::from("--cfg"), OsString::from(condition)]).collect()
}

/// The value of an option of code generation.
fn codegen(arguments: &[OsString], key: &str) -> Option<String> {
    let of = |text: &str| text.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')).map(str::to_owned);
    let pairs = arguments.windows(2).filter(|pair| pair[0] == "-C").filter_map(|pair| pair[1].to_str());
    let joined = arguments.iter().filter_map(|argument| argument.to_str()?.strip_prefix("-C"));
    pairs.chain(joined).filter_map(of).last()
}

/// `1.95.0`, or `1.97.0-nightly`; empty where the compiler doesn't say so.
fn version_of(rustc: &OsStr) -> String {
    let output = Command::new(rustc).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.split_whitespace().nth(1).unwrap_or_default().to_owned()
}

/// The argument that stands after this one.
fn after<'a>(arguments: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1).map(OsString::as_os_str)
}
