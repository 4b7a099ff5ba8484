//! What is asked of the machine: its clocks, its fitness, its settings.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use tare_definition::parse_duration;

#[derive(Debug, Args)]
pub(crate) struct ClockArguments {
    /// A runtime whose clocks to show, besides the system's own: `NAME=COMMAND`, a command, a name from tare.toml, a C++ compiler for
    /// C++, or `native` for the system's clocks alone. May be given several times. Default: those of tare.toml; for other languages
    /// php, go, python3 and g++, if installed
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    /// CPUs for the workers, as 1 or 0,2-3; default: one CPU; Tare itself stays on the others
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// The longest wait for one answer of a worker
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "3s")]
    pub(crate) timeout: Duration,
    /// Write a page with the results: one HTML file that loads nothing from elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show all facts about the machine
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Also compare identical code, interleaved and one after the other, to show the noise of the machine
    #[arg(long)]
    pub(crate) noise: bool,
    /// A runtime to judge, as `NAME=COMMAND`, a command, a name from tare.toml, or a built C++ program as cpp:build/my_bench;
    /// may be given several times. Default: those of tare.toml, else php, go, python3. The noise is measured on PHP
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Show each setting that is good, and each that Tare couldn't read
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Where /proc and /sys are read, for tests
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    pub(crate) root: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    /// Show which files would be changed, and change nothing
    #[arg(long, conflicts_with_all = ["restore", "command"])]
    pub(crate) dry_run: bool,
    /// Restore the settings that an earlier tune changed
    #[arg(long, conflicts_with_all = ["command", "smt_off", "aslr_off", "cpus"])]
    pub(crate) restore: bool,
    /// Switch the second hardware threads of all cores off, too
    #[arg(long)]
    pub(crate) smt_off: bool,
    /// Give every process the same memory layout: narrower intervals, which hold for that layout alone
    #[arg(long)]
    pub(crate) aslr_off: bool,
    /// The workers' CPUs, which interrupts are kept off. Default: as `tare run` chooses them
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Show each file, not only each kind of setting
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// The machine's root, for tests
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    pub(crate) root: PathBuf,
    /// Run this command on the settled machine, restore all settings when it ends, and exit with its status. Without a command the
    /// machine stays settled until --restore
    #[arg(value_name = "COMMAND", last = true)]
    pub(crate) command: Vec<OsString>,
}
