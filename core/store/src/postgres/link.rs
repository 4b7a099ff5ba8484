//! A connection that is made again when it is lost. It is looked at within calls alone: between them nothing of it wakes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use postgres::types::ToSql;
use postgres::{Client, IsolationLevel, NoTls, Row, Statement, Transaction};

use super::address::{Proof, ServerAddress};
use super::{faults, tls};
use crate::{Result, ServerFault, StoreError};

/// How long a lost server is asked again for, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(15);
/// Between two tries, at first.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Writers wait for each other so long at most; a reader for nobody.
const SETTINGS: &str = "SET lock_timeout = '10s'; SET client_min_messages = 'warning'; SET search_path = tare, pg_temp";

pub(super) struct Link {
    pub(super) address: ServerAddress,
    pub(super) patience: Duration,
    open: RefCell<Option<Open>>,
}

struct Open {
    client: Client,
    /// Prepared on this connection.
    statements: HashMap<&'static str, Statement>,
}

/// A transaction under way.
pub(super) struct Work<'a> {
    transaction: Transaction<'a>,
    statements: &'a mut HashMap<&'static str, Statement>,
    /// It was begun before, and the connection was lost: what it did may be stored already.
    pub(super) again: bool,
}

/// Why a transaction has to be given up.
pub(super) enum Halt {
    /// The server says so, or is gone.
    Server(postgres::Error),
    /// What it found says so.
    Store(StoreError),
}

impl From<postgres::Error> for Halt {
    fn from(error: postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

pub(super) type Worked<T> = std::result::Result<T, Halt>;

impl Work<'_> {
    pub(super) fn query(&mut self, sql: &'static str, values: &[&(dyn ToSql + Sync)]) -> Worked<Vec<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.transaction.query(&statement, values)?)
    }

    pub(super) fn execute(&mut self, sql: &'static str, values: &[&(dyn ToSql + Sync)]) -> Worked<u64> {
        let statement = self.statement(sql)?;
        Ok(self.transaction.execute(&statement, values)?)
    }

    pub(super) fn batch(&mut self, sql: &str) -> Worked<()> {
        Ok(self.transaction.batch_execute(sql)?)
    }

    fn statement(&mut self, sql: &'static str) -> Worked<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.transaction.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

impl Link {
    /// Nothing is connected yet.
    pub(super) fn new(address: &ServerAddress) -> Self {
        Self { address: address.clone(), patience: PATIENCE, open: RefCell::new(None) }
    }

    /// What only changes.
    pub(super) fn write<T>(&self, work: impl FnMut(&mut Work<'_>) -> Worked<T>) -> Result<T> {
        self.carry_out(false, self.patience, work)
    }

    /// What only looks: one view of the store, whatever others write in the meantime.
    pub(super) fn read<T>(&self, work: impl FnMut(&mut Work<'_>) -> Worked<T>) -> Result<T> {
        self.carry_out(true, self.patience, work)
    }

    /// Once, without waiting for a server that is gone.
    pub(super) fn once<T>(&self, work: impl FnMut(&mut Work<'_>) -> Worked<T>) -> Result<T> {
        self.carry_out(false, Duration::ZERO, work)
    }

    fn carry_out<T>(
        &self,
        looks: bool,
        patience: Duration,
        mut work: impl FnMut(&mut Work<'_>) -> Worked<T>,
    ) -> Result<T> {
        let (begun, mut pause, mut again) = (Instant::now(), PAUSE, false);
        loop {
            let halted = match self.attempt(looks, again, &mut work) {
                Ok(value) => return Ok(value),
                Err(Halt::Store(error)) => return Err(error),
                Err(Halt::Server(error)) => error,
            };
            let lost = faults::is_lost(&halted);
            if lost {
                *self.open.borrow_mut() = None;
            }
            if !(lost || faults::is_conflict(&halted)) || begun.elapsed() >= patience {
                return Err(faults::explain(&self.address, &halted));
            }
            again |= lost;
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn attempt<T>(&self, looks: bool, again: bool, work: &mut impl FnMut(&mut Work<'_>) -> Worked<T>) -> Worked<T> {
        let mut open = self.open.borrow_mut();
        if open.as_ref().is_none_or(|open| open.client.is_closed()) {
            *open = Some(self.connect()?);
        }
        let Some(Open { client, statements }) = open.as_mut() else { unreachable!("it was made above") };
        let begin = client.build_transaction().read_only(looks);
        let transaction = if looks { begin.isolation_level(IsolationLevel::RepeatableRead) } else { begin }.start()?;
        let mut under_way = Work { transaction, statements, again };
        let value = work(&mut under_way)?;
        under_way.transaction.commit()?;
        Ok(value)
    }

    fn connect(&self) -> Worked<Open> {
        let reached = self.address.reached()?;
        let encrypted = reached.config.get_ssl_mode() != postgres::config::SslMode::Disable;
        let connector = match encrypted {
            false => None,
            true => Some(tls::connector(reached.proof, reached.roots.as_deref()).map_err(|what| self.no_roots(what))?),
        };
        debug_assert!(encrypted || reached.proof == Proof::Nobody);
        let config = reached.config;
        let connected = move || -> std::result::Result<Client, postgres::Error> {
            let mut client = match connector {
                None => config.connect(NoTls)?,
                Some(connector) => config.connect(connector)?,
            };
            client.batch_execute(SETTINGS)?;
            Ok(client)
        };
        let client = within(reached.limit, connected).ok_or_else(|| self.silent(reached.limit))??;
        Ok(Open { client, statements: HashMap::new() })
    }

    /// The system of a server that is stopped, or something before it, takes the connection, and nothing follows.
    fn silent(&self, limit: Duration) -> StoreError {
        StoreError::Server(ServerFault {
            store: self.address.to_string(),
            what: format!("it takes the connection, and doesn't answer within {} s", limit.as_secs()),
            remedy: "Check that a PostgreSQL server answers there, and isn't stopped or overloaded; ?connect_timeout=SECONDS in the address waits longer"
                .to_owned(),
            is_failure: true,
            is_lost: true,
        })
    }

    fn no_roots(&self, what: String) -> StoreError {
        StoreError::Server(ServerFault {
            store: self.address.to_string(),
            what,
            remedy: "Name the certificate that signed the server's with ?sslrootcert=FILE in the address".to_owned(),
            is_failure: false,
            is_lost: false,
        })
    }
}

/// What `act` gives, unless it takes longer: then it is left to its thread, which ends with it or with the process. The client's own limit ends when the
/// connection is there, whether somebody answers or not.
fn within<T: Send + 'static>(limit: Duration, act: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = std::sync::mpsc::channel();
    // A receiver that is gone has waited long enough.
    let started = std::thread::Builder::new().spawn(move || drop(sender.send(act())));
    started.ok().and_then(|_| receiver.recv_timeout(limit).ok())
}
