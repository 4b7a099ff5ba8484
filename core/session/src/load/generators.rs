//! A load from several generators: they are gathered, drive what is asked, and are told of in the report.

use std::time::{Duration, Instant};

use tare_load::LATE;
use tare_load::generators::Lobby;
use tare_load::generators::team::{GeneratorStatus, Team, TeamError};
use tare_load::plan::{Outcome, Plan, Progress};
use tare_load::schedule::Pace;
use tare_results::LoadGenerator;
use tare_statistics::{Warning, WarningCode};

use crate::error::Error;
use crate::load::asked::HttpLoad;
use crate::load::checked::Checked;
use crate::load::drive::Drive;
use crate::load::invited::Invite;
use crate::load::launch::Launch;
use crate::load::limits;
use crate::session::Session;

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How often the launcher is asked what generators that haven't come yet wait for.
const ASKED_EVERY: Duration = Duration::from_secs(1);
/// Processes that run have so long to be there.
const COMING: Duration = Duration::from_secs(60);
/// More of a generator's requests late or dropped than this part, and more than twice that of the others, is its own doing.
const MISSED: f64 = 0.01;
const OTHERS: f64 = 2.0;

/// Generators that are there, for the targets under load.
pub(super) struct Together<'a> {
    team: Team,
    launch: &'a mut dyn Launch,
    targets: Vec<usize>,
}

impl<'a> Together<'a> {
    /// Starts as many as are asked for, and waits until they are there.
    pub(super) fn gather(
        load: &HttpLoad,
        asked: &Checked,
        launch: &'a mut dyn Launch,
        session: &Session<'_>,
    ) -> Result<Self, Error> {
        let gathered = gathered(load, asked, launch, session);
        match gathered {
            Ok(team) => Ok(Self { team, launch, targets: Vec::new() }),
            Err(error) => {
                launch.end();
                Err(error)
            }
        }
    }

    /// These of those that were named are put under load.
    pub(super) fn on(self, targets: Vec<usize>) -> Self {
        Self { targets, ..self }
    }

    /// What was sent so far isn't counted.
    pub(super) fn forget(&mut self) {
        self.team.forget();
    }

    /// What they did, and what is to be known of it.
    pub(super) fn told(&self, pace: Pace) -> (Vec<LoadGenerator>, Vec<Warning>) {
        let seen = self.team.seen();
        let shown = seen.iter().zip(1..).map(|(seen, number)| shown(seen, number)).collect();
        (shown, behind(&seen, pace).into_iter().collect())
    }

    /// Nothing more is asked of them.
    pub(super) fn end(self) {
        drop(self.team);
        self.launch.end();
    }
}

impl Drive for Together<'_> {
    fn drive(
        &mut self,
        plan: &Plan,
        session: &Session<'_>,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Outcome, Error> {
        let ran = self.team.run(plan, &self.targets, session.stop_flag(), progress);
        ran.map_err(|error| {
            self.launch.end();
            ended(&error)
        })
    }
}

fn ended(error: &TeamError) -> Error {
    Error::failed(format!(
        "{error}; Tare ended the load and stored none of it, because a part of the requested load was missing"
    ))
}

fn gathered(load: &HttpLoad, asked: &Checked, launch: &mut dyn Launch, session: &Session<'_>) -> Result<Team, Error> {
    let of = load.generators.unwrap_or(1);
    let (listened, told) = launch.address()?;
    let token = format!("{:032x}", rand::random::<u128>());
    let version = env!("CARGO_PKG_VERSION");
    let nowhere = |error: std::io::Error| {
        Error::failed(format!(
            "generators can't be listened for at {listened}: {error}; is it an address of this machine?"
        ))
    };
    let mut lobby = Lobby::open(listened, of, token.clone(), version).map_err(nowhere)?;
    let port = lobby.port().map_err(nowhere)?;
    let mut theirs = HttpLoad { generators: None, ..load.clone() };
    theirs.judged =
        crate::load::asked::Judged { seed: Some(asked.seed), control: load.judged.control, ..Default::default() };
    theirs.sending.paced.hdr = None;
    if launch.is_here() && load.sending.threads.is_none() {
        // Together as many as one would have.
        theirs.sending.threads = Some((asked.threads / of).max(1));
    }
    let invite = Invite {
        tare: version.to_owned(),
        address: if told.contains(':') { format!("[{told}]:{port}") } else { format!("{told}:{port}") },
        token,
        folder: std::env::current_dir().map_err(|error| Error::failed(format!("this folder is gone: {error}")))?,
        load: serde_json::to_value(&theirs).map_err(Error::failed)?,
    };
    let file = launch.folder().join("generators.json");
    invite.write(&file)?;
    launch.start(&file, of)?;
    let (mut asked_at, mut waits, mut coming) = (Instant::now(), String::new(), Instant::now());
    loop {
        let there = lobby.look().map_err(|error| Error::failed(error.to_string()))?;
        if there == of {
            return lobby.close().map_err(|error| Error::failed(error.to_string()));
        }
        if session.is_stopped() {
            return Err(Error::interrupted());
        }
        if asked_at.elapsed() >= ASKED_EVERY {
            asked_at = Instant::now();
            let waits_for = launch.look()?;
            if waits_for.is_some() {
                coming = Instant::now();
            }
            let now = waits_for.unwrap_or_default();
            if now != waits && !now.is_empty() {
                session.notice(format!("{there} of {of} generators are there; {now}"));
            }
            waits = now;
        }
        if coming.elapsed() >= COMING {
            return Err(Error::failed(format!(
                "only {there} of {of} generators came within {} s, though all run; can they connect to {}?",
                COMING.as_secs(),
                invite.address
            )));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn shown(seen: &GeneratorStatus, number: u32) -> LoadGenerator {
    let seconds = |nanoseconds: f64| nanoseconds / 1e9;
    LoadGenerator {
        number,
        host: seen.host.clone(),
        connections: seen.connections,
        threads: seen.threads,
        ended: seen.ended,
        late: seen.late,
        dropped: seen.dropped,
        clock_offset_s: seconds(seen.ahead as f64),
        clock_within_s: seconds(seen.within as f64),
        start_late_s: seconds(seen.late_start as f64),
        worked: seen.effort.shares().map(|(worked, _)| worked),
    }
}

/// Who couldn't keep up with its part, by its own doing.
fn behind(seen: &[GeneratorStatus], pace: Pace) -> Option<Warning> {
    let missed = |seen: &GeneratorStatus| (seen.late + seen.dropped, seen.ended + seen.dropped);
    let share = |(missed, all): (u64, u64)| missed as f64 / all.max(1) as f64;
    let all = seen.iter().map(missed).fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    let mut whose = Vec::new();
    for (seen, number) in seen.iter().zip(1..) {
        let own = missed(seen);
        let others = share((all.0 - own.0, all.1 - own.1));
        let mut why = Vec::new();
        if share(own) > MISSED && share(own) > OTHERS * others && all.1 > own.1 {
            why.push(format!(
                "{:.1} % of its requests began late or never, and {:.1} % of the others'",
                100.0 * share(own),
                100.0 * others
            ));
        }
        if seen.late_start > LATE.as_nanos() as u64 {
            why.push(format!("it began {:.1} ms after the common start", seen.late_start as f64 / 1e6));
        }
        // In an open loop a busy client shows in what is late.
        why.extend((pace == Pace::Closed).then(|| limits::busy(&seen.effort)).flatten());
        if !why.is_empty() {
            whose.push(format!("generator {number} ({}): {}", seen.host, why.join(", ")));
        }
    }
    (!whose.is_empty()).then(|| Warning {
        code: WarningCode::GeneratorBehind.into(),
        message: format!("some generators didn't keep up with their share: {}", whose.join("; ")),
        remedy: "end other programs on that machine, or use more generators".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::effort::Effort;
    use tare_load::schedule::{Arrivals, Pace};

    use super::*;

    fn seen(host: &str, ended: u64, late: u64) -> GeneratorStatus {
        GeneratorStatus { host: host.to_owned(), ended, late, ..GeneratorStatus::default() }
    }

    const OPEN: Pace = Pace::Open { rate: 100.0, arrivals: Arrivals::Constant };

    #[test]
    fn who_falls_behind_is_named_and_a_server_that_stalls_names_nobody() {
        let told = behind(&[seen("n1", 1_000, 1), seen("n2", 1_000, 80), seen("n3", 1_000, 0)], OPEN).unwrap();
        assert!(told.message.contains("generator 2 (n2): 8.0 % of its requests"), "{}", told.message);
        assert!(!told.message.contains("n1") && !told.message.contains("n3"), "{}", told.message);
        assert_eq!(behind(&[seen("n1", 1_000, 300), seen("n2", 1_000, 280)], OPEN), None);
        assert_eq!(behind(&[seen("n1", 1_000, 300)], OPEN), None, "there is nobody else: the target's warning says it");
        assert_eq!(behind(&[seen("n1", 0, 0), seen("n2", 0, 0)], OPEN), None);
    }

    #[test]
    fn late_starts_and_busy_clients_are_named() {
        let late = GeneratorStatus { late_start: 2_500_000, ..seen("n1", 10, 0) };
        let told = behind(&[late, seen("n2", 10, 0)], Pace::Closed).unwrap();
        assert!(told.message.contains("generator 1 (n1): it began 2.5 ms after the common start"), "{}", told.message);
        let second = Duration::from_secs(1);
        let busy = GeneratorStatus {
            effort: Effort { worked: second, all: second, ..Effort::default() },
            ..seen("n2", 10, 0)
        };
        let told = behind(&[seen("n1", 10, 0), busy], Pace::Closed).unwrap();
        assert!(
            told.message.contains("generator 2 (n2): its threads worked for 100 % of the time"),
            "{}",
            told.message
        );
    }
}
