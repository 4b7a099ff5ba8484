/// What is wrong with a line, in the terms of PROTOCOL 2.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameErrorKind {
    /// The line isn't a frame at all: PROTOCOL 1.2, 1.3 or 1.4 is broken.
    BadFrame,
    /// A frame of a kind that this version doesn't know.
    UnknownFrame,
    /// A known frame that lacks a key, or has a value of the wrong type or out of range.
    BadValue,
}

impl FrameErrorKind {
    /// The kind of the `fault` with which a worker answers such a request (PROTOCOL 2.4).
    pub fn fault_kind(self) -> &'static str {
        match self {
            Self::BadFrame => "bad-frame",
            Self::UnknownFrame => "unknown-frame",
            Self::BadValue => "bad-request",
        }
    }
}

/// Why a line can't be taken as a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FrameError {
    /// Which rule it breaks.
    pub kind: FrameErrorKind,
    /// What is wrong, with the names of the frame and the key where they are known.
    pub message: String,
    /// The line's own `id`, where it has exactly one and that is an integer from 0 to 2^53 − 1.
    pub id: Option<u64>,
}

impl FrameError {
    pub(crate) fn bad_frame(id: Option<u64>, message: impl Into<String>) -> Self {
        Self { kind: FrameErrorKind::BadFrame, message: message.into(), id }
    }
}
