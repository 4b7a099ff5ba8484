//! `tare serve`: a page over the store, for this machine alone. It reads and never writes; what is measured elsewhere meanwhile it follows in the file of
//! the run's events, so that nothing of it is in the process that measures.

mod api;
mod data;
mod feed;
mod guard;
mod history;
mod live;
mod pages;
mod routes;
mod server;
mod waiting;

pub use server::{ServeError, Serving};
