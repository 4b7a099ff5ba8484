use std::cell::RefCell;
use std::path::Path;

use tare_engine::TimeRange;

use super::EventLog;
use crate::error::Kind;
use crate::event::{Event, Listener, MeasuringStep, Silence};

#[derive(Default)]
struct Heard(RefCell<Vec<Event>>);

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        self.0.borrow_mut().push(event.clone());
    }
}

fn planned(name: &str) -> Event {
    Event::Planned { run: "20260101-000000-abcd".to_owned(), groups: vec![name.to_owned()], variants: 1 }
}

#[test]
fn each_event_is_one_line_and_control_characters_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.ndjson");
    let hostile = "a\nb\u{1b}[2J\u{7}\r\"\\";
    let log = EventLog::open(&Silence, Some(&path), Some(folder.path().join("store"))).unwrap();
    log.hear(&planned(hostile));
    log.hear(&Event::Progress {
        group: 0,
        lane: 0,
        step: MeasuringStep::Launch { number: 1, most: 2 },
        share: f64::NAN,
        left_ns: None,
        left_range_ns: Some(TimeRange { least: 1.0, most: 2.5 }),
    });
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.chars().all(|one| one == '\n' || !one.is_control()), "{text:?}");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["groups"][0], hostile);
    assert_eq!((&lines[1]["event"], &lines[1]["step"]["of"]), (&"progress".into(), &"launch".into()));
    assert_eq!(lines[1]["left_range_ns"], serde_json::json!([1.0, 2.5]));
    assert!(lines[1]["share"].is_null() && lines[1]["at"].is_string(), "{text}");
    let kept = std::fs::read_to_string(folder.path().join("store/events/20260101-000000-abcd.ndjson")).unwrap();
    assert_eq!(kept, text);
}

#[test]
fn a_second_run_is_appended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.ndjson");
    for _ in 0..2 {
        EventLog::open(&Silence, Some(&path), None).unwrap().hear(&Event::Loaded);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_cannot_be_opened_is_wrong_usage() {
    let error = EventLog::open(&Silence, Some(Path::new("/nowhere/events")), None).err().unwrap();
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.message.contains("--events /nowhere/events"), "{error}");
}

#[test]
fn what_cannot_be_written_is_told_once_and_everything_else_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // In place of the folder of the runs' own files.
    std::fs::write(folder.path().join("events"), "").unwrap();
    let heard = Heard::default();
    let log = EventLog::open(&heard, Some(Path::new("/dev/full")), Some(folder.path().to_owned())).unwrap();
    log.hear(&planned("a"));
    log.hear(&Event::Loaded);
    log.hear(&Event::Loaded);
    let heard = heard.0.into_inner();
    let told: Vec<&str> = heard
        .iter()
        .filter_map(|event| match event {
            Event::Notice { message } => Some(message.as_str()),
            _ => None,
        })
        .collect();
    assert!(told[0].starts_with("--events: ") && told[0].ends_with("no more events are written to it"), "{told:?}");
    assert!(told[1].contains("events/20260101-000000-abcd.ndjson") || told[1].contains("events:"), "{told:?}");
    assert_eq!((told.len(), heard.len()), (2, 5));
}
