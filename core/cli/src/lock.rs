//! One measurement at a time on a machine.

use std::path::PathBuf;

use tare_machine::MeasuringLock;

use crate::screen;

/// Names the file that is locked, for machines whose usual place can't be had.
const PLACE: &str = "TARE_LOCK";

/// Waits until nobody else measures here, and says for whom. `None` when interrupted meanwhile.
pub(crate) fn take(what: &str, interrupted: &dyn Fn() -> bool) -> Option<MeasuringLock> {
    let path = std::env::var_os(PLACE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let mut waiting = |holder: &tare_machine::Holder| {
        screen::complain(&format!("waiting for {holder}: two measurements at once would disturb each other"));
    };
    let lock = MeasuringLock::acquire(path.as_deref(), what, &mut waiting, interrupted)?;
    if let Some(problem) = lock.problem() {
        screen::complain(&format!("{problem}; another tare that measures now isn't waited for"));
    }
    Some(lock)
}
