//! Source-level signatures in the text form.
//!
//! LLVM-level types are spelt as in LLVM; C-level ones have names of their own (`s32`, `u8`, `f64`, `struct { … }`).

use std::fmt::Write;

use gusset_abi::{
    AbiType, Attrs, CType, Field, FieldRole, Language, LlvmScalar, LlvmType, Param, Record, RecordKind, Role, Scalar,
    Signature, Widen,
};

use crate::ir::words::{C_FLOATS, CONVENTIONS, LLVM_SCALARS, MEMBERS, PLAIN_ROLES, PRESERVES, joined, name_of};

/// `convention modifiers (params) -> result`; `...` comes before the unnamed arguments.
pub(super) fn write_signature(out: &mut String, s: &Signature) {
    out.push_str(name_of(CONVENTIONS, s.convention));
    if s.modifiers.regparm > 0 {
        let _ = write!(out, " regparm({})", s.modifiers.regparm);
    }
    out.push_str(if s.modifiers.sse_regparm { " sse_regparm" } else { "" });
    if let Some((_, name)) = MEMBERS.iter().find(|(member, _)| *member == s.modifiers.member) {
        let _ = write!(out, " {name}");
    }
    if let Some((_, name)) = PRESERVES.iter().find(|(preserves, _)| *preserves == s.modifiers.preserves) {
        let _ = write!(out, " {name}");
    }
    out.push_str(" (");
    for k in 0..=s.params.len() {
        if s.variadic == Some(k) {
            out.push_str(if k > 0 { ", ..." } else { "..." });
        }
        if let Some(p) = s.params.get(k) {
            out.push_str(if k > 0 || s.variadic == Some(0) { ", " } else { "" });
            write_param(out, p);
        }
    }
    out.push_str(") -> ");
    write_param(out, &s.ret);
}

fn write_param(out: &mut String, p: &Param) {
    match &p.ty {
        AbiType::C(t) => write_ctype(out, t),
        AbiType::Llvm(t) => write_llvm(out, t),
    }
    let Attrs { widen, in_reg, role, stack_align } = p.attrs;
    match widen {
        Widen::None => {}
        Widen::Zero => out.push_str(" zeroext"),
        Widen::Sign => out.push_str(" signext"),
    }
    out.push_str(if in_reg { " inreg" } else { "" });
    let _ = match role {
        Role::Value => Ok(()),
        Role::ByVal { size, align } => write!(out, " byval({size}, {align})"),
        Role::InAlloca { size } => write!(out, " inalloca({size})"),
        Role::Preallocated { size, align } => write!(out, " preallocated({size}, {align})"),
        plain => write!(out, " {}", name_of(PLAIN_ROLES, plain)),
    };
    if let Some(n) = stack_align {
        let _ = write!(out, " alignstack({n})");
    }
}

fn write_llvm_scalar(out: &mut String, s: LlvmScalar) {
    match s {
        LlvmScalar::Int(n) => {
            let _ = write!(out, "i{n}");
        }
        other => out.push_str(name_of(LLVM_SCALARS, other)),
    }
}

fn write_llvm(out: &mut String, t: &LlvmType) {
    match t {
        LlvmType::Void => out.push_str("void"),
        LlvmType::Scalar(s) => write_llvm_scalar(out, *s),
        LlvmType::Vector { lane, lanes } => {
            let _ = write!(out, "<{lanes} x ");
            write_llvm_scalar(out, *lane);
            out.push('>');
        }
        LlvmType::Array { element, len } => {
            let _ = write!(out, "[{len} x ");
            write_llvm(out, element);
            out.push(']');
        }
        LlvmType::Struct(body) => {
            let _ = write!(out, "aggregate({}, {}) {{", body.size, body.align);
            let _ = joined(out, &body.fields, |out, (offset, field)| {
                write_llvm(out, field);
                write!(out, " at {offset}")
            });
            out.push('}');
        }
    }
}

fn write_scalar(out: &mut String, s: Scalar) {
    match s {
        Scalar::Bool => out.push_str("bool"),
        Scalar::Int { bits, signed } => {
            let _ = write!(out, "{}{bits}", if signed { 's' } else { 'u' });
        }
        Scalar::Float(kind) => out.push_str(name_of(C_FLOATS, kind)),
        Scalar::Pointer => out.push_str("pointer"),
    }
}

fn write_ctype(out: &mut String, t: &CType) {
    match t {
        CType::Void => out.push_str("nothing"),
        CType::Scalar(s) => write_scalar(out, *s),
        CType::BitInt { bits, signed } => {
            let _ = write!(out, "{}({bits})", if *signed { "bitint" } else { "ubitint" });
        }
        CType::Complex(s) => {
            out.push_str("complex(");
            write_scalar(out, *s);
            out.push(')');
        }
        CType::Vector { lane, lanes } => {
            let _ = write!(out, "vector({lanes}, ");
            write_scalar(out, *lane);
            out.push(')');
        }
        CType::Array(array) => {
            let _ = write!(out, "array({}, ", array.len());
            write_ctype(out, array.element());
            out.push(')');
        }
        CType::Record(r) => write_record(out, r),
    }
}

fn write_record(out: &mut String, r: &Record) {
    out.push_str(match r.kind() {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    });
    out.push_str(if r.is_packed() { " packed" } else { "" });
    if let Some(n) = r.max_field_align() {
        let _ = write!(out, " pack({n})");
    }
    if let Some(n) = r.min_align() {
        let _ = write!(out, " aligned({n})");
    }
    out.push_str(if r.language() == Language::Cxx { " cxx" } else { "" });
    out.push_str(if r.is_non_trivial() { " non_trivial" } else { "" });
    out.push_str(if r.language() == Language::Cxx && r.class().aggregate { " aggregate" } else { "" });
    out.push_str(if r.is_never_homogeneous() { " never_homogeneous" } else { "" });
    write_class(out, r);
    out.push_str(" {");
    for (k, f) in r.fields().iter().enumerate() {
        out.push_str(if k > 0 { ", " } else { "" });
        write_field(out, f);
    }
    out.push('}');
}

/// What only the layout of a class, or clang's IR, depends on.
fn write_class(out: &mut String, r: &Record) {
    if r.language() == Language::Cxx {
        out.push_str(if r.class().plain_data { " plain_data" } else { "" });
        out.push_str(if r.class().c_like { " c_like" } else { "" });
    }
    if r.number() != 0 {
        let _ = write!(out, " number({})", r.number());
    }
    if let Some(virtuals) = r.virtuals() {
        out.push_str(if virtuals.introduces { " virtual" } else { " virtual overriding" });
        out.push_str(if virtuals.constructed { " constructed" } else { "" });
        for number in &virtuals.overridden {
            let _ = write!(out, " overrides({number})");
        }
    }
}

fn write_field(out: &mut String, f: &Field) {
    write_ctype(out, &f.ty);
    if let Some(n) = f.bits {
        let _ = write!(out, " bits({n})");
    }
    out.push_str(if f.named { "" } else { " unnamed" });
    out.push_str(match f.role {
        FieldRole::Base => " base",
        FieldRole::VirtualBase => " virtual_base",
        FieldRole::NoUniqueAddress => " no_unique_address",
        _ => "",
    });
    out.push_str(if f.packed { " packed" } else { "" });
    if let Some(n) = f.align {
        let _ = write!(out, " aligned({n})");
    }
}
