//! What words, functions and names of PHPBench's stand for; and why Tare has no figure for some of them.

use crate::error::suggestion;
use crate::quantity::shown;

use super::fault::{EXAMPLE, Fault};
use super::{Aggregate, Condition, Figure, Metric, Number, Side, Tolerance};

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    Number(Number),
    Percent(Number),
    List(Vec<Number>),
    /// A list with a value for each iteration.
    Metric(Side, Metric),
    Tolerated(Number, Tolerance),
    Condition(Condition),
}

impl Node {
    /// `at`: where it stands.
    pub(super) fn number(self, at: usize) -> Result<Number, Fault> {
        let (what, remedy) = match self {
            // 5% is 5 but for tolerances.
            Self::Number(number) | Self::Percent(number) => return Ok(number),
            Self::List(_) => ("a list stands where a number is wanted", "take one of it, as min([1, 2])"),
            Self::Metric(..) => (
                "a list with a value for each iteration stands where a number is wanted",
                "write mode(…) or mean(…) around it",
            ),
            Self::Tolerated(..) => (
                "a tolerance stands where none is wanted",
                "write it to the right of a comparison, as `… < 1 ms +/- 10%`",
            ),
            Self::Condition(_) => {
                ("a comparison stands where a number is wanted", "join comparisons with `and` or `or`")
            }
        };
        Err(Fault::new(at, what, remedy))
    }

    pub(super) fn condition(self, at: usize) -> Result<Condition, Fault> {
        match self {
            Self::Condition(condition) => Ok(condition),
            _ => Err(Fault::new(at, "the assertion compares nothing, so it can neither hold nor fail", EXAMPLE)),
        }
    }
}

/// What a unit is worth in microseconds or bytes; `Some(None)` for one that only says how a value is shown.
pub(super) fn unit(word: &str) -> Option<Option<f64>> {
    Some(Some(match word {
        // PHPBench has none below the microsecond.
        "ns" | "nanosecond" | "nanoseconds" => 1e-3,
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => 1.0,
        "ms" | "millisecond" | "milliseconds" => 1e3,
        "s" | "second" | "seconds" => 1e6,
        "m" | "minute" | "minutes" => 60e6,
        "hour" | "hours" => 3_600e6,
        "day" | "days" => 86_400e6,
        "b" | "byte" | "bytes" => 1.0,
        "k" | "kb" | "kilobyte" | "kilobytes" => 1e3,
        "mb" | "megabyte" | "megabytes" => 1e6,
        "gb" | "gigabyte" | "gigabytes" => 1e9,
        "kib" | "kibibyte" | "kibibytes" => 1024.0,
        "mib" | "mebibyte" | "mebibytes" => 1_048_576.0,
        "gib" | "gibibyte" | "gibibytes" => 1_073_741_824.0,
        "time" | "memory" => return Some(None),
        _ => return None,
    }))
}

/// `variant.time.avg`
pub(super) fn metric(path: &[String], at: usize) -> Result<Node, Fault> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let written = shown(&words.join("."));
    let refuse = |why: &str, remedy: &str| Err(Fault::new(at, format!("`{written}`: {why}"), remedy));
    let side = match words[0] {
        "variant" => Side::Variant,
        "baseline" => Side::Baseline,
        "subject" => return refuse("a setting of the subject is not a figure that can be compared", EXAMPLE),
        other => {
            let remedy = suggestion(other, &["variant.time.avg", "baseline.time.avg", "variant.mem.peak"]);
            return refuse("there is no such figure", &remedy);
        }
    };
    let metric = match words[1..] {
        ["time", "avg"] => Metric::TimeAverage,
        ["time", "net"] => Metric::TimeNet,
        ["time", "revs"] => Metric::Revs,
        ["mem", "peak"] => Metric::MemoryPeak,
        ["mem", "final" | "real"] => {
            return refuse("Tare measures memory at its peak only", &format!("write {}.mem.peak", words[0]));
        }
        ["comp", ..] => {
            return refuse(
                "how far each iteration lies from the others has no counterpart in Tare, which makes intervals of launches",
                "write rstdev(variant.time.avg) for the scatter",
            );
        }
        ["mode" | "mean" | "min" | "max" | "stdev" | "rstdev" | "variance"] => {
            return refuse("PHPBench 1.0 dropped this form", &format!("write {}({}.time.avg)", words[1], words[0]));
        }
        _ => {
            let known = ["time.avg", "time.net", "time.revs", "mem.peak"];
            return refuse("there is no such figure", &suggestion(&words[1..].join("."), &known));
        }
    };
    Ok(Node::Metric(side, metric))
}

/// Functions that work.
const FUNCTIONS: [&str; 10] =
    ["mode", "mean", "min", "max", "stdev", "rstdev", "variance", "sum", "count", "percent_diff"];

/// PHPBench's that make no figure of a measurement.
const OTHERS: [&str; 11] = [
    "first",
    "coalesce",
    "if",
    "contains",
    "format",
    "join",
    "display_as_time",
    "time_unit",
    "time_convert",
    "frame",
    "label",
];

/// A function of these arguments, each with its place.
pub(super) fn call(name: &str, arguments: Vec<(Node, usize)>, at: usize) -> Result<Node, Fault> {
    if OTHERS.contains(&name) {
        let message = format!("`{name}()` is for PHPBench's reports; as an assertion Tare can't evaluate it");
        return Err(Fault::new(at, message, format!("use {}", FUNCTIONS.join(", "))));
    }
    if !FUNCTIONS.contains(&name) {
        return Err(Fault::new(at, format!("there is no function `{}`", shown(name)), suggestion(name, &FUNCTIONS)));
    }
    let mut arguments = arguments.into_iter();
    let Some((first, place)) = arguments.next() else {
        return Err(Fault::new(at, format!("`{name}()` has no argument"), format!("write {name}(variant.time.avg)")));
    };
    let second = arguments.next();
    if let Some((_, place)) = arguments.next() {
        return Err(Fault::new(place, format!("`{name}()` has too many arguments"), "leave out the surplus arguments"));
    }
    if name == "percent_diff" {
        let Some((second, after)) = second else {
            return Err(Fault::new(at, "`percent_diff()` needs two numbers", "write percent_diff(OLD, NEW)"));
        };
        return Ok(Node::Number(percent_difference(first.number(place)?, second.number(after)?)));
    }
    match second {
        // Whether the deviation is a sample's: it is, and of so many samples that it makes no difference.
        Some((Node::Condition(Condition::Always(_)), _)) if ["stdev", "rstdev", "variance"].contains(&name) => {}
        Some((_, place)) => {
            return Err(Fault::new(
                place,
                format!("`{name}()` takes one list of values in Tare"),
                "leave out the surplus arguments",
            ));
        }
        None => {}
    }
    match first {
        Node::Metric(side, metric) => of_metric(name, side, metric, at),
        Node::List(numbers) => of_list(name, numbers, at),
        other => {
            other.number(place)?;
            Err(Fault::new(
                place,
                format!("`{name}()` wants a list of values"),
                format!("write {name}(variant.time.avg)"),
            ))
        }
    }
}

fn of_metric(name: &str, side: Side, metric: Metric, at: usize) -> Result<Node, Fault> {
    let aggregate = match name {
        "mean" => Aggregate::Mean,
        "mode" => Aggregate::Mode,
        "min" => Aggregate::Min,
        "max" => Aggregate::Max,
        "stdev" => Aggregate::StandardDeviation,
        "rstdev" => Aggregate::RelativeDeviation,
        "variance" => Aggregate::Variance,
        _ => {
            let message = format!("`{name}()` of measured values is the number of samples, which Tare chooses itself");
            return Err(Fault::new(at, message, "use mean or mode"));
        }
    };
    let scatters =
        matches!(aggregate, Aggregate::StandardDeviation | Aggregate::RelativeDeviation | Aggregate::Variance);
    if metric == Metric::MemoryPeak && scatters {
        return Err(Fault::new(
            at,
            format!("`{name}()` of memory isn't measured by Tare"),
            "use mean, mode, min or max",
        ));
    }
    Ok(Node::Number(Number::Figure(Figure { side, metric, aggregate })))
}

fn of_list(name: &str, numbers: Vec<Number>, at: usize) -> Result<Node, Fault> {
    if numbers.is_empty() {
        return Err(Fault::new(
            at,
            format!("`{name}()` of an empty list has no value"),
            "write numbers between the brackets",
        ));
    }
    let count = Number::Constant(numbers.len() as f64);
    let sum = |numbers: Vec<Number>| {
        numbers
            .into_iter()
            .reduce(|sum, number| Number::Sum(Box::new(sum), Box::new(number)))
            .unwrap_or(Number::Constant(0.0))
    };
    Ok(Node::Number(match name {
        "min" => Number::Least(numbers),
        "max" => Number::Greatest(numbers),
        "sum" => sum(numbers),
        "count" => count,
        "mean" => Number::Quotient(Box::new(sum(numbers)), Box::new(count)),
        _ => {
            let message = format!("`{name}()` is given a list of fixed numbers, which measures nothing");
            return Err(Fault::new(at, message, "write the number itself"));
        }
    }))
}

/// 100 · (new / old − 1)
fn percent_difference(old: Number, new: Number) -> Number {
    let ratio = Number::Quotient(Box::new(new), Box::new(old));
    let change = Number::Difference(Box::new(ratio), Box::new(Number::Constant(1.0)));
    Number::Product(Box::new(change), Box::new(Number::Constant(100.0)))
}
