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
        let kept =
            [(X87Kept::F32, "fst", 4), (X87Kept::F64, "fst", 8), (X87Kept::I16, "fist", 2), (X87Kept::I32, "fist", 4)];
        for (kind, name, bytes) in kept {
            f.add(format!("{name} {}", mem(bytes, m)), |a| a.x87_store(kind, m));
        }
        for (kind, bytes) in [(X87Int::I16, 2), (X87Int::I32, 4), (X87Int::I64, 8)] {
            f.add(format!("fisttp {}", mem(bytes, m)), |a| a.x87_truncate_pop(kind, m));
        }
        for (op, name) in OPS {
            f.add(format!("f{name} {}", mem(4, m)), |a| a.x87_arith_m(op, false, m));
            f.add(format!("f{name} {}", mem(8, m)), |a| a.x87_arith_m(op, true, m));
        }
        f.add(format!("fnstcw {}", mem(2, m)), |a| a.fnstcw(m));
        f.add(format!("fldcw {}", mem(2, m)), |a| a.fldcw(m));
    }
    f.judge();
}

const OPS: [(X87Op, &str); 6] = [
    (X87Op::Add, "add"),
    (X87Op::Mul, "mul"),
    (X87Op::Sub, "sub"),
    (X87Op::SubR, "subr"),
    (X87Op::Div, "div"),
    (X87Op::DivR, "divr"),
];

#[test]
fn stack() {
    let mut f = Forms::new();
    for i in 0..8 {
        let st = St(i);
        for (op, name) in OPS {
            f.add(format!("f{name} st, st({i})"), |a| a.x87_arith_top(op, st));
            if i != 0 {
                f.add(format!("f{name} st({i}), st"), |a| a.x87_arith_st(op, st));
            }
            f.add(format!("f{name}p st({i}), st"), |a| a.x87_arith_pop(op, st));
        }
        f.add(format!("fld st({i})"), |a| a.fld_st(st));
        f.add(format!("fst st({i})"), |a| a.fst_st(st));
        f.add(format!("fstp st({i})"), |a| a.fstp_st(st));
        f.add(format!("ffree st({i})"), |a| a.ffree(st));
        f.add(format!("fxch st({i})"), |a| a.fxch(st));
        for (pop, suffix) in [(false, ""), (true, "p")] {
            f.add(format!("fucomi{suffix} st, st({i})"), |a| a.fucomi(st, pop));
            f.add(format!("fcomi{suffix} st, st({i})"), |a| a.fcomi(st, pop));
        }
        let conds = [
            (FcmovCond::B, "b"),
            (FcmovCond::E, "e"),
            (FcmovCond::BE, "be"),
            (FcmovCond::U, "u"),
            (FcmovCond::NB, "nb"),
            (FcmovCond::NE, "ne"),
            (FcmovCond::NBE, "nbe"),
            (FcmovCond::NU, "nu"),
        ];
        for (cond, name) in conds {
            f.add(format!("fcmov{name} st, st({i})"), |a| a.fcmov(cond, st));
        }
    }
    for &(name, op) in X87_PLAIN {
        f.add(name, |a| a.x87_plain(op));
    }
    f.add("fnstsw ax", |a| a.fnstsw_ax());
    f.judge();
}
