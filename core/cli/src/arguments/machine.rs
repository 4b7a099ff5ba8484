//! What is asked of the machine: its clocks, its fitness, its settings.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use tare_definition::parse_duration;

#[derive(Debug, Args)]
pub(crate) struct ClockArguments {
    /// A runtime to look at, beside the system's own clocks; may be given several times. `NAME=COMMAND`, a command, or a name from
    /// tare.toml; a C++ compiler stands for C++, `native` for nothing else. Default: those of tare.toml, and of other languages those
    /// of php, go, python3 and g++ that are installed
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    /// CPUs for the workers, as 1 or 0,2-3; default: one CPU, the core of tare staying on the others
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// The longest wait for one answer of a worker
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "3s")]
    pub(crate) timeout: Duration,
    /// Write a page that shows it to anybody: one file, which asks for nothing from outside
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show everything the machine says of itself
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Compare identical code as well, interleaved and one after the other, and show what difference the machine makes
    #[arg(long)]
    pub(crate) noise: bool,
    /// A runtime to judge, as `NAME=COMMAND`, a command, a name from tare.toml, or a built C++ program as cpp:build/my_bench;
    /// may be given several times. Default: those of tare.toml, else php, go, python3. The noise is measured on PHP
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Show what is good line by line, and what isn't known because of what can't be read
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
    /// Put back what an earlier tune has changed
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
    /// Show each file, not only what kind of setting it is
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// The machine's root, for tests
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    pub(crate) root: PathBuf,
    /// Run this command on the settled machine, put everything back when it ends, and end with its status. Without it the machine
    /// stays settled until --restore
    #[arg(value_name = "COMMAND", last = true)]
    pub(crate) command: Vec<OsString>,
}
