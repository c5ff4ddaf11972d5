//! The machine: what code is generated for, and how the allocator's registers become operands.

use gusset_abi::features::{Hardening, ThreadRegister};
use gusset_abi::{AbiTarget, Arch, Endian, Env, Os};
use gusset_codegen::ir::{Linkage, Module, SymbolId, SymbolKind, Type};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{AccessAlignment, FrameAddr, MachineFacts, PReg};

use super::encode::Isa;
use super::reg::{Mem, Vreg};
use super::registers;
use crate::shared;
pub(super) use crate::shared::arm::gpr;

/// The features of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Code is T32 rather than A32.
    pub thumb: bool,
    /// The version of the architecture: 4 to 8.
    pub version: u8,
    /// Instructions that change the instruction set: since version 4T.
    pub exchanges: bool,
    /// Version 6 with the second T32.
    pub second_t32: bool,
    /// A microcontroller: the profile that only has T32.
    pub microcontroller: bool,
    /// The real-time profile.
    pub real_time: bool,
    /// Division.
    pub divide: bool,
    /// Floating point; without it, the library computes.
    pub vfp: bool,
    /// There are registers of floating point, and their status and control register, even if nothing computes with them.
    pub float_registers: bool,
    /// Floating point of 64 bits.
    pub double: bool,
    /// Fused multiply-add.
    pub fused: bool,
    /// Rounding to integers, minimum and maximum.
    pub rounding: bool,
    /// Conversions of 16-bit floating-point numbers.
    pub half: bool,
    /// Arithmetic of 16-bit floating-point numbers, by which vectors of them are passed whole.
    pub full_half: bool,
    /// The same of `bfloat`.
    pub brain: bool,
    /// Vectors of 8 and 16 bytes, with as many more registers.
    pub neon: bool,
    /// Exclusive accesses of 1, 2 and 8 bytes.
    pub exclusive: bool,
    /// Accesses need not be aligned.
    pub unaligned: bool,
    /// There is a cycle counter.
    pub counts_cycles: bool,
    /// The thread pointer is in a register that programs can read.
    pub thread_register: bool,
    /// `r9` is the platform's.
    pub reserve_r9: bool,
    /// Functions may be farther away than branches reach.
    pub long_calls: bool,
    /// Code and what nothing writes may be loaded anywhere (LLVM's relocation model `ropi`).
    pub code_moves: bool,
    /// What can be written may be loaded anywhere: `r9` points to it (`rwpi`).
    pub data_moves: bool,
    /// Addresses are not assembled from halves.
    pub no_movt: bool,
    /// Code is never read as data.
    pub execute_only: bool,
    /// The system is Android.
    pub android: bool,
    /// Traps are those of Native Client.
    pub nacl_trap: bool,
    /// Protections of all functions.
    pub hardening: Hardening,
    /// The coprocessors that have instructions of the processor's maker, as bits.
    pub custom: u8,
    /// Operands of the ciphers' first instructions are copied: an erratum of Cortex-A57 and A72.
    pub copies_for_ciphers: bool,
    /// Signatures and marks are more than hints.
    pub pacbti: bool,
    /// Where the thread pointer is, if that was specified.
    pub thread: Option<ThreadRegister>,
}

impl Features {
    /// The least features of a processor of version 7 with vectors.
    pub const V7: Features = Features {
        thumb: false,
        version: 7,
        exchanges: true,
        second_t32: false,
        microcontroller: false,
        real_time: false,
        divide: false,
        vfp: true,
        float_registers: true,
        double: true,
        fused: false,
        rounding: false,
        half: false,
        full_half: false,
        brain: false,
        neon: true,
        exclusive: true,
        unaligned: true,
        counts_cycles: true,
        thread_register: true,
        reserve_r9: false,
        long_calls: false,
        hardening: Hardening(0),
        custom: 0,
        code_moves: false,
        data_moves: false,
        no_movt: false,
        execute_only: false,
        android: false,
        nacl_trap: false,
        pacbti: false,
        copies_for_ciphers: false,
        thread: None,
    };

    /// Version 6, with floating point.
    pub const V6: Features = Features {
        version: 6,
        counts_cycles: false,
        neon: false,
        exclusive: false,
        thread_register: false,
        ..Features::V7
    };

    /// Version 6T2.
    pub const V6T2: Features = Features { second_t32: true, ..Features::V6 };

    /// Version 5TE, without.
    pub const V5: Features = Features { version: 5, vfp: false, double: false, unaligned: false, ..Features::V6 };

    /// Are targets of branches marked? Microcontrollers before version 8.1 take the marks for instructions without effect.
    pub fn has_branch_targets(self) -> bool {
        self.microcontroller && self.version >= 7
    }

    /// Does it have the instructions that came with the second T32: constants of 16 bits, bit fields?
    pub fn has_t2(self) -> bool {
        self.version >= 7 || self.second_t32
    }
}

/// The alignment that accesses need where alignment is checked. Vectors are loaded byte by byte unless they are aligned
/// to words.
const STRICT: AccessAlignment = AccessAlignment { general: 4, float: 4, vector: 1 };

/// The back end for ARM.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Features that may be used.
    pub features: Features,
    /// Position-independent code: symbols that are not known to be local go through the GOT.
    pub pic: bool,
    /// Position-independent code for an executable only: its thread-local variables are at fixed offsets.
    pub pie: bool,
    /// For Windows, with the tools and libraries of this environment.
    pub windows: Option<Env>,
    /// The instruction set.
    pub isa: Isa,
    /// What codegen has to know about it.
    pub(super) facts: MachineFacts,
}

impl Arm {
    /// The function by which protected code calls by address.
    pub(super) fn thunk(&self) -> LibCall {
        if self.features.thumb { LibCall::SlsThunkThumbR10 } else { LibCall::SlsThunkArmR10 }
    }

    /// A back end for ELF on a system. `hard_float`: arguments are passed in floating-point registers.
    pub fn new(features: Features, pic: bool, (os, endian): (Os, Endian), abi: gusset_abi::AbiFeatures) -> Arm {
        let library = AbiTarget { arch: Arch::Arm, os, endian, features: abi, ..AbiTarget::X86_64_LINUX };
        let isa = match features.thumb {
            true => Isa::T32,
            false if features.has_t2() => Isa::A32,
            false if features.version > 4 => Isa::OldA32,
            false if features.exchanges => Isa::A32V4T,
            false => Isa::A32V4,
        };
        // Loads of vectors by bytes give numbers with their bytes in the wrong order.
        let strict = AccessAlignment { vector: if endian.is_big() { 8 } else { STRICT.vector }, ..STRICT };
        let facts = MachineFacts {
            registers: registers::file(features.vfp, features.neon),
            frame: match features.thumb {
                true if features.microcontroller => registers::MICROCONTROLLER_FRAME,
                true => registers::T32_FRAME,
                false => registers::A32_FRAME,
            },
            code: isa.code(endian),
            pointer: Type::I32,
            dwarf_register: registers::dwarf,
            // LLVM, `ARMSubtarget::useFastISel`.
            unoptimized_has_all: features.thumb || os != Os::Linux,
            library,
            vector_unit: 8,
            has_pair_access: false,
            soft_float: false,
            soft_quads: true,
            has_half: false,
            vector_feature: |bytes| (bytes <= 16).then_some("neon"),
            without_vectors: "an argument or a result is in a vector register, and the target has none without the feature `vfp2`",
            library_registers: 0,
            guard_stack_bytes: 0,
            indexes_symbols: false,
            indexes_with_offsets: false,
            nop_bytes: if features.thumb { 2 } else { 4 },
            execute_only: features.execute_only,
            alignment: AccessAlignment { general: if features.unaligned { 1 } else { 4 }, ..strict },
            strict_alignment: strict,
        };
        Arm { features, pic, pie: false, windows: None, isa, facts }
    }

    /// The same with other features.
    pub fn with_features(&self, features: Features, abi: gusset_abi::AbiFeatures) -> Arm {
        match self.windows {
            Some(env) => Arm::new_windows(features, env, abi),
            None => {
                let AbiTarget { os, endian, .. } = self.facts.library;
                Arm { pie: self.pie, ..Arm::new(features, self.pic, (os, endian), abi) }
            }
        }
    }

    /// A back end for Windows, which only has T32.
    pub fn new_windows(features: Features, env: Env, abi: gusset_abi::AbiFeatures) -> Arm {
        let mut machine = Arm::new(Features { thumb: true, ..features }, false, (Os::Windows, Endian::Little), abi);
        machine.windows = Some(env);
        machine.facts.registers = registers::windows(machine.facts.registers);
        machine.facts.frame = registers::WINDOWS_FRAME;
        machine
    }

    /// Where the thread pointer is. Without a system nobody has set the register.
    pub(super) fn thread(&self) -> ThreadRegister {
        let has_register = self.features.thread_register && self.facts.library.os != Os::None;
        self.features.thread.unwrap_or(match has_register {
            true => ThreadRegister::UserReadOnly,
            false => ThreadRegister::Library,
        })
    }

    /// The last number of the coprocessor's register with the thread pointer ("Arm Architecture Reference Manual",
    /// `TPIDRURO`). `None`: a library function returns the thread pointer.
    pub(super) fn thread_register(&self) -> Option<u32> {
        match self.thread() {
            ThreadRegister::User => Some(2),
            ThreadRegister::UserReadOnly => Some(3),
            ThreadRegister::Privileged => Some(4),
            _ => None,
        }
    }

    /// Is a symbol called through a cell that holds its address?
    pub(super) fn is_called_by_cell(&self, module: &Module, s: SymbolId) -> bool {
        let symbol = module.symbol(s);
        match self.windows {
            Some(_) => shared::windows::is_called_by_cell(symbol),
            None => self.pic && symbol.no_plt && !symbol.dso_local,
        }
    }

    /// Where the address of a symbol is found.
    pub(super) fn place(&self, module: &Module, s: SymbolId) -> Place {
        let writable = |mut s: SymbolId| {
            // An alias stands for what it finally names.
            for _ in 0..module.aliases.len() {
                s = module.aliases.iter().find(|alias| alias.symbol == s).map_or(s, |alias| alias.target);
            }
            module.symbol(s).kind == SymbolKind::Data && !module.symbol(s).read_only
        };
        match self.is_near(module, s) {
            true if self.features.data_moves && writable(s) => Place::Based,
            true => Place::Near,
            false => Place::Table,
        }
    }

    /// Is the symbol's address known when the program is linked? Not if the symbol may be undefined.
    pub fn is_near(&self, module: &Module, s: SymbolId) -> bool {
        let symbol = module.symbol(s);
        if let Some(env) = self.windows {
            return !symbol.far && (symbol.dso_local || shared::windows::is_here(symbol, env));
        }
        !self.pic || symbol.dso_local && !symbol.far && symbol.linkage != Linkage::ImportWeak
    }
}

/// Where an address is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the global offset table, or in the cell that holds it.
    Table,
    /// At a number that the linker knows, or at a distance from the code.
    Near,
    /// At a distance from the static base, which is a register.
    Based,
}

/// The floating-point register with an allocator's number, if this many bytes of it are used.
#[inline]
pub(super) fn vreg(r: PReg, bytes: u32) -> Vreg {
    match bytes {
        0..=4 => Vreg::S(r.num()),
        5..=8 => Vreg::D(r.num() / 2),
        _ => Vreg::Q(r.num() / 2),
    }
}

/// The memory operand of a place in the frame.
#[inline]
pub(super) fn mem(at: FrameAddr) -> Mem {
    Mem::Base(gpr(at.base), at.disp)
}
