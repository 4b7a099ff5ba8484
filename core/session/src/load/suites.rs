//! Which operations the sources hold, on every runtime.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tare_definition::Filter;
use tare_frames::Level;
use tare_load::workers::WeightedOperation;
use tare_samples::{Case, CaseSettings, Failure, FailureKind, Parameters, RuntimeCommand};
use tare_worker::{Launcher, ProcessLauncher, remedy_for};

use crate::error::Error;
use crate::job::STARTUP;
use crate::measuring::resume::fingerprints;
use crate::session::Session;
use tare_request::{Request, relative, text};

/// The operations of a suite on one runtime, and how to get to them.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    pub(crate) name: String,
    /// The runtime's name, and what it is.
    pub(crate) runtime: String,
    pub(crate) version: String,
    pub(crate) operations: Vec<WeightedOperation>,
    /// File and line of each operation.
    pub(crate) places: Vec<String>,
    pub(crate) start: RuntimeCommand,
    pub(crate) files: Vec<String>,
    pub(crate) bootstrap: Option<String>,
}

/// Suites in the order of runtimes and sources, and what couldn't be loaded.
#[derive(Debug, Default)]
pub(crate) struct FoundSuites {
    pub(crate) suites: Vec<Suite>,
    pub(crate) failures: Vec<Failure>,
    /// A hash of each source.
    pub(crate) fingerprints: BTreeMap<PathBuf, u64>,
}

pub(crate) fn find(request: &Request, filter: &Filter, session: &Session<'_>) -> Result<FoundSuites, Error> {
    let mut request = request.clone();
    let sides = request.sources()?;
    request.resolve(&sides)?;
    let fingerprints = sides.iter().flat_map(|sources| fingerprints(&sources.files)).collect();
    let mut found = FoundSuites { fingerprints, ..FoundSuites::default() };
    // Which sources were listed on which runtime, with the suites that they have there.
    let mut listings: Vec<(String, String, Vec<String>)> = Vec::new();
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], STARTUP);
    for (command, side, _) in &request.started() {
        let sources = &sides[*side];
        for source in sources.files.iter().filter(|source| request.runs(command, source.language)) {
            if session.is_stopped() {
                return Ok(found);
            }
            let place = |mut failure: Failure| {
                if failure.kind == FailureKind::Runtime {
                    failure.message = format!("runtime {}: {}", command.name, failure.message);
                } else if failure.file.is_empty() {
                    failure.file = text(&source.path);
                }
                failure.file = relative(&failure.file, &request);
                failure
            };
            let ready = match tare_worker::ready(command, &source.absolute, &mut |line| session.notice(line)) {
                Ok(ready) => ready,
                Err(failure) => {
                    found.fail(place(failure));
                    continue;
                }
            };
            if ready.files.is_empty() {
                let shown = text(&source.path);
                ready.notices.iter().for_each(|notice| session.notice(format!("{shown}: {notice}")));
                continue;
            }
            let bootstrap = sources.bootstrap.clone();
            match listed(&mut launcher, &request, &ready, bootstrap.as_deref()) {
                Ok((suites, failures)) => {
                    if failures.is_empty() {
                        let there = suites.iter().map(|suite| suite.name.clone()).collect();
                        listings.push((text(&source.path), command.name.clone(), there));
                    }
                    failures.into_iter().for_each(|failure| found.fail(place(failure)));
                    for Suite { name, operations, places, version, .. } in suites {
                        let case = named(&name, source.language.name());
                        if filter.matches(&case) && !found.has(&name, &command.name, &places)? {
                            let (start, files) = (ready.start.clone(), ready.files.clone());
                            let (runtime, bootstrap) = (command.name.clone(), bootstrap.clone());
                            let suite = Suite { name, runtime, version, operations, places, start, files, bootstrap };
                            found.suites.push(suite);
                        }
                    }
                }
                Err(failure) => found.fail(place(failure)),
            }
        }
    }
    for (source, runtime, there) in &listings {
        let others = found.suites.iter().filter(|suite| {
            listings.iter().any(|(of, on, names)| of == source && *on == suite.runtime && names.contains(&suite.name))
        });
        let missing = others.filter(|suite| !there.contains(&suite.name)).map(|suite| missing(suite, runtime, source));
        missing.collect::<Vec<_>>().into_iter().for_each(|failure| found.fail(failure));
    }
    Ok(found)
}

/// A suite that a runtime doesn't see in a source in which another one does: it would drop out of the comparison unseen.
fn missing(suite: &Suite, runtime: &str, source: &str) -> Failure {
    let message = format!("{} has operations on {}, and none on {runtime}", suite.name, suite.runtime);
    let remedy = "mark them so that every runtime sees them (PHP before 8 reads no attributes: write /** @Operation */), or leave the \
                  runtime out";
    Failure::new(FailureKind::Load, message, remedy).at(source, 0)
}

impl FoundSuites {
    /// Whether the suite is there already: several files of one Go package hold it. Operations of another place under the same name
    /// are refused, as cases are: one of the two would stand for both.
    fn has(&self, suite: &str, runtime: &str, places: &[String]) -> Result<bool, Error> {
        let Some(known) = self.suites.iter().find(|known| known.name == suite && known.runtime == runtime) else {
            return Ok(false);
        };
        if known.places == places {
            return Ok(true);
        }
        let first = |places: &[String]| places.first().cloned().unwrap_or_default();
        Err(Error::usage(format!(
            "the suite {suite} in {} has the name of another one, in {}; give one of them another name, or load the files in runs of their own",
            first(places),
            first(&known.places)
        )))
    }

    /// The same file fails on several runtimes in the same way: told once.
    fn fail(&mut self, failure: Failure) {
        if !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }
}

/// The suites of a source, without how to get to them; and errors that the worker told of.
fn listed(
    launcher: &mut ProcessLauncher,
    request: &Request,
    ready: &tare_worker::Ready,
    bootstrap: Option<&str>,
) -> Result<(Vec<Suite>, Vec<Failure>), Failure> {
    let limit = request.settings.timeout;
    let mut conversation = launcher.launch(&ready.start, 0).map_err(|failure| match failure.kind {
        FailureKind::Runtime => failure,
        _ => Failure { message: format!("runtime {}: {}", ready.start.name, failure.message), ..failure },
    })?;
    let hello = conversation.hello();
    let version = format!("{} {}", hello.language, hello.version);
    let loaded = conversation.load(&ready.files, bootstrap, limit)?;
    let listed = conversation.operations(limit)?;
    conversation.close();
    let mut suites: Vec<Suite> = Vec::new();
    for operation in listed.operations {
        let weighed = WeightedOperation { number: operation.operation, name: operation.name, weight: operation.weight };
        let file = operation.file.as_deref().or_else(|| ready.files.first().map(String::as_str)).unwrap_or_default();
        let place = format!("{}:{}", relative(file, request), operation.line.unwrap_or(0));
        match suites.iter_mut().find(|suite| suite.name == operation.suite) {
            Some(suite) => {
                suite.operations.push(weighed);
                suite.places.push(place);
            }
            None => suites.push(Suite {
                name: operation.suite,
                version: version.clone(),
                operations: vec![weighed],
                places: vec![place],
                runtime: String::new(),
                start: RuntimeCommand::default(),
                files: Vec::new(),
                bootstrap: None,
            }),
        }
    }
    let errors = loaded.notices.into_iter().chain(listed.notices).filter(|notice| notice.level == Level::Error);
    let failures = errors.map(|notice| {
        let kind = FailureKind::parse(&notice.kind);
        let remedy = notice.remedy.unwrap_or_else(|| remedy_for(kind).to_owned());
        Failure::new(kind, notice.message, remedy).at(notice.file.unwrap_or_default(), notice.line.unwrap_or(0))
    });
    Ok((suites, failures.collect()))
}

/// A suite as a filter sees it: a case without parameters.
fn named(suite: &str, language: &str) -> Case {
    Case {
        index: 0,
        language: language.to_owned(),
        benchmark: suite.to_owned(),
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters::default(),
        file: String::new(),
        line: 0,
        groups: Vec::new(),
        settings: CaseSettings::default(),
    }
}
