//! `tare mcp`: a server for coding agents, which speaks the Model Context Protocol on a pipe.
//!
//! It measures what it is asked for in this process, one thing after the other, and answers in few lines. The protocol is the kit's (`rmcp`); what a tool is
//! asked for is in `asked.rs`, what it does in `tools.rs`, how requests wait, are cancelled and tell how far they are in `server.rs`.

mod asked;
mod pipes;
mod server;
mod tools;

pub use server::{ServeError, serve};
