//! How many groups are measured at once, and where.

use std::sync::Arc;

use tare_definition::LaneCount;
use tare_machine::{Topology, format_cpu_list, siblings_by_measuring, side_by_side};
use tare_plan::Group;
use tare_request::Request;
use tare_worker::ProcessLauncher;

use crate::error::Error;
use crate::job::Job;
use crate::measuring::cpu_lanes::CpuLanes;
use crate::measuring::recorder::Recorder;
use crate::prepare::placement;
use crate::session::Session;

/// Two lanes take half the time of one; a suite's pairs tell of more CPUs than these (`narrowing`).
const LEAST: usize = 2;

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
        _ => places(&job.topology, &job.request).len().min(most(&job.topology, quota(job))),
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
        facts.insert("workers".to_owned(), format!("on CPUs {}", format_cpu_list(&cpus)));
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

/// The most lanes that `auto` takes: half as many as there are CPUs, or two. Each lane keeps a second CPU busy: its next workers start there, and this process reads its samples
/// there. On sixteen CPUs fourteen lanes did no more work than eight, and their pairs scattered further.
///
/// A control group that may use the time of fewer CPUs (`docker run --cpus 2` on a machine of 64) stands still once it has used that up, all lanes of it, mostly within a sample: it has no
/// more lanes than that.
fn most(topology: &Topology, quota: Option<f64>) -> usize {
    let half = (topology.usable().len() / 2).max(LEAST);
    quota.map_or(half, |cpus| half.min((cpus.ceil() as usize).max(1)))
}

/// CPUs whose time this process's control group may use, where that is limited.
fn quota(job: &Job) -> Option<f64> {
    job.origin.machine.get("cpu_quota")?.parse().ok()
}

/// The CPUs from which `auto` takes its lanes. A virtual machine often isn't told which of them share a core; that is measured then.
fn places_asked(topology: &mut Topology, request: &Request, most: usize) -> Vec<usize> {
    if topology.allowed.len() > LEAST
        && !topology.knows_siblings()
        && let Some(siblings) = siblings_by_measuring(&topology.allowed)
    {
        topology.siblings = siblings;
    }
    let mut places = places(topology, request);
    places.truncate(most);
    places
}

fn several(
    job: &mut Job,
    groups: &[Group],
    launcher: &ProcessLauncher,
    session: &Session<'_>,
) -> (Option<CpuLanes>, Option<String>) {
    let request = &job.request;
    let is_compared = groups.iter().any(|group| !group.pairs.is_empty());
    // Figures of a run without a comparison are absolute, and what goes on beside it makes them larger.
    if groups.is_empty() || request.measuring.lanes.is_none() && !is_compared {
        return (None, None);
    }
    let asked = request.measuring.lanes.unwrap_or(LaneCount::Auto);
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
        LaneCount::Auto => {
            let most = most(&job.topology, quota(job));
            places_asked(&mut job.topology, &job.request, most)
        }
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
        LaneCount::Auto if some_alone => {
            (Some(lanes(most)), Some(format!("{most}, those that work in parallel by themselves")))
        }
        LaneCount::Auto => (Some(lanes(most)), Some(most.to_string())),
    }
}

/// Whether a group leaves no core to others: it has all that were named, or all that there are.
fn has_every_cpu(group: &Group) -> bool {
    group.variants.iter().any(|planned| planned.variant.case.settings.parallel)
}

#[cfg(test)]
mod tests {
    use tare_machine::Topology;

    use super::most;

    #[test]
    fn half_of_the_cpus_have_lanes_and_two_where_there_are_two() {
        let most = |allowed: usize, isolated: usize, quota| {
            let isolated = (allowed..allowed + isolated).collect();
            most(&Topology { allowed: (0..allowed).collect(), isolated, ..Topology::default() }, quota)
        };
        assert_eq!([2, 3, 4, 6, 16, 64].map(|cpus| most(cpus, 0, None)), [2, 2, 2, 3, 8, 32]);
        assert_eq!(most(4, 12, None), 8, "isolated ones are there for lanes");
        assert_eq!([0.5, 1.5, 2.0, 3.2, 100.0].map(|quota| most(64, 0, Some(quota))), [1, 2, 2, 4, 32]);
    }
}
