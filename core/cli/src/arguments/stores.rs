//! `tare store …` as it is typed.

use clap::{Args, Subcommand};
use tare_session::KeepRule;

/// Commands for a whole store.
#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

/// A command for a whole store.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Send runs that were measured while the server was unreachable
    Push,
    /// Copy runs from one store to another; runs that the other store already has stay unchanged
    Copy {
        /// The store to copy from: a folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM")]
        from: String,
        /// The store to copy to: a folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "TO")]
        to: String,
        /// Only this run, by its id, a part of it, a tag or latest; may be given several times. Default: all
        #[arg(long, value_name = "RUN")]
        run: Vec<String>,
    },
    /// Delete all runs for good, except those to keep
    Prune {
        /// The runs to keep: a number of newest runs, an age (90d, 12w), `tagged`, or `tag:NAME`. With several rules a run stays if
        /// one keeps it. A run in progress always stays
        #[arg(long, value_name = "N|AGE|tagged|tag:NAME", required = true)]
        keep: Vec<KeepRule>,
        /// Say which runs would be deleted, and delete none
        #[arg(long)]
        dry_run: bool,
    },
    /// Check that the store's data is undamaged
    Check,
}
