//! `tare`: wiring, exit statuses, and the only crate that prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod asked;
mod bisect;
mod case_list;
mod ci;
mod clock;
mod compare;
mod conformance;
mod doctor;
mod exchange;
mod exec;
mod exit;
mod fleet;
mod github;
mod init;
mod interrupt;
mod listener;
mod load;
mod load_line;
mod log;
mod manual;
mod mcp;
mod merge;
mod output;
mod profile;
mod progress;
mod publish;
mod report;
mod run;
mod screen;
mod sdk;
mod serve;
mod show;
mod stage_line;
mod store;
mod tune;

use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use arguments::{Arguments, Command};
use exit::Status;

fn main() -> ExitCode {
    tare_session::survive_file_limit();
    tare_session::hide_password_of_store();
    let parsed = Arguments::known().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            if let Some(message) = refused(&error) {
                screen::complain(&message);
                return Status::Usage.into();
            }
            // Help and version are answers, on standard output; the rest is wrong usage.
            let _ = error.print();
            return if error.use_stderr() { Status::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let _ = asked::STORE.set(arguments.store.clone().or_else(tare_session::store_in_environment));
    let done = match &arguments.command {
        Command::Run(options) => run::run(options),
        Command::Compare(options) => compare::compare(options),
        Command::Ci(options) => ci::ci(options),
        Command::Init(options) => init::init(options),
        Command::Bisect(options) => bisect::bisect(options),
        Command::Exec(options) => exec::exec(options),
        Command::ExecWorker => exec::serve(),
        Command::Clock(options) => clock::clock(options),
        Command::ClockWorker => clock::serve(),
        Command::Doctor(options) => doctor::doctor(options),
        Command::Tune(options) => tune::tune(options),
        Command::List(options) => case_list::list(options),
        Command::Profile(options) => profile::profile(options),
        Command::Log(options) => log::log(options),
        Command::Report(options) => report::report(options),
        Command::Show(options) => show::show(options),
        Command::Import(options) => exchange::import(options),
        Command::Export(options) => exchange::export(options),
        Command::Serve(options) => serve::serve(options),
        Command::Publish(options) => publish::publish(options),
        Command::Mcp => mcp::mcp(),
        Command::Merge(options) => merge::merge(options),
        Command::Fleet(options) => fleet::fleet(options),
        Command::Agent(options) => fleet::agent(options),
        Command::Store(options) => store::store(options),
        Command::Sdk(options) => sdk::sdk(options),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::known(), "tare", &mut script);
            screen::print(&String::from_utf8_lossy(&script));
            Ok(Status::Done)
        }
        Command::Man { folder } => manual::write(folder),
        Command::Load(options) => load::load(options),
        Command::Conformance(options) => conformance::conformance(options),
    };
    let mut status = match done {
        Ok(status) => status,
        Err(error) => {
            screen::complain(&tare_session::with_causes(error.cause.as_ref()));
            error.status
        }
    };
    if let Some(reason) = screen::lost() {
        screen::complain(&format!(
            "can't write the report to standard output: {reason}; `tare show` shows the stored run"
        ));
        status = if status == Status::Done { Status::Failed } else { status };
    }
    use Command::{Bisect, Ci, Compare, Exec, Fleet, Load, Merge, Run};
    if matches!(arguments.command, Run(_) | Compare(_) | Ci(_) | Bisect(_) | Exec(_) | Load(_) | Merge(_) | Fleet(_)) {
        output::last_line(status);
    }
    status.into()
}

/// What to say of an option that others have, instead of the nearest name that there is.
fn refused(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = argument.split('=').next().unwrap_or(argument);
    let command = std::env::args().nth(1);
    // `-bench`, as Go writes long names, is refused for its `-b`.
    let is_whole = |word: &String| !name.starts_with("--") && word.starts_with(name) && word.len() > name.len() + 1;
    let whole = std::env::args().skip(1).find(is_whole);
    let whole = whole.as_deref().map(|word| word.split('=').next().unwrap_or(word));
    let of_whole = whole.and_then(|whole| tare_session::instead_of_option(command.as_deref(), whole));
    of_whole
        .or_else(|| tare_session::instead_of_option(command.as_deref(), name))
        .or_else(|| of_other_commands(&Arguments::known(), command.as_deref()?, name))
}

/// So many commands are named that have an option.
const NAMED: usize = 3;

/// Which commands have the option that `command` doesn't have.
fn of_other_commands(all: &clap::Command, command: &str, name: &str) -> Option<String> {
    let long = name.strip_prefix("--")?;
    let has_option = |command: &clap::Command, long: &str| {
        !command.is_hide_set()
            && command.get_arguments().any(|option| !option.is_hide_set() && option.get_long() == Some(long))
    };
    // Both choose cases by the same expressions.
    let twin = [("case", "filter"), ("filter", "case")].into_iter().find(|(one, _)| *one == long);
    let twin = twin.filter(|(_, other)| all.find_subcommand(command).is_some_and(|own| has_option(own, other)));
    if let Some((_, other)) = twin {
        return Some(format!("`tare {command}` has no option {name}; write --{other} REGEX"));
    }
    let has = |command: &clap::Command| has_option(command, long);
    let mut having: Vec<String> = Vec::new();
    for top in all.get_subcommands() {
        having.extend(has(top).then(|| format!("`tare {}`", top.get_name())));
        let below = top.get_subcommands().filter(|below| has(below));
        having.extend(below.map(|below| format!("`tare {} {}`", top.get_name(), below.get_name())));
    }
    let more = if having.len() > NAMED { ", and others" } else { "" };
    having.truncate(NAMED);
    let verb = if having.len() > 1 { "have" } else { "has" };
    (!having.is_empty())
        .then(|| format!("`tare {command}` has no option {name}; {}{more} {verb} it", having.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::arguments::Arguments;
    use super::of_other_commands;

    #[test]
    fn an_option_in_the_wrong_command_is_told_its_own() {
        let told = |command: &str, name: &str| of_other_commands(&Arguments::known(), command, name);
        assert_eq!(told("run", "--why").unwrap(), "`tare run` has no option --why; `tare compare` has it");
        assert_eq!(told("run", "--ways"), None);
        assert!(told("log", "--budget").unwrap().ends_with(", and others have it"));
    }
}
