//! What is asked of an HTTP load, checked.

use std::path::PathBuf;
use std::time::Duration;

use tare_load::http::{Connections, Request, Target, Tls, Trust, Version};
use tare_load::schedule::Pace;
use tare_request::Side;

use crate::error::Error;
use crate::load::asked::{CONNECTIONS, HttpLoad, TIMEOUT};
use crate::load::blocks::Amount;
use crate::load::followable;
use crate::load::gate::LoadGate;
use crate::load::log::LogFile;
use crate::load::placement::CpuPlacement;
use crate::load::server_command::Start;
use crate::load::shareable;
use crate::load::values::RateLadder;
use crate::load::workload::requests;

/// A load over HTTP whose options were checked and put into their final form.
pub(crate) struct Checked {
    /// The targets that were named; then each of them once more where controls were asked for.
    pub(crate) targets: Vec<Target>,
    /// What is started for each target; nothing where they run already.
    pub(crate) starts: Vec<Start>,
    /// The CPUs of servers that are started, and of this process.
    pub(crate) placed: CpuPlacement,
    /// The names of the targets as they are shown, controls left out.
    pub(crate) names: Vec<String>,
    pub(crate) requests: Vec<Request>,
    /// Where connections go, if not to the URL's host.
    pub(crate) socket: Option<PathBuf>,
    pub(crate) tls: Tls,
    pub(crate) connections: Connections,
    /// The number of connections.
    pub(crate) count: u32,
    pub(crate) timeout: Duration,
    pub(crate) pace: Pace,
    pub(crate) amount: Amount,
    pub(crate) ladder: Option<RateLadder>,
    pub(crate) warm_up: Duration,
    pub(crate) threads: u32,
    pub(crate) seed: u64,
    pub(crate) log: Option<LogFile>,
    /// Processes of servers whose costs are counted: one for each target that was named, or one of all.
    pub(crate) pid: Vec<u32>,
}

impl Checked {
    /// `sides`: where the server is started, once in each; empty for where tare is.
    pub(crate) fn of(arguments: &HttpLoad, sides: &[Side]) -> Result<Self, Error> {
        let (sending, judged) = (&arguments.sending, &arguments.judged);
        let starts = match arguments.start.is_empty() {
            true => Vec::new(),
            false => Start::all(&arguments.urls, &arguments.start, sides)?,
        };
        if starts.is_empty() && arguments.cpus.is_some() {
            return Err(Error::usage("--cpus is for servers that Tare starts; use --start, or leave --cpus out"));
        }
        // Where a server is going to be, its first port decides; for what is asked of it any port does.
        let targets: Vec<Target> = match starts.is_empty() {
            true => arguments.urls.iter().map(|url| target(url, sending.follow)).collect::<Result<_, _>>()?,
            false => starts.iter().map(|start| start.target(1)).collect::<Result<_, _>>()?,
        };
        let names = match starts.is_empty() {
            true => names(targets.iter().map(ToString::to_string).collect()),
            false => names(starts.iter().map(|start| start.name.clone()).collect()),
        };
        if LoadGate::need_a_comparison(&judged.fail_on) && targets.len() < 2 {
            return Err(Error::usage(
                "--fail-on slower and inconclusive need something to compare; name two URLs, or start two servers (--start)",
            ));
        }
        let version = match (sending.http2, sending.http1_0) {
            (true, _) => Version::Two,
            (false, true) => Version::OnePointZero,
            (false, false) => Version::One,
        };
        if sending.unix_socket.is_some() && !starts.is_empty() {
            return Err(Error::usage(
                "servers that tare starts listen on a port; leave out --unix-socket, or start the server yourself",
            ));
        }
        let ladder = sending.paced.ladder()?;
        if ladder.is_some() && (!starts.is_empty() || judged.control || sending.requests.is_some()) {
            return Err(Error::usage(
                "a rate that grows in stages goes to servers that run already, without -n and --control; start them before, or give one rate",
            ));
        }
        followable::check(&arguments.pid, targets.len(), !starts.is_empty(), ladder.is_some())?;
        let seed = judged.seed.unwrap_or_else(|| rand::random::<u64>() >> 32);
        let requests = requests(sending, seed)?;
        let connections = Connections {
            version,
            keep_alive: !sending.no_keep_alive,
            cookies: sending.cookies,
            follow: sending.follow,
            expected: sending.expect.unwrap_or_default(),
        };
        if let Some(target) = targets.first() {
            // What is wrong with a header or a path is so with every target.
            requests.iter().try_for_each(|request| request.check(target, connections)).map_err(Error::usage)?;
        }
        let trust = match (&sending.cacert, sending.insecure) {
            (Some(file), _) => Trust::File(file.clone()),
            (None, true) => Trust::Anybody,
            (None, false) => Trust::System,
        };
        let tls = Tls::new(&trust, version).map_err(|error| Error::usage(format!("--cacert {error}")))?;
        let tls = match &sending.sni {
            Some(name) => tls.asking_for(name).map_err(|error| Error::usage(format!("--sni: {error}")))?,
            None => tls,
        };
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
        let log = sending.paced.hdr.as_ref().map(|path| LogFile::create(path));
        let twice = usize::from(judged.control) + 1;
        let count = sending.connections.unwrap_or(CONNECTIONS);
        shareable::check(arguments, count)?;
        let threads = sending.threads.unwrap_or((cpus / 2).max(1)).min(count);
        Ok(Self {
            placed: if starts.is_empty() {
                CpuPlacement::default()
            } else {
                CpuPlacement::of(arguments.cpus.as_deref(), threads)?
            },
            targets: vec![targets; twice].concat(),
            starts: vec![starts; twice].concat(),
            names,
            requests,
            socket: sending.unix_socket.clone(),
            tls,
            connections,
            count,
            timeout: arguments.timeout.unwrap_or(TIMEOUT),
            pace: sending.paced.pace(),
            ladder,
            amount: sending.paced.amount(sending.requests),
            warm_up: sending.paced.warm_up(sending.requests),
            threads,
            seed,
            log: log.transpose()?,
            pid: arguments.pid.clone(),
        })
    }
}

fn target(url: &str, follows: bool) -> Result<Target, Error> {
    if follows && !url.is_empty() && url.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::usage(format!(
            "`{url}` is not a URL; --follow follows redirects, and what a server's process costs is counted with --pid {url}"
        )));
    }
    Target::parse(url).map_err(Error::usage)
}

/// Names as they are shown; one that comes again gets a number.
fn names(plain: Vec<String>) -> Vec<String> {
    let name = |(at, name): (usize, &String)| match plain[..at].iter().filter(|earlier| *earlier == name).count() {
        0 => name.clone(),
        earlier => format!("{name} ({})", earlier + 1),
    };
    plain.iter().enumerate().map(name).collect()
}
