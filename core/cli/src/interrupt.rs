//! Ctrl-C and SIGTERM, and what is said of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use tare_session::Signals;

use crate::exit::Refusal;

/// Set by the first Ctrl-C or SIGTERM; the second one ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Refusal> {
    Ok(tare_session::stop_flag(crate::screen::complain)?)
}

/// Counts the signals that ask for an end, none of which ends this process from here on.
pub(crate) fn counted_signals() -> Result<Signals, tare_session::Error> {
    let counted = Signals::default();
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        .map_err(|error| tare_session::Error::failed(format!("signals can't be handled: {error}")))?;
    let Signals { count, last } = counted.clone();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            last.store(signal.cast_unsigned() as usize, Ordering::SeqCst);
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    Ok(counted)
}
