//! What a worker's user code prints: the beginning and the end are kept, the middle is counted.

use std::io;
use std::os::fd::OwnedFd;

const HEAD: usize = 4 * 1024;
const TAIL: usize = 12 * 1024;

/// Keeps a stream's first 4 KiB and last 12 KiB in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: u64,
}

impl Capture {
    /// Takes in what a stream that doesn't block holds, some `most` bytes of it; a stream that has ended becomes `None`.
    pub(crate) fn drain(&mut self, stream: &mut Option<OwnedFd>, buffer: &mut [u8], most: usize) -> io::Result<()> {
        let mut taken = 0;
        while taken < most
            && let Some(open) = stream
        {
            match rustix::io::read(&*open, &mut *buffer) {
                Ok(0) => *stream = None,
                Ok(count) => {
                    self.push(&buffer[..count]);
                    taken += count;
                }
                Err(rustix::io::Errno::AGAIN) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        bytes = &bytes[room..];
        self.tail.extend_from_slice(bytes);
        // Trimming only at twice the size keeps the cost of a flood linear.
        if self.tail.len() > 2 * TAIL {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
        self.dropped += excess as u64;
    }

    /// The captured text; invalid UTF-8 is substituted, a gap is marked with its size.
    pub(crate) fn text(&mut self) -> String {
        self.trim();
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&self.tail);
        if self.dropped > 0 {
            format!("{head}\n[… {} bytes left out …]\n{tail}", self.dropped)
        } else {
            format!("{head}{tail}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Capture, HEAD, TAIL};

    #[test]
    fn a_flood_is_kept_in_bounded_memory_with_its_ends() {
        let mut capture = Capture::default();
        capture.push(b"first ");
        for _ in 0..10_000 {
            capture.push(&[b'x'; 1024]);
            assert!(capture.head.len() + capture.tail.len() <= HEAD + 2 * TAIL + 1024);
        }
        capture.push(b" last");
        let text = capture.text();
        assert!(text.starts_with("first x"));
        assert!(text.ends_with("x last"));
        assert!(text.contains("bytes left out"));
        assert!(text.len() < 20 * 1024);
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let mut capture = Capture::default();
        capture.push(&[b'a'; HEAD + 10]);
        assert_eq!(capture.text(), "a".repeat(HEAD + 10));
    }
}
