//! What a case depends on, and whether that differs between two sides of a comparison.
//!
//! A case whose process was followed ([`Touched`]) depends on what it asked of the system and was answered: files, names in folders, lookups in vain
//! ([`Facts`]). Where all of it is equal on the other side, that side's process does the same: it is started by the same command, and what it is
//! answered differs nowhere, so that it can't come to ask anything else. What it asks beside files (sockets, random numbers, the clock) is named, and
//! takes the proof away.

mod differences;
mod kept;
mod look;
mod place;
mod record;
mod stamp;

pub use differences::{Changed, Difference, differences, mentions_module};
pub use kept::CommitRecords;
pub use look::{Dependencies, Look};
pub use place::{Place, Root};
pub use record::{Facts, Loading, PathQuestion, Touched};
pub use stamp::{Filter, Identity, Question, Stamp, Stamps};
