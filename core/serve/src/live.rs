//! A run that goes on: the lines of its events, from where a page has read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use serde_json::{Value, json};
use tare_definition::Project;

/// Bytes of an answer, at most; the page asks for the rest.
const PART: u64 = 1 << 20;

/// The events of a run from byte `from` on, and where to read on. `run` is a whole id from the store. Without a file there are none: events of
/// the newest runs alone are kept.
pub(crate) fn events(project: &Project, run: &str, from: u64) -> Value {
    let is_id = run.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let path = project.store().join("events").join(format!("{run}.ndjson"));
    let text = if is_id { part(&path, from) } else { None };
    let Some(bytes) = text else { return json!({ "next": from, "events": [] }) };
    // A line that is being written is read next time.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines =
        bytes[..whole].split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    json!({ "next": from + whole as u64, "events": lines.collect::<Vec<_>>() })
}

fn part(path: &std::path::Path, from: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(PART).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
