//! Where samples and launches of each case lie, as the pages draw it: a histogram, a line a launch, a box over the launches, and the time with its interval,
//! on one axis.

use tare_samples::TimeUnit;
use tare_statistics::quantile::{quantile, sort};
use tare_statistics::{Distribution, Estimate};

use super::block;
use super::line::{Page, Style};
use crate::figure::Figure;
use crate::svg::{TimeAxis, extent};
use crate::text::width;
use tare_results::{RunView, VariantView};

/// Columns left of the plot, for what a line is of, and right of it, for figures.
const LEAD: usize = 10;
const FIGURES: usize = 18;
/// Fewest and most columns of the plot.
const PLOT: (usize, usize) = (20, 72);
/// Lines of a histogram.
const TALL: usize = 4;
/// Launches that have a line each, at most; of more the box says it.
const LISTED: usize = 12;
/// What the lines are.
const LEGEND: [&str; 4] = [
    "samples: how many took how long, with nothing subtracted",
    "launch: a fresh process, its time as a mark, the middle half of its samples as a line",
    "launches: the least of their times, the middle half as a box with the median in it, the greatest",
    "time: the mean of the launches with its interval; clock, call and other processes' use of the core are subtracted from times, not from samples",
];
/// Units of a picture to a column: labels are placed as on a page.
const UNITS: f64 = 8.0;

/// Several runs, one after the other.
pub(super) fn of_runs(page: &mut Page, runs: &[(String, RunView)]) {
    for (name, run) in runs {
        page.gap();
        block::heading(page, name);
        write(page, &run.variants);
    }
    page.gap();
}

/// Every variant that has samples. Sides of one case share their axis.
pub(super) fn write(page: &mut Page, variants: &[VariantView]) {
    if variants.iter().all(|variant| variant.distribution.is_none()) {
        return;
    }
    for variant in variants {
        let Some(found) = &variant.distribution else { continue };
        let case = variant.variant.case.id();
        let of_case = variants.iter().filter(|other| other.variant.case.id() == case);
        let Some((low, high)) = extent(of_case.filter_map(|other| other.distribution.as_ref())) else { continue };
        page.gap();
        block::heading(page, &variant.full_title());
        let columns = page.width.saturating_sub(LEAD + FIGURES).clamp(PLOT.0, PLOT.1);
        let plot = Plot { axis: TimeAxis::between(low, high), columns, unicode: page.unicode };
        plot.write(page, found, variant.summary.as_ref().map(|summary| summary.time));
    }
    page.gap();
    for line in LEGEND {
        page.prose(0, (Style::Dim, ""), Style::Dim, line);
    }
}

/// An axis over so many columns.
struct Plot {
    axis: TimeAxis,
    columns: usize,
    unicode: bool,
}

impl Plot {
    fn write(&self, page: &mut Page, found: &Distribution, time: Option<Estimate>) {
        let unit = TimeUnit::fitting(time.map_or(found.high, |time| time.estimate));
        for (number, row) in self.histogram(found).into_iter().enumerate() {
            let beyond = found.below + found.above;
            let note = if number == 0 && beyond > 0 { format!("{beyond} beyond") } else { String::new() };
            self.row(page, if number + 1 == TALL { "samples" } else { "" }, &row, &note);
        }
        if found.launches.len() <= LISTED {
            for (number, launch) in found.launches.iter().enumerate() {
                let row = self.span(launch.lower_quartile, launch.time, launch.upper_quartile, ['─', '─', '─', '●']);
                let figure = time.map_or(String::new(), |time| Figure::beside(launch.time, &time, unit).inline());
                self.row(page, &format!("launch {}", number + 1), &row, &figure);
            }
        }
        let mut times: Vec<f64> =
            found.launches.iter().map(|launch| launch.time).filter(|time| time.is_finite()).collect();
        sort(&mut times);
        if times.len() > 2 {
            self.row(page, "launches", &self.boxed(&times), &format!("{} of them", times.len()));
        }
        if let Some(time) = time.filter(Estimate::is_bounded) {
            let row = self.span(time.low, time.estimate, time.high, ['├', '─', '┤', '●']);
            self.row(page, "time", &row, &Figure::interval(&time, unit).inline());
        }
        self.ticks(page);
    }

    fn row(&self, page: &mut Page, lead: &str, row: &str, figure: &str) {
        let mut line = page.line();
        line.pad_to(2).push(Style::Dim, lead).pad_to(LEAD).push(Style::Plain, row.trim_end());
        if !figure.is_empty() {
            line.pad_to(LEAD + self.columns + 1).push(Style::Dim, figure);
        }
        page.put(line);
    }

    /// The column of a time, the nearest of those that there are.
    fn at(&self, time: f64) -> usize {
        let place = self.axis.place(time, self.columns as f64 * UNITS) / UNITS;
        (place.floor().max(0.0) as usize).min(self.columns - 1)
    }

    /// Lines from the top: how many samples lie in each column, the fullest column as high as all of them.
    fn histogram(&self, found: &Distribution) -> Vec<String> {
        let mut counts = vec![0.0; self.columns];
        let step = (found.high - found.low) / found.counts.len().max(1) as f64;
        for (bin, count) in found.counts.iter().enumerate() {
            let low = found.low + bin as f64 * step;
            let (from, to) = (self.at(low), self.at(low + step).max(self.at(low) + 1).min(self.columns));
            // A bin that is wider than a column stands in each of its columns, one that is narrower shares it.
            for column in &mut counts[from..to] {
                *column += *count as f64;
            }
        }
        if found.counts.is_empty() {
            // All samples are alike.
            counts[self.at(found.low)] = 1.0;
        }
        let most = counts.iter().copied().fold(0.0, f64::max);
        let glyphs: &[char] = if self.unicode {
            &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
        } else {
            &[' ', '.', ':', '#']
        };
        let steps = glyphs.len() - 1;
        let height = |count: f64| match most > 0.0 && count > 0.0 {
            true => ((count / most * (TALL * steps) as f64).round() as usize).max(1),
            false => 0,
        };
        (0..TALL)
            .rev()
            .map(|row| {
                counts.iter().map(|count| glyphs[height(*count).saturating_sub(row * steps).min(steps)]).collect()
            })
            .collect()
    }

    /// From `low` to `high` with a mark between: its ends, what is between, and the mark.
    fn span(&self, low: f64, middle: f64, high: f64, [open, between, shut, mark]: [char; 4]) -> String {
        if ![low, middle, high].iter().all(|end| end.is_finite()) {
            return String::new();
        }
        let (from, at, to) = (self.at(low), self.at(middle), self.at(high));
        let drawn = |column: usize| match column {
            column if column == at => mark,
            column if column == from => open,
            column if column == to => shut,
            column if column > from && column < to => between,
            _ => ' ',
        };
        (0..self.columns).map(drawn).collect()
    }

    /// Least, quartiles and greatest of sorted times: `├──▒▒┃▒───┤`.
    fn boxed(&self, times: &[f64]) -> String {
        let level = |level: f64| quantile(times, level).unwrap_or(f64::NAN);
        let (filled, median) = if self.unicode { ('▒', '┃') } else { ('=', '#') };
        let whiskers = self.span(level(0.0), level(0.5), level(1.0), ['├', '─', '┤', median]);
        let (from, to) = (self.at(level(0.25)), self.at(level(0.75)));
        whiskers
            .chars()
            .enumerate()
            .map(|(column, c)| if (from..=to).contains(&column) && c != median { filled } else { c })
            .collect()
    }

    fn ticks(&self, page: &mut Page) {
        let mut line = page.line();
        line.pad_to(LEAD);
        for (place, label) in self.axis.ticks(self.columns as f64 * UNITS) {
            let start = LEAD + ((place / UNITS).max(0.0) as usize).saturating_sub(width(&label) / 2);
            if start > line.width() || line.width() == LEAD {
                line.pad_to(start).push(Style::Dim, &label);
            }
        }
        page.put(line);
    }
}

#[cfg(test)]
mod tests {
    use super::{Plot, TALL};
    use crate::svg::TimeAxis;
    use tare_statistics::Distribution;

    fn plot() -> Plot {
        Plot { axis: TimeAxis::between(100.0, 200.0), columns: 50, unicode: true }
    }

    #[test]
    fn what_is_drawn_lies_where_the_axis_has_it() {
        let plot = plot();
        let span = plot.span(120.0, 150.0, 180.0, ['├', '─', '┤', '●']);
        let place = |mark: char| span.chars().position(|c| c == mark).unwrap();
        assert_eq!((place('├'), place('●'), place('┤')), (plot.at(120.0), plot.at(150.0), plot.at(180.0)));
        assert!(place('├') < place('●') && place('●') < place('┤'));
        assert_eq!(plot.span(f64::NAN, 150.0, 180.0, ['├', '─', '┤', '●']), "");
        let boxed = plot.boxed(&[110.0, 120.0, 150.0, 160.0, 190.0]);
        assert_eq!(boxed.chars().position(|c| c == '┃'), Some(plot.at(150.0)));
        assert!(boxed.contains('├') && boxed.contains('┤') && boxed.contains('▒'), "{boxed}");
    }

    #[test]
    fn the_fullest_column_is_the_tallest_and_no_sample_is_lost() {
        let mut found = Distribution { low: 100.0, high: 200.0, counts: vec![0; 40], ..Distribution::default() };
        (found.counts[3], found.counts[30]) = (100, 1);
        let rows = plot().histogram(&found);
        assert_eq!(rows.len(), TALL);
        assert!(rows.iter().all(|row| row.contains('█')), "{rows:?}");
        assert!(rows[TALL - 1].contains('▁'), "a single sample is to be seen: {rows:?}");
        let alike = Distribution { low: 150.0, high: 150.0, ..Distribution::default() };
        assert!(plot().histogram(&alike).concat().contains('█'));
    }
}
