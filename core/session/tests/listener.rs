//! What a listener costs: a type with `hear`, given to a session. Nothing else of the house knows it.
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tare_definition::Project;
use tare_definition::Selection;
use tare_request::Request;
use tare_session::{Event, Kind, Listener, Session};

/// Counts events by their kind, and may ask for the end when something is built.
#[derive(Default)]
struct Counting {
    kinds: RefCell<Vec<String>>,
    stops: Option<Arc<AtomicBool>>,
}

impl Listener for Counting {
    fn hear(&self, event: &Event) {
        let written = serde_json::to_value(event).unwrap();
        self.kinds.borrow_mut().push(written["event"].as_str().unwrap().to_owned());
        if let (Some(stop), Event::Building { .. }) = (&self.stops, event) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

const BENCHMARK: &str = "<?php\nfinal class AddBench\n{\n    public function benchAdd(): void\n    {\n    }\n}\n";

#[test]
fn a_listener_hears_what_happens_and_may_end_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("AddBench.php"), BENCHMARK).unwrap();
    fs::write(folder.path().join("tare.toml"), "[run]\nbuild = \"touch built\"\n").unwrap();
    let project = Project::find(folder.path()).unwrap();
    let request = || Request::of_selection(&Selection::default(), folder.path().to_owned(), &project).unwrap();

    let listener = Counting::default();
    let session = Session::new(&listener, Arc::default());
    let found = session.list(&mut request(), &project).unwrap();
    let names: Vec<String> = found.cases().into_iter().map(|case| case.benchmark).collect();
    assert_eq!(names, ["AddBench::benchAdd"], "{:?}", found.failures);
    assert_eq!(*listener.kinds.borrow(), ["building", "listing"]);
    assert!(folder.path().join("built").exists());

    let stop = Arc::<AtomicBool>::default();
    let listener = Counting { stops: Some(Arc::clone(&stop)), ..Counting::default() };
    let ended = Session::new(&listener, stop).list(&mut request(), &project).err().unwrap();
    assert_eq!((ended.kind, listener.kinds.borrow().len()), (Kind::Interrupted, 1));
}
