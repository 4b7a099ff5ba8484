//! The worker: a command's executions are the calls of a case.

use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use tare_frames::{
    CaseFrame, Fault, FinishedFrame, Hello, MAX_SAMPLES, Reply, Request, Run, Samples, Stretch, WIRE_VERSION,
};

use crate::counting::Counting;
use crate::empty;
use crate::execution::{Ended, Execution, Stream, Taken, own_peak_bytes};
use crate::file::read;
use crate::lifetime::end_group_with_parent;
use crate::pipe::Drain;
use crate::suite::{CommandLine, Output, Suite, program};

/// What all commands are cases of.
const BENCHMARK: &str = "commands";
/// Others have taken something of a turn where it is one part in so many, or more.
const LEAST_TAKEN: u64 = 300;
const NOWHERE: &str = "/dev/null";

/// Speaks until its input ends.
///
/// # Errors
/// Where the wire can't be opened.
pub fn serve() -> io::Result<()> {
    let mut wire: Box<dyn Write> = match std::env::var_os("TARE_WIRE").filter(|path| !path.is_empty()) {
        Some(path) => Box::new(OpenOptions::new().write(true).open(path)?),
        None => Box::new(io::stdout()),
    };
    end_group_with_parent();
    let mut worker = Worker::default();
    let mut talk = || -> io::Result<()> {
        send(wire.as_mut(), &[Reply::Hello(hello())])?;
        for line in io::stdin().lock().split(b'\n') {
            let line = line?;
            if line.iter().all(|byte| *byte == b'\r') {
                continue;
            }
            let replies = match Request::decode(&line) {
                Ok(request) => worker.answer(&request).unwrap_or_else(|fault| vec![Reply::Fault(fault)]),
                Err(error) => vec![Reply::Fault(fault(error.id, error.kind.fault_kind(), error.message, ""))],
            };
            send(wire.as_mut(), &replies)?;
        }
        Ok(())
    };
    // A core that went away needs no answer.
    let _ = talk();
    Ok(())
}

fn send(wire: &mut dyn Write, replies: &[Reply]) -> io::Result<()> {
    let text: String = replies.iter().map(|reply| reply.encode() + "\n").collect();
    wire.write_all(text.as_bytes())?;
    wire.flush()
}

fn hello() -> Hello {
    Hello {
        wire: WIRE_VERSION,
        language: "commands".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sdk: env!("CARGO_PKG_VERSION").to_owned(),
        overlapping: false,
        clocks: vec!["monotonic".to_owned()],
        reads: Vec::new(),
        waits: Vec::new(),
        kernels: Vec::new(),
        capabilities: Vec::new(),
        facts: Vec::new(),
    }
}

/// What can be asked for now.
#[derive(Default)]
enum Phase {
    #[default]
    Greeted,
    Loaded(Suite),
    Prepared(Box<Prepared>),
    Finished,
}

#[derive(Default)]
struct Worker {
    phase: Phase,
}

struct Prepared {
    line: CommandLine,
    execution: Execution,
    /// What is started in the null: the shell with nothing to do, or an empty program. Nothing where that isn't taken off.
    null: Option<Execution>,
    errors: Drain,
    /// Kept open, where commands write into a pipe.
    _output: Option<Drain>,
    /// Where instructions are counted, and nothing is timed.
    counting: Option<Counting>,
}

impl Worker {
    fn answer(&mut self, request: &Request) -> Result<Vec<Reply>, Fault> {
        let id = request.id();
        match request {
            Request::Load { files, .. } => self.load(id, files),
            Request::Prepare { case, benchmark, parameters, clock, .. } => {
                if clock.as_ref().is_some_and(|clock| clock != "monotonic") {
                    return Err(bad(id, "there is no such clock"));
                }
                let Phase::Loaded(suite) = &self.phase else {
                    return Err(bad(id, "prepare comes once, after load"));
                };
                let line = usize::try_from(*case).ok().and_then(|case| suite.commands.get(case));
                let Some(line) = line.filter(|line| benchmark == BENCHMARK && line.name == *parameters) else {
                    return Err(fault(Some(id), "provider", "there is no such command", ""));
                };
                let prepared = Prepared::new(id, suite, line)?;
                let hooks = prepared.line.prepare.is_some() || prepared.line.conclude.is_some();
                self.phase = Phase::Prepared(Box::new(prepared));
                Ok(vec![Reply::Ready { id, pauses: false, hooks: Some(hooks), copied: false }])
            }
            Request::Run(run) => {
                if run.iterations.is_empty() || run.iterations.len() > MAX_SAMPLES || run.warm > MAX_SAMPLES as u64 {
                    return Err(bad(id, "a run has 1 to 100,000 samples and at most 100,000 untimed ones"));
                }
                self.run(run).map(|samples| vec![Reply::Samples(samples)])
            }
            Request::Finish { .. } => {
                let finished = match std::mem::replace(&mut self.phase, Phase::Finished) {
                    Phase::Prepared(prepared) => prepared.finished(id),
                    Phase::Finished => return Err(bad(id, "finish came twice")),
                    _ => FinishedFrame { id, ..FinishedFrame::default() },
                };
                Ok(vec![Reply::Finished(finished)])
            }
            _ => Err(bad(id, "this worker starts commands and nothing else")),
        }
    }

    fn load(&mut self, id: u64, files: &[String]) -> Result<Vec<Reply>, Fault> {
        if !matches!(self.phase, Phase::Greeted) {
            return Err(bad(id, "load comes once in a process"));
        }
        let [file] = files else { return Err(bad(id, "commands are in one file")) };
        let suite = read(Path::new(file))
            .map_err(|error| fault(Some(id), "syntax", format!("{file}: {}", error.message), &error.remedy))?;
        let case = |(number, line): (usize, &CommandLine)| {
            let (names, values) = line.parameters.iter().cloned().unzip();
            let hooked = line.prepare.is_some() || line.conclude.is_some();
            Reply::Case(CaseFrame {
                id,
                case: number as u64,
                benchmark: BENCHMARK.to_owned(),
                parameters: Some(line.name.clone()),
                names,
                values,
                base: line.base,
                // What is done around an execution stands around each.
                iterations: hooked.then_some(1),
                // Commands may use every CPU, as they do without us.
                parallel: true,
                ..CaseFrame::default()
            })
        };
        let mut replies: Vec<Reply> = suite.commands.iter().enumerate().map(case).collect();
        replies.push(Reply::Loaded { id, cases: suite.commands.len() as u64, prelude: false });
        self.phase = Phase::Loaded(suite);
        Ok(replies)
    }

    fn run(&mut self, run: &Run) -> Result<Samples, Fault> {
        let id = run.id;
        if matches!(self.phase, Phase::Finished) {
            return Err(bad(id, "run came after finish"));
        }
        if !matches!(run.subject.as_str(), "case" | "null" | "clock") {
            return Err(bad(id, "there is no such subject"));
        }
        if run.subject != "clock" && run.iterations.contains(&0) {
            return Err(bad(id, "a command can't be called without a loop"));
        }
        let prepared = match &mut self.phase {
            Phase::Prepared(prepared) => Some(prepared),
            _ if run.subject == "case" => return Err(bad(id, "run of the case came before prepare")),
            _ => None,
        };
        let prepared = match prepared {
            Some(prepared) if prepared.counting.is_some() => {
                prepared.count(id, run)?;
                return Ok(Samples { id, elapsed: vec![1; run.iterations.len()], ..Samples::default() });
            }
            prepared => prepared,
        };
        let cycled = run.iterations.iter().cycle().take(run.warm as usize);
        let mut elapsed = Vec::with_capacity(run.iterations.len());
        let mut all: Option<Taken> = None;
        let mut add = |taken: Taken| {
            let all = all.get_or_insert_default();
            all.elapsed_ns += taken.elapsed_ns;
            all.others_ns += taken.others_ns;
            all.unknown += taken.unknown;
            taken.elapsed_ns
        };
        match (run.subject.as_str(), prepared) {
            ("clock", _) => elapsed.extend(run.iterations.iter().map(|_| since(Instant::now()))),
            ("case", Some(prepared)) => {
                for &calls in cycled {
                    prepared.sample(id, calls)?;
                }
                for &calls in &run.iterations {
                    elapsed.push(add(prepared.sample(id, calls)?));
                }
            }
            (_, prepared) => {
                let null = prepared.and_then(|prepared| prepared.null.as_mut());
                let Some(null) = null else {
                    elapsed.extend(run.iterations.iter().map(|&calls| empty_loop(calls)));
                    return Ok(Samples { id, elapsed, ..Samples::default() });
                };
                for &calls in cycled {
                    null_sample(id, null, calls)?;
                }
                for &calls in &run.iterations {
                    elapsed.push(add(null_sample(id, null, calls)?));
                }
            }
        }
        // Time for which a command waited for a CPU is reported as missing CPU time. How long the children of a shell waited
        // isn't known: then nothing is taken off, of the shell alone neither.
        let in_shell = matches!(&self.phase, Phase::Prepared(prepared) if prepared.line.shell.is_some());
        let stretch = all.filter(|all| !in_shell && all.unknown == 0).map(|all| Stretch {
            wall: all.elapsed_ns,
            cpu: all.elapsed_ns - noted(all),
            yields: 0,
        });
        Ok(Samples { id, elapsed, stretch, ..Samples::default() })
    }
}

/// What others took, where it is worth a word: any process waits a little for its CPU.
fn noted(all: Taken) -> u64 {
    if all.others_ns * LEAST_TAKEN < all.elapsed_ns { 0 } else { all.others_ns }
}

fn empty_loop(calls: u64) -> u64 {
    let start = Instant::now();
    for call in 0..calls {
        black_box(call);
    }
    since(start)
}

fn null_sample(id: u64, null: &mut Execution, calls: u64) -> Result<Taken, Fault> {
    match null.time(calls, |ended| ended == Ended::Status(0)) {
        Ok((taken, None)) => Ok(taken),
        Ok((_, Some(ended))) => {
            Err(fault(Some(id), "runtime", format!("what is taken off {}", how(ended)), "check the shell"))
        }
        Err(error) => Err(fault(Some(id), "runtime", format!("what is taken off can't be started: {error}"), "")),
    }
}

impl Prepared {
    fn new(id: u64, suite: &Suite, line: &CommandLine) -> Result<Self, Fault> {
        let failed = |what: &str, error: &io::Error| fault(Some(id), "runtime", format!("{what}: {error}"), "");
        let errors = Drain::new().map_err(|error| failed("a pipe can't be made", &error))?;
        let output = match suite.output {
            Output::Pipe => Some(Drain::new().map_err(|error| failed("a pipe can't be made", &error))?),
            _ => None,
        };
        // The core started this worker, and gave it a pipe.
        let inherited = PathBuf::from(format!("/proc/{}/fd/1", std::os::unix::process::parent_id()));
        let counting = std::env::var_os("TARE_COUNT").filter(|path| !path.is_empty());
        let counting = counting.map(|path| Counting::below(Path::new(&path))).transpose();
        let counting = counting.map_err(|error| failed("callgrind's files have no place", &error))?;
        let of = |words: &[String]| -> Result<Execution, Fault> {
            let first = words.first().map_or("", String::as_str);
            let told = |(message, remedy): (String, String)| fault(Some(id), "load", message, &remedy);
            let path = program(first).map_err(told)?;
            let (path, words) = match &counting {
                Some(counting) => counting.words(&path, words).map_err(told)?,
                None => (path, words.to_vec()),
            };
            let input = line.input.as_deref().unwrap_or(Path::new(NOWHERE));
            let to = match (&suite.output, &output) {
                (_, Some(drain)) => Stream::To(drain.writer.as_fd()),
                (Output::File(path), _) => Stream::Write(path),
                (Output::Inherited, _) => Stream::Append(&inherited),
                _ => Stream::Write(Path::new(NOWHERE)),
            };
            let streams = [Stream::Read(input), to, Stream::To(errors.writer.as_fd())];
            Execution::new(path, &words, streams).map_err(|error| failed("the command can't be made ready", &error))
        };
        let execution = of(&line.words)?;
        let null = match (&line.shell, suite.tare_start) {
            (Some(shell), _) => Some(of(&[shell.clone(), "-c".to_owned(), String::new()])?),
            (None, true) => {
                let folder = std::env::var_os("TARE_SCRATCH").map_or_else(std::env::temp_dir, Into::into);
                let path = folder.join("empty");
                empty::write(&path).map_err(|error| failed("an empty program can't be written", &error))?;
                Some(of(&[path.to_string_lossy().into_owned()])?)
            }
            (None, false) => None,
        };
        Ok(Self { line: line.clone(), execution, null, errors, _output: output, counting })
    }

    /// Executes what wasn't yet, and tells what the calls of a turn execute.
    fn count(&mut self, id: u64, run: &Run) -> Result<(), Fault> {
        let failed =
            |error: io::Error| fault(Some(id), "runtime", format!("its instructions can't be counted: {error}"), "");
        let (of_null, calls) = (run.subject != "case", run.iterations.iter().sum());
        if of_null && let (Some(null), Some(counting)) = (&mut self.null, &mut self.counting) {
            if !counting.has_null() {
                null_sample(id, null, 1)?;
                counting.add_null().map_err(failed)?;
            }
        } else if !of_null {
            while self.counting.as_ref().is_some_and(|counting| counting.wants_another(calls)) {
                self.sample(id, 1)?;
                self.counting.as_mut().map_or(Ok(()), Counting::add).map_err(failed)?;
            }
        }
        self.counting.as_mut().map_or(Ok(()), |counting| counting.tell(of_null, calls)).map_err(failed)
    }

    /// So many executions.
    fn sample(&mut self, id: u64, calls: u64) -> Result<Taken, Fault> {
        hook(id, "--prepare", self.line.prepare.as_deref())?;
        self.errors.clear();
        let line = &self.line;
        let is_fine = |ended| matches!(ended, Ended::Status(status) if status == 0 || line.ignores(status));
        let timed = self.execution.time(calls, is_fine);
        hook(id, "--conclude", self.line.conclude.as_deref())?;
        match timed {
            Ok((taken, None)) => Ok(taken),
            Ok((_, Some(ended))) => {
                let printed = self.errors.take();
                let said: Vec<&str> = printed.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
                let said: Vec<&str> = said.into_iter().rev().collect();
                let words = if said.is_empty() { String::new() } else { format!(": {}", said.join("\n")) };
                let remedy = match ended {
                    Ended::Status(_) if self.is_for_a_shell() => {
                        "what stands for itself in it, `>`, `|` or the like, was given to the program as a word: a shell's signs need --shell"
                    }
                    Ended::Status(_) => {
                        "run it alone; --ignore-failure, or ignore-failure of [[command]], measures it all the same"
                    }
                    Ended::Signal(_) => "run it alone, under a debugger",
                };
                Err(fault(Some(id), "exception", format!("the command {}{words}", how(ended)), remedy))
            }
            Err(error) => {
                let message = format!("the command can't be started: {error}");
                Err(fault(
                    Some(id),
                    "load",
                    message,
                    "a script needs `#!` and the path of what runs it as its first line",
                ))
            }
        }
    }

    /// Whether words of it mean something to a shell, and there is none.
    fn is_for_a_shell(&self) -> bool {
        const SIGNS: [&str; 11] = [">", ">>", "<", "|", "||", "&&", "&", ";", "2>", "2>&1", "*"];
        self.line.shell.is_none() && self.line.words.iter().any(|word| SIGNS.contains(&word.as_str()))
    }

    /// What the system says of its executions, on average.
    fn finished(&self, id: u64) -> FinishedFrame {
        let usage = self.execution.usage;
        let each = |sum: u64, unit: f64| sum as f64 / usage.executions.max(1) as f64 / unit;
        // A new process begins with the memory of the one that starts it: what takes less than this worker isn't known.
        let peak = (usage.least_peak_bytes > own_peak_bytes()).then(|| each(usage.peak_bytes, 1.0));
        let is_known = usage.unknown == 0 && self.line.shell.is_none();
        let metrics = [
            ("cpu_ns", Some(each(usage.user_us + usage.system_us, 1e-3))),
            ("user_ns", Some(each(usage.user_us, 1e-3))),
            ("system_ns", Some(each(usage.system_us, 1e-3))),
            ("peak_bytes", peak),
            ("page_faults", Some(each(usage.page_faults, 1.0))),
            ("context_switches", Some(each(usage.switches, 1.0))),
            ("waited_ns", is_known.then(|| each(usage.others_ns, 1.0))),
        ];
        let known = metrics.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let metrics = known.map(|(name, value)| (name.to_owned(), format!("{value:.3}"))).collect();
        let everywhere = std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
        let labels = everywhere.then(|| "on any CPU".to_owned()).into_iter().collect();
        FinishedFrame { id, metrics, labels, ..FinishedFrame::default() }
    }
}

/// A shell command of the user's around an execution.
fn hook(id: u64, option: &str, command: Option<&str>) -> Result<(), Fault> {
    let Some(command) = command else { return Ok(()) };
    let failed = |how: String| {
        let message = format!("{option} `{command}` {how}");
        fault(Some(id), "exception", message, "run it alone in `sh -c`")
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env_remove("TARE_WIRE").stdin(Stdio::null()).stdout(Stdio::null());
    let status = shell.status().map_err(|error| failed(format!("can't be started: {error}")))?;
    if status.success() { Ok(()) } else { Err(failed(format!("failed ({status})"))) }
}

fn how(ended: Ended) -> String {
    match ended {
        Ended::Status(status) => format!("ended with status {status}"),
        Ended::Signal(signal) => format!("was ended by signal {signal}"),
    }
}

fn since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn bad(id: u64, message: &str) -> Fault {
    fault(Some(id), "bad-request", message, "")
}

fn fault(id: Option<u64>, kind: &str, message: impl Into<String>, remedy: &str) -> Fault {
    let remedy = (!remedy.is_empty()).then(|| remedy.to_owned());
    Fault { id, kind: kind.to_owned(), message: message.into(), file: None, line: None, remedy, trace: None }
}

#[cfg(test)]
mod tests {
    use tare_frames::{Reply, Request, Run};

    use super::{BENCHMARK, Worker, noted};
    use crate::execution::Taken;
    use crate::suite::{CommandLine, Suite};

    fn line(name: &str, script: &str) -> CommandLine {
        let words = ["sh", "-c", script].map(str::to_owned).to_vec();
        CommandLine { name: name.to_owned(), words, ..CommandLine::default() }
    }

    /// A worker that has loaded a suite and prepared its first command.
    fn prepared(folder: &std::path::Path, suite: &Suite) -> Worker {
        let file = folder.join("exec.tare-commands");
        std::fs::write(&file, serde_json::to_vec(suite).unwrap()).unwrap();
        let mut worker = Worker::default();
        let files = vec![file.to_string_lossy().into_owned()];
        worker.answer(&Request::Load { id: 1, files, bootstrap: None }).unwrap();
        let (benchmark, parameters) = (BENCHMARK.to_owned(), suite.commands[0].name.clone());
        let prepare = Request::Prepare { id: 2, case: 0, benchmark, parameters, clock: None, copy: false };
        worker.answer(&prepare).unwrap();
        worker
    }

    fn run(subject: &str, iterations: Vec<u64>, warm: u64) -> Request {
        Request::Run(Run { id: 3, subject: subject.to_owned(), iterations, warm, settle: false, hooks: true })
    }

    fn lines(path: &std::path::Path) -> usize {
        std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
    }

    #[test]
    fn a_call_is_an_execution_and_hooks_stand_around_each_sample() {
        let folder = tempfile::tempdir().unwrap();
        let (called, before) = (folder.path().join("called"), folder.path().join("before"));
        let mut command = line("a", &format!("echo x >> '{}'", called.display()));
        command.prepare = Some(format!("echo x >> '{}'", before.display()));
        let mut worker = prepared(folder.path(), &Suite { commands: vec![command], ..Suite::default() });
        let replies = worker.answer(&run("case", vec![2, 3], 1)).unwrap();
        assert!(matches!(&replies[..], [Reply::Samples(samples)] if samples.elapsed.len() == 2));
        assert_eq!((lines(&called), lines(&before)), (7, 3), "an untimed sample of 2 stands before");
        worker.answer(&run("null", vec![50], 0)).unwrap();
        assert_eq!(lines(&called), 7, "the null starts nothing of the user's");
        let finished = worker.answer(&Request::Finish { id: 4 }).unwrap();
        let [Reply::Finished(finished)] = &finished[..] else { panic!("{finished:?}") };
        assert!(finished.metrics.iter().any(|(name, _)| name == "page_faults"), "{finished:?}");
    }

    #[test]
    fn what_others_took_of_a_long_command_is_noted_where_it_is_a_part_of_it() {
        let of = |others_ns| noted(Taken { elapsed_ns: 300_000_000, others_ns, unknown: 0 });
        assert_eq!([of(0), of(500_000), of(1_000_000), of(90_000_000)], [0, 0, 1_000_000, 90_000_000]);
    }

    /// Its children may have waited for each other, or it for them.
    #[test]
    fn how_long_a_command_waited_is_told_where_its_first_thread_did_the_work() {
        const LOOP: &str = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        let folder = tempfile::tempdir().unwrap();
        let told = |script: &str| {
            let suite = Suite { commands: vec![line("a", script)], ..Suite::default() };
            let replies = prepared(folder.path(), &suite).answer(&run("case", vec![1], 0)).unwrap();
            matches!(&replies[..], [Reply::Samples(samples)] if samples.stretch.is_some())
        };
        assert!(told(LOOP));
        assert!(!told(&format!("({LOOP}); true")));
    }

    #[test]
    fn a_failure_tells_the_last_lines_unless_it_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let mut suite = Suite { commands: vec![line("a", "echo why >&2; exit 3")], ..Suite::default() };
        let fault = prepared(folder.path(), &suite).answer(&run("case", vec![1], 0)).unwrap_err();
        assert_eq!(fault.message, "the command ended with status 3: why");
        for (ignored, fine) in [(vec![], true), (vec![3], true), (vec![1], false)] {
            suite.commands[0].ignored = Some(ignored);
            assert_eq!(prepared(folder.path(), &suite).answer(&run("case", vec![1], 0)).is_ok(), fine);
        }
        suite.commands[0] = line("a", "kill -9 $$");
        suite.commands[0].ignored = Some(Vec::new());
        let fault = prepared(folder.path(), &suite).answer(&run("case", vec![1], 0)).unwrap_err();
        assert_eq!(fault.message, "the command was ended by signal 9");
    }
}
