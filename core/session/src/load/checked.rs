//! What is asked of an HTTP load, checked.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use tare_load::http::{Connections, Request, Target, Tls, Trust, Version};
use tare_load::schedule::Pace;

use crate::error::Error;
use crate::load::asked::{DURATION, HttpLoad, WARM_UP};
use crate::load::blocks::Amount;
use crate::load::gate::LoadGate;
use crate::load::log;
use crate::load::start::Start;

/// What is asked, checked.
pub(crate) struct Checked {
    /// Those that were named; then all of them once more, where they have controls.
    pub(crate) targets: Vec<Target>,
    /// What is started for each target; nothing where they run already.
    pub(crate) starts: Vec<Start>,
    /// Of those that were named.
    pub(crate) names: Vec<String>,
    pub(crate) request: Request,
    pub(crate) tls: Tls,
    pub(crate) connections: Connections,
    pub(crate) pace: Pace,
    pub(crate) amount: Amount,
    pub(crate) warm_up: Duration,
    pub(crate) threads: u32,
    pub(crate) seed: u64,
    pub(crate) log: Option<(PathBuf, File)>,
}

impl Checked {
    pub(crate) fn of(arguments: &HttpLoad) -> Result<Self, Error> {
        let starts = match arguments.start.is_empty() {
            true => Vec::new(),
            false => Start::all(&arguments.urls, &arguments.start)?,
        };
        // Where a server is going to be, its first port decides; for what is asked of it any port does.
        let targets: Vec<Target> = match starts.is_empty() {
            true => {
                arguments.urls.iter().map(|url| Target::parse(url)).collect::<Result<_, _>>().map_err(Error::usage)?
            }
            false => starts.iter().map(|start| start.target(1)).collect::<Result<_, _>>()?,
        };
        let names = match starts.is_empty() {
            true => names(targets.iter().map(ToString::to_string).collect()),
            false => names(starts.iter().map(|start| start.name(arguments.start.len() > 1)).collect()),
        };
        if LoadGate::need_a_comparison(&arguments.fail_on) && targets.len() < 2 {
            return Err(Error::usage(
                "--fail-on slower and inconclusive need something to compare; name two URLs, or start two servers (--start)",
            ));
        }
        let body = arguments.body.as_deref().map(body).transpose()?;
        let request = Request::new(arguments.method.as_deref(), &arguments.header, body).map_err(Error::usage)?;
        let version = if arguments.http2 { Version::Two } else { Version::One };
        let trust = match (&arguments.cacert, arguments.insecure) {
            (Some(file), _) => Trust::File(file.clone()),
            (None, true) => Trust::Anybody,
            (None, false) => Trust::System,
        };
        let tls = Tls::new(&trust, version).map_err(|error| Error::usage(format!("--cacert {error}")))?;
        let pace = arguments.rate.map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals: arguments.arrivals });
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
        let log = arguments.hdr.as_ref().map(|path| Ok::<_, Error>((path.clone(), log::create(path)?)));
        let twice = usize::from(arguments.control) + 1;
        Ok(Self {
            targets: vec![targets; twice].concat(),
            starts: vec![starts; twice].concat(),
            names,
            request,
            tls,
            connections: Connections { version, keep_alive: !arguments.no_keep_alive },
            pace,
            amount: match arguments.requests {
                Some(requests) => Amount::Requests(requests),
                None => Amount::Duration(arguments.duration.unwrap_or(DURATION)),
            },
            warm_up: match (arguments.warm_up, arguments.requests) {
                (Some(warm_up), _) => warm_up,
                (None, Some(_)) => Duration::ZERO,
                (None, None) => WARM_UP,
            },
            threads: arguments.threads.unwrap_or((cpus / 2).max(1)).min(arguments.connections),
            seed: arguments.seed.unwrap_or_else(|| rand::random::<u64>() >> 32),
            log: log.transpose()?,
        })
    }
}

/// Each connection sends it again and again: a larger one is a mistake.
const LARGEST_BODY: u64 = 256 << 20;

/// The body as text, or that of a file.
fn body(text: &str) -> Result<Vec<u8>, Error> {
    match text.strip_prefix('@') {
        Some(path) => tare_files::read(path.as_ref(), LARGEST_BODY).map_err(|error| {
            Error::usage(format!("--body @{path}: {error}; name a file that can be read, or write the body itself"))
        }),
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// Names as they are shown; one that comes again gets a number.
fn names(plain: Vec<String>) -> Vec<String> {
    let name = |(at, name): (usize, &String)| match plain[..at].iter().filter(|earlier| *earlier == name).count() {
        0 => name.clone(),
        earlier => format!("{name} ({})", earlier + 1),
    };
    plain.iter().enumerate().map(name).collect()
}
