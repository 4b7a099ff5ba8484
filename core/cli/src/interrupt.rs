//! Ctrl-C and SIGTERM, and what is said of them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::exit::Refusal;

/// What is waited for where benchmarks are measured.
pub(crate) const ROUND: &str = "the round under way";
/// Where other things are done.
pub(crate) const STEP: &str = "the step under way";
/// Where pages are served.
pub(crate) const ANSWERS: &str = "the answers under way";

/// Set by the first Ctrl-C or SIGTERM; the second one ends the process at once. What is `awaited` then, is said.
pub(crate) fn stop_flag(awaited: &'static str) -> Result<Arc<AtomicBool>, Refusal> {
    Ok(tare_session::stop_flag(awaited, crate::screen::complain)?)
}
