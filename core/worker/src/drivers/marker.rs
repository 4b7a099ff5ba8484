//! What a built program says of the worker in it, without being run.

use std::io::{self, Read};
use std::path::Path;

/// What a worker leaves in a program, before the version of its wire and a NUL.
const MARKER: &[u8] = b"tare-worker-wire:";
/// Digits that a version may have.
const LONGEST_VERSION: usize = 9;
const CHUNK: usize = 1 << 20;

/// The version of the wire that a program's worker speaks, without running it; `None` without a worker.
pub(super) fn wire_of(path: &Path) -> io::Result<Option<u64>> {
    find_wire(tare_files::open(path)?)
}

fn find_wire(mut source: impl Read) -> io::Result<Option<u64>> {
    let longest = MARKER.len() + LONGEST_VERSION + 1;
    let mut buffer = Vec::with_capacity(CHUNK + longest);
    loop {
        let read = source.by_ref().take(CHUNK as u64).read_to_end(&mut buffer)?;
        let mut rest = buffer.as_slice();
        while let Some(at) = rest.windows(MARKER.len()).position(|window| window == MARKER) {
            rest = &rest[at + MARKER.len()..];
            let digits = rest.iter().take(LONGEST_VERSION).take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 && rest.get(digits) == Some(&0) {
                // Digits are ASCII and few: they are text, and fit.
                return Ok(std::str::from_utf8(&rest[..digits]).ok().and_then(|text| text.parse().ok()));
            }
        }
        if read == 0 {
            return Ok(None);
        }
        // A marker may lie across the edge.
        let kept = buffer.len().saturating_sub(longest);
        buffer.drain(..kept);
    }
}

/// A program that has a worker of this version, as far as anybody looks.
#[cfg(test)]
pub(super) fn with_marker(version: &str) -> Vec<u8> {
    [b"\x7fELF\x02\x01".as_slice(), MARKER, version.as_bytes(), b"\0rest"].concat()
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, MARKER, find_wire, with_marker};

    #[test]
    fn a_marker_is_found_wherever_it_lies() {
        for before in [0, 1, CHUNK - 20, CHUNK - 18, CHUNK - 1, CHUNK, CHUNK + 3, 2 * CHUNK - 5] {
            let content = [vec![0u8; before], with_marker("1")].concat();
            assert_eq!(find_wire(content.as_slice()).unwrap(), Some(1), "after {before} bytes");
        }
        // Its own text in a program that reads markers isn't one.
        let content = [MARKER, b"x", MARKER, b"\0", MARKER, b"1234567890\0", MARKER, b"1"].concat();
        assert_eq!(find_wire(content.as_slice()).unwrap(), None);
    }
}
