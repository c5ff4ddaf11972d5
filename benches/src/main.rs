//! Gusset's benchmarks: `cargo run --release --manifest-path benches/Cargo.toml -- [whole] [phases] [phases32]
//! [instructions] [exceptions] [sizes] [whole_aarch64] [effort_aarch64] [sizes_aarch64]
//! [executed_aarch64] [whole_arm] [effort_arm] [sizes_arm] [executed_arm] [executed] [executed32] [kernels] [battery] [battery32]
//! [battery_aarch64] [battery_arm] [battery_thumb] [growth] [mlir] [mlir_growth] [cranelift] [classify] [memory] [trampolines] [iree] [library] [naive]
//! [kernels_optimized] [kernels_optimized_others] [optimized] [optimized_effort] [optimized_aarch64] [optimized_arm] [optimized32] [optimized_plain]
//! [optimized_small]`, all of them without an argument. `GUSSET_BIN` names another command to measure.

#![deny(unsafe_code)]

mod classify;
mod compiling;
mod executed;
mod generate;
mod growth;
mod inputs;
mod iree;
mod kernels;
mod library;
mod measure;
mod memory;
mod mlir;
mod naive;
mod optimized;
mod optimized_kernels;
mod own;
mod peers;
mod table;
mod trampolines;

use gusset_tests::tools::Failure;

type Part = (&'static str, fn() -> Result<(), Failure>);

const PARTS: [Part; 41] = [
    ("whole", compiling::whole),
    ("phases", compiling::phases),
    ("phases32", compiling::phases_32),
    ("instructions", compiling::instructions),
    ("exceptions", compiling::exceptions),
    ("sizes", compiling::sizes),
    ("whole_aarch64", compiling::whole_aarch64),
    ("effort_aarch64", compiling::effort_aarch64),
    ("sizes_aarch64", compiling::sizes_aarch64),
    ("executed_aarch64", executed::instructions_aarch64),
    ("whole_arm", compiling::whole_arm),
    ("effort_arm", compiling::effort_arm),
    ("sizes_arm", compiling::sizes_arm),
    ("executed_arm", executed::instructions_arm),
    ("executed", executed::instructions),
    ("executed32", executed::instructions_32),
    ("kernels", kernels::kernels),
    ("battery", kernels::battery),
    ("battery32", kernels::battery_32),
    ("battery_aarch64", kernels::battery_aarch64),
    ("battery_arm", kernels::battery_arm),
    ("battery_thumb", kernels::battery_thumb),
    ("growth", growth::growth),
    ("mlir", mlir::whole),
    ("mlir_growth", mlir::growth),
    ("cranelift", peers::compare),
    ("classify", classify::classification),
    ("memory", memory::memory),
    ("trampolines", trampolines::trampolines),
    ("iree", iree::calls),
    ("library", library::library),
    ("naive", naive::naive),
    ("optimized", optimized::optimized),
    ("optimized_effort", optimized::optimized_effort),
    ("optimized_aarch64", optimized::optimized_aarch64),
    ("optimized_arm", optimized::optimized_arm),
    ("optimized32", optimized::optimized_32),
    ("optimized_plain", optimized::optimized_plain),
    ("optimized_small", optimized::optimized_small),
    ("kernels_optimized", optimized_kernels::kernels_optimized),
    ("kernels_optimized_others", optimized_kernels::kernels_optimized_others),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|w| w == measure::MEASURE) {
        std::process::exit(measure::child(&words[1..]));
    }
    if words.first().is_some_and(|w| w == library::CHILD) {
        std::process::exit(library::child(&words[1..]));
    }
    if words.first().is_some_and(|w| w == naive::CHILD) {
        std::process::exit(naive::child(&words[1..]));
    }
    if words.first().is_some_and(|w| w == classify::CHILD) {
        std::process::exit(classify::child(&words[1..]));
    }
    if let Some(unknown) = words.iter().find(|w| PARTS.iter().all(|(name, _)| name != w)) {
        let names: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
        eprintln!("there is no benchmark {unknown}; there are {}", names.join(", "));
        std::process::exit(2);
    }
    let mut status = 0;
    let chosen = PARTS.iter().filter(|(name, _)| words.is_empty() || words.iter().any(|w| w == name));
    let parts: Vec<_> =
        std::iter::once(&("who", compiling::who as fn() -> Result<(), Failure>)).chain(chosen).collect();
    for (name, part) in parts {
        if let Err(f) = part() {
            eprintln!("{name}: {f}");
            status = 1;
        }
    }
    std::process::exit(status);
}
