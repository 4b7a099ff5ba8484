//! What the terminal is like, and how messages reach it.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use tare_report::{TableOptions, visible_message, wrapped_message};

use crate::arguments::Detail;

/// Where standard output isn't a terminal, reports are as wide as they are meant to be read.
const WIDTH: usize = 100;

/// How a table may be drawn on standard output.
pub(crate) fn table_options(detail: &Detail) -> TableOptions {
    let terminal = io::stdout().is_terminal();
    TableOptions {
        // Wider than this a row is hard to follow.
        width: width().clamp(40, 120),
        whole_names: !terminal,
        colour: terminal && colour_is_welcome(),
        unicode: unicode_is_shown(),
        raw: detail.raw,
        verbose: detail.verbose,
        chart: detail.chart,
        plots: false,
        all_rows: detail.all_rows,
    }
}

/// Columns: as `COLUMNS` says, else as the terminal does. Of a pipe it is the terminal that standard error has: `tare show | head` ends there. A terminal that knows its
/// columns but no rows is one all the same.
fn width() -> usize {
    let columns = |size: rustix::io::Result<rustix::termios::Winsize>| Some(usize::from(size.ok()?.ws_col));
    let of_errors = || columns(rustix::termios::tcgetwinsize(io::stderr()));
    let asked = || columns(rustix::termios::tcgetwinsize(io::stdout())).or_else(|| is_pipe().then(of_errors).flatten());
    said_width().or_else(|| asked().filter(|&columns| columns > 0)).unwrap_or(WIDTH)
}

/// Whether standard output is a pipe: what is written to a file is read elsewhere.
fn is_pipe() -> bool {
    rustix::fs::fstat(io::stdout()).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_fifo())
}

fn said_width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse::<usize>().ok());
    said.filter(|&columns| columns > 0)
}

/// <https://no-color.org>: any value but an empty one.
pub(crate) fn colour_is_welcome() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A locale that says what it encodes says UTF-8 or doesn't show it; one that says nothing is taken for a modern one.
pub(crate) fn unicode_is_shown() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale == "c" || locale == "posix" || locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// An error, on standard error.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}", said(message));
}

/// A message as it is shown on standard error, in lines as wide as that.
pub(crate) fn said(message: &str) -> String {
    let message = no_command(&format!("tare: {}", visible_message(message)));
    error_width().map(|width| wrapped_message(&message, width)).unwrap_or(message)
}

/// A text in which GitHub finds no command of its own. It reads standard error, too, and there nothing tells it when to stop: `::name` is one where a line begins,
/// `##[name]` anywhere.
fn no_command(text: &str) -> String {
    if std::env::var_os("GITHUB_ACTIONS").is_none() {
        return text.to_owned();
    }
    harmless(text)
}

fn harmless(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.trim_start().starts_with("::") {
        true => line.replacen("::", ": :", 1),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n").replace("##[", "## [")
}

/// Columns for what is redrawn on standard error, and rows.
pub(crate) fn error_columns() -> usize {
    error_width().unwrap_or(WIDTH)
}

pub(crate) fn error_rows() -> usize {
    rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_row))
}

/// Columns of standard error; `None` where nobody says, as in a file.
fn error_width() -> Option<usize> {
    let asked = || Some(usize::from(rustix::termios::tcgetwinsize(io::stderr()).ok()?.ws_col));
    said_width().or_else(|| asked().filter(|&columns| columns > 0)).map(|columns| columns.clamp(40, 120))
}

/// What belongs to an error that follows, already laid out, on standard error.
pub(crate) fn complain_with(text: &str) {
    if !text.trim().is_empty() {
        let _ = writeln!(io::stderr(), "{}", no_command(text.trim_end()));
    }
}

/// What kept a report from reaching standard output.
static LOST: OnceLock<String> = OnceLock::new();

/// Why something that was printed never arrived. A reader that went away is no reason: it had enough.
pub(crate) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// Text for standard output.
pub(crate) fn print(text: &str) {
    print_bytes(text.as_bytes());
    if !text.ends_with('\n') {
        print_bytes(b"\n");
    }
}

/// What is for standard output as it is.
pub(crate) fn print_bytes(bytes: &[u8]) {
    let mut out = io::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = LOST.set(error.to_string());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn github_finds_no_command_in_a_message() {
        let hostile = "tare: a ##[error]b\n  ::error::c\n::stop-commands::d\nKind::name";
        assert_eq!(harmless(hostile), "tare: a ## [error]b\n  : :error::c\n: :stop-commands::d\nKind::name");
    }
}
