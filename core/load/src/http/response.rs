//! An answer of HTTP/1.1 as it comes in, piece by piece (RFC 9112). The body is counted and forgotten.

use std::mem::MaybeUninit;

use super::chunks::Chunks;
use super::cookies::Jar;
use super::kind;

/// Headers that an answer may have.
const MOST_HEADERS: usize = 128;
/// Bytes of a head, at most.
const LONGEST_HEAD: usize = 64 * 1024;

#[derive(Debug, Clone, Copy)]
enum Body {
    /// The head isn't complete.
    Unknown,
    Length(u64),
    Chunked(Chunks),
    UntilClosed,
}

/// One answer.
#[derive(Debug)]
pub(super) struct Response {
    body: Body,
    /// The beginning of a head that came in pieces.
    head: Vec<u8>,
    /// The method was HEAD.
    head_only: bool,
    /// Cookies of this answer and of those before; `None`: nobody asks.
    pub(super) cookies: Option<Jar>,
    /// Where the answer leads, empty where nowhere; `None`: nobody asks.
    pub(super) location: Option<Vec<u8>>,
    pub(super) status: u16,
    /// Of the body.
    pub(super) bytes: u64,
    has_begun: bool,
    pub(super) keep_alive: bool,
}

/// What a piece made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// It goes on.
    More,
    /// It is complete; that many bytes of the piece weren't part of it.
    Done(usize),
}

impl Response {
    /// `cookies` are kept, and where it leads (`location`), if asked for.
    pub(super) fn new(cookies: bool, location: bool) -> Self {
        Self {
            body: Body::Unknown,
            head: Vec::new(),
            head_only: false,
            cookies: cookies.then(Jar::default),
            location: location.then(Vec::new),
            status: 0,
            bytes: 0,
            has_begun: false,
            keep_alive: false,
        }
    }

    /// Makes it ready for the next answer, to a request whose method may be HEAD.
    pub(super) fn restart(&mut self, head_only: bool) {
        self.head_only = head_only;
        self.body = Body::Unknown;
        self.head.clear();
        self.location.iter_mut().for_each(Vec::clear);
        (self.status, self.bytes, self.has_begun, self.keep_alive) = (0, 0, false, false);
    }

    /// Whether anything of it came.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Takes the next piece; the kind of failure where it is no HTTP.
    pub(super) fn take(&mut self, piece: &[u8]) -> Result<Taken, &'static str> {
        self.has_begun |= !piece.is_empty();
        if !matches!(self.body, Body::Unknown) {
            return self.take_body(piece);
        }
        if self.head.is_empty() {
            return self.take_head(piece);
        }
        // A head that comes byte by byte isn't parsed anew with each: only where it can have ended.
        let seam = self.head.len().saturating_sub(3);
        self.head.extend_from_slice(piece);
        if !ends(&self.head[seam..]) {
            return if self.head.len() > LONGEST_HEAD { Err(kind::TOO_LARGE) } else { Ok(Taken::More) };
        }
        let head = std::mem::take(&mut self.head);
        let taken = self.take_head(&head);
        if self.head.is_empty() {
            self.head = head;
            self.head.clear();
        }
        taken
    }

    /// Takes bytes that begin with a head.
    fn take_head(&mut self, mut bytes: &[u8]) -> Result<Taken, &'static str> {
        loop {
            let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
            let mut parsed = httparse::Response::new(&mut []);
            let config = httparse::ParserConfig::default();
            let length = match config.parse_response_with_uninit_headers(&mut parsed, bytes, &mut headers) {
                Ok(httparse::Status::Complete(length)) => length,
                Ok(httparse::Status::Partial) if bytes.len() > LONGEST_HEAD => return Err(kind::TOO_LARGE),
                Ok(httparse::Status::Partial) => {
                    self.head.clear();
                    self.head.extend_from_slice(bytes);
                    return Ok(Taken::More);
                }
                Err(httparse::Error::TooManyHeaders) => return Err(kind::TOO_LARGE),
                Err(_) => return Err(kind::GARBAGE),
            };
            self.status = parsed.code.unwrap_or(0);
            bytes = &bytes[length..];
            match self.status {
                // Nobody asked for another protocol.
                101 | ..100 => return Err(kind::GARBAGE),
                // An interim answer: the real one follows.
                102..200 | 100 => {}
                _ => {
                    self.frame(&parsed)?;
                    return self.take_body(bytes);
                }
            }
            if bytes.is_empty() {
                return Ok(Taken::More);
            }
        }
    }

    /// How the body ends (RFC 9112, section 6.3).
    fn frame(&mut self, parsed: &httparse::Response<'_, '_>) -> Result<(), &'static str> {
        let mut length: Option<u64> = None;
        let (mut chunked, mut encoded, mut close, mut kept) = (false, false, false, false);
        for header in parsed.headers.iter() {
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    let said = number(header.value).ok_or(kind::GARBAGE)?;
                    if length.is_some_and(|length| length != said) {
                        return Err(kind::GARBAGE);
                    }
                    length = Some(said);
                }
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    encoded = true;
                    let last = header.value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
                    chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
                }
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    for token in header.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                        close |= token.eq_ignore_ascii_case(b"close");
                        kept |= token.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                10 if header.name.eq_ignore_ascii_case("set-cookie") => {
                    self.cookies.iter_mut().for_each(|jar| jar.take(header.value));
                }
                8 if header.name.eq_ignore_ascii_case("location") => {
                    // Of several the last one counts.
                    if let Some(location) = &mut self.location {
                        location.clear();
                        location.extend_from_slice(header.value);
                    }
                }
                _ => {}
            }
        }
        self.keep_alive = !close && (parsed.version == Some(1) || kept);
        self.body = if self.head_only || matches!(self.status, 204 | 304) {
            Body::Length(0)
        } else if encoded {
            if chunked { Body::Chunked(Chunks::new()) } else { Body::UntilClosed }
        } else {
            length.map_or(Body::UntilClosed, Body::Length)
        };
        Ok(())
    }

    fn take_body(&mut self, bytes: &[u8]) -> Result<Taken, &'static str> {
        match &mut self.body {
            Body::Length(left) if *left <= bytes.len() as u64 => {
                self.bytes += *left;
                Ok(Taken::Done(bytes.len() - *left as usize))
            }
            Body::Length(left) => {
                *left -= bytes.len() as u64;
                self.bytes += bytes.len() as u64;
                Ok(Taken::More)
            }
            Body::Chunked(chunks) => {
                let taken = chunks.take(bytes);
                self.bytes = chunks.data();
                match taken {
                    Ok(Some(taken)) => Ok(Taken::Done(bytes.len() - taken)),
                    Ok(None) => Ok(Taken::More),
                    Err(_) => Err(kind::GARBAGE),
                }
            }
            Body::UntilClosed | Body::Unknown => {
                self.keep_alive = false;
                self.bytes += bytes.len() as u64;
                Ok(Taken::More)
            }
        }
    }

    /// The server closed the connection: whether the answer is complete.
    pub(super) fn is_complete_when_closed(&self) -> bool {
        matches!(self.body, Body::UntilClosed)
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    let digits = digits.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a head may end in it.
fn ends(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"\n\n") || bytes.windows(3).any(|three| three == b"\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::super::kind;
    use super::{Response, Taken};

    fn whole(text: &[u8]) -> (Response, Result<Taken, &'static str>) {
        let mut response = Response::new(false, false);
        let taken = response.take(text);
        (response, taken)
    }

    #[test]
    fn answers_end_where_their_framing_says() {
        for (text, rest, body) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"[..], 0, 3),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabcdef", 3, 3),
            (b"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", 0, 0),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0, 0),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 0, 5),
            (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", 0, 1),
        ] {
            let (response, taken) = whole(text);
            assert_eq!(taken, Ok(Taken::Done(rest)), "{}", String::from_utf8_lossy(text));
            assert!(response.keep_alive);
            assert_eq!(response.bytes, body, "{}", String::from_utf8_lossy(text));
            let mut bytewise = Response::new(false, false);
            let last = text[..text.len() - rest].iter().map(|byte| bytewise.take(&[*byte])).last().unwrap();
            assert_eq!((last, bytewise.status, bytewise.bytes), (Ok(Taken::Done(0)), response.status, body));
        }
    }

    #[test]
    fn a_body_without_a_length_ends_with_the_connection() {
        let (response, taken) = whole(b"HTTP/1.1 200 OK\r\n\r\nabc");
        assert_eq!(taken, Ok(Taken::More));
        assert!(response.is_complete_when_closed() && !response.keep_alive && response.bytes == 3);
        let (response, _) = whole(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc");
        assert!(!response.is_complete_when_closed());
        let (response, _) = whole(b"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n");
        assert!(!response.keep_alive);
    }

    #[test]
    fn where_an_answer_leads_is_kept_until_the_next_where_it_is_asked_for() {
        let text = b"HTTP/1.1 302 Found\r\nlocation: /a\r\nLocation: /b?c\r\nContent-Length: 0\r\n\r\n";
        let mut response = Response::new(false, true);
        response.take(text).unwrap();
        assert_eq!(response.location.as_deref(), Some(&b"/b?c"[..]));
        response.restart(false);
        response.take(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        assert_eq!(response.location.as_deref(), Some(&b""[..]));
        assert_eq!(whole(text).0.location, None);
    }

    #[test]
    fn garbage_is_told_from_what_is_too_long() {
        for text in [
            &b"SSH-2.0-OpenSSH\r\n"[..],
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            b"HTTP/1.1 101 Switching\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"\0\0\0\0\0\0\0\0",
        ] {
            assert_eq!(whole(text).1, Err(kind::GARBAGE), "{}", String::from_utf8_lossy(text));
        }
        let mut endless = Response::new(false, false);
        let mut taken = endless.take(b"HTTP/1.1 200 OK\r\n");
        let mut pieces = 0;
        while taken == Ok(Taken::More) && pieces < 100_000 {
            taken = endless.take(b"X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n");
            pieces += 1;
        }
        assert_eq!(taken, Err(kind::TOO_LARGE));
        assert!(endless.head.capacity() < 300_000);
    }
}
