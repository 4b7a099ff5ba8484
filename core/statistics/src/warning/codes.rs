//! All warnings: the cause of each, its effect on the figures, and the remedy.
//!
//! A new one is an entry here; `docs/warnings.md` has the same list, and a test holds the two equal.

use super::entry::{Severity, Subject, WarningEntry};

macro_rules! codes {
    ($($name:ident: $code:literal, $about:ident, $severity:ident, $cause:literal, $effect:literal, $remedy:literal;)*) => {
        /// What a warning is about, by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum WarningCode {
            $(#[doc = $cause] $name,)*
        }

        impl WarningCode {
            /// All, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// What is known of it.
            pub const fn entry(self) -> WarningEntry {
                match self {
                    $(Self::$name => WarningEntry {
                        code: $code,
                        about: Subject::$about,
                        severity: Severity::$severity,
                        cause: $cause,
                        effect: $effect,
                        remedy: $remedy,
                    },)*
                }
            }
        }
    };
}

codes! {
    FewLaunches: "few-launches", Samples, Doubt,
        "under six launches were made",
        "the scatter between launches is hardly known; the interval assumes a normal distribution",
        "more launches (--launches 6 or more)";
    OneProcess: "one-process", Samples, Doubt,
        "a file of another tool holds one process",
        "the interval covers only the scatter within that process",
        "let the tool measure in 6 processes or more, or measure with `tare run`";
    NoInterval: "no-interval", Samples, Doubt,
        "a file of another tool states no error of the time",
        "the time has no interval, and comparisons with it have no ratio",
        "let the tool repeat the benchmark in several processes and keep each result";
    BelowResolution: "below-resolution", Samples, Doubt,
        "the interval of the time holds 0",
        "the subject takes no longer than an empty one, or launches differ by more than it takes; only an upper bound of its time is known",
        "use the result of the work; give each call more to do; measure longer (--budget)";
    Negative: "negative", Samples, Doubt,
        "the whole interval lies below 0",
        "the subject takes less than an empty one: more was subtracted than its own loop and call take",
        "treat the code as too fast to measure; measure again on a quieter machine";
    Nonlinear: "nonlinear", Samples, Doubt,
        "twice the calls don't take twice the time",
        "the time depends on how many calls a sample has",
        "reset the subject's state before each sample, or fix the calls (--calls)";
    Drift: "drift", Samples, Doubt,
        "the machine got steadily faster or slower over the launches",
        "the interval is widened for it",
        "let the machine settle, and measure again";
    Multimodal: "multimodal", Samples, Note,
        "samples cluster around more than one value",
        "the time is the mean of all samples",
        "look at the distribution as well";
    WarmsUp: "warms-up", Samples, Note,
        "most launches begin slower than they go on",
        "the slow start is left out",
        "make launches longer (--budget)";
    SlowsDown: "slows-down", Samples, Doubt,
        "most launches get slower as they go on",
        "the time depends on how long a launch is",
        "reset the subject's state before each sample";
    NeverSettles: "never-settles", Samples, Doubt,
        "most launches never reach a steady state",
        "one number says little",
        "read the distribution; launches that last longer may settle (--launches 6 --budget 10s)";
    ColdTurns: "cold-turns", Samples, Doubt,
        "the first sample of a turn is slower than the others",
        "the mean is too high by that",
        "measure the case alone (--filter, and one --runtime)";
    LaunchSpread: "launch-spread", Samples, Note,
        "launches of the same code differ",
        "the interval includes it; a single process tells little",
        "make more launches (--launches); more samples don't help";
    Outliers: "outliers", Samples, Doubt,
        "many samples lie far outside the rest",
        "they raise the mean; they may come from the code or from other processes",
        "end other programs on this core, or use another core (--cpus)";
    FirstCalls: "first-calls", Samples, Note,
        "each sample has a fixed cost besides its calls: a set-up, or slow first calls",
        "Tare subtracts it",
        "nothing to do";
    SingleCall: "single-call", Samples, Doubt,
        "a sample is one call, so it includes the clock's own time",
        "the cost of the clock or of a first call stays in the time or in its distribution",
        "take more calls in a sample (--calls)";
    Prints: "prints", Samples, Doubt,
        "the code prints while it is measured",
        "the time includes the cost of printing",
        "don't print in the subject";
    PrecisionNotReached: "precision-not-reached", Samples, Note,
        "the interval is wider than --precision asked for",
        "the interval is valid, but wide",
        "measure longer (--budget), or accept a wider --precision";
    MemoryNotWeighed: "memory-not-weighed", Samples, Void,
        "a launch that measures memory failed",
        "there is no figure of memory; times are valid",
        "read the failure and repair its cause";
    InstructionsNotCounted: "instructions-not-counted", Samples, Void,
        "a launch that counts instructions failed",
        "there is no figure of instructions; times are valid",
        "see what `tare profile --tool callgrind` says";
    BaseBelowResolution: "base-below-resolution", Comparison, Void,
        "the interval of the base's time holds 0",
        "there is no ratio to it",
        "let the subject do more work in a call";
    CandidateBelowResolution: "candidate-below-resolution", Comparison, Void,
        "the interval of the candidate's time holds 0",
        "there is no ratio",
        "let the subject do more work in a call";
    NotMeasured: "not-measured", Comparison, Void,
        "no launch measured both sides",
        "there is no ratio",
        "read the failure and repair its cause";
    BaseSkipped: "base-skipped", Comparison, Void,
        "the base skipped itself, or wasn't measured",
        "there is no ratio",
        "let it run on both sides, or leave it out (--exclude)";
    CandidateSkipped: "candidate-skipped", Comparison, Void,
        "the candidate skipped itself, or wasn't measured",
        "there is no ratio",
        "let it run on both sides, or leave it out (--exclude)";
    FewPairs: "few-pairs", Comparison, Void,
        "too few pairs of launches were made",
        "the error of the ratio isn't known",
        "more launches (--launches)";
    FewMachines: "few-machines", Comparison, Void,
        "fewer than two machines have a ratio",
        "the difference between machines isn't known",
        "read why the other machines have none, or measure on more machines";
    Heterogeneous: "heterogeneous", Comparison, Void,
        "the effect isn't the same on all kinds of machines",
        "there is no ratio over all of them, only one for each kind",
        "decide for the machines that the code runs on";
    Interrupted: "interrupted", Comparison, Void,
        "measuring was interrupted",
        "there are too few pairs for a verdict",
        "continue it (`tare run --resume`)";
    NotConfirmed: "not-confirmed", Comparison, Open,
        "the first measurement shows a difference, and the second doesn't confirm it",
        "there is no verdict of a difference",
        "measure again on a quieter machine, or longer (--budget, --duration)";
    ControlDiffers: "control-differs", Comparison, Open,
        "the base differed from itself as well",
        "there is no verdict of a difference, since the machine causes one by itself",
        "measure again on a quieter machine";
    CodeMoved: "code-moved", Comparison, Open,
        "both builds have the same machine code, at another offset in a cache line",
        "there is no verdict of a difference, since the offset causes it",
        "build both sides with -falign-functions=64";
    MeansDiffer: "means-differ", Comparison, Open,
        "typical calls and the mean of all calls show different results",
        "the mean decides, and its interval is too wide",
        "measure longer (--budget); --about typical judges undisturbed calls alone";
    MeanUncertain: "mean-uncertain", Comparison, Open,
        "typical calls show a difference, but the mean of all calls may differ the other way by 2 % or more",
        "there is no verdict, since rare slow calls may outweigh the difference",
        "measure longer (--budget), or judge typical calls alone (--about typical)";
    AlwaysInterrupted: "always-interrupted", Comparison, Doubt,
        "other processes interrupted nearly every sample of one side",
        "the time of an undisturbed call isn't known, so the mean alone decides",
        "measure on a quieter machine";
    Layout: "layout", Comparison, Doubt,
        "two builds of the same code may differ as much, because the linker places it differently",
        "the difference is real for these two builds; the next build may not have it",
        "measure with other layouts (-falign-functions=64; Go's -ldflags=-randlayout=N); count work (--work)";
    NoiseFloor: "noise-floor", Comparison, Doubt,
        "identical code differed by more than the margin",
        "the machine may cause differences of this size",
        "make the machine quieter (`tare doctor`), or set a larger --margin";
    PoliciesDiffer: "policies-differ", Stored, Void,
        "the runs subtracted the overhead by different rules",
        "there is no ratio",
        "measure both with one version";
    MachinesDiffer: "machines-differ", Stored, Void,
        "the runs come from machines of different classes",
        "there is no ratio",
        "measure both on one machine";
    NoLaunches: "no-launches", Stored, Void,
        "a run has no finished launch of the case",
        "there is no ratio",
        "measure it, or choose another run";
    NoKernels: "no-kernels", Stored, Void,
        "the runs have no reference kernel in common",
        "a change of the machine's speed would look like a change of the code",
        "measure both again, or compare them live";
    SamplesDiffer: "samples-differ", Stored, Open,
        "the runs made very different numbers of calls a sample",
        "there is no verdict of a difference",
        "compare the two live, or fix the calls (--calls)";
    LittleHistory: "little-history", Stored, Doubt,
        "few other stored runs of the case are comparable",
        "the spread between runs is assumed, not measured",
        "keep more runs, or compare the two live";
    Levels: "levels", Stored, Doubt,
        "the times of earlier runs lie on levels that commits don't explain or that came back",
        "the interval is wider, since runs of the same code may lie that far apart",
        "compare the two live";
    SpeedDiffers: "speed-differs", Stored, Doubt,
        "the reference kernels (fixed functions) took different times in the two runs",
        "the machine's speed has changed",
        "check frequency scaling and load, or compare the two live";
    Imported: "imported", Stored, Open,
        "both runs were measured by another tool",
        "a change of the machine would look like a change of the code, so there is no verdict",
        "measure both sides with `tare compare`";
    ToolsDiffer: "tools-differ", Stored, Void,
        "the runs were measured by different tools",
        "there is no ratio, since each tool defines the time of a call differently",
        "compare runs of one tool, or measure both sides with `tare compare`";
    Failures: "failures", Load, Doubt,
        "some requests or operations failed",
        "throughput and latencies are those of successful requests alone",
        "repair that first";
    RateNotKept: "rate-not-kept", Load, Doubt,
        "requests or operations began later than planned, or never",
        "latencies include the wait of requests that began late",
        "lower the rate, or use more connections or workers";
    Connections: "connections", Load, Doubt,
        "some connections failed before the start",
        "fewer connections than requested carried the load",
        "check the server's limit on connections, and this process's limit on open files (ulimit -n)";
    ConnectionsKept: "connections-kept", Load, Doubt,
        "there were too many connections to reconnect between rounds",
        "each connection stayed with one thread and CPU of the server, so intervals leave out the effect of that placement",
        "repeat the load, or compare with fewer connections (-c)";
    SlowConnections: "slow-connections", Load, Doubt,
        "reconnecting between rounds took much of the load's time",
        "no figure includes the time to connect, which a client that connects for each request waits for",
        "give the server a longer backlog, or use fewer connections (-c)";
    ClientSaturated: "client-saturated", Load, Doubt,
        "the client had no CPU to spare",
        "the target may be faster than measured, and differences look smaller",
        "leave the client a CPU of its own, or measure from another machine";
    GeneratorBehind: "generator-behind", Load, Doubt,
        "one of several generators didn't keep up with its share",
        "the generator causes a part of the delays, not the target",
        "end other programs on its machine, or use more generators";
    ShortLoad: "short-load", Load, Doubt,
        "the workers worked together for a very short time",
        "the difference between their starts is a large part of that time",
        "more operations (--operations), or a --duration";
    WorkerFellOut: "worker-fell-out", Load, Doubt,
        "a worker failed while others went on",
        "the throughput is the sum of what all workers did, not scaled up",
        "read the failure and repair its cause";
    NoSuccess: "no-success", Load, Doubt,
        "a worker had no success",
        "the throughput is that of the other workers",
        "read the failures by kind";
    StoppedAnswering: "stopped-answering", Load, Doubt,
        "a target stopped answering and didn't come back",
        "throughput covers the whole time, latencies only the time in which it answered",
        "find out why it ended";
    StoodStill: "stood-still", Load, Doubt,
        "in some seconds every request failed",
        "the target served nothing in those seconds, even if the failures are few",
        "read the failure and repair its cause";
    ServerEnded: "server-ended", Load, Doubt,
        "the load ended before its time",
        "the report shows the time before the end",
        "find out why it ended";
    OneProcessEach: "one-process-each", Load, Doubt,
        "one process of each server was under load",
        "another start of the same code can be faster or slower; the intervals include that",
        "let tare start them (--start)";
    AnswersDiffer: "answers-differ", Load, Doubt,
        "a candidate's answers differ from those of the base",
        "the two may do different work",
        "compare an answer of each";
    ShortTurns: "short-turns", Load, Void,
        "a turn held too few operations of each connection or worker",
        "Tare can't compare turns",
        "measure longer (--duration)";
    FewRounds: "few-rounds", Load, Void,
        "too few rounds of turns were made",
        "there is no verdict",
        "measure longer (--duration)";
    SilentRounds: "silent-rounds", Load, Open,
        "in some rounds one side had too few successes",
        "there is no verdict of a difference, since the comparison leaves these rounds out",
        "read the failures; measure longer (--duration)";
    RoundsDisagree: "rounds-disagree", Load, Open,
        "most rounds show one result, and all rounds together show another",
        "there is no verdict of a difference, since a few rounds lie far from the rest",
        "look at the course by second; measure longer (--duration)";
    FewLoads: "few-loads", Load, Open,
        "the difference between two stored loads of the same code isn't known",
        "there is no verdict of a difference",
        "store several loads under one tag (--tag), or compare both in one load, where they take turns";
}
