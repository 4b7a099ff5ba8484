//! What calls process, as a benchmark says while it runs.

/// By what is counted: `bytes`, `items`, or a figure's name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Amounts(Vec<Amount>);

#[derive(Clone, Debug)]
struct Amount {
    of: &'static str,
    total: u128,
    calls: u64,
    is_fixed: bool,
}

impl Amounts {
    /// What every call processes.
    pub(crate) fn fix(&mut self, of: &'static str, amount: u64) {
        self.0.retain(|known| known.of != of);
        self.0.push(Amount { of, total: u128::from(amount), calls: 1, is_fixed: true });
    }

    /// What so many calls have processed together.
    pub(crate) fn add(&mut self, of: &'static str, total: u128, calls: u64) {
        match self.0.iter_mut().find(|known| known.of == of && !known.is_fixed) {
            Some(known) => {
                known.total = known.total.saturating_add(total);
                known.calls = known.calls.saturating_add(calls);
            }
            None => {
                self.0.retain(|known| known.of != of);
                self.0.push(Amount { of, total, calls, is_fixed: false });
            }
        }
    }

    /// What another turn of the same benchmark has said.
    pub(crate) fn join(&mut self, turn: &Amounts) {
        for amount in &turn.0 {
            if amount.is_fixed {
                self.fix(amount.of, u64::try_from(amount.total).unwrap_or(u64::MAX));
            } else {
                self.add(amount.of, amount.total, amount.calls);
            }
        }
    }

    /// A call's mean; those of no call are left out.
    pub(crate) fn means(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let known = self.0.iter().filter(|amount| amount.calls > 0);
        known.map(|amount| (amount.of, amount.total as f64 / amount.calls as f64))
    }
}
