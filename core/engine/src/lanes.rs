//! Several groups measured at once, each on a core of its own.
//!
//! Each lane is a thread with a launcher of its own that takes the next group, makes its pilot or its next launch, and gives it back. Both
//! sides of a pair always share the core of the lane that has them, so what goes on in other lanes makes intervals wider, but not wrong. The observer (screen and store) stays on
//! the calling thread. A lane that tells it something waits until the observer has dealt with it, so that Tare itself does nothing on a core while a turn is measured
//! there. Lanes that make pairs scatter are given up on the way (`narrowing`).

mod threads;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tare_plan::{Precedent, Settings};
use tare_worker::Launcher;

use crate::budget;
use crate::forecast::{self, Course, Forecast, Guess, SuiteBudget, TimeRange};
use crate::group::{GroupRun, Interrupted, StepContext};
use crate::narrowing::{LanePair, Narrowing};
use crate::observer::{Progress, Step};
use crate::queue::{Next, Queue};
use crate::reporting::News;
use crate::said::ForecastAnnouncement;
use crate::sharing::share_out;
use crate::total::{self, Deadline, Outlook, TimeLeft};

pub(crate) use threads::{on_one, on_several};

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

    /// Whether some may pause, and be given up, where pairs scatter less without them: their number is nobody's wish.
    fn may_pause(&self) -> bool {
        false
    }

    /// So many are at work from now on. `wider`: they stay, because pairs of twice as many scattered so many times as far.
    fn are_at_work(&self, _count: usize, _wider: Option<f64>) {}
}

/// How many lanes a measurement has.
pub(crate) struct LaneCount {
    pub(crate) lanes: usize,
    /// As [`Lanes::may_pause`].
    pub(crate) may_pause: bool,
}

/// What the lanes share.
pub(crate) struct Shared<'f, 'a> {
    runs: &'f [Mutex<GroupRun<'a>>],
    queue: Mutex<Queue>,
    given_back: Condvar,
    stopped: AtomicBool,
    /// What each group has taken and will take; nothing before its pilot.
    outlook: Mutex<Vec<Option<Outlook>>>,
    /// The budget of the whole suite, its second measurement included.
    deadline: Option<Deadline>,
    begun_ns: u64,
    said: Mutex<ForecastAnnouncement>,
    /// Lanes when it began.
    lanes: usize,
    narrowing: Mutex<Narrowing>,
    second: bool,
    /// Comparisons of the suite that something is claimed of.
    family: usize,
    /// Groups that there was no time for before it began.
    left_out: usize,
    /// Groups that need every CPU: nothing is measured beside them.
    alone: Vec<bool>,
    /// Groups of which something is known to differ.
    differs: Vec<bool>,
    precedent: Option<Precedent>,
}

/// A lock that is poisoned is used all the same: a lane has panicked while it held it, and that panic is passed on when the lanes have ended.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The outlook of a group that has all of these lanes if it is measured `alone`.
fn outlook_of(run: &GroupRun<'_>, alone: bool, lanes: usize) -> Option<Outlook> {
    let outlook = run.outlook()?;
    Some(if alone { outlook.alone(lanes) } else { outlook })
}

impl<'f, 'a> Shared<'f, 'a> {
    pub(crate) fn new(
        runs: &'f [Mutex<GroupRun<'a>>],
        settings: &Settings,
        LaneCount { lanes, may_pause }: LaneCount,
        second: bool,
        begun_ns: u64,
    ) -> Self {
        let done: Vec<bool> = runs.iter().map(|run| locked(run).is_done()).collect();
        let alone: Vec<bool> = runs.iter().map(|run| lanes > 1 && locked(run).needs_every_cpu()).collect();
        let outlook: Vec<Option<Outlook>> =
            runs.iter().zip(&alone).map(|(run, &alone)| outlook_of(&locked(run), alone, lanes)).collect();
        let kin: Vec<usize> = runs.iter().map(|run| locked(run).kin()).collect();
        let waits =
            runs.iter().any(|run| locked(run).shares() || settings.total.is_none() && locked(run).is_compared());
        let mut queue = Queue::new(settings.seed, &done, lanes, second, kin).with_alone(alone.clone());
        let deadline = settings.total.map(|total| Deadline::new(total, begun_ns));
        let differs: Vec<bool> = runs.iter().map(|run| locked(run).differs()).collect();
        if let Some(deadline) = &deadline {
            queue = queue.with_first(&differs);
            queue.prefer(&runs.iter().map(|run| locked(run).is_gated()).collect::<Vec<_>>());
            // What only one side has is compared with nothing.
            queue.prefer(&runs.iter().map(|run| locked(run).is_compared()).collect::<Vec<_>>());
            // Nothing has taken any time of the first measurement; of the second one each lane says how much is left.
            let wall_ns = if second { 0.0 } else { deadline.total_ns() };
            let left = TimeLeft { wall_ns, lanes_ns: wall_ns * lanes as f64 };
            share_out(&mut queue, &outlook, &differs, left, lanes);
        }
        Self {
            runs,
            queue: Mutex::new(queue),
            given_back: Condvar::new(),
            stopped: AtomicBool::new(false),
            outlook: Mutex::new(outlook),
            deadline,
            begun_ns,
            said: Mutex::new(ForecastAnnouncement::new(waits)),
            lanes,
            narrowing: Mutex::new(Narrowing::new(lanes, &alone, may_pause && !second)),
            second,
            family: runs.iter().map(|run| locked(run).judged()).sum::<usize>().max(settings.family),
            left_out: runs.iter().filter(|run| locked(run).is_left_out()).count(),
            alone,
            differs,
            precedent: settings.precedent,
        }
    }

    /// How long it will take, before anything is known; nothing where that is said once the first launches are known.
    pub(crate) fn first_forecast(&self, settings: &Settings) -> Option<Forecast> {
        let guessed = |run: &Mutex<GroupRun<'_>>| {
            let run = locked(run);
            if run.is_done() {
                return Guess::default();
            }
            Guess::new(settings, run.is_compared(), run.live(), run.guessed_start_ns())
        };
        let guesses: Vec<Guess> = self.runs.iter().map(guessed).collect();
        let budget_ns = budget::of_comparison_ns(settings);
        let forecast = forecast::before(&guesses, self.lanes, budget_ns, self.deadline.as_ref());
        locked(&self.said).guess(Forecast { left_out: self.left_out, ..forecast })
    }

    fn next(&self, context: &mut StepContext<'_>, lane: usize) -> Option<usize> {
        let mut queue = locked(&self.queue);
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            let pauses = lane >= locked(&self.narrowing).at_work();
            match if pauses { queue.for_others() } else { queue.next(context.kept_kin()) } {
                Next::Group(group) => {
                    context.kin_under_way = queue.kin_under_way(group);
                    return Some(group);
                }
                Next::Over => return None,
                Next::Later => {
                    if context.is_behind() {
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

    /// Lanes that go on, as far as is known.
    pub(crate) fn lanes_left(&self) -> usize {
        locked(&self.narrowing).expected()
    }

    /// Whether it was stopped before it was through.
    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Lets every lane end after what it does now.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        // A lane that has looked at the flag and isn't waiting yet holds the lock.
        drop(locked(&self.queue));
        self.given_back.notify_all();
    }

    /// What is left of a budget for the whole suite, and of that for this measurement.
    fn left(&self, now_ns: u64, outlooks: &[Option<Outlook>]) -> Option<TimeLeft> {
        let deadline = self.deadline.as_ref()?;
        let wall_ns = deadline.left_ns(now_ns).max(0.0);
        let lanes_ns = match self.second {
            true => wall_ns * self.lanes_left() as f64,
            false => total::left_ns(deadline, wall_ns, self.lanes_left(), outlooks),
        };
        Some(TimeLeft { wall_ns, lanes_ns })
    }

    /// How long it takes, by what is known now.
    fn expected(&self, now_ns: u64, outlooks: &[Option<Outlook>]) -> Option<Forecast> {
        let budget = self.deadline.as_ref().zip(self.left(now_ns, outlooks));
        let course = Course {
            lanes: self.lanes_left(),
            elapsed_ns: now_ns.saturating_sub(self.begun_ns) as f64,
            budget: budget.map(|(deadline, left)| SuiteBudget { deadline, left_ns: left.lanes_ns }),
            precedent: self.precedent,
            second: self.second,
        };
        let known = forecast::known(outlooks, &course)?;
        Some(Forecast { left_out: known.left_out.max(self.left_out), ..known })
    }

    /// What is to be said about how long it takes, where what was said is wrong.
    fn forecast(&self, now_ns: u64, outlooks: &[Option<Outlook>]) -> Option<Forecast> {
        if self.second {
            return None;
        }
        let known = self.expected(now_ns, outlooks)?;
        locked(&self.said).heed(&known, outlooks, self.deadline.is_some())
    }

    /// How far it is, and what is left: by the forecast, once one was said.
    fn progress(&self, now_ns: u64, group: usize, lane: usize, step: Step) -> Progress {
        let said = locked(&self.said);
        let (is_silent, guessed) = (said.is_silent() && !self.second, said.guessed());
        drop(said);
        let elapsed_ns = now_ns.saturating_sub(self.begun_ns) as f64;
        let expected = self.expected(now_ns, &locked(&self.outlook)).or(guessed);
        let left = |wall_ns: f64| (wall_ns - elapsed_ns).max(0.0);
        let share = expected.map_or(0.0, |known| elapsed_ns / (elapsed_ns + left(known.wall_ns)).max(1.0));
        let shown = expected.filter(|_| !is_silent);
        let left_ns = shown.map(|known| left(known.wall_ns));
        let left_range_ns =
            shown.map(|known| TimeRange { least: left(known.range_ns.least), most: left(known.range_ns.most) });
        Progress { group, lane, step, share, left_ns, left_range_ns }
    }

    /// `lanes`: those that it is one of, where there are several.
    fn work(&self, context: &mut StepContext<'_>, lane: usize, lanes: Option<&dyn Lanes>) {
        if self.second {
            self.share(context);
        }
        while let Some(group) = self.next(context, lane) {
            let changes = locked(&self.narrowing).changes();
            let mut run = locked(&self.runs[group]);
            let before = run.newest_pair().map_or(0, |newest| newest.pairs);
            let went_on = self.go_on(group, &mut run, context, lane);
            let newest = run.newest_pair().filter(|newest| newest.pairs > before && !self.alone[group]);
            let pair = newest.map(|newest| LanePair { log_ratio: newest.log_ratio, changes });
            self.confirm(group, &mut run, context);
            let (done, outlook) = (run.is_done(), outlook_of(&run, self.alone[group], self.lanes_left()));
            drop(run);
            locked(&self.outlook)[group] = outlook;
            let change = locked(&self.narrowing).note(group, pair, done);
            if let (Some(change), Some(lanes)) = (change, lanes) {
                lanes.are_at_work(change.at_work, change.wider);
            }
            let forecast = self.forecast(context.launcher.now_ns(), &locked(&self.outlook));
            if let Some(forecast) = forecast {
                context.tell(group, News::Forecast(forecast));
            }
            locked(&self.queue).give_back(group, done);
            self.share(context);
            self.given_back.notify_all();
            if went_on.is_err() {
                self.stop();
            }
        }
        context.let_go();
        context.tell_launched();
        context.settle();
    }

    /// Under one budget for the suite, what looks different is measured again at once: later there may be no time.
    fn confirm(&self, group: usize, run: &mut GroupRun<'_>, context: &StepContext<'_>) {
        let Some(deadline) = &self.deadline else { return };
        if !self.second && run.is_done() && run.flagged() > 0 {
            run.begin_second(self.family);
            let may_be_confirmed = deadline.holds(context.launcher.now_ns(), run.still_takes_ns());
            locked(&self.queue).set_first(group, may_be_confirmed || self.differs[group]);
        }
    }

    /// Shares out what is left of a budget for the whole suite.
    fn share(&self, context: &StepContext<'_>) {
        let outlooks = locked(&self.outlook);
        if let Some(left) = self.left(context.launcher.now_ns(), &outlooks) {
            share_out(&mut locked(&self.queue), &outlooks, &self.differs, left, self.lanes_left());
        }
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
        if self.is_over(group, run, context) {
            return Ok(());
        }
        let tell = |context: &mut StepContext<'_>, step| {
            let progress = self.progress(context.launcher.now_ns(), group, lane, step);
            context.reporter.report(group, News::Progress(progress));
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
            locked(&self.outlook)[group] = outlook_of(run, self.alone[group], self.lanes_left());
            if self.is_over(group, run, context) {
                return Ok(());
            }
        }
        let (number, of) = (run.made() + 1, run.planned_launches());
        tell(context, if run.is_second() { Step::Again { number, of } } else { Step::Launch { number, of } });
        run.next(context)
    }

    /// Whether the time of the suite is over for a group, which then ends with what it has. Else what it has to know of that time is in the context. However much it seems to need, it
    /// goes on where there is time: one disturbed pair makes that many times as much as it is.
    fn is_over(&self, group: usize, run: &mut GroupRun<'_>, context: &mut StepContext<'_>) -> bool {
        let Some(deadline) = &self.deadline else { return false };
        let now_ns = context.launcher.now_ns();
        let outlooks = locked(&self.outlook);
        let TimeLeft { wall_ns, lanes_ns: left_ns } = self.left(now_ns, &outlooks).unwrap_or_default();
        // Of the lane that has it.
        let left_ns = if self.alone[group] { left_ns / self.lanes_left() as f64 } else { left_ns };
        let unmet = outlooks.iter().filter(|outlook| outlook.is_none_or(|outlook| !outlook.is_reached())).count();
        let usual_ns = total::usual_ns(&outlooks).unwrap_or(0.0);
        // Some of what is kept for second measurements may be left over when they are done.
        let keeps_time = |outlook: &Option<Outlook>| outlook.is_some_and(|outlook| outlook.keeps_time(wall_ns));
        let is_up = left_ns <= 0.0 && (keeps_time(&outlooks[group]) || !outlooks.iter().any(keeps_time));
        drop(outlooks);
        context.share_ns = Some(deadline.share_ns(left_ns, unmet));
        let pilots = !run.is_piloted();
        context.until_ns = Some(if pilots {
            deadline.pilot_until_ns(now_ns, self.runs.len() == 1, usual_ns)
        } else {
            deadline.cut_ns()
        });
        if pilots {
            // It was let in while there was time, and may have had to wait.
            if left_ns <= 0.0 {
                run.leave_out();
            }
            return run.is_done();
        }
        let takes_ns = run.launch_takes_ns();
        if run.is_second() {
            // What it takes to confirm something is a guess, and the first measurement stands without it.
            return !deadline.holds(now_ns, takes_ns) && run.close(context);
        }
        if run.is_reached() {
            return (is_up || !deadline.holds(now_ns, takes_ns)) && run.close(context);
        }
        // What has begun may end within the grace.
        if !deadline.holds(now_ns, run.still_takes_ns()) {
            run.leave_out();
            return true;
        }
        false
    }
}
