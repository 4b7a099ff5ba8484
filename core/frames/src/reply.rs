use crate::clocks::{Readings, Waited};
use crate::operations::{OperationFrame, Slice, Worked};

/// What a worker answers (PROTOCOL §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The worker's first word.
    Hello(Hello),
    /// A case found while loading.
    Case(CaseFrame),
    /// Something the user should know; doesn't end a request.
    Notice(Notice),
    /// `load` is done.
    Loaded {
        /// Number of the request.
        id: u64,
        /// How many cases were sent.
        cases: u64,
        /// A process that is asked to can load beforehand what this source shares with others of its kind.
        prelude: bool,
    },
    /// `prepare` is done.
    Ready {
        /// Number of the request.
        id: u64,
        /// The case may pause its timer.
        pauses: bool,
        /// Something of the author's is done around samples, outside their time; `None` where the worker can't tell.
        hooks: Option<bool>,
        /// A copy of the process serves the case, and the process itself the next one.
        copied: bool,
    },
    /// `run` is done.
    Samples(Samples),
    /// `read` is done.
    Readings(Readings),
    /// `wait` is done.
    Waited(Waited),
    /// An operation found while listing them.
    Operation(OperationFrame),
    /// `operations` is done.
    Listed {
        /// Number of the request.
        id: u64,
        /// How many operations were sent.
        operations: u64,
    },
    /// `arrange` is done.
    Arranged {
        /// Number of the request.
        id: u64,
    },
    /// `connect` is done.
    Connected {
        /// Number of the request.
        id: u64,
    },
    /// `stamp` is done.
    Stamped {
        /// Number of the request.
        id: u64,
        /// Nanoseconds on the worker's clock, since a moment of its own.
        at: u64,
    },
    /// What ended of an operation in a slice of the work.
    Slice(Slice),
    /// `work` is done.
    Worked(Worked),
    /// `finish` is done.
    Finished(FinishedFrame),
    /// A request that ended without a result.
    Fault(Fault),
}

/// The worker introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Version of the protocol.
    pub wire: u64,
    /// `php`, `go`, …
    pub language: String,
    /// Version of the runtime.
    pub version: String,
    /// Version of the worker.
    pub sdk: String,
    /// Whether loop and dispatch add to the subject (`serial`) or may hide behind it (`overlapping`).
    pub overlapping: bool,
    /// Clocks, the default first.
    pub clocks: Vec<String>,
    /// Clocks that `read` reads; empty without the capability `clocks`.
    pub reads: Vec<String>,
    /// Calls that `wait` knows; likewise.
    pub waits: Vec<String>,
    /// Names of the reference kernels.
    pub kernels: Vec<String>,
    /// `pause`, `bare`, and what later versions add.
    pub capabilities: Vec<String>,
    /// Facts about the runtime, split at the first `=`.
    pub facts: Vec<(String, String)>,
}

/// A case as the worker enumerates it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CaseFrame {
    /// Number of the request.
    pub id: u64,
    /// Number of the case.
    pub case: u64,
    /// The subject's name.
    pub benchmark: String,
    /// Name of the parameter set.
    pub parameters: Option<String>,
    /// Names of the parameters; as long as `values`.
    pub names: Vec<String>,
    /// Their printed values.
    pub values: Vec<String>,
    /// File of the definition.
    pub file: Option<String>,
    /// Line of the definition.
    pub line: Option<u64>,
    /// Groups.
    pub groups: Vec<String>,
    /// Calls a sample, as the author wants.
    pub iterations: Option<u64>,
    /// Samples a launch, as the author wants.
    pub samples: Option<u64>,
    /// The longest that a request may take.
    pub timeout_ms: Option<u64>,
    /// Unit for display.
    pub unit: Option<String>,
    /// Leave it out, and why.
    pub skip: Option<String>,
    /// Others are compared with it.
    pub base: bool,
    /// It works with several threads at once.
    pub parallel: bool,
    /// What it asserts of its figures, in PHPBench's expression language.
    pub assertions: Vec<String>,
    /// Where its machine code begins in the executable, as linked; empty where the worker doesn't know.
    pub code: Vec<u64>,
}

/// How serious a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Something was ignored or may mislead.
    Warning,
    /// Something could not be loaded.
    Error,
}

/// Something the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Number of the request.
    pub id: u64,
    /// How serious.
    pub level: Level,
    /// What it is about; for errors as in a fault.
    pub kind: String,
    /// What happened.
    pub message: String,
    /// Where.
    pub file: Option<String>,
    /// Where.
    pub line: Option<u64>,
    /// What to do.
    pub remedy: Option<String>,
    /// The benchmark that it is about, named as in its cases.
    pub benchmark: Option<String>,
}

/// The result of a `run`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    /// Number of the request.
    pub id: u64,
    /// Elapsed nanoseconds of each sample.
    pub elapsed: Vec<u64>,
    /// `pause`/`resume` pairs in each sample; empty when all are 0.
    pub pauses: Vec<u64>,
    /// Allocations in each sample; only for the subject `allocations`, and as long as `allocated_bytes`.
    pub allocations: Vec<u64>,
    /// Their bytes.
    pub allocated_bytes: Vec<u64>,
    /// What the stretch from before the first timed sample to after the last one took; `None` where the worker can't tell.
    pub stretch: Option<Stretch>,
    /// How far the calls, untimed ones too, have brought the runtime's collector, in millionths of a collection: a million for each that ran, and what was
    /// gathered for the next. `None` where the worker can't tell.
    pub collector_ppm: Option<u64>,
}

/// What a stretch of a worker's time went into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stretch {
    /// Nanoseconds by the worker's monotonic clock.
    pub wall: u64,
    /// Nanoseconds of CPU time of the whole process, all threads.
    pub cpu: u64,
    /// How often the measuring thread gave the CPU up by itself.
    pub yields: u64,
}

/// The result of a `finish`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FinishedFrame {
    /// Number of the request.
    pub id: u64,
    /// Most memory in use by the runtime's own account since `ready`, in bytes; `None` where it can't count from there.
    pub runtime_peak_bytes: Option<u64>,
    /// Bytes that one call processes.
    pub bytes: Option<u64>,
    /// Items that one call processes.
    pub items: Option<u64>,
    /// Figures that the author reports: name, and the number as it stands on the wire.
    pub metrics: Vec<(String, String)>,
    /// What a reader must know of how it ran.
    pub labels: Vec<String>,
    /// The author asks to be told of allocations, even of none.
    pub allocations_asked: bool,
}

/// A request that ended without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Number of the request; `None` (−1 on the wire) where it can't be known.
    pub id: Option<u64>,
    /// Kind, as listed in PROTOCOL §4.
    pub kind: String,
    /// What happened.
    pub message: String,
    /// Where.
    pub file: Option<String>,
    /// Where.
    pub line: Option<u64>,
    /// What to do.
    pub remedy: Option<String>,
    /// Stack trace.
    pub trace: Option<String>,
}

impl Reply {
    /// The request that it belongs to; `None` for `hello` and for a fault that can't say.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Hello(_) => None,
            Self::Case(case) => Some(case.id),
            Self::Notice(notice) => Some(notice.id),
            Self::Loaded { id, .. }
            | Self::Ready { id, .. }
            | Self::Listed { id, .. }
            | Self::Arranged { id }
            | Self::Connected { id }
            | Self::Stamped { id, .. } => Some(*id),
            Self::Operation(operation) => Some(operation.id),
            Self::Slice(slice) => Some(slice.id),
            Self::Worked(worked) => Some(worked.id),
            Self::Finished(finished) => Some(finished.id),
            Self::Samples(samples) => Some(samples.id),
            Self::Readings(readings) => Some(readings.id),
            Self::Waited(waited) => Some(waited.id),
            Self::Fault(fault) => fault.id,
        }
    }

    /// Whether it ends its request.
    pub fn is_last(&self) -> bool {
        !matches!(self, Self::Hello(_) | Self::Case(_) | Self::Notice(_) | Self::Operation(_) | Self::Slice(_))
    }
}
