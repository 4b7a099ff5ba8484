//! One runtime's clocks: what is asked of its worker, and what is made of the answers.

use std::path::Path;
use std::time::Duration;

use tare_frames::{MAX_READS, Read};
use tare_machine::{Bracket, NativeClock, bracket, native_clocks, raw_now};
use tare_results::{ClockRow, RuntimeClocks, WaitRow};
use tare_samples::{Failure, FailureKind};
use tare_statistics::clocks::{Blocks, ClockFigures, Exchange, Rate, Series, Spread, findings, look, rate};
use tare_worker::{Conversation, ProcessLauncher, Ready};

use crate::clocks::probe;

pub(crate) type Done = Result<(), Failure>;

/// What is asked for, in nanoseconds.
const SLEEPS: [i64; 10] = [-1, 0, 1, 1_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];
const YIELD: &str = "yield";
/// Pairs read back to back, and pairs that follow a clock over a longer time.
const CLOSE: u64 = 10_000;
const FOLLOWING: u64 = 2_000;
/// For how long it is followed: some steps of a clock that moves with a timer of 100 Hz.
const FOLLOWED_NS: f64 = 60e6;
/// Steps that make following needless.
const ENOUGH_STEPS: usize = 20;
/// Blocks for the cost of a read, and how long one of them takes.
const BLOCKS: u64 = 200;
const BLOCK_NS: f64 = 50e3;
/// Untimed readings before anything counts, so that code and data are there.
const WARM: u64 = 2_000;
/// Exchanges at each end of the span, of which the tightest counts; of clocks that this process reads itself.
const EXCHANGES: usize = 40;
const OWN_EXCHANGES: u32 = 2_000;
/// A clock whose rate is off by more than this part doesn't follow real time at all: it counts CPU time, or nothing.
const FOLLOWS: f64 = 0.1;
const LEAST_TIMES: u64 = 20;
const MOST_TIMES: u64 = 300;

/// How the time is shared.
pub(crate) struct Plan {
    /// For one call and one time asked for.
    wait: Duration,
    /// The longest wait for one answer.
    pub(crate) timeout: Duration,
}

impl Plan {
    /// `total` is shared by so many calls that sleep.
    pub(crate) fn sharing(total: Duration, calls: usize, timeout: Duration) -> Self {
        // Most of it goes to the four longest times.
        let share = total / (4 * calls.max(1)) as u32;
        Self { wait: share.min(Duration::from_millis(300)), timeout }
    }

    fn times(&self, requested: i64) -> u64 {
        let about = requested.max(0) as u64 + 60_000;
        (self.wait.as_nanos() as u64 / about).clamp(LEAST_TIMES, MOST_TIMES)
    }
}

/// One clock, as far as it is known.
struct State {
    name: String,
    start: Option<Exchange>,
    end: Option<Exchange>,
    seen: ClockFigures,
    reads_a_block: u64,
    system_call: Result<bool, String>,
}

/// A worker and its clocks.
pub(crate) struct Clocks {
    conversation: Conversation,
    clocks: Vec<State>,
    waits: Vec<WaitRow>,
    slack: Option<u64>,
    /// The system's own clocks, where the worker is this program: they can be read here too, and much closer to the reference.
    own: Vec<NativeClock>,
    own_start: Vec<Option<Bracket>>,
    own_end: Vec<Option<Bracket>>,
}

impl Clocks {
    /// Looks whether the worker can do it.
    pub(crate) fn new(conversation: Conversation, native: bool) -> Result<Self, Failure> {
        let hello = conversation.hello();
        if !hello.capabilities.iter().any(|capability| capability == "clocks") {
            let failure = Failure::new(
                FailureKind::Protocol,
                "the worker can't read its clocks: it doesn't have the capability `clocks` (it is older than this tare, or another's)",
                "update the worker's SDK",
            );
            conversation.close();
            return Err(failure);
        }
        let state = |name: &String| State {
            name: name.clone(),
            start: None,
            end: None,
            seen: ClockFigures::default(),
            reads_a_block: 0,
            system_call: Err("it wasn't looked at".to_owned()),
        };
        let clocks = hello.reads.iter().map(state).collect();
        let slack = conversation
            .pid()
            .and_then(|pid| tare_machine::worker_timer_slack_ns(Path::new("/"), pid))
            .or_else(|| tare_machine::timer_slack_ns().filter(|_| native));
        let own = if native { native_clocks(Path::new("/")) } else { Vec::new() };
        Ok(Self { conversation, clocks, waits: Vec::new(), slack, own, own_start: Vec::new(), own_end: Vec::new() })
    }

    pub(crate) fn sleeping_calls(&self) -> usize {
        self.conversation.hello().waits.iter().filter(|call| *call != YIELD).count()
    }

    /// The exchanges at the beginning of the span.
    pub(crate) fn begin(&mut self, plan: &Plan) -> Done {
        self.own_start = brackets(&self.own);
        for at in 0..self.clocks.len() {
            self.clocks[at].start = self.exchange(at, plan)?;
        }
        Ok(())
    }

    /// Those at its end.
    pub(crate) fn end(&mut self, plan: &Plan) -> Done {
        self.own_end = brackets(&self.own);
        for at in 0..self.clocks.len() {
            self.clocks[at].end = self.exchange(at, plan)?;
        }
        Ok(())
    }

    fn exchange(&mut self, clock: usize, plan: &Plan) -> Result<Option<Exchange>, Failure> {
        let mut exchanges = Vec::with_capacity(EXCHANGES);
        for _ in 0..EXCHANGES {
            let before = raw_now();
            let reply = self.conversation.read(read_request(&self.clocks[clock].name, 1, 0, 0, 1), plan.timeout)?;
            let after = raw_now();
            let value = reply.values.first().map_or(0.0, |value| *value as f64);
            exchanges.push(Exchange { before: before as f64, value, after: after as f64 });
        }
        Ok(Exchange::tightest(&exchanges))
    }

    /// Steps, costs and standstills.
    pub(crate) fn read(&mut self, plan: &Plan) -> Done {
        for state in &mut self.clocks {
            let mut ask = |pairs, skip, blocks, reads| {
                self.conversation.read(read_request(&state.name, pairs, skip, blocks, reads), plan.timeout)
            };
            let first = ask(WARM, 0, 5, 200)?;
            let turn = first.blocks.iter().min().map_or(0.0, |block| *block as f64 / 200.0).max(0.1);
            let reads = ((BLOCK_NS / turn) as u64).clamp(1, MAX_READS);
            let close = ask(CLOSE, 0, BLOCKS, reads)?;
            let steps = close.values.windows(2).filter(|two| two[0] != two[1]).count();
            let mut followed = Vec::new();
            let mut skip = 0;
            if steps < ENOUGH_STEPS {
                skip = ((FOLLOWED_NS / turn / FOLLOWING as f64) as u64).clamp(1, MAX_READS);
                followed = ask(FOLLOWING, skip, 0, 1)?.values;
            }
            let near = Series { values: &close.values, skip: 0 };
            let blocks = Blocks { blocks: &close.blocks, empty: &close.empty, reads };
            state.seen = look(near, &[near, Series { values: &followed, skip }], blocks);
            state.reads_a_block = reads;
        }
        Ok(())
    }

    /// What waiting takes.
    pub(crate) fn wait(&mut self, plan: &Plan) -> Done {
        let calls = self.conversation.hello().waits.clone();
        for call in calls {
            let requests = if call == YIELD { &[0][..] } else { &SLEEPS[..] };
            for &requested_ns in requests {
                let times = plan.times(requested_ns);
                let limit = plan.timeout + 3 * plan.wait;
                let taken = match self.conversation.wait(&call, requested_ns, times, limit) {
                    Ok(taken) => Spread::of(taken.into_iter().map(|taken| taken as f64).collect())
                        .ok_or_else(|| "nothing was timed".to_owned()),
                    // The language's own refusal; the worker lives on.
                    Err(failure) if failure.kind == FailureKind::Runtime => Err(failure.message),
                    Err(failure) => return Err(failure),
                };
                self.waits.push(WaitRow { call: call.clone(), requested_ns, times, taken });
            }
        }
        Ok(())
    }

    /// Whether reads enter the kernel: in a process of its own, since following one slows it.
    pub(crate) fn probe(&mut self, ready: &Ready, launcher: &mut ProcessLauncher, plan: &Plan) {
        let names: Vec<&str> = self.clocks.iter().map(|state| state.name.as_str()).collect();
        let found = probe::system_calls(ready, launcher, &names, plan.timeout);
        for (state, found) in self.clocks.iter_mut().zip(found) {
            state.system_call = found;
        }
    }

    /// Ends the worker, and says what is known by now.
    pub(crate) fn give(self, into: &mut RuntimeClocks) {
        let own = |name: &str| self.own.iter().position(|own| own.name == name);
        for state in &self.clocks {
            // It failed, or was interrupted, before this one was read.
            if state.seen == ClockFigures::default() {
                continue;
            }
            let exchanged = || rate(state.start?, state.end?, state.seen.granularity()?);
            let bracketed = |at: usize| {
                let per_tick = self.own[at].clock.as_ref().map_or(1.0, |clock| clock.per_tick());
                let (start, end) = (self.own_start.get(at)?.as_ref()?, self.own_end.get(at)?.as_ref()?);
                between(start, end, per_tick, state.seen.granularity()?).map(|rate| (rate, per_tick))
            };
            let (rate, frequency_hz) = match own(&state.name) {
                Some(at) if !self.own[at].follows_time => (None, None),
                Some(at) if self.own[at].counts_ticks => {
                    let measured = |(rate, per_tick): (Rate, f64)| 1e9 / per_tick * (1.0 + rate.ppm * 1e-6);
                    (None, bracketed(at).map(measured))
                }
                Some(at) => (bracketed(at).map(|(rate, _)| rate), None),
                None => (exchanged().filter(|rate| rate.ppm.abs() < FOLLOWS * 1e6), None),
            };
            into.clocks.push(ClockRow {
                name: state.name.clone(),
                refused: None,
                findings: findings(&state.seen, rate),
                seen: state.seen.clone(),
                reads_a_block: state.reads_a_block,
                rate,
                frequency_hz,
                system_call: state.system_call.clone(),
            });
        }
        for own in &self.own {
            if let Err(reason) = &own.clock {
                into.clocks.push(refused(own.name, reason));
            }
        }
        into.waits = self.waits;
        into.timer_slack_ns = self.slack;
        self.conversation.close();
    }
}

/// Both brackets count from the first one: nanoseconds since 1970 are more than a float tells apart.
fn between(start: &Bracket, end: &Bracket, per_tick: f64, step: f64) -> Option<Rate> {
    let exchange = |bracket: &Bracket| Exchange {
        before: bracket.before.saturating_sub(start.before) as f64,
        value: bracket.value.saturating_sub(start.value) as f64 * per_tick,
        after: bracket.after.saturating_sub(start.before) as f64,
    };
    rate(exchange(start), exchange(end), step)
}

fn refused(name: &str, reason: &str) -> ClockRow {
    ClockRow {
        name: name.to_owned(),
        refused: Some(reason.to_owned()),
        seen: ClockFigures::default(),
        reads_a_block: 0,
        rate: None,
        frequency_hz: None,
        system_call: Err(String::new()),
        findings: Vec::new(),
    }
}

fn read_request(clock: &str, pairs: u64, skip: u64, blocks: u64, reads: u64) -> Read {
    Read { id: 0, clock: clock.to_owned(), pairs, skip, blocks, reads }
}

fn brackets(clocks: &[NativeClock]) -> Vec<Option<Bracket>> {
    clocks.iter().map(|own| own.clock.as_ref().ok().map(|clock| bracket(clock.as_ref(), OWN_EXCHANGES))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_machine::Bracket;

    use super::{LEAST_TIMES, MOST_TIMES, Plan, SLEEPS, between};

    /// A float near 1.8e18 steps by 256.
    #[test]
    fn the_rate_of_a_clock_that_counts_from_1970_is_as_fine_as_its_readings() {
        const SINCE_1970: i64 = 1_795_000_000_000_000_001;
        for faster_ns in [-100, -1, 0, 1, 100] {
            let at = |reference: i64, value: i64| Bracket { before: reference - 20, value, after: reference + 20 };
            let (start, end) = (
                at(40_000_000_000_000_000, SINCE_1970),
                at(40_000_001_000_000_000, SINCE_1970 + 1_000_000_000 + faster_ns),
            );
            let found = between(&start, &end, 1.0, 0.0).unwrap();
            assert!((found.ppm - faster_ns as f64 / 1e3).abs() < 1e-6, "{faster_ns} ns in a second: {found:?}");
            assert!((found.uncertainty_ppm - 0.04).abs() < 1e-9, "{found:?}");
        }
    }

    /// Whatever the number of runtimes, what is planned fits the time there is, as long as the least numbers do.
    #[test]
    fn waits_share_the_time() {
        for calls in 1..=12 {
            let plan = Plan::sharing(Duration::from_secs(11), calls, Duration::from_secs(3));
            let all: u64 = SLEEPS.iter().map(|&ns| plan.times(ns) * (ns.max(0) as u64 + 60_000)).sum();
            assert!(all * calls as u64 <= 13_500_000_000, "{calls} calls take {all} ns each");
            assert!(SLEEPS.iter().all(|&ns| (LEAST_TIMES..=MOST_TIMES).contains(&plan.times(ns))));
        }
    }
}
