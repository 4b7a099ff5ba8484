//! Processes that become generators, on this machine.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tare_files::{SCRATCH, Scratch};

use crate::error::Error;

/// Lines of what a generator printed that are told when it has ended.
const TAIL: usize = 4;

/// Starts generators of a load.
pub trait Launch {
    /// The address of this machine that generators can connect to: what is listened at, and how they are told it.
    ///
    /// # Errors
    /// It isn't known.
    fn address(&self) -> Result<(IpAddr, String), Error>;

    /// They run on this machine, which is measured beside what it is asked for.
    fn is_here(&self) -> bool;

    /// The folder for the file that tells them what to do; only this user may read what is there.
    fn folder(&self) -> &Path;

    /// Starts so many, each with this file.
    ///
    /// # Errors
    /// They can't be started.
    fn start(&mut self, file: &Path, of: u32) -> Result<(), Error>;

    /// Whether those that aren't there yet still can be: what they wait for, in words, where that is known.
    ///
    /// # Errors
    /// One of them won't come.
    fn look(&mut self) -> Result<Option<String>, Error>;

    /// Ends those that are there still.
    fn end(&mut self);
}

/// Starts them as processes of this machine.
pub(super) struct Here {
    scratch: Scratch,
    children: Vec<Child>,
}

impl Here {
    pub(super) fn new() -> Result<Self, Error> {
        let scratch = Scratch::new()
            .map_err(|error| Error::failed(format!("can't create the folder for the generators' files: {error}")))?;
        Ok(Self { scratch, children: Vec::new() })
    }

    fn log(&self, number: usize) -> PathBuf {
        self.scratch.path().join(format!("generator-{number}.log"))
    }
}

impl Launch for Here {
    fn address(&self) -> Result<(IpAddr, String), Error> {
        Ok((Ipv4Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.to_string()))
    }

    fn is_here(&self) -> bool {
        true
    }

    fn folder(&self) -> &Path {
        self.scratch.path()
    }

    fn start(&mut self, file: &Path, of: u32) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::failed(format!("a generator can't be started: {error}"));
        let program = std::env::current_exe().map_err(failed)?;
        for number in 1..=of as usize {
            let log = File::create(self.log(number)).map_err(failed)?;
            let mut command = Command::new(&program);
            command.arg("agent").arg(file).args(["--generator", &number.to_string()]);
            // Ctrl-C is for who asked, which then stops them with what they measured.
            command.process_group(0);
            command.env(SCRATCH, self.scratch.path());
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
            self.children.push(child.map_err(failed)?);
        }
        Ok(())
    }

    fn look(&mut self) -> Result<Option<String>, Error> {
        for (at, child) in self.children.iter_mut().enumerate() {
            if let Ok(Some(status)) = child.try_wait() {
                let text = std::fs::read(self.scratch.path().join(format!("generator-{}.log", at + 1)));
                let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
                let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
                let said = lines[lines.len().saturating_sub(TAIL)..].join("; ");
                let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                return Err(Error::failed(format!("generator {} ended before the load ({status}){said}", at + 1)));
            }
        }
        Ok(None)
    }

    fn end(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.children.clear();
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.end();
    }
}
