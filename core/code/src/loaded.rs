//! What the system and the loader see of an executable: what is mapped, and which libraries it asks for.

use object::Endianness;
use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader, SectionHeader};

use crate::program::{Loaded, Program};

/// Numbers of the build, which nothing but debuggers reads.
const NUMBERS: [&[u8]; 2] = [b".note.gnu.build-id", b".note.go.buildid"];

/// Sections and segments that are mapped, numbers of the build apart; for a file of `length` bytes.
pub(crate) fn mapped(file: &ElfFile64<'_, Endianness>, length: usize) -> Vec<Loaded> {
    let endian = file.endian();
    let table = file.elf_section_table();
    let place = |range: Option<(u64, u64)>| {
        let (from, size) = range.unwrap_or_default();
        let (from, size) = (usize::try_from(from).unwrap_or(length), usize::try_from(size).unwrap_or(length));
        from.min(length)..from.saturating_add(size).min(length)
    };
    let mut found = Vec::new();
    for section in table.iter() {
        let name = table.section_name(endian, section).unwrap_or_default();
        let flags = section.sh_flags(endian);
        if flags & u64::from(elf::SHF_ALLOC) == 0 || NUMBERS.contains(&name) {
            continue;
        }
        found.push(Loaded {
            name: name.to_vec(),
            kind: section.sh_type(endian),
            flags,
            start: section.sh_addr(endian),
            size: section.sh_size(endian),
            file: place(section.file_range(endian)),
        });
    }
    for segment in file.elf_program_headers() {
        found.push(Loaded {
            name: Vec::new(),
            kind: segment.p_type(endian),
            flags: segment.p_flags(endian).into(),
            start: segment.p_vaddr(endian),
            size: segment.p_memsz(endian),
            // Its sections have its content.
            file: 0..0,
        });
    }
    found
}

/// Entries of the dynamic section that name libraries and folders, in their order.
pub(crate) fn libraries(file: &ElfFile64<'_, Endianness>) -> Vec<(u64, Vec<u8>)> {
    let endian = file.endian();
    let table = file.elf_section_table();
    let Ok(Some((entries, link))) = table.dynamic(endian, file.data()) else { return Vec::new() };
    let strings = table.strings(endian, file.data(), link).unwrap_or_default();
    let named = entries.iter().filter_map(|entry| {
        let tag = entry.d_tag.get(endian);
        let names = [elf::DT_NEEDED, elf::DT_RPATH, elf::DT_RUNPATH, elf::DT_AUXILIARY, elf::DT_FILTER];
        let offset = u32::try_from(entry.d_val.get(endian)).ok().filter(|_| names.contains(&tag))?;
        // A name that can't be read is like no other.
        Some((tag as u64, strings.get(offset).map_or_else(|()| offset.to_le_bytes().to_vec(), <[u8]>::to_vec)))
    });
    named.collect()
}

/// Whether both are the same to the system, the loader and themselves.
pub(crate) fn same(one: &Program, other: &Program) -> bool {
    let described = |it: &Loaded| (it.name.clone(), it.kind, it.flags, it.start, it.size);
    let content = |program: &Program, it: &Loaded| program.bytes.get(it.file.clone()).map(<[u8]>::to_vec);
    let pairs = || one.loaded.iter().zip(&other.loaded);
    !one.loaded.is_empty()
        && (one.entry, one.loaded.len()) == (other.entry, other.loaded.len())
        && pairs().all(|(first, second)| described(first) == described(second))
        && pairs().all(|(first, second)| content(one, first) == content(other, second))
}
