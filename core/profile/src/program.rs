//! Which programs and extensions are there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where in `PATH` a program lies.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|path| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0))
}

/// Whether the PHP of a runtime's command (without the worker) has an extension loaded.
pub(crate) fn php_has(command: &[String], extension: &str) -> bool {
    let Some((program, arguments)) = command.split_first() else { return false };
    let asked = format!("exit(extension_loaded('{extension}') ? 7 : 0);");
    let status = Command::new(program)
        .args(arguments)
        .args(["-r", &asked])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.code() == Some(7))
}
