//! The commits of a search as a line of probabilities, as it moves from step to step.

use tare_results::{BisectStep, BisectView};

use super::{Picture, Table};
use crate::bisect_words::{percent, place_words};
use crate::page_text::shortened;
use crate::svg::{Caption, LineOfSteps, lines_of_steps};

/// Columns of a picture; where there are more commits, a column has several.
const COLUMNS: usize = 128;
/// Columns of a subject in a table.
const SUBJECT: usize = 60;

/// A row a step, from the top; `None` where none was taken.
pub(crate) fn of_search(view: &BisectView) -> Option<Picture> {
    if view.course.is_empty() || view.history.is_empty() {
        return None;
    }
    let title = "Where the change came";
    let (columns, lines) = (columns(view.history.len()), rows(view));
    let first = view.history.first().map_or("", |commit| commit.short.as_str());
    let last = view.history.last().map_or("", |commit| commit.short.as_str());
    let caption =
        Caption { title, description: "A row a step; the higher a bar, the likelier its commit", table: "commits-t" };
    let svg = |is_narrow| lines_of_steps(&lines, columns, [first, last], &caption, is_narrow);
    let mut says = vec![
        "Each row is a step, the first on top. A bar is a commit, the oldest on the left: the higher, the likelier is it that the commit brought the change. ▲ marks the version that the step looked at.".to_owned(),
    ];
    if columns < view.history.len() {
        says.push(format!("A bar stands for up to {} commits.", view.history.len().div_ceil(columns)));
    }
    let (wide, narrow) = (svg(false), Some(svg(true)));
    Some(Picture { name: "commits".into(), title: title.into(), says, svg: wide, narrow, table: table(view) })
}

fn columns(commits: usize) -> usize {
    commits.min(COLUMNS)
}

fn rows(view: &BisectView) -> Vec<LineOfSteps> {
    let commits = view.history.len();
    let columns = columns(commits);
    let column = |at: usize| at * columns / commits;
    let row = |(number, probabilities): (usize, &Vec<f64>)| {
        let mut sums = vec![0.0; columns];
        probabilities.iter().enumerate().for_each(|(at, p)| sums[column(at).min(columns - 1)] += p);
        let step: Option<&BisectStep> = view.steps.get(number);
        let looked_at = step.and_then(|step| view.history.iter().position(|commit| commit.commit == step.commit));
        LineOfSteps { name: (number + 1).to_string(), shares: sums, marked: looked_at.map(column) }
    };
    view.course.iter().enumerate().map(row).collect()
}

/// The likeliest commits in the end, and each step.
fn table(view: &BisectView) -> Table {
    let head = ["step", "version", "what it showed", "likeliest commit", "its probability", "subject"];
    let subject = |short: &str| {
        let commit = view.history.iter().find(|commit| commit.short == short);
        commit.map_or(String::new(), |commit| shortened(&commit.subject, SUBJECT))
    };
    let row = |(number, step): (usize, &BisectStep)| {
        vec![
            (number + 1).to_string(),
            step.short.clone(),
            place_words(step, [&view.good.name, &view.bad.name]),
            step.likeliest.short.clone(),
            percent(step.likeliest.probability),
            subject(&step.likeliest.short),
        ]
    };
    Table { head: head.map(str::to_owned).to_vec(), rows: view.steps.iter().enumerate().map(row).collect() }
}
