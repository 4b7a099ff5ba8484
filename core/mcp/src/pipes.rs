//! The two ends of the client as what the kit reads and writes. A client gives pipes, sockets or files, of which not all can be waited for together; so a thread
//! reads each line, and another one writes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver as Answers, Sender as ToWriter, channel};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{Receiver, channel as bounded};

/// Bytes that are read at once, and parts of them that wait to be understood.
const PART: usize = 64 << 10;
const WAITING: usize = 16;
/// How long a client that reads no more is waited for at the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the client says.
pub(crate) struct Input {
    parts: Receiver<Vec<u8>>,
    rest: Vec<u8>,
    at: usize,
}

impl Input {
    /// Reads until the client hangs up, and calls `ended` then.
    pub(crate) fn of(mut file: File, ended: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let (send, parts) = bounded(WAITING);
        std::thread::Builder::new().spawn(move || {
            let mut room = vec![0; PART];
            loop {
                match file.read(&mut room) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                    Ok(count) => {
                        if send.blocking_send(room[..count].to_vec()).is_err() {
                            break;
                        }
                    }
                }
            }
            ended();
        })?;
        Ok(Self { parts, rest: Vec::new(), at: 0 })
    }
}

impl AsyncRead for Input {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        if own.at == own.rest.len() {
            let Some(part) = ready!(own.parts.poll_recv(context)) else { return Poll::Ready(Ok(())) };
            (own.rest, own.at) = (part, 0);
        }
        let count = room.remaining().min(own.rest.len() - own.at);
        room.put_slice(&own.rest[own.at..own.at + count]);
        own.at += count;
        Poll::Ready(Ok(()))
    }
}

/// What the client is told.
pub(crate) struct Output {
    parts: ToWriter<Vec<u8>>,
    lost: Arc<AtomicBool>,
}

/// Becomes ready once all is written.
pub(crate) struct Written(Answers<()>);

impl Written {
    /// Waits until the client has read it, or has had time enough.
    pub(crate) fn wait(self) {
        let _ = self.0.recv_timeout(PATIENCE);
    }
}

impl Output {
    /// Writes what it is given until it is dropped.
    pub(crate) fn of(mut file: File) -> io::Result<(Self, Written)> {
        let (parts, wanted) = channel::<Vec<u8>>();
        let (done, written) = channel();
        let lost = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&lost);
        std::thread::Builder::new().spawn(move || {
            for part in wanted {
                if file.write_all(&part).and_then(|()| file.flush()).is_err() {
                    told.store(true, Ordering::Relaxed);
                    break;
                }
            }
            let _ = done.send(());
        })?;
        Ok((Self { parts, lost }, Written(written)))
    }
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, _context: &mut Context<'_>, part: &[u8]) -> Poll<io::Result<usize>> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        if self.lost.load(Ordering::Relaxed) {
            return Poll::Ready(Err(gone()));
        }
        Poll::Ready(self.parts.send(part.to_vec()).map(|()| part.len()).map_err(|_| gone()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
