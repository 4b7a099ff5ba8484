use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

fn any_subject() -> impl Strategy<Value = Subject> {
    prop_oneof![
        Just(Subject::Case),
        Just(Subject::Null),
        Just(Subject::Clock),
        Just(Subject::Pause),
        ".{0,8}".prop_map(Subject::Kernel),
        Just(Subject::Kernel("case".into())),
        Just(Subject::Kernel("kernel/text".into())),
    ]
}

prop_compose! {
    fn any_turn()(
        (round, subject, warm, at_ns) in (any::<u32>(), any_subject(), any::<u64>(), any::<u64>()),
        iterations in vec(prop_oneof![0..4u64, any::<u64>()], 0..12),
        elapsed in vec(prop_oneof![300_000..1_000_000u64, any::<u64>()], 0..12),
        pauses in vec(any::<u64>(), 0..3),
        stretch in option::of((any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>())),
    ) -> Turn {
        let stretch =
            stretch.map(|(wall_ns, cpu_ns, yields, only_calls)| Stretch { wall_ns, cpu_ns, yields, only_calls });
        Turn { round, subject, warm, iterations, elapsed, pauses, at_ns, stretch }
    }
}

/// What a launch looks like: 30 rounds of the case, its null and the clock.
fn launch() -> Vec<Turn> {
    let mut noise = 1u64;
    let mut draw = |width: u64| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (noise >> 33) % width
    };
    let mut turns = Vec::new();
    for round in 0..30 {
        for (subject, iterations, elapsed) in
            [(Subject::Case, 4_000, 510_000), (Subject::Null, 4_000, 61_000), (Subject::Clock, 1, 40)]
        {
            turns.push(Turn {
                round,
                subject,
                warm: 3,
                iterations: vec![iterations; 5],
                elapsed: (0..5).map(|_| elapsed + draw(elapsed / 100 + 1)).collect(),
                pauses: Vec::new(),
                at_ns: u64::from(round) * 3_000_000 + draw(10_000),
                stretch: Some(Stretch {
                    wall_ns: 5 * elapsed + draw(10_000),
                    cpu_ns: 5 * elapsed,
                    yields: 0,
                    only_calls: true,
                }),
            });
        }
    }
    turns
}

proptest! {
    #[test]
    fn turns_survive_their_bytes(turns in vec(any_turn(), 0..20)) {
        prop_assert_eq!(decode(&encode(&turns)), Ok(turns));
    }

    #[test]
    fn any_bytes_are_turns_or_an_error(bytes in vec(any::<u8>(), 0..400)) {
        // Random bytes are stopped by the checksum, so the body is tried by itself too.
        prop_assert!(decode(&bytes).is_err());
        if let Ok(turns) = decode_body(&bytes, VERSION) {
            prop_assert_eq!(decode(&encode(&turns)), Ok(turns));
        }
    }

    #[test]
    fn a_damaged_body_is_turns_or_an_error(
        turns in vec(any_turn(), 1..6), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let blob = encode(&turns);
        let mut body = Vec::new();
        DeflateDecoder::new(&blob[header_length(&blob)..]).read_to_end(&mut body).unwrap();
        prop_assert_eq!(decode_body(&body, VERSION), Ok(turns));
        let at = at.index(body.len());
        body[at] = byte;
        if let Ok(turns) = decode_body(&body, VERSION) {
            prop_assert_eq!(decode(&encode(&turns)), Ok(turns));
        }
    }
}

fn header_length(blob: &[u8]) -> usize {
    5 + blob[5..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1
}

/// A blob of format 1 around bytes that need not make sense.
fn checked(bytes: &[u8]) -> Vec<u8> {
    [&[1], &crc32(bytes).to_le_bytes()[..], bytes].concat()
}

#[test]
fn every_changed_bit_and_every_cut_is_noticed() {
    let turns = launch();
    let blob = encode(&turns[..6]);
    for length in 0..blob.len() {
        assert!(decode(&blob[..length]).is_err(), "cut to {length} bytes");
    }
    for at in 0..blob.len() * 8 {
        let mut damaged = blob.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        assert!(decode(&damaged).is_err(), "bit {at}");
    }
}

#[test]
fn a_launch_takes_a_fraction_of_its_memory() {
    let turns = launch();
    let in_memory: usize = turns.iter().map(|turn| 8 * (turn.iterations.len() + turn.elapsed.len())).sum();
    let blob = encode(&turns);
    assert_eq!(decode(&blob).unwrap(), turns);
    assert!(blob.len() * 5 < in_memory, "{} bytes for {in_memory}", blob.len());
}

#[test]
fn format_1_is_read_as_it_was_written() {
    // Written once, by hand: one turn of the null in round 2, warm 3, two samples of 10 calls, 500 and 498 ns, at 7 ns.
    let body = [
        1, 4, b'n', b'u', b'l', b'l', // one subject
        1, 0, 4, 6, 14, // one turn: subject 0, round 2, warm 3, at 7
        4, 4, 0, // two iterations, two elapsed, no pauses
        20, 0, // 10, +0
        0xe8, 0x07, 3, // 500, -2
    ];
    let length = body.len() as u8;
    // The length; then a stored block: last, not compressed, the length and its complement.
    let blob = checked(&[&[length, 1, length, 0, !length, 0xff], &body[..]].concat());
    // By zlib's crc32(), so that the checksum isn't checked by itself alone.
    assert_eq!(blob[1..5], [0x40, 0xee, 0xa2, 0x1a]);
    let turn = Turn {
        round: 2,
        subject: Subject::Null,
        warm: 3,
        iterations: vec![10, 10],
        elapsed: vec![500, 498],
        pauses: vec![],
        at_ns: 7,
        stretch: None,
    };
    assert_eq!(decode(&blob), Ok(vec![turn]));
}

#[test]
fn another_version_and_a_huge_length_are_refused_by_name() {
    let mut blob = encode(&launch());
    blob[0] = 5;
    assert_eq!(decode(&blob).unwrap_err(), "they are in format 5, and this version of Tare reads formats up to 4");
    let huge = checked(&[&[0xff; 9][..], &[1]].concat());
    assert_eq!(decode(&huge).unwrap_err(), format!("their length reads as {} bytes", u64::MAX));
    let long = checked(&[&[0xff; 9][..], &[2]].concat());
    assert_eq!(decode(&long).unwrap_err(), "a number is longer than 64 bits");
}

#[test]
fn a_column_that_announces_too_much_allocates_nothing() {
    let mut cursor = Cursor { bytes: &[0; 16] };
    let mut values = Vec::new();
    assert!(cursor.values(u64::MAX, &mut 0, &mut values).is_err());
    assert_eq!(values.capacity(), 0);
}
