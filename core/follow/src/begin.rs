//! What a thread that stands before a system call is about to look up.

use std::path::{Path, PathBuf};

use libc::c_long;

use crate::address;
use crate::decode::{Base, Call, Change, PathArgument, decode, may_be_empty, started};
use crate::incomplete::Incomplete;
use crate::lookup::{Found, is_below};
use crate::memory;
use crate::observer::{Observer, Who};
use crate::outside::Outside;
use crate::own::Status;
use crate::pending::Pending;
use crate::record::Kind;

/// `RESOLVE_IN_ROOT` of openat2(2).
const IN_ROOT: u64 = 0x10;
/// So many messages are looked at in one call (`UIO_MAXIOV`).
const MOST_MESSAGES: u64 = 1024;
/// Size of `struct mmsghdr` on processors of 64 bits.
const MESSAGE: u64 = 64;

/// A path that was given.
enum Given {
    Found(Found),
    /// An empty one, for the descriptor that it is relative to; -1: the working folder.
    Descriptor(i32),
    /// There is nothing to look up: the call fails for it.
    Nothing,
    Otherwise(Pending),
}

impl Observer {
    /// What a call is about to look up; none: its end isn't waited for.
    pub(crate) fn begin(&mut self, who: Who, number: u64, arguments: [u64; 6]) -> Option<Pending> {
        let given = |observer: &mut Self, path: PathArgument| {
            observer.given(who, path, number, may_be_empty(number as c_long, arguments))
        };
        let (first, then): (PathArgument, &dyn Fn(Found) -> Pending) = match decode(number as c_long, arguments) {
            Call::Harmless => return None,
            Call::Outside(what) => {
                self.asked(who, what);
                return None;
            }
            Call::Open(path, flags) => (path, &move |found| Pending::Open(found, flags)),
            Call::OpenHow(path, how) => return self.open_how(who, path, how, number),
            Call::Look(path) => (path, &Pending::Look),
            Call::Execute(path) => (path, &Pending::Execute),
            Call::Change(path, None, change) => (path, &move |found| Pending::Change(found, None, change)),
            Call::Change(path, Some(second), change) => {
                let second = match self.given(who, second, number, false) {
                    Given::Found(second) => second,
                    Given::Otherwise(pending) => return Some(pending),
                    Given::Descriptor(_) | Given::Nothing => return None,
                };
                return match given(self, path) {
                    Given::Found(found) => Some(Pending::Change(found, Some(second), change)),
                    // A descriptor gets a name.
                    Given::Descriptor(_) => Some(Pending::Change(second, None, Change::Makes)),
                    Given::Otherwise(pending) => Some(pending),
                    Given::Nothing => None,
                };
            }
            Call::ChangeDescriptor(descriptor) => {
                self.change_descriptor(who, descriptor);
                return None;
            }
            Call::List(descriptor) => {
                self.list(who, descriptor);
                return None;
            }
            Call::MapShared(descriptor) => {
                self.map_shared(who, descriptor);
                return None;
            }
            Call::Socket(family, kind) => {
                if let Some(what) = address::of_socket(family, kind) {
                    self.writing.outside(Outside::Socket(what));
                }
                return None;
            }
            Call::Address(at, length) => {
                self.address(who, at, length, number);
                return None;
            }
            Call::Message(at, count) => {
                self.messages(who, at, count, number);
                return None;
            }
            Call::Clone(at) => {
                match memory::word(who.thread, at).map(started) {
                    Some(Call::Outside(what)) => self.writing.outside(what),
                    Some(_) => {}
                    // The call fails with EFAULT.
                    None => self.writing.incomplete(Incomplete::Arguments(number)),
                }
                return None;
            }
        };
        let is_change = |pending: &Pending| matches!(pending, Pending::Change(..));
        match given(self, first) {
            Given::Found(found) => self.foreseen(who, then(found)),
            Given::Descriptor(descriptor) => {
                let real = who.descriptor(descriptor).or_else(|| who.folder().filter(|_| descriptor < 0));
                let found = |path: PathBuf| Found { real: path.clone(), path, exists: true, left: Vec::new() };
                match real.map(|path| then(found(path))) {
                    Some(pending) if is_change(&pending) => {
                        self.change_descriptor(who, descriptor);
                        None
                    }
                    Some(Pending::Execute(found)) => Some(Pending::Execute(found)),
                    // What the descriptor stands for was seen when it was opened.
                    Some(_) => None,
                    // It may be a file without a name (memfd_create).
                    None => Some(Pending::NoFolder).filter(|_| number as c_long == libc::SYS_execveat),
                }
            }
            Given::Otherwise(pending) => Some(pending),
            Given::Nothing => None,
        }
    }

    /// What a look brings, and that there is nothing to open, is known before the call is made: a second stop would take as long as the call.
    /// None: it is written down.
    fn foreseen(&mut self, who: Who, pending: Pending) -> Option<Pending> {
        let (Pending::Look(found) | Pending::Open(found, _) | Pending::Execute(found)) = &pending else {
            return Some(pending);
        };
        let kind = match &pending {
            _ if !found.exists => Kind::Missing,
            Pending::Look(_) => Kind::LookedAt,
            _ => return Some(pending),
        };
        if matches!(pending, Pending::Open(_, flags) if flags & libc::O_CREAT != 0) {
            return Some(pending);
        }
        if kind == Kind::LookedAt {
            self.looks_at_itself(who, found, Status::of(&found.real).as_ref());
        }
        self.add(who, kind, &found.path, &found.real);
        None
    }

    fn given(&mut self, who: Who, argument: PathArgument, number: u64, may_be_empty: bool) -> Given {
        let Some(path) = memory::path(who.thread, argument.address) else {
            // Some calls take a null pointer for an empty path (statx(2) since Linux 6.11).
            return match argument.base {
                Base::Descriptor(descriptor) if argument.address == 0 && may_be_empty => Given::Descriptor(descriptor),
                _ => Given::Otherwise(Pending::Unreadable(number)),
            };
        };
        if path.as_os_str().is_empty() {
            return match (may_be_empty, argument.base) {
                (false, _) => Given::Nothing,
                (true, Base::Descriptor(descriptor)) => Given::Descriptor(descriptor),
                (true, Base::WorkingFolder) => Given::Descriptor(-1),
            };
        }
        let base = if path.is_absolute() {
            Some(PathBuf::new())
        } else {
            match argument.base {
                Base::WorkingFolder => who.folder(),
                Base::Descriptor(descriptor) => who.descriptor(descriptor),
            }
        };
        match base {
            Some(base) => {
                let found = self.find(&base, &path, argument.follows);
                if self.leaves_out(&found.real) { Given::Nothing } else { Given::Found(found) }
            }
            None => Given::Otherwise(Pending::NoFolder),
        }
    }

    /// Looks a path up, and writes down the symbolic links on the way, and the folders that it only goes through and back.
    pub(crate) fn find(&mut self, base: &Path, path: &Path, follows: bool) -> Found {
        let Self { writing, lookups, own, .. } = self;
        let found = lookups.find(base, path, follows, &mut |link, target| {
            if !own.covers(link) {
                writing.link(link, target);
            }
        });
        let is_kernels = |folder: &Path| is_below(folder, "/proc") || is_below(folder, "/sys");
        for folder in found.left.iter().filter(|folder| !is_kernels(folder) && !own.covers(folder)) {
            writing.add(Kind::LookedAt, folder);
        }
        found
    }

    fn open_how(&mut self, who: Who, path: PathArgument, how: u64, number: u64) -> Option<Pending> {
        let (Some(flags), Some(resolve)) =
            (memory::word(who.thread, how), memory::word(who.thread, how.wrapping_add(16)))
        else {
            return Some(Pending::Unreadable(number));
        };
        let flags = flags as i32;
        let path = PathArgument { follows: flags & libc::O_NOFOLLOW == 0, ..path };
        match self.given(who, path, number, false) {
            Given::Found(found) if resolve & IN_ROOT != 0 => Some(Pending::OpenElsewhere(found)),
            Given::Found(found) => Some(Pending::Open(found, flags)),
            Given::Otherwise(pending) => Some(pending),
            Given::Descriptor(_) | Given::Nothing => None,
        }
    }

    /// Entries of a folder are read.
    fn list(&mut self, who: Who, descriptor: i32) {
        match who.descriptor(descriptor) {
            Some(path) if self.leaves_out(&path) => {}
            Some(path) => self.add(who, Kind::Listed, &path, &path),
            // Without a folder the call fails; one that has been removed has no entries. One that has no path for us is neither.
            None if Status::of(&who.about(&format!("fd/{descriptor}"))).is_some() => {
                self.writing.incomplete(Incomplete::Folder);
            }
            None => {}
        }
    }

    fn change_descriptor(&mut self, who: Who, descriptor: i32) {
        let Some(path) = who.descriptor(descriptor) else { return };
        let is_own = Status::of(&who.about(&format!("fd/{descriptor}"))).is_some_and(|file| self.own.has_file(&file));
        self.writing.add(Kind::Written, &path);
        if !is_own && !self.own.covers(&path) {
            self.writing.add(Kind::Changed, &path);
        }
    }

    fn map_shared(&mut self, who: Who, descriptor: i32) {
        let about = who.about(&format!("fd/{descriptor}"));
        if Status::of(&about).is_some_and(|file| self.own.has_file(&file)) {
            return;
        }
        // A descriptor without a path is named as the kernel names it.
        if let Some(path) = who.descriptor(descriptor).or_else(|| std::fs::read_link(about).ok()) {
            self.writing.outside(Outside::SharedMapping(path));
        }
    }

    /// An address is taken or spoken to.
    fn address(&mut self, who: Who, at: u64, length: u64, number: u64) {
        match memory::up_to(who.thread, at, length, address::LONGEST) {
            Some(bytes) => self.writing.outside(Outside::Socket(address::words(&bytes))),
            None => self.writing.incomplete(Incomplete::Arguments(number)),
        }
    }

    /// Messages are sent: to what is connected, or where their header says.
    fn messages(&mut self, who: Who, at: u64, count: u64, number: u64) {
        // The kernel takes the lower half.
        for message in 0..u64::from(count as u32).min(MOST_MESSAGES) {
            let header = at.wrapping_add(message * MESSAGE);
            let (name, length) = (memory::word(who.thread, header), memory::word(who.thread, header.wrapping_add(8)));
            match (name, length) {
                (Some(0), Some(_)) => {}
                (Some(name), Some(length)) => self.address(who, name, u64::from(length as u32), number),
                _ => self.writing.incomplete(Incomplete::Arguments(number)),
            }
        }
    }
}
