//! How many links the programs of a comparison get. Pure: counts and nanoseconds go in, counts come out.
//!
//! Links are preparation, so they take a part of what is measured with them. Where one budget for the suite (`--total`) holds only some of its packages, the others aren't linked, and
//! their cases aren't measured.

use tare_samples::MINIMUM_LAUNCHES;

/// Links take so much CPU time as a part of the CPU time of what is measured with them.
const OF_MEASURING: f64 = 0.2;
/// On a busy machine they may take so much of a budget for the suite.
const OF_TOTAL_AT_MOST: f64 = 0.3;
/// Links of each program: at least and at most. With n of them an effect of layouts, of a standard deviation of s in each, is known within about 2.9 s √(2/n) to 1 %.
const FEWEST: u32 = 8;
const MOST: u32 = 24;
/// The most where a link takes so little, in nanoseconds: each launch may have one of its own.
const MOST_CHEAP: u32 = 64;
const CHEAP_NS: f64 = 0.2e9;
/// With a budget for the suite six launches are often all that a case gets. Fewer links than these make them fewer draws; fewer than two draw nothing.
const ENOUGH: u32 = MINIMUM_LAUNCHES;
const LEAST: u32 = 2;
/// A case that has so much of a budget for the suite makes six launches, in nanoseconds; more links than launches are never started.
const SIX_LAUNCHES_NS: f64 = 1e9;

/// What is compared of one package.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Package {
    /// Cases that are measured with its programs.
    pub cases: usize,
    /// Its programs, one for each side.
    pub programs: usize,
    /// What a link takes of one CPU, in nanoseconds.
    pub link_ns: f64,
}

impl Package {
    fn most(&self) -> u32 {
        if self.link_ns <= CHEAP_NS { MOST_CHEAP } else { MOST }
    }

    fn affordable(&self, cpu_ns: f64) -> u32 {
        (cpu_ns / (self.programs.max(1) as f64 * self.link_ns)) as u32
    }

    fn cpu_ns(&self, links: u32) -> f64 {
        f64::from(links) * self.programs as f64 * self.link_ns
    }
}

/// The time in which packages are measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuringTime {
    /// What a case takes, in nanoseconds of its lane.
    pub case_ns: f64,
    /// The budget of the suite, in nanoseconds by the wall's clock.
    pub total_ns: Option<f64>,
    /// Lanes that measure, and CPUs that link.
    pub lanes: usize,
    /// See `lanes`.
    pub cpus: usize,
}

/// The number of links that each program of each package gets; 0 where the budget of the suite has no time for the package. Packages are taken in their order.
pub fn links(packages: &[Package], time: &MeasuringTime) -> Vec<u32> {
    let Some(total_ns) = time.total_ns else {
        let of = |package: &Package| {
            let cpu_ns = OF_MEASURING * package.cases as f64 * time.case_ns;
            package.affordable(cpu_ns).clamp(FEWEST, package.most())
        };
        return packages.iter().map(of).collect();
    };
    let (cpus, lanes) = (time.cpus.max(1) as f64, time.lanes.max(1) as f64);
    let (mut promised_ns, mut taken, mut enough_ns) = (0.0, 0, 0.0);
    for package in packages {
        if promised_ns >= total_ns {
            break;
        }
        let links_ns = package.cpu_ns(ENOUGH);
        promised_ns += links_ns / cpus + package.cases as f64 * time.case_ns / lanes;
        enough_ns += links_ns;
        taken += 1;
    }
    let cases: usize = packages[..taken].iter().map(|package| package.cases).sum();
    let of_case_ns = total_ns * lanes / cases.max(1) as f64;
    let launches = (f64::from(ENOUGH) * of_case_ns / SIX_LAUNCHES_NS) as u32;
    let part_ns = OF_MEASURING * total_ns * cpus;
    let of = |(number, package): (usize, &Package)| {
        if number >= taken {
            return 0;
        }
        let launches = launches.clamp(ENOUGH, package.most());
        if taken == 1 {
            return package.affordable(part_ns).clamp(LEAST, launches);
        }
        // What is left of the part goes to those with more cases.
        let more_ns = (part_ns - enough_ns).max(0.0) * package.cases as f64 / cases.max(1) as f64;
        (ENOUGH + package.affordable(more_ns)).min(launches)
    };
    packages.iter().enumerate().map(of).collect()
}

/// What links may take of a budget for the suite, in nanoseconds by the wall's clock; `None` without one. Where others use the machine they take longer than planned, and fewer are made.
pub fn linking_ns(packages: &[Package], links: &[u32], time: &MeasuringTime) -> Option<f64> {
    let of = |(package, links): (&Package, &u32)| package.cpu_ns(*links);
    let planned_ns = packages.iter().zip(links).map(of).sum::<f64>() / time.cpus.max(1) as f64;
    Some(planned_ns.max(OF_TOTAL_AT_MOST * time.total_ns?))
}

/// Steps in which all programs of a package are linked up to what a verdict needs, so that they have as many when the time is over. Nothing where none are wanted.
pub fn few(links: u32) -> Vec<u32> {
    let mut steps = vec![LEAST.min(links), ENOUGH.min(links)];
    steps.dedup();
    steps
}

/// The steps up to all `links`.
pub fn all(links: u32) -> Vec<u32> {
    let mut steps: Vec<u32> = [2 * ENOUGH].into_iter().filter(|&step| step < links).collect();
    steps.push(links);
    steps
}

/// Whether a package that has so many links, of those that it should have, is measured; `is_first`: it is the first one.
pub fn is_enough(made: u32, wanted: u32, is_first: bool) -> bool {
    made >= if is_first { LEAST } else { ENOUGH }.min(wanted).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::{MeasuringTime, Package, all, few, is_enough, linking_ns, links};

    fn packages(cases: &[usize]) -> Vec<Package> {
        cases.iter().map(|&cases| Package { cases, programs: 2, link_ns: 0.6e9 }).collect()
    }

    /// Two lanes and CPUs, and cases of 2.8 s.
    fn within(total_s: f64, cases: &[usize]) -> Vec<u32> {
        let time = MeasuringTime { case_ns: 2.8e9, total_ns: Some(total_s * 1e9), lanes: 2, cpus: 2 };
        links(&packages(cases), &time)
    }

    #[test]
    fn links_take_a_part_of_what_is_measured_with_them() {
        let of = |case_ns: f64| {
            let time = MeasuringTime { case_ns, total_ns: None, lanes: 2, cpus: 2 };
            links(&packages(&[1, 20, 40, 60]), &time)
        };
        assert_eq!(of(2.8e9), [8, 9, 18, 24]);
        // Ten times the budget of a comparison.
        assert_eq!(of(28e9), [8, 24, 24, 24]);
        assert_eq!(of(0.3e9), [8; 4]);
    }

    #[test]
    fn packages_that_a_budget_does_not_hold_are_not_linked() {
        // 43 cases at the most in 60 s.
        assert_eq!(within(60.0, &[109, 4, 20, 2]), [6, 0, 0, 0]);
        assert_eq!(within(60.0, &[2, 4, 20, 109, 5]), [6, 6, 6, 6, 0]);
        assert_eq!(within(600.0, &[2, 4, 20, 109, 5]), [8, 10, 24, 24, 12]);
        let small = within(60.0, &[2; 50]);
        assert_eq!((small.iter().filter(|&&links| links == 6).count(), small[49]), (10, 0));
    }

    #[test]
    fn there_are_no_more_links_than_launches() {
        // Two seconds for each case, and twelve launches; ten seconds.
        assert_eq!((within(60.0, &[60]), within(60.0, &[12])), (vec![12], vec![20]));
        assert_eq!((within(300.0, &[300]), within(300.0, &[60])), (vec![12], vec![24]));
    }

    #[test]
    fn a_short_budget_has_two_links_of_one_package() {
        assert_eq!(within(1.0, &[40, 60]), [2, 0]);
        assert_eq!(within(10.0, &[40, 60]), [3, 0]);
        assert_eq!(within(1.0, &[]), [0; 0]);
    }

    #[test]
    fn all_links_of_a_budget_take_a_fifth_of_it_unless_packages_are_small() {
        for total_s in [20.0, 60.0, 120.0, 600.0] {
            for cases in [vec![40; 4], vec![100, 3], vec![12; 12]] {
                let cpu_s: f64 = within(total_s, &cases).iter().map(|&links| 1.2 * f64::from(links)).sum();
                assert!(cpu_s <= 0.2 * total_s * 2.0 + 1.2 * 6.0, "{total_s} {cases:?}: {cpu_s}");
            }
        }
    }

    #[test]
    fn links_of_a_busy_machine_end_in_time() {
        let time = MeasuringTime { case_ns: 2.8e9, total_ns: Some(60e9), lanes: 2, cpus: 2 };
        // 12 of 0.6 s on two CPUs would be 3.6 s; ten packages 36 s.
        assert_eq!(linking_ns(&packages(&[109]), &[6], &time), Some(18e9));
        assert_eq!(linking_ns(&packages(&[2; 10]), &[6; 10], &time), Some(36e9));
        assert_eq!(linking_ns(&packages(&[2]), &[6], &MeasuringTime { total_ns: None, ..time }), None);
    }

    #[test]
    fn programs_of_a_package_are_linked_in_steps() {
        assert_eq!((few(24), all(24)), (vec![2, 6], vec![12, 24]));
        assert_eq!((few(8), all(8)), (vec![2, 6], vec![8]));
        assert_eq!((few(2), few(0), all(12)), (vec![2], vec![0], vec![12]));
        let enough: Vec<bool> = [2, 5, 6].map(|made| is_enough(made, 12, false)).into();
        assert_eq!(enough, [false, false, true]);
        assert!(is_enough(2, 12, true) && !is_enough(1, 12, true) && is_enough(2, 2, false));
    }
}
