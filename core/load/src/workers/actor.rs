//! The thread of one worker: does what it is told, and tells what came of it.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use tare_frames::{Slice, Work, Worked};
use tare_samples::Failure;
use tare_worker::Conversation;

use super::clock::WorkerClock;

/// Which worker of which target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerId {
    /// The target's number.
    pub target: usize,
    /// The worker's number in it.
    pub worker: u32,
    /// How many workers the target has.
    pub workers: u32,
}

/// Makes workers. Asked in the thread that is going to talk to the worker.
pub trait Launch: Sync {
    /// A worker with its sources loaded and its suite connected. `turn`: how many operations those processes began that had this place before.
    ///
    /// # Errors
    /// What kept it from that.
    fn connected(&self, place: WorkerId, turn: u64) -> Result<Conversation, Failure>;
}

/// What a worker's thread is told.
pub(super) enum Order {
    /// Begin in a fresh process, which goes on counting operations from here.
    Begin { turn: u64 },
    /// Clean up and end the process; another one may begin.
    End,
    /// Look at the worker's clock.
    Synchronise,
    /// Work from `start` on; the work's own start is set here.
    Work { start: Instant, work: Box<Work>, patience: Duration },
}

/// What it tells.
pub(super) enum Event {
    /// Connected.
    Ready { pid: Option<u32>, rss: Option<u64> },
    /// It wasn't, or it isn't any more.
    Fell(Failure),
    /// Its clock is known.
    Synchronised,
    /// A slice of its work.
    Slice(Slice),
    /// It has done its work, and takes so much memory: resident now, at the peak.
    Worked { worked: Worked, rss: Option<u64>, peak_rss: Option<u64> },
    /// It has cleaned up, or couldn't.
    Finished(Option<Failure>),
}

/// Serves one worker until its end. `turn`: how many operations were begun in its place before.
pub(super) fn serve(
    launch: &impl Launch,
    (place, turn): (WorkerId, u64),
    deadline: Duration,
    orders: &Receiver<Order>,
    events: &Sender<(WorkerId, Event)>,
) {
    let tell = |event: Event| {
        let _ = events.send((place, event));
    };
    let mut served: Option<(Conversation, Option<WorkerClock>)> = None;
    let mut order = Order::Begin { turn };
    loop {
        match (order, &mut served) {
            (Order::Begin { turn }, _) => match launch.connected(place, turn) {
                Ok(conversation) => {
                    let (pid, rss) = (conversation.pid(), conversation.rss_bytes().0);
                    served = Some((conversation, None));
                    tell(Event::Ready { pid, rss });
                }
                Err(failure) => tell(Event::Fell(failure)),
            },
            (Order::End, before) => {
                let uncleaned = before.take().and_then(|(conversation, _)| ended(conversation, deadline));
                tell(Event::Finished(uncleaned));
            }
            (Order::Synchronise, Some((conversation, clock))) => match WorkerClock::of(conversation, deadline) {
                Ok(known) => {
                    *clock = Some(known);
                    tell(Event::Synchronised);
                }
                Err(failure) => fall(&mut served, failure, &tell),
            },
            (Order::Work { start, mut work, patience }, Some((conversation, clock))) => {
                work.start = clock.map_or(0, |clock| clock.at(start));
                match conversation.work(*work, patience, &mut |slice| tell(Event::Slice(slice))) {
                    Ok(worked) => {
                        let (rss, peak_rss) = conversation.rss_bytes();
                        tell(Event::Worked { worked, rss, peak_rss });
                    }
                    Err(failure) => fall(&mut served, failure, &tell),
                }
            }
            // It has failed, and what has failed is told to do nothing more.
            (Order::Synchronise | Order::Work { .. }, None) => {}
        }
        let Ok(next) = orders.recv() else { break };
        order = next;
    }
    if let Some((conversation, _)) = served {
        conversation.close();
    }
}

/// A worker that can't go on is given up.
fn fall(served: &mut Option<(Conversation, Option<WorkerClock>)>, failure: Failure, tell: &impl Fn(Event)) {
    tell(Event::Fell(failure));
    if let Some((conversation, _)) = served.take() {
        conversation.close();
    }
}

/// Lets a worker clean up and end; gives what kept it from that.
fn ended(mut conversation: Conversation, deadline: Duration) -> Option<Failure> {
    let cleaned = conversation.finish(deadline);
    conversation.close();
    cleaned.err()
}
