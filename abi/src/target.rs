//! What a calling convention has to know about the machine: architecture, system, enabled features.

use crate::error::AbiError;
use alloc::string::{String, ToString};
use target_lexicon::{Architecture, Environment, OperatingSystem, Triple};

/// Processor architecture.
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

/// Operating system, as far as ABIs differ by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Os {
    /// Linux with any C library.
    Linux,
    /// FreeBSD, OpenBSD, DragonFly.
    Bsd,
    /// NetBSD: on 32-bit x86 it returns all records in memory, as Linux does and the other BSDs do not.
    NetBsd,
    /// Apple's systems.
    Darwin,
    /// Windows.
    Windows,
    /// No operating system (ELF).
    None,
}

/// Tool chain environment, where it changes the ABI.
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

/// Processor features that change a calling convention.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Features {
    /// Widest vector register enabled, in bytes: on x86 16 (SSE2), 32 (AVX) or 64 (AVX-512), and 0 for 32-bit x86
    /// without SSE2, where LLVM's types then leave vector registers alone. On ARM it decides how LLVM types
    /// are taken apart: 16 with NEON, 8 with VFP registers alone, 0 without these.
    pub vector_bytes: u8,
    /// Hardware floating-point registers carry arguments (ARM: the VFP variant).
    pub hard_float: bool,
}

impl Default for Features {
    fn default() -> Self {
        Features { vector_bytes: 16, hard_float: true }
    }
}

/// A target as calling conventions see it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Architecture.
    pub arch: Arch,
    /// Operating system.
    pub os: Os,
    /// Environment.
    pub env: Env,
    /// Enabled features that matter to calls.
    pub features: Features,
}

impl Target {
    /// x86-64 Linux with SSE2.
    pub const X86_64_LINUX: Target = Target {
        arch: Arch::X86_64,
        os: Os::Linux,
        env: Env::Gnu,
        features: Features { vector_bytes: 16, hard_float: true },
    };

    /// The target of a triple such as `x86_64-unknown-linux-gnu`, in any spelling that LLVM normalizes. On ARM the triple's
    /// environment decides `hard_float`.
    ///
    /// # Errors
    /// The triple cannot be parsed, or names an architecture or system without calling conventions here.
    pub fn from_triple(triple: &str, features: Features) -> Result<Target, AbiError> {
        let (triple, env) = crate::triple::parse(triple)?;
        let mut target = Self::from_lexicon(&triple, features)?;
        target.env = env.unwrap_or(target.env);
        if matches!(target.env, Env::Itanium | Env::Cygnus) && !matches!(target.arch, Arch::X86 | Arch::X86_64) {
            return Err(AbiError::target("Cygwin and the Itanium C++ ABI of Windows are supported on x86 only"));
        }
        Ok(target)
    }

    /// The target of a parsed triple; otherwise as [`Target::from_triple`].
    ///
    /// # Errors
    /// An architecture or system without calling conventions here.
    pub fn from_lexicon(triple: &Triple, mut features: Features) -> Result<Target, AbiError> {
        let unknown = |what: &str, name: String| AbiError::target(alloc::format!("{what} `{name}` is not supported"));
        let arch = match triple.architecture {
            Architecture::X86_32(_) => Arch::X86,
            Architecture::X86_64 => Arch::X86_64,
            Architecture::Aarch64(target_lexicon::Aarch64Architecture::Aarch64) => Arch::Aarch64,
            Architecture::Arm(_) => Arch::Arm,
            other => return Err(unknown("architecture", other.to_string())),
        };
        let os = match triple.operating_system {
            OperatingSystem::Linux => Os::Linux,
            OperatingSystem::Freebsd | OperatingSystem::Openbsd | OperatingSystem::Dragonfly => Os::Bsd,
            OperatingSystem::Netbsd => Os::NetBsd,
            OperatingSystem::Darwin(_) | OperatingSystem::MacOSX(_) | OperatingSystem::IOS(_) => Os::Darwin,
            OperatingSystem::Windows | OperatingSystem::Cygwin => Os::Windows,
            OperatingSystem::None_ | OperatingSystem::Unknown => Os::None,
            other => return Err(unknown("operating system", other.to_string())),
        };
        match triple.environment {
            Environment::Gnux32 | Environment::GnuIlp32 => {
                return Err(unknown("environment", triple.environment.to_string()));
            }
            Environment::Eabi | Environment::Gnueabi | Environment::Musleabi | Environment::Androideabi => {
                features.hard_float = false;
            }
            _ => {}
        }
        let env = match (triple.operating_system, triple.environment) {
            (OperatingSystem::Windows, Environment::Msvc | Environment::Unknown) => Env::Msvc,
            (OperatingSystem::Cygwin, _) => Env::Cygnus,
            _ => Env::Gnu,
        };
        Ok(Target { arch, os, env, features })
    }

    /// Size of a pointer in bytes.
    pub const fn pointer_bytes(&self) -> u32 {
        match self.arch {
            Arch::X86_64 | Arch::Aarch64 => 8,
            Arch::X86 | Arch::Arm => 4,
        }
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

    /// Whether the target is Windows.
    pub const fn is_windows(&self) -> bool {
        matches!(self.os, Os::Windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples() {
        let t = |s| Target::from_triple(s, Features::default());
        assert_eq!(t("x86_64-unknown-linux-gnu").unwrap(), Target::X86_64_LINUX);
        assert_eq!(t("x86_64-pc-linux-gnu").unwrap(), Target::X86_64_LINUX);
        assert_eq!(t("i686-pc-windows-msvc").unwrap().env, Env::Msvc);
        assert_eq!(t("i686-pc-windows-msvc19.33.0").unwrap(), t("i686-pc-windows-msvc").unwrap());
        assert_eq!(t("x86_64-w64-mingw32").unwrap(), t("x86_64-w64-windows-gnu").unwrap());
        assert_eq!(t("x86_64-pc-windows-itanium").unwrap().env, Env::Itanium);
        assert_eq!(t("x86_64-pc-cygwin").unwrap().env, Env::Cygnus);
        assert!(!t("arm-unknown-linux-gnueabi").unwrap().features.hard_float);
        assert!(t("armv7-unknown-linux-gnueabihf").unwrap().features.hard_float);
        let same = [
            (
                "x86_64-unknown-linux-gnu",
                "x86_64--linux x86_64-linux-generic x86_64-none-linux-gnu x86_64-linux-pc x86_64-gnu-linux",
            ),
            (
                "x86_64-unknown-linux-gnu",
                "amd64-w64-linux-musl x86_64--unknown-linux-gnu x86_64-redhat-linux x86_64-linux-android24",
            ),
            (
                "i686-unknown-linux-gnu",
                "i386-linux i486-pc-linux-gnu i586-linux-gnu i786-linux-gnu i686-pc-unknown-linux-gnu",
            ),
            ("x86_64-pc-windows-msvc", "x86_64-pc-win32 x86_64-win32 x86_64--windows-msvc18.0.0 x86_64-windows"),
            ("i686-pc-windows-msvc", "i386-pc-win32 i686--windows-msvc i486-windows-msvc19.33.0-coff"),
            (
                "x86_64-pc-windows-gnu",
                "x86_64-pc-mingw64 x86_64-w64-mingw32 x86_64--windows-gnu x86_64-pc-windows-gnullvm",
            ),
            ("x86_64-pc-windows-itanium", "x86_64-windows-itanium x86_64--windows-itanium-coff"),
            ("i686-pc-windows-cygnus", "i686-pc-cygwin i386-windows-cygnus i686-unknown-cygwin"),
            ("x86_64-unknown-freebsd", "x86_64-freebsd9.0 x86_64-unknown-freebsd-elf x86_64-undermydesk-freebsd8.0"),
            ("x86_64-unknown-none", "x86_64 x86_64-- x86_64-elf x86_64-none-elf x86_64-unknown-unknown x86_64-pc-none"),
        ];
        for (one, others) in same {
            for other in others.split(' ') {
                assert_eq!(t(one).unwrap(), t(other).unwrap_or_else(|e| panic!("{other}: {e}")), "{other}");
            }
        }
        let bad = [
            ("", "`` is not an architecture"),
            ("pdp11", "`pdp11` is not an architecture"),
            ("x86_64-unknown-linux-gnux32", "environment `gnux32` is not supported"),
            ("i386-linux-code16", "environment `code16` is not supported"),
            ("x86_64-pc-windows-coreclr", "environment `coreclr` is not supported"),
            ("x86_64-pc-linux-itanium", "this environment is one of Windows"),
            ("aarch64-pc-windows-itanium", "are supported on x86 only"),
            ("riscv64gc-unknown-linux-gnu", "architecture `riscv64gc` is not supported"),
            ("x86_64--haiku", "operating system `haiku` is not supported"),
            ("x86_64-linus-gnu", "`linus` is not an operating system"),
            ("x86_64-unknown-linus-gnu", "`linus` is not a system or environment"),
            ("x86_64-pc-win64", "`win64` is not a system or environment"),
            ("x86_64-foo-linus-gnu", "`linus` is not a system or environment"),
            ("x86_64-linux-gn", "`gn` is not a system or environment"),
            ("x86_64-pc-windows-macho", "objects of format `macho` are not supported"),
            ("x86_64-pc-linux-coff", "objects of format `coff` are not supported"),
        ];
        for (triple, message) in bad {
            let error = t(triple).expect_err(triple).to_string();
            assert!(error.contains(message), "{triple}: {error}");
        }
    }
}
