//! Intrinsics of a machine whose operands are constants, pairs of registers, and accesses of a type's size: coprocessors, custom
//! instructions, exclusive accesses.

use gusset_codegen::ir::{MemFlags, Opcode, Type, Value};
use gusset_program::{Intrinsic, Neon, Result, TypeId, VOID, Val, mismatch_if};

use crate::function::FunctionLowering;

/// Names after `llvm.`, without types, and a letter for what is next in the operands:
///
/// - `c`: a constant below 16;
/// - `i`: a constant below 8192, which is the last constant;
/// - `e`: an address of a value whose size in bytes is a constant;
/// - `v`: a value;
/// - `p`: two integers, which become one of twice the width, the lower half first;
/// - `m`: two numbers, which are in memory, eight bytes apart.
const ROWS: &[(&str, &str)] = &[
    ("arm.cdp", "cccccc"),
    ("arm.cdp2", "cccccc"),
    ("arm.mcr", "ccvccc"),
    ("arm.mcr2", "ccvccc"),
    ("arm.mrc", "ccccc"),
    ("arm.mrc2", "ccccc"),
    ("arm.mcrr", "ccvvc"),
    ("arm.mcrr2", "ccvvc"),
    ("arm.mrrc", "ccc"),
    ("arm.mrrc2", "ccc"),
    ("arm.ldc", "ccv"),
    ("arm.ldcl", "ccv"),
    ("arm.ldc2", "ccv"),
    ("arm.ldc2l", "ccv"),
    ("arm.stc", "ccv"),
    ("arm.stcl", "ccv"),
    ("arm.stc2", "ccv"),
    ("arm.stc2l", "ccv"),
    ("arm.cde.cx1", "ci"),
    ("arm.cde.cx1a", "cvi"),
    ("arm.cde.cx1d", "ci"),
    ("arm.cde.cx1da", "cpi"),
    ("arm.cde.cx2", "cvi"),
    ("arm.cde.cx2a", "cvvi"),
    ("arm.cde.cx2d", "cvi"),
    ("arm.cde.cx2da", "cpvi"),
    ("arm.cde.cx3", "cvvi"),
    ("arm.cde.cx3a", "cvpi"),
    ("arm.cde.cx3d", "cvvi"),
    ("arm.cde.cx3da", "cppi"),
    ("arm.cde.vcx1", "ci"),
    ("arm.cde.vcx1a", "cvi"),
    ("arm.cde.vcx2", "cvi"),
    ("arm.cde.vcx2a", "cvvi"),
    ("arm.cde.vcx3", "cvvi"),
    ("arm.cde.vcx3a", "cvmi"),
    ("arm.ldrex", "e"),
    ("arm.ldaex", "e"),
    ("arm.strex", "ve"),
    ("arm.stlex", "ve"),
    ("arm.ldrexd", "v"),
    ("arm.ldaexd", "v"),
    ("arm.strexd", "pv"),
    ("arm.stlexd", "pv"),
    ("aarch64.ldxr", "e"),
    ("aarch64.ldaxr", "e"),
    ("aarch64.stxr", "ve"),
    ("aarch64.stlxr", "ve"),
    ("aarch64.ldxp", "v"),
    ("aarch64.ldaxp", "v"),
    ("aarch64.stxp", "pv"),
    ("aarch64.stlxp", "pv"),
];

/// The intrinsic of a name after `llvm.`.
pub(crate) fn find(name: &str, mut machine: impl FnMut(&str) -> Option<u8>) -> Option<Intrinsic> {
    let base = [".p0", ".f32", ".f64"].iter().find_map(|ty| name.split_once(ty)).map_or(name, |(base, _)| base);
    let row = ROWS.iter().position(|row| row.0 == base)?;
    Some(Intrinsic::Neon(Neon::Shaped { number: machine(base)?, row: row as u8 }))
}

impl FunctionLowering<'_> {
    /// An operation of the table. Its constants are one number, from the lowest bits on, which comes first. What it reads and
    /// does is not known, so that it stays where it is. Two results are one integer of twice their width.
    pub(crate) fn shaped(&mut self, number: u8, row: u8, ret: TypeId) -> Result<Option<Val>> {
        let (mut constants, mut at, mut values, mut k) = (0, 0, Vec::with_capacity(3), 0);
        for letter in ROWS.get(usize::from(row)).map_or("", |row| row.1).bytes() {
            match letter {
                b'c' | b'i' => {
                    let (n, bits) = (self.constant_operand(k)?, if letter == b'c' { 4 } else { 13 });
                    mismatch_if(n >= 1 << bits)?;
                    constants |= (n as i128) << at;
                    at += bits;
                }
                b'e' => {
                    let ty = self.s.call.request.params.get(k).map_or(VOID, |p| p.1.element_type);
                    let ir = self.types.ir(ty);
                    mismatch_if(!ir.is_int() || !matches!(ir.bits(), 8 | 16 | 32 | 64))?;
                    constants = ir.store_bytes().into();
                    at = 4;
                    values.push(self.operand(k)?.1);
                }
                b'p' | b'm' => {
                    let (a, b) = (self.operand(k)?.1, self.operand(k + 1)?.1);
                    values.push(if letter == b'p' { self.joined(a, b)? } else { self.in_memory(a, b) });
                    k += 1;
                }
                _ => values.push(self.operand(k)?.1),
            }
            k += 1;
        }
        mismatch_if(k != self.s.call.vals.len())?;
        if at > 0 {
            values.insert(0, self.b.iconst(Type::I32, constants));
        }
        mismatch_if(values.is_empty() || values.len() > 3)?;
        values.resize(3, values[0]);
        let words = [values[0].0, values[1].0, values[2].0];
        if ret == VOID {
            self.push0(Opcode::MachineEffect, number, Type::VOID, words);
            return Ok(None);
        }
        let pair = self.pair_types(ret);
        let part = self.types.ir(pair.map_or(ret, |types| types[0]));
        mismatch_if(!part.is_int() && !part.is_float() || pair.is_some_and(|types| types[0] != types[1]))?;
        let ir = if pair.is_some() { double(part)? } else { part };
        let v = self.b.push1(Opcode::Machine, number, ir, words, ir);
        let v = self.b.unary(Opcode::Opaque, v);
        if pair.is_none() {
            return Ok(Some(v.into()));
        }
        let [low, high] = [0, part.bits()].map(|n| {
            let by = self.b.iconst(ir, n.into());
            let v = self.b.binary(Opcode::Lshr, v, by);
            self.b.convert(Opcode::Trunc, v, part)
        });
        Ok(Some(self.pair(low, high)))
    }

    /// An integer of twice the width of two.
    fn joined(&mut self, low: Value, high: Value) -> Result<Value> {
        let part = self.b.func.value_type(low);
        mismatch_if(self.b.func.value_type(high) != part)?;
        let ir = double(part)?;
        let [low, high] = [low, high].map(|v| self.b.convert(Opcode::Zext, v, ir));
        let by = self.b.iconst(ir, part.bits().into());
        let high = self.b.binary(Opcode::Shl, high, by);
        Ok(self.b.binary(Opcode::Or, low, high))
    }

    /// The address of two values.
    fn in_memory(&mut self, a: Value, b: Value) -> Value {
        let slot = self.b.func.make_slot(16, 8);
        let addr = self.b.slot_addr(slot);
        self.b.store(a, addr, 0, MemFlags::new(8, false));
        self.b.store(b, addr, 8, MemFlags::new(8, false));
        addr
    }
}

/// The integer type of twice the width.
fn double(ty: Type) -> Result<Type> {
    mismatch_if(!matches!(ty, Type::I32 | Type::I64))?;
    Ok(if ty == Type::I32 { Type::I64 } else { Type::I128 })
}
