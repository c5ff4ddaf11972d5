//! LLVM's intrinsics that the dialect `llvm` has operations for, or whose names contain types.
//!
//! MLIR, "'llvm' Dialect", the operations `llvm.intr.*`; LLVM LangRef, "Intrinsic Functions".

use std::collections::HashMap;
use std::sync::OnceLock;

/// How MLIR 19 writes an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `llvm.call_intrinsic "llvm.x"(%a) : (types) -> type`: there is no operation.
    None,
    /// `llvm.intr.x(%a, %b) {…} : (types) -> type`.
    Call,
    /// `"llvm.intr.x"(%a, %b) <{name = 1 : i32}> : (types) -> type`.
    Generic,
    /// By the form of its operation.
    Custom,
    /// By code for it: it has metadata.
    Note,
}

/// An intrinsic. Rows that differ only in the name are one row.
pub(crate) struct Intrinsic {
    /// The names, without `llvm.` and types.
    names: &'static str,
    /// The types that follow the name: `r` the result's, digits those of arguments.
    pub suffix: &'static str,
    /// The result, a colon, and the arguments; empty if nothing is known of them. `F` floats and `I` integers, or
    /// vectors of them, all of one type; `J` integers of the first argument's type; `i` an integer, `b` an `i1`, `8` an
    /// `i8`, `p` a pointer, `v` a vector, `f` a vector of floats, `k` one of integers, `P` one of pointers, `m` `i1` as
    /// long as the first vector, `e` a lane of it, `0` nothing, `x` anything.
    pub signature: &'static str,
    pub form: Form,
    /// Arguments that are attributes of the operation: the index, the attribute's name, the argument's bits.
    pub attributes: &'static [(usize, &'static str, u32)],
}

const fn row(
    names: &'static str,
    suffix: &'static str,
    signature: &'static str,
    form: Form,
    attributes: &'static [(usize, &'static str, u32)],
) -> Intrinsic {
    Intrinsic { names, suffix, signature, form, attributes }
}

const INTRINSICS: &[Intrinsic] = &[
    row("ceil cos exp exp2 fabs floor log log10 log2 nearbyint rint round", "r", "F:F", Form::Call, &[]),
    row("roundeven sin sqrt trunc", "r", "F:F", Form::Call, &[]),
    row("canonicalize exp10 tan", "r", "F:F", Form::None, &[]),
    row("copysign maximum maxnum minimum minnum pow", "r", "F:FF", Form::Call, &[]),
    row("fma fmuladd", "r", "F:FFF", Form::Call, &[]),
    row("powi", "r1", "F:Fi", Form::Call, &[]),
    row("bitreverse bswap ctpop", "r", "I:I", Form::Call, &[]),
    row("sadd.sat smax smin sshl.sat ssub.sat uadd.sat umax umin ushl.sat usub.sat", "r", "I:II", Form::Call, &[]),
    row("fshl fshr", "r", "I:III", Form::Call, &[]),
    row("llrint llround lrint lround", "r0", "", Form::Call, &[]),
    row("abs", "r", "I:Ib", Form::Generic, &[(1, "is_int_min_poison", 1)]),
    row("ctlz cttz", "r", "I:Ib", Form::Generic, &[(1, "is_zero_poison", 1)]),
    row("sadd.with.overflow smul.with.overflow ssub.with.overflow", "0", "x:JJ", Form::Generic, &[]),
    row("uadd.with.overflow umul.with.overflow usub.with.overflow", "0", "x:JJ", Form::Generic, &[]),
    row("vector.reduce.add vector.reduce.and vector.reduce.mul vector.reduce.or", "0", "e:k", Form::Generic, &[]),
    row("vector.reduce.smax vector.reduce.smin vector.reduce.umax", "0", "e:k", Form::Generic, &[]),
    row("vector.reduce.umin vector.reduce.xor", "0", "e:k", Form::Generic, &[]),
    row("vector.reduce.fmax vector.reduce.fmaximum", "0", "e:f", Form::Call, &[]),
    row("vector.reduce.fmin vector.reduce.fminimum", "0", "e:f", Form::Call, &[]),
    row("vector.reduce.fadd vector.reduce.fmul", "1", "e:ef", Form::Generic, &[]),
    row("memcpy memmove", "012", "0:ppib", Form::Generic, &[(3, "isVolatile", 1)]),
    row("memcpy.inline", "012", "0:ppib", Form::Generic, &[(2, "len", 64), (3, "isVolatile", 1)]),
    row("memset", "02", "0:p8ib", Form::Generic, &[(3, "isVolatile", 1)]),
    row("memset.inline", "02", "", Form::None, &[]),
    row("masked.load", "r0", "v:pimv", Form::Custom, &[(1, "alignment", 32)]),
    row("masked.store", "01", "0:vpim", Form::Custom, &[(2, "alignment", 32)]),
    row("masked.gather", "r0", "v:Pimv", Form::Custom, &[(1, "alignment", 32)]),
    row("masked.scatter", "01", "0:vPim", Form::Custom, &[(2, "alignment", 32)]),
    row("masked.compressstore", "0", "", Form::Generic, &[]),
    row("masked.expandload", "r", "", Form::Generic, &[]),
    row(
        "matrix.column.major.load",
        "r1",
        "v:pibii",
        Form::None,
        &[(2, "isVolatile", 1), (3, "rows", 32), (4, "columns", 32)],
    ),
    row(
        "matrix.column.major.store",
        "02",
        "0:vpibii",
        Form::None,
        &[(3, "isVolatile", 1), (4, "rows", 32), (5, "columns", 32)],
    ),
    row(
        "matrix.multiply",
        "r01",
        "v:vviii",
        Form::None,
        &[(2, "lhs_rows", 32), (3, "lhs_columns", 32), (4, "rhs_columns", 32)],
    ),
    row("matrix.transpose", "r", "v:vii", Form::None, &[(1, "rows", 32), (2, "columns", 32)]),
    row("experimental.stepvector", "r", "k:", Form::Custom, &[]),
    row("stepvector", "r", "k:", Form::None, &[]),
    row("vector.extract", "r0", "", Form::Custom, &[(1, "pos", 64)]),
    row("vector.insert", "r1", "", Form::Custom, &[(2, "pos", 64)]),
    row("vector.deinterleave2 is.constant threadlocal.address", "0", "", Form::Generic, &[]),
    row("vector.interleave2 vscale", "r", "", Form::Generic, &[]),
    row("vector.reverse vector.splice", "r", "", Form::None, &[]),
    row("get.active.lane.mask", "r0", "", Form::Custom, &[]),
    row("assume", "", "0:b", Form::Generic, &[]),
    row("expect ssa.copy coro.align coro.size stacksave", "r", "", Form::Custom, &[]),
    row("expect.with.probability", "r", "", Form::Custom, &[]),
    row("coro.begin coro.end coro.free coro.id coro.promise coro.resume coro.save", "", "", Form::Custom, &[]),
    row("coro.suspend", "", "", Form::Custom, &[]),
    row("eh.typeid.for stackrestore va_copy va_end va_start", "0", "", Form::Custom, &[]),
    row("invariant.start lifetime.end lifetime.start", "1", "", Form::Custom, &[(0, "size", 64)]),
    row("invariant.end", "2", "", Form::Generic, &[(1, "size", 64)]),
    row("is.fpclass", "0", "", Form::Generic, &[(1, "bit", 32)]),
    row("prefetch", "0", "", Form::Generic, &[(1, "rw", 32), (2, "hint", 32), (3, "cache", 32)]),
    row("ubsantrap", "", "", Form::Generic, &[(0, "failureKind", 8)]),
    row("debugtrap trap", "", "", Form::Generic, &[]),
    row("annotation", "r1", "", Form::Generic, &[]),
    row("ptr.annotation var.annotation", "01", "", Form::Generic, &[]),
    row("dbg.assign dbg.declare dbg.label dbg.value experimental.noalias.scope.decl", "", "", Form::Note, &[]),
    row("acos asin atan atan2 cosh maximumnum minimumnum sinh tanh", "r", "", Form::None, &[]),
    row("arithmetic.fence launder.invariant.group strip.invariant.group", "r", "", Form::None, &[]),
    row("fptosi.sat fptoui.sat objectsize", "r0", "", Form::None, &[]),
    row("ldexp", "r1", "", Form::None, &[]),
    row("ptrmask vp.store", "01", "", Form::None, &[]),
    row("vp.fpext vp.fptosi vp.fptoui vp.fptrunc vp.inttoptr vp.load vp.ptrtoint vp.sext", "r0", "", Form::None, &[]),
    row("vp.sitofp vp.trunc vp.uitofp vp.zext", "r0", "", Form::None, &[]),
    row("experimental.vp.strided.load", "r01", "", Form::None, &[]),
    row("experimental.vp.strided.store", "012", "", Form::None, &[]),
    row("experimental.constrained.fpext experimental.constrained.fptrunc", "r0", "", Form::None, &[]),
    row("experimental.constrained.fptosi experimental.constrained.fptoui", "r0", "", Form::None, &[]),
    row("experimental.constrained.sitofp experimental.constrained.uitofp", "r0", "", Form::None, &[]),
    row("experimental.constrained.lrint experimental.constrained.llrint", "r0", "", Form::None, &[]),
    row("experimental.constrained.lround experimental.constrained.llround", "r0", "", Form::None, &[]),
    row("experimental.constrained.fcmp experimental.constrained.fcmps", "0", "", Form::None, &[]),
];

/// The intrinsic of a name without types.
pub(crate) fn find(name: &str) -> Option<&'static Intrinsic> {
    static ALL: OnceLock<HashMap<&'static str, &'static Intrinsic>> = OnceLock::new();
    let all = || INTRINSICS.iter().flat_map(|row| row.names.split_whitespace().map(move |name| (name, row))).collect();
    ALL.get_or_init(all).get(name).copied()
}

/// The types that follow the name of an intrinsic.
pub(crate) fn suffix_of(name: &str) -> &'static str {
    match find(name) {
        Some(row) => row.suffix,
        None if name.starts_with("vector.reduce.") => "0",
        None if name.starts_with("vp.reduce.") => "1",
        None if name.starts_with("vp.") || name.starts_with("experimental.constrained.") => "r",
        None => "",
    }
}

/// The intrinsic that has an operation and whose name without types is the longest one that a name begins with.
pub(crate) fn with_types(name: &str) -> Option<(&str, &'static Intrinsic)> {
    let mut part = name;
    loop {
        if let Some(row) = find(part).filter(|row| row.form != Form::None) {
            return names_types(&name[part.len()..]).then_some((part, row));
        }
        part = &part[..part.rfind('.')?];
    }
}

/// Whether the rest of an intrinsic's name only names types: `.i32`, `.v4f32`, `.p0`, `.nxv2i64`, `.sl_…`.
fn names_types(rest: &str) -> bool {
    rest.split('.').skip(1).all(|part| {
        let part = part.strip_prefix("nx").unwrap_or(part);
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let lane = |w: &str| matches!(w, "i" | "f" | "bf" | "p" | "isVoid");
        lane(word)
            || part.starts_with("sl_")
            || part.starts_with("s_")
            || word.strip_prefix('v').is_some_and(|w| lane(w.trim_start_matches(|c: char| c.is_ascii_digit())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_row() {
        let mut names: Vec<&str> = INTRINSICS.iter().flat_map(|row| row.names.split_whitespace()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn names_with_types() {
        let known = |name| with_types(name).map(|found| found.0);
        assert_eq!(known("memcpy.p0.p0.i64"), Some("memcpy"));
        assert_eq!(known("memcpy.inline.p0.p0.i64"), Some("memcpy.inline"));
        assert_eq!(known("memcpy.element.unordered.atomic.p0.p0.i32"), None);
        assert_eq!(known("vector.reduce.fadd.nxv4f32"), Some("vector.reduce.fadd"));
        assert_eq!(known("trap"), Some("trap"));
        assert_eq!(known("x86.sse2.packssdw.128"), None);
        assert_eq!(known("lifetime.start.p0"), Some("lifetime.start"));
        assert_eq!(known("fma.v2bf16"), Some("fma"));
        assert_eq!(known("expect.with.probability.i64"), Some("expect.with.probability"));
    }
}
