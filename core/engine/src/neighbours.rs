//! How far the ratio of two processes scatters that run the same code in turns on one core. Measured alone, and again with all cores at work: the second scatters more, and that is what
//! measuring on several cores at once costs. The subjects are the runtime's own reference kernels, or the null where it has none.

use tare_plan::{Planned, Settings, launch_seed};
use tare_samples::{Failure, FailureKind, Subject};
use tare_statistics::quantile::quantile;
use tare_worker::{Conversation, Launcher, ProcessPlacement};

use crate::variant_run::deadline;

/// Ratios of two turns, one after the other; with kernels of some 0.2 ms they take some 0.2 s.
const RATIOS: usize = 120;
const SAMPLES_A_TURN: usize = 3;
const SAMPLE_NS: u64 = 150_000;
const MOST_CALLS: u64 = 1 << 24;
/// From the lower to the upper tenth of a normal distribution, in standard deviations.
const TENTHS_APART: f64 = 2.0 * 1.281_551_565_5;

/// The standard deviation of the log-ratio of two turns of the same code, from the outer tenths: rare disturbances don't decide it.
/// `ready` is called once all is started, also where that failed, and may wait for others.
///
/// # Errors
/// Where a worker can't be started, or fails.
pub fn scatter(
    planned: &Planned,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    ready: &dyn Fn(),
) -> Result<f64, Failure> {
    let opened: Result<Vec<Conversation>, Failure> =
        (0..2).map(|side| open(planned, settings, launcher, side)).collect();
    ready();
    let mut sides = opened?;
    let taken = ratios(&mut sides, planned, settings);
    sides.into_iter().for_each(Conversation::close);
    let mut ratios = taken?;
    ratios.sort_by(f64::total_cmp);
    let tenth = |q: f64| quantile(&ratios, q).unwrap_or(0.0);
    Ok((tenth(0.9) - tenth(0.1)) / TENTHS_APART)
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

fn ratios(sides: &mut [Conversation], planned: &Planned, settings: &Settings) -> Result<Vec<f64>, Failure> {
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
    let mut turn = |side: usize| -> Result<f64, Failure> {
        let mut elapsed = sides[side].run(&subject, 1, &[calls; SAMPLES_A_TURN], deadline)?.elapsed;
        elapsed.sort_unstable();
        elapsed.get(SAMPLES_A_TURN / 2).map(|&median| (median.max(1) as f64).ln()).ok_or_else(|| {
            Failure::new(FailureKind::Protocol, "the worker took no samples", "check it with `tare conformance`")
        })
    };
    (0..RATIOS)
        .map(|round| {
            // Whoever comes second has the warmer core.
            let (first, second) = if round % 2 == 0 { (0, 1) } else { (1, 0) };
            let (of_first, of_second) = (turn(first)?, turn(second)?);
            Ok(if first == 0 { of_second - of_first } else { of_first - of_second })
        })
        .collect()
}
