//! `to_llvm` against clang: the IR signatures of random C and C++ functions, for every target that both have.
//!
//! A program is a file of function definitions; clang's `define` lines are spelled again the way the layer spells
//! declarations (named types in full, attributes that do not change the ABI left out) and compared with its own.
//!
//! `GUSSET_TO_LLVM_SIGNATURES` sets the number of signatures per row of the table, `GUSSET_ABI_SEED` the first seed.

pub mod define;
mod functions;
mod types;

use functions::{Call, Function, Program};
use gusset_abi::{AbiFeatures, AbiTarget, Convention, Env, LlvmSignature, to_llvm};
use gusset_tests::tools::{self, Failure};
use gusset_tests::{parallel, tools::limited};
use std::fmt::Write;

/// Functions per program: enough that the compiler's start does not count.
const PER_PROGRAM: usize = 250;

/// A target with what clang wants to hear beside the triple.
pub struct Row {
    triple: &'static str,
    options: &'static [&'static str],
    vector_bytes: u8,
    /// Conventions beside the C convention, with their attributes and whether variadic functions may have them.
    conventions: &'static [(&'static str, Convention, bool)],
}

const X86_64: &[(&str, Convention, bool)] = &[
    ("ms_abi", Convention::Win64, true),
    ("sysv_abi", Convention::SysV64, true),
    ("preserve_most", Convention::PreserveMost, true),
    ("preserve_all", Convention::PreserveAll, true),
    ("preserve_none", Convention::PreserveNone, true),
];
const WIN64: &[(&str, Convention, bool)] = &[
    ("ms_abi", Convention::Win64, true),
    ("sysv_abi", Convention::SysV64, true),
    ("vectorcall", Convention::Vectorcall, false),
    ("stdcall", Convention::Stdcall, true),
];
const X86: &[(&str, Convention, bool)] = &[
    ("stdcall", Convention::Stdcall, true),
    ("fastcall", Convention::Fastcall, true),
    ("thiscall", Convention::Thiscall, false),
    ("vectorcall", Convention::Vectorcall, false),
];
const AARCH64: &[(&str, Convention, bool)] = &[
    ("aarch64_vector_pcs", Convention::VectorPcs, true),
    ("ms_abi", Convention::Win64, true),
    ("preserve_most", Convention::PreserveMost, true),
];
const ARM: &[(&str, Convention, bool)] =
    &[("pcs(\"aapcs\")", Convention::AapcsBase, true), ("pcs(\"aapcs-vfp\")", Convention::AapcsVfp, true)];

const fn row(
    triple: &'static str,
    options: &'static [&'static str],
    vector_bytes: u8,
    conventions: &'static [(&'static str, Convention, bool)],
) -> Row {
    Row { triple, options, vector_bytes, conventions }
}

const ROWS: &[Row] = &[
    row("x86_64-unknown-linux-gnu", &[], 16, X86_64),
    row("x86_64-unknown-linux-gnu", &["-mavx"], 32, X86_64),
    row("x86_64-unknown-linux-gnu", &["-mavx512f"], 64, X86_64),
    row("x86_64-unknown-freebsd", &[], 16, X86_64),
    row("x86_64-unknown-netbsd", &["-mavx"], 32, X86_64),
    row("x86_64-apple-darwin", &[], 16, X86_64),
    row("x86_64-pc-windows-msvc", &["-mavx"], 32, WIN64),
    row("x86_64-pc-windows-gnu", &[], 16, WIN64),
    row("x86_64-pc-windows-itanium", &[], 16, WIN64),
    row("x86_64-pc-windows-cygnus", &[], 16, &[]),
    row("aarch64-unknown-linux-gnu", &[], 16, AARCH64),
    row("aarch64-unknown-freebsd", &[], 16, AARCH64),
    row("aarch64-apple-darwin", &[], 16, &[]),
    row("aarch64-pc-windows-msvc", &[], 16, &[]),
    row("aarch64-pc-windows-gnu", &[], 16, &[]),
    row("armv7-unknown-linux-gnueabihf", &["-mfpu=neon"], 16, ARM),
    row("armv7-unknown-linux-gnueabi", &["-mfpu=neon"], 16, ARM),
    row("armv7-unknown-none-eabi", &["-mfpu=neon"], 16, ARM),
    row("thumbv7a-pc-windows-msvc", &[], 16, &[]),
    row("i686-unknown-linux-gnu", &["-msse2"], 16, X86),
    row("i686-unknown-freebsd", &["-msse2"], 16, X86),
    row("i686-unknown-netbsd", &["-msse2"], 16, X86),
    row("i686-unknown-openbsd", &["-msse2"], 16, X86),
    row("i686-apple-darwin", &["-msse2"], 16, X86),
    row("i686-pc-windows-msvc", &["-msse2"], 16, X86),
    row("i686-pc-windows-gnu", &["-msse2"], 16, X86),
    row("i686-pc-windows-itanium", &["-msse2"], 16, X86),
    row("i686-pc-windows-cygnus", &["-msse2"], 16, X86),
];

impl Row {
    fn target(&self) -> AbiTarget {
        let features = AbiFeatures { vector_bytes: self.vector_bytes, ..AbiFeatures::default() };
        AbiTarget::from_triple(self.triple, features).expect("a known target")
    }

    fn name(&self) -> String {
        format!("{}-{}", self.triple, self.vector_bytes)
    }
}

fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

/// What clang and the layer say of each function, where they differ.
fn compare(row: &Row, cxx: bool, seed: u64) -> Result<String, Failure> {
    let target = row.target();
    let program = Program::new(row, target, cxx, seed, PER_PROGRAM);
    let Some(module) = compile(row, &program, &format!("{}-{seed}", row.name()))? else { return Ok(String::new()) };
    let mut differences = String::new();
    for Function { symbol, signature, text } in &program.functions {
        let expected = define::signature(&module, symbol).unwrap_or_else(|| "nothing".into());
        let found = match to_llvm(&target, signature) {
            Ok(lowered) => lowered.declare("f").to_string(),
            Err(error) => error.to_string(),
        };
        // clang 19 lets the IR types of some packed bit-fields of MinGW overlap, and makes up for it by negative padding.
        if found.ends_with("overlap") && target.is_windows() && target.env == Env::Gnu {
            continue;
        }
        if expected != found {
            let _ = writeln!(differences, "  {symbol}: {text}\n    clang: {expected}\n    here:  {found}");
        }
    }
    for Call { caller, callee, signature } in &program.calls {
        let expected = define::call(&module, caller, callee).unwrap_or_else(|| "nothing".into());
        let found = match to_llvm(&target, signature) {
            Ok(lowered) => spell_call(&lowered),
            Err(error) => error.to_string(),
        };
        if expected != found {
            let _ = writeln!(differences, "  call of {callee}\n    clang: {expected}\n    here:  {found}");
        }
    }
    Ok(if differences.is_empty() {
        differences
    } else {
        format!("{} {}, seed {seed}:\n{differences}", row.name(), if cxx { "C++" } else { "C" })
    })
}

/// A call with its unnamed arguments, spelled like a declaration.
fn spell_call(lowered: &LlvmSignature) -> String {
    let all = LlvmSignature { variadic: None, ..lowered.clone() };
    all.declare("f").to_string().replacen("declare", "call", 1)
}

/// The module that clang makes of a program; none if clang crashes.
fn compile(row: &Row, program: &Program, name: &str) -> Result<Option<String>, Failure> {
    let language = if program.cxx { "cc" } else { "c" };
    let source = tools::work_folder("to-llvm").join(format!("{name}.{language}"));
    std::fs::write(&source, &program.text)?;
    let mut command = limited(120, tools::clang());
    command.arg(format!("--target={}", row.triple)).args(row.options);
    command.args(["-w", "-O0", "-S", "-emit-llvm", "-fno-exceptions", "-fno-rtti", "-o", "-"]);
    command.arg(if program.cxx { "-std=gnu++20" } else { "-std=gnu2x" }).arg(&source);
    let outcome = tools::run(&mut command)?;
    // clang 19 divides by the size of an array's elements, which may be 0.
    if outcome.errors().contains("exit code 136") {
        return Ok(None);
    }
    if outcome.code != 0 {
        return Err(Failure::new(format!("{}: {}", source.display(), outcome.errors())));
    }
    let _ = std::fs::remove_file(source);
    Ok(Some(outcome.text()))
}

#[test]
fn signatures_are_clangs() {
    let programs = setting("GUSSET_TO_LLVM_SIGNATURES", 500).div_ceil(PER_PROGRAM);
    let first = setting("GUSSET_ABI_SEED", 1);
    let only = std::env::var("GUSSET_TO_LLVM_ROW").unwrap_or_default();
    let rows: Vec<&Row> = ROWS.iter().filter(|row| row.name().contains(&only)).collect();
    let differences = parallel::map(rows.len() * programs, |i| {
        let (row, number) = (rows[i / programs], i % programs);
        let seed = (first + number) as u64;
        compare(row, number % 2 == 1, seed).unwrap_or_else(|failure| format!("{} {seed}: {failure}\n", row.name()))
    });
    let differences: String = differences.concat();
    assert!(differences.is_empty(), "{differences}");
}
