//! `tare`: wiring, exit statuses, and the only crate that prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod addresses;
mod arguments;
mod assertion;
mod budget;
mod build;
mod case_list;
mod clock;
mod compare;
mod compared;
mod conformance;
mod doctor;
mod enumerate;
mod exit;
mod failures;
mod fitness;
mod gate;
mod instructions;
mod interrupt;
mod load;
mod lock;
mod log;
mod lonely;
mod machine_code;
mod measure;
mod memory;
mod next_run;
mod nothing;
mod output;
mod phpbench;
mod placement;
mod profile;
mod progress;
mod recorder;
mod request;
mod resume;
mod run;
mod same;
mod screen;
mod sdk;
mod show;
mod sides;
mod stored;
mod tune;
mod views;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use exit::Status;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            if let Some(message) = phpbench::refused(&error) {
                screen::complain(&message);
                return Status::Usage.into();
            }
            // Help and version are answers, on standard output; the rest is wrong usage.
            let _ = error.print();
            return if error.use_stderr() { Status::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let done = match &arguments.command {
        Command::Run(options) => run::run(options),
        Command::Compare(options) => compare::compare(options),
        Command::Clock(options) => clock::clock(options),
        Command::ClockWorker => clock::serve(),
        Command::Doctor(options) => doctor::doctor(options),
        Command::Tune(options) => tune::tune(options),
        Command::List(options) => case_list::list(options),
        Command::Profile(options) => profile::profile(options),
        Command::Log(options) => log::log(options),
        Command::Show(options) => show::show(options),
        Command::Sdk(options) => sdk::sdk(options),
        Command::Load(options) => load::load(options),
        Command::Conformance(options) => conformance::conformance(options),
    };
    let status = match done {
        Ok(status) => status,
        Err(error) => {
            screen::complain(&format!("{:#}", error.cause));
            error.status
        }
    };
    match screen::lost() {
        Some(reason) => {
            screen::complain(&format!(
                "the report couldn't be written to standard output: {reason}; what was stored can be shown again with `tare show`"
            ));
            if status == Status::Done { Status::Failed.into() } else { status.into() }
        }
        None => status.into(),
    }
}
