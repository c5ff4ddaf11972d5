//! Which pass removes an operation that is not converted.
//!
//! The passes are those of MLIR 15 to 20 (MLIR, "Passes").

/// Dialects that are read; unknown operations of theirs have no row.
const KNOWN: [&str; 14] = [
    "affine", "arith", "builtin", "cf", "complex", "func", "index", "llvm", "math", "memref", "ptr", "scf", "ub",
    "vector",
];

/// Advice about the operations of a dialect.
const DIALECTS: &[(&[&str], &str)] = &[
    (&["tensor"], "tensors have no memory of their own: bufferize first (`one-shot-bufferize`)"),
    (&["bufferization"], "bufferize first (`one-shot-bufferize`, then `bufferization-lower-deallocations`)"),
    (&["linalg"], "make loops of it first (`convert-linalg-to-loops`, after `one-shot-bufferize` if it has tensors)"),
    (&["tosa"], "convert it first (`tosa-to-linalg`, `tosa-to-arith`, `tosa-to-tensor`), then bufferize"),
    (
        &["stablehlo", "mhlo", "chlo", "lmhlo"],
        "convert it to `linalg` first (`stablehlo-legalize-to-linalg`), then bufferize",
    ),
    (&["torch", "torch_c", "tm_tensor"], "have torch-mlir lower it to `linalg` or `tosa` first"),
    (&["onnx", "krnl", "zlow"], "have onnx-mlir lower it first"),
    (&["sparse_tensor"], "sparse tensors become loops and memrefs first (`sparsification-and-bufferization`)"),
    (&["async"], "convert it first (`async-to-async-runtime`, `async-runtime-ref-counting`, `convert-async-to-llvm`)"),
    (&["shape"], "convert it first (`shape-to-shape-lowering`, `convert-shape-to-std`)"),
    (&["gpu", "nvgpu", "nvvm", "amdgpu", "rocdl", "xegpu", "spirv"], "operations for GPUs are not converted"),
    (&["omp", "acc"], "directives of OpenMP and OpenACC are not converted"),
    (&["fir", "hlfir", "fircg", "cuf"], "have flang lower it first (`fir-opt --fir-to-llvm-ir`)"),
    (&["cir"], "have ClangIR lower it first (`cir-opt --cir-to-llvm`)"),
    (&["emitc"], "it is for C++ sources (`mlir-translate --mlir-to-cpp`)"),
    (&["transform"], "run the transformations first (`transform-interpreter`), then remove them"),
    (&["pdl", "pdl_interp", "irdl"], "it describes operations, and no program"),
    (&["quant"], "convert it to plain integers first"),
    (&["ml_program"], "convert it to globals of memrefs first"),
    (&["mesh"], "convert it to operations of one device first"),
];

/// Advice about single operations of dialects whose other operations are read. None of MLIR's own passes lowers them to
/// LLVM.
const OPERATIONS: &[(&str, &str)] = &[
    ("affine.dma_start", "nothing copies in the background here: copy with `memref.copy` or a loop"),
    ("affine.dma_wait", "nothing copies in the background here: copy with `memref.copy` or a loop"),
    ("memref.dma_start", "nothing copies in the background here: copy with `memref.copy` or a loop"),
    ("memref.dma_wait", "nothing copies in the background here: copy with `memref.copy` or a loop"),
    ("memref.tensor_store", "tensors have no memory of their own: bufferize first (`one-shot-bufferize`)"),
    ("vector.reshape", "no pass lowers it: write it with `vector.shape_cast`"),
    ("vector.warp_execute_on_lane_0", "operations for GPUs are not converted"),
];

/// The message about an unknown operation, with its types if they are known, and the pass that removes it.
pub(crate) fn unknown(name: &[u8], types: &str) -> String {
    let name = String::from_utf8_lossy(name);
    let dialect = name.split('.').next().unwrap_or_default();
    let typed = if types.is_empty() { String::new() } else { format!(" of type `{types}`") };
    if let Some((_, advice)) = OPERATIONS.iter().find(|row| row.0 == name) {
        return format!("the operation `{name}`{typed} is not converted: {advice}");
    }
    let advice = match DIALECTS.iter().find(|row| row.0.contains(&dialect)) {
        Some((_, advice)) => advice,
        None if KNOWN.contains(&dialect) || !name.contains('.') => "it is not among those that are known",
        None => "convert its dialect first",
    };
    format!("the operation `{name}`{typed} is not converted: {advice}")
}
