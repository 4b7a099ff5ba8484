//! Which variables of a program a walk has read, and who else refers to them.

use std::collections::BTreeSet;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction};

use crate::pairs::{From, Pair};
use crate::program::{Kind, Program, Referrers, Symbol, Word};
use crate::sdk;

/// An address within an object, or beside one, may be meant for one that begins so many bytes behind.
const FOLDED: u64 = 1024;

/// Beginnings of names of what compilers keep beside variables, and nobody writes: tables and names of types (Itanium C++ ABI), references to them.
const CONSTANT: [&str; 5] = ["_ZTV", "_ZTI", "_ZTS", "_ZTT", "DW.ref."];

/// What a walk has read of what the program may have changed.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    places: BTreeSet<(u64, u64)>,
    /// The first function that reads a variable of the thread's own.
    of_thread: Option<String>,
}

impl Variables {
    pub(crate) fn read(&mut self, at: Pair) {
        self.places.insert((at.base, at.candidate));
    }

    pub(crate) fn thread(&mut self, from: &From) {
        self.of_thread.get_or_insert_with(|| from.function.clone());
    }

    /// One of them that something else than benchmarks' own functions may have written, by its name.
    pub(crate) fn shared(&self, base: &Program, candidate: &Program) -> Option<String> {
        if let Some(function) = &self.of_thread {
            return Some(format!("a variable of the thread in {function}"));
        }
        let first = self.places.iter().find(|(one, other)| is_shared(base, *one) || is_shared(candidate, *other));
        first.map(|(one, _)| {
            base.objects.holding(*one).map_or_else(|| format!("what lies at {one:#x}"), |object| object.name.clone())
        })
    }
}

/// Whether more than functions of benchmarks refer to what is at `address`, a variable.
fn is_shared(program: &Program, address: u64) -> bool {
    if program.fixed.get(&address) == Some(&"__dso_handle") {
        return false;
    }
    // Without relocations it isn't known who refers to it.
    let Some(object) = program.objects.holding(address).filter(|_| program.position_independent) else { return true };
    if sdk::speaks_of_itself(&object.name) || CONSTANT.iter().any(|beginning| object.name.starts_with(beginning)) {
        return false;
    }
    let referrers = program.referrers.get_or_init(|| sweep(program));
    if referrers.data.contains(&object.start) {
        return true;
    }
    let functions = referrers.functions.get(&object.start).into_iter().flatten();
    functions
        .into_iter()
        .any(|start| program.functions.holding(*start).is_none_or(|function| !sdk::takes_state(&function.name)))
}

fn sweep(program: &Program) -> Referrers {
    let mut found = Referrers::default();
    for function in &program.functions.0 {
        let Some(code) = program.bytes(function.start, function.size) else { continue };
        let mut decoder = Decoder::with_ip(64, code, function.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if !instruction.is_ip_rel_memory_operand() {
                continue;
            }
            let address = instruction.ip_rel_memory_address();
            let taken = matches!(instruction.code(), Code::Lea_r64_m | Code::Lea_r32_m);
            for object in meant(program, address, taken) {
                found.functions.entry(object).or_default().insert(function.start);
            }
        }
    }
    for word in program.words.values() {
        if let Word::Address(address) = word {
            found.data.extend(meant(program, *address, true));
        }
    }
    found
}

/// The beginnings of the variables that an address may be meant for; `taken` where it isn't accessed there.
fn meant(program: &Program, address: u64, taken: bool) -> Vec<u64> {
    let is_variable = |address: u64| {
        program.section(address).is_some_and(|section| matches!(section.kind, Kind::Writable | Kind::Zero))
    };
    let held = program.objects.holding(address).filter(|_| is_variable(address)).map(|object| object.start);
    if !taken || held == Some(address) {
        return held.into_iter().collect();
    }
    let first = program.objects.0.partition_point(|object: &Symbol| object.start < address);
    let near = program.objects.0[first..].iter().take_while(|object| object.start - address < FOLDED);
    held.into_iter().chain(near.map(|object| object.start).filter(|start| is_variable(*start))).collect()
}
