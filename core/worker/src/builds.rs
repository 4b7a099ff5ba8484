//! Folders that builds are kept in, side by side: one stays while a process uses it, and goes when nobody has for a month, or when all take too much room.
//!
//! Each revision that is compared has a folder of its own, of hundreds of megabytes, and most are never asked for again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Bytes of all builds that lie side by side, those in use aside.
const ROOM: u64 = 8 << 30;
/// Folders that are held at once: each costs an open file, of which a process may have 1,024. What is used beyond stays by being used last.
const MOST_HELD: usize = 256;
/// In each folder: its time is that of the last use, processes that use it hold a lock on it, and it says how many bytes the folder took when that was counted.
pub(crate) const USED: &str = "tare-used";

/// Files whose locks say what this process uses.
static HELD: Mutex<BTreeMap<PathBuf, File>> = Mutex::new(BTreeMap::new());

/// Makes a folder that nobody else can write to, unless it is there, and keeps it from being removed while this process lives. Before a new one is made, others give it room.
///
/// # Errors
/// Of the file system. Where it has no locks, the folder is used without.
pub(crate) fn hold(folder: &Path) -> io::Result<()> {
    let mut held = HELD.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if held.contains_key(folder) && folder.join(USED).exists() {
        return Ok(());
    }
    let mark = folder.join(USED);
    if !mark.exists() {
        folder.parent().into_iter().for_each(|above| make_room(above, ROOM));
    }
    tare_files::make_private(folder)?;
    let file = File::options().create(true).append(true).open(&mark)?;
    let _ = flock(&file, FlockOperation::NonBlockingLockShared);
    // What it took when it was counted no longer holds.
    file.set_len(0)?;
    file.set_modified(SystemTime::now())?;
    if held.len() < MOST_HELD {
        held.insert(folder.to_owned(), file);
    }
    Ok(())
}

/// When a folder was used last.
pub(crate) fn last_used(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder.join(USED)).and_then(|about| about.modified()).ok()
}

/// Removes folders that nobody has used for a month, then those that were used longest ago, until the others take `room` bytes.
fn make_room(above: &Path, room: u64) {
    let entries = fs::read_dir(above).into_iter().flatten().flatten();
    let mut folders: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((last_used(&entry.path())?, entry.path()))).collect();
    folders.sort();
    let mut taken = 0;
    for (used, folder) in folders.into_iter().rev() {
        taken += size(&folder);
        let is_old = SystemTime::now().duration_since(used).is_ok_and(|age| age > MONTH);
        if (is_old || taken > room) && remove(&folder) {
            taken = taken.min(room);
        }
    }
}

/// Removes a folder, unless somebody uses it or might.
fn remove(folder: &Path) -> bool {
    let Ok(mark) = File::options().append(true).open(folder.join(USED)) else { return false };
    if flock(&mark, FlockOperation::NonBlockingLockExclusive).is_err() {
        return false;
    }
    // Under another name first: who looks for it meanwhile finds all of it or nothing.
    let mut gone = folder.as_os_str().to_owned();
    gone.push(".gone");
    let gone = PathBuf::from(gone);
    let _ = fs::remove_dir_all(&gone);
    fs::rename(folder, &gone).and_then(|()| fs::remove_dir_all(&gone)).is_ok()
}

/// Bytes on the disk of all below a folder; of a file with several names this one's part. Counted once after each use.
fn size(folder: &Path) -> u64 {
    let mark = folder.join(USED);
    let known = tare_files::text(&mark, 32).ok().and_then(|text| text.trim().parse().ok());
    known.unwrap_or_else(|| {
        let bytes = size_below(folder);
        if let (Some(used), Ok(file)) = (last_used(folder), File::options().write(true).open(&mark))
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = io::Write::write_all(&mut &file, bytes.to_string().as_bytes());
            let _ = file.set_modified(used);
        }
        bytes
    })
}

fn size_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(about) if about.is_dir() => size_below(&entry.path()),
            Ok(about) => about.blocks() * 512 / about.nlink().max(1),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use rustix::fs::{FlockOperation, flock};

    use super::{HELD, MONTH, MOST_HELD, USED, hold, last_used, make_room, size};

    /// A folder of 100,000 bytes that was used some time ago.
    fn built(above: &Path, name: &str, ago: Duration) {
        let folder = above.join(name);
        fs::create_dir_all(folder.join("deps")).unwrap();
        fs::write(folder.join("deps/a.rlib"), vec![1; 100_000]).unwrap();
        File::create(folder.join(USED)).unwrap().set_modified(SystemTime::now() - ago).unwrap();
    }

    fn names(above: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(above).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn those_used_longest_ago_give_room_and_those_in_use_stay() {
        let above = tempfile::tempdir().unwrap();
        let above = above.path();
        for (name, hours) in [("a", 5), ("b", 4), ("c", 3), ("d", 2)] {
            built(above, name, Duration::from_secs(hours * 3600));
        }
        fs::create_dir(above.join("not-ours")).unwrap();
        let mark = File::open(above.join("a").join(USED)).unwrap();
        flock(&mark, FlockOperation::NonBlockingLockShared).unwrap();
        make_room(above, 1 << 30);
        assert_eq!(names(above), ["a", "b", "c", "d", "not-ours"]);
        make_room(above, 250_000);
        assert_eq!(names(above), ["a", "c", "d", "not-ours"], "the oldest is in use");
        // Not by closing it: a process that another test starts this moment has it, too.
        flock(&mark, FlockOperation::Unlock).unwrap();
        make_room(above, 250_000);
        assert_eq!(names(above), ["c", "d", "not-ours"]);
    }

    #[test]
    fn what_nobody_used_for_a_month_goes() {
        let above = tempfile::tempdir().unwrap();
        built(above.path(), "old", MONTH + Duration::from_secs(60));
        built(above.path(), "new", MONTH - Duration::from_secs(60));
        hold(&above.path().join("fresh")).unwrap();
        assert_eq!(names(above.path()), ["fresh", "new"]);
    }

    #[test]
    fn what_is_held_stays_and_is_counted_anew_after_each_use() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("a");
        built(above.path(), "a", Duration::from_secs(3600));
        let before = last_used(&folder).unwrap();
        let bytes = size(&folder);
        assert!((100_000..130_000).contains(&bytes), "{bytes}");
        assert_eq!(fs::read_to_string(folder.join(USED)).unwrap(), bytes.to_string());
        assert_eq!(last_used(&folder).unwrap(), before, "counting is no use");
        fs::write(folder.join("deps/b.rlib"), vec![1; 100_000]).unwrap();
        assert_eq!(size(&folder), bytes, "by the mark");
        hold(&folder).unwrap();
        assert!(last_used(&folder).unwrap() > before);
        assert!(size(&folder) >= 200_000);
        make_room(above.path(), 0);
        assert_eq!(names(above.path()), ["a"]);
        // No more files stay open than are allowed.
        let above = tempfile::tempdir().unwrap();
        let folder = |number: usize| above.path().join(number.to_string());
        (0..=MOST_HELD).for_each(|number| hold(&folder(number)).unwrap());
        assert_eq!(HELD.lock().unwrap().len(), MOST_HELD);
        assert!(last_used(&folder(MOST_HELD)).is_some());
        HELD.lock().unwrap().retain(|held, _| !held.starts_with(above.path()));
    }
}
