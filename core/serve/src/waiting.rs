//! A store that is locked: who asked while another one waited in vain needn't wait once more. Few answers are made at a time, so that each would wait for those before it.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// When a wait was last in vain, and what was said of it.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<Option<(Instant, String)>>);

impl Waits {
    /// What is to be said to somebody who asked at that time; `None` where nobody has waited in vain since.
    pub(crate) fn known(&self, asked: Instant) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(when, _)| *when >= asked).map(|(_, why)| why.clone())
    }

    /// A wait ended now, and the store was locked all the time.
    pub(crate) fn in_vain(&self, why: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), why.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Waits;

    #[test]
    fn who_asked_before_a_wait_ended_in_vain_is_told_and_who_asks_later_waits() {
        let waits = Waits::default();
        let before = Instant::now();
        assert_eq!(waits.known(before), None);
        waits.in_vain("locked");
        assert_eq!(waits.known(before).as_deref(), Some("locked"));
        assert_eq!(waits.known(Instant::now() + Duration::from_secs(1)), None);
    }
}
