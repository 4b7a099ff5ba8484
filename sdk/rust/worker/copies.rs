//! Copies of the process for cases, where the core counts what they execute (PROTOCOL §1.13).

use super::listing::has_other_threads;
use super::sys;

/// Whether the core asks for copies.
pub(crate) fn are_asked() -> bool {
    std::env::var_os("TARE_COUNT").is_some_and(|count| count == "1")
}

/// Which process this is.
pub(crate) enum Copied {
    /// The first one, when the copy has answered everything up to its `finish`.
    Served,
    /// The copy for the case.
    Copy,
    /// The first one, which serves the case itself: it can't be copied.
    Alone,
}

/// Copies the process for a case that is about to be prepared. A copy that failed takes this process with it.
pub(crate) fn serve() -> Copied {
    if has_other_threads() {
        return Copied::Alone;
    }
    match sys::copy_process() {
        None => Copied::Alone,
        Some(0) => Copied::Copy,
        Some(process) => match sys::wait_for(process) {
            sys::KILLED => Copied::Served,
            status => sys::end_process(if status & 0x7f == 0 { status >> 8 & 0xff } else { 1 }),
        },
    }
}

/// The case is finished: its copy ends. A counter would write all that it knows of a process that ends by itself, which takes longer than most cases.
pub(crate) fn finished() {
    sys::kill_self();
}
