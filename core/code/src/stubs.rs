//! Stubs of the procedure linkage table.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl};

use crate::program::Program;

/// The slot of the global offset table through which the stub at `address` jumps.
pub(crate) fn slot(program: &Program, address: u64) -> Option<u64> {
    /// The longest stub, bytes.
    const STUB: u64 = 16;
    let section = program.section(address)?;
    let code = program.bytes(address, STUB.min(section.end - address))?;
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = decoder.decode();
    if instruction.code() == Code::Endbr64 {
        instruction = decoder.decode();
    }
    let jump = instruction.flow_control() == FlowControl::IndirectBranch && instruction.is_ip_rel_memory_operand();
    jump.then(|| instruction.ip_rel_memory_address())
}
