//! Several groups measured at once, each on a core of its own.
//!
//! Each lane is a thread with a launcher of its own that takes the next group, makes its pilot or its next launch, and gives it back. Both
//! sides of a pair always share the core of the lane that has them, so what goes on in other lanes makes intervals wider, but not wrong. The observer (screen and store) stays on
//! the calling thread. A lane that tells it something waits until the observer has dealt with it, so that Tare itself does nothing on a core while a turn is measured
//! there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tare_plan::{Group, Settings};
use tare_worker::Launcher;

use crate::group::{GroupRun, Interrupted, StepContext};
use crate::observer::{Observer, Progress, Step};
use crate::queue::{Next, Queue};
use crate::reporting::{News, Reporter, pass_on};
use crate::total::{self, Outlook};

/// Under one budget for the whole suite, a comparison ends early if it needs this many times what is left. After a few launches what it needs is known within a factor of two.
const HOPELESS: f64 = 2.0;

/// Cores on which groups are measured at the same time.
pub trait Lanes: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// What starts the workers of a lane. Called on the lane's own thread, which measures nothing before that; all of them show the same clock.
    fn launcher(&self, lane: usize) -> Box<dyn Launcher>;

    /// The calling thread is about to do something for a lane, which stands still until it is done.
    fn serve(&self, _lane: usize) {}

    /// Nothing more is to be measured; asked in each round, by all lanes.
    fn is_stopped(&self) -> bool;
}

/// What the lanes share.
pub(crate) struct Shared<'f, 'a> {
    runs: &'f [Mutex<GroupRun<'a>>],
    queue: Mutex<Queue>,
    given_back: Condvar,
    stopped: AtomicBool,
    /// What each group has taken and will take; nothing before its pilot.
    outlook: Mutex<Vec<Option<Outlook>>>,
    /// The budget of the whole first measurement, and its beginning by the lanes' clock, in nanoseconds.
    total: Option<(f64, u64)>,
    lanes: usize,
    second: bool,
}

/// A lock that is poisoned is used all the same: a lane has panicked while it held it, and that panic is passed on when the lanes have ended.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'f, 'a> Shared<'f, 'a> {
    pub(crate) fn new(
        runs: &'f [Mutex<GroupRun<'a>>],
        settings: &Settings,
        lanes: usize,
        second: bool,
        begun_ns: u64,
    ) -> Self {
        let done: Vec<bool> = runs.iter().map(|run| locked(run).is_done()).collect();
        let outlook = runs.iter().map(|run| locked(run).outlook(settings)).collect();
        let total = settings.total.filter(|_| !second).map(|total| (total.as_nanos() as f64, begun_ns));
        Self {
            runs,
            queue: Mutex::new(Queue::new(settings.seed, &done, lanes, second)),
            given_back: Condvar::new(),
            stopped: AtomicBool::new(false),
            outlook: Mutex::new(outlook),
            total,
            lanes,
            second,
        }
    }

    fn next(&self, context: &mut StepContext<'_>) -> Option<usize> {
        let mut queue = locked(&self.queue);
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            match queue.next() {
                Next::Group(group) => return Some(group),
                Next::Over => return None,
                Next::Later => {
                    if !context.ending.is_empty() || context.untold.is_some() {
                        drop(queue);
                        context.tell_launched();
                        context.settle();
                        queue = locked(&self.queue);
                        continue;
                    }
                    queue = self.given_back.wait(queue).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Lets every lane end after what it does now.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Whoever has looked at the flag and isn't waiting yet holds the lock.
        drop(locked(&self.queue));
        self.given_back.notify_all();
    }

    /// The share of the measurement that is done, and what is left of it in nanoseconds.
    fn progress(&self, left_of_total: Option<f64>) -> (f64, Option<f64>) {
        let outlook = locked(&self.outlook);
        let known = outlook.iter().flatten();
        let (count, spent, left, least) = known.fold((0usize, 0.0, 0.0, 0.0), |(n, spent, left, least), of| {
            (n + 1, spent + of.took_ns, left + of.left_ns, least + of.least_ns)
        });
        if count == 0 {
            return (0.0, None);
        }
        // Groups that haven't begun are taken to be like those that have.
        let unknown = (outlook.len() - count) as f64 / count as f64;
        let left = left + unknown * (spent + left);
        // However little time there is, the fewest launches are made of each.
        let least = (least + unknown * (spent + least)).min(left);
        let left = left_of_total.map_or(left, |most| left.min(most).max(least));
        (spent / (spent + left).max(1.0), Some(left / self.lanes as f64))
    }

    /// What is left of a budget for the whole suite, of all lanes together.
    fn left_of_total(&self, context: &StepContext<'_>, outlooks: &[Option<Outlook>]) -> Option<f64> {
        let (total_ns, begun_ns) = self.total?;
        let elapsed_ns = context.launcher.now_ns().saturating_sub(begun_ns) as f64;
        Some(total::left_ns(total_ns, elapsed_ns, self.lanes, outlooks))
    }

    fn work(&self, context: &mut StepContext<'_>, lane: usize) {
        while let Some(group) = self.next(context) {
            let mut run = locked(&self.runs[group]);
            let went_on = self.go_on(group, &mut run, context, lane);
            let (done, outlook) = (run.is_done(), run.outlook(context.settings));
            drop(run);
            let mut outlooks = locked(&self.outlook);
            outlooks[group] = outlook;
            let left_ns = self.left_of_total(context, &outlooks);
            let postponed = left_ns.map(|left_ns| total::postponed(&outlooks, left_ns));
            drop(outlooks);
            let mut queue = locked(&self.queue);
            queue.give_back(group, done);
            if let Some(postponed) = postponed {
                queue.postpone(postponed);
            }
            drop(queue);
            self.given_back.notify_all();
            if went_on.is_err() {
                self.stop();
            }
        }
        context.tell_launched();
        context.settle();
    }

    /// Does the next step of a group: its pilot and its first launch, or one more launch.
    fn go_on(
        &self,
        group: usize,
        run: &mut GroupRun<'_>,
        context: &mut StepContext<'_>,
        lane: usize,
    ) -> Result<(), Interrupted> {
        if context.reporter.is_stopped() {
            return Err(Interrupted);
        }
        let left_of_total = self.left_of_total(context, &locked(&self.outlook));
        if let (Some(left_ns), true) = (left_of_total, run.is_piloted()) {
            // Time is up, or all that there is wouldn't be enough.
            let hopeless = run
                .outlook(context.settings)
                .and_then(|outlook| outlook.needs_ns)
                .is_some_and(|needs| needs > HOPELESS * left_ns);
            if (left_ns <= 0.0 || hopeless) && run.close(context) {
                return Ok(());
            }
        }
        let (share, left_ns) = self.progress(left_of_total);
        let tell = |context: &mut StepContext<'_>, step| {
            context.reporter.report(group, News::Progress(Progress { group, lane, step, share, left_ns }));
        };
        if !run.is_piloted() {
            tell(context, Step::Pilot);
            run.pilot(context)?;
            if run.is_done() {
                return Ok(());
            }
            if context.reporter.is_stopped() {
                return Err(Interrupted);
            }
        }
        let (made, of) = run.launches();
        let number = made + 1;
        tell(context, if self.second { Step::Again { number, of } } else { Step::Launch { number, of } });
        run.next(context)
    }
}

/// Measures on the calling thread.
pub(crate) fn on_one(
    shared: &Shared<'_, '_>,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    reporter: &mut dyn Reporter,
    run_begun_ns: u64,
) {
    shared.work(&mut StepContext::new(settings, launcher, reporter, run_begun_ns), 0);
}

/// Measures on a thread for each lane, and serves them on the calling one.
pub(crate) fn on_several(
    shared: &Shared<'_, '_>,
    groups: &[Group],
    settings: &Settings,
    lanes: &dyn Lanes,
    observer: &mut dyn Observer,
    run_begun_ns: u64,
) {
    thread::scope(|scope| {
        let (reports, received) = channel();
        let mut answers = Vec::new();
        for lane in 0..shared.lanes {
            let (answer, answered) = channel();
            answers.push(answer);
            let reports = reports.clone();
            scope.spawn(move || {
                let _stops = StopsOnPanic(shared);
                let mut launcher = lanes.launcher(lane);
                let mut reporter = OtherThread { lane, reports, answered, lanes, stopped: &shared.stopped };
                let mut context = StepContext::new(settings, launcher.as_mut(), &mut reporter, run_begun_ns);
                shared.work(&mut context, lane);
            });
        }
        drop(reports);
        for Report { lane, group, mut news } in received {
            lanes.serve(lane);
            pass_on(observer, groups, group, &mut news);
            if observer.interrupted() {
                shared.stop();
            }
            // A lane that has panicked waits for no answer.
            let _ = answers[lane].send(news);
        }
    });
}

/// What a lane tells, on its way.
struct Report {
    lane: usize,
    group: usize,
    news: News,
}

/// The way to an observer on another thread.
struct OtherThread<'l> {
    lane: usize,
    reports: Sender<Report>,
    answered: Receiver<News>,
    lanes: &'l dyn Lanes,
    stopped: &'l AtomicBool,
}

impl Reporter for OtherThread<'_> {
    fn report(&mut self, group: usize, news: News) -> News {
        match self.reports.send(Report { lane: self.lane, group, news }) {
            Ok(()) => self.answered.recv().unwrap_or_else(|_| {
                // The observer has panicked, and what was told is lost with it.
                self.stopped.store(true, Ordering::Relaxed);
                News::Launched { launches: Vec::new() }
            }),
            Err(unheard) => {
                self.stopped.store(true, Ordering::Relaxed);
                unheard.0.news
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.lanes.is_stopped()
    }
}

/// Others must not wait for a lane that has panicked.
struct StopsOnPanic<'f, 'r, 'a>(&'f Shared<'r, 'a>);

impl Drop for StopsOnPanic<'_, '_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}
