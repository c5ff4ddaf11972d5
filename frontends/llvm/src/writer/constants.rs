//! Constants.

use gusset_program::{BF16, Constant, F16, F32, F64, F80, F128, Function, I1, Kind, TypeId, TypeTable, Val};
use std::io::Write as _;

use super::Writer;
use super::instructions::Piece::{Text, Typed};

/// The bits of a `float` as those of the same number as a `double`; payloads of NaNs are kept.
fn widened(bits: u32) -> u64 {
    if bits & 0x7f80_0000 == 0x7f80_0000 {
        return u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29;
    }
    f64::from(f32::from_bits(bits)).to_bits()
}

impl Writer<'_> {
    /// Writes a constant of a type.
    pub(super) fn constant(&mut self, types: &TypeTable, f: &Function, ty: TypeId, constant: &Constant) {
        match constant {
            Constant::Integer(n) if ty == I1 => self.put(if *n == 0 { "false" } else { "true" }),
            Constant::Integer(n) => {
                let shift = 128 - types.bits(ty).clamp(1, 128);
                self.number((*n as i128) << shift >> shift);
            }
            Constant::Wide(words) if words.iter().all(|&word| word == 0) => self.put("0"),
            Constant::Wide(words) => {
                self.put("u0x");
                for word in words.iter().rev() {
                    let _ = write!(self.out, "{word:016X}");
                }
            }
            Constant::Float(bits) => self.float(ty, *bits),
            Constant::Bytes(bytes) => {
                self.put("c");
                self.quoted(bytes);
            }
            Constant::Null => self.put("null"),
            Constant::Zero => self.zero(types, ty),
            Constant::Undef => self.put("undef"),
            Constant::Poison => self.put("poison"),
            Constant::NoToken => self.put("none"),
            Constant::Symbol(symbol) => self.symbol_name(*symbol),
            Constant::LocalEquivalent(symbol) => {
                self.put("dso_local_equivalent ");
                self.symbol_name(*symbol);
            }
            Constant::NoCfi(symbol) => {
                self.put("no_cfi ");
                self.symbol_name(*symbol);
            }
            Constant::Signed(operands) => self.elements(types, f, "ptrauth (", operands, ")"),
            Constant::BlockAddress(function, block) => {
                self.put("blockaddress(");
                self.symbol_name(*function);
                self.put(", %");
                match block {
                    Ok(number) => self.number(number),
                    Err(name) => self.word(name),
                }
                self.put(")");
            }
            Constant::Splat(lane) => self.elements(types, f, "splat (", &[*lane], ")"),
            Constant::Vector(lanes) => self.elements(types, f, "<", lanes, ">"),
            Constant::Aggregate(members) => self.aggregate(types, f, ty, members),
            Constant::Expression(inst) => self.expression(types, f, inst),
        }
    }

    /// Scalars have other words for zero.
    fn zero(&mut self, types: &TypeTable, ty: TypeId) {
        match types.get(ty).kind {
            Kind::Int if ty == I1 => self.put("false"),
            Kind::Int => self.put("0"),
            Kind::Float => self.float(ty, 0),
            Kind::Ptr => self.put("null"),
            _ => self.put("zeroinitializer"),
        }
    }

    /// Writes a floating-point number by its bits (LLVM LangRef, "Simple Constants").
    fn float(&mut self, ty: TypeId, bits: u128) {
        let _ = match ty {
            F16 => write!(self.out, "0xH{bits:04X}"),
            BF16 => write!(self.out, "0xR{bits:04X}"),
            F32 => write!(self.out, "0x{:016X}", widened(bits as u32)),
            F64 => write!(self.out, "0x{bits:016X}"),
            F80 => write!(self.out, "0xK{bits:020X}"),
            // The low half stands first.
            F128 => write!(self.out, "0xL{:032X}", bits.rotate_left(64)),
            _ => Ok(()),
        };
    }

    fn elements(&mut self, types: &TypeTable, f: &Function, open: &str, elements: &[Val], close: &str) {
        self.pieces((types, f), &[Text(open), Typed(elements), Text(close)]);
    }

    fn aggregate(&mut self, types: &TypeTable, f: &Function, ty: TypeId, members: &[Val]) {
        let (open, close) = match types.get(ty).kind {
            Kind::Struct { packed: true, .. } => ("<{ ", " }>"),
            Kind::Struct { .. } => ("{ ", " }"),
            _ => ("[", "]"),
        };
        self.elements(types, f, open, members, close);
    }
}
