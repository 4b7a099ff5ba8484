//! The HdrHistogram project's published log decodes to the percentiles that its other implementations give.

use tare_load::interval::Interval;
use tare_load::log::{self, LogError, Logged};
use tare_load::series::Series;

const PUBLISHED: &[u8] = include_bytes!("vectors/tagged-Log.logV2.hlog");

#[test]
fn the_published_log_has_the_published_counts() {
    let entries = log::read(PUBLISHED).unwrap();
    assert_eq!(entries.len(), 42);
    assert_eq!(entries.iter().map(|entry| entry.histogram.len()).sum::<u64>(), 32_290);
    let first = &entries[0].histogram;
    assert_eq!((first.len(), first.max()), (741, 2_768_895));
    assert_eq!((first.value_at_percentile(50.0), first.value_at_percentile(99.0)), (344_063, 409_599));
    let untagged = log::merged(entries.iter().filter(|entry| entry.tag.is_none())).unwrap();
    let tagged = log::merged(entries.iter().filter(|entry| entry.tag.as_deref() == Some("A"))).unwrap();
    let all = log::merged(entries.iter()).unwrap();
    // As the `hdrhistogram` package for Python, release 0.10, has them.
    let elsewhere = [
        (50.0, 344_319),
        (90.0, 409_855),
        (95.0, 742_916_095),
        (99.0, 1_385_168_895),
        (99.9, 1_536_163_839),
        (99.99, 1_544_552_447),
    ];
    for (percentile, value) in elsewhere {
        assert_eq!(all.value_at_percentile(percentile), value, "{percentile}");
    }
    assert_eq!(untagged, tagged, "the log holds every interval twice, once with a tag");
}

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
    let entries = log::read(&text).unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].tag.as_deref(), Some("http://localhost/a__b_"));
    assert_eq!(entries[0].start.as_secs(), 3);
    let (written, read) = (interval.latencies.as_hdr(), &entries[0].histogram);
    for percentile in [1.0, 50.0, 90.0, 99.0, 99.9, 100.0] {
        assert_eq!(read.value_at_percentile(percentile), written.value_at_percentile(percentile), "{percentile}");
    }
}

#[test]
fn what_is_no_log_is_refused() {
    assert!(matches!(log::read(b"hello\n"), Err(LogError::Line { intervals: 0, .. })));
    assert!(matches!(log::read(b"0.1,1.0,2.0,!!!!\n"), Err(LogError::Line { .. } | LogError::Histogram { .. })));
    assert!(matches!(log::read(b"0.1,1.0,2.0,SElTVA==\n"), Err(LogError::Histogram { interval: 1, .. })));
    assert!(log::read(b"").unwrap().is_empty());
}
