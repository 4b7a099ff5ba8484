//! The chunked coding of HTTP/1.1 (RFC 9112, section 7.1), whose data are counted and forgotten.

/// Where in the coding the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Digits of a size so far.
    Size(u8),
    Extension,
    SizeLine,
    Data,
    DataReturn,
    DataLine,
    TrailerStart,
    Trailer,
    LastLine,
}

/// Longest run of bytes that are neither data nor digits: extensions, trailers.
const MOST_BESIDE: u32 = 64 * 1024;

/// A body on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunks {
    at: At,
    left: u64,
    beside: u32,
    data: u64,
}

/// What isn't the coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotChunked;

impl Chunks {
    pub(super) fn new() -> Self {
        Self { at: At::Size(0), left: 0, beside: 0, data: 0 }
    }

    /// Bytes of data so far: what frames them isn't counted.
    pub(super) fn data(&self) -> u64 {
        self.data
    }

    /// Takes bytes; `Some` of how many were taken when the body is complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Option<usize>, NotChunked> {
        let mut i = 0;
        while i < bytes.len() {
            if self.at == At::Data {
                let step = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len() - i);
                self.left -= step as u64;
                self.data += step as u64;
                i += step;
                if self.left == 0 {
                    self.at = At::DataReturn;
                }
                continue;
            }
            let byte = bytes[i];
            i += 1;
            self.at = match (self.at, byte) {
                (At::Size(digits @ 0..16), byte) if byte.is_ascii_hexdigit() => {
                    let digit = (byte as char).to_digit(16).unwrap_or(0);
                    self.left = self.left << 4 | u64::from(digit);
                    At::Size(digits + 1)
                }
                (At::Size(1..), b'\r') => At::SizeLine,
                (At::Size(1..), b';' | b' ' | b'\t') => At::Extension,
                (At::Extension, b'\r') => At::SizeLine,
                (At::Extension, byte) if byte != b'\n' => At::Extension,
                (At::SizeLine, b'\n') if self.left == 0 => At::TrailerStart,
                (At::SizeLine, b'\n') => At::Data,
                (At::DataReturn, b'\r') => At::DataLine,
                (At::DataLine, b'\n') => {
                    self.beside = 0;
                    At::Size(0)
                }
                (At::TrailerStart, b'\r') => At::LastLine,
                (At::Trailer, b'\n') => At::TrailerStart,
                (At::TrailerStart | At::Trailer, byte) if byte != b'\n' => At::Trailer,
                (At::LastLine, b'\n') => return Ok(Some(i)),
                _ => return Err(NotChunked),
            };
            self.beside += 1;
            if self.beside > MOST_BESIDE {
                return Err(NotChunked);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunks, NotChunked};

    const BODY: &[u8] = b"4\r\nWiki\r\n6;a=b\r\npedia \r\nE\r\n in\r\n\r\nchunks.\r\n0\r\nX: y\r\n\r\nrest";

    #[test]
    fn a_body_ends_where_it_ends_however_it_is_cut() {
        assert_eq!(Chunks::new().take(BODY), Ok(Some(BODY.len() - 4)));
        for step in 1..8 {
            let mut chunks = Chunks::new();
            let mut taken = 0;
            let end = BODY.chunks(step).find_map(|part| {
                let end = chunks.take(part).unwrap();
                taken += end.unwrap_or(part.len());
                end
            });
            assert!(end.is_some(), "{step}");
            assert_eq!((taken, chunks.data()), (BODY.len() - 4, 24), "{step}");
        }
    }

    #[test]
    fn what_is_not_chunked_is_refused() {
        for body in ["x\r\n", "\r\n", "4\r\nWikiX", "4\nWiki", "11111111111111111\r\n", "-1\r\n", "0\r\n\n"] {
            assert_eq!(Chunks::new().take(body.as_bytes()), Err(NotChunked), "{body:?}");
        }
        assert_eq!(Chunks::new().take(&[b"1;".as_slice(), &[b'x'; 70_000]].concat()), Err(NotChunked));
    }
}
