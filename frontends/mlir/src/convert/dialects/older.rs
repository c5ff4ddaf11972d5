//! Older spellings: operations of the dialect `std`, which was split into others, and forms with typed pointers.
//!
//! These are tried when the present forms do not match.

use super::rows::row;
use crate::context::op_kind::{Arith, Llvm, Memref, OpKind};
use crate::syntax::op_table::Row;

/// Earlier forms of operations, by their present names. `A` is the pointee of the first typed pointer, where no type is
/// read for it.
#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("llvm.load", "?volatile % {} : P", "P -> A", OpKind::Llvm(Llvm::Load)),
    row("llvm.store", "?volatile % , % {} : P", "A P ->", OpKind::Llvm(Llvm::Store)),
    row("llvm.getelementptr", "?inbounds % #* {} : ( T* ) -> P", "T* -> P", OpKind::Llvm(Llvm::Gep)),
    row("llvm.atomicrmw", "$bin_op % , % $ordering {} : A", "p A -> A", OpKind::Llvm(Llvm::AtomicRmw)),
    row("llvm.cmpxchg", "% , % , % $success_ordering $failure_ordering {} : A", "p A A -> ...", OpKind::Llvm(Llvm::Cmpxchg)),
    row("memref.dim", "% , ~index {} : A", "A -> i", OpKind::Memref(Memref::Dim)),
    row("memref.atomic_rmw", "~kind % , % [ %* ] {} : ( T , A ) -> T", "eA A i* -> eA", OpKind::Memref(Memref::AtomicRmw)),
    row("func.constant", "{} =value", "-> ...", OpKind::Arith(Arith::Constant)),
];

/// Operations of `std` and `loop` with their present names. Names that another of these dialects has unchanged are
/// omitted.
const NAMES: &[(&str, &str)] = &[
    ("absf", "math.absf"),
    ("addf", "arith.addf"),
    ("addi", "arith.addi"),
    ("alloc", "memref.alloc"),
    ("alloca", "memref.alloca"),
    ("and", "arith.andi"),
    ("assert", "cf.assert"),
    ("assume_alignment", "memref.assume_alignment"),
    ("atan", "math.atan"),
    ("atan2", "math.atan2"),
    ("atomic_rmw", "memref.atomic_rmw"),
    ("atomic_yield", "memref.atomic_yield"),
    ("bitcast", "arith.bitcast"),
    ("br", "cf.br"),
    ("ceildivi_signed", "arith.ceildivsi"),
    ("ceilf", "math.ceil"),
    ("cmpf", "arith.cmpf"),
    ("cmpi", "arith.cmpi"),
    ("cond_br", "cf.cond_br"),
    ("copysign", "math.copysign"),
    ("cos", "math.cos"),
    ("dealloc", "memref.dealloc"),
    ("dim", "memref.dim"),
    ("divf", "arith.divf"),
    ("divi_signed", "arith.divsi"),
    ("divi_unsigned", "arith.divui"),
    ("divis", "arith.divsi"),
    ("diviu", "arith.divui"),
    ("exp", "math.exp"),
    ("exp2", "math.exp2"),
    ("expm1", "math.expm1"),
    ("floordivi_signed", "arith.floordivsi"),
    ("floorf", "math.floor"),
    ("fpext", "arith.extf"),
    ("fptosi", "arith.fptosi"),
    ("fptoui", "arith.fptoui"),
    ("fptrunc", "arith.truncf"),
    ("generic_atomic_rmw", "memref.generic_atomic_rmw"),
    ("get_global_memref", "memref.get_global"),
    ("index_cast", "arith.index_cast"),
    ("load", "memref.load"),
    ("log", "math.log"),
    ("log10", "math.log10"),
    ("log1p", "math.log1p"),
    ("log2", "math.log2"),
    ("maxf", "arith.maximumf"),
    ("maxsi", "arith.maxsi"),
    ("maxui", "arith.maxui"),
    ("memref_cast", "memref.cast"),
    ("memref_reinterpret_cast", "memref.reinterpret_cast"),
    ("memref_reshape", "memref.reshape"),
    ("minf", "arith.minimumf"),
    ("minsi", "arith.minsi"),
    ("minui", "arith.minui"),
    ("mulf", "arith.mulf"),
    ("muli", "arith.muli"),
    ("negf", "arith.negf"),
    ("or", "arith.ori"),
    ("pow", "math.powf"),
    ("powf", "math.powf"),
    ("prefetch", "memref.prefetch"),
    ("rank", "memref.rank"),
    ("remf", "arith.remf"),
    ("remi_signed", "arith.remsi"),
    ("remi_unsigned", "arith.remui"),
    ("remis", "arith.remsi"),
    ("remiu", "arith.remui"),
    ("rsqrt", "math.rsqrt"),
    ("select", "arith.select"),
    ("sexti", "arith.extsi"),
    ("shift_left", "arith.shli"),
    ("shift_right_signed", "arith.shrsi"),
    ("shift_right_unsigned", "arith.shrui"),
    ("sin", "math.sin"),
    ("sitofp", "arith.sitofp"),
    ("splat", "vector.splat"),
    ("sqrt", "math.sqrt"),
    ("store", "memref.store"),
    ("subf", "arith.subf"),
    ("subi", "arith.subi"),
    ("subview", "memref.subview"),
    ("switch", "cf.switch"),
    ("tanh", "math.tanh"),
    ("transpose", "memref.transpose"),
    ("trunci", "arith.trunci"),
    ("uitofp", "arith.uitofp"),
    ("view", "memref.view"),
    ("xor", "arith.xori"),
    ("zexti", "arith.extui"),
];

/// The present name of an operation of `std` (with or without the prefix) or `loop`; or the operation of `func` that
/// corresponds to one of IREE's `util`.
pub(crate) fn present_name(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    if let Some(rest) = name.strip_prefix("loop.") {
        return Some(format!("scf.{rest}"));
    }
    if let Some(rest @ ("call" | "return")) = name.strip_prefix("util.") {
        return Some(format!("func.{rest}"));
    }
    let prefixed = name.strip_prefix("std.");
    let short = prefixed.unwrap_or(name);
    match (NAMES.binary_search_by_key(&short, |row| row.0), prefixed) {
        (Ok(at), _) => Some(NAMES[at].1.to_string()),
        (Err(_), Some(rest)) => Some(format!("func.{rest}")),
        (Err(_), None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_their_operations_known() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
        let all: Vec<&str> = super::super::ALL.iter().flat_map(|rows| rows.iter()).map(|row| row.name).collect();
        let now = NAMES.iter().map(|row| row.1).chain(ROWS.iter().map(|row| row.name));
        assert_eq!(now.filter(|name| !all.contains(name)).collect::<Vec<_>>(), Vec::<&str>::new());
        assert_eq!(present_name(b"std.constant").as_deref(), Some("func.constant"));
        assert_eq!(present_name(b"loop.for").as_deref(), Some("scf.for"));
        assert_eq!(present_name(b"util.return").as_deref(), Some("func.return"));
        assert_eq!(present_name(b"util.global"), None);
        assert_eq!(present_name(b"frob"), None);
    }
}
