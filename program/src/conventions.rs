//! LLVM's words for calling conventions.

use gusset_abi::Convention;

/// The keyword for a convention in LLVM's text; empty for C's (LLVM LangRef, "Calling Conventions").
pub fn convention_name(convention: Convention) -> &'static str {
    match convention {
        Convention::C => "",
        Convention::SysV64 => "x86_64_sysvcc",
        Convention::Fast => "fastcc",
        Convention::Cold => "coldcc",
        Convention::Tail => "tailcc",
        Convention::PreserveMost => "preserve_mostcc",
        Convention::PreserveAll => "preserve_allcc",
        Convention::PreserveNone => "preserve_nonecc",
        Convention::Win64 => "win64cc",
        Convention::Stdcall => "x86_stdcallcc",
        Convention::Fastcall => "x86_fastcallcc",
        Convention::Thiscall => "x86_thiscallcc",
        Convention::Vectorcall => "x86_vectorcallcc",
        Convention::VectorPcs => "aarch64_vector_pcs",
        Convention::AapcsBase => "arm_aapcscc",
        Convention::AapcsVfp => "arm_aapcs_vfpcc",
        Convention::Swift => "swiftcc",
        Convention::SwiftTail => "swifttailcc",
        Convention::Ghc => "ghccc",
        // Every row of the reader's table is tested against this one.
        _ => "",
    }
}
