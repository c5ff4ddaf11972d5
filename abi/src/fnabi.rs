//! The result of classification: where every piece of every argument and result is.

use crate::inline::InlineVec;
use crate::measure::Layout;
use crate::reg::{Reg, RegSet};
use crate::signature::Widen;
use crate::target::Arch;
use crate::types::{CType, Scalar};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// What happens to the register bits above a small integer. An example is at [`FnAbi`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extension {
    /// They are arbitrary.
    #[default]
    None,
    /// They are zero.
    Zero {
        /// Width of the value in bits.
        from: u16,
        /// Number of bits that are well defined; those above are arbitrary.
        to: u16,
    },
    /// They equal the value's sign bit.
    Sign {
        /// Width of the value in bits.
        from: u16,
        /// Number of bits that are well defined; those above are arbitrary.
        to: u16,
    },
    /// The piece is a vector whose lanes are adjacent in memory, while in the register each lane has more bits, which
    /// are arbitrary. LLVM does this with vectors narrower than the registers. A piece with fewer bytes than a lane
    /// carries a part of one. A floating-point lane (`<1 x half>` on 32-bit ARM) is converted to a `float`.
    Lanes {
        /// Width of a lane in memory, in bits.
        from: u16,
        /// Width of a lane in the register, in bits.
        to: u16,
    },
}

impl Extension {
    /// The extension from `from` to `to` bits, if `to` is larger.
    pub(crate) fn of(widen: Widen, from: u16, to: u16) -> Extension {
        match widen {
            Widen::Zero if from < to => Extension::Zero { from, to },
            Widen::Sign if from < to => Extension::Sign { from, to },
            _ => Extension::None,
        }
    }

    /// The same for a signed or unsigned integer.
    pub(crate) fn of_int(signed: bool, from: u16, to: u16) -> Extension {
        Extension::of(if signed { Widen::Sign } else { Widen::Zero }, from, to)
    }
}

/// Where a piece is at the call instruction. An example is at [`FnAbi`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In a register, from its lowest byte on.
    Reg(Reg),
    /// In the stack argument area.
    Stack {
        /// Offset in bytes from the stack pointer at the call instruction, before a return address is pushed. A callee
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

/// A contiguous part of a value, and its place. An example is at [`FnAbi`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Piece {
    /// Offset of its first byte in the value's memory image, in bytes. In a vector that is passed lane by lane, or with
    /// wider lanes, each lane counts as starting at a byte of its own, even if lanes share bytes in memory: lane 5 of a
    /// `<9 x i1>` has the vector's offset plus 5.
    pub offset: u32,
    /// Number of bytes of the value that it carries, counted in the same way. It is 0 for a register or slot that is
    /// used up and carries nothing, because LLVM rounds the registers of a wide lane up to a power of two. The
    /// register's remaining bytes are arbitrary unless `ext` says otherwise. For an aggregate's piece, a sender must
    /// not read beyond the value, and a receiver must not write beyond it.
    pub size: u32,
    /// Where it is.
    pub place: Place,
    /// The index of the scalar of an LLVM first-class aggregate that it belongs to, in the order of flattening;
    /// otherwise 0.
    pub scalar: u16,
    /// How the sender (the caller for an argument, the callee for a result) extends it.
    pub ext: Extension,
    /// The extension that the receiver may rely on.
    pub assume: Extension,
}

impl Piece {
    /// A piece with the first `size` bytes of a value.
    pub(crate) fn whole(size: u32, place: Place) -> Piece {
        Piece { size, place, ..Piece::default() }
    }

    /// Makes the sender extend a small integer of type `ty` to this many bits. The receiver may only rely on a `_Bool`,
    /// in its byte.
    pub(crate) fn extend(&mut self, ty: &CType, to: u16) {
        if let Some((signed, from)) = ty.small_int() {
            self.ext = Extension::of_int(signed, from, to);
        }
        if matches!(ty, CType::Scalar(Scalar::Bool)) {
            self.assume = Extension::Zero { from: 1, to: 8 };
        }
    }

    /// The halves of a piece of 16 bytes, if no register holds the whole: on 32-bit ARM, where floating-point registers
    /// are numbered by their words.
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

    /// Number of bytes of the register that are used, a power of two. Where registers overlap, it is part of the
    /// register's name: on 32-bit ARM `Float` 0 is s0 for 4 bytes, d0 for 8 and q0 for 16.
    pub fn reg_bytes(&self) -> Option<u32> {
        self.reg()?;
        let Extension::Lanes { from, to } = self.ext else { return Some(self.size.next_power_of_two()) };
        let lanes = self.size / u32::from(from).div_ceil(8);
        Some(match from {
            // For lanes of less than a byte, LLVM fills 8 bytes, unless there are 16 lanes.
            ..8 if lanes <= 8 || to > 8 => 8,
            ..8 => 16,
            _ => (lanes * u32::from(to) / 8).next_power_of_two(),
        })
    }
}

/// The pieces of one value: up to two are stored inline. An example is at [`FnAbi`].
pub type Pieces = InlineVec<Piece, 2>;

/// How a value is passed. An example is at [`FnAbi`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PassMode {
    /// Not at all: `void`, empty structs.
    Ignore,
    /// In pieces, in registers or on the stack. Bytes of the value that no piece covers have no meaning.
    Direct(Pieces),
    /// By address. For an argument the caller makes a copy that the callee owns, unless the type is a non-trivial C++
    /// class: then it is the object itself. For a result the caller provides memory.
    Indirect {
        /// Where the address is.
        pointer: Piece,
        /// Size of the memory in bytes.
        size: u64,
        /// Its alignment in bytes.
        align: u32,
    },
    /// In parts; each part is passed directly or by the address of its own copy. On 64-bit Windows, LLVM passes the
    /// parts that fit no general register by address. [`Piece::offset`] of pieces and addresses is where the part
    /// begins in the value.
    Parts(Vec<PassMode>),
    /// The whole value is copied into the stack argument area (class MEMORY, `byval`). The callee owns the copy.
    StackCopy {
        /// Offset in bytes from the stack pointer at the call instruction.
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
    /// Becomes `mode`; so far it is [`PassMode::Ignore`], which owns nothing that had to be dropped.
    #[inline]
    pub(crate) fn set(&mut self, mode: PassMode) {
        core::mem::forget(core::mem::replace(self, mode));
    }

    /// Becomes [`PassMode::Direct`] without a piece; so far it is [`PassMode::Ignore`]. The pieces are then appended in place.
    #[inline]
    pub(crate) fn start_direct(&mut self) -> &mut Pieces {
        self.set(PassMode::Direct(Pieces::new()));
        match self {
            PassMode::Direct(pieces) => pieces,
            _ => unreachable!("it was just set"),
        }
    }

    /// Direct, in one piece.
    pub(crate) fn piece(piece: Piece) -> PassMode {
        PassMode::Direct(Pieces::one(piece))
    }

    /// A pointer of `bytes` bytes in a register.
    pub(crate) fn pointer(bytes: u32, reg: Reg) -> PassMode {
        PassMode::piece(Piece::whole(bytes, Place::Reg(reg)))
    }

    /// Direct, in these pieces; if there are none, the value is not passed.
    pub(crate) fn direct(pieces: Pieces) -> PassMode {
        if pieces.is_empty() { PassMode::Ignore } else { PassMode::Direct(pieces) }
    }

    /// In parts with these modes.
    pub(crate) fn of_parts(mut modes: Vec<PassMode>) -> PassMode {
        if modes.iter().all(|mode| matches!(mode, PassMode::Direct(_))) {
            return PassMode::direct(modes.iter().flat_map(PassMode::pieces).copied().collect());
        }
        match modes[..] {
            [PassMode::Indirect { pointer: Piece { offset: 0, .. }, .. }] => modes.remove(0),
            _ => PassMode::Parts(modes),
        }
    }

    /// Indirect, by the address in `pointer`.
    pub(crate) fn indirect(pointer: Piece, Layout { size, align }: Layout) -> PassMode {
        PassMode::Indirect { pointer, size, align }
    }

    /// The pieces of a direct value; empty for others.
    pub fn pieces(&self) -> &[Piece] {
        match self {
            PassMode::Direct(pieces) => pieces,
            _ => &[],
        }
    }
}

/// An argument's ABI. An example is at [`FnAbi`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArgAbi {
    /// How it is passed.
    pub mode: PassMode,
    /// Size and alignment of the value in memory, with bytes that have no meaning and are not passed.
    pub layout: Layout,
}

/// A result's ABI. An example is at [`FnAbi`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RetAbi {
    /// How it is returned: [`PassMode::Ignore`], [`PassMode::Direct`] or [`PassMode::Indirect`]. An LLVM-level result
    /// that is demoted to memory is `Indirect` too; one with an `sret` parameter is `Ignore`.
    pub mode: PassMode,
    /// Size and alignment of the value in memory, as for an argument; [`Layout::NOTHING`] if there is no result.
    pub layout: Layout,
    /// For an LLVM-level aggregate that is demoted to memory: the offsets of its scalars and vectors in bytes, in the
    /// order of flattening. Otherwise empty.
    pub offsets: Vec<u32>,
}

impl RetAbi {
    /// The offset in memory of the scalar with this number, if the result is demoted to memory.
    pub fn offset(&self, scalar: u32) -> u32 {
        self.offsets.get(scalar as usize).copied().unwrap_or(0)
    }
}

/// The area in which a caller constructs its arguments in place (`inalloca`): it is the stack argument area. An example is at [`FnAbi`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgBlock {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// The parameter that is the block's address, at LLVM level.
    pub param: Option<u32>,
}

/// One register's slot in the register save area. An example is at [`FnAbi`].
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
///
/// ```
/// use gusset_abi::{AbiTarget, CType, Signature, classify};
///
/// let printf = Signature::c(CType::I32).param(CType::PTR).ellipsis();
/// let area = classify(&AbiTarget::X86_64_LINUX, &printf)?.variadic.expect("it has a `...`");
/// assert_eq!((area.va_list_size, area.fields.len()), (24, 4));
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
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
    /// A `va_list` that is a pointer of `bytes` bytes to the stack arguments, starting at `offset`.
    pub(crate) fn pointer(bytes: u32, offset: u32) -> VarArea {
        let start = VaField { offset: 0, size: bytes, init: VaInit::StackArgs { offset } };
        VarArea { va_list_size: bytes, va_list_align: bytes, fields: InlineVec::one(start), save_area: None }
    }
}

/// The place of a register save area. An example is at [`FnAbi`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SaveAreaPlace {
    /// Anywhere in the callee's frame.
    Frame,
    /// In the callee's frame, directly below the stack arguments (AAPCS32, Windows ARM64): saved registers and stack
    /// arguments form one array.
    BelowStackArgs,
    /// At the start of the stack argument area, in the home space that the caller left ([`FnAbi::home_space`]).
    HomeSpace,
}

/// A register save area. An example is at [`FnAbi`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SaveArea {
    /// Where it is.
    pub place: SaveAreaPlace,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Argument registers to save, without those that hold named arguments.
    pub slots: Vec<SaveSlot>,
    /// If set, floating-point registers only need saving when this register's low byte is not 0 (x86-64 `al`).
    pub float_guard: Option<Reg>,
}

/// A member of a `va_list` and its value after `va_start`. An example is at [`FnAbi`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct VaField {
    /// Offset in the `va_list` in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// The value.
    pub init: VaInit,
}

/// The initial value of a `va_list` member. An example is at [`FnAbi`].
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

/// How a convention decorates a C function's name in the object file. An example is at [`FnAbi`].
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
    /// The decorated name. Nothing is added to a name that Microsoft's C++ has made, which begins with `?`, nor to one
    /// after a byte 1 (LLVM LangRef, "Identifiers"; "Data Layout", `m:x`).
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

/// Everything that both sides of a call agree on.
///
/// Its `Display` form is one stable line: `r: [0..4)@rax; a1: [0..8)@xmm0, [8..16)@rdi; pop 0`.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, PassMode, Place, Reg, Signature, classify};
///
/// let point = CType::structure([CType::F64, CType::F64]);
/// let abi = classify(&AbiTarget::X86_64_LINUX, &Signature::c(CType::I32).param(point).param(CType::I64))?;
/// let PassMode::Direct(pieces) = &abi.args[0].mode else { panic!("in registers") };
/// assert_eq!((pieces[1].offset, pieces[1].size, pieces[1].place), (8, 8, Place::Reg(Reg::float(1))));
/// assert_eq!(abi.to_string(), "r: [0..4)@rax; a1: [0..8)@xmm0, [8..16)@xmm1; a2: [0..8)@rdi; pop 0");
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
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
    /// Bytes that the callee's return instruction pops in addition to the return address.
    pub callee_pop_bytes: u32,
    /// Alignment of the stack pointer at the call instruction, in bytes.
    pub stack_align: u32,
    /// Alignment of the stack pointer at the call instruction that the callee's frame may rely on, in bytes. It is
    /// `stack_align`, except where functions continue with each other by jumps
    /// ([`replaces_arguments`](crate::Convention::replaces_arguments)): there it is what every function guarantees.
    pub entry_align: u32,
    /// Bytes between the stack pointer at the call instruction and the stack pointer at the callee's entry (the return
    /// address).
    pub entry_bias: u32,
    /// The register in which the callee returns the address of the result's memory.
    pub sret_return_reg: Option<Reg>,
    /// The parameter that carries that address, if it is one of the signature's (`sret`) and not a hidden one.
    pub sret_param: Option<u32>,
    /// The register in which a C++ constructor or destructor returns the address of its object.
    pub returns_this: Option<Reg>,
    /// The static chain register.
    pub static_chain: Option<Reg>,
    /// For variadic calls: the register whose low byte holds an upper bound of the number of vector registers used, and
    /// the bound.
    pub vector_count: Option<(Reg, u8)>,
    /// For variadic functions: the `va_start` recipe.
    pub variadic: Option<Box<VarArea>>,
    /// The argument block, in conventions that have one.
    pub arg_block: Option<ArgBlock>,
    /// Registers that a call may change, including those of results.
    pub clobbers: RegSet,
    /// Registers that a callee must preserve (without the stack pointer); of vector registers, 16 bytes. If the enabled
    /// vector registers are wider, they are in `clobbers` too.
    pub preserved: RegSet,
    /// Vector registers of which a callee must only preserve the low 64 bits; they are in `clobbers` too.
    pub preserved_low64: RegSet,
    /// Bytes at the start of the stack argument area that the callee owns (Win64).
    pub home_space: u32,
    /// Bytes below the stack pointer that stay intact in signal and interrupt handlers.
    pub red_zone: u32,
    /// Spelling of a C function's symbol.
    pub decoration: Decoration,
}
