//! What of a program is used from given roots, as Go's linker finds it (`cmd/link/internal/ld/deadcode.go`): all that is referred to; and of methods that
//! only a type's description refers to those that a call through an interface, or reflection, can mean.
//!
//! One thing more is followed than by the linker: what initialises a map of the package that isn't used from these roots.

use std::collections::{HashMap, HashSet};

use super::link::{Id, Linked};
use super::object::{Relocation, Symbol};
use super::unlinked::Unlinked;

/// `R_WEAK`: the reference alone keeps nothing.
const WEAK: u16 = 1 << 15;
/// `SymFlagReflectMethod` and `SymFlagGoType`.
const REFLECTS: u8 = 1 << 5;
const TYPE: u8 = 1 << 6;
/// `SymFlagItab`, of the second byte of flags.
const TABLE_OF_METHODS: u8 = 1 << 1;
/// Where a table of methods refers to the type (`abi.ITabTypeOff` of 64-bit systems), bytes.
const TYPE_OF_TABLE: u32 = 8;
/// Auxiliary symbols: a type that is known without being used, and the first and last of those for debuggers.
pub(super) const TYPE_OF_DATA: u8 = 0;
pub(super) const DEBUGGING: std::ops::RangeInclusive<u8> = 3..=6;

const REACHED: u8 = 1;
const IN_INTERFACE: u8 = 2;

/// What is used so far. A copy goes on from there.
#[derive(Clone)]
pub(super) struct Reach<'a> {
    linked: &'a Linked,
    state: Vec<u8>,
    waiting: Vec<Id>,
    /// Not followed: lists of all tests and benchmarks.
    ends: HashSet<Id>,
    /// Methods of types that are used, which nothing is known to call yet.
    methods: Vec<Method<'a>>,
    noted: HashSet<(Id, u32)>,
    /// Methods of interfaces that are called: name and type.
    called: HashSet<(&'a [u8], Id)>,
    /// Names by which methods are called or looked up.
    looked_up: HashSet<&'a [u8]>,
    /// Whether any exported method may be looked up.
    reflection: bool,
    used: HashSet<(Id, u32)>,
}

/// A method in a type's description.
#[derive(Debug, Clone, Copy)]
struct Method<'a> {
    owner: Id,
    /// The first of its three relocations.
    relocation: u32,
    name: &'a [u8],
    signature: Option<Id>,
}

/// What a relocation is to whoever follows references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The target is used.
    Target,
    /// The target is used only if something else uses it.
    Weak,
    /// The first of three of a method: its type and its two functions.
    Method,
    /// Nothing is referred to.
    Mark,
}

/// What the relocation is.
pub(super) fn used_by(linked: &Linked, relocation: &Relocation) -> Use {
    let numbers = &linked.numbers;
    let kind = relocation.kind & !WEAK;
    if relocation.kind & WEAK != 0 && (kind == numbers.address || kind == numbers.address_offset) {
        Use::Weak
    } else if kind == numbers.method_offset {
        Use::Method
    } else if [
        numbers.use_type,
        numbers.use_interface,
        numbers.use_interface_method,
        numbers.use_named_method,
        numbers.initialisation_order,
    ]
    .contains(&kind)
    {
        Use::Mark
    } else {
        Use::Target
    }
}

impl<'a> Reach<'a> {
    pub(super) fn new(linked: &'a Linked, ends: HashSet<Id>) -> Self {
        Self {
            linked,
            state: linked.in_interface.iter().map(|is| if *is { IN_INTERFACE } else { 0 }).collect(),
            waiting: Vec::new(),
            ends,
            methods: Vec::new(),
            noted: HashSet::new(),
            called: HashSet::new(),
            looked_up: HashSet::new(),
            reflection: false,
            used: HashSet::new(),
        }
    }

    pub(super) fn linked(&self) -> &'a Linked {
        self.linked
    }

    /// Whether methods are looked up by that name.
    pub(super) fn looks_up(&self, name: &[u8]) -> bool {
        self.looked_up.contains(name)
    }

    /// Descriptions of types that are used.
    pub(super) fn types(&self) -> impl Iterator<Item = Id> + '_ {
        let used = self.state.iter().zip(0..).filter(|(state, _)| *state & REACHED != 0);
        used.map(|(_, id)| id).filter(|&id| is_type(self.linked, id))
    }

    pub(super) fn reaches(&self, id: Id) -> bool {
        self.state[id as usize] & REACHED != 0
    }

    /// Whether the symbol is one of those that aren't followed.
    pub(super) fn ends_at(&self, id: Id) -> bool {
        self.ends.contains(&id)
    }

    /// Whether the method is used whose first relocation that is, of a type's description.
    pub(super) fn uses(&self, owner: Id, relocation: u32) -> bool {
        self.used.contains(&(owner, relocation))
    }

    /// Follows all from one more root.
    ///
    /// # Errors
    /// Where the objects are damaged.
    pub(super) fn add(&mut self, root: Id) -> Result<(), Unlinked> {
        self.mark(root);
        loop {
            while let Some(id) = self.waiting.pop() {
                self.follow(id)?;
            }
            let mut rest = Vec::new();
            for method in std::mem::take(&mut self.methods) {
                if !self.may_be_called(&method) {
                    rest.push(method);
                    continue;
                }
                self.used.insert((method.owner, method.relocation));
                for number in 0..3 {
                    if let Some(target) = self.target(method.owner, method.relocation + number)? {
                        self.mark(target);
                    }
                }
            }
            self.methods = rest;
            if self.waiting.is_empty() {
                return Ok(());
            }
        }
    }

    fn may_be_called(&self, method: &Method<'a>) -> bool {
        let exported = std::str::from_utf8(method.name)
            .map_or(true, |name| name.chars().next().is_none_or(|first| first.is_uppercase()));
        self.reflection && exported
            || method.signature.is_none_or(|signature| self.called.contains(&(method.name, signature)))
            || self.looked_up.contains(method.name)
    }

    fn mark(&mut self, id: Id) {
        if !self.reaches(id) && !self.ends.contains(&id) {
            self.state[id as usize] |= REACHED;
            self.waiting.push(id);
            for other in self.linked.others(id) {
                self.mark(*other);
            }
        }
    }

    /// A value of the type may be found in an interface; it is looked at again if it was looked at before.
    fn convert(&mut self, id: Id) {
        if self.state[id as usize] & IN_INTERFACE == 0 {
            self.state[id as usize] |= IN_INTERFACE;
            if self.reaches(id) {
                self.waiting.push(id);
            }
            for other in self.linked.others(id) {
                self.convert(*other);
            }
        }
    }

    fn follow(&mut self, id: Id) -> Result<(), Unlinked> {
        let linked = self.linked;
        let Some((part, symbol)) = linked.definition(id) else { return Ok(()) };
        let object = &linked.parts[part].object;
        let Some(described) = object.symbol(symbol) else { return Err(Unlinked::Damaged("a symbol of an object")) };
        self.reflection |= described.flag & REFLECTS != 0;
        let in_interface = described.flag & TYPE != 0 && self.state[id as usize] & IN_INTERFACE != 0;
        let mut number = 0;
        while let Some(relocation) = object.relocation(symbol, number) {
            let this = number;
            number += 1;
            let target = linked.resolve(part, relocation.target)?;
            match used_by(linked, &relocation) {
                Use::Weak => {}
                Use::Method => {
                    number = this + 3;
                    if in_interface {
                        self.note(id, this, relocation.offset)?;
                    }
                }
                Use::Mark => self.take_note(&relocation, target)?,
                Use::Target => {
                    if let Some(target) = target {
                        if in_interface && is_type(linked, target) {
                            self.convert(target);
                        }
                        self.mark(target);
                    }
                }
            }
        }
        for auxiliary in object.auxiliaries(symbol) {
            if auxiliary.kind != TYPE_OF_DATA
                && !DEBUGGING.contains(&auxiliary.kind)
                && let Some(target) = linked.resolve(part, auxiliary.target)?
            {
                self.mark(target);
            }
        }
        Ok(())
    }

    /// A method of a type that may be found in an interface.
    fn note(&mut self, owner: Id, relocation: u32, offset: u32) -> Result<(), Unlinked> {
        if !self.noted.insert((owner, relocation)) {
            return Ok(());
        }
        let signature = self.target(owner, relocation)?;
        // Its own type can be had from the description, and from that the types of its parameters.
        if let Some(signature) = signature {
            self.convert(signature);
        }
        let places = places(self.linked, owner);
        // The name stands in front of the three.
        let name = offset.checked_sub(4).and_then(|offset| name_at(self.linked, &places, offset));
        let name = name.ok_or(Unlinked::Damaged("a type's methods"))?;
        self.methods.push(Method { owner, relocation, name, signature });
        Ok(())
    }

    fn take_note(&mut self, relocation: &Relocation, target: Option<Id>) -> Result<(), Unlinked> {
        let Some(target) = target else { return Ok(()) };
        let linked = self.linked;
        let numbers = &linked.numbers;
        let kind = relocation.kind & !WEAK;
        let damaged = || Unlinked::Damaged("a mark for the linker");
        if kind == numbers.use_interface {
            let is_table = linked.symbol(target).is_some_and(|symbol| symbol.flag2 & TABLE_OF_METHODS != 0);
            let of = if is_table { places(linked, target).get(&TYPE_OF_TABLE).copied() } else { Some(target) };
            self.convert(of.ok_or_else(damaged)?);
        } else if kind == numbers.use_interface_method {
            self.called.insert(called(linked, relocation, target).ok_or_else(damaged)?);
        } else if kind == numbers.use_named_method {
            self.looked_up.insert(linked.data(target));
        }
        Ok(())
    }

    fn target(&self, owner: Id, relocation: u32) -> Result<Option<Id>, Unlinked> {
        let damaged = || Unlinked::Damaged("a type's methods");
        let (part, symbol) = self.linked.definition(owner).ok_or_else(damaged)?;
        let relocation = self.linked.parts[part].object.relocation(symbol, relocation).ok_or_else(damaged)?;
        self.linked.resolve(part, relocation.target)
    }
}

/// The method of an interface, its name and type, that the mark of a call through that interface means.
pub(super) fn called<'a>(linked: &'a Linked, mark: &Relocation, interface: Id) -> Option<(&'a [u8], Id)> {
    let offset = u32::try_from(mark.addend).ok()?;
    let places = places(linked, interface);
    let signature = offset.checked_add(4).and_then(|offset| places.get(&offset).copied());
    Some((name_at(linked, &places, offset)?, signature?))
}

/// What a symbol refers to, by the place of the reference.
pub(super) fn places(linked: &Linked, id: Id) -> HashMap<u32, Id> {
    let Some((part, symbol)) = linked.definition(id) else { return HashMap::new() };
    let mut found = HashMap::new();
    for relocation in linked.parts[part].object.relocations(symbol) {
        if let Ok(Some(target)) = linked.resolve(part, relocation.target) {
            // The first one counts, as in the linker.
            found.entry(relocation.offset).or_insert(target);
        }
    }
    found
}

/// The name that a type's description refers to from `offset`: a byte of flags, the length as a varint, and its bytes.
pub(super) fn name_at<'a>(linked: &'a Linked, places: &HashMap<u32, Id>, offset: u32) -> Option<&'a [u8]> {
    let data = linked.data(*places.get(&offset)?);
    let (mut length, mut shift, mut at) = (0_usize, 0_u32, 1);
    loop {
        let byte = *data.get(at)?;
        at += 1;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return data.get(at..at.checked_add(length)?);
        }
    }
}

/// Whether it is the description of a type.
pub(super) fn is_type(linked: &Linked, id: Id) -> bool {
    linked.symbol(id).is_some_and(|Symbol { flag, .. }| flag & TYPE != 0)
}
