//! How far the ratio of two processes scatters that run the same code in turns on one core: measured alone, and with all cores at work, which scatters more. That is what measuring on
//! several cores at once costs. The subjects are the runtime's own reference kernels, or the null where it has none.

use std::time::Duration;

use tare_plan::{Planned, Settings, launch_seed};
use tare_samples::{Failure, FailureKind, Subject};
use tare_statistics::quantile::quantile;
use tare_worker::{Conversation, Launcher, ProcessPlacement};

use crate::variant_run::deadline;

/// Ratios of two turns, one after the other; with kernels of some 0.2 ms they take some 0.2 s alone, and as long together.
const RATIOS: usize = 120;
/// Alone and together take so many turns: a machine that others use is quiet in one moment and not in the next.
const PARTS: usize = 8;
const SAMPLES_A_TURN: usize = 3;
const SAMPLE_NS: u64 = 150_000;
const MOST_CALLS: u64 = 1 << 24;
/// From the lower to the upper tenth of a normal distribution, in standard deviations.
const TENTHS_APART: f64 = 2.0 * 1.281_551_565_5;

/// What a core has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scatter {
    /// Standard deviation of the log-ratio of two turns of the same code while the other cores stood still; `None` where it wasn't this core's part.
    pub alone: Option<f64>,
    /// The same while all cores were at work.
    pub together: f64,
}

/// How far ratios scatter on one of several cores, from the outer tenths: rare disturbances don't decide it. `is_first`: this is the core that measures alone by turns, while the
/// others stand still. `wait` returns when all cores have called it; it is called equally often on each, also where a worker fails.
///
/// # Errors
/// Where a worker can't be started, or fails.
pub fn scatter(
    planned: &Planned,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    is_first: bool,
    wait: &dyn Fn(),
) -> Result<Scatter, Failure> {
    let opened: Result<Vec<Conversation>, Failure> =
        (0..2).map(|side| open(planned, settings, launcher, side)).collect();
    let mut state = opened.and_then(|sides| Sides::of(sides, planned, settings));
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for _ in 0..PARTS {
        for (takes_part, ratios) in [(is_first, &mut alone), (true, &mut together)] {
            wait();
            let taken = match &mut state {
                Ok(sides) if takes_part => sides.ratios(RATIOS / PARTS),
                _ => continue,
            };
            match taken {
                Ok(taken) => ratios.extend(taken),
                Err(failure) => state = Err(failure),
            }
        }
    }
    state?.sides.into_iter().for_each(Conversation::close);
    Ok(Scatter { alone: is_first.then(|| between_tenths(alone)), together: between_tenths(together) })
}

/// The standard deviation of a normal distribution whose outer tenths these are.
fn between_tenths(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    let tenth = |q: f64| quantile(&ratios, q).unwrap_or(0.0);
    (tenth(0.9) - tenth(0.1)) / TENTHS_APART
}

fn open(
    planned: &Planned,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    side: usize,
) -> Result<Conversation, Failure> {
    let deadline = deadline(planned, settings);
    let seed = launch_seed(settings.seed, &planned.variant.id, u64::MAX - 1 - side as u64);
    let mut conversation = launcher
        .start(&planned.start, seed, ProcessPlacement { among: side, ..ProcessPlacement::default() })?
        .open()?;
    let case = &planned.variant.case;
    let parameters = case.parameters.name.as_deref().unwrap_or("");
    let prepared = conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline).and_then(|_| {
        conversation.prepare(case.index, case.own_name(), parameters, settings.clock.as_deref(), deadline)
    });
    match prepared {
        Ok(_) => Ok(conversation),
        Err(failure) => {
            conversation.close();
            Err(failure)
        }
    }
}

/// Two processes of the same code, and what they run.
struct Sides {
    sides: Vec<Conversation>,
    subject: String,
    calls: u64,
    deadline: Duration,
}

impl Sides {
    /// With as many calls as make a sample long enough.
    fn of(mut sides: Vec<Conversation>, planned: &Planned, settings: &Settings) -> Result<Self, Failure> {
        let deadline = deadline(planned, settings);
        let subject = match sides[0].hello().kernels.first() {
            Some(kernel) => Subject::Kernel(kernel.clone()),
            None => Subject::Null,
        };
        let subject = subject.to_string();
        let mut calls = 16;
        while calls < MOST_CALLS {
            let elapsed = sides[0].run(&subject, 1, &[calls], deadline)?.elapsed;
            if elapsed.first().is_none_or(|&elapsed| elapsed >= SAMPLE_NS) {
                break;
            }
            calls *= 2;
        }
        Ok(Self { sides, subject, calls, deadline })
    }

    fn turn(&mut self, side: usize) -> Result<f64, Failure> {
        let mut elapsed = self.sides[side].run(&self.subject, 1, &[self.calls; SAMPLES_A_TURN], self.deadline)?.elapsed;
        elapsed.sort_unstable();
        elapsed.get(SAMPLES_A_TURN / 2).map(|&median| (median.max(1) as f64).ln()).ok_or_else(|| {
            Failure::new(FailureKind::Protocol, "the worker took no samples", "check it with `tare conformance`")
        })
    }

    fn ratios(&mut self, count: usize) -> Result<Vec<f64>, Failure> {
        let ratio = |round: usize| {
            // Whoever comes second has the warmer core.
            let (first, second) = if round.is_multiple_of(2) { (0, 1) } else { (1, 0) };
            let (of_first, of_second) = (self.turn(first)?, self.turn(second)?);
            Ok(if first == 0 { of_second - of_first } else { of_first - of_second })
        };
        (0..count).map(ratio).collect()
    }
}
