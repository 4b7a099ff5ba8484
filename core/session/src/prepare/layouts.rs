//! Files of the programs that are compared: linked several times, or copied for each launch, so that what the place of code is worth is drawn with each launch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tare_engine::foreseen_ns;
use tare_machine::AffinityGuard;
use tare_plan::links::{MeasuringTime, Package, all, few, is_enough, linking_ns, links};
use tare_plan::{Group, Layouts, Planned, launch_seed};
use tare_samples::RuntimeCommand;
use tare_worker::{Executables, Files, ProcessLauncher};

use crate::job::Job;
use crate::measuring::lanes;
use crate::session::Session;

/// The place of a case in the order in which packages are linked, among the seeds of launches.
const LINKED: u64 = u64::MAX - 3;

/// What is started by a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Program {
    /// The first word of the command that starts it.
    path: String,
    /// What it was built of.
    source: String,
}

/// What is compared of a package.
#[derive(Default)]
struct Compared {
    /// One for each side, linked together.
    programs: BTreeMap<Program, RuntimeCommand>,
    /// The positions of its groups.
    groups: Vec<usize>,
    /// Its place among the packages: those with gates first, the others as if their cases were drawn one after the other.
    place: (bool, u64),
}

impl Compared {
    fn counted(&self) -> Package {
        let link_ns = self.programs.values().map(|runtime| tare_languages::of_name(&runtime.driver).link_ns);
        Package { cases: self.groups.len(), programs: self.programs.len(), link_ns: link_ns.fold(1.0, f64::max) }
    }
}

/// Gives the programs of different builds that are compared several files, and tells the launcher of them. How long it took of the budget of the suite, in nanoseconds.
pub(crate) fn draw(groups: &mut [Group], job: &Job, launcher: &mut ProcessLauncher, session: &Session<'_>) -> u64 {
    let mut linking = Linking::new(session);
    let settings = &job.request.settings;
    let mut packages = Vec::new();
    for compared in packages_of(groups, settings.seed) {
        // Those that aren't linked take no time.
        match linking.other_than_links(&compared) {
            Some(layouts) => give(groups, &compared, |program| layouts[program]),
            None => packages.push(compared),
        }
    }
    let time = MeasuringTime {
        case_ns: foreseen_ns(settings),
        total_ns: settings.total.map(|total| total.as_nanos() as f64),
        lanes: lanes::foreseen(job).min(groups.len()),
        cpus: job.topology.allowed.len(),
    };
    let counted: Vec<Package> = packages.iter().map(Compared::counted).collect();
    let wanted = links(&counted, &time);
    linking.limit = linking_ns(&counted, &wanted, &time).map(|ns| Duration::from_nanos(ns as u64));
    linking.tell(&packages, &wanted);
    // Nothing is measured yet, so all CPUs link.
    let on_all = AffinityGuard::bind(&job.topology.allowed);
    let mut made: Vec<Made<'_>> = vec![BTreeMap::new(); packages.len()];
    // What all need at the least goes first.
    let steps: &[fn(u32) -> Vec<u32>] = if linking.limit.is_some() { &[few, all] } else { &[all] };
    for step in steps {
        for ((compared, made), &wanted) in packages.iter().zip(&mut made).zip(&wanted) {
            linking.link(compared, step(wanted), made);
        }
    }
    for (number, (compared, made)) in packages.iter().zip(made).enumerate() {
        let layouts = linking.layouts(compared, made, wanted[number], number == 0);
        give(groups, compared, |program| layouts[program]);
    }
    drop(on_all);
    launcher.draw_from(linking.executables);
    linking.begun.map_or(0, |begun| begun.elapsed().as_nanos() as u64)
}

/// The packages that are compared, in the order in which they are linked.
fn packages_of(groups: &[Group], seed: u64) -> Vec<Compared> {
    let mut packages: BTreeMap<Vec<Program>, Compared> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        let programs: BTreeMap<Program, RuntimeCommand> = compiled(group)
            .filter_map(|planned| Some((program_of(planned)?, planned.variant.runtime.command.clone())))
            .collect();
        if programs.is_empty() {
            continue;
        }
        let drawn = launch_seed(seed, &group.variants[0].variant.id, LINKED);
        let place = (!group.pairs.iter().any(|pair| pair.gate.is_some()), drawn);
        let package = packages.entry(programs.keys().cloned().collect()).or_default();
        package.place = if package.groups.is_empty() { place } else { package.place.min(place) };
        package.groups.push(number);
        package.programs = programs;
    }
    let mut packages: Vec<Compared> = packages.into_values().collect();
    packages.sort_by_key(|package| package.place);
    packages
}

/// Gives the variants of a package's groups their layouts. Sides that have links go round as many of them, so that the same two come together again.
fn give(groups: &mut [Group], compared: &Compared, layouts: impl Fn(&Program) -> Layouts) {
    for &group in &compared.groups {
        let variants = &mut groups[group].variants;
        for planned in variants.iter_mut() {
            planned.layouts = program_of(planned).map(|program| layouts(&program)).unwrap_or_default();
        }
        let links = |planned: &Planned| if let Layouts::Links(links) = planned.layouts { Some(links) } else { None };
        let Some(fewest) = variants.iter().filter_map(links).min() else { continue };
        for planned in variants.iter_mut().filter(|planned| links(planned).is_some()) {
            planned.layouts = Layouts::Links(fewest);
        }
    }
}

/// The paths of a package's links, by program; nothing of those that can't be linked.
type Made<'p> = BTreeMap<&'p Program, Option<Vec<String>>>;

/// The links that are made.
struct Linking<'s, 'a> {
    session: &'s Session<'a>,
    executables: Executables,
    /// Why some couldn't be made, each said once: the next package mostly can't for the same reason.
    refused: BTreeSet<String>,
    /// What links may take in all, from then on, where the suite has a budget.
    limit: Option<Duration>,
    begun: Option<Instant>,
}

impl<'s, 'a> Linking<'s, 'a> {
    fn new(session: &'s Session<'a>) -> Self {
        let (executables, refused) = (Executables::default(), BTreeSet::new());
        Self { session, executables, refused, limit: None, begun: None }
    }

    fn links(&mut self, program: &Program, runtime: &RuntimeCommand, count: u32) -> Option<Vec<String>> {
        let (stop, limit, begun) = (self.session.stop_flag(), self.limit, self.begun);
        let is_over = || limit.zip(begun).is_some_and(|(limit, begun)| begun.elapsed() > limit);
        let enough = || is_over() || stop.load(Ordering::Relaxed);
        self.heard(program, tare_worker::links(runtime, Path::new(&program.source), count, &enough)?)
    }

    fn heard(&mut self, program: &Program, links: Result<Vec<String>, String>) -> Option<Vec<String>> {
        let why = match links {
            Ok(links) => return Some(links),
            Err(why) => why,
        };
        if !self.session.is_stopped() && self.refused.insert(why.clone()) {
            self.session.notice(format!(
                "{} can't be linked with its functions in other orders: {why}. All launches have the one order of this build, which may move times by some percent.",
                program.source
            ));
        }
        None
    }

    /// What programs have that can't be linked; nothing where all can.
    fn other_than_links(&mut self, compared: &Compared) -> Option<BTreeMap<Program, Layouts>> {
        let is_linked = |(program, runtime): (&Program, &RuntimeCommand)| {
            tare_worker::links(runtime, Path::new(&program.source), 0, &|| true).is_some()
        };
        if compared.programs.iter().any(is_linked) {
            return None;
        }
        // A program that isn't linked by us has its worker in it, which says what it can do.
        let layouts = |program: &Program| (program.clone(), self.copies(program, true));
        Some(compared.programs.keys().map(layouts).collect())
    }

    fn copies(&mut self, program: &Program, asks: bool) -> Layouts {
        if !Executables::may_copy(&program.path, asks) {
            return Layouts::One;
        }
        self.executables.add(&program.path, Files::Copies);
        Layouts::Copies
    }

    /// Says what is linked, unless it is there already.
    fn tell(&self, packages: &[Compared], wanted: &[u32]) {
        let (mut missing, mut of) = (0, 0);
        for (compared, &wanted) in packages.iter().zip(wanted) {
            for (program, runtime) in &compared.programs {
                let kept = tare_worker::links(runtime, Path::new(&program.source), wanted, &|| true);
                let Some(Ok(kept)) = kept else { continue };
                missing += wanted as usize - kept.len();
                of += usize::from(kept.len() < wanted as usize);
            }
        }
        if missing > 0 {
            let programs = if of == 1 { "1 program".to_owned() } else { format!("{of} programs") };
            self.session
                .notice(format!("linking {programs} {missing} more times, each with the functions in another order, so that where code lies in memory doesn't decide"));
        }
    }

    /// Links the programs of a package in these steps, or until the time of links is over.
    fn link<'p>(&mut self, compared: &'p Compared, steps: Vec<u32>, made: &mut Made<'p>) {
        for count in steps {
            for (program, runtime) in &compared.programs {
                if !matches!(made.get(program), Some(None)) {
                    let links = self.links(program, runtime, count);
                    made.insert(program, links);
                }
            }
            // The first links of all are as a build is.
            self.begun.get_or_insert_with(Instant::now);
        }
    }

    /// What the programs of a package have, with the links that were made of those that it should have.
    fn layouts(
        &mut self,
        compared: &Compared,
        made: Made<'_>,
        wanted: u32,
        is_first: bool,
    ) -> BTreeMap<Program, Layouts> {
        let fewest = made.values().flatten().map(Vec::len).min().unwrap_or(0) as u32;
        let is_left_out = self.limit.is_some() && !is_enough(fewest, wanted, is_first);
        // What there was no time to link would have been refused as the others were.
        let is_refused = wanted == 0 && !self.refused.is_empty();
        let mut layouts = BTreeMap::new();
        for (program, links) in made {
            let asks = tare_languages::of_name(&compared.programs[program].driver).loads_itself;
            let of = match links.filter(|_| !is_refused) {
                None => self.copies(program, asks),
                Some(_) if is_left_out => Layouts::Unlinked,
                Some(links) => {
                    let count = links.len() as u32;
                    self.executables.add(&program.path, Files::Links { paths: links, told: asks });
                    Layouts::Links(count)
                }
            };
            layouts.insert(program.clone(), of);
        }
        layouts
    }
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
