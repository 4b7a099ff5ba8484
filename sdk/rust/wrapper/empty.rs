// In the place of a crate that only what Tare replaces needs.
