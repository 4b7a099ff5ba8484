//! What a coordinator and its generators say to each other: a head in JSON, and bytes that follow it.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::clock::Reading;
use crate::plan::Plan;
use crate::series::Stretch;
use crate::share::Share;

/// Heads and bytes of a generator that is known: the histograms of a long load are some megabytes.
pub(super) const MOST: u32 = 256 << 20;
/// Of somebody whom nobody knows yet.
pub(super) const MOST_OF_A_STRANGER: u32 = 4 << 10;

/// The first word of a generator.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Hello {
    /// What only those know who were asked.
    pub(super) token: String,
    /// Its version.
    pub(super) tare: String,
    /// From 0.
    pub(super) number: u32,
    /// Its machine.
    pub(super) host: String,
}

/// What generators are told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum ToGenerator {
    /// What do your clocks say?
    Ping(u32),
    /// Do your part of this, on these targets of those that were named.
    Run { plan: Box<Plan>, share: Share, targets: Vec<usize> },
    /// The block of this number begins when your monotonic clock says so.
    Start { block: usize, at: i64 },
    /// What is under way ends, and no block begins any more.
    Stop,
    /// Nothing more will be asked.
    End,
    /// You can't be one of those who were asked.
    Refused(String),
}

/// What generators tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum ToCoordinator {
    Hello(Hello),
    /// All that it needs is there, and it has so many threads.
    Prepared {
        threads: u32,
    },
    Pong {
        ping: u32,
        clocks: Reading,
    },
    /// The connections of this block are made.
    Ready {
        block: usize,
    },
    /// The block began so many nanoseconds after it was meant to.
    Began {
        block: usize,
        late: u64,
    },
    /// How far it is: by target the seconds that are new or have changed.
    Told {
        block: usize,
        seconds: Vec<Vec<(u32, Stretch)>>,
    },
    /// It is through; what it measured follows as bytes.
    Done,
    /// It can't do what it was asked.
    Failed(String),
}

pub(super) fn write(out: &mut impl Write, head: &impl Serialize, bytes: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).ok().filter(|length| *length <= MOST);
    let (Some(of_head), Some(of_bytes)) = (length(&head), length(bytes)) else {
        return Err(io::Error::other("it is too long for a message"));
    };
    let mut all = Vec::with_capacity(8 + head.len() + bytes.len());
    all.extend(of_head.to_be_bytes());
    all.extend(of_bytes.to_be_bytes());
    all.extend(head);
    all.extend(bytes);
    // At once: a head by itself would wait for the answer to what went before.
    out.write_all(&all)?;
    out.flush()
}

/// The next message, if it isn't longer than `most`.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read, most: u32) -> io::Result<(T, Vec<u8>)> {
    let mut lengths = [0; 8];
    from.read_exact(&mut lengths)?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let (head, bytes) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
    if head > most || bytes > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is longer than any can be"));
    }
    let head = exactly(from, head)?;
    let bytes = exactly(from, bytes)?;
    Ok((serde_json::from_slice(&head)?, bytes))
}

/// So many bytes. Room is made as they come: a length by itself takes no memory.
fn exactly(from: &mut impl Read, length: u32) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::{MOST, MOST_OF_A_STRANGER, ToCoordinator, read, write};

    #[test]
    fn messages_come_as_they_were_sent() {
        let mut bytes = Vec::new();
        write(&mut bytes, &ToCoordinator::Ready { block: 7 }, b"").unwrap();
        write(&mut bytes, &ToCoordinator::Done, b"\x00\xff").unwrap();
        let mut from = bytes.as_slice();
        let (first, none): (ToCoordinator, _) = read(&mut from, MOST).unwrap();
        assert!(matches!(first, ToCoordinator::Ready { block: 7 }) && none.is_empty());
        let (second, two): (ToCoordinator, _) = read(&mut from, MOST).unwrap();
        assert!(matches!(second, ToCoordinator::Done) && two == [0, 255]);
    }

    #[test]
    fn what_is_no_message_is_refused_before_it_takes_memory() {
        let of = |bytes: &[u8], most| read::<ToCoordinator>(&mut &*bytes, most).unwrap_err().kind();
        assert_eq!(of(b"GET / HTTP/1.1\r\n\r\n", MOST), ErrorKind::InvalidData);
        assert_eq!(of(&[0, 0, 0x10, 1, 0, 0, 0, 0], MOST_OF_A_STRANGER), ErrorKind::InvalidData);
        assert_eq!(of(&[0, 0, 0, 9, 0, 0, 0, 0, b'"'], MOST), ErrorKind::UnexpectedEof);
        assert_eq!(of(&[0, 0], MOST), ErrorKind::UnexpectedEof);
        assert_eq!(of(&[0, 0, 0, 3, 0, 0, 0, 0, b'"', b'x', b'"'], MOST), ErrorKind::InvalidData);
    }
}
