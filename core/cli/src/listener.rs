//! What a session tells, on standard error.

use std::cell::RefCell;
use std::io::{self, IsTerminal};

use tare_session::{Event, Listener};

use crate::load_line::LoadLine;
use crate::progress::ProgressLine;
use crate::screen;
use crate::stage_line::{Spinner, StageLine};

/// Shows notices, and how far a run is.
#[derive(Default)]
pub(crate) struct Screen {
    /// While something is measured.
    progress: RefCell<Option<ProgressLine>>,
    /// While something is waited for.
    spinner: RefCell<Option<Spinner>>,
    /// While clocks are looked at.
    clocks: RefCell<Option<StageLine>>,
    /// While cases are looked at.
    looks: RefCell<Option<StageLine>>,
    /// While something is under load.
    load: RefCell<Option<LoadLine>>,
}

impl Screen {
    /// A message that stays, above the bar where there is one.
    fn say(&self, message: &str) {
        match (&*self.progress.borrow(), &*self.load.borrow()) {
            (Some(progress), _) => progress.above(message),
            (None, Some(load)) if load.above(&format!("tare: {}", tare_report::visible_message(message))) => {}
            _ => screen::complain(message),
        }
    }
}

impl Listener for Screen {
    fn hear(&self, event: &Event) {
        // Before anything is printed.
        drop(self.spinner.borrow_mut().take());
        event.sentences().iter().for_each(|message| self.say(message));
        match event {
            Event::Planned { groups, .. } => *self.progress.borrow_mut() = Some(ProgressLine::new(groups)),
            Event::Progress { .. } | Event::Rows { .. } => {
                self.progress.borrow_mut().iter_mut().for_each(|progress| progress.hear(event));
            }
            Event::Loading { .. } => self.load.borrow_mut().get_or_insert_with(LoadLine::new).show(event),
            Event::Loaded => {
                if let Some(load) = self.load.borrow_mut().take() {
                    load.clear();
                }
            }
            Event::Clocks { done, of, .. } => show(&self.clocks, event, *done, *of),
            Event::Bisected { probabilities, .. } if io::stderr().is_terminal() && screen::unicode_is_shown() => {
                let width = screen::error_columns().saturating_sub(2).clamp(10, 80);
                screen::complain_with(&format!("[{}]", tare_report::bisect_bar(probabilities, width)));
            }
            Event::ClocksDone => *self.clocks.borrow_mut() = None,
            Event::Looking { done, of, .. } => show(&self.looks, event, *done as u64, *of as u64),
            Event::Looked => *self.looks.borrow_mut() = None,
            Event::Measured { .. } => {
                if let Some(progress) = self.progress.borrow_mut().take() {
                    progress.clear();
                }
            }
            _ => *self.spinner.borrow_mut() = Spinner::of(event),
        }
    }
}

fn show(line: &RefCell<Option<StageLine>>, event: &Event, done: u64, of: u64) {
    if let Some((message, is_long)) = event.stage() {
        line.borrow_mut().get_or_insert_with(|| StageLine::new(of)).show(&message, done, is_long);
    }
}
