//! The reference of all commands and options in docs/options.md, made of the options themselves.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Arg, Args, Command};
use serde_json::{Map, Value, json};
use tare_definition::{
    Comparing, Declared, Detail, Keeping, Measuring, OfProject, Options, Revising, Selection, Settings, Task, Telling,
};

use super::Arguments;

const TOP: &str = "# Options

Made of the options themselves: `TARE_WRITE=1 cargo test -p tare reference` writes it anew.

A JSON Schema of `tare.toml` is [tare.toml.schema.json](tare.toml.schema.json): with `#:schema PATH` in its first line, editors that know TOML complete and
check it. `tare completions bash` prints a script that completes commands and options.

## tare run, tare compare

Where an option has a key, `tare.toml` can set it; the command line takes precedence. *Measure* is `tare run` and `tare compare` of revisions, *resume*
`tare run --resume`, *runs* and *loads* `tare compare` of stored ones, *servers* `tare compare --serve`, *exec* `tare exec`, *bisect* `tare bisect`. Tare refuses an option where it isn't marked.
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
        "\n### {about}\n\n| option | what it does | tare.toml | measure | resume | runs | loads | servers | exec | bisect |"
    );
    let _ = writeln!(text, "| --- | --- | --- | :-: | :-: | :-: | :-: | :-: | :-: | :-: |");
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
    let mut command = Arguments::known();
    command.build();
    helps(&mut command, "tare", &mut text);
    text
}

/// A key of `tare.toml`, for editors.
fn property<O: Options + Args>(schema: &mut Map<String, Value>) {
    let command = O::augment_args(Command::new("tare"));
    for declared in O::DECLARED {
        let Some((table, key)) = declared.key.and_then(|key| key.split_once('.')) else { continue };
        let help = command.get_arguments().find(|arg| arg.get_id() == declared.id).and_then(Arg::get_help);
        let one = json!({"type": declared.holds.types});
        let value = match declared.holds.is_list {
            false => one,
            true => json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]}),
        };
        let mut value = value.as_object().cloned().unwrap_or_default();
        value.insert("description".to_owned(), help.map(ToString::to_string).unwrap_or_default().into());
        let properties = schema
            .entry(table)
            .or_insert_with(|| json!({"type": "object", "additionalProperties": false, "properties": {}}));
        properties["properties"][key] = Value::Object(value);
    }
}

/// A JSON Schema of `tare.toml`, by which editors complete and check it.
fn schema() -> String {
    let mut tables = Map::new();
    property::<Selection>(&mut tables);
    property::<Measuring>(&mut tables);
    property::<Comparing>(&mut tables);
    property::<Revising>(&mut tables);
    property::<OfProject>(&mut tables);
    for (table, keys) in Settings::other_keys() {
        let keys: Map<String, Value> =
            keys.iter().map(|&key| (key.to_owned(), json!({"type": ["string", "integer"]}))).collect();
        let of = json!({"type": "object", "additionalProperties": false, "properties": keys});
        tables.insert(table.to_owned(), of);
    }
    let mut limit = tables.remove("limit").unwrap_or_default();
    limit["properties"]["case"] = json!({"type": "string"});
    limit["required"] = json!(["case"]);
    tables.insert("limit".to_owned(), json!({"type": "array", "items": limit}));
    let mut command = tables.remove("command").unwrap_or_default();
    command["properties"]["ignore-failure"] = json!({"type": ["boolean", "array"], "items": {"type": "integer"}});
    command["properties"]["parameters"] = json!({"type": "object", "additionalProperties": {"type": "array"}});
    command["required"] = json!(["command"]);
    tables.insert("command".to_owned(), json!({"type": "array", "items": command}));
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": text});
    tables.insert("same".to_owned(), json!({"type": "array", "items": {"type": "object", "additionalProperties": false,
        "required": ["name", "cases"], "properties": {"name": text, "cases": {"type": "array", "minItems": 2, "items": text}}}}));
    tables.insert("runtime".to_owned(), json!({"type": "object", "additionalProperties": {"type": "object",
        "additionalProperties": false, "required": ["command"], "properties": {"command": {"anyOf": [text, texts]}, "language": text}}}));
    tables.insert(
        "store".to_owned(),
        json!({"type": "object", "additionalProperties": false, "properties": {"path": text, "url": text}}),
    );
    let whole = json!({"$schema": "http://json-schema.org/draft-07/schema#", "title": "tare.toml", "type": "object",
        "additionalProperties": false, "properties": tables});
    format!("{}\n", serde_json::to_string_pretty(&whole).unwrap_or_default())
}

/// Holds a written file against what it is made of.
fn is_written(name: &str, made: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("TARE_WRITE").is_some() {
        std::fs::write(&file, made).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = made.lines().zip(found.lines()).find(|(now, before)| now != before);
    assert!(found == made, "docs/{name} isn't as the options are: {differs:?}; TARE_WRITE=1 writes it anew");
}

#[test]
fn the_reference_is_as_the_options_are() {
    is_written("options.md", &reference());
    is_written("tare.toml.schema.json", &schema());
}
