use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use tare_samples::is_hidden;

/// More than any file of `/proc` and `/sys` that is read here: `cpuinfo` takes about 1.5 kB a CPU.
const MOST_BYTES: u64 = 4 << 20;

/// The longest value that is worth keeping, in characters.
const MOST_CHARACTERS: usize = 200;

/// The text of `path` below `root`; `None` where it can't be read. Bytes that aren't UTF-8 are replaced.
pub(crate) fn text(root: &Path, path: &str) -> Option<String> {
    try_text(root, path).ok()
}

/// As [`text`], with the reason where it can't be read.
pub(crate) fn try_text(root: &Path, path: &str) -> io::Result<String> {
    beginning(root, path, MOST_BYTES)
}

/// The first `bytes` of `path` below `root`. The kernel writes such files as they are read, so what is left unread costs nothing.
pub(crate) fn beginning(root: &Path, path: &str, bytes: u64) -> io::Result<String> {
    let mut read = Vec::new();
    File::options().read(true).custom_flags(not_waiting()).open(root.join(path))?.take(bytes).read_to_end(&mut read)?;
    Ok(String::from_utf8_lossy(&read).into_owned())
}

/// How files below a root are opened: it may be any folder, and a FIFO in a file's place would be waited for without end.
pub(crate) fn not_waiting() -> i32 {
    OFlags::NONBLOCK.bits().cast_signed()
}

/// The first line of `path` below `root`, as [`printable`]; `None` where that leaves nothing.
pub(crate) fn line(root: &Path, path: &str) -> Option<String> {
    printable(text(root, path)?.lines().next()?)
}

/// `text` as a value to show: trimmed, of bounded length, blanks joined, and without characters that are hidden, with
/// which a firmware's product name could write to the terminal, or turn the line round. `None` where nothing is left.
pub(crate) fn printable(text: &str) -> Option<String> {
    Some(whole(text)?.chars().take(MOST_CHARACTERS).collect())
}

/// As [`printable`], however long: for what is written back, where a part would be another value.
pub(crate) fn whole(text: &str) -> Option<String> {
    let clean: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let joined = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then_some(joined)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::{printable, try_text};

    /// The time is there only so that a failure ends.
    #[test]
    fn a_fifo_is_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        mknodat(CWD, root.path().join("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let (tell, told) = channel();
        std::thread::spawn(move || tell.send(try_text(root.path(), "fifo").unwrap_or_default()));
        assert_eq!(told.recv_timeout(Duration::from_secs(60)).as_deref(), Ok(""));
    }

    #[test]
    fn a_value_is_one_bounded_line_of_printable_text() {
        assert_eq!(printable("  Model\0\u{1b}[31m  X\n").as_deref(), Some("Model [31m X"));
        assert_eq!(printable("Model\u{202e}X\u{2066}\u{200b}Y\u{2028}\u{9b}2J").as_deref(), Some("Model X Y 2J"));
        assert_eq!(printable(" \0\n"), None);
        assert_eq!(printable(&"é".repeat(1_000)).map(|text| text.chars().count()), Some(200));
    }
}
