//! Real packages, built by the installed Go and driven over the wire. What is asserted is structure, counts and places, never
//! time.
#![allow(clippy::unwrap_used)]

mod building;
mod links;
mod listing;
mod measuring;
mod objects;
mod process;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tare_samples::RuntimeCommand;
use tare_worker::{Conversation, Enumeration, Launcher, ProcessLauncher, Ready, ready};

/// For what has to come; never waited for to its end where all is well.
const PATIENCE: Duration = Duration::from_secs(120);

fn package(name: &str) -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/go/tests/fixtures")).unwrap().join(name)
}

fn go(words: &[&str]) -> RuntimeCommand {
    RuntimeCommand {
        name: "go".to_owned(),
        driver: "go".to_owned(),
        command: words.iter().map(|word| (*word).to_owned()).collect(),
        ..RuntimeCommand::default()
    }
}

fn built(name: &str) -> Ready {
    ready(&go(&["go"]), &package(name), &mut |_| {}).unwrap_or_else(|failure| panic!("{failure}\n{}", failure.stderr))
}

fn launch(ready: &Ready) -> Conversation {
    ProcessLauncher::new(Vec::new(), &[], PATIENCE).launch(&ready.start, 1).unwrap()
}

fn load(ready: &Ready, conversation: &mut Conversation) -> Enumeration {
    conversation.load(&ready.files, None, PATIENCE).unwrap()
}
