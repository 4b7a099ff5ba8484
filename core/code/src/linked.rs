//! What a linker puts together of objects, for one benchmark: the objects of both builds are compared before they are linked, where all references are relocations.
//!
//! In an object each function and each constant has a section of its own (`-ffunction-sections`, `-fdata-sections`: rustc's default), and whatever one refers to is told by a relocation. So all that
//! a case can call, through pointers and tables of methods too, is what is reached from the function that defines it, as the linker's `--gc-sections` finds it (System V ABI, AMD64 supplement, 4.4).
//! A line of a panic's place isn't compared: it moves with each line of the file above.
//!
//! What other code leaves behind may matter to a case: `apart.rs` says when that takes the proof away.

mod apart;
mod comparison;
mod exceptions;
mod objects;
mod program;
mod record;
mod walk;

pub use comparison::LinkedComparison;
pub use program::{LinkedProgram, Unread};
