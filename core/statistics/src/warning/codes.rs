//! All warnings that there are: what each says, what it means for the figures, and what to do.
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
        "how launches scatter is hardly known, and the interval supposes it",
        "more launches (--launches 6 or more)";
    OneProcess: "one-process", Samples, Doubt,
        "a file of another tool holds one process",
        "the interval holds only what scatters within it",
        "let the tool measure in 6 processes or more, or measure with `tare run`";
    NoInterval: "no-interval", Samples, Doubt,
        "a file of another tool doesn't say how far the time may be off",
        "there is a time without an interval, and no ratio to it",
        "let the tool repeat the benchmark in several processes and keep each result";
    BelowResolution: "below-resolution", Samples, Doubt,
        "the interval of the time holds 0",
        "the subject weighs as much as an empty one, or launches differ by more than it takes: of its time only an upper bound is known",
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
        "the time is the mean of all of them",
        "look at the distribution, too";
    WarmsUp: "warms-up", Samples, Note,
        "most launches begin slower than they go on",
        "the slow start is left out",
        "longer launches have more of the steady part (--budget)";
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
        "the mean is that much longer",
        "measure the case alone (--filter, and one --runtime)";
    LaunchSpread: "launch-spread", Samples, Note,
        "launches differ from each other",
        "the interval holds it; one process by itself says little",
        "more launches narrow the interval, more samples don't";
    Outliers: "outliers", Samples, Doubt,
        "many samples lie far outside the rest",
        "they make the mean longer, and whether the code or other processes made them isn't known",
        "close what else runs on this core, or pin to another (--cpus)";
    FirstCalls: "first-calls", Samples, Note,
        "each sample takes something beside its calls",
        "it is taken off",
        "nothing to do";
    SingleCall: "single-call", Samples, Doubt,
        "a sample is one call, and the clock is a part of it",
        "what the clock or a first call takes stays in the time or in its distribution",
        "more calls a sample (--calls)";
    Prints: "prints", Samples, Doubt,
        "the code prints while it is measured",
        "what that costs is in the time",
        "keep it out of the subject";
    PrecisionNotReached: "precision-not-reached", Samples, Note,
        "the interval is wider than --precision asked for",
        "the interval holds all the same",
        "more time (--budget), or a wider --precision";
    MemoryNotWeighed: "memory-not-weighed", Samples, Void,
        "a launch that weighs memory failed",
        "there is no figure of its memory; times are good",
        "see why it failed";
    InstructionsNotCounted: "instructions-not-counted", Samples, Void,
        "a launch that counts instructions failed",
        "there is no figure of its instructions; times are good",
        "see what `tare profile --tool callgrind` says";
    BaseBelowResolution: "base-below-resolution", Comparison, Void,
        "the base's time can't be told from 0",
        "there is no ratio to it",
        "let the subject do more work in a call";
    CandidateBelowResolution: "candidate-below-resolution", Comparison, Void,
        "the candidate's time can't be told from 0",
        "there is no ratio",
        "let the subject do more work in a call";
    NotMeasured: "not-measured", Comparison, Void,
        "there is no launch in which both were measured",
        "there is no ratio",
        "see why it failed";
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
        "their spread says nothing of the error",
        "more launches (--launches)";
    FewMachines: "few-machines", Comparison, Void,
        "under two of the machines have a ratio",
        "what differs from machine to machine isn't known",
        "see why the others have none, or measure on more machines";
    Heterogeneous: "heterogeneous", Comparison, Void,
        "the effect isn't the same on all kinds of machines",
        "there is no ratio over all of them, only one for each kind",
        "decide for the machines that the code runs on";
    Interrupted: "interrupted", Comparison, Void,
        "measuring was interrupted",
        "too few pairs are there for a verdict",
        "go on with it (`tare run --resume`)";
    NotConfirmed: "not-confirmed", Comparison, Open,
        "a difference was seen, and not seen clearly enough a second time",
        "there is no verdict of a difference",
        "measure again on a quieter machine, or longer (--budget, --duration)";
    ControlDiffers: "control-differs", Comparison, Open,
        "the base differed from itself as well",
        "there is no verdict of a difference: the machine made one",
        "measure again on a quieter machine";
    CodeMoved: "code-moved", Comparison, Open,
        "the machine code is the same in both builds and only begins elsewhere in a line of the cache",
        "there is no verdict of a difference: the place in memory made it",
        "build both sides with -falign-functions=64";
    MeansDiffer: "means-differ", Comparison, Open,
        "typical calls show one result, calls on average another",
        "the average decides, and isn't known well enough",
        "measure longer (--budget); --about typical judges undisturbed calls alone";
    MeanUnbounded: "mean-unbounded", Comparison, Open,
        "typical calls show a difference, and calls on average may differ the other way by 2 % or more",
        "there is no verdict, though typical calls alone would give one",
        "measure longer (--budget), or on a quieter machine";
    NeverSpared: "never-spared", Comparison, Doubt,
        "other processes interrupted nearly every sample of one side",
        "what undisturbed calls take isn't known, and calls on average decide alone",
        "measure on a quieter machine";
    Layout: "layout", Comparison, Doubt,
        "two builds of one code may differ as much, by where the linker puts it",
        "the difference is real for these two builds, and need not come back with the next one",
        "see whether it stays with other layouts (-falign-functions=64; Go's -ldflags=-randlayout=N); count --instructions";
    NoiseFloor: "noise-floor", Comparison, Doubt,
        "identical code differed by more than the margin",
        "differences of this size may be the machine's",
        "quieten the machine (`tare doctor`), or ask for a margin above it";
    PoliciesDiffer: "policies-differ", Stored, Void,
        "the runs were corrected by different rules",
        "there is no ratio: what was taken off isn't the same",
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
        "the machine's speed then and now can't be told from the code's",
        "measure both again, or compare them live";
    SamplesDiffer: "samples-differ", Stored, Open,
        "the runs made very different numbers of calls a sample",
        "there is no verdict of a difference",
        "compare the two live, or fix the calls (--calls)";
    LittleHistory: "little-history", Stored, Doubt,
        "few other runs of the case can be compared with these",
        "the spread between runs is supposed, not seen",
        "keep more runs, or compare the two live";
    Levels: "levels", Stored, Doubt,
        "earlier runs lie on levels that commits don't explain or that came back",
        "the interval is so much wider",
        "compare the two live";
    SpeedDiffers: "speed-differs", Stored, Doubt,
        "the reference kernels took another time in each run",
        "it is hardly the same machine",
        "check frequency scaling and load, or compare the two live";
    Imported: "imported", Stored, Open,
        "both runs were measured by another tool",
        "nothing tells what the machine did between them from what the code did: there is no verdict",
        "measure both sides with `tare compare`";
    ToolsDiffer: "tools-differ", Stored, Void,
        "the runs were measured by different tools",
        "there is no ratio: what each takes for the time of a call isn't the same",
        "compare runs of one tool, or measure both sides with `tare compare`";
    Failures: "failures", Load, Doubt,
        "some requests or operations failed",
        "throughput and latencies are those of the others",
        "mend that first";
    RateNotKept: "rate-not-kept", Load, Doubt,
        "requests or operations began late, or never",
        "latencies hold the wait of those that began",
        "lower the rate, or take more connections or workers";
    Connections: "connections", Load, Doubt,
        "not all connections could be made before the start",
        "fewer than asked for carried the load",
        "see how many the server takes, and how many descriptors this process may have";
    ConnectionsKept: "connections-kept", Load, Doubt,
        "there were too many connections to make them anew between rounds",
        "which of a server's threads and CPUs they fell to stayed as it was, and isn't in the intervals",
        "repeat the load, or compare with fewer connections (-c)";
    SlowConnections: "slow-connections", Load, Doubt,
        "making connections anew between rounds took much of the load's time",
        "what connecting takes is in no figure, though a client that connects for each request waits for it",
        "give the server a longer backlog, or take fewer connections (-c)";
    ClientSaturated: "client-saturated", Load, Doubt,
        "the client had no CPU to spare",
        "a target may do more than it shows, and differences look smaller",
        "leave the client a CPU of its own, or measure from another machine";
    GeneratorBehind: "generator-behind", Load, Doubt,
        "a generator of several didn't keep up with its part",
        "a part of what is late or slow is its doing, and not the target's",
        "see what else runs there, or share the load among more generators";
    ShortLoad: "short-load", Load, Doubt,
        "the workers were at work together for a very short time",
        "that they don't begin within the same microsecond is a part of it",
        "more operations (--operations), or a --duration";
    WorkerFellOut: "worker-fell-out", Load, Doubt,
        "a worker failed while others went on",
        "the throughput is what all did together, not scaled up",
        "see why it failed";
    NoSuccess: "no-success", Load, Doubt,
        "a worker had no success",
        "the throughput is that of the others",
        "see the failures by kind";
    StoppedAnswering: "stopped-answering", Load, Doubt,
        "a target stopped answering and didn't come back",
        "throughput is of the whole time, latencies of the time in which it answered",
        "see why it ended";
    StoodStill: "stood-still", Load, Doubt,
        "in some seconds all failed",
        "nothing was served in them, however few the failures are",
        "see why it failed";
    ServerEnded: "server-ended", Load, Doubt,
        "the load ended before its time",
        "what was measured before is shown",
        "see why it ended";
    OneProcessEach: "one-process-each", Load, Doubt,
        "one process of each server was under load",
        "another start of the same code can be quicker or slower; the intervals hold that",
        "let tare start them (--start)";
    AnswersDiffer: "answers-differ", Load, Doubt,
        "a candidate answers otherwise than what it is compared with",
        "what is compared may not be the same work",
        "see whether both do the same";
    ShortTurns: "short-turns", Load, Void,
        "a turn held too few operations of each connection or worker",
        "turns can't be compared",
        "measure longer (--duration)";
    FewRounds: "few-rounds", Load, Void,
        "too few rounds of turns were made",
        "there is no verdict",
        "measure longer (--duration)";
    SilentRounds: "silent-rounds", Load, Open,
        "in some rounds one of the two had too few successes",
        "rounds with successes alone don't say how the two differ",
        "see what fails or stands still; measure longer (--duration)";
    RoundsDisagree: "rounds-disagree", Load, Open,
        "most rounds show one result, all rounds together another",
        "there is no verdict of a difference: some rounds are far off",
        "see the course by second; measure longer (--duration)";
    FewLoads: "few-loads", Load, Open,
        "how far two stored loads of the same code lie apart isn't known",
        "there is no verdict of a difference",
        "store several loads under one tag (--tag), or put both under one load, where they take turns";
}
