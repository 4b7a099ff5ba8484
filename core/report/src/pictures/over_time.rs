//! A case over its runs.

use maud::Markup;
use tare_statistics::Estimate;

use super::{Picture, Table};
use crate::page_figures::{time_words, work_words};
use crate::page_text::shortened;
use crate::svg::{Caption, Chart, Drawn, Measure, Named, Point, Scale, Series, WHOLE};

/// Length of a run in a long history.
const EACH: f64 = 4.0;
/// An interval that is shorter than this part of the axis is hidden by its point.
const HIDDEN: f64 = 0.01;

/// What a history is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryOf {
    /// Nanoseconds of a call.
    Time,
    /// Instructions of a call.
    Work,
}

impl HistoryOf {
    /// Values that differ by less than this part of them are drawn as if they differed by as much.
    pub fn flattest(self) -> f64 {
        match self {
            Self::Time => 0.02,
            Self::Work => 0.005,
        }
    }

    fn axis(self) -> &'static str {
        match self {
            Self::Time => "time of a call",
            Self::Work => "instructions of a call",
        }
    }

    fn change(self) -> &'static str {
        match self {
            Self::Time => "change of level",
            Self::Work => "change of work",
        }
    }

    fn words(self, value: &Estimate) -> String {
        match self {
            Self::Time => time_words(value),
            Self::Work => work_words(value),
        }
    }
}

/// A run in a case's history.
#[derive(Debug, Clone)]
pub struct HistoryMark {
    /// What the run is called: its commit, or its id.
    pub label: String,
    /// When it began.
    pub started: String,
    /// Its value; `None` leaves a gap.
    pub value: Option<Estimate>,
    /// It has nothing to do with the values before it, so no line leads to it.
    pub apart: bool,
}

/// A case over its runs, oldest first, and the places at which its level changes.
#[derive(Debug, Clone)]
pub struct HistoryPicture<'a> {
    /// What its values are.
    pub of: HistoryOf,
    /// The case.
    pub title: &'a str,
    /// Its runs.
    pub marks: &'a [HistoryMark],
    /// Indices of the first run of each new level.
    pub changes: &'a [usize],
    /// Of so many runs, the newest, the table behind the picture has the figures.
    pub listed: usize,
}

impl HistoryPicture<'_> {
    /// The picture with its sentences and its table; `None` without values.
    pub fn picture(&self) -> Option<Picture> {
        let ends = self
            .marks
            .iter()
            .filter_map(|mark| mark.value)
            .flat_map(|value| [value.low, value.estimate, value.high])
            .filter(|end| end.is_finite());
        let (low, high) = ends.fold(None, |ends: Option<(f64, f64)>, end| {
            Some(ends.map_or((end, end), |(low, high)| (low.min(end), high.max(end))))
        })?;
        let y = Scale::linear(
            if low > 0.5 * high { low - (high - low).max(self.of.flattest() * high) * 0.2 } else { low.min(0.0) },
            high,
            match self.of {
                HistoryOf::Time => Measure::Time,
                HistoryOf::Work => Measure::Number,
            },
        );
        let last = self.marks.len().max(2) as f64;
        let from_0 = low <= 0.5 * high;
        let change = self.of.change();
        let says = match self.changes.len() {
            0 => format!("There is no {change}."),
            1 => format!("1 {change}, at the upright line."),
            count => format!("{count} {}, at the upright lines.", change.replace("change", "changes")),
        };
        let says = if from_0 { says } else { format!("{says} The upright axis doesn't begin at 0.") };
        let title = shortened(self.title, 90);
        let name = match self.of {
            HistoryOf::Time => "history",
            HistoryOf::Work => "work",
        };
        let chart = Chart {
            length: WHOLE.max(self.marks.len() as f64 * EACH),
            x: Named { scale: Scale::linear(0.5, last, Measure::Count), name: "run, oldest first" },
            y: Named { scale: y, name: self.of.axis() },
            series: self.series(HIDDEN * (high - low)),
            upright: self.changes.iter().map(|change| *change as f64 + 0.5).collect(),
        };
        let svg: Markup =
            chart.picture(&Caption { title: &title, description: &says, table: &Picture::table_id(name) });
        let row = |(number, mark, value): (usize, &HistoryMark, Estimate)| {
            vec![
                (number + 1).to_string(),
                shortened(&mark.label, 60),
                shortened(&mark.started, 40),
                self.of.words(&value),
            ]
        };
        let head = ["run", "commit", "begun", self.of.axis()].map(str::to_owned).to_vec();
        let valued: Vec<_> =
            self.marks.iter().enumerate().filter_map(|(number, mark)| Some((number, mark, mark.value?))).collect();
        let runs = valued.len();
        let left_out = runs.saturating_sub(self.listed);
        let mut rows: Vec<Vec<String>> = valued.into_iter().skip(left_out).map(row).collect();
        if self.of == HistoryOf::Work {
            // Identical code mostly counts the same to the last digit.
            rows.dedup_by(|one, before| one.last() == before.last());
        }
        let mut sentences = vec![says];
        if left_out > 0 {
            sentences.push(format!("Of the newest {} runs the figures stand below the picture.", self.listed));
        }
        if rows.len() + left_out < runs {
            sentences.push("A run that counts the same as the one before it has no row.".to_owned());
        }
        Some(Picture { name: name.into(), title, says: sentences, svg, narrow: None, table: Table { head, rows } })
    }

    /// The values, a series for each stretch without a gap. What is no longer than `hidden` isn't drawn as an interval.
    fn series(&self, hidden: f64) -> Vec<Series> {
        let mut all: Vec<Series> = Vec::new();
        let mut goes_on = false;
        for (number, mark) in self.marks.iter().enumerate() {
            let Some(value) = mark.value else {
                goes_on = false;
                continue;
            };
            let point = Point {
                x: (number + 1) as f64,
                y: value.estimate,
                interval: (value.is_bounded() && value.high - value.low > hidden).then_some((value.low, value.high)),
            };
            match all.last_mut().filter(|_| goes_on && !mark.apart) {
                Some(series) => series.points.push(point),
                None => {
                    let name = if all.is_empty() { self.of.axis().to_owned() } else { String::new() };
                    all.push(Series { name, drawn: Drawn::Joined, kind: 0, points: vec![point] });
                }
            }
            goes_on = true;
        }
        all
    }
}
