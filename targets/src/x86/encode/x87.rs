//! x87 instructions, for `long double`, and for all of floating point where there is no SSE.

use super::forms::{Forms, Row};
use super::{Asm, Op};
use crate::x86::reg::{Cond, Gpr, Mem, St};

/// Arithmetic on the x87 stack, numbered as in the opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum X87Op {
    /// Destination + source.
    Add = 0,
    /// Destination * source.
    Mul = 1,
    /// Destination - source.
    Sub = 4,
    /// Destination / source.
    Div = 6,
}

/// The contents of a memory operand of the x87.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum X87Mem {
    /// A `float`.
    F32,
    /// A `double`.
    F64,
    /// An 80-bit extended value in ten bytes.
    F80,
    /// A signed integer of two bytes.
    I16,
    /// A signed integer of four bytes.
    I32,
    /// A signed integer of eight bytes.
    I64,
}

impl X87Mem {
    /// Opcodes, with their extensions in ModRM, of a load and of a store that pops.
    fn forms(self) -> [(Op, u8); 2] {
        match self {
            X87Mem::F32 => [FLDS, FSTPS],
            X87Mem::F64 => [FLDL, FSTPL],
            X87Mem::F80 => [FLDT, FSTPT],
            X87Mem::I16 => [FILDS, FISTPS],
            X87Mem::I32 => [FILDL, FISTPL],
            X87Mem::I64 => [FILDLL, FISTPLL],
        }
    }
}

/// The conditions of `fcmovcc`, as after an unsigned comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum FcmovCond {
    /// Below.
    B = 0,
    /// Unordered.
    U = 3,
    /// Not below or equal.
    NBE = 6,
}

/// An x87 instruction without operands other than the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct X87Plain(Op);

macro_rules! forms {
    (plain { $($name:ident = $first:literal $second:literal: $what:literal;)* }
        memory { $($memory:ident $text:literal = $opcode:literal, $extension:literal;)* }
        others { $($template:literal $other:tt = $op:expr;)* }) => {
        $(#[doc = $what] pub const $name: X87Plain = X87Plain(Op::pair($first, $second));)*
        $(const $memory: (Op, u8) = (Op::one($opcode), $extension);)*
        $(const $other: Op = $op;)*
        #[cfg(test)]
        pub(crate) const X87_PLAIN: &[(&str, X87Plain)] = &[$((stringify!($name), $name)),*];
        pub(crate) const X87_FORMS: &[Forms] = &[
            Forms::new("", &[$(Row::new("", Op::pair($first, $second), None, stringify!($name))),*]),
            Forms::new(" Mx", &[$(Row::new(" Mx", Op::one($opcode), Some($extension), $text)),*]),
            $(Forms::new($template, &[Row::new($template, $op, None, "")])),*
        ];
    };
}

forms! {
    plain {
        FCHS = 0xd9 0xe0: "Changes the sign of the top.";
        FABS = 0xd9 0xe1: "Clears the sign of the top.";
        FLD1 = 0xd9 0xe8: "Pushes 1.";
        FLDZ = 0xd9 0xee: "Pushes zero.";
        FSQRT = 0xd9 0xfa: "Square root of the top.";
        FRNDINT = 0xd9 0xfc: "Rounds the top to an integer as the control word says.";
    }
    memory {
        FLDS "flds" = 0xd9, 0;
        FLDL "fldl" = 0xdd, 0;
        FLDT "fldt" = 0xdb, 5;
        FILDS "filds" = 0xdf, 0;
        FILDL "fildl" = 0xdb, 0;
        FILDLL "fildll" = 0xdf, 5;
        FSTPS "fstps" = 0xd9, 3;
        FSTPL "fstpl" = 0xdd, 3;
        FSTPT "fstpt" = 0xdb, 7;
        FISTPS "fistps" = 0xdf, 3;
        FISTPL "fistpl" = 0xdb, 3;
        FISTPLL "fistpll" = 0xdf, 7;
        FISTTPL "fisttpl" = 0xdb, 1;
        FISTTPLL "fisttpll" = 0xdd, 1;
        FNSTCW "fnstcww" = 0xd9, 7;
        FLDCW "fldcww" = 0xd9, 5;
        FNSTENV "fnstenv" = 0xd9, 6;
        FLDENV "fldenv" = 0xd9, 4;
    }
    others {
        "f{/x87}s Mx" ARITH_F32 = Op::one(0xd8);
        "f{/x87}l Mx" ARITH_F64 = Op::one(0xdc);
        // AT&T syntax swaps subtractions and divisions with their reverses.
        "f{x87}p" _ = Op::pair(0xde, 0xc1);
        "f{x87}p %st Sx" ARITH_POP = Op::pair(0xde, 0xc0);
        "fstp Sx" FSTP = Op::pair(0xdd, 0xd8);
        "fld Sx" FLD = Op::pair(0xd9, 0xc0);
        "fucom Sx" FUCOM = Op::pair(0xdd, 0xe0);
        "fucomp Sx" FUCOMP = Op::pair(0xdd, 0xe8);
        "fnstsw %ax -=al" FNSTSW = Op::pair(0xdf, 0xe0);
        "sahf" SAHF = Op::one(0x9e);
        "fucomi Sx %st" FUCOMI = Op::pair(0xdb, 0xe8);
        "fucomip Sx %st" FUCOMIP = Op::pair(0xdf, 0xe8);
        "fcmov{fcmov} Sx %st" FCMOV = Op::pair(0xda, 0xc0);
        "fcmovn{fcmov} Sx %st" FCMOV_NOT = Op::pair(0xdb, 0xc0);
    }
}

impl Asm<'_> {
    /// `fld m` or `fild m`: pushes a number.
    pub fn x87_load(&mut self, kind: X87Mem, m: Mem) {
        let [(op, extension), _] = kind.forms();
        self.reg_mem(op, extension, &m);
    }

    /// Pushes 2, 4, 8 or 16 bytes such that [`pop_bits`](Self::pop_bits) stores the same. They are integers, which a
    /// mantissa of 64 bits holds exactly; as a number, a signalling NaN would become quiet.
    pub fn push_bits(&mut self, bytes: u32, m: Mem) {
        match bytes {
            2 => self.x87_load(X87Mem::I16, m),
            4 => self.x87_load(X87Mem::I32, m),
            8 => self.x87_load(X87Mem::I64, m),
            _ => {
                self.x87_load(X87Mem::I64, m);
                self.x87_load(X87Mem::I64, m.offset(8).unwrap_or(m));
            }
        }
    }

    /// Pops what [`push_bits`](Self::push_bits) has pushed.
    pub fn pop_bits(&mut self, bytes: u32, m: Mem) {
        match bytes {
            2 => self.x87_store_pop(X87Mem::I16, m),
            4 => self.x87_store_pop(X87Mem::I32, m),
            8 => self.x87_store_pop(X87Mem::I64, m),
            _ => {
                self.x87_store_pop(X87Mem::I64, m.offset(8).unwrap_or(m));
                self.x87_store_pop(X87Mem::I64, m);
            }
        }
    }

    /// `fstp m` or `fistp m`: stores the top, with integers rounded as the control word says, and pops.
    pub fn x87_store_pop(&mut self, kind: X87Mem, m: Mem) {
        let [_, (op, extension)] = kind.forms();
        self.reg_mem(op, extension, &m);
    }

    /// `fisttp m` (SSE3): stores the top as an integer of four bytes, or eight if `wide`, truncated, and pops.
    pub fn x87_truncate_pop(&mut self, wide: bool, m: Mem) {
        let (op, extension) = if wide { FISTTPLL } else { FISTTPL };
        self.reg_mem(op, extension, &m);
    }

    /// `fadd m` and its like on the top with a `float` (`double` if `double`) in memory.
    pub fn x87_arith_m(&mut self, op: X87Op, double: bool, m: Mem) {
        self.reg_mem(if double { ARITH_F64 } else { ARITH_F32 }, op as u8, &m);
    }

    /// `faddp st(i), st` and the like: the top is the source and is popped.
    pub fn x87_arith_pop(&mut self, op: X87Op, d: St) {
        // With the top as source, the opcodes of a subtraction or division and its reverse are swapped.
        let op = if matches!(op, X87Op::Sub | X87Op::Div) { op as u8 ^ 1 } else { op as u8 };
        self.op(ARITH_POP.plus(op << 3 | d.0));
    }

    /// `fstp st(i)`: copies the top there and pops; `st(0)`: only pops.
    pub fn fstp_st(&mut self, st: St) {
        self.op(FSTP.plus(st.0));
    }

    /// `fucomi st, st(i)`, which also pops if `pop`: sets the flags like an unsigned comparison; unordered operands
    /// also set parity.
    pub fn fucomi(&mut self, st: St, pop: bool) {
        if !self.mode.has_cmov() {
            return self.fucom(st, pop);
        }
        self.op(if pop { FUCOMIP } else { FUCOMI }.plus(st.0));
    }

    /// The same by the x87's own flags, on any processor.
    #[cold]
    fn fucom(&mut self, st: St, pop: bool) {
        self.op(if pop { FUCOMP } else { FUCOM }.plus(st.0));
        self.push_r(Gpr(0));
        self.buf.stack_moved(4);
        self.op(FNSTSW);
        self.op(SAHF);
        self.pop_r(Gpr(0));
        self.buf.stack_moved(-4);
    }

    /// `fcmovcc` by a jump.
    #[cold]
    fn skipped_fld(&mut self, cond: FcmovCond, st: St) {
        let skip = self.buf.new_label();
        let otherwise = match cond {
            FcmovCond::B => Cond::AE,
            FcmovCond::U => Cond::NP,
            FcmovCond::NBE => Cond::BE,
        };
        self.jcc(otherwise, skip);
        self.fstp_st(St(0));
        self.op(FLD.plus(st.0 - 1));
        self.buf.bind(skip);
    }

    /// `fcmovcc st, st(i)`, of another register than the top.
    pub fn fcmov(&mut self, cond: FcmovCond, st: St) {
        if !self.mode.has_cmov() {
            return self.skipped_fld(cond, st);
        }
        let op = if cond as u8 >> 2 != 0 { FCMOV_NOT } else { FCMOV };
        self.op(op.plus((cond as u8 & 3) << 3 | st.0));
    }

    /// `fchs` and its like.
    pub fn x87_plain(&mut self, op: X87Plain) {
        self.op(op.0);
    }

    /// `fnstcw [m]`: stores the control word, two bytes.
    pub fn fnstcw(&mut self, m: Mem) {
        self.reg_mem(FNSTCW.0, FNSTCW.1, &m);
    }

    /// `fldcw [m]`: loads the control word, two bytes.
    pub fn fldcw(&mut self, m: Mem) {
        self.reg_mem(FLDCW.0, FLDCW.1, &m);
    }

    /// `fnstenv [m]`: stores the environment, 28 bytes, and masks all exceptions.
    pub fn fnstenv(&mut self, m: Mem) {
        self.reg_mem(FNSTENV.0, FNSTENV.1, &m);
    }

    /// `fldenv [m]`: loads the environment, 28 bytes.
    pub fn fldenv(&mut self, m: Mem) {
        self.reg_mem(FLDENV.0, FLDENV.1, &m);
    }
}
