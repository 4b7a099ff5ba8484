//! Panics of user code, as faults.

use super::fault::Fault;
use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// Where and why a measuring thread panicked last.
static LAST: Mutex<Option<Fault>> = Mutex::new(None);

thread_local! {
    /// Whether the thread runs what is measured.
    static MEASURES: Cell<bool> = const { Cell::new(false) };
}

/// Panics of the calling thread are those of what is measured.
pub(crate) fn keep_those_of_this_thread() {
    MEASURES.with(|measures| measures.set(true));
}

/// Keeps what the calling thread's panics say, instead of printing it; those of other threads are told as before. Where a panic aborts the process, it is sent first.
pub(crate) fn watch(send: fn(Fault)) {
    keep_those_of_this_thread();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !MEASURES.try_with(Cell::get).unwrap_or(false) {
            return before(info);
        }
        let fault = Fault::new("exception", words(info.payload()));
        let fault = match info.location() {
            Some(place) => fault.placed(place.file(), place.line()),
            None => fault,
        };
        if cfg!(panic = "abort") {
            send(fault.clone());
        }
        *LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(fault);
    }));
}

/// The panic that ended the measuring thread, if one did.
pub(crate) fn last() -> Option<Fault> {
    LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
}

/// Calls `code`, and makes a fault of this kind of its panic.
pub(crate) fn guarded<T>(kind: &'static str, code: impl FnOnce() -> T) -> Result<T, Fault> {
    panic::catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        let message = words(payload.as_ref());
        // A hook of the user's own may have taken the place of ours.
        let place = last().filter(|fault| fault.message == message).unwrap_or_default();
        Fault { kind, message, ..place }
    })
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    format!("It panicked: {}", text.unwrap_or_else(|| "the panic's value is no text".to_owned()))
}
