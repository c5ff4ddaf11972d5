//! The dialect `x86vector`, registered as any foreign one: each AVX operation becomes two of SSE, one for each half.
//!
//! MLIR, "'x86vector' Dialect"; Intel, "Software Developer's Manual", volume 2, `RSQRTPS`, `DPPS`.

use crate::dialect::{Conversion, Dialect, I8, Operation, Refusal, Result, Typed, row};
use gusset_abi::Arch;

/// The dialect.
pub(crate) struct X86Vector;

const OPERATIONS: &[Operation] = &[
    row("x86vector.avx.rsqrt", "% {} : A", "A -> A"),
    row("x86vector.avx.intr.rsqrt.ps.256", "% {} : A", "A -> A"),
    row("x86vector.avx.intr.dot", "% , % {} : A", "A A -> A"),
    row("x86vector.avx.intr.dp.ps.256", "% , % , % {} : A", "A A _ -> A"),
    row("x86vector.avx512.mask.compress", "% , % [? , % ?] {} : A [? , A ?]", "bA A A* -> A"),
    row("x86vector.avx512.mask.rndscale", "% , % , % , % , % {} : A", "A _ A _ _ -> A"),
    row("x86vector.avx512.mask.scalef", "% , % , % , % , % {} : A", "A A A _ _ -> A"),
    row("x86vector.avx512.vp2intersect", "% , % {} : A", "A A -> bA bA"),
];

/// Why an operation without a counterpart in SSE has no code.
const NO_MASKS: &str = "it is an operation of AVX-512 on registers of masks, which no code is made for: leave \
                        `enable-x86vector` out";

impl Dialect for X86Vector {
    fn name(&self) -> &'static str {
        "x86vector"
    }

    fn operations(&self) -> &'static [Operation] {
        OPERATIONS
    }

    fn intrinsics(&self) -> &'static [&'static str] {
        &["x86.sse.rsqrt.ps", "x86.sse41.dpps"]
    }

    fn convert(&self, op: &mut dyn Conversion) -> Result<()> {
        let x86 = matches!(op.target().arch, Arch::X86 | Arch::X86_64);
        if !x86 && !op.translates() {
            return Err(Refusal::new("it is an operation of x86, and the target is another machine"));
        }
        let name = op.name().trim_start_matches("x86vector.");
        let (whole, half, dot) = match name {
            "avx.rsqrt" | "avx.intr.rsqrt.ps.256" => ("x86.avx.rsqrt.ps.256", "x86.sse.rsqrt.ps", false),
            "avx.intr.dot" | "avx.intr.dp.ps.256" => ("x86.avx.dp.ps.256", "x86.sse41.dpps", true),
            _ => return Err(Refusal::new(NO_MASKS)),
        };
        let ty = op.result_type(0)?;
        let lanes = op.types().get(ty).kind;
        let eight = matches!(lanes, crate::dialect::Kind::Vector { lane: crate::dialect::F32, len: 8 });
        if !eight {
            return Err(Refusal::new("its operands are not of type `vector<8xf32>`"));
        }
        let count = if dot { 2 } else { 1 };
        let vectors = (0..count).map(|i| op.operand(i)).collect::<Result<Vec<Typed>>>()?;
        // Which products are added, and which lanes get the sum: all, unless an operand selects them.
        let mask = match (dot, op.operand_count()) {
            (false, _) => None,
            (true, 2) => Some(op.integer(I8, -1)?),
            (true, _) => Some(op.operand(2)?),
        };
        if op.translates() {
            let args: Vec<Typed> = vectors.into_iter().chain(mask).collect();
            return give(op, whole, &args);
        }
        let halves = [[0, 1, 2, 3], [4, 5, 6, 7]].map(|lanes| -> Result<Typed> {
            let mut args = Vec::with_capacity(3);
            for &v in &vectors {
                args.push(op.shuffle(v, v, &lanes)?);
            }
            args.extend(mask);
            let ty = args[0].ty();
            op.intrinsic(half, ty, &args)?.ok_or_else(|| Refusal::new("the intrinsic gives nothing"))
        });
        let [low, high] = halves;
        let v = op.shuffle(low?, high?, &[0, 1, 2, 3, 4, 5, 6, 7])?;
        op.give(0, v)
    }
}

/// Sets the operation's result to that of an intrinsic.
pub(super) fn give(op: &mut dyn Conversion, intrinsic: &str, args: &[Typed]) -> Result<()> {
    let ty = op.result_type(0)?;
    let v = op.intrinsic(intrinsic, ty, args)?.ok_or_else(|| Refusal::new("the intrinsic gives nothing"))?;
    op.give(0, v)
}
