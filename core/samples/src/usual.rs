//! What holds where nobody says otherwise, of measuring and judging alike.

/// Differences of compared variants up to this fraction don't matter.
pub const USUAL_MARGIN: f64 = 0.005;

/// How far expected costs may lie apart, a fraction, where typical calls are called the same.
pub const USUAL_MEAN_BOUND: f64 = 0.02;

/// Fewer launches than this can't give a distribution-free 95 % interval of a median (2 · 0.5⁶ = 3.1 %), nor a bearable Student's t at the level of
/// a comparison's first look.
pub const MINIMUM_LAUNCHES: u32 = 6;
