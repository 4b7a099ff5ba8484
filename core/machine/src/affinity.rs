//! The CPUs of a thread. Linux alone can be asked; elsewhere every call says that it can't.

use std::marker::PhantomData;
use std::rc::Rc;

/// Why a thread's CPUs can't be read or set.
#[derive(Debug, thiserror::Error)]
pub enum AffinityError {
    /// The system has no such call.
    #[error("this system can't bind a thread to CPUs, so the scheduler chooses; the results name this")]
    Unsupported,
    /// The kernel refuses to tell.
    #[error("the CPUs that this process may use can't be read: {0}; give them with --cpus")]
    Read(std::io::Error),
    /// The kernel refuses the set: none of it exists, is online, or is granted to this process's control group.
    #[error("can't bind to CPU {cpus}: {source}; name CPUs that exist and are granted to this process with --cpus")]
    Set {
        /// The CPUs that were asked for, as a list.
        cpus: String,
        /// What the kernel said.
        source: std::io::Error,
    },
}

/// The CPUs that the calling thread may run on, ascending.
///
/// # Errors
/// [`AffinityError::Unsupported`] off Linux; [`AffinityError::Read`] when the kernel refuses, as it does
/// on machines of more CPUs than the mask of 1024 holds.
pub fn allowed_cpus() -> Result<Vec<usize>, AffinityError> {
    system::get()
}

/// Binds the calling thread, and every thread and process that it starts from now on, to `cpus`.
///
/// # Errors
/// [`AffinityError::Unsupported`] off Linux; [`AffinityError::Set`] when the kernel refuses the set. CPUs that it doesn't
/// grant are left out silently as long as one remains, so choose with [`crate::choose`].
pub fn pin_current_thread(cpus: &[usize]) -> Result<(), AffinityError> {
    system::set(cpus)
}

/// Binds the calling thread to a worker's CPUs until it is dropped: a child spawned meanwhile inherits them, and
/// is bound before its first instruction.
///
/// The guard stays on its thread, because the binding is the thread's.
#[derive(Debug)]
pub struct AffinityGuard {
    before: Vec<usize>,
    _not_send: PhantomData<Rc<()>>,
}

impl AffinityGuard {
    /// Binds the calling thread to `cpus`.
    ///
    /// # Errors
    /// As [`allowed_cpus`] and [`pin_current_thread`]; the thread is then as it was.
    pub fn bind(cpus: &[usize]) -> Result<Self, AffinityError> {
        let before = allowed_cpus()?;
        pin_current_thread(cpus)?;
        Ok(Self { before, _not_send: PhantomData })
    }
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        // The set was the thread's own a moment ago. If its last CPU was taken offline since, the kernel has moved the
        // thread already and there is nothing better to go back to.
        let _ = pin_current_thread(&self.before);
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use super::AffinityError;
    use crate::cpu_list::format_cpu_list;

    pub(super) fn get() -> Result<Vec<usize>, AffinityError> {
        let set = sched_getaffinity(None).map_err(|error| AffinityError::Read(error.into()))?;
        Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
    }

    pub(super) fn set(cpus: &[usize]) -> Result<(), AffinityError> {
        let mut set = CpuSet::new();
        for &cpu in cpus {
            if cpu >= CpuSet::MAX_CPU {
                return Err(refused(cpus, std::io::ErrorKind::InvalidInput.into()));
            }
            set.set(cpu);
        }
        sched_setaffinity(None, &set).map_err(|error| refused(cpus, error.into()))
    }

    fn refused(cpus: &[usize], source: std::io::Error) -> AffinityError {
        AffinityError::Set { cpus: format_cpu_list(cpus), source }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::AffinityError;

    pub(super) fn get() -> Result<Vec<usize>, AffinityError> {
        Err(AffinityError::Unsupported)
    }

    pub(super) fn set(_cpus: &[usize]) -> Result<(), AffinityError> {
        Err(AffinityError::Unsupported)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::process::Command;

    use super::{AffinityError, AffinityGuard, allowed_cpus, pin_current_thread};
    use crate::cpu_list::parse_cpu_list;

    fn cpus_of_a_child() -> Vec<usize> {
        let output = Command::new("cat").arg("/proc/self/status").output().unwrap();
        let status = String::from_utf8(output.stdout).unwrap();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        parse_cpu_list(list).unwrap()
    }

    #[test]
    fn a_child_spawned_under_the_guard_inherits_its_cpus_and_a_later_one_does_not() {
        let before = allowed_cpus().unwrap();
        let worker = vec![*before.last().unwrap()];
        {
            let _guard = AffinityGuard::bind(&worker).unwrap();
            assert_eq!(allowed_cpus().unwrap(), worker);
            assert_eq!(cpus_of_a_child(), worker);
        }
        assert_eq!(allowed_cpus().unwrap(), before);
        assert_eq!(cpus_of_a_child(), before);
    }

    #[test]
    fn a_refused_set_leaves_the_thread_as_it_was() {
        let before = allowed_cpus().unwrap();
        for cpus in [&[] as &[usize], &[1_000_000]] {
            assert!(matches!(AffinityGuard::bind(cpus), Err(AffinityError::Set { .. })));
            assert_eq!(allowed_cpus().unwrap(), before);
        }
    }

    #[test]
    fn pinning_is_the_threads_own() {
        let before = allowed_cpus().unwrap();
        let first = before[0];
        std::thread::spawn(move || {
            pin_current_thread(&[first]).unwrap();
            assert_eq!(allowed_cpus().unwrap(), [first]);
        })
        .join()
        .unwrap();
        assert_eq!(allowed_cpus().unwrap(), before);
    }
}
