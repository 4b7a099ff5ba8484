//! All addresses that any code or data of a program refers to: where one thing without a symbol may end.

use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind};

use crate::program::{Kind, Program, Word};

impl Program {
    /// The first address behind `address` that something refers to.
    pub(crate) fn next_referenced(&self, address: u64) -> Option<u64> {
        let all = self.referenced.get_or_init(|| sweep(self));
        all.get(all.partition_point(|other| *other <= address)).copied()
    }
}

/// The addresses, sorted.
fn sweep(program: &Program) -> Vec<u64> {
    let mut found = Vec::new();
    for function in &program.functions.0 {
        let Some(code) = program.bytes(function.start, function.size) else { continue };
        let mut decoder = Decoder::with_ip(64, code, function.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if instruction.is_ip_rel_memory_operand() {
                found.push(instruction.ip_rel_memory_address());
            } else if !program.position_independent {
                found.extend(absolute_addresses(&instruction));
            }
        }
    }
    found.extend(program.words.values().filter_map(|word| match word {
        Word::Address(address) => Some(*address),
        _ => None,
    }));
    found.retain(|address| {
        program.section(*address).is_some_and(|section| !matches!(section.kind, Kind::Code | Kind::Stubs))
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// Numbers in an instruction that could be addresses, in a program that is linked to fixed ones.
pub(crate) fn absolute_addresses(instruction: &Instruction) -> impl Iterator<Item = u64> {
    let displacement = has_wide_displacement(instruction).then(|| instruction.memory_displacement64());
    let immediate = (0..instruction.op_count())
        .find(|operand| is_wide_immediate(instruction.op_kind(*operand)))
        .map(|operand| instruction.immediate(operand));
    displacement.into_iter().chain(immediate)
}

/// Whether the memory operand has a displacement of four bytes or more that isn't relative to the instruction.
pub(crate) fn has_wide_displacement(instruction: &Instruction) -> bool {
    let memory = (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    memory && instruction.memory_displ_size() >= 4 && !instruction.is_ip_rel_memory_operand()
}

pub(crate) fn is_wide_immediate(kind: OpKind) -> bool {
    matches!(kind, OpKind::Immediate32 | OpKind::Immediate64 | OpKind::Immediate32to64)
}
