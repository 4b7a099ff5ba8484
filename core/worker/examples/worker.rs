//! Becomes the worker of a source: `worker DRIVER SOURCE COMMAND...` makes the source ready and starts what a launch would start.
//! `tare conformance -- worker go sdk/go/conformance go` checks a driver with the vectors of the wire.
#![allow(clippy::print_stderr)]

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use tare_samples::RuntimeCommand;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(driver), Some(source)) = (words.next(), words.next()) else {
        eprintln!("worker: the arguments are DRIVER SOURCE COMMAND...");
        return ExitCode::from(2);
    };
    let runtime =
        RuntimeCommand { name: driver.clone(), driver, command: words.collect(), ..RuntimeCommand::default() };
    let error = match std::fs::canonicalize(&source) {
        Ok(source) => match tare_worker::ready(&runtime, &source, &mut |_| {}) {
            Ok(ready) => {
                let mut command = Command::new(&ready.start.command[0]);
                command.args(&ready.start.command[1..]).envs(ready.start.environment);
                if let Some(folder) = ready.start.folder {
                    command.current_dir(folder);
                }
                command.exec().to_string()
            }
            Err(failure) => format!("{failure}\n{}", failure.stderr),
        },
        Err(error) => format!("{source}: {error}"),
    };
    eprintln!("worker: {error}");
    ExitCode::FAILURE
}
