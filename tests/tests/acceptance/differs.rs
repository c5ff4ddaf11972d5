//! Functions of LLVM's tests in which Gusset does otherwise than llc, with the reason: the text has no meaning there, llc 19 is
//! wrong, or who is followed is written elsewhere.

/// File or how its name begins, functions that begin so, reason.
const DIFFERS: &[(&str, &str, &str)] = &[
    (
        "X86/i128-abi.ll",
        "@trailing_arg_on_stack",
        "i128 and the register that it leaves free are as in LLVM 20: see DIFFERENCES.md",
    ),
    ("X86/madd.ll", "@jumbled_indices", "llc 19 adds the products in another order than the masks say"),
    ("X86/rdtsc", "@", "the time differs from call to call"),
    ("X86/extract-store.ll", "@extract_", "the lanes stored are behind the last one"),
    ("X86/v4i32load-crash.ll", "@fn3", "the last lane stored has no value"),
    ("X86/select-phi-s16-fp.ll", "@phi_vec1", "a lane stored has no value"),
    ("X86/vec_sdiv_to_shift.ll", "@sdiv_non_splat", "it divides by 0 in a lane"),
    ("X86/selectiondag-crash.ll", "@autogen_SD26299", "lanes have no value"),
    (
        "X86/cmpxchg8b_alloca_regalloc_handling.ll",
        "@foo_alloca_index_global",
        "llc 19 finds the variable by ebx when that has an operand of cmpxchg8b",
    ),
    ("X86/sqrt-fastmath.ll", "@finite_", "llc knows what __sqrt_finite does; here it is another function"),
    ("X86/sqrt-fastmath.ll", "@sqrtf_check_denorms", "the same"),
    (
        "Generic/2008-01-25-dag-combine-mul.ll",
        "@f",
        "llc leaves out what only dead code needs, and so does not read through a null pointer, or the reverse",
    ),
];

/// Whether differences in a function are known.
pub fn known(file: &str, function: &str) -> bool {
    DIFFERS.iter().any(|(f, start, _)| file.starts_with(f) && function.starts_with(start))
}
