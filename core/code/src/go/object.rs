//! Go's object files, as `cmd/internal/goobj/objfile.go` in Go's sources describes them.
//!
//! The reader looks at no byte before it knows that it is there: every accessor gives `None` for what lies outside.

use std::ops::Range;

use super::unlinked::Unlinked;

const MAGIC: &[u8] = b"\x00go120ld";
/// Bytes of the magic, the fingerprint and the flags in front of the offsets of the blocks.
const BEFORE_OFFSETS: usize = 20;
const BLOCKS: usize = 19;
/// `ObjFlagShared`: compiled to be linked into a shared library.
const SHARED: u32 = 1;

const AUTOLIB: usize = 0;
const PACKAGES: usize = 1;
const FILES: usize = 2;
const DEFINED: usize = 3;
const REFERENCES: usize = 7;
const FLAGS_OF_REFERENCES: usize = 8;
const SHORT_HASHES: usize = 9;
const HASHES: usize = 10;
const RELOCATION_INDEX: usize = 11;
const AUXILIARY_INDEX: usize = 12;
const DATA_INDEX: usize = 13;
const RELOCATIONS: usize = 14;
const AUXILIARIES: usize = 15;
const DATA: usize = 16;

const SYMBOL_SIZE: usize = 21;
const RELOCATION_SIZE: usize = 23;
const AUXILIARY_SIZE: usize = 9;
const REFERENCE_FLAGS_SIZE: usize = 10;

/// Symbols in one list of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// Of the package itself.
    Package,
    /// Known by their content of at most eight bytes.
    ShortHashed,
    /// Known by the hash of their content.
    Hashed,
    /// Known by their name, defined here.
    Named,
    /// Known by their name, defined elsewhere.
    Referred,
}

pub(super) const LISTS: [List; 5] = [List::Package, List::ShortHashed, List::Hashed, List::Named, List::Referred];

/// An object file in memory.
#[derive(Debug)]
pub(super) struct Object {
    bytes: Vec<u8>,
    offsets: [usize; BLOCKS],
    counts: [u32; 5],
    pub(super) shared: bool,
}

/// A symbol, as an object describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a [u8],
    /// 0 for data and assembly, 1 for compiled functions; [`STATIC`] for what no other object can name.
    pub(super) abi: u16,
    pub(super) kind: u8,
    pub(super) flag: u8,
    pub(super) flag2: u8,
    pub(super) size: u32,
    pub(super) align: u32,
}

/// The ABI of symbols that no other object can name.
pub(super) const STATIC: u16 = u16::MAX;

/// A symbol by the package's number in the object, and its number in the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) package: u32,
    pub(super) symbol: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Relocation {
    pub(super) offset: u32,
    pub(super) size: u8,
    pub(super) kind: u16,
    pub(super) addend: i64,
    pub(super) target: Reference,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Auxiliary {
    pub(super) kind: u8,
    pub(super) target: Reference,
}

impl Object {
    /// Takes the bytes from the magic on.
    ///
    /// # Errors
    /// Where they are none of the known format, or blocks lie outside or in another order.
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self, Unlinked> {
        let damaged = || Unlinked::Damaged("an object of another format");
        if !bytes.starts_with(MAGIC) {
            return Err(damaged());
        }
        let mut offsets = [0; BLOCKS];
        for (block, offset) in offsets.iter_mut().enumerate() {
            *offset = number(&bytes, BEFORE_OFFSETS + 4 * block).ok_or_else(damaged)? as usize;
        }
        if !offsets.is_sorted() || offsets[BLOCKS - 1] > bytes.len() {
            return Err(damaged());
        }
        let shared = number(&bytes, MAGIC.len() + 8).ok_or_else(damaged)? & SHARED != 0;
        let mut object = Self { bytes, offsets, counts: [0; 5], shared };
        for list in 0..LISTS.len() {
            object.counts[list] = object.count(DEFINED + list, SYMBOL_SIZE);
        }
        let defined = object.defined() as usize;
        let indices =
            [(RELOCATION_INDEX, RELOCATIONS, RELOCATION_SIZE), (AUXILIARY_INDEX, AUXILIARIES, AUXILIARY_SIZE)];
        for (index, block, size) in indices.into_iter().chain([(DATA_INDEX, DATA, 1)]) {
            let count = object.count(block, size);
            let ends = (0..=defined).map(|symbol| object.at(index, symbol, 4));
            let ends: Vec<u32> = ends.collect::<Option<_>>().ok_or_else(damaged)?;
            if !ends.is_sorted() || ends.last().is_some_and(|end| *end > count) {
                return Err(damaged());
            }
        }
        Ok(object)
    }

    fn count(&self, block: usize, size: usize) -> u32 {
        let bytes = self.offsets[block + 1] - self.offsets[block];
        u32::try_from(bytes / size).unwrap_or(0)
    }

    /// The number at the beginning of an entry of a block.
    fn at(&self, block: usize, entry: usize, size: usize) -> Option<u32> {
        number(self.entry(block, entry, size)?, 0)
    }

    fn entry(&self, block: usize, entry: usize, size: usize) -> Option<&[u8]> {
        let start = self.offsets[block].checked_add(entry.checked_mul(size)?)?;
        let end = start.checked_add(size).filter(|end| *end <= self.offsets[block + 1])?;
        self.bytes.get(start..end)
    }

    /// A text by its length and place.
    fn text(&self, entry: &[u8]) -> Option<&[u8]> {
        let (length, start) = (number(entry, 0)? as usize, number(entry, 4)? as usize);
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// How many symbols it defines.
    pub(super) fn defined(&self) -> u32 {
        self.counts[..4].iter().sum()
    }

    /// The numbers of the symbols in a list.
    pub(super) fn symbols(&self, list: List) -> Range<u32> {
        let list = LISTS.iter().position(|one| *one == list).unwrap_or_default();
        let start = self.counts[..list].iter().sum::<u32>();
        start..start + self.counts[list]
    }

    /// The list that has the symbol.
    pub(super) fn list(&self, symbol: u32) -> Option<List> {
        LISTS.into_iter().find(|list| self.symbols(*list).contains(&symbol))
    }

    pub(super) fn symbol(&self, symbol: u32) -> Option<Symbol<'_>> {
        // The lists lie behind one another.
        let start = self.offsets[DEFINED].checked_add(SYMBOL_SIZE.checked_mul(symbol as usize)?)?;
        let end = start.checked_add(SYMBOL_SIZE).filter(|end| *end <= self.offsets[REFERENCES + 1])?;
        let entry = self.bytes.get(start..end)?;
        Some(Symbol {
            name: self.text(entry)?,
            abi: u16::from_le_bytes([entry[8], entry[9]]),
            kind: entry[10],
            flag: entry[11],
            flag2: entry[12],
            size: number(entry, 13)?,
            align: number(entry, 17)?,
        })
    }

    /// Where the part of a block lies that belongs to a defined symbol.
    fn part(&self, index: usize, symbol: u32) -> Range<usize> {
        let at = |symbol: usize| self.at(index, symbol, 4).unwrap_or(0) as usize;
        if symbol >= self.defined() {
            return 0..0;
        }
        at(symbol as usize)..at(symbol as usize + 1)
    }

    /// The initial content; behind it are zeros up to the symbol's size.
    pub(super) fn data(&self, symbol: u32) -> &[u8] {
        let part = self.part(DATA_INDEX, symbol);
        let start = self.offsets[DATA];
        self.bytes.get(start + part.start..start + part.end).unwrap_or_default()
    }

    pub(super) fn relocation_count(&self, symbol: u32) -> u32 {
        u32::try_from(self.part(RELOCATION_INDEX, symbol).len()).unwrap_or(0)
    }

    pub(super) fn relocation(&self, symbol: u32, number: u32) -> Option<Relocation> {
        let part = self.part(RELOCATION_INDEX, symbol);
        let place = part.start.checked_add(number as usize).filter(|place| *place < part.end)?;
        relocation(self.entry(RELOCATIONS, place, RELOCATION_SIZE)?)
    }

    pub(super) fn relocations(&self, symbol: u32) -> impl Iterator<Item = Relocation> + '_ {
        let part = self.part(RELOCATION_INDEX, symbol);
        part.filter_map(|place| relocation(self.entry(RELOCATIONS, place, RELOCATION_SIZE)?))
    }

    pub(super) fn auxiliaries(&self, symbol: u32) -> impl Iterator<Item = Auxiliary> + '_ {
        self.part(AUXILIARY_INDEX, symbol).filter_map(|place| {
            let entry = self.entry(AUXILIARIES, place, AUXILIARY_SIZE)?;
            Some(Auxiliary { kind: entry[0], target: reference(entry, 1)? })
        })
    }

    /// The content of at most eight bytes by which symbol `number` of that list is known.
    pub(super) fn short_hash(&self, number: u32) -> Option<u64> {
        Some(u64::from_le_bytes(self.entry(SHORT_HASHES, number as usize, 8)?.try_into().ok()?))
    }

    /// The hash by which symbol `number` of that list is known.
    pub(super) fn hash(&self, number: u32) -> Option<[u8; 16]> {
        self.entry(HASHES, number as usize, 16)?.try_into().ok()
    }

    /// The package that a number above 0 stands for in references.
    pub(super) fn package(&self, number: u32) -> Option<&[u8]> {
        self.text(self.entry(PACKAGES, number as usize, 8)?)
    }

    pub(super) fn package_count(&self) -> u32 {
        self.count(PACKAGES, 8)
    }

    /// The path of a source by its number.
    pub(super) fn file(&self, number: u32) -> Option<&[u8]> {
        self.text(self.entry(FILES, number as usize, 8)?)
    }

    /// The packages that are linked because of this one, in order.
    pub(super) fn imports(&self) -> impl Iterator<Item = &[u8]> {
        let count = self.count(AUTOLIB, 16) as usize;
        (0..count).filter_map(|import| self.text(self.entry(AUTOLIB, import, 16)?))
    }

    /// References with their second byte of flags.
    pub(super) fn flags_of_references(&self) -> impl Iterator<Item = (Reference, u8)> + '_ {
        let count = self.count(FLAGS_OF_REFERENCES, REFERENCE_FLAGS_SIZE) as usize;
        (0..count).filter_map(|number| {
            let entry = self.entry(FLAGS_OF_REFERENCES, number, REFERENCE_FLAGS_SIZE)?;
            Some((reference(entry, 0)?, entry[9]))
        })
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn reference(entry: &[u8], at: usize) -> Option<Reference> {
    Some(Reference { package: number(entry, at)?, symbol: number(entry, at + 4)? })
}

fn relocation(entry: &[u8]) -> Option<Relocation> {
    Some(Relocation {
        offset: number(entry, 0)?,
        size: *entry.get(4)?,
        kind: u16::from_le_bytes(entry.get(5..7)?.try_into().ok()?),
        addend: i64::from_le_bytes(entry.get(7..15)?.try_into().ok()?),
        target: reference(entry, 15)?,
    })
}
