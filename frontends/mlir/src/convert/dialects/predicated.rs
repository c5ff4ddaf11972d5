//! Intrinsics with a mask and a length: lanes that are not set, or beyond the length, have undefined values and do not
//! access memory.
//!
//! LLVM LangRef, "Vector Predication Intrinsics". They become operations without masks if masks have no effect there,
//! masked accesses, and reductions in which the other lanes are neutral.

use gusset_codegen::ir::Opcode;
use gusset_program::{Cast, Flags, I8, I32, Index, Kind, PTR, Sink, TypeId, VOID, Val, binary_of_word, cast_of_word};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;

use super::vector_kinds::reduction_kind;

/// A value with its type.
type Typed = (TypeId, Val);

impl<'r, E: Sink> Reader<'r, E> {
    /// `llvm.vp.NAME`, or `llvm.experimental.vp.strided.…`, by the name without types.
    pub(super) fn predicated(&mut self, name: &str, ret: TypeId, args: &[Typed], pos: usize) -> Result<Val> {
        let wrong = self.src.error(pos, format!("`llvm.vp.{name}` has no such types"));
        let Some((&length, rest)) = args.split_last() else { return Err(wrong) };
        let Some((&mask, rest)) = rest.split_last() else { return Err(wrong) };
        if let ("select" | "merge", &[condition, yes]) = (name, rest) {
            let no = mask;
            let condition = if name == "merge" { self.active(condition, length, pos)? } else { condition };
            let fits = yes.0 == ret && no.0 == ret;
            return if fits { self.l.select(condition, ret, yes.1, no.1).at(self.src, pos) } else { Err(wrong) };
        }
        if let Some(opcode) = binary_of_word(name) {
            let &[a, mut b] = rest else { return Err(wrong) };
            if matches!(opcode, Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem) {
                // Other lanes must not trap.
                let (active, one) = (self.active(mask, length, pos)?, self.int_part(b.0, 1, pos)?);
                b.1 = self.l.select(active, b.0, b.1, one).at(self.src, pos)?;
            }
            let fits = a.0 == ret && b.0 == ret;
            return if fits { self.l.binary(opcode, ret, a.1, b.1).at(self.src, pos) } else { Err(wrong) };
        }
        let cast = cast_of_word(name).filter(|cast| !matches!(cast, Cast::Bitcast | Cast::Addrspacecast));
        if let (Some(cast), &[v]) = (cast, rest) {
            return self.l.cast(cast, v.0, v.1, ret).at(self.src, pos);
        }
        if let Some(kind) = name.strip_prefix("reduce.").and_then(reduction_kind) {
            let (&[start, v], active) = (rest, self.active(mask, length, pos)?) else { return Err(wrong) };
            let lane = match self.l.types().get(v.0).kind {
                Kind::Vector { lane, .. } => lane,
                _ => return Err(wrong),
            };
            self.src.refuse_if(
                start.0 != lane || ret != lane,
                pos,
                "the start of a reduction is of the lanes' type",
            )?;
            return self.reduced((kind, Flags::default()), v, Some(start.1), Some(active), pos);
        }
        match (name, rest) {
            ("fneg", &[v]) => self.l.fneg(v.0, v.1).at(self.src, pos),
            ("fma" | "fmuladd", &[_, _, _]) => self.call_intrinsic(name, ret, rest, pos),
            ("load" | "store" | "strided.load" | "strided.store", _) => {
                let active = self.active(mask, length, pos)?;
                self.predicated_access(name, ret, (rest, active), pos)
            }
            ("select" | "merge" | "fneg" | "fma" | "fmuladd", _) => Err(wrong),
            _ => Err(self.src.error(pos, format!("the intrinsic `llvm.vp.{name}` is not supported"))),
        }
    }

    /// The lanes that are set and below the length.
    fn active(&mut self, (ty, mask): Typed, length: Typed, pos: usize) -> Result<Typed> {
        let zero = (length.0, self.l.integer(length.0, 0));
        let there = self.call_intrinsic("get.active.lane.mask", ty, &[zero, length], pos)?;
        Ok((ty, self.l.binary(Opcode::And, ty, mask, there).at(self.src, pos)?))
    }

    /// Loads and stores: of contiguous lanes, or of lanes at a distance in bytes.
    fn predicated_access(
        &mut self,
        name: &str,
        ret: TypeId,
        (args, active): (&[Typed], Typed),
        pos: usize,
    ) -> Result<Val> {
        // Nothing is known about the alignment.
        let align = (I32, self.l.integer(I32, 1));
        match (name, args) {
            ("load", &[pointer]) => {
                let other = (ret, self.l.poison_value(ret).at(self.src, pos)?);
                self.call_intrinsic("masked.load", ret, &[pointer, align, active, other], pos)
            }
            ("store", &[v, pointer]) => self.call_intrinsic("masked.store", VOID, &[v, pointer, align, active], pos),
            ("strided.load", &[pointer, stride]) => {
                let pointers = self.strided(pointer, stride, active.0, pos)?;
                let other = (ret, self.l.poison_value(ret).at(self.src, pos)?);
                self.call_intrinsic("masked.gather", ret, &[pointers, align, active, other], pos)
            }
            ("strided.store", &[v, pointer, stride]) => {
                let pointers = self.strided(pointer, stride, active.0, pos)?;
                self.call_intrinsic("masked.scatter", VOID, &[v, pointers, align, active], pos)
            }
            _ => Err(self.src.error(pos, format!("`llvm.vp.{name}` has no such types"))),
        }
    }

    /// As many pointers as a mask has lanes, at a distance in bytes.
    fn strided(&mut self, pointer: Typed, (ty, stride): Typed, mask: TypeId, pos: usize) -> Result<Typed> {
        let src = self.src;
        let Kind::Vector { len, .. } = self.l.types().get(mask).kind else {
            return Err(self.src.error(pos, "a mask is a vector"));
        };
        self.int_bits(ty, pos)?;
        self.src.refuse_if(pointer.0 != PTR, pos, "a pointer must stand here")?;
        let row = self.l.types_mut().as_long_as(mask, ty).at(src, pos)?;
        let numbers: Vec<_> = (0..len).map(|i| self.l.integer(ty, i.into())).collect();
        let (numbers, strides) = (self.l.vector(row, &numbers).at(src, pos)?, self.splat_row(row, stride, pos)?);
        let steps = self.l.binary(Opcode::Imul, row, numbers, strides).at(src, pos)?;
        let index = Index::Value(row, steps);
        self.l.element_address(I8, (PTR, pointer.1), index).at(src, pos)
    }
}
