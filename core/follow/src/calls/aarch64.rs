//! System calls of 64-bit ARM: it has none of old.

use libc::c_long;

/// `AUDIT_ARCH_AARCH64` (linux/audit.h).
pub(super) const PROCESSOR: Option<u32> = Some(0xc000_00b7);

/// Harmless ones that other processors don't have.
pub(super) const HARMLESS: &[c_long] = &[];

/// A call of old; there are none.
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
