//! What the kernel tells a program at its start, and that it isn't to be told: where the code is that reads clocks without a system call.

use nix::sys::ptrace;
use nix::unistd::Pid;

use crate::memory;

/// Arguments and environment have at most so many pointers before we stop looking for their end.
const MOST_POINTERS: u64 = 1 << 20;
/// More than any kernel has entries.
const MOST_ENTRIES: u64 = 64;
/// Words that are read at a time.
const WORDS: usize = 64;
const WORD: u64 = 8;

/// Keys of the auxiliary vector (getauxval(3)): its end, an entry without a meaning, and where the kernel's code for processes lies.
const AT_NULL: u64 = 0;
const AT_IGNORE: u64 = 1;
const AT_SYSINFO_EHDR: u64 = 33;

/// Takes from a program that stands before its first instruction where the kernel's own code for processes lies (vdso(7)): it makes system calls
/// instead. Whether that was done, or there was nothing to take.
#[allow(unsafe_code)]
pub(crate) fn hide_kernel_code(thread: Pid) -> bool {
    let Ok(stack) = ptrace::syscall_info(thread).map(|info| info.stack_pointer) else { return false };
    let mut words = Words { thread, next: stack, read: Vec::new() };
    // The number of arguments, pointers to them, an end; pointers to the environment, an end (the System V ABI of each processor).
    let (Some(_), true, true) = (words.next(), words.skip_to_end(), words.skip_to_end()) else { return false };
    for _ in 0..MOST_ENTRIES {
        let place = words.next;
        match (words.next(), words.next()) {
            (Some(AT_NULL), _) => return true,
            (Some(AT_SYSINFO_EHDR), Some(_)) => {
                return ptrace::write(thread, place as ptrace::AddressType, AT_IGNORE as libc::c_long).is_ok();
            }
            (Some(_), Some(_)) => {}
            _ => return false,
        }
    }
    false
}

/// Words in the memory of a process, one after the other.
struct Words {
    thread: Pid,
    next: u64,
    /// What was read in advance, the next one last.
    read: Vec<u64>,
}

impl Words {
    fn next(&mut self) -> Option<u64> {
        if self.read.is_empty() {
            let bytes = memory::up_to(self.thread, self.next, WORD * WORDS as u64, WORDS * WORD as usize)?;
            let words =
                bytes.chunks_exact(WORD as usize).filter_map(|word| word.try_into().ok().map(u64::from_ne_bytes));
            self.read = words.collect();
            self.read.reverse();
        }
        self.next = self.next.checked_add(WORD)?;
        self.read.pop()
    }

    /// Behind the next word that is 0; whether there is one.
    fn skip_to_end(&mut self) -> bool {
        (0..MOST_POINTERS).map_while(|_| self.next()).any(|word| word == 0)
    }
}
