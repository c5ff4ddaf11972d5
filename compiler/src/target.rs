//! Targets by triple, processors and their features by name.

use std::borrow::Cow;
use std::sync::LazyLock;

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

    /// What the machine that runs this has of what code is chosen by.
    pub fn native() -> Features {
        #[cfg(all(feature = "x86", any(target_arch = "x86_64", target_arch = "x86")))]
        let names = x86::native();
        #[cfg(all(feature = "aarch64", target_arch = "aarch64"))]
        let names = aarch64::native();
        #[cfg(not(any(
            all(feature = "x86", any(target_arch = "x86_64", target_arch = "x86")),
            all(feature = "aarch64", target_arch = "aarch64")
        )))]
        let names: Vec<&str> = Vec::new();
        Features { cpu: None, attributes: names.into_iter().map(|name| format!("+{name}")).collect() }
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
    /// Where the thread pointer is, if whoever chose the features said it.
    #[cfg(all(feature = "llvm", feature = "arm"))]
    pub(crate) said_thread: Option<abi::features::ThreadRegister>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetInfo {
    /// Its triple.
    pub triple: &'static str,
    /// In words.
    pub description: &'static str,
    /// Processors by name.
    pub cpus: Vec<&'static str>,
    /// Features by name: those that code is made by. `docs/target-features.md` has all.
    pub features: Vec<&'static str>,
}

/// The targets that this build has.
pub fn targets() -> &'static [TargetInfo] {
    static ALL: LazyLock<Vec<TargetInfo>> = LazyLock::new(all);
    &ALL
}

fn all() -> Vec<TargetInfo> {
    let features = |arch| {
        let mut names = abi::features::chosen(arch);
        names.extend((arch == abi::Arch::Aarch64).then_some("static-chain-x18"));
        names
    };
    vec![
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-unknown-linux-gnu",
            description: "64-bit x86, ELF, System V ABI",
            cpus: x86::cpus(false),
            features: features(abi::Arch::X86_64),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-unknown-linux-gnu",
            description: "32-bit x86, ELF, System V ABI",
            cpus: x86::cpus(true),
            features: features(abi::Arch::X86),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-pc-windows-msvc",
            description: "64-bit x86, COFF, Windows x64 ABI",
            cpus: x86::cpus(false),
            features: features(abi::Arch::X86_64),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-w64-mingw32",
            description: "64-bit x86, COFF, Windows x64 ABI of GNU's tools",
            cpus: x86::cpus(false),
            features: features(abi::Arch::X86_64),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-pc-windows-msvc",
            description: "32-bit x86, COFF, Microsoft's ABI",
            cpus: x86::cpus(true),
            features: features(abi::Arch::X86),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-w64-mingw32",
            description: "32-bit x86, COFF, ABI of GNU's tools",
            cpus: x86::cpus(true),
            features: features(abi::Arch::X86),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-pc-windows-itanium",
            description: "64-bit x86, COFF, Windows x64 ABI, Itanium C++ ABI",
            cpus: x86::cpus(false),
            features: features(abi::Arch::X86_64),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-pc-windows-itanium",
            description: "32-bit x86, COFF, Microsoft's ABI, Itanium C++ ABI",
            cpus: x86::cpus(true),
            features: features(abi::Arch::X86),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "x86_64-pc-cygwin",
            description: "64-bit x86, COFF, Cygwin",
            cpus: x86::cpus(false),
            features: features(abi::Arch::X86_64),
        },
        #[cfg(feature = "x86")]
        TargetInfo {
            triple: "i686-pc-cygwin",
            description: "32-bit x86, COFF, Cygwin",
            cpus: x86::cpus(true),
            features: features(abi::Arch::X86),
        },
        #[cfg(feature = "aarch64")]
        TargetInfo {
            triple: "aarch64-unknown-linux-gnu",
            description: "64-bit Arm, ELF, AAPCS64",
            cpus: aarch64::CPUS.to_vec(),
            features: features(abi::Arch::Aarch64),
        },
        #[cfg(feature = "aarch64")]
        TargetInfo {
            triple: "aarch64-pc-windows-msvc",
            description: "64-bit Arm, COFF, Windows ARM64 ABI",
            cpus: aarch64::CPUS.to_vec(),
            features: features(abi::Arch::Aarch64),
        },
        #[cfg(feature = "aarch64")]
        TargetInfo {
            triple: "aarch64-w64-windows-gnu",
            description: "64-bit Arm, COFF, Windows ARM64 ABI of GNU's tools",
            cpus: aarch64::CPUS.to_vec(),
            features: features(abi::Arch::Aarch64),
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "armv7-unknown-linux-gnueabihf",
            description: "32-bit Arm, A32, ELF, AAPCS32 with VFP",
            cpus: arm::CPUS.to_vec(),
            features: features(abi::Arch::Arm),
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7-unknown-linux-gnueabihf",
            description: "32-bit Arm, T32, ELF, AAPCS32 with VFP",
            cpus: arm::CPUS.to_vec(),
            features: features(abi::Arch::Arm),
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7em-none-eabihf",
            description: "32-bit Arm microcontrollers, T32, ELF, AAPCS32 with VFP",
            cpus: arm::CPUS.to_vec(),
            features: features(abi::Arch::Arm),
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7-pc-windows-msvc",
            description: "32-bit Arm, T32, COFF, Windows ARM ABI",
            cpus: arm::CPUS.to_vec(),
            features: features(abi::Arch::Arm),
        },
        #[cfg(feature = "arm")]
        TargetInfo {
            triple: "thumbv7-w64-windows-gnu",
            description: "32-bit Arm, T32, COFF, Windows ARM ABI of GNU's tools",
            cpus: arm::CPUS.to_vec(),
            features: features(abi::Arch::Arm),
        },
    ]
}

/// The features of a list one by one, with what becomes of each.
fn attributes(wanted: &Features, arch: abi::Arch) -> Result<Vec<(&str, bool, abi::features::Meaning)>, Error> {
    let each = wanted.attributes.iter().flat_map(|attribute| abi::features::each(attribute.as_bytes()));
    let known = |what: &str, name: &str| {
        let known = abi::features::chosen(arch).join(", ");
        Error::Target(format!("feature `{name}` is not {what} (known: {known})"))
    };
    each.map(|(name, on)| match abi::features::meaning(arch, name, on) {
        None => Err(known("known", name)),
        Some(abi::features::Meaning::Refused) => Err(known("supported", name)),
        Some(meaning) => Ok((name, on, meaning)),
    })
    .collect()
}

/// Where features say that the thread pointer is.
#[cfg(all(feature = "llvm", feature = "arm"))]
fn said_thread(arch: abi::Arch, features: &Features) -> Option<abi::features::ThreadRegister> {
    use abi::features::{Meaning, Request, each, meaning};
    let each = features.attributes.iter().flat_map(|attribute| each(attribute.as_bytes()));
    let registers = each.filter_map(|(name, on)| match meaning(arch, name, on) {
        Some(Meaning::Done(Request::Thread(register))) => Some(register),
        _ => None,
    });
    registers.last()
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
        let of = |isa, abi: abi::Target| Target {
            triple: triple.to_string(),
            abi,
            #[cfg(feature = "llvm")]
            emulated_tls: abi::has_emulated_tls(triple).unwrap_or(false),
            #[cfg(all(feature = "llvm", feature = "arm"))]
            said_thread: said_thread(abi.arch, features),
            isa,
        };
        let elf = matches!(abi.os, abi::Os::Linux | abi::Os::Bsd | abi::Os::NetBsd | abi::Os::None);
        match abi.arch {
            #[cfg(feature = "x86")]
            abi::Arch::X86_64 | abi::Arch::X86 if elf => {
                use gusset_targets::x86::X86;
                let narrow = abi.arch == abi::Arch::X86;
                let flags = x86::features(features, narrow, &mut abi.features)?;
                abi.features.vector_bytes = if flags.x87_only { 0 } else { 16 };
                let machine = |pic| if narrow { X86::new_32(flags, pic).on(abi.os) } else { X86::new(flags, pic) };
                let mut pie = machine(true);
                pie.pie = true;
                let isa = Isa::X86 { pic: machine(true), pie, fixed: machine(false) };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "x86")]
            abi::Arch::X86_64 if abi.is_windows() => {
                let mut flags = x86::features(features, false, &mut abi.features)?;
                // Every processor on which Windows runs has it.
                flags.cx16 = true;
                let machine = gusset_targets::x86::X86::new_windows(flags, abi.env);
                let isa = Isa::X86 { pic: machine.clone(), pie: machine.clone(), fixed: machine };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "x86")]
            abi::Arch::X86 if abi.is_windows() => {
                let flags = x86::features(features, true, &mut abi.features)?;
                abi.features.vector_bytes = if flags.x87_only { 0 } else { 16 };
                let machine = gusset_targets::x86::X86::new_windows_32(flags, abi.env);
                let isa = Isa::X86 { pic: machine.clone(), pie: machine.clone(), fixed: machine };
                Ok(of(isa, abi))
            }
            #[cfg(feature = "arm")]
            abi::Arch::Arm if elf => {
                use gusset_targets::arm::Arm;
                let flags = arm::features(triple, features, &mut abi.features)?;
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
                let flags = arm::features(triple, features, &mut abi.features)?;
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

#[cfg(feature = "llvm")]
mod requests;

#[cfg(feature = "x86")]
mod x86;

#[cfg(feature = "aarch64")]
mod aarch64;
