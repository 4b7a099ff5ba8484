//! What objects say of a function beside its code (`cmd/internal/goobj/funcinfo.go` in Go's sources).

use super::link::{Id, Linked};
use super::object::Reference;

/// Bytes in front of the table of files, and of one function that was inlined.
const FIXED: usize = 16;
const INLINED: usize = 24;

/// The description of a function, lines and files apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Described<'a> {
    /// Size of arguments and variables, what the runtime knows the function by, and flags.
    frame: &'a [u8],
    /// The functions whose code was put in: where within which of them, and the function.
    inlined: Vec<(i32, i32, Option<Id>)>,
}

/// Where the function is in its sources.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lines<'a> {
    start: &'a [u8],
    inlined: Vec<u32>,
    /// Names of the files without their folders, which differ on both sides.
    files: Vec<&'a [u8]>,
}

/// Reads the description of a function of a part.
pub(super) fn described<'a>(linked: &'a Linked, part: usize, data: &'a [u8]) -> Option<(Described<'a>, Lines<'a>)> {
    let count = number(data, FIXED)? as usize;
    let tree = FIXED.checked_add(4)?.checked_add(count.checked_mul(4)?)?;
    let numbers = data.get(FIXED + 4..tree)?.chunks_exact(4);
    let paths = numbers.map(|entry| linked.parts.get(part)?.object.file(number(entry, 0)?));
    let names = paths.map(|path| path?.rsplit(|byte| *byte == b'/').next());
    let files = names.collect::<Option<Vec<_>>>()?;
    let count = number(data, tree)? as usize;
    let tree = data.get(tree.checked_add(4)?..)?;
    if tree.len() != count.checked_mul(INLINED)? {
        return None;
    }
    let (mut inlined, mut lines) = (Vec::new(), Vec::new());
    for node in tree.chunks_exact(INLINED) {
        let reference = Reference { package: number(node, 12)?, symbol: number(node, 16)? };
        let function = linked.resolve(part, reference).ok()?;
        inlined.push((number(node, 0)?.cast_signed(), number(node, 20)?.cast_signed(), function));
        lines.push(number(node, 8)?);
    }
    let described = Described { frame: data.get(..FIXED - 4)?, inlined };
    Some((described, Lines { start: data.get(FIXED - 4..FIXED)?, inlined: lines, files }))
}

impl Described<'_> {
    /// Whether both say the same of functions of two programs, which have them by the same names.
    pub(super) fn same(
        &self,
        linked: &Linked,
        other: &Self,
        second: &Linked,
        fit: &dyn Fn(&[u8], &[u8]) -> bool,
    ) -> bool {
        let pairs = self.inlined.iter().zip(&other.inlined);
        let same = pairs.map(|(one, other)| {
            let functions = match (one.2, other.2) {
                (Some(one), Some(other)) => fit(linked.name(one), second.name(other)),
                (None, None) => true,
                _ => false,
            };
            one.0 == other.0 && one.1 == other.1 && functions
        });
        self.frame == other.frame && self.inlined.len() == other.inlined.len() && same.into_iter().all(|same| same)
    }

    /// The functions whose code was put in.
    pub(super) fn inlined(&self) -> impl Iterator<Item = Id> + '_ {
        self.inlined.iter().filter_map(|(_, _, function)| *function)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
