//! When a suite says how long it takes: once, and once more where that was wrong.

use crate::forecast::{Forecast, is_wrong};
use crate::total::Outlook;

/// Before so many groups, a quarter of them, and two for each lane, have been measured long enough to know, or all of them, nothing is corrected.
const KNOWN: usize = 8;
/// What launches take on this machine as it is now is known once so many groups on each lane have had their first one.
const FIRST: usize = 2;

/// What was said, and whether more is to be said.
#[derive(Debug)]
pub(crate) enum ForecastAnnouncement {
    /// Nothing yet; of the guess that is said before anything is known where it doesn't wait for the first launches. A machine that others use takes several times as long as another.
    Nothing { waits: bool },
    /// This.
    Once(Forecast),
    /// It was corrected.
    Twice,
}

impl ForecastAnnouncement {
    /// `waits`: what a guess knows isn't enough, since nothing but what launches take ends the suite.
    pub(crate) fn new(waits: bool) -> Self {
        Self::Nothing { waits }
    }

    /// What is said before anything is known.
    pub(crate) fn guess(&mut self, guess: Forecast) -> Option<Forecast> {
        if let Self::Nothing { waits: true } = self {
            return None;
        }
        *self = Self::Once(guess);
        Some(guess)
    }

    /// What a reader expects before anything is known: what was said.
    pub(crate) fn guessed(&self) -> Option<Forecast> {
        if let Self::Once(forecast) = self { Some(*forecast) } else { None }
    }

    /// Nothing has been said: there is no reason for any figure yet.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::Nothing { .. })
    }

    /// What is said now that this is known; `has_deadline`: a budget for all of the suite ends it.
    pub(crate) fn heed(
        &mut self,
        known: &Forecast,
        outlooks: &[Option<Outlook>],
        has_deadline: bool,
    ) -> Option<Forecast> {
        let Forecast { groups, lanes, left_out, .. } = *known;
        let count = |of: fn(&Outlook) -> bool| outlooks.iter().flatten().filter(|outlook| of(outlook)).count();
        let reached = count(Outlook::is_reached);
        match self {
            Self::Nothing { .. } => {
                let begun = count(|outlook| outlook.done || outlook.made > 0);
                let is_enough = begun >= (FIRST * lanes).min(groups);
                is_enough.then(|| {
                    *self = Self::Once(*known);
                    *known
                })
            }
            Self::Once(said) => {
                // How many a budget for all leaves out goes by what the first ones cost at the least; when they are decided is known later.
                let leaves_out = left_out > said.left_out;
                let enough = if leaves_out { 2 * lanes } else { KNOWN.max(2 * lanes).max(groups / 4) };
                // What a budget for the suite leaves over goes to cases that are still open.
                let is_shorter = has_deadline && known.wall_ns < said.wall_ns;
                let is_enough = reached >= enough.min(groups) && reached > 0 && !is_shorter;
                // Which budget would show more isn't known before.
                let advises = !has_deadline && known.launches.is_some_and(|starts| starts.reaches.is_some());
                let is_due = is_enough && (is_wrong(said, known) || leaves_out || advises);
                is_due.then(|| {
                    *self = Self::Twice;
                    *known
                })
            }
            Self::Twice => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ForecastAnnouncement;
    use crate::forecast::{Course, Forecast, TimeRange, known};
    use crate::total::Outlook;

    const GUESS: Forecast = Forecast {
        groups: 16,
        lanes: 1,
        wall_ns: 3200.0,
        range_ns: TimeRange { least: 3200.0, most: 3200.0 },
        setup: None,
        left_out: 0,
        total: false,
        launches: None,
    };

    /// Groups that have taken 100, of which 8 are done.
    fn outlooks() -> Vec<Option<Outlook>> {
        let done = Outlook {
            took_ns: 100.0,
            setup_ns: 25.0,
            launch_ns: 10.0,
            made: 9,
            reach_ns: 70.0,
            done: true,
            ..Outlook::default()
        };
        [[Some(done); 8], [None; 8]].concat()
    }

    fn at_half_time(said: &mut ForecastAnnouncement, outlooks: &[Option<Outlook>]) -> Option<Forecast> {
        let course = Course { lanes: 1, elapsed_ns: 800.0, budget: None, precedent: None, second: false };
        said.heed(&known(outlooks, &course)?, outlooks, false)
    }

    #[test]
    fn it_is_said_again_where_it_was_wrong() {
        let right = &mut ForecastAnnouncement::new(false);
        right.guess(Forecast { wall_ns: 1600.0, range_ns: TimeRange { least: 1600.0, most: 1600.0 }, ..GUESS });
        assert_eq!(at_half_time(right, &outlooks()), None);
        let vague = &mut ForecastAnnouncement::new(false);
        vague.guess(Forecast { wall_ns: 1600.0, range_ns: TimeRange { least: 1000.0, most: 2800.0 }, ..GUESS });
        assert!(at_half_time(vague, &outlooks()).is_some(), "it is known better now");
        let wrong = &mut ForecastAnnouncement::new(false);
        assert_eq!(wrong.guess(GUESS), Some(GUESS));
        assert_eq!(at_half_time(wrong, &outlooks()[1..]), None, "seven are too few");
        let corrected = at_half_time(wrong, &outlooks()).expect("half as long");
        assert_eq!((corrected.wall_ns, corrected.setup, corrected.left_out), (1600.0, Some(0.25), 0));
        assert_eq!(at_half_time(wrong, &outlooks()), None, "once");
    }

    #[test]
    fn where_launches_are_all_that_ends_it_it_waits_for_the_first_ones() {
        let said = &mut ForecastAnnouncement::new(true);
        assert_eq!(said.guess(GUESS), None);
        let begun =
            Outlook { took_ns: 30.0, launch_ns: 10.0, made: 1, left_ns: 60.0, least_ns: 50.0, ..Outlook::default() };
        let of = |known: usize| [vec![Some(begun); known], vec![None; 16 - known]].concat();
        assert_eq!(at_half_time(said, &of(1)), None, "one is too few");
        // 2 x 50 that are left, and 14 x 80.
        let first = at_half_time(said, &of(2)).expect("two have had their first launch");
        assert_eq!(first.wall_ns, 800.0 + 100.0 + 14.0 * 80.0);
        assert_eq!(at_half_time(said, &of(3)), None, "nothing is reached");
    }
}
