//! Compressed sections of debug information (System V gABI, "Section Compression").

use miniz_oxide::deflate::compress_to_vec_zlib;
use object::elf;

use super::{ObjectWriter, Result, SectionType};

/// zlib's own default, from 0 to 10.
const LEVEL: u8 = 6;

impl ObjectWriter<'_> {
    /// Compresses sections of debug information with zlib, each if that makes it smaller. Relocations are places in what is not
    /// compressed, so that linkers expand a section before they relocate it; addends that stand in the section must be there already.
    pub(super) fn compress_debug_sections(&mut self) -> Result {
        let (is_64, endian) = (self.format.is_64, self.format.endian());
        let is_debug = |name: &str| name.starts_with(".debug_");
        for section in self.sections.iter_mut().filter(|section| is_debug(&section.spec.name)) {
            if section.spec.ty != SectionType::Bytes || section.spec.flags & elf::SHF_ALLOC != 0 {
                continue;
            }
            let whole = section.bytes.to_vec()?;
            // `Elf32_Chdr` or `Elf64_Chdr`: the kind, which has padding after it in the latter, the size and the alignment.
            let mut bytes = Vec::new();
            if is_64 {
                bytes.extend([endian.u32(elf::ELFCOMPRESS_ZLIB), [0; 4]].concat());
                bytes.extend([endian.u64(whole.len() as u64), endian.u64(section.align)].concat());
            } else {
                let words = [elf::ELFCOMPRESS_ZLIB, whole.len() as u32, section.align as u32];
                bytes.extend(words.iter().flat_map(|&word| endian.u32(word)));
            }
            bytes.extend(compress_to_vec_zlib(&whole, LEVEL));
            if bytes.len() < whole.len() {
                section.bytes = bytes.into();
                section.align = if is_64 { 8 } else { 4 };
                section.spec.flags |= elf::SHF_COMPRESSED;
            }
        }
        Ok(())
    }
}
