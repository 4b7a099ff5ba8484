/// A budget that was too small: what it was, and what the least took instead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overrun {
    /// So many groups took more.
    pub groups: usize,
    /// The budget of each variant, or of each comparison, in nanoseconds.
    pub budget_ns: f64,
    /// What one of them took at most, in nanoseconds: its pilot and the fewest launches.
    pub took_ns: f64,
}

impl Overrun {
    /// Of both together.
    pub(crate) fn with(self, other: Self) -> Self {
        Self { groups: self.groups + other.groups, took_ns: self.took_ns.max(other.took_ns), ..self }
    }
}
