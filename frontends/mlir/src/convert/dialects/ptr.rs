//! The dialect `ptr`: its pointer types are LLVM's pointers here.
//!
//! MLIR 22, "'ptr' Dialect". The result of `ptr.get_metadata`, which is what a memref's type does not determine, is the
//! memref itself.

use gusset_codegen::ir::Opcode;
use gusset_program::{Cast, I8, I32, I64, Index, Sink, TypeId, VOID, Val};
use gusset_text::{Placed, Result};

use super::Fields;
use super::rows::row;
use crate::context::op_kind::Ptr::{self as Kind, *};
use crate::context::op_kind::{Llvm, OpKind};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::Ty;

const fn own(name: &'static str, form: &'static str, rule: &'static str, kind: Kind) -> Row<OpKind> {
    row(name, form, rule, OpKind::Ptr(kind))
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    own("ptr.constant", "~value {} : A", "-> A", Constant),
    own("ptr.from_ptr", "% [? metadata % ?] {} : A -> B", "A _* -> B", FromPointer),
    own("ptr.gather", "% , % , % [? alignment = ~alignment ?] {} : A -> B", "A bB B -> B", Gather),
    own("ptr.get_metadata", "% {} : A", "A -> A", Metadata),
    row("ptr.load", "?volatile % [? atomic [? syncscope ( =syncscope ) ?] $ordering ?] ?nontemporal ?invariant ?invariant_group [? alignment = ~alignment ?] {} : P -> A", "P -> A", OpKind::Llvm(Llvm::Load)),
    own("ptr.masked_load", "% , % , % [? alignment = ~alignment ?] {} : A -> B", "A bB B -> B", MaskedLoad),
    own("ptr.masked_store", "% , % , % [? alignment = ~alignment ?] {} : A , B", "A B bA ->", MaskedStore),
    own("ptr.ptr_add", "?none ?inbounds ?nusw ?nuw % , % {} : A , B", "A B -> A", Add),
    own("ptr.ptr_diff", "?none ?nuw ?nsw % , % {} : A -> B", "A A -> B", Difference),
    own("ptr.scatter", "% , % , % [? alignment = ~alignment ?] {} : A , B", "A B bA ->", Scatter),
    row("ptr.store", "?volatile % , % [? atomic [? syncscope ( =syncscope ) ?] $ordering ?] ?nontemporal ?invariant_group [? alignment = ~alignment ?] {} : A , P", "A P ->", OpKind::Llvm(Llvm::Store)),
    own("ptr.to_ptr", "% {} : A -> B", "A -> B", ToPointer),
    own("ptr.type_offset", "~elementType {} : A", "-> A", TypeOffset),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation that only this dialect has.
    pub fn ptr_dialect(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        let v = match kind {
            Add => self.pointer_sum(op)?,
            Difference => self.pointer_difference(op)?,
            Constant => self.pointer_constant(op)?,
            TypeOffset => {
                let element = self.attr_type(op, "elementType")?.ok_or_else(|| self.missing(op, "elementType"))?;
                self.check(element, op.pos)?;
                let (element, to) = (self.t.whole(element), self.result_type(op, 0)?);
                let (size, whole) = (self.l.types().get(element).size, self.t.whole(to));
                let v = self.l.integer(whole, size.into());
                self.value(to, &[v])
            }
            ToPointer => {
                let ([v], to) = (self.operands(op)?, self.result_type(op, 0)?);
                let [_, aligned] = self.pointers(v, op.pos)?;
                self.value(to, &[aligned])
            }
            FromPointer => self.memref_of_pointer(op)?,
            Metadata => self.first_operand(op)?,
            Gather | MaskedLoad | Scatter | MaskedStore => return self.masked_pointers(kind, op),
        };
        op.values.push(v);
        Ok(())
    }

    /// `ptr.ptr_add`: adds a distance in bytes; a single one is that of all lanes.
    fn pointer_sum(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let ((base, p), (ty, distance)) =
            (self.single(op.operands[0], op.pos)?, self.number_of(op.operands[1], op.pos)?);
        let wrong = "addresses are counted from pointers";
        self.src.refuse_if(!self.l.types().is_pointer_or_vector(base), op.pos, wrong)?;
        self.l.flags(super::intrinsics::address_flags(op)?);
        let (ty, v) = self.l.element_address(I8, (base, p), Index::Value(ty, distance)).at(self.src, op.pos)?;
        Ok(self.value(Ty::of(ty), &[v]))
    }

    /// The only part of a number, with its LLVM type.
    fn number_of(&self, v: Value, pos: usize) -> Result<(TypeId, Val)> {
        self.src.refuse_if(self.t.count(v.ty) != 1, pos, "distances are integers")?;
        Ok((self.t.part(v.ty, 0), self.one(v)))
    }

    fn pointer_difference(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let to = self.result_type(op, 0)?;
        self.src.refuse_if(self.t.count(to) != 1, op.pos, "distances are integers")?;
        let ty = self.t.part(to, 0);
        let mut ends = [Val(0); 2];
        for (end, &v) in ends.iter_mut().zip(&op.operands) {
            let (from, p) = self.single(v, op.pos)?;
            *end = self.l.cast(Cast::Ptrtoint, from, p, ty).at(self.src, op.pos)?;
        }
        let v = self.l.binary(Opcode::Isub, ty, ends[0], ends[1]).at(self.src, op.pos)?;
        Ok(self.value(to, &[v]))
    }

    /// `ptr.constant`: `#ptr.null`, `#ptr.address<16>`.
    fn pointer_constant(&mut self, op: &Op<'r>) -> Result<Value> {
        let to = self.result_type(op, 0)?;
        let (ty, value) = (self.t.whole(to), self.need(op, "value")?);
        let pos = value.pos();
        let address = match value.opened("") {
            (b"ptr.null", _) => 0,
            (b"ptr.address", Some(address)) => address.integer()?,
            _ => return Err(value.expected("`#ptr.null` or `#ptr.address`")),
        };
        let v = match address {
            0 => self.l.zero_value(ty),
            n => {
                let n = self.l.integer(I64, n.into());
                self.l.cast(Cast::Inttoptr, I64, n, ty)
            }
        };
        let v = v.at(self.src, pos)?;
        Ok(self.value(to, &[v]))
    }

    /// `ptr.from_ptr`: a memref that begins at a pointer; its other properties are those of its type and of the memref
    /// that the metadata came from.
    fn memref_of_pointer(&mut self, op: &Op<'r>) -> Result<Value> {
        let (_, p) = self.single(self.first_operand(op)?, op.pos)?;
        let to = self.result_type(op, 0)?;
        let fields = match op.operands.get(1) {
            Some(&metadata) => {
                self.src.refuse_if(metadata.ty != to, op.pos, "the metadata are those of another type")?;
                Fields { aligned: p, ..self.fields(metadata, op.pos)? }
            }
            None => self.static_fields(to, [p, p], op.pos)?,
        };
        self.describe(to, &fields, op.pos)
    }

    fn masked_pointers(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 3)?;
        let n = self.alignment(op)?.unwrap_or(1);
        let align = (I32, self.l.integer(I32, n.into()));
        let mut all = Vec::with_capacity(4);
        for k in 0..3 {
            all.push(self.single(op.operands[k], op.pos)?);
        }
        let [a, b, c] = all[..] else { return Ok(()) };
        let name = match kind {
            Gather => "masked.gather",
            MaskedLoad => "masked.load",
            Scatter => "masked.scatter",
            _ => "masked.store",
        };
        if matches!(kind, Gather | MaskedLoad) {
            let v = self.call_intrinsic(name, c.0, &[a, align, b, c], op.pos)?;
            self.give(op, op.operands[2].ty, &[v]);
            return Ok(());
        }
        self.call_intrinsic(name, VOID, &[a, b, align, c], op.pos).map(drop)
    }
}
