//! The dialect `arm_neon`, registered as any foreign one: intrinsics of AArch64.
//!
//! MLIR, "'arm_neon' Dialect"; Arm, "Architecture Reference Manual", `SMULL`, `SDOT`, `SMMLA`.

use super::x86vector::give;
use crate::dialect::{Conversion, Dialect, Kind, Operation, Refusal, Result, Typed, row};
use gusset_abi::Arch;

/// The dialect.
pub(crate) struct ArmNeon;

const OPERATIONS: &[Operation] = &[
    row("arm_neon.intr.smull", "% , % {} : A to B", "A A -> B"),
    row("arm_neon.intr.sdot", "% , % , % {} : A , A to B", "B A A -> B"),
    row("arm_neon.2d.sdot", "% , % , % {} : A , A to B", "B A A -> B"),
    row("arm_neon.intr.smmla", "% , % , % {} : A to B", "B A A -> B"),
    row("arm_neon.intr.ummla", "% , % , % {} : A to B", "B A A -> B"),
    row("arm_neon.intr.usmmla", "% , % , % {} : A to B", "B A A -> B"),
];

impl Dialect for ArmNeon {
    fn name(&self) -> &'static str {
        "arm_neon"
    }

    fn operations(&self) -> &'static [Operation] {
        OPERATIONS
    }

    fn intrinsics(&self) -> &'static [&'static str] {
        &[
            "aarch64.neon.smull.v8i16",
            "aarch64.neon.smull.v4i32",
            "aarch64.neon.smull.v2i64",
            "aarch64.neon.sdot.v4i32.v16i8",
            "aarch64.neon.sdot.v2i32.v8i8",
            "aarch64.neon.smmla.v4i32.v16i8",
            "aarch64.neon.ummla.v4i32.v16i8",
            "aarch64.neon.usmmla.v4i32.v16i8",
        ]
    }

    fn convert(&self, op: &mut dyn Conversion) -> Result<()> {
        if !matches!(op.target().arch, Arch::Aarch64) && !op.translates() {
            return Err(Refusal::new("it is an operation of AArch64, and the target is another machine"));
        }
        let name = op.name();
        let flat = name.starts_with("arm_neon.2d.");
        let base = name.rsplit('.').next().unwrap_or(name).to_string();
        let mut args = Vec::with_capacity(3);
        for i in 0..op.operand_count() {
            args.push(if flat { flattened(op, i)? } else { op.operand(i)? });
        }
        let to = op.result_type(0)?;
        // The name of the intrinsic ends in types: of the result, and of the operands if these may differ.
        let mut full = format!("aarch64.neon.{base}.{}", suffix(op, to)?);
        if base != "smull" {
            full += &format!(".{}", suffix(op, args[1].ty())?);
        }
        give(op, &full, &args)
    }
}

/// An operand as a vector of all lanes, if it has two dimensions.
fn flattened(op: &mut dyn Conversion, i: usize) -> Result<Typed> {
    let mut rows = op.operand_parts(i)?;
    while rows.len() > 1 {
        let mut joined = Vec::with_capacity(rows.len() / 2);
        for pair in rows.chunks(2) {
            let &[a, b] = pair else { return Err(Refusal::new("its operands have a number of rows that none has")) };
            let Kind::Vector { len, .. } = op.types().get(a.ty()).kind else { break };
            let lanes: Vec<u32> = (0..2 * len).collect();
            joined.push(op.shuffle(a, b, &lanes)?);
        }
        rows = joined;
    }
    rows.first().copied().ok_or_else(|| Refusal::new("the operand has no lanes"))
}

/// A vector type in the names of intrinsics: `v4i32`.
fn suffix(op: &dyn Conversion, ty: crate::dialect::TypeId) -> Result<String> {
    match op.types().get(ty).kind {
        Kind::Vector { lane, len } => Ok(format!("v{len}i{}", op.types().ir(lane).bits())),
        _ => Err(Refusal::new("its operands and its result must be vectors of integers")),
    }
}
