//! Bursty neighbours: processes of our own that spin on every CPU and sleep by turns.

use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Spins and sleeps by turns on one CPU, each for a random 1 to 50 ms, until the process that started it is gone. That is the work of
/// the processes that [`Neighbours`] starts.
pub fn disturb(cpu: usize) -> Result<(), tare_machine::AffinityError> {
    tare_machine::pin_current_thread(&[cpu])?;
    let mut rng = Pcg64::seed_from_u64(cpu as u64);
    // A parent that was killed can't end its children: they look for themselves.
    let parent = rustix::process::getppid();
    while rustix::process::getppid() == parent {
        let spin = Duration::from_micros(rng.random_range(1_000..50_000));
        let begun = Instant::now();
        while begun.elapsed() < spin {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(1_000..50_000)));
    }
    Ok(())
}

/// One neighbour for each of the CPUs. They end when this is dropped.
#[derive(Debug)]
pub struct Neighbours(Vec<Child>);

impl Neighbours {
    /// Starts this very program again, once a CPU: `subcommand CPU` must make it call [`disturb`].
    pub fn start(subcommand: &str, cpus: &[usize]) -> io::Result<Self> {
        let program = std::env::current_exe()?;
        let mut neighbours = Self(Vec::new());
        for cpu in cpus {
            let mut command = Command::new(&program);
            command.args([subcommand, &cpu.to_string()]).stdin(Stdio::null()).stdout(Stdio::null());
            neighbours.0.push(command.spawn()?);
        }
        Ok(neighbours)
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // A process that has ended by itself needs no ending.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
