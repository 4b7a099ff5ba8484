//! Fills a [`Program`] from the bytes of an ELF file.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use object::elf;
use object::read::elf::{ElfFile64, FileHeader, Rela, SectionHeader, Sym};
use object::{Endianness, SymbolIndex};

use crate::program::{Kind, Program, Section, Symbol, Symbols, Unread, Word};
use crate::{loaded, sdk};

/// `SHT_RELR`: relative relocations as a bit map.
const RELATIVE_BITS: u32 = 19;

/// A damaged table of names can have one that is as long as the file; so many bytes are told apart.
const LONGEST_NAME: usize = 16 << 10;

pub(crate) type File<'a> = ElfFile64<'a, Endianness>;

#[derive(Default)]
struct Relocations {
    words: BTreeMap<u64, Word>,
    copies: HashMap<u64, String>,
}

fn damaged(error: object::Error) -> Unread {
    Unread::NotElf(error.to_string())
}

/// Larger files aren't read, bytes.
const LARGEST: u64 = 1 << 30;

impl Program {
    /// Reads the executable at `path`.
    ///
    /// # Errors
    ///
    /// See [`Unread`].
    pub fn read(path: &Path) -> Result<Self, Unread> {
        Self::read_of(path, None)
    }

    /// Reads the executable at `path` as if the folder had another name, wherever it stands in it: `__FILE__`, places of libraries. Two programs that were built of the same sources in
    /// folders whose names are equally long are then the same.
    ///
    /// # Errors
    ///
    /// See [`Unread`].
    pub fn read_of(path: &Path, folder: Option<&Path>) -> Result<Self, Unread> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(Unread::TooLarge);
        }
        if let Some(folder) = folder {
            hide(&mut bytes, folder.as_os_str().as_encoded_bytes());
        }
        program(bytes)
    }
}

/// Writes slashes over a folder's name, where it ends with itself.
fn hide(bytes: &mut [u8], folder: &[u8]) {
    let is_it = |(start, one): (usize, &[u8])| (one == folder).then_some(start);
    let found: Vec<usize> = bytes.windows(folder.len().max(1)).enumerate().filter_map(is_it).collect();
    for start in found {
        let end = start + folder.len();
        if bytes.get(end).is_none_or(|next| matches!(next, b'/' | b'\0' | b':')) {
            bytes[start..end].fill(b'/');
        }
    }
}

/// Reads everything the walk needs.
fn program(bytes: Vec<u8>) -> Result<Program, Unread> {
    let file = File::parse(bytes.as_slice()).map_err(damaged)?;
    let endian = file.endian();
    let header = file.elf_header();
    let kind = header.e_type(endian);
    if endian != Endianness::Little
        || header.e_machine(endian) != elf::EM_X86_64
        || (kind != elf::ET_EXEC && kind != elf::ET_DYN)
    {
        return Err(Unread::OtherMachine);
    }
    let sections = sections(&file, bytes.len());
    let (functions, objects) = symbols(&file);
    if functions.0.is_empty() {
        return Err(Unread::NoSymbols);
    }
    let Relocations { words, copies } = relocations(&file);
    let exported = exported(&file);
    let thread_data = thread_data(&file);
    let own_libraries = has_own_libraries(&file);
    let mut program = Program {
        bytes: Vec::new(),
        sections,
        functions,
        objects,
        words,
        copies,
        exported,
        thread_data,
        own_libraries,
        position_independent: kind == elf::ET_DYN,
        loaded: loaded::mapped(&file, bytes.len()),
        entry: header.e_entry(endian),
        libraries: loaded::libraries(&file),
        fixed: fixed(&file),
        referenced: OnceLock::new(),
        referrers: OnceLock::new(),
        handlers: OnceLock::new(),
    };
    program.bytes = bytes;
    Ok(program)
}

fn has_own_libraries(file: &File<'_>) -> bool {
    let endian = file.endian();
    let table = file.elf_section_table();
    let dynamic = table.iter().filter_map(|section| section.dynamic(endian, file.data()).ok().flatten());
    let mut entries = dynamic.flat_map(|(entries, _)| entries);
    entries.any(|entry| matches!(entry.d_tag.get(endian), elf::DT_RPATH | elf::DT_RUNPATH))
}

fn thread_data(file: &File<'_>) -> Vec<(u64, Vec<u8>)> {
    let endian = file.endian();
    let local =
        file.elf_section_table().iter().filter(|section| section.sh_flags(endian) & u64::from(elf::SHF_TLS) != 0);
    local
        .map(|section| {
            let bytes = section.data(endian, file.data()).map(<[u8]>::to_vec).unwrap_or_default();
            (section.sh_size(endian), bytes)
        })
        .collect()
}

fn sections(file: &File<'_>, length: usize) -> Vec<Section> {
    let endian = file.endian();
    let table = file.elf_section_table();
    let mut found: Vec<Section> = Vec::new();
    for section in table.iter() {
        let flags = section.sh_flags(endian);
        // Thread-local storage has no addresses of its own; what it seems to take overlaps others.
        let mapped = flags & u64::from(elf::SHF_ALLOC) != 0 && flags & u64::from(elf::SHF_TLS) == 0;
        let (start, size) = (section.sh_addr(endian), section.sh_size(endian));
        let Some(end) = start.checked_add(size) else { continue };
        if !mapped || size == 0 || start == 0 {
            continue;
        }
        let name = table.section_name(endian, section).unwrap_or_default();
        let zero = section.sh_type(endian) == elf::SHT_NOBITS;
        let kind = if flags & u64::from(elf::SHF_EXECINSTR) != 0 {
            if name.starts_with(b".plt") || name.starts_with(b".iplt") { Kind::Stubs } else { Kind::Code }
        } else if zero {
            Kind::Zero
        } else if name == b".eh_frame" {
            Kind::Frames
        } else if name.starts_with(b".eh_frame") || name.starts_with(b".gcc_except_table") {
            Kind::Other
        } else if flags & u64::from(elf::SHF_WRITE) == 0
            || name.starts_with(b".data.rel.ro")
            || name.starts_with(b".got")
        {
            Kind::Constant
        } else {
            Kind::Writable
        };
        let range = if zero {
            0..0
        } else {
            let Some((from, size)) = section.file_range(endian) else { continue };
            let (Ok(from), Ok(size)) = (usize::try_from(from), usize::try_from(size)) else { continue };
            match from.checked_add(size) {
                Some(to) if to <= length => from..to,
                _ => continue,
            }
        };
        found.push(Section { kind, start, end, file: range });
    }
    found.sort_by_key(|section| (section.start, section.end));
    // Sections that overlap are of a damaged file; the first has the addresses.
    found.dedup_by(|next, kept| next.start < kept.end);
    found
}

fn symbols(file: &File<'_>) -> (Symbols, Symbols) {
    let endian = file.endian();
    let table = file.elf_symbol_table();
    let (mut functions, mut objects) = (Vec::new(), Vec::new());
    for symbol in table.iter() {
        let (start, size) = (symbol.st_value(endian), symbol.st_size(endian));
        if symbol.is_undefined(endian) || size == 0 || start.checked_add(size).is_none() {
            continue;
        }
        let into = match symbol.st_type() {
            elf::STT_FUNC | elf::STT_GNU_IFUNC => &mut functions,
            elf::STT_OBJECT => &mut objects,
            _ => continue,
        };
        let name = symbol.name(endian, table.strings()).unwrap_or_default();
        let name = String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME)]).into_owned();
        let sdk = sdk::owns(&name);
        into.push(Symbol { start, size, name, sdk });
    }
    (Symbols::new(functions), Symbols::new(objects))
}

/// Symbols without a size that compilers put into each program.
fn fixed(file: &File<'_>) -> HashMap<u64, &'static str> {
    const NAMES: [&str; 2] = ["frame_dummy", "__dso_handle"];
    let endian = file.endian();
    let table = file.elf_symbol_table();
    let named = table.iter().filter(|symbol| !symbol.is_undefined(endian)).filter_map(|symbol| {
        let name = symbol.name(endian, table.strings()).ok()?;
        let known = NAMES.into_iter().find(|known| known.as_bytes() == name)?;
        Some((symbol.st_value(endian), known))
    });
    named.collect()
}

/// Functions of the program that shared libraries find by name.
fn exported(file: &File<'_>) -> BTreeMap<String, u64> {
    let endian = file.endian();
    let table = file.elf_dynamic_symbol_table();
    let mut found = BTreeMap::new();
    for symbol in table.iter() {
        let function = matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_GNU_IFUNC);
        if symbol.is_undefined(endian) || !function {
            continue;
        }
        let name = symbol.name(endian, table.strings()).unwrap_or_default();
        found.insert(String::from_utf8_lossy(name).into_owned(), symbol.st_value(endian));
    }
    found
}

fn relocations(file: &File<'_>) -> Relocations {
    let endian = file.endian();
    let data = file.data();
    let mut found = Relocations::default();
    for section in file.elf_section_table().iter() {
        if section.sh_flags(endian) & u64::from(elf::SHF_ALLOC) == 0 {
            continue;
        }
        if section.sh_type(endian) == RELATIVE_BITS {
            if let Ok(entries) = section.data(endian, data) {
                relative_bits(file, entries, &mut found.words);
            }
        } else if let Ok(Some((entries, _))) = section.rela(endian, data) {
            for entry in entries {
                relocation(
                    file,
                    entry.r_offset(endian),
                    entry.r_type(endian, false),
                    entry.r_sym(endian, false),
                    entry.r_addend(endian),
                    &mut found,
                );
            }
        }
    }
    found
}

fn relocation(file: &File<'_>, at: u64, kind: u32, symbol: u32, addend: i64, found: &mut Relocations) {
    let endian = file.endian();
    let table = file.elf_dynamic_symbol_table();
    let (name, value, undefined) = match table.symbol(SymbolIndex(symbol as usize)) {
        Ok(entry) if symbol != 0 => (
            String::from_utf8_lossy(entry.name(endian, table.strings()).unwrap_or_default()).into_owned(),
            entry.st_value(endian),
            entry.is_undefined(endian),
        ),
        _ => (String::new(), 0, true),
    };
    if name.len() > LONGEST_NAME {
        found.words.insert(at, Word::Strange);
        return;
    }
    let word = match kind {
        elf::R_X86_64_NONE => return,
        elf::R_X86_64_COPY => {
            found.copies.insert(at, name);
            return;
        }
        elf::R_X86_64_RELATIVE => Word::Address(addend.cast_unsigned()),
        elf::R_X86_64_IRELATIVE => Word::Resolved(addend.cast_unsigned()),
        elf::R_X86_64_JUMP_SLOT | elf::R_X86_64_GLOB_DAT | elf::R_X86_64_64 if symbol != 0 => {
            let addend = if kind == elf::R_X86_64_64 { addend } else { 0 };
            if undefined { Word::Import { name, addend } } else { Word::Address(value.wrapping_add_signed(addend)) }
        }
        elf::R_X86_64_TPOFF64 | elf::R_X86_64_DTPMOD64 | elf::R_X86_64_DTPOFF64 => {
            Word::Thread { kind, name, value, addend }
        }
        _ => Word::Strange,
    };
    found.words.insert(at, word);
}

/// The entries of a section of kind `SHT_RELR`: an even one is an address, an odd one a bit map of the 63 words behind.
fn relative_bits(file: &File<'_>, entries: &[u8], words: &mut BTreeMap<u64, Word>) {
    let endian = file.endian();
    let mut next = 0_u64;
    let mut add = |at: u64| {
        let held = file.elf_section_table().iter().find_map(|section| {
            let offset = at.checked_sub(section.sh_addr(endian))?;
            let bytes = section.data(endian, file.data()).ok()?;
            let offset = usize::try_from(offset).ok()?;
            let word = bytes.get(offset..offset.checked_add(8)?)?;
            (section.sh_flags(endian) & u64::from(elf::SHF_ALLOC) != 0)
                .then(|| word.try_into().ok().map(u64::from_le_bytes))?
        });
        words.insert(at, held.map_or(Word::Strange, Word::Address));
    };
    for entry in entries.chunks_exact(8) {
        let Ok(entry) = entry.try_into().map(u64::from_le_bytes) else { continue };
        if entry & 1 == 0 {
            add(entry);
            next = entry.wrapping_add(8);
        } else {
            for bit in (0..63_u64).filter(|bit| entry >> (bit + 1) & 1 != 0) {
                add(next.wrapping_add(8 * bit));
            }
            next = next.wrapping_add(63 * 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hide;

    #[test]
    fn a_folders_name_is_hidden_where_it_ends_with_itself() {
        let hidden = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            hide(&mut bytes, b"/a/b1");
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(hidden("x/a/b1/c.cc\0/a/b1:/a/b12/a/b1"), "x//////c.cc\0/////:/a/b12/////");
        assert_eq!(hidden("/a/b"), "/a/b");
    }
}
