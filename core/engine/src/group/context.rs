//! What every step of a group is passed.

use std::sync::{Arc, Mutex, PoisonError};

use tare_plan::Settings;
use tare_samples::Launch;
use tare_worker::{Conversation, Launcher};

use super::GroupRun;
use super::sharing::KeptProcesses;
use crate::reporting::{News, Reporter};

/// The newest launch of a group, until the observer knows it. The lane that made it tells it while the processes of its next launch load. Another lane may have gone on with the group by
/// then: it tells the launch before it tells anything else of the group.
#[derive(Clone, Default)]
pub(super) struct Untold(Arc<Mutex<Option<Launches>>>);

/// By variant.
type Launches = Vec<(usize, Launch)>;

impl Untold {
    fn keep(&self, launches: Launches) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(launches);
    }

    /// The lock is held until the observer has dealt with it: another lane of the same group waits for that.
    fn tell(&self, group: usize, reporter: &mut dyn Reporter) {
        let mut launches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(launches) = launches.take() {
            reporter.report(group, News::Launched { launches });
        }
    }
}

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
    /// The last launch of this lane, with the number of its group.
    untold: Option<(usize, Untold)>,
    /// Processes that other groups may go on with, and how many share them.
    pub(crate) kept: Option<KeptProcesses>,
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
    pub(super) fn tell_later(&mut self, group: usize, untold: &Untold, launches: Launches) {
        self.tell_launched();
        untold.keep(launches);
        self.untold = Some((group, untold.clone()));
    }

    /// Tells of the launch that was left for later.
    pub(crate) fn tell_launched(&mut self) {
        if let Some((group, untold)) = self.untold.take() {
            untold.tell(group, self.reporter);
        }
    }

    /// Whether something is left to do for the last launch.
    pub(crate) fn is_behind(&self) -> bool {
        !self.ending.is_empty() || self.untold.is_some()
    }

    /// Tells something of a group, after what came before it on this lane.
    pub(crate) fn tell(&mut self, group: usize, news: News) -> News {
        self.tell_launched();
        self.reporter.report(group, news)
    }

    /// Waits until all processes that were told to end have done so.
    pub(crate) fn settle(&mut self) {
        self.ending.drain(..).for_each(Conversation::close);
    }
}

impl GroupRun<'_> {
    /// Tells of the group's last launch, whichever lane made it.
    pub(super) fn tell_launched(&self, context: &mut StepContext<'_>) {
        context.tell_launched();
        self.untold.tell(self.number, context.reporter);
    }

    /// Tells something of the group, after its launches.
    pub(super) fn tell(&self, context: &mut StepContext<'_>, news: News) -> News {
        self.tell_launched(context);
        context.tell(self.number, news)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use tare_plan::Settings;
    use tare_simulation::{CaseTruth, Scale, SimulatedLauncher, Truth};
    use tare_validation::simulated::group;

    use super::{GroupRun, StepContext};
    use crate::reporting::{News, Reporter};

    #[derive(Debug, PartialEq)]
    enum Heard {
        Launched(u32),
        Ended,
        Measured,
    }

    /// Both lanes tell one observer, whose notes these are.
    struct Notes<'n>(&'n RefCell<Vec<Heard>>);

    impl Reporter for Notes<'_> {
        fn report(&mut self, _: usize, news: News) -> News {
            match &news {
                News::Launched { launches } => {
                    let ordinals: BTreeSet<u32> = launches.iter().map(|(_, launch)| launch.ordinal).collect();
                    self.0.borrow_mut().extend(ordinals.into_iter().map(Heard::Launched));
                }
                News::Ended { .. } => self.0.borrow_mut().push(Heard::Ended),
                News::Measured { .. } => self.0.borrow_mut().push(Heard::Measured),
                _ => {}
            }
            news
        }

        fn is_stopped(&self) -> bool {
            false
        }
    }

    /// The first lane is slow: it tells its launches after the second one has gone on with the group, and ended it.
    #[test]
    fn a_launch_is_told_before_what_another_lane_tells_of_its_group() {
        let side = |name: &str| CaseTruth { name: format!("case0::{name}"), time_ns: 300.0, ..CaseTruth::default() };
        let truth = Truth { seed: 3, scale: Scale::default(), cases: vec![side("old"), side("new")] };
        let planned = group(&truth, 0);
        let settings = Settings { seed: 5, launches: Some(7), ..Settings::default() };
        let heard = RefCell::new(Vec::new());
        let mut cores = SimulatedLauncher::new(truth);
        let mut others = cores.other_core();
        let (mut on_one, mut on_other) = (Notes(&heard), Notes(&heard));
        let mut slow = StepContext::new(&settings, &mut cores, &mut on_one, 0);
        let mut fast = StepContext::new(&settings, &mut others, &mut on_other, 0);
        let mut run = GroupRun::new(&planned, 0, &settings, Vec::new());
        assert!(run.pilot(&mut slow).is_ok());
        for number in 0..7 {
            let context = if number % 2 == 1 { &mut slow } else { &mut fast };
            assert!(!run.is_done() && run.next(context).is_ok());
        }
        assert!(run.is_done());
        for context in [&mut slow, &mut fast] {
            context.tell_launched();
            context.settle();
        }
        let expected: Vec<Heard> =
            (0..7).map(Heard::Launched).chain([Heard::Ended, Heard::Ended, Heard::Measured]).collect();
        assert_eq!(*heard.borrow(), expected);
    }
}
