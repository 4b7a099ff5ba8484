//! `tare load http`.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use tare_load::driver::{self, Plan};
use tare_load::http::{Connections, HttpClients, Probe, Request, Target, Tls, Trust, Version, probe};
use tare_load::log::Logged;
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_report::{Layout, LoadTarget, LoadView};

use super::arguments::HttpArguments;
use super::blocks::{Amount, Turns, blocks, warm_up};
use super::compared::{Compared, comparisons, of_a_turn};
use super::gate::judge;
use super::progress::LoadProgress;
use super::quiet::disturbances;
use super::view;
use crate::arguments::Detail;
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::{lock, screen};

pub(super) const DURATION: Duration = Duration::from_secs(10);
pub(super) const WARM_UP: Duration = Duration::from_millis(500);
pub(super) const MARGIN: f64 = 0.005;
/// More connections take too long to be made anew in each round.
const RENEWED_CONNECTIONS: u32 = 64;

/// What is asked, checked.
struct Asked {
    targets: Vec<Target>,
    request: Request,
    tls: Tls,
    connections: Connections,
    pace: Pace,
    amount: Amount,
    warm_up: Duration,
    threads: u32,
    seed: u64,
    log: Option<(PathBuf, File)>,
}

impl Asked {
    fn of(arguments: &HttpArguments) -> Result<Self, Refusal> {
        let targets: Vec<Target> =
            arguments.urls.iter().map(|url| Target::parse(url)).collect::<Result<_, _>>().map_err(Refusal::usage)?;
        if arguments.fail_on.iter().any(|gate| gate.needs_a_comparison()) && targets.len() < 2 {
            return Err(Refusal::usage(anyhow!(
                "--fail-on slower and inconclusive need something to compare; name two URLs"
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
        Ok(Self {
            targets,
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
    let interrupted = || stop.load(Ordering::Relaxed);
    let Some(_lock) = lock::take("`tare load http`", &interrupted) else { return Ok(Status::Interrupted) };
    let names = names(&asked.targets);
    let probes: Vec<Result<Probe, String>> =
        asked.targets.iter().zip(&names).map(|(target, name)| find(target, name, &asked, arguments)).collect();
    let there: Vec<usize> = (0..probes.len()).filter(|&at| probes[at].is_ok()).collect();
    let mut shown: Vec<LoadTarget> = names
        .iter()
        .zip(&probes)
        .map(|(name, probe)| LoadTarget { name: name.clone(), failure: probe.clone().err(), ..LoadTarget::default() })
        .collect();
    let mut view = LoadView { seed: asked.seed, ..LoadView::default() };
    let mut is_kept = true;
    if !there.is_empty() {
        let found: Vec<_> = there
            .iter()
            .filter_map(|&at| Some((asked.targets[at].clone(), probes[at].as_ref().ok()?.address)))
            .collect();
        let clients =
            HttpClients::new(&found, &asked.request, &asked.tls, asked.connections).map_err(Refusal::usage)?;
        view.warnings = disturbances();
        let mut plan = Plan {
            targets: there.len(),
            connections: arguments.connections,
            threads: asked.threads,
            pace: asked.pace,
            timeout: arguments.timeout,
            seed: asked.seed,
            blocks: Vec::new(),
        };
        let (turns, warm_up) = turns(&mut plan, &asked, &clients, &stop)?;
        let block_s;
        (plan.blocks, block_s) = blocks(plan.targets, asked.amount, warm_up, turns, asked.seed);
        let started = SystemTime::now();
        let mut progress = LoadProgress::new(plan.blocks.len(), "requests");
        let outcome = driver::run(&plan, &clients, &stop, &mut |state| {
            progress.show(state.block, state.elapsed, &state.series.iter().collect::<Vec<_>>());
        })
        .map_err(no_thread)?;
        progress.clear();
        for (number, &at) in there.iter().enumerate() {
            shown[at] = view::target(&names[at], number, &plan, &outcome, &asked.targets[at], asked.connections);
        }
        let names: Vec<String> = there.iter().map(|&at| names[at].clone()).collect();
        // A base that isn't there can't be compared with.
        if there.first() == Some(&0) && there.len() > 1 {
            let mut results = outcome.blocks.as_slice();
            // The round that was cut short isn't one.
            if outcome.interrupted {
                let last = results.iter().map(|result| result.block.round).max();
                results = &results[..results.partition_point(|result| Some(result.block.round) < last)];
            }
            let closed = matches!((asked.pace, asked.amount), (Pace::Closed, Amount::Duration(_)));
            let of_a_turn = match closed {
                true => of_a_turn(results, &plan.blocks, plan.connections),
                false => f64::INFINITY,
            };
            let compared = Compared { names: &names, results, of_a_turn, apart: 0.0 };
            view.comparisons = comparisons(&[compared], arguments.margin.unwrap_or(MARGIN));
        }
        view.block_s = block_s;
        view.interrupted = outcome.interrupted;
        if let Some((path, file)) = asked.log.take() {
            let logged: Vec<Logged<'_>> = outcome
                .series
                .iter()
                .zip(&names)
                .map(|(series, name)| Logged { tag: (names.len() > 1).then_some(name), series })
                .collect();
            is_kept = super::log::keep(&path, file, started, &logged);
        }
    }
    view.targets = shown;
    let gated = judge(&arguments.fail_on, &mut view);
    show(&view, arguments.json, &Detail::default());
    Ok(match status(&view, gated) {
        Status::Done | Status::Undecided if !is_kept => Status::Failed,
        status => status,
    })
}

/// How targets take turns, and the warm-up that is left to do. Where they are compared in a closed loop they are warmed up here, which
/// tells how long a request takes.
fn turns(
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

fn no_thread(error: std::io::Error) -> Refusal {
    Refusal::failed(anyhow!("a thread for the load can't be had: {error}"))
}

/// URLs as they are shown; the same one named twice gets a number.
fn names(targets: &[Target]) -> Vec<String> {
    let plain: Vec<String> = targets.iter().map(ToString::to_string).collect();
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
        target.failure.is_some() || target.operations.iter().all(|operation| operation.latency.is_none())
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
