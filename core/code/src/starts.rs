//! What runs of a program before any benchmark: constructors of its variables, and `main`.

use std::collections::BTreeSet;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

use crate::imports;
use crate::program::{Kind, Program, Word};
use crate::sdk;
use crate::stubs::slot;

/// Functions of shared libraries that change nothing that a benchmark could see, beside those that call nothing back.
const HARMLESS: [&str; 13] = [
    "getenv",
    "fprintf",
    "fputs",
    "fputc",
    "fwrite",
    "fflush",
    "exit",
    "_exit",
    "atexit",
    "stdout",
    "stderr",
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev",
];
/// Call nothing back, but what a later call gives depends on them.
const CONSEQUENTIAL: [&str; 2] = ["rand", "srand"];

/// Whether a call before any benchmark changes nothing that a benchmark could see.
pub(crate) fn is_harmless(name: &str) -> bool {
    !CONSEQUENTIAL.contains(&name) && (imports::calls_nothing_back(name) || HARMLESS.contains(&name))
}

/// Where it begins: functions in lists of initialisers, in their order, and `main`. `None` where a list isn't understood.
pub(crate) fn starts(program: &Program) -> Option<Vec<u64>> {
    /// More constructors than any program has.
    const MOST: u64 = 1 << 16;
    let mut found = Vec::new();
    for name in [".preinit_array", ".init_array", ".ctors"] {
        for list in program.loaded.iter().filter(|section| section.name == name.as_bytes()) {
            if list.size % 8 != 0 || list.size / 8 > MOST || name == ".ctors" {
                return None;
            }
            for place in (list.start..list.start.checked_add(list.size)?).step_by(8) {
                let address = match program.words.get(&place) {
                    Some(Word::Address(address)) => *address,
                    Some(_) => return None,
                    None => u64::from_le_bytes(program.bytes(place, 8)?.try_into().ok()?),
                };
                if program.fixed.get(&address) != Some(&"frame_dummy") {
                    found.push(address);
                }
            }
        }
    }
    found.push(program.functions.0.iter().find(|function| function.name == "main")?.start);
    Some(found)
}

/// Why a benchmark that reads no variable could still see what runs before it, a clause; `None` where it can't.
pub(crate) fn consequence(program: &Program, starts: &[u64]) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut waiting = starts.to_vec();
    while let Some(address) = waiting.pop() {
        let Some(function) = program.functions.holding(address) else {
            return Some("code without a symbol runs before it".to_owned());
        };
        if !seen.insert(function.start) || sdk::speaks_of_itself(&function.name) {
            continue;
        }
        let name = &function.name;
        let Some(code) = program.bytes(function.start, function.size) else {
            return Some(format!("{name} can't be read"));
        };
        let mut decoder = Decoder::with_ip(64, code, function.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if changes_the_processor(&instruction) {
                return Some(format!("{name} changes the processor's state or calls the system"));
            }
            if let Some(word) = instruction.is_ip_rel_memory_operand().then(|| instruction.ip_rel_memory_address())
                && let Some(Word::Import { name: import, .. }) = program.words.get(&word)
                && !is_harmless(import)
            {
                return Some(format!("{name} uses {import} of a shared library"));
            }
            let near = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64;
            if near {
                let to = instruction.near_branch_target();
                match program.section(to).map(|section| section.kind) {
                    Some(Kind::Stubs) => match slot(program, to).and_then(|slot| program.words.get(&slot)) {
                        Some(Word::Import { name: import, .. }) if is_harmless(import) => {}
                        Some(Word::Import { name: import, .. }) => {
                            return Some(format!("{name} calls {import} of a shared library"));
                        }
                        Some(Word::Address(address)) => waiting.push(*address),
                        _ => return Some(format!("{name} calls a stub that isn't understood")),
                    },
                    Some(Kind::Code) if to.wrapping_sub(function.start) >= function.size => waiting.push(to),
                    Some(Kind::Code) => {}
                    _ => return Some(format!("{name} jumps out of the program")),
                }
            } else if matches!(instruction.flow_control(), FlowControl::IndirectCall | FlowControl::IndirectBranch) {
                let known = instruction.is_ip_rel_memory_operand()
                    && matches!(program.words.get(&instruction.ip_rel_memory_address()), Some(Word::Import { .. }));
                if !known {
                    return Some(format!("{name} calls through a pointer"));
                }
            }
        }
    }
    None
}

pub(crate) fn changes_the_processor(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::INVALID
            | Mnemonic::Ldmxcsr
            | Mnemonic::Vldmxcsr
            | Mnemonic::Fldcw
            | Mnemonic::Fldenv
            | Mnemonic::Frstor
            | Mnemonic::Fxrstor
            | Mnemonic::Fxrstor64
            | Mnemonic::Xrstor
            | Mnemonic::Xrstor64
            | Mnemonic::Syscall
            | Mnemonic::Sysenter
            | Mnemonic::Int
            | Mnemonic::Wrfsbase
            | Mnemonic::Wrgsbase
    )
}
