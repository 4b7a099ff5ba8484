//! Answers the core's requests, one after the other, until its input ends.

use super::case::Definition;
use super::clock::Clock;
use super::copies::{self, Copied};
use super::driver::Role;
use super::fault::{in_quotes, Fault};
use super::frame::Frame;
use super::heap::Allocations;
use super::json::LARGEST_INTEGER;
use super::kernels::KERNELS;
use super::listing;
use super::load::Load;
use super::operations::AnySuite;
use super::request::Request;
use super::sampler::{Body, Sampler, Subject};
use super::wire::Wire;
use super::{ending, facts, heap, load, own_program, reader, shake, sys};

const MOST_SAMPLES: i64 = 100_000;
/// Version of this worker.
const VERSION: &str = "0.1.0";

/// Says in the program, without running it, that it speaks the wire, and which version, up to a byte of 0. Read for the hello, so that no compiler or linker drops it.
#[used]
static MARKER: [u8; 19] = *b"tare-worker-wire:1\0";

/// What the process does after it has spoken.
pub(crate) enum Next {
    /// The input has ended.
    End,
    /// This is a copy of the process that lists the cases for this request.
    List(i64),
    /// A case is wanted.
    Seek(Target),
}

/// The case that a `prepare` wants.
pub(crate) struct Target {
    request: i64,
    pub(crate) names: (String, String),
    /// What went wrong on the way to it.
    pub(crate) trouble: Option<Fault>,
}

/// The case that is being served.
pub(crate) struct Active<'a, 'b> {
    definition: &'a Definition,
    body: &'a mut Body<'b>,
    is_prepared: bool,
}

pub(crate) struct Worker {
    pub(crate) wire: Wire,
    sampler: Sampler,
    load: Load,
    /// Names of benchmark and parameters, by number.
    cases: Vec<(String, String)>,
    is_loaded: bool,
    /// The user's code was gone through: it can't be again.
    is_spent: bool,
    is_finished: bool,
    /// This process is the copy for one case.
    is_copy: bool,
}

impl Worker {
    pub(crate) fn start(suites: Vec<Box<dyn AnySuite>>) -> Self {
        let Some(wire) = Wire::open() else {
            // There is nobody to tell but the one who started it.
            eprintln!("tare: the path in TARE_WIRE can't be opened for writing");
            std::process::exit(1);
        };
        let mut worker = Self {
            wire,
            sampler: Sampler::new(),
            load: Load::new(suites),
            cases: Vec::new(),
            is_loaded: false,
            is_spent: false,
            is_finished: false,
            is_copy: false,
        };
        ending::watch();
        if let Some(request) = listing::adopted(&mut worker.wire) {
            worker.list_here(request);
            return worker;
        }
        worker.hello();
        shake::shake_heap();
        worker
    }

    fn hello(&mut self) {
        // SAFETY: the place is valid; it is read as if it could change, so that it stays.
        let version = unsafe { std::ptr::read_volatile(&MARKER[MARKER.len() - 2]) } - b'0';
        let known = ["pause", "bare", "clocks", "operations", "allocations"];
        let mut capabilities = known[..known.len() - usize::from(heap::counter().is_none())].to_vec();
        if copies::are_asked() {
            capabilities.push("copies");
        }
        let kernels: Vec<&str> = KERNELS.iter().map(|(name, _)| *name).collect();
        let line = Frame::first("hello")
            .integer("wire", i64::from(version))
            .text("language", "rust")
            .text("version", &facts::version())
            .text("sdk", VERSION)
            .text("correction", "overlapping")
            .texts("clocks", &Clock::names())
            .texts("kernels", &kernels)
            .texts("capabilities", &capabilities)
            .texts("facts", &facts::facts())
            .texts("reads", &reader::CLOCKS)
            .texts("waits", &reader::WAITS)
            .line();
        self.wire.send(&line);
    }

    /// Until the input ends, or the cases are to be gone through.
    pub(crate) fn serve(&mut self, mut active: Option<Active<'_, '_>>) -> Next {
        if let Some(request) = listing::asked() {
            return Next::List(request);
        }
        while let Some(line) = self.wire.read() {
            let request = match line.and_then(|line| Request::read(&line)) {
                Ok(request) => request,
                Err(fault) => {
                    self.send_fault(fault.request.unwrap_or(-1), &fault);
                    continue;
                }
            };
            match self.answer(&request, active.as_mut()) {
                Ok(Reply::Sent) => {}
                Ok(Reply::Frame(frame)) => self.wire.send(&frame.line()),
                Ok(Reply::Next(next)) => return next,
                Err(fault) => self.send_fault(request.id, &fault),
            }
            if self.is_finished && self.is_copy {
                copies::finished();
            }
            ending::expect_nothing();
        }
        Next::End
    }

    fn answer(&mut self, request: &Request, active: Option<&mut Active<'_, '_>>) -> Result<Reply, Fault> {
        let is_known = matches!(request.kind.as_str(), "load" | "prepare" | "run" | "read" | "wait" | "finish");
        if !is_known && !load::knows(&request.kind) {
            return Err(Fault::new("unknown-frame", format!("There is no request {}.", in_quotes(&request.kind))));
        }
        if self.is_finished {
            return Err(Fault::bad_request("Only the end of input may follow `finish`."));
        }
        match request.kind.as_str() {
            "load" => self.list(request),
            "prepare" => self.prepare(request, active.is_some()),
            "run" => self.run(request, active),
            "read" => reader::read(request).map(Reply::Frame),
            "wait" => reader::wait(request).map(Reply::Frame),
            "finish" => self.finish(request, active.as_deref()).map(Reply::Frame),
            _ => {
                ending::expect(self.wire.output(), request.id, "operations ran", "", 0, false);
                self.load.answer(request, self.is_loaded, &mut self.wire).map(Reply::Frame)
            }
        }
    }

    fn list(&mut self, request: &Request) -> Result<Reply, Fault> {
        let files = request.texts("files")?;
        let bootstrap = if request.has("bootstrap") { request.text("bootstrap")? } else { "" };
        if self.is_loaded {
            return Err(Fault::bad_request("`load` may come once in a process."));
        }
        self.is_loaded = true;
        if !bootstrap.is_empty() {
            let fault = Fault::new(
                "ignored",
                "A bootstrap file has no effect: Rust benchmarks are compiled, with all that they need.",
            );
            self.notice(request.id, "info", &fault, "");
        }
        let mut is_own = false;
        for file in files {
            match own_program::check(file) {
                Ok(()) => is_own = true,
                Err(fault) => self.notice(request.id, "error", &fault, ""),
            }
        }
        if !is_own {
            return Ok(Reply::Frame(Frame::new("loaded", request.id).integer("cases", 0)));
        }
        match listing::list(&mut self.wire, request.id)? {
            Some(cases) => {
                self.cases = cases;
                Ok(Reply::Sent)
            }
            None => {
                self.list_here(request.id);
                Ok(Reply::Next(Next::List(request.id)))
            }
        }
    }

    fn list_here(&self, request: i64) {
        ending::expect(self.wire.output(), request, "its cases were listed", "", 0, true);
    }

    /// Sends what was found, and the end of the list.
    pub(crate) fn send_cases(&mut self, request: i64, cases: &[Definition]) {
        if cases.is_empty() && self.load.is_empty() {
            let fault = Fault::new("load", "The program holds no benchmark.");
            self.notice(request, "warning", &fault, "");
        }
        for (number, case) in cases.iter().enumerate() {
            self.wire.send(&case.frame(number, request).line());
        }
        self.wire.send(&Frame::new("loaded", request).integer("cases", cases.len() as i64).line());
    }

    fn prepare(&mut self, request: &Request, is_active: bool) -> Result<Reply, Fault> {
        let number = request.integer("case", 0, LARGEST_INTEGER)?;
        let names = (request.text("benchmark")?.to_owned(), request.text("parameters")?.to_owned());
        let clock = if request.has("clock") { request.text("clock")? } else { "monotonic" };
        if !self.is_loaded || is_active {
            return Err(Fault::bad_request("`prepare` comes once in a process, after `load`."));
        }
        let Some(clock) = Clock::named(clock) else {
            return Err(Fault::bad_request(format!("There is no clock {} on this machine.", in_quotes(clock))));
        };
        let found = usize::try_from(number).ok().and_then(|number| self.cases.get(number));
        // A process that sees fewer CPUs than that which listed may have fewer cases, and numbers are others then.
        let may_have_fewer = sees_one_cpu() && sys::cpus() > 1 && number < LARGEST_INTEGER / 2;
        let is_there = found == Some(&names) || (may_have_fewer && self.cases.contains(&names));
        if !is_there || self.is_spent {
            // In its place with other parameters it has a name that isn't the same twice, as one with the time of the day.
            let is_renamed = found.is_some_and(|(benchmark, _)| *benchmark == names.0);
            return Err(match may_have_fewer && !is_renamed && !self.is_spent {
                true => Fault::new("skipped", "it isn't there where a process sees 1 CPU; --cpus gives it more"),
                false => self.not_repeated(&names, Some(number), found),
            });
        }
        if copies::are_asked() && !self.is_copy {
            match copies::serve() {
                Copied::Served => return Ok(Reply::Sent),
                Copied::Copy => self.is_copy = true,
                Copied::Alone => {}
            }
        }
        self.sampler.clock = clock;
        self.is_spent = true;
        ending::expect(self.wire.output(), request.id, "the benchmark was set up", "", 0, true);
        Ok(Reply::Next(Next::Seek(Target { request: request.id, names, trouble: None })))
    }

    fn not_repeated(&self, names: &(String, String), number: Option<i64>, found: Option<&(String, String)>) -> Fault {
        let what = match (number, found) {
            (Some(number), None) => format!("Case {number} doesn't exist; there are {}", self.cases.len()),
            (Some(number), Some(found)) => format!("Case {number} is {} {}", in_quotes(&found.0), in_quotes(&found.1)),
            (None, _) => "The case wasn't defined".to_owned(),
        };
        Fault::new("provider", format!("{what} in this process, not {} {}.", in_quotes(&names.0), in_quotes(&names.1)))
            .with_remedy(
            "Define the same benchmarks in every process: nothing random, nothing of the time, no directory listings.",
        )
    }

    /// The user's code was gone through, and didn't define the case.
    pub(crate) fn miss(&mut self, target: &Target) {
        ending::expect_nothing();
        let fault = target.trouble.clone().unwrap_or_else(|| self.not_repeated(&target.names, None, None));
        self.send_fault(target.request, &fault);
    }

    /// Prepares the case, and serves until the input ends.
    pub(crate) fn measure(&mut self, target: &Target, definition: &Definition, body: &mut Body<'_>) {
        let doing = format!("{} was prepared", in_quotes(&definition.full_name()));
        ending::expect(self.wire.output(), target.request, &doing, &definition.file, definition.line, false);
        let prepared = self.sampler.prepare(body, definition);
        ending::expect_nothing();
        match &prepared {
            Ok(()) => {
                let frame = Frame::new("ready", target.request).boolean("pauses", self.sampler.does_pause);
                let frame = if self.is_copy { frame.boolean("copied", true) } else { frame };
                self.wire.send(&frame.line());
            }
            Err(fault) => self.send_fault(target.request, &fault.clone().placed(&definition.file, definition.line)),
        }
        let _ = self.serve(Some(Active { definition, body, is_prepared: prepared.is_ok() }));
    }

    fn run(&mut self, request: &Request, active: Option<&mut Active<'_, '_>>) -> Result<Reply, Fault> {
        let name = request.text("subject")?;
        let iterations = request.integers("iterations", MOST_SAMPLES as usize)?;
        let warm = request.integer("warm", 0, MOST_SAMPLES)?;
        let active = active.filter(|active| active.is_prepared);
        let (file, line) =
            active.as_ref().map_or(("", 0), |active| (active.definition.file.as_str(), active.definition.line));
        let counter = heap::counter().filter(|_| name == "allocations");
        let is_case = name == "case" || counter.is_some();
        if is_case && active.is_none() {
            return Err(Fault::bad_request("`run` of the case comes after `prepare`."));
        }
        ending::expect(
            self.wire.output(),
            request.id,
            if is_case { "it ran" } else { "the scale beside it ran" },
            file,
            line,
            false,
        );
        let role = if name == "null" { Role::Null } else { Role::Pause };
        let kernel = name.strip_prefix("kernel/").and_then(|name| KERNELS.iter().find(|(known, _)| *known == name));
        let subject = match (name, active) {
            ("clock", _) => {
                self.sampler.run_clock(iterations.len(), warm);
                return Ok(Reply::Frame(self.samples(request.id, false)));
            }
            ("case" | "allocations", Some(active)) if is_case => match counter {
                Some(counter) => Subject::Counted(active.body, counter),
                None => Subject::Body(active.body, Role::Case),
            },
            ("null" | "pause", Some(active)) => Subject::Body(active.body, role),
            ("null" | "pause", None) => Subject::Scale(role),
            _ => match kernel {
                Some((_, kernel)) => Subject::Kernel(*kernel),
                None => return Err(Fault::bad_request(format!("There is no subject {}.", in_quotes(name)))),
            },
        };
        self.sampler.run(subject, iterations, warm).map_err(|fault| fault.placed(file, line))?;
        if counter.is_some() {
            return Ok(Reply::Frame(self.counted(request.id)));
        }
        // A case may pause in later calls only: its pairs are told even where the first call made none.
        let is_paused = name == "pause" || (name == "case" && (self.sampler.does_pause || self.sampler.has_paused()));
        Ok(Reply::Frame(self.samples(request.id, is_paused)))
    }

    fn counted(&self, id: i64) -> Frame {
        let of = |part: fn(&Allocations) -> u64| -> Vec<i64> {
            self.sampler.allocated.iter().map(|sample| part(sample).min(LARGEST_INTEGER as u64) as i64).collect()
        };
        let frame = Frame::new("samples", id).integers("elapsed", &self.sampler.elapsed);
        frame
            .integers("allocations", &of(|sample| sample.count))
            .integers("allocated_bytes", &of(|sample| sample.bytes))
    }

    fn samples(&self, id: i64, is_paused: bool) -> Frame {
        let mut frame = Frame::new("samples", id).integers("elapsed", &self.sampler.elapsed);
        if is_paused {
            frame = frame.integers("pauses", &self.sampler.pauses);
        }
        match self.sampler.stretch.taken {
            Some((wall, cpu, yields)) => {
                frame.integer("wall", wall as i64).integer("cpu", cpu as i64).integer("yields", yields as i64)
            }
            None => frame,
        }
    }

    fn finish(&mut self, request: &Request, active: Option<&Active<'_, '_>>) -> Result<Frame, Fault> {
        self.is_finished = true;
        self.load.finish()?;
        let mut frame = Frame::new("finished", request.id);
        let Some(active) = active.filter(|active| active.is_prepared) else { return Ok(frame) };
        let of = active.definition;
        let mut amounts = [("bytes", of.bytes), ("items", of.items)];
        let mut metrics = of.metrics.clone();
        for (name, mean) in self.sampler.amounts.means() {
            match amounts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, amount)) => *amount = Some(mean.round() as u64),
                None => metrics.push((name.to_owned(), mean)),
            }
        }
        for (key, amount) in amounts {
            if let Some(amount) =
                amount.and_then(|amount| i64::try_from(amount).ok()).filter(|amount| *amount <= LARGEST_INTEGER)
            {
                frame = frame.integer(key, amount);
            }
        }
        let metrics: Vec<String> = metrics
            .iter()
            .filter(|(_, value)| value.is_finite())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut labels = of.labels.clone();
        if self.sampler.is_manual {
            labels.push("manual time".to_owned());
        }
        if !of.is_parallel && listing::has_other_threads() && sees_one_cpu() {
            labels.push("several threads on 1 CPU".to_owned());
        }
        if !metrics.is_empty() {
            frame = frame.texts("metrics", &metrics);
        }
        Ok(if labels.is_empty() { frame } else { frame.texts("labels", &labels) })
    }

    pub(crate) fn notice(&mut self, request: i64, level: &str, fault: &Fault, benchmark: &str) {
        let frame = Frame::new("notice", request).optional("benchmark", benchmark).text("level", level).fault(fault);
        self.wire.send(&frame.line());
    }

    fn send_fault(&mut self, request: i64, fault: &Fault) {
        self.wire.send(&Frame::new("fault", request).fault(fault).line());
    }
}

/// Whether pools of threads would have one.
fn sees_one_cpu() -> bool {
    std::thread::available_parallelism().map_or(true, |cpus| cpus.get() == 1)
}

enum Reply {
    /// All of it was sent.
    Sent,
    Frame(Frame),
    Next(Next),
}
