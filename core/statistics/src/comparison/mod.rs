//! Comparisons of two variants: paired launches to a ratio, its interval and a verdict (DESIGN §3).

mod verdict;

pub use verdict::{Comparison, Flag, Verdict};
