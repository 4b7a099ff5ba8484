//! Results as people and programs read them: a table for a terminal, documents in JSON, a comment in Markdown, a report
//! in JUnit's XML, rows in CSV, a page in HTML.
//!
//! The crate takes values and gives strings. It opens nothing, prints nothing and asks no terminal: how wide the
//! terminal is, and whether it takes colour, is said in [`TableOptions`]. Names, messages and captured output come
//! from the user's code and are treated as hostile: in the terminal every control, bidirectional or invisible
//! character is shown escaped, and no line is wider than the width asked for.

mod allocations;
mod amount;
mod answer;
mod axis;
mod between_runs;
mod bisect_words;
mod brief;
mod csv;
mod early_row;
mod effect;
mod entries;
mod figure;
mod formats;
mod html;
mod json;
mod junit;
mod markdown;
mod message;
mod more_time;
mod names;
mod next_run;
mod order;
mod page_figures;
mod page_text;
mod pictures;
mod progress;
mod pull_request;
mod rates;
mod runtime_names;
mod sides;
mod sketch;
mod spread;
mod svg;
mod terminal;
mod text;
mod typical;
mod wording;
mod work;

pub use answer::{answer, answer_of};
pub use brief::{Attention, attention, brief};
pub use early_row::LiveLines;
pub use figure::time as plain_time;
pub use formats::{FORMATS, Format, REPORTS_TO_EXPORT, exported};
pub use html::{Beside, bisect_page, clocks_page, frame, html_page, load_page, profile_page, style};
pub use json::{
    Layout, bisect_document, clocks_document, doctor_document, list_document, load_document, log_document,
    profile_document, reasons_document, run_document,
};
pub use junit::junit_xml;
pub use markdown::markdown_summary;
pub use message::{visible_message, wrapped_message};
pub use names::Names;
pub use page_figures::{change_words, time_words, work_words};
pub use page_text::{attribute, command, copyable, short as short_name};
pub use pictures::{
    HistoryMark, HistoryOf, HistoryPicture, Picture, Theme, clocks_pictures, file_name, load_pictures, run_pictures,
};
pub use progress::{case_title, time_left};
pub use pull_request::{COMMENT, COMMENT_MARK, annotations};
pub use runtime_names::runtime_name;
pub use svg::sparkline;
pub use terminal::{
    TableOptions, bisect_bar, bisect_text, case_list, clocks_report, doctor_report, load_report, notices,
    profile_report, reasons, run_log, run_table, side_by_side, tune_report,
};
