//! `tare store …` as it is typed.

use clap::{Args, Subcommand};
use tare_session::KeepRule;

/// What is done with a store as a whole.
#[derive(Debug, Args)]
pub struct StoreArguments {
    /// Which of it.
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// What can be done with a store as a whole.
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Send what was measured while the server was away to the server
    Push,
    /// Copy runs from one store to another; what is there already stays as it is
    Copy {
        /// The store that has them: a folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM")]
        from: String,
        /// The store that gets them, likewise
        #[arg(value_name = "TO")]
        to: String,
        /// Only this run, by its id, a part of it, a tag or latest; may be given several times. Default: all
        #[arg(long, value_name = "RUN")]
        run: Vec<String>,
    },
    /// Delete runs for good, all but those that are to be kept
    Prune {
        /// What is kept: a number (so many of the newest runs), an age (90d, 12w), `tagged`, or `tag:NAME`. A run stays if one of several
        /// says so; one that is being measured always stays
        #[arg(long, value_name = "N|AGE|tagged|tag:NAME", required = true)]
        keep: Vec<KeepRule>,
        /// Say which runs would be deleted, and delete none
        #[arg(long)]
        dry_run: bool,
    },
    /// Look whether all that is stored is what was stored
    Check,
}
