//! What the kernel loads beside an executable: the interpreter of a script, and the dynamic linker of a program. No system call names them.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use object::elf::{FileHeader64, PT_INTERP};
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadRef};

/// A script's first line, as far as the kernel reads it (`BINPRM_BUF_SIZE`).
const FIRST_LINE: usize = 256;
/// The longest path of a linker.
const LONGEST_PATH: u64 = 4096;

/// What the kernel loads with an executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Loads {
    /// This is executed in its place, and may be a script, too.
    Interpreter(PathBuf),
    /// The dynamic linker.
    Linker(PathBuf),
    /// Nothing.
    Nothing,
    /// It is of a format that the kernel may know and we don't.
    Unknown,
}

/// What the kernel loads with the executable at `path`.
pub(crate) fn loads(path: &Path) -> Loads {
    of(path).unwrap_or(Loads::Unknown)
}

fn of(path: &Path) -> Option<Loads> {
    let file = File::open(path).ok()?;
    let mut first = [0; FIRST_LINE];
    let count = file.read_at(&mut first, 0).ok()?;
    let first = &first[..count];
    if let Some(line) = first.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next()?;
        let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
        let name = line.split(is_blank).find(|word| !word.is_empty())?;
        // The kernel refuses a name that doesn't end within what it reads.
        return Some(Loads::Interpreter(PathBuf::from(OsStr::from_bytes(name))));
    }
    let data = ReadCache::new(&file);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    for segment in header.program_headers(endian, &data).ok()? {
        if segment.p_type(endian) == PT_INTERP {
            let (offset, size) = (segment.p_offset(endian), segment.p_filesz(endian));
            let name = (&data).read_bytes_at(offset, (size <= LONGEST_PATH).then_some(size)?).ok()?;
            let name = name.split(|&byte| byte == 0).next()?;
            return Some(Loads::Linker(PathBuf::from(OsStr::from_bytes(name))));
        }
    }
    Some(Loads::Nothing)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{Loads, loads};

    #[test]
    fn what_is_loaded_beside_is_found_and_what_is_not_known_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            loads(&path)
        };
        assert_eq!(written("a", b"#! \t/usr/bin/env  python3\nx"), Loads::Interpreter(PathBuf::from("/usr/bin/env")));
        assert_eq!(written("b", b"#!\n"), Loads::Unknown);
        assert_eq!(written("c", b"\x7fELF"), Loads::Unknown);
        assert_eq!(written("d", b""), Loads::Unknown);
        assert_eq!(loads(Path::new("/nowhere")), Loads::Unknown);
        let own = loads(&std::env::current_exe().unwrap());
        assert!(
            matches!(&own, Loads::Linker(path) if path.starts_with("/lib64") || path.starts_with("/lib")),
            "{own:?}"
        );
    }
}
