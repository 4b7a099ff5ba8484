//! Requests from standard input, replies to `TARE_WIRE` (PROTOCOL 1.1).

use super::fault::Fault;
use super::sys;
use std::env;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd};

/// Largest frame in bytes, without its line feed.
const LONGEST_FRAME: usize = 16_777_216;

pub(crate) struct Wire {
    input: File,
    output: File,
    buffer: Vec<u8>,
    begin: usize,
    is_closed: bool,
}

/// Whether the core, or a person in its place, has started this process.
pub(crate) fn is_wanted() -> bool {
    env::var_os("TARE_WIRE").is_some_and(|path| !path.is_empty())
        || env::var_os("TARE_WORKER").is_some_and(|asked| asked == "1")
}

impl Wire {
    /// Blocks until the core has opened the other end of the FIFO. `None` when a side can't be opened.
    pub(crate) fn open() -> Option<Self> {
        let output = match env::var_os("TARE_WIRE").filter(|path| !path.is_empty()) {
            Some(path) => OpenOptions::new().write(true).open(path).ok()?,
            None => File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?),
        };
        let input = File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
        // A subject that reads standard input would take the core's requests, and wait for ever.
        if let Ok(nothing) = File::open("/dev/null") {
            sys::rename_file(nothing.as_raw_fd(), 0);
        }
        Some(Self { input, output, buffer: Vec::new(), begin: 0, is_closed: false })
    }

    /// A file of its own, for replies that a function at the end of the process sends.
    pub(crate) fn output(&self) -> Option<File> {
        self.output.try_clone().ok()
    }

    /// From now on replies go there.
    pub(crate) fn send_to(&mut self, output: File) {
        self.output = output;
    }

    /// The next line that isn't empty, without its end. `None` at the end of input; a last line without a line feed was cut off and doesn't
    /// count. A fault when the line is longer than a frame may be.
    pub(crate) fn read(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        let mut line = Vec::new();
        let mut is_too_long = false;
        while !self.is_closed {
            if self.begin == self.buffer.len() && !self.fill() {
                return None;
            }
            let rest = &self.buffer[self.begin..];
            let end = rest.iter().position(|byte| *byte == b'\n');
            let part = &rest[..end.unwrap_or(rest.len())];
            // Of a line that is too long anyhow only the end matters.
            if line.len() + part.len() <= LONGEST_FRAME + 1 {
                line.extend_from_slice(part);
            } else {
                is_too_long = true;
            }
            self.begin += part.len() + usize::from(end.is_some());
            if end.is_none() {
                continue;
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if is_too_long || line.len() > LONGEST_FRAME {
                return Some(Err(Fault::new("bad-frame", format!("The line is longer than {LONGEST_FRAME} bytes."))));
            }
            if !line.is_empty() {
                return Some(Ok(line));
            }
        }
        None
    }

    pub(crate) fn send(&mut self, line: &str) {
        if !self.is_closed && self.output.write_all(line.as_bytes()).is_err() {
            self.is_closed = true;
        }
    }

    /// Whether the core has closed its end: there is nobody left to work for.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn fill(&mut self) -> bool {
        self.buffer.resize(65_536, 0);
        self.begin = 0;
        loop {
            match self.input.read(&mut self.buffer) {
                Ok(count) => {
                    self.buffer.truncate(count);
                    return count > 0;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.buffer.clear();
                    return false;
                }
            }
        }
    }
}
