//! The reference of all commands and options in docs/options.md, made of the options themselves.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Arg, Args, Command, CommandFactory};
use tare_definition::{
    Comparing, Declared, Detail, Keeping, Measuring, OfProject, Options, Revising, Selection, Task, Telling,
};

use super::Arguments;

const TOP: &str = "# Options

Made of the options themselves: `TARE_WRITE=1 cargo test -p tare reference` writes it anew.

## tare run, tare compare

Where an option has a key, `tare.toml` can set it; the command line takes precedence. *Measure* is `tare run` and `tare compare` of revisions, *resume*
`tare run --resume`, *runs* and *loads* `tare compare` of stored ones, *servers* `tare compare --serve`. Tare refuses an option where it isn't marked.
";

const KEYS: &str = "
Keys that no option has:

| key | meaning |
| --- | --- |
";

/// What a help text is in a cell.
fn cell(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    help.replace('\n', " ").replace('|', "\\|")
}

fn key(declared: &Declared) -> String {
    let key = declared.key.and_then(|key| key.split_once('.'));
    key.map_or_else(String::new, |(table, key)| format!("`[{table}] {key}`"))
}

fn rows<O: Options + Args>(about: &str, text: &mut String) {
    let command = O::augment_args(Command::new("tare"));
    let _ = writeln!(
        text,
        "\n### {about}\n\n| option | what it does | tare.toml | measure | resume | runs | loads | servers |"
    );
    let _ = writeln!(text, "| --- | --- | --- | :-: | :-: | :-: | :-: | :-: |");
    for declared in O::DECLARED {
        let Some(arg) = command.get_arguments().find(|arg| arg.get_id() == declared.id) else { continue };
        let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
        let value = value.and_then(|names| names.first()).map_or_else(String::new, ToString::to_string);
        let name = match (arg.get_long(), arg.is_require_equals_set()) {
            (Some(long), true) => format!("--{long}[={value}]"),
            (Some(long), false) => format!("--{long} {value}").trim().to_owned(),
            (None, _) => value,
        };
        let marks: Vec<&str> =
            Task::ALL.iter().map(|task| if declared.tasks.contains(task) { "•" } else { "" }).collect();
        let (name, help) = (name.replace('|', "\\|"), cell(arg));
        let _ = writeln!(text, "| `{name}` | {help} | {} | {} |", key(declared), marks.join(" | "));
    }
}

fn helps(command: &mut Command, path: &str, text: &mut String) {
    for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let path = format!("{path} {}", sub.get_name());
        if !["tare run", "tare compare"].contains(&path.as_str()) {
            let help = sub.clone().bin_name(&path).term_width(100).render_help().to_string();
            let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
            let _ = writeln!(text, "\n## {path}\n\n```text\n{}\n```", lines.join("\n").trim());
        }
        helps(sub, &path, text);
    }
}

fn reference() -> String {
    let mut text = TOP.to_owned();
    rows::<Selection>("Which cases", &mut text);
    rows::<Measuring>("How and where to measure", &mut text);
    rows::<Comparing>("What to compare, and what to make of it", &mut text);
    rows::<Revising>("`tare compare` alone", &mut text);
    rows::<Keeping>("What is kept", &mut text);
    rows::<Telling>("Progress", &mut text);
    rows::<Detail>("The report", &mut text);
    text.push_str(KEYS);
    let fields = OfProject::augment_args(Command::new("tare"));
    for declared in OfProject::DECLARED {
        let help = fields.get_arguments().find(|arg| arg.get_id() == declared.id).map(cell).unwrap_or_default();
        let _ = writeln!(text, "| {} | {help} |", key(declared));
    }
    let mut command = Arguments::command();
    command.build();
    helps(&mut command, "tare", &mut text);
    text
}

#[test]
fn the_reference_is_as_the_options_are() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    let written = reference();
    if std::env::var_os("TARE_WRITE").is_some() {
        std::fs::write(&file, &written).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = written.lines().zip(found.lines()).find(|(now, before)| now != before);
    assert!(found == written, "docs/options.md isn't as the options are: {differs:?}; TARE_WRITE=1 writes it anew");
}
