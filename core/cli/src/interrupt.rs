//! Ctrl-C and SIGTERM, and what is said of them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::exit::Refusal;

/// Set by the first Ctrl-C or SIGTERM; the second one ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Refusal> {
    Ok(tare_session::stop_flag(crate::screen::complain)?)
}
