//! How many groups are measured at once, and where.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use tare_definition::LaneCount;
use tare_engine::{Lanes, Scatter, scatter};
use tare_machine::{Topology, format_cpu_list, siblings_by_measuring, side_by_side};
use tare_plan::{Group, Planned};
use tare_request::Request;
use tare_samples::Failure;
use tare_worker::ProcessLauncher;

use crate::error::Error;
use crate::job::Job;
use crate::measuring::cpu_lanes::CpuLanes;
use crate::measuring::recorder::Recorder;
use crate::prepare::placement;
use crate::session::Session;

/// Scatters below this are the clock's.
const LEAST: f64 = 1e-5;
/// More than two lanes may widen intervals by this factor.
const WIDER: f64 = 1.2;
/// Of so many CPUs all may have lanes, though nobody knows which share a core.
const FEW_CPUS: usize = 3;
/// So many lanes are begun with without a look: the suite's first pairs tell whether the second one is worth it (`narrowing`), and a look takes as long as they do.
const UNSEEN: usize = 2;
/// A look that has taken longer isn't taken again.
const SHORT: Duration = Duration::from_secs(2);

/// CPUs that a lane each could have.
fn places(topology: &Topology, request: &Request) -> Vec<usize> {
    side_by_side(topology, (!request.cpus().is_empty()).then_some(request.cpus()))
}

/// Refuses CPUs that can't be had, and more lanes than there are places for.
pub(crate) fn check(request: &Request) -> Result<(), Error> {
    placement::check_cpus(request)?;
    let Some(LaneCount::Fixed(wanted)) = request.measuring.lanes else { return Ok(()) };
    let places = places(&placement::topology(), request).len();
    if wanted > 1 && wanted > places {
        let cores = if request.cpus().is_empty() {
            "this process may use".to_owned()
        } else {
            format!("{} names", request.named("--cpus"))
        };
        return Err(Error::usage(format!(
            "--lanes {wanted}: each lane has a core of its own, and {cores} {places} of one kind; give at most that, or auto"
        )));
    }
    Ok(())
}

/// Refuses one budget for a suite in which nothing is compared: nothing would say where it should go.
pub(crate) fn check_total(request: &Request, compares: bool) -> Result<(), Error> {
    if request.settings.total.is_none() || compares {
        return Ok(());
    }
    Err(Error::usage("--total is for comparisons, and this run has none; use --budget, the time for each variant"))
}

/// Lanes that a comparison may have, before the machine is looked at.
pub(crate) fn foreseen(job: &Job) -> usize {
    match job.request.measuring.lanes {
        Some(LaneCount::Fixed(lanes)) => lanes,
        _ => places(&job.topology, &job.request).len(),
    }
}

/// The lanes of a run, where there are several. How many there are, and why, is said in the run's origin.
pub(crate) fn choose(
    job: &mut Job,
    groups: &[Group],
    launcher: &ProcessLauncher,
    recorder: &mut Recorder<'_>,
) -> Option<CpuLanes> {
    let (lanes, why) = several(job, groups, launcher, recorder.session);
    let facts = &mut job.origin.machine;
    facts.extend(why.map(|why| ("lanes".to_owned(), why)));
    if let Some(lanes) = &lanes {
        let mut cpus = lanes.cpus().to_vec();
        cpus.sort_unstable();
        facts.insert("workers".to_owned(), format!("on CPUs {}, one for each lane", format_cpu_list(&cpus)));
        job.workers = cpus;
    }
    recorder.keep(|store, run| store.put_machine(run, &job.origin.machine));
    lanes
}

/// Ends the lanes; says in the run's origin how many of them were left.
pub(crate) fn leave(lanes: Option<CpuLanes>, job: &mut Job, recorder: &mut Recorder<'_>) {
    if let Some(why) = lanes.as_ref().and_then(CpuLanes::given_up) {
        job.origin.machine.insert("lanes".to_owned(), why);
        recorder.keep(|store, run| store.put_machine(run, &job.origin.machine));
    }
}

/// CPUs for lanes that nobody has counted. A virtual machine's guest often isn't told which of them share a core: they are asked. Where they don't say, half of them
/// may be threads of the cores of the others.
fn places_asked(topology: &mut Topology, request: &Request) -> Vec<usize> {
    if topology.allowed.len() <= FEW_CPUS || topology.knows_siblings() {
        return places(topology, request);
    }
    match siblings_by_measuring(&topology.allowed) {
        Some(siblings) => {
            topology.siblings = siblings;
            places(topology, request)
        }
        None => {
            let mut places = places(topology, request);
            places.truncate(topology.allowed.len() / 2);
            places
        }
    }
}

fn several(
    job: &mut Job,
    groups: &[Group],
    launcher: &ProcessLauncher,
    session: &Session<'_>,
) -> (Option<CpuLanes>, Option<String>) {
    let request = &job.request;
    let compared = groups.iter().find(|group| !group.pairs.is_empty()).and_then(|group| group.variants.first());
    let (asked, planned) =
        match (request.measuring.lanes, compared.or(groups.first().and_then(|group| group.variants.first()))) {
            // Its figures are absolute, and what goes on beside it makes them larger.
            (None, _) if compared.is_none() => return (None, None),
            (_, None) => return (None, None),
            (asked, Some(planned)) => (asked.unwrap_or(LaneCount::Auto), planned),
        };
    // Cases that work in parallel have all CPUs, one after the other.
    let others = groups.iter().filter(|group| !has_every_cpu(group)).count();
    let some_alone = others < groups.len();
    if asked == LaneCount::Auto && some_alone && others < 2 {
        let where_to = if request.cpus().is_empty() { "on every CPU" } else { "on the CPUs that --cpus names" };
        job.origin.machine.insert("workers".to_owned(), where_to.to_owned());
        return (None, Some(format!("1 (benchmarks work in parallel, {where_to})")));
    }
    let keeps_them = asked == LaneCount::Auto && request.cpus().len() > 1;
    let places = match asked {
        LaneCount::Auto if keeps_them => Vec::new(),
        LaneCount::Auto => places_asked(&mut job.topology, request),
        LaneCount::Fixed(_) => places(&job.topology, request),
    };
    let most = places.len().min(others.max(1));
    let lanes = |count: usize| {
        let cpus: Vec<usize> = places[..count].to_vec();
        let spare = job.topology.spare(&cpus);
        CpuLanes::new(launcher, cpus, spare, asked == LaneCount::Auto, Arc::clone(session.stop_flag()))
    };
    match asked {
        LaneCount::Fixed(1) => (None, Some("1, as asked for".to_owned())),
        LaneCount::Fixed(wanted) if wanted > most => {
            ((most > 1).then(|| lanes(most)), Some(format!("{most}, as many as there are groups")))
        }
        LaneCount::Fixed(wanted) => (Some(lanes(wanted)), Some(format!("{wanted}, as asked for"))),
        LaneCount::Auto if most < 2 => (None, None),
        LaneCount::Auto if most <= UNSEEN && some_alone => {
            (Some(lanes(most)), Some(format!("{most} (cases at once; those that work in parallel by themselves)")))
        }
        LaneCount::Auto if most <= UNSEEN => (Some(lanes(most)), Some(format!("{most} (cases at once)"))),
        LaneCount::Auto => {
            let (count, why) = look(planned, request, &lanes, most);
            ((count > 1).then(|| lanes(count)), Some(why))
        }
    }
}

/// Whether a group leaves no core to others: it has all that were named, or all that there are.
fn has_every_cpu(group: &Group) -> bool {
    group.variants.iter().any(|planned| planned.variant.case.settings.parallel)
}

/// Looks at the reference kernels on one core, and on several at once.
fn look(planned: &Planned, request: &Request, lanes: &dyn Fn(usize) -> CpuLanes, most: usize) -> (usize, String) {
    // Whatever is wrong where there is nothing to see is told when it is measured.
    decided(most, &mut |count| together(planned, request, &lanes(count)).ok())
}

/// How many lanes there may be, and what was seen: halving from all places, the first number with which pairs scatter hardly more than on one core alone. Two are begun with whatever they
/// scatter. `scatter`: of one core alone, and of so many at once, in turns.
fn decided(most: usize, scatter: &mut dyn FnMut(usize) -> Option<LaneNoise>) -> (usize, String) {
    let wider = |seen: LaneNoise| seen.together.max(LEAST) / seen.alone.max(LEAST);
    let mut last = None;
    let mut count = most;
    while count > UNSEEN {
        let Some(mut seen) = scatter(count) else {
            count = 1;
            break;
        };
        // A second is little beside a run that takes longer with fewer lanes, and one look is wrong now and then: the middle one of three counts.
        if wider(seen) > WIDER && seen.took < SHORT {
            let mut looks: Vec<LaneNoise> =
                [Some(seen), scatter(count), scatter(count)].into_iter().flatten().collect();
            looks.sort_by(|a, b| wider(*a).total_cmp(&wider(*b)));
            seen = looks[looks.len() / 2];
        }
        last = Some(seen);
        if wider(seen) <= WIDER {
            break;
        }
        count = count.div_ceil(2);
    }
    let Some(seen) = last else { return (1, "1 (the reference kernels couldn't be measured)".to_owned()) };
    let percent = |scatter: f64| format!("{:.2} %", 100.0 * scatter);
    let (together, alone) = (percent(seen.together), percent(seen.alone));
    // Short enough for the line that says where a run comes from.
    let busy = if wider(seen) <= WIDER { "all cores busy" } else { "more cores busy" };
    (count, format!("{count} (cases at once; noise {together} with {busy}, {alone} with one)"))
}

/// How far pairs scatter.
#[derive(Debug, Clone, Copy)]
struct LaneNoise {
    /// What it took to see it.
    took: Duration,
    /// On one core while the others stand still.
    alone: f64,
    /// While all lanes make theirs: the root of the mean square.
    together: f64,
}

fn together(planned: &Planned, request: &Request, lanes: &CpuLanes) -> Result<LaneNoise, Failure> {
    let begun = Instant::now();
    let barrier = Barrier::new(lanes.count());
    let look = |lane: usize| {
        let mut launcher = lanes.launcher(lane);
        scatter(planned, &request.settings, launcher.as_mut(), lane == 0, &|| {
            barrier.wait();
        })
    };
    let look = &look;
    let scatters: Vec<Result<Scatter, Failure>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..lanes.count()).map(|lane| scope.spawn(move || look(lane))).collect();
        threads.into_iter().map(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let (mut alone, mut squares) = (0.0, 0.0);
    for scatter in scatters {
        let scatter = scatter?;
        alone = scatter.alone.unwrap_or(alone);
        squares += scatter.together.powi(2);
    }
    Ok(LaneNoise { took: begun.elapsed(), alone, together: (squares / lanes.count() as f64).sqrt() })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LaneNoise, decided};

    fn noise(alone: f64, together: f64) -> LaneNoise {
        LaneNoise { took: Duration::ZERO, alone, together }
    }

    #[test]
    fn there_are_as_many_lanes_as_gain_more_than_they_cost() {
        let of = |most: usize, alone: f64, scatters: &[(usize, f64)]| {
            let mut asked = Vec::new();
            let (count, why) = decided(most, &mut |count| {
                asked.push(count);
                let (_, together) = *scatters.iter().find(|(at, _)| *at == count)?;
                Some(noise(alone, together))
            });
            (count, why, asked)
        };
        let (count, why, asked) = of(4, 0.0028, &[(4, 0.0031)]);
        assert_eq!((count, asked.as_slice()), (4, [4].as_slice()));
        assert_eq!(why, "4 (cases at once; noise 0.31 % with all cores busy, 0.28 % with one)");
        // Two are begun with: the suite's own pairs tell of them.
        let (count, why, asked) = of(4, 0.002, &[(4, 0.003)]);
        assert_eq!((count, asked.as_slice()), (2, [4, 4, 4].as_slice()), "looked at again before they are given up");
        assert_eq!(why, "2 (cases at once; noise 0.30 % with more cores busy, 0.20 % with one)");
        // None of more may be much wider than one lane: 15 % here, of four.
        let (count, _, asked) = of(15, 0.002, &[(15, 0.012), (8, 0.004), (4, 0.0023), (2, 0.002)]);
        assert_eq!((count, asked.as_slice()), (4, [15, 15, 15, 8, 8, 8, 4].as_slice()));
        assert_eq!(of(8, 0.0, &[]).0, 1);
        assert_eq!(of(8, 0.0, &[(8, 0.0)]).0, 8);
    }

    #[test]
    fn one_look_alone_gives_no_lane_up_unless_it_took_long() {
        let mut looks = [(0.002, 0.012), (0.003, 0.003), (0.003, 0.0033)].into_iter();
        let mut look = |_| looks.next().map(|(alone, together)| noise(alone, together));
        let (count, why) = decided(4, &mut look);
        assert_eq!((count, why.as_str()), (4, "4 (cases at once; noise 0.33 % with all cores busy, 0.30 % with one)"));
        let mut asked = Vec::new();
        let long = |count| {
            asked.push(count);
            Some(LaneNoise { took: Duration::from_secs(9), ..noise(0.002, 0.012) })
        };
        assert_eq!((decided(16, &mut { long }).0, asked), (2, vec![16, 8, 4]));
    }
}
