//! Values of `/proc` and `/sys` as they are compared and written.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::cpu_list::{format_cpu_list, parse_cpu_list};
use crate::files;

/// What `path` (absolute, below `root`) holds, in the form in which it is compared: of `always [madvise] never` the choice, of lists
/// of CPUs the shortest.
pub(super) fn read(root: &Path, path: &str) -> Result<String, String> {
    let relative = path.trim_start_matches('/');
    let text = files::try_text(root, relative).map_err(|error| reason(&error))?;
    let line = text.lines().next().and_then(files::whole).ok_or("it is empty")?;
    if path.ends_with("_list") {
        return parse_cpu_list(&line).map(|cpus| format_cpu_list(&cpus)).map_err(|error| error.to_string());
    }
    let chosen = line.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    Ok(chosen.map_or_else(|| line.clone(), str::to_owned))
}

/// Writes `value`, and looks whether it is there: some files take what they then don't keep.
pub(super) fn write(root: &Path, path: &str, value: &str) -> Result<(), String> {
    let file = root.join(path.trim_start_matches('/'));
    let written = File::options()
        .write(true)
        .truncate(true)
        .custom_flags(files::not_waiting())
        .open(file)
        .and_then(|mut file| file.write_all(format!("{value}\n").as_bytes()));
    written.map_err(|error| reason(&error))?;
    match read(root, path) {
        Ok(found) if found == value => Ok(()),
        Ok(found) => Err(format!("the kernel took the value, and the file then held {found}")),
        Err(reason) => Err(format!("the kernel took the value, and the file can't be read again: {reason}")),
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the file is not there any more".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only, as in most containers".to_owned(),
        io::ErrorKind::InvalidInput => "the kernel doesn't take this value".to_owned(),
        _ => error.to_string(),
    }
}
