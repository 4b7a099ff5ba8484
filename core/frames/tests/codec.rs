//! Every frame survives the codec, nothing makes it panic, and each rule of PROTOCOL 2.4 gives its own kind of error.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use tare_frames::{
    CaseFrame, Fault, FinishedFrame, FrameErrorKind, Hello, Level, MAX_FRAME_BYTES, MAX_INTEGER, MAX_SAMPLES, Notice,
    Read, Readings, Reply, Request, Run, Samples, Stretch, Wait, Waited,
};

/// Names and messages come from users: quotes, controls, line ends, things outside the basic plane, bare markup.
fn text() -> impl Strategy<Value = String> {
    let odd = vec(
        prop_oneof![
            Just('"'),
            Just('\\'),
            Just('\n'),
            Just('\r'),
            Just('\0'),
            Just('\u{1b}'),
            Just('\u{7f}'),
            Just('\u{2028}'),
            Just('\u{feff}'),
            Just('\u{ffff}'),
            Just('𝄞'),
            any::<char>(),
        ],
        0..12,
    );
    prop_oneof![odd.prop_map(String::from_iter), ".*", Just(String::new())]
}

fn integer() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(MAX_INTEGER), 0..=MAX_INTEGER]
}

fn integers() -> impl Strategy<Value = Vec<u64>> {
    vec(integer(), 1..40)
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        (integer(), vec(text(), 1..5), option::of(text())).prop_map(|(id, files, bootstrap)| Request::Load {
            id,
            files,
            bootstrap
        }),
        (integer(), integer(), text(), text(), option::of(text()), any::<bool>()).prop_map(
            |(id, case, benchmark, parameters, clock, copy)| {
                Request::Prepare { id, case, benchmark, parameters, clock, copy }
            }
        ),
        (integer(), text(), integers(), 0..=MAX_SAMPLES as u64, any::<bool>(), any::<bool>()).prop_map(
            |(id, subject, iterations, warm, settle, hooks)| {
                Request::Run(Run { id, subject, iterations, warm, settle, hooks })
            }
        ),
        integer().prop_map(|id| Request::Arrange { id }),
        (integer(), text(), 1..=50_000u64, 0..=1_000_000u64, 0..=10_000u64, 1..=1_000_000u64).prop_map(
            |(id, clock, pairs, skip, blocks, reads)| Request::Read(Read { id, clock, pairs, skip, blocks, reads })
        ),
        (integer(), text(), -10_000_000_000..=10_000_000_000i64, 1..=10_000u64)
            .prop_map(|(id, call, requested, times)| Request::Wait(Wait { id, call, requested, times })),
        integer().prop_map(|id| Request::Finish { id }),
    ]
}

fn hello() -> impl Strategy<Value = Reply> {
    let lists = (vec(text(), 1..4), vec(text(), 0..4), vec(text(), 0..4), vec(("[^=]*", text()), 0..4));
    (integer(), text(), text(), text(), any::<bool>(), lists).prop_map(
        |(wire, language, version, sdk, overlapping, (clocks, kernels, capabilities, facts))| {
            let (reads, waits) = (kernels.clone(), capabilities.clone());
            Reply::Hello(Hello {
                wire,
                language,
                version,
                sdk,
                overlapping,
                clocks,
                kernels,
                capabilities,
                facts,
                reads,
                waits,
            })
        },
    )
}

fn case() -> impl Strategy<Value = Reply> {
    let parameters = (option::of(text()), vec((text(), text()), 0..4));
    let place = (option::of(text()), option::of(integer()), vec(text(), 0..3));
    let settings = (
        option::of(integer()),
        option::of(integer()),
        option::of(integer()),
        option::of(prop_oneof![Just("nanoseconds"), Just("microseconds"), Just("milliseconds"), Just("seconds")]),
        option::of(text()),
        (any::<bool>(), any::<bool>()),
        vec(text(), 0..3),
        vec(integer(), 0..3),
    );
    (integer(), integer(), text(), parameters, place, settings).prop_map(
        |(id, case, benchmark, (parameters, pairs), (file, line, groups), settings)| {
            let (names, values) = pairs.into_iter().unzip();
            let (iterations, samples, timeout_ms, unit, skip, (base, parallel), assertions, code) = settings;
            Reply::Case(CaseFrame {
                id,
                case,
                benchmark,
                parameters,
                names,
                values,
                file,
                line,
                groups,
                iterations,
                samples,
                timeout_ms,
                unit: unit.map(str::to_owned),
                skip,
                base,
                parallel,
                assertions,
                code,
            })
        },
    )
}

fn notice() -> impl Strategy<Value = Reply> {
    let level = prop_oneof![Just(Level::Info), Just(Level::Warning), Just(Level::Error)];
    let place = (option::of(text()), option::of(integer()));
    (integer(), level, text(), text(), place, option::of(text()), option::of(text())).prop_map(
        |(id, level, kind, message, (file, line), remedy, benchmark)| {
            Reply::Notice(Notice { id, level, kind, message, file, line, remedy, benchmark })
        },
    )
}

fn fault() -> impl Strategy<Value = Reply> {
    let place = (option::of(text()), option::of(integer()));
    (option::of(integer()), text(), text(), place, option::of(text()), option::of(text())).prop_map(
        |(id, kind, message, (file, line), remedy, trace)| {
            Reply::Fault(Fault { id, kind, message, file, line, remedy, trace })
        },
    )
}

fn samples() -> impl Strategy<Value = Reply> {
    (integer(), vec((integer(), integer()), 1..40), any::<bool>()).prop_map(|(id, pairs, counted)| {
        let (elapsed, pauses): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
        Reply::Samples(Samples {
            id,
            allocations: if counted { pauses.clone() } else { Vec::new() },
            allocated_bytes: if counted { pauses.clone() } else { Vec::new() },
            pauses: if counted { pauses } else { Vec::new() },
            stretch: counted.then_some(Stretch { wall: id, cpu: elapsed[0], yields: id / 2 }),
            collector_ppm: counted.then_some(id / 3),
            elapsed,
        })
    })
}

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        hello(),
        case(),
        notice(),
        samples(),
        fault(),
        (integer(), vec(-(MAX_INTEGER as i64)..=MAX_INTEGER as i64, 1..20), vec(integer(), 0..9)).prop_map(
            |(id, half, blocks)| {
                let values = [half.clone(), half].concat();
                Reply::Readings(Readings { id, values, empty: blocks.clone(), blocks })
            }
        ),
        (integer(), integers()).prop_map(|(id, taken)| Reply::Waited(Waited { id, taken })),
        (integer(), integer(), any::<bool>()).prop_map(|(id, cases, prelude)| Reply::Loaded { id, cases, prelude }),
        (integer(), any::<bool>(), any::<Option<bool>>(), any::<bool>())
            .prop_map(|(id, pauses, hooks, copied)| { Reply::Ready { id, pauses, hooks, copied } }),
        (integer(), option::of(integer()), any::<bool>()).prop_map(|(id, runtime_peak_bytes, allocations_asked)| {
            Reply::Finished(FinishedFrame {
                id,
                runtime_peak_bytes,
                bytes: runtime_peak_bytes,
                items: Some(id),
                metrics: vec![("a=b".into(), "-2.5e-3".into())],
                labels: vec!["x".into()],
                allocations_asked,
            })
        }),
    ]
}

proptest! {
    #[test]
    fn a_request_survives_the_codec(request in request()) {
        let line = request.encode();
        prop_assert!(!line.bytes().any(|byte| byte < 0x20), "a control character in {line:?}");
        prop_assert_eq!(Request::decode(line.as_bytes()), Ok(request));
    }

    #[test]
    fn a_reply_survives_the_codec(reply in reply()) {
        let line = reply.encode();
        prop_assert!(!line.bytes().any(|byte| byte < 0x20), "a control character in {line:?}");
        prop_assert_eq!(Reply::decode(line.as_bytes()), Ok(reply));
    }

    #[test]
    fn arbitrary_bytes_are_refused_without_a_panic(line in vec(any::<u8>(), 0..200)) {
        prop_assert!(Request::decode(&line).is_err());
        prop_assert!(Reply::decode(&line).is_err());
    }

    /// One byte changed, taken out or put in: whatever is then still accepted must be something the codec can say.
    #[test]
    fn a_damaged_frame_never_panics(reply in reply(), request in request(), at in any::<prop::sample::Index>(),
                                    byte in any::<u8>(), how in 0..3) {
        for line in [reply.encode(), request.encode()] {
            let mut line = line.into_bytes();
            let at = at.index(line.len());
            match how {
                0 => line[at] = byte,
                1 => { line.remove(at); }
                _ => line.insert(at, byte),
            }
            if let Ok(read) = Reply::decode(&line) {
                prop_assert_eq!(Reply::decode(read.encode().as_bytes()), Ok(read));
            }
            if let Ok(read) = Request::decode(&line) {
                prop_assert_eq!(Request::decode(read.encode().as_bytes()), Ok(read));
            }
        }
    }

    /// PROTOCOL 1.3: keys that the reader doesn't know are ignored, whatever their value.
    #[test]
    fn an_unknown_key_changes_nothing(request in request(), value in json_value()) {
        let line = request.encode();
        let line = line.replacen('{', &format!("{{\"later\":{value},"), 1);
        prop_assert_eq!(Request::decode(line.as_bytes()), Ok(request));
    }
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.5e400".to_owned()),
        Just("-0".to_owned()),
        Just("123456789012345678901234567890".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            // Keys may even repeat in there: it isn't this reader's object.
            vec(inner, 0..4).prop_map(|values| {
                let entries: Vec<String> = values.iter().map(|value| format!("\"id\":{value}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

#[track_caller]
fn refused(line: &str) -> (FrameErrorKind, Option<u64>, String) {
    let error = Request::decode(line.as_bytes()).expect_err("the line must be refused");
    (error.kind, error.id, error.message)
}

#[test]
fn an_error_names_the_frame_and_the_key() {
    let (kind, id, message) = refused(r#"{"frame":"run","id":7,"subject":"null","iterations":[1,"2"],"warm":0}"#);
    assert_eq!((kind, id), (FrameErrorKind::BadValue, Some(7)));
    assert_eq!(message, "the frame `run`: `iterations` must be an array of integers from 0 to 9007199254740991");

    let (kind, id, message) = refused(r#"{"id":7,"frame":"prepare","case":0,"benchmark":"a"}"#);
    assert_eq!((kind, id), (FrameErrorKind::BadValue, Some(7)));
    assert_eq!(message, "the frame `prepare`: the key `parameters` is missing");
}

#[test]
fn a_duplicate_takes_the_id_away_only_where_it_is_the_id() {
    let (kind, id, message) = refused(r#"{"frame":"finish","id":7,"frame":"finish"}"#);
    assert_eq!((kind, id), (FrameErrorKind::BadFrame, Some(7)));
    assert_eq!(message, "the key `frame` stands more than once");
    let (kind, id, _) = refused(r#"{"frame":"finish","id":7,"x":1,"x":1,"i\u0064":7}"#);
    assert_eq!((kind, id), (FrameErrorKind::BadFrame, None));
}

#[test]
fn the_length_limit_stands_where_the_protocol_puts_it() {
    let frame = |length: usize| {
        let start = r#"{"frame":"finish","id":1,"x":""#;
        format!("{start}{}\"}}", "x".repeat(length - start.len() - 2))
    };
    assert_eq!(Request::decode(frame(MAX_FRAME_BYTES).as_bytes()), Ok(Request::Finish { id: 1 }));
    let (kind, id, _) = refused(&frame(MAX_FRAME_BYTES + 1));
    assert_eq!((kind, id), (FrameErrorKind::BadFrame, None));
}

#[test]
fn depth_under_an_unknown_key_needs_no_stack() {
    let depth = 1_000_000;
    let line = format!(r#"{{"frame":"finish","id":1,"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(Request::decode(line.as_bytes()), Ok(Request::Finish { id: 1 }));
}

#[test]
fn the_largest_samples_frame_is_read() {
    let samples =
        Samples { id: 1, elapsed: vec![MAX_INTEGER; MAX_SAMPLES], pauses: vec![1; MAX_SAMPLES], ..Samples::default() };
    let reply = Reply::Samples(samples);
    assert_eq!(Reply::decode(reply.encode().as_bytes()), Ok(reply));
}

#[test]
fn a_hello_of_another_version_says_both() {
    let error = Reply::decode(br#"{"frame":"hello","wire":2,"tongue":"php"}"#).expect_err("it lacks every other key");
    assert_eq!(error.message, "the frame `hello`: the worker speaks wire version 2, this reader 1");
}
