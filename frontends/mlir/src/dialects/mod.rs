//! The dialects: tables of their operations, and what these become.

mod affine;
mod allocation;
mod arith;
pub(crate) mod arm_neon;
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
mod predicated;
mod ptr;
mod rows;
mod scf;
mod signatures;
mod stack;
mod unranked;
mod vector;
mod vector_loops;
mod vector_masks;
mod vector_math;
mod vector_memory;
mod vector_print;
mod vector_values;
pub(crate) mod x86vector;

pub(crate) use descriptors::Fields;
pub(crate) use stack::{OnStack, allocating_braces};

use gusset_codegen::ir::SymbolId;
use gusset_lower::Events;
use gusset_text::Result;

use crate::op::Op;
use crate::reader::{Convert, Reader};
use crate::rows::Row;
use crate::tables::Tables;
use crate::what::What;

/// All operations.
pub(crate) const ALL: &[&[Row<What>]] = &[
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

/// What converts operations that have been read: where some registered dialect acts on attributes, it is asked behind each.
pub(crate) fn converter<'r, E: Events>(tables: &Tables<'_>) -> Convert<'r, E> {
    if tables.foreign.amends() { convert_and_amend } else { convert }
}

fn convert_and_amend<'r, E: Events>(r: &mut Reader<'r, E>, what: What, op: &mut Op<'r>) -> Result<()> {
    convert(r, what, op)?;
    r.amend(op)
}

pub(crate) use older::present_name;

/// Forms that operations had before.
pub(crate) const OLDER: &[&[Row<What>]] = &[older::ROWS];

/// Converts an operation that has been read.
fn convert<'r, E: Events>(r: &mut Reader<'r, E>, what: What, op: &mut Op<'r>) -> Result<()> {
    if r.initializing && !what.initializes() {
        return Err(r.c.error_at(
            op.pos,
            format!("`{}` does not belong into a variable's initializer", String::from_utf8_lossy(op.text)),
        ));
    }
    match what {
        What::Binary(opcode) => r.binary(opcode, op),
        What::Cast(cast) => r.cast(cast, op),
        What::Negate => r.negate(op),
        What::CompareInts => r.compare_ints(op, "predicate"),
        What::CompareFloats => r.compare_floats(op),
        What::Select => r.select(op),
        What::Constant => r.constant_op(op),
        What::Jump => r.jump(op),
        What::Branch => r.branch(op),
        What::Switch => r.switch(op),
        What::Return => r.ret(op),
        What::Poison | What::Undef | What::Zero => r.plain_value(what, op),
        What::Unreachable => {
            r.l.unreachable();
            Ok(())
        }
        What::Yield => r.yields(op),
        What::Scf(kind) => r.scf(kind, op),
        What::Func(kind) => r.func(kind, op),
        What::Affine(kind) => r.affine(kind, op),
        What::Memref(kind) => r.memref(kind, op),
        What::Assert => r.assert(op),
        What::Unrealized => r.unrealized(op),
        What::Vector(kind) => r.vector(kind, op),
        What::Llvm(kind) => r.llvm(kind, op),
        What::Intrinsic(name) => r.intrinsic_op(name, op),
        What::EachPart(name) => r.each_part(name, op),
        What::FitIntegers { signed } => r.fit_integers(signed, op),
        What::Divide(division) => r.rounded_division(division, op),
        What::Arith(kind) => r.arith(kind, op),
        What::Library(name) => r.library_op(name, op),
        What::Math(kind) => r.math(kind, op),
        What::Complex(kind) => r.complex(kind, op),
        What::Index(kind) => r.index_dialect(kind, op),
        What::Ptr(kind) => r.ptr_dialect(kind, op),
        What::Foreign(number) => r.foreign(number, op),
    }
}

/// Functions of the C library that operations become calls of: declared whether they are used or not, which costs nothing.
pub(crate) fn declare(import: &mut dyn FnMut(&'static str) -> SymbolId, tables: &mut Tables<'_>) {
    let dialects = tables.foreign.dialects.clone();
    let foreign = dialects.iter().flat_map(|d| d.functions());
    for &name in rows::LIBRARY.iter().chain(vector_print::PRINTERS).chain(foreign) {
        if tables.library.contains_key(name) {
            continue;
        }
        let own = tables.lookup(name.as_bytes()).map(|s| s.symbol);
        let symbol = own.unwrap_or_else(|| import(name));
        tables.library.insert(name, symbol);
    }
}
