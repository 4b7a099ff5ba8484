//! Points of several series over two axes.

use maud::{Markup, html};

use super::scale::Scale;
use super::{CHARACTER, Caption, at, picture};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
/// Left of the plot, for the labels of the upright axis.
const LEFT: f64 = 68.0;
/// Right of it, for half of the last label.
const RIGHT: f64 = 30.0;
const TOP: f64 = 24.0;
/// Below the plot, for labels and the name of the axis.
const BOTTOM: f64 = 40.0;
/// Height of a line of the legend.
const LINE: f64 = 16.0;
/// Width of a character where the window is narrow, and the letters are larger.
const LARGE: f64 = 1.2 * CHARACTER;
/// Kinds of marks and lines that are told apart; further series take them again.
pub(crate) const KINDS: usize = 6;
/// Points of a series up to which each has a mark of its own.
const MARKED: usize = 60;

/// A value over another, with the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

impl Point {
    pub(crate) fn bare(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }

    fn finite_interval(&self) -> Option<(f64, f64)> {
        self.interval.filter(|(low, high)| low.is_finite() && high.is_finite())
    }
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// Marks, with lines between neighbours.
    Joined,
    /// Marks alone.
    Marks,
    /// A thin line without marks: what is fitted, or a guide.
    Guide,
}

/// What belongs together, in one colour, shape of mark and dash of line.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Fit to be shown, and short; empty of what goes on with the one before.
    pub(crate) name: String,
    pub(crate) drawn: Drawn,
    /// Which colour, mark and dash.
    pub(crate) kind: usize,
    /// In the order of x.
    pub(crate) points: Vec<Point>,
}

/// An axis and what it is called.
pub(crate) struct Named<'a> {
    pub(crate) scale: Scale,
    pub(crate) name: &'a str,
}

/// Distance of the labels of the upright axis in a long chart, which is seen in parts: a phone shows one of them, wherever it is moved to.
const REPEATED: f64 = 340.0;
/// Length of a chart that is looked at whole.
pub(crate) const WHOLE: f64 = WIDTH;

/// A chart.
pub(crate) struct Chart<'a> {
    /// In units; longer than [`WHOLE`] it is as wide on a page, and moved about in its window.
    pub(crate) length: f64,
    pub(crate) x: Named<'a>,
    pub(crate) y: Named<'a>,
    pub(crate) series: Vec<Series>,
    /// Upright lines at these values of x.
    pub(crate) upright: Vec<f64>,
}

impl Chart<'_> {
    /// Marks of all series, as they are drawn.
    pub(crate) fn picture(&self, said: &Caption<'_>) -> Markup {
        let legend = self.legend();
        let (width, height) = (self.length - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let top = TOP + legend.1;
        let x = |value: f64| LEFT + self.x.scale.place(value, width);
        let y = |value: f64| top + height - self.y.scale.place(value, height);
        let inside = html! {
            (legend.0)
            g class="grid" {
                @for (value, label) in self.y.scale.ticks(5) {
                    path d={ "M" (at(LEFT)) " " (at(y(value))) "h" (at(width)) } {}
                    text class="tick end" x=(at(LEFT - 6.0)) y=(at(y(value) + 4.0)) { (label) }
                }
                @for (place, label) in spaced(self.x.scale.ticks((8.0 * self.length / WIDTH) as usize).into_iter().map(|(value, label)| (x(value), label))) {
                    path d={ "M" (at(place)) " " (at(top + height)) "v4" } {}
                    text class="tick" x=(at(place)) y=(at(top + height + 16.0)) { (label) }
                }
                path class="frame" d={ "M" (at(LEFT)) " " (at(top)) "v" (at(height)) "h" (at(width)) } {}
            }
            text class="tick start" x="0" y=(at(top - 8.0)) { (axis_name(&self.y)) }
            text class="tick end" x=(at(LEFT + width)) y=(at(top + height + 32.0)) { (axis_name(&self.x)) }
            @for place in &self.upright { path class="zero" d={ "M" (at(x(*place))) " " (at(top)) "v" (at(height)) } {} }
            @for series in &self.series { (drawn(series, &x, &y)) }
            // Above the series, which would cross them out.
            @for (value, label) in self.y.scale.ticks(5) {
                @for again in 1..self.labels() {
                    text class="tick end over" x=(at(LEFT - 6.0 + again as f64 * REPEATED)) y=(at(y(value) - 3.0)) { (label) }
                }
                @if self.length <= WHOLE { text class="tick end over narrow" x=(at(width)) y=(at(y(value) - 3.0)) { (label) } }
            }
        };
        let class = if self.length > WIDTH { "chart long" } else { "chart" };
        picture(self.length, HEIGHT + legend.1, class, said, &inside)
    }

    /// How often the upright axis has labels.
    fn labels(&self) -> usize {
        if self.length > WHOLE { ((self.length - LEFT) / REPEATED).ceil() as usize } else { 1 }
    }

    /// The names of the series with their marks, and its height.
    fn legend(&self) -> (Markup, f64) {
        let named = || self.series.iter().filter(|series| !series.name.is_empty());
        if named().count() < 2 {
            return (html! {}, 0.0);
        }
        let (mut across, mut down) = (LEFT, 12.0);
        let mut entries = Vec::new();
        for series in named() {
            let wide = 26.0 + series.name.chars().count() as f64 * LARGE + 14.0;
            if across > LEFT && across + wide > WIDTH {
                (across, down) = (LEFT, down + LINE);
            }
            entries.push((across, down, series));
            across += wide;
        }
        let markup = html! {
            @for (x, y, series) in entries {
                @if series.drawn != Drawn::Marks { path class={ "line s" (series.kind % KINDS) @if series.drawn == Drawn::Guide { " guide" } } d={ "M" (at(x)) " " (at(y - 4.0)) "h20" } {} }
                @if series.drawn != Drawn::Guide { path class={ "dot s" (series.kind % KINDS) } d=(shape(series.kind, x + 10.0, y - 4.0)) {} }
                text class="name" x=(at(x + 26.0)) y=(at(y)) { (series.name) }
            }
        };
        (markup, down)
    }
}

fn axis_name(axis: &Named<'_>) -> String {
    format!("{}{}", axis.name, if axis.scale.is_logarithmic() { " (logarithmic)" } else { "" })
}

/// Labels that have room beside those before them.
fn spaced(labels: impl Iterator<Item = (f64, String)>) -> Vec<(f64, String)> {
    let mut labels: Vec<(f64, String)> = labels.collect();
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut end = f64::NEG_INFINITY;
    labels.retain(|(x, label)| {
        let half = label.chars().count() as f64 * LARGE / 2.0;
        let fits = x - half >= end;
        if fits {
            end = x + half + 6.0;
        }
        fits
    });
    labels
}

fn drawn(series: &Series, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) -> Markup {
    let finite: Vec<&Point> = series.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect();
    let kind = series.kind % KINDS;
    let marked = series.drawn != Drawn::Guide && (finite.len() <= MARKED || series.drawn == Drawn::Marks);
    let (line, whiskers) = if marked { marked_paths(&finite, x, y) } else { dense_paths(&finite, x, y) };
    html! {
        @if series.drawn != Drawn::Marks && finite.len() > 1 {
            path class={ "line s" (kind) @if series.drawn == Drawn::Guide { " guide" } } d=(line) {}
        }
        @if !whiskers.is_empty() { path class={ "error s" (kind) } d=(whiskers) {} }
        @if marked { @for point in finite { path class={ "dot s" (kind) } d=(shape(series.kind, x(point.x), y(point.y))) {} } }
    }
}

/// The line through points, and their intervals with bars at both ends.
fn marked_paths(points: &[&Point], x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) -> (String, String) {
    const BAR: f64 = 3.0;
    let line: Vec<String> = points.iter().map(|point| format!("{} {}", at(x(point.x)), at(y(point.y)))).collect();
    let whiskers = points.iter().filter_map(|point| {
        let (low, high) = point.finite_interval()?;
        let (x, low, high) = (x(point.x), y(low), y(high));
        let bar = |end: f64| format!("M{} {}h{}", at(x - BAR), at(end), at(2.0 * BAR));
        Some(format!("M{} {}V{}{}{}", at(x), at(low), at(high), bar(low), bar(high)))
    });
    (format!("M{}", line.join("L")), whiskers.collect())
}

/// The same of points so close together that bars would run into each other. A history may have thousands of runs, so each place is told by how far
/// it lies from the one before, in tenths: rounded once, it doesn't drift. Counts mostly repeat themselves: what lies on a level line between its neighbours isn't told, and no
/// interval that is too short to be seen.
fn dense_paths(points: &[&Point], x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) -> (String, String) {
    let place = |along: f64, up: f64| (tenths(x(along)), tenths(y(up)));
    let by = |from: (i64, i64), to: (i64, i64)| format!("{} {}", of_tenths(to.0 - from.0), of_tenths(to.1 - from.1));
    let (mut line, mut whiskers) = (String::new(), String::new());
    let (mut here, mut end) = (None, None);
    for (at, point) in points.iter().enumerate() {
        let there = place(point.x, point.y);
        let is_level = |other: Option<&&Point>| other.is_some_and(|other| place(other.x, other.y).1 == there.1);
        if !(is_level(at.checked_sub(1).and_then(|at| points.get(at))) && is_level(points.get(at + 1))) {
            let step = |from| format!("{} ", by(from, there));
            line.push_str(&here.map_or_else(|| format!("M{}l", by((0, 0), there)), step));
            here = Some(there);
        }
        let Some((low, high)) = point.finite_interval() else { continue };
        let (low, high) = (place(point.x, low), place(point.x, high));
        if low.1 == high.1 {
            continue;
        }
        let start = end.map_or_else(|| format!("M{}", by((0, 0), low)), |from| format!("m{}", by(from, low)));
        whiskers.push_str(&format!("{start}v{}", of_tenths(high.1 - low.1)));
        end = Some(high);
    }
    (line.trim_end_matches([' ', 'l']).to_owned(), whiskers)
}

fn tenths(place: f64) -> i64 {
    (place * 10.0).round() as i64
}

fn of_tenths(tenths: i64) -> String {
    at(tenths as f64 / 10.0)
}

/// A mark: its shape says the series besides its colour.
pub(super) fn shape(kind: usize, x: f64, y: f64) -> String {
    // Beyond as many as there are colours each has another shape of its colour.
    match (kind + kind / KINDS) % KINDS {
        0 => format!("M{} {}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", at(x - 4.0), at(y)),
        1 => format!("M{} {}h7v7h-7z", at(x - 3.5), at(y - 3.5)),
        2 => format!("M{} {}l5 8h-10z", at(x), at(y - 5.0)),
        3 => format!("M{} {}l5 5 -5 5 -5 -5z", at(x), at(y - 5.0)),
        4 => format!("M{} {}l5 -8h-10z", at(x), at(y + 5.0)),
        _ => format!("M{} {}h10v3h-10z", at(x - 5.0), at(y - 1.5)),
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Point, dense_paths, shape};

    #[test]
    fn series_of_one_colour_have_marks_of_their_own() {
        let marks = |kind: usize| (kind % KINDS, shape(kind, 0.0, 0.0));
        let all: std::collections::BTreeSet<(usize, String)> = (0..2 * KINDS).map(marks).collect();
        assert_eq!(all.len(), 2 * KINDS);
    }

    #[test]
    fn a_dense_line_is_told_by_steps_and_ends_where_it_has_to() {
        let up = |n: i32| f64::from(n % 2);
        let points: Vec<Point> =
            (0..500).map(|n| Point { x: f64::from(n) * 0.333, y: up(n), interval: Some((0.5, 2.04)) }).collect();
        let (line, whiskers) = dense_paths(&points.iter().collect::<Vec<_>>(), &|x| x, &|y| 10.0 - y);
        let steps: Vec<f64> = line[1..].split([' ', 'l']).map(|part| part.parse().unwrap()).collect();
        assert_eq!(steps.len(), 1_000);
        let (x, y) = steps.chunks(2).fold((0.0, 0.0), |(x, y), step| (x + step[0], y + step[1]));
        assert!((x - 499.0 * 0.333_f64).abs() < 0.06 && (y - 9.0_f64).abs() < 1e-6, "{x} {y}");
        assert!(whiskers.starts_with("M0 9.5v-1.5m0.3 1.5v-1.5m"), "{whiskers}");
        let bare = Point { x: 1.0, y: 1.0, interval: Some((f64::NAN, 1.0)) };
        assert_eq!(dense_paths(&[&bare], &|x| x, &|y| y), ("M1 1".to_owned(), String::new()));
        let level = [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        let level: Vec<Point> =
            (0..).zip(level).map(|(n, y)| Point { x: f64::from(n), y, interval: Some((y, y + 0.01)) }).collect();
        let told = dense_paths(&level.iter().collect::<Vec<_>>(), &|x| x, &|y| y);
        assert_eq!(told, ("M0 1l3 0 1 1 2 0".to_owned(), String::new()));
    }
}
