//! Keeps a loaded number in its extended form alone: what else uses it takes the lowest bits of that, which costs nothing, and a switch takes
//! all of it. Otherwise the number and its extension would take a register each.

use super::UseCounts;
use crate::ir::{Function, Inst, InstData, MemFlags, Opcode, SwitchId, Type, Value};
use crate::machine::{Candidate, Machine};

/// How a loaded number is used.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// Bits of the widest extension by zeros; 0 if there is none.
    widest: u32,
    /// Extensions by zeros.
    extensions: u32,
    /// Other uses.
    others: u32,
    /// Not all of them can take the lowest bits of another number.
    stays: bool,
}

/// Rewrites loads of which extensions by zeros and others are used. Returns whether there were any. Blocks and edges stay.
pub fn widen_loads<T: Machine>(target: &T, f: &mut Function, counts: &UseCounts) -> bool {
    let uses = find_uses(target, f, counts);
    let mut wide: Vec<Option<Value>> = vec![None; f.value_count()];
    let mut any = false;
    for k in 0..f.layout.len() {
        for i in f.block_insts(f.layout[k]) {
            let d = *f.inst(i);
            if d.op != Opcode::Load || counts.is_dead(i) {
                continue;
            }
            let x = f.result(i);
            let known = uses[x.index()];
            let ty = [Type::I32, Type::I64].into_iter().find(|ty| ty.bits() == known.widest);
            let several = known.others > 0 || known.extensions > 1;
            let Some(ty) = ty.filter(|_| several && !known.stays && !MemFlags(d.flags).is_volatile()) else { continue };
            let extension = InstData { op: Opcode::Zext, flags: 0, ty, a: x.0, b: 0, c: 0 };
            let whole = Candidate { def: &d, user: &extension, arg: 0, last: None, is_optimized: true };
            if target.can_fold(f, whole) {
                wide[x.index()] = Some(f.make_pending(ty));
                any = true;
            }
        }
    }
    if any {
        rewrite(f, &wide);
    }
    any
}

/// Finds the uses of all integers.
fn find_uses<T: Machine>(target: &T, f: &Function, counts: &UseCounts) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); f.value_count()];
    for &b in &f.layout {
        for i in f.block_insts(b).filter(|&i| !counts.is_dead(i)) {
            let d = f.inst(i);
            let mut arg = 0;
            f.for_each_operand(d, |v| {
                let known = &mut uses[v.index()];
                if d.op == Opcode::Zext {
                    known.extensions += 1;
                    known.widest = known.widest.max(d.ty.bits());
                } else {
                    known.others += 1;
                    known.stays |= !takes_lowest_bits(target, f, (d, arg), v);
                }
                arg += 1;
            });
            f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|v| uses[v.index()].stays = true));
        }
    }
    uses
}

/// Can an instruction take the lowest bits of a number as an operand?
fn takes_lowest_bits<T: Machine>(target: &T, f: &Function, (user, arg): (&InstData, usize), v: Value) -> bool {
    if matches!(user.op, Opcode::Trunc | Opcode::Switch) {
        return true;
    }
    // What is in pools stays.
    let in_words = [user.a, user.b, user.c].get(arg).is_some_and(|&word| word == v.0) && user.op != Opcode::Call;
    let def = InstData { op: Opcode::Trunc, flags: 0, ty: f.value_type(v), a: v.0, b: 0, c: 0 };
    in_words && target.can_fold(f, Candidate { def: &def, user, arg, last: None, is_optimized: true })
}

/// Puts the extensions after the loads, and the lowest bits of these before other uses.
fn rewrite(f: &mut Function, wide: &[Option<Value>]) {
    let of = |v: u32| wide.get(v as usize).copied().flatten();
    f.rewrite(|f, _: Inst, mut d, first| {
        match (d.op, of(d.a)) {
            (Opcode::Zext, Some(whole)) if f.value_type(whole) == d.ty => return f.alias(first, whole),
            (Opcode::Zext | Opcode::Trunc, Some(whole)) => (d.op, d.a) = (Opcode::Trunc, whole.0),
            (Opcode::Switch, Some(whole)) => {
                (d.ty, d.a) = (f.value_type(whole), whole.0);
                extend_cases(f, SwitchId(d.b), d.ty);
            }
            _ => {
                let words = d.op.value_words();
                for (k, word) in [&mut d.a, &mut d.b, &mut d.c].into_iter().enumerate() {
                    if words >> k & 1 != 0
                        && let Some(whole) = of(*word)
                    {
                        let ty = f.value_type(Value(*word));
                        let lowest = InstData { op: Opcode::Trunc, flags: 0, ty, a: whole.0, b: 0, c: 0 };
                        *word = f.push_one(lowest).0;
                    }
                }
            }
        }
        f.push_kept(d, first);
        if d.op == Opcode::Load
            && let Some(whole) = of(first.0)
        {
            let ty = f.value_type(whole);
            let extended = f.push_one(InstData { op: Opcode::Zext, flags: 0, ty, a: first.0, b: 0, c: 0 });
            f.alias(whole, extended);
        }
    });
    f.resolve_operands();
}

/// Extends the constants of a switch by zeros.
fn extend_cases(f: &mut Function, switch: SwitchId, ty: Type) {
    let data = f.switches[switch.index()];
    for k in 0..data.len {
        let word = (data.start + 2 * k) as usize;
        let case = f.int_constant(Value(f.pool[word])).unwrap_or(0);
        f.pool[word] = f.make_int(ty, case as i128).0;
    }
}
