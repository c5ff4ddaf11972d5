//! The table of x86's back end, and how its machines differ.

use gusset_abi::features::{CodeRequests, Hardening};
use gusset_abi::{AbiTarget, Arch, Env};
#[cfg(feature = "asm")]
use gusset_codegen::asm::Disassembler;
use gusset_codegen::ir::{CodeModel, Module};
use gusset_codegen::machine::MachineFacts;
use gusset_codegen::object::ObjectFormat;

#[cfg(feature = "asm")]
use super::asm::AttPrinter;
use super::machine::X86;
use super::{object, processors};
use crate::backend::{Backend, Configure, Machines, has_elf};

/// i386 and x86-64.
pub static BACKEND: Backend = Backend {
    targets: &[
        ("x86_64-unknown-linux-gnu", "64-bit x86, ELF, System V ABI", Arch::X86_64),
        ("i686-unknown-linux-gnu", "32-bit x86, ELF, System V ABI", Arch::X86),
        ("x86_64-pc-windows-msvc", "64-bit x86, COFF, Windows x64 ABI", Arch::X86_64),
        ("x86_64-w64-mingw32", "64-bit x86, COFF, Windows x64 ABI of GNU's tools", Arch::X86_64),
        ("i686-pc-windows-msvc", "32-bit x86, COFF, Microsoft's ABI", Arch::X86),
        ("i686-w64-mingw32", "32-bit x86, COFF, ABI of GNU's tools", Arch::X86),
        ("x86_64-pc-windows-itanium", "64-bit x86, COFF, Windows x64 ABI, Itanium C++ ABI", Arch::X86_64),
        ("i686-pc-windows-itanium", "32-bit x86, COFF, Microsoft's ABI, Itanium C++ ABI", Arch::X86),
        ("x86_64-pc-cygwin", "64-bit x86, COFF, Cygwin", Arch::X86_64),
        ("i686-pc-cygwin", "32-bit x86, COFF, Cygwin", Arch::X86),
    ],
    processors: |arch| processors::names(arch == Arch::X86),
    own_features: &[],
    native: processors::native,
    machine: |_, target, features| {
        let is_32 = target.arch == Arch::X86;
        let (elf, windows) = (has_elf(target.os), target.is_windows());
        if !(is_32 || target.arch == Arch::X86_64) || !(elf || windows) {
            return Ok(None);
        }
        let mut flags = processors::features(features, is_32, &mut target.features)?;
        if is_32 || elf {
            target.features.vector_bytes = if flags.x87_only { 0 } else { 16 };
        } else if flags.x87_only {
            return Err("64-bit code for Windows without the feature `sse2` is not supported".to_string());
        } else {
            // Every processor that runs 64-bit Windows has it.
            flags.cx16 = true;
        }
        let (os, env) = (target.os, target.env);
        let soft = target.is_soft();
        let softened = |x86: X86| X86 { facts: MachineFacts { soft_float: soft, ..x86.facts }, ..x86 };
        Ok(Some(match (windows, is_32) {
            (true, true) => Machines::one(softened(X86::new_windows_32(flags, env))),
            (true, false) => Machines::one(softened(X86::new_windows(flags, env))),
            (false, true) => Machines::each(|pic, pie| softened(X86 { pie, ..X86::new_32(flags, pic).on(os) })),
            (false, false) => Machines::each(|pic, pie| softened(X86 { pie, ..X86::new(flags, pic) })),
        }))
    },
};

impl Configure for X86 {
    fn object_format(&self) -> &'static ObjectFormat {
        match (self.windows, self.is_32(), self.env) {
            (false, true, _) => &object::I386,
            (false, false, _) => &object::X86_64,
            (true, true, Env::Gnu) => &object::I386_MINGW,
            (true, true, Env::Msvc) => &object::I386_MSVC,
            (true, true, Env::Itanium) => &object::I386_ITANIUM,
            (true, true, Env::Cygnus) => &object::I386_CYGNUS,
            (true, false, Env::Gnu) => &object::X86_64_MINGW,
            (true, false, Env::Msvc) => &object::X86_64_MSVC,
            (true, false, Env::Itanium) => &object::X86_64_ITANIUM,
            (true, false, Env::Cygnus) => &object::X86_64_CYGNUS,
        }
    }

    fn hardening(&self) -> Hardening {
        self.features.hardening
    }

    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler> {
        Box::new(AttPrinter::with_bits(if self.is_32() { 32 } else { 64 }))
    }

    fn code_models(&self) -> &'static str {
        if self.is_32() || self.windows { "`small`" } else { "`small`, `kernel`, `medium` and `large`" }
    }

    fn with_code_model(&self, model: CodeModel) -> Option<X86> {
        let has_models = !self.is_32() && !self.windows && model != CodeModel::Tiny;
        has_models.then(|| self.clone().with_code_model(model))
    }

    fn with_requests(&self, requests: &CodeRequests, module: &Module, _target: &AbiTarget) -> Result<X86, String> {
        let mut machine = self.clone();
        if module.library_by_table && !self.windows {
            machine.library_by_table = true;
            machine.code = machine.code.with_far_library();
        }
        if self.is_32() {
            machine.facts.library_registers = module.library_registers.min(3);
        }
        if requests.tagged_globals && !self.windows && !self.is_32() {
            // Linkers must keep them in the global offset table.
            machine.features.tagged_globals = true;
            machine.code = machine.code.with_fixed_table();
        }
        if requests.no_floats {
            machine = machine.without_sse();
        }
        Ok(machine)
    }

    fn change_target(requests: &CodeRequests, target: &mut AbiTarget) {
        if requests.no_floats {
            target.features.vector_bytes = 0;
        }
    }
}
