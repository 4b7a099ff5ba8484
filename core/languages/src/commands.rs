use crate::entry::{Entry, Pattern};

/// Whole commands, as `tare exec` writes them to a file, or as a `tare.toml` names them: a program each, of which nothing is known.
pub(crate) const ENTRY: Entry = Entry {
    name: "commands",
    endings: &["tare-commands", "toml"],
    patterns: &[Pattern {
        text: Some(has_commands),
        told: Some("tare.toml ([[command]])"),
        ..Pattern::plain("tare.toml")
    }],
    usual_command: Some("commands"),
    calls_are_processes: true,
    ..Entry::UNKNOWN
};

fn has_commands(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[[command]]"))
}
