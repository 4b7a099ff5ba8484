//! One connection that speaks HTTP/1.1.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::connect::{Stream, of_io, open};
use super::response::{Response, Taken};
use super::{Endpoint, judged, kind};
use crate::client::{Answer, Failure};

/// What is read at once. Nothing of it outlives the poll it was read in, so all connections of a thread share it.
const SCRATCH: usize = 64 * 1024;

thread_local! {
    static READ: RefCell<Box<[u8]>> = RefCell::new(vec![0; SCRATCH].into_boxed_slice());
}

/// More cookies aren't kept: a server that sets a new one with each answer must not make requests without end.
const MOST_COOKIES: usize = 64;

/// A connection, or what becomes one when it is needed.
#[derive(Debug)]
pub(super) struct Http1 {
    endpoint: Arc<Endpoint>,
    stream: Option<Stream>,
    /// The stream has carried an answer before.
    reused: bool,
    response: Response,
    /// `name=value` of cookies, and the request with them; empty where there are none.
    jar: Vec<Vec<u8>>,
    with_cookies: Vec<u8>,
    written: usize,
    /// Goes off at a deadline of this or of an earlier request, and is set again only then.
    alarm: Pin<Box<Sleep>>,
    connects: u64,
}

/// How an exchange ended without an answer.
enum Broken {
    Io(io::Error),
    Closed,
    Kind(&'static str),
}

impl Http1 {
    pub(super) fn new(endpoint: Arc<Endpoint>) -> Self {
        let response = Response::new(endpoint.connections.cookies);
        let alarm = Box::pin(sleep(Duration::ZERO));
        let (jar, with_cookies) = (Vec::new(), Vec::new());
        Self { endpoint, stream: None, reused: false, response, jar, with_cookies, written: 0, alarm, connects: 0 }
    }

    pub(super) fn take_connects(&mut self) -> u64 {
        std::mem::take(&mut self.connects)
    }

    /// Connects where connections are kept; else each request does.
    pub(super) async fn prepare(&mut self, by: Instant) -> Result<(), Failure> {
        if self.endpoint.connections.keep_alive { self.connect(by).await } else { Ok(()) }
    }

    async fn connect(&mut self, by: Instant) -> Result<(), Failure> {
        self.stream = Some(open(&self.endpoint, by).await?);
        self.reused = false;
        self.connects += 1;
        Ok(())
    }

    /// Puts the cookies into the request that is sent next.
    fn add_cookies(&mut self, at: usize) {
        let Some(set) = &mut self.response.cookies else { return };
        for (pair, taken_back) in set.drain(..) {
            let name = |pair: &[u8]| pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            self.jar.retain(|own| own[..name(own)] != pair[..name(&pair)]);
            if !taken_back && self.jar.len() < MOST_COOKIES {
                self.jar.push(pair);
            }
        }
        self.with_cookies.clear();
        if self.jar.is_empty() {
            return;
        }
        let request = &self.endpoint.requests[at];
        self.with_cookies.extend_from_slice(&request.bytes[..request.head_ends]);
        for (number, pair) in self.jar.iter().enumerate() {
            self.with_cookies.extend_from_slice(if number == 0 { b"Cookie: " } else { b"; " });
            self.with_cookies.extend_from_slice(pair);
        }
        self.with_cookies.extend_from_slice(b"\r\n");
        self.with_cookies.extend_from_slice(&request.bytes[request.head_ends..]);
    }

    /// A request of its target's, and its answer.
    pub(super) async fn operate(&mut self, at: usize, by: Instant) -> Result<Answer, Failure> {
        self.add_cookies(at);
        let (head_only, idempotent) = {
            let request = &self.endpoint.requests[at];
            (request.head_only, request.idempotent)
        };
        loop {
            if self.stream.is_none() {
                self.connect(by).await?;
            }
            self.written = 0;
            self.response.restart(head_only);
            let broken = match poll_fn(|cx| self.poll_exchange(cx, at, by)).await {
                Ok(()) => {
                    self.reused = true;
                    if !self.response.keep_alive || !self.endpoint.connections.keep_alive {
                        self.stream = None;
                    }
                    return judged(self.response.status, self.response.bytes);
                }
                Err(broken) => broken,
            };
            self.stream = None;
            // A server may close a connection that it has kept open long enough, in the very moment in which it is used again. Then
            // nothing has come, and what may be repeated goes on a new connection (RFC 9110, section 9.2.2).
            let gone = match &broken {
                Broken::Closed => true,
                Broken::Io(error) => of_io(error).kind == kind::RESET,
                Broken::Kind(_) => false,
            };
            if gone && self.reused && idempotent && !self.response.has_begun() {
                continue;
            }
            return Err(match broken {
                Broken::Io(error) => of_io(&error),
                Broken::Closed => Failure::of(kind::CLOSED),
                Broken::Kind(kind) => Failure::of(kind),
            });
        }
    }

    fn poll_exchange(&mut self, cx: &mut Context<'_>, at: usize, by: Instant) -> Poll<Result<(), Broken>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(Err(Broken::Closed)) };
        let request = match self.with_cookies.is_empty() {
            true => &self.endpoint.requests[at].bytes,
            false => &self.with_cookies,
        };
        while self.written < request.len() {
            match Pin::new(&mut *stream).poll_write(cx, &request[self.written..]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(Broken::Closed)),
                Poll::Ready(Ok(count)) => {
                    self.written += count;
                    if self.written == request.len()
                        && let Poll::Ready(Err(error)) = Pin::new(&mut *stream).poll_flush(cx)
                    {
                        return Poll::Ready(Err(Broken::Io(error)));
                    }
                }
                // It may have answered before it closed.
                Poll::Ready(Err(error)) if self.written == 0 => return Poll::Ready(Err(Broken::Io(error))),
                Poll::Ready(Err(_)) | Poll::Pending => break,
            }
        }
        let response = &mut self.response;
        let read = READ.with_borrow_mut(|scratch| {
            loop {
                let mut buffer = ReadBuf::new(scratch);
                match Pin::new(&mut *stream).poll_read(cx, &mut buffer) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Err(error)) => {
                        return Poll::Ready(if error.kind() == io::ErrorKind::UnexpectedEof {
                            Err(Broken::Closed)
                        } else {
                            Err(Broken::Io(error))
                        });
                    }
                    Poll::Ready(Ok(())) if buffer.filled().is_empty() => {
                        return Poll::Ready(if response.is_complete_when_closed() {
                            Ok(())
                        } else {
                            Err(Broken::Closed)
                        });
                    }
                    Poll::Ready(Ok(())) => match response.take(buffer.filled()) {
                        Ok(Taken::More) => {}
                        Ok(Taken::Done(0)) => return Poll::Ready(Ok(())),
                        // More than was asked for.
                        Ok(Taken::Done(_)) => return Poll::Ready(Err(Broken::Kind(kind::GARBAGE))),
                        Err(kind) => return Poll::Ready(Err(Broken::Kind(kind))),
                    },
                }
            }
        });
        if read.is_ready() {
            if self.written < request.len() {
                // It answered without waiting for the end of the request: what is left of it can't be followed by another.
                response.keep_alive = false;
            }
            return read;
        }
        // A server that sends faster than is read uses up what a task may do at a time, and the alarm would never get its turn.
        if Instant::now() >= by {
            return Poll::Ready(Err(Broken::Kind(kind::TIMEOUT)));
        }
        self.poll_alarm(cx, by).map(|()| Err(Broken::Kind(kind::TIMEOUT)))
    }

    /// Ready when `by` has come. Deadlines only grow, so the alarm is set anew when it goes off, and not for each request.
    fn poll_alarm(&mut self, cx: &mut Context<'_>, by: Instant) -> Poll<()> {
        while self.alarm.as_mut().poll(cx).is_ready() {
            if Instant::now() >= by {
                return Poll::Ready(());
            }
            self.alarm.as_mut().reset(by);
        }
        Poll::Pending
    }
}
