use crate::entry::Entry;

/// A command of the user's: of its sources and its runtime nothing is known but what it says of itself.
pub(crate) const ENTRY: Entry = Entry { name: "worker", ..Entry::UNKNOWN };
