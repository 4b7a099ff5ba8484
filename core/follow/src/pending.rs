//! A system call that has begun and whose end says what became of it.

use crate::decode::Change;
use crate::lookup::Found;

/// What a call that has begun looks up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pending {
    /// It opens this, with these flags.
    Open(Found, i32),
    /// It opens this relative to a root of its own.
    OpenElsewhere(Found),
    /// It looks whether this is there.
    Look(Found),
    /// It changes what paths name.
    Change(Found, Option<Found>, Change),
    /// It becomes this program.
    Execute(Found),
    /// What it looks up can't be read: call of this number.
    Unreadable(u64),
    /// It is relative to a folder that can't be seen.
    NoFolder,
}
