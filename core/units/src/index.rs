//! All units of the loaded files, found by name.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::origin::Origin;
use crate::unit::{Flag, Kind, Source, Unit, Units};
use crate::vocabulary;

/// A unit among those of all files.
pub(crate) struct Node<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) source: &'a Source,
    /// The node of the unit around it.
    pub(crate) outer: Option<usize>,
    pub(crate) change: Option<Change>,
    /// Whether the base has it.
    pub(crate) of_base: bool,
}

/// How the head's unit differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// What it executes.
    Content,
    /// One of the sides has no unit of that name.
    Presence,
    /// Its documentation.
    Documentation,
    /// It is defined earlier or later than other statements.
    Moved,
}

/// A unit whose parts stand in another order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reordered {
    pub(crate) at: usize,
    /// Some of them are classes.
    pub(crate) classes: bool,
}

pub(crate) struct Index<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) children: Vec<Vec<usize>>,
    pub(crate) files: HashMap<&'a str, Vec<usize>>,
    pub(crate) reordered: Vec<Reordered>,
    by_name: HashMap<&'a str, Vec<usize>>,
    forwards: BTreeMap<String, Vec<usize>>,
    backwards: BTreeMap<String, Vec<usize>>,
}

impl<'a> Index<'a> {
    /// The base's units, and those that only the head has. The fault of the first file that has no units is an error; files of harnesses are left out.
    pub(crate) fn new(base: &'a [Source], head: &'a [Source]) -> Result<Self, String> {
        let mut index = Self {
            nodes: Vec::new(),
            children: Vec::new(),
            files: HashMap::new(),
            reordered: Vec::new(),
            by_name: HashMap::new(),
            forwards: BTreeMap::new(),
            backwards: BTreeMap::new(),
        };
        let heads: HashMap<&str, &Source> = head.iter().map(|source| (source.path.as_str(), source)).collect();
        for source in base.iter().filter(|source| source.origin != Origin::Harness) {
            let units = known(source)?;
            let other = match heads.get(source.path.as_str()) {
                Some(other) => Some(known(other)?),
                None => None,
            };
            index.add(source, units, other);
        }
        Ok(index)
    }

    fn add(&mut self, source: &'a Source, units: &'a [Unit], head: Option<&'a [Unit]>) {
        let first = self.nodes.len();
        let heads: HashMap<&str, &Unit> =
            head.unwrap_or_default().iter().map(|unit| (unit.name.as_str(), unit)).collect();
        for unit in units {
            let change = head.and_then(|_| difference(unit, heads.get(unit.name.as_str()).copied()));
            self.push(Node { unit, source, outer: unit.outer.map(|outer| first + outer), change, of_base: true });
        }
        let mut known: HashMap<&str, usize> =
            units.iter().enumerate().map(|(at, unit)| (unit.name.as_str(), first + at)).collect();
        for unit in head.unwrap_or_default() {
            if known.contains_key(unit.name.as_str()) {
                continue;
            }
            // A unit stands after the one around it, which therefore is known.
            let outer =
                unit.outer.and_then(|outer| head?.get(outer)).and_then(|outer| known.get(outer.name.as_str())).copied();
            known.insert(&unit.name, self.nodes.len());
            self.push(Node { unit, source, outer, change: Some(Change::Presence), of_base: false });
        }
        self.files.insert(&source.path, (first..self.nodes.len()).collect());
        if let Some(head) = head {
            self.reordered.extend(reordered(units, head).map(|(at, classes)| Reordered { at: first + at, classes }));
        }
    }

    fn push(&mut self, node: Node<'a>) {
        let at = self.nodes.len();
        self.children.push(Vec::new());
        if let Some(outer) = node.outer {
            self.children[outer].push(at);
        }
        let simple = normal(&node.unit.simple);
        self.by_name.entry(&node.unit.simple).or_default().push(at);
        self.backwards.entry(simple.chars().rev().collect()).or_default().push(at);
        self.forwards.entry(simple).or_default().push(at);
        self.nodes.push(node);
    }

    /// The units of that simple name.
    pub(crate) fn named(&self, simple: &str) -> &[usize] {
        self.by_name.get(simple).map_or(&[], Vec::as_slice)
    }

    /// The names of tests.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &'a str> {
        self.by_name.keys().copied().filter(|name| vocabulary::is_test(name))
    }

    /// The units whose simple names differ from the name in how they are written alone: `_foo`, `foo`.
    pub(crate) fn spelled_like(&self, name: &str) -> &[usize] {
        self.forwards.get(&normal(name)).map_or(&[], Vec::as_slice)
    }

    /// The units whose simple names begin or end with the piece, however they are written.
    pub(crate) fn made_of(&self, piece: &str) -> Vec<usize> {
        let shortest = if piece.contains('_') { 2 } else { 3 };
        let piece = normal(piece);
        if piece.len() < shortest {
            return Vec::new();
        }
        let reversed: String = piece.chars().rev().collect();
        let found = |names: &BTreeMap<String, Vec<usize>>, from: &str| {
            let within = names.range(from.to_owned()..).take_while(|(name, _)| name.starts_with(from));
            within.flat_map(|(_, at)| at.iter().copied()).collect::<Vec<_>>()
        };
        let mut all = found(&self.forwards, &piece);
        all.extend(found(&self.backwards, &reversed));
        all
    }

    /// The units whose simple names are made of the pieces, one or several one after the other, and of digits; a single letter may stand at an end.
    pub(crate) fn put_together(&self, pieces: &HashSet<String>) -> Vec<usize> {
        let longest = pieces.iter().map(String::len).max().unwrap_or_default();
        let made = |name: &str| is_put_together(name, longest, &|part| pieces.contains(part));
        self.forwards.iter().filter(|(name, _)| made(name)).flat_map(|(_, at)| at.iter().copied()).collect()
    }

    pub(crate) fn parent(&self, at: usize) -> Option<&Node<'a>> {
        self.nodes[at].outer.map(|outer| &self.nodes[outer])
    }

    /// Whether the unit stands within a function.
    pub(crate) fn function_around(&self, at: usize) -> Option<usize> {
        let mut outer = self.nodes[at].outer;
        while let Some(found) = outer {
            if self.nodes[found].unit.kind == Kind::Function {
                return Some(found);
            }
            outer = self.nodes[found].outer;
        }
        None
    }

    /// Whether another class has a method of that name that this one may override, or must have.
    pub(crate) fn overrides(&self, at: usize) -> bool {
        let is_method = |at: usize| self.parent(at).is_some_and(|parent| parent.unit.kind == Kind::Class);
        is_method(at)
            && self.named(&self.nodes[at].unit.simple).iter().any(|other| {
                *other != at
                    && is_method(*other)
                    && (self.nodes[*other].source.origin != Origin::Runtime
                        || self.nodes[*other].unit.has(Flag::Abstract))
            })
    }
}

fn known(source: &Source) -> Result<&[Unit], String> {
    match source.units.as_ref() {
        Units::Known(units) => Ok(units),
        Units::Fault(why) => Err(format!("`{}` has no units: {why}", source.path)),
    }
}

fn difference(unit: &Unit, other: Option<&Unit>) -> Option<Change> {
    let Some(other) = other else { return Some(Change::Presence) };
    let same_frame = (unit.kind, &unit.flags, &unit.bases) == (other.kind, &other.flags, &other.bases);
    if unit.digest != other.digest || !same_frame {
        Some(Change::Content)
    } else if unit.doc != other.doc {
        Some(Change::Documentation)
    } else {
        (unit.at != other.at).then_some(Change::Moved)
    }
}

/// Units of the base whose parts, as far as both sides have them, stand in another order, and whether their classes do.
fn reordered<'u>(base: &'u [Unit], head: &'u [Unit]) -> impl Iterator<Item = (usize, bool)> + 'u {
    let parts = |units: &'u [Unit], classes: bool| {
        let mut parts: HashMap<&'u str, Vec<&'u str>> = HashMap::new();
        for unit in units.iter().filter(|unit| !classes || unit.kind == Kind::Class) {
            if let Some(outer) = unit.outer.and_then(|outer| units.get(outer)) {
                parts.entry(&outer.name).or_default().push(&unit.name);
            }
        }
        parts
    };
    let differ = move |classes: bool| {
        let (base, head) = (parts(base, classes), parts(head, classes));
        move |name: &str| {
            let (Some(one), Some(other)) = (base.get(name), head.get(name)) else { return false };
            let [first, second]: [HashSet<&str>; 2] = [one, other].map(|names| names.iter().copied().collect());
            let common = |names: &Vec<&'u str>| -> Vec<&'u str> {
                names.iter().copied().filter(|name| first.contains(name) && second.contains(name)).collect()
            };
            common(one) != common(other)
        }
    };
    let (all, classes) = (differ(false), differ(true));
    base.iter().enumerate().filter(move |(_, unit)| all(&unit.name)).map(move |(at, unit)| (at, classes(&unit.name)))
}

/// Whether a name is made of pieces, of at most `longest` bytes each, one or several one after the other, and of digits; a single letter may stand at an end.
pub(crate) fn is_put_together(name: &str, longest: usize, is_piece: &dyn Fn(&str) -> bool) -> bool {
    let known = |from: usize, to: usize| {
        let at_an_end = from == 0 || to == name.len();
        name.get(from..to).is_some_and(|part| {
            (is_piece(part) && (part.len() > 1 || at_an_end)) || part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    // Ends of what can be put together, from the beginning of the name.
    let mut ends = vec![0];
    for to in 1..=name.len() {
        if ends.iter().any(|from| to - from <= longest.max(1) && known(*from, to)) {
            ends.push(to);
        }
    }
    name.len() > 1 && ends.last() == Some(&name.len())
}

/// As names are compared where they are put together: `foo_bar`, `fooBar`, `foo-bar` and `FOO.BAR` are one.
pub(crate) fn normal(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
