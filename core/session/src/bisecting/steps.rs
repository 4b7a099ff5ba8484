//! What a user hears of the steps of a search.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::event::{Event, Listener, PreparationStep};

/// Hands on what is news: not that each version is checked out and looked at, nor what was said of another one already. How far a step is stays.
pub(super) struct Steps<'a> {
    listener: &'a dyn Listener,
    said: RefCell<BTreeSet<String>>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(listener: &'a dyn Listener) -> Self {
        Self { listener, said: RefCell::default() }
    }
}

impl Listener for Steps<'_> {
    fn hear(&self, event: &Event) {
        let is_news = match event {
            Event::Looking { .. } | Event::Looked | Event::Forecast { .. } | Event::Rows { .. } => false,
            Event::Preparing { step, .. } => *step != PreparationStep::CheckingOut,
            Event::Notice { message } => self.said.borrow_mut().insert(message.clone()),
            _ => true,
        };
        if is_news {
            self.listener.hear(event);
        }
    }
}
