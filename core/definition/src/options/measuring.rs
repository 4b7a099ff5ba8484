//! How to measure.

use std::time::Duration;

use tare_samples::Calls;

use super::declared::options;
use super::kinds::{Cpus, LaneCount, MemoryMode, Scheduler, Shard};
use super::readers::{calls, clock, cpus, duration, flag, launches, memory, precision, samples, seed};

options! {
    /// How and where to measure.
    struct Measuring {
        /// Launches (fresh processes) of each variant
        #[arg(long, value_name = "N", value_parser = launches)]
        launches: Option<u32> [How: Measure | "run.launches" by launches],
        /// Samples in each launch
        #[arg(long, value_name = "N", value_parser = samples)]
        samples: Option<u64> [How: Measure | "run.samples" by samples],
        /// Calls in each sample: a number, 0 for one call without a loop, or auto. With a list Tare measures each number, side by side
        #[arg(long, visible_alias = "revs", value_name = "N|auto[,…]", value_delimiter = ',', value_parser = calls)]
        calls: Vec<Calls> [How: Measure | "run.calls" by calls],
        /// Let all cases take turns, milliseconds apart, so that they can be compared with each other on a noisy machine. For a handful of cases,
        /// since each needs a process at the same time
        #[arg(long)]
        interleave: bool [How: Measure],
        /// Time for each variant (default 2s) or each comparison (default 4s, of bisect 15s), all launches together
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        budget: Option<Duration> [How: Measure Exec Bisect | "run.budget" by duration],
        /// Stop when half the interval's width is at most this part of the time
        #[arg(long, value_name = "PERCENT", value_parser = precision)]
        precision: Option<f64> [How: Measure Exec | "run.precision" by precision],
        /// Time for the whole suite, instead of for each comparison. Tare leaves out comparisons for which the time doesn't suffice
        #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with_all = ["budget", "launches"])]
        total: Option<Duration> [How: Measure Exec],
        /// How many cases to measure at once, each on a core of its own. auto: on half of the CPUs, and on fewer if they disturb each other. Default:
        /// auto for comparisons, else 1
        #[arg(long, value_name = "N|auto")]
        lanes: Option<LaneCount> [How: Measure],
        /// Measure one part of the suite, as 2/5 for the second of five. Parts take about equally long, by earlier runs. `tare merge` joins them to one run
        #[arg(long, value_name = "I/N")]
        shard: Option<Shard> [Which: Measure],
        /// The worker's clock, such as microtime in PHP, process_time_ns in Python, tsc in C++
        #[arg(long, value_name = "NAME", value_parser = clock)]
        clock: Option<String> [How: Measure Bisect | "run.clock" by clock],
        /// CPUs for the workers, as 1 or 0,2-3; default: one CPU; Tare itself stays on the others
        #[arg(long, value_name = "LIST", value_parser = cpus)]
        cpus: Option<Cpus> [How: Measure Exec CompareServers Bisect | "run.cpus" by cpus],
        /// Seed of every random choice; default: drawn, and recorded with the run
        #[arg(long, value_name = "N", value_parser = seed)]
        seed: Option<u64> [How: Measure Exec CompareServers Bisect | "run.seed" by seed],
        /// Measure memory as well, in ten more launches of each variant: what the subject adds to the process, and what the
        /// runtime reports. `traced` also uses Python's tracemalloc
        #[arg(long, value_name = "traced", num_args = 0..=1, default_missing_value = "weighed", require_equals = true, value_parser = memory)]
        memory: Option<MemoryMode> [How: Measure],
        /// Count work as well: the instructions that a call executes, by valgrind, in launches of their own. Not a time, but a figure that is the
        /// same on a busy machine; comparisons get a second verdict of it. Without valgrind Tare prints a message and leaves it out
        #[arg(long)]
        work: bool [How: Measure Exec | "compare.work" by flag],
        /// Take each sample in a process of its own, as PHPBench does; for benchmarks whose samples influence the next one
        #[arg(long)]
        isolate: bool [How: Measure],
        /// Measure on the nodes of a cluster, each part of the suite on its own node, as `[fleet]` in tare.toml configures it
        #[arg(long, value_name = "slurm", conflicts_with = "shard")]
        on: Option<Scheduler> [Kept: Measure],
        /// With --on: measure the whole suite on each of N nodes, and judge all results together
        #[arg(long, value_name = "N", requires = "on", value_parser = clap::value_parser!(u32).range(2..=1000))]
        replicate: Option<u32> [Kept: Measure],
    }
}

options! {
    /// Where the run is stored, and under which name.
    struct Keeping {
        /// A name (tag) for the run, to find it later; may be given several times
        #[arg(long, value_name = "TAG")]
        tag: Vec<String> [Kept: Measure Exec CompareServers],
        /// Don't store the run
        #[arg(long)]
        no_store: bool [Kept: Measure Exec CompareServers],
    }
}
