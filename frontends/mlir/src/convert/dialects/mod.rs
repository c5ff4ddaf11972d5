//! The dialects: tables of their operations, and their conversions.

mod affine;
mod allocation;
mod arith;
mod call;
mod common;
mod complex;
mod descriptors;
mod func;
mod index;
mod intrinsics;
mod llvm;
mod math;
mod matrices;
mod memref;
mod memref_checks;
mod older;
mod ptr;
mod rows;
mod scf;
mod signatures;
mod stack;
mod unranked;
mod vector;
mod vector_kinds;
mod vector_loops;
mod vector_masks;
mod vector_math;
mod vector_memory;
mod vector_print;
mod vector_values;

pub(crate) use descriptors::Fields;
pub(crate) use rows::library;

use std::sync::{Arc, OnceLock};

use gusset_codegen::ir::SymbolId;
use gusset_program::{Refusal, Sink};
use gusset_text::Result;

use crate::context::ModuleContext;
use crate::context::op_kind::OpKind;
use crate::convert::build::Build;
use crate::convert::reader::{Convert, Reader};
use crate::dialect::{Dialect, Dialects};
use crate::syntax::op::Op;
use crate::syntax::op_table::{Row, Rows, check};

/// All operations.
const ALL: &[&[Row<OpKind>]] = &[
    rows::LLVM,
    affine::ROWS,
    arith::ROWS,
    complex::ROWS,
    index::ROWS,
    math::ROWS,
    func::ROWS,
    memref::ROWS,
    ptr::ROWS,
    scf::ROWS,
    vector::ROWS,
    vector_memory::ROWS,
];

/// The table of all operations. Making it takes longer than reading a small module, so there is one for the process.
pub(crate) fn rows() -> &'static Rows<OpKind> {
    static TABLE: OnceLock<Rows<OpKind>> = OnceLock::new();
    TABLE.get_or_init(|| Rows::new(ALL))
}

/// The table of the forms that operations had before.
pub(crate) fn older_rows() -> &'static Rows<OpKind> {
    static TABLE: OnceLock<Rows<OpKind>> = OnceLock::new();
    TABLE.get_or_init(|| Rows::new(OLDER))
}

/// The function that converts operations; if some registered dialect acts on attributes, it is called after each.
pub(crate) fn converter<'r, E: Sink>(tables: &ModuleContext<'_>) -> Convert<'r, E> {
    if tables.foreign.amends() { convert_and_amend } else { convert }
}

fn convert_and_amend<'r, E: Sink>(r: &mut Reader<'r, E>, what: OpKind, op: &mut Op<'r>) -> Result<()> {
    convert(r, what, op)?;
    r.amend(op)
}

pub(crate) use older::present_name;

/// Forms that operations had before.
const OLDER: &[&[Row<OpKind>]] = &[older::ROWS];

impl Dialects {
    /// These dialects and another one.
    ///
    /// # Errors
    /// A dialect or an operation of this name is known already; or a form or a rule is not well-formed.
    pub fn add(&mut self, dialect: impl Dialect + 'static) -> gusset_program::Result<()> {
        let name = dialect.name();
        let word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !word || self.of(name.as_bytes()).is_some() || name == "llvm" {
            return Err(Refusal::new(format!("`{name}` is no name for a dialect, or there is one of this name")));
        }
        let own = |what: &str| what.strip_prefix(name).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'));
        let known = rows();
        for (i, op) in dialect.operations().iter().enumerate() {
            let again = dialect.operations()[..i].iter().any(|other| other.name == op.name);
            if !own(op.name) || again || known.find(op.name.as_bytes()).is_some() {
                let m = format!("`{}` is no operation of `{name}`, or there is one of this name", op.name);
                return Err(Refusal::new(m));
            }
            check(op.form, op.rule).map_err(|why| Refusal::new(format!("`{}`: {why}", op.name)))?;
        }
        if let Some(wrong) = dialect.attributes().iter().find(|a| !own(a)) {
            return Err(Refusal::new(format!("`{wrong}` is no attribute of `{name}`")));
        }
        self.all.push(Arc::new(dialect));
        Ok(())
    }
}

/// Converts an operation that has been read. Those of the dialect `llvm` come first: they are the most, and the others
/// take a large stack frame.
fn convert<'r, E: Sink>(r: &mut Reader<'r, E>, what: OpKind, op: &mut Op<'r>) -> Result<()> {
    if r.initializing && !what.initializes() {
        return Err(r.src.error(
            op.pos,
            format!("`{}` does not belong into a variable's initializer", String::from_utf8_lossy(op.text)),
        ));
    }
    match what {
        OpKind::Llvm(kind) => r.llvm(kind, op),
        _ => convert_other(r, what, op),
    }
}

/// Converts an operation that does not belong to the dialect `llvm` alone.
#[inline(never)]
fn convert_other<'r, E: Sink>(r: &mut Reader<'r, E>, what: OpKind, op: &mut Op<'r>) -> Result<()> {
    let v = match what {
        OpKind::Binary(opcode) => r.binary(opcode, op),
        OpKind::Cast(cast) => r.cast(cast, op),
        OpKind::Negate => r.negate(op),
        OpKind::CompareInts => r.compare_ints(op, "predicate"),
        OpKind::CompareFloats => r.compare_floats(op),
        OpKind::Select => r.select(op),
        OpKind::Constant => r.constant_op(op),
        OpKind::Jump => return r.jump(op),
        OpKind::Branch => return r.branch(op),
        OpKind::Switch => return r.switch(op),
        OpKind::Return => return r.ret(op),
        OpKind::Poison | OpKind::Undef | OpKind::Zero => r.plain_value(what, op),
        OpKind::Unreachable => {
            r.l.unreachable();
            return Ok(());
        }
        OpKind::Yield => return r.yields(op),
        OpKind::Scf(kind) => return r.scf(kind, op),
        OpKind::Func(kind) => return r.func(kind, op),
        OpKind::Affine(kind) => return r.affine(kind, op),
        OpKind::Memref(kind) => return r.memref(kind, op),
        OpKind::Assert => return r.assert(op),
        OpKind::Unrealized => return r.unrealized(op),
        OpKind::Vector(kind) => return r.vector(kind, op),
        OpKind::Llvm(kind) => return r.llvm(kind, op),
        OpKind::Intrinsic(name) => return r.intrinsic(name, op),
        OpKind::EachPart(name) => r.each_part(name, op),
        OpKind::FitIntegers { signed } => r.fit_integers(signed, op),
        OpKind::Divide(division) => r.rounded_division(division, op),
        OpKind::Arith(kind) => return r.arith(kind, op),
        OpKind::Library(name) => r.library_op(name, op),
        OpKind::Math(kind) => return r.math(kind, op),
        OpKind::Complex(kind) => return r.complex(kind, op),
        OpKind::Index(kind) => return r.index_dialect(kind, op),
        OpKind::Ptr(kind) => return r.ptr_dialect(kind, op),
        OpKind::Foreign(number) => return r.foreign(number, op),
    }?;
    op.values.push(v);
    Ok(())
}

/// Functions of libraries that operations become calls of: all are declared, which costs nothing.
pub(crate) fn declare(import: &mut dyn FnMut(&'static str) -> SymbolId, tables: &mut ModuleContext<'_>) {
    let (known, numbers) = library();
    let foreign = tables.foreign.dialects.iter().flat_map(|d| d.functions()).copied();
    let foreign = foreign.filter(|name| numbers.get(name.as_bytes()).is_none());
    let declared = known.iter().map(String::as_str).chain(foreign).map(|name| {
        let own = tables.lookup(name.as_bytes()).map(|s| s.symbol);
        (name, own.unwrap_or_else(|| import(name)))
    });
    tables.library = declared.collect();
}
