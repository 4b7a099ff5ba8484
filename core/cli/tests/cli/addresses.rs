//! Where code lies of what is compared, and that this can be left to the system.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::harness::Dir;

/// Each process notes where its executable begins.
const NOTING: &str = "import os
with open('/proc/self/maps') as maps, open('addresses', 'a') as notes:
    own = os.readlink('/proc/self/exe')
    notes.write([line for line in maps if line.rstrip().endswith(own)][0].split('-')[0] + '\\n')


def bench_nothing():
    pass
";

/// Processes that were started, and the addresses of their executables, which are fewer where some share one; and whether the run says
/// that the addresses are the system's.
fn processes_and_addresses(interpreter: &str, addresses: &str) -> (usize, usize, bool) {
    let dir = Dir::new();
    dir.file("bench_noting.py", NOTING);
    let runtimes = ["a", "b"].map(|name| format!("{name}={interpreter}"));
    let mut command = dir.run(&[]);
    command.command.args(["bench_noting.py", "--runtime", &runtimes[0], "--runtime", &runtimes[1]]);
    command.command.env("TARE_ADDRESSES", addresses);
    command.finish(0);
    let notes = fs::read_to_string(dir.path().join("addresses")).unwrap();
    let document = dir.stored();
    let told = document.0["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "addresses");
    (notes.lines().count(), notes.lines().collect::<BTreeSet<_>>().len(), told)
}

#[test]
fn addresses_are_shared_by_the_sides_of_a_launch_or_left_to_the_system() {
    // A script in front of the interpreter isn't placed.
    let said = Command::new("python3").args(["-c", "import os, sys; print(os.path.realpath(sys.executable))"]).output();
    let Some(said) = said.ok().filter(|said| said.status.success()) else {
        eprintln!("skipped: there is no python3");
        return;
    };
    let interpreter = String::from_utf8(said.stdout).unwrap();
    let random = fs::read_to_string("/proc/sys/kernel/randomize_va_space").is_ok_and(|level| level.trim() != "0");
    let (processes, addresses, told) = processes_and_addresses(interpreter.trim(), "system");
    assert!(told, "that they are the system's disturbs");
    if !random || addresses < processes {
        eprintln!("skipped: {processes} processes begin at {addresses} addresses by themselves");
        return;
    }
    let (processes, addresses, told) = processes_and_addresses(interpreter.trim(), "");
    println!("{processes} processes at {addresses} addresses");
    if cfg!(target_arch = "x86_64")
        && fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").map_or(true, |scope| scope.trim() < "2")
    {
        assert!(addresses < processes && !told, "{processes} processes at {addresses} addresses");
    }
}
