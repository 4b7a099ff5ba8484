//! What commands print, in bounded memory.

use crate::printable;

/// The beginning of a stream; what doesn't fit is dropped.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    most: usize,
}

impl Head {
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = (self.most - self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
    }
}

/// The end of a stream: what went wrong stands last.
#[derive(Debug)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    most: usize,
    dropped: u64,
}

impl Tail {
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, dropped: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Trimming only at twice the size keeps the cost of a flood linear.
        if self.bytes.len() > 2 * self.most {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let excess = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }

    /// What was kept, escaped; the number of bytes before it is told.
    pub(crate) fn text(&mut self) -> String {
        self.trim();
        let kept = printable::lines(&self.bytes);
        if self.dropped > 0 { format!("[… {} bytes left out …]\n{kept}", self.dropped) } else { kept }
    }
}

/// Cuts a stream into lines to show, as they come.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pending: Vec<u8>,
}

impl Lines {
    /// Bytes of a line that are looked at.
    const MOST: usize = 4 * 1024;

    /// Hands every line that `bytes` completes to `take`; blank ones are left out.
    pub(crate) fn push(&mut self, bytes: &[u8], take: &mut dyn FnMut(&str)) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n' || byte == b'\r') {
            let (text, complete) = match piece {
                [text @ .., b'\n' | b'\r'] => (text, true),
                text => (text, false),
            };
            let room = (Self::MOST - self.pending.len()).min(text.len());
            self.pending.extend_from_slice(&text[..room]);
            if complete {
                self.finish(take);
            }
        }
    }

    /// Hands on a last line that nothing ended.
    pub(crate) fn finish(&mut self, take: &mut dyn FnMut(&str)) {
        let line = printable::line(&String::from_utf8_lossy(&self.pending));
        self.pending.clear();
        if !line.is_empty() {
            take(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, Lines, Tail};

    #[test]
    fn a_flood_keeps_its_end_in_bounded_memory() {
        let mut tail = Tail::new(1_000);
        for _ in 0..10_000 {
            tail.push(&[b'x'; 100]);
            assert!(tail.bytes.len() <= 2_000);
        }
        tail.push(b" last");
        assert_eq!(tail.text(), format!("[… 999005 bytes left out …]\n{} last", "x".repeat(995)));
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let mut tail = Tail::new(3);
        tail.push(b"abc");
        assert_eq!(tail.text(), "abc");
        let mut head = Head::new(3);
        head.push(b"ab");
        head.push(b"cd");
        assert_eq!(head.bytes, b"abc");
    }

    #[test]
    fn lines_are_handed_on_whole_escaped_and_bounded() {
        let mut seen = Vec::new();
        let mut take = |line: &str| seen.push(line.to_owned());
        let mut lines = Lines::default();
        for piece in [&b"fi"[..], b"rst\r\n\nse\x1b", b"cond\r", &[b'x'; 9_000], b"\nlast"] {
            lines.push(piece, &mut take);
        }
        lines.finish(&mut take);
        assert_eq!(seen, ["first", "se\\u{1b}cond", &("x".repeat(500) + "…"), "last"]);
    }
}
