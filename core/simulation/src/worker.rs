//! The protocol's side of the simulation: requests in, replies out, on a clock of its own.

mod passing;

use std::path::Path;
use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use tare_frames::{
    CaseFrame, Connect, Fault, FinishedFrame, Hello, Level, Notice, Reply, Request, Run, Samples, Stretch,
    WIRE_VERSION, Work,
};

use crate::bursts::BurstProcess;
use crate::noise::uniform;
use crate::subject::SubjectProcess;
use crate::succession::{Succession, locked};
use crate::truth::Truth;

const KERNELS: [(&str, f64); 2] = [("arithmetic", 1_000.0), ("text", 2_000.0)];
/// The scale's own noise: what the null and the clock scatter by where the case says nothing.
const CLOCK_SPREAD: f64 = 0.05;

/// One launch of the simulated worker.
#[derive(Debug)]
pub struct Simulated {
    truth: Arc<Truth>,
    /// Truths come from here when `load` asks for files.
    from_files: bool,
    rng: Pcg64,
    now_ns: f64,
    /// CPU time of the process so far, in nanoseconds.
    cpu_ns: f64,
    phase: Phase,
    case: Option<usize>,
    skips: bool,
    /// A copy serves the case, and the process another one after it.
    copied: bool,
    /// What is done before the next sample has been done.
    arranged: bool,
    /// What this process is slower by, whatever it serves.
    process: f64,
    /// The prepared case and its null.
    subject: SubjectProcess,
    /// Where the code of its cases lies: the number of a layout.
    pub(crate) layout: Option<u64>,
    /// What the launches before left behind.
    succession: Arc<Mutex<Succession>>,
    bursts: Option<BurstProcess>,
    last_subject: String,
    since_switch: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Greeted,
    Loaded,
    Prepared,
    Finished,
}

impl Simulated {
    /// A launch with a truth known beforehand; `load` takes any file names and gives its cases.
    pub fn with_truth(truth: impl Into<Arc<Truth>>, seed: u64, now_ns: u64) -> Self {
        Self::following(Arc::default(), truth.into(), seed, now_ns)
    }

    /// A launch that follows others of the same launcher.
    pub(crate) fn following(succession: Arc<Mutex<Succession>>, truth: Arc<Truth>, seed: u64, now_ns: u64) -> Self {
        let rng = Pcg64::seed_from_u64(truth.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed);
        let mut simulated = Self {
            from_files: false,
            rng,
            now_ns: now_ns as f64,
            cpu_ns: 0.0,
            phase: Phase::Greeted,
            case: None,
            skips: false,
            copied: false,
            arranged: false,
            process: 0.0,
            subject: SubjectProcess::default(),
            layout: None,
            succession,
            bursts: None,
            last_subject: String::new(),
            since_switch: 0,
            truth,
        };
        simulated.read_bursts();
        if simulated.truth.scale.process_spread > 0.0 {
            simulated.process = simulated.truth.scale.process_spread * simulated.normal();
        }
        simulated.pass(simulated.truth.scale.startup_ns as f64);
        simulated
    }

    /// A launch that reads its truth from the files that `load` names.
    pub fn from_files(seed: u64) -> Self {
        Self { from_files: true, ..Self::with_truth(Truth::default(), seed, 0) }
    }

    /// Simulated time, in nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.now_ns as u64
    }

    /// Lets simulated time pass while others run.
    pub(crate) fn advance_to(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns as f64);
    }

    /// The worker's first word.
    pub fn hello(&self) -> Hello {
        Hello {
            wire: WIRE_VERSION,
            language: "simulated".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sdk: env!("CARGO_PKG_VERSION").to_owned(),
            overlapping: self.truth.scale.overlapping,
            clocks: vec!["simulated".to_owned()],
            // It has no clock that a program could read.
            reads: Vec::new(),
            waits: Vec::new(),
            kernels: KERNELS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            capabilities: {
                let setup = self.truth.cases.iter().any(|case| case.setup_ns > 0.0).then_some("setup");
                let allocates = self.truth.cases.iter().any(|case| case.allocated_bytes > 0).then_some("allocations");
                let copies = self.truth.scale.copies.then_some("copies");
                let arranges = self.truth.scale.arranges.then_some("arrange");
                let optional = [copies, setup, allocates, arranges].into_iter().flatten();
                ["pause", "bare"].into_iter().chain(optional).map(str::to_owned).collect()
            },
            facts: vec![("simulated".to_owned(), "true".to_owned())],
        }
    }

    /// Answers one request; the last reply ends it.
    pub fn answer(&mut self, request: &Request) -> Vec<Reply> {
        self.wait();
        self.pass(self.truth.scale.request_ns as f64);
        match request {
            Request::Load { id, files, .. } => self.load(*id, files),
            Request::Prepare { id, case, benchmark, parameters, clock, copy } => {
                let copied = *copy && self.truth.scale.copies;
                if copied && self.copied && self.phase == Phase::Finished {
                    self.phase = Phase::Loaded;
                }
                self.copied = copied;
                vec![self.prepare(*id, *case, benchmark, parameters, clock.as_deref())]
            }
            Request::Arrange { id } => vec![self.arrange(*id)],
            Request::Run(run) => vec![self.run(run)],
            Request::Read(read) => vec![fault(read.id, "bad-request", "there are no clocks to read")],
            Request::Wait(wait) => vec![fault(wait.id, "bad-request", "there is no call to wait by")],
            Request::Operations { id }
            | Request::Stamp { id }
            | Request::Connect(Connect { id, .. })
            | Request::Work(Work { id, .. }) => vec![fault(*id, "bad-request", "there are no operations")],
            Request::Finish { id } if matches!(self.phase, Phase::Greeted | Phase::Loaded | Phase::Prepared) => {
                self.phase = Phase::Finished;
                vec![Reply::Finished(FinishedFrame {
                    id: *id,
                    runtime_peak_bytes: Some(1 << 20),
                    ..FinishedFrame::default()
                })]
            }
            Request::Finish { id } => vec![fault(*id, "bad-request", "finish came twice")],
        }
    }

    fn load(&mut self, id: u64, files: &[String]) -> Vec<Reply> {
        if self.phase != Phase::Greeted {
            return vec![fault(id, "bad-request", "load comes once in a process")];
        }
        self.phase = Phase::Loaded;
        let mut replies = Vec::new();
        if self.from_files {
            for file in files {
                let read = std::fs::read_to_string(Path::new(file)).map_err(|error| ("load", error.to_string()));
                match read.and_then(|text| Truth::parse(&text).map_err(|error| ("syntax", error.to_string()))) {
                    Ok(truth) => {
                        let mut cases = self.truth.cases.clone();
                        cases.extend(truth.cases);
                        self.truth = Arc::new(Truth { cases, ..truth });
                        self.read_bursts();
                    }
                    Err((kind, message)) => replies.push(Reply::Notice(Notice {
                        id,
                        level: Level::Error,
                        kind: kind.to_owned(),
                        message,
                        file: Some(file.clone()),
                        line: None,
                        remedy: None,
                        benchmark: None,
                    })),
                }
            }
        }
        let file = files.first().cloned();
        for (number, case) in self.truth.cases.iter().enumerate() {
            replies.push(Reply::Case(CaseFrame {
                id,
                case: number as u64,
                benchmark: case.name.clone(),
                parameters: case.parameters.clone(),
                file: file.clone(),
                line: Some(1 + number as u64),
                iterations: case.iterations,
                samples: case.samples,
                skip: case.skip.clone(),
                base: case.base,
                ..CaseFrame::default()
            }));
        }
        replies.push(Reply::Loaded { id, cases: self.truth.cases.len() as u64, prelude: false });
        replies
    }

    fn prepare(&mut self, id: u64, number: u64, benchmark: &str, parameters: &str, clock: Option<&str>) -> Reply {
        if self.phase != Phase::Loaded {
            return fault(id, "bad-request", "prepare comes once, after load");
        }
        if clock.is_some_and(|clock| clock != "simulated") {
            return fault(id, "bad-request", "there is no such clock");
        }
        let Some(case) = usize::try_from(number).ok().and_then(|number| self.truth.cases.get(number)).cloned() else {
            return fault(id, "provider", "there is no such case");
        };
        if case.name != benchmark || case.parameters.as_deref().unwrap_or("") != parameters {
            return fault(id, "provider", "the case has another name than the core believes");
        }
        self.phase = Phase::Prepared;
        self.case = Some(number as usize);
        let (number, machine) = (number as usize, (self.truth.seed, self.layout));
        self.subject = SubjectProcess::new(&case, number, machine, &mut locked(&self.succession), &mut self.rng);
        self.skips = case.skipping_launches > 0.0 && uniform(&mut self.rng) < case.skipping_launches;
        Reply::Ready { id, pauses: case.pauses > 0, hooks: Some(case.untimed_ns > 0.0), copied: self.copied }
    }

    fn arrange(&mut self, id: u64) -> Reply {
        if self.phase != Phase::Prepared || !self.truth.scale.arranges {
            return fault(id, "bad-request", "arrange comes after prepare, where the hello has the capability");
        }
        if let (false, Some(case)) = (self.arranged, self.case) {
            self.pass(self.truth.cases[case].untimed_ns);
            self.arranged = true;
        }
        Reply::Arranged { id }
    }

    fn run(&mut self, run: &Run) -> Reply {
        if self.phase == Phase::Finished {
            return fault(run.id, "bad-request", "run came after finish");
        }
        if run.iterations.is_empty() || run.iterations.len() > 100_000 || run.warm > 100_000 {
            return fault(run.id, "bad-request", "a run has 1 to 100,000 samples and at most 100,000 untimed ones");
        }
        let kernel =
            run.subject.strip_prefix("kernel/").and_then(|name| KERNELS.iter().find(|(kernel, _)| *kernel == name));
        match run.subject.as_str() {
            "case" | "allocations" if self.case.is_none() => {
                return fault(run.id, "bad-request", "run of the case came before prepare");
            }
            "case" | "null" | "clock" | "pause" | "allocations" => {}
            _ if kernel.is_some() => {}
            _ => return fault(run.id, "bad-request", "there is no such subject"),
        }
        if run.subject == "case" && self.skips {
            return fault(run.id, "skipped", "not in this launch");
        }
        if run.subject != self.last_subject {
            self.last_subject.clone_from(&run.subject);
            self.since_switch = 0;
        }
        if let ("case", Some(case)) = (run.subject.as_str(), self.case)
            && locked(&self.succession).takes_the_core(case)
        {
            self.subject.displace();
        }
        let kernel_ns = kernel.map(|(_, ns)| *ns);
        let collector_before = self.subject.collector_ppm();
        for sample in 0..run.warm {
            let calls = run.iterations[sample as usize % run.iterations.len()];
            self.sample(&run.subject, kernel_ns, calls);
        }
        let mut elapsed = Vec::with_capacity(run.iterations.len());
        let mut pauses = Vec::new();
        let pairs = match (run.subject.as_str(), self.case) {
            ("case", Some(case)) => self.truth.cases[case].pauses,
            ("pause", _) => 1,
            _ => 0,
        };
        let (wall_from, cpu_from) = (self.now_ns, self.cpu_ns);
        for &calls in &run.iterations {
            let ns = self.sample(&run.subject, kernel_ns, calls);
            elapsed.push(self.quantise(ns));
            if pairs > 0 {
                pauses.push(pairs * calls.max(1));
            }
        }
        let stretch = Stretch {
            wall: (self.now_ns - wall_from).round() as u64,
            cpu: (self.cpu_ns - cpu_from).round() as u64,
            yields: 0,
        };
        let stretch = (run.subject != "allocations").then_some(stretch);
        let collector_ppm = match (collector_before, self.subject.collector_ppm()) {
            (Some(before), Some(after)) if run.subject == "case" => Some(after - before),
            _ => None,
        };
        let mut samples = Samples { id: run.id, elapsed, pauses, stretch, collector_ppm, ..Samples::default() };
        if let ("allocations", Some(case)) = (run.subject.as_str(), self.case) {
            let bytes = self.truth.cases[case].allocated_bytes;
            samples.allocations = run.iterations.iter().map(|&calls| calls.max(1) * u64::from(bytes > 0)).collect();
            samples.allocated_bytes = run.iterations.iter().map(|&calls| calls.max(1) * bytes).collect();
        }
        Reply::Samples(samples)
    }

    /// Elapsed nanoseconds of one sample; moves the clock.
    fn sample(&mut self, subject: &str, kernel_ns: Option<f64>, calls: u64) -> f64 {
        let truth = Arc::clone(&self.truth);
        let scale = truth.scale;
        let prepared = self.case.map(|case| &truth.cases[case]);
        let made = calls.max(1) as f64;
        let machine = (1.0 + scale.drift_per_second * self.now_ns / 1e9) * (1.0 + self.process);
        let clock = scale.clock_ns * (1.0 + CLOCK_SPREAD * self.normal()).max(0.1);
        // A bare call has no loop; the call itself is most of the cost.
        let call = if calls == 0 { 0.8 * scale.call_ns } else { scale.call_ns };
        let body = match (subject, kernel_ns) {
            ("clock", _) => 0.0,
            ("null", _) => self.subject.null(made, call, &mut self.rng),
            ("pause", _) => self.subject.null(made, call + scale.pause_ns, &mut self.rng),
            (_, Some(ns)) => made * (scale.call_ns + ns) * (1.0 + 0.01 * self.normal()),
            _ => {
                let pauses_ns = prepared.map_or(0.0, |case| case.pauses as f64) * scale.pause_ns;
                self.subject.case(made, call + pauses_ns, self.since_switch, &mut self.rng)
            }
        };
        self.since_switch += 1;
        let (setup, untimed) = match (subject, prepared) {
            ("case", Some(case)) => (case.setup_ns, case.untimed_ns),
            _ => (0.0, 0.0),
        };
        if subject != "case" || !std::mem::take(&mut self.arranged) {
            self.pass(untimed);
        }
        let surplus = if subject == "case" { scale.surplus_ns + setup } else { 0.0 };
        let work = (clock + surplus + body) * machine;
        let elapsed = self.pass(work);
        let put_off = if subject == "case" { self.subject.between(&mut self.rng) } else { 0.0 };
        self.pass(scale.between_samples_ns as f64 + put_off);
        elapsed
    }

    /// A clock with a coarse step shows the steps that passed, from a random phase.
    fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.rng)
    }
}

fn fault(id: u64, kind: &str, message: &str) -> Reply {
    Reply::Fault(Fault {
        id: Some(id),
        kind: kind.to_owned(),
        message: message.to_owned(),
        file: None,
        line: None,
        remedy: None,
        trace: None,
    })
}

#[cfg(test)]
mod tests {
    use tare_frames::{Reply, Request};

    use super::Simulated;
    use crate::truth::Truth;

    #[test]
    fn a_subject_marked_as_base_is_enumerated_so() {
        let truth = Truth::parse("[[case]]\nname = 'A::old'\nbase = true\n[[case]]\nname = 'A::new'\n").unwrap();
        let mut worker = Simulated::with_truth(truth, 1, 0);
        let replies = worker.answer(&Request::Load { id: 1, files: vec!["x".to_owned()], bootstrap: None });
        let marks: Vec<(&str, bool)> = replies
            .iter()
            .filter_map(|reply| match reply {
                Reply::Case(case) => Some((case.benchmark.as_str(), case.base)),
                _ => None,
            })
            .collect();
        assert_eq!(marks, [("A::old", true), ("A::new", false)]);
    }
}
