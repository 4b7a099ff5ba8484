//! Names from outside, on every page, in every file and document: nothing but text.

use std::path::Path;

use tare_samples::{Failure, FailureKind, Finding, FindingLevel, Origin, Outcome, is_hidden};
use tare_store::{Access, RunState, SqliteStore, Store, StoredComparison};

use crate::Server;
use crate::histories::{summary, variant};

const RUNS: i64 = 24;

fn id(number: i64) -> String {
    format!("20260101-{number:06}-abcd")
}

/// Runs whose names are all `text`: twelve on one level, twelve on another one, in the newest a comparison, and one that goes on.
pub(crate) fn stored(folder: &Path, text: &str) -> SqliteStore {
    let mut store = SqliteStore::open(folder.join(".tare/tare.db"), Access::ReadWrite).unwrap();
    let now = jiff::Timestamp::now();
    for number in 0..=RUNS {
        let minutes = jiff::SignedDuration::from_mins(60 - number);
        let origin = Origin {
            id: id(number),
            started: (now - minutes).strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            tags: vec![text.to_owned()],
            machine: [("cpu".to_owned(), text.to_owned()), (text.to_owned(), text.to_owned())].into(),
            git: ["commit", "branch", "dirty"].map(|name| (name.to_owned(), text.to_owned())).into(),
            findings: vec![Finding {
                runtime: text.into(),
                code: text.into(),
                level: FindingLevel::Disturbs,
                found: text.into(),
                effect: text.into(),
                remedy: text.into(),
            }],
            imported: None,
            policy: tare_samples::POLICY,
            seed: 1,
            tare: text.to_owned(),
        };
        store.begin_run(&origin, "{}").unwrap();
        if number == RUNS {
            break;
        }
        let variant = variant(text, text);
        store.put_variant(&origin.id, 0, &variant).unwrap();
        let time = if number < 12 { 200.0 } else { 220.0 } + (number * 7 % 5) as f64 * 0.3;
        store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary(time))).unwrap();
        // The same with a number of calls that is called so: a history of its own, which can be chosen.
        let other = tare_samples::Variant { id: format!("{}*{text}", variant.id), ..variant.clone() };
        store.put_variant(&origin.id, 1, &other).unwrap();
        store.put_outcome(&origin.id, &other.id, &Outcome::Ok, Some(&summary(time))).unwrap();
        // Counted, and each time in another environment.
        let environment = tare_samples::CountEnvironment {
            tool: text.into(),
            runtime: format!("{text}{number}"),
            libraries: text.into(),
        };
        let calibration = tare_samples::Calibration {
            work: Some(crate::histories::counted(1000.0, environment)),
            ..Default::default()
        };
        store.put_calibration(&origin.id, &variant.id, &calibration).unwrap();
        store.put_failures(&origin.id, &[Failure::new(FailureKind::Exception, text, text).at(text, 7)]).unwrap();
        let comparison = StoredComparison {
            base: variant.id.clone(),
            candidate: variant.id.clone(),
            kind: "live".into(),
            title: text.into(),
            base_label: text.into(),
            candidate_label: text.into(),
            comparison: serde_json::from_value(serde_json::json!({
                "ratio": { "estimate": 1.1, "low": 1.09, "high": 1.11 }, "confidence": 0.99, "verdict": "slower", "margin": 0.005,
                "minimum_detectable_effect": 0.02, "pairs": 24, "flag": null, "confirmed": true,
                "warnings": [{ "code": text, "message": text, "remedy": text }],
            }))
            .unwrap(),
            machine_code: None,
        };
        store.put_comparison(&origin.id, 0, &comparison).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    let events = folder.join(".tare/events");
    std::fs::create_dir_all(&events).unwrap();
    let event = serde_json::json!({ "event": text, "case": text }).to_string();
    std::fs::write(events.join(format!("{}.ndjson", id(RUNS))), format!("{event}\n{text}\n")).unwrap();
    store
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Every address that there is, with the names in it.
fn addresses(text: &str) -> Vec<String> {
    let case = format!("case={}&runtime={}", encoded(&format!("php/{text}")), encoded(text));
    let (first, last, goes_on) = (id(0), id(RUNS - 1), id(RUNS));
    let text = encoded(text);
    vec![
        "/".to_owned(),
        format!("/?tag={text}"),
        "/cases".to_owned(),
        format!("/cases?words={text}"),
        format!("/history?{case}"),
        format!("/history?{case}&branch={text}&tag={text}"),
        "/changes".to_owned(),
        format!("/runs/{first}"),
        format!("/runs/{goes_on}"),
        format!("/runs/x{text}"),
        format!("/compare?base={first}&candidate={last}"),
        format!("/compare?base=x{text}&candidate={last}"),
        "/feed.atom".to_owned(),
        format!("/badge.svg?{case}"),
        "/api/v1/runs".to_owned(),
        "/api/v1/cases".to_owned(),
        format!("/api/v1/history?{case}"),
        "/api/v1/changes".to_owned(),
        format!("/api/v1/runs/{goes_on}/events"),
        format!("/api/v1/runs/x{text}/events"),
    ]
}

/// Elements, with those that an attacker must not add to.
pub(crate) fn elements(page: &str) -> std::collections::BTreeSet<String> {
    page.split('<').skip(1).map(|rest| rest.split(['>', ' ', '/']).next().unwrap().to_ascii_lowercase()).collect()
}

/// Names that mean something to browsers, terminals, file systems.
pub(crate) const ATTACKS: [&str; 11] = [
    "<script>alert(1)</script>",
    "</title></style></script><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "]]>&lt;b&gt;&#60;script&#62;",
    "../../../etc/passwd",
    "\u{1b}[31mred\u{1b}]0;title\u{7}",
    "a\nb\r\nSet-Cookie: c=1\r\n\r\n<p>",
    "\u{202e}drow\u{2066}\u{200f}",
    "\u{0}\u{1}\u{7f}\u{ffff}",
    "\u{1f468}\u{200d}\u{1f469}\u{1f1e9}\u{1f1ea}",
];

#[test]
fn names_are_text_at_every_address() {
    let answers = |text: &str| -> Vec<(u16, String)> {
        let folder = tempfile::tempdir().unwrap();
        let _held = stored(folder.path(), text);
        let server = Server::of(folder.path());
        addresses(text).iter().map(|address| server.get(address)).collect()
    };
    let plain = answers("plain");
    for ((status, answer), address) in plain.iter().zip(addresses("plain")) {
        assert_eq!(
            *status,
            if address.contains("xp") || address.contains("x%70") { 404 } else { 200 },
            "{address}: {answer}"
        );
    }
    let changes = &plain[6].1;
    assert!(
        changes.contains("slower") && plain[12].1.contains("<entry>"),
        "the change is there to be named: {changes}"
    );
    for attack in ATTACKS {
        for (((status, answer), (usual, plain)), address) in answers(attack).iter().zip(&plain).zip(addresses(attack)) {
            assert_eq!(status, usual, "{attack:?} at {address}: {answer}");
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(!head.to_ascii_lowercase().contains("set-cookie"), "{attack:?} at {address}: {head}");
            let is_document = head.contains("application/json");
            // Documents keep what joins the parts of emoji.
            let unseen = |c: char| is_hidden(c) && c != '\n' && !(is_document && matches!(c, '\u{200c}' | '\u{200d}'));
            assert!(!body.contains(unseen), "{attack:?} at {address}: {:?}", body.chars().find(|c| unseen(*c)));
            if is_document {
                // Nobody shows it as a page: the head says what it is, and that nothing else may be guessed.
                serde_json::from_str::<serde_json::Value>(body).unwrap();
                assert!(head.contains("nosniff"), "{head}");
                continue;
            }
            let (found, usual) = (elements(body), elements(plain));
            assert!(found.is_subset(&usual), "{attack:?} at {address} added {:?}", found.difference(&usual));
            let tags = body.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag);
            for tag in tags {
                // Between quotes all is a value.
                let outside: String = tag.split('"').step_by(2).collect();
                let has = |name: &str| outside.contains(&format!(" {name}"));
                assert!(!has("onmouseover") && !has("onerror") && !has("onload"), "{attack:?} at {address}: {tag}");
                assert_eq!(tag.matches('"').count() % 2, 0, "{attack:?} at {address}: {tag}");
            }
        }
    }
}
