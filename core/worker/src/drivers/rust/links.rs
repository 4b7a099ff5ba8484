//! A program linked again with its functions in another order, by what its record says of the first link (`sdk/rust/wrapper/link.rs`).
//!
//! LLD shuffles sections by a number (`--shuffle-sections`), and rustc gives each function a section of its own. The toolchain brings LLD along since Rust 1.70, and links with it by itself since 1.90;
//! where another linker was used the objects are the same. mold shuffles all sections alike.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::kept::record_of;
use crate::building;
use crate::cache::fingerprint;
use crate::drivers::links::{Links, first_line, several};

/// Bytes of the largest list of arguments that is read.
const LARGEST: u64 = 16 << 20;
/// Bytes of the links of a program, and how many there are however large they are.
const LARGEST_LINKS: u64 = 256 << 20;
const FEWEST: u32 = 8;
const SHUFFLE: &str = "--shuffle-sections";
/// Linkers that don't, in whose place LLD links.
const WITHOUT_SHUFFLE: [&str; 2] = ["-fuse-ld=bfd", "-fuse-ld=gold"];
/// Where a toolchain's own libraries lie within it.
const TOOLCHAIN: &str = "/lib/rustlib/x86_64-unknown-linux-gnu/";

/// The paths of `count` programs, in order of the numbers that their functions are shuffled by; of fewer where `enough` says so.
///
/// # Errors
/// Why there are none.
pub(super) fn linked(program: &Path, count: u32, enough: &(dyn Fn() -> bool + Sync)) -> Result<Vec<String>, String> {
    let record = record_of(program);
    let said = tare_files::read(&record.join("arguments"), LARGEST);
    let said = said.map_err(|_| "it isn't known how it was linked".to_owned())?;
    let (Some(folder), Some(name)) = (program.parent(), program.file_name().and_then(|name| name.to_str())) else {
        return Err("its path isn't text".to_owned());
    };
    if said.windows(SHUFFLE.len()).any(|word| word == SHUFFLE.as_bytes()) {
        return Err(format!("{SHUFFLE} is set already"));
    }
    let called = tare_files::read(&record.join("called"), LARGEST).unwrap_or_default();
    let called = String::from_utf8_lossy(&called).into_owned();
    let (linker, from) = called.split_once('\0').unwrap_or(("cc", ""));
    let mut links = Links::of(folder, name, "");
    let count = count.min(affordable(&links));
    links.complete(count, |links, missing| {
        let fresh =
            tempfile::Builder::new().prefix("building-").tempdir_in(folder).map_err(|error| error.to_string())?;
        several(missing, enough, &|number| {
            let out = fresh.path().join(number.to_string());
            let arguments = arguments(&said, &record, &out, number);
            let mut command = Command::new(linker);
            if Path::new(from).is_dir() {
                command.current_dir(from);
            }
            let output = building::output(command.args(arguments)).map_err(|error| error.to_string())?;
            let content = fs::read(&out).ok().filter(|_| output.status.success());
            let content = content.ok_or_else(|| first_line(&[output.stderr, output.stdout].concat(), "the linker"))?;
            fs::rename(&out, links.path(number)).map_err(|error| error.to_string())?;
            Ok(fingerprint(&content))
        })
    })?;
    Ok(links.paths(count))
}

/// Links that fit into [`LARGEST_LINKS`], by the size of the first.
fn affordable(links: &Links) -> u32 {
    let bytes = fs::metadata(links.path(1)).map_or(1, |metadata| metadata.len().max(1));
    u32::try_from(LARGEST_LINKS / bytes).unwrap_or(u32::MAX).max(FEWEST)
}

/// The arguments of the first link, for a program at `out` with its functions in the order of this number.
fn arguments(said: &[u8], record: &Path, out: &Path, number: u32) -> Vec<OsString> {
    let said: Vec<String> =
        said.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let mut arguments: Vec<OsString> = Vec::new();
    let mut follows_name_of_output = false;
    let is_linked_again = |word: &&String| !word.is_empty() && !WITHOUT_SHUFFLE.contains(&word.as_str());
    for word in said.iter().filter(is_linked_again) {
        arguments.push(match word.strip_prefix('\u{1}') {
            Some(copy) => record.join(copy).into(),
            None if follows_name_of_output => out.into(),
            None => word.into(),
        });
        follows_name_of_output = word == "-o";
    }
    let linker_of_its_own = said.iter().filter(is_linked_again).find_map(|word| word.strip_prefix("-fuse-ld="));
    let toolchain = said.iter().find_map(|word| Some(&word[..word.find(TOOLCHAIN)?]));
    if let (None, Some(toolchain)) = (linker_of_its_own, toolchain) {
        arguments.push(format!("-B{toolchain}{TOOLCHAIN}bin/gcc-ld").into());
        arguments.push("-fuse-ld=lld".into());
    }
    let is_mold = linker_of_its_own.is_some_and(|linker| linker.ends_with("mold"));
    let which = if is_mold { "" } else { ".text*=" };
    arguments.push(format!("-Wl,{SHUFFLE}={which}{number}").into());
    // Names take four fifths of a program, and no link needs them.
    arguments.push("-Wl,--strip-all".into());
    arguments
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::arguments;

    fn of(said: &str) -> Vec<String> {
        let said = said.replace(' ', "\0") + "\0";
        let all = arguments(said.as_bytes(), Path::new("/r"), Path::new("/out"), 7);
        all.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn copies_of_objects_are_linked_to_another_place_in_another_order() {
        let (shuffle, strip) = ("-Wl,--shuffle-sections=.text*=7", "-Wl,--strip-all");
        assert_eq!(
            of("-m64 \u{1}1-a.o -o /old -fuse-ld=lld"),
            ["-m64", "/r/1-a.o", "-o", "/out", "-fuse-ld=lld", shuffle, strip]
        );
        // Where the toolchain has called the system's linker.
        let std = "/t/lib/rustlib/x86_64-unknown-linux-gnu/lib/libstd.rlib";
        let lld = "-B/t/lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld";
        let in_lld = [std, "-o", "/out", lld, "-fuse-ld=lld", shuffle, strip];
        assert_eq!(of(&format!("{std} -o /old")), in_lld);
        assert_eq!(of(&format!("{std} -fuse-ld=bfd -o /old")), in_lld);
        let mold = "-fuse-ld=/usr/bin/mold";
        assert_eq!(of(&format!("{std} -o /old {mold}")), [std, "-o", "/out", mold, "-Wl,--shuffle-sections=7", strip]);
    }
}
