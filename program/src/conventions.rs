//! LLVM's calling conventions by number and by name.

use gusset_abi::Convention;

/// Conventions by LLVM's numbers and names (`CallingConv.h`); those without a name in the text have another one here.
const CONVENTIONS: &[(u64, &str, Option<Convention>)] = &[
    (0, "ccc", Some(Convention::C)),
    (8, "fastcc", Some(Convention::Fast)),
    (9, "coldcc", Some(Convention::Cold)),
    (10, "ghccc", Some(Convention::Ghc)),
    (11, "HiPE's", None),
    (12, "webkit_jscc", None),
    (13, "anyregcc", None),
    (14, "preserve_mostcc", Some(Convention::PreserveMost)),
    (15, "preserve_allcc", Some(Convention::PreserveAll)),
    (16, "swiftcc", Some(Convention::Swift)),
    (17, "cxx_fast_tlscc", None),
    (18, "tailcc", Some(Convention::Tail)),
    (19, "cfguard_checkcc", None),
    (20, "swifttailcc", Some(Convention::SwiftTail)),
    (21, "preserve_nonecc", Some(Convention::PreserveNone)),
    (64, "x86_stdcallcc", Some(Convention::Stdcall)),
    (65, "x86_fastcallcc", Some(Convention::Fastcall)),
    (66, "arm_apcscc", Some(Convention::Apcs)),
    (67, "arm_aapcscc", Some(Convention::AapcsBase)),
    (68, "arm_aapcs_vfpcc", Some(Convention::AapcsVfp)),
    (70, "x86_thiscallcc", Some(Convention::Thiscall)),
    (77, "intel_ocl_bicc", None),
    (78, "x86_64_sysvcc", Some(Convention::SysV64)),
    (79, "win64cc", Some(Convention::Win64)),
    (80, "x86_vectorcallcc", Some(Convention::Vectorcall)),
    (81, "HHVM's", None),
    (82, "HHVM's for C", None),
    (83, "x86_intrcc", Some(Convention::Interrupt)),
    (92, "x86_regcallcc", Some(Convention::RegCall)),
    (97, "aarch64_vector_pcs", Some(Convention::VectorPcs)),
    (98, "aarch64_sve_vector_pcs", None),
    (107, "graalcc", None),
];

/// The calling convention of a name (`fastcc`), if it is supported.
pub fn convention(name: &str) -> Option<Convention> {
    CONVENTIONS.iter().find(|row| row.1 == name).and_then(|row| row.2)
}

/// The word of a text for the calling convention with a number: empty for C's, and `cc` with the number for those without a word.
pub fn convention_word(number: u64) -> String {
    let word = CONVENTIONS.iter().find(|row| row.0 == number).map(|row| row.1);
    match word.filter(|word| !word.contains('\'')) {
        _ if number == 0 => String::new(),
        Some(word) => word.into(),
        None => format!("cc {number}"),
    }
}

/// Whether a word of a text is the name of a calling convention, supported or not.
pub fn is_convention(name: &str) -> bool {
    CONVENTIONS.iter().any(|row| row.1 == name)
}

/// The calling convention with a number.
///
/// # Errors
/// It is not supported: the message about it.
pub fn convention_of_number(number: u64) -> Result<Convention, String> {
    let row = CONVENTIONS.iter().find(|row| row.0 == number);
    row.and_then(|row| row.2).ok_or_else(|| {
        let name = row.map_or(String::new(), |row| format!(" ({})", row.1));
        format!("calling convention {number}{name} is not supported")
    })
}
