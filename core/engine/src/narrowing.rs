//! Whether fewer lanes would see more, by the pairs that are measured. What the machine was asked before (two threads of one core, say) it may have answered wrongly, and it may have changed its
//! mind. Pure: it knows neither clocks nor threads.
//!
//! When several groups have a few pairs, half of the lanes pause until these groups have as many again. Where a group's pairs scatter less then, for more groups than chance explains, half is
//! what there is, and is halved again; else all go on: where half of them disturb each other as much, nothing is given up. The pairs count in the groups' results, whatever comes of it.

/// Pairs of a group with so many lanes, and with half of them.
const PAIRS: usize = 3;
/// A group of which fewer pairs are known with half of the lanes says nothing.
const LEAST_PAIRS: usize = 2;
/// Groups that have to say something.
const LEAST_GROUPS: usize = 6;
/// Lanes are given up where pairs scatter less without them by this factor, and beyond chance by this many standard errors. Two lanes take half the time of one: they may scatter as much
/// more as makes up for that.
const WIDER: f64 = 1.2;
const WIDER_OF_TWO: f64 = std::f64::consts::SQRT_2;
const ERRORS: f64 = 2.0;
/// With fewer there is nothing to give up.
const FEW: usize = 2;
/// Residuals below this are the clock's.
const LEAST: f64 = 1e-6;

/// What follows from a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    /// So many lanes are at work from now on.
    pub(crate) at_work: usize,
    /// They stay at work because pairs of twice as many scattered so many times as far; `None` while that is being found out.
    pub(crate) wider: Option<f64>,
}

/// A new pair of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LanePair {
    pub(crate) log_ratio: f64,
    /// [`Narrowing::changes`] when its launches began.
    pub(crate) changes: u32,
}

/// The lanes at work, and what pairs said of their number.
#[derive(Debug)]
pub(crate) struct Narrowing {
    at_work: usize,
    /// How often that has changed.
    changes: u32,
    phase: Phase,
    groups: Vec<GroupPairs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// All lanes that there still are take pairs.
    All,
    /// Half of them do; there were so many. Groups may have to wait for each other: it ends after so many more steps of groups.
    Half {
        of: usize,
        patience: usize,
    },
    Over,
}

/// Log-ratios of a group's pairs, by the lanes at work.
#[derive(Debug, Default, Clone)]
struct GroupPairs {
    all: Vec<f64>,
    half: Vec<f64>,
    done: bool,
}

impl Narrowing {
    /// `may_pause`: the number of lanes is Tare's own choice. Groups that are measured `alone` say nothing of it.
    pub(crate) fn new(lanes: usize, alone: &[bool], may_pause: bool) -> Self {
        let together = alone.iter().filter(|&&alone| !alone).count();
        let is_worth_it = may_pause && lanes >= FEW && together >= LEAST_GROUPS.max(lanes);
        let phase = if is_worth_it { Phase::All } else { Phase::Over };
        Self { at_work: lanes, changes: 0, phase, groups: vec![GroupPairs::default(); alone.len()] }
    }

    /// Lanes at work; those with higher numbers pause.
    pub(crate) fn at_work(&self) -> usize {
        self.at_work
    }

    /// Lanes that will be at work when what is being found out is known, unless some are given up.
    pub(crate) fn expected(&self) -> usize {
        if let Phase::Half { of, .. } = self.phase { of } else { self.at_work }
    }

    /// What [`note`](Self::note) wants to know: a pair counts where nothing has changed since its launches began.
    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// A lane gives a group back, with its new pair.
    pub(crate) fn note(&mut self, group: usize, pair: Option<LanePair>, done: bool) -> Option<Change> {
        if self.phase == Phase::Over {
            return None;
        }
        let of_group = &mut self.groups[group];
        of_group.done = done;
        if let Some(LanePair { log_ratio, .. }) = pair.filter(|pair| pair.changes == self.changes) {
            if self.phase == Phase::All { &mut of_group.all } else { &mut of_group.half }.push(log_ratio);
        }
        match self.phase {
            Phase::All => self.may_halve(),
            Phase::Half { of, patience } => {
                self.phase = Phase::Half { of, patience: patience.saturating_sub(1) };
                self.may_decide(of, patience == 0)
            }
            Phase::Over => None,
        }
    }

    /// Half of the lanes pause once enough groups can be asked again.
    fn may_halve(&mut self) -> Option<Change> {
        let ready = self.groups.iter().filter(|group| !group.done && group.all.len() >= PAIRS).count();
        if ready < LEAST_GROUPS.max(self.at_work) {
            return None;
        }
        self.phase = Phase::Half { of: self.at_work, patience: 3 * PAIRS * self.groups.len().min(4 * self.at_work) };
        Some(self.change(self.at_work.div_ceil(2), None))
    }

    fn may_decide(&mut self, of: usize, at_once: bool) -> Option<Change> {
        let is_awaited = |group: &&GroupPairs| !group.done && group.all.len() >= PAIRS && group.half.len() < PAIRS;
        if !at_once && self.groups.iter().any(|group| is_awaited(&group)) {
            return None;
        }
        let said: Vec<f64> = self.groups.iter().filter_map(GroupPairs::wider).collect();
        let most_wider = if of > FEW { WIDER } else { WIDER_OF_TWO };
        let Some(wider) = mean_beyond_chance(&said, most_wider) else {
            self.phase = Phase::Over;
            return Some(self.change(of, None));
        };
        self.phase = if self.at_work >= FEW { Phase::All } else { Phase::Over };
        for group in &mut self.groups {
            group.all = std::mem::take(&mut group.half);
        }
        // Enough may be known of that number already: then half of them pause with the next pair.
        Some(Change { at_work: self.at_work, wider: Some(wider) })
    }

    fn change(&mut self, at_work: usize, wider: Option<f64>) -> Change {
        self.at_work = at_work;
        self.changes += 1;
        Change { at_work, wider }
    }
}

impl GroupPairs {
    /// The logarithm of how many times as far its pairs scatter with all lanes as with half of them.
    fn wider(&self) -> Option<f64> {
        if self.all.len() < PAIRS || self.half.len() < LEAST_PAIRS {
            return None;
        }
        let mut both = [self.all.as_slice(), self.half.as_slice()].concat();
        both.sort_by(f64::total_cmp);
        let middle = f64::midpoint(both[(both.len() - 1) / 2], both[both.len() / 2]);
        let scatter = |ratios: &[f64]| {
            let sum: f64 = ratios.iter().map(|ratio| (ratio - middle).abs()).sum();
            (sum / ratios.len() as f64).max(LEAST)
        };
        Some((scatter(&self.all) / scatter(&self.half)).ln())
    }
}

/// The factor whose logarithm is the mean of these, where it is beyond `most_wider`, and beyond chance.
fn mean_beyond_chance(logarithms: &[f64], most_wider: f64) -> Option<f64> {
    let count = logarithms.len() as f64;
    if logarithms.len() < LEAST_GROUPS {
        return None;
    }
    let mean = logarithms.iter().sum::<f64>() / count;
    let variance = logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean > most_wider.ln() && mean > ERRORS * (variance / count).sqrt()).then(|| mean.exp())
}

#[cfg(test)]
mod tests;
