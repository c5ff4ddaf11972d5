//! What the conventions of 32-bit x86 share. [`sysv`](super::sysv) has the rules of ELF and Apple systems and of MinGW,
//! [`windows`](super::windows) those of MSVC, and [`vectorcall`](super::vectorcall) those that both try first.
//!
//! All of them push arguments from right to left into slots of 4 bytes, keep ebx, esi, edi and ebp, and return in eax, edx, st0 or
//! xmm0 (psABI i386, section 2.2.3 and table 2.3; MS, "Argument passing and naming conventions").

use crate::engine::{Bank, Banks, Engine};
use crate::families::vectorcall::{Waiting, check_vector};
use crate::llvm::x86::changed_arguments;
use crate::prelude::*;
use crate::reg::x86::*;

/// GCC manual, "x86 Function Attributes", `regparm`: eax, edx, ecx.
const REGPARM: Bank = &[0, 2, 1];
/// MS, "`__fastcall`": ecx, edx.
const FASTCALL: Bank = &[1, 2];
/// MS, "`__thiscall`": ecx.
const THISCALL: Bank = &[1];
/// psABI i386, section 2.2.3: the first three vectors; clang on Apple's systems: four.
const VECTORS: [Bank; 3] = [&[0, 1, 2], &[0, 1, 2, 3], &[0, 1, 2, 3, 4, 5]];

/// What `__vectorcall` needs to know before it hands out registers: vectors choose before homogeneous aggregates do.
#[derive(Default)]
pub(crate) struct Vectorcall {
    /// Parameters that have a register of their own.
    pub(crate) vectors: Vec<bool>,
    /// Registers of these vectors.
    pub(crate) filled: u32,
    pub(crate) waiting: Waiting,
}

/// A call, while its signature is classified.
pub(crate) struct Call<'a> {
    pub(crate) target: &'a AbiTarget,
    pub(crate) layout: DataLayout,
    pub(crate) engine: Engine,
    pub(crate) convention: Convention,
    pub(crate) modifiers: Modifiers,
    pub(crate) variadic: bool,
    /// How many general registers arguments may still take. Aggregates of `__fastcall` use this up without getting any
    /// register.
    pub(crate) budget: u32,
    /// How many vector registers Microsoft's conventions may still hand out.
    pub(crate) vector_budget: u32,
    pub(crate) vectorcall: Option<Vectorcall>,
    /// An argument has to be constructed in the argument block.
    pub(crate) block: bool,
    /// `this` comes before the address of the result: Microsoft's methods that return a class.
    pub(crate) this_first: bool,
}

/// How a vector not wider than a register is passed, after LLVM has made its type legal.
pub(crate) enum VectorKind {
    /// As an integer of its size.
    Int,
    /// As this floating-point scalar.
    Float(Scalar),
    /// In a vector register, from its lowest byte on.
    Register,
}

impl<'a> Call<'a> {
    pub(crate) fn new(target: &'a AbiTarget, signature: &Signature) -> Result<Call<'a>, AbiError> {
        let variadic = signature.variadic.is_some();
        let Signature { mut convention, modifiers, .. } = *signature;
        let wrong = |reason| Err(AbiError::new(Subject::Signature, reason));
        match convention {
            // GCC and clang: a variadic function cannot pop its arguments, so it gets the ordinary convention.
            Convention::Stdcall if variadic => convention = Convention::C,
            Convention::Fastcall | Convention::Thiscall | Convention::Vectorcall if variadic => {
                return wrong("a variadic function cannot remove its arguments from the stack");
            }
            Convention::Fastcall | Convention::Thiscall | Convention::Vectorcall
                if modifiers.regparm > 0 || modifiers.sse_regparm =>
            {
                return wrong("regparm and sseregparm change the C convention and __stdcall only");
            }
            _ => {}
        }
        if modifiers.regparm > 3 {
            return wrong("regparm goes up to 3");
        }
        let msvc = target.env == Env::Msvc;
        if modifiers.sse_regparm && msvc {
            return wrong("MSVC has no sseregparm");
        }
        let (ints, budget) = match convention {
            Convention::Fastcall | Convention::Vectorcall => (FASTCALL, 2),
            Convention::Thiscall => (THISCALL, 0),
            _ if variadic => (REGPARM, 0),
            _ => (REGPARM, modifiers.regparm.into()),
        };
        let vectors = match convention {
            Convention::Vectorcall => VECTORS[2],
            _ if target.os == Os::Darwin => VECTORS[1],
            _ => VECTORS[0],
        };
        let banks: Banks = [ints, vectors, &[]];
        Ok(Call {
            target,
            layout: DataLayout::new(target),
            engine: Engine::new(banks, 4, stack_align(target)),
            convention,
            modifiers,
            variadic,
            budget,
            vector_budget: match convention {
                Convention::Vectorcall => 6,
                _ if modifiers.regparm > 0 => 0,
                _ => 3,
            },
            vectorcall: None,
            block: false,
            this_first: msvc && matches!(signature.ret.ty, AbiType::C(CType::Record(_) | CType::Vector { .. })),
        })
    }

    /// Are records and vectors passed as by Microsoft's compiler?
    pub(crate) fn by_microsoft(&self) -> bool {
        self.target.has_microsoft_library()
    }

    /// Takes `words` registers from the budget; a request for more uses it up.
    pub(crate) fn spend(&mut self, words: u64) -> bool {
        let fits = words <= self.budget.into();
        self.budget = if fits { self.budget - words as u32 } else { 0 };
        fits
    }

    /// clang: no further register of `regparm` holds a value; those that are left stay empty.
    fn exhaust_registers(&mut self) {
        if self.modifiers.regparm > 0 {
            self.budget = 0;
        }
    }

    /// A general register, if the budget has one.
    fn budgeted(&mut self) -> Option<Reg> {
        if self.budget == 0 {
            return None;
        }
        self.budget -= 1;
        self.engine.take(RegClass::Int, usize::MAX)
    }

    /// A pointer that the convention adds for an argument: in a general register if one is left.
    pub(crate) fn pointer(&mut self) -> Result<Piece, AbiError> {
        let reg = match self.convention {
            Convention::Thiscall => self.engine.take(RegClass::Int, usize::MAX),
            _ => self.budgeted(),
        };
        Ok(Piece::whole(4, self.engine.place(reg, 4, 4)?))
    }

    /// Passes an argument by address.
    pub(crate) fn by_address(&mut self, layout: Layout) -> Result<PassMode, AbiError> {
        Ok(PassMode::indirect(self.pointer()?, layout))
    }

    /// Returns a result in memory. Its address takes no register of `__fastcall` and `__vectorcall`, except for classes
    /// that C++ wants in memory, and none of `__thiscall`, except on MinGW and Cygwin (clang, LLVM).
    pub(crate) fn result_in_memory(&mut self, layout: Layout, class: bool) -> Result<PassMode, AbiError> {
        let registers = match self.convention {
            Convention::Fastcall | Convention::Vectorcall => class,
            Convention::Thiscall => self.target.is_cygming(),
            _ => true,
        };
        let pointer = if registers { self.pointer()? } else { Piece::whole(4, self.engine.place(None, 4, 4)?) };
        Ok(PassMode::indirect(pointer, layout))
    }

    /// Copies the whole value into the stack argument area.
    pub(crate) fn copy(&mut self, size: u64, align: u32) -> Result<PassMode, AbiError> {
        self.check_this(true)?;
        // Even nothing takes a slot.
        let offset = self.engine.stack(size.max(1), align)?;
        Ok(PassMode::StackCopy { offset, size, align })
    }

    /// Fails if ecx is not free for `this`: LLVM gives ecx of `__thiscall` to the first word of any argument.
    fn check_this(&self, words: bool) -> Result<(), AbiError> {
        if words && self.convention == Convention::Thiscall && self.engine.free(RegClass::Int) > 0 {
            return Err(AbiError::ty("__thiscall wants `this`, a pointer, before aggregates and 64-bit integers"));
        }
        Ok(())
    }

    /// One piece of `bytes` in a new stack slot.
    fn on_stack(&mut self, bytes: u32, slot: u64, align: u32) -> Result<PassMode, AbiError> {
        Ok(PassMode::piece(Piece::whole(bytes, Place::Stack { offset: self.engine.stack(slot, align)? })))
    }

    /// A scalar argument that is not a vector.
    pub(crate) fn scalar(&mut self, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
        let size = layout.size;
        match ty {
            CType::Scalar(Scalar::Float(kind)) => self.float(*kind, size),
            CType::BitInt { bits, .. } if *bits > 64 => {
                // clang: its address gets no register that the value itself would not have got.
                self.exhaust_registers();
                self.by_address(layout)
            }
            _ => self.int(ty, size),
        }
    }

    fn float(&mut self, kind: FloatKind, size: u64) -> Result<PassMode, AbiError> {
        let in_sse = matches!(kind, FloatKind::F32 | FloatKind::F64) && self.modifiers.sse_regparm && !self.variadic;
        if in_sse && let Some(reg) = self.engine.take(RegClass::Float, 3) {
            return Ok(PassMode::piece(in_register(reg, 0, size)));
        }
        match kind {
            FloatKind::F16 | FloatKind::BF16 if self.budget > 0 && self.modifiers.regparm > 0 => {
                Err(AbiError::ty("compilers disagree on 16-bit floating-point arguments of regparm functions"))
            }
            FloatKind::Long if size > 8 => {
                self.exhaust_registers();
                self.on_stack(10, size, 4)
            }
            FloatKind::F128 => {
                self.exhaust_registers();
                self.on_stack(16, 16, 16)
            }
            _ => self.on_stack(size as u32, size, 4),
        }
    }

    /// Integers, pointers and `_BitInt` of up to 64 bits.
    fn int(&mut self, ty: &CType, size: u64) -> Result<PassMode, AbiError> {
        let words = size.div_ceil(4);
        let in_registers = match self.convention {
            Convention::Thiscall if words == 1 => self.engine.free(RegClass::Int) > 0,
            // Longer integers do not use fastcall's registers and leave them free (MS, "`__fastcall`"; clang).
            Convention::Fastcall | Convention::Vectorcall if words > 1 => false,
            _ => self.spend(words),
        };
        let mut pieces = Pieces::new();
        if in_registers {
            for word in 0..words as u32 {
                let Some(reg) = self.engine.take(RegClass::Int, usize::MAX) else { break };
                pieces.push(in_register(reg, 4 * word, size - 4 * u64::from(word)));
            }
        } else {
            self.check_this(true)?;
            let offset = self.engine.stack(size, 4)?;
            pieces.push(Piece::whole(size as u32, Place::Stack { offset }));
        }
        // psABI i386, section 2.2.3: the caller extends; the callee may only rely on `_Bool`, in its byte.
        pieces[0].extend(ty, 32);
        Ok(PassMode::Direct(pieces))
    }

    /// How LLVM legalizes a vector. `argument` is for vectors that clang turns into `i64` for arguments only.
    pub(crate) fn vector_kind(
        &self,
        lane: Scalar,
        lanes: u32,
        size: u64,
        argument: bool,
    ) -> Result<VectorKind, AbiError> {
        if !matches!(lane, Scalar::Int { bits: 8..=64, .. } | Scalar::Float(_))
            || matches!(lane, Scalar::Float(FloatKind::Long | FloatKind::F128))
        {
            return Err(AbiError::ty("vectors of this lane type are not passed to functions"));
        }
        check_vector(&self.layout, size)?;
        let mmx = matches!(lane, Scalar::Int { bits: 8..=32, .. }) && size == 8;
        Ok(match lane {
            Scalar::Float(_) if lanes == 1 => VectorKind::Float(lane),
            _ if lanes == 1 || (mmx && argument) => VectorKind::Int,
            _ => VectorKind::Register,
        })
    }

    /// A vector argument of the general kind: in one of the first vector registers, else aligned on the stack.
    pub(crate) fn vector(&mut self, kind: VectorKind, size: u64) -> Result<PassMode, AbiError> {
        match kind {
            VectorKind::Int => {
                self.check_this(true)?;
                self.on_stack(size as u32, size, 4)
            }
            VectorKind::Float(_) => self.on_stack(size as u32, size, 4),
            VectorKind::Register => {
                let reg = if self.variadic { None } else { self.engine.take(RegClass::Float, usize::MAX) };
                match reg {
                    Some(reg) => Ok(PassMode::piece(in_register(reg, 0, size))),
                    // LLVM: only for MSVC's target are vectors on the stack not aligned.
                    None if self.target.is_msvc() => self.on_stack(size as u32, size.max(16), 4),
                    None => self.on_stack(size as u32, size.max(16), size.max(16) as u32),
                }
            }
        }
    }

    /// A result in registers, of a type that is not an aggregate.
    pub(crate) fn scalar_result(&mut self, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
        let size = layout.size;
        Ok(match ty {
            CType::Scalar(Scalar::Float(FloatKind::F128)) => self.result_in_memory(layout, false)?,
            CType::Scalar(Scalar::Float(kind)) => PassMode::piece(self.float_result(*kind, size)),
            CType::BitInt { bits, .. } if *bits > 64 => self.result_in_memory(layout, false)?,
            CType::Vector { lane, lanes } => match self.vector_kind(*lane, *lanes, size, false)? {
                VectorKind::Int => int_result(ty, size, false),
                VectorKind::Float(Scalar::Float(kind)) => PassMode::piece(self.float_result(kind, size)),
                _ => PassMode::piece(in_register(Reg::float(0), 0, size)),
            },
            // LLVM: callers on Apple's systems rely on it.
            _ => int_result(ty, size, self.target.os == Os::Darwin),
        })
    }

    /// psABI i386, section 2.2.3, "Returning Values": st0; xmm0 for 16-bit formats, `sseregparm` and `__vectorcall`.
    pub(crate) fn float_result(&self, kind: FloatKind, size: u64) -> Piece {
        let x87 = kind == FloatKind::Long && size > 8;
        let short = matches!(kind, FloatKind::F16 | FloatKind::BF16);
        let vector = short || (!x87 && (self.modifiers.sse_regparm || self.convention == Convention::Vectorcall));
        in_register(if vector { Reg::float(0) } else { Reg::x87(0) }, 0, if x87 { 10 } else { size })
    }

    /// Number of bytes that the callee pops in addition to the return address.
    pub(crate) fn popped(&self, ret: &PassMode) -> u32 {
        match self.convention {
            Convention::C => {
                // psABI i386, section 2.2.3, "Functions Returning Structures or Unions": the callee pops the address of
                // the result; on Windows only on Cygwin, and not with `regparm` (GCC, LLVM).
                let hidden = matches!(ret, PassMode::Indirect { .. });
                let keeps = self.target.is_windows() && self.target.env != Env::Cygnus;
                let pops = hidden && !keeps && self.modifiers.regparm == 0;
                if pops { 4 } else { 0 }
            }
            _ => self.engine.stack_bytes(),
        }
    }
}

/// A piece in a register: at most the register's bytes.
pub(crate) fn in_register(reg: Reg, offset: u32, left: u64) -> Piece {
    let size = if reg.class == RegClass::Int { left.min(4) } else { left } as u32;
    Piece { offset, size, place: Place::Reg(reg), ..Piece::default() }
}

/// A result in eax and edx. Small integers are extended in their bytes, or in the whole register if `wide`.
pub(crate) fn int_result(ty: &CType, size: u64, wide: bool) -> PassMode {
    let mut pieces = Pieces::one(in_register(RAX, 0, size));
    if size > 4 {
        pieces.push(in_register(RDX, 4, size - 4));
    }
    pieces[0].extend(ty, if wide { 32 } else { 8 * size as u16 });
    PassMode::Direct(pieces)
}

/// Alignment of the stack pointer at calls: psABI i386, section 2.2.2; elsewhere a word's (clang, GCC).
pub(crate) fn stack_align(target: &AbiTarget) -> u32 {
    if matches!(target.os, Os::Linux | Os::Darwin) { 16 } else { 4 }
}

/// The parts of the ABI that are the same for all calls. Microsoft's constructors return `this`; those of the Itanium
/// C++ ABI return nothing on this architecture.
pub(crate) fn finish(
    target: &AbiTarget,
    signature: &Signature,
    engine: &Engine,
    chain: Option<Reg>,
    abi: &mut FnAbi,
) -> Result<(), AbiError> {
    const KEPT: RegSet = RegSet::of(&[RBX, RBP, RSI, RDI]);
    const ALL: RegSet = RegSet { int: 0xff, x87: 0xff, float: 0xff };
    let convention = signature.convention;
    let by_address = abi.returns_by_address() && !convention.is_swift();
    let every = RegSet { float: if target.features.vector_bytes > 0 { ALL.float } else { 0 }, x87: 0, ..ALL };
    let results = abi.ret.mode.pieces().iter().filter_map(Piece::reg);
    let results = results.fold(if by_address { RegSet::of(&[RAX]) } else { RegSet::EMPTY }, RegSet::with);
    let changed = results.union(changed_arguments(signature, abi));
    let preserved = match (signature.modifiers.preserves, convention) {
        (Preserves::All, _) | (_, Convention::Interrupt) => every.without(RSP).difference(changed),
        (Preserves::Usual, Convention::RegCall) => RegSet { float: every.float & 0xf0, ..KEPT }.difference(changed),
        (Preserves::Nothing, _) | (_, Convention::Ghc) => RegSet::EMPTY,
        _ => KEPT,
    };
    let constructs = target.env == Env::Msvc && signature.modifiers.member == Member::Constructor;
    abi.finish(target, signature, engine, ALL.without(RSP), preserved)?;
    // The return address.
    abi.entry_bias = 4;
    abi.sret_return_reg = by_address.then_some(RAX);
    abi.returns_this = constructs.then_some(RAX);
    abi.static_chain = chain;
    Ok(())
}
