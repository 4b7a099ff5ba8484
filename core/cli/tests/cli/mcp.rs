//! `tare mcp`, by a client on real pipes that keeps to a script.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::harness::{Dir, PATIENCE};

struct Client<'a> {
    dir: &'a Dir,
    child: Child,
    input: Option<ChildStdin>,
    /// Lines of standard output, each of which has to be a message.
    messages: Receiver<Value>,
}

impl<'a> Client<'a> {
    fn started(dir: &'a Dir) -> Self {
        let mut command = dir.tare(&["mcp"]).command;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| json!({ "not a message": line }));
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self { dir, child, input, messages }
    }

    /// One that has introduced itself.
    fn of(dir: &'a Dir) -> Self {
        let mut client = Self::started(dir);
        let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "script", "version": "1" } });
        client.ask(0, "initialize", &about);
        let answer = client.answer(0);
        assert_eq!(answer["result"]["serverInfo"]["name"], "tare", "{answer}");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").and_then(|()| input.flush()).unwrap();
    }

    fn ask(&mut self, id: u64, method: &str, parameters: &Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }).to_string());
    }

    fn call(&mut self, id: u64, tool: &str, arguments: &Value) {
        self.ask(
            id,
            "tools/call",
            &json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": format!("of {id}") } }),
        );
    }

    fn next(&self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("the server says nothing");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// The answer to a request; what comes before it is dropped.
    fn answer(&self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// What a tool answers, and whether it is an error.
    fn told(&mut self, id: u64, tool: &str, arguments: &Value) -> (String, bool) {
        self.call(id, tool, arguments);
        text(&self.answer(id))
    }

    /// Waits until a request is under way.
    fn progress(&self, id: u64, what: &str) {
        loop {
            let message = self.next();
            assert_ne!(message["id"], id, "it has ended: {message}");
            let told = message["params"]["message"].as_str().unwrap_or_default();
            if message["params"]["progressToken"] == format!("of {id}") && told.contains(what) {
                return;
            }
        }
    }

    /// Hangs up, after which nothing may be left.
    fn hang_up(mut self) {
        drop(self.input.take());
        self.ends(0);
    }

    fn ends(mut self, status: i32) {
        let child = &mut self.child;
        let ended = std::cell::RefCell::new(None);
        self.dir.wait_until("the server ends", || {
            *ended.borrow_mut() = child.try_wait().unwrap();
            ended.borrow().is_some()
        });
        assert_eq!(ended.borrow().unwrap().code(), Some(status));
        self.dir.assert_no_process_is_left();
        assert_eq!(self.dir.temporary_files(), [""; 0].map(std::path::PathBuf::from));
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(answer: &Value) -> (String, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
    (text.to_owned(), result["isError"] == true)
}

/// A project with a benchmark that is quick, and one whose measurement takes as long as it may.
fn project() -> Dir {
    let dir = Dir::new();
    dir.good();
    dir
}

const QUICK: f64 = 0.1;
const LONG: f64 = 600.0;

#[test]
fn tools_are_described_and_answer_shortly() {
    let dir = project();
    let mut client = Client::of(&dir);
    client.ask(1, "tools/list", &json!({}));
    let answer = client.answer(1);
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["list", "run", "compare", "why", "show"]);
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object" && tool["description"].is_string()));

    let (listed, failed) = client.told(2, "list", &json!({}));
    assert!(
        !failed && listed.contains("1 case") && listed.contains("benchGood") && listed.contains("Next: "),
        "{listed}"
    );
    let (none, failed) = client.told(3, "show", &json!({}));
    assert!(failed && none.contains("nothing has been measured here yet"), "{none}");

    // It says how far it is, ever further.
    client.call(4, "run", &json!({ "budget_seconds": QUICK }));
    let mut last = 0.0;
    let mut steps = 0;
    let ran = loop {
        let message = client.next();
        if message["id"] == 4 {
            break message;
        }
        let progress = message["params"]["progress"].as_f64().unwrap();
        assert!(progress > last && message["params"]["progressToken"] == "of 4", "{message}");
        (last, steps) = (progress, steps + 1);
    };
    let (ran, failed) = text(&ran);
    assert!(
        steps > 0 && !failed && ran.contains("- GoodBench::benchGood on php") && ran.contains("Stored as run"),
        "{ran}"
    );
    assert!(ran.lines().count() < 10 && !ran.contains('{'), "{ran}");
    let (shown, failed) = client.told(5, "show", &json!({ "run": "latest" }));
    assert!(!failed && shown.lines().next() == ran.lines().next(), "{shown}\n{ran}");
    client.hang_up();
}

#[test]
fn what_is_asked_wrongly_is_a_tool_error_that_says_what_to_do() {
    let dir = project();
    let mut client = Client::of(&dir);
    for (id, (tool, arguments, said)) in [
        ("measure", json!({}), "there is no such tool; there are list, run, compare, why, show"),
        ("run", json!({ "budget": 1 }), "`run` has no argument `budget`; it takes filter"),
        ("run", json!({ "paths": ["/etc"] }), "outside the project"),
        ("run", json!({ "paths": ["../.."] }), "outside the project"),
        ("run", json!({ "filter": "(" }), "filter"),
        ("list", json!({ "filter": "Nothing" }), "no"),
        ("compare", json!({ "base": "nowhere" }), "nowhere"),
        ("compare", json!({}), "HEAD"),
        ("why", json!({ "base": "--upload-pack=touch x" }), "upload-pack"),
        ("show", json!({ "run": "nothing" }), "nothing"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = id as u64 + 1;
        let (told, failed) = client.told(id, tool, &arguments);
        assert!(failed && told.contains(said), "{tool} {arguments}: {told}");
        assert!(told.len() < 2_000, "{told}");
    }
    assert!(!dir.path().join("x").exists());
    client.hang_up();
}

#[test]
fn a_change_is_compared_with_the_commit_and_explained() {
    let dir = Dir::repository();
    dir.work(20).commit("first");
    let mut client = Client::of(&dir);
    let (same, failed) = client.told(1, "compare", &json!({ "budget_seconds": QUICK }));
    assert!(!failed && same.contains("unchanged") && same.contains("nothing got slower"), "{same}");
    let (nothing, failed) = client.told(4, "why", &json!({ "case": "benchWork" }));
    assert!(
        !failed
            && nothing.starts_with("Cases that differ or may differ: 0 of 1.")
            && nothing.contains("nothing to measure"),
        "{nothing}"
    );
    dir.work(2_000);
    // What changed lies in the benchmark itself, which both sides have alike.
    let (lent, failed) = client.told(5, "compare", &json!({ "budget_seconds": QUICK }));
    assert!(
        !failed && lent.contains("unchanged") && lent.contains("Note: the benchmark files of the two sides differ"),
        "{lent}"
    );
    assert!(lent.contains("call `compare` again with `own_benchmarks`"), "{lent}");
    let (why, failed) = client.told(2, "why", &json!({ "own_benchmarks": true }));
    assert!(
        why.starts_with("Cases that differ or may differ: 1 of 1.") && why.contains("WorkBench::benchWork"),
        "{why}"
    );
    assert!(!failed && why.contains("Next: `compare`"), "{why}");
    let (changed, failed) =
        client.told(3, "compare", &json!({ "filter": "benchWork", "budget_seconds": QUICK, "own_benchmarks": true }));
    assert!(changed.contains("Comparison 1 of session `mcp-"), "what is unchanged spends nothing: {changed}");
    assert!(!failed && changed.contains("working tree") && changed.contains("- WorkBench::benchWork: "), "{changed}");
    assert!(changed.contains("Next: ") && changed.lines().count() < 12, "{changed}");
    assert!(
        changed.contains("Note: the benchmark files of the two sides differ, and each side is measured with its own"),
        "a changed benchmark may pass for a change of the code: {changed}"
    );
    let more =
        json!({ "filter": "benchWork", "budget_seconds": QUICK, "own_benchmarks": true, "session": "my \"work\"" });
    let (named, failed) = client.told(6, "compare", &more);
    assert!(!failed && named.contains("Comparison 1 of session `my \"work\"`"), "{named}");
    client.hang_up();
    // Another server has a session of its own, and a name means the same session in both.
    let mut other = Client::of(&dir);
    let (again, _) = other.told(1, "compare", &more);
    assert!(again.contains("Comparison 2 of session `my \"work\"`"), "{again}");
    let own = json!({ "filter": "benchWork", "budget_seconds": QUICK, "own_benchmarks": true });
    let (own, _) = other.told(2, "compare", &own);
    assert!(own.contains("Comparison 1 of session `mcp-"), "{own}");
    other.hang_up();
}

#[test]
fn a_cancelled_request_stops_and_the_next_one_is_answered() {
    let dir = project();
    let mut client = Client::of(&dir);
    client.call(1, "run", &json!({ "budget_seconds": LONG }));
    client.progress(1, "measuring");
    // One that waits for it, and one that needn't.
    client.call(2, "list", &json!({}));
    client.call(3, "show", &json!({}));
    let first = client.answer(3);
    assert!(first["result"].is_object(), "{first}");
    let cancelled = json!({ "requestId": 1, "reason": "enough" });
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }).to_string());
    let next = client.next_answer();
    assert_eq!(next["id"], 2, "a cancelled request has no answer: {next}");
    // The server alone is left.
    dir.wait_until("the workers end", || dir.processes().len() == 1);
    let (shown, failed) = client.told(4, "show", &json!({}));
    assert!(!failed, "{shown}");
    client.hang_up();
}

impl Client<'_> {
    fn next_answer(&self) -> Value {
        loop {
            let message = self.next();
            if message.get("id").is_some() {
                return message;
            }
        }
    }
}

#[test]
fn measurements_wait_for_each_other() {
    let dir = project();
    let mut client = Client::of(&dir);
    client.call(1, "run", &json!({ "budget_seconds": QUICK }));
    client.call(2, "run", &json!({ "budget_seconds": QUICK }));
    let mut steps = Vec::new();
    let mut answers = 0;
    while answers < 2 {
        let message = client.next();
        match message["id"].as_u64() {
            Some(id) => {
                assert!(!text(&message).1, "{message}");
                answers += 1;
                steps.push(id);
            }
            None => steps.push(if message["params"]["progressToken"] == "of 1" { 1 } else { 2 }),
        }
    }
    // All of one, then all of the other.
    steps.dedup();
    assert_eq!(steps.len(), 2, "{steps:?}");
    // A thread that measured and stayed bound would find one CPU the next time.
    let cpus = |status: &Path| {
        let text = std::fs::read_to_string(status).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:").map(|list| list.trim().to_owned()))
    };
    let own = cpus(Path::new("/proc/self/status"));
    let threads = std::fs::read_dir(format!("/proc/{}/task", client.child.id())).unwrap().flatten();
    for thread in threads {
        assert_eq!(cpus(&thread.path().join("status")), own, "{thread:?}");
    }
    client.hang_up();
}

#[test]
fn a_client_that_hangs_up_stops_what_it_asked_for() {
    let dir = project();
    let mut client = Client::of(&dir);
    client.call(1, "run", &json!({ "budget_seconds": LONG }));
    client.progress(1, "measuring");
    client.hang_up();
    let log = dir.tare(&["log", "--json"]).finish(0).document();
    assert_eq!(log.0["runs"][0]["state"], "interrupted", "{:#}", log.0);
}

#[test]
fn a_build_ends_with_the_client_and_with_its_request() {
    let dir = project();
    dir.file("tare.toml", "[run]\nbuild = \"sleep 600\"\n");
    let mut client = Client::of(&dir);
    client.call(1, "run", &json!({}));
    client.progress(1, "building");
    let cancelled = json!({ "requestId": 1 });
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }).to_string());
    dir.wait_until("the build ends", || dir.processes().len() == 1);
    client.call(2, "list", &json!({}));
    client.progress(2, "building");
    client.hang_up();
}

#[test]
fn a_signal_ends_it_with_what_it_measures() {
    let dir = project();
    let mut client = Client::of(&dir);
    client.call(1, "run", &json!({ "budget_seconds": LONG }));
    client.progress(1, "measuring");
    let pid = rustix::process::Pid::from_raw(client.child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    client.ends(0);
}

#[test]
fn nonsense_is_answered_or_left_and_never_ends_it() {
    let dir = project();
    let mut client = Client::of(&dir);
    let long = "x".repeat(1 << 20);
    for nonsense in
        ["hello", "{", "[]", "\u{0}", "{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":7}", "null", &long]
    {
        client.say(nonsense);
    }
    client.input.as_mut().unwrap().write_all(b"\xff\xfe\n").unwrap();
    client.ask(8, "no/such/method", &json!({}));
    assert!(client.answer(8)["error"]["message"].is_string());
    client.ask(9, "tools/call", &json!({ "name": 5 }));
    let (listed, failed) = client.told(10, "list", &json!({}));
    assert!(!failed, "{listed}");
    client.hang_up();

    // One that never speaks the protocol.
    let mut other = Client::started(&dir);
    other.say("GET / HTTP/1.1");
    other.hang_up();
}
