//! Asks every runtime's worker which cases the sources hold.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tare_definition::Source;
use tare_plan::{Enumerated, FoundCase};
use tare_results::NoticeView;
use tare_samples::{Case, Failure, FailureKind, RuntimeCommand};
use tare_worker::{GiveUp, Launcher, ProcessLauncher};

use crate::error::Kind;
use crate::event::Event;
use crate::listing::broken::{Breakages, MissingCases};
use crate::listing::lister::{Lister, RuntimeOfSide};
use crate::listing::namesakes;
use crate::listing::narrowed::passed_over;
use crate::listing::said::{Notices, Said};
use crate::listing::turns::Turns;
use crate::on_all_cpus::on_all_cpus_in_parts;
use crate::session::Session;
use tare_request::{Request, Sources, relative};

/// The cases that workers listed, and what kept others from being listed.
#[derive(Default)]
pub struct CaseListing {
    /// By runtime and side.
    pub enumerated: Vec<Enumerated>,
    /// What the workers said.
    pub notices: Vec<NoticeView>,
    /// Files of which nothing could be loaded, benchmarks that can't be listed, runtimes that can't be started; without those that the
    /// filter leaves out, as far as names, paths and texts tell.
    pub failures: Vec<Failure>,
    /// Why nothing can be measured with the clock that was asked for: the runtime of a case that was asked for hasn't got it.
    pub(crate) without_clock: Option<String>,
    /// What that takes from which side of the request.
    pub(crate) missing: Vec<(usize, MissingCases)>,
    /// How many benchmarks didn't run to be listed, and packages weren't built, since the filter can't match them.
    passed_over: usize,
    broken: Breakages,
}

/// Loads each file in a process of its own, so that one that ends its process takes no other with it and its cases have the
/// numbers that a launch of this file alone gives them. The sides of a comparison are asked at once, each on one of `cpus`.
pub(crate) fn enumerate(
    request: &Request,
    sides: &[Sources],
    (launcher, cpus): (&mut ProcessLauncher, &[usize]),
    session: &Session<'_>,
) -> CaseListing {
    let stop = Arc::clone(session.stop_flag());
    launcher.give_up_when(Some(GiveUp::when(move || stop.load(Ordering::Relaxed))));
    let mut found = listed_and_named(request, sides, (launcher, cpus), session, true);
    let any = |found: &CaseListing| found.enumerated.iter().any(|enumerated| !enumerated.cases.is_empty());
    if !any(&found) && found.passed_over > 0 && !session.is_stopped() {
        // A name that is made while a benchmark runs may be one that nobody expected.
        found = listed_and_named(request, sides, (launcher, cpus), session, false);
    }
    launcher.give_up_when(None);
    let found_any = any(&found);
    let mut broken = std::mem::take(&mut found.broken);
    found.notices.extend(broken.without_what_the_base_lacks(request));
    (found.failures, found.missing) = broken.into_reported(request, found_any);
    found
}

fn listed_and_named(
    request: &Request,
    sides: &[Sources],
    on: (&ProcessLauncher, &[usize]),
    session: &Session<'_>,
    narrow: bool,
) -> CaseListing {
    let (mut found, listed) = list(request, sides, on, session, narrow);
    name(&mut found, listed, request, sides);
    if found.passed_over > 0 {
        found.notices.push(passed_over(found.passed_over));
    }
    found
}

/// What one runtime has on one side, by position in the request.
struct Listed {
    side: usize,
    /// Why it can't be measured with the clock that was asked for.
    without_clock: Option<String>,
    enumerated: Enumerated,
}

/// The sources that a runtime is asked for on a side.
fn sources_of<'s>(
    request: &'s Request,
    sides: &'s [Sources],
    (command, side): (&'s RuntimeCommand, usize),
) -> impl Iterator<Item = &'s Source> {
    sides[side].files.iter().filter(|source| request.runs(command, source.language))
}

/// What comes of a side.
enum Part {
    Said(Said),
    /// All of it, by the positions of runtimes, and what was said.
    Listed(Vec<(usize, Listed)>, Notices),
}

/// All sides at once, as far as there are CPUs; the runtimes of a side one after the other.
fn list(
    request: &Request,
    sides: &[Sources],
    (launcher, cpus): (&ProcessLauncher, &[usize]),
    session: &Session<'_>,
    narrow: bool,
) -> (CaseListing, Vec<Listed>) {
    let (started, stop) = (request.started(), session.stop_flag());
    let of = started.iter().map(|(command, side, _)| sources_of(request, sides, (command, *side)).count()).sum();
    let (mut done, mut listed, mut said) = (0, BTreeMap::new(), BTreeMap::new());
    let turns = Turns::default();
    let jobs: Vec<usize> = (0..sides.len()).collect();
    // One alone has its CPU from the launcher.
    let cpus = if jobs.len() > 1 { cpus } else { &[] };
    on_all_cpus_in_parts(
        &jobs,
        cpus,
        |cpu| cpu.map_or_else(|| launcher.clone(), |cpu| launcher.of_cpu(cpu, &[])),
        |launcher, side, tell| {
            let sources = &sides[*side];
            let hear = |said: Said| tell(Part::Said(said));
            let mut lister = Lister::new((request, narrow), launcher, &hear, (&turns, stop));
            let mut listed = Vec::new();
            for (position, (command, _, base)) in started.iter().enumerate().filter(|(_, (_, of, _))| of == side) {
                let mut runtime_of_side = RuntimeOfSide::new(command, position, *side, sources);
                lister.list(&mut runtime_of_side, sources_of(request, sides, (command, *side)), side % 2 == 1);
                let RuntimeOfSide { mut cases, runtime: Some(runtime), without_clock, .. } = runtime_of_side else {
                    continue;
                };
                for FoundCase { case, .. } in &mut cases {
                    case.file = relative(&case.file, request);
                }
                let enumerated =
                    Enumerated { runtime, cases, bootstrap: sources.bootstrap.clone(), base: base.clone() };
                listed.push((position, Listed { side: *side, without_clock, enumerated }));
            }
            tell(Part::Listed(listed, lister.into_said()));
        },
        |side, part| {
            match part {
                Part::Said(Said::Asking(file)) => {
                    session.emit(&Event::Listing { file, done, of });
                    done += 1;
                }
                Part::Said(Said::Notice(line)) => session.notice(line),
                Part::Listed(of_side, of_its_notices) => {
                    listed.extend(of_side);
                    said.insert(*side, of_its_notices);
                }
            }
            !session.is_stopped()
        },
    );
    let mut all_said = Notices::default();
    said.into_values().for_each(|of_side| all_said.add(of_side));
    let Notices { notices, broken, passed_over, .. } = all_said;
    (CaseListing { notices, broken, passed_over, ..CaseListing::default() }, listed.into_values().collect())
}

/// Gives what was listed its names, which all sides have a say in, and keeps what is asked for.
fn name(found: &mut CaseListing, mut listed: Vec<Listed>, request: &Request, sides: &[Sources]) {
    namesakes::tell_apart(listed.iter_mut().map(|listed| &mut listed.enumerated.cases).collect(), request);
    for Listed { side, without_clock, mut enumerated } in listed {
        enumerated.cases.retain(|FoundCase { case, .. }| sides[side].filter.matches(case));
        if !enumerated.cases.is_empty() {
            found.without_clock = found.without_clock.take().or(without_clock);
        }
        for (case, failure) in namesakes::refuse(&mut enumerated.cases) {
            let driver = enumerated.runtime.command.driver.clone();
            let extent = MissingCases { driver, source: None, benchmark: Some(case.own_name().to_owned()) };
            found.broken.add(side, extent, failure, true);
        }
        found.enumerated.push(enumerated);
    }
}

impl CaseListing {
    /// Nothing could be looked for.
    pub(crate) fn failed(failures: Vec<Failure>) -> Self {
        Self { failures, ..Self::default() }
    }

    /// Each case once, whichever runtimes have it, in order.
    pub fn cases(&self) -> Vec<Case> {
        let mut known = HashSet::new();
        let all = self.enumerated.iter().flat_map(|enumerated| &enumerated.cases).map(|found| &found.case);
        all.filter(|case| known.insert(case.id())).cloned().collect()
    }

    /// The sides of the request of which something failed.
    pub(crate) fn failed_sides(&self) -> BTreeSet<usize> {
        self.missing.iter().map(|(side, _)| *side).collect()
    }

    /// Whose fault the failures are; `None` without any. Where no runtime can be started at all it is the configuration that is wrong.
    pub fn blame(&self) -> Option<Kind> {
        let runtimes_alone = self.failures.iter().all(|failure| failure.kind == FailureKind::Runtime);
        match (self.failures.is_empty(), self.enumerated.is_empty() && runtimes_alone) {
            (true, _) => None,
            (false, true) => Some(Kind::Usage),
            (false, false) => Some(Kind::Failed),
        }
    }
}
