//! Jump tables of switches.

use iced_x86::{Code, OpKind, Register};

use crate::data::extent;
use crate::pairs::{From, Pair, Programs, Stop, Via};
use crate::program::{Kind, Program, Symbol};
use crate::step::Step;
use crate::walk::Walk;

/// Bytes of an entry: its target's distance from the table.
const ENTRY: u64 = 4;
/// The sum that gives the target stands so many instructions before the jump at most, the load so many before it.
const NEAR: usize = 6;

impl Walk<'_> {
    /// The tables whose addresses the function takes: their first entry leads into it in both programs.
    pub(crate) fn tables(&self, steps: &[Step], one: &Symbol, other: &Symbol) -> Vec<Pair> {
        let Programs { base, candidate } = self.programs;
        let mut found: Vec<Pair> = Vec::new();
        for step in steps {
            if step.base.code() != Code::Lea_r64_m || !step.base.is_ip_rel_memory_operand() {
                continue;
            }
            let at =
                Pair { base: step.base.ip_rel_memory_address(), candidate: step.candidate.ip_rel_memory_address() };
            let leads = target(base, at.base, 0, one).is_some() && target(candidate, at.candidate, 0, other).is_some();
            if leads && !found.contains(&at) {
                found.push(at);
            }
        }
        found
    }

    /// Compares a table of the functions `one` and `other` entry by entry.
    pub(crate) fn table(&mut self, at: Pair, one: &Symbol, other: &Symbol, from: &From) -> Result<(), Stop> {
        let Programs { base, candidate } = self.programs;
        let length = extent(base, at.base).min(extent(candidate, at.candidate));
        self.count_data(length)?;
        for index in 0..length / ENTRY {
            match (target(base, at.base, index, one), target(candidate, at.candidate, index, other)) {
                (Some(base), Some(candidate)) => self.follow(Pair { base, candidate }, Via::Branch, from)?,
                // What fills the gap before the next thing.
                (None, None) => break,
                _ => return Err(from.differs()),
            }
        }
        Ok(())
    }
}

/// Where the entry leads, if into the function or the part of it that was split off.
fn target(program: &Program, table: u64, index: u64, function: &Symbol) -> Option<u64> {
    if program.section(table)?.kind != Kind::Constant || program.objects.holding(table).is_some() {
        return None;
    }
    let distance = program.raw_half(table.checked_add(index.checked_mul(ENTRY)?)?)?;
    let address = table.checked_add_signed(distance)?;
    let symbol = program.functions.holding(address)?;
    let whole = |name: &str| name.split(".cold").next().map(str::to_owned);
    (symbol.start == function.start || whole(&symbol.name) == whole(&function.name)).then_some(address)
}

/// Whether the jump to a register at `number` is to the sum of a base and a 32-bit entry, as in the code for switches:
/// `movsxd a, [table + index * 4]`, `add a, table`, `jmp a`.
pub(crate) fn is_lookup(steps: &[Step], number: usize) -> bool {
    let Some((jump, before)) = steps.get(..=number).and_then(|steps| steps.split_last()) else { return false };
    if jump.base.op0_kind() != OpKind::Register {
        return false;
    }
    let sum = before.iter().rposition(|step| {
        let step = &step.base;
        step.code() == Code::Add_r64_rm64 || step.code() == Code::Add_rm64_r64 && step.op0_kind() == OpKind::Register
    });
    let Some(sum) = sum.filter(|sum| before.len() - sum <= NEAR) else { return false };
    if before[sum].base.op0_register() != jump.base.op0_register() {
        return false;
    }
    // Nothing else may have written the register since.
    let kept = before[sum + 1..].iter().all(|step| {
        step.base.op_count() == 0
            || step.base.op0_kind() != OpKind::Register
            || step.base.op0_register().full_register() != jump.base.op0_register()
    });
    kept && before[..sum].iter().rev().take(NEAR).any(|step| {
        let load = matches!(step.base.code(), Code::Movsxd_r64_rm32 | Code::Mov_r32_rm32);
        load && step.base.op1_kind() == OpKind::Memory
            && step.base.memory_base() != Register::RIP
            && (step.base.memory_index() != Register::None)
    })
}

/// Whether the jump is through a table of addresses at a fixed place: `jmp [table + index * 8]`.
pub(crate) fn is_absolute_lookup(steps: &[Step], number: usize) -> bool {
    steps.get(number).is_some_and(|step| {
        let jump = &step.base;
        jump.code() == Code::Jmp_rm64
            && jump.op0_kind() == OpKind::Memory
            && jump.memory_base() == Register::None
            && jump.memory_index_scale() == 8
            && jump.memory_displ_size() >= 4
    })
}
