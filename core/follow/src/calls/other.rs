//! System calls of other processors: not known.

use libc::c_long;

pub(super) const PROCESSOR: Option<u32> = None;

pub(super) const HARMLESS: &[c_long] = &[];

/// A call of old; none is known.
pub(crate) enum Legacy {
    #[allow(dead_code)]
    As(c_long, [u64; 6]),
    #[allow(dead_code)]
    Clock,
    #[allow(dead_code)]
    Timer,
}

pub(crate) fn legacy(_: c_long, _: [u64; 6]) -> Option<Legacy> {
    None
}
