//! The table of AArch64's back end, and how its machines differ.

use gusset_abi::features::{CodeRequests, Hardening};
use gusset_abi::{AbiTarget, Arch, Env};
#[cfg(feature = "asm")]
use gusset_codegen::asm::Disassembler;
use gusset_codegen::ir::{CodeModel, Module};
use gusset_codegen::object::ObjectFormat;

#[cfg(feature = "asm")]
use super::asm::Printer;
use super::machine::{Aarch64, Reach};
use super::{object, processors};
use crate::backend::{Backend, Configure, Machines, has_elf};

/// AArch64.
pub static BACKEND: Backend = Backend {
    targets: &[
        ("aarch64-unknown-linux-gnu", "64-bit Arm, ELF, AAPCS64", Arch::Aarch64),
        ("aarch64_be-unknown-linux-gnu", "64-bit Arm, big-endian, ELF, AAPCS64", Arch::Aarch64),
        ("aarch64-pc-windows-msvc", "64-bit Arm, COFF, Windows ARM64 ABI", Arch::Aarch64),
        ("aarch64-w64-windows-gnu", "64-bit Arm, COFF, Windows ARM64 ABI of GNU's tools", Arch::Aarch64),
    ],
    processors: |_| crate::features::names(processors::PROCESSORS),
    own_features: &[processors::CHAIN],
    native: processors::native,
    machine: |triple, target, features| {
        let windows = target.is_windows() && matches!(target.env, Env::Msvc | Env::Gnu);
        if target.arch != Arch::Aarch64 || !(windows || has_elf(target.os)) {
            return Ok(None);
        }
        let mut flags = processors::features(features, &mut target.features)?;
        if windows && flags.no_neon {
            return Err(format!(
                "target `{triple}` is not supported: Windows has floating-point registers and vectors"
            ));
        }
        if windows {
            return Ok(Some(Machines::one(Aarch64::new_windows(flags, target.env))));
        }
        if triple.contains("android") {
            // Offset in Bionic's thread block. The register belongs to the shadow stack.
            flags.thread_guard = Some(0x28);
            flags.platform_register = false;
        }
        let (os, endian) = (target.os, target.endian);
        Ok(Some(Machines::each(|pic, pie| Aarch64 { pie, ..Aarch64::new(flags, pic, os, endian) })))
    },
};

impl Configure for Aarch64 {
    fn object_format(&self) -> &'static ObjectFormat {
        match self.windows {
            None if self.facts.endian().is_big() => &object::AARCH64_BE,
            None => &object::AARCH64,
            Some(Env::Gnu) => &object::AARCH64_MINGW,
            Some(_) => &object::AARCH64_MSVC,
        }
    }

    fn hardening(&self) -> Hardening {
        self.features.hardening
    }

    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler> {
        Box::new(Printer)
    }

    fn code_models(&self) -> &'static str {
        if self.windows.is_some() { "`small`" } else { "`small`, `tiny` and `large`" }
    }

    fn with_code_model(&self, model: CodeModel) -> Option<Aarch64> {
        // Offsets from the thread pointer have no more bits than addresses.
        let (reach, bits) = match model {
            CodeModel::Tiny => (Reach::Tiny, 24),
            // As LLVM has it, position-independent code is the same as that of `small`.
            CodeModel::Large if self.pic => (Reach::Pages, 32),
            CodeModel::Large => (Reach::Anywhere, 48),
            _ => return None,
        };
        self.windows.is_none().then(|| Aarch64 { reach, tls_bits: self.tls_bits.min(bits), ..self.clone() })
    }

    fn with_tls_size(&self, bits: u8) -> Option<Aarch64> {
        // Of more than 32 bits, the code model `large` has all.
        let sized = || Aarch64 { tls_bits: bits, ..self.clone() };
        (self.windows.is_none() && matches!(bits, 12 | 24 | 32 | 48)).then(sized)
    }

    fn with_requests(&self, requests: &CodeRequests, _module: &Module, _target: &AbiTarget) -> Result<Aarch64, String> {
        let mut machine = self.clone();
        if self.windows.is_none() {
            let flags = &mut machine.features;
            flags.thread = flags.thread.or(requests.thread);
            flags.tagged_globals |= requests.tagged_globals;
            flags.separate_products |= requests.separate_products;
        }
        Ok(machine)
    }
}
