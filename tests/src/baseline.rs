//! Whether an object's code runs on processors of the i686 level, read by an independent decoder.

use std::path::Path;

use goblin::elf::{Elf, section_header as sh, sym};
use iced_x86::{CpuidFeature, Decoder, DecoderOptions, Instruction};

use crate::tools::Failure;

/// What the Pentium Pro has, and what does nothing there: long `nop`s, hints, marks for indirect branches.
fn is_old(feature: CpuidFeature) -> bool {
    use CpuidFeature::*;
    matches!(
        feature,
        INTEL8086
            | INTEL186
            | INTEL286
            | INTEL386
            | INTEL486
            | CPUID
            | CX8
            | CMOV
            | TSC
            | FPU
            | FPU287
            | FPU387
            | MULTIBYTENOP
            | PAUSE
            | CET_IBT
    )
}

/// Checks every function of a 32-bit ELF object.
pub fn runs_on_i686(object: &Path) -> Result<(), Failure> {
    let bytes = std::fs::read(object)?;
    let elf = Elf::parse(&bytes).map_err(|e| Failure::new(e.to_string()))?;
    let mut instruction = Instruction::default();
    for symbol in elf.syms.iter().filter(|s| s.st_type() == sym::STT_FUNC && s.st_size > 0) {
        let Some(section) = elf.section_headers.get(symbol.st_shndx) else { continue };
        if section.sh_type != sh::SHT_PROGBITS {
            continue;
        }
        let start = (section.sh_offset + symbol.st_value) as usize;
        let code = bytes.get(start..start + symbol.st_size as usize).unwrap_or_default();
        let mut decoder = Decoder::with_ip(32, code, 0, DecoderOptions::NONE);
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if instruction.is_invalid() || instruction.cpuid_features().iter().any(|&f| !is_old(f)) {
                let name = elf.strtab.get_at(symbol.st_name).unwrap_or("");
                let features = instruction.cpuid_features();
                let (at, code) = (instruction.ip(), instruction.code());
                let place = object.display();
                return Err(Failure::new(format!("{place}: {name}+{at:#x}: {code:?} wants {features:?}")));
            }
        }
    }
    Ok(())
}
