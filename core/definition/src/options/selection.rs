//! Which cases, on which runtimes.

use std::path::PathBuf;
use std::time::Duration;

use super::declared::options;
use super::readers::{duration, path};

options! {
    /// Which cases, on which runtimes.
    struct Selection {
        /// Files, folders (searched for benchmarks) and built C++ programs. Default: the paths of tare.toml or
        /// phpbench.json
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf> [Which: Measure Bisect | "run.paths" by path],
        /// Only cases whose `Class::method#parameters` matches; may be given several times
        #[arg(long, value_name = "REGEX")]
        filter: Vec<String> [Which: Measure CompareRuns],
        /// Leave out cases whose `Class::method#parameters` matches, even if --filter matches them; may be given several times
        #[arg(long, value_name = "REGEX")]
        exclude: Vec<String> [Which: Measure CompareRuns],
        /// Only cases of this group; may be given several times
        #[arg(long, value_name = "GROUP")]
        group: Vec<String> [Which: Measure CompareRuns],
        /// A runtime to measure on: `NAME=COMMAND`, a command, or a name from tare.toml. Of several the first is the base. Default: php,
        /// go, python3, as the sources need
        #[arg(long, value_name = "NAME=COMMAND")]
        runtime: Vec<String> [Which: Measure Bisect],
        /// The longest wait for one answer of a worker, or of a server
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        timeout: Option<Duration> [How: Measure Exec CompareServers Bisect | "run.timeout" by duration],
        /// A PHPBench configuration to use instead of phpbench.json; its relative paths start at its folder
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf> [Which: Measure],
        /// A profile of that configuration (`core.profiles`)
        #[arg(long, value_name = "NAME")]
        profile: Option<String> [Which: Measure],
        /// Print one JSON document and nothing else
        #[arg(long)]
        json: bool [Told: Measure Exec Resume CompareRuns CompareLoads CompareServers],
    }
}
