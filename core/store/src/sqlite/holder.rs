//! Which process has a database locked. The kernel's own list says it: to ask by `fcntl` the file would have to be opened, and closing it takes this process's locks on it away.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{major, minor};

/// Characters of a process's name.
const NAME: usize = 40;

/// `sqlite3 (process 1234)`: another process that holds a lock for writing on the database or its index of the log. `None` where the kernel names none, as of a
/// process in another container.
pub(super) fn of(path: &Path) -> Option<String> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let mut index = path.as_os_str().to_owned();
    index.push("-shm");
    let own = std::process::id();
    let process = [path, Path::new(&index)].into_iter().find_map(|path| {
        let file = path.metadata().ok()?;
        let file = format!("{:02x}:{:02x}:{}", major(file.dev()), minor(file.dev()), file.ino());
        writers(&locks, &file).find(|process| *process != own)
    })?;
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    Some(match tare_samples::printable_line(name.trim_end(), NAME) {
        name if name.is_empty() => format!("process {process}"),
        name => format!("{name} (process {process})"),
    })
}

/// Processes with a lock for writing on that file, as `/proc/locks` names it; not those that wait for one (`->`), nor 0, which isn't to be seen from here.
fn writers<'a>(locks: &'a str, file: &'a str) -> impl Iterator<Item = u32> + 'a {
    locks.lines().filter_map(move |line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, "POSIX" | "OFDLCK", _, "WRITE", process, place, ..] = fields.as_slice() else { return None };
        process.parse().ok().filter(|process| *place == file && *process > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::writers;

    #[test]
    fn who_writes_is_told_from_who_waits_and_reads() {
        let locks = "1: POSIX  ADVISORY  READ 11 fe:00:77 128 128\n1: -> POSIX  ADVISORY  WRITE 12 fe:00:77 0 EOF\n\
                     2: POSIX  ADVISORY  WRITE 13 fe:00:78 0 EOF\n3: POSIX  ADVISORY  WRITE 0 fe:00:77 0 EOF\n\
                     4: POSIX  ADVISORY  WRITE 14 fe:00:77 1073741825 1073741825\n5: FLOCK  ADVISORY  WRITE 15 fe:00:77 0 EOF\n";
        assert_eq!(writers(locks, "fe:00:77").collect::<Vec<_>>(), [14]);
        assert_eq!(writers("nonsense\n\n", "fe:00:77").count(), 0);
    }
}
