use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How long a lease holds after it was renewed: longer than a launch takes, since it is renewed between launches only.
pub(crate) const TERM: Duration = Duration::from_secs(15 * 60);
/// One that was renewed less than this ago is left as it is.
const FRESH: Duration = Duration::from_secs(60);

/// Who measures a run, and until when nobody else may, for where the system doesn't release what a process held: file systems without locks,
/// and stores that several machines use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    owner: Owner,
    /// Seconds since 1970.
    renewed: u64,
}

/// One holder in a process, on whichever machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    /// A start of a machine, and what of its processes can be seen; empty where neither is known.
    machine: String,
    process: u32,
    /// When the process began, in ticks of that machine: numbers of processes are used again.
    begun: u64,
    /// Which of the claims of that process.
    number: u64,
}

impl Owner {
    /// A new holder in this process.
    pub(crate) fn this_process() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { machine: machine(), process, begun: begun(process).unwrap_or(0), number }
    }

    /// One on another machine.
    #[cfg(test)]
    pub(crate) fn elsewhere() -> Self {
        Self { machine: "another".to_owned(), process: u32::MAX, begun: 1, number: 0 }
    }

    /// Whether it is known to have ended. What runs elsewhere is known by its lease alone.
    pub(crate) fn has_ended(&self) -> bool {
        !self.machine.is_empty() && self.machine == machine() && begun(self.process) != Some(self.begun)
    }
}

impl Lease {
    pub(crate) fn new(owner: Owner, now: SystemTime) -> Self {
        Self { owner, renewed: seconds(now) }
    }

    /// Whether nobody but its owner may have the run.
    pub(crate) fn holds(&self, now: SystemTime) -> bool {
        // A clock that was set back may not hold a run for ever.
        seconds(now).abs_diff(self.renewed) < TERM.as_secs() && !self.owner.has_ended()
    }

    pub(crate) fn is_of(&self, owner: &Owner) -> bool {
        self.owner == *owner
    }

    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        seconds(now).abs_diff(self.renewed) < FRESH.as_secs()
    }

    /// What stands in a file; `None` where there is none, or something else.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Puts it in place of what stands in the file, at once or not at all.
    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        let beside = path.with_extension(format!("lock-{}", self.owner.process));
        fs::write(&beside, serde_json::to_vec(self)?)?;
        fs::rename(&beside, path).inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The start of this machine and the processes that are seen from here: containers of one machine don't see each other's.
fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let processes = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    match boot.trim() {
        "" => String::new(),
        boot => format!("{boot} {}", processes.display()),
    }
}

/// When a process began; `None` where there is no such process.
fn begun(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything; the start is the 20th word after it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{Lease, Owner, TERM};

    #[test]
    fn a_lease_holds_until_its_term_is_over_or_its_owner_has_ended() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let own = Lease::new(Owner::this_process(), now);
        assert!(own.holds(now) && own.holds(now + TERM / 2) && !own.holds(now + TERM));
        assert!(!own.holds(now - TERM), "a clock that was set back");
        let reused = Lease::new(Owner { begun: 1, ..Owner::this_process() }, now);
        assert!(!reused.holds(now), "another process has its number");
        let elsewhere = Lease::new(Owner::elsewhere(), now);
        assert!(elsewhere.holds(now) && !elsewhere.holds(now + TERM));
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tare.db.run-1.lock");
        assert_eq!(Lease::read(&path), None);
        let lease = Lease::new(Owner::this_process(), UNIX_EPOCH + Duration::from_secs(5));
        lease.write(&path).unwrap();
        assert_eq!(Lease::read(&path), Some(lease));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(Lease::read(&path), None);
    }
}
