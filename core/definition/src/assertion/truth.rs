use super::{Assertion, Condition, Number, Relation, Tolerance};

/// What an assertion is found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    Holds,
    /// It doesn't.
    Fails,
    /// It holds for some of what its figures may be, and for some not.
    Open,
}

impl Truth {
    fn of(known: Option<bool>) -> Self {
        match known {
            Some(true) => Self::Holds,
            Some(false) => Self::Fails,
            None => Self::Open,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fails, _) | (_, Self::Fails) => Self::Fails,
            (Self::Holds, Self::Holds) => Self::Holds,
            _ => Self::Open,
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Holds, _) | (_, Self::Holds) => Self::Holds,
            (Self::Fails, Self::Fails) => Self::Fails,
            _ => Self::Open,
        }
    }
}

impl Assertion {
    /// Judges it. `states`: what its figures may be, each a row as long as [`Assertion::figures`] and in their order; the ends of their
    /// intervals, and something between. Figures that move together do so by the rows that there are. Without a row, or where something is
    /// divided by what may be 0, it is open.
    pub fn judge(&self, states: &[Vec<f64>]) -> Truth {
        let of = |number: &Number, state: &[f64]| {
            number.value(&|figure| {
                let position = self.figures.iter().position(|other| other == figure);
                position.and_then(|position| state.get(position).copied()).unwrap_or(f64::NAN)
            })
        };
        self.condition.judge(&|number| states.iter().map(|state| of(number, state)).collect())
    }
}

/// A number in each of the states.
type Values<'a> = &'a dyn Fn(&Number) -> Vec<f64>;

impl Condition {
    fn judge(&self, values: Values<'_>) -> Truth {
        match self {
            Self::Always(known) => Truth::of(Some(*known)),
            Self::And(left, right) => left.judge(values).and(right.judge(values)),
            Self::Or(left, right) => left.judge(values).or(right.judge(values)),
            Self::Comparison { left, relation, right, tolerance } => {
                let by = match tolerance {
                    Tolerance::Percent(by) | Tolerance::Absolute(by) => Some(by),
                    Tolerance::None => None,
                };
                if [Some(left), Some(right), by].into_iter().flatten().any(|number| !number.is_defined(values)) {
                    return Truth::Open;
                }
                let right_values = values(right);
                let allowed: Vec<f64> = match tolerance {
                    Tolerance::None => vec![0.0; right_values.len()],
                    Tolerance::Percent(by) => {
                        values(by).iter().zip(&right_values).map(|(by, right)| by / 100.0 * right).collect()
                    }
                    Tolerance::Absolute(by) => values(by),
                };
                let tolerated = by.is_some();
                let rows = values(left).into_iter().zip(right_values).zip(allowed);
                compare(*relation, tolerated, rows.map(|((left, right), by)| (left - right, by.max(0.0))).collect())
            }
        }
    }
}

/// `rows`: the difference of both sides, and what is tolerated.
fn compare(relation: Relation, tolerated: bool, rows: Vec<(f64, f64)>) -> Truth {
    if rows.is_empty() || rows.iter().any(|(difference, by)| difference.is_nan() || by.is_nan()) {
        return Truth::Open;
    }
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        rows.iter()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    // Above and below: how far the difference lies beyond what is tolerated.
    let above = range(&|(difference, by)| difference - by);
    let below = range(&|(difference, by)| -difference - by);
    let up_to = |(low, high): (f64, f64)| match (high <= 0.0, low > 0.0) {
        (true, _) => Truth::Holds,
        (_, true) => Truth::Fails,
        _ => Truth::Open,
    };
    let under = |(low, high): (f64, f64)| match (high < 0.0, low >= 0.0) {
        (true, _) => Truth::Holds,
        (_, true) => Truth::Fails,
        _ => Truth::Open,
    };
    match relation {
        // What lies within the tolerance holds, whatever the relation.
        Relation::Less if !tolerated => under(above),
        Relation::Greater if !tolerated => under(below),
        Relation::Less | Relation::LessOrEqual => up_to(above),
        Relation::Greater | Relation::GreaterOrEqual => up_to(below),
        Relation::Equal => up_to(above).and(up_to(below)),
        Relation::Unequal if tolerated => Truth::Holds,
        Relation::Unequal => under(below).or(under(above)),
    }
}

impl Number {
    fn value(&self, figure: &dyn Fn(&super::Figure) -> f64) -> f64 {
        let of = |number: &Number| number.value(figure);
        match self {
            Self::Constant(value) => *value,
            Self::Figure(of) => figure(of),
            Self::Sum(left, right) => of(left) + of(right),
            Self::Difference(left, right) => of(left) - of(right),
            Self::Product(left, right) => of(left) * of(right),
            Self::Quotient(left, right) => of(left) / of(right),
            Self::Least(numbers) => numbers.iter().map(of).fold(f64::INFINITY, f64::min),
            Self::Greatest(numbers) => numbers.iter().map(of).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Whether nothing in it is divided by what may be 0.
    fn is_defined(&self, values: Values<'_>) -> bool {
        match self {
            Self::Constant(_) | Self::Figure(_) => true,
            Self::Sum(left, right) | Self::Difference(left, right) | Self::Product(left, right) => {
                left.is_defined(values) && right.is_defined(values)
            }
            Self::Quotient(left, right) => {
                let divisors = values(right);
                let one_sign = divisors.iter().all(|divisor| *divisor > 0.0) || divisors.iter().all(|d| *d < 0.0);
                one_sign && left.is_defined(values) && right.is_defined(values)
            }
            Self::Least(numbers) | Self::Greatest(numbers) => numbers.iter().all(|number| number.is_defined(values)),
        }
    }
}
