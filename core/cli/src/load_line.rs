//! Progress of load on standard error: a line that is drawn anew each second on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Without a terminal a line is printed so often, in seconds.
const EVERY_S: u64 = 10;

/// How far a load is.
pub(crate) struct LoadLine {
    bar: Option<ProgressBar>,
    /// The second of the newest line.
    shown_s: u64,
}

/// What a line says.
pub(crate) struct Way<'a> {
    pub(crate) elapsed_s: u64,
    pub(crate) rate: f64,
    pub(crate) what: &'a str,
    pub(crate) failed: u64,
    pub(crate) p99_ns: Option<u64>,
    pub(crate) block: usize,
    pub(crate) blocks: usize,
}

impl LoadLine {
    pub(crate) fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(2));
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, shown_s: 0 }
    }

    pub(crate) fn show(&mut self, way: &Way<'_>) {
        if self.bar.is_none() && way.elapsed_s < self.shown_s + EVERY_S {
            return;
        }
        self.shown_s = way.elapsed_s;
        let p99 = way.p99_ns.map_or("–".to_owned(), |value| format!("{:.2} ms", value as f64 / 1e6));
        let block = if way.blocks > 2 { format!(" · block {}/{}", way.block, way.blocks) } else { String::new() };
        let text = format!(
            "{} s · {:.0} {}/s · {} failed · p99 {p99} so far{block}",
            way.elapsed_s, way.rate, way.what, way.failed
        );
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => {
                let _ = writeln!(io::stderr(), "{text}");
            }
        }
    }

    /// All is done: the line goes, the report follows.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A message that stays, above the line; whether there is one.
    pub(crate) fn above(&self, message: &str) -> bool {
        match &self.bar {
            Some(bar) => {
                bar.println(message);
                true
            }
            None => false,
        }
    }
}
