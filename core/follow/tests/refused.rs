//! Where the system lets nobody follow a process that is said, and the process doesn't start.
#![allow(clippy::unwrap_used)]

mod subject;

use nix::errno::Errno;
use subject::Folder;
use tare_follow::{Refusal, Scope, SpawnError, spawn};

/// Forbids a system call, with an argument if one is given, to this thread and all that it starts, as a container's filter does.
#[allow(unsafe_code)]
fn forbid(number: libc::c_long, first: Option<u32>) {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let unless = |k: u32, skip: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: 0,
        jf: skip,
        k,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let give = libc::BPF_RET | libc::BPF_K;
    let mut program = vec![statement(load, 0)];
    match first {
        None => program.push(unless(number as u32, 1)),
        Some(first) => {
            program.extend([unless(number as u32, 3), statement(load, 16), unless(first, 1)]);
        }
    }
    program.push(statement(give, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32));
    program.push(statement(give, libc::SECCOMP_RET_ALLOW));
    let given = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the kernel reads the program, which outlives the calls.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const given, 0, 0), 0);
    }
}

/// What is said where a call is forbidden.
fn refused(number: libc::c_long, first: Option<u32>) -> Refusal {
    let thread = std::thread::spawn(move || {
        let folder = Folder::new();
        forbid(number, first);
        let started = spawn(folder.command("/bin/sh", &["-c", "echo > started"]), Scope::default());
        let Err(SpawnError::Refused(refusal)) = started else { panic!("{started:?}") };
        assert!(!folder.at("started").exists());
        refusal
    });
    thread.join().unwrap()
}

#[test]
fn a_filter_that_forbids_following_is_told() {
    assert_eq!(refused(libc::SYS_ptrace, None), Refusal::Ptrace(Errno::EACCES));
    let filter = Some(libc::PR_SET_SECCOMP as u32);
    let refusal = refused(libc::SYS_prctl, filter);
    assert!(matches!(refusal, Refusal::Seccomp(_)), "{refusal:?}");
    assert!(refusal.to_string().contains("seccomp"));
}
