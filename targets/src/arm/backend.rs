//! The table of ARM's back end, and how its machines differ.

use gusset_abi::features::{CodeRequests, Hardening, ThreadRegister};
use gusset_abi::{AbiTarget, Arch, Endian, Env, Isa};
#[cfg(feature = "asm")]
use gusset_codegen::asm::Disassembler;
use gusset_codegen::ir::{CodeModel, Module};
use gusset_codegen::object::{Attribute, ObjectFormat};

#[cfg(feature = "asm")]
use super::asm::Printer;
use super::machine::{Arm, Features};
use super::{object, processors};
use crate::backend::{Backend, Configure, Machines, has_elf};

/// A32 and T32.
pub static BACKEND: Backend = Backend {
    targets: &[
        ("armv7-unknown-linux-gnueabihf", "32-bit Arm, A32, ELF, AAPCS32 with VFP", Arch::Arm),
        ("thumbv7-unknown-linux-gnueabihf", "32-bit Arm, T32, ELF, AAPCS32 with VFP", Arch::Arm),
        ("thumbv7em-none-eabihf", "32-bit Arm microcontrollers, T32, ELF, AAPCS32 with VFP", Arch::Arm),
        ("armebv7-unknown-linux-gnueabihf", "32-bit Arm, A32, big-endian, ELF, AAPCS32 with VFP", Arch::Arm),
        ("thumbebv7-unknown-linux-gnueabihf", "32-bit Arm, T32, big-endian, ELF, AAPCS32 with VFP", Arch::Arm),
        ("thumbv7-pc-windows-msvc", "32-bit Arm, T32, COFF, Windows ARM ABI", Arch::Arm),
        ("thumbv7-w64-windows-gnu", "32-bit Arm, T32, COFF, Windows ARM ABI of GNU's tools", Arch::Arm),
    ],
    processors: |_| crate::features::names(processors::PROCESSORS),
    own_features: &processors::OWN,
    native: Vec::new,
    machine: |triple, target, features| {
        let windows = target.is_windows() && target.env != Env::Cygnus;
        if target.arch != Arch::Arm || !(windows || has_elf(target.os)) {
            return Ok(None);
        }
        let flags = processors::features(triple, windows, features, &mut target.features)?;
        if windows {
            if target.features.apcs {
                return Err(format!("target `{triple}` has another ABI than `apcs`"));
            }
            if !flags.thumb || !flags.vfp || flags.microcontroller {
                let what = "Windows has T32 of version 7-A with floating point alone";
                return Err(format!("target `{triple}` is not supported: {what}"));
            }
            return Ok(Some(Machines::one(Arm::new_windows(flags, target.env, target.features))));
        }
        target.features.vector_bytes = if flags.neon { 16 } else { 8 * u8::from(flags.vfp) };
        // Without the registers, conventions are those for code without them.
        target.features.hard_float &= flags.float_registers;
        if target.features.hard_float && !flags.vfp {
            return Err(format!("target `{triple}` passes numbers in registers that are switched off"));
        }
        let (system, of_calls) = ((target.os, target.endian), target.features);
        Ok(Some(Machines::each(|pic, pie| Arm { pie, ..Arm::new(flags, pic, system, of_calls) })))
    },
};

impl Configure for Arm {
    fn object_format(&self) -> &'static ObjectFormat {
        match self.windows {
            Some(Env::Gnu) => &object::T32_MINGW,
            Some(Env::Itanium) => &object::T32_ITANIUM,
            Some(_) => &object::T32_MSVC,
            None => match (self.features.thumb, self.facts.endian(), self.features.execute_only) {
                (true, Endian::Little, false) => &object::T32,
                (true, Endian::Big, false) => &object::T32_BE,
                (false, Endian::Little, false) => &object::A32,
                (false, Endian::Big, false) => &object::A32_BE,
                (true, Endian::Little, true) => &object::T32_EXECUTE_ONLY,
                (true, Endian::Big, true) => &object::T32_BE_EXECUTE_ONLY,
                (false, Endian::Little, true) => &object::A32_EXECUTE_ONLY,
                (false, Endian::Big, true) => &object::A32_BE_EXECUTE_ONLY,
            },
        }
    }

    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler> {
        Box::new(Printer::new(self.isa, self.features.custom))
    }

    fn hardening(&self) -> Hardening {
        self.features.hardening
    }

    fn code_models(&self) -> &'static str {
        "`small` and `large`"
    }

    fn with_code_model(&self, model: CodeModel) -> Option<Arm> {
        // All addresses are of 32 bits; only branches may not reach.
        let far = || self.with_features(Features { long_calls: true, ..self.features }, self.facts.library.features);
        (model == CodeModel::Large).then(far)
    }

    fn attributes(&self, module: &Module, pic: bool) -> (Vec<(u8, Attribute)>, Option<&'static str>) {
        if self.windows.is_some() && !pic { Default::default() } else { self.build_attributes(module) }
    }

    fn trampoline_isa(&self) -> Isa {
        if self.features.thumb { Isa::Thumb2 } else { Isa::Base }
    }

    fn with_requests(&self, requests: &CodeRequests, module: &Module, target: &AbiTarget) -> Result<Arm, String> {
        if requests.soft_float && target.features.hard_float {
            return Err("passes numbers in registers that its functions do without (`soft-float`)".into());
        }
        let was = self.features;
        let asked = Features {
            long_calls: was.long_calls || requests.long_calls,
            no_movt: was.no_movt || requests.no_movt,
            execute_only: was.execute_only || requests.execute_only,
            thread: if self.windows.is_some() {
                requests.thread.or(was.thread)
            } else {
                was.thread.or(requests.thread)
            },
            ..was
        };
        if was.version < 7 && was.hardening.and(requests.hardening) != Hardening::default() {
            return Err(
                "has no barriers against speculation (`harden-sls-retbr`, `harden-sls-blr`): they begin with version 7"
                    .into(),
            );
        }
        let asked = if requests.soft_float { processors::soft(asked) } else { asked };
        if asked.execute_only && !asked.has_t2() {
            return Err("has no code that is never read (`execute-only`): that begins with version 6T2".into());
        }
        let machine = self.with_features(asked, target.features);
        if module.stack_guard.of_thread && self.windows.is_none() && machine.thread() == ThreadRegister::Library {
            let what =
                "has stack guards in the thread's block, whose address is in no register that the functions name";
            return Err(what.into());
        }
        Ok(machine)
    }

    fn change_target(requests: &CodeRequests, target: &mut AbiTarget) {
        if requests.soft_float {
            target.features.vector_bytes = 0;
        }
    }
}
