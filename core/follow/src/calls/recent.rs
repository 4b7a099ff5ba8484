//! System calls of processors that have none of old.

use libc::c_long;

use super::Legacy;

/// `AUDIT_ARCH_AARCH64` (linux/audit.h); those of others aren't known.
pub(super) const PROCESSOR: Option<u32> = if cfg!(target_arch = "aarch64") { Some(0xc000_00b7) } else { None };

/// Harmless ones that other processors don't have.
pub(super) const HARMLESS: &[c_long] = &[];

pub(super) fn legacy(_: c_long, _: [u64; 6]) -> Option<Legacy> {
    None
}
