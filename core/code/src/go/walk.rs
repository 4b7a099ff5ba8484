//! The walk over two programs in step, over all that is used in either.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::functions::described;
use super::introspection::{METHODS_OF_TYPES, Tells, tells, tells_method};
use super::link::{Id, Linked, Place};
use super::methods::{Methods, asked_for};
use super::names::{fit, is_internal, shown, type_of};
use super::object::{Auxiliary, Relocation};
use super::reach::{DEBUGGING, Reach, TYPE_OF_DATA, Use, called, is_type, used_by};
use super::unlinked::Unlinked;

/// Auxiliary symbols: what is said of a function, and which line and file an instruction is from.
const FUNCTION: u8 = 1;
const FILES: u8 = 8;
const LINES: u8 = 9;
/// Bytes of a type's description that say how large a value is and how far it has pointers (`abi.Type`).
const EXTENT: usize = 16;
const POINTERS: &[u8] = b"runtime.gcbits.";

/// Which say how many exported methods a type has, and the ABI of compiled functions.
const COUNTING: [&[u8]; 2] = [b"reflect.(*rtype).NumMethod", b"reflect.Value.NumMethod"];
const COMPILED: u16 = 1;

/// Why the walk ends.
#[derive(Debug)]
pub(super) enum Stop {
    /// The unit that differs.
    Different(String),
    Unknown(String),
}

impl From<Unlinked> for Stop {
    fn from(error: Unlinked) -> Self {
        Self::Unknown(error.to_string())
    }
}

/// A symbol of each program, which have to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) base: Id,
    pub(super) candidate: Id,
}

/// One side of the walk.
#[derive(Clone)]
pub(super) struct Side<'a> {
    pub(super) linked: &'a Linked,
    pub(super) reach: Reach<'a>,
}

/// What has been seen and what is still to do. A copy goes on from there.
#[derive(Clone)]
pub(super) struct Walk<'a> {
    pub(super) base: Side<'a>,
    pub(super) candidate: Side<'a>,
    paired: HashMap<Id, Id>,
    paired_back: HashMap<Id, Id>,
    /// Pairs that are known by their content: one may stand for several.
    by_content: HashSet<Pair>,
    /// Pairs, each with the symbol of the base from which it was reached first and that has a name.
    waiting: VecDeque<(Pair, Id)>,
    /// Pairs with references that count only once something else uses their targets.
    conditional: Vec<(Pair, Id)>,
    pub(super) functions: usize,
    /// The first function outside of Go's library whose lines aren't the same.
    moved: Option<Id>,
    /// The first function outside of Go's library that looks at lines, at the build, and at how many methods a type has.
    looks_at_lines: Option<Id>,
    looks_at_build: Option<Id>,
    looks_at_methods: Option<Id>,
    /// A type that has exported methods on one side alone.
    first_exported: Option<Id>,
    /// Methods that types have on one side alone and nothing uses, by name, with the type that has one.
    apart: BTreeMap<Vec<u8>, Id>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(base: Side<'a>, candidate: Side<'a>) -> Self {
        Self {
            base,
            candidate,
            paired: HashMap::new(),
            paired_back: HashMap::new(),
            by_content: HashSet::new(),
            waiting: VecDeque::new(),
            conditional: Vec::new(),
            functions: 0,
            moved: None,
            looks_at_lines: None,
            looks_at_build: None,
            looks_at_methods: None,
            first_exported: None,
            apart: BTreeMap::new(),
        }
    }

    /// Compares all that is used from the roots, of which both sides have followed the uses.
    pub(super) fn compare(&mut self, roots: &[Pair]) -> Result<(), Stop> {
        for pair in roots {
            self.meet(Some(pair.base), Some(pair.candidate), pair.base)?;
        }
        // What was left out before may be used from the new roots.
        for (pair, from) in std::mem::take(&mut self.conditional) {
            self.references(pair, from, true)?;
        }
        while let Some((pair, from)) = self.waiting.pop_front() {
            self.symbol(pair, from)?;
        }
        Ok(())
    }

    /// What is in no code and no data that was compared, and can be seen by the program.
    /// `builds_are_alike`: a program that reads how it was built reads the same on both sides.
    pub(super) fn introspection(&self, builds_are_alike: bool) -> Result<(), Stop> {
        if let Some(function) = self.looks_at_build.filter(|_| !builds_are_alike) {
            return Err(Stop::Unknown(format!("{} reads how the program was built", self.name(function))));
        }
        if let (Some(function), Some(moved)) = (self.looks_at_lines, self.moved) {
            return Err(Stop::Unknown(format!(
                "{} may read line numbers, and those of {} differ",
                self.name(function),
                self.name(moved)
            )));
        }
        if self.apart.is_empty() {
            return Ok(());
        }
        // A value may be asked while the program runs whether it has a method of that name.
        let asked = [&self.base, &self.candidate].map(|side| asked_for(&side.reach));
        if let Some(of) = self.apart.iter().find(|(name, _)| asked.iter().any(|asked| asked.contains(name.as_slice())))
        {
            return Err(self.differs(*of.1, *of.1));
        }
        // Go's own library asks whether there is any that is exported.
        let sides = [&self.base, &self.candidate];
        let counts = |side: &&Side<'_>| {
            COUNTING.iter().any(|name| side.linked.find(name, COMPILED).is_some_and(|id| side.reach.reaches(id)))
        };
        if let Some(of) = self.first_exported.filter(|_| sides.iter().any(counts)) {
            return Err(self.differs(of, of));
        }
        let Some(of) = self.apart.values().next() else { return Ok(()) };
        let looked_up =
            METHODS_OF_TYPES.iter().find(|name| sides.iter().any(|side| side.reach.looks_up(name.as_bytes())));
        let asks = self.looks_at_methods.map(|function| self.name(function));
        match asks.or(looked_up.map(|name| format!("what looks {name} up by its name"))) {
            Some(who) => Err(Stop::Unknown(format!(
                "{who} asks by reflection what types can do, and methods of {} differ",
                self.name(*of)
            ))),
            None => Ok(()),
        }
    }

    fn name(&self, id: Id) -> String {
        let name = self.base.linked.name(id);
        shown(type_of(name).unwrap_or(name))
    }

    /// The difference of a symbol, or of what it was reached from where it has no name that a user knows.
    fn differs(&self, id: Id, from: Id) -> Stop {
        let name = self.base.linked.name(id);
        let known = if is_internal(name) && type_of(name).is_none() { from } else { id };
        Stop::Different(self.name(known))
    }

    /// Takes note of targets of the same reference; `from` has a name.
    fn meet(&mut self, base: Option<Id>, candidate: Option<Id>, from: Id) -> Result<(), Stop> {
        let (Some(base), Some(candidate)) = (base, candidate) else {
            return if base == candidate { Ok(()) } else { Err(self.differs(from, from)) };
        };
        let (one, other) = (self.base.linked, self.candidate.linked);
        let defined = match (one.place(base), other.place(candidate)) {
            (Place::Defined { .. }, Place::Defined { .. }) => true,
            (Place::Outside(_), Place::Outside(_)) => false,
            _ => return Err(self.differs(from, from)),
        };
        let ends = (self.base.reach.ends_at(base), self.candidate.reach.ends_at(candidate));
        if !defined || ends != (false, false) {
            let same = ends.0 == ends.1 && one.name(base) == other.name(candidate);
            return if same { Ok(()) } else { Err(self.differs(from, from)) };
        }
        let pair = Pair { base, candidate };
        if one.is_hashed(base) || other.is_hashed(candidate) {
            if one.is_hashed(base) != other.is_hashed(candidate) {
                return Err(self.differs(from, from));
            }
            if self.by_content.insert(pair) {
                self.waiting.push_back((pair, from));
            }
            return Ok(());
        }
        match (self.paired.get(&base), self.paired_back.get(&candidate)) {
            (Some(second), Some(first)) if *second == candidate && *first == base => return Ok(()),
            (None, None) => {}
            _ => return Err(self.differs(from, from)),
        }
        let (first, second) = (one.name(base), other.name(candidate));
        if !fit(first, second) {
            return Err(self.differs(from, from));
        }
        if first != second {
            self.moved.get_or_insert(from);
        }
        self.paired.insert(base, candidate);
        self.paired_back.insert(candidate, base);
        let from = if is_internal(first) { from } else { base };
        self.waiting.push_back((pair, from));
        Ok(())
    }

    fn symbol(&mut self, pair: Pair, from: Id) -> Result<(), Stop> {
        let (linked, second) = (self.base.linked, self.candidate.linked);
        let damaged = || Stop::from(Unlinked::Damaged("a symbol of an object"));
        let one = linked.symbol(pair.base).ok_or_else(damaged)?;
        let other = second.symbol(pair.candidate).ok_or_else(damaged)?;
        if linked.ambiguous[pair.base as usize] || second.ambiguous[pair.candidate as usize] {
            let name = String::from_utf8_lossy(one.name);
            return Err(Stop::Unknown(format!("{name} has another size in another package")));
        }
        let hashed = linked.is_hashed(pair.base);
        let described = (one.kind, one.abi) == (other.kind, other.abi);
        let (content, content_of_other) = (linked.data(pair.base), second.data(pair.candidate));
        let same = if hashed {
            trimmed(content) == trimmed(content_of_other)
        } else if let Some([methods, of_other]) = self.methods(pair) {
            one.align == other.align && methods.is_like(&of_other)
        } else {
            (one.size, one.align) == (other.size, other.align) && content == content_of_other
        };
        if !described || !same {
            return Err(self.differs(pair.base, from));
        }
        if linked.numbers.text.contains(&one.kind) {
            self.functions += 1;
        }
        let others = (linked.others(pair.base), second.others(pair.candidate));
        if others.0.len() != others.1.len() {
            return Err(self.differs(pair.base, from));
        }
        for (base, candidate) in others.0.iter().zip(others.1) {
            self.meet(Some(*base), Some(*candidate), from)?;
        }
        self.references(pair, from, false)?;
        self.auxiliaries(pair, from)
    }

    /// Compares what a pair refers to; `again` for what wasn't used before.
    fn references(&mut self, pair: Pair, from: Id, again: bool) -> Result<(), Stop> {
        let (linked, second) = (self.base.linked, self.candidate.linked);
        let (Some((part, symbol)), Some((part_of_other, symbol_of_other))) =
            (linked.definition(pair.base), second.definition(pair.candidate))
        else {
            return Ok(());
        };
        let (object, object_of_other) = (&linked.parts[part].object, &second.parts[part_of_other].object);
        let methods = self.methods(pair);
        let counts = match &methods {
            Some(methods) => methods.each_ref().map(|methods| methods.first),
            None => [object.relocation_count(symbol), object_of_other.relocation_count(symbol_of_other)],
        };
        if counts[0] != counts[1] {
            return Err(self.differs(pair.base, from));
        }
        let own = !linked.parts[part].standard;
        let mut conditional = methods.iter().flatten().any(|methods| !methods.list.is_empty());
        if let Some(methods) = &methods {
            self.both_methods(pair, methods, from, again)?;
        }
        let mut number = 0;
        while let (true, Some(one), Some(other)) =
            (number < counts[0], object.relocation(symbol, number), object_of_other.relocation(symbol_of_other, number))
        {
            let this = number;
            number += 1;
            if !alike(&one, &other) {
                return Err(self.differs(pair.base, from));
            }
            let base = linked.resolve(part, one.target)?;
            let candidate = second.resolve(part_of_other, other.target)?;
            match used_by(linked, &one) {
                Use::Mark => {
                    let method = base.filter(|_| own).and_then(|base| called(linked, &one, base));
                    self.note(method.and_then(|(name, _)| tells_method(name)), from);
                }
                Use::Target => {
                    if !again {
                        self.meet(base, candidate, from)?;
                        self.look(own, base, from);
                    }
                }
                Use::Weak => {
                    conditional = true;
                    let used = |side: &Side<'_>, target: Option<Id>| target.is_some_and(|it| side.reach.reaches(it));
                    if used(&self.base, base) || used(&self.candidate, candidate) {
                        self.meet(base, candidate, from)?;
                    }
                }
                Use::Method => {
                    conditional = true;
                    self.method(pair, [this; 2], from)?;
                    number = this + 3;
                }
            }
        }
        if conditional {
            self.conditional.push((pair, from));
        }
        Ok(())
    }

    /// The methods of a type's descriptions; nothing of what is none, or isn't understood.
    fn methods(&self, pair: Pair) -> Option<[Methods<'a>; 2]> {
        let (one, other) = (self.base.linked, self.candidate.linked);
        let are_types = is_type(one, pair.base) && is_type(other, pair.candidate);
        if !are_types || one.is_hashed(pair.base) || other.is_hashed(pair.candidate) {
            return None;
        }
        Some([Methods::of(one, pair.base)?, Methods::of(other, pair.candidate)?])
    }

    /// Compares the methods that both descriptions of a type have. Of one that the other side lacks it is enough that nothing uses it, and that nothing asks for its name.
    fn both_methods(
        &mut self,
        pair: Pair,
        [of_base, of_candidate]: &[Methods<'a>; 2],
        from: Id,
        again: bool,
    ) -> Result<(), Stop> {
        let target = |side: &Side<'_>, id: Id, number: u32| target(side.linked, id, number);
        let mut alone: Vec<(&[u8], bool)> = Vec::new();
        for &(name, number) in &of_base.list {
            let Some(&(_, other)) = of_candidate.list.iter().find(|(other, _)| *other == name) else {
                alone.push((name, self.base.reach.uses(pair.base, number + 1)));
                continue;
            };
            let names = [target(&self.base, pair.base, number)?, target(&self.candidate, pair.candidate, other)?];
            if !again {
                self.meet(names[0], names[1], from)?;
            }
            self.method(pair, [number + 1, other + 1], from)?;
        }
        let is_new = |name: &[u8]| !of_base.list.iter().any(|(other, _)| *other == name);
        let new = of_candidate.list.iter().filter(|(name, _)| is_new(name));
        alone.extend(new.map(|&(name, number)| (name, self.candidate.reach.uses(pair.candidate, number + 1))));
        if !alone.is_empty() && of_base.exports() != of_candidate.exports() {
            self.first_exported.get_or_insert(pair.base);
        }
        for (name, is_used) in alone {
            if is_used {
                return Err(self.differs(pair.base, from));
            }
            self.apart.entry(name.to_vec()).or_insert(pair.base);
        }
        Ok(())
    }

    /// Compares a method in the descriptions of a type, whose first relocations are those of these numbers.
    fn method(&mut self, pair: Pair, [of_base, of_candidate]: [u32; 2], from: Id) -> Result<(), Stop> {
        let used = self.base.reach.uses(pair.base, of_base);
        if used != self.candidate.reach.uses(pair.candidate, of_candidate) {
            return Err(self.differs(pair.base, from));
        }
        for place in 0..3 {
            let one = target(self.base.linked, pair.base, of_base.saturating_add(place))?;
            let other = target(self.candidate.linked, pair.candidate, of_candidate.saturating_add(place))?;
            if used {
                self.meet(one, other, from)?;
                continue;
            }
            // A method that nothing calls still says whether the type has an interface's methods.
            let name = |side: &Side<'a>, id: Option<Id>| id.map(|id| side.linked.name(id));
            if name(&self.base, one) != name(&self.candidate, other) {
                return Err(self.differs(pair.base, from));
            }
        }
        Ok(())
    }

    fn auxiliaries(&mut self, pair: Pair, from: Id) -> Result<(), Stop> {
        let (linked, second) = (self.base.linked, self.candidate.linked);
        let list = |linked: &Linked, id: Id| -> Result<Vec<(Auxiliary, Option<Id>)>, Unlinked> {
            let Some((part, symbol)) = linked.definition(id) else { return Ok(Vec::new()) };
            let all = linked.parts[part].object.auxiliaries(symbol).filter(|it| !DEBUGGING.contains(&it.kind));
            all.map(|it| Ok((it, linked.resolve(part, it.target)?))).collect()
        };
        let (all, all_of_other) = (list(linked, pair.base)?, list(second, pair.candidate)?);
        let own = linked.definition(pair.base).is_some_and(|(part, _)| !linked.parts[part].standard);
        let lines = |kind: u8| kind == FILES || kind == LINES;
        let kinds = |all: &[(Auxiliary, Option<Id>)]| -> Vec<u8> {
            all.iter().map(|(auxiliary, _)| auxiliary.kind).filter(|kind| !lines(*kind)).collect()
        };
        if kinds(&all) != kinds(&all_of_other) {
            return Err(self.differs(pair.base, from));
        }
        let of_lines = |linked: &Linked, all: &[(Auxiliary, Option<Id>)]| -> Vec<Vec<u8>> {
            let all = all.iter().filter(|(auxiliary, _)| auxiliary.kind == LINES);
            all.map(|(_, target)| target.map_or_else(Vec::new, |target| linked.data(target).to_vec())).collect()
        };
        if own && of_lines(linked, &all) != of_lines(second, &all_of_other) {
            self.moved.get_or_insert(from);
        }
        let rest = |all: Vec<(Auxiliary, Option<Id>)>| all.into_iter().filter(|(it, _)| !lines(it.kind));
        for ((auxiliary, one), (_, other)) in rest(all).zip(rest(all_of_other)) {
            match auxiliary.kind {
                FUNCTION => self.function(pair, one, other, own, from)?,
                TYPE_OF_DATA => {
                    let same = match (one, other) {
                        (Some(one), Some(other)) => extent(linked, one) == extent(second, other),
                        _ => one == other,
                    };
                    if !same {
                        return Err(self.differs(pair.base, from));
                    }
                }
                _ => self.meet(one, other, from)?,
            }
        }
        Ok(())
    }

    fn function(&mut self, pair: Pair, one: Option<Id>, other: Option<Id>, own: bool, from: Id) -> Result<(), Stop> {
        let (linked, second) = (self.base.linked, self.candidate.linked);
        let part = |linked: &Linked, id: Id| linked.definition(id).map_or(0, |(part, _)| part);
        let (Some(one), Some(other)) = (one, other) else { return Err(self.differs(pair.base, from)) };
        let read = (
            described(linked, part(linked, pair.base), linked.data(one)),
            described(second, part(second, pair.candidate), second.data(other)),
        );
        let (Some((one, lines)), Some((other, lines_of_other))) = read else {
            return Err(Unlinked::Damaged("the description of a function").into());
        };
        if !one.same(linked, &other, second, &fit) {
            return Err(self.differs(pair.base, from));
        }
        if own && lines != lines_of_other {
            self.moved.get_or_insert(from);
        }
        for inlined in one.inlined() {
            self.look(own, Some(inlined), from);
        }
        Ok(())
    }

    /// Takes note of functions that look at the program itself, where a user's function refers to them.
    fn look(&mut self, own: bool, target: Option<Id>, from: Id) {
        self.note(target.filter(|_| own).and_then(|target| tells(self.base.linked.name(target))), from);
    }

    fn note(&mut self, told: Option<Tells>, from: Id) {
        match told {
            Some(Tells::Lines) => self.looks_at_lines.get_or_insert(from),
            Some(Tells::Build) => self.looks_at_build.get_or_insert(from),
            Some(Tells::Methods) => self.looks_at_methods.get_or_insert(from),
            None => return,
        };
    }
}

/// What a relocation of a symbol refers to.
fn target(linked: &Linked, id: Id, number: u32) -> Result<Option<Id>, Stop> {
    let Some((part, symbol)) = linked.definition(id) else { return Ok(None) };
    match linked.parts[part].object.relocation(symbol, number) {
        Some(relocation) => Ok(linked.resolve(part, relocation.target)?),
        None => Ok(None),
    }
}

/// Whether two relocations do the same to the same bytes.
fn alike(one: &Relocation, other: &Relocation) -> bool {
    (one.offset, one.size, one.kind, one.addend) == (other.offset, other.size, other.kind, other.addend)
}

/// Content that is known by itself may have zeros behind it.
fn trimmed(data: &[u8]) -> &[u8] {
    let end = data.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &data[..end]
}

/// How large values of a type are, and which of their words are pointers, for the collector.
fn extent(linked: &Linked, id: Id) -> (&[u8], Vec<&[u8]>) {
    let data = linked.data(id);
    let Some((part, symbol)) = linked.definition(id) else { return (data, Vec::new()) };
    let targets = linked.parts[part].object.relocations(symbol).filter_map(|relocation| {
        let name = linked.name(linked.resolve(part, relocation.target).ok()??);
        name.starts_with(POINTERS).then_some(name)
    });
    (data.get(..EXTENT).unwrap_or(data), targets.collect())
}
