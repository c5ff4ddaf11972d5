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

/// Operations of `std` that keep their name in another dialect. Names that `func` has are omitted.
const KEPT: [(&str, &str); 5] = [
    (
        "arith",
        "addf addi bitcast cmpf cmpi divf fptosi fptoui index_cast maxsi maxui minsi minui mulf muli negf \
         remf select sitofp subf subi trunci uitofp",
    ),
    ("cf", "assert br cond_br switch"),
    ("math", "absf atan atan2 copysign cos exp exp2 expm1 log log10 log1p log2 powf rsqrt sin sqrt tanh"),
    (
        "memref",
        "alloc alloca assume_alignment atomic_rmw atomic_yield dealloc dim generic_atomic_rmw load prefetch \
         rank store subview transpose view",
    ),
    ("vector", "splat"),
];

/// Operations of `std` that have another name now.
const RENAMED: &[(&str, &str)] = &[
    ("and", "arith.andi"),
    ("ceildivi_signed", "arith.ceildivsi"),
    ("ceilf", "math.ceil"),
    ("divi_signed", "arith.divsi"),
    ("divi_unsigned", "arith.divui"),
    ("divis", "arith.divsi"),
    ("diviu", "arith.divui"),
    ("floordivi_signed", "arith.floordivsi"),
    ("floorf", "math.floor"),
    ("fpext", "arith.extf"),
    ("fptrunc", "arith.truncf"),
    ("get_global_memref", "memref.get_global"),
    ("maxf", "arith.maximumf"),
    ("memref_cast", "memref.cast"),
    ("memref_reinterpret_cast", "memref.reinterpret_cast"),
    ("memref_reshape", "memref.reshape"),
    ("minf", "arith.minimumf"),
    ("or", "arith.ori"),
    ("pow", "math.powf"),
    ("remi_signed", "arith.remsi"),
    ("remi_unsigned", "arith.remui"),
    ("remis", "arith.remsi"),
    ("remiu", "arith.remui"),
    ("sexti", "arith.extsi"),
    ("shift_left", "arith.shli"),
    ("shift_right_signed", "arith.shrsi"),
    ("shift_right_unsigned", "arith.shrui"),
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
    let kept = KEPT.iter().find(|row| row.1.split_whitespace().any(|known| known == short));
    match (kept, RENAMED.iter().find(|row| row.0 == short)) {
        (Some((dialect, _)), _) => Some(format!("{dialect}.{short}")),
        (_, Some((_, now))) => Some(now.to_string()),
        _ => prefixed.map(|rest| format!("func.{rest}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operations_of_older_names_are_known() {
        let all: Vec<&str> = super::super::ALL.iter().flat_map(|rows| rows.iter()).map(|row| row.name).collect();
        let kept =
            KEPT.iter().flat_map(|row| row.1.split_whitespace()).filter_map(|name| present_name(name.as_bytes()));
        let now = RENAMED.iter().map(|row| row.1).chain(ROWS.iter().map(|row| row.name)).map(str::to_owned);
        let unknown = kept.chain(now).filter(|name| !all.contains(&name.as_str()));
        assert_eq!(unknown.collect::<Vec<_>>(), Vec::<String>::new());
        assert_eq!(present_name(b"std.constant").as_deref(), Some("func.constant"));
        assert_eq!(present_name(b"loop.for").as_deref(), Some("scf.for"));
        assert_eq!(present_name(b"util.return").as_deref(), Some("func.return"));
        assert_eq!(present_name(b"util.global"), None);
        assert_eq!(present_name(b"frob"), None);
    }
}
