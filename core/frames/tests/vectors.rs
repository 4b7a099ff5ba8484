//! Every vector of `wire/vectors/frames`, against the codec and against the schema.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod schema;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schema::Schema;
use serde::Deserialize;
use serde_json::{Value, json};
use tare_frames::{FrameErrorKind, Reply, Request};

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Request,
    Reply,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Repeat { repeat: String, times: usize },
    Hex { hex: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Good {
    direction: Direction,
    clause: String,
    line: Line,
    expect: Value,
    answer: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bad {
    direction: Direction,
    clause: String,
    line: Line,
    error: String,
    id: i64,
    why: String,
    core_only: Option<String>,
    beyond_schema: Option<String>,
}

impl Line {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Parts(parts) => parts.iter().flat_map(Part::bytes).collect(),
        }
    }
}

impl Part {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Repeat { repeat, times } => repeat.repeat(*times).into_bytes(),
            Self::Hex { hex } => {
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
            }
        }
    }
}

fn wire() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wire")
}

/// Name and text of every file in a folder of vectors, which holds nothing but `*.json`.
fn files(folder: &str) -> Vec<(String, String)> {
    let folder = wire().join("vectors").join(folder);
    let mut files: Vec<(String, String)> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            assert_eq!(path.extension().and_then(|end| end.to_str()), Some("json"), "nobody reads {}", path.display());
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there is no vector in {}", folder.display());
    files
}

fn read<T: for<'de> Deserialize<'de>>(name: &str, text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A frame as JSON, after a pass through the codec.
fn recoded(direction: Direction, line: &[u8]) -> Result<Value, tare_frames::FrameError> {
    let line = match direction {
        Direction::Request => Request::decode(line)?.encode(),
        Direction::Reply => Reply::decode(line)?.encode(),
    };
    Ok(serde_json::from_str(&line).expect("the codec writes JSON"))
}

fn expanded(value: Value) -> Value {
    match value {
        Value::Object(entries) if entries.contains_key("repeat") => {
            let times = entries["times"].as_u64().unwrap() as usize;
            Value::Array(vec![entries["repeat"].clone(); times])
        }
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, expanded(value))).collect(),
        other => other,
    }
}

fn schema() -> Value {
    read("frames.schema.json", &std::fs::read_to_string(wire().join("frames.schema.json")).unwrap())
}

impl Direction {
    fn definition(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reply => "reply",
        }
    }
}

#[test]
fn the_folders_of_vectors_are_known() {
    let mut found = BTreeSet::new();
    let mut folders = vec![wire().join("vectors")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    found.insert(path.parent().unwrap().strip_prefix(wire()).unwrap().to_owned());
                }
            }
        }
    }
    let known = ["vectors/frames/bad", "vectors/frames/good", "vectors/sessions"].map(PathBuf::from);
    assert_eq!(found, BTreeSet::from(known), "a folder of vectors that no test reads");
}

#[test]
fn good_vectors_say_what_they_mean() {
    for (name, text) in files("frames/good") {
        let vector: Good = read(&name, &text);
        let read = recoded(vector.direction, &vector.line.bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(read == expanded(vector.expect), "{name} was read as {:.300}", read.to_string());
        assert!(!vector.clause.is_empty(), "{name} names no clause");
        assert_eq!(
            vector.answer.is_some(),
            vector.direction == Direction::Request,
            "{name}: only requests are answered"
        );
    }
}

#[test]
fn bad_vectors_are_refused_for_their_reason() {
    for (name, text) in files("frames/bad") {
        let vector: Bad = read(&name, &text);
        let error = match recoded(vector.direction, &vector.line.bytes()) {
            Ok(value) => panic!("{name} was read as {:.300}", value.to_string()),
            Err(error) => error,
        };
        let expected = match (vector.error.as_str(), vector.direction) {
            ("bad-frame", _) => FrameErrorKind::BadFrame,
            ("unknown-frame", _) => FrameErrorKind::UnknownFrame,
            ("bad-request", Direction::Request) | ("bad-reply", Direction::Reply) => FrameErrorKind::BadValue,
            (other, direction) => panic!("{name}: there is no error `{other}` in a {direction:?}"),
        };
        assert_eq!(error.kind, expected, "{name}: {error}");
        assert_eq!(error.id.map_or(-1, |id| id as i64), vector.id, "{name}: {error}");
        assert!(!vector.why.is_empty() && !vector.clause.is_empty(), "{name} gives no reason");
        if vector.core_only.is_some() {
            assert_eq!(vector.direction, Direction::Request, "{name}: workers read no replies");
        }
    }
}

#[test]
fn good_vectors_fit_the_schema() {
    let schema = Schema::new(schema());
    for (name, text) in files("frames/good") {
        let vector: Good = read(&name, &text);
        let value: Value = serde_json::from_slice(&vector.line.bytes()).unwrap();
        assert_eq!(schema.fault(vector.direction.definition(), &value), None, "{name}");
    }
}

#[test]
fn bad_vectors_that_are_json_dont_fit_the_schema() {
    let schema = Schema::new(schema());
    for (name, text) in files("frames/bad") {
        let vector: Bad = read(&name, &text);
        let line = vector.line.bytes();
        if line.len() > tare_frames::MAX_FRAME_BYTES {
            continue;
        }
        let Ok(value) = serde_json::from_slice::<Value>(&line) else { continue };
        let fault = schema.fault(vector.direction.definition(), &value);
        match vector.beyond_schema {
            None => assert!(fault.is_some(), "{name}: the schema allows it"),
            Some(_) => assert_eq!(fault, None, "{name}: the schema does refuse it"),
        }
    }
}

/// One definition a frame, and a good vector for each.
#[test]
fn the_schema_and_the_vectors_cover_every_frame() {
    let schema = schema();
    let mut defined = BTreeSet::new();
    for side in ["request", "reply"] {
        for reference in schema["$defs"][side]["oneOf"].as_array().unwrap() {
            let name = reference["$ref"].as_str().unwrap().trim_start_matches("#/$defs/").to_owned();
            assert_eq!(schema["$defs"][&name]["properties"]["frame"]["const"], json!(name));
            defined.insert(name);
        }
    }
    let exercised: BTreeSet<String> = files("frames/good")
        .iter()
        .map(|(name, text)| read::<Good>(name, text).expect["frame"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(defined, exercised);
    let written: BTreeSet<String> = [
        "load",
        "prepare",
        "arrange",
        "run",
        "read",
        "wait",
        "operations",
        "connect",
        "stamp",
        "work",
        "finish",
        "hello",
        "case",
        "notice",
        "loaded",
        "ready",
        "samples",
        "readings",
        "waited",
        "operation",
        "listed",
        "arranged",
        "connected",
        "stamped",
        "slice",
        "worked",
        "finished",
        "fault",
    ]
    .map(str::to_owned)
    .into();
    assert_eq!(defined, written);
}
