//! The seccomp filter that stops a process before each system call that isn't known to be harmless (seccomp(2)).
//!
//! It is written here, not by `seccompiler`: that one kills a process at its first call of another kind of processor (32 bits), and such a call
//! is to be seen and named.

use libc::sock_filter;
use nix::errno::Errno;

use crate::calls;

/// What the kernel hands on with a stop: a call of this kind of processor, or of another one.
pub(crate) const FOREIGN: u32 = 2;
const NATIVE: u32 = 1;

/// Where the number, the kind of processor and the lower half of an argument stand (`struct seccomp_data`; little-endian).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(which: u32) -> u32 {
    16 + 8 * which
}

/// Namespaces of its own, or out of our sight (clone(2)).
pub(crate) const CLONE_APART: u32 = 0x7e02_0000 | CLONE_UNTRACED;
/// Not to be followed (clone(2)).
pub(crate) const CLONE_UNTRACED: u32 = 0x0080_0000;

/// A program of the kernel's packet filter, as it grows.
struct Program(Vec<sock_filter>);

impl Program {
    fn statement(&mut self, code: u32, k: u32) {
        self.0.push(sock_filter { code: code as u16, jt: 0, jf: 0, k });
    }

    /// Skips `yes` instructions where the comparison holds, else `no`.
    fn jump(&mut self, comparison: u32, k: u32, yes: u8, no: u8) {
        let code = (libc::BPF_JMP | comparison | libc::BPF_K) as u16;
        self.0.push(sock_filter { code, jt: yes, jf: no, k });
    }

    fn load(&mut self, place: u32) {
        self.statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, place);
    }

    fn allow(&mut self) {
        self.statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW);
    }

    fn stop(&mut self, kind: u32) {
        self.statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_TRACE | kind);
    }

    /// What is done at one call, which decides: `block` ends in a return on each way.
    fn at(&mut self, number: libc::c_long, block: impl FnOnce(&mut Self)) {
        let place = self.0.len();
        self.jump(libc::BPF_JEQ, number as u32, 0, 0);
        block(self);
        self.0[place].jf = (self.0.len() - place - 1) as u8;
    }
}

/// The filter of this kind of processor.
pub(crate) fn program(processor: u32) -> Vec<sock_filter> {
    let mut program = Program(Vec::new());
    program.load(ARCHITECTURE);
    program.jump(libc::BPF_JEQ, processor, 1, 0);
    program.stop(FOREIGN);
    program.load(NUMBER);
    for (first, last) in calls::harmless() {
        if first == last {
            program.jump(libc::BPF_JEQ, first, 0, 1);
        } else {
            program.jump(libc::BPF_JGE, first, 0, 2);
            program.jump(libc::BPF_JGT, last, 1, 0);
        }
        program.allow();
    }
    // A file that is mapped for writing, and shared.
    program.at(libc::SYS_mmap, |block| {
        block.load(argument(3));
        block.jump(libc::BPF_JSET, libc::MAP_ANONYMOUS as u32, 3, 0);
        block.jump(libc::BPF_JSET, libc::MAP_SHARED as u32, 0, 2);
        block.load(argument(2));
        block.jump(libc::BPF_JSET, libc::PROT_WRITE as u32, 1, 0);
        block.allow();
        block.stop(NATIVE);
    });
    program.at(libc::SYS_clone, |block| {
        block.load(argument(0));
        block.jump(libc::BPF_JSET, CLONE_APART, 1, 0);
        block.allow();
        block.stop(NATIVE);
    });
    // To an address of its own.
    program.at(libc::SYS_sendto, |block| {
        block.load(argument(4));
        block.jump(libc::BPF_JEQ, 0, 0, 3);
        block.load(argument(4) + 4);
        block.jump(libc::BPF_JEQ, 0, 0, 1);
        block.allow();
        block.stop(NATIVE);
    });
    program.at(libc::SYS_prctl, |block| {
        block.load(argument(0));
        block.jump(libc::BPF_JEQ, libc::PR_SET_SECCOMP as u32, 1, 0);
        block.allow();
        block.stop(NATIVE);
    });
    program.stop(NATIVE);
    program.0
}

/// Gives the calling thread the filter, and all that it starts. It allocates nothing, so that it may run between fork and exec.
#[allow(unsafe_code)]
pub(crate) fn install(program: &[sock_filter]) -> Result<(), Errno> {
    let given = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: two system calls; the second one reads `program`, which outlives it, as long as `given` says.
    unsafe {
        Errno::result(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
        Errno::result(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const given, 0, 0))?;
    }
    Ok(())
}
