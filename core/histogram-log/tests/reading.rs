//! The HdrHistogram project's published logs decode to the percentiles that its other implementations give.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use tare_histogram_log::{Entry, ReadError, merged, read};

const PUBLISHED: &[u8] = include_bytes!("vectors/jHiccup-2.0.7S.logV2.hlog");
const TAGGED: &[u8] = include_bytes!("vectors/tagged-Log.logV2.hlog");

/// What the project's implementations assert of this log: of all of it, and of two stretches of it.
#[test]
fn the_published_log_has_the_published_percentiles() {
    let entries = read(PUBLISHED).unwrap().entries;
    for (from, to, intervals, values, p999, max) in [
        (0.0, f64::INFINITY, 62, 48_761, 1_745_879_039, 1_796_210_687),
        (5.0, 20.0, 15, 11_664, 1_536_163_839, 1_544_552_447),
        (40.0, 60.0, 20, 15_830, 1_779_433_471, 1_796_210_687),
    ] {
        let within = |entry: &&Entry| (from..=to).contains(&entry.start.as_secs_f64());
        let stretch: Vec<_> = entries.iter().filter(within).collect();
        assert_eq!(stretch.len(), intervals, "from {from} s");
        let all = merged(stretch.into_iter()).unwrap();
        assert_eq!((all.len(), all.value_at_percentile(99.9), all.max()), (values, p999, max), "from {from} s");
    }
}

#[test]
fn tags_part_a_log() {
    let entries = read(TAGGED).unwrap().entries;
    assert_eq!(entries.len(), 42);
    assert_eq!(entries.iter().map(Entry::count).sum::<u64>(), 32_290);
    let first = merged(entries.iter().take(1)).unwrap();
    assert_eq!(first.len(), 741);
    // The interval is kept to two digits: each value is anywhere in its bucket.
    for (percentile, highest) in [(50.0, 344_063), (99.0, 409_599), (100.0, 2_768_895)] {
        let value = first.value_at_percentile(percentile);
        assert!(value <= highest && value > highest - 16_384, "{percentile}: {value}");
    }
    let untagged = merged(entries.iter().filter(|entry| entry.tag.is_none())).unwrap();
    let tagged = merged(entries.iter().filter(|entry| entry.tag.as_deref() == Some("A"))).unwrap();
    let all = merged(entries.iter()).unwrap();
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
fn what_is_no_log_is_refused() {
    assert_eq!(read(b"hello\n").unwrap_err(), ReadError::Line { line: 1, intervals: 0 });
    let damaged =
        [PUBLISHED.split_inclusive(|&byte| byte == b'\n').take(9).collect::<Vec<_>>().concat(), b"hello\n".to_vec()]
            .concat();
    assert_eq!(read(&damaged).unwrap_err().to_string(), "line 10 isn't a line of a histogram log, after 5 intervals");
    assert!(matches!(read(b"0.1,1.0,2.0,!!!!\n"), Err(ReadError::Line { .. } | ReadError::Histogram { .. })));
    assert!(matches!(read(b"0.1,1.0,2.0,SElTVA==\n"), Err(ReadError::Histogram { interval: 1, .. })));
    assert!(read(b"").unwrap().entries.is_empty());
}

/// A histogram's encoding that says `claimed` for the length of its counts, of which there is one.
fn claiming(claimed: u32) -> Vec<u8> {
    let mut plain = Vec::new();
    for number in [0x1c84_9313, claimed, 0, 3] {
        plain.extend(u32::to_be_bytes(number));
    }
    for number in [1, 3_600_000_000_000] {
        plain.extend(u64::to_be_bytes(number));
    }
    plain.extend(1f64.to_be_bytes());
    plain.push(2);
    plain
}

fn deflated(plain: &[u8]) -> Vec<u8> {
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
    deflated.write_all(plain).unwrap();
    let deflated = deflated.finish().unwrap();
    [&0x1c84_9314u32.to_be_bytes()[..], &(deflated.len() as u32).to_be_bytes(), &deflated].concat()
}

/// Room for 4 GB would be made of a line of a hundred bytes.
#[test]
fn a_histogram_that_claims_more_than_it_can_hold_is_refused() {
    let line = |encoded: &[u8]| format!("0.1,1.0,2.0,{}\n", STANDARD.encode(encoded)).into_bytes();
    assert_eq!(read(&line(&claiming(1))).unwrap().entries[0].count(), 1);
    assert_eq!(read(&line(&deflated(&claiming(1)))).unwrap().entries[0].count(), 1);
    for encoded in [claiming(2), claiming(u32::MAX), deflated(&claiming(u32::MAX)), deflated(&claiming(1 << 20))] {
        let told = read(&line(&encoded)).unwrap_err().to_string();
        assert!(told.contains("interval 1 can't be decoded: it claims"), "{told}");
    }
}

/// Bytes of a short log, some of which are something else: what a disk, a tool or a hand may have made of one.
fn damaged(log: &[u8], lines: usize, changes: &[(usize, u8)], cut: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = log.split_inclusive(|&byte| byte == b'\n').take(lines).flatten().copied().collect();
    for &(at, by) in changes {
        let length = bytes.len();
        bytes[at % length] = by;
    }
    bytes.truncate(bytes.len().saturating_sub(cut % 200));
    bytes
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_log_or_an_error(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn a_damaged_log_is_read_or_refused(
        tagged: bool, lines in 1usize..8,
        changes in proptest::collection::vec((0usize..100_000, proptest::prelude::any::<u8>()), 0..4), cut in 0usize..400,
    ) {
        let bytes = damaged(if tagged { TAGGED } else { PUBLISHED }, lines, &changes, if cut > 200 { cut } else { 0 });
        if let Ok(log) = read(&bytes) {
            let _ = merged(log.entries.iter());
        }
    }

    /// Whole to the outside: what is wrong is within the payload.
    #[test]
    fn a_damaged_histogram_is_read_or_refused(
        changes in proptest::collection::vec((0usize..100_000, proptest::prelude::any::<u8>()), 1..4), deflated: bool,
    ) {
        let line = PUBLISHED.split(|&byte| byte == b'\n').find(|line| line.first().is_some_and(u8::is_ascii_digit)).unwrap();
        let (head, payload) = line.split_at(line.iter().rposition(|&byte| byte == b',').unwrap() + 1);
        let mut bytes = STANDARD.decode(payload).unwrap();
        if !deflated {
            let mut inner = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&bytes[8..]), &mut inner).unwrap();
            bytes = inner;
        }
        for (at, by) in changes {
            let length = bytes.len();
            bytes[at % length] = by;
        }
        if !deflated {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&bytes).unwrap();
            let packed = encoder.finish().unwrap();
            bytes = [0x1c84_9314_u32.to_be_bytes(), (packed.len() as u32).to_be_bytes()].concat();
            bytes.extend(packed);
        }
        let text = [head, STANDARD.encode(&bytes).as_bytes()].concat();
        if let Ok(log) = read(&text) {
            let _ = merged(log.entries.iter());
        }
    }
}
