//! The axis of ratios that every picture of comparisons has, in the terminal and on a page.

use tare_statistics::Estimate;

/// Ends an axis may have: the ratio less 1, and how its two ends are called.
pub(crate) const ENDS: [(f64, &str, &str); 12] = [
    (0.001, "-0.1 %", "+0.1 %"),
    (0.002, "-0.2 %", "+0.2 %"),
    (0.005, "-0.5 %", "+0.5 %"),
    (0.01, "-1 %", "+1 %"),
    (0.02, "-2 %", "+2 %"),
    (0.05, "-5 %", "+5 %"),
    (0.1, "-10 %", "+10 %"),
    (0.2, "-20 %", "+20 %"),
    (0.5, "0.67×", "1.5×"),
    (1.0, "0.5×", "2×"),
    (4.0, "0.2×", "5×"),
    (9.0, "0.1×", "10×"),
];
/// The logarithm of the ratio at a tick.
pub(crate) fn tick(position: usize) -> f64 {
    ENDS[position].0.ln_1p()
}

/// Margins below this are drawn as if they were this wide.
const SMALLEST_MARGIN: f64 = 0.0005;
/// An estimate this many times farther out than nine tenths of the intervals is clipped, lest it flatten the others.
const FAR: f64 = 8.0;

/// The axis that all intervals of a report share: the logarithm of the ratio, linear near 0 and
/// logarithmic beyond (the inverse hyperbolic sine), so that 0.5 % and 50 % can both be read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    /// Where linear goes over into logarithmic.
    pub(crate) linear: f64,
    /// Position in [`ENDS`].
    pub(crate) end: usize,
}

impl Axis {
    /// The axis for these ratios (finite, above 0) and margins; `None` when there are none.
    pub(crate) fn of(rows: &[(Estimate, f64)]) -> Option<Self> {
        let margins = rows.iter().map(|(_, margin)| *margin).filter(|margin| margin.is_finite());
        let margin = margins.max_by(f64::total_cmp)?.max(SMALLEST_MARGIN);
        let mut reaches: Vec<f64> = rows.iter().map(|(r, _)| r.low.ln().abs().max(r.high.ln().abs())).collect();
        reaches.sort_by(f64::total_cmp);
        let most = reaches.get(reaches.len().saturating_sub(1) * 9 / 10).copied()?;
        let near = most.max(3.0 * margin);
        let farthest = rows.iter().map(|(r, _)| r.estimate.ln().abs()).fold(0.0, f64::max);
        let reach = if farthest > FAR * near { near } else { near.max(farthest) };
        let end = (0..ENDS.len()).find(|end| tick(*end) >= reach).unwrap_or(ENDS.len() - 1);
        // Half the margin leaves its inside a third of the usual axis.
        Some(Self { linear: margin / 2.0, end })
    }

    /// From -1 to 1 between the ends of the axis, beyond it outside.
    pub(crate) fn place(&self, logarithm: f64) -> f64 {
        (logarithm / self.linear).asinh() / (tick(self.end) / self.linear).asinh()
    }
}
