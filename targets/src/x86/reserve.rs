//! Registers that functions of i386, and a few of 64-bit Windows, need in addition to the scratch registers: the
//! address of the global offset table, and operands of instructions that take more than there are.

use gusset_codegen::buffer::{CodeBuffer, Origin, Referent, Reloc};
use gusset_codegen::ir::{Callee, Function, InstData, Module, Opcode, Type};
use gusset_codegen::machine::Reserved;

use super::machine::X86;
use super::registers::{RBX, RSI};

/// See [`Machine::reserved`](gusset_codegen::machine::Machine::reserved).
pub(super) fn reserved(target: &X86, module: &Module, f: &Function) -> Reserved {
    let mut out = Reserved::default();
    if !target.is_32() {
        // Of the instruction's registers, only 64-bit Windows preserves this one.
        if target.has_function_tables() && f.insts.iter().any(takes_source_index) {
            out.extra_scratch |= RSI.mask();
        }
        return out;
    }
    let pairs = |ty: Type| ty.is_int() && ty.bits() > 32;
    for d in &f.insts {
        match d.op {
            // The address.
            Opcode::AtomicRmw | Opcode::Cmpxchg if pairs(d.ty) || d.ty == Type::F64 => {
                out.extra_scratch |= RSI.mask();
            }
            Opcode::Imul | Opcode::UmulOv | Opcode::SmulOv | Opcode::Fshl | Opcode::Fshr if pairs(d.ty) => {
                out.extra_scratch |= RSI.mask();
            }
            _ => {}
        }
        if target.pic && wants_got(target, module, f, d) {
            out.fixed |= RBX.mask();
        }
    }
    out
}

/// Does the code of such an instruction of 64-bit mode change `rsi`?
fn takes_source_index(d: &InstData) -> bool {
    match d.op {
        Opcode::AtomicLoad | Opcode::AtomicStore | Opcode::AtomicRmw | Opcode::Cmpxchg => d.ty == Type::I128,
        _ => false,
    }
}

/// Does the code of an instruction most likely access something through the table? If this misses a case, the emitted
/// code shows it.
fn wants_got(target: &X86, module: &Module, f: &Function, d: &InstData) -> bool {
    match d.op {
        Opcode::Call => match f.calls[d.a as usize].callee {
            Callee::Symbol(s) => !target.is_near(module, s),
            Callee::Value(_) => false,
            Callee::Library(_) => true,
        },
        Opcode::Switch | Opcode::TlsAddr => true,
        _ => d.ty.is_float() || d.ty.is_vector(),
    }
}

/// See [`Machine::wants_fixed`](gusset_codegen::machine::Machine::wants_fixed).
pub(super) fn wants_fixed(target: &X86, code: &CodeBuffer) -> u64 {
    let by_table = |r: &Reloc| r.kind.of == Referent::Stub || r.kind.from == Origin::Got;
    if target.is_32() && target.pic && code.relocs().iter().any(by_table) { RBX.mask() } else { 0 }
}
