//! What runs are called.

use super::link::{Halt, Work, Worked};
use super::text::read;
use crate::name;
use crate::rows::RunName;

/// Of all runs, the newest first.
pub(super) fn names(work: &mut Work<'_>) -> Worked<Vec<RunName>> {
    let rows = work.query(
        "SELECT r.id, ARRAY(SELECT t.tag FROM run_tags t WHERE t.run = r.number ORDER BY t.position) FROM runs r
         ORDER BY r.started DESC, r.id DESC",
        &[],
    )?;
    let tags = |tags: Vec<String>| tags.into_iter().map(read).collect();
    Ok(rows.iter().map(|row| RunName { id: read(row.get(0)), tags: tags(row.get(1)) }).collect())
}

/// Why there is no such run.
pub(super) fn unknown_run(work: &mut Work<'_>, run: &str) -> Halt {
    match names(work) {
        Ok(names) => Halt::Store(name::unknown(run, &names)),
        Err(halt) => halt,
    }
}
