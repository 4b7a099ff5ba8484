//! Puts a program together from its objects as Go's linker does: which definition each reference means.
//!
//! The rules are those of `cmd/link/internal/loader/loader.go` in Go's sources (`addSym`, `resolve`, `loadObjRefs`).

use std::collections::HashMap;

use super::archive::Archive;
use super::names::escaped;
use super::numbers::Numbers;
use super::object::{LISTS, List, Object, Reference, STATIC, Symbol};
use super::unlinked::Unlinked;

/// More symbols than any program has.
const MOST_SYMBOLS: usize = 1 << 26;

/// Numbers of packages in references that stand for something else (`PkgIdxNone` and those below it).
const NAMED: u32 = (1 << 31) - 1;
const SHORT_HASHED: u32 = NAMED - 1;
const HASHED: u32 = NAMED - 2;
const BUILTIN: u32 = NAMED - 3;
const OWN: u32 = NAMED - 4;

/// `SymFlagDupok`: other objects may define it, too.
const DUPLICATE: u8 = 1;
/// `SymFlagUsedInIface`, of the second byte of flags.
const IN_INTERFACE: u8 = 1;

/// A symbol of the whole program.
pub(super) type Id = u32;

/// Where a symbol is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// By a symbol of an object.
    Defined { object: u32, symbol: u32 },
    /// By nothing that Go compiled: the linker, or an object of another compiler, has it. The number of its name.
    Outside(u32),
}

/// A package to put in.
pub(super) struct Package {
    /// Its path as the compiler has it.
    pub(super) path: String,
    /// Whether it is Go's own.
    pub(super) standard: bool,
    pub(super) archive: Archive,
}

/// One object of the program.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) object: Object,
    /// The symbol of the program for each of the object's.
    symbols: Vec<Id>,
    /// The part for each number of a package.
    packages: Vec<Option<u32>>,
    pub(super) standard: bool,
}

/// A program.
#[derive(Debug, Default)]
pub(super) struct Linked {
    pub(super) parts: Vec<Part>,
    places: Vec<Place>,
    outside: Vec<Vec<u8>>,
    names: HashMap<(Vec<u8>, u16), Id>,
    builtins: Vec<Option<Id>>,
    /// Symbols that some part says are converted to an interface.
    pub(super) in_interface: Vec<bool>,
    /// Other definitions of a symbol, where packages compiled the same source to something else.
    others: HashMap<Id, Vec<Id>>,
    /// Variables whose definitions are of different sizes.
    pub(super) ambiguous: Vec<bool>,
    pub(super) numbers: Numbers,
}

impl Linked {
    /// Puts `packages` together, which stand in the order in which the linker loads them.
    ///
    /// # Errors
    /// Where references lead nowhere, or there are too many symbols.
    pub(super) fn new(packages: Vec<Package>, numbers: Numbers) -> Result<Self, Unlinked> {
        let mut by_path = HashMap::new();
        let mut parts: Vec<Part> = Vec::new();
        for package in packages {
            for object in package.archive.objects {
                if object.shared {
                    return Err(Unlinked::Unfollowed("packages are compiled for a shared library".to_owned()));
                }
                let number = u32::try_from(parts.len()).map_err(|_| Unlinked::TooLarge)?;
                by_path.entry(escaped(&package.path)).or_insert(number);
                parts.push(Part { object, symbols: Vec::new(), packages: Vec::new(), standard: package.standard });
            }
        }
        let mut linked = Self { numbers, ..Self::default() };
        linked.define(&mut parts)?;
        linked.refer(&mut parts, &by_path)?;
        linked.parts = parts;
        linked.mark_references()?;
        for (id, others) in &linked.others {
            let marked = linked.in_interface[*id as usize];
            others.iter().for_each(|other| linked.in_interface[*other as usize] |= marked);
        }
        Ok(linked)
    }

    fn define(&mut self, parts: &mut [Part]) -> Result<(), Unlinked> {
        let mut hashes = Hashes::default();
        let all: usize = parts.iter().map(|part| part.object.symbols(List::Referred).end as usize).sum();
        if all > MOST_SYMBOLS {
            return Err(Unlinked::TooLarge);
        }
        for part in parts.iter_mut() {
            part.symbols = vec![0; part.object.defined() as usize];
        }
        // Those of packages come first, as in the linker.
        for lists in [&LISTS[..1], &LISTS[1..4]] {
            for number in 0..parts.len() {
                for list in lists {
                    for symbol in parts[number].object.symbols(*list) {
                        let id = self.add(parts, number, *list, symbol, &mut hashes)?;
                        parts[number].symbols[symbol as usize] = id;
                    }
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        parts: &[Part],
        number: usize,
        list: List,
        symbol: u32,
        hashes: &mut Hashes,
    ) -> Result<Id, Unlinked> {
        let damaged = || Unlinked::Damaged("a symbol of an object");
        let object = &parts[number].object;
        let defined = object.symbol(symbol).ok_or_else(damaged)?;
        let place = Place::Defined { object: u32::try_from(number).map_err(|_| Unlinked::TooLarge)?, symbol };
        let first = object.symbols(list).start;
        let known = match list {
            List::ShortHashed => {
                let hash = object.short_hash(symbol - first).ok_or_else(damaged)?;
                Some(hashes.short.entry(hash).or_insert((self.next()?, 0)))
            }
            List::Hashed => {
                let hash = object.hash(symbol - first).ok_or_else(damaged)?;
                Some(hashes.long.entry(hash).or_insert((self.next()?, 0)))
            }
            _ => None,
        };
        if let Some((id, size)) = known {
            let id = *id;
            let longer = defined.size > *size;
            *size = defined.size.max(*size);
            if id as usize == self.places.len() {
                self.push(place, &defined);
            } else if longer {
                self.places[id as usize] = place;
            }
            return Ok(id);
        }
        let id = self.next()?;
        if defined.name.is_empty() || defined.abi == STATIC {
            self.push(place, &defined);
            return Ok(id);
        }
        let key = (defined.name.to_vec(), defined.abi);
        let Some(&old) = self.names.get(&key) else {
            self.names.insert(key, id);
            self.push(place, &defined);
            return Ok(id);
        };
        if list == List::Package {
            return Err(Unlinked::Damaged("a symbol that a package defines twice"));
        }
        self.in_interface[old as usize] |= defined.flag2 & IN_INTERFACE != 0;
        self.again(parts, old, place, &defined)?;
        Ok(old)
    }

    /// One more definition of the symbol `old`.
    fn again(&mut self, parts: &[Part], old: Id, place: Place, new: &Symbol<'_>) -> Result<(), Unlinked> {
        let damaged = || Unlinked::Damaged("a symbol of an object");
        let Place::Defined { object, symbol } = self.places[old as usize] else { return Err(damaged()) };
        let before = &parts[object as usize].object;
        let known = before.symbol(symbol).ok_or_else(damaged)?;
        let Place::Defined { object, symbol: other } = place else { return Err(damaged()) };
        let after = &parts[object as usize].object;
        if (new.flag | known.flag) & DUPLICATE != 0 {
            let is_known = self.others(old).iter().chain([&old]).any(|id| match self.places[*id as usize] {
                Place::Defined { object, symbol } => alike(&parts[object as usize].object, symbol, after, other),
                Place::Outside(_) => false,
            });
            let larger = new.flag & DUPLICATE != 0 && known.size < new.size;
            let rest = if larger { std::mem::replace(&mut self.places[old as usize], place) } else { place };
            if !is_known {
                let id = self.next()?;
                self.push(rest, new);
                self.others.entry(old).or_default().push(id);
            }
            return Ok(());
        }
        // A variable that is declared here, and defined there: by content, by a function, or by assembly.
        let text = |kind: u8| self.numbers.text.contains(&kind);
        let (empty, full) = (before.data(symbol).is_empty(), !after.data(other).is_empty());
        let old_is_declared = !text(known.kind) && empty;
        let new_is_declared = !text(new.kind) && !full;
        if old_is_declared && (text(new.kind) || full || new.size > known.size) {
            self.places[old as usize] = place;
        } else if !new_is_declared {
            return Err(Unlinked::Damaged("a symbol that is defined twice"));
        }
        // The size of the larger one is what the linker reserves.
        self.ambiguous[old as usize] |= known.size != new.size;
        Ok(())
    }

    fn next(&self) -> Result<Id, Unlinked> {
        u32::try_from(self.places.len()).map_err(|_| Unlinked::TooLarge)
    }

    fn push(&mut self, place: Place, symbol: &Symbol<'_>) {
        self.places.push(place);
        self.in_interface.push(symbol.flag2 & IN_INTERFACE != 0);
        self.ambiguous.push(false);
    }

    fn refer(&mut self, parts: &mut [Part], by_path: &HashMap<Vec<u8>, u32>) -> Result<(), Unlinked> {
        for part in parts.iter_mut() {
            for symbol in part.object.symbols(List::Referred) {
                let named = part.object.symbol(symbol).ok_or(Unlinked::Damaged("a reference of an object"))?;
                let id = self.named(named.name, named.abi)?;
                self.in_interface[id as usize] |= named.flag2 & IN_INTERFACE != 0;
                part.symbols.push(id);
            }
            let packages = 0..part.object.package_count();
            part.packages = packages
                .map(|number| part.object.package(number).and_then(|path| by_path.get(path).copied()))
                .collect();
        }
        let builtins = std::mem::take(&mut self.numbers.builtins);
        self.builtins = builtins.iter().map(|(name, abi)| self.find(name.as_bytes(), *abi)).collect();
        self.numbers.builtins = builtins;
        Ok(())
    }

    /// The symbol of that name, which something outside defines if no object does.
    fn named(&mut self, name: &[u8], abi: u16) -> Result<Id, Unlinked> {
        if let Some(id) = self.find(name, abi) {
            return Ok(id);
        }
        let id = self.next()?;
        let number = u32::try_from(self.outside.len()).map_err(|_| Unlinked::TooLarge)?;
        self.outside.push(name.to_vec());
        self.places.push(Place::Outside(number));
        self.in_interface.push(false);
        self.ambiguous.push(false);
        if abi != STATIC {
            self.names.insert((name.to_vec(), abi), id);
        }
        Ok(id)
    }

    fn mark_references(&mut self) -> Result<(), Unlinked> {
        for number in 0..self.parts.len() {
            let marked: Vec<_> = self.parts[number].object.flags_of_references().collect();
            for (reference, flag2) in marked {
                if let Some(id) = self.resolve(number, reference)?
                    && flag2 & IN_INTERFACE != 0
                {
                    self.in_interface[id as usize] = true;
                }
            }
        }
        Ok(())
    }

    /// The symbol of that name and ABI.
    pub(super) fn find(&self, name: &[u8], abi: u16) -> Option<Id> {
        self.names.get(&(name.to_vec(), abi)).copied()
    }

    /// The symbol that a reference of a part means; `None` where it means none.
    ///
    /// # Errors
    /// Where it leads nowhere.
    pub(super) fn resolve(&self, part: usize, reference: Reference) -> Result<Option<Id>, Unlinked> {
        let Reference { package, symbol } = reference;
        if package == 0 && symbol == 0 {
            return Ok(None);
        }
        let from = &self.parts[part];
        let listed = |list: List| from.object.symbols(list).start.checked_add(symbol);
        let found = match package {
            NAMED => listed(List::Named).and_then(|symbol| from.symbols.get(symbol as usize)),
            SHORT_HASHED => listed(List::ShortHashed).and_then(|symbol| from.symbols.get(symbol as usize)),
            HASHED => listed(List::Hashed).and_then(|symbol| from.symbols.get(symbol as usize)),
            BUILTIN => self.builtins.get(symbol as usize).and_then(Option::as_ref),
            OWN => from.symbols.get(symbol as usize),
            _ => from
                .packages
                .get(package as usize)
                .copied()
                .flatten()
                .and_then(|part| self.parts.get(part as usize)?.symbols.get(symbol as usize)),
        };
        found.copied().map(Some).ok_or(Unlinked::Damaged("a reference to a symbol that isn't there"))
    }

    /// Other definitions of the symbol, of which the linker could have taken one as well.
    pub(super) fn others(&self, id: Id) -> &[Id] {
        self.others.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn place(&self, id: Id) -> Place {
        self.places[id as usize]
    }

    /// The part that defines the symbol, and its number there.
    pub(super) fn definition(&self, id: Id) -> Option<(usize, u32)> {
        match self.places[id as usize] {
            Place::Defined { object, symbol } => Some((object as usize, symbol)),
            Place::Outside(_) => None,
        }
    }

    /// The symbol as the object describes it that defines it.
    pub(super) fn symbol(&self, id: Id) -> Option<Symbol<'_>> {
        let (part, symbol) = self.definition(id)?;
        self.parts[part].object.symbol(symbol)
    }

    pub(super) fn data(&self, id: Id) -> &[u8] {
        self.definition(id).map_or(&[], |(part, symbol)| self.parts[part].object.data(symbol))
    }

    /// Its name; empty for what has none.
    pub(super) fn name(&self, id: Id) -> &[u8] {
        match self.place(id) {
            Place::Outside(number) => self.outside.get(number as usize).map_or(&[], Vec::as_slice),
            Place::Defined { .. } => self.symbol(id).map_or(&[], |symbol| symbol.name),
        }
    }

    /// Whether it is known by its content.
    pub(super) fn is_hashed(&self, id: Id) -> bool {
        self.definition(id)
            .and_then(|(part, symbol)| self.parts[part].object.list(symbol))
            .is_some_and(|list| matches!(list, List::ShortHashed | List::Hashed))
    }
}

/// Symbols that are known by their content, with their size.
#[derive(Default)]
struct Hashes {
    short: HashMap<u64, (Id, u32)>,
    long: HashMap<[u8; 16], (Id, u32)>,
}

/// Whether two definitions have the same bytes, with references at the same places.
fn alike(one: &Object, symbol: u32, other: &Object, second: u32) -> bool {
    let places = |object: &Object, symbol: u32| -> Vec<_> {
        object.relocations(symbol).map(|it| (it.offset, it.size, it.kind, it.addend)).collect()
    };
    one.data(symbol) == other.data(second) && places(one, symbol) == places(other, second)
}
