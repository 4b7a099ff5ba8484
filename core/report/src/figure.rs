//! Numbers as people read them: rounded to what is known, split so that a column can be aligned.

use tare_samples::TimeUnit;
use tare_statistics::Estimate;

use crate::text::width;

/// Decimals beyond these are noise of floating point, not knowledge.
const MOST_DECIMALS: i32 = 9;
/// Decimals of a ratio, in percent or as a factor, and of a factor below 1: what is known beyond them decides nothing.
const MOST_DECIMALS_OF_A_RATIO: i32 = 2;
const MOST_DECIMALS_OF_A_FRACTION: i32 = 3;
/// A wide interval whose one side is longer than the other by this factor shows its ends: one half-width for both sides
/// would claim values that it doesn't hold.
const WIDE: f64 = 0.15;
const LOPSIDED: f64 = 1.3;
/// Factors beyond these say no more by their digits.
const SMALLEST_FACTOR: f64 = 0.001;
const LARGEST_FACTOR: f64 = 10_000.0;

/// A number as it is printed, split at its decimal point so that a column can be aligned there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figure {
    whole: String,
    fraction: String,
    unit: &'static str,
    /// Half-width, whole part and fraction; `None` for a bare number.
    half: Option<(String, String)>,
    /// In place of the half-width stand both ends.
    ends: bool,
    /// It is an upper bound.
    bound: bool,
}

impl Figure {
    /// Estimate and half-width: the half-width with two significant digits, the estimate rounded to the same place
    /// (GUM 7.2.6). Where the interval is lopsided the larger side stands for both. Where nothing says how far the estimate may be off, it
    /// stands alone.
    pub(crate) fn interval(estimate: &Estimate, unit: TimeUnit) -> Self {
        let scale = unit.nanoseconds();
        let half = (estimate.high - estimate.estimate).max(estimate.estimate - estimate.low) / scale;
        let value = estimate.estimate / scale;
        let place = if half > 0.0 && half.is_finite() { place(half, 2) } else { place(value, 3) };
        let (whole, fraction) = split(value, place);
        Self {
            whole,
            fraction,
            unit: unit.symbol(),
            half: half.is_finite().then(|| split(half, place)),
            ends: false,
            bound: false,
        }
    }

    /// The estimate alone, rounded as beside its interval.
    pub(crate) fn bare(estimate: &Estimate, unit: TimeUnit) -> Self {
        Self { half: None, ..Self::interval(estimate, unit) }
    }

    /// The same without its half-width.
    pub(crate) fn alone(self) -> Self {
        Self { half: None, ..self }
    }

    /// The upper end of what can't be resolved, `< 0.8 ns`.
    pub(crate) fn below(high: f64) -> Self {
        let (whole, fraction, unit) = bound_parts(high);
        Self { whole: format!("< {whole}"), fraction, unit: unit.symbol(), half: None, ends: false, bound: true }
    }

    /// Whether it is what [`Self::below`] made.
    pub(crate) fn is_bound(&self) -> bool {
        self.bound
    }

    /// `value` (ns) in the unit and to the decimal place of `estimate` beside its interval.
    pub(crate) fn beside(value: f64, estimate: &Estimate, unit: TimeUnit) -> Self {
        Self { half: None, ..Self::interval(&shifted(estimate, value), unit) }
    }

    /// A ratio with its half-width: as a change in percent where it is between a half and two, else as a factor. Where
    /// the interval is lopsided, or its larger side would reach what it doesn't hold, as a ratio of 1 or of less than 0,
    /// both ends stand in its place.
    pub(crate) fn ratio(ratio: &Estimate) -> Self {
        let sides = (ratio.estimate - ratio.low, ratio.high - ratio.estimate);
        let half = sides.0.max(sides.1);
        let (least, most) = (ratio.estimate - half, ratio.estimate + half);
        let is_lopsided = half > WIDE && half > LOPSIDED * sides.0.min(sides.1);
        let misleads =
            is_lopsided || least <= 0.0 || (ratio.low > 1.0 && least <= 1.0) || (ratio.high < 1.0 && most >= 1.0);
        let ends = misleads && half > 0.0;
        let percent = ratio.estimate > 0.5 && ratio.estimate < 2.0;
        if !percent && !(SMALLEST_FACTOR..LARGEST_FACTOR).contains(&ratio.estimate) {
            let (sign, bound) = if ratio.estimate < 1.0 { ("<", SMALLEST_FACTOR) } else { (">", LARGEST_FACTOR) };
            return Self {
                whole: format!("{sign}{bound}"),
                fraction: "×".into(),
                unit: "",
                half: None,
                ends: false,
                bound: false,
            };
        }
        let (value, half) =
            if percent { ((ratio.estimate - 1.0) * 100.0, half * 100.0) } else { (ratio.estimate, half) };
        // Both ends are told to the place of the nearer one.
        let shown_half = match (ends, percent) {
            (true, true) => 100.0 * sides.0.min(sides.1),
            (true, false) => sides.0.min(sides.1),
            (false, _) => half,
        };
        let place = if shown_half > 0.0 && shown_half.is_finite() { place(shown_half, 2) } else { place(value, 3) };
        // A small fraction has two digits, too.
        let leading = || if ratio.estimate > 0.0 { 1 - ratio.estimate.log10().floor() as i32 } else { 0 };
        let most = match ratio.estimate <= 0.5 {
            true => MOST_DECIMALS_OF_A_FRACTION.max(leading()),
            false => MOST_DECIMALS_OF_A_RATIO,
        };
        let place = place.clamp(0, most);
        let (mut whole, mut fraction) = split(value, place);
        if percent {
            let zero = whole.chars().chain(fraction.chars()).all(|c| matches!(c, '0' | '.'));
            if value > 0.0 && !zero {
                whole.insert(0, '+');
            }
        } else {
            fraction.push('×');
        }
        if ends {
            let end = |end: f64| match percent {
                true => format!("{}{}", if end > 1.0 { "+" } else { "" }, bounded_end((end - 1.0) * 100.0, place)),
                false => bounded_end(end, place),
            };
            let both = format!("{} to {}", end(ratio.low), end(ratio.high));
            let half = Some((both, if percent { String::new() } else { "×".to_owned() }));
            return Self { whole, fraction, unit: if percent { "%" } else { "" }, half, ends, bound: false };
        }
        let half = match half {
            h if h > LARGEST_FACTOR => (format!(">{LARGEST_FACTOR}"), String::new()),
            // A width that rounds to nothing is not nothing.
            h if h > 0.0 && h < 0.5 / 10f64.powi(most) => {
                (format!("<{:.*}", most as usize, 1.0 / 10f64.powi(most)), String::new())
            }
            h => split(h, place),
        };
        Self { whole, fraction, unit: if percent { "%" } else { "" }, half: Some(half), ends, bound: false }
    }

    /// On one line, without alignment.
    pub(crate) fn inline(&self) -> String {
        Columns::default().with(self).cell(self).trim().to_owned()
    }
}

/// The interval of `estimate`, moved to stand around `value`.
fn shifted(estimate: &Estimate, value: f64) -> Estimate {
    let shift = value - estimate.estimate;
    Estimate { estimate: value, low: estimate.low + shift, high: estimate.high + shift }
}

/// Widths of the parts of a column of figures, so that their decimal points stand below each other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Columns {
    whole: usize,
    fraction: usize,
    unit: usize,
    half_whole: usize,
    half_fraction: usize,
    /// Of both ends, which stand in place of a half-width, without its sign.
    ends: usize,
}

impl Columns {
    pub(crate) fn with(self, figure: &Figure) -> Self {
        let half = figure.half.as_ref().filter(|_| !figure.ends);
        let ends = figure.half.as_ref().filter(|_| figure.ends);
        Self {
            whole: self.whole.max(figure.whole.len()),
            fraction: self.fraction.max(width(&figure.fraction)),
            unit: self.unit.max(width(figure.unit)),
            half_whole: self.half_whole.max(half.map_or(0, |(whole, _)| whole.len())),
            half_fraction: self.half_fraction.max(half.map_or(0, |(_, fraction)| fraction.len())),
            ends: self.ends.max(ends.map_or(0, |(both, unit)| width(both) + width(unit))),
        }
    }

    /// Columns that hold the figures of both.
    pub(crate) fn union(self, other: &Self) -> Self {
        Self {
            whole: self.whole.max(other.whole),
            fraction: self.fraction.max(other.fraction),
            unit: self.unit.max(other.unit),
            half_whole: self.half_whole.max(other.half_whole),
            half_fraction: self.half_fraction.max(other.half_fraction),
            ends: self.ends.max(other.ends),
        }
    }

    /// Columns before the decimal point.
    pub(crate) fn whole(&self) -> usize {
        self.whole
    }

    /// The estimate with its unit, and the half-width with its sign, both padded to the column.
    pub(crate) fn parts(&self, figure: &Figure) -> (String, String) {
        let unit = " ".repeat(self.unit - width(figure.unit));
        let estimate = format!(
            "{:>w$}{:<f$}{}{}{unit}",
            figure.whole,
            figure.fraction,
            if self.unit > 0 { " " } else { "" },
            figure.unit,
            w = self.whole,
            f = self.fraction
        );
        let half = figure.half.as_ref().map_or_else(String::new, |(whole, fraction)| {
            let (w, f) = (self.half_whole, self.half_fraction);
            let half = match figure.ends {
                true => format!(" ({whole}{fraction})"),
                false => format!(" ± {whole:>w$}{fraction:<f$}"),
            };
            format!("{half:<0$}", (3 + w + f).max(3 + self.ends))
        });
        (estimate, half)
    }

    pub(crate) fn cell(&self, figure: &Figure) -> String {
        let (estimate, half) = self.parts(figure);
        estimate + &half
    }
}

fn bounded_end(value: f64, place: i32) -> String {
    if value > LARGEST_FACTOR {
        return format!(">{LARGEST_FACTOR}");
    }
    let (whole, fraction) = split(value, place);
    whole + &fraction
}

/// The decimal place of the last of `digits` significant digits: 1 for tenths, 0 for ones, -1 for tens.
fn place(value: f64, digits: i32) -> i32 {
    let exponent = |v: f64| v.abs().log10().floor() as i32;
    if value == 0.0 || !value.is_finite() {
        return digits - 1;
    }
    let place = digits - 1 - exponent(value);
    // 0.0996 rounds to 0.10, which has a digit more to its left.
    let rounded = (value.abs() * 10f64.powi(place)).round() / 10f64.powi(place);
    (digits - 1 - exponent(rounded)).min(MOST_DECIMALS)
}

/// From here on digits are more than anybody reads, and a column of them wider than any screen.
const LONGEST: f64 = 1e15;

fn split(value: f64, place: i32) -> (String, String) {
    if value.abs() >= LONGEST {
        return (format!("{value:.2e}"), String::new());
    }
    let text = if place >= 0 {
        format!("{value:.*}", place as usize)
    } else {
        let step = 10f64.powi(-place);
        format!("{:.0}", (value / step).round() * step)
    };
    // What rounds to zero has no sign.
    let text = match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        _ => text,
    };
    match text.split_once('.') {
        Some((whole, fraction)) => (whole.to_owned(), format!(".{fraction}")),
        None => (text, String::new()),
    }
}

/// A time without an interval, with three significant digits in its own unit.
pub fn time(nanoseconds: f64) -> String {
    let unit = TimeUnit::fitting(nanoseconds);
    let value = nanoseconds / unit.nanoseconds();
    let (whole, fraction) = split(value, place(value, 3).clamp(0, 3));
    format!("{whole}{} {}", trimmed(&fraction), unit.symbol())
}

fn trimmed(fraction: &str) -> &str {
    fraction.trim_end_matches('0').trim_end_matches('.')
}

/// The upper end of what can't be resolved: two significant digits, rounded up so that it stays true.
pub(crate) fn bound(nanoseconds: f64) -> String {
    let (whole, fraction, unit) = bound_parts(nanoseconds);
    format!("{whole}{fraction} {}", unit.symbol())
}

fn bound_parts(nanoseconds: f64) -> (String, String, TimeUnit) {
    let unit = TimeUnit::fitting(nanoseconds);
    let value = nanoseconds / unit.nanoseconds();
    let place = place(value, 2);
    let step = 10f64.powi(-place);
    // A hair less, lest 0.8 become 0.81 by the binary expansion of 0.8.
    let up = (value / step * (1.0 - 1e-12)).ceil() * step;
    let (whole, fraction) = split(up, place);
    (whole, trimmed(&fraction).to_owned(), unit)
}

/// A fraction as a percentage with one decimal.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction.abs() * 100.0;
    match percent {
        p if !p.is_finite() => "–".to_owned(),
        p if p > 0.0 && p < 0.05 => "<0.1 %".to_owned(),
        p if p >= 999.95 => ">999 %".to_owned(),
        p => format!("{p:.1} %"),
    }
}

/// A fraction that is a setting or a bound, as a percentage with two significant digits: `0.5 %`, `1.3 %`, `12 %`.
pub(crate) fn share(fraction: f64) -> String {
    let percent = fraction.abs() * 100.0;
    match percent {
        p if !p.is_finite() || p >= 9999.5 => ">9999 %".to_owned(),
        p if p > 0.0 && p < 0.001 => "<0.001 %".to_owned(),
        p => {
            let (whole, fraction) = split(p, place(p, 2).clamp(0, 3));
            format!("{whole}{} %", trimmed(&fraction))
        }
    }
}

/// Figures that lie further apart than by this factor have a unit each: `12230 µs` beside `3.1 µs` is hard to read.
const MOST_IN_ONE_UNIT: f64 = 1000.0;

/// The unit for figures that stand together, where their magnitudes allow one: that of the median, else of the
/// smallest, else of the largest. `None` where any would give more than five digits before the point or more than
/// one zero behind it.
pub(crate) fn common_unit(times: &[f64]) -> Option<TimeUnit> {
    let mut sizes: Vec<f64> = times.iter().map(|t| t.abs()).filter(|t| t.is_finite() && *t > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let (smallest, largest) = (*sizes.first()?, *sizes.last()?);
    if largest > MOST_IN_ONE_UNIT * smallest {
        return None;
    }
    [sizes[(sizes.len() - 1) / 2], smallest, largest].into_iter().map(TimeUnit::fitting).find(|unit| {
        let scale = unit.nanoseconds();
        largest / scale < 1e5 && (smallest / scale >= 0.05 || *unit == TimeUnit::Nanoseconds)
    })
}

#[cfg(test)]
mod tests;
