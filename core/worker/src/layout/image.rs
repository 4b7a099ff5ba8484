//! An executable as the kernel has mapped it, and where it is to lie.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Executables are put at pages from here on: beyond where the kernel puts them, and their heaps, on x86-64 (`ELF_ET_DYN_BASE` and 28 bits
/// of pages), and within what ThreadSanitizer takes for an executable's.
pub(super) const FIRST: u64 = 0x5658_0000_0000;
/// What is mapped later lies below a page from here on: below where the kernel begins, and within what ThreadSanitizer takes for
/// libraries.
const FIRST_MAPPED: u64 = 0x7ea0_0000_0000;
/// So many pages may be the first one.
const PAGES: u64 = 1 << 24;
const PAGE: u64 = 4096;
/// Larger alignments would leave too few addresses to choose from.
const COARSEST: u64 = 2 << 20;
/// More of an auxiliary vector, and of program headers, than any kernel or linker makes.
pub(super) const MOST_ENTRIES: usize = 64;

/// Keys of the auxiliary vector (getauxval(3)).
const AT_PHDR: u64 = 3;
const AT_PHENT: u64 = 4;
const AT_PHNUM: u64 = 5;
const AT_BASE: u64 = 7;
const AT_ENTRY: u64 = 9;
/// Kinds, places of fields and the size of program headers of 64 bits (elf(5)).
const PT_LOAD: u32 = 1;
const PT_PHDR: u32 = 6;
const ADDRESS: usize = 16;
const SIZE: usize = 40;
const ALIGNMENT: usize = 48;
const HEADER: usize = 56;

/// A process that has a dynamic linker, before its first instruction.
#[derive(Debug)]
pub(super) struct Image {
    /// First address of the executable, and the one behind its last; none where it stands at the addresses that it was linked for.
    span: Option<(u64, u64)>,
    alignment: u64,
    /// First address and length of each of its mappings.
    pub(super) mappings: Vec<(u64, u64)>,
    /// Entries of the auxiliary vector that point into it: key and value.
    pub(super) known: Vec<(u64, u64)>,
    /// Of all mappings of the process.
    all: Vec<(u64, u64)>,
    linker: u64,
    /// The kernel's own code for processes.
    pub(super) vdso: (u64, u64),
}

impl Image {
    /// None: it has no dynamic linker, or nothing that we know.
    pub(super) fn of(child: u32) -> io::Result<Option<Self>> {
        let auxiliary = words(&fs::read(format!("/proc/{child}/auxv"))?);
        let value = |key: u64| auxiliary.chunks_exact(2).find(|pair| pair[0] == key).map(|pair| pair[1]);
        let (Some(at), Some(count), Some(entry), Some(linker)) =
            (value(AT_PHDR), value(AT_PHNUM), value(AT_ENTRY), value(AT_BASE))
        else {
            return Ok(None);
        };
        if linker == 0 || value(AT_PHENT) != Some(HEADER as u64) || count > MOST_ENTRIES as u64 {
            return Ok(None);
        }
        let mut headers = vec![0; count as usize * HEADER];
        memory(child)?.read_exact_at(&mut headers, at)?;
        let maps = fs::read_to_string(format!("/proc/{child}/maps"))?;
        let all: Vec<(u64, u64)> = maps.lines().filter_map(range).collect();
        let Some(vdso) = maps.lines().find(|line| line.ends_with("[vdso]")).and_then(range) else { return Ok(None) };
        let (span, alignment) = laid_out(&headers, at).map_or((None, PAGE), |(span, by)| (Some(span), by));
        let (first, end) = span.unwrap_or_default();
        let mappings: Vec<(u64, u64)> = all.iter().copied().filter(|&(from, to)| from < end && to > first).collect();
        // What sticks out isn't the executable's alone.
        let span = span.filter(|_| mappings.iter().all(|&(from, to)| from >= first && to <= end));
        let mappings = mappings.into_iter().map(|(from, to)| (from, to - from)).collect();
        Ok(Some(Self { span, alignment, mappings, known: vec![(AT_PHDR, at), (AT_ENTRY, entry)], all, linker, vdso }))
    }

    /// How far it is from where the executable lies to the address that `chosen` stands for; none where it has to stay.
    pub(super) fn distance(&self, chosen: u64) -> Option<u64> {
        let (first, end) = self.span.filter(|_| self.alignment <= COARSEST)?;
        let target = (FIRST + chosen % PAGES * PAGE) / self.alignment * self.alignment;
        let behind = target + (end - first);
        let free = self.all.iter().all(|&(from, to)| to <= target || from >= behind);
        free.then(|| target.wrapping_sub(first))
    }

    /// Where to map nothing, and how much of it, so that all that is mapped later lies below the address that `chosen` stands for; none
    /// where mappings don't grow downwards from above it.
    pub(super) fn gap(&self, chosen: u64) -> Option<(u64, u64)> {
        // Other bits than those that choose for the executable.
        let from = FIRST_MAPPED + (chosen / PAGES) % PAGES * PAGE;
        let lowest = self.all.iter().map(|&(first, _)| first).filter(|&first| first >= from).min()?;
        let crossed = self.all.iter().any(|&(first, end)| first < from && end > from);
        (self.linker > from && !crossed && lowest > from).then(|| (from, lowest - from))
    }
}

/// What an executable's program headers, read at `at`, say of it: the addresses that it spans, by pages, and its alignment. None where it
/// stands at the addresses that it was linked for, or where they say nothing that makes sense.
fn laid_out(headers: &[u8], at: u64) -> Option<((u64, u64), u64)> {
    let number = |header: &[u8], place: usize| {
        header.get(place..place + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
    };
    let of = |kind: u32| headers.chunks_exact(HEADER).filter(move |header| header[..4] == kind.to_le_bytes());
    let bias = of(PT_PHDR).map(|header| at.wrapping_sub(number(header, ADDRESS))).next()?;
    if bias == 0 || !bias.is_multiple_of(PAGE) {
        return None;
    }
    let first = of(PT_LOAD).map(|header| number(header, ADDRESS)).min()? / PAGE * PAGE;
    let ends: Option<Vec<u64>> =
        of(PT_LOAD).map(|header| number(header, ADDRESS).checked_add(number(header, SIZE))).collect();
    let end = ends?.into_iter().max()?;
    let alignment = of(PT_LOAD).map(|header| number(header, ALIGNMENT)).max()?.max(PAGE);
    let span = (bias.checked_add(first)?, bias.checked_add(end)?.checked_next_multiple_of(PAGE)?);
    (alignment.is_power_of_two() && span.0 < span.1).then_some((span, alignment))
}

/// Whole words of eight bytes.
pub(super) fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).filter_map(|word| word.try_into().ok()).map(u64::from_le_bytes).collect()
}

/// The addresses of a line of proc_pid_maps(5).
fn range(line: &str) -> Option<(u64, u64)> {
    let (from, to) = line.split_whitespace().next()?.split_once('-')?;
    Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?))
}

/// The memory of a process that we follow.
pub(super) fn memory(child: u32) -> io::Result<File> {
    File::options().read(true).write(true).open(format!("/proc/{child}/mem"))
}

#[cfg(test)]
mod tests {
    use super::{HEADER, Image, PAGE, PT_LOAD, PT_PHDR, laid_out, range};

    fn header(kind: u32, address: u64, size: u64, alignment: u64) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        for (place, number) in [(16, address), (40, size), (48, alignment)] {
            bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    const AT: u64 = 0x5555_5555_4040;

    #[test]
    fn an_executable_spans_its_segments() {
        let headers = [
            header(PT_PHDR, 0x40, 0x200, 8),
            header(PT_LOAD, 0, 0x1800, 0x1000),
            header(PT_LOAD, 0x4800, 0x900, 0x1000),
        ];
        let base = 0x5555_5555_4000;
        assert_eq!(laid_out(&headers.concat(), AT), Some(((base, base + 0x6000), PAGE)));
        // Huge pages.
        let coarse = [headers.concat(), header(PT_LOAD, 0x20_0000, 1, 0x20_0000)].concat();
        assert_eq!(laid_out(&coarse, AT), Some(((base, base + 0x20_1000), 0x20_0000)));
    }

    #[test]
    fn headers_that_make_no_sense_move_nothing() {
        let phdr = header(PT_PHDR, 0x40, 0x200, 8);
        for (what, headers) in [
            ("nothing", vec![]),
            ("no segments", phdr.clone()),
            ("linked for its addresses", [header(PT_PHDR, AT, 8, 8), header(PT_LOAD, AT, 8, PAGE)].concat()),
            ("off the pages", [header(PT_PHDR, 0x41, 8, 8), header(PT_LOAD, 0, 8, PAGE)].concat()),
            ("larger than all", [phdr.clone(), header(PT_LOAD, 16, u64::MAX, PAGE)].concat()),
            ("up to the end", [phdr.clone(), header(PT_LOAD, 0, u64::MAX - 3, PAGE)].concat()),
            ("an alignment of three", [phdr.clone(), header(PT_LOAD, 0, 8, 3 * PAGE)].concat()),
            ("half a header", phdr[..30].to_vec()),
        ] {
            assert_eq!(laid_out(&headers, AT), None, "{what}");
        }
    }

    fn image(all: &[(u64, u64)]) -> Image {
        Image {
            span: Some(all[0]),
            alignment: PAGE,
            mappings: vec![(all[0].0, all[0].1 - all[0].0)],
            known: Vec::new(),
            all: all.to_vec(),
            linker: all[1].0,
            vdso: all[1],
        }
    }

    #[test]
    fn what_is_taken_isnt_taken_again() {
        let own = (0x5555_0000_0000, 0x5555_0000_4000);
        let linker = (0x7f12_3456_7000, 0x7f12_3458_0000);
        let free = image(&[own, linker]);
        assert_eq!(free.distance(3), Some(0x5658_0000_3000 - own.0));
        assert_eq!(free.gap(3 << 24), Some((0x7ea0_0000_3000, linker.0 - 0x7ea0_0000_3000)));
        let taken = image(&[own, linker, (0x5658_0000_6000, 0x5658_0000_7000), (0x7ea0_0000_2000, 0x7ea0_0000_5000)]);
        assert_eq!(taken.distance(3), None);
        assert_eq!(taken.distance(2), Some(0x5658_0000_2000 - own.0));
        assert_eq!(taken.gap(3 << 24), None);
        // Mappings that grow upwards.
        assert_eq!(image(&[own, (0x2aaa_0000_0000, 0x2aaa_0001_0000)]).gap(3 << 24), None);
    }

    #[test]
    fn lines_of_maps_are_ranges() {
        let line = "7f00aa000000-7f00aa021000 rw-p 00000000 00:00 0      [a name with spaces]";
        assert_eq!(range(line), Some((0x7f00_aa00_0000, 0x7f00_aa02_1000)));
        assert_eq!((range(""), range("x-y r"), range("12 34")), (None, None, None));
    }
}
