//! How long a suite will take. Pure: what is known of its groups goes in, and so does what was said before.

use serde::Serialize;
use tare_plan::{Precedent, Settings};
use tare_samples::MINIMUM_LAUNCHES;
use tare_statistics::comparison::CONFIDENCE;
use tare_statistics::looks::MOST_PAIRS_WITH_TIME;
use tare_statistics::student;

use crate::budget;
use crate::total::{Deadline, Outlook};

/// What is left of first measurements is known within these parts of it: of so many groups, which differ by this much, and of all of them.
const OF_ONE: f64 = 0.5;
const OF_ALL: f64 = 0.1;
/// The part of the groups that are flagged, before any is through, and as many groups as that is worth beside those that are.
const FLAGGED: f64 = 0.125;
const FLAGGED_IS_WORTH: f64 = 4.0;
/// Standard errors by which more groups than that may be flagged.
const FLAGGED_ERRORS: f64 = 2.0;
/// The part of the launches that a budget holds which a comparison makes: some are settled at once, others never.
const OF_LAUNCHES: f64 = 0.7;
/// What was said is said again where it has turned out to be this much too long or too short.
const WRONG: f64 = 0.2;
/// As many groups as the first guess is worth beside those that are known: what six launches say of how many are needed is often twice too much.
const GUESS_IS_WORTH: f64 = 4.0;
/// As many is what an earlier comparison of the same cases says.
const PRECEDENT_IS_WORTH: f64 = 16.0;
/// Starts that are at least this part of a launch are worth a word.
const HEAVY: f64 = 0.3;
/// Half-widths that are worth a budget.
const WANTED: [f64; 2] = [0.05, 0.02];
/// Before anything is measured they are where they take at least this part of a budget.
const HEAVY_OF_BUDGET: f64 = 0.5;
/// What a launch is measured for at the least, before anything is known: in nanoseconds, and of its start.
const LEAST_ROUNDS_NS: f64 = 60e6;
const ROUNDS_OF_START: f64 = 0.5;

/// How long a suite will take, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Groups that are measured.
    pub groups: usize,
    /// How many groups are measured at once.
    pub lanes: usize,
    /// What it takes in all, by the wall's clock, in nanoseconds.
    pub wall_ns: f64,
    /// What it takes at least and at most, as far as is known: second measurements can't be foreseen.
    pub range_ns: TimeRange,
    /// The part of that in which nothing is timed: processes' starts, loading, hooks, untimed calls; `None` before the first pilots.
    pub setup: Option<f64>,
    /// Groups that there is no time for.
    pub left_out: usize,
    /// The budget of the whole suite is what ends it.
    pub total: bool,
    /// What its launches are like, where starts are a large part of them.
    pub launches: Option<HeavyStarts>,
}

/// Nanoseconds at the least and at the most. Written as a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(into = "(f64, f64)")]
pub struct TimeRange {
    /// At the least.
    pub least: f64,
    /// At the most.
    pub most: f64,
}

impl TimeRange {
    fn width(self) -> f64 {
        self.most - self.least
    }
}

impl From<TimeRange> for (f64, f64) {
    fn from(TimeRange { least, most }: TimeRange) -> Self {
        (least, most)
    }
}

/// Launches of which starting is a large part, on average over the groups.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HeavyStarts {
    /// From a launch's start until all of its processes are ready, in nanoseconds.
    pub start_ns: f64,
    /// Launches of each side.
    pub launches: f64,
    /// What they take with their pilot, in nanoseconds.
    pub took_ns: f64,
    /// The half-width of the interval that they give in half of the groups, a fraction; 0 where that isn't known.
    pub half_width: f64,
    /// A smaller one; nothing where no budget reaches it, or it is small already.
    pub reaches: Option<ReachableWidth>,
}

/// A half-width of intervals that a budget reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReachableWidth {
    /// A fraction.
    pub half_width: f64,
    /// The budget of a comparison that reaches it, in nanoseconds.
    pub budget_ns: f64,
}

/// What one group of so many variants takes before anything is known of it but `start_ns`, what the listing saw its processes take to start for one launch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Guess {
    pub(crate) start_ns: f64,
    pub(crate) launches: f64,
    pub(crate) took_ns: f64,
}

impl Guess {
    pub(crate) fn new(settings: &Settings, compared: bool, variants: usize, start_ns: f64) -> Self {
        let budget_ns = budget::foreseen_of_group_ns(settings, variants, compared);
        let launch_ns = start_ns + LEAST_ROUNDS_NS.max(ROUNDS_OF_START * start_ns);
        let fewest = f64::from(settings.launches.unwrap_or(MINIMUM_LAUNCHES));
        // The pilot has the processes of a launch, or its own start.
        let took_ns = budget_ns.max((fewest + 1.0) * launch_ns);
        let launches = ((took_ns - launch_ns) / launch_ns).max(fewest);
        Self { start_ns, launches, took_ns }
    }
}

/// The forecast before the first pilot, of what is guessed of each group.
pub(crate) fn before(guesses: &[Guess], lanes: usize, budget_ns: f64, deadline: Option<&Deadline>) -> Forecast {
    let groups = guesses.len();
    let sum = |of: fn(&Guess) -> f64| guesses.iter().map(of).sum::<f64>();
    let wall_ns = sum(|guess| guess.took_ns) / lanes.min(groups).max(1) as f64;
    let most_ns = deadline.map_or(f64::INFINITY, Deadline::total_ns);
    let total = wall_ns >= most_ns;
    let of_one = |sum: f64| sum / groups.max(1) as f64;
    let (start_ns, launches) = (of_one(sum(|guess| guess.start_ns)), of_one(sum(|guess| guess.launches)));
    let took_ns = of_one(sum(|guess| guess.took_ns));
    // Where fewer launches than that are all that there is time for, their starts are what takes it.
    let is_heavy = deadline.is_none() && launches * start_ns > HEAVY_OF_BUDGET * budget_ns;
    let heavy = is_heavy.then_some(HeavyStarts { start_ns, launches, took_ns, ..HeavyStarts::default() });
    let wall_ns = wall_ns.min(most_ns);
    let range_ns = TimeRange { least: wall_ns, most: wall_ns };
    Forecast { groups, lanes, wall_ns, range_ns, setup: None, left_out: 0, total, launches: heavy }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// Groups that have begun: what was left out or failed before that says nothing of the others.
fn measured(outlooks: &[Option<Outlook>]) -> impl Iterator<Item = &Outlook> {
    outlooks.iter().flatten().filter(|outlook| outlook.took_ns > 0.0)
}

/// What is known of the launches that a group will have made when it is done.
fn launches(outlook: &Outlook) -> f64 {
    let more_ns = outlook.needs_ns.map_or(outlook.left_ns, |needs_ns| needs_ns.min(outlook.left_ns));
    f64::from(outlook.made) + if outlook.done { 0.0 } else { more_ns / outlook.launch_ns.max(1.0) }
}

/// What a measurement of the suite is known by, beside its groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course<'d> {
    /// Lanes at work.
    pub(crate) lanes: usize,
    /// By the wall's clock since it began, in nanoseconds.
    pub(crate) elapsed_ns: f64,
    /// The budget of the suite.
    pub(crate) budget: Option<SuiteBudget<'d>>,
    /// An earlier one.
    pub(crate) precedent: Option<Precedent>,
    /// It is the second one, after which nothing follows.
    pub(crate) second: bool,
}

/// One budget for the whole suite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteBudget<'d> {
    pub(crate) deadline: &'d Deadline,
    /// What it leaves for first measurements, of all lanes together, in nanoseconds.
    pub(crate) left_ns: f64,
}

/// What groups will take, of all lanes together, in nanoseconds.
struct Tasks {
    /// What is left of this measurement, and by how much it may be off; of groups that haven't begun what the others take on average.
    left_ns: f64,
    left_error_ns: f64,
    second: SecondTime,
}

/// What second measurements will take, of all lanes together, in nanoseconds.
#[derive(Debug, Default)]
struct SecondTime {
    expected_ns: f64,
    /// As far as chance makes it likely.
    range_ns: TimeRange,
}

impl Tasks {
    fn new(outlooks: &[Option<Outlook>], course: &Course<'_>) -> Option<Self> {
        let known: Vec<&Outlook> = measured(outlooks).collect();
        let usual = usual_launches(&known, course.precedent);
        let left = |outlook: &&Outlook| {
            if outlook.done || course.second {
                return if outlook.done { 0.0 } else { outlook.left_ns };
            }
            let more = match usual {
                _ if outlook.is_reached() => launches(outlook) - f64::from(outlook.made),
                Some(usual) => usual - f64::from(outlook.made),
                None => OF_LAUNCHES * outlook.left_ns / outlook.launch_ns.max(1.0),
            };
            (more * outlook.launch_ns).min(outlook.left_ns).max(outlook.least_ns)
        };
        let whole = |outlook: &&Outlook| outlook.took_ns + left(outlook);
        let of_one = mean(known.iter().map(whole))?;
        let variance = mean(known.iter().map(|outlook| (whole(outlook) / of_one - 1.0).powi(2)))?;
        let waiting = outlooks.iter().filter(|outlook| outlook.is_none()).count() as f64;
        let left_ns = known.iter().map(left).sum::<f64>() + waiting * of_one;
        // Where groups differ by more than usual the others may, too.
        let error = OF_ALL + OF_ONE.max(2.0 * variance.sqrt()) / (known.len() as f64).sqrt();
        let second = if course.second { SecondTime::default() } else { second(outlooks, course)? };
        Some(Self { left_ns, left_error_ns: error * left_ns, second })
    }
}

/// Launches that groups will have made; nothing before one has the fewest that say anything, and knows by the width of its interval how many more it needs.
fn usual_launches(known: &[&Outlook], precedent: Option<Precedent>) -> Option<f64> {
    let reached: Vec<f64> =
        known.iter().filter(|outlook| outlook.is_reached()).map(|outlook| launches(outlook)).collect();
    let planned = |outlook: &&&Outlook| f64::from(outlook.made) + outlook.left_ns / outlook.launch_ns.max(1.0);
    let guess =
        OF_LAUNCHES * mean(known.iter().filter(|outlook| !outlook.done).map(|one| planned(&one))).unwrap_or(0.0);
    let (guess, worth) = match precedent {
        Some(precedent) => (precedent.launches, PRECEDENT_IS_WORTH),
        None if reached.is_empty() => return None,
        None => (guess, if guess > 0.0 { GUESS_IS_WORTH } else { 0.0 }),
    };
    Some((reached.iter().sum::<f64>() + worth * guess) / (reached.len() as f64 + worth))
}

/// What second measurements will take: of what is flagged by now, and of groups that aren't through, of which the same
/// part is expected to be flagged.
fn second(outlooks: &[Option<Outlook>], course: &Course<'_>) -> Option<SecondTime> {
    let known: Vec<&Outlook> = measured(outlooks).collect();
    let through: Vec<&&Outlook> = known.iter().filter(|outlook| outlook.done).collect();
    let flagged_ns: f64 = through.iter().map(|outlook| outlook.second_ns).sum();
    let flagged = through.iter().filter(|outlook| outlook.second_ns > 0.0).count() as f64;
    let launch_ns = mean(known.iter().map(|outlook| outlook.launch_ns))?;
    let again_ns = match course.precedent.map(|precedent| precedent.again) {
        Some(again) if again > 0.0 => again * launch_ns,
        _ => mean(known.iter().map(|outlook| outlook.again_ns))?,
    };
    let before = course.precedent.map_or(FLAGGED, |precedent| precedent.flagged.max(FLAGGED / 4.0));
    let worth = FLAGGED_IS_WORTH + through.len() as f64;
    let share = (flagged + FLAGGED_IS_WORTH * before) / worth;
    let error = FLAGGED_ERRORS * (share * (1.0 - share) / worth).sqrt();
    let open_ns = (outlooks.len() - through.len()) as f64 * again_ns;
    let of = |share: f64| flagged_ns + share.clamp(0.0, 1.0) * open_ns;
    let range_ns = TimeRange { least: of(share - error), most: of(share + error) };
    Some(SecondTime { expected_ns: of(share), range_ns })
}

/// How long all of it will take by what is known of some groups. Nothing where nothing is known of any.
pub(crate) fn known(outlooks: &[Option<Outlook>], course: &Course<'_>) -> Option<Forecast> {
    let Course { lanes, elapsed_ns, budget, .. } = *course;
    let groups = outlooks.len();
    let known: Vec<&Outlook> = measured(outlooks).collect();
    let Tasks { left_ns, left_error_ns, second } = Tasks::new(outlooks, course)?;
    // The launches of a group are made one after the other.
    let places =
        |outlook: &Option<Outlook>| outlook.map_or(1, |outlook| if outlook.done { 0 } else { 1 + outlook.idle_lanes });
    let open: usize = outlooks.iter().map(places).sum();
    let by_the_wall = |ns: f64| ns / lanes.min(open).max(1) as f64;
    let wall_ns = elapsed_ns + by_the_wall(left_ns + second.expected_ns);
    // Both are off by chance, each by its own.
    let less_ns = by_the_wall(left_error_ns.hypot(second.expected_ns - second.range_ns.least));
    let more_ns = by_the_wall(left_error_ns.hypot(second.range_ns.most - second.expected_ns));
    let reach_ns = mean(known.iter().map(|outlook| outlook.reach_ns))?;
    let most_ns = budget.map_or(f64::INFINITY, |budget| budget.deadline.total_ns());
    let begun_ns: f64 = known.iter().map(|outlook| outlook.least_ns).sum();
    let left_out = budget.map_or(0, |SuiteBudget { left_ns, .. }| {
        let waiting = outlooks.iter().filter(|outlook| outlook.is_none()).count();
        let holds = ((left_ns - begun_ns) / reach_ns.max(1.0)).max(0.0) as usize;
        waiting.saturating_sub(holds)
    });
    let sum = |of: fn(&Outlook) -> f64| known.iter().map(|outlook| of(outlook)).sum::<f64>();
    Some(Forecast {
        groups,
        lanes,
        wall_ns: wall_ns.min(most_ns),
        range_ns: TimeRange {
            least: (wall_ns - less_ns).max(elapsed_ns).min(most_ns),
            most: (wall_ns + more_ns).min(most_ns),
        },
        setup: Some(sum(|outlook| outlook.setup_ns) / sum(|outlook| outlook.took_ns).max(1.0)),
        left_out,
        total: wall_ns >= most_ns,
        launches: heavy_starts(&known),
    })
}

/// Whether what was said is much too long or too short, beside what is known now, or told little.
pub(crate) fn is_wrong(said: &Forecast, known: &Forecast) -> bool {
    let off = |a: f64, b: f64| (a / b.max(1.0)).ln().abs() > WRONG.ln_1p();
    let was_vague = said.range_ns.width() > 2.0 * known.range_ns.width();
    off(known.wall_ns, said.wall_ns) || was_vague && off(said.range_ns.most, said.range_ns.least)
}

fn heavy_starts(known: &[&Outlook]) -> Option<HeavyStarts> {
    let of_all = |of: fn(&Outlook) -> f64| mean(known.iter().map(|outlook| of(outlook) / outlook.lanes()));
    let start_ns = of_all(|outlook| outlook.start_ns)?;
    if start_ns < HEAVY * of_all(|outlook| outlook.launch_ns)? {
        return None;
    }
    // Before any has the fewest launches that say anything, what is planned for them.
    let is_any = known.iter().any(|outlook| outlook.is_reached());
    let counted = || known.iter().filter(|outlook| !is_any || outlook.is_reached());
    let launches = mean(counted().map(|outlook| launches(outlook)))?;
    let whole_ns = |outlook: &Outlook| outlook.took_ns + launches_left(outlook) * outlook.launch_ns;
    let took_ns = mean(counted().map(|outlook| whole_ns(outlook) / outlook.lanes()))?;
    let mut deviations: Vec<f64> = counted().filter_map(|outlook| outlook.deviation.filter(|_| is_any)).collect();
    deviations.sort_by(f64::total_cmp);
    let Some(&deviation) = deviations.get(deviations.len() / 2) else {
        return Some(HeavyStarts { start_ns, launches, took_ns, ..HeavyStarts::default() });
    };
    let half_width = half_width(deviation, launches);
    let wanted = WANTED.into_iter().find(|&wanted| wanted < half_width);
    let reaches = wanted.and_then(|wanted| {
        let needed = (MINIMUM_LAUNCHES..=MOST_PAIRS_WITH_TIME)
            .map(f64::from)
            .find(|&needed| self::half_width(deviation, needed) <= wanted)?;
        // The pilot takes about as long as a launch.
        Some(ReachableWidth { half_width: wanted, budget_ns: took_ns * (needed + 1.0) / (launches + 1.0) })
    });
    Some(HeavyStarts { start_ns, launches, took_ns, half_width, reaches })
}

/// Half the width of the interval that so many pairs give whose log-ratios have this standard deviation: Student's, which falls much faster than with the root of their number where they
/// are few. Of six it is 1.65 standard deviations, of twelve 0.90.
fn half_width(deviation: f64, pairs: f64) -> f64 {
    student::quantile(f64::midpoint(1.0, CONFIDENCE), (pairs - 1.0).max(1.0)) * deviation / pairs.sqrt()
}

fn launches_left(outlook: &Outlook) -> f64 {
    launches(outlook) - f64::from(outlook.made)
}

#[cfg(test)]
mod tests;
