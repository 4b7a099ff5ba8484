//! What is wrong with an assertion.

pub(super) const EXAMPLE: &str = "write it like `mode(variant.time.avg) < 200 ms +/- 10%`";

/// What is wrong, and where: a position in characters from 0.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) remedy: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { at, message: message.into(), remedy: remedy.into() }
    }
}
