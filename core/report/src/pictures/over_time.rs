//! A case over its runs.

use maud::Markup;
use tare_statistics::Estimate;

use super::{Picture, Table};
use crate::page_figures::time_words;
use crate::page_text::shortened;
use crate::svg::{Caption, Chart, Drawn, Measure, Named, Point, Scale, Series, WHOLE};

/// Length of a run in a long history.
const EACH: f64 = 4.0;

/// A run in a case's history.
#[derive(Debug, Clone)]
pub struct HistoryMark {
    /// What the run is called: its commit, or its id.
    pub label: String,
    /// When it began.
    pub started: String,
    /// Its time, nanoseconds.
    pub time: Estimate,
}

/// A case over its runs, oldest first, and the places at which its level changes.
#[derive(Debug, Clone)]
pub struct HistoryPicture<'a> {
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
    /// The picture with its sentences and its table; `None` without runs.
    pub fn picture(&self) -> Option<Picture> {
        let ends = self
            .marks
            .iter()
            .flat_map(|mark| [mark.time.low, mark.time.estimate, mark.time.high])
            .filter(|end| end.is_finite());
        let (low, high) = ends.fold(None, |ends: Option<(f64, f64)>, end| {
            Some(ends.map_or((end, end), |(low, high)| (low.min(end), high.max(end))))
        })?;
        let y = Scale::linear(
            if low > 0.5 * high { low - (high - low).max(0.02 * high) * 0.2 } else { low.min(0.0) },
            high,
            Measure::Time,
        );
        let last = self.marks.len().max(2) as f64;
        let point = |(number, mark): (usize, &HistoryMark)| Point {
            x: (number + 1) as f64,
            y: mark.time.estimate,
            interval: mark.time.is_bounded().then_some((mark.time.low, mark.time.high)),
        };
        let points: Vec<Point> = self.marks.iter().enumerate().map(point).collect();
        let series = vec![Series { name: "time".into(), drawn: Drawn::Joined, kind: 0, points }];
        let from_0 = low <= 0.5 * high;
        let says = match self.changes.len() {
            0 => "There is no change of level.".to_owned(),
            1 => "1 change of level, at the upright line.".to_owned(),
            count => format!("{count} changes of level, at the upright lines."),
        };
        let says = if from_0 { says } else { format!("{says} The upright axis doesn't begin at 0.") };
        let title = shortened(self.title, 90);
        let chart = Chart {
            length: WHOLE.max(self.marks.len() as f64 * EACH),
            x: Named { scale: Scale::linear(0.5, last, Measure::Count), name: "run, oldest first" },
            y: Named { scale: y, name: "time of a call" },
            series,
            upright: self.changes.iter().map(|change| *change as f64 + 0.5).collect(),
        };
        let svg: Markup = chart.picture(&Caption { title: &title, description: &says, table: "history-t" });
        let row = |(number, mark): (usize, &HistoryMark)| {
            vec![
                (number + 1).to_string(),
                shortened(&mark.label, 60),
                shortened(&mark.started, 40),
                time_words(&mark.time),
            ]
        };
        let head = ["run", "commit", "begun", "time of a call"].map(str::to_owned).to_vec();
        let left_out = self.marks.len().saturating_sub(self.listed);
        let rows = self.marks.iter().enumerate().skip(left_out).map(row).collect();
        let mut sentences = vec![says];
        if left_out > 0 {
            sentences.push(format!("Of the newest {} runs the figures stand below the picture.", self.listed));
        }
        Some(Picture { name: "history".into(), title, says: sentences, svg, narrow: None, table: Table { head, rows } })
    }
}
