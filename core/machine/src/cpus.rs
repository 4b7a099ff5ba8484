//! Which CPU the worker gets, and which stay with the core.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cpu_list::{format_cpu_list, parse_cpu_list};
use crate::files;

const CPU: &str = "sys/devices/system/cpu";

/// What matters about the CPUs when some are to be set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    /// CPUs that the process may use, ascending.
    pub allowed: Vec<usize>,
    /// CPUs that the scheduler leaves alone (`isolcpus`) and that the process may be bound to.
    pub isolated: Vec<usize>,
    /// For each CPU the hardware threads of its core, itself included; absent where unknown.
    pub siblings: BTreeMap<usize, Vec<usize>>,
    /// Relative speed of each CPU, where cores differ; absent where unknown. Comparable with each other only.
    pub capacity: BTreeMap<usize, u64>,
}

impl Topology {
    /// Reads `/sys` below `root` for a process that may use `allowed`.
    ///
    /// Isolated CPUs stand outside the affinity that processes inherit, yet may be asked for. They are counted where
    /// `allowed` is exactly what isolation leaves; where it is smaller, someone has bound this process, and that holds.
    pub fn read(root: &Path, mut allowed: Vec<usize>) -> Self {
        allowed.sort_unstable();
        allowed.dedup();
        let list = |path: String| files::line(root, &path).and_then(|text| parse_cpu_list(&text).ok());
        let online = list(format!("{CPU}/online")).unwrap_or_default();
        let mut isolated: Vec<usize> = list(format!("{CPU}/isolated")).unwrap_or_default();
        isolated.retain(|cpu| online.is_empty() || online.contains(cpu));
        if online.iter().filter(|cpu| !isolated.contains(cpu)).ne(&allowed) {
            isolated.retain(|cpu| allowed.contains(cpu));
        }

        let known: BTreeSet<usize> = allowed.iter().chain(&isolated).copied().collect();
        let siblings = known.iter().filter_map(|&cpu| {
            Some((cpu, list(format!("{CPU}/cpu{cpu}/topology/thread_siblings_list"))?))
                .filter(|(_, s)| s.contains(&cpu))
        });
        let number = |path: String| files::line(root, &path).and_then(|text| text.parse::<u64>().ok());
        let speed = |file: &str| -> BTreeMap<usize, u64> {
            let read = |&cpu: &usize| Some((cpu, number(format!("{CPU}/cpu{cpu}/{file}"))?));
            known.iter().filter_map(read).collect()
        };
        // The two aren't in one unit: one source serves all CPUs, or none does.
        let capacity = ["cpu_capacity", "cpufreq/cpuinfo_max_freq"].map(speed);
        let capacity = capacity.into_iter().find(|speeds| speeds.len() == known.len()).unwrap_or_default();
        Self { siblings: siblings.collect(), capacity, allowed, isolated }
    }

    /// CPUs that may be had.
    pub fn usable(&self) -> BTreeSet<usize> {
        self.allowed.iter().chain(&self.isolated).copied().collect()
    }

    fn siblings_of(&self, cpu: usize) -> &[usize] {
        self.siblings.get(&cpu).map_or(&[], Vec::as_slice)
    }

    fn capacity_of(&self, cpu: usize) -> u64 {
        self.capacity.get(&cpu).copied().unwrap_or(0)
    }

    /// Whether some CPU is known to share its core. Where none is, each may have one of its own, or nobody has told.
    pub fn knows_siblings(&self) -> bool {
        self.siblings.values().any(|core| core.len() > 1)
    }

    /// What the core is left with when the worker has `worker`: no hardware thread of the worker's cores and no isolated
    /// CPU where there is a choice; empty when the worker has everything.
    fn beside(&self, worker: &[usize]) -> Vec<usize> {
        let quiet = self.spare(worker);
        if quiet.is_empty() { self.free(worker) } else { quiet }
    }

    fn free(&self, worker: &[usize]) -> Vec<usize> {
        self.allowed.iter().copied().filter(|cpu| !worker.contains(cpu)).collect()
    }

    /// CPUs on which something may run without disturbing `worker`: none of a core of the worker's, and none that is isolated.
    pub fn spare(&self, worker: &[usize]) -> Vec<usize> {
        let mut free = self.free(worker);
        free.retain(|cpu| {
            !self.isolated.contains(cpu) && !worker.iter().any(|&theirs| self.siblings_of(theirs).contains(cpu))
        });
        free
    }
}

/// Who runs where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// Worker and core are bound. `core` shares CPUs with `worker` only where the user gave the worker all there are.
    Pinned {
        /// CPUs of the worker.
        worker: Vec<usize>,
        /// CPUs of the core process.
        core: Vec<usize>,
    },
    /// Nothing is bound, and why.
    Unpinned(Unpinned),
}

/// Why nothing is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unpinned {
    /// One CPU for everything: the core would have to run where the worker does.
    #[error("there is one CPU only, so the worker shares it with everything else")]
    OneCpu,
    /// The system has no way to bind a thread.
    #[error("this system can't bind a process to a CPU")]
    Unsupported,
}

/// Why the CPUs that the user named can't be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// Some of them aren't granted to this process, or don't exist.
    #[error("CPU {missing} can't be used here; choose from {allowed}")]
    NotAllowed {
        /// The CPUs that can't be had, as a list.
        missing: String,
        /// The CPUs that can, as a list.
        allowed: String,
    },
    /// The list is empty.
    #[error("no CPU is named; choose from {allowed}")]
    Empty {
        /// The CPUs that can be had, as a list.
        allowed: String,
    },
}

/// Sets CPUs aside for the worker: those that the user named, or one, the best there is.
///
/// One of its own choice is isolated if any is, then not CPU 0 (which serves most interrupts), then one that leaves the
/// core a CPU outside the worker's physical core, then of the fastest kind, then the highest number.
///
/// # Errors
/// When `requested` names a CPU that the process may not use, or none.
pub fn choose(topology: &Topology, requested: Option<&[usize]>) -> Result<Placement, PlacementError> {
    let usable = topology.usable();
    let worker: Vec<usize> = match requested {
        Some(cpus) => {
            let asked: BTreeSet<usize> = cpus.iter().copied().collect();
            let missing: Vec<usize> = asked.difference(&usable).copied().collect();
            let allowed = format_cpu_list(&usable.iter().copied().collect::<Vec<_>>());
            if asked.is_empty() {
                return Err(PlacementError::Empty { allowed });
            }
            if !missing.is_empty() {
                return Err(PlacementError::NotAllowed { missing: format_cpu_list(&missing), allowed });
            }
            asked.into_iter().collect()
        }
        None => best(topology, &usable).into_iter().collect(),
    };
    if usable.len() < 2 {
        return Ok(Placement::Unpinned(if usable.is_empty() { Unpinned::Unsupported } else { Unpinned::OneCpu }));
    }
    let core = match topology.beside(&worker) {
        nothing if nothing.is_empty() => topology.allowed.clone(),
        free => free,
    };
    Ok(Placement::Pinned { worker, core })
}

fn best(topology: &Topology, usable: &BTreeSet<usize>) -> Option<usize> {
    usable.iter().copied().max_by_key(|&cpu| {
        let leaves_a_core = topology.beside(&[cpu]).iter().any(|other| !topology.siblings_of(cpu).contains(other));
        (topology.isolated.contains(&cpu), cpu != 0, leaves_a_core, topology.capacity_of(cpu), cpu)
    })
}

/// CPUs on which several things can be measured at once, the best first: one of each core where it is known which CPUs share one, all of
/// one kind and as fast as the first, and isolated as it is. One is left to everything else where there are more than three of them, unless the user named
/// those that may be used.
pub fn side_by_side(topology: &Topology, requested: Option<&[usize]>) -> Vec<usize> {
    let mut left: BTreeSet<usize> =
        topology.usable().into_iter().filter(|cpu| requested.is_none_or(|cpus| cpus.contains(cpu))).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while let Some(cpu) = best(topology, &left) {
        left.retain(|other| *other != cpu && !topology.siblings_of(cpu).contains(other));
        let like_the_first = |first: &usize| {
            topology.capacity_of(*first) == topology.capacity_of(cpu)
                && topology.isolated.contains(first) == topology.isolated.contains(&cpu)
        };
        if chosen.first().is_none_or(like_the_first) {
            chosen.push(cpu);
        }
    }
    if requested.is_none() && chosen.len() > 3 && topology.spare(&chosen).is_empty() {
        chosen.pop();
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Placement, PlacementError, Topology, Unpinned, choose, side_by_side};

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join("sys/devices/system/cpu").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn plain(cpus: usize) -> Topology {
        Topology { allowed: (0..cpus).collect(), ..Topology::default() }
    }

    fn pinned(worker: &[usize], core: &[usize]) -> Result<Placement, PlacementError> {
        Ok(Placement::Pinned { worker: worker.to_vec(), core: core.to_vec() })
    }

    #[test]
    fn the_worker_gets_a_cpu_other_than_0_and_the_core_the_rest() {
        assert_eq!(choose(&plain(2), None), pinned(&[1], &[0]));
        assert_eq!(choose(&plain(4), None), pinned(&[3], &[0, 1, 2]));
    }

    #[test]
    fn one_cpu_or_none_known_can_not_be_shared_out() {
        assert_eq!(choose(&plain(1), None), Ok(Placement::Unpinned(Unpinned::OneCpu)));
        assert_eq!(choose(&plain(1), Some(&[0])), Ok(Placement::Unpinned(Unpinned::OneCpu)));
        assert_eq!(choose(&plain(0), None), Ok(Placement::Unpinned(Unpinned::Unsupported)));
    }

    #[test]
    fn the_core_keeps_off_the_workers_sibling_where_it_can() {
        let mut topology = plain(4);
        topology.siblings = [(0, vec![0, 2]), (1, vec![1, 3]), (2, vec![0, 2]), (3, vec![1, 3])].into();
        assert_eq!(choose(&topology, None), pinned(&[3], &[0, 2]));

        let mut one_core = plain(2);
        one_core.siblings = [(0, vec![0, 1]), (1, vec![0, 1])].into();
        assert_eq!(choose(&one_core, None), pinned(&[1], &[0]));
    }

    #[test]
    fn an_isolated_cpu_is_preferred_even_when_others_are_faster() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "online", "0-7\n");
        write(root.path(), "isolated", "2-3\n");
        for cpu in 0..8 {
            write(root.path(), &format!("cpu{cpu}/cpu_capacity"), if cpu < 4 { "446\n" } else { "1024\n" });
        }
        let topology = Topology::read(root.path(), vec![0, 1, 4, 5, 6, 7]);
        assert_eq!(choose(&topology, None), pinned(&[3], &[0, 1, 4, 5, 6, 7]));
    }

    #[test]
    fn isolated_cpus_outside_a_binding_that_someone_made_are_left_alone() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "online", "0-7\n");
        write(root.path(), "isolated", "6-7\n");
        let topology = Topology::read(root.path(), vec![0, 1]);
        assert_eq!(topology.isolated, [0usize; 0]);
        assert_eq!(choose(&topology, None), pinned(&[1], &[0]));
    }

    #[test]
    fn of_unlike_cores_the_worker_gets_a_fast_one() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "online", "0-3\n");
        for (cpu, khz) in [(0, 5_000_000), (1, 5_000_000), (2, 3_800_000), (3, 3_800_000)] {
            write(root.path(), &format!("cpu{cpu}/cpufreq/cpuinfo_max_freq"), &khz.to_string());
        }
        // A single CPU that knows its capacity can't be compared with the others.
        write(root.path(), "cpu3/cpu_capacity", "1024");
        assert_eq!(choose(&Topology::read(root.path(), (0..4).collect()), None), pinned(&[1], &[0, 2, 3]));
    }

    #[test]
    fn the_users_cpus_are_taken_as_they_are() {
        assert_eq!(choose(&plain(4), Some(&[2, 0, 2])), pinned(&[0, 2], &[1, 3]));
        assert_eq!(choose(&plain(2), Some(&[0, 1])), pinned(&[0, 1], &[0, 1]));
        let error = choose(&plain(2), Some(&[1, 5, 6, 7])).unwrap_err();
        assert_eq!(error.to_string(), "CPU 5-7 can't be used here; choose from 0,1");
        assert!(matches!(choose(&plain(2), Some(&[])), Err(PlacementError::Empty { .. })));
    }

    #[test]
    fn what_is_measured_at_once_shares_no_core() {
        assert_eq!(side_by_side(&plain(1), None), [0]);
        assert_eq!(side_by_side(&plain(2), None), [1, 0]);
        assert_eq!(side_by_side(&plain(3), None), [2, 1, 0]);
        // One of more is left to everything else: the one that serves most interrupts.
        assert_eq!(side_by_side(&plain(4), None), [3, 2, 1]);
        assert_eq!(side_by_side(&plain(4), Some(&[0, 2])), [2, 0]);
        let mut topology = plain(8);
        topology.siblings = (0..8).map(|cpu| (cpu, vec![cpu % 4, cpu % 4 + 4])).collect();
        // CPU 4 is of the core of CPU 0.
        assert_eq!(side_by_side(&topology, None), [7, 6, 5]);
        assert_eq!(side_by_side(&topology, Some(&[0, 4, 5])), [5, 4]);
        topology.capacity = (0..8).map(|cpu| (cpu, if cpu % 4 < 2 { 1024 } else { 446 })).collect();
        assert_eq!(side_by_side(&topology, None), [5, 4], "slower cores would scatter more, and a slower one be left");
        let isolated = Topology { isolated: vec![6, 7], ..plain(6) };
        assert_eq!(side_by_side(&isolated, None), [7, 6]);
    }

    #[test]
    fn nonsense_in_sys_is_the_same_as_nothing() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "online", "many");
        write(root.path(), "isolated", "\u{0}");
        write(root.path(), "cpu1/topology/thread_siblings_list", "7-9\n");
        write(root.path(), "cpu1/cpu_capacity", "fast\n");
        assert_eq!(Topology::read(root.path(), vec![1, 0, 1]), plain(2));
        assert_eq!(Topology::read(&root.path().join("nowhere"), vec![0, 1]), plain(2));
    }
}
