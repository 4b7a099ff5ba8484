//! How to measure.

use std::time::Duration;

use tare_samples::Calls;

use super::declared::options;
use super::kinds::{Cpus, LaneCount, MemoryMode, Scheduler, Shard};
use super::readers::{calls, clock, cpus, duration, launches, memory, precision, samples, seed};

options! {
    /// How and where to measure.
    struct Measuring {
        /// Launches (fresh processes) of each variant
        #[arg(long, value_name = "N", value_parser = launches)]
        launches: Option<u32> [How: Measure | "run.launches" by launches],
        /// Samples in each launch
        #[arg(long, value_name = "N", value_parser = samples)]
        samples: Option<u64> [How: Measure | "run.samples" by samples],
        /// Calls in each sample: a number, 0 for one bare call without a loop, or auto; a list measures each, side by side
        #[arg(long, visible_alias = "revs", value_name = "N|auto[,…]", value_delimiter = ',', value_parser = calls)]
        calls: Vec<Calls> [How: Measure | "run.calls" by calls],
        /// Let all cases take their turns in the same rounds, as variants of one case do: their ratios then hold on a noisy
        /// machine too. For a handful of cases: each needs a process at the same time
        #[arg(long)]
        interleave: bool [How: Measure],
        /// Time for each variant, all its launches together; for each comparison, where variants are compared
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        budget: Option<Duration> [How: Measure | "run.budget" by duration],
        /// Stop when the interval is this narrow: half its width as a part of the time
        #[arg(long, value_name = "PERCENT", value_parser = precision)]
        precision: Option<f64> [How: Measure | "run.precision" by precision],
        /// Time for the whole suite, instead of for each comparison: measuring ends with it, and comparisons that there is no time for aren't measured
        #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with_all = ["budget", "launches"])]
        total: Option<Duration> [How: Measure],
        /// How many cases are measured at once, each on a core of its own; auto: as many as give the narrowest results, by a look at the machine of half a
        /// second. Default: auto where variants are compared, else 1
        #[arg(long, value_name = "N|auto")]
        lanes: Option<LaneCount> [How: Measure],
        /// Measure one of several parts of the suite, as 2/5, divided by how long cases took before; `tare merge` makes one run of them
        #[arg(long, value_name = "I/N")]
        shard: Option<Shard> [Which: Measure],
        /// The worker's clock, such as microtime in PHP, process_time_ns in Python, tsc in C++
        #[arg(long, value_name = "NAME", value_parser = clock)]
        clock: Option<String> [How: Measure | "run.clock" by clock],
        /// CPUs for the workers, as 1 or 0,2-3; default: one CPU, the core of tare staying on the others
        #[arg(long, value_name = "LIST", value_parser = cpus)]
        cpus: Option<Cpus> [How: Measure CompareServers | "run.cpus" by cpus],
        /// Seed of every random choice; default: drawn, and recorded with the run
        #[arg(long, value_name = "N", value_parser = seed)]
        seed: Option<u64> [How: Measure CompareServers | "run.seed" by seed],
        /// Weigh memory as well, in ten launches of their own for each variant: what the subject adds to the process, and by the
        /// runtime's account. `traced`: with Python's tracemalloc, too
        #[arg(long, value_name = "traced", num_args = 0..=1, default_missing_value = "weighed", require_equals = true, value_parser = memory)]
        memory: Option<MemoryMode> [How: Measure],
        /// Count instructions as well, by valgrind, in five launches of their own for each variant: no time, but a figure that repeats
        /// itself on a busy machine. Not of Go; left out, with a message, where there is no valgrind
        #[arg(long)]
        instructions: bool [How: Measure],
        /// Take each sample in a process of its own, as PHPBench does, where a benchmark leaves something behind that the next sample stumbles over
        #[arg(long)]
        isolate: bool [How: Measure],
        /// Measure on the nodes of a cluster: each part of the suite on a node of its own, as `[fleet]` in tare.toml says
        #[arg(long, value_name = "slurm", conflicts_with = "shard")]
        on: Option<Scheduler> [Kept: Measure],
        /// With --on: measure all of it on each of N nodes, and judge it over all of them
        #[arg(long, value_name = "N", requires = "on", value_parser = clap::value_parser!(u32).range(2..=1000))]
        replicate: Option<u32> [Kept: Measure],
    }
}

options! {
    /// Where it is kept, and by which name.
    struct Keeping {
        /// A name for the run, to find it again; may be given several times
        #[arg(long, value_name = "TAG")]
        tag: Vec<String> [Kept: Measure CompareServers],
        /// Don't store the run
        #[arg(long)]
        no_store: bool [Kept: Measure CompareServers],
    }
}
