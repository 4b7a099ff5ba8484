//! A generator's end of a load from several: what it is asked is in a file, and it sends as `tare load http` does.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tare_load::generators::clock::Clock;
use tare_load::generators::generator::{Equipment, GeneratorError, Invitation, serve};
use tare_load::http::{HttpClients, probe};

use crate::error::Error;
use crate::load::asked::HttpLoad;
use crate::load::checked::Checked;

/// What generators are told by a file, which others can't read: headers and bodies may be secrets, and so is the token.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Invite {
    /// The version of who asks.
    pub(super) tare: String,
    /// Where it listens.
    pub(super) address: String,
    pub(super) token: String,
    /// The folder that files are named in.
    pub(super) folder: std::path::PathBuf,
    pub(super) load: serde_json::Value,
}

impl Invite {
    /// Writes it to a new file that only this user can read.
    pub(super) fn write(&self, file: &Path) -> Result<(), Error> {
        let failed = |error: &dyn std::fmt::Display| Error::failed(format!("{}: {error}", file.display()));
        let text = serde_json::to_vec(self).map_err(|error| failed(&error))?;
        let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
        let mut made = made.map_err(|error| failed(&error))?;
        std::io::Write::write_all(&mut made, &text).map_err(|error| failed(&error))
    }
}

/// What a generator sends with.
struct Kit(Checked);

impl Equipment for Kit {
    type Made = HttpClients;

    fn threads(&self) -> u32 {
        self.0.threads
    }

    fn clients(&self, targets: &[usize], earlier: usize) -> Result<HttpClients, String> {
        let asked = &self.0;
        let mut found = Vec::new();
        for &number in targets {
            let target = asked.targets.get(number).ok_or("it requests a target that doesn't exist")?;
            let at = (target, asked.socket.as_deref());
            let answer = probe(at, &asked.requests[0], &asked.tls, asked.connections, asked.timeout)
                .map_err(|failure| format!("no connection to {target}: {}: {}", failure.kind, failure.detail))?;
            found.push((target.clone(), answer.address));
        }
        HttpClients::from(&found, &asked.requests, &asked.tls, asked.connections, earlier)
            .map_err(|error| error.to_string())
    }
}

/// Sends a share of a load's requests, as who asked by `file` says; `number`: which generator this is, from 1.
///
/// # Errors
///
/// The file isn't there or is another version's, or what is asked can't be done here.
pub fn generate(file: &Path, number: u32) -> Result<(), Error> {
    let text = fs::read(file).map_err(|error| {
        Error::usage(format!(
            "{}: {error}; generators need the folder that `tare load` was called in, at the same path",
            file.display()
        ))
    })?;
    let invite: Invite = serde_json::from_slice(&text)
        .map_err(|error| Error::usage(format!("{}: this version of tare can't read it: {error}", file.display())))?;
    let host = std::env::var("SLURMD_NODENAME").ok().filter(|name| !name.is_empty()).unwrap_or_else(host_name);
    let invitation = Invitation {
        address: invite.address,
        token: invite.token,
        number: number.saturating_sub(1),
        tare: env!("CARGO_PKG_VERSION").to_owned(),
        host,
    };
    let equip = || {
        std::env::set_current_dir(&invite.folder).map_err(|error| format!("{}: {error}", invite.folder.display()))?;
        let load: HttpLoad = serde_json::from_value(invite.load).map_err(|error| error.to_string())?;
        Ok(Kit(Checked::of(&load, &[]).map_err(|error| error.to_string())?))
    };
    serve(&invitation, Clock::default(), equip).map_err(|error| match error {
        GeneratorError::Refused(_) => Error::usage(error),
        other => Error::failed(other),
    })
}

/// The name of this machine, as its system has it.
pub(super) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
