//! Simplifies integer operations by the bits that are known to be zero (LLVM's `SimplifyDemandedBits`, as far as masks, shifts and
//! extensions go).

use super::UseCounts;
use crate::analysis::Cfg;
use crate::ir::{Function, Inst, InstData, IntCc, Opcode, Type, Value, ValueDef};

/// The longest chain of operations that a mask is followed through.
const CHAIN: usize = 4;

/// The tables of the pass.
#[derive(Default)]
pub struct Simplify {
    /// For each value, which of its bits are zero for certain; integers of more than 64 bits have none.
    zeros: Vec<u64>,
    uses: UseCounts,
}

impl Simplify {
    /// Simplifies all instructions in place. Blocks and edges stay.
    pub fn run(&mut self, f: &mut Function, cfg: &Cfg) {
        self.zeros.clear();
        self.zeros.resize(f.value_count(), 0);
        self.uses.count(f, &cfg.order);
        let mut aliases = false;
        for &b in &cfg.order {
            let first = f.blocks[b.index()].first;
            for i in f.block_insts(b) {
                let mut d = *f.inst(i);
                if aliases {
                    f.resolve_inst(&mut d);
                    f.insts[i.index()] = d;
                }
                if d.op.result_count() != Some(1) || self.uses.is_dead(i) {
                    continue;
                }
                let r = f.result(i);
                match self.simplify(f, i, first) {
                    Some(same) => {
                        self.uses.add(same, Some(r));
                        f.alias(r, same);
                        f.insts[i.index()] = InstData::NOP;
                        aliases = true;
                    }
                    None => {
                        self.zeros.resize(f.value_count(), 0);
                        self.zeros[r.index()] = self.find_zeros(f, f.inst(i));
                    }
                }
            }
        }
        if aliases {
            f.resolve_operands();
        }
    }

    /// The bits of a value that are zero for certain.
    fn zeros(&self, f: &Function, v: Value) -> u64 {
        let ty = f.value_type(v);
        match width(ty) {
            Some(bits) => match f.int_constant(v) {
                Some(n) => !(n as u64) & ones(bits),
                None => self.zeros.get(v.index()).copied().unwrap_or(0),
            },
            None => 0,
        }
    }

    fn find_zeros(&self, f: &Function, d: &InstData) -> u64 {
        let Some(bits) = width(d.ty) else { return 0 };
        let all = ones(bits);
        let (a, b) = (Value(d.a), Value(d.b));
        let by = || f.int_constant(b).and_then(|n| u32::try_from(n).ok()).filter(|&n| n < bits);
        match d.op {
            Opcode::Zext => width(f.value_type(a)).map_or(0, |from| self.zeros(f, a) | all & !ones(from)),
            Opcode::Trunc | Opcode::Freeze => self.zeros(f, a) & all,
            Opcode::And => self.zeros(f, a) | self.zeros(f, b),
            Opcode::Or | Opcode::Xor => self.zeros(f, a) & self.zeros(f, b),
            Opcode::Select => self.zeros(f, b) & self.zeros(f, Value(d.c)),
            Opcode::Shl => by().map_or(0, |n| (self.zeros(f, a) << n | ones(n)) & all),
            Opcode::Lshr => by().map_or(0, |n| self.zeros(f, a) >> n | all & !(all >> n)),
            _ => 0,
        }
    }

    /// Simplifies an instruction of the block that begins at `first`. Returns what its result is the same as, if it is.
    fn simplify(&mut self, f: &mut Function, i: Inst, first: u32) -> Option<Value> {
        match f.inst(i).op {
            Opcode::And => self.mask(f, i),
            Opcode::Zext => self.extension(f, i, first),
            Opcode::Icmp => {
                self.comparison(f, i);
                None
            }
            Opcode::Select => {
                choice(f, i);
                None
            }
            _ => None,
        }
    }

    /// A mask: without what it does not keep.
    fn mask(&mut self, f: &mut Function, i: Inst) -> Option<Value> {
        let d = *f.inst(i);
        let bits = width(d.ty)?;
        let (mut a, mut kept) = (Value(d.a), f.int_constant(Value(d.b))? as u64 & ones(bits));
        for _ in 0..CHAIN {
            let ValueDef::Inst(inner) = f.value_def(a) else { break };
            let inner = *f.inst(inner);
            let (x, y) = (Value(inner.a), Value(inner.b));
            a = match inner.op {
                Opcode::Or | Opcode::Xor if self.zeros(f, x) & kept == kept => y,
                Opcode::Or | Opcode::Xor if self.zeros(f, y) & kept == kept => x,
                Opcode::And => match f.int_constant(y) {
                    Some(n) => {
                        kept &= n as u64;
                        x
                    }
                    None => break,
                },
                _ => break,
            };
        }
        if self.zeros(f, a) | kept == ones(bits) {
            return Some(a);
        }
        if a.0 != d.a || kept != f.int_constant(Value(d.b))? as u64 & ones(bits) {
            let mask = f.make_int(d.ty, i128::from(kept));
            self.uses.add(a, None);
            f.insts[i.index()] = InstData { a: a.0, b: mask.0, ..d };
        }
        None
    }

    /// A zero extension: nothing, if the bits are there; of a mask, the mask of the extended number.
    fn extension(&mut self, f: &mut Function, i: Inst, first: u32) -> Option<Value> {
        let d = *f.inst(i);
        let (to, from) = (width(d.ty)?, width(f.value_type(Value(d.a)))?);
        let ValueDef::Inst(k) = f.value_def(Value(d.a)) else { return None };
        let inner = *f.inst(k);
        let above = ones(to) & !ones(from);
        match inner.op {
            Opcode::Trunc if f.value_type(Value(inner.a)) == d.ty => {
                let x = Value(inner.a);
                if self.zeros(f, x) & above == above {
                    return Some(x);
                }
                let mask = f.make_int(d.ty, i128::from(ones(from)));
                self.uses.add(x, None);
                f.insts[i.index()] = InstData { op: Opcode::And, flags: 0, ty: d.ty, a: x.0, b: mask.0, c: 0 };
                None
            }
            // The extension comes first: a load does it.
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Lshr
                if (8..32).contains(&from) && k.0 >= first && self.uses.of(Value(d.a)) == 1 =>
            {
                let n = f.int_constant(Value(inner.b))? as u64 & ones(from);
                let n = f.make_int(d.ty, i128::from(n));
                f.insts[k.index()] = InstData { a: inner.a, ..d };
                let extended = self.new_result(f, k, d.ty);
                f.insts[i.index()] = InstData { ty: d.ty, a: extended.0, b: n.0, ..inner };
                if inner.op == Opcode::And { self.mask(f, i) } else { None }
            }
            _ => None,
        }
    }

    /// A comparison: in a form that tests a sign, or of what a mask keeps.
    fn comparison(&mut self, f: &mut Function, i: Inst) {
        let d = *f.inst(i);
        let (Some(bits), Some(n), Some(cc)) = (width(d.ty), f.int_constant(Value(d.b)), IntCc::from_u8(d.flags)) else {
            return;
        };
        if bits >= 8 && n as u64 == ones(bits) && matches!(cc, IntCc::Sgt | IntCc::Sle) {
            let cc = if cc == IntCc::Sgt { IntCc::Sge } else { IntCc::Slt };
            let zero = f.make_int(d.ty, 0);
            f.insts[i.index()] = InstData { flags: cc as u8, b: zero.0, ..d };
            return;
        }
        let ValueDef::Inst(k) = f.value_def(Value(d.a)) else { return };
        let inner = *f.inst(k);
        if inner.op != Opcode::And || self.uses.of(Value(d.a)) != 1 || n == 0 {
            return;
        }
        let unsigned = matches!(cc, IntCc::Eq | IntCc::Ne | IntCc::Ult | IntCc::Ule | IntCc::Ugt | IntCc::Uge);
        let narrow = match f.int_constant(Value(inner.b)) {
            Some(0xff) if bits > 8 => Type::I8,
            Some(0xffff_ffff) if bits > 32 => Type::I32,
            _ => return,
        };
        if !unsigned || n >> narrow.bits() != 0 {
            return;
        }
        let b = f.make_int(narrow, n as i128);
        f.insts[k.index()] = InstData { op: Opcode::Trunc, flags: 0, ty: narrow, b: 0, c: 0, ..inner };
        let a = self.new_result(f, k, narrow);
        f.insts[i.index()] = InstData { ty: narrow, a: a.0, b: b.0, ..d };
    }

    /// Gives an instruction that computes something else now another result.
    fn new_result(&mut self, f: &mut Function, i: Inst, ty: Type) -> Value {
        let v = f.replace_result(i, ty);
        self.zeros.resize(f.value_count(), 0);
        self.zeros[v.index()] = self.find_zeros(f, f.inst(i));
        v
    }
}

/// A choice between truth values of which one is constant. The other one counts in both cases then, so that it must be 0 or 1 even where it
/// is poison.
fn choice(f: &mut Function, i: Inst) {
    let d = *f.inst(i);
    if d.ty != Type::I1 {
        return;
    }
    let (b, c) = (f.int_constant(Value(d.b)), f.int_constant(Value(d.c)));
    if b == Some(1) && c.is_none() && is_truth(f, Value(d.c), CHAIN) {
        f.insts[i.index()] = InstData { op: Opcode::Or, flags: 0, b: d.c, c: 0, ..d };
    } else if c == Some(0) && b.is_none() && is_truth(f, Value(d.b), CHAIN) {
        f.insts[i.index()] = InstData { op: Opcode::And, flags: 0, c: 0, ..d };
    }
}

/// Is a truth value 0 or 1 whatever it was made of? What is loaded may be any byte.
fn is_truth(f: &Function, v: Value, depth: usize) -> bool {
    let i = match f.value_def(v) {
        ValueDef::Inst(i) => i,
        ValueDef::Param(b) => return f.layout.first() == Some(&b),
        _ => return f.int_constant(v).is_some(),
    };
    let d = f.inst(i);
    let are = |words: &[u32]| depth > 0 && words.iter().all(|&word| is_truth(f, Value(word), depth - 1));
    match d.op {
        Opcode::Load | Opcode::AtomicLoad | Opcode::Bitcast => false,
        Opcode::Freeze | Opcode::Opaque => are(&[d.a]),
        Opcode::And | Opcode::Or | Opcode::Xor => are(&[d.a, d.b]),
        Opcode::Select => are(&[d.b, d.c]),
        _ => true,
    }
}

/// The width of an integer, if it is one of up to 64 bits.
fn width(ty: Type) -> Option<u32> {
    (ty.is_int() && !ty.is_vector() && ty.bits() <= 64).then_some(ty.bits())
}

/// So many of the lowest bits.
fn ones(bits: u32) -> u64 {
    if bits >= 64 { !0 } else { (1 << bits) - 1 }
}
