//! Commands that GitHub reads from what a step prints.

use std::fs::File;
use std::io::{self, Read};

use crate::screen;

/// Until it is ended GitHub takes what is printed for text. The word that ends it is secret, or a benchmark could print it.
pub(crate) struct Hush(String);

impl Hush {
    pub(crate) fn begin() -> io::Result<Self> {
        let mut random = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut random)?;
        let word: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        screen::print(&format!("::stop-commands::{word}"));
        Ok(Self(word))
    }

    /// Commands of Tare's own.
    pub(crate) fn command(&self, commands: &str) {
        if !commands.is_empty() {
            screen::print(&format!("::{0}::\n{1}::stop-commands::{0}", self.0, commands));
        }
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        screen::print(&format!("::{}::", self.0));
    }
}
