//! The types that operations of intrinsics accept; checked for translations, whose output would otherwise be invalid
//! LLVM IR.
//!
//! MLIR, "'llvm' Dialect", the operations `llvm.intr.*`; LLVM LangRef, "Intrinsic Functions".

use gusset_program::{I1, I8, Kind, Sink, TypeId, VOID};
use gusset_text::Result;

use crate::convert::reader::Reader;

/// Names, the result and the arguments: `F` floats and `I` integers, or vectors of them, all of one type; `J` integers
/// of the first argument's type; `i` an integer, `b` an `i1`, `8` an `i8`, `p` a pointer, `v` a vector, `f` a vector of
/// floats, `k` one of integers, `P` one of pointers, `m` `i1` as long as the first vector, `e` a lane of it, `0`
/// nothing, `x` anything.
const SIGNATURES: &[(&str, &str, &str)] = &[
    ("experimental.stepvector stepvector", "k", ""),
    (
        "canonicalize ceil cos exp exp10 exp2 fabs floor log log10 log2 nearbyint rint round roundeven sin sqrt tan trunc",
        "F",
        "F",
    ),
    ("copysign maximum maxnum minimum minnum pow", "F", "FF"),
    ("fma fmuladd", "F", "FFF"),
    ("powi", "F", "Fi"),
    ("bitreverse bswap ctpop", "I", "I"),
    ("abs ctlz cttz", "I", "Ib"),
    ("sadd.sat smax smin sshl.sat ssub.sat uadd.sat umax umin ushl.sat usub.sat", "I", "II"),
    ("fshl fshr", "I", "III"),
    (
        "sadd.with.overflow smul.with.overflow ssub.with.overflow uadd.with.overflow umul.with.overflow usub.with.overflow",
        "x",
        "JJ",
    ),
    ("memcpy memcpy.inline memmove", "0", "ppib"),
    ("memset", "0", "p8ib"),
    ("assume", "0", "b"),
    (
        "vector.reduce.add vector.reduce.and vector.reduce.mul vector.reduce.or vector.reduce.smax vector.reduce.smin \
         vector.reduce.umax vector.reduce.umin vector.reduce.xor",
        "e",
        "k",
    ),
    ("vector.reduce.fmax vector.reduce.fmaximum vector.reduce.fmin vector.reduce.fminimum", "e", "f"),
    ("vector.reduce.fadd vector.reduce.fmul", "e", "ef"),
    ("masked.load", "v", "pimv"),
    ("masked.store", "0", "vpim"),
    ("masked.gather", "v", "Pimv"),
    ("masked.scatter", "0", "vPim"),
    ("matrix.column.major.load", "v", "pibii"),
    ("matrix.column.major.store", "0", "vpibii"),
    ("matrix.multiply", "v", "vviii"),
    ("matrix.transpose", "v", "vii"),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Checks that an intrinsic accepts and returns these types, as far as that is known here.
    pub fn check_signature(&mut self, name: &str, ret: TypeId, args: &[TypeId], pos: usize) -> Result<()> {
        let Some(row) = SIGNATURES.iter().find(|row| row.0.split_whitespace().any(|n| n == name)) else {
            return Ok(());
        };
        let mut all = vec![ret];
        all.extend(args);
        let vector = all.iter().copied().find(|&ty| matches!(self.l.types().get(ty).kind, Kind::Vector { .. }));
        let fits = row.2.len() == args.len();
        let fits = fits
            && row.1.bytes().chain(row.2.bytes()).zip(&all).all(|(wanted, &ty)| {
                let types = self.l.types_mut();
                let (lane, is_vector) = match types.get(ty).kind {
                    Kind::Vector { lane, .. } => (lane, true),
                    _ => (ty, false),
                };
                let kind = types.get(lane).kind;
                match wanted {
                    b'F' => ty == all[0] && kind == Kind::Float,
                    b'I' => ty == all[0] && kind == Kind::Int,
                    b'J' => all.get(1) == Some(&ty) && kind == Kind::Int,
                    b'i' => !is_vector && kind == Kind::Int,
                    b'b' => ty == I1,
                    b'8' => ty == I8,
                    b'p' => !is_vector && kind == Kind::Ptr,
                    b'v' => is_vector,
                    b'f' => is_vector && kind == Kind::Float,
                    b'k' => is_vector && kind == Kind::Int,
                    b'P' => {
                        is_vector && kind == Kind::Ptr && vector.is_some_and(|v| types.as_long_as(v, lane) == Ok(ty))
                    }
                    b'm' => vector.is_some_and(|v| types.as_long_as(v, I1) == Ok(ty)),
                    b'e' => vector.is_some_and(|v| types.as_long_as(v, ty) == Ok(v)),
                    b'0' => ty == VOID,
                    _ => true,
                }
            });
        if fits { Ok(()) } else { Err(self.src.error(pos, format!("`llvm.{name}` has no such types"))) }
    }
}
