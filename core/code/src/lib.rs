//! Whether two builds of a program hold the same machine code for one benchmark case, and where it lies.
//!
//! A function that nobody touched can get slower because those before it grew: it begins at another place of a cache
//! line. [`compare`] follows both executables in step, from the case's entries over all code and data they refer to.
//! It says [`Likeness::Same`] only of what it has seen to be the same; what it can't see is [`Likeness::Unknown`].
//!
//! The sameness is one of code and constants. What a program builds at run time (its heap, its variables) may differ,
//! shared libraries are taken as the same, and of thread-local variables only the place is compared.
//!
//! [`prove`] asks for more, so that a case needs no measurement: what runs before it counts, too. For Go, whose executables have another order in each folder, [`GoComparison`]
//! compares the objects that the linker puts together; [`LinkedComparison`] does so for Rust.
//!
//! A leaf: it knows no benchmark, it reads ELF files for x86-64. Everything in them is hostile; nothing here panics on
//! any bytes, and the walk is bounded.

mod data;
mod exceptions;
mod go;
mod imports;
mod instructions;
mod likeness;
mod linked;
mod loaded;
mod names;
mod pairs;
mod places;
mod program;
mod prove;
mod reading;
mod referenced;
mod sdk;
mod starts;
mod step;
mod stubs;
mod tables;
mod variables;
mod walk;

pub use go::{GoBuild, GoComparison, GoProgram, LIST as GO_LIST, Unlinked};
pub use likeness::{Likeness, Moved, SameCode};
pub use linked::{LinkedComparison, LinkedProgram, Unread as UnreadObjects};
pub use places::keep_their_places;
pub use program::{Program, Unread};
pub use prove::prove;
pub use walk::compare;
