//! Where a front end and the worker meet. A front end goes through its cases in their order, once in each process, and offers each; the worker lists them, or measures the one that
//! is asked for while its closure and all that it borrows are alive.
//!
//! The first `begin` speaks to the core until that wants either. A list is made by a copy of the process, which goes on in the user's code and ends; so each process runs that code
//! once, as it does without Tare, and nothing of it has run where a case is measured.

use super::case::{short, Definition, Names};
use super::conversation::{Next, Target, Worker};
use super::ending;
use super::fault::Fault;
use super::operations::AnySuite;
use super::panics;
use super::sampler::Body;
use super::{facts, listing, sys, wire};
use std::sync::{Mutex, MutexGuard};

/// What the process does with the cases that it is offered.
enum Mode {
    Idle,
    Listing { worker: Worker, request: i64, cases: Vec<Definition>, notices: Vec<(String, &'static str, Fault)> },
    Seeking { worker: Worker, target: Target },
    Over,
}

static MODE: Mutex<Mode> = Mutex::new(Mode::Idle);
static NAMES: Mutex<Names> = Mutex::new(Names::new());

fn mode() -> MutexGuard<'static, Mode> {
    MODE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Speaks to the core; does nothing the second time. Comes back when the cases are to be offered. A process that the core hasn't started says how to, and ends with 2.
pub fn begin() {
    begin_with(Vec::new());
}

/// The same of a program that has operations for loads.
pub fn begin_with(suites: Vec<Box<dyn AnySuite>>) {
    let mut mode = mode();
    if !matches!(*mode, Mode::Idle) {
        return;
    }
    if !wire::is_wanted() {
        eprintln!("tare: these benchmarks were built for Tare; `tare run` in their package measures them");
        std::process::exit(2);
    }
    ending::concludes(conclude);
    let worker = Worker::start(suites);
    go_on(&mut mode, worker);
}

fn go_on(mode: &mut Mode, mut worker: Worker) {
    *mode = match worker.serve(None) {
        Next::End => sys::end_process(0),
        Next::List(request) => Mode::Listing { worker, request, cases: Vec::new(), notices: Vec::new() },
        Next::Seek(target) => Mode::Seeking { worker, target },
    };
}

/// A case and its body, which is called once for each sample and hands its routine to the driver. Doesn't come back from the case that is measured.
pub fn offer(definition: Definition, body: &mut Body<'_>) {
    begin();
    let mut names = NAMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let definition = names.make_own(definition.with_short_names());
    drop(names);
    let mut mode = mode();
    match &mut *mode {
        Mode::Listing { cases, .. } => {
            // Threads that wait for its work already, as those of a runtime.
            let is_parallel = definition.is_parallel || listing::has_other_threads();
            cases.push(Definition { is_parallel, ..definition });
        }
        Mode::Seeking { target, .. } if definition.is_named(&target.names) => {
            let Mode::Seeking { mut worker, target } = std::mem::replace(&mut *mode, Mode::Over) else { return };
            drop(mode);
            worker.measure(&target, &definition, body);
            sys::end_process(0);
        }
        _ => {}
    }
}

/// Whether cases of this benchmark matter, with any parameters: where it is false, what they need doesn't have to be made.
pub fn is_wanted(benchmark: &str) -> bool {
    begin();
    match &*mode() {
        Mode::Listing { .. } => true,
        Mode::Seeking { target, .. } => {
            // A further one of its name has a number.
            let rest = target.names.0.strip_prefix(&short(benchmark.to_owned()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" #"))
        }
        Mode::Idle | Mode::Over => false,
    }
}

/// Something to tell of the benchmarks as they are listed: `level` is `info`, `warning` or `error`.
pub fn tell(level: &'static str, kind: &'static str, message: String, remedy: &str) {
    add_notice(String::new(), level, Fault::new(kind, message).with_remedy(remedy));
}

/// The same of one benchmark, with its place.
pub fn tell_of(definition: &Definition, level: &'static str, kind: &'static str, message: String, remedy: &str) {
    let fault = Fault::new(kind, message).with_remedy(remedy).placed(&definition.file, definition.line);
    add_notice(definition.benchmark.clone(), level, fault);
}

fn add_notice(benchmark: String, level: &'static str, fault: Fault) {
    if let Mode::Listing { notices, .. } = &mut *mode() {
        if notices
            .iter()
            .all(|(of, _, known)| *of != benchmark || known.message != fault.message || known.line != fault.line)
        {
            notices.push((benchmark, level, fault));
        }
    }
}

/// Runs a part of what offers cases. Its panic is told; the parts after it are gone through all the same.
pub fn part(code: impl FnOnce()) {
    begin();
    if let Err(fault) = panics::guarded("load", code) {
        let fault = fault.with_remedy(ending::REPAIR);
        match &mut *mode() {
            Mode::Listing { notices, .. } => notices.push((String::new(), "error", fault)),
            Mode::Seeking { target, .. } => target.trouble = target.trouble.take().or(Some(fault)),
            _ => {}
        }
    }
}

/// All cases were offered. Doesn't come back.
pub fn end() -> ! {
    begin();
    conclude();
    sys::end_process(0)
}

/// A listing is sent; a case that was sought and not offered is told, and what else the core asks is answered.
fn conclude() {
    let mut mode = mode();
    match std::mem::replace(&mut *mode, Mode::Over) {
        Mode::Listing { mut worker, request, cases, notices } => {
            for (benchmark, level, fault) in notices.into_iter().chain(of_the_build()) {
                worker.notice(request, level, &fault, &benchmark);
            }
            worker.send_cases(request, &cases);
            ending::expect_nothing();
        }
        Mode::Seeking { mut worker, target } => {
            worker.miss(&target);
            let _ = worker.serve(None);
        }
        Mode::Idle | Mode::Over => {}
    }
}

fn of_the_build() -> Option<(String, &'static str, Fault)> {
    if facts::optimisation() != "0" && facts::optimisation() != "1" && !facts::has_debug_assertions() {
        return None;
    }
    let what = if facts::has_debug_assertions() { "with debug assertions" } else { "with little optimisation" };
    let fault = Fault::new("build", format!("The benchmarks were compiled {what}: their times say little."));
    Some((
        String::new(),
        "warning",
        fault.with_remedy("Set opt-level = 3 and debug-assertions = false in [profile.bench]."),
    ))
}
