//! The functions of an executable: where it has them, by its table of symbols.

use std::fs::File;
use std::path::Path;

use object::read::ReadCache;
use object::read::elf::ElfFile64;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

/// The functions that a program has in itself.
#[derive(Debug)]
pub struct Functions {
    /// First address, bytes, and name of each, in order of the addresses.
    functions: Vec<(u64, u64, String)>,
    /// Where the file says that its beginning lies.
    first: u64,
    /// By how much it lies elsewhere.
    moved: u64,
}

impl Functions {
    /// Those that its table of symbols names. `None`: it is no ELF file of 64 bits, or has no such table.
    pub fn read(program: &Path) -> Option<Self> {
        let file = File::open(program).ok()?;
        let data = ReadCache::new(&file);
        let elf: ElfFile64<'_, object::Endianness, _> = ElfFile64::parse(&data).ok()?;
        let first =
            elf.segments().filter(|segment| segment.file_range().0 == 0).map(|segment| segment.address()).min()?;
        let mut functions: Vec<(u64, u64, String)> = elf
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0 && symbol.is_definition())
            .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())))
            .collect();
        functions.sort_unstable();
        (!functions.is_empty()).then_some(Self { functions, first, moved: 0 })
    }

    /// The same, of a process that has the beginning of the file at this address.
    pub(crate) fn loaded_at(self, address: u64) -> Option<Self> {
        Some(Self { moved: address.checked_sub(self.first)?, ..self })
    }

    /// The name of the function that has the instruction at this address.
    pub(crate) fn at(&self, address: u64) -> Option<&str> {
        let address = address.checked_sub(self.moved)?;
        let behind = self.functions.partition_point(|(first, ..)| *first <= address);
        let (first, bytes, name) = self.functions.get(behind.checked_sub(1)?)?;
        (address - first < *bytes).then_some(name.as_str())
    }

    /// Name and address of each, as the file has them.
    pub fn addresses(&self) -> impl Iterator<Item = (&str, u64)> {
        self.functions.iter().map(|(first, _, name)| (name.as_str(), *first))
    }
}
