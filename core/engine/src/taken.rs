//! Makes a [`Turn`] of what a worker answered to a request for one.

use tare_frames::Samples;
use tare_samples::{Stretch, Subject, Turn};

pub(crate) fn taken(
    round: u32,
    subject: Subject,
    warm: u64,
    iterations: Vec<u64>,
    samples: Samples,
    at_ns: u64,
    hooks: Option<bool>,
) -> Turn {
    let only_calls = hooks == Some(false);
    let stretch = samples.stretch.map(|stretch| Stretch {
        wall_ns: stretch.wall,
        cpu_ns: stretch.cpu,
        yields: stretch.yields,
        only_calls,
    });
    Turn { round, subject, warm, iterations, elapsed: samples.elapsed, pauses: samples.pauses, at_ns, stretch }
}
