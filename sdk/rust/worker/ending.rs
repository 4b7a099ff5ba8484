//! The process ends while a request is under way: by `exit`, or by a panic that aborts. Then this tells the core.

use super::fault::Fault;
use super::frame::Frame;
use super::{panics, sys};
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard};

/// What to do about a panic between benchmarks.
pub(crate) const REPAIR: &str = "Repair it: the benchmarks that this function defines after that line are missing.";

/// What is told, and where.
struct Pending {
    output: File,
    process: u32,
    request: i64,
    doing: String,
    file: String,
    line: u32,
    /// Whether the process goes through the cases: the end of a main function of the user's is the end of them.
    is_on_its_way: bool,
}

static PENDING: Mutex<Option<Pending>> = Mutex::new(None);
/// Whether a main function of the front end's tells that all cases were offered.
static TELLS_ITS_END: Mutex<bool> = Mutex::new(false);

fn pending() -> MutexGuard<'static, Option<Pending>> {
    PENDING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What is done where the end of the process is the end of the cases.
static CONCLUDE: Mutex<Option<fn()>> = Mutex::new(None);

/// `conclude` is called where the end of the process is the end of the cases.
pub(crate) fn concludes(conclude: fn()) {
    *CONCLUDE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(conclude);
}

/// Once in a process that speaks to the core.
pub(crate) fn watch() {
    panics::watch(send);
    sys::when_it_exits(at_exit);
}

/// A main function of the front end's tells that all cases were offered.
pub(crate) fn is_told() {
    *TELLS_ITS_END.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
}

pub(crate) fn expect(output: Option<File>, request: i64, doing: &str, file: &str, line: u32, is_on_its_way: bool) {
    *pending() = output.map(|output| Pending {
        output,
        process: std::process::id(),
        request,
        doing: doing.to_owned(),
        file: file.to_owned(),
        line,
        is_on_its_way,
    });
}

/// Nothing is under way.
pub(crate) fn expect_nothing() {
    *pending() = None;
}

fn send(fault: Fault) {
    if let Some(mut pending) = pending().take() {
        // A forked child of the user's isn't the worker.
        if pending.process == std::process::id() {
            let fault = fault.placed(&pending.file, pending.line);
            let fault = if pending.is_on_its_way && fault.kind == "exception" {
                Fault { kind: "load", ..fault }.with_remedy(REPAIR)
            } else {
                fault
            };
            let line = Frame::new("fault", pending.request).fault(&fault).line();
            let _ = pending.output.write_all(line.as_bytes());
        }
    }
}

/// It runs after what user code has registered itself since.
extern "C" fn at_exit() {
    let (is_on_its_way, doing) = match &*pending() {
        Some(pending) if pending.process == std::process::id() => (pending.is_on_its_way, pending.doing.clone()),
        _ => return,
    };
    let is_told = *TELLS_ITS_END.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(panic) = panics::last() {
        send(panic);
    } else if is_on_its_way && !is_told {
        let conclude = *CONCLUDE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(conclude) = conclude {
            conclude();
        }
    } else {
        let message = format!("User code ended the process while {doing}.");
        send(Fault::new("exit", message).with_remedy("Remove the call of std::process::exit from what is measured."));
    }
}
