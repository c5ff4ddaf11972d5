//! Parses the parts of a triple as LLVM's normalization does: each is recognized by its spelling, wherever it is.
//!
//! LLVM takes an unknown system for a target without a system. Here it is an error, since it usually is a typing error
//! (`x86_64-linus-gnu`).

use crate::error::AbiError;
use crate::target::{AbiFeatures, AbiTarget, Arch, Endian, Env, Os};
use alloc::format;
use alloc::string::{String, ToString};
use core::str::FromStr;
use target_lexicon::{
    Aarch64Architecture, Architecture, BinaryFormat, Endianness, Environment, OperatingSystem, Triple, Vendor,
    X86_32Architecture,
};

impl AbiTarget {
    /// The target of a triple such as `x86_64-unknown-linux-gnu`, in any spelling that LLVM normalizes. On ARM the triple's
    /// environment decides `hard_float`.
    ///
    /// # Errors
    /// The triple cannot be parsed, or names an architecture or system without calling conventions here.
    pub fn from_triple(triple: &str, features: AbiFeatures) -> Result<AbiTarget, AbiError> {
        let (triple, env) = parse(triple)?;
        let mut target = Self::from_lexicon(&triple, features)?;
        target.env = env.unwrap_or(target.env);
        let x86 = matches!(target.arch, Arch::X86 | Arch::X86_64);
        if !x86 && (target.env == Env::Cygnus || target.env == Env::Itanium && target.arch != Arch::Arm) {
            return Err(AbiError::target(
                "Cygwin and the Itanium C++ ABI of Windows do not exist on this architecture",
            ));
        }
        Ok(target)
    }

    /// The target of a parsed triple; otherwise as [`AbiTarget::from_triple`].
    ///
    /// # Errors
    /// An architecture or system without calling conventions here.
    fn from_lexicon(triple: &Triple, mut features: AbiFeatures) -> Result<AbiTarget, AbiError> {
        let unknown = |what: &str, name: String| AbiError::target(format!("{what} `{name}` is not supported"));
        let arch = match triple.architecture {
            Architecture::X86_32(_) => Arch::X86,
            Architecture::X86_64 => Arch::X86_64,
            Architecture::Aarch64(Aarch64Architecture::Aarch64 | Aarch64Architecture::Aarch64be) => Arch::Aarch64,
            Architecture::Arm(_) => Arch::Arm,
            other => return Err(unknown("architecture", other.to_string())),
        };
        let endian = match triple.architecture.endianness() {
            Ok(Endianness::Big) => Endian::Big,
            _ => Endian::Little,
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
        if endian.is_big() && matches!(os, Os::Darwin | Os::Windows) {
            return Err(AbiError::target("there is no big-endian code on this system"));
        }
        match triple.environment {
            Environment::Gnux32 | Environment::GnuIlp32 => {
                return Err(unknown("environment", triple.environment.to_string()));
            }
            // As LLVM has it (`ARMBaseTargetMachine::isTargetHardFloat`).
            environment if arch == Arch::Arm => {
                let hard = [Environment::Eabihf, Environment::Gnueabihf, Environment::Musleabihf];
                features.hard_float = hard.contains(&environment) || os == Os::Windows;
            }
            _ => {}
        }
        let env = match (triple.operating_system, triple.environment) {
            (OperatingSystem::Windows, Environment::Msvc | Environment::Unknown) => Env::Msvc,
            (OperatingSystem::Cygwin, _) => Env::Cygnus,
            _ => Env::Gnu,
        };
        Ok(AbiTarget { arch, os, env, endian, features })
    }
}

/// Parses a triple: an architecture, then vendor, system, environment and object format in any order, each of which may
/// be missing. Also returns what it says about Windows beyond what a [`Triple`] can hold.
///
/// # Errors
/// A triple whose meaning is not known.
fn parse(text: &str) -> Result<(Triple, Option<Env>), AbiError> {
    let wrong = |message: &str| AbiError::target(format!("triple `{text}`: {message}"));
    // It usually comes first.
    let known = |(at, part)| if part == "unknown" { None } else { Some((at, architecture(part)?)) };
    let found = text.split('-').enumerate().find_map(known);
    let Some((at, architecture)) = found else {
        let first = text.split('-').next().unwrap_or_default();
        return Err(wrong(&format!("`{first}` is not an architecture that is known here")));
    };
    let parts = text.split('-').enumerate().filter(|(k, _)| *k != at).map(|(_, part)| part);
    let mut triple = Triple { architecture, ..Triple::unknown() };
    let (mut vendor, mut system, mut stranger, mut windows) = (false, None, None, None);
    for part in parts {
        if matches!(part, "" | "unknown") && !vendor {
            vendor = true;
            continue;
        }
        let name = part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if let Some((os, environment)) = operating_system(part, name) {
            // `none` and `unknown` may also stand for the vendor or the environment.
            if system.is_none_or(|known| matches!(known, OperatingSystem::Unknown | OperatingSystem::None_)) {
                system = Some(os);
            }
            if environment != Environment::Unknown {
                triple.environment = environment;
            }
        } else if let Some(environment) = environment(part, name) {
            triple.environment = environment;
        } else if let Ok(format) = BinaryFormat::from_str(part) {
            triple.binary_format = format;
        } else if let "itanium" | "cygnus" = name {
            windows = Some(if name == "itanium" { Env::Itanium } else { Env::Cygnus });
        } else if matches!(name, "coreclr" | "code") {
            return Err(wrong(&format!("environment `{part}` is not supported")));
        } else if known_vendor(part) {
            vendor = true;
        } else if !vendor && system.is_none() {
            // A vendor may have any name, but there is only one, and it comes before the system.
            (vendor, stranger) = (true, Some(part));
        } else {
            return Err(wrong(&format!("`{part}` is not a system or environment that is known here")));
        }
    }
    // Bare metal of ARM needs no system.
    let bare = matches!(triple.environment, Environment::Eabi | Environment::Eabihf);
    if let (Some(name), None, false) = (stranger, system, bare) {
        return Err(wrong(&format!("`{name}` is not an operating system that is known here")));
    }
    triple.operating_system = system.unwrap_or(OperatingSystem::Unknown);
    let own = match triple.operating_system {
        OperatingSystem::Windows | OperatingSystem::Cygwin | OperatingSystem::Uefi => BinaryFormat::Coff,
        OperatingSystem::Darwin(_) | OperatingSystem::MacOSX(_) | OperatingSystem::IOS(_) => BinaryFormat::Macho,
        _ => BinaryFormat::Elf,
    };
    match triple.binary_format {
        BinaryFormat::Unknown => triple.binary_format = own,
        format if format == own => {}
        format => return Err(wrong(&format!("objects of format `{format}` are not supported for this system"))),
    }
    if windows.is_some() && own != BinaryFormat::Coff {
        return Err(wrong("this environment is one of Windows"));
    }
    Ok((triple, windows))
}

fn architecture(name: &str) -> Option<Architecture> {
    match name.as_bytes() {
        [b'i', b'3'..=b'9', b'8', b'6'] => Some(Architecture::X86_32(X86_32Architecture::I386)),
        b"amd64" | b"x86_64h" => Some(Architecture::X86_64),
        _ => Architecture::from_str(name).ok().or_else(|| {
            // Versions are many, and the same in both instruction sets. Targets know which they have code for.
            let version = name.strip_prefix("thumb").or(name.strip_prefix("arm"))?;
            let big = version.starts_with("eb") || version.ends_with("eb");
            let known = version.is_empty() || version.starts_with('v') || version.starts_with("ebv");
            Architecture::from_str(if big { "armeb" } else { "arm" }).ok().filter(|_| known)
        }),
    }
}

/// A system, and the environment that its name implies. `name` is the part without a version.
fn operating_system(part: &str, name: &str) -> Option<(OperatingSystem, Environment)> {
    let os = match part {
        "" => OperatingSystem::Unknown,
        // LLVM's names of Windows, of which it has only one for both widths.
        _ if part.starts_with("win32") => OperatingSystem::Windows,
        _ if part.starts_with("mingw") => return Some((OperatingSystem::Windows, Environment::Gnu)),
        _ => OperatingSystem::from_str(part).or_else(|()| OperatingSystem::from_str(name)).ok()?,
    };
    Some((os, Environment::Unknown))
}

/// An environment. `name` is the part without a version.
fn environment(part: &str, name: &str) -> Option<Environment> {
    match name {
        // Debian's and Fedora's builds of LLVM use this name; it means nothing.
        "generic" => Some(Environment::Unknown),
        // LLVM takes what begins like one for it.
        "gnuabi" => Some(Environment::Gnu),
        "androidabi" => Some(Environment::Android),
        _ => Environment::from_str(part).or_else(|()| Environment::from_str(name)).ok(),
    }
}

fn known_vendor(part: &str) -> bool {
    match Vendor::from_str(part) {
        Ok(Vendor::Custom(_)) | Err(()) => matches!(part, "w64" | "intel" | "suse" | "oe" | "scei" | "sie"),
        Ok(_) => true,
    }
}

/// Is thread-local data emulated by the compiler's run-time library on the system of a triple, unless a compiler is
/// told otherwise (LLVM's `Triple::hasDefaultEmulatedTLS`)?
///
/// # Errors
/// As [`AbiTarget::from_triple`](crate::AbiTarget::from_triple) for a text that is not a triple.
pub fn has_emulated_tls(triple: &str) -> Result<bool, AbiError> {
    let (parsed, windows) = parse(triple)?;
    Ok(match parsed.environment {
        Environment::Ohos => true,
        // Its loader has supported thread-local data since version 29.
        Environment::Android | Environment::Androideabi => {
            let part = triple.split('-').rfind(|part| part.starts_with("android")).unwrap_or_default();
            let version = part.trim_start_matches(|c: char| c.is_ascii_alphabetic()).split('.').next();
            version.and_then(|number| number.parse::<u32>().ok()).is_none_or(|number| number < 29)
        }
        _ => {
            windows == Some(Env::Cygnus)
                || matches!(parsed.operating_system, OperatingSystem::Openbsd | OperatingSystem::Cygwin)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples() {
        let t = |s| AbiTarget::from_triple(s, AbiFeatures::default());
        assert_eq!(t("x86_64-unknown-linux-gnu").unwrap(), AbiTarget::X86_64_LINUX);
        assert_eq!(t("x86_64-pc-linux-gnu").unwrap(), AbiTarget::X86_64_LINUX);
        assert_eq!(t("i686-pc-windows-msvc").unwrap().env, Env::Msvc);
        assert_eq!(t("i686-pc-windows-msvc19.33.0").unwrap(), t("i686-pc-windows-msvc").unwrap());
        assert_eq!(t("x86_64-w64-mingw32").unwrap(), t("x86_64-w64-windows-gnu").unwrap());
        assert_eq!(t("x86_64-pc-windows-itanium").unwrap().env, Env::Itanium);
        assert_eq!(t("x86_64-pc-cygwin").unwrap().env, Env::Cygnus);
        assert!(!t("arm-unknown-linux-gnueabi").unwrap().features.hard_float);
        assert!(t("armv7-unknown-linux-gnueabihf").unwrap().features.hard_float);
        for (big, little) in [
            ("aarch64_be-unknown-linux-gnu", "aarch64-unknown-linux-gnu"),
            ("armeb-linux-gnueabihf", "arm-linux-gnueabihf"),
            ("thumbebv7-none-eabi", "thumbv7-none-eabi"),
            ("armv7eb-none-eabi", "armv7-none-eabi"),
        ] {
            assert_eq!(t(big).unwrap(), AbiTarget { endian: Endian::Big, ..t(little).unwrap() }, "{big}");
        }
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
            ("z80-unknown-none", "`z80` is not an architecture"),
            ("x86_64-unknown-linux-gnux32", "environment `gnux32` is not supported"),
            ("i386-linux-code16", "environment `code16` is not supported"),
            ("x86_64-pc-windows-coreclr", "environment `coreclr` is not supported"),
            ("x86_64-pc-linux-itanium", "this environment is one of Windows"),
            ("aarch64-pc-windows-itanium", "do not exist on this architecture"),
            ("riscv64gc-unknown-linux-gnu", "architecture `riscv64gc` is not supported"),
            ("aarch64_be-pc-windows-msvc", "no big-endian code"),
            ("armeb-pc-windows-msvc", "no big-endian code"),
            ("arm64_32-apple-watchos", "`arm64_32` is not an architecture"),
            ("aarch64-unknown-linux-gnu_ilp32", "environment `gnu_ilp32` is not supported"),
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
