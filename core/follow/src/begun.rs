//! What programs ask of the system before they turn to the subject.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use crate::outside::Outside;

/// So much is kept of a process that starts; what it asks for beyond is written down at once.
const MOST: usize = 100;

/// Processes that execute a program of others and haven't opened a file of the subject yet, with what they have asked for meanwhile. An interpreter reads
/// random bytes for its hash tables, and its own limits: that is forgotten once it opens the subject's program. Where it never does, it counts.
#[derive(Debug, Default)]
pub(crate) struct Begun {
    subject: Option<PathBuf>,
    starting: HashMap<Pid, Vec<Outside>>,
}

impl Begun {
    pub(crate) fn of(subject: Option<PathBuf>) -> Self {
        Self { subject, starting: HashMap::new() }
    }

    /// A process becomes another program. What it asked for as the one before comes back: that one won't open anything any more.
    pub(crate) fn executes(&mut self, process: Pid) -> Vec<Outside> {
        if self.subject.is_none() {
            return Vec::new();
        }
        self.starting.insert(process, Vec::new()).unwrap_or_default()
    }

    /// A process has opened this file, given without symbolic links, or executes it.
    pub(crate) fn opened(&mut self, process: Pid, real: &Path) {
        if self.subject.as_ref().is_some_and(|subject| real.starts_with(subject)) {
            self.starting.remove(&process);
        }
    }

    /// A process asks for something; it comes back where it counts.
    pub(crate) fn asked(&mut self, process: Pid, what: Outside) -> Option<Outside> {
        if !matches!(what, Outside::Random | Outside::Proc(_) | Outside::Sys(_)) {
            return Some(what);
        }
        match self.starting.get_mut(&process) {
            Some(asked) if asked.len() < MOST => {
                asked.push(what);
                None
            }
            _ => Some(what),
        }
    }

    /// What was asked for by processes that have not opened a file of the subject so far. They start no more.
    pub(crate) fn take(&mut self) -> Vec<Outside> {
        self.starting.drain().flat_map(|(_, asked)| asked).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nix::unistd::Pid;

    use super::Begun;
    use crate::outside::Outside;

    const INTERPRETER: Pid = Pid::from_raw(10);
    const OTHER: Pid = Pid::from_raw(11);

    fn begun() -> Begun {
        Begun::of(Some("/c/one".into()))
    }

    #[test]
    fn what_an_interpreter_asks_for_until_it_opens_the_subjects_program_is_its_own() {
        let mut begun = begun();
        assert_eq!(begun.executes(INTERPRETER), []);
        assert_eq!(begun.asked(INTERPRETER, Outside::Random), None);
        begun.opened(INTERPRETER, Path::new("/usr/lib/python3/os.py"));
        assert_eq!(begun.asked(INTERPRETER, Outside::Sys("/sys/x".into())), None);
        assert_eq!(begun.asked(INTERPRETER, Outside::Timer), Some(Outside::Timer));
        begun.opened(INTERPRETER, Path::new("/c/one/main.py"));
        assert_eq!(begun.asked(INTERPRETER, Outside::Random), Some(Outside::Random));
        assert_eq!(begun.take(), []);
    }

    #[test]
    fn it_counts_where_that_process_opens_none_and_where_the_program_is_the_subjects() {
        let mut begun = begun();
        // As `cat "$(shuf -n1 -e a b)"` does.
        begun.executes(INTERPRETER);
        assert_eq!(begun.asked(INTERPRETER, Outside::Random), None);
        begun.opened(OTHER, Path::new("/c/one/a"));
        assert_eq!(begun.take(), [Outside::Random]);
        // A program that chooses what it becomes.
        begun.executes(INTERPRETER);
        assert_eq!(begun.asked(INTERPRETER, Outside::Random), None);
        assert_eq!(begun.executes(INTERPRETER), [Outside::Random]);
        begun.opened(INTERPRETER, Path::new("/c/one/program"));
        assert_eq!(begun.asked(INTERPRETER, Outside::Random), Some(Outside::Random));
        assert_eq!(Begun::default().executes(OTHER), []);
        assert_eq!(Begun::default().asked(OTHER, Outside::Random), Some(Outside::Random));
    }
}
