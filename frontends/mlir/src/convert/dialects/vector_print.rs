//! `vector.print`: calls of MLIR's run-time library.
//!
//! MLIR, "'vector' Dialect", `vector.print`; the called functions are in `mlir/ExecutionEngine/CRunnerUtils.h`.

use gusset_program::{BF16, Cast, F16, F32, F64, I64, Kind as LlvmKind, PTR, Sink, TypeId, TypeTable, VOID, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};
use crate::syntax::types::{INDEX, Kind, Ty};

impl<'r, E: Sink> Reader<'r, E> {
    fn print_sign(&mut self, name: &'static str, pos: usize) -> Result<()> {
        self.call_library(name, VOID, &[], pos).map(drop)
    }

    pub fn vector_print(&mut self, op: &mut Op<'r>) -> Result<()> {
        if let Some(&v) = op.operands.first() {
            self.print_value(v, op.pos)?;
        }
        if let Some(value) = op.attr("stringLiteral") {
            let mut text = value.bytes()?;
            text.push(0);
            return self.print_text(&text, op.pos);
        }
        match self.attr_word(op, "punctuation")?.unwrap_or(b"newline") {
            b"newline" => self.print_sign("printNewline", op.pos),
            b"comma" => self.print_sign("printComma", op.pos),
            b"open" => self.print_sign("printOpen", op.pos),
            b"close" => self.print_sign("printClose", op.pos),
            b"no_punctuation" => Ok(()),
            _ => Err(self.src.error(op.pos, "this punctuation is not known")),
        }
    }

    /// Prints a zero-terminated text, which is put on the stack if it is no data of the module.
    fn print_text(&mut self, text: &[u8], pos: usize) -> Result<()> {
        if self.m.texts.contains_key(text) {
            let place = self.text_address(text, pos)?;
            return self.call_library("printString", VOID, &[(PTR, place)], pos).map(drop);
        }
        let top = self.call_intrinsic("stacksave", PTR, &[], pos)?;
        let place = self.text_address(text, pos)?;
        self.call_library("printString", VOID, &[(PTR, place)], pos)?;
        self.call_intrinsic("stackrestore", VOID, &[(PTR, top)], pos)?;
        Ok(())
    }

    /// Prints a scalar, or a vector with brackets around the members of each dimension.
    fn print_value(&mut self, v: Value, pos: usize) -> Result<()> {
        if self.t.vector_of(self.l.types(), v.ty).is_none() {
            let x = self.single(v, pos)?;
            return self.print_scalar(v.ty, x, pos);
        }
        let shape = self.vector_shape(v.ty, pos)?;
        // A vector without dimensions has a bracket, too.
        let dims = if shape.dims.is_empty() { vec![1] } else { shape.dims.clone() };
        let scalar = self.t.whole(shape.lane);
        for i in 0..shape.count() {
            // Dimensions that begin or end with this element.
            let begins = |i: usize| {
                let mut size = 1;
                dims.iter()
                    .rev()
                    .take_while(|&&n| {
                        size *= n;
                        i.is_multiple_of(size)
                    })
                    .count()
            };
            if i > 0 {
                self.print_sign("printComma", pos)?;
            }
            for _ in 0..begins(i) {
                self.print_sign("printOpen", pos)?;
            }
            let x = self.vector_lane(v, i, pos)?;
            self.print_scalar(shape.lane, (scalar, x), pos)?;
            for _ in 0..begins(i + 1) {
                self.print_sign("printClose", pos)?;
            }
        }
        Ok(())
    }

    fn print_scalar(&mut self, own: Ty, (ty, v): (TypeId, Val), pos: usize) -> Result<()> {
        let ir = self.l.types().ir(ty);
        let fits = match self.l.types().get(ty).kind {
            LlvmKind::Int => ir.bits() <= 64,
            LlvmKind::Float => matches!(ty, F16 | BF16 | F32 | F64),
            _ => false,
        };
        self.src.refuse_if(!fits, pos, "values of this type are not printed")?;
        let floats = [(F32, "printF32"), (F64, "printF64"), (F16, "printF16"), (BF16, "printBF16")];
        if let Some((_, name)) = floats.iter().find(|float| float.0 == ty) {
            // Short ones as their bits.
            let word = TypeTable::int(16);
            let argument = match ty {
                F16 | BF16 => (word, self.l.cast(Cast::Bitcast, ty, v, word).at(self.src, pos)?),
                _ => (ty, v),
            };
            return self.call_library(name, VOID, &[argument], pos).map(drop);
        }
        let signed = match self.t.own(own) {
            Some(Kind::Integer { signed, .. }) => Some(*signed),
            _ => None,
        };
        let unsigned = own == INDEX || signed == Some(false);
        // MLIR's own function prints one bit as 0 or 1, whatever its sign.
        let cast = if unsigned || ir.bits() == 1 { Cast::Zext } else { Cast::Sext };
        let v = match ir.bits() {
            64 => v,
            _ => self.l.cast(cast, ty, v, I64).at(self.src, pos)?,
        };
        let name = if unsigned { "printU64" } else { "printI64" };
        self.call_library(name, VOID, &[(I64, v)], pos).map(drop)
    }
}
