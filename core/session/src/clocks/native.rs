//! `tare worker-of-clocks`: a worker for the system's own clocks, so that they are read and waited for exactly as a runtime's are:
//! in a process of its own, pinned, over the wire, and followed in the same way. It has no benchmarks: what `tare clock` asks is all
//! that it answers.

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

use tare_frames::{Fault, Hello, Read, Readings, Reply, Request, Samples, WIRE_VERSION, Wait, Waited};
use tare_machine::{NativeClock, empty_block, native_clocks};

use crate::error::Error;

const WAITS: [&str; 2] = ["yield", "sleep"];

/// Speaks until its input ends.
///
/// # Errors
///
/// Where the wire can't be opened.
pub fn serve_clocks() -> Result<(), Error> {
    let mut wire = open().map_err(|error| Error::failed(format!("the wire can't be opened: {error}")))?;
    let clocks = native_clocks(Path::new("/"));
    let mut worker = Worker { origins: vec![None; clocks.len()], clocks };
    let mut talk = || -> io::Result<()> {
        send(wire.as_mut(), &Reply::Hello(worker.hello()))?;
        for line in io::stdin().lock().split(b'\n') {
            let line = line?;
            if line.iter().all(|byte| *byte == b'\r') {
                continue;
            }
            let reply = match Request::decode(&line) {
                Ok(request) => worker.answer(&request),
                Err(error) => Err(fault(error.id, error.kind.fault_kind(), error.message)),
            };
            send(wire.as_mut(), &reply.unwrap_or_else(Reply::Fault))?;
        }
        Ok(())
    };
    // Who went away doesn't want to know.
    let _ = talk();
    Ok(())
}

fn open() -> io::Result<Box<dyn Write>> {
    match std::env::var_os("TARE_WIRE").filter(|path| !path.is_empty()) {
        Some(path) => Ok(Box::new(OpenOptions::new().write(true).open(path)?) as Box<dyn Write>),
        None => Ok(Box::new(io::stdout())),
    }
}

fn send(wire: &mut dyn Write, reply: &Reply) -> io::Result<()> {
    wire.write_all((reply.encode() + "\n").as_bytes())?;
    wire.flush()
}

struct Worker {
    clocks: Vec<NativeClock>,
    /// The first reading of each, in its ticks.
    origins: Vec<Option<i64>>,
}

impl Worker {
    fn hello(&self) -> Hello {
        let granted = self.clocks.iter().filter(|clock| clock.clock.is_ok());
        Hello {
            wire: WIRE_VERSION,
            language: "native".to_owned(),
            version: String::new(),
            sdk: env!("CARGO_PKG_VERSION").to_owned(),
            overlapping: true,
            clocks: vec!["monotonic".to_owned()],
            kernels: Vec::new(),
            capabilities: vec!["clocks".to_owned()],
            facts: Vec::new(),
            reads: granted.map(|clock| clock.name.to_owned()).collect(),
            waits: WAITS.map(str::to_owned).to_vec(),
        }
    }

    fn answer(&mut self, request: &Request) -> Result<Reply, Fault> {
        match request {
            Request::Read(read) => self.read(read).map(Reply::Readings),
            Request::Wait(wait) => waited(wait).map(Reply::Waited),
            Request::Run(run) if run.subject == "clock" => {
                let elapsed = run.iterations.iter().map(|_| since(Instant::now())).collect();
                Ok(Reply::Samples(Samples { id: run.id, elapsed, ..Samples::default() }))
            }
            other => Err(fault(Some(other.id()), "bad-request", "this worker has clocks and nothing else")),
        }
    }

    fn read(&mut self, read: &Read) -> Result<Readings, Fault> {
        let position = self.clocks.iter().position(|clock| clock.name == read.clock);
        let found = position.and_then(|at| Some((at, self.clocks[at].clock.as_ref().ok()?)));
        let Some((at, clock)) = found else {
            return Err(fault(Some(read.id), "bad-request", format!("there is no clock {:?} to read", read.clock)));
        };
        let mut values = vec![0; 2 * read.pairs as usize];
        let (mut blocks, mut empty) = (vec![0; read.blocks as usize], vec![0; read.blocks as usize]);
        let origin = *self.origins[at].get_or_insert_with(|| clock.read());
        clock.pairs(&mut values, read.skip);
        for (block, empty) in blocks.iter_mut().zip(&mut empty) {
            let start = Instant::now();
            clock.block(read.reads);
            *block = since(start);
            let start = Instant::now();
            empty_block(read.reads);
            *empty = since(start);
        }
        let nanoseconds = |value: &mut i64| *value = ((*value - origin) as f64 * clock.per_tick()).round() as i64;
        match clock.per_tick() {
            1.0 => values.iter_mut().for_each(|value| *value -= origin),
            _ => values.iter_mut().for_each(nanoseconds),
        }
        Ok(Readings { id: read.id, values, blocks, empty })
    }
}

fn waited(wait: &Wait) -> Result<Waited, Fault> {
    let mut taken = vec![0; wait.times as usize];
    for one in &mut taken {
        let start = Instant::now();
        let refused = match wait.call.as_str() {
            "yield" => {
                tare_machine::yield_now();
                Ok(())
            }
            "sleep" => tare_machine::sleep(wait.requested),
            other => {
                return Err(fault(Some(wait.id), "bad-request", format!("there is no call {other:?} to wait by")));
            }
        };
        *one = since(start);
        refused.map_err(|error| fault(Some(wait.id), "runtime", format!("nanosleep refuses it: {error}")))?;
    }
    Ok(Waited { id: wait.id, taken })
}

fn since(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

fn fault(id: Option<u64>, kind: &str, message: impl Into<String>) -> Fault {
    Fault { id, kind: kind.to_owned(), message: message.into(), file: None, line: None, remedy: None, trace: None }
}
