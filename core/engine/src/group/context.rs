//! What every step of a group is passed.

use tare_plan::Settings;
use tare_samples::Launch;
use tare_worker::{Conversation, Launcher};

use super::sharing::Kept;
use crate::reporting::{News, Reporter};

/// The run's settings, its launcher and reporter, and the processes of the last launch that are still ending; passed to every step of a group.
pub(crate) struct StepContext<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) launcher: &'a mut dyn Launcher,
    pub(crate) reporter: &'a mut dyn Reporter,
    /// The run's start on the launcher's clock.
    pub(crate) run_begun_ns: u64,
    /// When the step is cut off, on the launcher's clock, and what a comparison may plan with; where one budget is shared out.
    pub(crate) until_ns: Option<u64>,
    pub(crate) share_ns: Option<f64>,
    /// Processes of the last launch. They end while those of the next one start, and have ended before these take their first turn.
    pub(crate) ending: Vec<Conversation>,
    /// The last launch of a group, by its number, that the observer hasn't been told of.
    pub(crate) untold: Option<(usize, Vec<(usize, Launch)>)>,
    /// Processes that other groups may go on with, and how many share them.
    pub(crate) kept: Option<Kept>,
    pub(crate) kin_under_way: usize,
    /// How many launches the last processes of a kin have served on this lane, by kin.
    pub(super) served: Vec<(usize, usize)>,
}

impl<'a> StepContext<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        launcher: &'a mut dyn Launcher,
        reporter: &'a mut dyn Reporter,
        run_begun_ns: u64,
    ) -> Self {
        Self {
            settings,
            launcher,
            reporter,
            run_begun_ns,
            until_ns: None,
            share_ns: None,
            ending: Vec::new(),
            untold: None,
            kept: None,
            kin_under_way: 1,
            served: Vec::new(),
        }
    }

    /// Keeps a launch until the processes of the next one have been started, and tells of it while they load: storing it takes about a tenth of the time that they
    /// need for that.
    pub(crate) fn tell_later(&mut self, group: usize, launches: Vec<(usize, Launch)>) {
        self.tell_launched();
        self.untold = Some((group, launches));
    }

    /// Tells of the launch that was left for later.
    pub(crate) fn tell_launched(&mut self) {
        if let Some((group, launches)) = self.untold.take() {
            self.reporter.report(group, News::Launched { launches });
        }
    }

    /// Tells something of a group, after what came before it.
    pub(crate) fn tell(&mut self, group: usize, news: News) -> News {
        self.tell_launched();
        self.reporter.report(group, news)
    }

    /// Waits until all processes that were told to end have done so.
    pub(crate) fn settle(&mut self) {
        self.ending.drain(..).for_each(Conversation::close);
    }
}
