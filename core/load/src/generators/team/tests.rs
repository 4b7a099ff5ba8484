//! Generators as threads, with clocks that are hours apart, and such as don't do what they should.

use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::time::Instant;

use super::{Plan, Share, Team, TeamError};
use crate::client::{Answer, Client, Clients, Failure};
use crate::generators::Lobby;
use crate::generators::clock::Clock;
use crate::generators::generator::{Equipment, GeneratorError, Invitation, serve};
use crate::generators::messages::{Hello, MOST, ToCoordinator, ToGenerator, read, write};
use crate::plan::Block;
use crate::schedule::{Arrivals, Pace};

const HOUR: i64 = 3_600_000_000_000;
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A target that answers at once.
struct Ready;

impl Clients for Ready {
    type Client = Ready;

    fn client(&self, _: usize) -> Ready {
        Ready
    }
}

impl Client for Ready {
    async fn prepare(&mut self, _: Instant) -> Result<(), Failure> {
        Ok(())
    }

    async fn operate(&mut self, _: Instant) -> Result<Answer, Failure> {
        tokio::time::sleep(Duration::from_micros(50)).await;
        Ok(Answer::default())
    }
}

struct Kit;

impl Equipment for Kit {
    type Made = Ready;

    fn threads(&self) -> u32 {
        2
    }

    fn clients(&self, _: &[usize], _: usize) -> Result<Ready, String> {
        Ok(Ready)
    }
}

fn lobby(of: u32) -> Lobby {
    Lobby::open(HERE, of, "secret".into(), "1.2.3").unwrap()
}

fn invitation(lobby: &Lobby, number: u32) -> Invitation {
    Invitation {
        address: format!("127.0.0.1:{}", lobby.port().unwrap()),
        token: "secret".into(),
        number,
        tare: "1.2.3".into(),
        host: format!("node{number}"),
    }
}

fn generator(invitation: Invitation, ahead: i64) -> JoinHandle<Result<(), GeneratorError>> {
    std::thread::spawn(move || serve(&invitation, Clock::ahead(ahead), || Ok(Kit)))
}

/// Looks until so many are there, or somebody can't be.
fn gathered(mut lobby: Lobby, of: u32) -> Result<Team, TeamError> {
    while lobby.look()? < of {
        std::thread::sleep(Duration::from_millis(1));
    }
    lobby.close()
}

fn plan(pace: Pace, connections: u32, blocks: Vec<Block>) -> Plan {
    let targets = blocks.iter().map(|block| block.target + 1).max().unwrap_or(1);
    Plan { targets, connections, threads: 1, pace, timeout: Duration::from_secs(10), seed: 5, blocks }
}

fn block(target: usize, length: Option<Duration>, operations: Option<u64>) -> Block {
    Block { target, round: 0, length, operations, settling: Duration::ZERO, measured: true, renewed: true }
}

#[test]
fn clocks_that_are_hours_apart_are_found_and_the_schedule_is_kept_by_all_together() {
    let lobby = lobby(3);
    let aheads = [0, -2 * HOUR, 5 * HOUR];
    let threads: Vec<_> =
        aheads.iter().enumerate().map(|(at, ahead)| generator(invitation(&lobby, at as u32), *ahead)).collect();
    let mut team = gathered(lobby, 3).unwrap();
    for (member, ahead) in team.members.iter().zip(aheads) {
        // All clocks are this machine's.
        assert!((member.offset.monotonic - ahead).abs() <= member.offset.within, "{:?}, {ahead}", member.offset);
    }
    let length = Some(Duration::from_millis(300));
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let pace = Pace::Open { rate: 1_000.0, arrivals };
        let plan = plan(pace, 10, vec![block(0, length, None), block(1, length, None)]);
        team.forget();
        let outcome = team.run(&plan, &[0, 1], &AtomicBool::new(false), &mut |_| ()).unwrap();
        assert!(!outcome.interrupted && outcome.series.len() == 2 && outcome.blocks.len() == 2);
        for target in 0..2 {
            let whole = crate::schedule::Schedule::new(arrivals, 1_000.0, 0, 1, 5 + target as u64)
                .at_any_phase(5 + target as u64)
                .take_while(|at| *at < 300_000_000)
                .count() as u64;
            let total = &outcome.series[target].total;
            assert_eq!(total.succeeded() + total.dropped, whole, "{arrivals:?}, target {target}");
        }
        let seen = team.seen();
        assert_eq!(seen.iter().map(|seen| seen.connections).collect::<Vec<_>>(), [4, 3, 3]);
        assert_eq!(seen[2].host, "node2");
        let ended: u64 = outcome.series.iter().map(|series| series.total.succeeded()).sum();
        assert_eq!(seen.iter().map(|seen| seen.ended).sum::<u64>(), ended);
    }
    drop(team);
    for thread in threads {
        thread.join().unwrap().unwrap();
    }
}

#[test]
fn a_number_of_operations_is_done_by_all_together() {
    let lobby = lobby(2);
    let threads = [0, 1].map(|number| generator(invitation(&lobby, number), 0));
    let mut team = gathered(lobby, 2).unwrap();
    let plan = plan(Pace::Closed, 5, vec![block(0, None, Some(1_003))]);
    let outcome = team.run(&plan, &[0], &AtomicBool::new(false), &mut |_| ()).unwrap();
    assert_eq!(outcome.series[0].total.succeeded(), 1_003);
    let share = |number| Share { number, of: 2, connections: 5 }.operations(1_003);
    assert_eq!(team.seen().iter().map(|seen| seen.ended).collect::<Vec<_>>(), [share(0), share(1)]);
    drop(team);
    threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
}

#[test]
fn a_stop_ends_all_and_what_was_measured_is_there() {
    let lobby = lobby(2);
    let threads = [0, 1].map(|number| generator(invitation(&lobby, number), 0));
    let mut team = gathered(lobby, 2).unwrap();
    let plan = plan(Pace::Closed, 4, vec![block(0, Some(Duration::from_secs(600)), None), block(0, None, Some(9))]);
    let stop = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        team.run(&plan, &[0], &stop, &mut |_| ()).unwrap()
    });
    assert!(outcome.interrupted && outcome.series[0].total.succeeded() > 0);
    drop(team);
    threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
}

/// One that says what it is told to.
struct Puppet(TcpStream);

impl Puppet {
    fn new(lobby: &Lobby) -> Self {
        Self(TcpStream::connect(("127.0.0.1", lobby.port().unwrap())).unwrap())
    }

    fn hello(self, token: &str, tare: &str, number: u32) -> Self {
        let host = "puppet".to_owned();
        self.say(&ToCoordinator::Hello(Hello { token: token.into(), tare: tare.into(), number, host }))
    }

    fn say(mut self, message: &ToCoordinator) -> Self {
        write(&mut self.0, message, &[]).unwrap();
        self
    }

    fn hears(&mut self) -> Option<ToGenerator> {
        read(&mut self.0, MOST).ok().map(|(message, _)| message)
    }
}

/// Answers questions until `until`, and is then gone.
fn answers(mut puppet: Puppet, until: fn(&ToGenerator) -> bool) {
    while let Some(message) = puppet.hears() {
        if until(&message) {
            return;
        }
        if let ToGenerator::Ping(ping) = message {
            puppet = puppet.say(&ToCoordinator::Pong { ping, clocks: Clock::default().read() });
        }
    }
}

#[test]
fn one_that_dies_while_it_measures_is_named_and_the_others_are_stopped() {
    let lobby = lobby(2);
    let whole = generator(invitation(&lobby, 0), 0);
    let puppet = Puppet::new(&lobby).hello("secret", "1.2.3", 1).say(&ToCoordinator::Prepared { threads: 1 });
    // It introduces itself twice.
    let puppet = puppet.hello("secret", "1.2.3", 1);
    let dying = std::thread::spawn(|| answers(puppet, |message| matches!(message, ToGenerator::Run { .. })));
    let early = gathered(lobby, 2).err().unwrap().to_string();
    assert_eq!(
        early,
        "generator 2 of the load (puppet) can't send its share of the load: it sent an unexpected message"
    );
    dying.join().unwrap();
    drop(whole.join().unwrap());

    let lobby = self::lobby(2);
    let whole = generator(invitation(&lobby, 0), 0);
    let puppet = Puppet::new(&lobby).hello("secret", "1.2.3", 1).say(&ToCoordinator::Prepared { threads: 1 });
    let dying = std::thread::spawn(|| answers(puppet, |message| matches!(message, ToGenerator::Run { .. })));
    let mut team = gathered(lobby, 2).unwrap();
    let plan = plan(Pace::Closed, 4, vec![block(0, Some(Duration::from_secs(600)), None)]);
    let error = team.run(&plan, &[0], &AtomicBool::new(false), &mut |_| ()).unwrap_err();
    assert_eq!((error.number, error.host.as_str()), (1, "puppet"));
    assert!(error.to_string().starts_with("generator 2 of the load (puppet) is gone: "), "{error}");
    drop(team);
    dying.join().unwrap();
    whole.join().unwrap().unwrap();
}

#[test]
fn another_version_is_refused_and_both_are_named() {
    let lobby = lobby(1);
    let mut puppet = Puppet::new(&lobby).hello("secret", "9.9.9", 0);
    let error = gathered(lobby, 1).err().unwrap().to_string();
    assert!(error.contains("puppet") && error.contains("9.9.9") && error.contains("1.2.3"), "{error}");
    assert!(matches!(puppet.hears(), Some(ToGenerator::Refused(why)) if why.contains("9.9.9")));
}

#[test]
fn strangers_change_nothing() {
    let lobby = lobby(1);
    let _silent = Puppet::new(&lobby);
    let mut wrong = Puppet::new(&lobby).hello("secreT", "1.2.3", 0);
    let mut garbage = Puppet::new(&lobby);
    std::io::Write::write_all(&mut garbage.0, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut beyond = Puppet::new(&lobby).hello("secret", "1.2.3", 7);
    let whole = generator(invitation(&lobby, 0), HOUR);
    let team = gathered(lobby, 1).unwrap();
    assert_eq!(team.seen()[0].host, "node0");
    assert!(wrong.hears().is_none() && garbage.hears().is_none());
    if let Some(said) = beyond.hears() {
        assert!(matches!(said, ToGenerator::Refused(_)), "{said:?}");
    }
    drop(team);
    whole.join().unwrap().unwrap();
}

#[test]
fn one_that_can_not_do_its_part_says_why() {
    let lobby = lobby(1);
    let invited = invitation(&lobby, 0);
    let whole = std::thread::spawn(move || serve::<Kit>(&invited, Clock::default(), || Err("no such file".into())));
    let error = gathered(lobby, 1).err().unwrap().to_string();
    assert_eq!(error, "generator 1 of the load (node0) can't send its share of the load: no such file");
    assert!(matches!(whole.join().unwrap(), Err(GeneratorError::Failed(why)) if why == "no such file"));
    let nobody = Invitation { address: "127.0.0.1:1".into(), ..invitation(&self::lobby(1), 0) };
    let error = serve(&nobody, Clock::default(), || Ok(Kit)).unwrap_err().to_string();
    assert!(error.starts_with("the load's coordinator at 127.0.0.1:1 can't be reached: "), "{error}");
}
