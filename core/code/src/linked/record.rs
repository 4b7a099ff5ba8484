//! What the linker was called with, as the wrapper of the linker leaves it (`sdk/rust/wrapper`): a folder with copies of objects and libraries, and the arguments.

use std::io;
use std::path::{Path, PathBuf};

/// Arguments, each with a zero behind it.
const ARGUMENTS: &str = "arguments";
/// Begins an argument that is the name of a file in the folder.
const KEPT: u8 = 1;
/// Longer lists aren't read, bytes.
const LARGEST: u64 = 16 << 20;

/// Libraries of the system, whose functions call nothing of a program but what they are given.
const OF_THE_SYSTEM: [&str; 12] =
    ["c", "m", "dl", "rt", "util", "pthread", "gcc", "gcc_s", "gcc_eh", "unwind", "stdc++", "atomic"];

/// Settings that rustc gives a linker by itself. Others can give names another meaning, or call what nothing refers to (`--wrap`, `-init`, scripts).
const SETTINGS: [&str; 26] = [
    "-m64",
    "-pie",
    "-no-pie",
    "-static",
    "-static-pie",
    "-nodefaultlibs",
    "-nostartfiles",
    "-Wl,--as-needed",
    "-Wl,--no-as-needed",
    "-Wl,-Bstatic",
    "-Wl,-Bdynamic",
    "-Wl,--eh-frame-hdr",
    "-Wl,-z,noexecstack",
    "-Wl,-z,relro",
    "-Wl,-z,now",
    "-Wl,-z,relro,-z,now",
    "-Wl,-z,nostart-stop-gc",
    "-Wl,--gc-sections",
    "-Wl,-O1",
    "-Wl,--strip-debug",
    "-Wl,--strip-all",
    "-Wl,--start-group",
    "-Wl,--end-group",
    "-Wl,--no-undefined-version",
    "-fuse-ld=lld",
    "-fuse-ld=mold",
];

/// What was linked.
pub(super) struct Record {
    /// Objects and archives, in their order.
    pub(super) inputs: Vec<PathBuf>,
    /// All other arguments that say what becomes of them.
    pub(super) settings: Vec<Vec<u8>>,
    /// The first library that isn't one of the system's, or setting that isn't rustc's.
    pub(super) foreign: Option<String>,
}

pub(super) fn read(folder: &Path) -> io::Result<Record> {
    let text = tare_files::read(&folder.join(ARGUMENTS), LARGEST)?;
    let mut record = Record { inputs: Vec::new(), settings: Vec::new(), foreign: None };
    let mut arguments = text.split(|byte| *byte == 0).filter(|argument| !argument.is_empty());
    while let Some(argument) = arguments.next() {
        let shown = String::from_utf8_lossy(argument);
        match argument {
            [KEPT, name @ ..] => record.inputs.push(folder.join(&*String::from_utf8_lossy(name))),
            [b'/', ..] if [".rlib", ".a", ".o"].iter().any(|ending| shown.ends_with(ending)) => {
                record.inputs.push(PathBuf::from(&*shown));
            }
            // Where it is written, where libraries and tools are looked for: places that differ between two checkouts.
            b"-o" | b"-L" => {
                arguments.next();
            }
            [b'-', b'L' | b'B', ..] => {}
            [b'-', b'l', name @ ..] => {
                let name = String::from_utf8_lossy(name);
                if !OF_THE_SYSTEM.contains(&&*name) {
                    record.foreign.get_or_insert_with(|| name.into_owned());
                }
            }
            [b'@', ..] => {
                record.foreign.get_or_insert_with(|| "a file of arguments".to_owned());
            }
            [b'-', ..] => {
                if !SETTINGS.contains(&&*shown) {
                    record.foreign.get_or_insert_with(|| format!("the setting {shown}"));
                }
                record.settings.push(argument.to_owned());
            }
            _ => {
                record.foreign.get_or_insert_with(|| shown.into_owned());
            }
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::read;

    #[test]
    fn inputs_settings_and_libraries_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = "-m64\0\u{1}0-a.o\0/lib/rustlib/libstd.rlib\0-L\0/x\0-L/y\0-B/z\0-lgcc_s\0-o\0out\0-pie\0";
        fs::write(folder.path().join("arguments"), arguments).unwrap();
        let record = read(folder.path()).unwrap();
        assert_eq!(record.inputs, [folder.path().join("0-a.o"), "/lib/rustlib/libstd.rlib".into()]);
        assert_eq!(record.settings, [b"-m64".to_vec(), b"-pie".to_vec()]);
        assert_eq!(record.foreign, None);
        for foreign in ["-lown", "/x/libown.so", "@more", "-Wl,--wrap=a", "-Wl,-init=a", "-Tscript", "-Wl,script.ld"] {
            fs::write(folder.path().join("arguments"), format!("{foreign}\0-pie\0")).unwrap();
            assert!(read(folder.path()).unwrap().foreign.is_some(), "{foreign}");
        }
    }
}
