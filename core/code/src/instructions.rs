//! Comparison of two functions, instruction by instruction.

use iced_x86::{Code, ConstantOffsets, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::pairs::{From, Pair, Programs, Stop, Via};
use crate::program::{Kind, Symbol};
use crate::referenced::{absolute_addresses, has_wide_displacement, is_wide_immediate};
use crate::step::Step;
use crate::tables;
use crate::walk::Walk;

impl Walk<'_> {
    /// Compares the functions that begin at `at` and have `size` bytes each.
    pub(crate) fn function(&mut self, at: Pair, size: u64, from: &From) -> Result<(), Stop> {
        let steps = self.steps(at, size, from)?;
        let Programs { base, candidate } = self.programs;
        // The caller found both.
        let (Some(one), Some(other)) = (base.functions.holding(at.base), candidate.functions.holding(at.candidate))
        else {
            return Err(from.differs());
        };
        let runs_on = steps
            .last()
            .is_none_or(|step| matches!(step.base.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch));
        if runs_on {
            return Err(Stop::Unknown(format!("{} runs past its end", one.name)));
        }
        let sdk = one.sdk && other.sdk;
        let mut tables = Vec::new();
        if steps.iter().any(|step| step.base.code() == Code::Jmp_rm64) {
            tables = self.tables(&steps, one, other);
        }
        for (number, step) in steps.iter().enumerate() {
            self.branch(step, one, other, from)?;
            self.indirect(&steps, number, sdk, !tables.is_empty(), from)?;
            self.memory(step, &tables, from)?;
            if !sdk && uses_thread_data(&step.base) {
                if base.thread_data != candidate.thread_data {
                    return Err(from.differs());
                }
                self.variables.thread(from);
            }
            if self.programs.absolute() {
                self.absolutes(step, from)?;
            }
        }
        for table in tables {
            self.table(table, one, other, from)?;
        }
        Ok(())
    }

    /// Decodes both; `Err` at the first instruction that isn't alike.
    fn steps(&mut self, at: Pair, size: u64, from: &From) -> Result<Vec<Step>, Stop> {
        let Programs { base, candidate } = self.programs;
        let (Some(one), Some(other)) = (base.bytes(at.base, size), candidate.bytes(at.candidate, size)) else {
            return Err(Stop::Unknown(format!("{} goes past its section", from.function)));
        };
        let mut first = Decoder::with_ip(64, one, at.base, DecoderOptions::NONE);
        let mut second = Decoder::with_ip(64, other, at.candidate, DecoderOptions::NONE);
        let mut steps = Vec::new();
        while first.can_decode() {
            self.count_instruction()?;
            let place = first.position();
            let step = Step { base: first.decode(), candidate: second.decode() };
            if step.base.is_invalid() || step.candidate.is_invalid() {
                return Err(Stop::Unknown(format!("{} has bytes that are no known instruction", from.function)));
            }
            let length = step.base.len();
            if length != step.candidate.len() || step.base.code() != step.candidate.code() {
                return Err(from.differs());
            }
            let offsets = first.get_constant_offsets(&step.base);
            if offsets != second.get_constant_offsets(&step.candidate) {
                return Err(from.differs());
            }
            let free = self.free_bytes(&step, offsets);
            for index in (0..length).filter(|index| free & (1 << index) == 0) {
                if one.get(place + index) != other.get(place + index) {
                    return Err(from.differs());
                }
            }
            steps.push(step);
        }
        Ok(steps)
    }

    /// The bytes of the instruction that hold addresses, which are compared as such; a bit for each byte.
    fn free_bytes(&self, step: &Step, offsets: ConstantOffsets) -> u32 {
        let mut free = 0_u32;
        let mut add = |from: usize, size: usize| {
            for index in from..from.saturating_add(size).min(16) {
                free |= 1 << index;
            }
        };
        let absolute = self.programs.absolute();
        let pair = |base, candidate| self.programs.mapped(Pair { base, candidate });
        let (one, other) = (&step.base, &step.candidate);
        if is_branch(one) {
            add(offsets.immediate_offset(), offsets.immediate_size());
        }
        let displaced = one.is_ip_rel_memory_operand() && other.is_ip_rel_memory_operand()
            || absolute
                && has_wide_displacement(one)
                && has_wide_displacement(other)
                && pair(one.memory_displacement64(), other.memory_displacement64());
        if displaced {
            add(offsets.displacement_offset(), offsets.displacement_size());
        }
        for operand in 0..one.op_count() {
            let wide = is_wide_immediate(one.op_kind(operand)) && is_wide_immediate(other.op_kind(operand));
            if absolute && wide && pair(one.immediate(operand), other.immediate(operand)) {
                add(offsets.immediate_offset(), offsets.immediate_size());
            }
        }
        free
    }

    fn branch(&mut self, step: &Step, one: &Symbol, other: &Symbol, from: &From) -> Result<(), Stop> {
        if !is_branch(&step.base) {
            return Ok(());
        }
        let to = Pair { base: step.base.near_branch_target(), candidate: step.candidate.near_branch_target() };
        let (first, second) = (to.base.wrapping_sub(one.start), to.candidate.wrapping_sub(other.start));
        if first < one.size || second < other.size {
            return if first == second { Ok(()) } else { Err(from.differs()) };
        }
        self.follow(to, Via::Branch, from)
    }

    /// Calls and jumps whose target isn't in the instruction.
    fn indirect(&self, steps: &[Step], number: usize, sdk: bool, tables: bool, from: &From) -> Result<(), Stop> {
        let Some(step) = steps.get(number) else { return Ok(()) };
        let flow = step.base.flow_control();
        let before = number.checked_sub(1).and_then(|before| steps.get(before));
        if !sdk && switches_stack(&step.base) {
            return Err(Stop::Unknown(format!("{} goes on with another stack", from.function)));
        }
        if !sdk && flow == FlowControl::Return && before.is_some_and(|before| makes_return_address(&before.base)) {
            return Err(Stop::Unknown(format!("{} returns to an address that it makes", from.function)));
        }
        if sdk || !matches!(flow, FlowControl::IndirectBranch | FlowControl::IndirectCall) {
            return Ok(());
        }
        let constant = |address| self.programs.base.section(address).is_some_and(|held| held.kind == Kind::Constant);
        // What is in a constant word is compared with the other operands.
        if step.base.is_ip_rel_memory_operand() && constant(step.base.ip_rel_memory_address()) {
            return Ok(());
        }
        if flow == FlowControl::IndirectBranch && tables && tables::is_lookup(steps, number) {
            return Ok(());
        }
        if self.programs.absolute() && tables::is_absolute_lookup(steps, number) {
            let table = absolute_addresses(&step.base).next().unwrap_or_default();
            if constant(table) {
                return Ok(());
            }
        }
        Err(Stop::Unknown(format!("{} calls through a pointer", from.function)))
    }

    /// What the instruction refers to relative to itself.
    fn memory(&mut self, step: &Step, tables: &[Pair], from: &From) -> Result<(), Stop> {
        if !step.base.is_ip_rel_memory_operand() {
            return Ok(());
        }
        let to = Pair { base: step.base.ip_rel_memory_address(), candidate: step.candidate.ip_rel_memory_address() };
        if tables.contains(&to) {
            return Ok(());
        }
        self.follow(to, via(&step.base), from)
    }

    /// Addresses that are written out in the instruction, in programs that are linked to fixed ones.
    fn absolutes(&mut self, step: &Step, from: &From) -> Result<(), Stop> {
        let pairs = absolute_addresses(&step.base).zip(absolute_addresses(&step.candidate));
        for (base, candidate) in pairs {
            let to = Pair { base, candidate };
            let is_indexed = is_indexed(&step.base, base);
            if is_indexed
                && (self.programs.base.is_beside_data(base) || self.programs.candidate.is_beside_data(candidate))
            {
                return Err(Stop::Unknown(format!("{} adds to an address that is of no data", from.function)));
            }
            if !self.programs.mapped(to) {
                continue;
            }
            // Two equal numbers may be just numbers.
            let from = if base == candidate { from.doubtful() } else { from.clone() };
            let via = if is_indexed { Via::Indexed } else { Via::Address };
            self.follow(to, via, &from)?;
        }
        Ok(())
    }
}

/// Whether what isn't known is added to `address`, which stands in the instruction, and more is done there than to write. What a jump is looked up in
/// is its own table.
fn is_indexed(instruction: &Instruction, address: u64) -> bool {
    if instruction.mnemonic() == Mnemonic::Add
        && (0..instruction.op_count()).any(|operand| is_wide_immediate(instruction.op_kind(operand)))
    {
        return true;
    }
    let registers = [instruction.memory_base(), instruction.memory_index()];
    has_wide_displacement(instruction)
        && instruction.memory_displacement64() == address
        && registers.iter().any(|register| *register != Register::None)
        && !only_stores(instruction)
        && instruction.flow_control() != FlowControl::IndirectBranch
}

fn is_branch(instruction: &Instruction) -> bool {
    instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64
}

/// How an instruction uses its memory operand.
fn via(instruction: &Instruction) -> Via {
    // Those of bit strings can reach beyond the operand.
    let beyond = matches!(
        instruction.code(),
        Code::Bt_rm64_r64
            | Code::Bt_rm32_r32
            | Code::Bts_rm64_r64
            | Code::Bts_rm32_r32
            | Code::Lea_r64_m
            | Code::Lea_r32_m
    );
    let size = instruction.memory_size().size() as u64;
    if beyond || size == 0 {
        Via::Address
    } else if only_stores(instruction) {
        Via::Store(size)
    } else {
        Via::Access(size)
    }
}

/// Whether it writes all of its memory operand, whatever stood there.
fn only_stores(instruction: &Instruction) -> bool {
    let moves = matches!(
        instruction.mnemonic(),
        Mnemonic::Mov
            | Mnemonic::Movss
            | Mnemonic::Movsd
            | Mnemonic::Movd
            | Mnemonic::Movq
            | Mnemonic::Movaps
            | Mnemonic::Movups
            | Mnemonic::Movdqa
            | Mnemonic::Movdqu
    );
    moves && instruction.op_count() == 2 && instruction.op0_kind() == OpKind::Memory
}

/// Variables of the thread's own: all that lies relative to `fs` but the guard of the stack.
fn uses_thread_data(instruction: &Instruction) -> bool {
    /// Where the x86-64 ABI has the guard.
    const GUARD: u64 = 0x28;
    instruction.segment_prefix() == Register::FS && instruction.memory_displacement64() != GUARD
}

/// A jump in the form of a return: the address is pushed, or written over the one on the stack.
/// A stack pointer that comes of anything but the frame pointer or itself: what the function returns to then lies in data.
fn switches_stack(instruction: &Instruction) -> bool {
    let sets = matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Pop | Mnemonic::Xchg | Mnemonic::Lea)
        && instruction.op_count() > 0
        && instruction.op0_kind() == OpKind::Register
        && instruction.op0_register() == Register::RSP;
    let from_frame = match instruction.mnemonic() {
        Mnemonic::Mov => instruction.op1_kind() == OpKind::Register && instruction.op1_register() == Register::RBP,
        Mnemonic::Lea => matches!(instruction.memory_base(), Register::RBP | Register::RSP | Register::R10),
        _ => false,
    };
    sets && !from_frame
}

fn makes_return_address(instruction: &Instruction) -> bool {
    let writes = instruction.op_count() > 0
        && instruction.op0_kind() == OpKind::Memory
        && instruction.memory_base() == Register::RSP
        && instruction.memory_displacement64() == 0;
    writes || instruction.mnemonic() == Mnemonic::Push
}
