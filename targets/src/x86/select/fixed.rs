//! Registers that instructions take by name.

use gusset_codegen::ir::{Function, InstData, Opcode, Value};
use gusset_codegen::machine::Machine;

use crate::x86::machine::X86;
use crate::x86::registers::{RAX, RCX, RDX};

/// The registers that an instruction may take by name, calls excepted: `rcx` for amounts, `rax` and `rdx` for products and
/// quotients. What is rare takes any scratch register.
pub(crate) fn registers(target: &X86, f: &Function, d: &InstData) -> u64 {
    use Opcode::*;
    let word = target.facts().pointer.bits();
    let amount = |v: u32| if f.int_constant(Value(v)).is_none() { RCX.mask() } else { 0 };
    let all = target.facts().registers.scratch;
    if !d.ty.is_vector() && d.ty.is_int() && d.ty.bits() > word {
        return all;
    }
    match d.op {
        Shl | Lshr | Ashr => amount(d.b),
        Fshl | Fshr => amount(d.c),
        Udiv | Sdiv | Urem | Srem | UmulOv | SmulOv | UmulWide | SmulWide | ReadCycles => RAX.mask() | RDX.mask(),
        UshlSat | SshlSat | Iconcat | Isplit | AtomicRmw | Cmpxchg | AtomicLoad | AtomicStore => all,
        Memcpy | Memmove | Memset | TlsAddr | StackAlloc | StackSave | StackRestore | BlockOpen | StackLevel => all,
        VaStart | VaCopy | StackMap | Machine | MachineEffect | LandingPad | CatchPad | CleanupPad | Resume => all,
        _ => 0,
    }
}
