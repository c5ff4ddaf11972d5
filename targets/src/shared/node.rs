//! Instructions as selection reads them.

use gusset_codegen::ir::{Function, Inst, Opcode, Type, Value};

/// An instruction with its words read as the values that most formats have there.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    /// Which instruction of its function it is.
    pub(crate) inst: Inst,
    pub(crate) op: Opcode,
    pub(crate) flags: u8,
    /// The controlling type.
    pub(crate) ty: Type,
    /// The first word. In formats where it is no value, it is read as a number.
    pub(crate) a: Value,
    pub(crate) b: Value,
    pub(crate) c: Value,
    /// The first result, if it has any.
    pub(crate) r: Value,
}

impl Node {
    #[inline]
    pub(crate) fn of(f: &Function, inst: Inst) -> Node {
        let d = f.inst(inst);
        let r = f.result(inst);
        Node { inst, op: d.op, flags: d.flags, ty: d.ty, a: Value(d.a), b: Value(d.b), c: Value(d.c), r }
    }
    /// The distance of a constant index in an address, if it fits an offset.
    pub(crate) fn constant_index(&self, f: &Function) -> Option<i32> {
        let n = f.int_constant_signed(self.b)?;
        i32::try_from(n.checked_mul(i64::from(self.c.0 as i32))?).ok()
    }
}
