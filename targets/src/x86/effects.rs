//! What machine code does to registers, found out by decoding it: for the checker of register allocation.

use iced_x86::{Code, Decoder, DecoderOptions, InstructionInfoFactory, OpAccess};

/// General-purpose and vector registers that a stretch of code may change, as the allocator numbers them. What calls
/// change is not known here; `bits`: of the machine's mode.
pub(super) fn written(code: &[u8], bits: u32) -> u64 {
    let mut infos = InstructionInfoFactory::new();
    let mut mask = 0;
    for instruction in Decoder::with_ip(bits, code, 0, DecoderOptions::NONE).iter() {
        if instruction.code() == Code::INVALID {
            // Nobody emits such: take it for something that changes everything.
            return !0;
        }
        for used in infos.info(&instruction).used_registers() {
            let writes = matches!(
                used.access(),
                OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            );
            let full = used.register().full_register();
            if writes && full.is_gpr() {
                mask |= 1 << full.number();
            } else if writes && full.is_vector_register() && full.number() < 16 {
                mask |= 1 << (32 + full.number());
            }
        }
    }
    mask
}
