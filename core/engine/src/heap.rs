//! The heap of a fresh process, and its garbage collections.
//!
//! *The heap grows first.* When a process touches a page of memory for the first time, the kernel has to provide it (a page fault), and the call that touched it takes longer. Once the
//! heap has reached the size that collections keep it at, calls reuse its pages. So a launch lets the heap grow, untimed, before it is measured. `go test` shows what that is worth:
//! calls that allocate 192 KiB take 40 µs on average over the first 300 calls, and 6 or 7 µs over 30,000.
//!
//! *Launches begin between two collections.* A launch that always began just after a collection, and ended before the next one, would hold none. So each begins at a random
//! place between two.

use tare_plan::{Settings, launch_seed, unit};
use tare_samples::{Calibration, Calls, Subject};
use tare_worker::Launcher;

use crate::pilot;
use crate::variant_run::VariantRun;

/// What a Go program allocates before it collects for the first time (runtime/mgcpacer.go, `heapMinimum`).
const FIRST_HEAP_BYTES: f64 = (4 << 20) as f64;
/// After so many collections nothing new is touched any more: `go test` pays 10 to 14 ms once, within 14 collections' worth of allocations at `GOGC=100` and 8
/// at 400.
const COLLECTIONS: f64 = 14.0;
/// What `GOGC` is by default; with more the heap is larger in proportion when it is collected.
const USUAL_GOGC: f64 = 100.0;
/// The longest that a heap is let grow in a run without a comparison. What allocates so slowly that this isn't enough loses little by it: one page fault, of about a microsecond, in
/// each 25 µs.
const LONGEST_GROWTH_NS: f64 = 25_000_000.0;
/// Where a comparison has heaps that grow at different paces, the first collection is waited for unless it takes longer: a fault of a
/// microsecond for each 4 KiB makes such calls slower by 0.5 % at the most.
const LONGEST_FIRST_HEAP_NS: f64 = 200_000_000.0;
/// Where heaps are compared, growing takes no longer than this in all, unless the first collection alone takes longer: later collections touch fewer and fewer new pages.
const LONGEST_COMPARED_GROWTH_NS: f64 = 60_000_000.0;
/// Heaps are taken to grow alike where the bytes that calls allocate, and the collections that they cause, differ by no more than this share.
const UNLIKE: f64 = 0.1;
/// The budget has to be this many times the time between two collections: six launches of two variants, each of which begins up to one collection late and holds one or two, take about
/// so long.
const COLLECTIONS_A_BUDGET: f64 = 24.0;
/// Where a variant's heap grows otherwise than that of its partner, its turns are long enough for this many collections, but no longer than the second constant (nanoseconds). In a turn
/// of a millisecond such a subject goes through its memory a few times at most, and the first time the caches hold its partner's memory.
const COLLECTIONS_A_TURN: f64 = 20.0;
const LONGEST_COLLECTING_TURN_NS: f64 = 20_000_000.0;
/// Of such a turn this part is untimed: until the variant has gone through its memory several times, the caches hold its partner's. Go, 192 KiB a call: +20 % in the first
/// tenth of the turn, 6 % in the second, 3 % in the third, then what `go test` says.
const UNTIMED_PART: f64 = 0.3;
/// A variant whose collections are met goes on to meet them beside one whose aren't, where it collects so many times as often.
const OFTEN: f64 = 2.0;
/// The capability of workers that collect what a turn's calls leave behind within the turn.
const SETTLE: &str = "settle";
/// Keeps these draws apart from those of the launch's own seed.
const PLACE: u64 = 0x7068_6173;

/// The collections of a variant, as its own pilot saw them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Collections {
    /// From one to the next, in nanoseconds; 0 where there are none.
    apart_ns: f64,
    /// Its launches hold some.
    are_met: bool,
    /// They can't, so that what its calls leave behind has to be collected in each turn.
    are_asked: bool,
}

/// Lets variants that are compared meet collections, or ask for them, alike: `pairs` of these of one language. Two pilots of equal code may lie on either side of
/// a bound, and the side that collects in each turn begins each with a cold cache: 9 % in one comparison of untouched code.
pub(crate) fn alike(pairs: &[(usize, usize)], all: &mut [Collections]) {
    let mut changed = true;
    while changed {
        changed = false;
        for (asking, other) in pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]) {
            let often = all[other].are_met && OFTEN * all[other].apart_ns < all[asking].apart_ns;
            if all[asking].are_asked && !all[other].are_asked && !often {
                (all[other].are_met, all[other].are_asked) = (false, true);
                changed = true;
            }
        }
    }
}

impl VariantRun<'_> {
    /// Lets the heap of the launch in progress, of that ordinal, grow, untimed, for as long as was found and up to one collection more.
    pub(crate) fn grow_heap(&mut self, launcher: &dyn Launcher, settings: &Settings, ordinal: u64) {
        let drawn = launch_seed(settings.seed ^ PLACE, &self.planned.variant.id, ordinal);
        let place_ns = self.heap.collection_ns * unit(drawn);
        let samples = ((self.heap.growth_ns + place_ns) / self.pilot.sample_wall_ns.max(1.0)).round() as u64;
        if samples > 0
            && self
                .turn(launcher, settings, 0, Subject::Case, samples - 1, vec![self.calibration.iterations; 1])
                .is_some()
        {
            self.forget_turn();
        }
    }

    /// What the growth of its heap takes, in nanoseconds; 0 where the worker counts neither allocations nor collections, and where the user says how many
    /// calls there are to be.
    pub(crate) fn own_growth_ns(&self) -> f64 {
        if self.planned.variant.calls != Calls::Pilot {
            return 0.0;
        }
        let by_bytes = self.growth_by_bytes_ns();
        by_bytes.max((COLLECTIONS * self.between_collections_ns().unwrap_or(0.0)).min(LONGEST_GROWTH_NS))
    }

    /// By what its calls allocate, where the worker counts that.
    fn growth_by_bytes_ns(&self) -> f64 {
        growth_ns(&self.calibration, self.pilot.sample_wall_ns, self.gogc().unwrap_or(USUAL_GOGC))
    }

    /// From one collection to the next, in nanoseconds, where the worker counts how far calls bring it.
    fn between_collections_ns(&self) -> Option<f64> {
        let per_sample = self.heap.collector.per_call() * self.calibration.iterations.max(1) as f64;
        (per_sample > 0.0).then(|| self.pilot.sample_wall_ns / per_sample)
    }

    /// Finds out how far collections lie apart, while the pilot's launch is open. `budget_ns` is what the variant's launches may take. Where six launches can't hold a collection each,
    /// its collections are asked for.
    pub(crate) fn collections(&self, budget_ns: f64) -> Collections {
        let by_bytes = self.growth_by_bytes_ns();
        let one_ns = self.between_collections_ns().unwrap_or(by_bytes / COLLECTIONS);
        let fit = one_ns <= LONGEST_FIRST_HEAP_NS.min(budget_ns / COLLECTIONS_A_BUDGET);
        let are_met = one_ns > 0.0 && fit && self.planned.variant.calls == Calls::Pilot;
        Collections { apart_ns: one_ns, are_met, are_asked: self.heap.collector.per_call() > 0.0 && !are_met }
    }

    /// Takes over how collections are met. Where they are asked for, the worker collects in each turn what the turn's calls leave behind, if it is able to.
    pub(crate) fn plan_collections(&mut self, planned: Collections) {
        self.heap.collection_ns = if planned.are_met { planned.apart_ns } else { 0.0 };
        self.heap.settles = planned.are_asked && self.is_capable_of(SETTLE);
    }

    /// Turns from one collection to the next, where its worker tells.
    pub(crate) fn turns_between_collections(&self) -> f64 {
        let turn_ns =
            self.pilot.sample_wall_ns * (self.calibration.samples_per_turn + self.calibration.warm).max(1) as f64;
        if self.heap.collector.per_call() > 0.0 { self.heap.collection_ns / turn_ns.max(1.0) } else { 0.0 }
    }

    /// Makes the variant's turns, and their untimed beginning, longer where its garbage is collected and its heap grows otherwise than that of its partner. Gives how many nanoseconds a turn has become longer.
    pub(crate) fn lengthen_turns(&mut self) -> f64 {
        let collects = self.planned.variant.runtime.facts.get("GOGC").is_none_or(|gogc| gogc != "off");
        if !(self.heap.grows_first && collects && self.heap.collection_ns > 0.0) || self.calibration.far.len() > 1 {
            return 0.0;
        }
        let turn_ns = (COLLECTIONS_A_TURN * self.heap.collection_ns).min(LONGEST_COLLECTING_TURN_NS);
        let samples = turn_ns / self.pilot.sample_wall_ns.max(1.0);
        let own = &mut self.calibration;
        let before = own.samples_per_turn + own.warm;
        own.samples_per_turn =
            own.samples_per_turn.max((samples * (1.0 - UNTIMED_PART)) as u64).min(pilot::MOST_SAMPLES_A_TURN);
        own.warm = own.warm.max((samples * UNTIMED_PART) as u64);
        (own.samples_per_turn + own.warm).saturating_sub(before) as f64 * self.pilot.sample_wall_ns
    }

    /// Whether this heap grows at another pace than `other`, or to another size. One that is still growing would pass for slower calls.
    pub(crate) fn allocates_unlike(&self, other: &Self) -> bool {
        let unlike = |ours: f64, theirs: f64| (ours - theirs).abs() > UNLIKE * ours.max(theirs);
        let (ours, theirs) = (bytes_per_call(&self.calibration), bytes_per_call(&other.calibration));
        unlike(ours, theirs)
            || (ours > 0.0 && self.gogc() != other.gogc())
            || unlike(self.heap.collector.per_call(), other.heap.collector.per_call())
    }

    /// What the worker says of `GOGC`; `None` where it says nothing, or `off`.
    fn gogc(&self) -> Option<f64> {
        self.planned
            .variant
            .runtime
            .facts
            .get("GOGC")?
            .parse()
            .ok()
            .filter(|gogc: &f64| gogc.is_normal() && *gogc > 0.0)
    }
}

/// How long the heap of a variant is let grow that is measured by itself.
pub(crate) fn alone(own_ns: f64) -> f64 {
    own_ns.min(LONGEST_GROWTH_NS)
}

/// How long all variants that are compared with each other make untimed calls, where their heaps take this long to grow: a variant whose heap doesn't grow is then as warm as the others.
pub(crate) fn together(own_ns: impl Iterator<Item = f64>) -> f64 {
    own_ns
        .filter(|ns| ns / COLLECTIONS <= LONGEST_FIRST_HEAP_NS)
        .map(|ns| ns.min(LONGEST_COMPARED_GROWTH_NS.max(ns / COLLECTIONS)))
        .fold(0.0, f64::max)
}

fn bytes_per_call(calibration: &Calibration) -> f64 {
    calibration.reported.allocations.map_or(0.0, |allocations| allocations.bytes_per_call())
}

/// As many whole samples as let the heap grow to its size; `sample_ns` is what one takes, with what isn't timed.
fn growth_ns(calibration: &Calibration, sample_ns: f64, gogc: f64) -> f64 {
    let bytes = bytes_per_call(calibration);
    if !bytes.is_normal() || calibration.iterations == 0 {
        return 0.0;
    }
    let until_grown = FIRST_HEAP_BYTES * COLLECTIONS * gogc / USUAL_GOGC;
    (until_grown / bytes / calibration.iterations as f64).floor() * sample_ns
}

#[cfg(test)]
mod tests {
    use tare_samples::{Allocations, Calibration, Reported};

    use super::{Collections, alike, alone, growth_ns, together};

    fn growth(bytes: u64, sample_ns: f64, iterations: u64) -> f64 {
        let reported = Reported {
            allocations: Some(Allocations { calls: 10, count: 10, bytes: 10 * bytes }),
            ..Reported::default()
        };
        growth_ns(&Calibration { iterations, reported, ..Calibration::default() }, sample_ns, 100.0)
    }

    #[test]
    fn compared_variants_meet_their_collections_alike() {
        let met = |apart_ns| Collections { apart_ns, are_met: true, are_asked: false };
        let asked = |apart_ns| Collections { apart_ns, are_met: false, are_asked: true };
        let none = Collections { apart_ns: 0.0, are_met: false, are_asked: false };
        let planned = |mut all: Vec<Collections>| {
            alike(&[(0, 1), (0, 2)], &mut all);
            all.iter().map(|one| (one.are_met, one.are_asked)).collect::<Vec<_>>()
        };
        // On either side of a bound of 170 ms; one asks for the sake of another.
        assert_eq!(planned(vec![met(160e6), asked(180e6), met(165e6)]), [(false, true); 3]);
        // One pilot saw that something is left behind, and the other didn't.
        assert_eq!(planned(vec![none, asked(900e6), none]), [(false, true); 3]);
        assert_eq!(planned(vec![met(10e6), met(12e6), none]), [(true, false), (true, false), (false, false)]);
        // A base that collects a hundred times as often.
        assert_eq!(planned(vec![met(2e6), asked(200e6), met(2e6)]), [(true, false), (false, true), (true, false)]);
    }

    #[test]
    fn as_many_samples_as_fourteen_collections_take() {
        assert_eq!(growth(192, 450_000.0, 500), 611.0 * 450_000.0, "56 MiB of 192 B are 305,834 calls");
        assert_eq!(growth(1 << 20, 1e6, 1), 56e6);
        assert_eq!(growth(64 << 20, 1e6, 1), 0.0, "one call is more than that");
        assert_eq!(growth(0, 450_000.0, 500), 0.0);
        assert_eq!(growth_ns(&Calibration { iterations: 500, ..Calibration::default() }, 450_000.0, 100.0), 0.0);
    }

    #[test]
    fn a_heap_that_is_collected_later_takes_longer_to_grow() {
        let reported =
            Reported { allocations: Some(Allocations { calls: 1, count: 1, bytes: 1 << 20 }), ..Reported::default() };
        let calibration = Calibration { iterations: 1, reported, ..Calibration::default() };
        assert_eq!(growth_ns(&calibration, 1e6, 400.0), 224e6);
    }

    #[test]
    fn runs_wait_for_a_part_of_it_and_comparisons_for_the_first_collection_at_least() {
        assert_eq!(alone(4e6), 4e6);
        assert_eq!(alone(210e6), 25e6);
        assert_eq!(together([0.0, 42e6, 4e6].into_iter()), 42e6);
        assert_eq!(together([0.0, 210e6].into_iter()), 60e6);
        assert_eq!(together([30e6, 1.4e9].into_iter()), 100e6, "the first of fourteen takes so long");
        assert_eq!(together([30e6, 14.0 * 210e6].into_iter()), 30e6, "a first one of 210 ms isn't waited for");
    }
}
