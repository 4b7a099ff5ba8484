//! The walk over both programs in step.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::likeness::{Likeness, Moved, SameCode};
use crate::pairs::{From, Pair, Programs, Stop, Via};
use crate::program::{Kind, Program, Symbol, Word};
use crate::stubs::slot;
use crate::variables::Variables;
use crate::{imports, names, sdk, starts};

/// So many instructions are compared at most; benchmarks reach a few thousand.
const INSTRUCTIONS: usize = 200_000;
/// So many bytes of data are compared at most.
const DATA: u64 = 64 << 20;
/// Bytes of a cache line.
const LINE: u64 = 64;

/// One thing whose comparison is still to do.
pub(crate) enum Task {
    Function { at: Pair, size: u64, from: From },
    Data { at: Pair, length: u64, from: From },
}

/// What has been seen and what is still to do.
pub(crate) struct Walk<'a> {
    pub(crate) programs: Programs<'a>,
    tasks: VecDeque<Task>,
    /// Beginnings of functions and objects: base to candidate, and back.
    paired: HashMap<u64, u64>,
    paired_back: HashMap<u64, u64>,
    /// Pieces of data without a symbol, with their length.
    pub(crate) pieces: HashSet<(Pair, u64)>,
    instructions: usize,
    data: u64,
    functions: usize,
    moved: Option<Moved>,
    moved_cold: Option<Moved>,
    /// Whether something in a shared library is reached.
    imports: bool,
    /// Variables of the program that are read.
    pub(crate) variables: Variables,
    /// Whether it is what runs before any benchmark that is followed: no benchmark's function then, and nothing of the SDK.
    before: bool,
}

/// Whether the code reached from `entries` is the same in `base` and `candidate`, and where it lies.
///
/// `entries` are pairs of link-time virtual addresses (at run time less the load bias): functions, or places within
/// objects in data, such as tables of virtual functions. They are compared in their order, and what they refer to
/// from the nearest to the farthest.
#[must_use]
pub fn compare(base: &Program, candidate: &Program, entries: &[(u64, u64)]) -> Likeness {
    let mut walk = Walk::new(Programs { base, candidate }, false);
    walk.all(entries).map_or_else(Likeness::from, |()| Likeness::Same(walk.same()))
}

impl std::convert::From<Stop> for Likeness {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Different(function) => Self::Different { function: names::readable(&function) },
            Stop::Unknown(why) => Self::Unknown { why: names::in_text(&why) },
        }
    }
}

impl<'a> Walk<'a> {
    /// Nothing is seen yet. `before` is whether it is the code before any benchmark that is followed.
    pub(crate) fn new(programs: Programs<'a>, before: bool) -> Self {
        Self {
            programs,
            tasks: VecDeque::new(),
            paired: HashMap::new(),
            paired_back: HashMap::new(),
            pieces: HashSet::new(),
            instructions: 0,
            data: 0,
            functions: 0,
            moved: None,
            moved_cold: None,
            imports: false,
            variables: Variables::default(),
            before,
        }
    }

    /// What has been compared.
    pub(crate) fn same(self) -> SameCode {
        SameCode { functions: self.functions, moved: self.moved.or(self.moved_cold) }
    }
}

impl Walk<'_> {
    /// Compares all that is reached from `entries`.
    pub(crate) fn all(&mut self, entries: &[(u64, u64)]) -> Result<(), Stop> {
        if entries.is_empty() {
            return Err(Stop::Unknown("the case has no entry that is known".to_owned()));
        }
        for &(base, candidate) in entries {
            let function = self.programs.base.functions.holding(base);
            let function = function.map_or_else(|| "the entry".to_owned(), |symbol| symbol.name.clone());
            self.follow(Pair { base, candidate }, Via::Address, &From { function, certain: true })?;
        }
        self.finish()?;
        if self.imports {
            self.callbacks()?;
            self.finish()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Stop> {
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::Function { at, size, from } => {
                    self.function(at, size, &from)?;
                    self.handlers(at, &from)?;
                }
                Task::Data { at, length, from } => self.same_data(at, length, &from)?,
            }
        }
        Ok(())
    }

    /// Follows what shared libraries may call by name, such as a replaced `operator new`.
    fn callbacks(&mut self) -> Result<(), Stop> {
        let from = From { function: "a shared library".to_owned(), certain: false };
        let (base, candidate) = (self.programs.base, self.programs.candidate);
        if !base.exported.keys().eq(candidate.exported.keys()) {
            return Err(Stop::Unknown("the programs export different functions to shared libraries".to_owned()));
        }
        for (&base, &candidate) in base.exported.values().zip(candidate.exported.values()) {
            self.follow(Pair { base, candidate }, Via::Branch, &from)?;
        }
        Ok(())
    }

    /// Takes note of so many instructions.
    pub(crate) fn count_instruction(&mut self) -> Result<(), Stop> {
        self.instructions += 1;
        if self.instructions > INSTRUCTIONS {
            return Err(Stop::Unknown(format!("more than {INSTRUCTIONS} instructions are reached")));
        }
        Ok(())
    }

    /// Takes note of so many bytes of data.
    pub(crate) fn count_data(&mut self, bytes: u64) -> Result<(), Stop> {
        self.data = self.data.saturating_add(bytes);
        if self.data > DATA {
            return Err(Stop::Unknown("more than 64 MiB of data are reached".to_owned()));
        }
        Ok(())
    }

    pub(crate) fn later(&mut self, task: Task) {
        self.tasks.push_back(task);
    }

    /// Compares what is at a pair of addresses, now or later.
    pub(crate) fn follow(&mut self, at: Pair, via: Via, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        let (one, other) = match (base.section(at.base), candidate.section(at.candidate)) {
            (Some(one), Some(other)) => (one, other),
            (None, None) => {
                return Err(Stop::Unknown(format!("{} refers to an address in no section", from.function)));
            }
            _ => return Err(from.differs()),
        };
        if one.kind != other.kind {
            return Err(from.differs());
        }
        match one.kind {
            Kind::Code => self.code(at, via, from),
            Kind::Stubs => self.stub(at, from),
            Kind::Constant | Kind::Writable | Kind::Zero => {
                if via == Via::Branch {
                    return Err(Stop::Unknown(format!("{} jumps into data", from.function)));
                }
                if one.kind != Kind::Constant && !matches!(via, Via::Store(_)) && !sdk::owns(&from.function) {
                    self.variables.read(at);
                }
                self.refer(at, via, from)
            }
            Kind::Frames | Kind::Other => {
                Err(Stop::Unknown(format!("{} refers to tables for exceptions", from.function)))
            }
        }
    }

    /// Whether the pair of beginnings is new; an address that was paired with another differs.
    pub(crate) fn pair(&mut self, at: Pair, from: &From) -> Result<bool, Stop> {
        match (self.paired.get(&at.base), self.paired_back.get(&at.candidate)) {
            (Some(candidate), Some(base)) if *candidate == at.candidate && *base == at.base => Ok(false),
            (None, None) => {
                self.paired.insert(at.base, at.candidate);
                self.paired_back.insert(at.candidate, at.base);
                Ok(true)
            }
            _ => Err(from.differs()),
        }
    }

    fn code(&mut self, at: Pair, via: Via, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        let (one, other) = match (base.functions.holding(at.base), candidate.functions.holding(at.candidate)) {
            (Some(one), Some(other)) => (one, other),
            (None, None) => {
                return Err(Stop::Unknown(format!("{} reaches code that belongs to no symbol", from.function)));
            }
            _ => return Err(from.differs()),
        };
        if self.before && stands_apart(one, other, via) {
            return Ok(());
        }
        if at.base - one.start != at.candidate - other.start {
            return Err(from.differs());
        }
        if one.size != other.size {
            return Err(from.differs_in(&one.name));
        }
        let start = Pair { base: one.start, candidate: other.start };
        if self.pair(start, from)? {
            self.place(one, other, from.certain);
            let from = From { function: one.name.clone(), certain: from.certain };
            self.later(Task::Function { at: start, size: one.size, from });
        }
        Ok(())
    }

    fn place(&mut self, base: &Symbol, candidate: &Symbol, certain: bool) {
        if !certain {
            return;
        }
        self.functions += 1;
        // It stands around what is timed: where it lies moves no figure.
        if sdk::owns(&base.name) {
            return;
        }
        let (one, other) = (base.start % LINE, candidate.start % LINE);
        let into = if base.name.contains(".cold") { &mut self.moved_cold } else { &mut self.moved };
        if let (None, true, Ok(one), Ok(other)) = (&into, one != other, u8::try_from(one), u8::try_from(other)) {
            *into = Some(Moved { function: names::readable(&base.name), base: one, candidate: other });
        }
    }

    /// Follows a stub of the procedure linkage table to what it jumps to.
    fn stub(&mut self, at: Pair, from: &From) -> Result<(), Stop> {
        let slots = (slot(self.programs.base, at.base), slot(self.programs.candidate, at.candidate));
        let (Some(base), Some(candidate)) = slots else {
            return Err(Stop::Unknown(format!("{} calls a stub that isn't understood", from.function)));
        };
        match self.programs.words(Pair { base, candidate }) {
            (Some(one), Some(other)) => self.word(one, other, from),
            _ => Err(Stop::Unknown(format!("{} calls a stub without a relocation", from.function))),
        }
    }

    /// Compares what the loader writes into a word of each program.
    pub(crate) fn word(&mut self, one: &Word, other: &Word, from: &From) -> Result<(), Stop> {
        match (one, other) {
            (Word::Address(base), Word::Address(candidate)) | (Word::Resolved(base), Word::Resolved(candidate)) => {
                self.follow(Pair { base: *base, candidate: *candidate }, Via::Address, from)
            }
            (Word::Strange, _) | (_, Word::Strange) => {
                Err(Stop::Unknown(format!("{} uses a relocation that isn't understood", from.function)))
            }
            _ if one == other => {
                if let Word::Import { name, .. } = one {
                    self.imports = true;
                    let harmless = imports::calls_nothing_back(name) || self.before && starts::is_harmless(name);
                    let known = harmless && !self.programs.have_own_libraries();
                    if !known && !sdk::owns(&from.function) {
                        return Err(Stop::Unknown(format!("{} uses {name} of a shared library", from.function)));
                    }
                }
                Ok(())
            }
            _ => Err(from.differs()),
        }
    }
}

/// Whether neither runs before a benchmark but as it does everywhere: functions of the SDK, and those that take a `State`, which nothing but the SDK makes, and
/// whose address alone is taken.
fn stands_apart(one: &Symbol, other: &Symbol, via: Via) -> bool {
    let of_sdk = |symbol: &Symbol| sdk::speaks_of_itself(&symbol.name);
    let run_by_sdk = |symbol: &Symbol| via != Via::Branch && sdk::takes_state(&symbol.name);
    of_sdk(one) && of_sdk(other) && one.size == other.size || run_by_sdk(one) && run_by_sdk(other)
}
