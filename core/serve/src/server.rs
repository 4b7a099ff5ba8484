//! Connections: few, short, and from this machine.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tare_definition::Project;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::routes::{Shared, router};

/// Connections at once; further ones are closed.
const CONNECTIONS: usize = 64;
/// A request's head has to be there by then.
const HEAD: Duration = Duration::from_secs(10);
/// A connection is closed after so long, whatever it does: it can be made anew.
const LONGEST: Duration = Duration::from_secs(120);
/// Bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;
/// How often it is looked whether the user wants it to end.
const LOOK: Duration = Duration::from_millis(100);

/// What keeps it from serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is one that others can reach.
    #[error(
        "--listen {0}: use an address of this machine alone, as 127.0.0.1:7357, since every user who can connect can read the store. From another machine, forward a port, as `ssh -L 7357:127.0.0.1:7357 HOST` does"
    )]
    NotLoopback(SocketAddr),
    /// The address is taken, or isn't one.
    #[error("--listen {0}: {1}; --listen 127.0.0.1:0 takes a free port")]
    Listen(SocketAddr, std::io::Error),
    /// The system gives no threads or sockets.
    #[error("it can't be served: {0}")]
    System(std::io::Error),
}

/// A server that listens and doesn't answer yet.
pub struct Serving {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    project: Project,
}

impl Serving {
    /// Listens; of port 0, on one that is free.
    ///
    /// # Errors
    ///
    /// An address of other machines, or one that is taken.
    pub fn listen(address: SocketAddr, project: Project) -> Result<Self, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(4).build();
        let runtime = runtime.map_err(ServeError::System)?;
        let listener =
            runtime.block_on(TcpListener::bind(address)).map_err(|error| ServeError::Listen(address, error))?;
        let address = listener.local_addr().map_err(ServeError::System)?;
        Ok(Self { runtime, listener, address, project })
    }

    /// Where it is found.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers until `stop` is set.
    ///
    /// # Errors
    ///
    /// None once it listens; a connection that fails is its own.
    pub fn run(self, stop: &AtomicBool) -> Result<(), ServeError> {
        let Self { runtime, listener, address, project } = self;
        let routes = router(Arc::new(Shared::new(project, address)));
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        runtime.block_on(async {
            while !stop.load(Ordering::Relaxed) {
                let Ok(accepted) = tokio::time::timeout(LOOK, listener.accept()).await else { continue };
                let Ok((stream, _)) = accepted else {
                    // Out of descriptors: others have to close first.
                    tokio::time::sleep(LOOK).await;
                    continue;
                };
                let Ok(place) = room.clone().try_acquire_owned() else { continue };
                let service = TowerToHyperService::new(routes.clone());
                tokio::spawn(async move {
                    let connection = http1::Builder::new()
                        .timer(TokioTimer::new())
                        .header_read_timeout(HEAD)
                        .max_buf_size(HEAD_BYTES)
                        .serve_connection(TokioIo::new(stream), service);
                    let _ = tokio::time::timeout(LONGEST, connection).await;
                    drop(place);
                });
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        Ok(())
    }
}
