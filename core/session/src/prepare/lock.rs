//! One measurement at a time on a machine.

use std::path::PathBuf;

use tare_machine::{Acquired, MeasuringLock};

use crate::error::Error;
use crate::event::Event;
use crate::session::Session;

/// Names the file that is locked, for machines whose usual place can't be had.
const PLACE: &str = "TARE_LOCK";

/// Waits until nobody else measures here, and says for whom.
///
/// # Errors
/// It was interrupted meanwhile, or isn't to wait.
pub(crate) fn take(what: &str, session: &Session<'_>) -> Result<MeasuringLock, Error> {
    let path = std::env::var_os(PLACE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let mut waiting = |holder: &tare_machine::Holder| {
        session.emit(&Event::Waiting { holder: who(holder) });
    };
    let stopped = || session.is_stopped();
    let lock = match MeasuringLock::ask(path.as_deref(), what, &mut waiting, &stopped, session.patience()) {
        Acquired::Lock(lock) => lock,
        Acquired::Interrupted => return Err(Error::interrupted()),
        Acquired::Busy(holder) => {
            return Err(Error::failed(format!(
                "--no-wait: {} measures on this machine, or others wait for that; Tare measured nothing",
                who(&holder)
            ))
            .with_remedy("try again later, or leave --no-wait out"));
        }
    };
    if let Some(problem) = lock.problem() {
        session.notice(format!("{problem}; another tare that measures now isn't waited for"));
    }
    Ok(lock)
}

fn who(holder: &tare_machine::Holder) -> String {
    let process = holder.pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
    let what = if holder.what.is_empty() { String::new() } else { format!(" ({})", holder.what) };
    let since = holder.since.and_then(|since| jiff::Timestamp::try_from(since).ok());
    let since = since.map_or(String::new(), |since| format!(", measuring since {}", since.strftime("%H:%M:%S UTC")));
    format!("{process}{what}{since}")
}
