//! Who asks: what is told to whom, and whether it is to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::event::{Event, Listener};

/// One thing that is asked for, from the request to the result.
pub struct Session<'a> {
    listener: &'a dyn Listener,
    stop: Arc<AtomicBool>,
}

impl<'a> Session<'a> {
    /// Ends after the round under way once `stop` is set.
    pub fn new(listener: &'a dyn Listener, stop: Arc<AtomicBool>) -> Self {
        Self { listener, stop }
    }

    /// Whether it is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Set when it is to stop.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    pub(crate) fn tell(&self, event: &Event) {
        self.listener.hear(event);
    }

    pub(crate) fn notice(&self, message: impl Into<String>) {
        self.tell(&Event::Notice { message: message.into() });
    }
}
