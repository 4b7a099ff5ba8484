//! An executable as the walk sees it: sections, symbols and what its relocations point at.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// Why a file can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The file can't be read.
    #[error("can't read the executable: {0}")]
    Io(#[from] std::io::Error),
    /// It is larger than 1 GiB.
    #[error("the executable is larger than 1 GiB")]
    TooLarge,
    /// It isn't an ELF file, or a damaged one.
    #[error("not a readable ELF file: {0}")]
    NotElf(String),
    /// It isn't a linked program for x86-64.
    #[error("not an executable for x86-64")]
    OtherMachine,
    /// It has no symbol table, so functions can't be told apart.
    #[error("the executable has no symbol table; build it without -s and don't strip it")]
    NoSymbols,
}

/// An x86-64 ELF executable with its symbol table, read into memory.
#[derive(Debug)]
pub struct Program {
    pub(crate) bytes: Vec<u8>,
    /// Those that are mapped, sorted by address.
    pub(crate) sections: Vec<Section>,
    pub(crate) functions: Symbols,
    pub(crate) objects: Symbols,
    /// What the loader writes into eight bytes at an address.
    pub(crate) words: BTreeMap<u64, Word>,
    /// Objects that the loader copies from a shared library.
    pub(crate) copies: HashMap<u64, String>,
    /// Functions that a shared library may call by their name.
    pub(crate) exported: BTreeMap<String, u64>,
    /// Of each section of thread-local variables its size and what they begin with; nothing of those that begin as zero.
    pub(crate) thread_data: Vec<(u64, Vec<u8>)>,
    /// Whether it says itself where libraries are found (`RPATH`, `RUNPATH`): they may come from the same build.
    pub(crate) own_libraries: bool,
    /// Whether all addresses in data have relocations, and code has none but relative ones.
    pub(crate) position_independent: bool,
    /// What the system maps, notes of the build's number apart, and where it begins.
    pub(crate) loaded: Vec<Loaded>,
    pub(crate) entry: u64,
    /// Shared libraries that it needs, and where it says they are found, in its own order.
    pub(crate) libraries: Vec<(u64, Vec<u8>)>,
    /// Symbols without a size that compilers put into each program: `frame_dummy`, `__dso_handle`.
    pub(crate) fixed: HashMap<u64, &'static str>,
    pub(crate) referenced: OnceLock<Vec<u64>>,
    /// Which functions refer to which variable.
    pub(crate) referrers: OnceLock<Referrers>,
    /// Beginnings of functions to their tables of handlers; `None` if they can't be read.
    pub(crate) handlers: OnceLock<Option<HashMap<u64, u64>>>,
}

/// A section that is mapped, or a segment, with all that is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// Place of its bytes in the file.
    pub(crate) file: Range<usize>,
}

/// Of each variable of the program, by its beginning: the functions that refer to it, and whether data do.
#[derive(Debug, Default)]
pub(crate) struct Referrers {
    pub(crate) functions: HashMap<u64, BTreeSet<u64>>,
    pub(crate) data: BTreeSet<u64>,
}

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    /// Jumps through the global offset table.
    Stubs,
    /// Doesn't change once the program is loaded.
    Constant,
    Writable,
    /// Zero at the start; no bytes in the file.
    Zero,
    /// Which function has which table of handlers (`.eh_frame`).
    Frames,
    /// Handlers of exceptions and the like.
    Other,
}

#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) kind: Kind,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Place of its bytes in the file; empty for [`Kind::Zero`].
    pub(crate) file: Range<usize>,
}

#[derive(Debug)]
pub(crate) struct Symbol {
    pub(crate) start: u64,
    /// Bytes, never 0; `start + size` doesn't overflow.
    pub(crate) size: u64,
    pub(crate) name: String,
    /// Whether every name at this address is one of the SDK.
    pub(crate) sdk: bool,
}

/// Symbols with a size, one for an address, sorted by address.
#[derive(Debug, Default)]
pub(crate) struct Symbols(pub(crate) Vec<Symbol>);

/// What the loader writes into a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    /// The address of something in this program.
    Address(u64),
    /// What the function at this address returns.
    Resolved(u64),
    /// The address of something in a shared library.
    Import { name: String, addend: i64 },
    /// A place in thread-local storage.
    Thread { kind: u32, name: String, value: u64, addend: i64 },
    /// A relocation that isn't understood.
    Strange,
}

impl Program {
    /// The mapped section that holds `address`.
    pub(crate) fn section(&self, address: u64) -> Option<&Section> {
        let after = self.sections.partition_point(|section| section.start <= address);
        let section = self.sections.get(after.checked_sub(1)?)?;
        (address < section.end).then_some(section)
    }

    /// Whether `address` lies in the program or close to it, where no data are. What lies far from it is rather a number.
    pub(crate) fn is_beside_data(&self, address: u64) -> bool {
        const CLOSE: u64 = 64 << 10;
        let (Some(first), Some(last)) = (self.sections.first(), self.sections.last()) else { return false };
        let is_close = first.start.saturating_sub(CLOSE) <= address && address < last.end.saturating_add(CLOSE);
        let holds_data = |section: &Section| matches!(section.kind, Kind::Constant | Kind::Writable | Kind::Zero);
        is_close && !self.position_independent && !self.section(address).is_some_and(holds_data)
    }

    /// `length` bytes at `address`, if one section has them in the file.
    pub(crate) fn bytes(&self, address: u64, length: u64) -> Option<&[u8]> {
        let section = self.section(address)?;
        if address.checked_add(length)? > section.end {
            return None;
        }
        let from = section.file.start.checked_add(usize::try_from(address - section.start).ok()?)?;
        let to = from.checked_add(usize::try_from(length).ok()?)?;
        if to > section.file.end {
            return None;
        }
        self.bytes.get(from..to)
    }

    /// The four bytes at `address`, sign-extended.
    pub(crate) fn raw_half(&self, address: u64) -> Option<i64> {
        Some(i32::from_le_bytes(self.bytes(address, 4)?.try_into().ok()?).into())
    }
}

impl Symbols {
    /// Sorts them, and keeps the largest of those that share an address.
    pub(crate) fn new(mut all: Vec<Symbol>) -> Self {
        all.sort_by(|a, b| (a.start, b.size, &a.name).cmp(&(b.start, a.size, &b.name)));
        all.dedup_by(|next, kept| {
            let same = next.start == kept.start;
            if same {
                kept.sdk &= next.sdk;
            }
            same
        });
        Self(all)
    }

    /// The symbol that holds `address`, the innermost if they nest.
    pub(crate) fn holding(&self, address: u64) -> Option<&Symbol> {
        /// So many small symbols may stand within a larger one.
        const NESTED: usize = 8;
        let after = self.0.partition_point(|symbol| symbol.start <= address);
        self.0[..after].iter().rev().take(NESTED).find(|symbol| address - symbol.start < symbol.size)
    }

    /// The first beginning behind `address`.
    pub(crate) fn next_start(&self, address: u64) -> Option<u64> {
        let after = self.0.partition_point(|symbol| symbol.start <= address);
        self.0.get(after).map(|symbol| symbol.start)
    }
}
