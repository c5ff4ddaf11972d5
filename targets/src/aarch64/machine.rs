//! The machine: what code is generated for, and how the allocator's registers become operands.

use gusset_abi::features::{Hardening, ThreadRegister};
use gusset_abi::{AbiTarget, Arch, Endian, Env, Os};
use gusset_codegen::ir::{Linkage, Module, SymbolId, SymbolKind, Type};
use gusset_codegen::machine::{AccessAlignment, FrameAddr, MachineFacts, PReg};

use super::encode::ops::{READ_TPIDR, READ_TPIDR_EL1, READ_TPIDR_EL2, READ_TPIDR_EL3, READ_TPIDRRO, ReadSystem};
use super::encode::{CODE, CODE_BE};
use super::reg::{Mem, Vreg, Width};
use super::registers;
use super::registers::PLATFORM;
use crate::shared;
pub(super) use crate::shared::arm::gpr;

/// Instruction-set extensions beyond Armv8.0-A.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// LSE: atomic operations in one instruction.
    pub lse: bool,
    /// Loads and stores of sixteen aligned bytes are atomic.
    pub lse2: bool,
    /// Atomic operations call run-time library functions that look at the processor's features.
    pub outline_atomics: bool,
    /// Loads with the weaker acquire ordering.
    pub rcpc: bool,
    /// Arithmetic on `f16`.
    pub half: bool,
    /// There are no registers for numbers and vectors.
    pub no_floats: bool,
    /// There are no instructions on vectors in these.
    pub no_neon: bool,
    /// No load or store is unaligned.
    pub strict_alignment: bool,
    /// `x18` is free for use: nobody has reserved it.
    pub platform_register: bool,
    /// Offset in bytes of the stack guard's value in the thread's block; `None`: the value is a variable.
    pub thread_guard: Option<i32>,
    /// Where the address of the thread's block is, if not in `tpidr_el0`.
    pub thread: Option<ThreadRegister>,
    /// Addresses of variables have tags in their upper bits.
    pub tagged_globals: bool,
    /// A multiply-accumulate never directly follows a memory access (Arm, "Cortex-A53 Software Developers Errata
    /// Notice", 835769).
    pub separate_products: bool,
    /// What all functions do against speculative execution.
    pub hardening: Hardening,
}

/// The alignment that accesses need where alignment is checked: their size.
const STRICT: AccessAlignment = AccessAlignment { general: 8, float: 8, vector: 16 };

/// How far apart code and data may be, by LLVM's code models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// `small`: 4 GiB.
    Pages,
    /// `tiny`: 1 MiB.
    Tiny,
    /// `large`, without position-independent code: anywhere.
    Anywhere,
}

/// The back end for AArch64.
#[derive(Clone, Debug)]
pub struct Aarch64 {
    /// Extensions that may be used.
    pub features: Features,
    /// Position-independent code: symbols that are not known to be local go through the GOT.
    pub pic: bool,
    /// Position-independent code for an executable only: its thread-local variables are at fixed offsets.
    pub pie: bool,
    /// How far apart code and data may be.
    pub reach: Reach,
    /// Number of bits of a variable's offset from the thread pointer: 12, 24 or 32.
    pub tls_bits: u8,
    /// For Windows, with the tools and libraries of this environment.
    pub windows: Option<Env>,
    /// What codegen has to know about it.
    pub(super) facts: MachineFacts,
}

impl Aarch64 {
    /// A back end for ELF on a system.
    pub fn new(features: Features, pic: bool, os: Os, endian: Endian) -> Aarch64 {
        let library = AbiTarget { arch: Arch::Aarch64, os, endian, ..AbiTarget::X86_64_LINUX };
        let mut registers = registers::AAPCS64;
        if features.platform_register {
            registers.allocatable |= PLATFORM.mask();
        }
        if features.no_floats {
            registers = registers::without_floats(registers);
        }
        let facts = MachineFacts {
            registers,
            frame: registers::ELF_FRAME,
            code: if endian.is_big() { &CODE_BE } else { &CODE },
            pointer: Type::I64,
            dwarf_register: registers::dwarf,
            unoptimized_has_all: true,
            library,
            vector_unit: 16,
            has_pair_access: true,
            soft_float: features.no_floats,
            soft_quads: false,
            execute_only: false,
            has_half: features.half,
            vector_feature: |_| None,
            without_vectors: "an argument or a result is in a vector register, and the target has none without the feature `fp-armv8`",
            library_registers: 0,
            guard_stack_bytes: 0,
            indexes_symbols: false,
            indexes_with_offsets: false,
            nop_bytes: 4,
            alignment: if features.strict_alignment { STRICT } else { AccessAlignment::ANY },
            strict_alignment: STRICT,
        };
        Aarch64 { features, pic, pie: false, reach: Reach::Pages, tls_bits: 24, windows: None, facts }
    }

    /// A back end for Windows.
    pub fn new_windows(features: Features, env: Env) -> Aarch64 {
        let mut machine =
            Aarch64::new(Features { platform_register: false, ..features }, true, Os::Windows, Endian::Little);
        machine.windows = Some(env);
        machine.facts.registers = registers::WINDOWS;
        machine.facts.frame = registers::WINDOWS_FRAME;
        // On Windows, functions that C lacks are in libraries with GNU's ABI.
        machine.facts.library.env = Env::Gnu;
        machine
    }

    /// Where the address of the thread's block is.
    pub(super) fn thread_register(&self) -> ReadSystem {
        match self.features.thread {
            Some(ThreadRegister::UserReadOnly) => READ_TPIDRRO,
            Some(ThreadRegister::Privileged) => READ_TPIDR_EL1,
            Some(ThreadRegister::Hypervisor) => READ_TPIDR_EL2,
            Some(ThreadRegister::Monitor) => READ_TPIDR_EL3,
            Some(ThreadRegister::User | ThreadRegister::Library) | None => READ_TPIDR,
        }
    }

    /// Is a symbol called through a cell that holds its address?
    pub(super) fn is_called_by_cell(&self, module: &Module, s: SymbolId) -> bool {
        let symbol = module.symbol(s);
        match self.windows {
            Some(_) => shared::windows::is_called_by_cell(symbol),
            None => symbol.no_plt && !symbol.dso_local,
        }
    }

    /// Can relocations hold this addend? Those of COFF have 21 bits for it.
    pub(super) fn is_addend(&self, n: i32) -> bool {
        self.windows.is_none() || (-1 << 20..1 << 20).contains(&n)
    }

    /// Can a pair of instructions reach the symbol, wherever the linker puts this code? Not if the symbol may be
    /// undefined.
    pub fn is_near(&self, module: &Module, s: SymbolId) -> bool {
        let symbol = module.symbol(s);
        if let Some(env) = self.windows {
            return !symbol.far && (symbol.dso_local || shared::windows::is_here(symbol, env));
        }
        let here = symbol.dso_local || !self.pic && symbol.is_defined();
        let tagged = self.features.tagged_globals && symbol.kind != SymbolKind::Function;
        here && !tagged && !symbol.far && symbol.linkage != Linkage::ImportWeak
    }
}

/// The vector register with an allocator's number.
#[inline]
pub(super) fn vreg(r: PReg) -> Vreg {
    Vreg(r.num())
}

/// The memory operand of a place in the frame.
#[inline]
pub(super) fn mem(at: FrameAddr) -> Mem {
    Mem::Base(gpr(at.base), at.disp)
}

/// The register width in which integers of a type are computed.
#[inline]
pub(super) fn width(ty: Type) -> Width {
    if ty.bits() <= 32 { Width::W } else { Width::X }
}
