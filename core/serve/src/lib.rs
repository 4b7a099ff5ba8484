//! `tare serve`: pages over the store, for this machine alone. It reads and never writes; what is measured elsewhere meanwhile it follows in the file of
//! the run's events, so that nothing of it is in the process that measures.
//!
//! `tare publish` writes the same pages as files. How pages name each other is the one thing in which the two differ (`site.rs`).

mod api;
mod data;
mod feed;
mod folder;
mod guard;
mod history;
mod live;
mod pages;
mod publish;
mod reports;
mod routes;
mod server;
mod site;
mod waiting;

pub use folder::FolderError;
pub use publish::{PublishError, Published, publish};
pub use server::{ServeError, Serving};
