//! Types as MLIR spells them.

use super::types::{BuiltinType, FunctionType, Lane, Memref};
use crate::types::{LlvmScalar, LlvmType};
use core::fmt::{self, Formatter};

/// Calls `item` for each of `items`, with `", "` between them.
fn list<T>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    item: impl Fn(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, one) in items.into_iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        item(f, one)?;
    }
    Ok(())
}

/// A number, or `?`.
fn number<T: fmt::Display>(f: &mut Formatter<'_>, number: Option<T>) -> fmt::Result {
    match number {
        Some(number) => write!(f, "{number}"),
        None => f.write_str("?"),
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lane::Index => "index",
            Lane::Signed(bits) => return write!(f, "si{bits}"),
            Lane::Unsigned(bits) => return write!(f, "ui{bits}"),
            Lane::Float8(format) => format.name(),
            Lane::Llvm(scalar) => match scalar {
                LlvmScalar::Int(bits) => return write!(f, "i{bits}"),
                LlvmScalar::Half => "f16",
                LlvmScalar::BFloat => "bf16",
                LlvmScalar::Float => "f32",
                LlvmScalar::Double => "f64",
                LlvmScalar::X86Fp80 => "f80",
                LlvmScalar::Fp128 => "f128",
                LlvmScalar::Ptr => "!llvm.ptr",
            },
        })
    }
}

impl fmt::Display for Memref {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("memref<")?;
        for size in self.sizes() {
            number(f, *size)?;
            f.write_str("x")?;
        }
        write!(f, "{}", self.element())?;
        if *self != Memref::identity(self.element().clone(), self.sizes().to_vec()) {
            f.write_str(", strided<[")?;
            list(f, self.strides(), |f, stride| number(f, *stride))?;
            f.write_str("]")?;
            if self.offset() != Some(0) {
                f.write_str(", offset: ")?;
                number(f, self.offset())?;
            }
            f.write_str(">")?;
        }
        f.write_str(">")
    }
}

/// As MLIR prints it: `memref<?x4xf32>`. Function types are all `() -> ()`.
impl fmt::Display for BuiltinType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            BuiltinType::Lane(lane) => write!(f, "{lane}"),
            BuiltinType::Vector { lane, shape } => {
                f.write_str("vector<")?;
                shape.iter().try_for_each(|extent| write!(f, "{extent}x"))?;
                write!(f, "{lane}>")
            }
            BuiltinType::Complex(part) => write!(f, "complex<{part}>"),
            BuiltinType::Function => f.write_str("() -> ()"),
            BuiltinType::Llvm(ty) => llvm(f, ty),
            BuiltinType::Memref(memref) => write!(f, "{memref}"),
            BuiltinType::Unranked(element) => write!(f, "memref<*x{element}>"),
        }
    }
}

/// As MLIR prints it after a function's name, without the arguments' names: `(i32, memref<*xf32>) -> i64`.
impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, &self.args, |f, ty| write!(f, "{ty}"))?;
        f.write_str(")")?;
        match &self.results[..] {
            [] => Ok(()),
            [one] if *one != BuiltinType::Function => write!(f, " -> {one}"),
            several => {
                f.write_str(" -> (")?;
                list(f, several, |f, ty| write!(f, "{ty}"))?;
                f.write_str(")")
            }
        }
    }
}

/// A type of the `llvm` dialect.
fn llvm(f: &mut Formatter<'_>, ty: &LlvmType) -> fmt::Result {
    match ty {
        LlvmType::Void => f.write_str("!llvm.void"),
        LlvmType::Scalar(scalar) => write!(f, "{}", Lane::Llvm(*scalar)),
        LlvmType::Vector { lane, lanes } => write!(f, "vector<{lanes}x{}>", Lane::Llvm(*lane)),
        LlvmType::Array { element, len } => {
            write!(f, "!llvm.array<{len} x ")?;
            llvm(f, element)?;
            f.write_str(">")
        }
        LlvmType::Struct(body) => {
            f.write_str(if body.packed { "!llvm.struct<packed (" } else { "!llvm.struct<(" })?;
            list(f, &body.fields, |f, (_, ty)| llvm(f, ty))?;
            f.write_str(")>")
        }
    }
}
