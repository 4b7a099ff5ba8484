//! An instruction that both functions have at the same place.

use iced_x86::Instruction;

/// The same instruction in both programs.
pub(crate) struct Step {
    pub(crate) base: Instruction,
    pub(crate) candidate: Instruction,
}
