//! What an architecture tells the target-neutral part of the code generator about its instructions.

use gusset_abi::Extension;

use crate::alloc::Stream;
use crate::buffer::{CodeBuffer, Label};
use crate::error::CompileError;
use crate::ir::{Function, Inst, InstData, Module, Opcode, SymbolId, Type, Value};
use crate::machine::{FrameAddr, Machine, PReg, Reserved};

/// An architecture's selection of instructions.
pub trait Select: Machine {
    /// Can it do `op` on 16-byte vectors of type `ty`, whose lanes are of 8 to 64 bits, `f32` or `f64`? For conversions `ty`
    /// is the result's type, and the operand's lanes are as wide. Comparisons give lanes of all ones or all zeros, and
    /// a vector `select` takes such lanes. Lanes are taken out and replaced at any position, and a `shuffle` of two
    /// vectors of its own type has any mask.
    fn has_vector_op(&self, op: Opcode, ty: Type) -> bool;
    /// Can it shift all lanes of such a vector by one constant? Shifts are no operations of [`Select::has_vector_op`] unless
    /// the lanes' amounts may differ.
    fn has_uniform_shift(&self, op: Opcode, ty: Type) -> bool;
    /// May `def` be left to `user`, which reads it as its operand number `arg` and is the only one to do so? `last` is the
    /// instruction that `user` was left to itself, if it was to one.
    fn can_fold(&self, f: &Function, user: &InstData, arg: usize, def: &InstData, last: Option<&InstData>) -> bool;
    /// Registers that the function's code wants for itself beside the scratch ones.
    fn reserved(&self, _module: &Module, _f: &Function) -> Reserved {
        Reserved::default()
    }
    /// Registers whose fixed contents the code turned out to want after all.
    fn wants_fixed(&self, _code: &CodeBuffer) -> u64 {
        0
    }
    /// Is the address of a thread-local symbol found by a call?
    fn tls_address_calls(&self, module: &Module, symbol: SymbolId) -> bool;
    /// Is the operation, on legal types, done by a function of the run-time library?
    fn calls_library(&self, f: &Function, inst: &InstData) -> bool;
    /// Is the register of `v` extended as `ext` says without further ado?
    fn is_extended(&self, f: &Function, v: Value, ext: Extension) -> bool;
    /// Emits the code of an instruction that is neither a call, a return nor a terminator with edges.
    fn select(cx: &mut Stream<'_, Self>, inst: Inst) -> Result<(), CompileError>;
    /// Emits the compare of a two-way branch and the conditional jump(s): to `then` if it holds, to `other` if not; one of
    /// them may be `None`, which falls through.
    fn select_branch(
        cx: &mut Stream<'_, Self>,
        inst: Inst,
        then: Option<Label>,
        other: Option<Label>,
    ) -> Result<(), CompileError>;
    /// Emits a switch to the labels of its edges: one for each case, in order, then the default.
    fn select_switch(cx: &mut Stream<'_, Self>, inst: Inst, labels: &[Label]) -> Result<(), CompileError>;
    /// Copies a large block of known size from `src` to a place in the frame. It may change registers that it takes.
    fn emit_block_copy(
        cx: &mut Stream<'_, Self>,
        src: (PReg, i32),
        to: FrameAddr,
        size: u32,
    ) -> Result<(), CompileError>;
}
