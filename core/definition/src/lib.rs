//! What the user wrote, checked: `tare.toml`, `phpbench.json`, the arguments that name runtimes, and the files that
//! hold benchmarks.
//!
//! The flow is text → raw (what a file may say) → checked (what the rest of Tare may rely on). Files are
//! read; no process is started and no clock is read. Every error says what is wrong, in which file and line, and what to do.

mod assertion;
mod discovery;
mod error;
mod filter;
mod gate;
mod options;
mod pattern;
mod phpbench;
mod project;
mod quantity;
mod runtime;
mod settings;

pub use assertion::{Aggregate, Assertion, Figure, LONGEST_ASSERTION, Metric, Side, Truth};
pub use discovery::{Source, discover_from, is_source_name, is_workspace};
pub use error::{ArgumentError, DefinitionError, SourceLine};
pub use filter::Filter;
pub use gate::{FailOn, Limit, parse_fail_on};
pub use options::{
    Comparing, Cpus, Declared, Detail, Given, Holds, Keeping, LaneCount, Measure, Measuring, MemoryMode, OfProject,
    Options, Revising, Says, Scheduler, Selection, Shard, Task, Telling, as_percentage, name_of, session_name,
};
pub use phpbench::{Phpbench, instead_of_phpbench_option};
pub use project::{PhpbenchChoice, Project};
pub use quantity::{
    parse_about, parse_calls, parse_duration, parse_increase, parse_margin, parse_percentage, parse_size, parse_time,
};
pub use runtime::RuntimeDefinition;
pub use settings::{FleetSettings, SameCases, Settings};
pub use tare_languages::Language;
