//! Trampolines as data: small pieces of code that load the static chain and jump to a nested function, so that a plain
//! function pointer can call it.
//!
//! Two forms. *In place* ([`Trampoline`]): code written into memory that the program supplies, which must become executable.
//! *Pool* ([`PoolStub`]): code pages that are never written after their set-up beside data pages that are never executable;
//! a stub loads chain and callee from its slot, at the same distance for every stub of a page.
//!
//! LLVM has no ARM trampolines at all; those here have the effect of GCC's (`arm_asm_trampoline_template`). For
//! thiscall see [`static_chain`](crate::static_chain). The code preserves every register that may hold an argument,
//! including the vector count of variadic calls.

use crate::error::AbiError;
use crate::inline::InlineVec;
use crate::reg::{Reg, RegClass, aarch64, arm, x86};
use crate::target::{AbiTarget, Arch};
use core::ops::Range;

/// Instruction sets of 32-bit ARM. Other architectures have one. An example is at [`Trampoline`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Isa {
    /// A32; on other architectures the only instruction set.
    #[default]
    Base,
    /// T32 (Thumb with 32-bit instructions).
    Thumb2,
    /// The original Thumb, with 16-bit instructions only (ARMv6-M).
    Thumb1,
}

/// Options for a trampoline. An example is at [`Trampoline`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TrampolineOptions {
    /// Begin with `endbr32`/`endbr64` (x86, Intel CET) or `bti c` (AArch64), so that indirect calls may target it.
    pub landing_pad: bool,
    /// The trampoline's own instruction set. The callee's address carries its own Thumb bit.
    pub isa: Isa,
}

/// The bytes of a trampoline's code.
pub type Code = InlineVec<u8, 32>;

/// A field of a trampoline that holds an address. An example is at [`Trampoline`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hole {
    /// The address itself.
    Absolute {
        /// Offset in the trampoline in bytes.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// Its 32-bit distance from the byte after the hole: the trampoline must not be moved.
    Relative {
        /// Offset in the trampoline in bytes.
        offset: u32,
    },
}

/// A trampoline for memory that the program supplies (`llvm.init.trampoline`).
///
/// ```
/// use gusset_abi::{AbiTarget, Convention, Trampoline, TrampolineOptions, static_chain};
///
/// let target = AbiTarget::X86_64_LINUX;
/// let trampoline = Trampoline::new(&target, static_chain(&target, Convention::C), TrampolineOptions::default())?;
/// let mut code = vec![0; trampoline.code.len()];
/// trampoline.write(&mut code, 0x1000, 0x2000, 0x3000)?;
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Trampoline {
    /// Its bytes; zero where the holes are.
    pub code: Code,
    /// Least alignment of the memory in bytes.
    pub align: u32,
    /// The field for the nested function's address.
    pub callee: Hole,
    /// The field for the static chain.
    pub chain: Hole,
    /// Is or'ed to the memory's address to get the callable one (`llvm.adjust.trampoline`): 1 for Thumb, else 0.
    pub adjust: u32,
    /// The bytes for which instruction caches must be flushed (`__clear_cache`) after they are written; empty on x86.
    pub flush: Range<u32>,
}

impl Trampoline {
    /// The trampoline that passes the static chain in `chain`: the register of [`FnAbi::static_chain`](crate::FnAbi::static_chain).
    ///
    /// | target | code | bytes |
    /// |---|---|---|
    /// | x86-64 | `movabs r11, callee; movabs r10, chain; jmp r11` | 23 |
    /// | i386 | `mov ecx, chain; jmp callee` | 10 |
    /// | AArch64 | `ldr x15, [16]; ldr x17, [24]; br x17` and two words of 8 bytes | 32 |
    /// | ARM | `ldr r12, [8]; ldr pc, [12]` and two words | 16, Thumb-1: 20 |
    ///
    /// A landing pad adds 4 bytes on x86 and none on AArch64. r11 and x17 are scratch at every call (psABI x86-64, figure 3.4;
    /// AAPCS64, section 6.1.1); `preserve_nonecc` passes an argument in r11: it has the pool form only.
    ///
    /// # Errors
    /// A register that cannot be loaded this way, or options that the architecture does not have.
    pub fn new(target: &AbiTarget, chain: Reg, options: TrampolineOptions) -> Result<Trampoline, AbiError> {
        check(target, chain, options)?;
        let mut code = start(target, options);
        let at = code.len() as u32;
        let absolute = |offset, size| Hole::Absolute { offset, size };
        Ok(match target.arch {
            Arch::X86_64 => {
                bytes(&mut code, &[0x49, 0xbb]);
                bytes(&mut code, &[0; 8]);
                bytes(&mut code, &[0x48 | chain.num >> 3, 0xb8 | chain.num & 7]);
                bytes(&mut code, &[0; 8]);
                bytes(&mut code, &[0x49, 0xff, 0xe3]);
                let (callee, chain) = (absolute(at + 2, 8), absolute(at + 12, 8));
                Trampoline { code, align: 1, callee, chain, adjust: 0, flush: 0..0 }
            }
            Arch::X86 => {
                bytes(&mut code, &[0xb8 | chain.num, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0]);
                let (callee, chain) = (Hole::Relative { offset: at + 6 }, absolute(at + 1, 4));
                Trampoline { code, align: 1, callee, chain, adjust: 0, flush: 0..0 }
            }
            Arch::Aarch64 => {
                word(&mut code, a64_load(chain.num, 16 - at));
                word(&mut code, a64_load(17, 20 - at));
                word(&mut code, A64_BR_X17);
                if !options.landing_pad {
                    word(&mut code, A64_NOP);
                }
                bytes(&mut code, &[0; 16]);
                Trampoline { code, align: 8, callee: absolute(24, 8), chain: absolute(16, 8), adjust: 0, flush: 0..16 }
            }
            Arch::Arm => {
                let data = match options.isa {
                    Isa::Base => {
                        word(&mut code, a32_load(12, 0));
                        word(&mut code, a32_load(15, 0));
                        8
                    }
                    Isa::Thumb2 => {
                        t32_load(&mut code, 12, 4);
                        t32_load(&mut code, 15, 4);
                        8
                    }
                    // push {r0, r1}; ldr r0, [12]; mov r12, r0; ldr r0, [16]; str r0, [sp, #4]; pop {r0, pc}
                    Isa::Thumb1 => {
                        [0xb403, 0x4802, 0x4684, 0x4802, 0x9001, 0xbd01]
                            .into_iter()
                            .for_each(|h| halfword(&mut code, h));
                        12
                    }
                };
                bytes(&mut code, &[0; 8]);
                Trampoline {
                    code,
                    align: 4,
                    callee: absolute(data + 4, 4),
                    chain: absolute(data, 4),
                    adjust: (options.isa != Isa::Base).into(),
                    flush: 0..data,
                }
            }
        })
    }

    /// Writes the trampoline into `memory`, which is at `address`.
    ///
    /// # Errors
    /// `memory` is too small or not aligned, or the callee is out of reach.
    pub fn write(&self, memory: &mut [u8], address: u64, callee: u64, chain: u64) -> Result<(), AbiError> {
        let Some(memory) = memory.get_mut(..self.code.len()) else {
            return Err(AbiError::target(alloc::format!("a trampoline takes {} bytes", self.code.len())));
        };
        if !address.is_multiple_of(self.align.into()) {
            return Err(AbiError::target(alloc::format!("a trampoline is aligned to {} bytes", self.align)));
        }
        memory.copy_from_slice(&self.code);
        for (hole, value) in [(self.callee, callee), (self.chain, chain)] {
            let (offset, size, value) = match hole {
                Hole::Absolute { offset, size } => (offset, size, value),
                // Addresses of 32 bits wrap around: every distance is in reach.
                Hole::Relative { offset } => (offset, 4, value.wrapping_sub(address + u64::from(offset) + 4)),
            };
            let offset = offset as usize;
            memory[offset..offset + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        }
        Ok(())
    }
}

/// How a stub of a pool refers to a word of its slot. An example is at [`Trampoline`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SlotRef {
    /// 32-bit distance from the byte after the field (x86-64).
    Relative32 {
        /// Offset of the field in the stub in bytes.
        offset: u32,
    },
    /// 32-bit address (i386).
    Absolute32 {
        /// Offset of the field in the stub in bytes.
        offset: u32,
    },
    /// Literal load of AArch64: distance from the instruction, up to 1 MiB.
    A64Literal {
        /// Offset of the instruction in the stub in bytes.
        offset: u32,
    },
    /// Literal load of ARM: distance from the instruction and `bias` bytes, up to 4,095.
    ArmLiteral {
        /// Offset of the instruction in the stub in bytes.
        offset: u32,
        /// How far the program counter is ahead of the instruction, in bytes.
        bias: u32,
        /// It is a T32 instruction.
        thumb: bool,
    },
}

/// A stub of a pool's code page. An example is at [`Trampoline`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PoolStub {
    /// Its bytes; zero where the references are.
    pub code: Code,
    /// Distance of stubs, and of slots, in bytes: a power of two.
    pub stride: u32,
    /// Offset of the callee's address in the slot in bytes.
    pub callee_at: u32,
    /// Offset of the static chain in the slot in bytes.
    pub chain_at: u32,
    /// The stub's reference to the callee's address.
    pub callee: SlotRef,
    /// The stub's reference to the static chain.
    pub chain: SlotRef,
    /// Is or'ed to the stub's address to get the callable one: 1 for Thumb, else 0.
    pub adjust: u32,
}

impl PoolStub {
    /// The stub that passes the static chain in `chain`: the register of [`FnAbi::static_chain`](crate::FnAbi::static_chain).
    ///
    /// | target | code | stride |
    /// |---|---|---|
    /// | x86-64 | `mov r10, [slot.chain]; jmp [slot.callee]` | 16, with a landing pad 32 |
    /// | i386 | the same by absolute addresses | 16 |
    /// | AArch64 | `ldr x15, slot.chain; ldr x17, slot.callee; br x17` | 16 |
    /// | ARM | `ldr r12, slot.chain; ldr pc, slot.callee` | 8 |
    ///
    /// # Errors
    /// As [`Trampoline::new`]; Thumb-1, whose loads do not reach another page.
    pub fn new(target: &AbiTarget, chain: Reg, options: TrampolineOptions) -> Result<PoolStub, AbiError> {
        check(target, chain, options)?;
        let mut code = start(target, options);
        let at = code.len() as u32;
        let word_bytes = target.pointer_bytes();
        // On ARM in the order of the loads: these just reach from one page of 4 KiB into the next.
        let chain_at = if target.arch == Arch::Arm { 0 } else { word_bytes };
        let (chain, callee) = match target.arch {
            Arch::X86_64 => {
                bytes(&mut code, &[0x48 | chain.num >> 3 << 2, 0x8b, 0x05 | (chain.num & 7) << 3, 0, 0, 0, 0]);
                bytes(&mut code, &[0xff, 0x25, 0, 0, 0, 0]);
                (SlotRef::Relative32 { offset: at + 3 }, SlotRef::Relative32 { offset: at + 9 })
            }
            Arch::X86 => {
                bytes(&mut code, &[0x8b, 0x05 | chain.num << 3, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0]);
                (SlotRef::Absolute32 { offset: at + 2 }, SlotRef::Absolute32 { offset: at + 8 })
            }
            Arch::Aarch64 => {
                word(&mut code, a64_load(chain.num, 0));
                word(&mut code, a64_load(17, 0));
                word(&mut code, A64_BR_X17);
                (SlotRef::A64Literal { offset: at }, SlotRef::A64Literal { offset: at + 4 })
            }
            Arch::Arm => {
                let (bias, thumb) = match options.isa {
                    Isa::Base => {
                        word(&mut code, a32_load(12, 0));
                        word(&mut code, a32_load(15, 0));
                        (8, false)
                    }
                    Isa::Thumb2 => {
                        t32_load(&mut code, 12, 0);
                        t32_load(&mut code, 15, 0);
                        (4, true)
                    }
                    Isa::Thumb1 => {
                        return Err(AbiError::target(
                            "Thumb-1 loads do not reach another page: no pool of trampolines",
                        ));
                    }
                };
                let literal = |offset| SlotRef::ArmLiteral { offset, bias, thumb };
                (literal(0), literal(4))
            }
        };
        Ok(PoolStub {
            stride: (code.len() as u32).next_power_of_two(),
            code,
            callee_at: word_bytes - chain_at,
            chain_at,
            callee,
            chain,
            adjust: (options.isa != Isa::Base).into(),
        })
    }

    /// Writes the stub at `address` into `memory`; its slot is at `slot`.
    ///
    /// # Errors
    /// `memory` is too small, an address is not aligned, or the slot is out of reach.
    pub fn write(&self, memory: &mut [u8], address: u64, slot: u64) -> Result<(), AbiError> {
        let Some(memory) = memory.get_mut(..self.code.len()) else {
            return Err(AbiError::target(alloc::format!("a stub takes {} bytes", self.code.len())));
        };
        if !address.is_multiple_of(self.stride.min(16).into()) || !slot.is_multiple_of(8) {
            return Err(AbiError::target("a stub or its slot is not aligned"));
        }
        memory.copy_from_slice(&self.code);
        for (reference, at) in [(self.callee, self.callee_at), (self.chain, self.chain_at)] {
            refer(reference, memory, address, slot + u64::from(at))?;
        }
        Ok(())
    }
}

/// Fills in a stub's reference to `to`.
fn refer(reference: SlotRef, memory: &mut [u8], address: u64, to: u64) -> Result<(), AbiError> {
    let too_far = |bytes: i64| AbiError::target(alloc::format!("a slot {bytes} bytes away is out of a stub's reach"));
    let (offset, field) = match reference {
        SlotRef::Relative32 { offset } => {
            let distance = to.wrapping_sub(address + u64::from(offset) + 4) as i64;
            (offset, i32::try_from(distance).map_err(|_| too_far(distance))? as u32)
        }
        SlotRef::Absolute32 { offset } => (offset, u32::try_from(to).map_err(|_| too_far(to as i64))?),
        SlotRef::A64Literal { offset } => {
            let distance = to.wrapping_sub(address + u64::from(offset)) as i64;
            if !(-(1 << 20)..1 << 20).contains(&distance) || distance % 4 != 0 {
                return Err(too_far(distance));
            }
            (offset, (distance as u32 >> 2 & 0x7_ffff) << 5)
        }
        SlotRef::ArmLiteral { offset, bias, thumb } => {
            let distance = to.wrapping_sub(address + u64::from(offset) + u64::from(bias)) as i64;
            if !(0..4096).contains(&distance) {
                return Err(too_far(distance));
            }
            (offset, if thumb { (distance as u32) << 16 } else { distance as u32 })
        }
    };
    let place = &mut memory[offset as usize..offset as usize + 4];
    let old = place.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
    place.copy_from_slice(&(old | field).to_le_bytes());
    Ok(())
}

fn check(target: &AbiTarget, chain: Reg, options: TrampolineOptions) -> Result<(), AbiError> {
    let possible = match target.arch {
        Arch::X86_64 => chain.class == RegClass::Int && chain.num < 16 && chain != x86::R11 && chain != x86::RSP,
        Arch::X86 => chain.class == RegClass::Int && chain.num < 8 && chain != x86::RSP,
        Arch::Aarch64 => chain.class == RegClass::Int && chain.num < 31 && chain != aarch64::X17,
        Arch::Arm => chain == arm::R12,
    };
    if target.endian.is_big() {
        return Err(AbiError::target("there are no trampolines in big-endian code"));
    }
    if !possible {
        return Err(AbiError::target("a trampoline cannot load its static chain into this register"));
    }
    if options.isa != Isa::Base && target.arch != Arch::Arm {
        return Err(AbiError::target("Thumb trampolines are for 32-bit ARM"));
    }
    if options.landing_pad && target.arch == Arch::Arm {
        return Err(AbiError::target("32-bit ARM trampolines have no landing pads"));
    }
    Ok(())
}

const A64_BR_X17: u32 = 0xd61f_0220;
const A64_NOP: u32 = 0xd503_201f;
const A64_BTI_C: u32 = 0xd503_245f;

fn start(target: &AbiTarget, options: TrampolineOptions) -> Code {
    let mut code = Code::new();
    match target.arch {
        _ if !options.landing_pad => {}
        Arch::X86_64 => bytes(&mut code, &[0xf3, 0x0f, 0x1e, 0xfa]),
        Arch::X86 => bytes(&mut code, &[0xf3, 0x0f, 0x1e, 0xfb]),
        Arch::Aarch64 => word(&mut code, A64_BTI_C),
        Arch::Arm => {}
    }
    code
}

/// `ldr x<reg>` from `distance` bytes after the instruction.
fn a64_load(reg: u8, distance: u32) -> u32 {
    0x5800_0000 | distance >> 2 << 5 | u32::from(reg)
}

/// `ldr r<reg>, [pc, #distance]` in A32.
fn a32_load(reg: u32, distance: u32) -> u32 {
    0xe59f_0000 | reg << 12 | distance
}

/// `ldr.w r<reg>, [pc, #distance]` in T32.
fn t32_load(code: &mut Code, reg: u16, distance: u16) {
    halfword(code, 0xf8df);
    halfword(code, reg << 12 | distance);
}

fn bytes(code: &mut Code, bytes: &[u8]) {
    bytes.iter().for_each(|b| code.push(*b));
}

fn word(code: &mut Code, word: u32) {
    bytes(code, &word.to_le_bytes());
}

fn halfword(code: &mut Code, half: u16) {
    bytes(code, &half.to_le_bytes());
}
