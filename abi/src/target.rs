//! What a calling convention has to know about the machine: architecture, system, enabled features.

/// Processor architecture. An example is at [`AbiTarget`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    /// 32-bit x86.
    X86,
    /// 64-bit x86.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
    /// 32-bit ARM, both instruction sets.
    Arm,
}

impl Arch {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::X86 => "32-bit x86",
            Arch::X86_64 => "x86-64",
            Arch::Aarch64 => "AArch64",
            Arch::Arm => "32-bit ARM",
        }
    }

    /// Size of a pointer in bytes.
    pub const fn pointer_bytes(self) -> u32 {
        match self {
            Arch::X86_64 | Arch::Aarch64 => 8,
            Arch::X86 | Arch::Arm => 4,
        }
    }
}

/// The order of a number's bytes in memory. An example is at [`AbiTarget`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Endian {
    /// The lowest byte comes first.
    #[default]
    Little,
    /// The highest byte comes first.
    Big,
}

impl Endian {
    /// Is it [`Endian::Big`]?
    pub const fn is_big(self) -> bool {
        matches!(self, Endian::Big)
    }

    /// A number that memory holds.
    pub const fn read_u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Endian::Little => u32::from_le_bytes(bytes),
            Endian::Big => u32::from_be_bytes(bytes),
        }
    }

    /// A number as bytes of memory.
    pub const fn u16(self, number: u16) -> [u8; 2] {
        if self.is_big() { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    /// A number as bytes of memory.
    pub const fn u32(self, number: u32) -> [u8; 4] {
        if self.is_big() { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    /// A number as bytes of memory.
    pub const fn u64(self, number: u64) -> [u8; 8] {
        if self.is_big() { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    /// A number of `size` bytes, at most 16, as bytes of memory; the others are zero.
    pub fn number(self, number: u128, size: usize) -> [u8; 16] {
        let mut bytes = number.to_le_bytes();
        bytes[size..].fill(0);
        self.order(&mut bytes[..size]);
        bytes
    }

    /// Puts the bytes of a number, which are given with the lowest first, into this order.
    pub fn order(self, bytes: &mut [u8]) {
        if self.is_big() {
            bytes.reverse();
        }
    }

    /// Where a part of a number is in memory, in bytes from the number's address: `part` is how many bytes of the number are
    /// below it, `bytes` its own size, and `size` the number's. The same function finds `part` for such an offset.
    pub const fn place(self, part: u32, bytes: u32, size: u32) -> u32 {
        match self {
            Endian::Little => part,
            Endian::Big => size.wrapping_sub(part.wrapping_add(bytes)),
        }
    }
}

/// Operating system, as far as ABIs differ by it. An example is at [`AbiTarget`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Os {
    /// Linux with any C library.
    Linux,
    /// FreeBSD, OpenBSD, DragonFly.
    Bsd,
    /// NetBSD: on 32-bit x86 it returns all records in memory, like Linux and unlike the other BSDs.
    NetBsd,
    /// Apple's systems.
    Darwin,
    /// Windows.
    Windows,
    /// No operating system (ELF).
    None,
}

impl Os {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Os::Linux => "Linux",
            Os::Bsd => "BSD",
            Os::NetBsd => "NetBSD",
            Os::Darwin => "Darwin",
            Os::Windows => "Windows",
            Os::None => "no system",
        }
    }
}

/// Tool chain environment, where it changes the ABI. An example is at [`AbiTarget`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Env {
    /// GNU-compatible: glibc, musl, MinGW, bare ELF.
    Gnu,
    /// Microsoft Visual C++.
    Msvc,
    /// Windows with Microsoft's C library and the Itanium C++ ABI.
    Itanium,
    /// Cygwin: Windows with a C library of its own and GNU's tools.
    Cygnus,
}

/// Processor features that change a calling convention. An example is at [`AbiTarget`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AbiFeatures {
    /// The widest vector register enabled, in bytes: on x86 16 (SSE2), 32 (AVX) or 64 (AVX-512), and 0 for 32-bit x86
    /// without SSE2, where LLVM's types then do not use vector registers. On ARM it decides how LLVM types are split:
    /// 16 with NEON, 8 with VFP registers only, 0 without these.
    pub vector_bytes: u8,
    /// Arguments are passed in floating-point registers (ARM: the VFP variant). On x86 they always are, unless floating-point
    /// numbers are integers for LLVM's types: those of functions with `use-soft-float`.
    pub hard_float: bool,
    /// AArch64: static chains are in x18 instead of x15, as in GCC and LLVM up to 20, except on systems that reserve
    /// x18.
    pub chain_in_x18: bool,
    /// Compilers pass vectors in registers wider than [`vector_bytes`](Self::vector_bytes), which the reader of their
    /// code cannot do.
    pub wide_vectors: bool,
    /// ARM: LLVM's vectors of `half` are passed whole (`fullfp16`), with NEON.
    pub half_vectors: bool,
    /// ARM: LLVM's vectors of `bfloat` are passed whole (`bf16`), with NEON.
    pub brain_vectors: bool,
    /// ARM: the ABI is APCS (LLVM's name for what was there before AAPCS32): eight bytes are aligned to four, on the stack and in memory.
    pub apcs: bool,
    /// ARM: a microcontroller. Where interrupts happen, it saves the registers that C functions change, and handlers are such functions.
    pub microcontroller: bool,
}

impl AbiFeatures {
    /// Vector registers of 16 bytes, arguments in floating-point registers, and nothing else.
    pub const DEFAULT: AbiFeatures = AbiFeatures {
        vector_bytes: 16,
        hard_float: true,
        chain_in_x18: false,
        wide_vectors: false,
        half_vectors: false,
        brain_vectors: false,
        apcs: false,
        microcontroller: false,
    };
}

impl Default for AbiFeatures {
    fn default() -> Self {
        AbiFeatures::DEFAULT
    }
}

/// A target as calling conventions see it.
///
/// ```
/// use gusset_abi::{AbiFeatures, AbiTarget, Arch, Env, Os};
///
/// let target = AbiTarget::from_triple("aarch64-pc-windows-msvc", AbiFeatures::default())?;
/// assert_eq!((target.arch, target.os, target.env), (Arch::Aarch64, Os::Windows, Env::Msvc));
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AbiTarget {
    /// Architecture.
    pub arch: Arch,
    /// Operating system.
    pub os: Os,
    /// Environment.
    pub env: Env,
    /// The order of bytes in memory.
    pub endian: Endian,
    /// Enabled features that matter to calls.
    pub features: AbiFeatures,
}

impl AbiTarget {
    /// x86-64 Linux with SSE2.
    pub const X86_64_LINUX: AbiTarget = AbiTarget {
        arch: Arch::X86_64,
        os: Os::Linux,
        env: Env::Gnu,
        endian: Endian::Little,
        features: AbiFeatures::DEFAULT,
    };

    /// Size of a pointer in bytes.
    pub const fn pointer_bytes(&self) -> u32 {
        self.arch.pointer_bytes()
    }

    /// Whether the target is Windows with Microsoft's compiler.
    pub(crate) const fn is_msvc(&self) -> bool {
        self.is_windows() && matches!(self.env, Env::Msvc)
    }

    /// Whether the target is Windows with GNU's tools.
    pub(crate) const fn is_mingw(&self) -> bool {
        self.is_windows() && matches!(self.env, Env::Gnu)
    }

    /// Whether the target is Windows with GNU's tools or Cygwin's, which grew out of them.
    pub(crate) const fn is_cygming(&self) -> bool {
        self.is_windows() && matches!(self.env, Env::Gnu | Env::Cygnus)
    }

    /// Whether the target is Windows with Microsoft's C library.
    pub const fn has_microsoft_library(&self) -> bool {
        self.is_windows() && matches!(self.env, Env::Msvc | Env::Itanium)
    }

    /// The same for functions that have no floating-point registers: LLVM's `use-soft-float` on x86, `-fp-armv8` on AArch64.
    #[must_use]
    pub const fn with_soft_float(self) -> AbiTarget {
        AbiTarget { features: AbiFeatures { vector_bytes: 0, hard_float: false, ..self.features }, ..self }
    }

    /// Whether floating-point numbers are passed as integers on x86 and AArch64.
    pub const fn is_soft(&self) -> bool {
        matches!(self.arch, Arch::X86 | Arch::X86_64 | Arch::Aarch64) && !self.features.hard_float
    }

    /// Whether the target is Windows.
    pub const fn is_windows(&self) -> bool {
        matches!(self.os, Os::Windows)
    }
}
