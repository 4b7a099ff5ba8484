//! What is known of the followed processes, and what has been written down of them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use crate::begun::Begun;
use crate::lookup::{Lookups, is_below};
use crate::outside::Outside;
use crate::own::Own;
use crate::record::{Kind, Record, Scope, Writing};

/// A followed thread, and its process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Who {
    pub(crate) thread: Pid,
    pub(crate) process: Pid,
}

impl Who {
    /// A file of `/proc` about it.
    pub(crate) fn about(self, what: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{what}", self.thread))
    }

    /// What its descriptor stands for, by a path without symbolic links. None: it is no descriptor, or has no path, or none any more.
    pub(crate) fn descriptor(self, descriptor: i32) -> Option<PathBuf> {
        named(&self.about(&format!("fd/{descriptor}")))
    }

    /// Its working folder, likewise.
    pub(crate) fn folder(self) -> Option<PathBuf> {
        named(&self.about("cwd"))
    }
}

/// What a link of the kernel's names, if it has a name.
fn named(link: &Path) -> Option<PathBuf> {
    const GONE: &[u8] = b" (deleted)";
    let path = fs::read_link(link).ok()?;
    let is_gone = path.as_os_str().as_bytes().ends_with(GONE) && fs::symlink_metadata(&path).is_err();
    (path.is_absolute() && !is_gone).then_some(path)
}

/// What is known of the followed processes, and what has been written down of them.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) writing: Writing,
    pub(crate) lookups: Lookups,
    pub(crate) own: Own,
    pub(crate) begun: Begun,
    left_out: Vec<PathBuf>,
}

impl Observer {
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            writing: Writing::new(scope.limits),
            lookups: Lookups::default(),
            own: Own::default(),
            begun: Begun::of(scope.subject),
            left_out: scope.left_out,
        }
    }

    /// What the processes have made so far is taken for what was there before.
    pub(crate) fn begin_anew(&mut self) {
        self.lookups.forget();
        self.own = Own::default();
    }

    /// What has been recorded since the last call.
    pub(crate) fn take(&mut self) -> Record {
        for what in self.begun.take() {
            self.writing.outside(what);
        }
        self.writing.take()
    }

    /// A process has asked for something beside files.
    pub(crate) fn asked(&mut self, who: Who, what: Outside) {
        if let Some(what) = self.begun.asked(who.process, what) {
            self.writing.outside(what);
        }
    }

    /// Whether nothing is written down of a path, given without symbolic links.
    pub(crate) fn leaves_out(&self, real: &Path) -> bool {
        self.left_out.iter().any(|folder| real.starts_with(folder))
    }

    /// Writes a path down, unless it is of the processes' own making, or lies where the kernel answers.
    pub(crate) fn add(&mut self, who: Who, kind: Kind, path: &Path, real: &Path) {
        if !self.is_of_kernel(who, path, real) && !self.own.covers(real) {
            self.writing.add(kind, path);
        }
    }

    /// Whether a path lies in `/proc` or `/sys`, which is written down then.
    pub(crate) fn is_of_kernel(&mut self, who: Who, path: &Path, real: &Path) -> bool {
        let what = if is_below(real, "/proc") {
            Outside::Proc(without_number(who, path))
        } else if is_below(real, "/sys") {
            Outside::Sys(path.to_owned())
        } else {
            return false;
        };
        self.asked(who, what);
        true
    }
}

/// A path of `/proc` about the process itself, without its number: that differs from one process to the next.
fn without_number(who: Who, path: &Path) -> PathBuf {
    let Some(rest) = path.strip_prefix("/proc").ok() else { return path.to_owned() };
    let mut parts = rest.components();
    let is_own = |name: &OsStr| [who.process, who.thread].iter().any(|id| name == id.to_string().as_str());
    match parts.next() {
        Some(first) if is_own(first.as_os_str()) => Path::new("/proc/self").join(parts.as_path()),
        _ => path.to_owned(),
    }
}
