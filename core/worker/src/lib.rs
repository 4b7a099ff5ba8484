//! Find a runtime, start it, pin it, talk, time out, capture what it prints. Knows no statistics.
//!
//! One [`Session`] is one launch: a fresh process. [`Process`] is the real one; the simulated worker has a
//! session in memory beside its process, so that the engine above can be tested on simulated time.

mod building;
mod builds;
mod cache;
mod capture;
mod clock_requests;
mod conversation;
mod drivers;
mod embedded;
mod ending;
mod executables;
mod give_up;
mod launcher;
mod layout;
mod loads;
mod operations;
mod places;
mod process;
mod resident;
mod spawn;
mod threads;
mod trace;
mod units;
mod units_kept;
mod wire_reader;

pub use building::{build_time, end_builds};
pub use cache::{EmbeddedError, cache_folder};
pub use conversation::{Around, Conversation, Enumeration, Finished, Prepared, remedy_for};
pub use drivers::{
    Beside, LeftOut, Objects, Ready, linked, links, objects, ready, ready_beside, ready_for_clocks, source_to_judge,
    target_of,
};
pub use embedded::{keep_commands, unpack_cpp, unpack_go_probe, unpack_php, unpack_php_noise, unpack_python};
pub use executables::{Executables, Files};
pub use give_up::GiveUp;
pub use launcher::{Launcher, ProcessLauncher, ProcessPlacement, Starting, Watching};
pub use layout::Addresses;
pub use loads::serving_loads;
pub use process::Process;
pub use spawn::FollowError;
pub use trace::Tracer;
pub use units::print_units;

use std::time::Duration;

use tare_frames::{Reply, Request};
use tare_samples::Failure;

/// One launch of a worker, from its process's start to its end.
pub trait Session: Send {
    /// Waits for the next reply of the worker, at most `deadline`.
    ///
    /// # Errors
    /// A [`Failure`] when the worker dies, keeps silent, or says something that isn't a frame; after one the
    /// session is over. It carries what the process printed.
    fn receive(&mut self, deadline: Duration) -> Result<Reply, Failure>;

    /// Sends a request, at most `deadline` long. Errors as [`Session::receive`].
    fn send(&mut self, request: &Request, deadline: Duration) -> Result<(), Failure>;

    /// The worker has said hello: brings it to the CPUs where it is measured, if it started elsewhere.
    ///
    /// # Errors
    /// As [`Session::receive`]: where it runs is not known then.
    fn settle(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// The process, where there is one.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Resident size now, in bytes, where it can be read.
    fn rss_bytes(&self) -> Option<u64> {
        None
    }

    /// Largest resident size so far, in bytes, where it can be read.
    fn peak_rss_bytes(&self) -> Option<u64>;

    /// Sets the largest resident size back to the present one; whether that could be done.
    fn reset_peak_rss(&mut self) -> bool {
        false
    }

    /// What the process has printed: the end of its standard output and of its standard error.
    fn printed(&mut self) -> (String, String);

    /// Tells the worker that nothing more comes, and doesn't wait for its end.
    fn hang_up(&mut self) {}

    /// Ends the session: end of input, a moment's grace, then SIGKILL for the whole process group.
    fn close(&mut self);

    /// The same, with a grace of its own.
    fn close_within(&mut self, _grace: Duration) {
        self.close();
    }
}
