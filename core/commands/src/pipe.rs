//! What commands print, read by a thread so that none of them waits for a full pipe; of gigabytes only the end is kept.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

const KEPT: usize = 8 * 1024;
/// What a command printed last may still be on its way when it has ended.
const ON_ITS_WAY: Duration = Duration::from_millis(30);

/// The end that commands write to.
#[derive(Debug)]
pub(crate) struct Drain {
    pub(crate) writer: PipeWriter,
    end: Arc<Mutex<Vec<u8>>>,
}

impl Drain {
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let end = Arc::new(Mutex::new(Vec::with_capacity(3 * KEPT)));
        let kept = Arc::clone(&end);
        thread::spawn(move || read(reader, &kept));
        Ok(Self { writer, end })
    }

    /// The end of what was printed since the last time.
    pub(crate) fn take(&self) -> String {
        thread::sleep(ON_ITS_WAY);
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&end[end.len().saturating_sub(KEPT)..]).into_owned();
        end.clear();
        text
    }

    /// Forgets what was printed.
    pub(crate) fn clear(&self) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn read(mut reader: PipeReader, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; KEPT];
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        let mut end = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if end.len() + count > 3 * KEPT {
            let surplus = end.len().saturating_sub(KEPT);
            end.drain(..surplus);
        }
        end.extend_from_slice(&buffer[..count]);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Drain, KEPT};

    #[test]
    fn of_megabytes_the_end_is_kept() {
        let mut drain = Drain::new().unwrap();
        drain.writer.write_all(&vec![b'x'; 1 << 20]).unwrap();
        drain.writer.write_all(b"\xffthe end").unwrap();
        let text = drain.take();
        assert!(text.ends_with("\u{fffd}the end") && text.len() <= KEPT + 2, "{}", text.len());
        assert_eq!(drain.take(), "");
    }
}
