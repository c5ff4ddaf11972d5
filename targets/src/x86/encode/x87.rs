//! x87 instructions, for `long double`, and for all of floating point where there is no SSE.

use super::{Asm, Op};
use crate::x86::reg::{Mem, St};

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

/// What a memory operand of the x87 holds.
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
    /// The opcode, and its extension in ModRM for a load. That of a store which pops has two bits more.
    fn encoding(self) -> (u8, u8) {
        match self {
            X87Mem::F32 => (0xd9, 0),
            X87Mem::F64 => (0xdd, 0),
            X87Mem::F80 => (0xdb, 5),
            X87Mem::I16 => (0xdf, 0),
            X87Mem::I32 => (0xdb, 0),
            X87Mem::I64 => (0xdf, 5),
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

/// An x87 instruction without operands beside the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct X87Plain(u8, u8);

macro_rules! plain {
    ($($name:ident = $first:literal $second:literal: $what:literal;)*) => {
        $(#[doc = $what] pub const $name: X87Plain = X87Plain($first, $second);)*
        #[cfg(test)]
        pub(crate) const X87_PLAIN: &[(&str, X87Plain)] = &[$((stringify!($name), $name)),*];
    };
}

plain! {
    FCHS = 0xd9 0xe0: "Changes the sign of the top.";
    FABS = 0xd9 0xe1: "Clears the sign of the top.";
    FLD1 = 0xd9 0xe8: "Pushes 1.";
    FLDZ = 0xd9 0xee: "Pushes zero.";
    FSQRT = 0xd9 0xfa: "Square root of the top.";
    FRNDINT = 0xd9 0xfc: "Rounds the top to an integer as the control word says.";
}

impl Asm<'_> {
    /// `fld m` or `fild m`: pushes a number.
    pub fn x87_load(&mut self, kind: X87Mem, m: Mem) {
        let (opcode, extension) = kind.encoding();
        self.reg_mem(Op::one(opcode), extension, &m);
    }

    /// Pushes 2, 4, 8 or 16 bytes so that [`pop_bits`](Self::pop_bits) stores the same: as integers, which 64 bits of mantissa
    /// hold exactly, since a signalling NaN would become a quiet one.
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

    /// `fstp m` or `fistp m`: stores the top, integers rounded as the control word says, and pops.
    pub fn x87_store_pop(&mut self, kind: X87Mem, m: Mem) {
        let (opcode, extension) = kind.encoding();
        self.reg_mem(Op::one(opcode), extension | 3, &m);
    }

    /// `fisttp m` (SSE3): stores the top as an integer of four bytes, or eight if `wide`, truncated, and pops.
    pub fn x87_truncate_pop(&mut self, wide: bool, m: Mem) {
        self.reg_mem(Op::one(if wide { 0xdd } else { 0xdb }), 1, &m);
    }

    /// `fadd m` and its like on the top with a `float` (`double` if `double`) in memory.
    pub fn x87_arith_m(&mut self, op: X87Op, double: bool, m: Mem) {
        self.reg_mem(Op::one(if double { 0xdc } else { 0xd8 }), op as u8, &m);
    }

    /// `faddp st(i), st` and its like: the top is the source, and popped.
    pub fn x87_arith_pop(&mut self, op: X87Op, d: St) {
        // With the top as source the opcodes of a subtraction or division and its reverse are exchanged.
        let op = if matches!(op, X87Op::Sub | X87Op::Div) { op as u8 ^ 1 } else { op as u8 };
        self.x87(0xde, 0xc0 | op << 3 | d.0);
    }

    /// `fstp st(i)`: copies the top there and pops; of `st(0)`, only pops.
    pub fn fstp_st(&mut self, st: St) {
        self.x87(0xdd, 0xd8 | st.0);
    }

    /// `fucomi st, st(i)`, and popped if `pop`: sets the flags as an unsigned comparison would; unordered sets the parity too.
    pub fn fucomi(&mut self, st: St, pop: bool) {
        self.x87(if pop { 0xdf } else { 0xdb }, 0xe8 | st.0);
    }

    /// `fcmovcc st, st(i)`
    pub fn fcmov(&mut self, cond: FcmovCond, st: St) {
        let cond = cond as u8;
        self.x87(0xda + (cond >> 2), 0xc0 | (cond & 3) << 3 | st.0);
    }

    /// `fchs` and its like.
    pub fn x87_plain(&mut self, op: X87Plain) {
        self.x87(op.0, op.1);
    }

    /// `fnstcw [m]`: stores the control word, two bytes.
    pub fn fnstcw(&mut self, m: Mem) {
        self.reg_mem(Op::one(0xd9), 7, &m);
    }

    /// `fldcw [m]`: loads the control word, two bytes.
    pub fn fldcw(&mut self, m: Mem) {
        self.reg_mem(Op::one(0xd9), 5, &m);
    }

    fn x87(&mut self, first: u8, second: u8) {
        self.buf.put_word(u64::from(first) | u64::from(second) << 8, 2);
    }
}
