//! How it is told and shown.

use std::path::PathBuf;

use super::declared::options;

options! {
    /// What Tare shows while it measures.
    struct Telling {
        /// Append events to a file as they happen, one JSON object a line
        #[arg(long, value_name = "FILE")]
        events: Option<PathBuf> [Told: Measure Exec Resume CompareServers Bisect],
        /// If another measurement runs on this machine, exit with status 4 instead of waiting
        #[arg(long)]
        no_wait: bool [Told: Measure Exec Resume CompareServers Bisect],
    }
}

options! {
    /// What the report shows.
    struct Detail {
        /// Also show the time before overhead is subtracted
        #[arg(long)]
        raw: bool [Told: Measure Exec Resume CompareRuns],
        /// Show all figures, the parts of ±, and where the run's time went
        #[arg(long, short)]
        verbose: bool [Told: Measure Exec Resume CompareRuns CompareLoads CompareServers],
        /// Draw variants of one case as bars from 0, with their intervals
        #[arg(long)]
        chart: bool [Told: Measure Exec Resume CompareRuns CompareLoads CompareServers],
        /// Show a row for every comparison, even if 20 or more show no change
        #[arg(long)]
        all_rows: bool [Told: Measure Exec Resume CompareRuns],
    }
}
