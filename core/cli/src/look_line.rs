//! How far the looks at cases are, on standard error: a bar on a terminal, else one line at their beginning.

use indicatif::ProgressBar;
use tare_session::LookingStep as Step;

use crate::progress::bar;
use crate::screen;

pub(crate) struct LookLine {
    bar: Option<ProgressBar>,
}

impl LookLine {
    pub(crate) fn new(cases: usize) -> Self {
        let bar = bar(cases as u64, "{bar:20.cyan/dim} {msg}");
        if bar.is_none() {
            let cases = if cases == 1 { "one case".to_owned() } else { format!("{cases} cases") };
            screen::complain(&format!("looking at {cases}, to find those that needn't be measured"));
        }
        Self { bar }
    }

    pub(crate) fn show(&self, step: Step, done: usize, of: usize) {
        let Some(bar) = &self.bar else { return };
        let what = match step {
            Step::Cases => "looking at cases",
            Step::Comparing => "comparing what they use",
        };
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        bar.set_message(format!("{what}: {done} of {of}"));
        bar.tick();
    }
}

impl Drop for LookLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
