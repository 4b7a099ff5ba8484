//! The frames of the capability `operations`: concurrent work by several workers (PROTOCOL §3 `operations`, `connect`, `stamp`, `work`).

use crate::error::FrameError;
use crate::limits::MAX_INTEGER;
use crate::object::Object;
use crate::writer::ObjectWriter;

/// Most entries of a `work` request's `pattern` and `gaps`.
pub const MAX_PATTERN: usize = 100_000;
/// Largest weight of an operation.
pub const MAX_WEIGHT: u64 = 1_000_000;
/// Most workers that a `connect` may speak of.
pub const MAX_WORKERS: u64 = 100_000;
/// Shortest slice, in nanoseconds, and the longest.
pub const SLICES_NS: std::ops::RangeInclusive<u64> = 1_000_000..=3_600_000_000_000;

/// An operation as the worker lists it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperationFrame {
    /// Number of the request.
    pub id: u64,
    /// Number of the operation.
    pub operation: u64,
    /// Operations of one suite are connected and mixed together.
    pub suite: String,
    /// Its name in the suite.
    pub name: String,
    /// Its part in the mix, as the author wants it; 0 leaves it out.
    pub weight: u64,
    /// File of the definition.
    pub file: Option<String>,
    /// Line of the definition.
    pub line: Option<u64>,
}

/// Do what has to be done once before operations of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect {
    /// Number of the request.
    pub id: u64,
    /// The suite.
    pub suite: String,
    /// Number of this worker among those under load together, from 0.
    pub worker: u64,
    /// How many there are.
    pub workers: u64,
    /// Operations that were begun as this worker of the load before, in processes that are gone: its count goes on from there.
    pub turn: u64,
}

/// Do operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    /// Number of the request.
    pub id: u64,
    /// When to begin, on the clock of `stamp`, in nanoseconds.
    pub start: u64,
    /// Numbers of operations, in order and over again.
    pub pattern: Vec<u64>,
    /// Open loop: nanoseconds from one intended beginning to the next, in order and over again. Empty: closed loop.
    pub gaps: Vec<u64>,
    /// Nanoseconds from `start` to the first intended beginning.
    pub first: u64,
    /// So many operations at most; 0: as many as there is time for.
    pub count: u64,
    /// No operation begins so many nanoseconds after `start`; 0: whenever `count` is reached.
    pub duration: u64,
    /// Length of a slice in nanoseconds.
    pub slice: u64,
}

/// What ended of one operation in one slice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slice {
    /// Number of the request.
    pub id: u64,
    /// Number of the operation.
    pub operation: u64,
    /// Number of the slice, from 0 at `start`.
    pub slice: u64,
    /// Nanoseconds of each operation that succeeded, from its intended beginning.
    pub latencies: Vec<u64>,
    /// How often each; empty where all are 1.
    pub times: Vec<u64>,
    /// Kinds of failures.
    pub failures: Vec<String>,
    /// How many of each kind.
    pub failed: Vec<u64>,
    /// What the first of each kind said.
    pub messages: Vec<String>,
    /// Operations that began more than 1 ms after they were meant to.
    pub late: u64,
}

/// The result of a [`Work`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worked {
    /// Number of the request.
    pub id: u64,
    /// Operations that were begun, all of which ended.
    pub operations: u64,
    /// Nanoseconds from `start` to the end of the last operation.
    pub ended: u64,
    /// Operations that were due and never begun.
    pub dropped: u64,
    /// Memory in use by the runtime's own account, in bytes.
    pub runtime_bytes: Option<u64>,
    /// Its peak since `connected`; `None` where the runtime can only count from the start of its process.
    pub runtime_peak_bytes: Option<u64>,
}

impl OperationFrame {
    pub(crate) fn encode(&self) -> String {
        ObjectWriter::new("operation")
            .integer("id", self.id)
            .integer("operation", self.operation)
            .string("suite", &self.suite)
            .string("name", &self.name)
            .integer("weight", self.weight)
            .optional_string("file", self.file.as_ref())
            .optional_integer("line", self.line)
            .end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let name = object.string("name")?;
        if name.is_empty() {
            return Err(object.bad("`name` is empty"));
        }
        Ok(Self {
            id: object.id()?,
            operation: object.integer("operation", MAX_INTEGER)?,
            suite: object.string("suite")?,
            name,
            weight: object.integer("weight", MAX_WEIGHT)?,
            file: object.optional_string("file")?,
            line: object.optional_integer("line", MAX_INTEGER)?,
        })
    }
}

impl Connect {
    pub(crate) fn encode(&self) -> String {
        ObjectWriter::new("connect")
            .integer("id", self.id)
            .string("suite", &self.suite)
            .integer("worker", self.worker)
            .integer("workers", self.workers)
            .optional_integer("turn", (self.turn > 0).then_some(self.turn))
            .end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let (worker, workers) = (object.integer("worker", MAX_WORKERS)?, object.integer("workers", MAX_WORKERS)?);
        if worker >= workers {
            return Err(
                object.bad(format_args!("`worker` must be less than `workers`; they are {worker} and {workers}"))
            );
        }
        let turn = object.optional_integer("turn", MAX_INTEGER)?.unwrap_or(0);
        Ok(Self { id: object.id()?, suite: object.string("suite")?, worker, workers, turn })
    }
}

impl Work {
    pub(crate) fn encode(&self) -> String {
        let mut writer = ObjectWriter::new("work")
            .integer("id", self.id)
            .integer("start", self.start)
            .integers("pattern", &self.pattern)
            .integer("count", self.count)
            .integer("duration", self.duration)
            .integer("slice", self.slice);
        if !self.gaps.is_empty() {
            writer = writer.integers("gaps", &self.gaps).integer("first", self.first);
        }
        writer.end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let id = object.id()?;
        let pattern = object.integers("pattern")?;
        object.counted("pattern", pattern.len(), MAX_PATTERN)?;
        let gaps = object.optional_integers("gaps")?;
        if let Some(gaps) = &gaps {
            object.counted("gaps", gaps.len(), MAX_PATTERN)?;
            if gaps.iter().all(|gap| *gap == 0) {
                return Err(object.bad("`gaps` are all 0; operations would be due without end"));
            }
        }
        let (count, duration) = (object.integer("count", MAX_INTEGER)?, object.integer("duration", MAX_INTEGER)?);
        if count == 0 && duration == 0 {
            return Err(object.bad("`count` and `duration` are both 0; one of them must end the work"));
        }
        let slice = object.integer("slice", *SLICES_NS.end())?;
        if !SLICES_NS.contains(&slice) {
            let (least, most) = (SLICES_NS.start(), SLICES_NS.end());
            return Err(object.bad(format_args!("`slice` must be an integer from {least} to {most}")));
        }
        Ok(Self {
            id,
            start: object.integer("start", MAX_INTEGER)?,
            pattern,
            gaps: gaps.unwrap_or_default(),
            first: object.optional_integer("first", MAX_INTEGER)?.unwrap_or(0),
            count,
            duration,
            slice,
        })
    }
}

impl Slice {
    pub(crate) fn encode(&self) -> String {
        let mut writer = ObjectWriter::new("slice")
            .integer("id", self.id)
            .integer("operation", self.operation)
            .integer("slice", self.slice);
        for (key, column) in [("latencies", &self.latencies), ("times", &self.times), ("failed", &self.failed)] {
            if !column.is_empty() {
                writer = writer.integers(key, column);
            }
        }
        let writer = writer.optional_strings("failures", &self.failures).optional_strings("messages", &self.messages);
        writer.optional_integer("late", Some(self.late).filter(|late| *late > 0)).end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let column = |key: &str| Ok::<_, FrameError>(object.optional_integers(key)?.unwrap_or_default());
        let (latencies, times, failed) = (column("latencies")?, column("times")?, column("failed")?);
        let failures = object.optional_strings("failures")?.unwrap_or_default();
        let messages = object.optional_strings("messages")?.unwrap_or_default();
        if !times.is_empty() && times.len() != latencies.len() {
            let (times, latencies) = (times.len(), latencies.len());
            return Err(object.bad(format_args!("`times` has {times} entries and `latencies` {latencies}")));
        }
        if failures.len() != failed.len() || !messages.is_empty() && messages.len() != failures.len() {
            return Err(object.bad("`failures`, `failed` and `messages` must have as many entries each"));
        }
        Ok(Self {
            id: object.id()?,
            operation: object.integer("operation", MAX_INTEGER)?,
            slice: object.integer("slice", MAX_INTEGER)?,
            latencies,
            times,
            failures,
            failed,
            messages,
            late: object.optional_integer("late", MAX_INTEGER)?.unwrap_or(0),
        })
    }
}

impl Worked {
    pub(crate) fn encode(&self) -> String {
        ObjectWriter::new("worked")
            .integer("id", self.id)
            .integer("operations", self.operations)
            .integer("ended", self.ended)
            .integer("dropped", self.dropped)
            .optional_integer("runtime_bytes", self.runtime_bytes)
            .optional_integer("runtime_peak_bytes", self.runtime_peak_bytes)
            .end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        Ok(Self {
            id: object.id()?,
            operations: object.integer("operations", MAX_INTEGER)?,
            ended: object.integer("ended", MAX_INTEGER)?,
            dropped: object.integer("dropped", MAX_INTEGER)?,
            runtime_bytes: object.optional_integer("runtime_bytes", MAX_INTEGER)?,
            runtime_peak_bytes: object.optional_integer("runtime_peak_bytes", MAX_INTEGER)?,
        })
    }
}
