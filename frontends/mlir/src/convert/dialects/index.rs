//! The dialect `index`: integers of the target's width.
//!
//! MLIR, "'index' Dialect".

use gusset_codegen::ir::Opcode;
use gusset_program::Sink;
use gusset_text::Result;

use crate::context::op_kind::OpKind::{self, *};
use crate::context::op_kind::{Division, Index as Kind};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::Op;
use crate::syntax::op_table::Row;

use super::rows::row;

/// Its operations.
#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("index.add", "% , % {}", "i i -> i", Binary(Opcode::Iadd)),
    row("index.sub", "% , % {}", "i i -> i", Binary(Opcode::Isub)),
    row("index.mul", "% , % {}", "i i -> i", Binary(Opcode::Imul)),
    row("index.divu", "% , % {}", "i i -> i", Binary(Opcode::Udiv)),
    row("index.divs", "% , % {}", "i i -> i", Binary(Opcode::Sdiv)),
    row("index.remu", "% , % {}", "i i -> i", Binary(Opcode::Urem)),
    row("index.rems", "% , % {}", "i i -> i", Binary(Opcode::Srem)),
    row("index.and", "% , % {}", "i i -> i", Binary(Opcode::And)),
    row("index.or", "% , % {}", "i i -> i", Binary(Opcode::Or)),
    row("index.xor", "% , % {}", "i i -> i", Binary(Opcode::Xor)),
    row("index.shl", "% , % {}", "i i -> i", Binary(Opcode::Shl)),
    row("index.shru", "% , % {}", "i i -> i", Binary(Opcode::Lshr)),
    row("index.shrs", "% , % {}", "i i -> i", Binary(Opcode::Ashr)),
    row("index.ceildivs", "% , % {}", "i i -> i", Divide(Division::CeilSigned)),
    row("index.ceildivu", "% , % {}", "i i -> i", Divide(Division::CeilUnsigned)),
    row("index.floordivs", "% , % {}", "i i -> i", Divide(Division::FloorSigned)),
    row("index.maxs", "% , % {}", "i i -> i", EachPart("smax")),
    row("index.maxu", "% , % {}", "i i -> i", EachPart("umax")),
    row("index.mins", "% , % {}", "i i -> i", EachPart("smin")),
    row("index.minu", "% , % {}", "i i -> i", EachPart("umin")),
    row("index.casts", "% {} : A to B", "A -> B | A signless B signless", FitIntegers { signed: true }),
    row("index.castu", "% {} : A to B", "A -> B | A signless B signless", FitIntegers { signed: false }),
    row("index.cmp", "$pred ( % , % ) {}", "i i -> 1", Index(Kind::Compare)),
    row("index.constant", "{} =value", "-> i", Index(Kind::Constant)),
    row("index.bool.constant", "{} =value", "-> 1", Index(Kind::Constant)),
    row("index.sizeof", "{}", "-> i", Index(Kind::SizeOf)),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation that only this dialect has.
    pub fn index_dialect(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        let v = match kind {
            Kind::Compare => self.compare_ints(op, "pred")?,
            Kind::Constant => {
                // Its value has the result's type, whatever the width of `index`.
                let n = self.need(op, "value")?.wide_integer()?;
                let ty = self.result_type(op, 0)?;
                self.check(ty, op.pos)?;
                let (part, _) = (self.t.whole(ty), self.int_bits(self.t.whole(ty), op.pos)?);
                let v = self.l.integer(part, n);
                self.value(ty, &[v])
            }
            Kind::SizeOf => {
                let bits = self.int_bits(self.t.index, op.pos)?;
                self.index_value(bits.into())
            }
        };
        op.values.push(v);
        Ok(())
    }
}
