//! x87 instructions.

use super::*;
use crate::x86::encode::x87::*;

const KINDS: [(X87Mem, &str, u32); 6] = [
    (X87Mem::F32, "f", 4),
    (X87Mem::F64, "f", 8),
    (X87Mem::F80, "f", 10),
    (X87Mem::I16, "fi", 2),
    (X87Mem::I32, "fi", 4),
    (X87Mem::I64, "fi", 8),
];

#[test]
fn memory() {
    let mut f = Forms::new();
    for m in mems() {
        for (kind, prefix, bytes) in KINDS {
            let text = mem(bytes, m);
            f.add(format!("{prefix}ld {text}"), |a| a.x87_load(kind, m));
            f.add(format!("{prefix}stp {text}"), |a| a.x87_store_pop(kind, m));
        }
        f.add(format!("fisttp {}", mem(4, m)), |a| a.x87_truncate_pop(false, m));
        f.add(format!("fisttp {}", mem(8, m)), |a| a.x87_truncate_pop(true, m));
        for (op, name) in OPS {
            f.add(format!("f{name} {}", mem(4, m)), |a| a.x87_arith_m(op, false, m));
            f.add(format!("f{name} {}", mem(8, m)), |a| a.x87_arith_m(op, true, m));
        }
        f.add(format!("fnstcw {}", mem(2, m)), |a| a.fnstcw(m));
        f.add(format!("fldcw {}", mem(2, m)), |a| a.fldcw(m));
        f.add(format!("fnstenv {}", mem(0, m)), |a| a.fnstenv(m));
        f.add(format!("fldenv {}", mem(0, m)), |a| a.fldenv(m));
    }
    f.judge();
}

const OPS: [(X87Op, &str); 4] = [(X87Op::Add, "add"), (X87Op::Mul, "mul"), (X87Op::Sub, "sub"), (X87Op::Div, "div")];

#[test]
fn stack() {
    let mut f = Forms::new();
    for i in 0..8 {
        let st = St(i);
        for (op, name) in OPS {
            f.add(format!("f{name}p st({i}), st"), |a| a.x87_arith_pop(op, st));
        }
        f.add(format!("fstp st({i})"), |a| a.fstp_st(st));
        for (pop, suffix) in [(false, ""), (true, "p")] {
            f.add(format!("fucomi{suffix} st, st({i})"), |a| a.fucomi(st, pop));
        }
        let conds = [(FcmovCond::B, "b"), (FcmovCond::U, "u"), (FcmovCond::NBE, "nbe")];
        for (cond, name) in conds {
            f.add(format!("fcmov{name} st, st({i})"), |a| a.fcmov(cond, st));
        }
    }
    for &(name, op) in X87_PLAIN {
        f.add(name, |a| a.x87_plain(op));
    }
    f.judge();
}
