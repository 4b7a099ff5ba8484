//! Progress of load on standard error: a line that is drawn anew each second on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tare_session::Event;

/// Without a terminal a line is printed so often, in seconds.
const EVERY_S: u64 = 10;

/// How far a load is.
pub(crate) struct LoadLine {
    bar: Option<ProgressBar>,
    /// The second of the newest line.
    shown_s: u64,
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

    pub(crate) fn show(&mut self, event: &Event) {
        let Event::Loading { elapsed_s, rate, what, failed, p99_ns, block, blocks } = event else { return };
        if self.bar.is_none() && *elapsed_s < self.shown_s + EVERY_S {
            return;
        }
        self.shown_s = *elapsed_s;
        let p99 = p99_ns.map_or("–".to_owned(), |value| format!("{:.2} ms", value as f64 / 1e6));
        let block = if *blocks > 2 { format!(" · block {block}/{blocks}") } else { String::new() };
        let text = format!("{elapsed_s} s · {rate:.0} {what}/s · {failed} failed · p99 {p99} so far{block}");
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
