//! Comparison of data: objects with a symbol wholly, others as far as they can be told to go.

use crate::pairs::{From, Pair, Programs, Stop, Via};
use crate::program::{Kind, Program};
use crate::sdk;
use crate::walk::{Task, Walk};

/// A piece of data without a symbol is taken to be at most so long, bytes.
const LONGEST: u64 = 64 << 10;
/// An address within or beside an object may be meant for one that begins so many bytes behind: compilers fold a
/// constant into the address of a table (`table[c - 'a']`). As far as the last of 127 characters is in a table of eight bytes each.
const FOLDED: u64 = 1024;

impl Walk<'_> {
    /// Compares the data at a pair of addresses.
    pub(crate) fn refer(&mut self, at: Pair, via: Via, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        match (base.objects.holding(at.base), candidate.objects.holding(at.candidate)) {
            (Some(one), Some(other)) => {
                let offset = at.base - one.start;
                if offset != at.candidate - other.start || one.size != other.size {
                    return Err(from.differs());
                }
                // It only names a registration.
                if sdk::is_line(&one.name) && sdk::is_line(&other.name) {
                    return Ok(());
                }
                let copied = (base.copies.get(&one.start), candidate.copies.get(&other.start));
                if copied.0 != copied.1 {
                    return Err(from.differs());
                }
                let start = at.minus(offset);
                if self.pair(start, from)? && copied.0.is_none() {
                    self.later(Task::Data { at: start, length: one.size, from: from.clone() });
                }
                // Tables of virtual functions and descriptions of types are always meant themselves.
                let meant = one.name.starts_with("_ZT");
                if via == Via::Indexed {
                    self.surroundings(at, from)?;
                } else if via == Via::Address && !meant && offset > 0 {
                    self.neighbours(start.plus(one.size), (start.base + one.size).saturating_sub(at.base), from)?;
                }
                Ok(())
            }
            (None, None) => self.piece(at, via, from),
            _ => Err(from.differs()),
        }
    }

    /// Compares data that no symbol names.
    fn piece(&mut self, at: Pair, via: Via, from: &From) -> Result<(), Stop> {
        if let Via::Access(length) | Via::Store(length) = via {
            if length > 0 && self.pieces.insert((at, length)) {
                self.same_data(at, length, from)?;
            }
            return Ok(());
        }
        if via == Via::Indexed {
            self.surroundings(at, from)?;
        }
        let Programs { base, candidate } = self.programs;
        let length = extent(base, at.base).min(extent(candidate, at.candidate));
        if !self.pieces.insert((at, length)) {
            return Ok(());
        }
        let too_long = || Stop::Unknown(format!("{} uses data whose end isn't known", from.function));
        if length > LONGEST {
            return Err(too_long());
        }
        if let (Some(one), Some(other)) = (text(base, at.base), text(candidate, at.candidate)) {
            if one != other {
                return Err(from.differs());
            }
            // A literal can go on behind a zero; or another is there that nothing seems to refer to.
            let behind = one.len() as u64 + 1;
            let length = literal(base, at.base).min(literal(candidate, at.candidate));
            return match length.checked_sub(behind) {
                Some(rest) if rest > 0 => self.same_data(at.plus(behind), rest, &from.doubtful()),
                _ => Ok(()),
            };
        }
        // Something may refer to a place within it, and not to what lies behind: it ends at the next symbol for sure.
        let whole = unnamed(base, at.base).min(unnamed(candidate, at.candidate));
        if whole > LONGEST {
            return Err(too_long());
        }
        self.same_data(at, length, from)?;
        if whole > length {
            self.same_data(at.plus(length), whole - length, &from.doubtful())?;
        }
        self.neighbours(at.plus(whole), whole, from)
    }

    /// Compares what lies from `at` on, `past` bytes behind the address that is used: that may be meant for it.
    fn neighbours(&mut self, at: Pair, past: u64, from: &From) -> Result<(), Stop> {
        self.stretch(at, FOLDED.saturating_sub(past), &from.doubtful())
    }

    /// Compares what an address that a variable is added to may be meant for, whatever it stands at: the constant in the index may be any, so what is
    /// meant lies anywhere behind it (`table[k - 1000]`), or, where the index counts up to zero, ends there.
    fn surroundings(&mut self, at: Pair, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        let (Some(one), Some(other)) = (base.section(at.base), candidate.section(at.candidate)) else {
            return Ok(());
        };
        if one.kind == Kind::Zero && other.kind == Kind::Zero {
            return Ok(());
        }
        let from = from.doubtful();
        let rest = one.end - at.base;
        if rest != other.end - at.candidate {
            return Err(from.differs());
        }
        let before = (at.base - one.start).min(at.candidate - other.start).min(FOLDED);
        let start = at.minus(before);
        if self.pieces.insert((start, before + rest)) {
            self.stretch(start, before + rest, &from)?;
        }
        Ok(())
    }

    /// Compares what lies within `length` bytes from `at` on, objects wholly.
    fn stretch(&mut self, at: Pair, length: u64, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        let mut offset = 0;
        while offset < length {
            let here = at.plus(offset);
            let (Some(one), Some(other)) = (base.section(here.base), candidate.section(here.candidate)) else {
                return Ok(());
            };
            if let Some(object) = base.objects.holding(here.base) {
                self.follow(here, Via::Access(1), from)?;
                offset += object.start + object.size - here.base;
                continue;
            }
            let next = base.objects.next_start(here.base).unwrap_or(one.end).min(one.end) - here.base;
            let ends = (one.end - here.base).min(other.end - here.candidate);
            let gap = next.min(ends).min(length - offset);
            if self.pieces.insert((here, gap)) {
                self.same_data(here, gap, from)?;
            }
            offset += gap;
        }
        Ok(())
    }

    /// Compares `length` bytes; words that the loader fills are followed instead.
    pub(crate) fn same_data(&mut self, at: Pair, length: u64, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        self.count_data(length)?;
        let zero = |program: &Program, address| {
            program.section(address).is_some_and(|section| {
                section.kind == Kind::Zero && address.checked_add(length).is_some_and(|end| end <= section.end)
            })
        };
        if zero(base, at.base) && zero(candidate, at.candidate) {
            return Ok(());
        }
        let (Some(one), Some(other)) = (base.bytes(at.base, length), candidate.bytes(at.candidate, length)) else {
            return Err(Stop::Unknown(format!("{} uses data that goes past its section", from.function)));
        };
        let mut offset = 0;
        let words = |program: &Program, start: u64| -> Vec<u64> {
            // A word that begins before the place may reach into it.
            let range = start.saturating_sub(7)..start.saturating_add(length);
            program.words.range(range).map(|(address, _)| address.wrapping_sub(start)).collect()
        };
        let filled = words(base, at.base);
        if filled != words(candidate, at.candidate) {
            return Err(from.differs());
        }
        for place in filled {
            let here = at.plus(place);
            // Wraps for the word that begins before.
            let start = if place < length { place } else { 0 };
            self.same_bytes(at, offset, one.get(index(offset)..index(start)), other, from)?;
            if let (Some(one), Some(other)) = self.programs.words(here) {
                self.word(one, other, from)?;
            }
            offset = place.wrapping_add(8).min(length);
        }
        self.same_bytes(at, offset, one.get(index(offset)..), other, from)
    }

    /// Compares bytes from `offset` on that have no relocations.
    fn same_bytes(&mut self, at: Pair, offset: u64, one: Option<&[u8]>, other: &[u8], from: &From) -> Result<(), Stop> {
        // Overlapping relocations are of a damaged file.
        let Some(one) = one else {
            return Err(Stop::Unknown(format!("{} uses relocations that overlap", from.function)));
        };
        let start = index(offset);
        let Some(other) = other.get(start..start.saturating_add(one.len())) else {
            return Err(from.differs());
        };
        if !self.programs.absolute() {
            return if one == other { Ok(()) } else { Err(from.differs()) };
        }
        let mut place = 0;
        while place < one.len() {
            let here = at.plus(offset).plus(place as u64);
            if here.base.is_multiple_of(8)
                && here.candidate.is_multiple_of(8)
                && let (Some(first), Some(second)) = (word_at(one, place), word_at(other, place))
            {
                let target = Pair { base: first, candidate: second };
                if self.programs.mapped(target) {
                    // Two equal numbers may be just numbers.
                    let from = if first == second { from.doubtful() } else { from.clone() };
                    self.follow(target, Via::Address, &from)?;
                    place += 8;
                    continue;
                }
            }
            if one.get(place) != other.get(place) {
                return Err(from.differs());
            }
            place += 1;
        }
        Ok(())
    }
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

fn word_at(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(place..place.checked_add(8)?)?.try_into().ok()?))
}

/// How many bytes there are from `address` to the next symbol, or the section's end.
fn unnamed(program: &Program, address: u64) -> u64 {
    let ends = [program.section(address).map(|section| section.end), program.objects.next_start(address)];
    ends.into_iter().flatten().min().map_or(0, |end| end - address)
}

/// How many bytes there are from `address` to the next thing: something referred to, a symbol, or the section's end.
pub(crate) fn extent(program: &Program, address: u64) -> u64 {
    let ends = [
        program.section(address).map(|section| section.end),
        program.objects.next_start(address),
        program.next_referenced(address),
    ];
    ends.into_iter().flatten().min().map_or(0, |end| end - address)
}

/// How many bytes there are from `address` to where another literal may begin: what is referred to and stands behind a zero.
fn literal(program: &Program, address: u64) -> u64 {
    let end = address + unnamed(program, address).min(LONGEST);
    let mut next = address;
    while let Some(referenced) = program.next_referenced(next).filter(|referenced| *referenced < end) {
        next = referenced;
        if program.bytes(next - 1, 1) == Some(&[0]) {
            return next - address;
        }
    }
    end - address
}

/// The text that begins at `address`, if it looks like the beginning of a string literal: printable up to a zero, and
/// behind one. What doesn't may be a number, or a place before the table that is meant.
fn text(program: &Program, address: u64) -> Option<&[u8]> {
    let section = program.section(address)?;
    if section.kind != Kind::Constant {
        return None;
    }
    let before = address.checked_sub(1)?;
    if address != section.start && program.objects.holding(before).is_none() && program.bytes(before, 1)? != [0] {
        return None;
    }
    let limit = program.objects.next_start(address).unwrap_or(section.end).min(section.end);
    let bytes = program.bytes(address, (limit - address).min(LONGEST))?;
    let text = &bytes[..bytes.iter().position(|byte| *byte == 0)?];
    let printable = |byte: &u8| *byte >= b' ' && *byte != 0x7f || matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b);
    (!text.is_empty() && text.iter().all(printable)).then_some(text)
}
