//! What readings of a clock say of it: its smallest step, what a read costs, whether it goes back or stands still, and its
//! rate.
//!
//! Pure: readings come from a worker, from this machine's own clocks, or from a simulated one. Times are nanoseconds.

use crate::quantile::{median, quantile, sort};
use serde::{Deserialize, Serialize};

/// A step this many times what a read takes is the clock's and not the reader's.
const COARSE: f64 = 2.0;
/// Steps below this, in nanoseconds, are fine whatever a read costs.
const FINE_NS: f64 = 100.0;
/// A clock that shows one value for this many of its usual steps (or of its reads, where these are longer) stands still.
const STALL: f64 = 10.0;
/// Deviations of rate below this many ppm are ordinary: quartz is no better, and the kernel follows it.
const ORDINARY_PPM: f64 = 10.0;

/// Least, middle and 99th percentile of many values, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Least.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// 99th percentile (Hyndman & Fan, definition 7).
    pub p99: f64,
}

impl Spread {
    /// `None` where there is no value.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        sort(&mut values);
        Some(Self { min: *values.first()?, median: median(&values)?, p99: quantile(&values, 0.99)? })
    }
}

/// Readings in the order in which they were taken: pairs back to back, `skip` readings dropped after each pair.
#[derive(Debug, Clone, Copy, Default)]
pub struct Series<'a> {
    /// Nanoseconds.
    pub values: &'a [i64],
    /// Readings dropped after each pair.
    pub skip: u64,
}

/// Times of blocks of reads, and of the same loop without them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocks<'a> {
    /// Nanoseconds of each block.
    pub blocks: &'a [u64],
    /// Nanoseconds of each empty loop.
    pub empty: &'a [u64],
    /// Reads, and turns of the loop, in each.
    pub reads: u64,
}

/// What was seen of a clock.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockFigures {
    /// Smallest step forward between two successive readings; a clock of fine resolution shows here what a read takes. `None`
    /// where it never advanced.
    pub step: Option<f64>,
    /// Cost of a read: a block less the empty loop, over its reads. Not clamped.
    pub read: Option<Spread>,
    /// Difference of two readings back to back.
    pub back_to_back: Option<Spread>,
    /// Readings that were earlier than the one before.
    pub backward_steps: u64,
    /// The largest of these steps back, as a positive number.
    pub furthest_back: Option<f64>,
    /// Readings, of those taken one right after the other, that were the same as the one before.
    pub stalled_reads: u64,
    /// How many readings that is out of.
    pub reads: u64,
    /// The longest time for which it showed one value, by the number of reads made meanwhile and what a read takes: time in
    /// which nobody read doesn't count.
    pub longest_standstill: Option<f64>,
    /// Its usual step: the median of those forward.
    pub usual_step: Option<f64>,
    /// What a read takes in its loop.
    pub turn: Option<f64>,
}

impl ClockFigures {
    /// By how much a reading may lag behind the clock's own time, in nanoseconds: its usual step. The smallest one is less where a clock
    /// is slewed or steps unevenly. `None` where it was never seen to step, so that nobody knows.
    pub fn granularity(&self) -> Option<f64> {
        self.step.zip(self.usual_step).map(|(least, usual)| least.max(usual))
    }
}

/// Looks at series of readings of one clock and at its blocks. `close` is what counts for back-to-back differences and stalled
/// reads (its `skip` is 0); `all`, `close` among it, for steps.
pub fn look(close: Series<'_>, all: &[Series<'_>], blocks: Blocks<'_>) -> ClockFigures {
    let turn = turn(blocks);
    let mut steps = Vec::new();
    let (mut backward_steps, mut furthest_back, mut longest_run) = (0, None::<f64>, None::<u64>);
    for series in all {
        let mut run = 0_u64;
        for (at, two) in series.values.windows(2).enumerate() {
            let step = two[1].saturating_sub(two[0]);
            // The last of a pair, and the first of the next: what was dropped lies between.
            let reads = if at % 2 == 1 { 1 + series.skip } else { 1 };
            match step {
                0 => run = u64::saturating_add(run, reads),
                _ => {
                    longest_run = longest_run.max(Some(run));
                    run = 0;
                }
            }
            if step > 0 {
                steps.push(step as f64);
            } else if step < 0 {
                backward_steps += 1;
                furthest_back = Some(furthest_back.unwrap_or(0.0).max(-(step as f64)));
            }
        }
        longest_run = longest_run.max(Some(run));
    }
    sort(&mut steps);
    let pairs = close.values.chunks_exact(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64);
    let still = close.values.windows(2).filter(|two| two[0] == two[1]).count();
    ClockFigures {
        step: steps.first().copied(),
        read: cost(blocks),
        back_to_back: Spread::of(pairs.collect()),
        backward_steps,
        furthest_back,
        stalled_reads: still as u64,
        reads: close.values.len().saturating_sub(1) as u64,
        longest_standstill: longest_run.zip(turn).map(|(run, turn)| run as f64 * turn),
        usual_step: median(&steps),
        turn,
    }
}

/// What a read takes, its loop included: the median block over its reads.
fn turn(blocks: Blocks<'_>) -> Option<f64> {
    let mut times: Vec<f64> = blocks.blocks.iter().map(|&block| block as f64).collect();
    sort(&mut times);
    median(&times).filter(|_| blocks.reads > 0).map(|block| block / blocks.reads as f64)
}

/// Each block less the median of the empty loops: what disturbs a single empty loop must not make a read cheap.
fn cost(blocks: Blocks<'_>) -> Option<Spread> {
    let mut empty: Vec<f64> = blocks.empty.iter().map(|&empty| empty as f64).collect();
    sort(&mut empty);
    let empty = median(&empty).filter(|_| blocks.reads > 0)?;
    Spread::of(blocks.blocks.iter().map(|&block| (block as f64 - empty) / blocks.reads as f64).collect())
}

/// A reading somewhere between two moments of the reference clock. All in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchange {
    /// The reference before.
    pub before: f64,
    /// The reading.
    pub value: f64,
    /// The reference after.
    pub after: f64,
}

impl Exchange {
    /// The tightest of several.
    pub fn tightest(exchanges: &[Self]) -> Option<Self> {
        exchanges.iter().copied().min_by(|a, b| a.width().total_cmp(&b.width()))
    }

    fn width(&self) -> f64 {
        self.after - self.before
    }
}

/// How much faster a clock runs than the reference, in parts per million, and the most that this can be off by: a bound, not
/// a standard deviation. It follows from the widths of both brackets and from the clock's step (Cristian, "Probabilistic clock
/// synchronization", Distributed Computing 3, 1989, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Parts per million; negative where it is slower.
    pub ppm: f64,
    /// The bound, likewise.
    pub uncertainty_ppm: f64,
}

/// From an exchange at the beginning of a span and one at its end. `step` is the clock's, as
/// [`ClockFigures::granularity`] has it. `None` where the span is nothing.
pub fn rate(start: Exchange, end: Exchange, step: f64) -> Option<Rate> {
    let middle = |exchange: &Exchange| exchange.before + exchange.width() / 2.0;
    let span = middle(&end) - middle(&start);
    let error = (start.width() + end.width()) / 2.0 + step;
    let ratio = (end.value - start.value) / span;
    (span > 0.0 && ratio.is_finite()).then(|| Rate { ppm: (ratio - 1.0) * 1e6, uncertainty_ppm: error / span * 1e6 })
}

/// Something about a clock that its readers should know.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Finding {
    /// It moves in steps that are longer than a read.
    Coarse {
        /// The smallest step seen.
        step: f64,
    },
    /// It went back.
    Backward {
        /// How often.
        steps: u64,
        /// How far at most.
        furthest: f64,
    },
    /// It stood still, for much longer than it usually does, or never moved at all.
    Stalled {
        /// For how long.
        standstill: f64,
    },
    /// It runs faster or slower than the reference.
    Off {
        /// By how much.
        rate: Rate,
    },
}

impl Finding {
    /// `coarse`, `backward`, `stalled` or `rate`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Coarse { .. } => "coarse",
            Self::Backward { .. } => "backward",
            Self::Stalled { .. } => "stalled",
            Self::Off { .. } => "rate",
        }
    }
}

/// What is worth saying of a clock.
pub fn findings(seen: &ClockFigures, rate: Option<Rate>) -> Vec<Finding> {
    let mut found = Vec::new();
    let turn = seen.turn.unwrap_or(0.0);
    if let Some(step) = seen.step.filter(|&step| step >= FINE_NS && step > COARSE * turn) {
        found.push(Finding::Coarse { step });
    }
    if let Some(furthest) = seen.furthest_back {
        found.push(Finding::Backward { steps: seen.backward_steps, furthest });
    }
    let usual = seen.usual_step.map_or(0.0, |usual| usual.max(turn));
    if let Some(standstill) = seen.longest_standstill.filter(|&still| still > STALL * usual && still > 0.0) {
        found.push(Finding::Stalled { standstill });
    }
    if let Some(rate) = rate.filter(|rate| rate.ppm.abs() - rate.uncertainty_ppm > ORDINARY_PPM) {
        found.push(Finding::Off { rate });
    }
    found
}

#[cfg(test)]
mod tests;
