use crate::{Reply, Request};

/// Largest frame without its line feed (PROTOCOL 1.2).
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Largest integer on the wire, 2^53 − 1 (PROTOCOL 1.3).
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Why a line isn't a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FrameError(pub String);

impl Request {
    /// One line without its line feed.
    pub fn encode(&self) -> String {
        todo!()
    }

    /// Reads one line without its line feed.
    pub fn decode(_line: &[u8]) -> Result<Self, FrameError> {
        todo!()
    }
}

impl Reply {
    /// One line without its line feed.
    pub fn encode(&self) -> String {
        todo!()
    }

    /// Reads one line without its line feed.
    pub fn decode(_line: &[u8]) -> Result<Self, FrameError> {
        todo!()
    }
}
