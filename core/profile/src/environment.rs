//! What counts of the same code depend on: the tool, and the libraries that a process has loaded.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

/// Folders of what is installed on a machine. What lies elsewhere may be the subject itself.
const INSTALLED: [&str; 5] = ["/usr/", "/lib/", "/lib64/", "/opt/", "/nix/store/"];
/// A build id stands in this part of a file.
const HEAD: u64 = 8192;
/// The note that holds a build id of 20 bytes: sizes of name and content, type, name (`NT_GNU_BUILD_ID` of ELF).
const NOTE: [u8; 16] = *b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0";
const BUILD_ID: usize = 20;
/// Bytes of a digest.
const DIGEST: usize = 8;

/// How valgrind names itself and its version: `valgrind-3.24.0`; empty where it can't be asked.
pub(crate) fn valgrind() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let said = Command::new("valgrind").arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
        said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).unwrap_or_default()
    })
}

/// Digest of the installed programs and libraries whose code a process has loaded, by their names and build ids; empty where the process can't be looked into.
pub(crate) fn libraries(process: u32) -> String {
    let Ok(maps) = fs::read_to_string(format!("/proc/{process}/maps")) else { return String::new() };
    let loaded: BTreeSet<(String, Vec<u8>)> = executable(&maps)
        .into_iter()
        .map(|path| {
            let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
            (name.unwrap_or_default(), identity(Path::new(path)))
        })
        .collect();
    if loaded.is_empty() {
        return String::new();
    }
    let mut digest = Sha256::new();
    for (name, identity) in loaded {
        digest.update(name.len().to_le_bytes());
        digest.update(name);
        digest.update(identity.len().to_le_bytes());
        digest.update(identity);
    }
    digest.finalize().iter().take(DIGEST).map(|byte| format!("{byte:02x}")).collect()
}

/// The installed files of which a process has code in its memory, each once.
fn executable(maps: &str) -> BTreeSet<&str> {
    maps.lines()
        .filter(|line| line.split_whitespace().nth(1).is_some_and(|rights| rights.contains('x')))
        .filter_map(|line| line.find('/').map(|at| &line[at..]))
        .filter(|path| INSTALLED.iter().any(|folder| path.starts_with(folder)))
        .collect()
}

/// A file's build id; its size, where it has none.
fn identity(path: &Path) -> Vec<u8> {
    let head = fs::File::open(path).and_then(|file| {
        let mut head = Vec::new();
        file.take(HEAD).read_to_end(&mut head)?;
        Ok(head)
    });
    let head = head.unwrap_or_default();
    let at = head.windows(NOTE.len()).position(|window| window == NOTE).map(|at| at + NOTE.len());
    match at.and_then(|at| head.get(at..at + BUILD_ID)) {
        Some(id) => id.to_vec(),
        None => path.metadata().map_or(0, |file| file.len()).to_le_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::{NOTE, executable, identity, libraries};

    #[test]
    fn installed_code_counts_and_nothing_else() {
        let maps = "\
            5500-5600 r-xp 00000000 08:01 42   /usr/bin/php8.2\n\
            5600-5700 r--p 00000000 08:01 42   /usr/lib/data.so\n\
            5700-5800 r-xp 00000000 08:01 42   /usr/lib/x86_64-linux-gnu/libc.so.6\n\
            5800-5900 r-xp 00000000 08:01 42   /usr/lib/x86_64-linux-gnu/libc.so.6\n\
            5900-6000 r-xp 00000000 08:01 42   /home/u/project/bench\n\
            6000-6100 r-xp 00000000 00:00 0    [vdso]\n";
        let found: Vec<&str> = executable(maps).into_iter().collect();
        assert_eq!(found, ["/usr/bin/php8.2", "/usr/lib/x86_64-linux-gnu/libc.so.6"]);
    }

    #[test]
    fn a_file_is_known_by_its_build_id_and_else_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            identity(&folder.path().join(name))
        };
        let of = |id: u8, rest: usize| [&[0; 600][..], &NOTE, &[id; 20], &vec![0; rest]].concat();
        assert_eq!(write("a", &of(7, 10)), [7; 20]);
        assert_eq!(write("b", &of(7, 99)), [7; 20], "whatever else has changed");
        assert_eq!(write("c", b"none"), 4u64.to_le_bytes());
        assert_eq!(write("d", &NOTE), 16u64.to_le_bytes(), "a note that is cut off");
    }

    #[test]
    fn a_process_has_the_same_libraries_twice() {
        let own = libraries(std::process::id());
        assert_eq!((own.len(), libraries(std::process::id())), (16, own));
        assert_eq!(libraries(u32::MAX), "");
    }
}
