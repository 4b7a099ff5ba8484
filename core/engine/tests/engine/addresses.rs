//! Where the code of what is compared lies: a launch's workers at one address, drawn anew for each launch.

use std::collections::BTreeMap;

use tare_engine::measure;
use tare_plan::{Group, Pair, Settings};
use tare_samples::{Failure, RuntimeCommand};
use tare_simulation::{SimulatedLauncher, Truth};
use tare_validation::simulated::{Quiet, group, models};
use tare_worker::{Launcher, ProcessPlacement, Starting};

/// A simulated machine that notes where workers are put.
struct Noting {
    machine: SimulatedLauncher,
    places: Vec<ProcessPlacement>,
}

impl Launcher for Noting {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        self.places.push(place);
        self.machine.start(runtime, seed, place)
    }

    fn now_ns(&self) -> u64 {
        self.machine.now_ns()
    }
}

/// The addresses of each launch's two workers, pilot included.
fn addresses(change: impl Fn(&mut Group)) -> Vec<[Option<u64>; 2]> {
    let model = &models()[0];
    let side = |name: &str| tare_simulation::CaseTruth { name: name.to_owned(), ..model.case.clone() };
    let truth = Truth { seed: 1, scale: model.scale, cases: vec![side("base"), side("candidate")] };
    let mut compared = group(&truth, 0);
    change(&mut compared);
    let mut launcher = Noting { machine: SimulatedLauncher::new(truth), places: Vec::new() };
    measure(&[compared], &Settings::default(), &mut launcher, &mut Quiet, Vec::new(), 0);
    assert!(launcher.places.len() >= 14 && launcher.places.len().is_multiple_of(2), "{:?}", launcher.places);
    launcher.places.chunks_exact(2).map(|both| [both[0].address, both[1].address]).collect()
}

#[test]
fn workers_of_a_launch_lie_at_one_address_and_launches_at_many() {
    let mut seen = BTreeMap::new();
    // The sides of a revision comparison are runtimes of two names.
    for [one, other] in addresses(|group| group.variants[1].variant.runtime.name = "candidate".into()) {
        assert!(one.is_some() && one == other, "{one:?} {other:?}");
        *seen.entry(one).or_insert(0) += 1;
    }
    assert!(seen.values().all(|&times| times == 1), "{seen:?}");
}

#[test]
fn two_versions_have_nothing_to_share() {
    let versions = addresses(|group| group.variants[1].variant.runtime.version = "2".into());
    assert!(versions.iter().all(|both| both == &[None, None]), "{versions:?}");
    let languages = addresses(|group| group.variants[1].variant.runtime.language = "another".into());
    assert!(languages.iter().all(|both| both == &[None, None]), "{languages:?}");
}

#[test]
fn what_is_not_compared_lies_where_the_system_puts_it() {
    let alone = addresses(|group| group.pairs.clear());
    assert!(alone.iter().all(|both| both == &[None, None]), "{alone:?}");
}

#[test]
fn a_third_version_beside_two_that_are_the_same_lies_where_the_system_puts_it() {
    let model = &models()[0];
    let side = |name: &str| tare_simulation::CaseTruth { name: name.to_owned(), ..model.case.clone() };
    let truth = Truth { seed: 1, scale: model.scale, cases: ["a", "b", "c", "d"].map(side).to_vec() };
    let mut of_four = group(&truth, 0);
    of_four.variants.extend(group(&truth, 1).variants);
    // Two of each version, all compared with the first.
    of_four.pairs.extend([2, 3].map(|candidate| Pair::new(0, candidate)));
    for index in [2, 3] {
        of_four.variants[index].variant.runtime.version = "2".into();
    }
    let mut launcher = Noting { machine: SimulatedLauncher::new(truth), places: Vec::new() };
    measure(&[of_four], &Settings::default(), &mut launcher, &mut Quiet, Vec::new(), 0);
    // The last ones have no partner of their own version. Others rest, or are started in another order, when they like.
    let mut addresses: BTreeMap<Option<u64>, usize> = BTreeMap::new();
    for place in &launcher.places[..4] {
        *addresses.entry(place.address).or_insert(0) += 1;
    }
    assert_eq!(addresses.len(), 2, "{addresses:?}");
    assert!(addresses.values().all(|&variants| variants == 2) && addresses.contains_key(&None), "{addresses:?}");
}
