//! Signals: Ctrl-C and SIGTERM end what is done, the limit on the size of files doesn't.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::error::Error;
use crate::tuning;

/// Status of a process that was interrupted: 128 + SIGINT, as a shell reports it.
const INTERRUPTED: i32 = 130;
/// Who asks a process to terminate mostly kills it after ten seconds, and then nothing is tidied up.
const PATIENCE: Duration = Duration::from_secs(8);

/// Set by the first Ctrl-C or SIGTERM, which is told, with what is waited for (`awaited`); the second one ends the process at once. After a SIGTERM it
/// ends in any case, even where it waits for something that never comes: nobody may be there to ask again.
///
/// # Errors
/// Signals can't be handled.
pub fn stop_flag(awaited: &'static str, tell: impl Fn(&str) + Send + 'static) -> Result<Arc<AtomicBool>, Error> {
    let failed = |error: std::io::Error| Error::failed(format!("signals can't be handled: {error}"));
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stop)).map_err(failed)?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    // It sleeps until the first signal: the round under way may take a while.
    begin(move || {
        let Some(first) = signals.forever().next() else { return };
        // What a build makes is of no use without the run.
        tare_worker::end_builds();
        let asked_again = match first {
            SIGTERM => format!("it ends in {} s in any case", PATIENCE.as_secs()),
            _ => "Ctrl-C again ends at once".to_owned(),
        };
        tell(&format!("stopping after {awaited}; {asked_again}"));
        if first == SIGTERM {
            std::thread::sleep(PATIENCE);
            tell(&format!("{awaited} didn't end; the store keeps everything before it"));
            tare_files::end_all();
            end();
        }
    })?;
    Ok(stop)
}

/// Counts the signals that ask for an end, none of which ends this process from here on.
///
/// # Errors
/// Signals can't be handled.
pub fn counted_signals() -> Result<tuning::Signals, Error> {
    let counted = tuning::Signals::default();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        .map_err(|error| Error::failed(format!("signals can't be handled: {error}")))?;
    let tuning::Signals { count, last } = counted.clone();
    begin(move || {
        for signal in signals.forever() {
            last.store(signal.cast_unsigned() as usize, Ordering::SeqCst);
            count.fetch_add(1, Ordering::SeqCst);
        }
    })?;
    Ok(counted)
}

/// A thread that hears signals.
fn begin(listening: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    std::thread::Builder::new().spawn(listening).map(drop).map_err(|error| {
        Error::failed(format!(
            "no thread can be started: {error}; end other programs of this user, or raise the limit on processes (ulimit -u)"
        ))
    })
}

#[allow(clippy::exit)]
fn end() {
    std::process::exit(INTERRUPTED);
}

/// A write beyond the limit on the size of files (`ulimit -f`) fails, and is told as other failures are, instead of ending the process
/// without a word. What is started is subject to the limit as ever: a handler isn't inherited.
pub fn survive_file_limit() {
    // Where signals can't be handled it is as it was.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
