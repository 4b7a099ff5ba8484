//! The binary form of a launch's turns: what is kept of every sample.
//!
//! ```text
//! blob   = version:u8 (4)  crc32:u32 little-endian, of what follows  length:varint, of body  DEFLATE(body)
//! body   = subjects  turns:varint  columns
//! subjects = count:varint  { length:varint  UTF-8 text of the subject } × count
//! columns  = per turn, in order of the turns:
//!              subject (index into subjects), round, warm, at_ns, and the lengths of iterations, elapsed and pauses;
//!              from version 2 on also whether there is a stretch (0 or 1; from version 4 on 2 where only calls
//!              lie in it), and, of turns that have one, its wall, cpu and yields
//!            per sample, turns with the same subject together (in order of subjects, then of turns):
//!              iterations, elapsed, pauses
//! column = for each value, varint(zigzag(value − the value before, modulo 2^64)); the first against 0
//! varint = LEB128, unsigned, at most 10 bytes
//! ```
//!
//! Neighbours of one subject differ little, so most differences take one or two bytes, and whole columns (`warm`,
//! `iterations`) become runs of zeros that DEFLATE (RFC 1951) swallows. The lengths of the three sample columns
//! are kept apart, so that whatever a worker sent is what is read back. CRC-32 is the one of ISO 3309, as in gzip.

use std::collections::HashMap;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use tare_samples::{Stretch, Subject, Turn};

/// There is no 3: one wrong bit would make it 2, which is read.
const VERSION: u8 = 4;
const READ: [u8; 3] = [WITHOUT_STRETCHES, 2, VERSION];
/// The last version without stretches, which is still read.
const WITHOUT_STRETCHES: u8 = 1;
/// Bytes before those that the checksum covers.
const HEADER: usize = 5;
/// SQLite holds no larger blob by default, and no launch comes near: a bound on what a damaged length can ask for.
const LARGEST_BODY: u64 = 1_000_000_000;

/// The turns as bytes; `decode` gives back the very same turns.
pub(crate) fn encode(turns: &[Turn]) -> Vec<u8> {
    let (subjects, index) = subjects_of(turns);
    let mut body = Vec::new();
    put_varint(&mut body, subjects.len() as u64);
    for subject in &subjects {
        let text = subject.to_string();
        put_varint(&mut body, text.len() as u64);
        body.extend_from_slice(text.as_bytes());
    }
    put_varint(&mut body, turns.len() as u64);
    put_column(&mut body, index.iter().map(|&i| i as u64));
    put_column(&mut body, turns.iter().map(|t| u64::from(t.round)));
    put_column(&mut body, turns.iter().map(|t| t.warm));
    put_column(&mut body, turns.iter().map(|t| t.at_ns));
    put_column(&mut body, turns.iter().map(|t| t.iterations.len() as u64));
    put_column(&mut body, turns.iter().map(|t| t.elapsed.len() as u64));
    put_column(&mut body, turns.iter().map(|t| t.pauses.len() as u64));
    put_column(&mut body, turns.iter().map(|t| t.stretch.map_or(0, |stretch| 1 + u64::from(stretch.only_calls))));
    let stretches = || turns.iter().filter_map(|t| t.stretch);
    put_column(&mut body, stretches().map(|stretch| stretch.wall_ns));
    put_column(&mut body, stretches().map(|stretch| stretch.cpu_ns));
    put_column(&mut body, stretches().map(|stretch| stretch.yields));
    let order = by_subject(&index);
    let columns: [fn(&Turn) -> &Vec<u64>; 3] = [|t| &t.iterations, |t| &t.elapsed, |t| &t.pauses];
    for column in columns {
        put_column(&mut body, order.iter().flat_map(|&i| column(&turns[i]).iter().copied()));
    }

    let mut blob = vec![VERSION, 0, 0, 0, 0];
    put_varint(&mut blob, body.len() as u64);
    let mut blob = deflate(&body, blob);
    let crc = crc32(&blob[HEADER..]);
    blob[1..HEADER].copy_from_slice(&crc.to_le_bytes());
    blob
}

/// The turns that `encode` was given, or where the bytes stop making sense. Never panics, and never allocates more
/// than a small multiple of what the bytes really hold.
pub(crate) fn decode(blob: &[u8]) -> Result<Vec<Turn>, String> {
    let mut header = Cursor { bytes: blob };
    let version = header.byte()?;
    if !READ.contains(&version) {
        return Err(format!("they are in format {version}, and this version of Tare reads formats up to {VERSION}"));
    }
    let crc = u32::from_le_bytes([header.byte()?, header.byte()?, header.byte()?, header.byte()?]);
    if crc32(header.bytes) != crc {
        return Err("their checksum is wrong".to_owned());
    }
    let length = header.varint()?;
    if length > LARGEST_BODY {
        return Err(format!("their length reads as {length} bytes"));
    }
    let mut body = Vec::new();
    // One byte more than announced is enough to see that there is more.
    DeflateDecoder::new(header.bytes)
        .take(length + 1)
        .read_to_end(&mut body)
        .map_err(|error| format!("their compression is broken ({error})"))?;
    if body.len() as u64 != length {
        return Err(format!("they unpack to another length than the {length} bytes announced"));
    }
    decode_body(&body, version)
}

/// What is wrong with the bytes, as far as it is seen without unpacking them: their checksum covers all.
pub(crate) fn damage(blob: &[u8]) -> Option<String> {
    match blob {
        [version, checksum @ ..] if *version == VERSION || *version == WITHOUT_STRETCHES => {
            let Some((checksum, rest)) = checksum.split_first_chunk() else {
                return Some("they end too early".to_owned());
            };
            (crc32(rest) != u32::from_le_bytes(*checksum)).then(|| "their checksum is wrong".to_owned())
        }
        // Of another version nothing is known: whoever reads it says so.
        _ => decode(blob).err(),
    }
}

fn decode_body(body: &[u8], version: u8) -> Result<Vec<Turn>, String> {
    let mut cursor = Cursor { bytes: body };
    let count = cursor.count()?;
    let mut subjects = Vec::with_capacity(count);
    for _ in 0..count {
        let length = cursor.count()?;
        let (text, rest) = cursor.bytes.split_at(length);
        cursor.bytes = rest;
        let text = std::str::from_utf8(text).map_err(|_| "the name of a subject is not UTF-8".to_owned())?;
        subjects.push(Subject::from(text.to_owned()));
    }

    let count = cursor.count()?;
    let index: Vec<usize> = cursor.column(count)?.into_iter().map(|i| i as usize).collect();
    let round = cursor.column(count)?;
    let warm = cursor.column(count)?;
    let at_ns = cursor.column(count)?;
    let lengths = [cursor.column(count)?, cursor.column(count)?, cursor.column(count)?];
    let mut stretches = match version {
        WITHOUT_STRETCHES => vec![None; count],
        _ => stretches(&mut cursor, count)?,
    };

    let mut turns = Vec::with_capacity(count);
    for turn in 0..count {
        turns.push(Turn {
            round: u32::try_from(round[turn]).map_err(|_| "the number of a round is too large".to_owned())?,
            subject: subjects.get(index[turn]).cloned().ok_or("a turn has a subject that isn't listed")?,
            warm: warm[turn],
            iterations: Vec::new(),
            elapsed: Vec::new(),
            pauses: Vec::new(),
            at_ns: at_ns[turn],
            stretch: stretches[turn].take(),
        });
    }
    let order = by_subject(&index);
    let columns: [fn(&mut Turn) -> &mut Vec<u64>; 3] = [|t| &mut t.iterations, |t| &mut t.elapsed, |t| &mut t.pauses];
    for (column, lengths) in columns.into_iter().zip(&lengths) {
        let mut before = 0;
        for &turn in &order {
            let values = column(&mut turns[turn]);
            cursor.values(lengths[turn], &mut before, values)?;
        }
    }
    match cursor.bytes.len() {
        0 => Ok(turns),
        extra => Err(format!("{extra} bytes are left over")),
    }
}

/// Of each of `count` turns what its stretch took, where it has one.
fn stretches(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<Option<Stretch>>, String> {
    let has_one = cursor.column(count)?;
    let with = has_one.iter().filter(|&&has| has > 0).count();
    let (wall, cpu, yields) = (cursor.column(with)?, cursor.column(with)?, cursor.column(with)?);
    let mut known = wall.into_iter().zip(cpu).zip(yields);
    let stretch = |only_calls, ((wall_ns, cpu_ns), yields)| Stretch { wall_ns, cpu_ns, yields, only_calls };
    Ok(has_one.iter().map(|&has| if has > 0 { Some(stretch(has > 1, known.next()?)) } else { None }).collect())
}

/// The distinct subjects in order of appearance, and which of them each turn has.
fn subjects_of(turns: &[Turn]) -> (Vec<&Subject>, Vec<usize>) {
    let mut subjects = Vec::new();
    let mut known = HashMap::new();
    let index = turns
        .iter()
        .map(|turn| {
            *known.entry(&turn.subject).or_insert_with(|| {
                subjects.push(&turn.subject);
                subjects.len() - 1
            })
        })
        .collect();
    (subjects, index)
}

/// The positions of the turns, those of one subject together.
fn by_subject(index: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..index.len()).collect();
    order.sort_by_key(|&turn| index[turn]);
    order
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn put_column(bytes: &mut Vec<u8>, values: impl Iterator<Item = u64>) {
    let mut before = 0u64;
    for value in values {
        let difference = value.wrapping_sub(before) as i64;
        put_varint(bytes, ((difference << 1) ^ (difference >> 63)) as u64);
        before = value;
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn deflate(body: &[u8], blob: Vec<u8>) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(blob, Compression::default());
    encoder.write_all(body).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

struct Cursor<'a> {
    bytes: &'a [u8],
}

impl Cursor<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let (&byte, rest) = self.bytes.split_first().ok_or("they end too early")?;
        self.bytes = rest;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number is longer than 64 bits".to_owned())
    }

    /// A number of things that take a byte each at least.
    fn count(&mut self) -> Result<usize, String> {
        let count = self.varint()?;
        usize::try_from(count)
            .ok()
            .filter(|&count| count <= self.bytes.len())
            .ok_or_else(|| format!("{count} entries are announced, and {} bytes follow", self.bytes.len()))
    }

    fn column(&mut self, count: usize) -> Result<Vec<u64>, String> {
        let mut values = Vec::new();
        self.values(count as u64, &mut 0, &mut values)?;
        Ok(values)
    }

    fn values(&mut self, count: u64, before: &mut u64, values: &mut Vec<u64>) -> Result<(), String> {
        if count > self.bytes.len() as u64 {
            return Err(format!("{count} entries are announced, and {} bytes follow", self.bytes.len()));
        }
        values.reserve_exact(count as usize);
        for _ in 0..count {
            let zigzag = self.varint()?;
            *before = before.wrapping_add((zigzag >> 1) ^ (zigzag & 1).wrapping_neg());
            values.push(*before);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
