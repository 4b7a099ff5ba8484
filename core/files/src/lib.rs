//! Files and folders that somebody else may have made: opened without waiting, read up to a limit, and looked at before anything in
//! them is executed. And folders for what is started, by which it is found again.
//!
//! A path that a user, a project or a configuration names can be a FIFO, which blocks the process that opens it until somebody writes; a device,
//! which may have no end; or a folder of another user, who can put there what he likes. Nothing here follows that far.

mod owner;
mod private;
mod regular;
mod scratch;

pub use owner::{Owner, everybody_writes, is_mine_or_roots, owner};
pub use private::{checked, hide_from_git, is_private, make_private};
pub use regular::{create_output, open, read, read_beginning, reserve, text};
pub use scratch::{SCRATCH, Scratch, end_all, is_scratch};
