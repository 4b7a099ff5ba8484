//! Bytes from the wire to replies: lines, their limit, and what is left when the writer goes.

use tare_frames::{MAX_FRAME_BYTES, Reply};
use tare_samples::{Failure, FailureKind};

/// Collects bytes and yields a reply for each complete line.
#[derive(Debug, Default)]
pub(crate) struct WireReader {
    buffer: Vec<u8>,
    /// Where the search for the next line feed goes on.
    searched: usize,
}

impl WireReader {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete reply, if there is one. Empty lines are passed over.
    pub(crate) fn next_reply(&mut self) -> Result<Option<Reply>, Failure> {
        loop {
            let Some(offset) = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n') else {
                self.searched = self.buffer.len();
                if self.buffer.len() > MAX_FRAME_BYTES {
                    return Err(not_the_protocol(format!(
                        "the worker sent a frame of more than {MAX_FRAME_BYTES} bytes, the most that one may have"
                    )));
                }
                return Ok(None);
            };
            let end = self.searched + offset;
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            self.searched = 0;
            let line = &line[..line.len() - 1];
            if line.is_empty() {
                continue;
            }
            return Reply::decode(line).map(Some).map_err(|error| {
                not_the_protocol(format!(
                    "the worker sent what isn't a frame: {error}; it began with {}",
                    excerpt(line)
                ))
            });
        }
    }

    /// Whether more bytes without a line feed came than a frame may have: reading on would only fill memory.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.buffer.len() > MAX_FRAME_BYTES
    }

    /// What stands in the buffer without a line feed: half a frame, when the writer is gone.
    pub(crate) fn rest(&self) -> Option<String> {
        (!self.buffer.is_empty()).then(|| excerpt(&self.buffer))
    }
}

fn not_the_protocol(message: String) -> Failure {
    Failure::new(FailureKind::Protocol, message, "check the worker with `tare conformance -- WORKER`")
}

/// The first bytes of hostile input, printable.
fn excerpt(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(80)];
    format!("{:?}", String::from_utf8_lossy(head))
}

#[cfg(test)]
mod tests {
    use super::WireReader;
    use tare_frames::{MAX_FRAME_BYTES, Reply};

    #[test]
    fn frames_arrive_in_any_pieces() {
        let line = Reply::Ready { id: 3, pauses: false }.encode()
            + "\n\n"
            + &Reply::Loaded { id: 4, cases: 1 }.encode()
            + "\n";
        let mut reader = WireReader::default();
        let mut replies = Vec::new();
        for byte in line.as_bytes() {
            reader.push(&[*byte]);
            while let Some(reply) = reader.next_reply().unwrap() {
                replies.push(reply);
            }
        }
        assert_eq!(replies, [Reply::Ready { id: 3, pauses: false }, Reply::Loaded { id: 4, cases: 1 }]);
        assert_eq!(reader.rest(), None);
    }

    #[test]
    fn a_frame_without_end_is_refused_at_the_limit() {
        let mut reader = WireReader::default();
        reader.push(&vec![b'x'; MAX_FRAME_BYTES + 1]);
        let failure = reader.next_reply().unwrap_err();
        assert!(failure.message.contains("16777216"), "{}", failure.message);
    }

    #[test]
    fn garbage_is_shown_printable() {
        let mut reader = WireReader::default();
        reader.push(b"\x1b[31mhello\xff\n");
        let failure = reader.next_reply().unwrap_err();
        assert!(failure.message.contains("\\u{1b}[31mhello"), "{}", failure.message);
    }

    #[test]
    fn half_a_frame_is_what_is_left() {
        let mut reader = WireReader::default();
        reader.push(b"{\"frame\":\"hel");
        assert!(reader.next_reply().unwrap().is_none());
        assert!(reader.rest().unwrap().contains("hel"));
    }
}
