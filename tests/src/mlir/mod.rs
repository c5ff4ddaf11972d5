//! MLIR: programs that others wrote, what MLIR 19's own tools make of them, and modules of any size.
//!
//! - [`random`]: random modules, which print what they compute.
//! - [`runs`]: what the tests of MLIR say of how each is to be lowered and run.
//! - [`snapshots`]: those tests as programs in the upper dialects, with what they print by MLIR's own tools.
//! - [`upper`]: generated modules.

pub mod random;
pub mod runs;
pub mod snapshots;
pub mod upper;

use std::path::{Path, PathBuf};

use crate::build::{Mode, Unit, by_clang};
use crate::tools::{Failure, gusset, limited, root, succeed};

/// Passes that lower any program in the upper dialects to the `llvm` dialect, in an order that works for all of them.
pub const LOWERING: [&str; 18] = [
    "--convert-vector-to-scf",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-complex-to-standard",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--expand-strided-metadata",
    "--lower-affine",
    "--arith-expand",
    "--convert-vector-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-complex-to-llvm",
    "--convert-index-to-llvm",
    "--convert-ub-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
];

/// MLIR's optimizer and converter (`MLIR_OPT` overrides).
pub fn opt() -> String {
    std::env::var("MLIR_OPT").unwrap_or_else(|_| "mlir-opt-19".into())
}

/// MLIR's translator to LLVM IR (`MLIR_TRANSLATE` overrides).
pub fn translate() -> String {
    std::env::var("MLIR_TRANSLATE").unwrap_or_else(|_| "mlir-translate-19".into())
}

/// MLIR's program that runs modules of the `llvm` dialect (`MLIR_RUNNER` overrides).
pub fn runner() -> String {
    std::env::var("MLIR_RUNNER").unwrap_or_else(|_| "mlir-cpu-runner-19".into())
}

/// Lowers a file in the upper dialects to one in the `llvm` dialect by MLIR's own passes.
pub fn lower(file: &Path, lowered: &Path) -> Result<(), Failure> {
    succeed(limited(120, opt()).args(LOWERING).arg(file).arg("-o").arg(lowered)).map(drop)
}

/// The object of a module in the `llvm` dialect by MLIR's and LLVM's own tools, on the way LLVM IR beside it.
pub fn by_llvm(file: &Path, object: &Path) -> Result<(), Failure> {
    let ir = object.with_extension("ll");
    succeed(limited(120, translate()).arg("--mlir-to-llvmir").arg(file).arg("-o").arg(&ir))?;
    let llc = crate::tools::llc();
    succeed(limited(120, llc).args(["-O0", "-filetype=obj", "-relocation-model=pic"]).arg(&ir).arg("-o").arg(object))
        .map(drop)
}

/// The object that Gusset makes of a file of MLIR.
pub fn compile(mode: Mode, file: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(120, gusset()?);
    command.args(["compile", "--verify", "--target", mode.triple()]).args(mode.gusset_flags());
    succeed(command.arg(file).arg("-o").arg(object)).map(drop)
}

/// A file of MLIR as Gusset translates it, with these options.
pub fn translated(mode: Mode, options: &[&str], file: &Path, output: &Path) -> Result<(), Failure> {
    let mut command = limited(120, gusset()?);
    command.args(["translate", "--target", mode.triple()]).args(options).arg(file).arg("-o").arg(output);
    succeed(&mut command).map(drop)
}

/// An error unless MLIR's own tool takes a file.
pub fn accepted(file: &Path) -> Result<(), Failure> {
    let mut command = limited(120, opt());
    succeed(command.arg("--allow-unregistered-dialect").arg(file).args(["-o", "/dev/null"])).map(drop)
}

/// What a program prints with the addresses in it made alike, and the signs of what is no number, which nothing determines.
pub fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len() - at - 2);
        let end = at + 2 + digits;
        out.push_str(if digits >= 4 { &rest[..at] } else { &rest[..end] });
        out.push_str(if digits >= 4 { "ADDRESS" } else { "" });
        rest = &rest[end..];
    }
    (out + rest).replace("-nan", "nan")
}

/// The object of what programs call to print (`programs/mlir/runtime.c`) for a machine, with a `main` that calls the function
/// `mlir_entry`, whose result is of this kind: `void`, `i32`, `i64` or `f32`.
pub fn runtime(mode: Mode, result: &str) -> Result<PathBuf, Failure> {
    let unit = Unit { source: root().join("tests/programs/mlir/runtime.c"), flags: Vec::new() };
    let result = format!("-DRESULT_{result}");
    by_clang(&unit, &[mode.clang_flags(), &["-O1", "-DENTRY=mlir_entry", &result]].concat())
}

/// Links the object of a program to one whose `main` calls this function of it.
pub fn link(mode: Mode, object: PathBuf, entry: &str, result: &str, program: &Path) -> Result<(), Failure> {
    let entry = format!("-Wl,--defsym=mlir_entry={entry}");
    mode.link(&[object, runtime(mode, result)?], &[&entry, "-lm"], program)
}
