//! The threads of the lanes, and the calling one, which serves them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tare_plan::{Group, Settings};
use tare_worker::Launcher;

use super::{Lanes, Shared};
use crate::group::StepContext;
use crate::observer::Observer;
use crate::reporting::{News, Reporter, pass_on};

/// Measures on the calling thread.
pub(crate) fn on_one(
    shared: &Shared<'_, '_>,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    reporter: &mut dyn Reporter,
    run_begun_ns: u64,
) {
    if !shared.second
        && let Some(forecast) = shared.first_forecast(settings)
    {
        reporter.report(0, News::Forecast(forecast));
    }
    shared.work(&mut StepContext::new(settings, launcher, reporter, run_begun_ns), 0, None);
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
    if !shared.second
        && let Some(forecast) = shared.first_forecast(settings)
    {
        observer.forecast(&forecast);
    }
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
                shared.work(&mut context, lane, Some(lanes));
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
