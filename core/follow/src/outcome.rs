//! What became of a system call, and what of it is written down.

use std::path::Path;

use nix::errno::Errno;

use crate::decode::Change;
use crate::executable::{Loads, loads};
use crate::incomplete::Incomplete;
use crate::lookup::Found;
use crate::observer::{Observer, Who};
use crate::outside::Outside;
use crate::own::Status;
use crate::pending::Pending;
use crate::record::Kind;

/// Interpreters of interpreters, and one more than the kernel follows.
const MOST_INTERPRETERS: usize = 6;
/// An interrupted call: it is begun anew, or fails with EINTR (`ERESTARTSYS` to `ERESTART_RESTARTBLOCK`, linux/errno.h).
const RESTARTED: std::ops::RangeInclusive<i32> = 512..=516;

/// Devices that are the same for everybody, always.
const CONSTANT: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];
const RANDOM: [&str; 2] = ["/dev/random", "/dev/urandom"];

impl Observer {
    /// A call has ended, with what it returned, or the number of its error.
    pub(crate) fn end(&mut self, who: Who, pending: Pending, returned: Result<i64, i32>) {
        match (pending, returned) {
            (Pending::Open(found, flags), Ok(descriptor)) => self.opened(who, &found, flags, descriptor as i32),
            (Pending::OpenElsewhere(found), Ok(_)) => self.writing.incomplete(Incomplete::OtherRoot(found.path)),
            (Pending::Look(found), Ok(_)) => self.add(who, Kind::LookedAt, &found.path, &found.real),
            (Pending::Change(first, second, change), Ok(_)) => self.changed(first, second, change),
            // That it was executed has been told before.
            (Pending::Execute(_), Ok(_)) => {}
            (Pending::Unreadable(_), Err(libc::EFAULT)) => {}
            (Pending::Unreadable(number), _) => self.writing.incomplete(Incomplete::Arguments(number)),
            (Pending::NoFolder, Ok(_)) => self.writing.incomplete(Incomplete::Folder),
            (Pending::NoFolder, Err(_)) => {}
            (
                Pending::Open(found, _)
                | Pending::OpenElsewhere(found)
                | Pending::Look(found)
                | Pending::Execute(found),
                Err(error),
            ) => self.failed(who, &found, error),
            (Pending::Change(first, second, _), Err(error)) => {
                self.failed(who, &first, error);
                if let Some(second) = second {
                    self.failed(who, &second, error);
                }
            }
        }
    }

    /// A thread has become the program that it was about to become.
    pub(crate) fn executed(&mut self, who: Who, pending: Option<Pending>) {
        let mut found = match pending {
            Some(Pending::Execute(found)) => found,
            // A file without a name, or what isn't understood.
            _ => return self.writing.incomplete(Incomplete::Stop),
        };
        let mut last = None;
        for what in self.begun.executes(who.process) {
            self.writing.outside(what);
        }
        for _ in 0..MOST_INTERPRETERS {
            let Some(status) = Status::of(&found.real) else {
                return self.writing.incomplete(Incomplete::OtherFile(found.path));
            };
            self.begun.opened(who.process, &found.real);
            self.reads(&found, &status);
            last = Some(status);
            let next = match loads(&found.real) {
                Loads::Interpreter(path) => path,
                Loads::Linker(path) => {
                    let linker = self.find(Path::new("/"), &path, true);
                    match Status::of(&linker.real) {
                        Some(status) => self.reads(&linker, &status),
                        None => self.writing.incomplete(Incomplete::OtherFile(linker.path)),
                    }
                    break;
                }
                Loads::Nothing => break,
                Loads::Unknown => {
                    self.writing.outside(Outside::Format(found.path.clone()));
                    break;
                }
            };
            let Some(folder) = who.folder() else { return self.writing.incomplete(Incomplete::Folder) };
            found = self.find(&folder, &next, true);
        }
        // What runs is what was found, or it isn't known.
        let runs = Status::of(&who.about("exe"));
        if !last.zip(runs).is_some_and(|(last, runs)| last.is_file(&runs)) {
            self.writing.incomplete(Incomplete::OtherFile(found.path.clone()));
        }
        let has_rights = last.is_some_and(|status| status.mode & (libc::S_ISUID | libc::S_ISGID) != 0);
        if has_rights || has_capabilities(&found.real) {
            self.writing.outside(Outside::SetUid(found.path));
        }
    }

    fn opened(&mut self, who: Who, found: &Found, flags: i32, descriptor: i32) {
        if self.is_of_kernel(who, &found.path, &found.real) {
            return;
        }
        let Some(status) = Status::of(&who.about(&format!("fd/{descriptor}"))) else {
            return self.writing.incomplete(Incomplete::OtherFile(found.path.clone()));
        };
        let is = |names: &[&str]| names.iter().any(|name| found.real == Path::new(name));
        match status.kind() {
            libc::S_IFREG => {
                self.begun.opened(who.process, &found.real);
                self.looks_at_itself(who, found, Some(&status));
                self.opened_file(found, flags, &status);
            }
            libc::S_IFIFO => self.writing.outside(Outside::Fifo(found.path.clone())),
            libc::S_IFCHR if is(&RANDOM) => self.asked(who, Outside::Random),
            libc::S_IFCHR if is(&CONSTANT) => self.writing.add(Kind::LookedAt, &found.path),
            libc::S_IFCHR | libc::S_IFBLK => self.writing.outside(Outside::Device(found.path.clone())),
            // A folder, or what is held by O_PATH alone.
            _ => self.add(who, Kind::LookedAt, &found.path, &found.real),
        }
    }

    /// A program that reads itself, or asks for its size, depends on code that it doesn't execute.
    pub(crate) fn looks_at_itself(&mut self, who: Who, found: &Found, status: Option<&Status>) {
        let runs = || Status::of(&who.about("exe"));
        if status
            .is_some_and(|status| status.kind() == libc::S_IFREG && runs().is_some_and(|runs| runs.is_file(status)))
        {
            self.writing.outside(Outside::OwnProgram(found.path.clone()));
        }
    }

    fn opened_file(&mut self, found: &Found, flags: i32, status: &Status) {
        let has = |flag: i32| flags & flag == flag;
        if has(libc::O_PATH) {
            if !self.own.covers(&found.real) {
                self.writing.add(Kind::LookedAt, &found.path);
            }
            return;
        }
        let access = flags & libc::O_ACCMODE;
        // Without a name; the path is its folder's.
        if has(libc::O_TMPFILE) {
            self.own.add_file(status);
            return;
        }
        let was_own = self.own.has_file(status);
        let is_made = has(libc::O_CREAT) && !found.exists;
        let is_emptied = has(libc::O_TRUNC);
        if is_made {
            self.own.add_path(&found.real);
            self.lookups.forget();
        }
        if is_made || is_emptied {
            self.own.add_file(status);
        }
        if access != libc::O_RDONLY || is_made || is_emptied {
            self.writing.add(Kind::Written, &found.path);
            if found.exists && !was_own {
                self.writing.add(Kind::Changed, &found.path);
            }
        }
        if access != libc::O_WRONLY && !is_made && !is_emptied {
            self.reads(found, status);
        }
    }

    /// A file is read, by a path that is to name it for us, too.
    fn reads(&mut self, found: &Found, status: &Status) {
        if self.own.has_file(status) {
            self.writing.add(Kind::ReadBack, &found.path);
            return;
        }
        if !Status::of(&found.real).is_some_and(|ours| ours.is_file(status)) {
            self.writing.incomplete(Incomplete::OtherFile(found.path.clone()));
        }
        self.writing.read(&found.path, status.identity);
    }

    /// A call about a path has failed.
    fn failed(&mut self, who: Who, found: &Found, error: i32) {
        if RESTARTED.contains(&error) {
            return;
        }
        match Errno::from_raw(error) {
            Errno::ENOENT | Errno::ENOTDIR if !found.exists => {
                self.add(who, Kind::Missing, &found.path, &found.real);
            }
            // It is there, and that is what was learnt.
            Errno::ENOENT
            | Errno::ENOTDIR
            | Errno::EEXIST
            | Errno::EINVAL
            | Errno::EISDIR
            | Errno::ENOTEMPTY
            | Errno::ENODATA
            | Errno::EOPNOTSUPP
            | Errno::ERANGE
            | Errno::EXDEV
            | Errno::ELOOP
            | Errno::ENXIO => {
                self.add(who, Kind::LookedAt, &found.path, &found.real);
            }
            Errno::EFAULT | Errno::EBADF | Errno::EINTR | Errno::ENAMETOOLONG => {}
            _ => {
                if !self.is_of_kernel(who, &found.path, &found.real) {
                    self.writing.outside(Outside::Failed(found.path.clone(), error));
                }
            }
        }
    }

    /// What paths name was changed.
    fn changed(&mut self, first: Found, second: Option<Found>, change: Change) {
        if change != Change::Alters {
            self.lookups.forget();
        }
        let is_own = self.own.covers(&first.real);
        let second_is_own = second.as_ref().is_some_and(|second| self.own.covers(&second.real));
        self.writing.add(Kind::Written, &first.path);
        match change {
            Change::Makes => {
                self.own.add_path(&first.real);
                // Not through a symbolic link that was made: it leads to what others made.
                let is_link = std::fs::symlink_metadata(&first.real).is_ok_and(|status| status.is_symlink());
                if let Some(status) = Status::of(&first.real).filter(|_| !is_link) {
                    self.own.add_file(&status);
                }
            }
            Change::Removes | Change::Renames => {
                self.own.remove_path(&first.real);
                if !is_own {
                    self.writing.add(Kind::Changed, &first.path);
                }
            }
            Change::Alters if !is_own => self.writing.add(Kind::Changed, &first.path),
            Change::Alters | Change::Links => {}
        }
        if let Some(second) = second {
            self.writing.add(Kind::Written, &second.path);
            if second.exists && !second_is_own {
                self.writing.add(Kind::Changed, &second.path);
            }
            if is_own {
                self.own.add_path(&second.real);
            }
        }
    }
}

/// Whether an executable gives rights of the system (capabilities(7)).
fn has_capabilities(path: &Path) -> bool {
    rustix::fs::getxattr(path, "security.capability", &mut [0u8; 64][..]).is_ok()
}
