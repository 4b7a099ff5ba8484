//! What a worker says of a turn, as a turn.

use tare_frames::Samples;
use tare_samples::{Stretch, Subject, Turn};

pub(crate) fn taken(
    round: u32,
    subject: Subject,
    warm: u64,
    iterations: Vec<u64>,
    samples: Samples,
    at_ns: u64,
) -> Turn {
    let stretch =
        samples.stretch.map(|stretch| Stretch { wall_ns: stretch.wall, cpu_ns: stretch.cpu, yields: stretch.yields });
    Turn { round, subject, warm, iterations, elapsed: samples.elapsed, pauses: samples.pauses, at_ns, stretch }
}
