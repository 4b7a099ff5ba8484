//! What files can't settle is named.
#![allow(clippy::unwrap_used)]

mod subject;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use subject::{Folder, Seen, follow};
use tare_follow::Outside;

/// Fails unless this was seen of it.
fn assert_seen(seen: &Seen, what: &Outside) {
    assert!(seen.record.outside.contains_key(what), "{what:?}: {:#?}\n{}", seen.record.outside, seen.printed);
}

#[test]
fn files_of_the_kernel_devices_and_fifos_are_named() {
    let folder = Folder::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.at("fifo"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let script = "
import os
open('/proc/self/status').read()
open(f'/proc/{os.getpid()}/maps').read()
os.path.exists('/proc/none')
os.listdir('/proc/self/fd')
os.stat('/dev/stdin')
open('/sys/kernel/mm/transparent_hugepage/enabled').read() if os.path.exists('/sys/kernel/mm') else None
open('/dev/null').read(); open('/dev/zero', 'rb').read(1)
open('/dev/urandom', 'rb').read(1)
try: os.open('/dev/tty', os.O_RDONLY)
except OSError: pass
os.open('fifo', os.O_RDONLY | os.O_NONBLOCK)
";
    let Some(seen) = folder.python(script) else { return };
    assert!(seen.status.success());
    for path in ["/proc/self/status", "/proc/self/maps", "/proc/none", "/proc/self/fd", "/dev/stdin"] {
        assert_seen(&seen, &Outside::Proc(PathBuf::from(path)));
    }
    assert_seen(&seen, &Outside::Sys(PathBuf::from("/sys/kernel/mm")));
    assert_seen(&seen, &Outside::Random);
    assert_seen(&seen, &Outside::Fifo(folder.at("fifo")));
    let devices =
        seen.record.outside.keys().filter(|what| matches!(what, Outside::Device(path) if !path.ends_with("tty")));
    assert_eq!(devices.count(), 0, "{:#?}", seen.record.outside);
    assert!(seen.record.read.keys().all(|path| !path.starts_with("/proc") && !path.starts_with("/sys")));
}

#[test]
fn sockets_are_named_with_whom_they_speak_to() {
    let folder = Folder::new();
    let script = "
import socket
one, two = socket.socketpair(); one.send(b'x'); two.recv(1); one.sendmsg([b'x'])
quiet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
unix = socket.socket(socket.AF_UNIX)
print('made')
try: unix.connect('/nowhere/socket')
except OSError: pass
quiet.sendto(b'x', ('127.0.0.1', 9))
quiet.sendmsg([b'x'], [], 0, ('127.0.0.1', 10))
server = socket.socket(); server.bind(('127.0.0.1', 0))
";
    let Some(seen) = folder.python(script) else { return };
    assert!(seen.status.success());
    for address in ["unix /nowhere/socket", "127.0.0.1:9", "127.0.0.1:10", "127.0.0.1:0"] {
        assert_seen(&seen, &Outside::Socket(address.to_owned()));
    }
    let sockets = seen.record.outside.keys().filter(|what| matches!(what, Outside::Socket(_))).count();
    assert_eq!(sockets, 4, "two ends of one's own are none: {:#?}", seen.record.outside);
    let Some(seen) = folder.python("import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)") else { return };
    assert_seen(&seen, &Outside::Socket("family 16, type 3".to_owned()));
}

#[test]
fn a_file_that_is_mapped_and_changed_is_named() {
    let folder = Folder::new();
    for name in ["shared", "private"] {
        fs::write(folder.at(name), "0123456789").unwrap();
    }
    let script = "
import mmap
with open('shared', 'r+b') as file:
    shared = mmap.mmap(file.fileno(), 0); shared[0:1] = b'x'
with open('private', 'rb') as file:
    private = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY); private[0:1] = b'x'
anonymous = mmap.mmap(-1, 4096); anonymous[0:1] = b'x'
with open('own', 'w+b') as file:
    file.write(b'0123456789'); file.flush()
    own = mmap.mmap(file.fileno(), 0); own[0:1] = b'x'
";
    let Some(seen) = folder.python(script) else { return };
    assert!(seen.status.success());
    let mapped: Vec<&Outside> =
        seen.record.outside.keys().filter(|what| matches!(what, Outside::SharedMapping(_))).collect();
    assert_eq!(mapped, [&Outside::SharedMapping(folder.at("shared"))]);
    assert!(seen.record.changed.contains(&folder.at("shared")) && !seen.record.changed.contains(&folder.at("private")));
}

#[test]
fn calls_that_bring_in_what_no_file_holds_are_named() {
    let folder = Folder::new();
    let source = r#"
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    struct timespec now;
    struct sysinfo machine;
    char bytes[64];
    /* Followed already. */
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) return 2;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    syscall(SYS_gettimeofday, bytes, NULL);
    syscall(SYS_getrandom, bytes, 16, 0);
    sysinfo(&machine);
    timerfd_create(CLOCK_MONOTONIC, 0);
    memfd_create("memory", 0);
    shmctl(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), IPC_RMID, NULL);
    inotify_add_watch(inotify_init1(0), ".", IN_CREATE);
    syscall(SYS_bpf, 0, NULL, 0);
    syscall(SYS_io_uring_setup, 0, NULL);
    syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0);
    syscall(SYS_userfaultfd, 0);
    syscall(SYS_keyctl, 0, 0, 0, 0, 0);
    syscall(SYS_name_to_handle_at, -1, "", NULL, NULL, 0);
    syscall(SYS_process_vm_readv, getpid(), NULL, 0UL, NULL, 0UL, 0UL);
    syscall(SYS_mount, NULL, NULL, NULL, 0UL, NULL);
    syscall(SYS_chroot, "/nowhere");
    syscall(SYS_setns, -1, 0);
    unshare(CLONE_FS);
    prctl(PR_SET_SECCOMP, 99, NULL);
    syscall(SYS_quotactl, 0, NULL, 0, NULL);
    long started = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, NULL, NULL, NULL, 0);
    if (started == 0) syscall(SYS_exit_group, 0);
    return 0;
}
"#;
    let program = folder.compiled("calls", source, &[]);
    let Some(seen) = follow(folder.command(&program, &[])) else { return };
    assert!(seen.status.success(), "{seen:?}");
    let quotactl = if cfg!(target_arch = "x86_64") { 179 } else { 60 };
    for what in [
        Outside::Trace,
        Outside::Clock,
        Outside::Random,
        Outside::MachineState,
        Outside::Timer,
        Outside::MemoryFile,
        Outside::Ipc,
        Outside::Watch,
        Outside::Bpf,
        Outside::IoUring,
        Outside::PerfEvents,
        Outside::UserFaults,
        Outside::Keys,
        Outside::Handle,
        Outside::Mounts,
        Outside::Root,
        Outside::Namespaces,
        Outside::Filter,
        Outside::Unfollowed,
        Outside::OtherCall(quotactl),
    ] {
        assert_seen(&seen, &what);
    }
    assert_eq!(seen.record.outside[&Outside::Clock], 2);
    assert_eq!(seen.record.outside[&Outside::Namespaces], 1, "unshare(CLONE_FS) makes none");
}

#[test]
fn programs_with_rights_of_others_are_named() {
    let folder = Folder::new();
    let program = folder.compiled("rights", "int main(void) { return 0; }", &[]);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let Some(seen) = folder.sh("./rights") else { return };
    assert_seen(&seen, &Outside::SetUid(program));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_of_32_bits_are_named() {
    let folder = Folder::new();
    let source =
        "int main(void) { int id; __asm__ volatile(\"int $0x80\" : \"=a\"(id) : \"0\"(20)); return id > 0 ? 0 : 1; }";
    let program = folder.compiled("old", source, &[]);
    let Some(seen) = follow(folder.command(&program, &[])) else { return };
    if std::os::unix::process::ExitStatusExt::signal(&seen.status).is_some() {
        return eprintln!("skipped: the kernel has no calls of 32 bits");
    }
    assert_seen(&seen, &Outside::ForeignCall);
}

#[test]
fn a_program_that_reads_itself_or_asks_for_its_size_is_named() {
    let folder = Folder::new();
    let other = folder.compiled("other", "int main(void) { return 0; }", &[]);
    let source = |call: &str, path: &str| {
        format!(
            "#include <fcntl.h>\n#include <sys/stat.h>\n#include <unistd.h>\nstruct stat s;\nint main(void) {{ return {}; }}",
            match call {
                "open" => format!("open(\"{path}\", O_RDONLY) < 0"),
                _ => format!("stat(\"{path}\", &s)"),
            }
        )
    };
    for call in ["open", "stat"] {
        let own = folder.at(call);
        folder.compiled(call, &source(call, own.to_str().unwrap()), &[]);
        let Some(seen) = follow(folder.command(&own, &[])) else { return };
        assert_seen(&seen, &Outside::OwnProgram(own.clone()));
        // Another program is a file as any.
        folder.compiled(call, &source(call, other.to_str().unwrap()), &[]);
        let seen = follow(folder.command(&own, &[])).unwrap();
        assert!(!seen.record.outside.keys().any(|what| matches!(what, Outside::OwnProgram(_))));
    }
}
