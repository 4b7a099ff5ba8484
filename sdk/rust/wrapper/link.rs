//! The linker of a program, called through the wrapper: it leaves a record of what was linked beside the program, from which Tare finds what a benchmark reaches.
//!
//! The record, a folder: `arguments` has the linker's arguments, each with a zero behind it. An object or a library, of which a copy lies in the folder, is `\x01` and the copy's name; those of the toolchain
//! stay where they are. `called` has the linker's name and, behind a zero, the folder that it was called in. Where the record can't be written, there is none, and the program is linked all the same.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{after, codegen};

/// The linker that the compiler would have called.
pub const LINKER: &str = "TARE_RUST_LINKER";
/// Folder of links to the wrapper, by names of linkers: the compiler tells from the name what a linker understands.
const LINKERS: &str = "tare-linkers";
/// Behind the program's name.
const RECORD: &str = "tare-link";
/// Folder of the toolchain's own libraries.
const TOOLCHAIN: &str = "/lib/rustlib/x86_64-";

/// Whether the compiler calls it as its linker.
pub fn is_called() -> bool {
    let own = env::args_os().next();
    let folder = own.as_ref().and_then(|own| Path::new(own).parent()?.file_name());
    env::var_os(LINKER).is_some() && folder == Some(OsStr::new(LINKERS))
}

/// Where the crate is a program that is measured, makes the compiler link it through here, and leave its names in it; the linker that it would call. Not so where that can't be done.
pub fn through_here(arguments: &mut Vec<OsString>) -> Option<String> {
    // A program is what the compiler makes where nothing else is asked for. Cargo asks what it is by the name `___`.
    let is_program = after(arguments, "--crate-type").map_or(true, |kind| kind == "bin");
    let name = after(arguments, "--crate-name").and_then(OsStr::to_str)?;
    if !is_program || name == "___" || name.starts_with("build_script_") || !cfg!(target_os = "linux") {
        return None;
    }
    let linker = codegen(arguments, "linker").unwrap_or_else(|| "cc".to_owned());
    let link = link_named(Path::new(&linker).file_name()?).ok()?;
    arguments.push("-C".into());
    let mut setting = OsString::from("linker=");
    setting.push(link);
    arguments.push(setting);
    arguments.extend(["-C", "strip=none"].map(OsString::from));
    Some(linker)
}

#[cfg(unix)]
fn link_named(name: &OsStr) -> io::Result<PathBuf> {
    let own = env::current_exe()?;
    let mut folder = own.clone().into_os_string();
    folder.push("-links");
    let folder = Path::new(&folder).join(LINKERS);
    fs::create_dir_all(&folder)?;
    let link = folder.join(name);
    if fs::read_link(&link).ok().as_deref() != Some(own.as_path()) {
        // Another compiler may do the same at the same time.
        let fresh = folder.join(format!(".{}-{}", name.to_string_lossy(), std::process::id()));
        std::os::unix::fs::symlink(&own, &fresh)?;
        fs::rename(&fresh, &link)?;
    }
    Ok(link)
}

#[cfg(not(unix))]
fn link_named(_: &OsStr) -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Calls the linker, and keeps what it was called with; its exit status.
pub fn link() -> i32 {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let record = record_of(&arguments);
    if let Some(record) = &record {
        let _ = fs::remove_dir_all(record);
    }
    let linker = env::var_os(LINKER).unwrap_or_else(|| "cc".into());
    let status = match Command::new(&linker).args(&arguments).status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            eprintln!("tare: the linker {} can't be started: {error}", Path::new(&linker).display());
            return 127;
        }
    };
    if let Some(record) = record.filter(|_| status == 0) {
        if keep(&record, &arguments, &linker).is_err() {
            let _ = fs::remove_dir_all(&record);
        }
    }
    status
}

fn record_of(arguments: &[OsString]) -> Option<PathBuf> {
    let mut record = after(arguments, "-o")?.to_owned();
    record.push(".");
    record.push(RECORD);
    Some(record.into())
}

/// Writes the record: in a folder of another name first, so that half of it is never taken for the whole.
fn keep(record: &Path, arguments: &[OsString], linker: &OsStr) -> io::Result<()> {
    let fresh = record.with_extension(format!("{}-{}", RECORD, std::process::id()));
    fs::create_dir_all(&fresh)?;
    let folder = env::current_dir()?;
    let called = format!("{}\0{}", linker.to_string_lossy(), folder.display());
    let written = copy_all(&fresh, arguments)
        .and_then(|()| fs::write(fresh.join("called"), called))
        .and_then(|()| fs::rename(&fresh, record));
    if written.is_err() {
        let _ = fs::remove_dir_all(&fresh);
    }
    written
}

fn copy_all(folder: &Path, arguments: &[OsString]) -> io::Result<()> {
    let mut text = Vec::new();
    let mut follows_name_of_output = false;
    for (number, argument) in arguments.iter().enumerate() {
        let path = Path::new(argument);
        let shown = argument.to_string_lossy();
        let is_input = !shown.starts_with('-')
            && !follows_name_of_output
            && !shown.contains(TOOLCHAIN)
            && matches!(path.extension().and_then(OsStr::to_str), Some("o" | "rlib" | "a"));
        follows_name_of_output = argument == "-o";
        if is_input {
            let name = format!("{number}-{}", path.file_name().unwrap_or_default().to_string_lossy());
            // What the compiler makes it never writes into again: it puts another in its place.
            fs::hard_link(path, folder.join(&name)).or_else(|_| fs::copy(path, folder.join(&name)).map(|_| ()))?;
            text.push(1);
            text.extend_from_slice(name.as_bytes());
        } else {
            text.extend_from_slice(shown.as_bytes());
        }
        text.push(0);
    }
    fs::write(folder.join("arguments"), text)
}
