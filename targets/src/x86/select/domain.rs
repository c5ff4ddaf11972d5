//! Where the arithmetic of a type happens, and the errors where it cannot.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{InLlvm, Type};

use crate::shared::Node;
use crate::x86::machine::X86;
use crate::x86::select::operand::Cx;

/// Where the arithmetic of a value happens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    Int,
    Wide,
    Float,
    X87,
    Soft,
    Vector,
}

pub(crate) fn domain(target: &X86, ty: Type) -> Domain {
    if ty.is_vector() {
        Domain::Vector
    } else if ty.is_float() {
        match ty {
            Type::F32 | Type::F64 if target.has_sse() => Domain::Float,
            Type::F32 | Type::F64 => Domain::X87,
            Type::F80 => Domain::X87,
            _ => Domain::Soft,
        }
    } else if ty.bits() > target.word_bits() {
        Domain::Wide
    } else {
        Domain::Int
    }
}

/// Is this a lane type of the machine's vectors?
pub(crate) fn is_lane(ty: Type) -> bool {
    matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64)
}

/// An error that names the operation.
pub(crate) fn not_yet<T>(cx: &Cx<'_>, d: &Node) -> Result<T> {
    Err(CompileError::at(cx.f, d.inst, format!("{} is not supported on {}", InLlvm(d.op, d.ty), cx.target.name())))
}
