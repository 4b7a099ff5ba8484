//! Looks at the clocks of all runtimes, in stages.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use tare_definition::Project;
use tare_machine::fitness::{self, Level};
use tare_machine::{Placement, Topology};
use tare_results::{ClocksView, RuntimeClocks};
use tare_worker::{Conversation, Launcher, ProcessLauncher, ProcessPlacement, Ready, ready_for_clocks};

use crate::clocks::measure::{self, Clocks, Plan};
use crate::clocks::runtimes;
use crate::error::Error;
use crate::event::Event;
use crate::prepare::lock;
use crate::session::Session;

/// Stages of a runtime.
const STAGES: [&str; 5] = ["first readings", "clocks", "waits", "system calls", "last readings"];
/// All of it, without builds.
const TOTAL: Duration = Duration::from_secs(20);
/// Of that, what is kept back for reading, for what starts and ends, and for a worker that hangs.
const RESERVE: Duration = Duration::from_secs(9);

/// A runtime whose clocks are looked at, and how far that is.
struct RuntimeUnderTest {
    clocks: RuntimeClocks,
    ready: Option<Ready>,
    live: Option<Clocks>,
    /// Stages that it has been through.
    stages: usize,
}

/// What is asked of clocks.
#[derive(Debug, Clone)]
pub struct ClocksRequest {
    /// Runtimes as `NAME=COMMAND`, a command, or a name of tare.toml; empty for those that are there.
    pub runtimes: Vec<String>,
    /// CPUs of the workers.
    pub cpus: Option<Vec<usize>>,
    /// The longest wait for one answer.
    pub timeout: Duration,
}

impl Session<'_> {
    /// What each clock of each runtime costs and resolves, and what waiting really takes. Runtimes that fail, or were cut short, say so.
    ///
    /// # Errors
    ///
    /// Where what is asked for can't be, or it is stopped before anything was ready.
    pub fn clocks(&self, request: &ClocksRequest, project: &Project) -> Result<ClocksView, Error> {
        clocks(request, project, self)
    }
}

fn clocks(request: &ClocksRequest, project: &Project, session: &Session<'_>) -> Result<ClocksView, Error> {
    let commands = runtimes::wanted(&request.runtimes, &project.settings.runtimes)?;
    let mut machine = tare_machine::facts(Path::new("/"));
    let mut launcher = placed(request.cpus.as_deref(), request.timeout, &mut machine)?;

    let building = Instant::now();
    let mut under_test: Vec<RuntimeUnderTest> = Vec::new();
    for command in &commands {
        let mut tested = RuntimeUnderTest {
            clocks: RuntimeClocks { name: command.name.clone(), ..RuntimeClocks::default() },
            ready: None,
            live: None,
            stages: 0,
        };
        match ready_for_clocks(command, &mut |text| session.notice(text)) {
            Ok(ready) => tested.ready = Some(ready),
            Err(failure) => tested.clocks.failure = Some(failure),
        }
        under_test.push(tested);
        if session.is_stopped() {
            return Err(Error::interrupted());
        }
    }
    let building_s = building.elapsed().as_secs_f64();

    let _lock = lock::take("`tare clock`", session)?;
    let begun = Instant::now();
    open(&mut under_test, &mut launcher);
    let calls = under_test.iter().filter_map(|tested| tested.live.as_ref()).map(Clocks::sleeping_calls).sum();
    let plan = Plan::sharing(TOTAL - RESERVE, calls, request.timeout);
    let stages = (under_test.len() * STAGES.len()) as u64;
    let mut done = 0;
    // What a worker can't do ends it, and not the others.
    let mut each = |what: &str,
                    under_test: &mut [RuntimeUnderTest],
                    step: &mut dyn FnMut(&mut Clocks, &RuntimeUnderTest) -> measure::Done| {
        for tested in under_test {
            if session.is_stopped() {
                return;
            }
            let Some(mut live) = tested.live.take() else { continue };
            session.emit(&Event::Clocks {
                runtime: tested.clocks.name.clone(),
                stage: what.to_owned(),
                done,
                of: stages,
            });
            match step(&mut live, tested) {
                Ok(()) => {
                    tested.live = Some(live);
                    tested.stages += 1;
                }
                Err(failure) => {
                    tested.clocks.failure = Some(failure);
                    live.give(&mut tested.clocks);
                }
            }
            done += 1;
        }
    };
    each(STAGES[0], &mut under_test, &mut |live, _| live.begin(&plan));
    each(STAGES[1], &mut under_test, &mut |live, _| live.read(&plan));
    each(STAGES[2], &mut under_test, &mut |live, _| live.wait(&plan));
    each(STAGES[3], &mut under_test, &mut |live, tested| {
        if let Some(ready) = &tested.ready {
            live.probe(ready, &mut launcher, &plan);
        }
        Ok(())
    });
    each(STAGES[4], &mut under_test, &mut |live, _| live.end(&plan));
    for tested in &mut under_test {
        if let Some(live) = tested.live.take() {
            tested.clocks.interrupted = tested.stages < STAGES.len();
            live.give(&mut tested.clocks);
        }
    }
    session.emit(&Event::ClocksDone);
    // What was ready by then was paid for.
    let cut = under_test.iter().any(|tested| tested.clocks.interrupted);
    if cut && under_test.iter().all(|tested| tested.clocks.is_empty()) {
        return Err(Error::interrupted());
    }
    Ok(ClocksView {
        machine,
        runtimes: under_test.into_iter().map(|tested| tested.clocks).collect(),
        duration_s: begun.elapsed().as_secs_f64(),
        building_s,
    })
}

/// Starts all workers, so that they get ready together, and waits for them in turn.
fn open(under_test: &mut [RuntimeUnderTest], launcher: &mut ProcessLauncher) {
    let mut starting = Vec::new();
    for (place, tested) in under_test.iter_mut().enumerate() {
        let Some(ready) = &tested.ready else { continue };
        match launcher.start(&ready.start, 0, ProcessPlacement { among: place, ..ProcessPlacement::default() }) {
            Ok(started) => starting.push((place, started)),
            Err(failure) => tested.clocks.failure = Some(failure),
        }
    }
    for (place, started) in starting {
        let tested = &mut under_test[place];
        match started.open().and_then(|conversation| begin(conversation, &mut tested.clocks)) {
            Ok(live) => tested.live = Some(live),
            Err(failure) => tested.clocks.failure = Some(by_hand(failure)),
        }
    }
}

/// The remedy for a benchmark's failure is of no use where the runtime doesn't start.
pub(crate) fn by_hand(failure: tare_samples::Failure) -> tare_samples::Failure {
    let remedy = "run the command by hand: it must start an interpreter or a program of that language".to_owned();
    tare_samples::Failure { remedy, ..failure }
}

fn begin(conversation: Conversation, into: &mut RuntimeClocks) -> Result<Clocks, tare_samples::Failure> {
    into.language = conversation.hello().language.clone();
    into.version = conversation.hello().version.clone();
    let facts: BTreeMap<String, String> = conversation.hello().facts.iter().cloned().collect();
    let judged = fitness::of_runtime(&into.language, &facts);
    let disturbs = judged.into_iter().filter(|finding| finding.level == Level::Disturbs);
    into.disturbed = disturbs.map(|finding| format!("{}: {}", finding.code, finding.found)).collect();
    let native = into.name == runtimes::NATIVE;
    Clocks::new(conversation, native)
}

/// Chooses CPUs and binds this process to the core's.
fn placed(
    requested: Option<&[usize]>,
    timeout: Duration,
    machine: &mut BTreeMap<String, String>,
) -> Result<ProcessLauncher, Error> {
    let placement = match tare_machine::allowed_cpus() {
        Ok(allowed) => tare_machine::choose(&Topology::read(Path::new("/"), allowed), requested)
            .map_err(|error| Error::usage(format!("--cpus: {error}")))?,
        Err(_) => Placement::Unpinned(tare_machine::Unpinned::Unsupported),
    };
    let (cpus, others, said) = match placement {
        Placement::Pinned { worker, core } => {
            // As for every measurement: not being able to move away is no reason not to measure.
            let _ = tare_machine::pin_current_thread(&core);
            let said = format!("on CPU {}", tare_machine::format_cpu_list(&worker));
            (worker, core, said)
        }
        Placement::Unpinned(reason) => (Vec::new(), Vec::new(), format!("not pinned: {reason}")),
    };
    machine.insert("workers".to_owned(), said);
    Ok(ProcessLauncher::new(cpus, &others, timeout))
}
