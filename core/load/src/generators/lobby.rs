//! Where generators come together before a load.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::member::{Event, Member};
use super::messages::{Hello, MOST_OF_A_STRANGER, ToCoordinator, ToGenerator, read, write};
use super::team::{Team, TeamError};

/// A connection has to send its first message within this time.
const FIRST_WORD: Duration = Duration::from_secs(5);
/// Connections that nobody knows yet, at once; more wait.
const STRANGERS: usize = 64;

/// The first word of somebody who connected; `None` where it is no generator.
type Heard = Option<(Hello, TcpStream)>;

/// Takes in generators until all are there.
pub struct Lobby {
    listener: TcpListener,
    token: String,
    tare: String,
    of: u32,
    strangers: usize,
    heard: (Sender<Heard>, Receiver<Heard>),
    events: (Sender<Event>, Receiver<Event>),
    members: BTreeMap<usize, Member>,
    prepared: usize,
}

impl Lobby {
    /// Listens at an address of this machine for so many generators of this version, who know the token.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(address: IpAddr, of: u32, token: String, tare: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::new(address, 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            token,
            tare: tare.to_owned(),
            of,
            strangers: 0,
            heard: channel(),
            events: channel(),
            members: BTreeMap::new(),
            prepared: 0,
        })
    }

    /// The port at which it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Takes in who has come; gives how many are there with all that they need. Returns at once.
    ///
    /// # Errors
    /// A generator that can't do its part, is of another version, or has gone again.
    pub fn look(&mut self) -> Result<u32, TeamError> {
        while self.strangers < STRANGERS {
            let Ok((stream, _)) = self.listener.accept() else { break };
            let heard = self.heard.0.clone();
            self.strangers += 1;
            std::thread::spawn(move || {
                let _ = heard.send(first_word(stream));
            });
        }
        while let Ok(heard) = self.heard.1.try_recv() {
            self.strangers = self.strangers.saturating_sub(1);
            if let Some((hello, stream)) = heard {
                self.take(hello, stream)?;
            }
        }
        while let Ok(Event { from, what, .. }) = self.events.1.try_recv() {
            let Some(member) = self.members.get_mut(&from) else { continue };
            match what {
                Ok((ToCoordinator::Prepared { threads }, _)) => {
                    self.prepared += usize::from(member.seen.threads == 0);
                    member.seen.threads = threads.max(1);
                }
                Ok((ToCoordinator::Failed(why), _)) => return Err(TeamError::failed(from, &member.seen.host, why)),
                Ok(_) => return Err(TeamError::failed(from, &member.seen.host, "it sent an unexpected message")),
                Err(error) => return Err(TeamError::gone(from, &member.seen.host, &error)),
            }
        }
        Ok(self.prepared as u32)
    }

    fn take(&mut self, hello: Hello, mut stream: TcpStream) -> Result<(), TeamError> {
        // A stranger learns nothing by it, and the load doesn't end for one.
        if !same(&hello.token, &self.token) {
            return Ok(());
        }
        let number = hello.number as usize;
        if hello.tare != self.tare {
            let why = format!(
                "it has tare {}, and the coordinator has tare {}; install the same version on all machines, or use one on a shared file system",
                hello.tare, self.tare
            );
            let _ = write(&mut stream, &ToGenerator::Refused(why.clone()), &[]);
            return Err(TeamError::failed(number, &hello.host, why));
        }
        if hello.number >= self.of || self.members.contains_key(&number) {
            let why = "another generator has this number, or the load has no such number".to_owned();
            let _ = write(&mut stream, &ToGenerator::Refused(why), &[]);
            return Ok(());
        }
        let host = hello.host.clone();
        let member = Member::new(stream, hello, self.events.0.clone());
        self.members.insert(number, member.map_err(|error| TeamError::gone(number, &host, &error))?);
        Ok(())
    }

    /// All are there: measures their clocks.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub fn close(self) -> Result<Team, TeamError> {
        let mut team = Team::new(self.members.into_values().collect(), self.events.1);
        team.compare_clocks()?;
        Ok(team)
    }
}

/// What somebody who has connected says first, if that is the word of a generator.
fn first_word(mut stream: TcpStream) -> Heard {
    stream.set_nonblocking(false).ok()?;
    stream.set_nodelay(true).ok()?;
    stream.set_read_timeout(Some(FIRST_WORD)).ok()?;
    let (ToCoordinator::Hello(hello), _) = read(&mut stream, MOST_OF_A_STRANGER).ok()? else { return None };
    stream.set_read_timeout(None).ok()?;
    Some((hello, stream))
}

/// Takes as long whatever is given: how long it took mustn't say how much of it was right.
fn same(given: &str, token: &str) -> bool {
    let differ = given.bytes().zip(token.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    given.len() == token.len() && differ == 0
}
