//! The ABI layer alone against GCC and clang: both sides of random calls, without a line of generated machine code.
//!
//! Assembly stubs stand for the other side of every call. As callee, a stub notes all registers and the stack, and the
//! program looks for each argument's bytes where [`gusset_abi::classify`] puts them; as caller, it loads registers and stack
//! from there, and the compiler's function looks at what arrives. Results go the same two ways. Sizes, offsets and
//! bits of random records are compared on the way.
//!
//! Both compilers have to agree with the layer, so the generator leaves out what they do differently (the table at the
//! head of the convention's source): no arrays without elements, vectors of 4 bytes or less, `<1 x double>`, vectors wider than
//! the enabled features, unnamed bit-fields in unions; for GCC none with a width anywhere, and what `gcc_differs` lists; for
//! clang what `clang_differs` lists.
//! Vectors are as wide as the processor that runs the test has registers, in turn 16, 32 and 64 bytes.
//!
//! `GUSSET_ABI_SIGNATURES` sets the number of signatures per compiler, `GUSSET_ABI_SEED` the first seed.

#[path = "abi_layer/llvm.rs"]
mod llvm;
#[path = "abi_layer/llvm_types.rs"]
mod llvm_types;
#[path = "abi_layer/program.rs"]
mod program;
#[path = "abi_layer/types.rs"]
mod types;

use crate::program::Judge;
use gusset_abi::{Features, Target};
use gusset_tests::{parallel, tools};

/// Signatures per program: enough that the compiler's start does not count.
const PER_PROGRAM: usize = 100;

fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

/// The widths of vector registers here, each with the compilers' option for it.
fn widths() -> Vec<(u8, &'static str)> {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    let mut widths = vec![(16, "-msse2")];
    if has("avx") {
        widths.push((32, "-mavx"));
    }
    if has("avx512f") && has("avx512bw") {
        widths.push((64, "-mavx512bw"));
    }
    widths
}

fn agrees(compiler: &str, judge: Judge) {
    let programs = setting("GUSSET_ABI_SIGNATURES", 600).div_ceil(PER_PROGRAM);
    let first = setting("GUSSET_ABI_SEED", 1) as u64;
    let folder = tools::work_folder("abi-layer");
    let stubs = tools::root().join("tests/tests/abi_layer/stubs.S");
    let widths = widths();
    let failures = parallel::map(programs, |i| {
        let seed = first + i as u64;
        let source = folder.join(format!("{}-{seed}.c", compiler.replace('/', "_")));
        let program = source.with_extension("");
        let (vector_bytes, option) = widths[seed as usize % widths.len()];
        let features = Features { vector_bytes, ..Features::default() };
        let target = Target { features, ..Target::X86_64_LINUX };
        let text = program::program(&target, seed, PER_PROGRAM, judge);
        std::fs::write(&source, text).expect("the work folder is writable");
        let optimize = if seed.is_multiple_of(2) { "-O1" } else { "-O0" };
        let build = |optimize| {
            tools::succeed(
                tools::limited(300, compiler)
                    .args(["-w", "-std=gnu11", "-fno-strict-aliasing", optimize, option, "-o"])
                    .arg(&program)
                    .arg(format!("-DWIDTH={vector_bytes}"))
                    .arg(&source)
                    .arg(&stubs),
            )
        };
        // GCC 12 -O1 does not survive every va_arg of a union with a complex member.
        let built = build(optimize)
            .or_else(|f| if f.to_string().contains("internal compiler error") { build("-O0") } else { Err(f) });
        if let Err(failure) = built {
            return format!("seed {seed}: {failure}\n");
        }
        match tools::run(&mut tools::limited(60, &program)) {
            Ok(outcome) if outcome.code == 0 => {
                let _ = std::fs::remove_file(&source);
                let _ = std::fs::remove_file(&program);
                String::new()
            }
            Ok(outcome) => format!("{}: exit code {}\n{}", source.display(), outcome.code, outcome.text()),
            Err(failure) => format!("seed {seed}: {failure}\n"),
        }
    });
    let failures: String = failures.into_iter().collect();
    assert!(failures.is_empty(), "{compiler} and the ABI layer differ:\n{failures}");
}

/// The same from LLVM signatures: llc makes functions of random first-class types.
#[test]
fn llc_agrees() {
    let programs = setting("GUSSET_ABI_SIGNATURES", 600).div_ceil(PER_PROGRAM);
    let first = setting("GUSSET_ABI_SEED", 1) as u64;
    let folder = tools::work_folder("abi-layer");
    let stubs = tools::root().join("tests/tests/abi_layer/stubs.S");
    let llc = std::env::var("LLC").unwrap_or_else(|_| "llc-19".into());
    let widths = widths();
    let failures = parallel::map(programs, |i| {
        let seed = first + i as u64;
        let (vector_bytes, option) = widths[seed as usize % widths.len()];
        let features = Features { vector_bytes, ..Features::default() };
        let (module, text) = llvm::program(&Target { features, ..Target::X86_64_LINUX }, seed, PER_PROGRAM);
        let file = |extension| folder.join(format!("llc-{seed}{extension}"));
        let (ir, object, source, program) = (file(".ll"), file(".o"), file(".c"), file(""));
        std::fs::write(&ir, module).expect("the work folder is writable");
        std::fs::write(&source, text).expect("the work folder is writable");
        let attribute = option.replace("-m", "-mattr=+");
        let optimize = if seed.is_multiple_of(2) { "-O1" } else { "-O0" };
        let mut compile = tools::limited(300, &llc);
        compile.args([&attribute, optimize, "-relocation-model=pic", "-filetype=obj", "-o"]).arg(&object).arg(&ir);
        let mut link = tools::limited(300, tools::cc());
        link.args(["-w", "-O1", "-o"]).arg(&program).arg(format!("-DWIDTH={vector_bytes}"));
        link.arg(&source).arg(&object).arg(&stubs);
        let outcome = tools::succeed(&mut compile)
            .and_then(|_| tools::succeed(&mut link))
            .and_then(|_| tools::run(&mut tools::limited(60, &program)));
        match outcome {
            Ok(outcome) if outcome.code == 0 => {
                for made in [ir, object, source, program] {
                    let _ = std::fs::remove_file(made);
                }
                String::new()
            }
            Ok(outcome) => format!("{}: exit code {}\n{}", source.display(), outcome.code, outcome.text()),
            Err(failure) => format!("seed {seed}: {failure}\n"),
        }
    });
    let failures: String = failures.into_iter().collect();
    assert!(failures.is_empty(), "{llc} and the ABI layer differ:\n{failures}");
}

#[test]
fn gcc_agrees() {
    agrees(&tools::gcc(), Judge::Gcc);
}

#[test]
fn clang_agrees() {
    agrees(&tools::clang(), Judge::Clang);
}
