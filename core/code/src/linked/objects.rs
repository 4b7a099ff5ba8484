//! One object file: its sections, symbols and relocations.

use std::ops::Range;
use std::sync::Arc;

use object::read::elf::{ElfFile64, FileHeader, Rela, SectionHeader, Sym};
use object::{Endianness, SymbolIndex, elf};

/// Whose code it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The toolchain's own: the standard library.
    Toolchain,
    /// The SDK's. Nobody else writes its variables.
    Sdk,
    User,
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) origin: Origin,
    pub(super) sections: Vec<Section>,
    pub(super) symbols: Vec<Symbol>,
}

#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: String,
    /// Its bytes in the file; none where it is zero at the start.
    pub(super) file: Range<usize>,
    pub(super) size: u64,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) entry_size: u64,
    pub(super) alignment: u64,
    /// Sorted by place.
    pub(super) relocations: Vec<Relocation>,
    /// The first named function or object that begins in it.
    pub(super) symbol: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relocation {
    pub(super) place: u64,
    pub(super) kind: u32,
    pub(super) symbol: usize,
    pub(super) addend: i64,
}

#[derive(Debug)]
pub(super) struct Symbol {
    pub(super) name: Vec<u8>,
    pub(super) within: Within,
    pub(super) value: u64,
    pub(super) is_local: bool,
    pub(super) is_weak: bool,
    pub(super) is_function: bool,
}

/// Where a symbol is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    Section(usize),
    /// In another object, or in a library.
    Elsewhere,
    /// A number.
    Absolute,
    /// A variable that several objects may define.
    Common,
}

impl Section {
    pub(super) fn has(&self, flag: u32) -> bool {
        self.flags & u64::from(flag) != 0
    }

    /// Whether it is a part of the program as it runs, and may change.
    pub(super) fn is_variable(&self) -> bool {
        // Constants with addresses are written by the loader alone (`-z relro`).
        let of_loader = self.name == ".data.rel.ro" || self.name.starts_with(".data.rel.ro.");
        // References to what handles exceptions, one in each object.
        let of_handlers = self.name.contains(".DW.ref.");
        self.has(elf::SHF_WRITE) && !of_loader && !of_handlers
    }
}

impl Object {
    /// Reads the object that is `range` of `bytes`; `None` where it isn't an object for x86-64 or is damaged.
    pub(super) fn read(bytes: &Arc<Vec<u8>>, range: Range<usize>, origin: Origin) -> Option<Self> {
        let own = bytes.get(range.clone())?;
        let file = ElfFile64::<Endianness>::parse(own).ok()?;
        let endian = file.endian();
        let header = file.elf_header();
        let fits = endian == Endianness::Little
            && header.e_machine(endian) == elf::EM_X86_64
            && header.e_type(endian) == elf::ET_REL;
        if !fits {
            return None;
        }
        let table = file.elf_section_table();
        let mut sections = Vec::new();
        for section in table.iter() {
            let file = match section.file_range(endian) {
                Some((from, size)) => {
                    let from = usize::try_from(from).ok()?;
                    let to = from.checked_add(usize::try_from(size).ok()?)?;
                    own.get(from..to)?;
                    range.start + from..range.start + to
                }
                None => 0..0,
            };
            sections.push(Section {
                name: String::from_utf8_lossy(table.section_name(endian, section).unwrap_or_default()).into_owned(),
                file,
                size: section.sh_size(endian),
                kind: section.sh_type(endian),
                flags: section.sh_flags(endian),
                entry_size: section.sh_entsize(endian),
                alignment: section.sh_addralign(endian),
                relocations: Vec::new(),
                symbol: None,
            });
        }
        for section in table.iter() {
            if section.sh_type(endian) == elf::SHT_REL {
                return None;
            }
            let Some((relocations, _)) = section.rela(endian, file.data()).ok()? else { continue };
            let of = sections.get_mut(usize::try_from(section.sh_info(endian)).ok()?)?;
            for relocation in relocations {
                of.relocations.push(Relocation {
                    place: relocation.r_offset(endian),
                    kind: relocation.r_type(endian, false),
                    symbol: usize::try_from(relocation.r_sym(endian, false)).ok()?,
                    addend: relocation.r_addend(endian),
                });
            }
            of.relocations.sort_by_key(|relocation| relocation.place);
        }
        let mut symbols = Vec::new();
        let names = file.elf_symbol_table();
        for (number, symbol) in names.symbols().iter().enumerate() {
            let within = match symbol.st_shndx(endian) {
                elf::SHN_UNDEF => Within::Elsewhere,
                elf::SHN_ABS => Within::Absolute,
                elf::SHN_COMMON => Within::Common,
                elf::SHN_XINDEX => {
                    Within::Section(names.shndx(endian, SymbolIndex(number)).and_then(|it| usize::try_from(it).ok())?)
                }
                section => Within::Section(section.into()),
            };
            let kind = symbol.st_type();
            if let Within::Section(at) = within {
                let section = sections.get_mut(at)?;
                if matches!(kind, elf::STT_FUNC | elf::STT_OBJECT | elf::STT_TLS) {
                    section.symbol.get_or_insert(number);
                }
            }
            symbols.push(Symbol {
                name: symbol.name(endian, names.strings()).unwrap_or_default().to_vec(),
                within,
                value: symbol.st_value(endian),
                is_local: symbol.st_bind() == elf::STB_LOCAL,
                is_weak: symbol.st_bind() == elf::STB_WEAK,
                is_function: kind == elf::STT_FUNC,
            });
        }
        Some(Self { bytes: Arc::clone(bytes), origin, sections, symbols })
    }

    pub(super) fn content(&self, section: usize) -> &[u8] {
        self.sections.get(section).and_then(|section| self.bytes.get(section.file.clone())).unwrap_or_default()
    }
}
