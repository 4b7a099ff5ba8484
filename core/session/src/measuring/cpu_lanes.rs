//! Lanes of processes, each bound to a CPU.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tare_engine::Lanes;
use tare_machine::{allowed_cpus, pin_current_thread};
use tare_worker::{Launcher, ProcessLauncher};

/// Lanes of processes, each bound to a CPU.
pub(crate) struct CpuLanes {
    launcher: ProcessLauncher,
    cpus: Vec<usize>,
    /// CPUs beside those of the lanes, on which workers start and this process does its work. Where there are none each lane does both on
    /// its own, while nothing of it is measured.
    spare: Vec<usize>,
    stop: Arc<AtomicBool>,
    /// How many there are is Tare's own choice.
    chosen: bool,
    /// How many were left when pairs had shown that they scatter with more, and by which factor.
    given_up: Mutex<Option<(usize, f64)>>,
    /// Where the calling thread was before, and is again when the lanes are gone.
    before: Vec<usize>,
}

impl CpuLanes {
    /// A lane for each of `cpus`. `chosen`: how many there are is Tare's own choice.
    pub(crate) fn new(
        launcher: &ProcessLauncher,
        cpus: Vec<usize>,
        spare: Vec<usize>,
        chosen: bool,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let launcher = launcher.of_cpu(cpus[0], &spare);
        let before = allowed_cpus().unwrap_or_default();
        Self { launcher, cpus, spare, stop, chosen, given_up: Mutex::default(), before }
    }

    /// The CPU of each lane.
    pub(crate) fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    fn home(&self, lane: usize) -> &[usize] {
        if self.spare.is_empty() { std::slice::from_ref(&self.cpus[lane]) } else { &self.spare }
    }

    /// The same CPUs for each lane, in its own order: of the workers of a launch the first one starts on the lane, and the second one on the first of these. In one order
    /// for all, sixteen CPUs with fourteen lanes took 0.4 s to start what takes two of them 0.03 s.
    fn spare_of(&self, lane: usize) -> Vec<usize> {
        let mut spare = self.spare.clone();
        spare.rotate_left(lane % self.spare.len().max(1));
        spare
    }

    /// What pairs said of their number, where some were given up.
    pub(crate) fn given_up(&self) -> Option<String> {
        let (left, wider) = (*self.given_up.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some(format!("{left}, {} at first (with more the noise was {wider:.1} times as large)", self.cpus.len()))
    }
}

impl Lanes for CpuLanes {
    fn count(&self) -> usize {
        self.cpus.len()
    }

    fn launcher(&self, lane: usize) -> Box<dyn Launcher> {
        // As for a run on one core: not being able to move away is no reason not to measure.
        let _ = pin_current_thread(self.home(lane));
        Box::new(self.launcher.of_cpu(self.cpus[lane], &self.spare_of(lane)))
    }

    fn serve(&self, lane: usize) {
        let _ = pin_current_thread(self.home(lane));
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn may_pause(&self) -> bool {
        self.chosen
    }

    fn are_at_work(&self, count: usize, wider: Option<f64>) {
        if let Some(wider) = wider {
            *self.given_up.lock().unwrap_or_else(PoisonError::into_inner) = Some((count, wider));
        }
    }
}

impl Drop for CpuLanes {
    fn drop(&mut self) {
        if !self.before.is_empty() {
            let _ = pin_current_thread(&self.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use tare_engine::Lanes;
    use tare_machine::allowed_cpus;
    use tare_worker::ProcessLauncher;

    use super::CpuLanes;

    #[test]
    fn lanes_share_out_the_cpus_on_which_their_workers_start() {
        let launcher = ProcessLauncher::new(vec![4], &[], Duration::from_secs(1));
        let lanes = |spare: &[usize]| {
            CpuLanes::new(&launcher, vec![4, 5, 6, 7], spare.to_vec(), true, Arc::new(AtomicBool::new(false)))
        };
        let firsts = |lanes: &CpuLanes| (0..4).map(|lane| lanes.spare_of(lane).first().copied()).collect::<Vec<_>>();
        assert_eq!(firsts(&lanes(&[0, 1, 2, 3])), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(firsts(&lanes(&[0, 1])), [Some(0), Some(1), Some(0), Some(1)]);
        assert_eq!(lanes(&[0, 1]).spare_of(1), [1, 0]);
        assert_eq!(firsts(&lanes(&[])), [None; 4]);
    }

    #[test]
    fn a_lane_works_on_its_own_cpu_where_none_is_spare_and_leaves_the_caller_where_it_was() {
        let before = allowed_cpus().unwrap();
        let cpu = before[0];
        let lanes = |spare: Vec<usize>| {
            let launcher = ProcessLauncher::new(vec![cpu], &[], Duration::from_secs(1));
            CpuLanes::new(&launcher, vec![cpu], spare, true, Arc::new(AtomicBool::new(false)))
        };
        let on_its_own = lanes(Vec::new());
        on_its_own.serve(0);
        assert_eq!(allowed_cpus().unwrap(), [cpu]);
        drop(on_its_own);
        assert_eq!(allowed_cpus().unwrap(), before);
        if let Some(&other) = before.get(1) {
            let beside = lanes(vec![other]);
            let launcher_is_at = std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        let _launcher = beside.launcher(0);
                        allowed_cpus().unwrap()
                    })
                    .join()
                    .unwrap()
            });
            assert_eq!(launcher_is_at, [other]);
        }
    }
}
