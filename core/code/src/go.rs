//! Go: what a benchmark's function uses of its package's test program, compared between two builds.
//!
//! Executables of two folders differ everywhere: the table of lines has the folder's name, and all data behind it move. `-trimpath` would mend that, but changes
//! what `runtime.Caller` says to the program. The objects that the linker puts together have no addresses yet. So what is compared is each function,
//! type, table and variable that the linker would keep in a program with this benchmark alone: content, and what it refers to. A `Benchmark` function that
//! doesn't use another isn't different because that one is.
//!
//! What the linker itself adds from flags (`-ldflags`) is the caller's to compare, as are Go's settings in the environment.

mod archive;
mod build;
mod comparison;
mod functions;
#[cfg(test)]
mod hostile;
mod initialisers;
mod introspection;
mod link;
mod methods;
mod names;
mod numbers;
mod object;
mod program;
mod reach;
mod unlinked;
mod walk;

pub use build::{GoBuild, LIST};
pub use comparison::GoComparison;
pub use program::GoProgram;
pub use unlinked::Unlinked;
