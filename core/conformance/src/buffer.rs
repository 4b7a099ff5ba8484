use std::collections::VecDeque;
use std::fmt::Write;

use tare_frames::MAX_FRAME_BYTES;

/// More unread replies than any exchange has; a worker that writes on and on must not fill the memory.
const MAX_UNREAD_BYTES: usize = 4 * MAX_FRAME_BYTES;

/// Cuts what arrives into lines.
#[derive(Debug, Default)]
pub(crate) struct LineBuffer {
    lines: VecDeque<Vec<u8>>,
    unread: usize,
    partial: Vec<u8>,
}

impl LineBuffer {
    /// Takes in what was read; fails where the worker has gone beyond a limit.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if self.partial.len() > MAX_FRAME_BYTES + 1 {
                return Err(format!(
                    "a reply of more than {MAX_FRAME_BYTES} bytes, which begins {}",
                    excerpt(&self.partial)
                ));
            }
            if self.partial.last() == Some(&b'\n') {
                self.partial.pop();
                self.unread += self.partial.len();
                self.lines.push_back(std::mem::take(&mut self.partial));
            }
        }
        match self.unread > MAX_UNREAD_BYTES {
            true => Err(format!("more than {MAX_UNREAD_BYTES} bytes of replies without a request")),
            false => Ok(()),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Vec<u8>> {
        let line = self.lines.pop_front()?;
        self.unread -= line.len();
        Some(line)
    }

    /// A line that has begun.
    pub(crate) fn partial(&self) -> &[u8] {
        &self.partial
    }
}

/// What a worker writes where it should be silent: how much, and how it begins.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    total: u64,
}

impl Capture {
    const HEAD: usize = 1024;

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = Self::HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.total += bytes.len() as u64;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }
}

/// The beginning of what a worker wrote, in quotes, safe to show on a terminal.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 200;
    let mut text = String::from("`");
    for chunk in bytes[..bytes.len().min(SHOWN)].utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                // Frames are full of these, and they do a terminal no harm.
                '"' | '\'' | '\\' => text.push(character),
                other => text.extend(other.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a String can't fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text.push('`');
    if bytes.len() > SHOWN {
        let _ = write!(text, "… ({} bytes)", bytes.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use tare_frames::MAX_FRAME_BYTES;

    use super::{LineBuffer, excerpt};

    #[test]
    fn lines_come_out_however_they_went_in() {
        let mut buffer = LineBuffer::default();
        for piece in [&b"on"[..], b"e\ntwo\n\nthr", b"ee"] {
            buffer.push(piece).unwrap();
        }
        let lines: Vec<Vec<u8>> = std::iter::from_fn(|| buffer.pop()).collect();
        assert_eq!(lines, [&b"one"[..], b"two", b""]);
        assert_eq!(buffer.partial(), b"three");
    }

    #[test]
    fn a_line_ends_at_the_limit() {
        let longest = vec![b'x'; MAX_FRAME_BYTES];
        let mut buffer = LineBuffer::default();
        buffer.push(&longest).unwrap();
        buffer.push(b"\n").unwrap();
        assert_eq!(buffer.pop().unwrap().len(), MAX_FRAME_BYTES);
        buffer.push(&longest).unwrap();
        buffer.push(b"x").unwrap();
        assert!(buffer.push(b"\n").is_err());
    }

    #[test]
    fn an_excerpt_shows_no_control_characters() {
        assert_eq!(excerpt(b"\"a\"\x1b[31m\xff\n"), "`\"a\"\\u{1b}[31m\\xff\\n`");
        assert!(excerpt(&[b'x'; 300]).ends_with("x`… (300 bytes)"));
    }
}
