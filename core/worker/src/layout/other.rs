//! Of other processors nothing is known that would make system calls in the place of a process.

use super::image::Image;
use super::{Followed, Placed};

/// Leaves the process as it is.
pub(super) fn place(_: &mut Followed, _: u32, _: &Image, _: u64) -> Placed {
    Placed::Elsewhere
}
