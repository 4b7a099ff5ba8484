//! `tare load http`.

use std::fs::File;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use tare_load::driver;
use tare_load::http::{Connections, HttpClients, Probe, Request, Target, Tls, Trust, Version, probe};
use tare_load::log::Logged;
use tare_load::plan::{Outcome, Plan};
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_report::Layout;
use tare_results::{LoadComparison, LoadTarget, LoadView};
use tare_session::{Session, take_machine};

use super::arguments::HttpArguments;
use super::blocks::{Amount, Turns, blocks, warm_up};
use super::compared::{Compared, Pair, comparisons, of_a_turn};
use super::gate::{LoadGate, judge};
use super::limits;
use super::pairs::{self, PROCESSES_APART, pairs};
use super::progress::LoadProgress;
use super::quiet::disturbances;
use super::started::{self, Start};
use super::view;
use crate::arguments::Detail;
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::listener::Screen;
use crate::screen;

pub(super) const DURATION: Duration = Duration::from_secs(10);
pub(super) const WARM_UP: Duration = Duration::from_millis(500);
pub(super) const MARGIN: f64 = 0.005;
/// More connections take too long to be made anew in each round.
const RENEWED_CONNECTIONS: u32 = 64;

/// What is asked, checked.
pub(super) struct Asked {
    /// Those that were named; then all of them once more, where they have controls.
    targets: Vec<Target>,
    /// What is started for each target; nothing where they run already.
    starts: Vec<Start>,
    /// Of those that were named.
    names: Vec<String>,
    pub(super) request: Request,
    pub(super) tls: Tls,
    pub(super) connections: Connections,
    pace: Pace,
    pub(super) amount: Amount,
    pub(super) warm_up: Duration,
    threads: u32,
    pub(super) seed: u64,
    log: Option<(PathBuf, File)>,
}

impl Asked {
    fn of(arguments: &HttpArguments) -> Result<Self, Refusal> {
        let starts = match arguments.start.is_empty() {
            true => Vec::new(),
            false => Start::all(&arguments.urls, &arguments.start)?,
        };
        // Where a server is going to be, its first port decides; for what is asked of it any port does.
        let targets: Vec<Target> = match starts.is_empty() {
            true => {
                arguments.urls.iter().map(|url| Target::parse(url)).collect::<Result<_, _>>().map_err(Refusal::usage)?
            }
            false => starts.iter().map(|start| start.target(1)).collect::<Result<_, _>>()?,
        };
        let names = match starts.is_empty() {
            true => names(targets.iter().map(ToString::to_string).collect()),
            false => names(starts.iter().map(|start| start.name(arguments.start.len() > 1)).collect()),
        };
        if LoadGate::need_a_comparison(&arguments.fail_on) && targets.len() < 2 {
            return Err(Refusal::usage(anyhow!(
                "--fail-on slower and inconclusive need something to compare; name two URLs, or start two servers (--start)"
            )));
        }
        let body = arguments.body.as_deref().map(body).transpose()?;
        let request = Request::new(arguments.method.as_deref(), &arguments.header, body).map_err(Refusal::usage)?;
        let version = if arguments.http2 { Version::Two } else { Version::One };
        let trust = match (&arguments.cacert, arguments.insecure) {
            (Some(file), _) => Trust::File(file.clone()),
            (None, true) => Trust::Anybody,
            (None, false) => Trust::System,
        };
        let tls = Tls::new(&trust, version).map_err(|error| Refusal::usage(anyhow!("--cacert {error}")))?;
        let pace = arguments.rate.map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals: arguments.arrivals.into() });
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
        let log = arguments.hdr.as_ref().map(|path| match File::create(path) {
            Ok(file) => Ok((path.clone(), file)),
            Err(error) => Err(Refusal::usage(anyhow!(
                "--hdr {}: {error}; name a file in a folder that can be written",
                path.display()
            ))),
        });
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

/// The body as text, or that of a file.
fn body(text: &str) -> Result<Vec<u8>, Refusal> {
    match text.strip_prefix('@') {
        Some(path) => std::fs::read(path).map_err(|error| {
            Refusal::usage(anyhow!("--body @{path}: {error}; name a file that can be read, or write the body itself"))
        }),
        None => Ok(text.as_bytes().to_vec()),
    }
}

pub(crate) fn http(arguments: &HttpArguments) -> Result<Status, Refusal> {
    let mut asked = Asked::of(arguments)?;
    let stop = stop_flag()?;
    let listener = Screen::default();
    let Some(_lock) = take_machine("`tare load http`", &Session::new(&listener, Arc::clone(&stop))) else {
        return Ok(Status::Interrupted);
    };
    let mut view = LoadView { seed: asked.seed, ..LoadView::default() };
    let started = SystemTime::now();
    let mut plan = Plan {
        targets: asked.targets.len(),
        connections: arguments.connections,
        threads: asked.threads,
        pace: asked.pace,
        timeout: arguments.timeout,
        seed: asked.seed,
        blocks: Vec::new(),
    };
    let loaded = match asked.starts.is_empty() {
        true => running(&asked, arguments, &mut plan, &mut view, &stop)?,
        false => begun(&asked, &mut plan, &mut view, &stop)?,
    };
    let mut is_kept = true;
    let mut shown: Vec<LoadTarget> = asked
        .names
        .iter()
        .zip(&loaded.failures)
        .map(|(name, failure)| LoadTarget { name: name.clone(), failure: failure.clone(), ..LoadTarget::default() })
        .collect();
    if let Some(outcome) = loaded.outcome.filter(|outcome| !outcome.series.is_empty()) {
        for (number, &at) in loaded.there.iter().enumerate().filter(|(_, at)| **at < asked.names.len()) {
            let failure = shown[at].failure.take();
            shown[at] = view::target(&asked.names[at], number, &plan, &outcome, &asked.targets[at], asked.connections);
            shown[at].warnings.extend(failure.map(pairs::server_ended));
        }
        let names: Vec<String> = loaded.there.iter().map(|at| asked.names[at % asked.names.len()].clone()).collect();
        let found = pairs(&loaded.there, asked.names.len(), &loaded.apart);
        view.warnings.extend(found.iter().any(|pair| pair.apart > 0.0).then(pairs::one_process_each));
        let margin = arguments.margin.unwrap_or(MARGIN);
        view.comparisons = compared(&asked, &plan, &outcome, &names, (found, loaded.cut_short), margin);
        view.warnings.extend(pairs::controls_differ(&view.comparisons));
        if asked.pace == Pace::Closed {
            view.warnings.extend(limits::client(&outcome.effort, asked.threads));
        }
        if let Some((base, candidates)) = shown.split_first_mut() {
            for candidate in candidates {
                candidate.warnings.extend(limits::answers(base, candidate));
            }
        }
        view.interrupted = outcome.interrupted;
        if let Some((path, file)) = asked.log.take() {
            let logged: Vec<Logged<'_>> = outcome
                .series
                .iter()
                .zip(&names)
                .zip(&loaded.there)
                .filter(|(_, at)| **at < asked.names.len())
                .map(|((series, name), _)| Logged { tag: (asked.names.len() > 1).then_some(name), series })
                .collect();
            is_kept = super::log::keep(&path, file, started, &logged);
        }
    }
    view.targets = shown;
    let gated = judge(&arguments.fail_on, &mut view);
    show(&view, arguments.json, &Detail::default());
    let failed = !is_kept || loaded.cut_short;
    Ok(match status(&view, gated) {
        Status::Done | Status::Undecided if failed => Status::Failed,
        status => status,
    })
}

/// What a load gave, and of whom.
struct Loaded {
    outcome: Option<Outcome>,
    /// The numbers of the targets that were under load.
    there: Vec<usize>,
    /// Why a target wasn't, or not to the end.
    failures: Vec<Option<String>>,
    /// Standard errors against the first that no number of rounds takes away, by target under load.
    apart: Vec<f64>,
    /// It ended before its end, without anybody having asked for it.
    cut_short: bool,
}

/// Puts servers under load that run already.
fn running(
    asked: &Asked,
    arguments: &HttpArguments,
    plan: &mut Plan,
    view: &mut LoadView,
    stop: &Arc<AtomicBool>,
) -> Result<Loaded, Refusal> {
    let probes: Vec<Result<Probe, String>> =
        asked.targets.iter().zip(&asked.names).map(|(target, name)| find(target, name, asked, arguments)).collect();
    let probe_of = |at: usize| &probes[at % probes.len()];
    let there: Vec<usize> = (0..asked.targets.len()).filter(|&at| probe_of(at).is_ok()).collect();
    let failures = probes.iter().map(|probe| probe.as_ref().err().cloned()).collect();
    let found: Vec<_> =
        there.iter().filter_map(|&at| Some((asked.targets[at].clone(), probe_of(at).as_ref().ok()?.address))).collect();
    // What answers at the same address is the same process, or the same lot of them.
    let alone = |address: &SocketAddr| if *address == found[0].1 { 0.0 } else { PROCESSES_APART * 2.0f64.sqrt() };
    let apart = found.iter().map(|(_, address)| alone(address)).collect();
    let mut loaded = Loaded { outcome: None, there, failures, apart, cut_short: false };
    if found.is_empty() {
        return Ok(loaded);
    }
    let clients = HttpClients::new(&found, &asked.request, &asked.tls, asked.connections).map_err(Refusal::usage)?;
    view.warnings = disturbances();
    plan.targets = found.len();
    let (turns, warm_up) = turns(plan, asked, &clients, stop)?;
    (plan.blocks, view.block_s) = blocks(plan.targets, asked.amount, warm_up, turns, asked.seed);
    let mut progress = LoadProgress::new(plan.blocks.len(), "requests");
    let outcome = driver::run(plan, &clients, stop, &mut |state| {
        progress.show(state.block, state.elapsed, &state.series.iter().collect::<Vec<_>>());
    })
    .map_err(no_thread)?;
    progress.clear();
    loaded.outcome = Some(outcome);
    Ok(loaded)
}

/// Starts servers and puts them under load.
fn begun(asked: &Asked, plan: &mut Plan, view: &mut LoadView, stop: &Arc<AtomicBool>) -> Result<Loaded, Refusal> {
    view.warnings = disturbances();
    let found = started::run(&asked.starts, plan, asked, stop)?;
    view.block_s = found.block_s;
    view.interrupted = found.outcome.interrupted;
    let mut failures = vec![None; asked.names.len()];
    let cut_short = found.failure.is_some();
    if let Some((number, failure)) = found.failure {
        failures[number % asked.names.len()] = Some(failure);
    }
    let there = (0..asked.starts.len()).collect();
    let apart = vec![0.0; asked.starts.len()];
    Ok(Loaded { outcome: Some(found.outcome), there, failures, apart, cut_short })
}

/// The rounds of targets that took turns.
fn compared(
    asked: &Asked,
    plan: &Plan,
    outcome: &Outcome,
    names: &[String],
    (pairs, cut_short): (Vec<Pair>, bool),
    margin: f64,
) -> Vec<LoadComparison> {
    let mut results = outcome.blocks.as_slice();
    // The round that was cut short isn't one.
    if outcome.interrupted || cut_short {
        let last = results.iter().map(|result| result.block.round).max();
        results = &results[..results.partition_point(|result| Some(result.block.round) < last)];
    }
    let closed = matches!((asked.pace, asked.amount), (Pace::Closed, Amount::Duration(_)));
    let of_a_turn = match closed {
        true => of_a_turn(results, &plan.blocks, plan.connections),
        false => f64::INFINITY,
    };
    comparisons(&[Compared { names, results, of_a_turn, pairs }], margin)
}

/// How targets take turns, and the warm-up that is left to do. Where they are compared in a closed loop they are warmed up here, which
/// tells how long a request takes.
pub(super) fn turns(
    plan: &mut Plan,
    asked: &Asked,
    clients: &HttpClients,
    stop: &Arc<AtomicBool>,
) -> Result<(Turns, Duration), Refusal> {
    let whole = match plan.connections <= RENEWED_CONNECTIONS {
        true => Turns::WHOLE_ROUNDS.renewed(),
        false => Turns::WHOLE_ROUNDS,
    };
    match (asked.pace, asked.amount) {
        (Pace::Open { rate, .. }, _) => return Ok((whole.of_rate(rate), asked.warm_up)),
        (Pace::Closed, Amount::Duration(_)) if plan.targets > 1 && !asked.warm_up.is_zero() => {}
        _ => return Ok((whole, asked.warm_up)),
    }
    plan.blocks = warm_up(plan.targets, asked.warm_up);
    let warmed = driver::run(plan, clients, stop, &mut |_| ()).map_err(no_thread)?;
    let latency = |series: &Series| series.total.latencies.mean();
    // Where nothing succeeded nothing is known.
    let slowest = warmed.series.iter().map(latency).try_fold(0.0, |slowest, latency| Some(f64::max(latency?, slowest)));
    let turns = slowest.map_or(whole, |slowest| whole.of_latency(Duration::from_nanos(slowest as u64)));
    Ok((turns, Duration::ZERO))
}

pub(super) fn no_thread(error: std::io::Error) -> Refusal {
    Refusal::failed(anyhow!("a thread for the load can't be had: {error}"))
}

/// Names as they are shown; one that comes again gets a number.
fn names(plain: Vec<String>) -> Vec<String> {
    let name = |(at, name): (usize, &String)| match plain[..at].iter().filter(|earlier| *earlier == name).count() {
        0 => name.clone(),
        earlier => format!("{name} ({})", earlier + 1),
    };
    plain.iter().enumerate().map(name).collect()
}

fn find(target: &Target, name: &str, asked: &Asked, arguments: &HttpArguments) -> Result<Probe, String> {
    match probe(target, &asked.request, &asked.tls, asked.connections, arguments.timeout) {
        Ok(probe) => {
            if let Err(failure) = &probe.answer {
                let status = failure.status.map_or(String::new(), |status| format!(" (status {status})"));
                screen::complain(&format!(
                    "{name}: the first request failed: {}{status}; going on, and counting",
                    failure.kind
                ));
            }
            Ok(probe)
        }
        Err(failure) => {
            let message = format!("{}: {}", failure.kind, failure.detail);
            screen::complain(&format!("{name}: no connection: {message}"));
            Err(message)
        }
    }
}

pub(super) fn show(view: &LoadView, json: bool, detail: &Detail) {
    if json {
        screen::print(&tare_report::load_document(view, Layout::Pretty));
    } else {
        let options = screen::table_options(detail);
        screen::print(&tare_report::load_report(view, &options));
    }
}

pub(super) fn status(view: &LoadView, gated: Status) -> Status {
    let nothing = |target: &LoadTarget| {
        let gone = target.warnings.iter().any(|warning| warning.code == view::STOPPED_ANSWERING);
        gone || target.failure.is_some() || target.operations.iter().all(|operation| operation.latency.is_none())
    };
    if view.interrupted {
        Status::Interrupted
    } else if gated == Status::Tripped {
        gated
    } else if view.targets.iter().any(nothing) {
        Status::Failed
    } else {
        gated
    }
}
