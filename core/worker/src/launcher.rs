//! From a runtime to a running session.

use std::time::{Duration, Instant};

use tare_samples::{Failure, FailureKind, RuntimeCommand};

use crate::process::{Process, Spawn};
use crate::{Conversation, Session, unpack_php};

/// Starts sessions and knows what time it is for them: the real machine, or a simulated one.
pub trait Launcher {
    /// Starts a fresh worker and waits for its hello. `seed` names the launch, for workers that draw lots.
    fn launch(&mut self, runtime: &RuntimeCommand, seed: u64) -> Result<Conversation, Failure>;

    /// Nanoseconds since some fixed moment, never going back.
    fn now_ns(&self) -> u64;
}

/// Launches real processes, pinned to `cpus`.
#[derive(Debug)]
pub struct ProcessLauncher {
    cpus: Vec<usize>,
    startup: Duration,
    begun: Instant,
}

impl ProcessLauncher {
    /// `cpus` are those that workers may run on; empty leaves them unpinned. `startup` bounds the wait for a hello.
    pub fn new(cpus: Vec<usize>, startup: Duration) -> Self {
        Self { cpus, startup, begun: Instant::now() }
    }
}

impl Launcher for ProcessLauncher {
    fn launch(&mut self, runtime: &RuntimeCommand, seed: u64) -> Result<Conversation, Failure> {
        let mut command = runtime.command.clone();
        match runtime.driver.as_str() {
            "php" => {
                let entry = unpack_php().map_err(|error| {
                    Failure::new(
                        FailureKind::Runtime,
                        error.to_string(),
                        "set XDG_CACHE_HOME to a folder that can be written",
                    )
                })?;
                command.push(entry.to_string_lossy().into_owned());
            }
            "worker" => {}
            other => {
                return Err(Failure::new(
                    FailureKind::Runtime,
                    format!("there is no driver for the language `{other}`"),
                    "languages are php, and worker for a command that speaks the wire itself",
                ));
            }
        }
        let environment = [("TARE_SEED".to_owned(), seed.to_string())];
        let process = Process::spawn(&Spawn {
            command: &command,
            folder: runtime.folder.as_deref(),
            cpus: &self.cpus,
            environment: &environment,
        })?;
        let session: Box<dyn Session> = Box::new(process);
        Conversation::open(session, self.startup)
    }

    fn now_ns(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }
}
