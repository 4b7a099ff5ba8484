//! The frames of the capability `clocks`: reading a clock as it is, and waiting (PROTOCOL §3 `read` and `wait`).

use crate::error::FrameError;
use crate::limits::MAX_INTEGER;
use crate::object::Object;
use crate::writer::ObjectWriter;

/// Most pairs of readings in one `read`.
pub const MAX_PAIRS: u64 = 50_000;
/// Most readings that are dropped after each pair that is kept.
pub const MAX_SKIP: u64 = 1_000_000;
/// Most blocks in one `read`.
pub const MAX_BLOCKS: u64 = 10_000;
/// Most reads in one block.
pub const MAX_READS: u64 = 1_000_000;
/// Most waits in one `wait`.
pub const MAX_WAITS: u64 = 10_000;
/// Longest wait that may be asked for, in nanoseconds, and the most negative one.
pub const MAX_WAIT_NS: i64 = 10_000_000_000;

/// Read a clock many times, and time blocks of reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Number of the request.
    pub id: u64,
    /// One of `hello`'s `reads`.
    pub clock: String,
    /// Pairs of readings, back to back, 1 to [`MAX_PAIRS`].
    pub pairs: u64,
    /// Readings that are dropped after each pair, 0 to [`MAX_SKIP`].
    pub skip: u64,
    /// Blocks to time, 0 to [`MAX_BLOCKS`].
    pub blocks: u64,
    /// Reads in each block, 1 to [`MAX_READS`].
    pub reads: u64,
}

/// Wait, and say how long it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Number of the request.
    pub id: u64,
    /// One of `hello`'s `waits`.
    pub call: String,
    /// Nanoseconds; may be negative, at most [`MAX_WAIT_NS`] either way.
    pub requested: i64,
    /// How often, 1 to [`MAX_WAITS`].
    pub times: u64,
}

/// The result of a [`Read`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Readings {
    /// Number of the request.
    pub id: u64,
    /// Nanoseconds since this process's first reading of the clock, in the order of reading: a pair, then the next.
    pub values: Vec<i64>,
    /// Nanoseconds of each block of reads, by the worker's default clock.
    pub blocks: Vec<u64>,
    /// Likewise of the same loop without a read, as many.
    pub empty: Vec<u64>,
}

/// The result of a [`Wait`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waited {
    /// Number of the request.
    pub id: u64,
    /// Nanoseconds of each wait, by the worker's default clock.
    pub taken: Vec<u64>,
}

impl Read {
    pub(crate) fn encode(&self) -> String {
        ObjectWriter::new("read")
            .integer("id", self.id)
            .string("clock", &self.clock)
            .integer("pairs", self.pairs)
            .integer("skip", self.skip)
            .integer("blocks", self.blocks)
            .integer("reads", self.reads)
            .end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let positive = |key: &str, most: u64| match object.integer(key, most)? {
            0 => Err(object.bad(format_args!("`{key}` must be an integer from 1 to {most}"))),
            value => Ok(value),
        };
        Ok(Self {
            id: object.id()?,
            clock: object.string("clock")?,
            pairs: positive("pairs", MAX_PAIRS)?,
            skip: object.integer("skip", MAX_SKIP)?,
            blocks: object.integer("blocks", MAX_BLOCKS)?,
            reads: positive("reads", MAX_READS)?,
        })
    }
}

impl Wait {
    pub(crate) fn encode(&self) -> String {
        ObjectWriter::new("wait")
            .integer("id", self.id)
            .string("call", &self.call)
            .signed("requested", self.requested)
            .integer("times", self.times)
            .end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let id = object.id()?;
        let call = object.string("call")?;
        let requested = object.signed("requested", MAX_WAIT_NS)?;
        match object.integer("times", MAX_WAITS)? {
            0 => Err(object.bad(format_args!("`times` must be an integer from 1 to {MAX_WAITS}"))),
            times => Ok(Self { id, call, requested, times }),
        }
    }
}

impl Readings {
    pub(crate) fn encode(&self) -> String {
        let mut writer = ObjectWriter::new("readings").integer("id", self.id).signeds("values", &self.values);
        for (key, column) in [("blocks", &self.blocks), ("empty", &self.empty)] {
            if !column.is_empty() {
                writer = writer.integers(key, column);
            }
        }
        writer.end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let id = object.id()?;
        let values = object.signeds("values", MAX_INTEGER as i64)?;
        object.counted("values", values.len(), 2 * MAX_PAIRS as usize)?;
        if values.len() % 2 == 1 {
            return Err(object.bad(format_args!("`values` has {} entries; readings come in pairs", values.len())));
        }
        let blocks = object.optional_integers("blocks")?.unwrap_or_default();
        let empty = object.optional_integers("empty")?.unwrap_or_default();
        if blocks.len() != empty.len() {
            let (blocks, empty) = (blocks.len(), empty.len());
            return Err(object.bad(format_args!("`blocks` has {blocks} entries and `empty` {empty}; they go in pairs")));
        }
        Ok(Self { id, values, blocks, empty })
    }
}

impl Waited {
    pub(crate) fn encode(&self) -> String {
        ObjectWriter::new("waited").integer("id", self.id).integers("taken", &self.taken).end()
    }

    pub(crate) fn decode(object: &Object<'_>) -> Result<Self, FrameError> {
        let id = object.id()?;
        let taken = object.integers("taken")?;
        object.counted("taken", taken.len(), MAX_WAITS as usize)?;
        Ok(Self { id, taken })
    }
}
