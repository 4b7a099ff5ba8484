use crate::entry::Entry;

/// Whole commands, as `tare exec` writes them to a file: a program each, of which nothing is known.
pub(crate) const ENTRY: Entry = Entry {
    name: "commands",
    endings: &["tare-commands"],
    usual_command: Some("commands"),
    named_by_set: true,
    calls_are_processes: true,
    ..Entry::UNKNOWN
};
