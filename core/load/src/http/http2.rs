//! One connection that speaks HTTP/2, one request at a time, by hyper.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::time::{Instant, timeout_at};

use super::connect::{of_io, open};
use super::{Endpoint, judged, kind};
use crate::client::{Answer, Failure};

/// A connection, or what becomes one when it is needed.
#[derive(Debug)]
pub(super) struct Http2 {
    endpoint: Arc<Endpoint>,
    sender: Option<SendRequest<Full<Bytes>>>,
    connects: u64,
}

impl Http2 {
    pub(super) fn new(endpoint: Arc<Endpoint>) -> Self {
        Self { endpoint, sender: None, connects: 0 }
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

    /// A request of its target's, and its answer.
    pub(super) async fn operate(&mut self, at: usize, by: Instant) -> Result<Answer, Failure> {
        if self.sender.as_ref().is_none_or(SendRequest::is_closed) {
            self.connect(by).await?;
        }
        let request = &self.endpoint.requests[at].http2;
        let done = match &mut self.sender {
            Some(sender) => timeout_at(by, exchange(sender, request)).await,
            None => return Err(Failure::of(kind::CLOSED)),
        };
        let done = done.unwrap_or_else(|_| Err(Failure::of(kind::TIMEOUT)));
        // A stream that failed leaves the connection in a state that isn't known.
        if done.is_err() || !self.endpoint.connections.keep_alive {
            self.sender = None;
        }
        done.and_then(|(status, bytes)| judged(status, bytes))
    }
}

async fn exchange(
    sender: &mut SendRequest<Full<Bytes>>,
    request: &http::Request<Full<Bytes>>,
) -> Result<(u16, u64), Failure> {
    sender.ready().await.map_err(|error| of_hyper(&error))?;
    let answer = sender.send_request(request.clone()).await.map_err(|error| of_hyper(&error))?;
    let status = answer.status().as_u16();
    let mut body = answer.into_body();
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| of_hyper(&error))?;
        bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
    }
    Ok((status, bytes))
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
