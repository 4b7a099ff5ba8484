//! A session: one thing that is asked for, the listener that hears how it goes, and the flag that stops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tare_machine::Patience;

use crate::event::{Event, Listener};

/// One thing that is asked for, from the request to the result.
pub struct Session<'a> {
    listener: &'a dyn Listener,
    stop: Arc<AtomicBool>,
    patience: Patience,
}

impl<'a> Session<'a> {
    /// `listener` hears what happens. Once `stop` is set, measuring ends after the round under way.
    pub fn new(listener: &'a dyn Listener, stop: Arc<AtomicBool>) -> Self {
        Self { listener, stop, patience: Patience::Waits }
    }

    /// With `goes_away` it ends with an error where something else is measured on this machine, instead of waiting for that (`--no-wait`).
    #[must_use]
    pub fn going_away(self, goes_away: bool) -> Self {
        Self { patience: if goes_away { Patience::GoesAway } else { Patience::Waits }, ..self }
    }

    /// The same session, told to another listener.
    pub(crate) fn told_to<'b>(&self, listener: &'b dyn Listener) -> Session<'b> {
        Session { listener, stop: Arc::clone(&self.stop), patience: self.patience }
    }

    /// Who hears what happens.
    pub(crate) fn listener(&self) -> &'a dyn Listener {
        self.listener
    }

    /// Whether others that measure are waited for.
    pub(crate) fn patience(&self) -> Patience {
        self.patience
    }

    /// Whether it is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Set when it is to stop.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    pub(crate) fn emit(&self, event: &Event) {
        self.listener.hear(event);
    }

    pub(crate) fn notice(&self, message: impl Into<String>) {
        self.emit(&Event::Notice { message: message.into() });
    }
}
