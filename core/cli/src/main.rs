//! The tare binary.
fn main() {}
