//! Output of an extraction, and of a look, that nobody should write.

use std::path::Path;

use tare_units::{
    CaseRan, Decision, ExtractionError, Language, Origin, Places, Question, Recording, Source, Units, decide, read,
};

const HEADER: &str = r#"{"format": 2, "language": "python", "runtime": "3.11"}"#;

#[test]
fn an_extraction_is_read_or_refused() {
    assert!(matches!(read(b""), Err(ExtractionError::Format)));
    assert!(matches!(read(br#"{"format": 3, "language": "python", "runtime": ""}"#), Err(ExtractionError::Format)));
    let lacks = read(br#"{"format": 2, "language": "php", "runtime": "8", "fault": "no tokenizer"}"#);
    assert!(matches!(lacks, Err(ExtractionError::Runtime(_))));
    assert!(matches!(read(format!("{HEADER}\n[]").as_bytes()), Err(ExtractionError::Line { line: 2, .. })));
    let module = r#"{"name": "<module>", "simple": "<module>", "kind": "module", "digest": "a"}"#;
    for (units, fault) in [
        (String::new(), true),
        (module.to_owned(), false),
        (format!("{module}, {module}"), true),
        (format!("{module}, {}", module.replace(r#""kind""#, r#""outer": 0, "kind""#)), true),
        (format!(r#"{module}, {{"name": "f", "kind": "function", "outer": 7}}"#), true),
        (format!(r#"{module}, {{"name": "f", "kind": "function"}}"#), true),
        (format!(r#"{module}, {{"name": "f", "kind": "function", "outer": 0}}"#), false),
    ] {
        let text = format!("{HEADER}\n{{\"file\": \"a.py\", \"units\": [{units}]}}\n");
        let found = read(text.as_bytes()).unwrap();
        assert_eq!(matches!(found.files[0].1, Units::Fault(_)), fault, "{units}");
    }
    // A flag that this version doesn't know may be the one that matters.
    let text =
        format!("{HEADER}\n{{\"file\": \"a.py\", \"units\": [{}]}}\n", module.replace('}', r#", "flags": ["new"]}"#));
    assert!(read(text.as_bytes()).is_err());
}

#[test]
fn a_recording_is_read_or_refused() {
    let lines = br#"{"after": "hello", "calls": [{"file": "/a.py", "name": "f", "line": 1}], "before": ["/b.py"]}
{"after": "ready", "calls": [], "incomplete": "the code starts processes"}
"#;
    let found = Recording::read(lines).unwrap();
    assert_eq!((found[0].0.as_str(), found[1].1.incomplete.as_deref()), ("hello", Some("the code starts processes")));
    assert_eq!(found[0].1.files().into_iter().collect::<Vec<_>>(), ["/a.py", "/b.py"]);
    let renamed = found[0].1.clone().renamed(|file| file.trim_start_matches('/').to_owned());
    assert_eq!(renamed.files().into_iter().collect::<Vec<_>>(), ["a.py", "b.py"]);
    assert!(Recording::read(b"{\"after\": \"hello\"").is_err());
    assert!(Recording::read(b"\xff\n").is_err());
}

#[test]
fn files_belong_to_the_project_its_dependencies_or_the_runtime() {
    let places = Places {
        project: "/p".into(),
        runtime: vec!["/usr/lib/python3.11".into()],
        harness: vec!["/cache/sdk-python".into()],
    };
    for (file, origin) in [
        ("/p/src/a.py", Origin::Project),
        ("/p/vendor/x/y.php", Origin::Library),
        ("/p/.venv/lib/python3.11/site-packages/attr/a.py", Origin::Library),
        ("/p/.venv/lib/python3.11/site-packages/_pytest/main.py", Origin::Harness),
        ("/usr/lib/python3.11/json/decoder.py", Origin::Runtime),
        ("/usr/lib/python3.11/site-packages/six.py", Origin::Library),
        ("/cache/sdk-python/src/tare_worker/worker.py", Origin::Harness),
        ("/elsewhere/a.py", Origin::Project),
    ] {
        assert_eq!(places.origin(Path::new(file)), origin, "{file}");
    }
}

#[test]
fn what_is_called_like_a_runner_and_differs_takes_the_proof() {
    let places = Places { project: "/project".into(), ..Places::default() };
    let origin = |path: &str| places.origin(&places.project.join(path));
    assert_eq!(origin("vendor/pluggy/__init__.py"), Origin::Library);
    assert_eq!(origin("vendor/phpbench/phpbench/lib/Attributes/Revs.php"), Origin::Harness);
    let path = ".venv/lib/python3.11/site-packages/pluggy/__init__.py";
    let origin = origin(path);
    assert_eq!(origin, Origin::Harness);
    let side = [Source {
        path: path.to_owned(),
        origin,
        loaded: true,
        folders: Vec::new(),
        units: Units::Known(Vec::new()).into(),
    }];
    let nothing = Recording::default();
    let decided_of = |base: &[Source], head: &[Source], gone: &[String]| {
        let cases = [CaseRan { begins: None, ran: &nothing, words: &[] }];
        let language = Language::Python;
        decide(&Question { language, base, head, gone, loading: &nothing, words: &[], cases: &cases }).remove(0)
    };
    let decided = |head: &[Source], gone: &[String]| decided_of(&side, head, gone);
    assert!(matches!(decided(&[], &[]), Decision::Same { .. }));
    assert!(matches!(decided(&side, &[]), Decision::Different { file, .. } if file == path));
    let unloaded = [Source { loaded: false, ..side[0].clone() }];
    assert!(matches!(decided_of(&unloaded, &[], &[path.to_owned()]), Decision::Different { file, .. } if file == path));
}
