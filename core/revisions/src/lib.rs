//! Git revisions to measure: what a name stands for, and its files checked out and prepared in a folder of their own.
//!
//! The flow is folder → [`Repository`] → [`Revision`] → [`Worktrees`] → [`Checkout`]. Git itself is run, as the user would
//! run it; nothing reads its files behind its back. What it is told never runs the repository's hooks or its file
//! system monitor. Names, subject lines and output are other people's text, and are escaped before they are handed on.

mod capture;
mod error;
mod git;
mod history;
mod hold;
mod hunks;
mod merge_base;
mod overlay;
mod place;
mod prepare;
mod printable;
mod process;
mod repository;
mod submodules;
mod tree;
mod worktrees;

pub use error::RevisionError;
pub use history::{Commit, MOST_COMMITS};
pub use hunks::{Difference, Hunk};
pub use merge_base::BaseName;
pub use place::{CHECKOUTS, PROJECT};
pub use prepare::{Prepare, Ran, run_shell};
pub use repository::{Repository, Revision};
pub use worktrees::{Checkout, Step, Worktrees};

#[cfg(test)]
mod fixture;
