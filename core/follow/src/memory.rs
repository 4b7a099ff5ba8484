//! What a stopped process has in its memory.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::IoSliceMut;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

/// The longest path that the kernel takes, with the byte that ends it.
const LONGEST_PATH: usize = libc::PATH_MAX as usize;
/// What is mapped is mapped in multiples of this, on every processor that we know.
const PAGE: u64 = 4096;

/// Reads so many bytes, or fewer where what follows isn't mapped. None: nothing can be read.
fn read(process: Pid, address: u64, into: &mut [u8]) -> Option<usize> {
    let remote = [RemoteIoVec { base: usize::try_from(address).ok()?, len: into.len() }];
    if let Ok(count) = process_vm_readv(process, &mut [IoSliceMut::new(into)], &remote) {
        return (count > 0).then_some(count);
    }
    // A container's filter may refuse the call, and leave this.
    let memory = File::open(format!("/proc/{process}/mem")).ok()?;
    memory.read_at(into, address).ok().filter(|&count| count > 0)
}

/// Bytes at an address, all of them.
pub(crate) fn bytes<const N: usize>(process: Pid, address: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (read(process, address, &mut bytes)? == N).then_some(bytes)
}

/// Bytes at an address, of a length that the process says, at most `most`.
pub(crate) fn up_to(process: Pid, address: u64, length: u64, most: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(most).min(most)];
    let count = read(process, address, &mut bytes)?;
    bytes.truncate(count);
    Some(bytes)
}

/// A number at an address.
pub(crate) fn word(process: Pid, address: u64) -> Option<u64> {
    bytes(process, address).map(u64::from_ne_bytes)
}

/// The path at an address. None: it can't be read, or has no end.
pub(crate) fn path(process: Pid, address: u64) -> Option<PathBuf> {
    let mut text = Vec::new();
    let mut page = [0; PAGE as usize];
    while text.len() < LONGEST_PATH {
        let from = address.checked_add(text.len() as u64)?;
        let wanted = (PAGE - from % PAGE) as usize;
        let count = read(process, from, &mut page[..wanted])?;
        if let Some(end) = page[..count].iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&page[..end]);
            let text = CString::new(text).ok()?;
            return Some(PathBuf::from(OsString::from_vec(text.into_bytes())));
        }
        text.extend_from_slice(&page[..count]);
    }
    None
}
