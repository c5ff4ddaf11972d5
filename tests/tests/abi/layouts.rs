//! Sizes, alignments, offsets and bits of random records, against the compilers of every target.
//!
//! A program is one constant, full of numbers and of objects with one bit-field set: it is compiled, never run, and found in the
//! object file by the mark before it. LLVM's own types are compared the same way with what llc makes of them.
//!
//! `GUSSET_LAYOUT_RECORDS` sets the number of records per target and compiler, `GUSSET_ABI_SEED` the first seed.

mod records;

use gusset_abi::{AbiFeatures, AbiTarget, DataLayout, LlvmScalar, LlvmType};
use gusset_tests::tools::{self, Failure};
use gusset_tests::{parallel, tools::limited};
use records::{Compiler, Records};
use std::fmt::Write;

/// Records per program: enough that the compiler's start does not count.
const PER_PROGRAM: usize = 100;
/// What stands before the numbers.
const MARK: &[u8; 16] = b"GussetLayoutMark";

/// The targets that clang has, with what it wants to hear beside the triple.
const TRIPLES: &[(&str, &[&str])] = &[
    ("x86_64-unknown-linux-gnu", &[]),
    ("x86_64-unknown-freebsd", &[]),
    ("x86_64-apple-darwin", &[]),
    ("x86_64-pc-windows-msvc", &[]),
    ("x86_64-pc-windows-gnu", &[]),
    ("x86_64-pc-windows-itanium", &[]),
    ("x86_64-pc-windows-cygnus", &[]),
    ("i686-unknown-linux-gnu", &["-msse2"]),
    ("i686-unknown-freebsd", &["-msse2"]),
    ("i686-unknown-openbsd", &["-msse2"]),
    ("i686-unknown-netbsd", &["-msse2"]),
    ("i686-unknown-none-elf", &["-msse2"]),
    ("i686-apple-darwin", &["-msse2"]),
    ("i686-pc-windows-msvc", &["-msse2"]),
    ("i686-pc-windows-gnu", &["-msse2"]),
    ("i686-pc-windows-itanium", &["-msse2"]),
    ("i686-pc-windows-cygnus", &["-msse2"]),
    ("aarch64-unknown-linux-gnu", &[]),
    ("aarch64-unknown-freebsd", &[]),
    ("aarch64-unknown-none-elf", &[]),
    ("aarch64-apple-darwin", &[]),
    ("aarch64-pc-windows-msvc", &[]),
    ("aarch64-pc-windows-gnu", &[]),
    ("armv7-unknown-linux-gnueabihf", &["-mfpu=neon"]),
    ("armv7-unknown-linux-gnueabi", &["-mfpu=neon"]),
    ("armv7-unknown-none-eabi", &["-mfpu=neon"]),
    ("thumbv7a-pc-windows-msvc", &[]),
];

/// GCC's compilers, C and C++, and their targets.
const GCCS: &[(&str, &str, &str, &[&str])] = &[
    ("gcc", "g++", "x86_64-unknown-linux-gnu", &[]),
    ("i686-linux-gnu-gcc", "i686-linux-gnu-g++", "i686-unknown-linux-gnu", &["-msse2"]),
    ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "aarch64-unknown-linux-gnu", &[]),
    ("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-g++", "armv7-unknown-linux-gnueabihf", &["-mfpu=neon"]),
    ("arm-linux-gnueabi-gcc", "arm-linux-gnueabi-g++", "armv7-unknown-linux-gnueabi", &["-march=armv7-a"]),
    ("x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-g++", "x86_64-pc-windows-gnu", &[]),
    ("i686-w64-mingw32-gcc", "i686-w64-mingw32-g++", "i686-pc-windows-gnu", &["-msse2"]),
];

fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

/// The compilers to ask, each in both languages.
fn compilers() -> Vec<Compiler> {
    let mut all = Vec::new();
    for &(triple, options) in TRIPLES {
        for cxx in [false, true] {
            let mut command = vec![tools::clang(), format!("--target={triple}")];
            command.extend(options.iter().map(|o| o.to_string()));
            command.push(format!("-x{}", if cxx { "c++" } else { "c" }));
            command.push(if cxx { "-std=gnu++20" } else { "-std=gnu2x" }.into());
            all.push(Compiler { name: format!("clang-{triple}"), command, triple, cxx, gcc: false });
        }
    }
    for &(c, cc, triple, options) in GCCS {
        for (program, cxx) in [(c, false), (cc, true)] {
            let mut command = vec![program.to_string()];
            command.extend(options.iter().map(|o| o.to_string()));
            command.push(if cxx { "-std=gnu++20" } else { "-std=gnu2x" }.into());
            all.push(Compiler { name: program.to_string(), command, triple, cxx, gcc: true });
        }
    }
    all
}

/// The numbers after the mark.
fn after_mark(object: &[u8]) -> Result<&[u8], Failure> {
    let at = object.windows(MARK.len()).position(|window| window == MARK);
    at.map(|at| &object[at + MARK.len()..]).ok_or_else(|| Failure::new("no mark in the object file"))
}

fn compare(compiler: &Compiler, seed: u64) -> Result<String, Failure> {
    let records = Records::new(compiler, seed, PER_PROGRAM);
    let folder = tools::work_folder("layouts");
    let language = if compiler.cxx { "cc" } else { "c" };
    let source = folder.join(format!("{}-{seed}.{language}", compiler.name));
    let object = source.with_extension(format!("{language}.o"));
    std::fs::write(&source, &records.text)?;
    let mut command = limited(120, &compiler.command[0]);
    command.args(&compiler.command[1..]).args(["-w", "-Wno-narrowing", "-O0", "-c", "-o"]).arg(&object).arg(&source);
    tools::succeed(&mut command)?;
    let bytes = std::fs::read(&object)?;
    let differences = records.compare(after_mark(&bytes)?);
    let _ = std::fs::remove_file(object);
    if differences.is_empty() {
        let _ = std::fs::remove_file(source);
        return Ok(String::new());
    }
    Ok(format!("{}:\n{differences}", source.display()))
}

#[test]
fn records_are_laid_out_as_by_every_compiler() {
    let programs = setting("GUSSET_LAYOUT_RECORDS", 400).div_ceil(PER_PROGRAM);
    let first = setting("GUSSET_ABI_SEED", 1);
    let compilers = compilers();
    let differences = parallel::map(compilers.len() * programs, |i| {
        let compiler = &compilers[i / programs];
        compare(compiler, (first + i % programs) as u64).unwrap_or_else(|f| format!("{}: {f}\n", compiler.name))
    });
    let differences: String = differences.into_iter().collect();
    assert!(differences.is_empty(), "{differences}");
}

/// LLVM's types by name, as IR spells them.
fn llvm_types() -> Vec<(String, LlvmType)> {
    let mut types: Vec<(String, LlvmType)> = Vec::new();
    for bits in (1..=40).chain([48, 63, 64, 65, 96, 100, 127, 128, 129, 192, 256, 300, 512, 1000]) {
        types.push((format!("i{bits}"), LlvmType::int(bits)));
    }
    let floats = [
        ("half", LlvmScalar::Half),
        ("bfloat", LlvmScalar::BFloat),
        ("float", LlvmScalar::Float),
        ("double", LlvmScalar::Double),
        ("x86_fp80", LlvmScalar::X86Fp80),
        ("fp128", LlvmScalar::Fp128),
        ("ptr", LlvmScalar::Ptr),
    ];
    let ints = [1, 7, 8, 16, 24, 32, 64, 128].map(|bits| (format!("i{bits}"), LlvmScalar::Int(bits)));
    let lanes: Vec<(String, LlvmScalar)> =
        floats.iter().map(|(name, lane)| (name.to_string(), *lane)).chain(ints).collect();
    types.extend(floats.map(|(name, lane)| (name.to_string(), lane.into())));
    for (name, lane) in &lanes {
        for count in [1, 2, 3, 4, 5, 7, 8, 16, 24, 32, 64] {
            types.push((format!("<{count} x {name}>"), LlvmType::Vector { lane: *lane, lanes: count }));
        }
    }
    types
}

#[test]
fn llvm_types_are_laid_out_as_by_llc() {
    let folder = tools::work_folder("layouts");
    let llc = std::env::var("LLC").unwrap_or_else(|_| "llc-19".into());
    let mut differences = String::new();
    for &(triple, _) in TRIPLES {
        // clang knows each target's data layout, and names it in what it makes of an empty file.
        let empty = folder.join("empty.c");
        std::fs::write(&empty, "").expect("the work folder is writable");
        let mut clang = limited(60, tools::clang());
        clang.args([&format!("--target={triple}"), "-S", "-emit-llvm", "-o", "-"]).arg(&empty);
        let module = tools::succeed(&mut clang).expect("clang compiles an empty file").text();
        let line = |start| module.lines().find(|line| line.starts_with(start)).expect("clang writes it");
        let layout = DataLayout::new(&AbiTarget::from_triple(triple, AbiFeatures::default()).expect("a known target"));
        let x86 = triple.starts_with("x86_64") || triple.starts_with("i686");
        let types: Vec<_> = llvm_types().into_iter().filter(|(name, _)| x86 || !name.contains("x86_fp80")).collect();
        let mut text = format!("{}\n{}\n", line("target datalayout"), line("target triple"));
        let mut members = format!("[16 x i8] c\"{}\"", std::str::from_utf8(MARK).expect("it is ASCII"));
        for (name, _) in &types {
            let int = if layout_is_wide(triple) { "i64" } else { "i32" };
            let size = format!("ptrtoint (ptr getelementptr ({name}, ptr null, i32 1) to {int})");
            let align = format!("ptrtoint (ptr getelementptr ({{ i8, {name} }}, ptr null, i32 0, i32 1) to {int})");
            let _ = write!(members, ", {int} {size}, {int} {align}");
        }
        let types_of: Vec<String> = std::iter::once("[16 x i8]".to_string())
            .chain(types.iter().flat_map(|_| [if layout_is_wide(triple) { "i64" } else { "i32" }; 2]).map(String::from))
            .collect();
        let _ = writeln!(text, "@all = constant <{{ {} }}> <{{ {members} }}>", types_of.join(", "));
        let (ir, object) = (folder.join(format!("{triple}.ll")), folder.join(format!("{triple}.o")));
        std::fs::write(&ir, text).expect("the work folder is writable");
        let mut command = limited(60, &llc);
        command.args(["-filetype=obj", "-o"]).arg(&object).arg(&ir);
        tools::succeed(&mut command).expect("llc compiles constants");
        let bytes = std::fs::read(&object).expect("llc wrote it");
        let width = if layout_is_wide(triple) { 8 } else { 4 };
        let mut numbers = after_mark(&bytes)
            .expect("the mark is there")
            .chunks(width)
            .map(|chunk| chunk.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte)));
        for (name, ty) in &types {
            let theirs = (numbers.next().expect("a size"), numbers.next().expect("an alignment") as u32);
            let ours = layout.llvm(ty).map(|l| (l.size, l.align));
            if ours != Ok(theirs) {
                let _ = writeln!(differences, "{triple}: {name}: llc {theirs:?}, here {ours:?}");
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

fn layout_is_wide(triple: &str) -> bool {
    triple.starts_with("x86_64") || triple.starts_with("aarch64")
}
