//! What is in a package's archive: Go objects, and objects of other compilers.
//!
//! The format is that of `cmd/internal/archive` in Go's sources: that of `ar`, without an index.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::object::Object;
use super::unlinked::Unlinked;

/// Larger archives aren't read, bytes.
const LARGEST: u64 = 1 << 30;
const MAGIC: &[u8] = b"!<arch>\n";
/// Bytes of an entry's header.
const HEADER: usize = 60;
/// Begins the text in front of a Go object.
const GO_OBJECT: &[u8] = b"go object ";
const CGO: &[u8] = b"\n$$  // cgo\n";

/// The content of an archive.
#[derive(Debug, Default)]
pub(super) struct Archive {
    pub(super) objects: Vec<Object>,
    /// Objects that Go's compiler and assembler didn't make: name and content.
    pub(super) foreign: Vec<(String, Vec<u8>)>,
    /// What cgo tells the linker, as in the archive.
    pub(super) directives: Vec<u8>,
    /// System, processor, version and experiments for which it was compiled.
    pub(super) target: String,
}

/// Reads the archive at `path`.
///
/// # Errors
/// See [`Unlinked`].
pub(super) fn read(path: &Path) -> Result<Archive, Unlinked> {
    let io = |source| Unlinked::Io { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Unlinked::TooLarge);
    }
    parse(&bytes)
}

/// Reads an archive from its bytes.
pub(super) fn parse(bytes: &[u8]) -> Result<Archive, Unlinked> {
    let damaged = || Unlinked::Damaged("an archive of a package");
    let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let mut archive = Archive::default();
    while !rest.is_empty() {
        let (header, after) = rest.split_at_checked(HEADER).ok_or_else(damaged)?;
        let name = String::from_utf8_lossy(&header[..16]).trim_end().to_owned();
        let size = std::str::from_utf8(&header[48..58]).ok().and_then(|size| size.trim().parse::<usize>().ok());
        let (content, after) = size.and_then(|size| after.split_at_checked(size)).ok_or_else(damaged)?;
        archive.add(name, content)?;
        // Entries begin at even places.
        rest = if content.len() % 2 == 1 { after.get(1..).unwrap_or_default() } else { after };
    }
    Ok(archive)
}

impl Archive {
    fn add(&mut self, name: String, content: &[u8]) -> Result<(), Unlinked> {
        // What other packages' compilation needs to know; nothing of it is linked.
        if name == "__.PKGDEF" {
            return Ok(());
        }
        let Some(words) = content.strip_prefix(GO_OBJECT) else {
            self.foreign.push((name, content.to_vec()));
            return Ok(());
        };
        let end = find(content, b"\n!\n").ok_or(Unlinked::Damaged("an object's header"))?;
        let text = &content[..end];
        if let Some(from) = find(text, CGO) {
            let directives = &text[from + CGO.len()..];
            let length = find(directives, b"\n$$").unwrap_or(directives.len());
            self.directives.extend_from_slice(&directives[..length]);
            self.directives.push(b'\n');
        }
        let target = String::from_utf8_lossy(words.split(|byte| *byte == b'\n').next().unwrap_or_default());
        if self.target.is_empty() {
            self.target = target.into_owned();
        } else if self.target != target {
            return Err(Unlinked::Damaged("an archive of several toolchains"));
        }
        self.objects.push(Object::read(content[end + 3..].to_vec())?);
        Ok(())
    }
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}
