//! The rows of x86.

use super::differs;
use super::differs_win64;
use super::rows::{CLANG, Compiler, MS_VA_LIST, Row, VA_LIST};
use super::types::Palette;
use gusset_abi::{AbiTarget, Arch, Convention, Env, Member, Modifiers, Os, Preserves};
use gusset_tests::machine;

const LINUX64: Row = Row {
    name: "",
    target: AbiTarget::X86_64_LINUX,
    convention: Convention::C,
    modifiers: Modifiers { regparm: 0, sse_regparm: false, member: Member::None, preserves: Preserves::Usual },
    attribute: "",
    compiler: Compiler::Gcc,
    options: &[],
    wide_vectors: false,
    palette: Palette::COMMON,
    variadic: VA_LIST,
    optimized: false,
    no_result_in_memory: false,
    differs: &[],
    differs_cxx: &[],
    machine: &machine::X86_64_LINUX,
    plain_symbols: false,
};

/// The row with clang as the judge.
const fn by_clang(name: &'static str, triple: &'static str, row: Row) -> Row {
    Row { name, compiler: Compiler::Clang(triple), palette: CLANG, differs: &[], ..row }
}

const MS_ABI: Row = Row {
    name: "x86_64-linux/ms_abi/gcc",
    convention: Convention::Win64,
    attribute: "__attribute__((ms_abi)) ",
    variadic: MS_VA_LIST,
    differs: &[differs_win64::ms_abi_gcc],
    ..LINUX64
};

const MINGW64: Row = Row {
    name: "x86_64-mingw/c/gcc",
    target: AbiTarget { os: Os::Windows, ..AbiTarget::X86_64_LINUX },
    compiler: Compiler::CrossGcc("x86_64-w64-mingw32-gcc"),
    options: &["-mno-stack-arg-probe"],
    palette: Palette { odd_bits: false, ..Palette::COMMON },
    differs: &[differs_win64::gcc],
    machine: &machine::X86_64_WINDOWS,
    ..LINUX64
};

const MSVC64: Row = Row {
    name: "x86_64-msvc/c/clang",
    target: AbiTarget { os: Os::Windows, env: Env::Msvc, ..AbiTarget::X86_64_LINUX },
    compiler: Compiler::Clang("x86_64-pc-windows-msvc"),
    palette: Palette { flexible_arrays: true, ..CLANG },
    differs: &[differs_win64::msvc_clang],
    ..MINGW64
};

const SYSV_ABI: Row = Row {
    name: "x86_64-mingw/sysv_abi/gcc",
    convention: Convention::SysV64,
    attribute: "__attribute__((sysv_abi)) ",
    // clang has no va_start in such functions; GCC's va_arg looks for an address where Windows' convention has one.
    variadic: None,
    differs: &[differs::sysv64_gcc],
    ..MINGW64
};

const LINUX32: Row = Row {
    name: "i386-linux/c/gcc",
    target: AbiTarget { arch: Arch::X86, ..AbiTarget::X86_64_LINUX },
    compiler: Compiler::CrossGcc("i686-linux-gnu-gcc"),
    // GCC halves the alignment of packed arrays of __float128, and does not align a union of a vector of 8 bytes.
    palette: Palette { float128: false, short_vectors: false, ..Palette::COMMON },
    options: &["-msse2", "-mno-mmx"],
    machine: &machine::I386_LINUX,
    differs: &[differs::i386_gcc],
    ..LINUX64
};

const MINGW32: Row = Row {
    name: "i386-mingw/c/gcc",
    target: AbiTarget { os: Os::Windows, ..LINUX32.target },
    compiler: Compiler::CrossGcc("i686-w64-mingw32-gcc"),
    palette: Palette { odd_bits: false, ..LINUX32.palette },
    // Methods would be __thiscall.
    attribute: "__attribute__((cdecl)) ",
    options: &["-msse2", "-mno-mmx", "-mno-stack-arg-probe"],
    machine: &machine::I386_WINDOWS,
    ..LINUX32
};

const MSVC32: Row = Row {
    name: "i386-msvc/c/clang",
    target: AbiTarget { env: Env::Msvc, ..MINGW32.target },
    compiler: Compiler::Clang("i686-pc-windows-msvc"),
    options: &["-march=pentium4", "-mno-stack-arg-probe"],
    // This target has no _Float16.
    palette: Palette { unnamed_bits: true, short_vectors: false, half: false, ..CLANG },
    differs: &[differs::i386_clang_unaligned],
    ..MINGW32
};

/// The row in another convention.
const fn in_convention(name: &'static str, convention: Convention, attribute: &'static str, row: Row) -> Row {
    Row { name, convention, attribute, variadic: None, ..row }
}

/// The row with registers for arguments.
const fn regparm(name: &'static str, registers: u8, attribute: &'static str, row: Row) -> Row {
    let modifiers = Modifiers { regparm: registers, ..row.modifiers };
    // GCC passes them in registers even where it passes what is before the flexible array on the stack.
    let palette = Palette { half: false, flexible_arrays: false, ..row.palette };
    Row { name, modifiers, attribute, palette, ..row }
}

pub fn rows() -> Vec<Row> {
    const X64: &str = "x86_64-unknown-linux-gnu";
    const MINGW: &str = "x86_64-w64-windows-gnu";
    const X32: &str = "i686-unknown-linux-gnu";
    const MINGW_32: &str = "i686-w64-windows-gnu";
    const VECTORCALL: &str = "__attribute__((vectorcall)) ";
    const STDCALL: &str = "__attribute__((stdcall)) ";
    const FASTCALL: &str = "__attribute__((fastcall)) ";
    const THISCALL: &str = "__attribute__((thiscall)) ";
    const SSEREGPARM: &str = "__attribute__((sseregparm)) ";
    const REGPARM: [&str; 4] =
        ["", "__attribute__((regparm(1))) ", "__attribute__((regparm(2))) ", "__attribute__((regparm(3))) "];
    use Convention::{Fastcall, Stdcall, Thiscall, Vectorcall};
    let mingw64 = Row { differs: &[differs_win64::gnu_clang], ..by_clang("x86_64-mingw/c/clang", MINGW, MINGW64) };
    let mut rows = vec![
        Row { name: "x86_64-linux/c/gcc", wide_vectors: true, differs: &[differs::sysv64_gcc], ..LINUX64 },
        Row {
            palette: Palette { unnamed_bits: true, ..CLANG },
            wide_vectors: true,
            differs: &[differs::sysv64_clang],
            ..by_clang("x86_64-linux/c/clang", X64, LINUX64)
        },
        MS_ABI,
        Row { differs: &[differs_win64::ms_abi_clang], ..by_clang("x86_64-linux/ms_abi/clang", X64, MS_ABI) },
        MSVC64,
        Row {
            differs: &[differs_win64::msvc_clang, differs_win64::vectorcall_clang],
            ..in_convention("x86_64-msvc/vectorcall/clang", Vectorcall, VECTORCALL, MSVC64)
        },
        MINGW64,
        mingw64.clone(),
        Row {
            differs: &[differs_win64::gnu_clang, differs_win64::vectorcall_clang],
            ..in_convention("x86_64-mingw/vectorcall/clang", Vectorcall, VECTORCALL, mingw64)
        },
        SYSV_ABI,
        Row {
            differs: &[differs::sysv64_clang, differs_win64::sysv_abi_clang],
            ..by_clang("x86_64-mingw/sysv_abi/clang", MINGW, SYSV_ABI)
        },
    ];
    const CLANG32: Palette = Palette { unnamed_bits: true, float128: false, short_vectors: false, ..CLANG };
    let clang32 = |row| Row { palette: CLANG32, differs: &[differs::i386_clang], ..row };
    let linux32 = clang32(by_clang("i386-linux/c/clang", X32, LINUX32));
    let bsd = AbiTarget { os: Os::Bsd, ..LINUX32.target };
    rows.extend([
        LINUX32,
        linux32.clone(),
        regparm("i386-linux/regparm1/gcc", 1, REGPARM[1], LINUX32),
        regparm("i386-linux/regparm2/gcc", 2, REGPARM[2], LINUX32),
        regparm("i386-linux/regparm3/gcc", 3, REGPARM[3], LINUX32),
        regparm("i386-linux/regparm1/clang", 1, REGPARM[1], linux32.clone()),
        regparm("i386-linux/regparm2/clang", 2, REGPARM[2], linux32.clone()),
        regparm("i386-linux/regparm3/clang", 3, REGPARM[3], linux32.clone()),
        Row {
            name: "i386-linux/sseregparm/gcc",
            modifiers: Modifiers { sse_regparm: true, ..LINUX32.modifiers },
            attribute: SSEREGPARM,
            ..LINUX32
        },
        in_convention("i386-linux/stdcall/gcc", Stdcall, STDCALL, LINUX32),
        in_convention("i386-linux/fastcall/gcc", Fastcall, FASTCALL, LINUX32),
        in_convention("i386-linux/thiscall/gcc", Thiscall, THISCALL, LINUX32),
        in_convention("i386-linux/stdcall/clang", Stdcall, STDCALL, linux32.clone()),
        in_convention("i386-linux/fastcall/clang", Fastcall, FASTCALL, linux32.clone()),
        in_convention("i386-linux/thiscall/clang", Thiscall, THISCALL, linux32),
        Row {
            differs: &[differs::i386_clang_unaligned],
            ..clang32(by_clang("i386-bsd/c/clang", "i686-unknown-freebsd13", Row { target: bsd, ..LINUX32 }))
        },
    ]);
    let mingw32 = clang32(by_clang("i386-mingw/c/clang", MINGW_32, MINGW32));
    rows.extend([
        MSVC32,
        in_convention("i386-msvc/stdcall/clang", Stdcall, STDCALL, MSVC32),
        in_convention("i386-msvc/fastcall/clang", Fastcall, FASTCALL, MSVC32),
        in_convention("i386-msvc/thiscall/clang", Thiscall, THISCALL, MSVC32),
        in_convention("i386-msvc/vectorcall/clang", Vectorcall, VECTORCALL, MSVC32),
        MINGW32,
        in_convention("i386-mingw/stdcall/gcc", Stdcall, STDCALL, MINGW32),
        in_convention("i386-mingw/fastcall/gcc", Fastcall, FASTCALL, MINGW32),
        in_convention("i386-mingw/thiscall/gcc", Thiscall, THISCALL, MINGW32),
        mingw32.clone(),
        in_convention("i386-mingw/stdcall/clang", Stdcall, STDCALL, mingw32.clone()),
        in_convention("i386-mingw/fastcall/clang", Fastcall, FASTCALL, mingw32.clone()),
        in_convention("i386-mingw/thiscall/clang", Thiscall, THISCALL, mingw32.clone()),
        // clang has results of four _Float16 in memory, where it does not crash.
        Row {
            palette: Palette { half: false, ..mingw32.palette },
            ..in_convention("i386-mingw/vectorcall/clang", Vectorcall, VECTORCALL, mingw32)
        },
    ]);
    rows
}
