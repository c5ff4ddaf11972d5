//! Hardware registers as the ABI names them, and sets of them.

use core::fmt;

/// The register files an ABI speaks about. An example is at [`FnAbi`](crate::FnAbi).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum RegClass {
    /// General-purpose registers.
    Int,
    /// Floating-point and vector registers (xmm/ymm/zmm, v, s/d/q).
    Float,
    /// The x87 register stack, `st0` being its top.
    X87,
}

/// One hardware register.
///
/// `num` is the number of the instruction encoding: on x86 rax 0, rcx 1, rdx 2, rbx 3, rsp 4, rbp 5, rsi 6, rdi 7,
/// r8 to r15 8 to 15; xmm *n* is `Float` *n* at whatever width; st *n* is `X87` *n*. On 32-bit ARM `Float` counts
/// single-precision registers: s *n* is *n*, d *n* is 2 *n*, q *n* is 4 *n*. The width in use is the piece's
/// ([`Piece::reg_bytes`](crate::Piece::reg_bytes)); in a [`RegSet`] every part of a register that overlaps others has its bit.
///
/// An example is at [`FnAbi`](crate::FnAbi).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg {
    /// The register file.
    pub class: RegClass,
    /// The hardware number in that file.
    pub num: u8,
}

impl Reg {
    /// General-purpose register `num`.
    pub const fn int(num: u8) -> Reg {
        Reg { class: RegClass::Int, num }
    }

    /// Floating-point or vector register `num`.
    pub const fn float(num: u8) -> Reg {
        Reg { class: RegClass::Float, num }
    }

    /// x87 stack register `num`, counted from the top.
    pub const fn x87(num: u8) -> Reg {
        Reg { class: RegClass::X87, num }
    }
}

/// x86-64 registers by name.
pub mod x86 {
    use super::Reg;

    /// rax.
    pub const RAX: Reg = Reg::int(0);
    /// rcx.
    pub const RCX: Reg = Reg::int(1);
    /// rdx.
    pub const RDX: Reg = Reg::int(2);
    /// rbx.
    pub const RBX: Reg = Reg::int(3);
    /// rsp.
    pub const RSP: Reg = Reg::int(4);
    /// rbp.
    pub const RBP: Reg = Reg::int(5);
    /// rsi.
    pub const RSI: Reg = Reg::int(6);
    /// rdi.
    pub const RDI: Reg = Reg::int(7);
    /// r8.
    pub const R8: Reg = Reg::int(8);
    /// r9.
    pub const R9: Reg = Reg::int(9);
    /// r10.
    pub const R10: Reg = Reg::int(10);
    /// r11.
    pub const R11: Reg = Reg::int(11);
    /// r12.
    pub const R12: Reg = Reg::int(12);
    /// r13.
    pub const R13: Reg = Reg::int(13);
    /// r14.
    pub const R14: Reg = Reg::int(14);
    /// r15.
    pub const R15: Reg = Reg::int(15);
}

/// AArch64 registers by name. `Float` *n* is v *n*; h *n*, s *n*, d *n* and q *n* are the parts of it that are used.
pub mod aarch64 {
    use super::Reg;

    /// x0.
    pub const X0: Reg = Reg::int(0);
    /// x8, in which the address of a result is passed.
    pub const X8: Reg = Reg::int(8);
    /// x15, the static chain.
    pub const X15: Reg = Reg::int(15);
    /// x17.
    pub const X17: Reg = Reg::int(17);
    /// x18, the platform's register.
    pub const X18: Reg = Reg::int(18);
    /// x20, LLVM's `swiftself`.
    pub const X20: Reg = Reg::int(20);
    /// x21, LLVM's `swifterror`.
    pub const X21: Reg = Reg::int(21);
    /// x22, LLVM's `swiftasync`.
    pub const X22: Reg = Reg::int(22);
    /// The stack pointer, which shares number 31 with the zero register.
    pub const SP: Reg = Reg::int(31);
}

/// 32-bit ARM registers by name. `Float` counts single-precision registers: d *n* is 2 *n*, q *n* is 4 *n*.
pub mod arm {
    use super::Reg;

    /// r0.
    pub const R0: Reg = Reg::int(0);
    /// r8, LLVM's `swifterror`.
    pub const R8: Reg = Reg::int(8);
    /// r10, LLVM's `swiftself`.
    pub const R10: Reg = Reg::int(10);
    /// r12 (ip), the static chain, which linkers' veneers change.
    pub const R12: Reg = Reg::int(12);
    /// The stack pointer.
    pub const SP: Reg = Reg::int(13);
    /// The link register.
    pub const LR: Reg = Reg::int(14);
}

/// A set of hardware registers. An example is at [`FnAbi`](crate::FnAbi).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct RegSet {
    /// General-purpose registers, bit *n* for number *n*.
    pub int: u32,
    /// x87 stack registers, bit *n* for st *n*.
    pub x87: u32,
    /// Floating-point and vector registers, bit *n* for number *n*.
    pub float: u64,
}

impl RegSet {
    /// The empty set.
    pub const EMPTY: RegSet = RegSet { int: 0, x87: 0, float: 0 };

    /// The set of the listed registers.
    pub const fn of(regs: &[Reg]) -> RegSet {
        let mut set = RegSet::EMPTY;
        let mut i = 0;
        while i < regs.len() {
            set = set.with(regs[i]);
            i += 1;
        }
        set
    }

    /// This set and `reg`.
    pub const fn with(mut self, reg: Reg) -> RegSet {
        match reg.class {
            RegClass::Int => self.int |= 1 << reg.num,
            RegClass::Float => self.float |= 1 << reg.num,
            RegClass::X87 => self.x87 |= 1 << reg.num,
        }
        self
    }

    /// This set without `reg`.
    pub const fn without(mut self, reg: Reg) -> RegSet {
        match reg.class {
            RegClass::Int => self.int &= !(1 << reg.num),
            RegClass::Float => self.float &= !(1 << reg.num),
            RegClass::X87 => self.x87 &= !(1 << reg.num),
        }
        self
    }

    /// Adds `reg`.
    pub fn insert(&mut self, reg: Reg) {
        *self = self.with(reg);
    }

    /// Removes `reg`.
    pub fn remove(&mut self, reg: Reg) {
        *self = self.without(reg);
    }

    /// Whether `reg` is in the set.
    pub const fn contains(self, reg: Reg) -> bool {
        match reg.class {
            RegClass::Int => self.int >> reg.num & 1 != 0,
            RegClass::Float => self.float >> reg.num & 1 != 0,
            RegClass::X87 => self.x87 >> reg.num & 1 != 0,
        }
    }

    /// Whether no register is in the set.
    pub const fn is_empty(self) -> bool {
        self.int == 0 && self.float == 0 && self.x87 == 0
    }

    /// How many registers are in the set.
    pub const fn len(self) -> u32 {
        self.int.count_ones() + self.float.count_ones() + self.x87.count_ones()
    }

    /// Registers in either set.
    pub const fn union(self, other: RegSet) -> RegSet {
        RegSet { int: self.int | other.int, x87: self.x87 | other.x87, float: self.float | other.float }
    }

    /// Registers in both sets.
    pub const fn intersection(self, other: RegSet) -> RegSet {
        RegSet { int: self.int & other.int, x87: self.x87 & other.x87, float: self.float & other.float }
    }

    /// Registers of this set that are not in `other`.
    pub const fn difference(self, other: RegSet) -> RegSet {
        RegSet { int: self.int & !other.int, x87: self.x87 & !other.x87, float: self.float & !other.float }
    }

    /// The registers: general-purpose, then floating-point, then x87, each by rising number.
    pub fn iter(self) -> impl Iterator<Item = Reg> {
        let bits = |class, mut word: u64| {
            core::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let num = word.trailing_zeros() as u8;
                word &= word - 1;
                Some(Reg { class, num })
            })
        };
        bits(RegClass::Int, self.int as u64)
            .chain(bits(RegClass::Float, self.float))
            .chain(bits(RegClass::X87, self.x87 as u64))
    }
}

impl FromIterator<Reg> for RegSet {
    fn from_iter<I: IntoIterator<Item = Reg>>(iter: I) -> Self {
        iter.into_iter().fold(RegSet::EMPTY, RegSet::with)
    }
}

const X86_64_INT: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
const X86_INT: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];

/// The assembler name of a register, as the text form prints it: at full width or, where names depend on the width,
/// with the name for this many bytes.
pub(crate) struct RegName {
    pub(crate) arch: crate::Arch,
    pub(crate) reg: Reg,
    pub(crate) bytes: Option<u32>,
}

impl fmt::Display for RegName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::Arch;
        let n = self.reg.num;
        match (self.arch, self.reg.class) {
            (Arch::X86_64, RegClass::Int) => f.write_str(X86_64_INT.get(n as usize).unwrap_or(&"r?")),
            (Arch::X86, RegClass::Int) => f.write_str(X86_INT.get(n as usize).unwrap_or(&"r?")),
            (Arch::X86 | Arch::X86_64, RegClass::Float) => write!(f, "xmm{n}"),
            (Arch::Aarch64, RegClass::Int) if n == 31 => f.write_str("sp"),
            (Arch::Aarch64, RegClass::Int) => write!(f, "x{n}"),
            (Arch::Aarch64, RegClass::Float) => match self.bytes {
                Some(1..=2) => write!(f, "h{n}"),
                Some(3..=4) => write!(f, "s{n}"),
                Some(5..=8) => write!(f, "d{n}"),
                Some(9..=16) => write!(f, "q{n}"),
                _ => write!(f, "v{n}"),
            },
            (Arch::Arm, RegClass::Int) => match n {
                13 => f.write_str("sp"),
                14 => f.write_str("lr"),
                15 => f.write_str("pc"),
                _ => write!(f, "r{n}"),
            },
            (Arch::Arm, RegClass::Float) => match self.bytes {
                Some(5..=8) => write!(f, "d{}", n / 2),
                Some(9..=16) => write!(f, "q{}", n / 4),
                _ => write!(f, "s{n}"),
            },
            (_, RegClass::X87) => write!(f, "st{n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let set = RegSet::of(&[x86::R15, x86::RAX, Reg::float(9), Reg::x87(1)]);
        let listed: alloc::vec::Vec<Reg> = set.iter().collect();
        assert_eq!(listed, [x86::RAX, x86::R15, Reg::float(9), Reg::x87(1)]);
        assert_eq!(set.len(), 4);
        assert!(!set.contains(Reg::float(15)));
        assert_eq!(set.without(x86::RAX).iter().count(), 3);
        assert_eq!(listed.into_iter().collect::<RegSet>(), set);
        assert_eq!(set.difference(RegSet::of(&[x86::R15])), set.without(x86::R15));
    }
}
