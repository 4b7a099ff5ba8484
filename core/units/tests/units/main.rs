//! What a change of a source means for a case, with units as the languages' own parsers give them.
#![allow(clippy::unwrap_used)]

mod extracted;
mod hostile;
mod php;
mod python;
