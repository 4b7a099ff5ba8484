//! What a load gave, as it is kept: every round with its histogram, every second, every count. JSON, deflated.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};

use crate::plan::{Block, Outcome};
use crate::workers;

/// More than any load has; a text that unpacks to more isn't one.
const LARGEST: u64 = 1 << 30;

/// What was planned, and what it gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct KeptLoad {
    /// In order, what wasn't done any more included.
    pub planned: Vec<Block>,
    /// What was measured.
    pub outcome: Outcome,
    /// Of workers that were interrupted: what each group of targets that take turns was to do, and did, so that it can be gone on with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<KeptTeam>,
}

/// What workers that take turns were to do, and did.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct KeptTeam {
    /// What was under load.
    pub targets: Vec<workers::Target>,
    /// In order, what wasn't done any more included.
    pub planned: Vec<Block>,
    /// What they did.
    pub outcome: workers::Outcome,
}

/// Why something isn't a load that was kept.
#[derive(Debug, thiserror::Error)]
#[error("the load's measurements in the store can't be read: {0}")]
pub struct NotKept(#[from] serde_json::Error);

impl KeptLoad {
    /// As bytes.
    ///
    /// # Errors
    /// What it holds can't be written down.
    pub fn pack(&self) -> Result<Vec<u8>, NotKept> {
        let json = serde_json::to_vec(self)?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory doesn't fail.
        packed.write_all(&json).and_then(|()| packed.finish()).map_err(|error| NotKept(serde_json::Error::io(error)))
    }

    /// From bytes.
    ///
    /// # Errors
    /// They aren't what [`pack`](Self::pack) makes.
    pub fn unpack(bytes: &[u8]) -> Result<Self, NotKept> {
        let mut json = Vec::new();
        let read = ZlibDecoder::new(bytes).take(LARGEST).read_to_end(&mut json);
        read.map_err(|error| NotKept(serde_json::Error::io(error)))?;
        Ok(serde_json::from_slice(&json)?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::KeptLoad;
    use crate::interval::Interval;
    use crate::plan::{Block, BlockResult, Outcome};
    use crate::series::{Series, Stretch};

    #[test]
    fn what_is_kept_comes_back_with_its_percentiles_and_counts() {
        let mut interval = Interval { second: 3, bytes: 77, connects: 4, ..Interval::default() };
        (1..=5000u64).for_each(|i| interval.latencies.record(i * i * 37 % 1_000_003));
        interval.failures.add("refused", 2);
        interval.statuses.add(200);
        interval.statuses.add(999);
        let (mut series, mut total) = (Series::default(), Stretch::default());
        series.add(&interval);
        total.merge(&interval);
        let block = Block {
            target: 1,
            round: 7,
            length: Some(Duration::from_millis(275)),
            operations: None,
            settling: Duration::from_millis(25),
            measured: true,
            renewed: true,
        };
        let result = BlockResult { block, total, in_window: 4999.25, window: Duration::from_millis(250) };
        let outcome = Outcome { blocks: vec![result], series: vec![series], ..Outcome::default() };
        let packed = KeptLoad { planned: vec![block], outcome, ..KeptLoad::default() }.pack().unwrap();
        let back = KeptLoad::unpack(&packed).unwrap();
        assert_eq!(back.planned, [block]);
        let (round, again) = (&back.outcome.blocks[0], &back.outcome.series[0]);
        assert_eq!((round.block, round.in_window, round.window), (block, 4999.25, Duration::from_millis(250)));
        for percentile in [50.0, 99.0, 99.99] {
            let all = interval.latencies.percentile(percentile);
            assert_eq!(round.total.latencies.percentile(percentile), all);
            assert_eq!(again.total.latencies.percentile(percentile), all);
        }
        assert_eq!(again.total.failures, interval.failures);
        assert_eq!(again.total.statuses, interval.statuses);
        assert_eq!((again.total.bytes, again.total.connects, again.seconds[&3].failed), (77, 4, 2));
    }

    #[test]
    fn what_was_not_kept_is_refused() {
        for bytes in [&b""[..], b"nonsense", &[0x78, 0x9c, 3, 0]] {
            assert!(KeptLoad::unpack(bytes).is_err(), "{bytes:?}");
        }
        let packed = KeptLoad::default().pack().unwrap();
        assert!(KeptLoad::unpack(&packed[..packed.len() - 8]).is_err(), "cut short");
    }
}
