//! One connection that speaks HTTP/2, one request at a time, by hyper.

use std::sync::Arc;

use http::HeaderValue;
use http::header::{COOKIE, LOCATION, SET_COOKIE};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::time::{Instant, timeout_at};

use super::connect::{of_io, open};
use super::cookies::Jar;
use super::request::Prepared;
use super::{Endpoint, Exchanged, kind};
use crate::client::Failure;

/// A connection, or what becomes one when it is needed.
#[derive(Debug)]
pub(super) struct Http2 {
    endpoint: Arc<Endpoint>,
    sender: Option<SendRequest<Full<Bytes>>>,
    connects: u64,
    /// `None`: nobody asks.
    cookies: Option<Jar>,
    /// Where the last answer leads; empty where nowhere, or nobody asks.
    location: Vec<u8>,
}

impl Http2 {
    pub(super) fn new(endpoint: Arc<Endpoint>) -> Self {
        let cookies = endpoint.connections.cookies.then(Jar::default);
        Self { endpoint, sender: None, connects: 0, cookies, location: Vec::new() }
    }

    pub(super) fn take_connects(&mut self) -> u64 {
        std::mem::take(&mut self.connects)
    }

    pub(super) async fn prepare(&mut self, by: Instant) -> Result<(), Failure> {
        if self.endpoint.connections.keep_alive { self.connect(by).await } else { Ok(()) }
    }

    async fn connect(&mut self, by: Instant) -> Result<(), Failure> {
        let stream = open(&self.endpoint, by).await?;
        let shaken = timeout_at(by, handshake(TokioExecutor::new(), TokioIo::new(stream))).await;
        let (sender, connection) = shaken
            .map_err(|_| Failure::of(kind::TIMEOUT).while_connecting())?
            .map_err(|error| of_hyper(&error).while_connecting())?;
        tokio::spawn(connection);
        self.sender = Some(sender);
        self.connects += 1;
        Ok(())
    }

    /// Where the last answer leads; empty where nowhere.
    pub(super) fn location(&self) -> &[u8] {
        &self.location
    }

    /// A request, and its answer.
    pub(super) async fn exchange(&mut self, request: &Prepared, by: Instant) -> Result<Exchanged, Failure> {
        if self.sender.as_ref().is_none_or(SendRequest::is_closed) {
            self.connect(by).await?;
        }
        self.location.clear();
        let mut request = request.http2.clone().ok_or_else(|| Failure::of(kind::GARBAGE))?;
        if let Some(jar) = self.cookies.as_ref().filter(|jar| !jar.is_empty()) {
            let mut value = Vec::new();
            jar.write(&mut value);
            // What stood in a header can stand in one.
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                request.headers_mut().append(COOKIE, value);
            }
        }
        let done = match timeout_at(by, self.answered(request)).await {
            Ok(done) => done,
            Err(_) => Err(Failure::of(kind::TIMEOUT)),
        };
        // A stream that failed leaves the connection in a state that isn't known.
        if done.is_err() || !self.endpoint.connections.keep_alive {
            self.sender = None;
        }
        done
    }

    async fn answered(&mut self, request: http::Request<Full<Bytes>>) -> Result<Exchanged, Failure> {
        let Some(sender) = &mut self.sender else { return Err(Failure::of(kind::CLOSED)) };
        sender.ready().await.map_err(|error| of_hyper(&error))?;
        let answer = sender.send_request(request).await.map_err(|error| of_hyper(&error))?;
        let status = answer.status().as_u16();
        if let Some(jar) = &mut self.cookies {
            answer.headers().get_all(SET_COOKIE).iter().for_each(|cookie| jar.take(cookie.as_bytes()));
        }
        if self.endpoint.connections.follow {
            let location = answer.headers().get_all(LOCATION).iter().next_back();
            self.location.extend_from_slice(location.map(HeaderValue::as_bytes).unwrap_or_default());
        }
        let mut body = answer.into_body();
        let mut bytes = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| of_hyper(&error))?;
            bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        Ok(Exchanged { status, bytes })
    }
}

fn of_hyper(error: &hyper::Error) -> Failure {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            return of_io(io);
        }
        cause = inner.source();
    }
    let kind = if error.is_closed() || error.is_canceled() || error.is_incomplete_message() {
        kind::CLOSED
    } else if error.is_timeout() {
        kind::TIMEOUT
    } else {
        kind::GARBAGE
    };
    Failure::with_detail(kind, error.to_string())
}
