//! The machine: what code is generated for, and how the allocator's registers become operands.

use gusset_abi::features::Hardening;
use gusset_abi::{AbiTarget, Arch, Env, Os};
use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::ir::{CodeModel, Module, SymbolId, SymbolKind, Type};
use gusset_codegen::machine::{AccessAlignment, FrameAddr, MachineFacts, PReg};

use super::code::{CODE, CODE_32};
use super::encode::{Asm, CodeMode};
use super::reg::{Gpr, Mem, Size, Xmm};
use super::registers;
use crate::shared;

/// Instruction-set extensions beyond SSE2, and the lack of SSE2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// SSE3.
    pub sse3: bool,
    /// SSSE3.
    pub ssse3: bool,
    /// SSE4.1.
    pub sse41: bool,
    /// SSE4.2.
    pub sse42: bool,
    /// `popcnt`.
    pub popcnt: bool,
    /// `lzcnt`.
    pub lzcnt: bool,
    /// BMI1 (`tzcnt`, `andn`).
    pub bmi1: bool,
    /// BMI2 (`shlx`, ...).
    pub bmi2: bool,
    /// `cmpxchg16b`.
    pub cx16: bool,
    /// FMA3.
    pub fma: bool,
    /// Addresses of variables have tags in their upper bits.
    pub tagged_globals: bool,
    /// What all functions do against speculative execution.
    pub hardening: Hardening,
    /// Code without conditional moves.
    pub no_cmov: bool,
    /// Code without `cmpxchg8b`: functions of the library do what takes it.
    pub no_cx8: bool,
    /// Code without SSE2: floating point on the x87 only, no vectors.
    pub x87_only: bool,
}

/// The mode of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// i386: pointers and general-purpose registers of 32 bits, eight registers of each class.
    Bits32,
    /// x86-64.
    Bits64,
}

/// The back end of both modes.
#[derive(Clone, Debug)]
pub struct X86 {
    /// The mode that code is generated for.
    pub mode: Mode,
    /// Extensions that may be used.
    pub features: Features,
    /// Position-independent code: symbols that are not known to be local go through the GOT.
    pub pic: bool,
    /// Position-independent code for an executable only: its thread-local variables are at fixed offsets.
    pub pie: bool,
    pub(super) code_model: CodeModel,
    /// Library functions are called through the global offset table.
    pub(super) library_by_table: bool,
    /// What its encoders have to know.
    pub(super) code: CodeMode,
    /// Code for Windows.
    pub windows: bool,
    /// On Windows, the environment with its tools and libraries.
    pub env: Env,
    /// What codegen has to know about it. The library's ABI is GNU's even on Microsoft's Windows, where only GNU's
    /// libraries have what C lacks.
    pub facts: MachineFacts,
}

impl X86 {
    /// A back end for x86-64.
    pub fn new(features: Features, pic: bool) -> X86 {
        X86::plain(features, pic)
    }

    fn plain(features: Features, pic: bool) -> X86 {
        X86 {
            mode: Mode::Bits64,
            features,
            pic,
            pie: false,
            code_model: CodeModel::Small,
            library_by_table: false,
            code: CodeMode::BITS_64,
            windows: false,
            env: Env::Gnu,
            facts: MachineFacts {
                registers: if features.x87_only { registers::SYSTEM_V_X87 } else { registers::SYSTEM_V },
                frame: registers::FRAME_SYSTEM_V,
                code: &CODE,
                pointer: Type::I64,
                dwarf_register: registers::dwarf_64,
                unoptimized_has_all: false,
                library: AbiTarget::X86_64_LINUX,
                library_registers: 0,
                vector_unit: 16,
                has_pair_access: false,
                soft_float: false,
                soft_quads: false,
                execute_only: false,
                has_half: false,
                vector_feature: |bytes| match bytes.next_power_of_two() {
                    64.. => Some("avx512f"),
                    32 => Some("avx"),
                    _ => Some("sse2"),
                },
                without_vectors: "an argument or a result is in a vector register, and the target has none without the feature `sse2`",
                guard_stack_bytes: 0,
                indexes_symbols: false,
                indexes_with_offsets: true,
                nop_bytes: 1,
                alignment: AccessAlignment::ANY,
                strict_alignment: AccessAlignment::ANY,
            },
        }
    }

    /// A back end for i386, with SSE2 unless the features say otherwise.
    pub fn new_32(features: Features, pic: bool) -> X86 {
        let registers = if features.x87_only { registers::I386_X87 } else { registers::I386 };
        let library = AbiTarget { arch: Arch::X86, ..AbiTarget::X86_64_LINUX };
        let code = if pic { CodeMode::BITS_32.with_got_in_ebx() } else { CodeMode::BITS_32 };
        let code = if features.no_cmov { code.without_cmov() } else { code };
        let plain = X86::plain(features, pic);
        let facts = MachineFacts {
            registers,
            library,
            frame: registers::FRAME_I386,
            code: &CODE_32,
            pointer: Type::I32,
            dwarf_register: registers::dwarf_32,
            unoptimized_has_all: false,
            indexes_symbols: true,
            ..plain.facts
        };
        X86 { mode: Mode::Bits32, code, facts, ..plain }
    }

    /// The same without SSE2 and all that builds on it.
    pub(super) fn without_sse(mut self) -> X86 {
        let off = Features {
            x87_only: true,
            sse3: false,
            ssse3: false,
            sse41: false,
            sse42: false,
            fma: false,
            ..self.features
        };
        self.features = off;
        self.facts.registers = if self.is_32() { registers::I386_X87 } else { registers::SYSTEM_V_X87 };
        self
    }

    /// The same with another code model: how far apart code and data may lie.
    pub fn with_code_model(self, code_model: CodeModel) -> X86 {
        let far_library = code_model == CodeModel::Large;
        let code = if far_library { self.code.with_far_library() } else { self.code };
        X86 { code_model, code, ..self }
    }

    /// An encoder at the end of the code so far.
    #[inline]
    pub(super) fn asm<'a>(&self, buf: &'a mut CodeBuffer) -> Asm<'a> {
        Asm::new(buf, self.code)
    }

    /// A back end for Windows x64.
    pub fn new_windows(features: Features, env: Env) -> X86 {
        // Its unwinder and its library want vector registers.
        let mut x86 = X86::new(Features { x87_only: false, ..features }, true);
        x86.facts.registers = registers::WINDOWS;
        x86.facts.frame = registers::FRAME_WINDOWS;
        x86.facts.guard_stack_bytes = registers::HOME_SPACE;
        x86.for_windows(env)
    }

    /// A back end for 32-bit Windows.
    pub fn new_windows_32(features: Features, env: Env) -> X86 {
        let mut x86 = X86::new_32(features, false);
        x86.facts.frame = registers::FRAME_WINDOWS_32;
        x86.for_windows(env)
    }

    fn for_windows(mut self, env: Env) -> X86 {
        (self.windows, self.env) = (true, env);
        if !self.has_microsoft_library() {
            self.facts.library.env = env;
        }
        self.on(Os::Windows)
    }

    /// The same for another system, with its own alignment of the stack.
    pub fn on(mut self, os: Os) -> X86 {
        self.facts.library.os = os;
        self
    }

    /// Are functions unwound by Windows' tables?
    pub(super) fn has_function_tables(&self) -> bool {
        self.windows && !self.is_32()
    }

    /// Is the run-time library Microsoft's?
    pub(super) fn has_microsoft_library(&self) -> bool {
        self.windows && matches!(self.env, Env::Msvc | Env::Itanium)
    }

    /// Is a symbol called through a cell that holds its address?
    pub(super) fn is_called_by_cell(&self, module: &Module, s: SymbolId) -> bool {
        let symbol = module.symbol(s);
        if self.windows {
            shared::windows::is_called_by_cell(symbol)
        } else {
            symbol.far || symbol.no_plt && !symbol.dso_local
        }
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> &'static str {
        match (self.is_32(), self.has_sse()) {
            (true, true) => "i386",
            (true, false) => "i386 without the feature `sse2`",
            (false, true) => "x86-64",
            (false, false) => "x86-64 without the feature `sse2`",
        }
    }

    /// Are there vector registers? Without them, `f32` and `f64` are only in memory.
    #[inline]
    pub(super) fn has_sse(&self) -> bool {
        !self.features.x87_only
    }

    /// Is it for i386?
    #[inline]
    pub fn is_32(&self) -> bool {
        self.mode == Mode::Bits32
    }

    /// The operand size of pointers and general-purpose registers.
    #[inline]
    pub fn word_size(&self) -> Size {
        if self.is_32() { Size::B4 } else { Size::B8 }
    }

    /// Bits of a general-purpose register.
    #[inline]
    pub(super) fn word_bits(&self) -> u32 {
        if self.is_32() { 32 } else { 64 }
    }

    /// Can the symbol be addressed relative to the instruction pointer?
    pub fn is_near(&self, module: &Module, s: SymbolId) -> bool {
        let symbol = module.symbol(s);
        let here = || match self.windows {
            true => shared::windows::is_here(symbol, self.env),
            false => !self.pic && symbol.is_defined(),
        };
        let tagged = self.features.tagged_globals && symbol.kind != SymbolKind::Function;
        !tagged && !symbol.far && (symbol.dso_local || here())
    }
}

/// The general-purpose register with an allocator's number.
#[inline]
pub(super) fn gpr(r: PReg) -> Gpr {
    Gpr(r.num())
}

/// The vector register with an allocator's number.
#[inline]
pub(super) fn xmm(r: PReg) -> Xmm {
    Xmm(r.num())
}

/// The memory operand of a place in the frame, with a final displacement.
#[inline]
pub(super) fn frame_mem(at: FrameAddr) -> Mem {
    Mem::at(gpr(at.base), at.disp)
}

/// The operand size of 1, 2, 4 or 8 bytes.
#[inline]
pub(super) fn size_of(bytes: u32) -> Size {
    Size::from_bytes(bytes).unwrap_or(Size::B8)
}

/// The symbol of a relocation.
#[inline]
pub(super) fn symbol_target(s: SymbolId) -> RelocTarget {
    RelocTarget::Symbol(s.0)
}

/// A temporary within one expansion.
pub(crate) const X15: Xmm = Xmm(15);
