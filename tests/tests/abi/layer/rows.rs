//! The table of what is tested: a row for each target, convention and compiler.

use super::differs::Differs;
use super::differs_cxx;
use super::types::Palette;
use super::{rows_arm, rows_x86};
use gusset_abi::{AbiFeatures, AbiTarget, Convention, Env, Modifiers};
use gusset_tests::machine::Machine;
use gusset_tests::tools;

/// Who compiles the judge's file.
#[derive(Clone, Copy)]
pub enum Compiler {
    /// This machine's GCC.
    Gcc,
    /// GCC for another machine, by its program's name.
    CrossGcc(&'static str),
    /// clang, with its name for the target.
    Clang(&'static str),
    /// clang for a Windows target whose code is then made for ELF, through LLVM IR: the name of the target.
    ClangToElf(&'static str),
}

impl Compiler {
    /// The program to start.
    pub fn program(self, cxx: bool) -> String {
        match self {
            Compiler::Gcc if cxx => "g++".into(),
            Compiler::Gcc => tools::gcc(),
            Compiler::CrossGcc(name) if cxx => name.replace("gcc", "g++"),
            Compiler::CrossGcc(name) => name.into(),
            Compiler::Clang(_) | Compiler::ClangToElf(_) => tools::clang(),
        }
    }
}

/// How the judge spells variadic functions.
#[derive(Clone, Copy)]
pub struct VaList {
    /// The type of the list.
    pub list: &'static str,
    /// The function that starts it.
    pub start: &'static str,
}

/// The usual spelling.
pub const VA_LIST: Option<VaList> = Some(VaList { list: "__builtin_va_list", start: "__builtin_va_start" });

/// The spelling in functions of Microsoft's convention on other systems.
pub const MS_VA_LIST: Option<VaList> = Some(VaList { list: "__builtin_ms_va_list", start: "__builtin_ms_va_start" });

/// A (target, convention, compiler).
#[derive(Clone)]
pub struct Row {
    /// `TARGET/CONVENTION/COMPILER`.
    pub name: &'static str,
    pub target: AbiTarget,
    pub convention: Convention,
    pub modifiers: Modifiers,
    /// The attribute by which the judge's functions get the convention, before the result's type.
    pub attribute: &'static str,
    pub compiler: Compiler,
    /// Options for the judge's file.
    pub options: &'static [&'static str],
    /// Vectors are in turn as wide as 16, 32 and 64 bytes.
    pub wide_vectors: bool,
    pub palette: Palette,
    /// How variadic functions are spelled, if the convention has them.
    pub variadic: Option<VaList>,
    /// The judge optimizes every program, not one in two.
    pub optimized: bool,
    /// Records are not results: the convention, as the judge has it, has no place for them.
    pub no_result_in_memory: bool,
    pub differs: &'static [Differs],
    /// The same of classes.
    pub differs_cxx: &'static [Differs],
    pub machine: &'static Machine,
    /// Symbols are not decorated, whatever the layer says: the judge's code is made for ELF.
    pub plain_symbols: bool,
}

/// Every row of a C compiler's.
pub fn rows() -> Vec<Row> {
    let mut rows = rows_x86::rows();
    rows.extend(rows_arm::rows());
    let cxx: Vec<Row> = rows.iter().filter_map(cxx).collect();
    rows.extend(cxx);
    rows
}

/// The row in C++, of the conventions where classes make a difference: those that C++ code uses by itself.
fn cxx(row: &Row) -> Option<Row> {
    let mut differs: &[Differs] = &[];
    let mut optimized = row.optimized;
    let name = match row.name {
        "x86_64-linux/c/gcc" => {
            differs = &[differs_cxx::gcc_large_empty];
            "x86_64-linux/cxx/gcc"
        }
        "x86_64-linux/c/clang" => "x86_64-linux/cxx/clang",
        "x86_64-msvc/c/clang" => {
            differs = &[differs_cxx::clang_microsoft_results];
            "x86_64-msvc/cxx/clang"
        }
        "x86_64-msvc/vectorcall/clang" => {
            differs = &[differs_cxx::clang_vectorcall, differs_cxx::clang_microsoft_results];
            "x86_64-msvc/cxx_vectorcall/clang"
        }
        "x86_64-mingw/c/gcc" => {
            differs = &[differs_cxx::gcc_empty];
            "x86_64-mingw/cxx/gcc"
        }
        "x86_64-mingw/c/clang" => "x86_64-mingw/cxx/clang",
        "i386-linux/c/gcc" => {
            differs = &[differs_cxx::gcc_empty];
            "i386-linux/cxx/gcc"
        }
        "i386-linux/c/clang" => {
            differs = &[differs_cxx::clang_zero_size];
            "i386-linux/cxx/clang"
        }
        "i386-bsd/c/clang" => {
            differs = &[differs_cxx::clang_zero_size];
            "i386-bsd/cxx/clang"
        }
        "i386-msvc/c/clang" => "i386-msvc/cxx/clang",
        "i386-msvc/stdcall/clang" => "i386-msvc/cxx_stdcall/clang",
        "i386-msvc/fastcall/clang" => "i386-msvc/cxx_fastcall/clang",
        "i386-msvc/thiscall/clang" => "i386-msvc/cxx_thiscall/clang",
        "i386-msvc/vectorcall/clang" => {
            differs = &[differs_cxx::clang_microsoft_results];
            "i386-msvc/cxx_vectorcall/clang"
        }
        "i386-mingw/c/gcc" => {
            differs = &[differs_cxx::gcc_empty];
            "i386-mingw/cxx/gcc"
        }
        "i386-mingw/thiscall/gcc" => {
            differs = &[differs_cxx::gcc_empty];
            "i386-mingw/cxx_thiscall/gcc"
        }
        "i386-mingw/c/clang" => {
            differs = &[differs_cxx::clang_zero_size];
            "i386-mingw/cxx/clang"
        }
        "i386-mingw/thiscall/clang" => {
            differs = &[differs_cxx::clang_zero_size];
            "i386-mingw/cxx_thiscall/clang"
        }
        "aarch64-linux/c/gcc" => {
            differs = &[differs_cxx::gcc_empty_member, differs_cxx::gcc_large_empty];
            "aarch64-linux/cxx/gcc"
        }
        "aarch64-linux/c/clang" => {
            differs = &[differs_cxx::clang_large_empty];
            "aarch64-linux/cxx/clang"
        }
        "aarch64-msvc/c/clang" => {
            differs = &[differs_cxx::clang_large_empty];
            // Without optimization, clang 19 does not return the address of a result.
            optimized = true;
            "aarch64-msvc/cxx/clang"
        }
        "aarch64-apple/c/clang" => "aarch64-apple/cxx/clang",
        "armhf-a32/c/gcc" => {
            differs = &[differs_cxx::gcc_empty, differs_cxx::gcc_empty_member];
            "armhf-a32/cxx/gcc"
        }
        "armhf-a32/c/clang" => "armhf-a32/cxx/clang",
        "arm-thumb/c/gcc" => {
            differs = &[differs_cxx::gcc_empty, differs_cxx::gcc_empty_member];
            "arm-thumb/cxx/gcc"
        }
        "arm-thumb/c/clang" => "arm-thumb/cxx/clang",
        "arm-msvc/c/clang" => "arm-msvc/cxx/clang",
        _ => return None,
    };
    // clang's copies of classes want vectors aligned that the argument block of 32-bit Windows does not align.
    let vectors = row.palette.vectors && !name.starts_with("i386-msvc");
    // GCC 12 for AArch64 has _Float16 in C only.
    let half = row.palette.half && name != "aarch64-linux/cxx/gcc";
    // In C++, compilers differ in which records may have flexible arrays, and clang's classes with arrays without elements
    // have IR types that are larger than they are where Microsoft's rules hold.
    let empty_arrays = row.palette.empty_arrays && row.target.env == Env::Gnu;
    let palette = Palette { cxx: true, flexible_arrays: false, empty_arrays, vectors, half, ..row.palette };
    Some(Row { name, palette, optimized, differs_cxx: differs, ..row.clone() })
}

/// What clang has beside what both compilers have.
pub const CLANG: Palette = Palette { bit_int: 300, empty_arrays: true, flexible_arrays: false, ..Palette::COMMON };

/// The target with vector registers as wide as some processor has them, in turn if `wide_vectors`, and the compilers'
/// option for it without the `-m`. The seed alone decides: a processor that lacks them does not run the program.
pub fn feature(target: &AbiTarget, wide_vectors: bool, seed: u64) -> (AbiTarget, &'static str) {
    let widths = [(target.features.vector_bytes, ""), (32, "avx"), (64, "avx512bw")];
    let (vector_bytes, option) = if wide_vectors { widths[seed as usize % widths.len()] } else { widths[0] };
    (AbiTarget { features: AbiFeatures { vector_bytes, ..target.features }, ..*target }, option)
}
