//! The thread of one worker: does what it is told, and tells what came of it.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use tare_frames::{Slice, Work, Worked};
use tare_samples::Failure;
use tare_worker::Conversation;

use super::clock::WorkerClock;

/// Which worker of which target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The target's number.
    pub target: usize,
    /// The worker's number in it.
    pub worker: u32,
    /// How many workers the target has.
    pub workers: u32,
}

/// Makes workers. Asked in the thread that is going to talk to the worker.
pub trait Launch: Sync {
    /// A worker with its sources loaded and its suite connected.
    ///
    /// # Errors
    /// What kept it from that.
    fn connected(&self, place: Place) -> Result<Conversation, Failure>;
}

/// What a worker's thread is told.
pub(super) enum Order {
    /// Look at the worker's clock.
    Synchronise,
    /// Work from `start` on; the work's own start is set here.
    Work { start: Instant, work: Box<Work>, patience: Duration },
    /// Clean up and end.
    Finish,
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

/// Serves one worker until its end.
pub(super) fn serve(
    launch: &impl Launch,
    place: Place,
    deadline: Duration,
    orders: &Receiver<Order>,
    events: &Sender<(Place, Event)>,
) {
    let tell = |event: Event| {
        let _ = events.send((place, event));
    };
    let mut conversation = match launch.connected(place) {
        Ok(conversation) => conversation,
        Err(failure) => return tell(Event::Fell(failure)),
    };
    tell(Event::Ready { pid: conversation.pid(), rss: conversation.rss_bytes().0 });
    let mut clock: Option<WorkerClock> = None;
    while let Ok(order) = orders.recv() {
        let done = match order {
            Order::Synchronise => WorkerClock::of(&mut conversation, deadline).map(|known| {
                clock = Some(known);
                Event::Synchronised
            }),
            Order::Work { start, mut work, patience } => {
                work.start = clock.map_or(0, |clock| clock.at(start));
                let worked = conversation.work(*work, patience, &mut |slice| tell(Event::Slice(slice)));
                worked.map(|worked| {
                    let (rss, peak_rss) = conversation.rss_bytes();
                    Event::Worked { worked, rss, peak_rss }
                })
            }
            Order::Finish => {
                let cleaned = conversation.finish(deadline);
                tell(Event::Finished(cleaned.err()));
                break;
            }
        };
        match done {
            Ok(event) => tell(event),
            Err(failure) => {
                tell(Event::Fell(failure));
                break;
            }
        }
    }
    conversation.close();
}
