use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tare_frames::{CaseFrame, Hello, Reply};

use crate::buffer::excerpt;
use crate::pattern::Pattern;
use crate::process::Worker;
use crate::template::Names;
use crate::vectors::{Session, Status, Step};

/// Why a check failed.
pub(crate) struct Difference {
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl Difference {
    pub(crate) fn new(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { expected: expected.into(), got: got.into() }
    }
}

/// One exchange with a worker that has been started.
pub(crate) struct Exchange<'a> {
    pub(crate) worker: &'a mut Worker,
    pub(crate) names: &'a Names,
    /// What each enumeration must be; taken from the first one.
    pub(crate) cases: &'a mut Option<Vec<CaseFrame>>,
    patience: Duration,
    deadline: Instant,
}

/// A reply that is a frame, and what it says as JSON.
struct Received {
    reply: Reply,
    entries: Map<String, Value>,
    line: Vec<u8>,
}

impl<'a> Exchange<'a> {
    pub(crate) fn new(
        worker: &'a mut Worker,
        names: &'a Names,
        cases: &'a mut Option<Vec<CaseFrame>>,
        patience: Duration,
    ) -> Self {
        Self { worker, names, cases, patience, deadline: Instant::now() + patience }
    }

    pub(crate) fn session(&mut self, session: &Session) -> Result<(), Difference> {
        for (position, step) in session.steps.iter().enumerate() {
            self.step(step, session.ignore_replies).map_err(|difference| Difference {
                expected: format!("{} (step {})", difference.expected, position + 1),
                got: difference.got,
            })?;
        }
        Ok(())
    }

    /// `hello`, with which every process begins.
    pub(crate) fn hello(&mut self) -> Result<Hello, Difference> {
        const EXPECTED: &str = "a `hello`";
        match self.receive(EXPECTED)? {
            Received { reply: Reply::Hello(hello), .. } => Ok(hello),
            other => Err(Difference::new(EXPECTED, excerpt(&other.line))),
        }
    }

    /// A line that the worker must refuse, and live on.
    pub(crate) fn refuse(&mut self, line: &[u8], kind: &str, id: i64) -> Result<(), Difference> {
        let ids = if kind == "bad-frame" { json!({"one_of": [id, -1]}) } else { json!(id) };
        self.hello()?;
        let pattern = json!({"frame": "fault", "kind": kind, "id": ids, "message": {"any": "string"}});
        self.line(line, &pattern_of(&pattern)?)?;
        let alive = br#"{"frame":"run","id":1000,"subject":"clock","iterations":[1],"warm":0}"#;
        let samples = json!({"frame": "samples", "id": 1000, "elapsed": {"any": "integers", "length": 1}});
        self.line(alive, &pattern_of(&samples)?).map_err(|difference| Difference {
            expected: format!("after the refusal: {}", difference.expected),
            got: difference.got,
        })
    }

    /// A line that the worker must take, and how it answers in the end.
    pub(crate) fn accept(&mut self, line: &[u8], answer: &Pattern) -> Result<(), Difference> {
        self.hello()?;
        self.line(line, answer)
    }

    fn line(&mut self, line: &[u8], answer: &Pattern) -> Result<(), Difference> {
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        self.send(&bytes)?;
        self.expect(answer)
    }

    fn step(&mut self, step: &Step, ignore_replies: bool) -> Result<(), Difference> {
        match step {
            Step::Send(request) => {
                let line = format!("{}\n", self.names.fill(request));
                self.send(line.as_bytes())
            }
            Step::SendBytes(bytes) => self.send(bytes),
            Step::Expect(pattern) => self.expect(pattern),
            Step::ExpectEnumeration { id } => self.enumeration(*id),
            Step::Pause { ms } => {
                std::thread::sleep(Duration::from_millis(*ms));
                Ok(())
            }
            Step::End(status) => self.end(*status, ignore_replies),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Difference> {
        self.deadline = Instant::now() + self.patience;
        let sent = self.worker.send(bytes, self.deadline);
        sent.map_err(|got| Difference::new(format!("to take the request {}", excerpt(bytes)), got))
    }

    fn receive(&mut self, expected: &str) -> Result<Received, Difference> {
        let line = self.worker.reply(self.deadline).map_err(|got| Difference::new(expected, got))?;
        let refused = |why: String| Difference::new(expected, format!("{}: {why}", excerpt(&line)));
        let reply = Reply::decode(&line).map_err(|error| refused(error.message))?;
        let entries = serde_json::from_slice(&line).map_err(|error| refused(error.to_string()))?;
        Ok(Received { reply, entries, line })
    }

    fn expect(&mut self, pattern: &Pattern) -> Result<(), Difference> {
        loop {
            let received = self.receive(pattern.text())?;
            if pattern.holds(&received.entries) {
                return Ok(());
            }
            match received.reply {
                Reply::Notice(_) => {}
                // Before `loaded` they may come; a pattern that asks for one wants it now.
                Reply::Case(_) if !pattern.is_of("case") => {}
                _ => return Err(Difference::new(pattern.text(), excerpt(&received.line))),
            }
        }
    }

    fn enumeration(&mut self, id: u64) -> Result<(), Difference> {
        let expected = format!("cases numbered from 0 for the request {id}, then `loaded` with their number");
        let mut cases: Vec<CaseFrame> = Vec::new();
        loop {
            let received = self.receive(&expected)?;
            match received.reply {
                Reply::Notice(notice) if notice.id == id => {}
                Reply::Case(case) if case.id == id && case.case == cases.len() as u64 => cases.push(case),
                Reply::Loaded { id: of, cases: count, .. } if of == id && count == cases.len() as u64 => break,
                _ => {
                    let got = format!("{} after {} cases", excerpt(&received.line), cases.len());
                    return Err(Difference::new(expected, got));
                }
            }
        }
        match self.cases {
            None => *self.cases = Some(cases),
            Some(first) => {
                let differing = first.iter().zip(&cases).position(|(first, now)| !same_case(first, now));
                if differing.is_some() || first.len() != cases.len() {
                    let place = differing.map_or(format!("{} cases", cases.len()), |at| format!("another case {at}"));
                    return Err(Difference::new(format!("the {} cases of the first process", first.len()), place));
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, status: Status, ignore_replies: bool) -> Result<(), Difference> {
        self.deadline = Instant::now() + self.patience;
        self.worker.close_input();
        let expected = match status {
            Status::Success => "to end with status 0 when its input ends",
            Status::Failure => "to end with a status other than 0",
        };
        let (ended, replies) = self.worker.exit(self.deadline).map_err(|got| Difference::new(expected, got))?;
        if ended.code().is_none_or(|code| (code == 0) != (status == Status::Success)) {
            return Err(Difference::new(expected, describe(ended)));
        }
        match replies.first() {
            Some(line) if !ignore_replies => Err(Difference::new("no further reply", excerpt(line))),
            _ => Ok(()),
        }
    }
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}

/// Two processes agree on a case when everything but the request's number is the same.
fn same_case(one: &CaseFrame, other: &CaseFrame) -> bool {
    *one == CaseFrame { id: one.id, ..other.clone() }
}

fn pattern_of(value: &Value) -> Result<Pattern, Difference> {
    Pattern::parse(value).map_err(|message| Difference::new("a pattern", message))
}
