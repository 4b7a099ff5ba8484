//! What is written as a histogram log.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

use std::io::{BufWriter, Write};

use tare_load::interval::Interval;
use tare_load::log::{self, Logged, WriteError};
use tare_load::series::Series;

#[test]
fn what_is_written_is_read_back() {
    let mut series = Series::default();
    let mut interval = Interval { second: 3, ..Interval::default() };
    (1..=1000u64).for_each(|i| interval.latencies.record(i * 12_345));
    series.add(&interval);
    let mut text = Vec::new();
    let started = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let targets = [Logged { tag: Some("http://localhost/a, b\n"), series: &series }];
    log::write(&mut text, started, &targets).unwrap();
    let entries = tare_histogram_log::read(&text).unwrap().entries;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].tag.as_deref(), Some("http://localhost/a__b_"));
    assert_eq!(entries[0].start.as_secs(), 3);
    let (written, read) = (interval.latencies.as_hdr(), tare_histogram_log::merged(entries.iter()).unwrap());
    for percentile in [1.0, 50.0, 90.0, 99.0, 99.9, 100.0] {
        assert_eq!(read.value_at_percentile(percentile), written.value_at_percentile(percentile), "{percentile}");
    }
}

/// A disk with room for so many bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let written = bytes.len().min(self.0);
        self.0 -= written;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_disk_that_is_full_is_told_however_late() {
    let mut series = Series::default();
    let mut interval = Interval::default();
    interval.latencies.record(12_345);
    series.add(&interval);
    let targets = [Logged { tag: None, series: &series }];
    let mut text = Vec::new();
    log::write(&mut text, std::time::UNIX_EPOCH, &targets).unwrap();
    let write = |room: usize| log::write(&mut BufWriter::new(Disk(room)), std::time::UNIX_EPOCH, &targets);
    write(text.len()).unwrap();
    for room in [0, 1, text.len() / 2, text.len() - 1] {
        let error = write(room).unwrap_err();
        assert!(matches!(&error, WriteError(what) if what == "no storage space"), "{room}: {error}");
    }
}
