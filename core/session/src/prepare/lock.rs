//! One measurement at a time on a machine.

use std::path::PathBuf;

use tare_machine::MeasuringLock;

use crate::event::Event;
use crate::session::Session;

/// Names the file that is locked, for machines whose usual place can't be had.
const PLACE: &str = "TARE_LOCK";

/// Waits until nobody else measures here, and says for whom. `None` when interrupted meanwhile.
pub(crate) fn take(what: &str, session: &Session<'_>) -> Option<MeasuringLock> {
    let path = std::env::var_os(PLACE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let mut waiting = |holder: &tare_machine::Holder| {
        session.tell(&Event::Waiting { holder: who(holder) });
    };
    let lock = MeasuringLock::acquire(path.as_deref(), what, &mut waiting, &|| session.is_stopped())?;
    if let Some(problem) = lock.problem() {
        session.notice(format!("{problem}; another tare that measures now isn't waited for"));
    }
    Some(lock)
}

fn who(holder: &tare_machine::Holder) -> String {
    let process = holder.pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
    let what = if holder.what.is_empty() { String::new() } else { format!(" ({})", holder.what) };
    let since = holder.since.and_then(|since| jiff::Timestamp::try_from(since).ok());
    let since = since.map_or(String::new(), |since| format!(", measuring since {}", since.strftime("%H:%M:%S UTC")));
    format!("{process}{what}{since}")
}
