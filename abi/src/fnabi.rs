//! The result of classification: where every piece of every argument and result lives.

use crate::inline::InlineVec;
use crate::measure::Layout;
use crate::reg::{Reg, RegSet};
use crate::signature::Widen;
use crate::target::Arch;
use crate::types::CType;
use alloc::string::String;
use alloc::vec::Vec;

/// What happens to the register bits above a small integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extension {
    /// They are arbitrary.
    #[default]
    None,
    /// They are zero.
    Zero {
        /// Width of the value in bits.
        from: u16,
        /// Width that is well defined, in bits; bits above it are arbitrary.
        to: u16,
    },
    /// They equal the value's sign bit.
    Sign {
        /// Width of the value in bits.
        from: u16,
        /// Width that is well defined, in bits; bits above it are arbitrary.
        to: u16,
    },
    /// The piece is a vector whose lanes lie one after the other in memory, while in the register each has more bits, of
    /// which those above the lane are arbitrary. LLVM does so to vectors narrower than the registers.
    /// A piece with fewer bytes than a lane has carries a part of one.
    Lanes {
        /// Width of a lane in memory, in bits.
        from: u16,
        /// Width of a lane in the register, in bits.
        to: u16,
    },
}

impl Extension {
    /// From `from` to `to` bits, if these are more.
    pub(crate) fn of(widen: Widen, from: u16, to: u16) -> Extension {
        match widen {
            Widen::Zero if from < to => Extension::Zero { from, to },
            Widen::Sign if from < to => Extension::Sign { from, to },
            _ => Extension::None,
        }
    }

    /// The same of an integer that has a sign or none.
    pub(crate) fn of_int(signed: bool, from: u16, to: u16) -> Extension {
        Extension::of(if signed { Widen::Sign } else { Widen::Zero }, from, to)
    }
}

/// Where a piece lives at the call instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In a register, from its lowest byte on.
    Reg(Reg),
    /// In the stack argument area.
    Stack {
        /// Bytes above the stack pointer as it is at the call instruction, before a return address is pushed. A callee
        /// adds [`FnAbi::entry_bias`] to get the offset from its stack pointer at entry.
        offset: u32,
    },
    /// In a register, and the same bits in another (Win64 variadic floating-point arguments). Callees may read either.
    RegPlus {
        /// The register by the general rule.
        reg: Reg,
        /// The duplicate.
        also: Reg,
    },
}

impl Default for Place {
    fn default() -> Place {
        Place::Stack { offset: 0 }
    }
}

/// A contiguous part of a value and its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Piece {
    /// Offset of its first byte in the value's memory image, in bytes. A vector that travels lane by lane, or with wider lanes, counts
    /// here as if each lane began a byte of its own, also where lanes share bytes in memory: lane 5 of a `<9 x i1>` has the vector's
    /// offset plus 5.
    pub offset: u32,
    /// Number of bytes of the value that it carries, counted in the same way; 0 of a register or slot that is taken and carries nothing,
    /// as LLVM rounds those of a wide lane up to a power of two. The register's remaining bytes are arbitrary unless `ext` says
    /// otherwise; of an aggregate's piece, a sender may not read beyond the value, a receiver not write beyond it.
    pub size: u32,
    /// Where it lives.
    pub place: Place,
    /// Which scalar of an LLVM first-class aggregate it belongs to, counted in order of flattening; otherwise 0.
    pub scalar: u16,
    /// How the sender (caller of an argument, callee of a result) extends it.
    pub ext: Extension,
    /// What the receiver may rely on.
    pub assume: Extension,
}

impl Piece {
    /// The first `size` bytes of a value.
    pub(crate) fn whole(size: u32, place: Place) -> Piece {
        Piece { size, place, ..Piece::default() }
    }

    /// Says that the sender extends a small integer of type `ty` to so many bits, of which the receiver relies on those of a
    /// `_Bool` only, in its byte.
    pub(crate) fn extend(&mut self, ty: &CType, to: u16) {
        if let Some((signed, from)) = ty.small_int() {
            self.ext = Extension::of_int(signed, from, to);
        }
        if *ty == CType::BOOL {
            self.assume = Extension::Zero { from: 1, to: 8 };
        }
    }

    /// The halves of a piece of 16 bytes, where no register holds all of it: on 32-bit ARM, where registers of floating point are
    /// numbered by their words.
    pub fn halves(&self) -> Option<[Piece; 2]> {
        let high = match self.place {
            Place::Reg(r) => Place::Reg(Reg { num: r.num + 2, ..r }),
            Place::Stack { offset } => Place::Stack { offset: offset + 8 },
            Place::RegPlus { .. } => return None,
        };
        let half = Piece { size: 8, ..*self };
        (self.size == 16).then_some([half, Piece { offset: self.offset + 8, place: high, ..half }])
    }

    /// The register, if the piece is in one.
    pub fn reg(&self) -> Option<Reg> {
        match self.place {
            Place::Reg(reg) | Place::RegPlus { reg, .. } => Some(reg),
            Place::Stack { .. } => None,
        }
    }

    /// Bytes of the register that are in use, a power of two: with class and number they name it where registers overlap. On
    /// 32-bit ARM `Float` 0 is s0 of 4 bytes, d0 of 8 and q0 of 16.
    pub fn reg_bytes(&self) -> Option<u32> {
        self.reg()?;
        let Extension::Lanes { from, to } = self.ext else { return Some(self.size.next_power_of_two()) };
        let lanes = self.size / u32::from(from).div_ceil(8);
        Some(match from {
            // Of lanes of less than a byte LLVM fills 8 bytes, if it is not 16 of them.
            ..8 if lanes <= 8 || to > 8 => 8,
            ..8 => 16,
            _ => (lanes * u32::from(to) / 8).next_power_of_two(),
        })
    }
}

/// The pieces of one value: up to two are stored inline.
pub type Pieces = InlineVec<Piece, 2>;

/// How a value travels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PassMode {
    /// Not at all: `void`, empty structs.
    Ignore,
    /// In pieces, in registers or on the stack. Bytes of the value that no piece covers have no meaning.
    Direct(Pieces),
    /// By address. For an argument the caller makes a copy that the callee owns, unless the type is a non-trivial C++
    /// class: then it is the object itself. For a result the caller provides memory.
    Indirect {
        /// Where the address lives.
        pointer: Piece,
        /// Size of the memory in bytes.
        size: u64,
        /// Its alignment in bytes.
        align: u32,
    },
    /// The value travels in parts, and each part travels directly or by the address of its own copy. On 64-bit Windows, LLVM passes
    /// the parts that fit no general register by address. [`Piece::offset`] of pieces and addresses is where the part
    /// begins in the value.
    Parts(Vec<PassMode>),
    /// The whole value is copied into the stack argument area (class MEMORY, `byval`). The callee owns the copy.
    StackCopy {
        /// Bytes above the stack pointer at the call instruction.
        offset: u32,
        /// Number of bytes copied.
        size: u64,
        /// Alignment of the copy in bytes.
        align: u32,
    },
    /// A field of the argument block ([`FnAbi::arg_block`]), where the caller constructs it.
    InBlock {
        /// Offset in the block in bytes.
        offset: u32,
        /// Size in bytes.
        size: u64,
        /// The field holds the value's address instead of the value.
        indirect: bool,
    },
}

impl PassMode {
    /// In one piece.
    pub(crate) fn piece(piece: Piece) -> PassMode {
        PassMode::Direct(Pieces::one(piece))
    }

    /// A pointer of `bytes` bytes in a register.
    pub(crate) fn pointer(bytes: u32, reg: Reg) -> PassMode {
        PassMode::piece(Piece::whole(bytes, Place::Reg(reg)))
    }

    /// In these pieces; without any it does not travel.
    pub(crate) fn direct(pieces: Pieces) -> PassMode {
        if pieces.is_empty() { PassMode::Ignore } else { PassMode::Direct(pieces) }
    }

    /// In parts, which travel so.
    pub(crate) fn of_parts(mut modes: Vec<PassMode>) -> PassMode {
        if modes.iter().all(|mode| matches!(mode, PassMode::Direct(_))) {
            return PassMode::direct(modes.iter().flat_map(PassMode::pieces).copied().collect());
        }
        match modes[..] {
            [PassMode::Indirect { pointer: Piece { offset: 0, .. }, .. }] => modes.remove(0),
            _ => PassMode::Parts(modes),
        }
    }

    /// By the address in `pointer`.
    pub(crate) fn indirect(pointer: Piece, Layout { size, align }: Layout) -> PassMode {
        PassMode::Indirect { pointer, size, align }
    }

    /// The pieces of a direct value, else none.
    pub fn pieces(&self) -> &[Piece] {
        match self {
            PassMode::Direct(pieces) => pieces,
            _ => &[],
        }
    }
}

/// An argument's ABI.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArgAbi {
    /// How it travels.
    pub mode: PassMode,
    /// Size and alignment of the value in memory, including bytes without meaning that do not travel.
    pub layout: Layout,
}

/// A result's ABI.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RetAbi {
    /// How it travels: [`PassMode::Ignore`], [`PassMode::Direct`] or [`PassMode::Indirect`]. An LLVM-level result that
    /// is demoted to memory is `Indirect` too; one with an `sret` parameter is `Ignore`.
    pub mode: PassMode,
    /// Size and alignment of the value in memory, as of an argument; without result, [`Layout::NOTHING`].
    pub layout: Layout,
    /// Of an LLVM-level aggregate that is demoted to memory, the offsets of its scalars and vectors in bytes, in order of
    /// flattening; else nothing.
    pub offsets: Vec<u32>,
}

impl RetAbi {
    /// The offset in memory of the scalar of this number, if the result is demoted to memory.
    pub fn offset(&self, scalar: u32) -> u32 {
        self.offsets.get(scalar as usize).copied().unwrap_or(0)
    }
}

/// The area in which a caller constructs its arguments in place (`inalloca`): the stack argument area itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgBlock {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// The parameter that is the block's address, at LLVM level.
    pub param: Option<u32>,
}

/// One register's slot in the register save area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SaveSlot {
    /// Offset in the area in bytes.
    pub offset: u32,
    /// Bytes saved.
    pub size: u32,
    /// The register.
    pub reg: Reg,
}

/// What a variadic function needs for `va_start`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VarArea {
    /// Size of a `va_list` object in bytes.
    pub va_list_size: u32,
    /// Its alignment in bytes.
    pub va_list_align: u32,
    /// What `va_start` stores into it.
    pub fields: InlineVec<VaField, 5>,
    /// The register save area in the callee's frame, if the convention has one.
    pub save_area: Option<SaveArea>,
}

impl VarArea {
    /// A `va_list` that is a pointer of `bytes` bytes to the stack arguments from `offset` on.
    pub(crate) fn pointer(bytes: u32, offset: u32) -> VarArea {
        let start = VaField { offset: 0, size: bytes, init: VaInit::StackArgs { offset } };
        VarArea { va_list_size: bytes, va_list_align: bytes, fields: InlineVec::one(start), save_area: None }
    }
}

/// Where a register save area is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SaveAreaPlace {
    /// Anywhere in the callee's frame.
    Frame,
    /// In the callee's frame, its end being the start of the stack arguments (AAPCS32, Windows ARM64): saved
    /// registers and stack arguments are one array.
    BelowStackArgs,
    /// At the start of the stack argument area, in the home space that the caller left ([`FnAbi::home_space`]).
    HomeSpace,
}

/// A register save area.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SaveArea {
    /// Where it is.
    pub place: SaveAreaPlace,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Argument registers to save, without those that named arguments took.
    pub slots: Vec<SaveSlot>,
    /// If set, floating-point registers need saving only when this register's low byte is not 0 (x86-64 `al`).
    pub float_guard: Option<Reg>,
}

/// A member of a `va_list` and its value after `va_start`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct VaField {
    /// Offset in the `va_list` in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// The value.
    pub init: VaInit,
}

/// The initial value of a `va_list` member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VaInit {
    /// A number.
    Const(i32),
    /// The address `offset` bytes into the stack argument area (offsets as in [`Place::Stack`]).
    StackArgs {
        /// Bytes above the stack pointer at the call instruction.
        offset: u32,
    },
    /// The address `offset` bytes into the register save area.
    SaveArea {
        /// Bytes from its start.
        offset: u32,
    },
}

impl Default for VaInit {
    fn default() -> VaInit {
        VaInit::Const(0)
    }
}

/// How a convention spells a C function's name in the object file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Decoration {
    /// As in the source.
    #[default]
    None,
    /// `_name`.
    Underscore,
    /// `_name@bytes`.
    Stdcall(u32),
    /// `@name@bytes`.
    Fastcall(u32),
    /// `name@@bytes`.
    Vectorcall(u32),
}

impl Decoration {
    /// The decorated name. Nothing is added to a name that Microsoft's C++ has made, which begins with `?`, nor to one after
    /// a byte 1 (LLVM LangRef, "Identifiers"; "Data Layout", `m:x`).
    pub fn apply(self, name: &str) -> String {
        if let Some(exact) = name.strip_prefix('\u{1}') {
            return exact.into();
        }
        match self {
            _ if name.starts_with('?') => name.into(),
            Decoration::None => name.into(),
            Decoration::Underscore => alloc::format!("_{name}"),
            Decoration::Stdcall(bytes) => alloc::format!("_{name}@{bytes}"),
            Decoration::Fastcall(bytes) => alloc::format!("@{name}@{bytes}"),
            Decoration::Vectorcall(bytes) => alloc::format!("{name}@@{bytes}"),
        }
    }
}

/// Everything both sides of a call agree on.
///
/// Its `Display` form is one stable line: `r: [0..4)@rax; a1: [0..8)@xmm0, [8..16)@rdi; pop 0`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FnAbi {
    /// The architecture, for register names.
    pub arch: Arch,
    /// One entry per parameter of the signature, in order.
    pub args: Vec<ArgAbi>,
    /// The result.
    pub ret: RetAbi,
    /// Size of the stack argument area in bytes, home space included, before rounding to `stack_align`.
    pub stack_arg_bytes: u32,
    /// Bytes that the callee's return instruction removes beside the return address.
    pub callee_pop_bytes: u32,
    /// Alignment of the stack pointer at the call instruction, in bytes.
    pub stack_align: u32,
    /// Alignment of the stack pointer at the call instruction that the callee's frame may rely on, in bytes: `stack_align`, but where
    /// functions go on to each other by jumps ([`replaces_arguments`](crate::Convention::replaces_arguments)) no more than every function keeps to.
    pub entry_align: u32,
    /// Bytes between the stack pointer at the call instruction and the one at the callee's entry (the return address).
    pub entry_bias: u32,
    /// The register in which the callee returns the address of the result's memory.
    pub sret_return_reg: Option<Reg>,
    /// The parameter that carries that address, if it is one of the signature's (`sret`) and not a hidden one.
    pub sret_param: Option<u32>,
    /// The register in which a C++ constructor or destructor returns the address of its object.
    pub returns_this: Option<Reg>,
    /// The static chain register.
    pub static_chain: Option<Reg>,
    /// Of variadic calls, the register whose low byte holds an upper bound of the vector registers used, and the bound.
    pub vector_count: Option<(Reg, u8)>,
    /// Of variadic functions, the `va_start` recipe.
    pub variadic: Option<VarArea>,
    /// The argument block, in conventions that have one.
    pub arg_block: Option<ArgBlock>,
    /// Registers that a call may change, results included.
    pub clobbers: RegSet,
    /// Registers that a callee must keep (the stack pointer not counted); of vector registers, 16 bytes. Where the enabled
    /// ones are wider, they are in `clobbers` too.
    pub preserved: RegSet,
    /// Vector registers of which a callee must keep the low 64 bits only; they are in `clobbers` too.
    pub preserved_low64: RegSet,
    /// Bytes at the start of the stack argument area that the callee owns (Win64).
    pub home_space: u32,
    /// Bytes below the stack pointer that stay intact in signal and interrupt handlers.
    pub red_zone: u32,
    /// Spelling of a C function's symbol.
    pub decoration: Decoration,
}
