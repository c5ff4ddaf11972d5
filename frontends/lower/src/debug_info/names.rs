//! DWARF's names of numbers. `gimli` has those of the standard and of many vendors; the tables here have LLVM's others.

use foldhash::HashMap;
use std::ops::Range;

use gimli::constants::{DwAte, DwCc, DwLang, DwOp, DwTag, DwVirtuality};

/// What a name is a name of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    Tag,
    Language,
    Encoding,
    Convention,
    Virtuality,
    Operation,
}

impl Names {
    /// `gimli`'s name of a number.
    fn name(self, number: u16) -> Option<&'static str> {
        match self {
            Names::Tag => DwTag(number).static_string(),
            Names::Language => DwLang(number).static_string(),
            Names::Encoding => DwAte(number as u8).static_string(),
            Names::Convention => DwCc(number as u8).static_string(),
            Names::Virtuality => DwVirtuality(number as u8).static_string(),
            Names::Operation => DwOp(number as u8).static_string(),
        }
    }

    /// Where `gimli` has names.
    fn ranges(self) -> &'static [Range<u16>] {
        match self {
            Names::Tag => &[0..0x80, 0x4080..0x4310, 0x5100..0x5120, 0xa000..0xa040, 0xb000..0xb010],
            Names::Language => &[0..0x80, 0x8000..0x8010, 0x8e50..0x8e60, 0x9000..0x9110, 0xb000..0xb001],
            _ => &[0..0x80, 0x80..0x100],
        }
    }

    /// The names that `gimli` does not have (LLVM, `Dwarf.def`, `Dwarf.h`).
    fn others(self) -> &'static [(&'static str, u16)] {
        match self {
            Names::Tag => &[
                ("DW_TAG_LLVM_ptrauth_type", 0x4300),
                ("DW_TAG_LLVM_annotation", 0x6000),
                ("DW_TAG_GHS_namespace", 0x8004),
                ("DW_TAG_GHS_using_namespace", 0x8005),
                ("DW_TAG_GHS_using_declaration", 0x8006),
                ("DW_TAG_GHS_template_templ_param", 0x8007),
                ("DW_TAG_UPC_shared_type", 0x8765),
                ("DW_TAG_UPC_strict_type", 0x8766),
                ("DW_TAG_UPC_relaxed", 0x8767),
            ],
            Names::Language => &[
                ("DW_LANG_HIP", 0x30),
                ("DW_LANG_Assembly", 0x31),
                ("DW_LANG_C_sharp", 0x32),
                ("DW_LANG_Mojo", 0x33),
                ("DW_LANG_GLSL", 0x34),
                ("DW_LANG_GLSL_ES", 0x35),
                ("DW_LANG_HLSL", 0x36),
                ("DW_LANG_OpenCL_CPP", 0x37),
                ("DW_LANG_CPP_for_OpenCL", 0x38),
                ("DW_LANG_SYCL", 0x39),
                ("DW_LANG_C_plus_plus_23", 0x3a),
                ("DW_LANG_Odin", 0x3b),
                ("DW_LANG_P4", 0x3c),
                ("DW_LANG_Metal", 0x3d),
                ("DW_LANG_C23", 0x3e),
                ("DW_LANG_Fortran23", 0x3f),
                ("DW_LANG_Ruby", 0x40),
                ("DW_LANG_Move", 0x41),
                ("DW_LANG_Hylo", 0x42),
            ],
            Names::Encoding => &[
                ("DW_ATE_ALTIUM_fract", 0x80),
                ("DW_ATE_ALTIUM_accum", 0x81),
                ("DW_ATE_HP_complex_float", 0x81),
                ("DW_ATE_HP_float128", 0x82),
                ("DW_ATE_HP_complex_float128", 0x83),
                ("DW_ATE_HP_floathpintel", 0x84),
                ("DW_ATE_HP_imaginary_float90", 0x85),
                ("DW_ATE_HP_imaginary_float128", 0x86),
                ("DW_ATE_SUN_imaginary_float", 0x86),
            ],
            Names::Convention => &[
                ("DW_CC_GNU_renesas_sh", 0x40),
                ("DW_CC_GNU_borland_fastcall_i386", 0x41),
                ("DW_CC_BORLAND_safecall", 0xb0),
                ("DW_CC_BORLAND_stdcall", 0xb1),
                ("DW_CC_BORLAND_pascal", 0xb2),
                ("DW_CC_BORLAND_msfastcall", 0xb3),
                ("DW_CC_BORLAND_msreturn", 0xb4),
                ("DW_CC_BORLAND_thiscall", 0xb5),
                ("DW_CC_BORLAND_fastcall", 0xb6),
                ("DW_CC_LLVM_vectorcall", 0xc0),
                ("DW_CC_LLVM_Win64", 0xc1),
                ("DW_CC_LLVM_X86_64SysV", 0xc2),
                ("DW_CC_LLVM_AAPCS", 0xc3),
                ("DW_CC_LLVM_AAPCS_VFP", 0xc4),
                ("DW_CC_LLVM_IntelOclBicc", 0xc5),
                ("DW_CC_LLVM_SpirFunction", 0xc6),
                ("DW_CC_LLVM_OpenCLKernel", 0xc7),
                ("DW_CC_LLVM_DeviceKernel", 0xc7),
                ("DW_CC_LLVM_Swift", 0xc8),
                ("DW_CC_LLVM_PreserveMost", 0xc9),
                ("DW_CC_LLVM_PreserveAll", 0xca),
                ("DW_CC_LLVM_X86RegCall", 0xcb),
                ("DW_CC_LLVM_M68kRTD", 0xcc),
                ("DW_CC_LLVM_PreserveNone", 0xcd),
                ("DW_CC_LLVM_RISCVVectorCall", 0xce),
                ("DW_CC_LLVM_SwiftTail", 0xcf),
                ("DW_CC_GDB_IBM_OpenCL", 0xff),
            ],
            Names::Virtuality => &[],
            Names::Operation => &[
                ("DW_OP_LLVM_fragment", 0x1000),
                ("DW_OP_LLVM_convert", 0x1001),
                ("DW_OP_LLVM_tag_offset", 0x1002),
                ("DW_OP_LLVM_entry_value", 0x1003),
                ("DW_OP_LLVM_implicit_pointer", 0x1004),
                ("DW_OP_LLVM_arg", 0x1005),
                ("DW_OP_LLVM_extract_bits_sext", 0x1006),
                ("DW_OP_LLVM_extract_bits_zext", 0x1007),
                ("DW_OP_HP_unknown", 0xe0),
                ("DW_OP_HP_is_value", 0xe1),
                ("DW_OP_HP_fltconst4", 0xe2),
                ("DW_OP_HP_fltconst8", 0xe3),
                ("DW_OP_HP_mod_range", 0xe4),
                ("DW_OP_HP_unmod_range", 0xe5),
                ("DW_OP_HP_tls", 0xe6),
                ("DW_OP_INTEL_bit_piece", 0xe8),
                ("DW_OP_LLVM_user", 0xe9),
                ("DW_OP_WASM_location_int", 0xee),
                ("DW_OP_APPLE_uninit", 0xf0),
                ("DW_OP_PGI_omp_thread_num", 0xf8),
            ],
        }
    }

    /// The name of a number.
    pub fn spelled(self, number: u64) -> Option<&'static str> {
        let number = u16::try_from(number).ok()?;
        // Where `gimli` has names of one byte.
        let short = matches!(self, Names::Tag | Names::Language) || number < 0x100;
        let known = if short { self.name(number) } else { None };
        // LLVM's text has no bounds of ranges.
        let known = known.filter(|name| !name.ends_with("_lo_user") && !name.ends_with("_hi_user"));
        known.or_else(|| self.others().iter().find(|other| other.1 == number).map(|other| other.0))
    }

    /// The number of a name.
    pub fn number(self, name: &[u8]) -> Option<u16> {
        let other = self.others().iter().find(|other| other.0.as_bytes() == name);
        let known =
            || self.ranges().iter().cloned().flatten().find(|&n| self.name(n).is_some_and(|s| s.as_bytes() == name));
        other.map(|other| other.1).or_else(known)
    }
}

/// The names that were looked up. A module has few different ones.
#[derive(Default)]
pub(super) struct KnownNames<'a> {
    numbers: HashMap<&'a [u8], u16>,
}

impl<'a> KnownNames<'a> {
    /// The number of a name.
    pub fn number(&mut self, names: Names, name: &'a [u8]) -> Option<u16> {
        if let Some(&known) = self.numbers.get(name) {
            return Some(known);
        }
        let number = names.number(name)?;
        self.numbers.insert(name, number);
        Some(number)
    }
}

/// DWARF 5's number of a language by DWARF 6's name and version.
pub(super) fn language(name: &[u8], version: u32) -> Option<u16> {
    let name = name.strip_prefix(b"DW_LNAME_")?;
    let by_version = |versions: &[(u32, &'static str)]| {
        let row = versions.iter().rev().find(|row| row.0 <= version);
        row.or(versions.first()).map(|row| row.1)
    };
    let renamed = match name {
        b"C" => {
            by_version(&[(0, "C"), (198912, "C89"), (199901, "C99"), (201112, "C11"), (201710, "C17"), (202311, "C23")])
        }
        b"C_plus_plus" => by_version(&[
            (0, "C_plus_plus"),
            (200310, "C_plus_plus_03"),
            (201103, "C_plus_plus_11"),
            (201402, "C_plus_plus_14"),
            (201703, "C_plus_plus_17"),
            (202002, "C_plus_plus_20"),
            (202302, "C_plus_plus_23"),
        ]),
        b"Fortran" => by_version(&[
            (0, "Fortran77"),
            (1990, "Fortran90"),
            (1995, "Fortran95"),
            (2004, "Fortran03"),
            (2010, "Fortran08"),
            (2018, "Fortran18"),
            (2023, "Fortran23"),
        ]),
        b"Ada" => by_version(&[(0, "Ada83"), (1995, "Ada95"), (2005, "Ada2005"), (2012, "Ada2012")]),
        b"Cobol" => by_version(&[(0, "Cobol74"), (1985, "Cobol85")]),
        b"Pascal" => Some("Pascal83"),
        b"OpenCL_C" => Some("OpenCL"),
        _ => None,
    };
    let name = renamed.map_or(name, str::as_bytes);
    Names::Language.number(&[b"DW_LANG_", name].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_llvms_numbers() {
        for (names, name, number) in [
            (Names::Tag, "DW_TAG_member", 0x0d),
            (Names::Tag, "DW_TAG_GNU_template_parameter_pack", 0x4107),
            (Names::Tag, "DW_TAG_LLVM_annotation", 0x6000),
            (Names::Language, "DW_LANG_C11", 0x1d),
            (Names::Language, "DW_LANG_Mips_Assembler", 0x8001),
            (Names::Encoding, "DW_ATE_UTF", 0x10),
            (Names::Convention, "DW_CC_BORLAND_thiscall", 0xb5),
            (Names::Virtuality, "DW_VIRTUALITY_pure_virtual", 2),
            (Names::Operation, "DW_OP_plus_uconst", 0x23),
            (Names::Operation, "DW_OP_LLVM_fragment", 0x1000),
        ] {
            assert_eq!(names.number(name.as_bytes()), Some(number), "{name}");
        }
        assert_eq!(Names::Tag.number(b"DW_TAG_nothing"), None);
        // No name that gimli has is outside of the ranges.
        for names in [Names::Tag, Names::Language] {
            let outside = |n: &u16| *n != 0xffff && !names.ranges().iter().any(|range| range.contains(n));
            let named: Vec<_> = (0..=u16::MAX).filter(outside).filter_map(|n| names.name(n)).collect();
            let ours = |name: &&str| names.others().iter().any(|other| other.0.eq_ignore_ascii_case(name));
            assert_eq!(named.iter().find(|name| !ours(name) && !name.contains("upc_")), None);
        }
        assert_eq!(language(b"DW_LNAME_C", 201710), Some(0x2c));
        assert_eq!(language(b"DW_LNAME_C_plus_plus", 0), Some(4));
        assert_eq!(language(b"DW_LNAME_Rust", 0), Some(0x1c));
        assert_eq!(language(b"DW_LNAME_nothing", 0), None);
    }
}
