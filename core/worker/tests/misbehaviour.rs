//! Real processes that don't behave, as small shell scripts: what fails says why, and nothing is left behind.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tare_samples::{Failure, FailureKind, RuntimeCommand};
use tare_worker::{Conversation, Launcher, ProcessLauncher};

/// For what has to come; never waited for to its end where all is well.
const PATIENCE: Duration = Duration::from_secs(60);
/// For what never comes.
const SHORT: Duration = Duration::from_millis(300);

const HELLO: &str = r#"
exec 3> "$TARE_WIRE"
say() { printf '%s\n' "$1" >&3; }
hello() {
    say '{"frame":"hello","wire":1,"language":"sh","version":"1","sdk":"1","correction":"serial","clocks":["c"],"kernels":[],"capabilities":[],"facts":["scratch='"$TARE_SCRATCH"'","pid='"$$"'","seed='"$TARE_SEED"'"]}'
}
"#;

fn start_within(startup: Duration, cpus: Vec<usize>, script: &str) -> Result<Conversation, Failure> {
    let command = ["sh", "-c", &format!("{HELLO}{script}")].map(str::to_owned).to_vec();
    let runtime = RuntimeCommand {
        name: "sh".to_owned(),
        driver: "worker".to_owned(),
        command,
        folder: None,
        environment: Vec::new(),
    };
    ProcessLauncher::new(cpus, &[], startup).launch(&runtime, 42)
}

fn start(script: &str) -> Result<Conversation, Failure> {
    start_within(PATIENCE, Vec::new(), script)
}

fn failure(result: Result<Conversation, Failure>) -> Failure {
    result.err().expect("the worker should have failed")
}

fn fact(conversation: &Conversation, name: &str) -> String {
    conversation.hello().facts.iter().find(|(fact, _)| fact == name).unwrap().1.clone()
}

/// Whether the process runs; one that has ended and isn't reaped yet doesn't.
fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

fn assert_ends(pid: &str) {
    let until = Instant::now() + PATIENCE;
    while runs(pid) {
        assert!(Instant::now() < until, "process {pid} is left");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn load(conversation: &mut Conversation, deadline: Duration) -> Result<usize, Failure> {
    conversation.load(&["a.php".to_owned()], None, deadline).map(|found| found.cases.len())
}

#[test]
fn a_worker_that_never_says_hello_is_ended() {
    let failed = failure(start_within(SHORT, Vec::new(), "echo waiting; sleep 300"));
    assert_eq!(failed.kind, FailureKind::Timeout);
    assert_eq!(failed.message, "the worker didn't send its first message (hello): no answer within 0.3 s");
    assert_eq!(failed.stdout, "waiting\n");
}

#[test]
fn a_hello_in_pieces_with_empty_lines_before_it_is_a_hello() {
    let script = r#"printf '\n\n{"frame":"hello","wire":1,"language":"sh","version":"1","sdk":"1","corr' >&3; sleep 0.05
printf 'ection":"serial","clocks":["c"],"kernels":[],"capabilities":[],"facts":[]}' >&3; sleep 0.05; echo >&3; read line"#;
    let conversation = start(script).unwrap();
    assert_eq!(conversation.hello().language, "sh");
    conversation.close();
}

#[test]
fn what_stands_before_the_hello_is_not_the_protocol() {
    let failed = failure(start("say 'Loading...'; hello; read line"));
    assert_eq!(failed.kind, FailureKind::Protocol);
    assert!(failed.message.contains(r#"the line begins with "Loading...""#), "{}", failed.message);
    assert!(failed.remedy.contains("tare conformance"));
}

#[test]
fn a_flood_on_both_outputs_blocks_nobody() {
    let script = r#"
head -c 10000000 /dev/zero | tr '\0' x
head -c 10000000 /dev/zero | tr '\0' y >&2
echo the end; hello; read line; say '{"frame":"fault","id":1,"kind":"load","message":"no"}'; read line"#;
    let mut conversation = start(script).unwrap();
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!((failed.kind, failed.message.as_str()), (FailureKind::Load, "no"));
    assert!(failed.stdout.starts_with("xxx") && failed.stdout.ends_with("the end\n"));
    assert!(failed.stderr.starts_with("yyy") && failed.stderr.contains("bytes left out"));
    assert!(failed.stdout.len() < 20_000 && failed.stderr.len() < 20_000);
}

#[test]
fn output_without_end_does_not_put_the_deadline_off() {
    let mut conversation = start("hello; exec cat /dev/zero").unwrap();
    let pid = fact(&conversation, "pid");
    let failed = load(&mut conversation, SHORT).unwrap_err();
    assert_eq!((failed.kind, failed.message.as_str()), (FailureKind::Timeout, "no answer within 0.3 s"));
    conversation.close();
    assert_ends(&pid);
}

#[test]
fn each_benchmark_that_is_listed_has_the_whole_time() {
    let script = r#"hello; read line
for number in 0 1 2; do
    sleep 1.5
    say '{"frame":"case","id":1,"case":'$number',"benchmark":"A::b'$number'"}'
done
say '{"frame":"loaded","id":1,"cases":3}'; read line"#;
    let mut conversation = start(script).unwrap();
    // Less than all of them take, and more than one does.
    assert_eq!(load(&mut conversation, Duration::from_millis(4_200)).unwrap(), 3);
    conversation.close();
}

#[test]
fn replies_without_end_do_not_put_the_deadline_off() {
    for reply in [
        r#"{"frame":"notice","id":1,"level":"info","kind":"load","message":"busy"}"#,
        r#"{"frame":"case","id":1,"case":0,"benchmark":"A::b"}"#,
    ] {
        let mut conversation = start(&format!("hello; while :; do say '{reply}'; done")).unwrap();
        let failed = load(&mut conversation, SHORT).unwrap_err();
        assert_eq!((failed.kind, failed.message.as_str()), (FailureKind::Timeout, "no answer within 0.3 s"));
    }
}

#[test]
fn a_worker_that_does_not_read_is_told_from_one_that_does_not_answer() {
    let mut conversation = start("hello; sleep 300").unwrap();
    // More than a pipe holds.
    let files: Vec<String> = (0..20_000).map(|number| format!("benchmarks/file-{number}.php")).collect();
    let failed = conversation.load(&files, None, SHORT).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Timeout);
    assert_eq!(failed.message, "the worker did not read its request within 0.3 s");
}

#[test]
fn a_worker_that_closes_its_input_and_ends_is_told_by_its_status() {
    let mut conversation = start("hello; exec 0<&-; sleep 0.1; exit 9").unwrap();
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Exit);
    assert_eq!(failed.message, "the process ended with status 9 and without an answer");
}

#[test]
fn a_child_that_holds_the_outputs_open_neither_hides_the_end_nor_outlives_it() {
    let script = r#"sleep 300 & echo "$!" > "$TARE_SCRATCH/child"; hello; read line; exit 4"#;
    let mut conversation = start(script).unwrap();
    let child = PathBuf::from(fact(&conversation, "scratch")).join("child");
    let child = std::fs::read_to_string(child).unwrap().trim().to_owned();
    assert!(runs(&child));
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!(failed.message, "the process ended with status 4 and without an answer");
    // Without `close`: dropping is enough.
    drop(conversation);
    assert_ends(&child);
}

#[test]
fn a_conversation_that_is_dropped_ends_its_process() {
    let conversation = start("hello; trap '' TERM INT HUP; while :; do sleep 1; done").unwrap();
    let pid = fact(&conversation, "pid");
    assert!(runs(&pid));
    drop(conversation);
    assert_ends(&pid);
}

#[test]
fn a_signal_says_more_than_the_half_frame_that_it_left() {
    let mut conversation = start(r#"hello; read line; printf '{"frame":"loa' >&3; kill -BUS $$"#).unwrap();
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Signal);
    assert_eq!(failed.message, "the process was ended by signal 7 (SIGBUS)");

    let mut conversation = start(r#"hello; read line; printf '{"frame":"loa' >&3; exit 0"#).unwrap();
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Protocol);
    assert!(failed.message.starts_with("the worker ended in the middle of a message, after"), "{}", failed.message);
}

#[test]
fn a_frame_over_the_limit_is_refused_while_it_is_still_written() {
    let mut conversation = start("hello; read line; cat /dev/zero | tr '\\0' x >&3").unwrap();
    let pid = fact(&conversation, "pid");
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Protocol);
    assert!(failed.message.contains("more than 16777216 bytes"), "{}", failed.message);
    conversation.close();
    assert_ends(&pid);
}

#[test]
fn a_frame_of_just_the_limit_is_taken() {
    let script = r#"hello; read line
head='{"frame":"notice","id":1,"level":"info","kind":"load","message":"'
{ printf '%s' "$head"; head -c $((16777216 - ${#head} - 2)) /dev/zero | tr '\0' x; printf '"}\n'; } >&3
say '{"frame":"loaded","id":1,"cases":0}'; read line"#;
    let mut conversation = start(script).unwrap();
    let found = conversation.load(&["a.php".to_owned()], None, PATIENCE).unwrap();
    assert!(found.notices[0].message.len() > 16_000_000);
    conversation.close();
}

#[test]
fn answers_that_do_not_fit_the_question_are_refused() {
    for (answers, message) in [
        (r#"say '{"frame":"loaded","id":2,"cases":0}'"#, "should have sent an answer to request 1"),
        (r#"say '{"frame":"ready","id":1,"pauses":false}'"#, "should have sent loaded"),
        (r#"say '{"frame":"loaded","id":1,"cases":3}'"#, "it sent 3 cases, but sent 0"),
        (
            r#"say '{"frame":"case","id":1,"case":1,"benchmark":"A::b"}'; say '{"frame":"loaded","id":1,"cases":1}'"#,
            "gave case 0 (A::b) the number 1",
        ),
        (r#"say '{"frame":"fault","id":-1,"kind":"fatal","message":"gave up"}'"#, "gave up"),
        (r#"say '{"frame":"fault","id":0,"kind":"exit","message":"its copy ended"}'"#, "its copy ended"),
        (r#"say '{"frame":"fault","id":0,"kind":"load","message":"old"}'"#, "should have sent an answer to request 1"),
        ("hello", "should have sent an answer to request 1"),
        (r#"say '{"frame":"applause","id":1}'"#, "sent a line that isn't a message"),
    ] {
        let mut conversation = start(&format!("hello; read line; {answers}; read line")).unwrap();
        let failed = load(&mut conversation, PATIENCE).unwrap_err();
        assert!(failed.message.contains(message), "{message}: {}", failed.message);
        assert!(!failed.remedy.is_empty());
    }
    let script = r#"hello; read line; say '{"frame":"samples","id":1,"elapsed":[5,6]}'; read line"#;
    let failed = start(script).unwrap().run("null", 0, &[1, 1, 1], PATIENCE).unwrap_err();
    assert_eq!(failed.message, "the worker was asked for 3 samples and sent 2");
}

#[test]
fn the_scratch_folder_goes_with_the_launch_whatever_is_in_it() {
    let script = r#"mkdir -p "$TARE_SCRATCH/a/b"; echo x > "$TARE_SCRATCH/a/b/c"; hello; read line"#;
    let conversation = start(script).unwrap();
    let scratch = PathBuf::from(fact(&conversation, "scratch"));
    assert!(scratch.join("a/b/c").exists() && scratch.join("wire").exists());
    assert_eq!(fact(&conversation, "seed"), "42");
    conversation.close();
    assert!(!scratch.exists());
}

#[test]
fn a_worker_runs_where_it_is_pinned() {
    let allowed = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned();
    let first: usize = list.split([',', '-']).next().unwrap().parse().unwrap();
    let script = r#"grep Cpus_allowed_list /proc/self/status; hello; read line; say '{"frame":"fault","id":1,"kind":"load","message":"no"}'; read line"#;
    let mut conversation = start_within(PATIENCE, vec![first], script).unwrap();
    let failed = load(&mut conversation, PATIENCE).unwrap_err();
    assert_eq!(failed.stdout, format!("Cpus_allowed_list:\t{first}\n"));
}

#[test]
fn a_command_that_cannot_be_started_says_which() {
    let launch = |command: &[&str]| {
        let command = command.iter().map(|&word| word.to_owned()).collect();
        let runtime = RuntimeCommand {
            name: "x".to_owned(),
            driver: "worker".to_owned(),
            command,
            folder: None,
            environment: Vec::new(),
        };
        ProcessLauncher::new(Vec::new(), &[], PATIENCE).launch(&runtime, 1).err().unwrap()
    };
    assert_eq!(launch(&["no-such-program-here"]).message, "there is no program `no-such-program-here`");
    assert_eq!(launch(&["/"]).message, "`/` may not be executed");
    assert_eq!(launch(&[]).message, "the runtime's command is empty");
}

#[test]
fn what_stood_there_before_the_case_was_ready_is_not_printed_while_it_is_measured() {
    let ready = r#"{"frame":"ready","id":1,"pauses":false}"#;
    let script = format!(
        "hello; echo before; echo before >&2; read -r _; say '{ready}'; read -r _; echo after; \
                          say '{{\"frame\":\"finished\",\"id\":2}}'; read -r _"
    );
    let mut conversation = start(&script).unwrap();
    conversation.prepare(0, "any", "", None, PATIENCE).unwrap();
    assert_eq!(conversation.finish(PATIENCE).unwrap().printed, ("after\n".to_owned(), String::new()));
    conversation.close();
}

#[test]
fn the_line_that_says_why_it_ended_is_part_of_the_message() {
    let mut conversation =
        start("hello; read -r _; echo 'fatal error: all is lost' >&2; echo '\tat some.go:12' >&2; exit 2").unwrap();
    let failure = conversation.prepare(0, "any", "", None, PATIENCE).unwrap_err();
    assert_eq!(failure.message, "the process ended with status 2 and without an answer: fatal error: all is lost");
}

#[test]
fn a_cpu_that_is_gone_is_named() {
    let gone = failure(start_within(PATIENCE, vec![1000], "hello"));
    assert_eq!(gone.kind, FailureKind::Runtime);
    assert!(gone.message.starts_with("`sh` can't run on CPU 1000: it was taken offline"), "{gone}");
}
