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
use super::request::Prepared;
use super::response::{Response, Taken};
use super::{Endpoint, Exchanged, kind};
use crate::client::Failure;

/// What is read at once. Nothing of it outlives the poll it was read in, so all connections of a thread share it.
const SCRATCH: usize = 64 * 1024;

thread_local! {
    static READ: RefCell<Box<[u8]>> = RefCell::new(vec![0; SCRATCH].into_boxed_slice());
}

/// A connection, or what becomes one when it is needed.
#[derive(Debug)]
pub(super) struct Http1 {
    endpoint: Arc<Endpoint>,
    stream: Option<Stream>,
    /// The stream has carried an answer before.
    reused: bool,
    response: Response,
    /// The request with cookies; empty where there are none.
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
        let response = Response::new(endpoint.connections.cookies, endpoint.connections.follow);
        let alarm = Box::pin(sleep(Duration::ZERO));
        Self {
            endpoint,
            stream: None,
            reused: false,
            response,
            with_cookies: Vec::new(),
            written: 0,
            alarm,
            connects: 0,
        }
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

    /// Where the last answer leads; empty where nowhere.
    pub(super) fn location(&self) -> &[u8] {
        self.response.location.as_deref().unwrap_or_default()
    }

    /// Puts the cookies into the request that is sent next.
    fn add_cookies(&mut self, request: &Prepared) {
        self.with_cookies.clear();
        let Some(jar) = self.response.cookies.as_ref().filter(|jar| !jar.is_empty()) else { return };
        self.with_cookies.extend_from_slice(&request.bytes[..request.head_ends]);
        self.with_cookies.extend_from_slice(b"Cookie: ");
        jar.write(&mut self.with_cookies);
        self.with_cookies.extend_from_slice(b"\r\n");
        self.with_cookies.extend_from_slice(&request.bytes[request.head_ends..]);
    }

    /// A request, and its answer.
    pub(super) async fn exchange(&mut self, request: &Prepared, by: Instant) -> Result<Exchanged, Failure> {
        self.add_cookies(request);
        loop {
            if self.stream.is_none() {
                self.connect(by).await?;
            }
            self.written = 0;
            self.response.restart(request.head_only);
            let broken = match poll_fn(|cx| self.poll_exchange(cx, request, by)).await {
                Ok(()) => {
                    self.reused = true;
                    if !self.response.keep_alive || !self.endpoint.connections.keep_alive {
                        self.stream = None;
                    }
                    return Ok(Exchanged { status: self.response.status, bytes: self.response.bytes });
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
            if gone && self.reused && request.idempotent && !self.response.has_begun() {
                continue;
            }
            return Err(match broken {
                Broken::Io(error) => of_io(&error),
                Broken::Closed => Failure::of(kind::CLOSED),
                Broken::Kind(kind) => Failure::of(kind),
            });
        }
    }

    fn poll_exchange(&mut self, cx: &mut Context<'_>, request: &Prepared, by: Instant) -> Poll<Result<(), Broken>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(Err(Broken::Closed)) };
        let request = match self.with_cookies.is_empty() {
            true => &request.bytes,
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
