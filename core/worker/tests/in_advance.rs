//! Workers that are started while others are measured, as small shell scripts.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tare_files::Scratch;
use tare_samples::{FailureKind, RuntimeCommand};
use tare_worker::{Launcher, ProcessLauncher, ProcessPlacement, Starting};

/// For what has to come; never waited for to its end where all is well.
const PATIENCE: Duration = Duration::from_secs(60);

const IN_ADVANCE: ProcessPlacement = ProcessPlacement { among: 0, address: None, every_cpu: false, in_advance: true };

/// It notes what it is asked to load, and where it runs then, and prints where it runs when it is told to finish.
const LOADS: &str = r#"
where() { grep Cpus_allowed_list /proc/self/status; }
exec 3> "$TARE_WIRE"
say() { printf '%s\n' "$1" >&3; }
say '{"frame":"hello","wire":1,"language":"sh","version":"1","sdk":"1","correction":"serial","clocks":["c"],"kernels":[],"capabilities":[],"facts":[]}'
read -r request
{ where; printf '%s\n' "$request"; } > "$MARKS/loaded.part"; mv "$MARKS/loaded.part" "$MARKS/loaded"
say '{"frame":"case","id":1,"case":0,"benchmark":"A::b"}'
say '{"frame":"loaded","id":1,"cases":1}'
read -r request
say '{"frame":"ready","id":2,"pauses":false}'
read -r request
where
say '{"frame":"finished","id":3}'
read -r _"#;

struct Marks(Scratch);

impl Marks {
    fn loaded(&self) -> PathBuf {
        self.0.path().join("loaded")
    }
}

/// The lowest CPU that we may use, and the highest.
fn two_cpus() -> Option<(usize, usize)> {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    let cpus: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect();
    let [spare, .., here] = cpus[..] else { return None };
    Some((spare, here))
}

fn started(driver: &str, script: &str, (spare, here): (usize, usize)) -> (Starting, Marks) {
    let marks = Marks(Scratch::new().unwrap());
    let runtime = RuntimeCommand {
        name: "sh".to_owned(),
        driver: driver.to_owned(),
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        folder: None,
        environment: vec![("MARKS".to_owned(), marks.0.path().to_string_lossy().into_owned())],
    };
    let mut launcher = ProcessLauncher::new(vec![here], &[], PATIENCE).with_spare(&[spare, here]);
    assert!(launcher.starts_in_advance());
    let mut starting = launcher.start(&runtime, 1, IN_ADVANCE).unwrap();
    starting.ask_to_load(&["a.php".to_owned()], None, PATIENCE);
    (starting, marks)
}

#[test]
fn it_loads_on_the_spare_cpu_before_it_is_opened_and_is_measured_on_its_own() {
    let Some((spare, here)) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let (starting, marks) = started("php", LOADS, (spare, here));
    let until = Instant::now() + PATIENCE;
    while !marks.loaded().exists() {
        assert!(Instant::now() < until, "it doesn't load before it is opened");
        std::thread::sleep(Duration::from_millis(2));
    }
    let noted = std::fs::read_to_string(marks.loaded()).unwrap();
    assert!(noted.contains("a.php") && noted.starts_with(&format!("Cpus_allowed_list:\t{spare}\n")), "{noted}");
    let mut conversation = starting.open().unwrap();
    // It was loaded once, and what it found is there.
    let found = conversation.load(&["a.php".to_owned()], None, PATIENCE).unwrap();
    assert_eq!(found.cases.len(), 1);
    conversation.prepare(0, "A::b", "", None, PATIENCE).unwrap();
    let printed = conversation.finish(PATIENCE).unwrap().printed;
    assert_eq!(printed.0, format!("Cpus_allowed_list:\t{here}\n"), "what it printed since its case was ready");
    conversation.close();
}

#[test]
fn a_worker_that_is_not_ours_is_asked_nothing_before_its_hello() {
    let Some(cpus) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let (starting, marks) = started("worker", LOADS, cpus);
    let mut conversation = starting.open().unwrap();
    assert!(!marks.loaded().exists());
    assert_eq!(conversation.load(&["a.php".to_owned()], None, PATIENCE).unwrap().cases.len(), 1);
    conversation.close();
}

#[test]
fn what_goes_wrong_before_it_is_opened_is_told_when_it_is() {
    let Some(cpus) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let hello = LOADS.split("\nread -r request").next().unwrap();
    let fault = r#"say '{"frame":"fault","id":1,"kind":"syntax","message":"no such thing","file":"a.php","line":7}'"#;
    for (ends, kind, message) in [
        (format!("read -r request; {fault}; read -r _"), FailureKind::Syntax, "no such thing"),
        ("echo 'fatal error: all is lost' >&2; exit 3".to_owned(), FailureKind::Exit, "status 3"),
        ("kill -9 $$".to_owned(), FailureKind::Signal, "signal 9"),
    ] {
        let (starting, _marks) = started("php", &format!("{hello}\n{ends}"), cpus);
        let failed = starting.open().err().expect("it should have failed");
        assert_eq!(failed.kind, kind, "{failed}");
        assert!(failed.message.contains(message) || failed.to_string().contains(message), "{failed}");
    }
}

#[test]
fn one_that_is_not_needed_any_more_ends() {
    let Some(cpus) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let (starting, marks) = started("php", &format!("echo $$ > \"$MARKS/pid\"\n{LOADS}"), cpus);
    let until = Instant::now() + PATIENCE;
    while !marks.loaded().exists() {
        assert!(Instant::now() < until, "it doesn't load before it is opened");
        std::thread::sleep(Duration::from_millis(2));
    }
    let pid = std::fs::read_to_string(marks.0.path().join("pid")).unwrap();
    drop(starting);
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "process {pid} is left");
}
