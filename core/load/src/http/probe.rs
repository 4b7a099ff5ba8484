//! One request before the load: is there anything, where, and what does it say?

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tokio::time::Instant;
use url::Host;

use super::{Connections, Endpoint, RESOLVING, Request, Target, Tls, kind};
use crate::client::{Answer, Client, Failure};

/// Where a target was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Over TCP.
    Tcp(SocketAddr),
    /// A Unix socket of this machine.
    Unix(PathBuf),
}

/// What a target is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Where it was found: load goes to this address, so that no name is looked up under way.
    pub address: Address,
    /// What it answered to one request. An answer that fails is no reason not to go on: it will be counted.
    pub answer: Result<Answer, Failure>,
}

/// Finds a target, at a Unix socket where one is named, and sends it one request. Blocks.
///
/// # Errors
/// It has no address, or there is no connection to any of them; the failure's detail says why.
pub fn probe(
    (target, socket): (&Target, Option<&Path>),
    request: &Request,
    tls: &Tls,
    connections: Connections,
    timeout: Duration,
) -> Result<Probe, Failure> {
    let addresses = match socket {
        Some(path) => vec![Address::Unix(path.to_owned())],
        None => resolve(target)?.into_iter().map(Address::Tcp).collect(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::with_detail(kind::CONNECT, error.to_string()))?;
    let found = runtime.block_on(tokio::task::LocalSet::new().run_until(async {
        let mut first: Option<Failure> = None;
        for address in addresses {
            let endpoint = Endpoint::new(target, address.clone(), std::slice::from_ref(request), tls, connections)
                .map_err(|error| Failure::with_detail(kind::CONNECT, error.to_string()))?;
            let answer = Arc::new(endpoint).client().operate(Instant::now() + timeout).await;
            match answer {
                Err(failure) if failure.connecting => {
                    first.get_or_insert(failure);
                }
                answer => return Ok(Probe { address, answer }),
            }
        }
        Err(first.unwrap_or_else(|| Failure::with_detail(kind::DNS, "the host has no address")))
    }));
    runtime.shutdown_background();
    found
}

/// The addresses of a target's host, IPv4 first: that is what local servers listen on.
fn resolve(target: &Target) -> Result<Vec<SocketAddr>, Failure> {
    let port = target.port();
    let name = match target.host() {
        Host::Ipv4(address) => return Ok(vec![SocketAddr::new(IpAddr::V4(address), port)]),
        Host::Ipv6(address) => return Ok(vec![SocketAddr::new(IpAddr::V6(address), port)]),
        Host::Domain(name) => name.to_owned(),
    };
    // The system's resolver can't be told how long to take.
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send((name.as_str(), port).to_socket_addrs().map(Iterator::collect::<Vec<_>>));
    });
    let failed = |detail: String| Failure::with_detail(kind::DNS, detail).while_connecting();
    match receiver.recv_timeout(RESOLVING) {
        Ok(Ok(mut addresses)) if !addresses.is_empty() => {
            addresses.sort_by_key(SocketAddr::is_ipv6);
            Ok(addresses)
        }
        Ok(Ok(_)) => Err(failed("the host's name has no address".to_owned())),
        Ok(Err(error)) => Err(failed(format!("the host's name can't be looked up: {error}"))),
        Err(_) => Err(failed(format!("the host's name wasn't looked up within {} s", RESOLVING.as_secs()))),
    }
}
