//! Waiting for an instant, to some ten microseconds: the runtime's own timers round up to a millisecond, which at a service that
//! answers in 0.1 ms would be most of each latency.

use tokio::time::{Instant, sleep_until};

#[cfg(target_os = "linux")]
type Descriptor = tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>;

/// A timer of one thread.
#[derive(Debug)]
pub(crate) struct Timer {
    #[cfg(target_os = "linux")]
    descriptor: Option<Descriptor>,
}

impl Timer {
    /// The runtime's own timers: for simulated time, and where there is nothing finer.
    pub(crate) fn coarse() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            descriptor: None,
        }
    }

    /// A timer of the kernel. Has to be made inside the runtime.
    pub(crate) fn fine() -> Self {
        #[cfg(target_os = "linux")]
        {
            use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
            let made = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC).ok();
            Self { descriptor: made.and_then(register) }
        }
        #[cfg(not(target_os = "linux"))]
        Self::coarse()
    }

    /// Returns when `at` has come.
    pub(crate) async fn wait_until(&mut self, at: Instant) {
        #[cfg(target_os = "linux")]
        if let Some(descriptor) = &self.descriptor {
            loop {
                let left = at.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                if wait(descriptor, left).await.is_err() {
                    break;
                }
            }
        }
        sleep_until(at).await;
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "tokio asks for a promise about the descriptor that its type already gives")]
fn register(made: rustix::fd::OwnedFd) -> Option<Descriptor> {
    // SAFETY: an `OwnedFd` stays open and the same until it is dropped, and it is moved into what is registered, which takes it out of
    // the reactor before it drops it.
    unsafe { Descriptor::register(made) }.ok()
}

#[cfg(target_os = "linux")]
async fn wait(descriptor: &Descriptor, left: std::time::Duration) -> std::io::Result<()> {
    use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
    let value = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) as _ };
    let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
    timerfd_settime(descriptor.get_ref(), TimerfdTimerFlags::empty(), &once)?;
    loop {
        let mut ready = descriptor.readable().await?;
        let mut expirations = [0; 8];
        match rustix::io::read(descriptor.get_ref(), &mut expirations) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
            Err(error) => return Err(error.into()),
        }
    }
}
