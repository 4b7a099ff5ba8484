//! Every option of `tare run`, `tare compare` and what is like them, declared once: its name and help, how its text is read, its key in `tare.toml`,
//! what it says, and which tasks it applies to. Parsing, `tare.toml`, refusals, what a resumed run may be told, and the command that does it
//! again come from that.

mod comparing;
mod declared;
mod kinds;
mod measuring;
mod project;
mod readers;
mod selection;
mod shown;

pub use comparing::{Comparing, Revising};
pub use declared::{Declared, Given, Holds, Options, Says, Task, name_of};
pub use kinds::{Cpus, LaneCount, Measure, MemoryMode, Scheduler, Shard};
pub use measuring::{Keeping, Measuring};
pub use project::OfProject;
pub use readers::{as_percentage, session as session_name};
pub use selection::Selection;
pub use shown::{Detail, Telling};
