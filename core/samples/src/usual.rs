//! What holds where nobody says otherwise, of measuring and judging alike.

/// Differences of compared variants up to this fraction don't matter.
pub const USUAL_MARGIN: f64 = 0.005;

/// The bound of `same`: what shows no difference is called so where none larger than this fraction can be hidden.
pub const USUAL_SAME: f64 = 0.03;

/// Fewer launches than this can't give a distribution-free 95 % interval of a median (2 · 0.5⁶ = 3.1 %), nor a bearable Student's t at the level of
/// a comparison's first look.
pub const MINIMUM_LAUNCHES: u32 = 6;
