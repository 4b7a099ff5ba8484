//! Workers that are started while others are measured, as small shell scripts.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use tare_files::Scratch;
use tare_samples::{FailureKind, RuntimeCommand};
use tare_worker::{Launcher, ProcessLauncher, ProcessPlacement, Starting};

/// For what has to come; never waited for to its end where all is well.
const PATIENCE: Duration = Duration::from_secs(60);

const IN_ADVANCE: ProcessPlacement = ProcessPlacement { among: 0, address: None, every_cpu: false, in_advance: true };

/// It notes where it runs when it has said hello, and prints where it runs when it is told to finish.
const WORKER: &str = r#"
where() { grep Cpus_allowed_list /proc/self/status; }
exec 3> "$TARE_WIRE"
say() { printf '%s\n' "$1" >&3; }
say '{"frame":"hello","wire":1,"language":"sh","version":"1","sdk":"1","correction":"serial","clocks":["c"],"kernels":[],"capabilities":[],"facts":[]}'
where > "$MARKS/started.part"; mv "$MARKS/started.part" "$MARKS/started"
read -r request
say '{"frame":"ready","id":1,"pauses":false}'
read -r request
where
say '{"frame":"finished","id":2}'
read -r _"#;

struct Marks(Scratch);

impl Marks {
    /// What it noted; waits for it.
    fn started(&self) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Ok(noted) = std::fs::read_to_string(self.0.path().join("started")) {
                return noted;
            }
            assert!(Instant::now() < until, "it doesn't start before it is opened");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The lowest CPU that we may use, and the highest.
fn two_cpus() -> Option<(usize, usize)> {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    let cpus: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect();
    let [spare, .., here] = cpus[..] else { return None };
    Some((spare, here))
}

fn runtime(driver: &str, script: &str, marks: &Marks) -> RuntimeCommand {
    RuntimeCommand {
        name: "sh".to_owned(),
        driver: driver.to_owned(),
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        folder: None,
        environment: vec![("MARKS".to_owned(), marks.0.path().to_string_lossy().into_owned())],
    }
}

fn started(script: &str, (spare, here): (usize, usize)) -> (Starting, Marks) {
    let marks = Marks(Scratch::new().unwrap());
    let mut launcher = ProcessLauncher::new(vec![here], &[], PATIENCE).with_spare(&[spare, here]);
    let runtime = runtime("php", script, &marks);
    assert!(launcher.starts_in_advance(&runtime));
    (launcher.start(&runtime, 1, IN_ADVANCE).unwrap(), marks)
}

#[test]
fn it_starts_on_the_spare_cpu_before_it_is_opened_and_is_measured_on_its_own() {
    let Some((spare, here)) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let (starting, marks) = started(WORKER, (spare, here));
    assert_eq!(marks.started(), format!("Cpus_allowed_list:\t{spare}\n"));
    let mut conversation = starting.open().unwrap();
    conversation.prepare(0, "A::b", "", None, PATIENCE).unwrap();
    let printed = conversation.finish(PATIENCE).unwrap().printed;
    assert_eq!(printed.0, format!("Cpus_allowed_list:\t{here}\n"));
    conversation.close();
}

/// Go's `init` and C++'s constructors run before the hello.
#[test]
fn what_has_code_of_the_users_in_it_is_not_started_in_advance() {
    let marks = Marks(Scratch::new().unwrap());
    let launcher = ProcessLauncher::new(vec![1], &[], PATIENCE).with_spare(&[0]);
    let starts = |driver| launcher.starts_in_advance(&runtime(driver, "", &marks));
    assert_eq!(["php", "python", "worker", "go", "cpp"].map(starts), [true, true, true, false, false]);
    let without_spare = ProcessLauncher::new(vec![1], &[0], PATIENCE).with_spare(&[1]);
    assert!(!without_spare.starts_in_advance(&runtime("php", "", &marks)));
    let unbound = ProcessLauncher::new(Vec::new(), &[], PATIENCE).with_spare(&[0, 1]);
    assert!(!unbound.starts_in_advance(&runtime("php", "", &marks)));
}

#[test]
fn what_goes_wrong_before_it_is_opened_is_told_when_it_is() {
    let Some(cpus) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    for (script, kind, message) in [
        ("echo 'fatal error: all is lost' >&2; exit 3", FailureKind::Exit, "status 3"),
        ("kill -9 $$", FailureKind::Signal, "signal 9"),
    ] {
        let (starting, _marks) = started(script, cpus);
        let failed = starting.open().err().expect("it should have failed");
        assert_eq!(failed.kind, kind, "{failed}");
        assert!(failed.to_string().contains(message), "{failed}");
    }
}

#[test]
fn one_that_is_not_needed_any_more_ends() {
    let Some(cpus) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let (starting, marks) = started(&format!("echo $$ > \"$MARKS/pid\"\n{WORKER}"), cpus);
    marks.started();
    let pid = std::fs::read_to_string(marks.0.path().join("pid")).unwrap();
    drop(starting);
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "process {pid} is left");
}
