//! TCP and TLS connections, and the kinds of what goes wrong with them.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{Address, Endpoint, Version, kind, tls};
use crate::client::Failure;

/// A connection.
#[derive(Debug)]
pub(super) enum Stream {
    Plain(Socket),
    Tls(Box<TlsStream<Socket>>),
}

/// What a connection goes over.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Opens a connection to a target, `by` then.
pub(super) async fn open(endpoint: &Endpoint, by: Instant) -> Result<Stream, Failure> {
    let opened = timeout_at(by, connect(endpoint)).await;
    let late = || Failure::with_detail(kind::TIMEOUT, "no connection was made before the timeout");
    opened.unwrap_or_else(|_| Err(late())).map_err(Failure::while_connecting)
}

async fn connect(endpoint: &Endpoint) -> Result<Stream, Failure> {
    let socket = match &endpoint.address {
        Address::Tcp(address) => {
            let tcp = TcpStream::connect(address).await.map_err(|error| of_connect(&error))?;
            // A request is one write: waiting for more of it would only delay the end of large ones.
            let _ = tcp.set_nodelay(true);
            Socket::Tcp(tcp)
        }
        Address::Unix(path) => Socket::Unix(UnixStream::connect(path).await.map_err(|error| of_connect(&error))?),
    };
    let Some(tls) = &endpoint.tls else { return Ok(Stream::Plain(socket)) };
    let Some(name) = tls.name.clone().or_else(|| endpoint.name.clone()) else {
        return Err(Failure::with_detail(
            kind::TLS,
            "the host's name can't stand in a certificate; use another name or address of it, or --sni",
        ));
    };
    let tls =
        TlsConnector::from(tls.config.clone()).connect(name, socket).await.map_err(|error| match error.kind() {
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => of_io(&error),
            ErrorKind::UnexpectedEof => {
                Failure::with_detail(kind::CLOSED, "the server closed the connection during the TLS handshake")
            }
            _ => Failure::with_detail(kind::TLS, tls::handshake_failure(&error)),
        })?;
    if endpoint.connections.version == Version::Two && tls.get_ref().1.alpn_protocol() != Some(b"h2") {
        return Err(Failure::with_detail(kind::TLS, "the server doesn't speak HTTP/2; leave out --http2"));
    }
    Ok(Stream::Tls(Box::new(tls)))
}

fn of_connect(error: &io::Error) -> Failure {
    let kind = match error.kind() {
        // Of a Unix socket that isn't there nobody listens, either.
        ErrorKind::ConnectionRefused | ErrorKind::NotFound => kind::REFUSED,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => kind::UNREACHABLE,
        ErrorKind::TimedOut => kind::TIMEOUT,
        ErrorKind::ConnectionReset => kind::RESET,
        _ => kind::CONNECT,
    };
    Failure::with_detail(kind, error.to_string())
}

/// A failure of a connection that there is.
pub(super) fn of_io(error: &io::Error) -> Failure {
    Failure::of(match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => kind::RESET,
        ErrorKind::UnexpectedEof => kind::CLOSED,
        ErrorKind::TimedOut => kind::TIMEOUT,
        ErrorKind::InvalidData => kind::TLS,
        _ => kind::CONNECT,
    })
}

/// What is read and written.
trait Duplex: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Duplex for T {}

impl Socket {
    fn io(&mut self) -> &mut dyn Duplex {
        match self {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
        }
    }
}

impl Stream {
    fn io(&mut self) -> &mut dyn Duplex {
        match self {
            Self::Plain(socket) => socket.io(),
            Self::Tls(stream) => stream.as_mut(),
        }
    }
}

macro_rules! duplex {
    ($name:ident) => {
        impl AsyncRead for $name {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                Pin::new(self.get_mut().io()).poll_read(cx, buffer)
            }
        }

        impl AsyncWrite for $name {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
                Pin::new(self.get_mut().io()).poll_write(cx, bytes)
            }

            fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Pin::new(self.get_mut().io()).poll_flush(cx)
            }

            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Pin::new(self.get_mut().io()).poll_shutdown(cx)
            }
        }
    };
}

duplex!(Socket);
duplex!(Stream);
