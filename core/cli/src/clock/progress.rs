//! How far it is, on standard error: a bar on a terminal, else a line for what takes a while. Drawn between measurements only.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen;

/// Stages of a runtime.
pub(super) const STAGES: [&str; 5] = ["first readings", "clocks", "waits", "system calls", "last readings"];
/// Those that take a while.
const LONG: [&str; 2] = ["clocks", "waits"];

pub(super) struct Stages {
    bar: Option<ProgressBar>,
}

impl Stages {
    pub(super) fn of(runtimes: usize) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let steps = (runtimes * STAGES.len()) as u64;
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
            let template = if screen::colour_is_welcome() { "{bar:20.cyan/dim} {msg}" } else { "{bar:20} {msg}" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar
        });
        Self { bar }
    }

    /// A runtime's stage begins.
    pub(super) fn show(&self, runtime: &str, stage: &str) {
        match &self.bar {
            Some(bar) => {
                let runtime: String = screen::visible(runtime).replace('\n', " ").chars().take(40).collect();
                bar.set_message(format!("{runtime}: {stage}"));
                bar.tick();
            }
            None if LONG.contains(&stage) => screen::complain(&format!("{runtime}: {stage}")),
            None => {}
        }
    }

    /// It is over.
    pub(super) fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
