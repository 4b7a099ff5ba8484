//! The HdrHistogram project's published logs decode to the percentiles that its other implementations give.

use tare_load::interval::Interval;
use tare_load::log::{self, LogError, Logged};
use tare_load::series::Series;

const PUBLISHED: &[u8] = include_bytes!("vectors/jHiccup-2.0.7S.logV2.hlog");
const TAGGED: &[u8] = include_bytes!("vectors/tagged-Log.logV2.hlog");

/// What the project's implementations assert of this log: of all of it, and of two stretches of it.
#[test]
fn the_published_log_has_the_published_percentiles() {
    let entries = log::read(PUBLISHED).unwrap();
    for (from, to, intervals, values, p999, max) in [
        (0.0, f64::INFINITY, 62, 48_761, 1_745_879_039, 1_796_210_687),
        (5.0, 20.0, 15, 11_664, 1_536_163_839, 1_544_552_447),
        (40.0, 60.0, 20, 15_830, 1_779_433_471, 1_796_210_687),
    ] {
        let within = |entry: &&log::Entry| (from..=to).contains(&entry.start.as_secs_f64());
        let stretch: Vec<_> = entries.iter().filter(within).collect();
        assert_eq!(stretch.len(), intervals, "from {from} s");
        let merged = log::merged(stretch.into_iter()).unwrap();
        assert_eq!(
            (merged.len(), merged.value_at_percentile(99.9), merged.max()),
            (values, p999, max),
            "from {from} s"
        );
    }
}

#[test]
fn tags_part_a_log() {
    let entries = log::read(TAGGED).unwrap();
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
