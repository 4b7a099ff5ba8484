//! Which group a lane takes next. Pure: it knows neither clocks nor threads.
//!
//! A cycle gives every group that is under way one turn, in random order. Not all groups are under way at once: a group's launches have
//! to be spread over a stretch of time in which a machine changes its mood, and the first results should stand after
//! seconds. So few begin, and with each that is done more are let in, up to a number that spreads launches over about half a minute.
//!
//! Groups that need every CPU come last in a cycle, one after the other, while the other lanes stand still.

use std::collections::HashSet;

use tare_plan::round_order;

use crate::kin::MOST_SERVED;

/// The order of groups within a cycle of launches is drawn at a place of its own.
const SUITE: u64 = u64::MAX;
/// The order in which groups are let in, as if it were a cycle.
const ENTRY: u64 = u64::MAX;
/// Cycles of the second measurement are drawn at places of their own.
const SECOND: u64 = 1 << 32;
/// Groups under way for each lane when a run begins.
const FIRST: usize = 2;
/// The most groups under way for each lane.
const MOST: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not let in yet.
    Waiting,
    /// Under way, and no lane has it.
    Free,
    /// Under way, and a lane has it.
    Taken,
    Done,
}

/// What a lane that asks is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// This group is its own until it gives it back.
    Group(usize),
    /// Others have all that is under way: ask again when one has been given back.
    Later,
    /// Nothing is left.
    Over,
}

/// Processes that a lane has kept for groups that share them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptKin<'a> {
    pub(crate) kin: usize,
    /// The groups that these have served.
    pub(crate) served: &'a [usize],
}

/// The groups of a measurement, first or second.
#[derive(Debug)]
pub(crate) struct Queue {
    seed: u64,
    states: Vec<State>,
    /// Groups in the order in which they are let in, which is random: what was measured of the first ones then says what the others will take.
    entry: Vec<usize>,
    /// Groups under way that have what they need at the least; they leave room for others.
    reached: Vec<bool>,
    /// How many of those that wait there is time for.
    may_begin: usize,
    /// Groups that are taken only where nothing else is free.
    postponed: Vec<bool>,
    /// What is left of the cycle, the next one last.
    cycle: Vec<usize>,
    next_cycle: u64,
    /// Groups that may be under way at once, and at the most.
    room: usize,
    most: usize,
    /// Groups of one number share processes.
    kin: Vec<usize>,
    /// Groups beside which nothing is measured.
    alone: Vec<bool>,
    /// Groups that are taken before others wherever they are free, where time is short.
    first: Vec<bool>,
}

impl Queue {
    /// Groups of which some are done before it begins. A second measurement has all of its groups under way at once: few are flagged.
    pub(crate) fn new(seed: u64, done: &[bool], lanes: usize, second: bool, kin: Vec<usize>) -> Self {
        let states = done.iter().map(|&done| if done { State::Done } else { State::Waiting }).collect();
        let room = if second { usize::MAX } else { FIRST * lanes };
        let next_cycle = if second { SECOND } else { 0 };
        let (postponed, reached) = (vec![false; done.len()], vec![false; done.len()]);
        let mut entry = round_order(seed, SUITE, ENTRY, 0, done.len());
        let mut first = vec![usize::MAX; done.len()];
        for (place, &group) in entry.iter().enumerate() {
            first[kin[group]] = first[kin[group]].min(place);
        }
        entry.sort_by_key(|&group| first[kin[group]]);
        let (may_begin, alone, first_of_all) = (usize::MAX, vec![false; done.len()], vec![false; done.len()]);
        Self {
            seed,
            states,
            entry,
            reached,
            may_begin,
            postponed,
            cycle: Vec::new(),
            next_cycle,
            room,
            most: room.max(MOST * lanes),
            kin,
            alone,
            first: first_of_all,
        }
    }

    /// These are taken before others wherever they are free, and let in first.
    pub(crate) fn with_first(mut self, first: &[bool]) -> Self {
        self.prefer(first);
        Self { first: first.to_vec(), ..self }
    }

    /// Whether a group is taken before others from now on.
    pub(crate) fn set_first(&mut self, group: usize, first: bool) {
        self.first[group] = first;
    }

    /// Nothing is measured beside these groups.
    pub(crate) fn with_alone(self, alone: Vec<bool>) -> Self {
        Self { alone, ..self }
    }

    /// Of each group the number that it shares with those whose processes are its own.
    pub(crate) fn kin(&self) -> &[usize] {
        &self.kin
    }

    /// How many groups under way share their processes with this one, itself among them.
    pub(crate) fn kin_under_way(&self, group: usize) -> usize {
        self.under_way().iter().filter(|&&other| self.kin[other] == self.kin[group]).count()
    }

    /// The next group for a lane that has none. In a cycle those come first that can go on with these,
    /// then those whose processes no other lane has. Where all that are left in it share the processes of another lane the next cycle begins: starting processes for a few of them would
    /// take longer.
    pub(crate) fn next(&mut self, kept: Option<KeptKin<'_>>) -> Next {
        self.let_in();
        let count = |of: State| self.states.iter().filter(|&&state| state == of).count();
        let taken = count(State::Taken);
        if count(State::Free) == 0 {
            return if taken == 0 { Next::Over } else { Next::Later };
        }
        if (0..self.states.len()).any(|group| self.alone[group] && self.states[group] == State::Taken) {
            return Next::Later;
        }
        loop {
            let is_free = |group: usize| self.states[group] == State::Free;
            let none_else = !(0..self.states.len()).any(|group| is_free(group) && !self.postponed[group]);
            let may_go = |group: usize| is_free(group) && (none_else || !self.postponed[group]);
            let first_waits = (0..self.states.len()).any(|group| self.first[group] && may_go(group));
            let fits = |group: usize| may_go(group) && (self.first[group] || !first_waits);
            let is_elsewhere = |group: usize| {
                (0..self.states.len())
                    .any(|other| self.states[other] == State::Taken && self.kin[other] == self.kin[group])
            };
            let is_kept = |group: usize| kept.is_some_and(|kept| kept.kin == self.kin[group]);
            let goes_on = |group: usize| is_kept(group) && kept.is_some_and(|kept| !kept.served.contains(&group));
            let last = |of: &dyn Fn(usize) -> bool| self.cycle.iter().rposition(|&group| fits(group) && of(group));
            let at = last(&goes_on)
                .or_else(|| last(&|group| !is_elsewhere(group) && !is_kept(group)))
                .or_else(|| last(&|group| !is_elsewhere(group)));
            let is_next = |group: usize| fits(group) && !is_elsewhere(group) && !self.cycle.contains(&group);
            let begins_next = at.is_none() && (0..self.states.len()).any(is_next);
            if !begins_next && let Some(at) = at.or_else(|| last(&|_| true)) {
                if self.alone[self.cycle[at]] && taken > 0 {
                    return Next::Later;
                }
                let group = self.cycle.remove(at);
                self.states[group] = State::Taken;
                return Next::Group(group);
            }
            // Those that others have keep their place in the cycle that they were drawn in.
            let mut order = round_order(self.seed, SUITE, self.next_cycle, 0, self.states.len());
            order.retain(|&group| matches!(self.states[group], State::Free | State::Taken));
            // Nobody saves up turns by being postponed.
            order.retain(|group| !self.cycle.contains(group));
            // With one pause of the other lanes in a cycle.
            order.sort_by_key(|&group| self.alone[group]);
            order.reverse();
            order.append(&mut self.cycle);
            self.cycle = order;
            self.next_cycle += 1;
        }
    }

    /// What a lane is told that is to take none now.
    pub(crate) fn for_others(&self) -> Next {
        let is_left = |state: &State| matches!(state, State::Free | State::Taken);
        if self.states.iter().any(is_left) { Next::Later } else { Next::Over }
    }

    /// Lets those in first that are `first`, and otherwise as before: where time is short the last are left out.
    pub(crate) fn prefer(&mut self, first: &[bool]) {
        self.entry.sort_by_key(|&group| !first[group]);
    }

    /// Groups that wait to be let in, in their order; and those under way.
    pub(crate) fn waiting(&self) -> Vec<usize> {
        self.entry.iter().copied().filter(|&group| self.states[group] == State::Waiting).collect()
    }

    pub(crate) fn under_way(&self) -> Vec<usize> {
        let is_under_way = |&group: &usize| matches!(self.states[group], State::Free | State::Taken);
        (0..self.states.len()).filter(is_under_way).collect()
    }

    /// Time is short: some groups wait for the others, and so many are let in.
    pub(crate) fn share(&mut self, reached: Vec<bool>, postponed: Vec<bool>, may_begin: usize) {
        let more = reached.iter().zip(&self.reached).filter(|(now, before)| **now && !**before).count();
        self.room = self.room.saturating_add(more).min(self.most);
        self.reached = reached;
        self.postponed = postponed;
        self.may_begin = may_begin;
    }

    /// A lane is through with a group for now.
    pub(crate) fn give_back(&mut self, group: usize, done: bool) {
        self.states[group] = if done { State::Done } else { State::Free };
        if done {
            self.cycle.retain(|&other| other != group);
            let more = usize::from(!self.reached[group]);
            self.room = self.room.saturating_add(more).min(self.most);
        }
    }

    fn let_in(&mut self) {
        let mut under_way: Vec<usize> =
            self.under_way().iter().filter(|&&group| !self.reached[group]).map(|&group| self.kin[group]).collect();
        let mut distinct: HashSet<usize> = under_way.iter().copied().collect();
        for &group in &self.entry {
            if self.may_begin == 0 {
                break;
            }
            if self.states[group] != State::Waiting {
                continue;
            }
            // Those that share processes take the room of one, as long as these can serve more.
            let kin = self.kin[group];
            let served = under_way.iter().filter(|&&other| other == kin).count();
            if distinct.contains(&kin) && served >= MOST_SERVED {
                continue;
            }
            if !distinct.contains(&kin) && distinct.len() >= self.room {
                break;
            }
            self.states[group] = State::Free;
            self.may_begin -= 1;
            under_way.push(kin);
            distinct.insert(kin);
        }
    }
}

#[cfg(test)]
mod tests;
