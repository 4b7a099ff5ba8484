//! Bytes from the wire to replies: lines, their limit, and what is left when the writer goes.

use tare_frames::{MAX_FRAME_BYTES, Reply};
use tare_samples::{Failure, FailureKind};

/// Collects bytes and yields a reply for each complete line.
#[derive(Debug, Default)]
pub(crate) struct WireReader {
    buffer: Vec<u8>,
    /// Where the bytes begin that no reply was made of yet.
    taken: usize,
    /// Where the search for the next line feed goes on.
    searched: usize,
}

impl WireReader {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        // Moving the rest to the front only when it is the smaller part keeps the cost of many small frames linear.
        if self.taken > self.buffer.len() / 2 {
            self.buffer.drain(..self.taken);
            self.searched -= self.taken;
            self.taken = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete reply, if there is one. Empty lines are passed over.
    pub(crate) fn next_reply(&mut self) -> Result<Option<Reply>, Failure> {
        loop {
            let Some(offset) = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n') else {
                self.searched = self.buffer.len();
                if self.is_over_limit() {
                    return Err(not_the_protocol(format!(
                        "the worker sent a message of more than {MAX_FRAME_BYTES} bytes, which is the limit"
                    )));
                }
                return Ok(None);
            };
            let (begin, end) = (self.taken, self.searched + offset);
            self.taken = end + 1;
            self.searched = self.taken;
            let line = &self.buffer[begin..end];
            if line.is_empty() {
                continue;
            }
            return Reply::decode(line).map(Some).map_err(|error| {
                not_the_protocol(format!(
                    "the worker sent a line that isn't a message of the worker protocol: {error}; the line begins with {}",
                    excerpt(line)
                ))
            });
        }
    }

    /// Whether more bytes wait than a frame may have: reading on would only fill memory.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.buffer.len() - self.taken > MAX_FRAME_BYTES
    }

    /// What stands in the buffer without a line feed: half a frame, when the writer is gone.
    pub(crate) fn rest(&self) -> Option<String> {
        let rest = &self.buffer[self.taken..];
        (!rest.is_empty()).then(|| excerpt(rest))
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
        let line = Reply::Ready { id: 3, pauses: false, hooks: None, copied: false }.encode()
            + "\n\n"
            + &Reply::Loaded { id: 4, cases: 1, prelude: false }.encode()
            + "\n";
        let mut reader = WireReader::default();
        let mut replies = Vec::new();
        for byte in line.as_bytes() {
            reader.push(&[*byte]);
            while let Some(reply) = reader.next_reply().unwrap() {
                replies.push(reply);
            }
        }
        assert_eq!(
            replies,
            [
                Reply::Ready { id: 3, pauses: false, hooks: None, copied: false },
                Reply::Loaded { id: 4, cases: 1, prelude: false }
            ]
        );
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
    fn a_full_buffer_of_small_frames_is_taken_apart_in_linear_time() {
        // Moving the buffer at each frame would copy a terabyte here.
        let line = Reply::Loaded { id: 4, cases: 1, prelude: false }.encode() + "\n";
        let count = MAX_FRAME_BYTES / line.len();
        let mut reader = WireReader::default();
        reader.push(line.repeat(count).as_bytes());
        let mut replies = 0;
        while reader.next_reply().unwrap().is_some() {
            replies += 1;
            if replies % 1000 == 0 {
                reader.push(line.as_bytes());
            }
        }
        assert_eq!(replies, count + replies / 1000);
        assert_eq!(reader.rest(), None);
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
