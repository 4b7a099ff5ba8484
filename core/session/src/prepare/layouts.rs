//! Files of the programs that are compared: linked several times, or copied for each launch, so that what the place of code is worth is drawn with each launch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;

use tare_plan::{Group, Layouts, Planned};
use tare_samples::RuntimeCommand;
use tare_worker::{Executables, Files, ProcessLauncher};

use crate::session::Session;

/// Links of each program: so many, and one more for two cases, up to the most. A link takes half a second of a CPU, as long as a case's launches
/// do together. With n of them an effect of layouts, of a standard deviation of s in each, is known within about 2.9 s √(2/n) to 1 %.
const FEWEST_LINKS: usize = 12;
const MOST_LINKS: usize = 24;

/// What is started by a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Program {
    /// The first word of the command that starts it.
    path: String,
    /// What it was built of.
    source: String,
}

/// What is known of a program.
struct Wanted {
    runtime: RuntimeCommand,
    cases: usize,
}

/// Gives the programs of different builds that are compared several files, and tells the launcher of them.
pub(crate) fn draw(groups: &mut [Group], launcher: &mut ProcessLauncher, session: &Session<'_>) {
    let mut wanted: BTreeMap<Program, Wanted> = BTreeMap::new();
    for planned in groups.iter().flat_map(compiled) {
        let Some(program) = program_of(planned) else { continue };
        let runtime = planned.variant.runtime.command.clone();
        wanted.entry(program).or_insert(Wanted { runtime, cases: 0 }).cases += 1;
    }
    if wanted.is_empty() {
        return;
    }
    let (mut executables, mut told) = (Executables::default(), BTreeSet::new());
    let mut drawn: BTreeMap<Program, Layouts> = BTreeMap::new();
    for (program, Wanted { runtime, cases }) in wanted {
        let links = (FEWEST_LINKS + cases / 2).min(MOST_LINKS) as u32;
        let layouts = files(&program, &runtime, links, (&mut executables, &mut told), session);
        drawn.insert(program, layouts);
    }
    for group in groups.iter_mut().filter(|group| is_compiled(group)) {
        for planned in &mut group.variants {
            let layouts = program_of(planned).and_then(|program| drawn.get(&program).copied());
            planned.layouts = layouts.unwrap_or_default();
        }
        take_as_many(&mut group.variants);
    }
    launcher.draw_from(executables);
}

/// Sides that have links go round as many of them, so that the same two come together again.
fn take_as_many(variants: &mut [Planned]) {
    let links = |planned: &Planned| match planned.layouts {
        Layouts::Links(links) => Some(links),
        _ => None,
    };
    let Some(fewest) = variants.iter().filter_map(links).min() else { return };
    for planned in variants.iter_mut().filter(|planned| links(planned).is_some()) {
        planned.layouts = Layouts::Links(fewest);
    }
}

fn files(
    program: &Program,
    runtime: &RuntimeCommand,
    count: u32,
    (executables, told): (&mut Executables, &mut BTreeSet<String>),
    session: &Session<'_>,
) -> Layouts {
    let stop = session.stop_flag();
    let mut tell = |line: &str| session.notice(line);
    let links =
        tare_worker::links(runtime, Path::new(&program.source), count, &|| stop.load(Ordering::Relaxed), &mut tell);
    // A program that isn't linked by us has its worker in it, which says what it can do.
    let asks = links.is_none();
    match links {
        Some(Ok(links)) => {
            executables.add(&program.path, Files::Links(links));
            return Layouts::Links(count);
        }
        // The next package mostly can't for the same reason.
        Some(Err(why)) if !session.is_stopped() && told.insert(why.clone()) => session.notice(format!(
            "{} can't be linked with its functions in other orders: {why}. All launches have the one order of this build, which may move times by some percent.",
            program.source
        )),
        _ => {}
    }
    if Executables::may_copy(&program.path, asks) {
        executables.add(&program.path, Files::Copies);
        return Layouts::Copies;
    }
    Layouts::One
}

/// The variants of a group whose builds are compared.
fn compiled(group: &Group) -> impl Iterator<Item = &Planned> {
    let all: &[Planned] = if is_compiled(group) { &group.variants } else { &[] };
    all.iter()
}

/// Whether two builds are compared.
fn is_compiled(group: &Group) -> bool {
    group.pairs.iter().any(|pair| {
        let sides = [pair.base, pair.candidate].map(|side| &group.variants[side]);
        let is_built = |side: &Planned| tare_languages::of_name(&side.variant.runtime.language).is_built();
        sides.iter().all(|side| is_built(side)) && sides[0].start.command != sides[1].start.command
    })
}

fn program_of(planned: &Planned) -> Option<Program> {
    Some(Program { path: planned.start.command.first()?.clone(), source: planned.sources.first()?.clone() })
}
