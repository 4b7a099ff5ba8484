//! A program that does nothing, as small as one can be: what the system takes to start and await any.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// `exit(0)`, and the number by which an ELF file names the architecture.
#[cfg(target_arch = "x86_64")]
const CODE: (u8, &[u8]) = (62, &[0x31, 0xff, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05]);
#[cfg(target_arch = "aarch64")]
const CODE: (u8, &[u8]) = (183, &[0, 0, 0x80, 0xd2, 0xa8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4]);

const HEADER: usize = 64;
const SEGMENT: usize = 56;
const AT: u64 = 0x40_0000;

/// Writes it to `path`, executable: a static ELF file with one segment, no library and no loader.
pub(crate) fn write(path: &Path) -> io::Result<()> {
    fs::write(path, file())?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

/// Header, one loaded segment that is the whole file, and the code.
fn file() -> Vec<u8> {
    let (machine, code) = CODE;
    let length = (HEADER + SEGMENT + code.len()) as u64;
    let entry = AT + (HEADER + SEGMENT) as u64;
    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, machine, 0, 1, 0, 0, 0];
    for value in [entry, HEADER as u64, 0] {
        file.extend(value.to_le_bytes());
    }
    file.extend([0, 0, 0, 0, HEADER as u8, 0, SEGMENT as u8, 0, 1, 0, 64, 0, 0, 0, 0, 0]);
    // Loaded, readable and executable.
    file.extend([1, 0, 0, 0, 5, 0, 0, 0]);
    for value in [0, AT, AT, length, length, 0x1000] {
        file.extend(value.to_le_bytes());
    }
    file.extend(code);
    file
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn it_starts_and_ends_with_0() {
        let path = std::env::temp_dir().join(format!("tare-empty-{}", std::process::id()));
        super::write(&path).unwrap();
        // Another test that starts a process just then has the file open for writing for a moment.
        let output = loop {
            match Command::new(&path).output() {
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
                output => break output,
            }
        };
        std::fs::remove_file(&path).unwrap();
        assert!(output.unwrap().status.success());
    }
}
