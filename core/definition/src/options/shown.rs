//! How it is told and shown.

use std::path::PathBuf;

use super::declared::options;

options! {
    /// How it is told while it goes on.
    struct Telling {
        /// Append what happens to a file while it happens, as lines of JSON
        #[arg(long, value_name = "FILE")]
        events: Option<PathBuf> [Told: Measure Resume CompareServers],
        /// Don't wait while something else is measured on this machine: end with status 4
        #[arg(long)]
        no_wait: bool [Told: Measure Resume CompareServers],
    }
}

options! {
    /// How it is shown.
    struct Detail {
        /// Show the time before anything was taken off, too
        #[arg(long)]
        raw: bool [Told: Measure Resume CompareRuns],
        /// Show all figures, the uncertainty budget, and where the time went
        #[arg(long, short)]
        verbose: bool [Told: Measure Resume CompareRuns CompareLoads CompareServers],
        /// Draw variants of one case as bars from 0, with their intervals
        #[arg(long)]
        chart: bool [Told: Measure Resume CompareRuns CompareLoads CompareServers],
        /// Show a row for each comparison, also where nothing changed in 20 or more
        #[arg(long)]
        all_rows: bool [Told: Measure Resume CompareRuns],
    }
}
