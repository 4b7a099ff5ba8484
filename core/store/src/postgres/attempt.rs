//! Who measures a run: leases by the server's clock, and a number of the attempt by which somebody who was thought dead is known when he
//! comes back.

use super::PostgresStore;
use super::link::{Halt, Link, Work, Worked};
use super::names::unknown_run;
use crate::lease::{Owner, TERM};
use crate::rows::RunState;
use crate::{Result, StoreError};

/// What stands beside a run, locked until the transaction ends.
pub(super) struct Held {
    pub(super) number: i64,
    pub(super) state: String,
    pub(super) attempt: i64,
    pub(super) owner: Option<Owner>,
    /// Seconds since it was renewed, by the server's clock.
    pub(super) age: f64,
}

impl Held {
    /// Whether nobody but its owner may have the run.
    pub(super) fn is_held(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| is_held(owner, self.age))
    }
}

/// A clock of the server's that was set back may not hold a run for ever.
pub(super) fn is_held(owner: &Owner, age: f64) -> bool {
    age.abs() < TERM.as_secs_f64() && !owner.has_ended()
}

pub(super) fn owner_in(json: Option<String>) -> Option<Owner> {
    serde_json::from_str(&json?).ok()
}

pub(super) fn as_json(owner: &Owner) -> String {
    serde_json::to_string(owner).unwrap_or_default()
}

/// The run and its lease, which nobody else may change until the transaction ends; `None` where there is no such run.
pub(super) fn locked(work: &mut Work<'_>, run: &str) -> Worked<Option<Held>> {
    let found = work.query(
        "SELECT r.number, r.state, l.attempt, l.owner, extract(epoch FROM clock_timestamp() - l.renewed)::float8
         FROM runs r JOIN leases l ON l.run = r.number WHERE r.id = $1 FOR UPDATE OF l",
        &[&super::text::stored(run)],
    )?;
    Ok(found.first().map(|row| Held {
        number: row.get(0),
        state: row.get(1),
        attempt: row.get(2),
        owner: owner_in(row.get(3)),
        age: row.get(4),
    }))
}

/// The number of a run that may be written to: one that is measured here, in this attempt, or by nobody.
pub(super) fn writable(work: &mut Work<'_>, run: &str, attempt: Option<i64>) -> Worked<(i64, i64)> {
    let Some(held) = locked(work, run)? else { return Err(unknown_run(work, run)) };
    match attempt {
        Some(attempt) if attempt != held.attempt => Err(StoreError::Fenced { run: run.to_owned() }.into()),
        None if held.is_held() => Err(StoreError::InUse { run: run.to_owned() }.into()),
        _ => {
            // A minute old: often enough for a lease of a quarter of an hour.
            if attempt.is_some() && held.age > 60.0 {
                renew(work, held.number)?;
            }
            Ok((held.number, held.attempt))
        }
    }
}

fn renew(work: &mut Work<'_>, number: i64) -> Worked<()> {
    work.execute("UPDATE leases SET renewed = clock_timestamp() WHERE run = $1", &[&number]).map(drop)
}

pub(super) fn resume_run(store: &mut PostgresStore, run: &str) -> Result<()> {
    let PostgresStore { link, owner, held, .. } = store;
    let attempt = link.write(|work| {
        let Some(found) = locked(work, run)? else { return Err(unknown_run(work, run)) };
        let mine = found.owner.as_ref() == Some(owner);
        if !mine && found.is_held() {
            return Err(StoreError::InUse { run: run.to_owned() }.into());
        }
        if found.state == RunState::Complete.name() {
            return Err(StoreError::Complete { run: run.to_owned() }.into());
        }
        let attempt = if mine { found.attempt } else { found.attempt + 1 };
        work.execute(
            "UPDATE leases SET attempt = $2, owner = $3, renewed = clock_timestamp() WHERE run = $1",
            &[&found.number, &attempt, &as_json(owner)],
        )?;
        work.execute("UPDATE runs SET state = 'running', finished = NULL WHERE number = $1", &[&found.number])?;
        Ok(attempt)
    })?;
    held.insert(run.to_owned(), attempt);
    Ok(())
}

pub(super) fn take_over(store: &mut PostgresStore, run: &str, attempt: i64) -> Result<()> {
    let PostgresStore { link, owner, held, .. } = store;
    link.write(|work| {
        let Some(found) = locked(work, run)? else { return Err(unknown_run(work, run)) };
        if found.attempt != attempt {
            return Err(StoreError::Fenced { run: run.to_owned() }.into());
        }
        work.execute(
            "UPDATE leases SET owner = $2, renewed = clock_timestamp() WHERE run = $1",
            &[&found.number, &as_json(owner)],
        )
    })?;
    held.insert(run.to_owned(), attempt);
    Ok(())
}

pub(super) fn finish_run(store: &mut PostgresStore, run: &str, state: RunState, finished: Option<&str>) -> Result<()> {
    let attempt = store.attempt(run);
    store.link.write(|work| {
        let (number, _) = writable(work, run, attempt)?;
        work.execute(
            "UPDATE runs SET state = $2, finished = CASE WHEN $2 = 'running' THEN NULL ELSE coalesce($3,
                    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')) END
             WHERE number = $1",
            &[&number, &state.name(), &finished],
        )?;
        work.execute("UPDATE leases SET owner = NULL WHERE run = $1", &[&number])
    })?;
    store.held.remove(run);
    Ok(())
}

pub(super) fn delete_run(store: &mut PostgresStore, run: &str) -> Result<()> {
    let attempt = store.attempt(run);
    store.link.write(|work| match writable(work, run, attempt) {
        Ok((number, _)) => work.execute("DELETE FROM runs WHERE number = $1", &[&number]).map(drop),
        // Gone before the answer came.
        Err(Halt::Store(StoreError::UnknownRun { .. })) if work.again => Ok(()),
        Err(halt) => Err(halt),
    })?;
    store.held.remove(run);
    Ok(())
}

pub(super) fn release_all(store: &PostgresStore) -> Result<()> {
    let PostgresStore { link, owner, held, .. } = store;
    let link: &Link = link;
    let runs: Vec<&str> = held.keys().map(String::as_str).collect();
    link.once(|work| {
        work.execute(
            "UPDATE leases SET owner = NULL WHERE owner = $2 AND run IN (SELECT number FROM runs WHERE id = ANY ($1))",
            &[&runs, &as_json(owner)],
        )
        .map(drop)
    })
}
