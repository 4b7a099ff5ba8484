//! A folder for something that is started, and for as long as it runs.
//!
//! By the folder all that was started is known: its path stands in the environment (`TARE_SCRATCH`), which children inherit, wherever they
//! go (`setsid`). A process that empties its own environment isn't found. And by a lock on the folder it is known whether whoever made it
//! is still there: the system lets go of it when the process ends, however it ends, in another container too. So what a killed process
//! left, the next one ends and removes.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::{Pid, Signal, kill_process};

mod numbers;

/// Names the folder in the environment of what is started.
pub const SCRATCH: &str = "TARE_SCRATCH";

const PREFIX: &str = "tare-scratch-";
/// Until it is locked it has another name, by which nobody takes it for one that was left behind.
const DRAFT: &str = ".tare-draft-";
/// A draft has its name for a moment.
const OLD: Duration = Duration::from_secs(60 * 60);
/// Who leaves while the others are looked for is looked for again, so often at the most.
const LOOKS: u32 = 10;
/// A program that is just being loaded has no environment to be known by, for well under a millisecond; others have emptied theirs for good.
const LOOKS_AT_LOADING: u32 = 2;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Of this process.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder of its own, which goes with all that is in it when this is dropped. What was started there isn't ended with it:
/// [`end_processes`](Self::end_processes).
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Locked.
    _folder: File,
    /// Processes and threads that had begun on the machine when it was made, where the system counts them.
    begun: Option<u64>,
}

impl Scratch {
    /// Makes one where temporary files are. The first of a process removes what killed ones have left there.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let place = std::env::temp_dir();
        SWEPT.call_once(|| sweep(&place));
        Self::new_in(&place).map_err(|error| no_place(&place, error))
    }

    fn new_in(place: &Path) -> io::Result<Self> {
        let draft = tempfile::Builder::new().prefix(DRAFT).tempdir_in(place)?;
        let folder = open_folder(draft.path())?;
        // Where the file system has no locks, nobody takes it for one that was left.
        let _ = flock(&folder, FlockOperation::NonBlockingLockExclusive);
        let name = draft.path().file_name().unwrap_or_default().to_string_lossy().replace(DRAFT, PREFIX);
        let path = place.join(name);
        fs::rename(draft.path(), &path)?;
        let _ = draft.keep();
        opened().push(path.clone());
        Ok(Self { path, _folder: folder, begun: numbers::begun() })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Ends all that was started with the folder in its environment and is still there.
    pub fn end_processes(&self) {
        end(&self.path, || None);
    }

    /// The same, where the first of them was the process `first`: those that were there before it needn't be looked at, and on a machine with many that takes
    /// longer than the rest of a process's end.
    pub fn end_processes_since(&self, first: u32) {
        end(&self.path, || numbers::given_out(first, self.begun?));
    }

    /// Those processes.
    pub fn processes(&self) -> Vec<u32> {
        started_with(&self.path, None).found.into_iter().map(|pid| pid.as_raw_nonzero().get().cast_unsigned()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        opened().retain(|path| *path != self.path);
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn opened() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// "Not found" and "forbidden" alone would be taken for what the system says of the program that was about to be started.
fn no_place(place: &Path, error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => {
            io::Error::other(format!(
                "no temporary folder can be made in {}, which isn't there or can't be written; set TMPDIR to another",
                place.display()
            ))
        }
        _ => error,
    }
}

/// Ends all that this process has started in such folders, and removes them: before it ends without dropping anything.
pub fn end_all() {
    let open = std::mem::take(&mut *opened());
    for path in open {
        end(&path, || None);
        let _ = fs::remove_dir_all(&path);
    }
}

/// Ends and removes what processes of this user have left that are no longer there.
fn sweep(place: &Path) {
    let mine = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Ok(about) = path.symlink_metadata() else { continue };
        if !about.is_dir() || about.uid() != mine {
            continue;
        }
        let draft = name.as_encoded_bytes().starts_with(DRAFT.as_bytes());
        if draft && about.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLD)) {
            let _ = fs::remove_dir_all(&path);
        }
        if !is_scratch(&name.to_string_lossy()) {
            continue;
        }
        if let Ok(folder) = open_folder(&path)
            && flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            end(&path, || None);
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Whether a folder can be one of these, by its name: `tare-scratch-` and six letters and digits.
pub fn is_scratch(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn open_folder(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags((OFlags::DIRECTORY | OFlags::NOFOLLOW).bits().cast_signed()).open(path)
}

/// `young`: the numbers that those to be ended may have, where that is known.
fn end(scratch: &Path, young: impl Fn() -> Option<Vec<u32>>) {
    let kill = |pid| {
        // One that has ended meanwhile needs no signal.
        let _ = kill_process(pid, Signal::KILL);
    };
    end_found(|| started_with(scratch, young()), kill);
}

fn end_found(mut look: impl FnMut() -> Processes, mut kill: impl FnMut(Pid)) {
    let mut looked_at_loading = 0;
    for looked in 1..=LOOKS {
        let processes = look();
        if processes.found.is_empty() {
            looked_at_loading += 1;
            if !processes.one_is_loading || looked_at_loading > LOOKS_AT_LOADING {
                return;
            }
        }
        processes.found.into_iter().for_each(&mut kill);
        if looked < LOOKS {
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

#[derive(Default)]
struct Processes {
    /// Those that began with the folder in their environment. One that is ending has none any more.
    found: Vec<Pid>,
    /// Another one of this user has memory but no environment: its program is just being loaded (between `execve` and its first
    /// instruction), or it emptied its environment.
    one_is_loading: bool,
}

/// Those of them that have one of these numbers, or all.
fn started_with(scratch: &Path, among: Option<Vec<u32>>) -> Processes {
    let entry = [SCRATCH.as_bytes(), b"=", scratch.as_os_str().as_encoded_bytes()].concat();
    let own = std::process::id();
    let mut processes = Processes::default();
    for number in among.unwrap_or_else(numbers::all) {
        let process = PathBuf::from(format!("/proc/{number}"));
        let Some(pid) = Pid::from_raw(number.cast_signed()).filter(|_| number != own) else { continue };
        // Of another user's it can't be read.
        let Ok(environment) = fs::read(process.join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|set| set == entry) {
            processes.found.push(pid);
        } else if environment.is_empty() {
            processes.one_is_loading |= has_memory(&process);
        }
    }
    processes
}

/// Neither one that has ended and isn't waited for, nor a thread of the kernel (proc_pid_statm(5)).
fn has_memory(process: &Path) -> bool {
    fs::read_to_string(process.join("statm")).is_ok_and(|pages| !pages.starts_with("0 "))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::{
        Pid, Processes, SCRATCH, Scratch, end_found, is_scratch, no_place, numbers, opened, started_with, sweep,
    };

    /// A process in a session of its own, which its starter doesn't wait for. It is there as soon as its own program is loaded.
    fn stray(scratch: &Scratch) {
        let mut command = Command::new("setsid");
        command.args(["--fork", "sleep", "1000"]).env(SCRATCH, scratch.path()).stdin(Stdio::null());
        assert!(command.status().unwrap().success());
        let sleeps = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n");
        while !scratch.processes().iter().any(sleeps) {
            std::thread::yield_now();
        }
    }

    fn left_in(place: &std::path::Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_there_as_long_as_it_is_held_and_its_processes_are_found_wherever_they_went() {
        let place = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(place.path()).unwrap();
        assert!(is_scratch(scratch.path().file_name().unwrap().to_str().unwrap()));
        stray(&scratch);
        scratch.end_processes();
        assert_eq!(scratch.processes(), [0u32; 0]);
        fs::write(scratch.path().join("file"), "").unwrap();
        drop(scratch);
        assert_eq!(left_in(place.path()), [""; 0]);
    }

    #[test]
    fn one_that_has_no_environment_while_its_program_is_loaded_is_looked_for_again() {
        let pid = Pid::from_raw(7).unwrap();
        let ended_in = |looks: &[(bool, bool)]| {
            let (mut left, mut killed) = (looks.iter(), 0);
            let mut look = || {
                let (found, one_is_loading) = *left.next().expect("a look too many");
                Processes { found: if found { vec![pid] } else { Vec::new() }, one_is_loading }
            };
            end_found(&mut look, |_| killed += 1);
            (killed, left.len())
        };
        assert_eq!(ended_in(&[(false, true), (true, false), (false, false)]), (1, 0));
        assert_eq!(ended_in(&[(false, false), (true, false)]), (0, 1), "none is there");
        assert_eq!(
            ended_in(&[(false, true), (false, true), (false, true), (true, false)]),
            (0, 1),
            "one that emptied its own"
        );
    }

    #[test]
    fn what_was_there_before_the_first_process_is_not_looked_at() {
        let place = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(place.path()).unwrap();
        stray(&scratch);
        let first = scratch.processes()[0];
        let mut later = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        let begun = scratch.begun.expect("this system counts processes");
        let found = |numbers| started_with(scratch.path(), numbers).found.len();
        assert_eq!((found(Some(vec![later.id()])), found(Some(vec![first, later.id()])), found(None)), (0, 1, 1));
        if let Some(since) = numbers::given_out(first, begun) {
            assert!(since.contains(&first) && since.contains(&later.id()), "{first}, {}: {since:?}", later.id());
        }
        later.kill().unwrap();
        later.wait().unwrap();
        scratch.end_processes_since(first);
        assert_eq!(scratch.processes(), [0u32; 0]);
    }

    #[test]
    fn a_process_whose_environment_is_empty_may_be_one_that_is_being_loaded() {
        let place = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(place.path()).unwrap();
        let mut emptied = Command::new("sleep").arg("1000").env_clear().stdin(Stdio::null()).spawn().unwrap();
        let processes = started_with(scratch.path(), None);
        assert!(processes.found.is_empty() && processes.one_is_loading);
        emptied.kill().unwrap();
        emptied.wait().unwrap();
    }

    #[test]
    fn a_place_that_is_not_there_is_no_program_that_is_not_there() {
        let gone = Path::new("/nowhere/tmp");
        let error = no_place(gone, Scratch::new_in(gone).unwrap_err());
        assert_eq!(error.kind(), std::io::ErrorKind::Other);
        assert!(error.to_string().contains("/nowhere/tmp") && error.to_string().contains("TMPDIR"), "{error}");
    }

    #[test]
    fn what_a_killed_process_left_is_ended_and_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let held = Scratch::new_in(place.path()).unwrap();
        let killed = Scratch::new_in(place.path()).unwrap();
        stray(&held);
        stray(&killed);
        // As when its process is killed: the lock goes, the folder and its processes stay.
        let path = killed.path().to_owned();
        fs::write(path.join("wire"), "").unwrap();
        rustix::fs::flock(&killed._folder, rustix::fs::FlockOperation::Unlock).unwrap();
        for other in ["tare-config", "tare-cache-0", "other", ".tare-draft-abcdef"] {
            fs::create_dir(place.path().join(other)).unwrap();
        }
        fs::write(place.path().join("tare-scratch-abcdef"), "a file").unwrap();
        sweep(place.path());
        assert!(!path.exists());
        assert_eq!(killed.processes(), [0u32; 0], "its processes have ended");
        assert_eq!(held.processes().len(), 1, "those of a living one haven't");
        let name = held.path().file_name().unwrap().to_str().unwrap();
        let mut stays = vec![".tare-draft-abcdef", "other", "tare-scratch-abcdef", "tare-cache-0", "tare-config", name];
        stays.sort_unstable();
        assert_eq!(left_in(place.path()), stays);
        held.end_processes();
        drop(held);
        assert!(opened().iter().all(|path| path.parent() != Some(place.path()) || *path == killed.path));
    }
}
