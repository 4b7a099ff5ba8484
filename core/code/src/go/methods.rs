//! The methods in a type's description, which may come and go without anything else in it that changes.
//!
//! As the compiler writes them (`cmd/compile/internal/reflectdata/reflect.go` in Go's sources, `writeType` and `dextratypeData`): at the end of the description, ordered by name, 16 bytes each, whose four
//! references are to the name, the type and two functions. An `abi.UncommonType` in front of them says how many there are, how many of these are exported, and how far from it
//! they begin.

use std::collections::{HashMap, HashSet};

use super::link::{Id, Linked};
use super::reach::{Reach, name_at, places};

/// Bytes of a method, of the description's part that all types have, and where that says which kind of type it is (`abi.Type` of 64-bit systems).
const METHOD: usize = 16;
const COMMON: usize = 48;
const KIND: usize = 23;
const KIND_BITS: u8 = 31;
const INTERFACE: u8 = 20;
/// Of the `abi.UncommonType`: the number of methods and that of the exported ones, and how far the first one is from its own beginning.
const COUNTS: usize = 4;
const FIRST: usize = 8;

/// A type's methods.
pub(super) struct Methods<'a> {
    data: &'a [u8],
    /// Bytes, and references, in front of the first one.
    start: usize,
    pub(super) first: u32,
    /// Their names, each with the number of its reference; those of its type and its functions follow.
    pub(super) list: Vec<(&'a [u8], u32)>,
}

impl<'a> Methods<'a> {
    /// Those of a type's description; nothing where it has none that are known by their names alone.
    pub(super) fn of(linked: &'a Linked, id: Id) -> Option<Self> {
        let (part, symbol) = linked.definition(id)?;
        let data = linked.data(id);
        let places = places(linked, id);
        let (mut start, mut first) = (data.len(), None);
        let (mut list, mut number) = (Vec::new(), 0);
        let mut names = HashSet::new();
        let object = &linked.parts[part].object;
        let is_next = |number: u32| {
            let after = object.relocation(symbol, number + 1);
            after.is_some_and(|after| after.kind == linked.numbers.method_offset)
        };
        while let Some(relocation) = object.relocation(symbol, number) {
            if !is_next(number) {
                // Nothing comes behind the methods.
                if first.is_some() {
                    return None;
                }
                number += 1;
                continue;
            }
            if first.is_none() {
                (start, first) = (relocation.offset as usize, Some(number));
            }
            let name = name_at(linked, &places, relocation.offset)?;
            if relocation.offset as usize != start + METHOD * list.len() || !names.insert(name) {
                return None;
            }
            list.push((name, number));
            number += 4;
        }
        let first = first.unwrap_or(number);
        (data.len() == start + METHOD * list.len()).then_some(Self { data, start, first, list })
    }

    /// Whether any of them is exported.
    pub(super) fn exports(&self) -> bool {
        let is_upper = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| name.starts_with(char::is_uppercase));
        self.list.iter().any(|(name, _)| is_upper(name))
    }

    /// Whether the descriptions are the same but for methods that one of them has more.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let (one, second) = (self.before(), other.before());
        if one.len() != second.len() || self.first != other.first {
            return false;
        }
        let differing: Vec<usize> = (0..one.len()).filter(|&at| one[at] != second[at]).map(|at| at / 4 * 4).collect();
        let Some(&counts) = differing.first() else { return self.list.len() == other.list.len() };
        counts >= COMMON + COUNTS
            && differing.iter().all(|&at| at == counts)
            && [self, other].iter().all(|methods| methods.are_counted_at(counts))
    }

    fn before(&self) -> &'a [u8] {
        &self.data[..self.start]
    }

    fn are_counted_at(&self, counts: usize) -> bool {
        let begins = counts - COUNTS;
        let number = |at: usize, bytes: usize| {
            let bytes = self.before().get(at..at + bytes)?;
            Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
        };
        number(counts, 2) == Some(self.list.len()) && number(begins + FIRST, 4) == self.start.checked_sub(begins)
    }
}

/// Names of the methods of interfaces that are used: by these a value is asked whether it is one, while the program runs. With names that are none.
pub(super) fn asked_for<'a>(reach: &Reach<'a>) -> HashSet<&'a [u8]> {
    let linked = reach.linked();
    let interfaces =
        reach.types().filter(|&id| linked.data(id).get(KIND).is_some_and(|kind| kind & KIND_BITS == INTERFACE));
    let named = |id: Id| -> Vec<&'a [u8]> {
        let places: HashMap<u32, Id> = places(linked, id);
        places.keys().filter_map(|&offset| name_at(linked, &places, offset)).collect()
    };
    interfaces.flat_map(named).collect()
}
