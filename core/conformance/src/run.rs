use std::path::PathBuf;
use std::time::Duration;

use tare_frames::{CaseFrame, Hello};

use crate::error::ConformanceError;
use crate::known::KnownFailing;
use crate::known::glob_matches;
use crate::process::Worker;
use crate::replay::{Difference, Exchange};
use crate::report::{Check, Outcome, Report};
use crate::template::Names;
use crate::vectors::{Content, ForEach, Session, Vector, Wire, load};

/// The two checks that the others build on; they come first.
const HELLO: &str = "sessions/hello";
const ENUMERATION: &str = "sessions/source-enumeration";

/// What to check, and how patiently.
#[derive(Debug, Clone)]
pub struct Options {
    /// A source in the worker's language with at least one case that isn't skipped; without it the checks that need
    /// a case are skipped.
    pub source: Option<PathBuf>,
    /// The longest that the answer to one request, and the start and the end of the process, may take.
    pub deadline: Duration,
    /// Checks that may fail.
    pub known_failing: KnownFailing,
    /// Globs of the vectors to replay (`sessions/*`); all of them where there is none. `sessions/hello`, and with a
    /// source `sessions/source-enumeration`, are replayed in any case: the others build on them.
    pub only: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: None,
            deadline: Duration::from_secs(10),
            known_failing: KnownFailing::default(),
            only: Vec::new(),
        }
    }
}

/// Replays every vector against the worker that `command` starts, each in a fresh process.
///
/// # Errors
/// Only where the checks can't be made at all; whatever the worker does wrong, not starting included, is a failed
/// check in the report.
pub fn run(command: &[String], options: &Options) -> Result<Report, ConformanceError> {
    run_with(command, options, &mut |_| {})
}

/// As [`run`], and hands over each check as soon as it is made.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    command: &[String],
    options: &Options,
    progress: &mut dyn FnMut(&Check),
) -> Result<Report, ConformanceError> {
    if command.is_empty() {
        return Err(ConformanceError::NoCommand);
    }
    let source = match &options.source {
        None => None,
        Some(path) => {
            Some(path.canonicalize().map_err(|error| ConformanceError::Source { path: path.clone(), error })?)
        }
    };
    let mut vectors = load()?;
    vectors.retain(|vector| wanted(&vector.name, options));
    vectors.sort_by_key(|vector| (rank(&vector.name), vector.name.clone()));
    let names = Names::default();
    let names = match &source {
        Some(path) => names.with("source", path.to_string_lossy().into_owned()),
        None => names,
    };
    let mut runner = Runner {
        command,
        options,
        progress,
        source: source.is_some(),
        names,
        hello: None,
        cases: None,
        noise: None,
        report: Report::default(),
    };
    for vector in &vectors {
        runner.vector(vector)?;
    }
    runner.quiet();
    let names: Vec<&str> = runner.report.checks.iter().map(|check| check.name.as_str()).collect();
    runner.report.unmatched = options.known_failing.unmatched(&names);
    Ok(runner.report)
}

fn wanted(name: &str, options: &Options) -> bool {
    options.only.is_empty()
        || name == HELLO
        || name == ENUMERATION && options.source.is_some()
        || options.only.iter().any(|glob| glob_matches(glob, name))
}

fn rank(name: &str) -> u8 {
    match name {
        HELLO => 0,
        ENUMERATION => 1,
        name if name.starts_with("sessions/") => 2,
        _ => 3,
    }
}

struct Runner<'a> {
    command: &'a [String],
    options: &'a Options,
    progress: &'a mut dyn FnMut(&Check),
    source: bool,
    names: Names,
    hello: Option<Hello>,
    cases: Option<Vec<CaseFrame>>,
    /// The first check in which the worker wrote to standard output or standard error, and what.
    noise: Option<(String, String)>,
    report: Report,
}

impl Runner<'_> {
    fn vector(&mut self, vector: &Vector) -> Result<(), ConformanceError> {
        let (name, clause) = (&vector.name, &vector.clause);
        if name != HELLO && self.hello.is_none() && !matches!(vector.content, Content::Reply) {
            self.add(clause, name, Outcome::Skipped(format!("the worker says no proper hello; see {HELLO}")));
            return Ok(());
        }
        match &vector.content {
            Content::Reply => {}
            Content::Bad { core_only: Some(reason), .. } => self.add(clause, name, Outcome::Skipped(reason.clone())),
            Content::Bad { line, error, id, .. } => {
                let outcome =
                    self.replay(name, Wire::Fifo, true, None, &mut |exchange| exchange.refuse(line, error, *id))?;
                self.add(clause, name, outcome);
            }
            Content::Good { line, answer } => {
                let outcome =
                    self.replay(name, Wire::Fifo, true, None, &mut |exchange| exchange.accept(line, answer))?;
                self.add(clause, name, outcome);
            }
            Content::Session(session) => self.session(vector, session)?,
        }
        if name == HELLO {
            self.introduce()?;
        }
        Ok(())
    }

    fn session(&mut self, vector: &Vector, session: &Session) -> Result<(), ConformanceError> {
        let (name, clause) = (&vector.name, &vector.clause);
        if let Some(reason) = self.inapplicable(name, session) {
            self.add(clause, name, Outcome::Skipped(reason));
            return Ok(());
        }
        let each = match (session.for_each, &self.hello) {
            (Some(ForEach::Kernels), Some(hello)) => ("kernel", hello.kernels.clone()),
            (Some(ForEach::Reads), Some(hello)) => ("read", hello.reads.clone()),
            (Some(ForEach::Clocks), Some(hello)) => ("clock", hello.clocks.clone()),
            _ => {
                let outcome = self.replay_session(name, session, None)?;
                self.add(clause, name, outcome);
                return Ok(());
            }
        };
        let (placeholder, values) = each;
        if values.is_empty() {
            self.add(clause, name, Outcome::Skipped(format!("hello names no {placeholder}s")));
        }
        for value in values {
            let names = self.names.with(placeholder, value.as_str());
            let outcome = self.replay_session(name, session, Some(names))?;
            self.add(clause, &format!("{name} ({})", value.escape_debug()), outcome);
        }
        Ok(())
    }

    fn replay_session(
        &mut self,
        name: &str,
        session: &Session,
        names: Option<Names>,
    ) -> Result<Outcome, ConformanceError> {
        // User code may write where it likes (1.5), and a worker that can't reach its wire must.
        let must_be_quiet = !session.source && session.wire == Wire::Fifo;
        self.replay(name, session.wire, must_be_quiet, names, &mut |exchange| exchange.session(session))
    }

    fn inapplicable(&self, name: &str, session: &Session) -> Option<String> {
        if session.source && !self.source {
            return Some("it needs a source in the worker's language".to_owned());
        }
        if session.source && name != ENUMERATION {
            match &self.cases {
                None => return Some(format!("the source gives no enumeration; see {ENUMERATION}")),
                Some(cases) if cases.iter().all(|case| case.skip.is_some()) => {
                    return Some("the source has no case that isn't skipped".to_owned());
                }
                Some(_) => {}
            }
        }
        let capabilities = self.hello.as_ref().map_or(&[][..], |hello| &hello.capabilities);
        if let Some(missing) = session.requires.iter().find(|wanted| !capabilities.contains(wanted)) {
            return Some(format!("the worker doesn't have the capability `{missing}`"));
        }
        let present = session.lacks.iter().find(|unwanted| capabilities.contains(unwanted))?;
        Some(format!("the worker has the capability `{present}`"))
    }

    /// Reads `hello` for what the other checks need to know; its own check has been made.
    fn introduce(&mut self) -> Result<(), ConformanceError> {
        let mut hello = None;
        self.replay(HELLO, Wire::Fifo, true, None, &mut |exchange| {
            hello = Some(exchange.hello()?);
            Ok(())
        })?;
        let passed = self.report.checks.iter().any(|check| {
            check.name == HELLO && matches!(check.outcome, Outcome::Passed | Outcome::UnexpectedlyPassing)
        });
        self.hello = hello.filter(|_| passed);
        Ok(())
    }

    fn replay(
        &mut self,
        name: &str,
        wire: Wire,
        must_be_quiet: bool,
        names: Option<Names>,
        exchange: &mut dyn FnMut(&mut Exchange<'_>) -> Result<(), Difference>,
    ) -> Result<Outcome, ConformanceError> {
        let mut worker = match Worker::start(self.command, wire)? {
            Ok(worker) => worker,
            Err(got) => return Ok(Outcome::Failed { expected: "a worker".to_owned(), got }),
        };
        let known = self.cases.is_some();
        let names = names.as_ref().unwrap_or(&self.names);
        let result = exchange(&mut Exchange::new(&mut worker, names, &mut self.cases, self.options.deadline));
        if !known {
            self.choose_case();
        }
        if let Some(noise) = worker.noise().filter(|_| must_be_quiet && self.noise.is_none()) {
            self.noise = Some((name.to_owned(), noise));
        }
        Ok(match result {
            Ok(()) => Outcome::Passed,
            Err(Difference { expected, got }) => Outcome::Failed { expected, got },
        })
    }

    /// The case that the sessions with a source prepare: the first that isn't skipped.
    fn choose_case(&mut self) {
        let cases = self.cases.iter().flatten();
        if let Some(case) = cases.into_iter().find(|case| case.skip.is_none()) {
            let parameters = case.parameters.clone().unwrap_or_default();
            let names = self.names.with("case", case.case).with("benchmark", case.benchmark.as_str());
            self.names = names.with("parameters", parameters);
        }
    }

    /// PROTOCOL 1.5, over all checks in which no user code ran.
    fn quiet(&mut self) {
        let outcome = match (&self.noise, &self.hello) {
            (Some((name, noise)), _) => Outcome::Failed {
                expected: "nothing of the worker's own on standard output or standard error".to_owned(),
                got: format!("{noise}, first in {name}"),
            },
            (None, None) => Outcome::Skipped(format!("the worker says no proper hello; see {HELLO}")),
            (None, Some(_)) => Outcome::Passed,
        };
        self.add("1.5", "quiet", outcome);
    }

    fn add(&mut self, clause: &str, name: &str, outcome: Outcome) {
        let outcome = match (outcome, self.options.known_failing.reason(name)) {
            (Outcome::Failed { .. }, Some(reason)) => Outcome::KnownFailing { reason: reason.to_owned() },
            (Outcome::Passed, Some(_)) => Outcome::UnexpectedlyPassing,
            (outcome, _) => outcome,
        };
        let check = Check { clause: clause.to_owned(), name: name.to_owned(), outcome };
        (self.progress)(&check);
        self.report.checks.push(check);
    }
}
