//! Reads files of LLVM IR and reports size and speed; `--verify` also checks every function.
use std::time::Instant;

use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_codegen::ir::{Function, verify};
use gusset_llvm::{BodyReader, read_module, target_triple};

fn main() {
    let mut check = false;
    let mut failed = false;
    for path in std::env::args().skip(1) {
        if path == "--verify" {
            check = true;
            continue;
        }
        failed |= !read(&path, check);
    }
    if failed {
        std::process::exit(1);
    }
}

fn read(path: &str, check: bool) -> bool {
    let source = match std::fs::read(path) {
        Ok(s) => s,
        Err(e) => {
            eprintln!("{path}: {e}");
            return false;
        }
    };
    let start = Instant::now();
    let target = target_triple(&source).map(|triple| AbiTarget::from_triple(&triple, AbiFeatures::default()));
    let target = match target.transpose() {
        Ok(target) => target.unwrap_or(AbiTarget::X86_64_LINUX),
        Err(e) => {
            eprintln!("{path}: {e}");
            return false;
        }
    };
    let parsed = match read_module(&source, path, &target) {
        Ok(p) => p,
        Err(e) => {
            eprintln!("{e}");
            return false;
        }
    };
    let module_time = start.elapsed();
    let mut reader = BodyReader::new(&parsed);
    let mut func = Function::new();
    let mut insts = 0;
    let mut good = true;
    for body in &parsed.bodies {
        if let Err(e) = reader.read(body, &mut func) {
            eprintln!("{e}");
            good = false;
            continue;
        }
        insts += func.insts.len();
        if check && let Err(e) = verify(&parsed.module, &func) {
            eprintln!("{path}: {e}");
            good = false;
        }
    }
    let time = start.elapsed();
    let mb = source.len() as f64 / 1e6;
    println!(
        "{path}: {mb:.1} MB, {} functions, {insts} instructions, module {:.2} ms, all {:.2} ms, {:.0} MB/s, {:.0} ns/instruction",
        parsed.bodies.len(),
        module_time.as_secs_f64() * 1e3,
        time.as_secs_f64() * 1e3,
        mb / time.as_secs_f64(),
        time.as_secs_f64() * 1e9 / insts.max(1) as f64
    );
    good
}
