//! Operations and types by the names that LLVM's text has for them, for messages: those who read them have written LLVM IR, or MLIR.

use std::fmt;

use super::inst::Opcode;
use super::types::Type;

/// The operations that are instructions of the same name.
const INSTRUCTIONS: &str = "udiv sdiv urem srem and or xor shl lshr ashr icmp fadd fsub fmul fdiv frem fneg fcmp trunc zext sext fptrunc fpext \
    fptosi fptoui sitofp uitofp bitcast select freeze load store cmpxchg fence switch call invoke resume unreachable";

/// An operation on a type: `` `mul` of `i128` ``.
pub struct InLlvm(pub Opcode, pub Type);

impl fmt::Display for InLlvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InLlvm(op, ty) = *self;
        write!(f, "`{}` of `{}`", operation(op), TypeInLlvm(ty))
    }
}

/// A type: `<4 x float>`.
pub struct TypeInLlvm(pub Type);

impl fmt::Display for TypeInLlvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = self.0;
        if ty.is_vector() {
            return write!(f, "<{} x {}>", ty.lanes(), TypeInLlvm(ty.lane()));
        }
        f.write_str(match ty {
            Type::F16 => "half",
            Type::BF16 => "bfloat",
            Type::F32 => "float",
            Type::F64 => "double",
            Type::F80 => "x86_fp80",
            Type::F128 => "fp128",
            _ => return ty.fmt(f),
        })
    }
}

/// The name of an operation, which is an instruction or an intrinsic.
fn operation(op: Opcode) -> String {
    use Opcode::*;
    let name = op.name();
    if INSTRUCTIONS.split_ascii_whitespace().any(|instruction| instruction == name) {
        return name.into();
    }
    let base = match op {
        Iadd | Isub | Imul => return name[1..].into(),
        AtomicLoad => return "load atomic".into(),
        AtomicStore => return "store atomic".into(),
        AtomicRmw => return "atomicrmw".into(),
        ExtractLane => return "extractelement".into(),
        InsertLane => return "insertelement".into(),
        Shuffle | Splat => return "shufflevector".into(),
        Index => return "getelementptr".into(),
        Iabs | Fcopysign | Fminnum | Fmaxnum | Fminimum | Fmaximum | Fsqrt | Ffloor | Fceil | Ftrunc | Frint
        | Fnearbyint | Fround | Froundeven => &name[1..],
        Reduce => "vector.reduce",
        _ => name,
    };
    format!("llvm.{}", base.replace("_ov", "_with_overflow").replace('_', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_llvm() {
        let name = |op| InLlvm(op, Type::I32).to_string();
        assert_eq!(name(Opcode::Imul), "`mul` of `i32`");
        assert_eq!(name(Opcode::Fptosi), "`fptosi` of `i32`");
        assert_eq!(name(Opcode::SaddOv), "`llvm.sadd.with.overflow` of `i32`");
        assert_eq!(name(Opcode::FptouiSat), "`llvm.fptoui.sat` of `i32`");
        assert_eq!(name(Opcode::AtomicRmw), "`atomicrmw` of `i32`");
        assert_eq!(name(Opcode::AtomicLoad), "`load atomic` of `i32`");
        assert_eq!(
            InLlvm(Opcode::Fsqrt, Type::vector(Type::F64, 2).unwrap()).to_string(),
            "`llvm.sqrt` of `<2 x double>`"
        );
    }
}
