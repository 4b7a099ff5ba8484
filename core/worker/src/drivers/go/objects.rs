//! Which objects a package's test binary is linked of: the go command lists them, and compiles what its cache has lost.

use std::fs::{self, File};
use std::path::Path;

use tare_samples::{Failure, FailureKind};

use super::invocation::Invocation;
use super::manifest::Manifest;
use super::operations;
use super::text;
use super::toolchain::Toolchain;
use crate::building;
use crate::drivers::Objects;

/// Larger lists aren't read, bytes.
const LARGEST: u64 = 256 << 20;

/// Lists what the binary in `folder` was linked of, by `arguments` of the go command before its flags.
///
/// # Errors
/// Where the binary isn't that of the sources as they are, before or after; where the go command fails; or where `stop` says so.
pub(super) fn listed(
    invocation: &Invocation,
    source: &Path,
    folder: &Path,
    arguments: &[&str],
    stop: &dyn Fn() -> bool,
) -> Result<Objects, Failure> {
    let identity = invocation.identity(source);
    let still = || Manifest::read(folder).is_some_and(|kept| kept.holds(&identity));
    if !still() {
        return Err(changed(source));
    }
    let toolchain = Toolchain::find(invocation, source)?;
    let (overlay, _) = toolchain.overlay()?;
    let cannot = |error: std::io::Error| failed(source, &error.to_string());
    let fresh = tempfile::Builder::new().prefix("building-").tempdir_in(folder).map_err(cannot)?;
    let overlay = format!("-overlay={}", text(&operations::added(&overlay, source, fresh.path()).map_err(cannot)?));
    let mut arguments = arguments.to_vec();
    arguments.push(overlay.as_str());
    arguments.extend(invocation.flags.iter().map(String::as_str));
    arguments.push(".");
    let (said, error) = (fresh.path().join("list.json"), fresh.path().join("error.txt"));
    let mut command = invocation.command(&arguments, source);
    command.stdout(File::create(&said).map_err(cannot)?).stderr(File::create(&error).map_err(cannot)?);
    let status = building::status(&mut command, stop).map_err(cannot)?.ok_or_else(|| failed(source, "stopped"))?;
    if !status.success() {
        let error = fs::read_to_string(&error).unwrap_or_default();
        let first = error.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
        return Err(Failure {
            stderr: error.clone(),
            ..failed(source, first.unwrap_or("the go command doesn't say why"))
        });
    }
    let listed = tare_files::read(&said, LARGEST).map_err(cannot)?;
    if !still() {
        return Err(changed(source));
    }
    let flags = invocation.flags.iter().cloned().chain(toolchain.flags).collect();
    Ok(Objects { listed, flags, toolchain: toolchain.goroot })
}

fn changed(source: &Path) -> Failure {
    failed(source, "its sources have changed since its binary was built")
}

fn failed(source: &Path, why: &str) -> Failure {
    let message = format!("the objects of {} can't be listed: {why}", source.display());
    Failure::new(FailureKind::Load, message, "`go list -export -deps -test .` in the package's folder shows the same")
}
