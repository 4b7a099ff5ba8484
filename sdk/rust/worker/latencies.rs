//! Latencies of one operation in one slice: counts of what agrees in its eleven highest bits (PROTOCOL §4, `slice`).

const HALF: u64 = 1024;
/// A day.
const LARGEST: u64 = 86_400_000_000_000;

/// The buckets of an HDR histogram of three digits; recording is some shifts, and allocates nothing.
pub(crate) struct Latencies {
    counts: Vec<u32>,
    count: u64,
}

impl Latencies {
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; bucket(LARGEST) + 1], count: 0 }
    }

    pub(crate) fn record(&mut self, nanoseconds: u64) {
        let count = &mut self.counts[bucket(nanoseconds.min(LARGEST))];
        *count = count.saturating_add(1);
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What there is: values, each the lowest of its bucket, and how often each. Empty afterwards.
    pub(crate) fn take(&mut self) -> (Vec<i64>, Vec<i64>) {
        let (mut values, mut times) = (Vec::new(), Vec::new());
        for (at, count) in self.counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            values.push(lowest(at) as i64);
            times.push(i64::from(std::mem::take(count)));
        }
        self.count = 0;
        (values, times)
    }
}

fn bucket(value: u64) -> usize {
    if value < 2 * HALF {
        return value as usize;
    }
    let shift = 63 - u64::from(value.leading_zeros()) - 10;
    (HALF * shift + (value >> shift)) as usize
}

fn lowest(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * HALF {
        return bucket;
    }
    let shift = bucket / HALF - 1;
    (bucket - HALF * shift) << shift
}
