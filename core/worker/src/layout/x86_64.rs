//! System calls in the place of a stopped process, and what it is to know of where it lies: x86-64.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use nix::errno::Errno;
use nix::sys::ptrace;

use super::image::{Image, MOST_ENTRIES, memory, words};
use super::{Followed, Placed};

/// `syscall`.
const SYSTEM_CALL: [u8; 2] = [0x0f, 0x05];
/// A system call that failed gives a number from this to -1, as the kernel writes it into a register.
const LAST_ERROR: u64 = -4095i64 as u64;
/// Arguments and environment have at most so many pointers before we stop looking for their end.
const MOST_POINTERS: u64 = 1 << 20;

/// Puts the executable of a process that stands before its first instruction at the address that `chosen` stands for, and lets what it
/// maps begin where that says.
pub(super) fn place(followed: &mut Followed, child: u32, image: &Image, chosen: u64) -> Placed {
    // What can fail is done before anything is moved.
    let Ok(mut stopped) = Stopped::of(followed, child, image) else { return Placed::Elsewhere };
    let placed = image.distance(chosen).map_or(Placed::Elsewhere, |by| stopped.move_by(image, by));
    if placed != Placed::HalfMoved
        && let Some((from, length)) = image.gap(chosen)
    {
        // What is mapped from now on lies below. Nothing can be read or written there, so that it takes no memory.
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        let none = [from, length, libc::PROT_NONE as u64, flags as u64, u64::MAX, 0];
        // It may be limited in what it maps (RLIMIT_AS).
        let _ = stopped.call(libc::SYS_mmap, none);
    }
    let Stopped { followed, registers, .. } = stopped;
    if ptrace::setregs(followed.process, registers).is_ok() { placed } else { Placed::HalfMoved }
}

/// A process that stands before its first instruction.
struct Stopped<'a> {
    followed: &'a mut Followed,
    registers: libc::user_regs_struct,
    memory: File,
    /// Where a system call stands.
    call: u64,
    /// Where its stack points into the image, and with what.
    pointers: Vec<(u64, u64)>,
}

impl<'a> Stopped<'a> {
    fn of(followed: &'a mut Followed, child: u32, image: &Image) -> io::Result<Self> {
        let memory = memory(child)?;
        let registers = ptrace::getregs(followed.process)?;
        let pointers = pointers(&memory, registers.rsp, image)?;
        let mut code = vec![0; (image.vdso.1 - image.vdso.0) as usize];
        memory.read_exact_at(&mut code, image.vdso.0)?;
        let call = code.windows(2).position(|two| two == SYSTEM_CALL).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { followed, registers, memory, call: image.vdso.0 + call as u64, pointers })
    }

    /// Moves all of the image, then what points to it.
    fn move_by(&mut self, image: &Image, by: u64) -> Placed {
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as u64;
        for (number, &(from, length)) in image.mappings.iter().enumerate() {
            let moved = self.call(libc::SYS_mremap, [from, length, length, flags, from.wrapping_add(by), 0]);
            if moved.is_err() {
                return if number == 0 { Placed::Elsewhere } else { Placed::HalfMoved };
            }
        }
        let told = self
            .pointers
            .iter()
            .all(|&(place, value)| self.memory.write_all_at(&value.wrapping_add(by).to_le_bytes(), place).is_ok());
        if told { Placed::There } else { Placed::HalfMoved }
    }

    /// Makes one system call in the place of the process. What is in its registers is put back by the code that lets it go.
    fn call(&mut self, number: libc::c_long, arguments: [u64; 6]) -> nix::Result<u64> {
        let mut registers = self.registers;
        registers.rip = self.call;
        registers.rax = number as u64;
        // Not in a system call: nothing is to be begun again.
        registers.orig_rax = u64::MAX;
        [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9] = arguments;
        let process = self.followed.process;
        ptrace::setregs(process, registers)?;
        let step = |followed: &Followed| ptrace::step(followed.process, None);
        loop {
            step(self.followed)?;
            self.followed.trapped(step)?;
            let now = ptrace::getregs(process)?;
            // A trap of somebody else's is no step.
            if now.rip != registers.rip {
                break;
            }
        }
        let answer = ptrace::getregs(process)?.rax;
        if answer < LAST_ERROR { Ok(answer) } else { Err(Errno::from_raw((answer as i64).unsigned_abs() as i32)) }
    }
}

/// Where the auxiliary vector on the stack points into the image, and with what: it stands behind the arguments and the environment.
fn pointers(memory: &File, stack: u64, image: &Image) -> io::Result<Vec<(u64, u64)>> {
    let word = |place: u64| {
        let mut bytes = [0; 8];
        memory.read_exact_at(&mut bytes, place).map(|()| u64::from_le_bytes(bytes))
    };
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let mut left = MOST_POINTERS;
    let mut place = stack + 8 * (word(stack)?.min(left) + 2);
    while word(place)? != 0 {
        place += 8;
        left = left.checked_sub(1).ok_or_else(invalid)?;
    }
    place += 8;
    let mut bytes = vec![0; 16 * MOST_ENTRIES];
    // Strings stand behind it, but not always enough of them.
    let count = memory.read_at(&mut bytes, place)?;
    let entries = words(&bytes[..count]);
    let entries = entries.chunks_exact(2).take_while(|pair| pair[0] != 0);
    let found: Vec<(u64, u64)> = entries
        .enumerate()
        .filter(|(_, pair)| image.known.contains(&(pair[0], pair[1])))
        .map(|(entry, pair)| (place + 16 * entry as u64 + 8, pair[1]))
        .collect();
    if found.len() == image.known.len() { Ok(found) } else { Err(invalid()) }
}
