//! Ctrl-C and SIGTERM: the first stops after the round under way, the second at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::anyhow;

use crate::exit::Refusal;
use crate::screen;

/// Set by the first Ctrl-C or SIGTERM; the second one ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Refusal> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Refusal::failed(anyhow!("signals can't be handled: {error}")))?;
    }
    tell_of_the_first_signal();
    Ok(stop)
}

/// A thread that sleeps until the first Ctrl-C and says what it does: the round under way may take a while.
fn tell_of_the_first_signal() {
    let signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM]);
    if let Ok(mut signals) = signals {
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                screen::complain("stopping after the round under way; Ctrl-C again ends at once");
            }
        });
    }
}
