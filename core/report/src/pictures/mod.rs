//! Every picture of a result, whatever shows it: the page, the local server, a file of its own. A picture comes with the table of its figures and
//! with a sentence that says what is to be seen in it.

mod alone;
mod cases;
mod clocks;
mod load;
mod over_time;
mod runtimes;
mod search;
mod sweep;

pub use alone::Theme;
pub(crate) use alone::{COLOURS, STYLE};
pub(crate) use cases::{drawn, forest_rows, ratio_axis};
pub use over_time::{HistoryMark, HistoryOf, HistoryPicture};
pub(crate) use search::of_search;

use crate::runtime_names::for_people;
use maud::{Markup, html};
use tare_results::{ClocksView, LoadView, RunView};

/// Rows of a table behind a picture.
const ROWS: usize = 400;

/// A picture with its figures.
#[derive(Debug, Clone)]
pub struct Picture {
    /// What its file is called, without an ending: letters, digits and `-`.
    pub name: String,
    /// A heading.
    pub(crate) title: String,
    /// What is to be seen in it: sentences.
    pub(crate) says: Vec<String>,
    pub(crate) svg: Markup,
    /// The same for a narrow window, where `svg` is too wide for one.
    pub(crate) narrow: Option<Markup>,
    pub(crate) table: Table,
}

/// The figures of a picture.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Picture {
    /// It as a part of a page: heading, sentences, picture, and the table to be opened.
    pub fn figure(&self) -> Markup {
        html! {
            figure class="picture" {
                figcaption { (self.title) }
                @for sentence in &self.says { p { (sentence) } }
                div class="wide" tabindex="0" role="region" aria-label=(self.title) { (self.svg) @if let Some(narrow) = &self.narrow { (narrow) } }
                @if !self.table.rows.is_empty() {
                    details class="behind" {
                        summary { "The figures" }
                        div class="wide" tabindex="0" role="region" aria-label={ "Figures of: " (self.title) } {
                            table id={ (self.name) "-t" } class="plain" {
                                thead { tr { @for head in &self.table.head { th scope="col" { (head) } } } }
                                tbody { @for row in self.table.rows.iter().take(ROWS) { tr { @for cell in row { td { (cell) } } } } }
                            }
                        }
                        @if self.table.rows.len() > ROWS { p class="legend" { (self.table.rows.len() - ROWS) " more rows aren't listed." } }
                    }
                }
            }
        }
    }

    /// What is said of it to who can't see it.
    fn table_id(name: &str) -> String {
        format!("{name}-t")
    }
}

/// Pictures of a run beside those of its rows: growth over a parameter, runtimes side by side.
pub(crate) fn of_whole_run(view: &RunView) -> Vec<Picture> {
    sweep::sweeps(view).into_iter().chain(runtimes::runtimes(view)).collect()
}

/// All pictures of a run: of its comparisons, its growth, its runtimes, each of its cases.
pub fn run_pictures(view: &RunView) -> Vec<Picture> {
    let view = &*for_people(view);
    let mut all: Vec<Picture> = cases::all(view).into_iter().chain(of_whole_run(view)).collect();
    all.extend(cases::each(view));
    all
}

/// All pictures of a load.
pub fn load_pictures(view: &LoadView) -> Vec<Picture> {
    load::pictures(view)
}

/// All pictures of clocks and waits.
pub fn clocks_pictures(view: &ClocksView) -> Vec<Picture> {
    clocks::pictures(view)
}

/// A part of a file's name, at most 60 bytes: lower-case letters and digits of ASCII, with one `-` in place of whatever lies between them. Empty of a text
/// without any.
pub fn file_name(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(400) {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if !name.ends_with('-') && !name.is_empty() => name.push('-'),
            _ => {}
        }
        if name.len() >= 60 {
            break;
        }
    }
    name.trim_end_matches('-').to_owned()
}
