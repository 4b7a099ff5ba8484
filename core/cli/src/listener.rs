//! What a session tells, on standard error.

use std::cell::RefCell;

use tare_session::{Event, Listener, PreparationStep};

use crate::clock_line::ClockLine;
use crate::load_line::LoadLine;
use crate::progress::ProgressLine;
use crate::screen;

/// Shows notices, and how far a run is.
#[derive(Default)]
pub(crate) struct Screen {
    /// While something is measured.
    progress: RefCell<Option<ProgressLine>>,
    /// While clocks are looked at.
    clocks: RefCell<Option<ClockLine>>,
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
        match event {
            Event::Notice { message } => self.say(message),
            Event::Preparing { side, step } => self.say(&match step {
                PreparationStep::Waiting => format!("{side}: waiting for another tare that prepares it"),
                PreparationStep::CheckingOut => format!("{side}: checking out"),
                PreparationStep::FetchingSubmodules => format!("{side}: fetching submodules"),
                PreparationStep::Preparing => format!("{side}: preparing"),
            }),
            Event::Building { side, command } if side.is_empty() => self.say(&format!("building: {command}")),
            Event::Building { side, command } => self.say(&format!("{side}: building: {command}")),
            Event::Waiting { holder } => {
                self.say(&format!("waiting for {holder}: two measurements at once would disturb each other"));
            }
            Event::Planned { groups, .. } => *self.progress.borrow_mut() = Some(ProgressLine::new(groups)),
            Event::Progress { .. } | Event::Rows { .. } => {
                self.progress.borrow_mut().iter_mut().for_each(|progress| progress.hear(event));
            }
            Event::StoreFailed { message } => {
                self.say(message);
                self.say(
                    "measuring goes on without the store; what was stored before is kept, the rest is only reported",
                );
            }
            Event::Loading { .. } => self.load.borrow_mut().get_or_insert_with(LoadLine::new).show(event),
            Event::Loaded => {
                if let Some(load) = self.load.borrow_mut().take() {
                    load.clear();
                }
            }
            Event::Clocks { runtime, stage, done, of } => {
                let mut clocks = self.clocks.borrow_mut();
                clocks.get_or_insert_with(|| ClockLine::new(*of)).show(runtime, stage, *done);
            }
            Event::ClocksDone => *self.clocks.borrow_mut() = None,
            Event::Measured { .. } => {
                if let Some(progress) = self.progress.borrow_mut().take() {
                    progress.clear();
                }
            }
            Event::Calibrated { .. } | Event::Launched { .. } | Event::Ended { .. } => {}
        }
    }
}
