//! Keys of `tare.toml` that no option has: they say of a project what is so each time. No command line has these; they are declared as options
//! are, so that the reference has their help.

use std::time::Duration;

use super::declared::options;
use super::readers::{build, duration};

options! {
    /// What only `tare.toml` says.
    struct OfProject {
        /// The shell command that builds the files in `paths`; it runs at the project's root, before Tare looks for benchmarks
        #[arg(long)]
        build: Option<String> [How: Measure | "run.build" by build],
        /// The time limit for `prepare`
        #[arg(long, value_parser = duration)]
        prepare_timeout: Option<Duration> [How: Measure CompareServers | "compare.prepare-timeout" by duration],
        /// Measuring time for each comparison
        #[arg(long, value_parser = duration)]
        comparison_budget: Option<Duration> [How: Measure | "compare.budget" by duration],
    }
}
