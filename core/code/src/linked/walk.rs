//! The walk over the objects of both programs in step.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use object::elf;

use super::objects::{Relocation, Section};
use super::program::{LinkedProgram, Place, Target, Unit};
use crate::pairs::Stop;

/// So many sections are compared at most; a large program has some ten thousand.
const SECTIONS: usize = 1 << 20;
/// Bytes of a place in a source: its file's name, that one's length, line, and column (`core::panic::Location`).
const LOCATION: u64 = 24;

/// What two programs were linked of.
#[derive(Clone, Copy)]
pub(super) struct Both<'a> {
    pub(super) base: &'a LinkedProgram,
    pub(super) candidate: &'a LinkedProgram,
}

/// One section of the base and the one of the candidate that must hold the same.
pub(super) type Pair = (Unit, Unit);

/// What was found to be the same.
#[derive(Default)]
pub(super) struct Walk {
    seen: HashSet<Pair>,
    /// The same by sides.
    pub(super) sides: [HashSet<Unit>; 2],
    waiting: Vec<(Pair, Rc<str>)>,
    pub(super) functions: usize,
    /// Variables that were reached: those of the base to those of the candidate, and back.
    pub(super) variables: HashMap<Unit, Unit>,
    variables_back: HashMap<Unit, Unit>,
    /// What refers to what.
    pub(super) edges: Vec<(Pair, Pair)>,
}

impl Both<'_> {
    /// Compares one pair that waits, without what it refers to, which waits then.
    pub(super) fn next(&self, walk: &mut Walk) -> Option<(Pair, Result<(), Stop>)> {
        let (pair, from) = walk.waiting.pop()?;
        if walk.seen.len() > SECTIONS {
            walk.waiting.clear();
            let why = format!("more than {SECTIONS} functions and constants are reached");
            return Some((pair, Err(Stop::Unknown(why))));
        }
        Some((pair, self.compare(walk, pair, &from)))
    }

    fn compare(&self, walk: &mut Walk, pair: Pair, from: &Rc<str>) -> Result<(), Stop> {
        let (one, other) = (self.base.section(pair.0), self.candidate.section(pair.1));
        let is_code = one.has(elf::SHF_EXECINSTR);
        let name = if is_code { Rc::from(self.base.shown(pair.0)) } else { Rc::clone(from) };
        let differs = || Stop::Different(name.to_string());
        if (one.size, one.kind, one.alignment) != (other.size, other.kind, other.alignment)
            || flags(one) != flags(other)
        {
            return Err(differs());
        }
        if one.is_variable() {
            walk.pair_variables(pair, &name)?;
        }
        let mut content = self.base.object(pair.0).content(pair.0.section);
        let mut expected = self.candidate.object(pair.1).content(pair.1.section);
        if is_location(self.base, pair.0) && is_location(self.candidate, pair.1) {
            content = content.get(..16).unwrap_or_default();
            expected = expected.get(..16).unwrap_or_default();
        }
        if content != expected {
            return Err(differs());
        }
        self.references(walk, pair, [&one.relocations, &other.relocations], &name)?;
        if is_code {
            walk.functions += 1;
            let handlers = (self.base.handlers(pair.0), self.candidate.handlers(pair.1));
            let (Some(one), Some(other)) = handlers else {
                return Err(Stop::Unknown(format!("what {name} does with exceptions isn't understood")));
            };
            self.references(walk, pair, [one, other], &name)?;
        }
        Ok(())
    }

    fn references(
        &self,
        walk: &mut Walk,
        (one, other): Pair,
        [first, second]: [&[Relocation]; 2],
        name: &Rc<str>,
    ) -> Result<(), Stop> {
        let differs = || Stop::Different(name.to_string());
        if first.len() != second.len() {
            return Err(differs());
        }
        for (base, candidate) in first.iter().zip(second) {
            if (base.place, base.kind) != (candidate.place, candidate.kind) {
                return Err(differs());
            }
            let unknown = |why| Stop::Unknown(format!("{why}, which {name} uses"));
            let to = self.base.target(one.object, base).map_err(unknown)?;
            let meant = self.candidate.target(other.object, candidate).map_err(unknown)?;
            match (to, meant) {
                (Target::Place(to), Target::Place(meant)) => {
                    let named = [(self.base, one, base), (self.candidate, other, candidate)]
                        .map(|(program, unit, relocation)| program.is_named(unit.object, relocation));
                    let shared = [self.base.section(to.unit), self.candidate.section(meant.unit)].map(is_mergeable);
                    if shared == [true; 2] {
                        // What is named is meant, whatever is added to its address.
                        let kind = if named == [true; 2] { None } else { Some(base.kind) };
                        let (to, meant) = match kind {
                            None => (to, meant),
                            Some(_) => (moved(to, base.addend), moved(meant, candidate.addend)),
                        };
                        let fits = named[0] == named[1] && (kind.is_some() || base.addend == candidate.addend);
                        if fits && piece(self.base, to, kind) == piece(self.candidate, meant, kind) {
                            continue;
                        }
                        return Err(differs());
                    }
                    let (to, meant) = (moved(to, base.addend), moved(meant, candidate.addend));
                    if to.offset != meant.offset {
                        return Err(differs());
                    }
                    walk.edges.push(((one, other), (to.unit, meant.unit)));
                    walk.add((to.unit, meant.unit), name);
                }
                (to, meant) => {
                    if (to, base.addend) != (meant, candidate.addend) {
                        return Err(differs());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Walk {
    pub(super) fn add(&mut self, pair: Pair, from: &Rc<str>) {
        if self.seen.insert(pair) {
            self.sides[0].insert(pair.0);
            self.sides[1].insert(pair.1);
            self.waiting.push((pair, Rc::clone(from)));
        }
    }

    /// A variable is one in both: two of them can't stand for one.
    fn pair_variables(&mut self, (one, other): Pair, name: &Rc<str>) -> Result<(), Stop> {
        let known = (self.variables.insert(one, other), self.variables_back.insert(other, one));
        let fits = known.0.is_none_or(|known| known == other) && known.1.is_none_or(|known| known == one);
        fits.then_some(()).ok_or_else(|| Stop::Different(name.to_string()))
    }
}

/// Whether a section belongs to a group tells only how often it is there.
fn flags(section: &Section) -> u64 {
    section.flags & !u64::from(elf::SHF_GROUP)
}

fn moved(place: Place, addend: i64) -> Place {
    Place { offset: place.offset.wrapping_add_signed(addend), ..place }
}

/// Whether it is a heap of constants of one size, or of texts, that many functions share.
fn is_mergeable(section: &Section) -> bool {
    section.has(elf::SHF_MERGE)
        && !section.has(elf::SHF_WRITE)
        && section.entry_size > 0
        && section.relocations.is_empty()
}

/// What of a heap of constants a reference of this kind may mean (none: exactly this place), and where in it. One that is relative to an instruction counts from that one's end, four to eight bytes behind its own place.
fn piece(program: &LinkedProgram, place: Place, kind: Option<u32>) -> Option<(&[u8], u64)> {
    const RELATIVE: [u32; 5] = [
        elf::R_X86_64_PC32,
        elf::R_X86_64_PLT32,
        elf::R_X86_64_GOTPCREL,
        elf::R_X86_64_GOTPCRELX,
        elf::R_X86_64_REX_GOTPCRELX,
    ];
    let section = program.section(place.unit);
    let content = program.object(place.unit).content(place.unit.section);
    if section.has(elf::SHF_STRINGS) {
        return Some((content, place.offset));
    }
    let size = section.entry_size;
    let (from, to) = if kind.is_some_and(|kind| RELATIVE.contains(&kind)) { (4, 8) } else { (0, 0) };
    let [from, to] = [from, to].map(|by| place.offset.wrapping_add(by).cast_signed().max(0).cast_unsigned());
    let (first, end) = (from / size * size, to / size * size + size);
    let piece = content.get(usize::try_from(first).ok()?..usize::try_from(end.min(section.size)).ok()?)?;
    Some((piece, from % size))
}

/// Whether it is a `core::panic::Location`: file, line and column, which a panic's message shows.
fn is_location(program: &LinkedProgram, unit: Unit) -> bool {
    let section = program.section(unit);
    let [relocation] = section.relocations.as_slice() else { return false };
    let is_shaped = section.size == LOCATION
        && !section.is_variable()
        && !section.has(elf::SHF_EXECINSTR)
        // What has no name in the source.
        && section.name.starts_with(".data.rel.ro..L")
        && (relocation.place, relocation.kind) == (0, elf::R_X86_64_64);
    let length = program.object(unit).content(unit.section).get(8..16).and_then(|bytes| bytes.try_into().ok());
    let (true, Some(length)) = (is_shaped, length.map(u64::from_le_bytes)) else { return false };
    let Ok(Target::Place(text)) = program.target(unit.object, relocation) else { return false };
    let text = moved(text, relocation.addend);
    let end = text.offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
    let content = program.object(text.unit).content(text.unit.section);
    end.and_then(|end| content.get(usize::try_from(text.offset).ok()?..end))
        .is_some_and(|text| text.ends_with(b".rs") && text.contains(&b'/'))
}
