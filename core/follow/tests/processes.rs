//! Processes, threads and what they start are followed from their beginning to their end.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod subject;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use subject::{Folder, follow, words};
use tare_follow::{Outside, Scope, SpawnError, spawn};

#[test]
fn children_of_children_are_followed() {
    let folder = Folder::new();
    for name in ["one", "two", "three"] {
        fs::write(folder.at(name), "").unwrap();
    }
    let script = "cat one; sh -c 'cat two; (cat three; cat absent) 2>/dev/null; :'; :";
    let Some(seen) = folder.sh(script) else { return };
    for name in ["one", "two", "three"] {
        assert!(seen.record.read.contains_key(&folder.at(name)), "{name}: {:#?}", seen.record.read.keys());
    }
    assert!(seen.record.missing.contains(&folder.at("absent")));
    assert!(!words(&seen.record.outside).iter().any(|word| word.contains("left behind")), "all were waited for");
}

#[test]
fn threads_and_processes_by_vfork_are_followed() {
    let folder = Folder::new();
    let source = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void *look(void *number) {
    char name[64];
    for (int time = 0; time < 20; time++) {
        snprintf(name, sizeof name, "thread-%ld-%d", (long) number, time);
        access(name, R_OK);
    }
    return NULL;
}
static void *become(void *unused) {
    execl("/bin/sh", "sh", "-c", "cat become", (char *) NULL);
    return unused;
}
int main(int count, char **arguments) {
    pthread_t threads[8];
    for (long number = 0; number < 8; number++) pthread_create(&threads[number], NULL, look, (void *) number);
    for (int number = 0; number < 8; number++) pthread_join(threads[number], NULL);
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/cat", "cat", "vforked", (char *) NULL);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    if (count > 1) {
        pthread_create(&threads[0], NULL, become, NULL);
        for (;;) pause();
    }
    return status;
}
"#;
    let program = folder.compiled("threads", source, &[]);
    fs::write(folder.at("vforked"), "").unwrap();
    fs::write(folder.at("become"), "").unwrap();
    for arguments in [&[][..], &["become"]] {
        let Some(seen) = follow(folder.command(&program, arguments)) else { return };
        assert!(seen.status.success(), "{seen:?}");
        assert!(seen.record.incomplete.is_empty(), "{:?}", seen.record.incomplete);
        for number in 0..8 {
            for time in 0..20 {
                assert!(seen.record.missing.contains(&folder.at(format!("thread-{number}-{time}"))));
            }
        }
        assert!(seen.record.read.contains_key(&folder.at("vforked")));
        // A thread other than the first becomes another program.
        assert_eq!(seen.record.read.contains_key(&folder.at("become")), !arguments.is_empty());
    }
}

#[test]
fn what_was_done_before_an_answer_is_in_the_record_that_is_taken_after_it() {
    let folder = Folder::new();
    let script = "while read -r name; do test -e \"$name\"; sh -c \"test -e child-$name\"; echo done; done";
    let mut command = folder.command("/bin/sh", &["-c", script]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (mut child, mut follower) = match spawn(command, Scope::default()) {
        Ok(started) => started,
        Err(refusal) => return eprintln!("skipped: {refusal}"),
    };
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for number in 0..100 {
        writeln!(input, "name-{number}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let record = follower.take();
        let own: Vec<_> = record.missing.iter().filter(|path| path.starts_with(&folder.path)).collect();
        let (one, two) = (folder.at(format!("child-name-{number}")), folder.at(format!("name-{number}")));
        assert_eq!(own, [&one, &two], "neither more nor less");
    }
    drop(input);
    let mut rest = String::new();
    output.read_line(&mut rest).unwrap();
    let record = follower.finish();
    assert!(record.missing.iter().all(|path| !path.starts_with(&folder.path)));
    child.wait().unwrap();
}

#[test]
fn what_was_made_before_counts_as_input_when_it_begins_anew_and_it_does_not_beside_others() {
    let folder = Folder::new();
    let script = "
        read -r line; echo 1 > made; cat made; echo done
        read -r line; cat made; echo done
        read -r line; sleep 300 > /dev/null & echo done
        read -r line";
    let mut command = folder.command("/bin/sh", &["-c", script]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (mut child, mut follower) = match spawn(command, Scope::default()) {
        Ok(started) => started,
        Err(refusal) => return eprintln!("skipped: {refusal}"),
    };
    let (mut input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut lines = output.lines();
    let mut go_on = |follower: &mut tare_follow::Follower| {
        writeln!(input).unwrap();
        assert!(lines.any(|line| line.unwrap() == "done"));
        follower.take()
    };
    let made = folder.at("made");
    let before = go_on(&mut follower);
    assert!(before.read_back.contains(&made) && !before.read.contains_key(&made), "{before:#?}");
    assert!(follower.begin_anew());
    let after = go_on(&mut follower);
    assert!(after.read.contains_key(&made) && !after.read_back.contains(&made), "{after:#?}");
    go_on(&mut follower);
    assert!(!follower.begin_anew(), "`sleep` lives");
    drop(follower);
    child.wait().unwrap();
}

#[test]
fn processes_that_are_left_behind_are_named_and_killed() {
    let folder = Folder::new();
    let Some(seen) = folder.sh("sleep 300 >/dev/null & echo $!") else { return };
    assert!(seen.status.success());
    // By the name that it has then: it may not have become `sleep` yet.
    let is_left = |what: &Outside| matches!(what, Outside::LeftBehind(name) if name == "sh" || name == "sleep");
    assert!(seen.record.outside.keys().any(is_left), "{:?}", seen.record.outside);
    let left: i32 = seen.printed.trim().parse().unwrap();
    // It may be a zombie that its new parent has still to take.
    let state = fs::read_to_string(format!("/proc/{left}/status")).unwrap_or_else(|_| "State:\tX".to_owned());
    assert!(state.contains("State:\tZ") || state.contains("State:\tX"), "{state}");

    let Some(seen) = folder.sh("sleep 0.01 & wait") else { return };
    assert!(!seen.record.outside.keys().any(|what| matches!(what, Outside::LeftBehind(_))));
}

#[test]
fn a_process_that_is_killed_ends_as_it_would() {
    let folder = Folder::new();
    let Some(seen) = folder.sh("test -e before; kill -9 $$") else { return };
    assert_eq!(seen.status.signal(), Some(9));
    assert!(seen.record.missing.contains(&folder.at("before")));
    let Some(seen) = folder.sh("sh -c 'kill -SEGV $$'; exit 7") else { return };
    assert_eq!(seen.status.code(), Some(7));
}

#[test]
fn who_follows_no_more_kills() {
    let folder = Folder::new();
    let mut command = folder.command("/bin/sh", &["-c", "sleep 300 & echo $!; wait"]);
    command.stdout(Stdio::piped());
    let (mut child, follower) = match spawn(command, Scope::default()) {
        Ok(started) => started,
        Err(refusal) => return eprintln!("skipped: {refusal}"),
    };
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(follower);
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    let state = fs::read_to_string(format!("/proc/{}/status", line.trim())).unwrap_or_else(|_| "State:\tX".to_owned());
    assert!(state.contains("State:\tZ") || state.contains("State:\tX"), "{state}");
}

#[test]
fn signals_come_as_ever() {
    let folder = Folder::new();
    let script = "
import os, signal, subprocess, time
came = []
for number in [signal.SIGUSR1, signal.SIGRTMIN, signal.SIGRTMIN + 5]:
    signal.signal(number, lambda got, frame: came.append(got))
    os.kill(os.getpid(), number)
assert came == [signal.SIGUSR1, signal.SIGRTMIN, signal.SIGRTMIN + 5], came
child = subprocess.Popen(['sh', '-c', 'while read -r line; do test -e \"$line\"; done'], stdin=subprocess.PIPE)
child.stdin.write(b'early\\n'); child.stdin.flush()
child.send_signal(signal.SIGSTOP)
assert os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
time.sleep(0.05)
state = open(f'/proc/{child.pid}/stat').read().rsplit(') ')[1][0]
assert state in 'tT', state
child.send_signal(signal.SIGCONT)
assert os.WIFCONTINUED(os.waitpid(child.pid, os.WCONTINUED)[1])
child.stdin.write(b'late\\n'); child.stdin.close()
assert child.wait() == 1
print('all came')
";
    let Some(seen) = folder.python(script) else { return };
    assert_eq!(seen.printed, "all came\n");
    assert!(seen.record.missing.contains(&folder.at("early")) && seen.record.missing.contains(&folder.at("late")));
}

#[test]
fn what_cannot_be_started_fails_as_ever() {
    let folder = Folder::new();
    for _ in 0..3 {
        match spawn(folder.command("/nowhere/no-such-program", &[]), Scope::default()) {
            Err(SpawnError::Start(error)) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
            Err(SpawnError::Refused(refusal)) => return eprintln!("skipped: {refusal}"),
            Ok(_) => panic!("it started"),
        }
    }
    // A child that becomes nothing else has its thread's name.
    let own = std::process::id();
    let zombies =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let mine: Vec<String> = zombies.filter(|stat| stat.contains(&format!("(what_cannot_be_) Z {own} "))).collect();
    assert_eq!(mine, Vec::<String>::new());
}
