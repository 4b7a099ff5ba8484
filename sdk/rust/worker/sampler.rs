//! Takes samples. Between the first clock read and the last it does no I/O and allocates nothing of its own: the driver's buffers are made before, and filled in place.

use super::amounts::Amounts;
use super::case::Definition;
use super::clock::Clock;
use super::driver::{Driver, Role};
use super::fault::Fault;
use super::heap::{Allocations, Counter};
use super::panics::guarded;
use super::stretch::Stretch;

/// A benchmark's body: it hands its routine to the driver.
pub(crate) type Body<'a> = dyn FnMut(&mut Driver) + 'a;

/// What is called in the samples of a run.
pub(crate) enum Subject<'a, 'b> {
    /// The prepared case's body, or its scale.
    Body(&'a mut Body<'b>, Role),
    /// The prepared case's body, whose allocations are counted.
    Counted(&'a mut Body<'b>, Counter),
    /// What needs no case: the plainest loop's scale.
    Scale(Role),
    Kernel(fn()),
}

pub(crate) struct Sampler {
    pub(crate) clock: Clock,
    /// Nanoseconds of each sample of the last run.
    pub(crate) elapsed: Vec<i64>,
    /// The pairs of pause and resume in each.
    pub(crate) pauses: Vec<i64>,
    /// The allocations in each, where they were counted.
    pub(crate) allocated: Vec<Allocations>,
    /// What calls of the prepared case process, as it has said while it ran.
    pub(crate) amounts: Amounts,
    /// What the timed samples of the last run took together.
    pub(crate) stretch: Stretch,
    /// What the first call of the prepared case has shown.
    pub(crate) does_pause: bool,
    pub(crate) is_manual: bool,
}

impl Sampler {
    pub(crate) fn new() -> Self {
        Self {
            clock: Clock::monotonic(),
            elapsed: Vec::new(),
            pauses: Vec::new(),
            allocated: Vec::new(),
            amounts: Amounts::default(),
            stretch: Stretch::default(),
            does_pause: false,
            is_manual: false,
        }
    }

    /// One untimed sample of as few calls as may be, which shows how the case loops.
    pub(crate) fn prepare(&mut self, body: &mut Body<'_>, definition: &Definition) -> Result<(), Fault> {
        let mut driver = Driver::new(self.clock, &[definition.calls.max(1) as i64], 0, Role::Case);
        guarded("exception", || body(&mut driver))?;
        if !driver.has_looped {
            let skipped = || Fault::new("skipped", "it returned without measuring anything");
            return Err(if definition.may_measure_nothing { skipped() } else { no_loop() });
        }
        self.amounts.join(&driver.amounts);
        self.does_pause = driver.pauses.iter().any(|pairs| *pairs > 0);
        self.is_manual = driver.is_manual;
        Ok(())
    }

    pub(crate) fn has_paused(&self) -> bool {
        self.pauses.iter().any(|pairs| *pairs > 0)
    }

    /// `warm` untimed samples, then one for each of `iterations`. A body is called once for all of them.
    pub(crate) fn run(&mut self, mut subject: Subject<'_, '_>, iterations: &[i64], warm: i64) -> Result<(), Fault> {
        let role = match &subject {
            Subject::Body(_, role) | Subject::Scale(role) => *role,
            Subject::Counted(..) | Subject::Kernel(_) => Role::Case,
        };
        let mut driver = match &subject {
            Subject::Counted(_, counter) => Driver::counting(self.clock, iterations, warm as usize, *counter),
            _ => Driver::new(self.clock, iterations, warm as usize, role),
        };
        let counter = if let Subject::Counted(_, counter) = &subject { Some(*counter) } else { None };
        if let Some(counter) = counter {
            (counter.switch)(true);
        }
        let outcome = turn(&mut subject, &mut driver);
        if let Some(counter) = counter {
            (counter.switch)(false);
        }
        outcome?;
        self.amounts.join(&driver.amounts);
        self.allocated = driver.allocated;
        self.elapsed = driver.elapsed;
        self.pauses = driver.pauses;
        self.stretch = driver.stretch;
        Ok(())
    }

    /// Pairs of clock reads back to back. A time that the author sets has none in it, so beside it they are 0.
    pub(crate) fn run_clock(&mut self, count: usize, warm: i64) {
        self.make_room(count);
        self.stretch.begin();
        if self.is_manual {
            // All but one: set times are told in whole nanoseconds, and from nothing but zeros the core would take the clock for one of a coarse step, and ask for very
            // long samples. It takes off their median.
            if count > 2 {
                self.elapsed[count - 1] = 1;
            }
            self.stretch.end();
            return;
        }
        for _ in 0..warm {
            self.clock.read();
            self.clock.read();
        }
        self.stretch.begin();
        for elapsed in &mut self.elapsed {
            let begin = self.clock.read();
            let end = self.clock.read();
            *elapsed = self.clock.nanoseconds(end.saturating_sub(begin)) as i64;
        }
        self.stretch.end();
    }

    fn make_room(&mut self, count: usize) {
        for buffer in [&mut self.elapsed, &mut self.pauses] {
            buffer.clear();
            buffer.resize(count, 0);
        }
    }
}

fn no_loop() -> Fault {
    Fault::new("exception", "The benchmark returned without having called its routine in a loop.").with_remedy(
        "Call `iter`, or another method of the bencher, each time that the benchmark's closure is called.",
    )
}

fn turn(subject: &mut Subject<'_, '_>, driver: &mut Driver) -> Result<(), Fault> {
    match subject {
        Subject::Body(body, _) | Subject::Counted(body, _) => {
            guarded("exception", || body(driver))?;
            if !driver.has_looped {
                return Err(no_loop());
            }
        }
        Subject::Scale(_) => driver.time(|| ()),
        Subject::Kernel(kernel) => driver.time(*kernel),
    }
    Ok(())
}
