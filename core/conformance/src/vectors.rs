use rust_embed::RustEmbed;
use serde::Deserialize;
use serde_json::Value;

use crate::error::ConformanceError;
use crate::pattern::Pattern;

#[derive(RustEmbed)]
#[folder = "../../wire/vectors"]
struct Files;

/// A vector that is part of the binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorFile {
    /// Its path below `wire/vectors`, with `/` and `.json`.
    pub path: String,
    /// Whether it is replayed against workers. The others are replies: the core is their only reader.
    pub replayed: bool,
}

/// Every vector in the binary, in the order of their paths.
///
/// # Errors
/// [`ConformanceError::Vector`] for one that isn't of the form that `wire/VECTORS.md` describes.
pub fn embedded() -> Result<Vec<VectorFile>, ConformanceError> {
    let vectors = load()?.into_iter();
    Ok(vectors
        .map(|vector| VectorFile {
            replayed: !matches!(vector.content, Content::Reply),
            path: format!("{}.json", vector.name),
        })
        .collect())
}

pub(crate) struct Vector {
    /// The path without `.json`.
    pub(crate) name: String,
    pub(crate) clause: String,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Session(Session),
    /// A line that the worker must refuse.
    Bad {
        line: Vec<u8>,
        error: String,
        id: i64,
        core_only: Option<String>,
    },
    /// A line that the worker must take.
    Good {
        line: Vec<u8>,
        answer: Pattern,
    },
    /// A line for the core's own reader.
    Reply,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wire {
    #[default]
    Fifo,
    Unset,
    Empty,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ForEach {
    Kernels,
    Clocks,
    Reads,
}

pub(crate) struct Session {
    pub(crate) wire: Wire,
    pub(crate) requires: Vec<String>,
    pub(crate) lacks: Vec<String>,
    pub(crate) source: bool,
    pub(crate) for_each: Option<ForEach>,
    pub(crate) ignore_replies: bool,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A request, its placeholders not yet filled in.
    Send(Value),
    /// Bytes as they are.
    SendBytes(Vec<u8>),
    Expect(Pattern),
    ExpectEnumeration {
        id: u64,
    },
    Pause {
        ms: u64,
    },
    End(Status),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Success,
    Failure,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionFile {
    clause: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    #[serde(default)]
    wire: Wire,
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    source: bool,
    for_each: Option<ForEach>,
    #[serde(default)]
    ignore_replies: bool,
    steps: Vec<StepFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StepFile {
    Send(Value),
    SendLine(Line),
    SendText(String),
    Expect(Value),
    ExpectEnumeration { id: u64 },
    PauseMs(u64),
    End { status: Value },
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Request,
    Reply,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoodFile {
    direction: Direction,
    clause: String,
    line: Line,
    #[serde(rename = "expect")]
    _expect: Value,
    answer: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BadFile {
    direction: Direction,
    clause: String,
    line: Line,
    error: String,
    id: i64,
    #[serde(rename = "why")]
    _why: String,
    core_only: Option<String>,
    #[serde(rename = "beyond_schema")]
    _beyond_schema: Option<String>,
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

impl Line {
    fn bytes(&self) -> Result<Vec<u8>, String> {
        let parts = match self {
            Self::Text(text) => return Ok(text.clone().into_bytes()),
            Self::Parts(parts) => parts,
        };
        let mut bytes = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Part::Repeat { repeat, times } => bytes.extend_from_slice(repeat.repeat(*times).as_bytes()),
                Part::Hex { hex } => bytes.extend(unhex(hex).ok_or_else(|| format!("`{hex}` isn't hexadecimal"))?),
            }
        }
        Ok(bytes)
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Every vector, in the order of their paths.
pub(crate) fn load() -> Result<Vec<Vector>, ConformanceError> {
    let mut paths: Vec<String> = Files::iter().map(|path| path.replace('\\', "/")).collect();
    paths.sort();
    paths.into_iter().map(|path| parse(&path).map_err(|message| ConformanceError::Vector { path, message })).collect()
}

fn parse(path: &str) -> Result<Vector, String> {
    let name = path.strip_suffix(".json").ok_or("the tests don't read this file; vectors end in .json")?.to_owned();
    let file = Files::get(path).ok_or("it isn't in the binary")?;
    let (clause, content) = match name.rsplit_once('/') {
        Some(("sessions", _)) => session(read(&file.data)?)?,
        Some(("frames/good", _)) => good(read(&file.data)?)?,
        Some(("frames/bad", _)) => bad(read(&file.data)?)?,
        _ => {
            return Err(
                "the tests don't read this folder; vectors lie in frames/good, frames/bad and sessions".to_owned()
            );
        }
    };
    Ok(Vector { name, clause, content })
}

fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn good(file: GoodFile) -> Result<(String, Content), String> {
    let line = file.line.bytes()?;
    let content = match (file.direction, file.answer) {
        (Direction::Reply, None) => Content::Reply,
        (Direction::Request, Some(answer)) => Content::Good { line, answer: Pattern::parse(&answer)? },
        (Direction::Reply, Some(_)) => return Err("a reply has no answer".to_owned()),
        (Direction::Request, None) => return Err("a request has an answer".to_owned()),
    };
    Ok((file.clause, content))
}

fn bad(file: BadFile) -> Result<(String, Content), String> {
    let line = file.line.bytes()?;
    let content = match file.direction {
        Direction::Reply => Content::Reply,
        Direction::Request => Content::Bad { line, error: file.error, id: file.id, core_only: file.core_only },
    };
    Ok((file.clause, content))
}

fn session(file: SessionFile) -> Result<(String, Content), String> {
    let steps = file.steps.into_iter().map(step).collect::<Result<_, _>>()?;
    let session = Session {
        wire: file.wire,
        requires: file.requires,
        lacks: file.lacks,
        source: file.source,
        for_each: file.for_each,
        ignore_replies: file.ignore_replies,
        steps,
    };
    Ok((file.clause, Content::Session(session)))
}

fn step(file: StepFile) -> Result<Step, String> {
    Ok(match file {
        StepFile::Send(request) if request.is_object() => Step::Send(request),
        StepFile::Send(other) => return Err(format!("{other} is no request")),
        StepFile::SendLine(line) => {
            let mut bytes = line.bytes()?;
            bytes.push(b'\n');
            Step::SendBytes(bytes)
        }
        StepFile::SendText(text) => Step::SendBytes(text.into_bytes()),
        StepFile::Expect(pattern) => Step::Expect(Pattern::parse(&pattern)?),
        StepFile::ExpectEnumeration { id } => Step::ExpectEnumeration { id },
        StepFile::PauseMs(ms) => Step::Pause { ms },
        StepFile::End { status } if status == 0 => Step::End(Status::Success),
        StepFile::End { status } if status == "failure" => Step::End(Status::Failure),
        StepFile::End { status } => return Err(format!("there is no status {status}")),
    })
}
