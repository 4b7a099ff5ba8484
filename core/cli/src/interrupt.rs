//! Ctrl-C and SIGTERM: the first stops after the round under way, the second at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use tare_session::Signals;

use crate::exit::Refusal;
use crate::screen;

/// Set by the first Ctrl-C or SIGTERM; the second one ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Refusal> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Refusal::failed(anyhow!("signals can't be handled: {error}")))?;
    }
    tell_of_the_first_signal();
    Ok(stop)
}

/// A thread that sleeps until the first Ctrl-C and says what it does: the round under way may take a while.
fn tell_of_the_first_signal() {
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
    if let Ok(mut signals) = signals {
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                screen::complain("stopping after the round under way; Ctrl-C again ends at once");
            }
        });
    }
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
