//! The largest that the wire takes.

/// Largest frame without its line feed (PROTOCOL 1.2).
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Largest integer on the wire, 2^53 − 1 (PROTOCOL 1.3).
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Most timed samples in one `run`, and most untimed ones before them (PROTOCOL §3).
pub const MAX_SAMPLES: usize = 100_000;
