//! Constants: as attributes if they have one, otherwise made by operations.

use gusset_program::{
    BF16, Constant, Def, F16, F32, F64, F80, F128, Function, I1, I8, Kind, Refusal, Result, TypeId, TypeTable, Val,
};

use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::quoted;
use super::{Writer, none, none_if};

/// The scalar type of an array or vector, if all its elements are integers or numbers of the same type.
fn scalar_of(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    match types.get(ty).kind {
        Kind::Int | Kind::Float => Some(ty),
        Kind::Array { element, .. } => scalar_of(types, element),
        Kind::Vector { lane, .. } => scalar_of(types, lane),
        _ => None,
    }
}

/// Whether it is an integer or a floating-point number, or an array of these.
fn is_dense(f: &Function, val: Val) -> bool {
    match &f.value(val).def {
        Def::Const(Constant::Integer(_) | Constant::Wide(_) | Constant::Float(_)) => true,
        Def::Const(Constant::Aggregate(members)) => !members.is_empty() && members.iter().all(|&m| is_dense(f, m)),
        _ => false,
    }
}

/// The number that a value is.
pub(super) fn integer(f: &Function, val: Val) -> Option<u128> {
    match f.value(val).def {
        Def::Const(Constant::Integer(n)) => Some(n),
        Def::Const(Constant::Zero) => Some(0),
        _ => None,
    }
}

impl Writer<'_> {
    /// Writes the attribute of a constant that is a number, a string, or an array or vector of numbers, followed by its
    /// type if it has one; returns whether it is such a constant.
    pub(super) fn constant_attribute(&mut self, c: Context<'_>, ty: TypeId, constant: &Constant) -> Result<bool> {
        match constant {
            Constant::Integer(_) | Constant::Wide(_) | Constant::Float(_) => {
                self.scalar(c, ty, constant)?;
                if ty != I1 {
                    self.pieces(c, &[Text(" : "), Type(ty)])?;
                }
            }
            Constant::Zero if matches!(c.types.get(ty).kind, Kind::Int) => {
                return self.constant_attribute(c, ty, &Constant::Integer(0));
            }
            Constant::Zero if matches!(c.types.get(ty).kind, Kind::Float) => {
                return self.constant_attribute(c, ty, &Constant::Float(0));
            }
            Constant::Bytes(bytes) => self.put(&quoted(bytes)),
            Constant::Splat(lane) if is_dense(c.f, *lane) => {
                self.put("dense<");
                self.dense(c, *lane)?;
                self.pieces(c, &[Text("> : "), Type(ty)])?;
            }
            Constant::Vector(lanes) if lanes.iter().all(|&lane| is_dense(c.f, lane)) => {
                self.put("dense<");
                self.dense_list(c, lanes)?;
                self.pieces(c, &[Text("> : "), Type(ty)])?;
            }
            Constant::Aggregate(members)
                if matches!(c.types.get(ty).kind, Kind::Array { .. })
                    && !members.is_empty()
                    && members.iter().all(|&m| is_dense(c.f, m)) =>
            {
                // Elements of an array may be structs that contain numbers.
                let Some(scalar) = scalar_of(c.types, ty) else { return Ok(false) };
                self.put("dense<");
                self.dense_list(c, members)?;
                self.put("> : tensor<");
                let mut part = ty;
                while let Kind::Array { element, len } = c.types.get(part).kind {
                    write!(self, "{len}x");
                    part = element;
                }
                if part != scalar {
                    return Err(Refusal::new("an array of vectors is not made of numbers"));
                }
                self.pieces(c, &[Type(scalar), Text(">")])?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn dense_list(&mut self, c: Context<'_>, members: &[Val]) -> Result<()> {
        self.put("[");
        self.list(members, |w, &member| w.dense(c, member))?;
        self.put("]");
        Ok(())
    }

    fn dense(&mut self, c: Context<'_>, val: Val) -> Result<()> {
        let data = c.f.value(val);
        match &data.def {
            Def::Const(Constant::Aggregate(members)) => self.dense_list(c, members),
            Def::Const(constant) => self.scalar(c, data.ty, constant),
            _ => Ok(()),
        }
    }

    /// Writes a number without its type.
    fn scalar(&mut self, c: Context<'_>, ty: TypeId, constant: &Constant) -> Result<()> {
        match constant {
            Constant::Integer(n) if ty == I1 => self.put(if *n == 0 { "false" } else { "true" }),
            Constant::Integer(n) => {
                let shift = 128 - c.types.bits(ty).clamp(1, 128);
                write!(self, "{}", (*n as i128) << shift >> shift);
            }
            Constant::Wide(words) => {
                self.put("0x");
                words.iter().rev().for_each(|word| write!(self, "{word:016X}"));
            }
            Constant::Float(bits) => self.float(ty, *bits),
            _ => return Err(Refusal::new("a constant is no number")),
        }
        Ok(())
    }

    /// Writes a floating-point number: in decimal if that is exact and short, otherwise by its bits (MLIR LangRef,
    /// "Floating Point Attribute").
    fn float(&mut self, ty: TypeId, bits: u128) {
        let value = match ty {
            F64 => f64::from_bits(bits as u64),
            F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::NAN,
        };
        if value.is_finite() {
            let before = self.out.len();
            write!(self, "{value:e}");
            // The syntax requires a point, and a sign of the exponent.
            let at = self.out[before..].iter().position(|&b| b == b'e').unwrap_or(0) + before;
            let exponent = self.out.split_off(at);
            if !self.out[before..].contains(&b'.') {
                self.put(".0");
            }
            let plus = !exponent.starts_with(b"e-");
            self.put(if plus { "e+" } else { "e" });
            self.out.extend_from_slice(&exponent[1..]);
            return;
        }
        let digits = match ty {
            F16 | BF16 => 4,
            F32 => 8,
            F80 => 20,
            F128 => 32,
            _ => 16,
        };
        write!(self, "0x{bits:0digits$X}");
    }

    /// The number of the value that is a constant of a type.
    pub(super) fn constant(&mut self, c: Context<'_>, ty: TypeId, constant: &Constant) -> Result<u32> {
        let start = self.out.len();
        match constant {
            Constant::Null => self.pieces(c, &[Text("llvm.mlir.zero : "), Type(ty)])?,
            Constant::Undef => self.pieces(c, &[Text("llvm.mlir.undef : "), Type(ty)])?,
            Constant::Poison => self.pieces(c, &[Text("llvm.mlir.poison : "), Type(ty)])?,
            Constant::NoToken => self.pieces(c, &[Text("llvm.mlir.none : "), Type(ty)])?,
            Constant::Symbol(symbol) => {
                self.check_symbol(*symbol)?;
                let name = self.symbol_name(*symbol);
                self.pieces(c, &[Text("llvm.mlir.addressof "), Text(&name), Text(" : "), Type(ty)])?;
            }
            Constant::LocalEquivalent(_) => return Err(none("`dso_local_equivalent`")),
            Constant::NoCfi(_) => return Err(none("`no_cfi`")),
            Constant::Signed(_) => return Err(none("a signed pointer")),
            Constant::BlockAddress(..) => return Err(none("a block's address")),
            Constant::Expression(inst) => self.operation(c, inst)?,
            _ => {
                self.put("llvm.mlir.constant(");
                if self.constant_attribute(c, ty, constant)? {
                    self.pieces(c, &[Text(") : "), Type(ty)])?;
                } else {
                    self.out.truncate(start);
                    return self.composite(c, ty, constant);
                }
            }
        }
        Ok(self.made(start))
    }

    /// The number of the value of an aggregate constant.
    fn composite(&mut self, c: Context<'_>, ty: TypeId, constant: &Constant) -> Result<u32> {
        let start = self.out.len();
        match constant {
            Constant::Splat(lane) => {
                let Kind::Vector { len, .. } = c.types.get(ty).kind else {
                    return Err(Refusal::new("a constant is no vector"));
                };
                none_if(c.types.foreign(ty).is_some(), "this vector of unknown length")?;
                let lanes = vec![*lane; len as usize];
                self.chain(c, ty, &lanes, true)
            }
            Constant::Vector(lanes) => self.chain(c, ty, lanes, true),
            Constant::Aggregate(members) if !members.is_empty() => self.chain(c, ty, members, false),
            _ => {
                self.pieces(c, &[Text("llvm.mlir.zero : "), Type(ty)])?;
                Ok(self.made(start))
            }
        }
    }

    /// Inserts all elements into an undefined value, one after the other.
    fn chain(&mut self, c: Context<'_>, ty: TypeId, elements: &[Val], lanes: bool) -> Result<u32> {
        let start = self.out.len();
        self.pieces(c, &[Text("llvm.mlir.undef : "), Type(ty)])?;
        let mut whole = self.made(start);
        for (i, &element) in elements.iter().enumerate() {
            let (mut word, mut place) = ("llvm.insertvalue ", i.to_string());
            if lanes {
                write!(self, "llvm.mlir.constant({i} : i64) : i64");
                (word, place) = ("llvm.insertelement ", format!("%{} : i64", self.made(start)));
            }
            let to = format!(", %{whole}[{place}] : ");
            self.pieces(c, &[Text(word), Value(element), Text(&to), Type(ty)])?;
            whole = self.made(start);
        }
        Ok(whole)
    }

    /// Whether these bytes are an array of bytes, which is written as a string.
    pub(super) fn is_string(types: &TypeTable, ty: TypeId, constant: &Constant) -> bool {
        matches!(constant, Constant::Bytes(_)) && matches!(types.get(ty).kind, Kind::Array { element: I8, .. })
    }
}
