//! What launches have to do with each other: states that outlast a launch, whose owner is the machine and not a process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::noise::uniform;

/// Two states of the machine that come back, each of which lasts for some launches of a subject. All subjects are in the same state in
/// launches of the same number; which of them feel it is for each to say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Levels {
    /// Excess of launches in the slow state, a fraction.
    pub excess: f64,
    /// Launches that the fast state lasts on average; geometrically distributed.
    pub fast_launches: f64,
    /// Launches that the slow state lasts, likewise.
    pub slow_launches: f64,
}

impl Levels {
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(0.0..=1000.0).contains(&self.excess) {
            return Err(format!("excess must be from 0 to 1000, is {}", self.excess));
        }
        for (name, launches) in [("fast-launches", self.fast_launches), ("slow-launches", self.slow_launches)] {
            if !(1.0..=1e6).contains(&launches) {
                return Err(format!("{name} must be from 1 to 1,000,000, is {launches}"));
            }
        }
        Ok(())
    }

    /// Share of launches in the slow state.
    pub(crate) fn share(&self) -> f64 {
        self.slow_launches / (self.fast_launches + self.slow_launches)
    }

    /// Whether the machine is in its slow state in a subject's launch of that number.
    fn is_slow(&self, machine: u64, launch: u64) -> bool {
        let mut rng = Pcg64::seed_from_u64(machine ^ 0x6c65_7665_6c73);
        let mut slow = uniform(&mut rng) < self.share();
        for _ in 0..launch {
            let lasts = if slow { self.slow_launches } else { self.fast_launches };
            slow ^= uniform(&mut rng) < 1.0 / lasts;
        }
        slow
    }
}

/// The standardised effect of a build on a case: drawn once for a machine, and the same in all of its launches.
pub(crate) fn build_effect(machine: u64, case: usize) -> f64 {
    StandardNormal.sample(&mut Pcg64::seed_from_u64(machine ^ (case as u64 + 1).wrapping_mul(0xa24b_aed4_963e_e407)))
}

/// What a layout of a case's code is worth, a standard normal number; `None`: the one that its build has. Where `places` of the second are 1 or more it is that of the layout's place, which is
/// worth the same to all cases of the machine.
pub(crate) fn layout_effect(machine: u64, case: usize, (layout, places): (Option<u64>, u8)) -> f64 {
    match places {
        0 => build_effect(of_layout(machine, layout), case),
        places => build_effect(of_layout(machine, None), usize::from(place(machine, case, layout, places))),
    }
}

/// At which of so many places a layout has a case's code.
pub(crate) fn place(machine: u64, case: usize, layout: Option<u64>, places: u8) -> u8 {
    let mut drawn =
        Pcg64::seed_from_u64(of_layout(machine, layout) ^ (case as u64 + 1).wrapping_mul(0xa24b_aed4_963e_e407));
    ((uniform(&mut drawn) * f64::from(places)) as u8).min(places.saturating_sub(1))
}

fn of_layout(machine: u64, layout: Option<u64>) -> u64 {
    let layout = layout.map_or(0, |layout| layout + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    machine ^ layout.rotate_left(17) ^ 0x6c61_796f_7574
}

/// What cores of one machine share; a panic elsewhere leaves it whole.
pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a launcher's launches have left behind, case by case.
#[derive(Debug, Default)]
pub(crate) struct Succession {
    cases: BTreeMap<usize, Past>,
    outliers: u64,
    /// The case that had the core last.
    last: Option<usize>,
}

#[derive(Debug, Default)]
struct Past {
    launches: u64,
    /// Of the last launch, in standard deviations.
    deviation: Option<f64>,
}

impl Succession {
    /// A new launch of the case: whether it meets the machine in its slow state.
    pub(crate) fn next(&mut self, machine: u64, case: usize, levels: Option<Levels>) -> bool {
        let past = self.cases.entry(case).or_default();
        let launch = past.launches;
        past.launches += 1;
        let slow = levels.is_some_and(|levels| levels.is_slow(machine, launch));
        if slow {
            self.note_outlier(case);
        }
        slow
    }

    /// Notes that the launch which [`Self::next`] began is one of those that are slower by chance, or by a state that lasts.
    pub(crate) fn note_outlier(&mut self, case: usize) {
        let is_evidence = self.cases.get(&case).is_some_and(|past| past.launches > 1);
        self.outliers += u64::from(is_evidence);
    }

    /// The case has the core: whether another one has had it since it did last.
    pub(crate) fn takes_the_core(&mut self, case: usize) -> bool {
        self.last.replace(case).is_some_and(|last| last != case)
    }

    /// Launches that are slower by chance or in a slow state, but for the first of each case, which a pilot takes.
    pub(crate) fn outliers(&self) -> u64 {
        self.outliers
    }

    /// The deviation of the case's new launch in standard deviations, from an independent standard normal value: one that resembles the
    /// last launch's by `correlation`, in the stationary distribution from the first launch on.
    pub(crate) fn deviation(&mut self, case: usize, correlation: f64, normal: f64) -> f64 {
        let past = self.cases.entry(case).or_default();
        let deviation = match past.deviation {
            Some(last) => correlation * last + (1.0 - correlation * correlation).sqrt() * normal,
            None => normal,
        };
        past.deviation = Some(deviation);
        deviation
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64;

    use super::{Levels, Succession, build_effect, layout_effect};

    #[test]
    fn states_last_as_long_as_stated_and_come_back() {
        let levels = Levels { excess: 0.1, fast_launches: 6.0, slow_launches: 3.0 };
        let states: Vec<bool> =
            (0..100).flat_map(|machine| (0..200).map(move |launch| levels.is_slow(machine, launch))).collect();
        let slow = states.iter().filter(|&&slow| slow).count() as f64;
        assert!((slow / 20_000.0 - 1.0 / 3.0).abs() < 0.02, "{slow}");
        let ends = states.chunks(200).flat_map(|machine| machine.windows(2)).filter(|pair| pair[0] && !pair[1]).count();
        assert!((slow / ends as f64 - 3.0).abs() < 0.3, "{slow} {ends}");
    }

    #[test]
    fn launches_of_the_same_number_meet_the_same_state() {
        let levels = Some(Levels { excess: 0.1, fast_launches: 3.0, slow_launches: 3.0 });
        let mut succession = Succession::default();
        let met: Vec<[bool; 2]> = (0..50).map(|_| [0, 1].map(|case| succession.next(7, case, levels))).collect();
        assert!(met.iter().all(|&[base, candidate]| base == candidate), "{met:?}");
        assert!(met.iter().any(|met| met[0]) && met.iter().any(|met| !met[0]), "{met:?}");
    }

    #[test]
    fn a_launch_resembles_the_one_before_by_the_stated_correlation() {
        for correlation in [0.0, 0.3, 0.8] {
            let (mut succession, mut rng) = (Succession::default(), Pcg64::seed_from_u64(5));
            let drawn: Vec<f64> =
                (0..50_000).map(|_| succession.deviation(0, correlation, StandardNormal.sample(&mut rng))).collect();
            let variance = drawn.iter().map(|x| x * x).sum::<f64>() / drawn.len() as f64;
            let covariance = drawn.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / drawn.len() as f64;
            assert!((variance - 1.0).abs() < 0.05, "{correlation}: {variance}");
            assert!((covariance / variance - correlation).abs() < 0.02, "{correlation}: {covariance}");
        }
    }

    #[test]
    fn a_build_is_a_draw_of_its_own_and_stays_what_it_is() {
        let effects: Vec<f64> = (0..20_000).map(|machine| build_effect(machine, 0)).collect();
        let variance = effects.iter().map(|x| x * x).sum::<f64>() / effects.len() as f64;
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
        assert_eq!(build_effect(3, 0), effects[3]);
        assert_ne!(build_effect(3, 1), effects[3]);
        let layouts: Vec<f64> = (0..20_000).map(|layout| layout_effect(3, 0, (Some(layout), 0))).collect();
        let variance = layouts.iter().map(|x| x * x).sum::<f64>() / layouts.len() as f64;
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
        let others = [(3, 0, None), (3, 1, Some(0)), (4, 0, Some(0))]
            .map(|(machine, case, layout)| layout_effect(machine, case, (layout, 0)));
        assert!(others.iter().all(|other| layouts[..16].iter().all(|layout| layout != other)));
    }
}
