//! Only regular files are read.

use std::fs::{File, FileType};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FallocateFlags, OFlags};

/// Opens a regular file to read, without waiting for anybody; links are followed.
///
/// # Errors
/// What the system says; for whatever isn't a regular file, what it is.
pub fn open(path: &Path) -> io::Result<File> {
    // Before a device is opened it is refused by its kind: opening one can have effects of its own (a tape is rewound).
    refuse_other_than_file(std::fs::metadata(path)?.file_type())?;
    let file = File::options().read(true).custom_flags(not_waiting()).open(path)?;
    // What was opened is looked at again: the name may be something else's by now.
    refuse_other_than_file(file.metadata()?.file_type())?;
    Ok(file)
}

/// The content of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`], and a file that is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let bytes = beginning_of(open(path)?, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {}, the most that is read here", size(most))));
    }
    Ok(bytes)
}

/// As [`read`], of a text.
///
/// # Errors
/// As [`read`], and a file that isn't UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// The first `most` bytes of a regular file, or all of a shorter one.
///
/// # Errors
/// As [`open`].
pub fn read_beginning(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    beginning_of(open(path)?, most)
}

fn beginning_of(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file to write; `options` say how. A device may be written to, and a pipe that somebody reads, but nobody is waited for.
///
/// # Errors
/// What the system says, and a FIFO that nobody reads.
pub fn create_output(path: &Path, options: &mut std::fs::OpenOptions) -> io::Result<File> {
    let file = options.write(true).custom_flags(not_waiting()).open(path).map_err(|error| {
        match error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) {
            true => io::Error::other("it is a FIFO without a reader, or a socket"),
            false => error,
        }
    })?;
    // Only opening mustn't wait: what reads a pipe more slowly than it is written to would else lose the rest.
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Makes sure that there is room for so many bytes from the file's beginning, and changes nothing in it. A file system that can't tell has room.
///
/// # Errors
/// There is none: the disk is full, or a limit is reached.
pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    use rustix::io::Errno;
    if bytes == 0 {
        return Ok(());
    }
    match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(error.into()),
        _ => Ok(()),
    }
}

fn not_waiting() -> i32 {
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()
}

fn refuse_other_than_file(kind: FileType) -> io::Result<()> {
    let what = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_block_device() || kind.is_char_device() => "a device",
        _ => "something else",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, and only regular files are read")))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::path::{Path, PathBuf};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::{create_output, open, read, read_beginning, text};

    fn fifo(folder: &Path) -> PathBuf {
        let path = folder.join("fifo");
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        path
    }

    /// What `act` says; the time is there only so that a failure ends.
    fn soon<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
        let (tell, told) = channel();
        std::thread::spawn(move || tell.send(act()));
        told.recv_timeout(Duration::from_secs(60)).expect("it waits for somebody")
    }

    #[test]
    fn only_regular_files_are_read_and_nobody_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (fifo(folder.path()), folder.path().join("socket"));
        let _listener = UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for (path, what) in [
            (pipe, "a FIFO"),
            (link, "a FIFO"),
            (socket, "a socket"),
            ("/dev/zero".into(), "a device"),
            (folder.path().to_owned(), "directory"),
        ] {
            let error = soon(move || open(&path).map(drop).unwrap_err().to_string());
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it is larger than 4 bytes, the most that is read here");
        assert_eq!(read_beginning(&path, 2).unwrap(), b"12");
        assert_eq!(text(&path, 9).unwrap(), "12345");
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(text(&path, 9).unwrap_err().to_string(), "it is not UTF-8");
        assert!(read(&folder.path().join("none"), 9).is_err());
    }

    #[test]
    fn what_is_written_goes_to_files_devices_and_pipes_that_somebody_reads() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = fifo(folder.path());
        let unread = pipe.clone();
        let refused = soon(move || create_output(&unread, fs::File::options().create(true)).map(drop).unwrap_err());
        assert!(refused.to_string().contains("without a reader"), "{refused}");
        create_output(Path::new("/dev/null"), &mut fs::File::options()).unwrap();

        // More than a pipe holds arrives whole.
        let reader = open_to_read(&pipe);
        let mut writer = create_output(&pipe, &mut fs::File::options()).unwrap();
        let sent = vec![7u8; 1 << 20];
        let received = std::thread::spawn(move || {
            let (mut reader, mut received) = (reader, Vec::new());
            // The reader's own end is non-blocking, too.
            loop {
                match reader.read_to_end(&mut received) {
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => std::thread::yield_now(),
                    _ => return received,
                }
            }
        });
        writer.write_all(&sent).unwrap();
        drop(writer);
        assert_eq!(received.join().unwrap(), sent);
    }

    fn open_to_read(pipe: &Path) -> fs::File {
        use std::os::unix::fs::OpenOptionsExt;
        fs::File::options().read(true).custom_flags(super::not_waiting()).open(pipe).unwrap()
    }
}
