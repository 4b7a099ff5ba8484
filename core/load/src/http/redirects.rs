//! Redirects: what a connection asks next, and where (RFC 9110, section 15.4).
//!
//! What an answer leads to is worked out when it is met for the first time, and remembered: after that following it allocates nothing.

use std::sync::Arc;

use tokio::time::Instant;

use super::request::Prepared;
use super::{Connection, Endpoint, Exchanged, Request, Target, kind};
use crate::client::Failure;

/// More redirects of one request are a failure.
const MOST_HOPS: usize = 10;
/// A connection remembers about so many. Where each answer leads elsewhere, each is worked out.
const MOST_KNOWN: usize = 64;
/// A connection's redirects lead to so many other ports and schemes.
const MOST_ORIGINS: usize = 4;
/// Of a `Location` so many characters are shown.
const SHOWN: usize = 200;

/// Whether an answer of this status leads to another URL.
pub(super) fn leads_on(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Where a connection was led so far.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    known: Vec<Known>,
    /// Connections to other ports and schemes of the target's host.
    others: Vec<(Target, Connection)>,
}

/// A redirect that was met.
#[derive(Debug)]
struct Known {
    from: Step,
    status: u16,
    location: Vec<u8>,
    /// `None`: it isn't followed.
    hop: Option<Hop>,
}

/// A request of a chain: one that was asked for, or what a known redirect led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Asked(usize),
    Known(usize),
}

/// What is sent next.
#[derive(Debug)]
struct Hop {
    request: Request,
    target: Target,
    prepared: Prepared,
    over: Over,
}

/// Which connection carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Own,
    Other(usize),
}

impl Redirects {
    /// Goes on from an answer to the request of number `at`, as far as answers lead; gives the last one, with the bodies of all. One that says that it leads
    /// on but not where is the last.
    pub(super) async fn follow(
        &mut self,
        (endpoint, own): (&Arc<Endpoint>, &mut Connection),
        at: usize,
        first: Exchanged,
        by: Instant,
    ) -> Result<Exchanged, Failure> {
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        let (mut step, mut over, mut last) = (Step::Asked(at), Over::Own, first);
        for _ in 0..MOST_HOPS {
            let location = match over {
                Over::Own => own.location(),
                Over::Other(number) => self.others[number].1.location(),
            };
            if location.is_empty() {
                return Ok(last);
            }
            let met = |known: &Known| known.from == step && known.status == last.status && known.location == location;
            let number = match self.known.iter().position(met) {
                Some(number) => number,
                None => {
                    let location = location.to_vec();
                    self.meet(endpoint, (step, over), last.status, location)?
                }
            };
            let Some(hop) = &self.known[number].hop else { return Err(not_followed(last.status, String::new())) };
            let connection = match hop.over {
                Over::Own => &mut *own,
                Over::Other(number) => &mut self.others[number].1,
            };
            // The target itself was reached.
            let answer = connection.exchange(&hop.prepared, by).await;
            let answer = answer.map_err(|failure| Failure { connecting: false, ..failure })?;
            (step, over) = (Step::Known(number), hop.over);
            last = Exchanged { status: answer.status, bytes: last.bytes + answer.bytes };
            if !leads_on(answer.status) {
                return Ok(last);
            }
        }
        Err(not_followed(last.status, format!("it leads to more redirects after {MOST_HOPS}")))
    }

    /// Connections that were opened, beside the target's own.
    pub(super) fn take_connects(&mut self) -> u64 {
        self.others.iter_mut().map(|(_, connection)| connection.take_connects()).sum()
    }

    /// Works out a redirect that wasn't met before; its number. One that isn't followed is told with the reason the first time.
    fn meet(
        &mut self,
        endpoint: &Arc<Endpoint>,
        (step, over): (Step, Over),
        status: u16,
        location: Vec<u8>,
    ) -> Result<usize, Failure> {
        let found = self.hop(endpoint, (step, over), status, &location);
        let (hop, told) = match found {
            Ok(hop) => (Some(hop), Ok(self.known.len())),
            Err(why) => {
                let shown: String = String::from_utf8_lossy(&location).escape_debug().take(SHOWN).collect();
                (None, Err(not_followed(status, format!("it leads to `{shown}`: {why}"))))
            }
        };
        self.known.push(Known { from: step, status, location, hop });
        told
    }

    fn hop(
        &mut self,
        endpoint: &Arc<Endpoint>,
        (step, over): (Step, Over),
        status: u16,
        location: &[u8],
    ) -> Result<Hop, String> {
        let asked = match step {
            Step::Asked(at) => endpoint.sources.get(at).map(|request| (request, &endpoint.target)),
            Step::Known(number) => self.known[number].hop.as_ref().map(|hop| (&hop.request, &hop.target)),
        };
        let (request, target) = asked.ok_or("the request isn't known")?;
        let target = request.target(target).map_err(|error| error.to_string())?;
        // A server that goes by the `Host` header leads to names of its own.
        let called = target.called(request.host());
        let next = std::str::from_utf8(location).ok().and_then(|location| called.join(location));
        let next = next.ok_or("requests can't go to that URL")?;
        let stays = next.has_origin_of(&called) || next.has_origin_of(&target);
        let request = request.redirected(status, stays);
        let (target, over) = if stays {
            (target.to_path_of(&next), over)
        } else if next.host() == called.host() || next.host() == target.host() {
            (next.clone(), self.other(endpoint, &next)?)
        } else {
            return Err(
                "Tare sends load only to the hosts of the command line; name that URL if you want it".to_owned()
            );
        };
        let prepared = request.prepared(&target, endpoint.connections).map_err(|error| error.to_string())?;
        Ok(Hop { request, target, prepared, over })
    }

    /// The connection to another port or by another scheme, which is opened where there is none yet.
    fn other(&mut self, endpoint: &Endpoint, target: &Target) -> Result<Over, String> {
        if endpoint.target.has_origin_of(target) {
            return Ok(Over::Own);
        }
        if let Some(number) = self.others.iter().position(|(known, _)| known.has_origin_of(target)) {
            return Ok(Over::Other(number));
        }
        if self.others.len() >= MOST_ORIGINS {
            return Err(format!("redirects led to {MOST_ORIGINS} other ports before"));
        }
        let elsewhere = endpoint.elsewhere(target).map_err(|error| error.to_string())?;
        self.others.push((target.clone(), Connection::new(&Arc::new(elsewhere))));
        Ok(Over::Other(self.others.len() - 1))
    }
}

fn not_followed(status: u16, detail: String) -> Failure {
    Failure { status: Some(status), ..Failure::with_detail(kind::REDIRECT, detail) }
}
