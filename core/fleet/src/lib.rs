//! More than one machine, beside the program: runs go from store to store, parts of a suite become one run.
//!
//! Options are defined here, where their text and what they do stand together; the program parses them, calls, and shows what comes back.

mod keeping;
mod store_arguments;
mod stores;

pub use store_arguments::{StoreArguments, StoreCommand};
pub use stores::{Told, store};
