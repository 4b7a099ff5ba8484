//! Which handler an exception finds: tables beside the code that the code doesn't refer to. Without them a `catch` of
//! another type would look the same.
//!
//! The formats are those of the Linux Standard Base (exception frames) and of the Itanium C++ ABI's exception tables.

use std::collections::{HashMap, HashSet};

use crate::pairs::{From, Pair, Stop, Via};
use crate::program::{Kind, Program};
use crate::walk::Walk;

/// `DW_EH_PE_omit`: there is no value.
const OMITTED: u8 = 0xff;
/// `DW_EH_PE_indirect`: the value is the address of a word that has it.
const INDIRECT: u8 = 0x80;

/// Reads numbers one after another from the memory of a program.
struct Reader<'a> {
    program: &'a Program,
    at: u64,
}

impl Reader<'_> {
    fn number(&mut self, bytes: u64) -> Option<u64> {
        let read = self.program.bytes(self.at, bytes)?;
        self.at = self.at.checked_add(bytes)?;
        Some(read.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    fn byte(&mut self) -> Option<u8> {
        u8::try_from(self.number(1)?).ok()
    }

    /// A LEB128 number; its value, and its value if it is signed.
    fn leb128(&mut self) -> Option<(u64, i64)> {
        let (mut value, mut shift) = (0_u64, 0_u32);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                let unused = 64_u32.saturating_sub(shift);
                return Some((value, value.cast_signed().checked_shl(unused)?.checked_shr(unused)?));
            }
        }
    }

    /// An address in the given encoding; 0 if there is none.
    fn pointer(&mut self, encoding: u8) -> Option<u64> {
        let from = if encoding & 0x70 == 0x10 { self.at } else { 0 };
        if !matches!(encoding & 0x70, 0 | 0x10) {
            return None;
        }
        let value = match encoding & 0xf {
            0 | 4 | 12 => self.number(8)?,
            3 => self.number(4)?,
            11 => {
                let value = self.program.raw_half(self.at)?;
                self.at = self.at.checked_add(4)?;
                value.cast_unsigned()
            }
            _ => return None,
        };
        Some(if value == 0 { 0 } else { from.wrapping_add(value) })
    }
}

/// The fixed part of a table of handlers, and where its parts lie.
struct Table {
    landing: u64,
    types_encoding: u8,
    /// Behind the last type; they are counted backwards.
    types: u64,
    calls_encoding: u8,
    calls: u64,
    actions: u64,
}

fn table(program: &Program, at: u64) -> Option<Table> {
    let mut reader = Reader { program, at };
    let encoding = reader.byte()?;
    let landing = if encoding == OMITTED { 0 } else { reader.pointer(encoding)? };
    let types_encoding = reader.byte()?;
    let mut types = 0;
    if types_encoding != OMITTED {
        let length = reader.leb128()?.0;
        types = reader.at.checked_add(length)?;
    }
    let calls_encoding = reader.byte()?;
    let length = reader.leb128()?.0;
    let actions = reader.at.checked_add(length)?;
    Some(Table { landing, types_encoding, types, calls_encoding, calls: reader.at, actions })
}

/// The types that the actions of a table ask for, and the actions themselves.
fn actions(program: &Program, table: &Table) -> Option<(Vec<i64>, Vec<i64>)> {
    let mut reader = Reader { program, at: table.calls };
    let mut waiting = Vec::new();
    while reader.at < table.actions {
        for _ in 0..3 {
            // The only encoding that compilers use here, `DW_EH_PE_uleb128`.
            if table.calls_encoding != 1 {
                return None;
            }
            reader.leb128()?;
        }
        let action = reader.leb128()?.0;
        if let Some(before) = action.checked_sub(1) {
            waiting.push(table.actions.checked_add(before)?);
        }
    }
    let (mut types, mut all, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let mut reader = Reader { program, at };
        let kind = reader.leb128()?.1;
        let from = reader.at;
        let next = reader.leb128()?.1;
        all.extend([kind, next]);
        // A negative one is a list of the types that may pass.
        if kind < 0 {
            return None;
        }
        if kind > 0 && !types.contains(&kind) {
            types.push(kind);
        }
        if next != 0 {
            waiting.push(from.checked_add_signed(next)?);
        }
    }
    Some((types, all))
}

/// The type of that number; 0 for any.
fn type_at(program: &Program, table: &Table, number: i64) -> Option<u64> {
    let size = if matches!(table.types_encoding & 0xf, 3 | 11) { 4 } else { 8 };
    let back = u64::try_from(number).ok()?.checked_mul(size)?;
    Reader { program, at: table.types.checked_sub(back)? }.pointer(table.types_encoding)
}

impl Walk<'_> {
    /// Compares the handlers of the functions that begin at `at`.
    pub(crate) fn handlers(&mut self, at: Pair, from: &From) -> Result<(), Stop> {
        let unknown = || Stop::Unknown(format!("the handlers of exceptions in {} aren't understood", from.function));
        let (base, candidate) = (self.programs.base, self.programs.candidate);
        let first = base.handlers.get_or_init(|| frames(base)).as_ref();
        let second = candidate.handlers.get_or_init(|| frames(candidate)).as_ref();
        let (Some(first), Some(second)) = (first, second) else { return Err(unknown()) };
        let (one, other) = match (first.get(&at.base), second.get(&at.candidate)) {
            (None, None) => return Ok(()),
            (Some(one), Some(other)) => (*one, *other),
            _ => return Err(from.differs()),
        };
        let (Some(first), Some(second)) = (table(base, one), table(candidate, other)) else { return Err(unknown()) };
        let length = first.actions - first.calls;
        if first.types_encoding != second.types_encoding || length != second.actions - second.calls {
            return Err(from.differs());
        }
        self.count_data(length)?;
        let calls = (base.bytes(first.calls, length), candidate.bytes(second.calls, length));
        if first.calls_encoding != second.calls_encoding || calls.0 != calls.1 {
            return Err(from.differs());
        }
        if (first.landing, second.landing) != (0, 0) {
            self.follow(Pair { base: first.landing, candidate: second.landing }, Via::Branch, from)?;
        }
        let (Some(one), Some(other)) = (actions(base, &first), actions(candidate, &second)) else {
            return Err(unknown());
        };
        if one != other {
            return Err(from.differs());
        }
        for number in one.0 {
            let types = (type_at(base, &first, number), type_at(candidate, &second, number));
            let (Some(one), Some(other)) = types else { return Err(unknown()) };
            if (one, other) != (0, 0) {
                let via = if first.types_encoding & INDIRECT == 0 { Via::Address } else { Via::Access(8) };
                self.follow(Pair { base: one, candidate: other }, via, from)?;
            }
        }
        Ok(())
    }
}

/// Beginnings of functions to their tables of handlers; `None` if the frames can't be read.
fn frames(program: &Program) -> Option<HashMap<u64, u64>> {
    let mut found = HashMap::new();
    for section in program.sections.iter().filter(|section| section.kind == Kind::Frames) {
        let mut at = section.start;
        while at < section.end {
            let mut reader = Reader { program, at };
            let length = reader.number(4)?;
            if length == 0 {
                // The end of one part; a linker may have put another behind.
                at = at.checked_add(4)?;
                continue;
            }
            // 64-bit frames don't occur in programs.
            if length == 0xffff_ffff {
                return None;
            }
            let start = reader.at;
            at = start.checked_add(length)?;
            let back = reader.number(4)?;
            if back == 0 {
                continue;
            }
            let common = common(program, start.checked_sub(back)?)?;
            let function = reader.pointer(common.addresses)?;
            reader.pointer(common.addresses & 0xf)?;
            if common.augmented {
                reader.leb128()?;
                if common.handlers != OMITTED {
                    let handlers = reader.pointer(common.handlers)?;
                    if handlers != 0 {
                        found.insert(function, handlers);
                    }
                }
            }
        }
    }
    Some(found)
}

/// What frames have in common.
struct Common {
    augmented: bool,
    /// Encoding of addresses of functions.
    addresses: u8,
    /// Encoding of addresses of tables of handlers.
    handlers: u8,
}

fn common(program: &Program, at: u64) -> Option<Common> {
    let mut reader = Reader { program, at: at.checked_add(8)? };
    let version = reader.byte()?;
    let mut augmentation = Vec::new();
    loop {
        match reader.byte()? {
            0 => break,
            letter if augmentation.len() < 16 => augmentation.push(letter),
            _ => return None,
        }
    }
    reader.leb128()?;
    reader.leb128()?;
    if version == 1 {
        reader.byte()?;
    } else {
        reader.leb128()?;
    }
    let mut common = Common { augmented: false, addresses: 0, handlers: OMITTED };
    for letter in augmentation {
        match letter {
            b'z' => {
                reader.leb128()?;
                common.augmented = true;
            }
            b'R' => common.addresses = reader.byte()?,
            b'L' => common.handlers = reader.byte()?,
            b'P' => {
                let encoding = reader.byte()?;
                reader.pointer(encoding & !INDIRECT)?;
            }
            b'S' | b'B' => {}
            _ => return None,
        }
    }
    Some(common)
}
