//! The parts of a triple, found as LLVM's normalization finds them: each by its spelling, wherever it stands.
//!
//! LLVM takes what it does not know for a target without a system; here it is an error, since it is a slip of the pen more
//! often than not (`x86_64-linus-gnu`).

use crate::error::AbiError;
use crate::target::Env;
use alloc::format;
use core::str::FromStr;
use target_lexicon::{Architecture, BinaryFormat, Environment, OperatingSystem, Triple, Vendor, X86_32Architecture};

/// Reads a triple: an architecture, then vendor, system, environment and object format in any order, each of which may be
/// left out. With it goes what it says of Windows beyond what a [`Triple`] can hold.
///
/// # Errors
/// What the triple means is not known.
pub(crate) fn parse(text: &str) -> Result<(Triple, Option<Env>), AbiError> {
    let wrong = |message: &str| AbiError::target(format!("triple `{text}`: {message}"));
    let mut parts = text.split('-');
    let first = parts.next().unwrap_or_default();
    let Some(architecture) = architecture(first) else {
        return Err(wrong(&format!("`{first}` is not an architecture that is known here")));
    };
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
            // A vendor may have any name, but there is only one, and it stands before the system.
            (vendor, stranger) = (true, Some(part));
        } else {
            return Err(wrong(&format!("`{part}` is not a system or environment that is known here")));
        }
    }
    if let (Some(name), None) = (stranger, system) {
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
        _ => Architecture::from_str(name).ok(),
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
        // Debian's and Fedora's builds of LLVM have been called so; it means nothing.
        "generic" => Some(Environment::Unknown),
        _ => Environment::from_str(part).or_else(|()| Environment::from_str(name)).ok(),
    }
}

fn known_vendor(part: &str) -> bool {
    match Vendor::from_str(part) {
        Ok(Vendor::Custom(_)) | Err(()) => matches!(part, "w64" | "intel" | "suse" | "oe" | "scei" | "sie"),
        Ok(_) => true,
    }
}

/// Is thread-local data emulated by the compiler's run-time library on the system of a triple, unless a compiler is told
/// otherwise (LLVM's `Triple::hasDefaultEmulatedTLS`)?
///
/// # Errors
/// As [`Target::from_triple`](crate::Target::from_triple) for what is no triple.
pub fn has_emulated_tls(triple: &str) -> Result<bool, AbiError> {
    let (parsed, windows) = parse(triple)?;
    Ok(match parsed.environment {
        Environment::Ohos => true,
        // Its loader has thread-local data since version 29.
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
