//! From a runtime to a running session.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tare_files::Scratch;
use tare_follow::{Follower, Scope, Watch};
use tare_languages::Language;
use tare_samples::{Failure, RuntimeCommand};

use crate::Session;
use crate::conversation::Conversation;
use crate::executables::{COPY_OF, Executables};
use crate::give_up::GiveUp;
use crate::layout::left_to_the_system;
use crate::process::Process;
use crate::spawn::{FollowError, Spawn};

/// Starts sessions and knows what time it is for them: the real machine, or a simulated one.
pub trait Launcher {
    /// Starts a fresh worker, of a command that [`ready`](crate::ready) gave, without waiting for it, so that several get ready at once.
    /// `seed` names the launch, for workers that draw lots.
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure>;

    /// Starts a fresh worker and waits for its hello.
    fn launch(&mut self, runtime: &RuntimeCommand, seed: u64) -> Result<Conversation, Failure> {
        self.start(runtime, seed, ProcessPlacement::default())?.open()
    }

    /// Nanoseconds since some fixed moment, never going back.
    fn now_ns(&self) -> u64;

    /// Begins to watch in which functions the process of a worker is, where the system allows that.
    fn watch(&self, _worker: &Conversation) -> Option<Box<dyn Watching>> {
        None
    }

    /// Where each of the links of a program has these functions within a line of 64 bytes, in the order of the links; `None` where it has none, or several, of that name. Nothing for a
    /// program that has no links.
    fn places(&self, _program: &RuntimeCommand, _functions: &[&str]) -> Vec<Vec<Option<u8>>> {
        Vec::new()
    }

    /// Workers that are started from now on are given up as soon as this says so; `None`: they aren't.
    fn give_up_when(&mut self, _stop: Option<GiveUp>) {}
}

/// A process that is watched.
pub trait Watching {
    /// Ends that. How often it was seen in each function of its program.
    fn end(self: Box<Self>) -> BTreeMap<String, u32>;
}

impl Watching for Watch {
    fn end(self: Box<Self>) -> BTreeMap<String, u32> {
        Self::end(*self)
    }
}

/// How a worker is placed: its position among those that start together, the address of its executable, and its CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessPlacement {
    /// Its number among those that start together.
    pub among: usize,
    /// Workers that are started with the same number have their executables at the same address, where the system allows that, and
    /// shake their heaps alike. None: wherever the system puts them, and each by itself.
    pub address: Option<u64>,
    /// Which of the files of its program is started, where it has several ([`Executables`]).
    pub layout: Option<u64>,
    /// It works with several threads at once, and may have every CPU where the user named none.
    pub every_cpu: bool,
}

/// A worker that was started and hasn't been heard of yet.
pub struct Starting {
    session: Box<dyn Session>,
    deadline: Duration,
}

impl Starting {
    /// `deadline` bounds the wait for its hello.
    pub fn new(session: Box<dyn Session>, deadline: Duration) -> Self {
        Self { session, deadline }
    }

    /// Waits for the worker's hello, and brings it to where it is measured.
    pub fn open(self) -> Result<Conversation, Failure> {
        Conversation::open(self.session, self.deadline)
    }
}

/// Launches real processes, pinned to `cpus`.
#[derive(Debug, Clone)]
pub struct ProcessLauncher {
    cpus: Vec<usize>,
    /// CPUs on which workers that start together do so, one on each: start-up is most of what a launch costs. Each is bound to one
    /// CPU from its first instruction, as it will be when it is measured: a Go runtime takes its number of processors from
    /// there.
    starting: Vec<usize>,
    /// Where threads that only watch over a runtime may wake as they like. One CPU for one: a runtime may count those that it has.
    aside: Option<usize>,
    /// What a worker of several threads may run on.
    every: Vec<usize>,
    /// A folder for what workers have to agree on while several of them live; it goes with the launcher and those made of it. None where
    /// none can be made: then each is by itself.
    shared: Option<Arc<Scratch>>,
    /// Which file of its program a launch starts.
    executables: Arc<Executables>,
    /// No process is placed at an address of our own.
    leaves_addresses: bool,
    /// Set by who has no use for the workers any more.
    stop: Option<GiveUp>,
    startup: Duration,
    begun: Instant,
}

impl ProcessLauncher {
    /// `cpus` are those that workers may run on; empty leaves them unpinned. `others` may be started on, too. `startup` bounds the
    /// wait for a hello.
    pub fn new(cpus: Vec<usize>, others: &[usize], startup: Duration) -> Self {
        let (starting, aside) = starts(&cpus, others);
        let leaves_addresses = left_to_the_system();
        let every = cpus.clone();
        let shared = Scratch::new().ok().map(Arc::new);
        let executables = Arc::default();
        let (stop, begun) = (None, Instant::now());
        Self { cpus, starting, aside, every, shared, executables, leaves_addresses, stop, startup, begun }
    }

    /// Launches that have a layout start one of these files; so do those of launchers made of this one from now on.
    pub fn draw_from(&mut self, executables: Executables) {
        self.executables = Arc::new(executables);
    }

    /// Workers that work with several threads at once may run on all of these.
    #[must_use]
    pub fn with_every(mut self, every: Vec<usize>) -> Self {
        self.every = every;
        self
    }

    /// The same, with the same clock, for workers of one CPU beside those of others. Those of several threads have every CPU as before, and
    /// what workers have to agree on they agree on across CPUs.
    #[must_use]
    pub fn of_cpu(&self, cpu: usize, others: &[usize]) -> Self {
        let cpus = vec![cpu];
        let (starting, aside) = starts(&cpus, others);
        let (every, shared, executables) = (self.every.clone(), self.shared.clone(), Arc::clone(&self.executables));
        Self { cpus, starting, aside, every, shared, executables, stop: self.stop.clone(), ..*self }
    }

    /// Starts a fresh worker as [`Launcher::start`] does, where the system puts it, and follows it and all that it starts from before its first instruction.
    ///
    /// When the follower is dropped, the worker is killed. Reads of clocks that need no system call are seen, too, but not of Go. The
    /// worker itself reads clocks
    /// and random bytes: a case reads them if they are read more often than with an empty subject. `subject`: see [`Scope::subject`].
    ///
    /// # Errors
    /// [`FollowError::Refused`]: the system doesn't let us follow a process; it will refuse the next one, too. [`FollowError::Failed`]: as for `start`.
    pub fn start_followed(
        &mut self,
        runtime: &RuntimeCommand,
        seed: u64,
        subject: Option<PathBuf>,
    ) -> Result<(Starting, Follower), FollowError> {
        let place = ProcessPlacement::default();
        let environment = self.environment(runtime, seed, place);
        let shared = self.shared.as_ref().and_then(|shared| shared.path().canonicalize().ok());
        let scope = Scope { left_out: shared.into_iter().collect(), subject, ..Scope::default() };
        let (process, follower) = Process::followed(&self.spawn(runtime, place, &environment), scope)?;
        Ok((Starting::new(Box::new(process), self.startup), follower))
    }

    fn is_wide(&self, place: ProcessPlacement) -> bool {
        place.every_cpu && self.every != self.cpus
    }

    fn environment(&self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Vec<(String, String)> {
        let mut environment = runtime.environment.clone();
        environment.push(("TARE_SEED".to_owned(), heap_seed(runtime, seed, place).to_string()));
        if let Some(shared) = &self.shared {
            environment.push(("TARE_SHARED".to_owned(), shared.path().to_string_lossy().into_owned()));
        }
        let aside = self.aside.filter(|_| !self.is_wide(place));
        // Without one an empty value stands over that of our own environment, or of the runtime's: it would be a CPU of someone else's.
        environment.push(("TARE_ASIDE".to_owned(), aside.map_or_else(String::new, |cpu| cpu.to_string())));
        environment
    }

    fn spawn<'a>(
        &'a self,
        runtime: &'a RuntimeCommand,
        place: ProcessPlacement,
        environment: &'a [(String, String)],
    ) -> Spawn<'a> {
        let is_wide = self.is_wide(place);
        let starts_on = || self.starting[place.among % self.starting.len()];
        Spawn {
            command: &runtime.command,
            name: None,
            folder: runtime.folder.as_deref(),
            cpus: if is_wide { &self.every } else { &self.cpus },
            starts_on: (!is_wide && !self.starting.is_empty()).then(starts_on),
            environment,
            address: place.address.filter(|_| !self.leaves_addresses),
        }
    }
}

/// Where workers start, and what is left for threads that watch over them.
fn starts(cpus: &[usize], others: &[usize]) -> (Vec<usize>, Option<usize>) {
    let starting: Vec<usize> = match cpus {
        [one] => [*one].into_iter().chain(others.iter().copied().filter(|other| other != one)).collect(),
        _ => Vec::new(),
    };
    let aside = starting.get(1).copied();
    (starting, aside)
}

/// What a worker draws the places of its blocks from: the same for those that are compared, as their addresses are. What a place in the
/// heap is worth then goes out of the ratio of each pair where the code is the same, and is averaged over launches where it isn't: of two
/// processes that fill a hash table of 300 nodes (C++) pairs scatter by 8 % with a heap each, and by 1 % with the same. Workers that aren't
/// ours may draw anything from it, the simulated one its noise: theirs stays their own.
fn heap_seed(runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> u64 {
    // As long as a seed of a launch: 53 bits.
    place.address.filter(|_| runtime.driver != Language::Worker.name()).map_or(seed, |address| address >> 11)
}

impl Launcher for ProcessLauncher {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        let mut environment = self.environment(runtime, seed, place);
        let drawn = place.layout.and_then(|layout| self.executables.draw(&runtime.command, layout));
        let copy_of = drawn.as_ref().and_then(|drawn| drawn.copy_of);
        environment.extend(copy_of.map(|program| (COPY_OF.to_owned(), program.to_owned())));
        let mut spawn = self.spawn(runtime, place, &environment);
        if let Some(drawn) = &drawn {
            (spawn.command, spawn.name) = (&drawn.command, copy_of);
        }
        let mut process = self.executables.while_none_is_written(|| Process::spawn(&spawn))?;
        process.stop.clone_from(&self.stop);
        Ok(Starting::new(Box::new(process), self.startup))
    }

    fn watch(&self, worker: &Conversation) -> Option<Box<dyn Watching>> {
        worker.pid().map(|process| Box::new(Watch::begin(process)) as Box<dyn Watching>)
    }

    fn places(&self, program: &RuntimeCommand, functions: &[&str]) -> Vec<Vec<Option<u8>>> {
        program.command.first().map(|program| self.executables.places(program, functions)).unwrap_or_default()
    }

    fn now_ns(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    fn give_up_when(&mut self, stop: Option<GiveUp>) {
        self.stop = stop;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_samples::RuntimeCommand;

    use super::{ProcessLauncher, ProcessPlacement, heap_seed};

    #[test]
    fn launchers_of_several_cpus_agree_on_one_folder_and_leave_every_cpu_to_several_threads() {
        let one = ProcessLauncher::new(vec![3], &[0, 1], Duration::from_secs(1)).with_every(vec![0, 1, 3]);
        let shared = one.shared.as_ref().unwrap().path().to_owned();
        let beside = one.of_cpu(1, &[0]);
        assert_eq!((beside.cpus.as_slice(), beside.starting.as_slice()), ([1].as_slice(), [1, 0].as_slice()));
        assert_eq!(beside.every, [0, 1, 3]);
        assert_eq!(beside.shared.as_ref().unwrap().path(), shared);
        drop(one);
        assert!(shared.exists(), "as long as one of them is there");
        drop(beside);
        assert!(!shared.exists());
    }

    #[test]
    fn those_that_are_compared_shake_their_heaps_alike() {
        let seeds = |driver: &str, address| {
            let runtime = RuntimeCommand { driver: driver.to_owned(), ..RuntimeCommand::default() };
            [5, 6].map(|seed| {
                heap_seed(
                    &runtime,
                    seed,
                    ProcessPlacement { among: seed as usize, address, ..ProcessPlacement::default() },
                )
            })
        };
        for driver in ["cpp", "go", "php", "python"] {
            assert_eq!(seeds(driver, None), [5, 6]);
            let [base, candidate] = seeds(driver, Some(u64::MAX));
            assert_eq!(base, candidate);
            assert!(base < 1 << 53);
            assert_ne!(seeds(driver, Some(1 << 40)), seeds(driver, Some(1 << 41)), "the next launch has another");
        }
        assert_eq!(seeds("worker", Some(7)), [5, 6]);
    }
}
