//! Targets by triple, processors and their features by name.

use std::borrow::Cow;

use gusset_abi as abi;
use gusset_codegen::ir::{CodeModel, Module};
use gusset_codegen::object::{Attribute, ObjectFormat};

use crate::Error;

/// A processor and what is switched on or off relative to it.
///
/// Names are those of LLVM's `-mcpu` and `-mattr`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// The processor; the architecture's baseline if there is none.
    pub cpu: Option<String>,
    /// Features in order, each with `+` or `-` in front; `+` may be left out.
    pub attributes: Vec<String>,
}

impl Features {
    /// The features of a processor.
    pub fn cpu(name: impl Into<String>) -> Features {
        Features { cpu: Some(name.into()), attributes: Vec::new() }
    }

    /// These features with more: a list such as `+sse4.2,-popcnt`.
    pub fn with(mut self, list: &str) -> Features {
        self.attributes.extend(list.split(',').filter(|item| !item.is_empty()).map(str::to_string));
        self
    }
}

/// A machine for which code can be made.
#[derive(Clone, Debug)]
pub struct Target {
    pub(crate) triple: String,
    pub(crate) abi: abi::Target,
    /// A library keeps thread-local data on its system.
    #[cfg(feature = "llvm")]
    pub(crate) emulated_tls: bool,
    pub(crate) isa: Isa,
}

/// A back end with its features, for either kind of code.
#[derive(Clone, Debug)]
pub(crate) enum Isa {
    #[cfg(feature = "x86")]
    X86 {
        /// For code that runs anywhere.
        pic: gusset_targets::x86::X86,
        /// For code that runs anywhere as a part of an executable.
        pie: gusset_targets::x86::X86,
        /// For code that runs where it is linked.
        fixed: gusset_targets::x86::X86,
    },
    #[cfg(feature = "arm")]
    Arm {
        /// For code that runs anywhere.
        pic: gusset_targets::arm::Arm,
        /// For code that runs anywhere as a part of an executable.
        pie: gusset_targets::arm::Arm,
        /// For code that runs where it is linked.
        fixed: gusset_targets::arm::Arm,
    },
    #[cfg(feature = "aarch64")]
    Aarch64 {
        /// For code that runs anywhere.
        pic: gusset_targets::aarch64::Aarch64,
        /// For code that runs anywhere as a part of an executable.
        pie: gusset_targets::aarch64::Aarch64,
        /// For code that runs where it is linked.
        fixed: gusset_targets::aarch64::Aarch64,
    },
}

/// What is known of a target in the list of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetInfo {
    /// Its triple.
    pub triple: &'static str,
    /// In words.
    pub description: &'static str,
    /// Processors by name.
    pub cpus: &'static [&'static str],
    /// Features by name.
    pub features: &'static [&'static str],
}

/// The targets that this build has.
pub fn targets() -> &'static [TargetInfo] {
    &[
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-unknown-linux-gnu",
            description: "64-bit x86, ELF, System V ABI",
            cpus: x86::CPUS,
            features: x86::FEATURES,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-unknown-linux-gnu",
            description: "32-bit x86, ELF, System V ABI",
            cpus: x86::CPUS_32,
            features: x86::FEATURES_32,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-pc-windows-msvc",
            description: "64-bit x86, COFF, Windows x64 ABI",
            cpus: x86::CPUS,
            features: x86::FEATURES,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-w64-mingw32",
            description: "64-bit x86, COFF, Windows x64 ABI of GNU's tools",
            cpus: x86::CPUS,
            features: x86::FEATURES,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-pc-windows-msvc",
            description: "32-bit x86, COFF, Microsoft's ABI",
            cpus: x86::CPUS_32,
            features: x86::FEATURES_32,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-w64-mingw32",
            description: "32-bit x86, COFF, ABI of GNU's tools",
            cpus: x86::CPUS_32,
            features: x86::FEATURES_32,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-pc-windows-itanium",
            description: "64-bit x86, COFF, Windows x64 ABI, Itanium C++ ABI",
            cpus: x86::CPUS,
            features: x86::FEATURES,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-pc-windows-itanium",
            description: "32-bit x86, COFF, Microsoft's ABI, Itanium C++ ABI",
            cpus: x86::CPUS_32,
            features: x86::FEATURES_32,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-pc-cygwin",
            description: "64-bit x86, COFF, Cygwin",
            cpus: x86::CPUS,
            features: x86::FEATURES,
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-pc-cygwin",
            description: "32-bit x86, COFF, Cygwin",
            cpus: x86::CPUS_32,
            features: x86::FEATURES_32,
        },
        #[cfg(feature = "aarch64")]
        TargetInfo {
            triple: "aarch64-unknown-linux-gnu",
            description: "64-bit Arm, ELF, AAPCS64",
            cpus: aarch64::CPUS,
            features: aarch64::FEATURES,
        },
        #[cfg(feature = "aarch64")]
        TargetInfo {
            triple: "aarch64-pc-windows-msvc",
            description: "64-bit Arm, COFF, Windows ARM64 ABI",
            cpus: aarch64::CPUS,
            features: aarch64::FEATURES,
        },
        #[cfg(feature = "aarch64")]
        TargetInfo {
            triple: "aarch64-w64-windows-gnu",
            description: "64-bit Arm, COFF, Windows ARM64 ABI of GNU's tools",
            cpus: aarch64::CPUS,
            features: aarch64::FEATURES,
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "armv7-unknown-linux-gnueabihf",
            description: "32-bit Arm, A32, ELF, AAPCS32 with VFP",
            cpus: arm::CPUS,
            features: arm::FEATURES,
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7-unknown-linux-gnueabihf",
            description: "32-bit Arm, T32, ELF, AAPCS32 with VFP",
            cpus: arm::CPUS,
            features: arm::FEATURES,
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7em-none-eabihf",
            description: "32-bit Arm microcontrollers, T32, ELF, AAPCS32 with VFP",
            cpus: arm::CPUS,
            features: arm::FEATURES,
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7-pc-windows-msvc",
            description: "32-bit Arm, T32, COFF, Windows ARM ABI",
            cpus: arm::CPUS,
            features: arm::FEATURES,
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7-w64-windows-gnu",
            description: "32-bit Arm, T32, COFF, Windows ARM ABI of GNU's tools",
            cpus: arm::CPUS,
            features: arm::FEATURES,
        },
    ]
}

/// The triple of the machine that runs this.
pub fn host_triple() -> String {
    target_lexicon::HOST.to_string()
}

impl Target {
    /// The target of a triple such as `x86_64-unknown-linux-gnu`.
    ///
    /// # Errors
    /// The triple is malformed or names a target that this build does not have; a processor or feature is unknown.
    pub fn from_triple(triple: &str, features: &Features) -> Result<Target, Error> {
        let mut abi = abi::Target::from_triple(triple, abi::Features::default())
            .map_err(|error| Error::Target(error.to_string()))?;
        let of = |isa, abi| Target {
            triple: triple.to_string(),
            abi,
            #[cfg(feature = "llvm")]
            emulated_tls: abi::has_emulated_tls(triple).unwrap_or(false),
            isa,
        };
        let elf = matches!(abi.os, abi::Os::Linux | abi::Os::Bsd | abi::Os::NetBsd | abi::Os::None);
        match abi.arch {
            #[cfg(feature = "x86")]
            abi::Arch::X86_64 | abi::Arch::X86 if elf => {
                use gusset_targets::x86::X86;
                let narrow = abi.arch == abi::Arch::X86;
                let flags = x86::features(features, narrow)?;
                abi.features.vector_bytes = if flags.x87_only { 0 } else { 16 };
                let machine = |pic| if narrow { X86::new_32(flags, pic).on(abi.os) } else { X86::new(flags, pic) };
                let mut pie = machine(true);
                pie.pie = true;
                let isa = Isa::X86 { pic: machine(true), pie, fixed: machine(false) };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "x86")]
            abi::Arch::X86_64 if abi.is_windows() => {
                let mut flags = x86::features(features, false)?;
                // Every processor on which Windows runs has it.
                flags.cx16 = true;
                let machine = gusset_targets::x86::X86::new_windows(flags, abi.env);
                let isa = Isa::X86 { pic: machine.clone(), pie: machine.clone(), fixed: machine };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "x86")]
            abi::Arch::X86 if abi.is_windows() => {
                let flags = x86::features(features, true)?;
                abi.features.vector_bytes = if flags.x87_only { 0 } else { 16 };
                let machine = gusset_targets::x86::X86::new_windows_32(flags, abi.env);
                let isa = Isa::X86 { pic: machine.clone(), pie: machine.clone(), fixed: machine };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "arm")]
            abi::Arch::Arm if elf => {
                use gusset_targets::arm::Arm;
                let flags = arm::features(triple, features, abi.features.hard_float)?;
                abi.features.vector_bytes = if flags.neon { 16 } else { 8 * u8::from(flags.vfp) };
                if abi.features.hard_float && !flags.vfp {
                    return Err(Error::Target(format!(
                        "target `{triple}` passes numbers in registers that are switched off"
                    )));
                }
                let machine = |pic| Arm::new(flags, pic, abi.os, abi.features);
                let mut pie = machine(true);
                pie.pie = true;
                let isa = Isa::Arm { pic: machine(true), pie, fixed: machine(false) };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "arm")]
            abi::Arch::Arm if abi.is_windows() && matches!(abi.env, abi::Env::Msvc | abi::Env::Gnu) => {
                let flags = arm::features(triple, features, true)?;
                if !flags.thumb || !flags.vfp || flags.microcontroller {
                    let what = "Windows has T32 of version 7-A with floating point alone";
                    return Err(Error::Target(format!("target `{triple}` is not supported: {what}")));
                }
                let machine = gusset_targets::arm::Arm::new_windows(flags, abi.env, abi.features);
                let isa = Isa::Arm { pic: machine.clone(), pie: machine.clone(), fixed: machine };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "aarch64")]
            abi::Arch::Aarch64 if elf => {
                use gusset_targets::aarch64::Aarch64;
                let mut flags = aarch64::features(features, &mut abi.features)?;
                if triple.contains("android") {
                    // Bionic's block of a thread; the register is the shadow stack's.
                    flags.thread_guard = Some(0x28);
                    flags.platform_register = false;
                }
                let machine = |pic| Aarch64::new(flags, pic, abi.os);
                let mut pie = machine(true);
                pie.pie = true;
                let isa = Isa::Aarch64 { pic: machine(true), pie, fixed: machine(false) };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "aarch64")]
            abi::Arch::Aarch64 if abi.is_windows() && matches!(abi.env, abi::Env::Msvc | abi::Env::Gnu) => {
                let flags = aarch64::features(features, &mut abi.features)?;
                let machine = gusset_targets::aarch64::Aarch64::new_windows(flags, abi.env);
                let isa = Isa::Aarch64 { pic: machine.clone(), pie: machine.clone(), fixed: machine };
                Ok(of(isa, abi))
            }
            _ => {
                let known: Vec<&str> = targets().iter().map(|t| t.triple).collect();
                Err(Error::Target(format!("target `{triple}` is not supported (supported: {})", known.join(", "))))
            }
        }
    }

    /// The target of the machine that runs this, with baseline features.
    ///
    /// # Errors
    /// As [`Target::from_triple`].
    pub fn host() -> Result<Target, Error> {
        Target::from_triple(&host_triple(), &Features::default())
    }

    /// The same with another code model.
    ///
    /// # Errors
    /// The target has no such code model.
    pub(crate) fn with_code_model(&self, model: CodeModel) -> Result<Cow<'_, Target>, Error> {
        if model == CodeModel::Small {
            return Ok(Cow::Borrowed(self));
        }
        let missing = || {
            let name = format!("{model:?}").to_lowercase();
            let there = match &self.isa {
                #[cfg(feature = "x86")]
                Isa::X86 { fixed, .. } if !fixed.is_32() && !fixed.windows => "`small`, `kernel`, `medium` and `large`",
                #[cfg(feature = "aarch64")]
                Isa::Aarch64 { fixed, .. } if fixed.windows.is_none() => "`small` and `tiny`",
                #[allow(unreachable_patterns, reason = "there may be one family alone")]
                _ => "`small`",
            };
            Err(Error::Target(format!("target `{}` has no code model `{name}`, but {there}", self.triple)))
        };
        match &self.isa {
            #[cfg(feature = "x86")]
            Isa::X86 { fixed, .. } if fixed.is_32() || fixed.windows || model == CodeModel::Tiny => missing(),
            #[cfg(feature = "x86")]
            Isa::X86 { pic, pie, fixed } => {
                let [pic, pie, fixed] = [pic, pie, fixed].map(|machine| machine.clone().with_code_model(model));
                Ok(Cow::Owned(Target { isa: Isa::X86 { pic, pie, fixed }, ..self.clone() }))
            }
            #[cfg(feature = "arm")]
            Isa::Arm { .. } => missing(),
            #[cfg(feature = "aarch64")]
            Isa::Aarch64 { pic, pie, fixed } if fixed.windows.is_none() && model == CodeModel::Tiny => {
                // Offsets from the thread pointer are not longer than addresses.
                let [pic, pie, fixed] = [pic, pie, fixed].map(|machine| {
                    let mut machine = machine.clone();
                    (machine.tiny, machine.tls_bits) = (true, machine.tls_bits.min(24));
                    machine
                });
                Ok(Cow::Owned(Target { isa: Isa::Aarch64 { pic, pie, fixed }, ..self.clone() }))
            }
            #[cfg(feature = "aarch64")]
            Isa::Aarch64 { .. } => missing(),
        }
    }

    /// The same with other offsets from the thread pointer: of so many bits, as LLVM's `-tls-size` has them.
    ///
    /// # Errors
    /// The target has offsets of one size alone, or none of this one.
    #[cfg(feature = "llvm")]
    pub(crate) fn with_tls_size(&self, bits: Option<u8>) -> Result<Cow<'_, Target>, Error> {
        match (&self.isa, bits) {
            (_, None) => Ok(Cow::Borrowed(self)),
            #[cfg(feature = "aarch64")]
            (Isa::Aarch64 { pic, pie, fixed }, Some(bits @ (12 | 24 | 32 | 48))) if fixed.windows.is_none() => {
                // More than 32 bits are of the code model `large`.
                let [pic, pie, fixed] = [pic, pie, fixed].map(|machine| {
                    let mut machine = machine.clone();
                    machine.tls_bits = bits.min(32);
                    machine
                });
                Ok(Cow::Owned(Target { isa: Isa::Aarch64 { pic, pie, fixed }, ..self.clone() }))
            }
            (_, Some(bits)) => Err(Error::Target(format!(
                "target `{}` has no thread-local offsets of {bits} bits to choose",
                self.triple
            ))),
        }
    }

    /// Its triple as it was given.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// The target as calling conventions see it.
    pub fn abi(&self) -> &abi::Target {
        &self.abi
    }

    /// The instruction set of trampolines in place: that of the code.
    #[cfg(feature = "llvm")]
    pub(crate) fn trampoline_isa(&self) -> abi::Isa {
        match &self.isa {
            #[cfg(feature = "arm")]
            Isa::Arm { fixed, .. } if fixed.features.thumb => abi::Isa::Thumb2,
            _ => abi::Isa::Base,
        }
    }

    /// What objects say of the processor and of how they call; the name of its floating-point unit.
    pub(crate) fn attributes(&self, module: &Module, pic: bool) -> (Vec<(u8, Attribute)>, Option<&'static str>) {
        match &self.isa {
            #[cfg(feature = "arm")]
            Isa::Arm { pic: anywhere, .. } if pic => anywhere.attributes(module),
            #[cfg(feature = "arm")]
            Isa::Arm { fixed, .. } if fixed.windows.is_some() => Default::default(),
            #[cfg(feature = "arm")]
            Isa::Arm { fixed, .. } => fixed.attributes(module),
            #[cfg(any(feature = "x86", feature = "aarch64"))]
            _ => {
                let _ = (module, pic);
                Default::default()
            }
        }
    }

    pub(crate) fn machine(&self) -> &'static ObjectFormat {
        match self.isa {
            #[cfg(feature = "x86")]
            Isa::X86 { ref fixed, .. } => {
                use gusset_targets::x86::object;
                match (fixed.windows, fixed.is_32(), fixed.env) {
                    (false, true, _) => &object::I386,
                    (false, false, _) => &object::X86_64,
                    (true, true, abi::Env::Gnu) => &object::I386_MINGW,
                    (true, true, abi::Env::Msvc) => &object::I386_MSVC,
                    (true, true, abi::Env::Itanium) => &object::I386_ITANIUM,
                    (true, true, abi::Env::Cygnus) => &object::I386_CYGNUS,
                    (true, false, abi::Env::Gnu) => &object::X86_64_MINGW,
                    (true, false, abi::Env::Msvc) => &object::X86_64_MSVC,
                    (true, false, abi::Env::Itanium) => &object::X86_64_ITANIUM,
                    (true, false, abi::Env::Cygnus) => &object::X86_64_CYGNUS,
                }
            }
            #[cfg(feature = "arm")]
            Isa::Arm { ref fixed, .. } => {
                use gusset_targets::arm::object;
                match fixed.windows {
                    Some(abi::Env::Gnu) => &object::T32_MINGW,
                    Some(_) => &object::T32_MSVC,
                    None if fixed.features.thumb => &object::T32,
                    None => &object::A32,
                }
            }
            #[cfg(feature = "aarch64")]
            Isa::Aarch64 { ref fixed, .. } => {
                use gusset_targets::aarch64::object;
                match fixed.windows {
                    None => &object::AARCH64,
                    Some(abi::Env::Gnu) => &object::AARCH64_MINGW,
                    Some(_) => &object::AARCH64_MSVC,
                }
            }
        }
    }
}

#[cfg(feature = "arm")]
mod arm;

#[cfg(feature = "x86")]
mod x86 {
    use gusset_targets::x86::Features as Flags;

    use super::{Error, Features};

    /// The levels of the x86-64 psABI (section 3.1.1), as far as this build has their instructions.
    pub const CPUS: &[&str] = &["x86-64", "generic", "x86-64-v2"];

    /// Names by LLVM: first those that only 64-bit code has, then what code is chosen by, then what the baseline has, then what is
    /// used where the program asks for it by an intrinsic.
    pub const FEATURES: &[&str] = &[
        "cx16",
        "64bit",
        "fsgsbase",
        "sse3",
        "ssse3",
        "sse4.1",
        "sse4.2",
        "popcnt",
        "lzcnt",
        "bmi",
        "bmi2",
        "fma",
        "cx8",
        "fxsr",
        "mmx",
        "sse",
        "sse2",
        "x87",
        "cmov",
        "sahf",
        "adx",
        "aes",
        "cldemote",
        "clflushopt",
        "clwb",
        "clzero",
        "crc32",
        "gfni",
        "movbe",
        "mwaitx",
        "pclmul",
        "prfchw",
        "ptwrite",
        "rdpid",
        "rdpru",
        "rdrnd",
        "rdseed",
        "serialize",
        "sha",
        "wbnoinvd",
        "xsave",
        "xsavec",
        "xsaveopt",
        "xsaves",
    ];

    /// As [`FEATURES`] for 32-bit code.
    pub const FEATURES_32: &[&str] = FEATURES.split_at(3).1;

    /// What code cannot do without, save SSE in 32-bit mode.
    const BASELINE: &[&str] = &["cx8", "sse", "sse2", "x87", "cmov", "64bit"];

    /// LLVM's other features: they can be switched off.
    const OTHERS: &[&str] = &[
        "3dnow",
        "3dnowa",
        "avx",
        "avx10.1-256",
        "avx10.1-512",
        "avx2",
        "avx512bf16",
        "avx512bitalg",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512f",
        "avx512fp16",
        "avx512ifma",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512vl",
        "avx512vnni",
        "avx512vp2intersect",
        "avx512vpopcntdq",
        "avxifma",
        "avxneconvert",
        "avxvnni",
        "avxvnniint16",
        "avxvnniint8",
        "ccmp",
        "cf",
        "egpr",
        "evex512",
        "f16c",
        "fma4",
        "ndd",
        "nf",
        "ppx",
        "push2pop2",
        "rtm",
        "shstk",
        "sse4a",
        "tbm",
        "vaes",
        "vpclmulqdq",
        "waitpkg",
        "xop",
        "zu",
    ];

    /// Each builds on the ones before it.
    const LADDER: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2"];

    /// For 32-bit code, SSE2 being the baseline.
    pub const CPUS_32: &[&str] =
        &["pentium4", "generic", "x86-64", "x86-64-v2", "i686", "pentiumpro", "pentium2", "pentium3"];

    /// The processors of these without SSE2.
    const X87_ONLY: &[&str] = &["i686", "pentiumpro", "pentium2", "pentium3"];

    /// The extensions that build on SSE2.
    const BEYOND_SSE2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "fma"];

    pub fn features(wanted: &Features, narrow: bool) -> Result<Flags, Error> {
        let mut flags = Flags::default();
        let cpus = if narrow { CPUS_32 } else { CPUS };
        let names = if narrow { FEATURES_32 } else { FEATURES };
        match wanted.cpu.as_deref() {
            None => {}
            Some("x86-64-v2") => {
                for name in ["sse4.2", "popcnt", "cx16"] {
                    set(&mut flags, name, true);
                }
            }
            Some(known) if cpus.contains(&known) => flags.x87_only = X87_ONLY.contains(&known),
            Some(other) => {
                return Err(Error::Target(format!("processor `{other}` is not known (known: {})", cpus.join(", "))));
            }
        }
        for attribute in &wanted.attributes {
            // As LLVM has it, a name alone switches it on.
            let (on, name) = match attribute.strip_prefix('-') {
                Some(name) => (false, name),
                None => (true, attribute.strip_prefix('+').unwrap_or(attribute)),
            };
            if narrow && matches!(name, "sse" | "sse2") {
                // SSE alone has no instructions for `f64`, and is not made use of.
                flags.x87_only = if on { flags.x87_only && name == "sse" } else { true };
                if !on {
                    BEYOND_SSE2.iter().for_each(|name| set(&mut flags, name, false));
                }
                continue;
            }
            let elsewhere = OTHERS.contains(&name) || FEATURES.contains(&name);
            if !names.contains(&name) && (on || !elsewhere) {
                let what = if elsewhere { "supported" } else { "known" };
                let message = format!("feature `{name}` is not {what} (known: {})", names.join(", "));
                return Err(Error::Target(message));
            }
            if !on && BASELINE.contains(&name) {
                return Err(Error::Target(format!("feature `{name}` cannot be switched off")));
            }
            flags.x87_only &= !(on && BEYOND_SSE2.contains(&name));
            set(&mut flags, name, on);
        }
        Ok(flags)
    }

    /// Switches a feature, and with it what it builds on or what builds on it.
    fn set(flags: &mut Flags, name: &str, on: bool) {
        if let Some(at) = LADDER.iter().position(|n| *n == name) {
            let others = if on { &LADDER[..at] } else { &LADDER[at + 1..] };
            others.iter().for_each(|other| set_one(flags, other, on));
        }
        set_one(flags, name, on);
    }

    fn set_one(flags: &mut Flags, name: &str, on: bool) {
        let flag = match name {
            "sse3" => &mut flags.sse3,
            "ssse3" => &mut flags.ssse3,
            "sse4.1" => &mut flags.sse41,
            "sse4.2" => &mut flags.sse42,
            "popcnt" => &mut flags.popcnt,
            "lzcnt" => &mut flags.lzcnt,
            "bmi" => &mut flags.bmi1,
            "bmi2" => &mut flags.bmi2,
            "cx16" => &mut flags.cx16,
            "fma" => &mut flags.fma,
            // The others change nothing where nobody names them.
            _ => return,
        };
        *flag = on;
    }
}

#[cfg(feature = "aarch64")]
mod aarch64 {
    use gusset_targets::aarch64::Features as Flags;

    use super::{Error, Features};

    /// Processors by LLVM's names: those that have no more than the baseline of what code is chosen by, then those with `lse`, then
    /// those with `rcpc` too, then those with `lse2` as well.
    pub const CPUS: &[&str] = &[
        "generic",
        "apple-a10",
        "apple-a7",
        "cortex-a34",
        "cortex-a35",
        "cortex-a53",
        "cortex-a57",
        "cortex-a72",
        "cortex-a73",
        "exynos-m3",
        "falkor",
        "kryo",
        "thunderx",
        "thunderxt81",
        "thunderxt83",
        "thunderxt88",
        "a64fx",
        "apple-a11",
        "carmel",
        "exynos-m4",
        "exynos-m5",
        "thunderx2t99",
        "tsv110",
        "apple-a12",
        "cortex-a55",
        "cortex-a65",
        "cortex-a65ae",
        "cortex-a75",
        "cortex-a76",
        "cortex-a76ae",
        "cortex-a77",
        "cortex-a78",
        "cortex-a78ae",
        "cortex-a78c",
        "cortex-r82",
        "cortex-r82ae",
        "cortex-x1",
        "neoverse-e1",
        "neoverse-n1",
        "thunderx3t110",
        "ampere1",
        "ampere1a",
        "ampere1b",
        "apple-a13",
        "apple-a14",
        "apple-a15",
        "apple-a16",
        "apple-a17",
        "apple-m4",
        "cortex-a510",
        "cortex-a520",
        "cortex-a520ae",
        "cortex-a710",
        "cortex-a715",
        "cortex-a720",
        "cortex-a720ae",
        "cortex-a725",
        "cortex-x1c",
        "cortex-x2",
        "cortex-x3",
        "cortex-x4",
        "cortex-x925",
        "neoverse-512tvb",
        "neoverse-n2",
        "neoverse-n3",
        "neoverse-v1",
        "neoverse-v2",
        "neoverse-v3",
        "neoverse-v3ae",
        "oryon-1",
        "saphira",
    ];

    /// How many of them there are before those with `lse`, with `rcpc`, and with `lse2`.
    const FIRST_WITH: [usize; 3] = [16, 23, 40];
    /// Those with `lse` that have no `fullfp16`.
    const WITHOUT_HALF: [&str; 3] = ["saphira", "thunderx2t99", "thunderx3t110"];

    /// Names by LLVM: first what the baseline has, then what code is chosen by, then what is used where the program asks for it; at
    /// last one of our own.
    pub const FEATURES: &[&str] = &[
        "fp-armv8",
        "neon",
        "v8a",
        "lse",
        "lse2",
        "rcpc",
        "fullfp16",
        "outline-atomics",
        "crc",
        "aes",
        "sha2",
        "dotprod",
        "pauth",
        "bti",
        "strict-align",
        "reserve-x18",
        "static-chain-x18",
    ];

    pub fn features(wanted: &Features, of_calls: &mut crate::abi::Features) -> Result<Flags, Error> {
        let mut flags = Flags { platform_register: true, ..Flags::default() };
        let cpu = wanted.cpu.as_deref().unwrap_or("generic");
        let Some(number) = CPUS.iter().position(|known| *known == cpu) else {
            return Err(Error::Target(format!("processor `{cpu}` is not known (known: {})", CPUS.join(", "))));
        };
        [flags.lse, flags.rcpc, flags.lse2] = FIRST_WITH.map(|first| number >= first);
        flags.half = flags.lse && !WITHOUT_HALF.contains(&cpu);
        for attribute in &wanted.attributes {
            // As LLVM has it, a name alone switches it on.
            let (on, name) = match attribute.strip_prefix('-') {
                Some(name) => (false, name),
                None => (true, attribute.strip_prefix('+').unwrap_or(attribute)),
            };
            match name {
                "lse" => flags.lse = on,
                "lse2" => flags.lse2 = on,
                "outline-atomics" => flags.outline_atomics = on,
                "rcpc" => flags.rcpc = on,
                "fullfp16" => flags.half = on,
                "strict-align" => flags.strict_alignment = on,
                "reserve-x18" => flags.platform_register = !on,
                "static-chain-x18" => of_calls.chain_in_x18 = on,
                "fp-armv8" | "neon" | "v8a" if !on => {
                    return Err(Error::Target(format!("feature `{name}` cannot be switched off")));
                }
                _ if FEATURES.contains(&name) => {}
                _ => {
                    let message = format!("feature `{name}` is not known (known: {})", FEATURES.join(", "));
                    return Err(Error::Target(message));
                }
            }
        }
        if of_calls.chain_in_x18 && !flags.platform_register {
            return Err(Error::Target("static chains cannot be in x18, which is reserved".into()));
        }
        Ok(flags)
    }
}
