//! Time against a parameter that is a number.

use std::collections::BTreeMap;

use tare_results::{RunView, VariantView};
use tare_statistics::Estimate;
use tare_statistics::complexity::{Fit, Growth, Order, Sized, growth};

use super::{Picture, Table, file_name};
use crate::figure::time;
use crate::page_figures::time_words;
use crate::page_text::shortened;
use crate::svg::{Caption, Chart, Drawn, KINDS, Measure, Named, Point, Scale, Series, WHOLE, number};

/// Fewest sizes that a picture is worth.
const FEWEST: usize = 3;
/// Points of a fitted curve.
const CURVE: usize = 40;
/// Pictures of a run, at most.
const MOST: usize = 24;

/// A variant with the numbers among its inputs.
struct Input<'a> {
    variant: &'a VariantView,
    time: Estimate,
    values: Vec<(String, String)>,
}

type Line = Vec<(f64, Estimate)>;

/// A picture for each benchmark with a number among its inputs that takes three values or more.
pub(super) fn sweeps(view: &RunView) -> Vec<Picture> {
    let mut groups: BTreeMap<String, Vec<Input<'_>>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for variant in &view.variants {
        let Some(summary) = variant.summary.as_ref().filter(|s| !s.below_resolution && s.time.estimate > 0.0) else {
            continue;
        };
        let (benchmark, values) = inputs(variant);
        if !groups.contains_key(&benchmark) {
            order.push(benchmark.clone());
        }
        groups.entry(benchmark).or_default().push(Input { variant, time: summary.time, values });
    }
    let drawn = order.into_iter().filter_map(|benchmark| Some((lines(&groups[&benchmark])?, benchmark)));
    let numbered = drawn.take(MOST).enumerate();
    numbered.map(|(index, (lines, benchmark))| picture(index + 1, &benchmark, &lines)).collect()
}

/// The benchmark without its inputs, and these by name: parameters as the worker tells them, else `key=value` parts of a name.
fn inputs(variant: &VariantView) -> (String, Vec<(String, String)>) {
    let case = &variant.variant.case;
    if !case.parameters.values.is_empty() {
        return (case.benchmark.clone(), case.parameters.values.clone());
    }
    if let Some(set) = &case.parameters.name {
        let parts = set.split([',', '/', ' ']).filter(|part| !part.is_empty()).enumerate();
        return (case.benchmark.clone(), parts.map(|(place, part)| pair(place, part)).collect());
    }
    let mut parts = case.benchmark.split('/');
    let mut benchmark = parts.next().unwrap_or_default().to_owned();
    let mut values = Vec::new();
    for (place, part) in parts.enumerate() {
        let (name, value) = pair(place, part);
        match size(&value) {
            Some(_) => values.push((name, value)),
            None => benchmark = format!("{benchmark}/{part}"),
        }
    }
    (benchmark, values)
}

fn pair(place: usize, part: &str) -> (String, String) {
    match part.split_once(['=', ':']) {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None if place == 0 => ("size".to_owned(), part.to_owned()),
        None => (format!("input {}", place + 1), part.to_owned()),
    }
}

/// A number as people write them in sources.
fn size(text: &str) -> Option<f64> {
    let plain = text.trim().replace(['_', '\''], "");
    plain
        .parse::<f64>()
        .ok()
        .filter(|value| value.is_finite() && plain.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.'))
}

/// The parameter that takes most values, and the times by it: a line for each runtime or other input.
fn lines(inputs: &[Input<'_>]) -> Option<(String, Vec<(String, Line)>)> {
    let mut sizes: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for (name, value) in inputs.iter().flat_map(|input| &input.values) {
        sizes.entry(name).or_default().push(size(value));
    }
    let distinct = |values: &[Option<f64>]| {
        let mut known: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
        known.sort_by(f64::total_cmp);
        known.dedup();
        Some(known.len()).filter(|count| values.len() == inputs.len() && *count >= FEWEST)
    };
    let (name, _) =
        sizes.iter().filter_map(|(name, values)| Some((*name, distinct(values)?))).max_by_key(|(_, count)| *count)?;
    let mut lines: Vec<(String, Line)> = Vec::new();
    for input in inputs {
        let others =
            input.values.iter().filter(|(other, _)| other != name).map(|(other, value)| format!("{other}={value}"));
        let label = std::iter::once(distinction(input.variant))
            .chain(others)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        let at = input.values.iter().find(|(own, _)| own == name).and_then(|(_, value)| size(value))?;
        match lines.iter_mut().find(|(own, _)| *own == label) {
            Some((_, line)) => line.push((at, input.time)),
            None => lines.push((label, vec![(at, input.time)])),
        }
    }
    for (_, line) in &mut lines {
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines.retain(|(_, line)| line.len() >= FEWEST);
    (!lines.is_empty()).then(|| (name.to_owned(), lines))
}

/// What tells the variant from others, without its own inputs.
fn distinction(variant: &VariantView) -> String {
    let label = variant.distinction();
    let last = variant.variant.case.benchmark.rsplit('/').next().unwrap_or_default();
    if label == last || label.starts_with("benchmark ") { String::new() } else { label }
}

fn picture(place: usize, benchmark: &str, (parameter, lines): &(String, Vec<(String, Line)>)) -> Picture {
    let parameter = shortened(parameter, 30);
    let all = || lines.iter().flat_map(|(_, line)| line);
    let title = format!("{}: time by {parameter}", shortened(benchmark, 60));
    let name = format!("sweep-{place}-{}", file_name(benchmark));
    let number_scale = || Scale::of(all().map(|(size, _)| *size), Measure::Number);
    let x = number_scale().unwrap_or_else(|| Scale::linear(0.0, 1.0, Measure::Number));
    let ends = all().flat_map(|(_, time)| [time.low, time.estimate, time.high]).filter(|end| *end > 0.0);
    let y = Scale::of(ends, Measure::Time).unwrap_or_else(|| Scale::linear(0.0, 1.0, Measure::Time));
    // One straight and one bent axis would make every growth look like another: both are of one kind.
    let least = |scale: fn(&(f64, Estimate)) -> f64| all().map(scale).fold(f64::INFINITY, f64::min);
    let most = |scale: fn(&(f64, Estimate)) -> f64| all().map(scale).fold(0.0, f64::max);
    let bent = (x.is_logarithmic() || y.is_logarithmic()) && least(|point| point.0) > 0.0;
    let x = if bent { Scale::logarithmic(least(|point| point.0), most(|point| point.0), Measure::Number) } else { x };
    let y = match bent {
        true => Scale::logarithmic(
            least(|point| if point.1.low > 0.0 { point.1.low } else { point.1.estimate }),
            most(|point| if point.1.high.is_finite() { point.1.high } else { point.1.estimate }),
            Measure::Time,
        ),
        false => Scale::linear(0.0, most(|point| point.1.high.min(3.0 * point.1.estimate)), Measure::Time),
    };
    let (mut series, mut says) = (Vec::new(), Vec::new());
    for (kind, (label, line)) in lines.iter().take(2 * KINDS).enumerate() {
        let label = if label.is_empty() { "measured".to_owned() } else { shortened(label, 30) };
        let found = growth(&line.iter().map(sized).collect::<Vec<_>>());
        if let Some(found) = &found {
            let curve = curve(&found.best, line);
            series.push(Series {
                name: match lines.len() {
                    1 => format!("fitted: {}", found.best.order.name()),
                    _ => format!("{label}, fitted: {}", found.best.order.name()),
                },
                drawn: Drawn::Guide,
                kind,
                points: curve,
            });
            says.push(format!(
                "{}{}",
                if lines.len() > 1 { format!("{label}: ") } else { String::new() },
                words(found, &parameter)
            ));
        }
        let point = |(x, time): &(f64, Estimate)| Point {
            x: *x,
            y: time.estimate,
            interval: time.is_bounded().then_some((time.low, time.high)),
        };
        series.push(Series {
            name: label,
            drawn: if found.is_some() { Drawn::Marks } else { Drawn::Joined },
            kind,
            points: line.iter().map(point).collect(),
        });
    }
    if says.is_empty() {
        says.push("Fewer than four sizes: Tare fits no order of growth.".to_owned());
    }
    let chart = Chart {
        length: WHOLE,
        x: Named { scale: x, name: &parameter },
        y: Named { scale: y, name: "time of a call" },
        series,
        upright: Vec::new(),
    };
    let id = Picture::table_id(&name);
    let svg = chart.picture(&Caption { title: &title, description: &says.join(" "), table: &id });
    let rows = lines.iter().flat_map(|(label, line)| {
        line.iter().map(|(size, time)| vec![shortened(label, 40), number(*size), time_words(time)])
    });
    let table = Table { head: vec!["of".into(), parameter, "time of a call".into()], rows: rows.collect() };
    Picture { name, title, says, svg, narrow: None, table }
}

/// Half of a 95 % interval is about two standard errors.
fn sized((size, time): &(f64, Estimate)) -> Sized {
    let error = time.half_width() / 2.0;
    Sized { size: *size, time: time.estimate, error: if error.is_finite() { error } else { 0.0 } }
}

fn curve(fit: &Fit, line: &Line) -> Vec<Point> {
    let (first, last) = (line[0].0, line[line.len() - 1].0);
    let at = |part: f64| {
        if first > 0.0 && last / first > 20.0 {
            first * (last / first).powf(part)
        } else {
            first + (last - first) * part
        }
    };
    (0..=CURVE).map(|step| at(step as f64 / CURVE as f64)).map(|size| Point::bare(size, fit.at(size))).collect()
}

fn words(found: &Growth, parameter: &str) -> String {
    let fit = &found.best;
    let formula = match fit.order {
        Order::Constant => format!("{} whatever {parameter} is", time(fit.fixed)),
        order => {
            let named = if parameter == "n" { String::new() } else { format!(", n being {parameter}") };
            let what = order.name().trim_start_matches("O(").trim_end_matches(')');
            format!("{} + {} (± {}) · {what}{named}", time(fit.fixed), time(fit.each), time(fit.each_half))
        }
    };
    let also: Vec<&str> = found.also.iter().map(|order| order.name()).collect();
    let also = if also.is_empty() {
        "nothing else of O(1) … O(n³), O(2ⁿ) fits as well".to_owned()
    } else {
        format!("{} can't be ruled out", also.join(", "))
    };
    let (power, low, high) = found.exponent;
    format!(
        "Grows as {}: {formula}; {also}. Over the measured range the time goes like n to the power of {power:.2} ({low:.2} to {high:.2}, 95 %).",
        fit.order.name()
    )
}
