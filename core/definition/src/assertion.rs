//! Assertions in PHPBench's expression language: `mode(variant.time.avg) < 200 ms +/- 10%`.
//!
//! As in PHPBench, times are microseconds and memory is bytes where no unit is written; `or` binds closer than `and`; there is no sign before a
//! number; a tolerance stands to the right of a comparison and only widens what holds.

mod check;
mod fault;
mod lexer;
mod parser;
mod truth;

use crate::error::ArgumentError;

pub use truth::Truth;

/// Longer ones are refused, in bytes.
pub const LONGEST_ASSERTION: usize = 2000;

/// An assertion that can be judged as soon as its figures are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    condition: Condition,
    figures: Vec<Figure>,
}

impl Assertion {
    /// Reads an assertion.
    ///
    /// # Errors
    /// What isn't PHPBench's expression language, what isn't a comparison, and what Tare has no figure for: with the
    /// character (from 1) where that stands, the reason, and what to write instead.
    pub fn parse(text: &str) -> Result<Self, ArgumentError> {
        let condition = parser::parse(text)?;
        let mut figures = Vec::new();
        condition.collect(&mut figures);
        Ok(Self { condition, figures })
    }

    /// The figures that it is about, each once.
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    /// Whether it compares with something: it can't be judged where there is no other side.
    pub fn needs_baseline(&self) -> bool {
        self.figures.iter().any(|figure| figure.side == Side::Baseline)
    }

    /// Whether it is about memory, which has to be weighed.
    pub fn needs_memory(&self) -> bool {
        self.figures.iter().any(|figure| figure.metric == Metric::MemoryPeak)
    }
}

/// Whose figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is judged.
    Variant,
    /// What it is compared with.
    Baseline,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `time.avg`: a call, in microseconds.
    TimeAverage,
    /// `time.net`: all calls of a PHPBench iteration, `Revs` times `time.avg`, in microseconds.
    TimeNet,
    /// `time.revs`: how many calls that are.
    Revs,
    /// `mem.peak`: the most that the process holds by PHP's own account, in bytes.
    MemoryPeak,
}

/// What is made of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// `mean`
    Mean,
    /// `mode`
    Mode,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `stdev`
    StandardDeviation,
    /// `rstdev`, a percentage
    RelativeDeviation,
    /// `variance`
    Variance,
}

/// One figure of a variant, as `mode(variant.time.avg)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// Whose.
    pub side: Side,
    /// Of what.
    pub metric: Metric,
    /// Which.
    pub aggregate: Aggregate,
}

impl std::fmt::Display for Figure {
    /// As it is written in an assertion.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let function = match self.aggregate {
            Aggregate::Mean => "mean",
            Aggregate::Mode => "mode",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
            Aggregate::StandardDeviation => "stdev",
            Aggregate::RelativeDeviation => "rstdev",
            Aggregate::Variance => "variance",
        };
        let side = match self.side {
            Side::Variant => "variant",
            Side::Baseline => "baseline",
        };
        let metric = match self.metric {
            Metric::TimeAverage => "time.avg",
            Metric::TimeNet => "time.net",
            Metric::Revs => "time.revs",
            Metric::MemoryPeak => "mem.peak",
        };
        write!(f, "{function}({side}.{metric})")
    }
}

/// A number, or how it is made of others.
#[derive(Debug, Clone, PartialEq)]
enum Number {
    Constant(f64),
    Figure(Figure),
    Sum(Box<Number>, Box<Number>),
    Difference(Box<Number>, Box<Number>),
    Product(Box<Number>, Box<Number>),
    Quotient(Box<Number>, Box<Number>),
    Least(Vec<Number>),
    Greatest(Vec<Number>),
}

/// How much a comparison may be missed by.
#[derive(Debug, Clone, PartialEq)]
enum Tolerance {
    None,
    /// Of the right side.
    Percent(Number),
    Absolute(Number),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    LessOrEqual,
    Equal,
    Unequal,
    Greater,
    GreaterOrEqual,
}

/// What holds or doesn't.
#[derive(Debug, Clone, PartialEq)]
enum Condition {
    Always(bool),
    Comparison { left: Number, relation: Relation, right: Number, tolerance: Tolerance },
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    fn collect(&self, figures: &mut Vec<Figure>) {
        match self {
            Self::Always(_) => {}
            Self::And(left, right) | Self::Or(left, right) => {
                left.collect(figures);
                right.collect(figures);
            }
            Self::Comparison { left, right, tolerance, .. } => {
                left.collect(figures);
                right.collect(figures);
                if let Tolerance::Percent(by) | Tolerance::Absolute(by) = tolerance {
                    by.collect(figures);
                }
            }
        }
    }
}

impl Number {
    fn collect(&self, figures: &mut Vec<Figure>) {
        match self {
            Self::Constant(_) => {}
            Self::Figure(figure) => {
                if !figures.contains(figure) {
                    figures.push(*figure);
                }
            }
            Self::Sum(left, right)
            | Self::Difference(left, right)
            | Self::Product(left, right)
            | Self::Quotient(left, right) => {
                left.collect(figures);
                right.collect(figures);
            }
            Self::Least(numbers) | Self::Greatest(numbers) => {
                numbers.iter().for_each(|number| number.collect(figures));
            }
        }
    }
}

#[cfg(test)]
#[path = "assertion/tests.rs"]
mod tests;
