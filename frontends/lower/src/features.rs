//! What the features of functions (`"target-features"`) ask for in all the code of a module.
//!
//! Most features concern the code of a whole module: compilers write the same list at all of its functions, and no list
//! at functions that they generate, which then follow the others.

use gusset_abi::features::{CodeRequests, Hardening, ThreadRegister};
use gusset_abi::{AbiTarget, Arch};

use gusset_program::FnAttrs;

/// Attributes that concern all the code of a module.
const OF_MODULE: u64 = FnAttrs::TAGGED_GLOBALS
    | FnAttrs::SEPARATE_PRODUCTS
    | FnAttrs::LONG_CALLS
    | FnAttrs::NO_MOVT
    | 7 << FnAttrs::THREAD_REGISTER;

/// Why a module's functions are refused: the number of a function, and the reason.
pub type NotDone = (usize, String);

/// Combines what the functions that a module defines request of all its code and of its calls.
///
/// # Errors
/// Their requests contradict each other, or are not supported on this machine.
pub(crate) fn merge_requests(
    target: &mut AbiTarget,
    functions: impl Iterator<Item = FnAttrs>,
) -> Result<CodeRequests, NotDone> {
    // 64-bit Windows has them in any case.
    let x86 = target.arch == Arch::X86 || target.arch == Arch::X86_64 && !target.is_windows();
    // Functions of x86 may differ in this.
    let soft = if target.arch == Arch::Arm { FnAttrs::SOFT_FLOAT } else { 0 };
    let of_module = OF_MODULE | soft | if x86 { FnAttrs::NO_FLOATS } else { 0 };
    let mut first = None;
    let mut no_vectors = false;
    // What one function promises of its code, others may, too.
    let mut execute_only = false;
    let mut hardening = Hardening::default();
    for (number, attrs) in functions.enumerate() {
        if target.arch == Arch::Aarch64 && attrs.has(FnAttrs::TAGGED_MEMORY) {
            return Err((number, "the attribute `sanitize_memtag` is not supported".to_string()));
        }
        hardening = hardening.and(attrs.hardening());
        execute_only |= attrs.has(FnAttrs::EXECUTE_ONLY);
        no_vectors |= attrs.has(FnAttrs::NO_VECTORS);
        if !attrs.has(FnAttrs::SAYS_FEATURES | soft) {
            continue;
        }
        let asked = attrs.0 & of_module;
        if *first.get_or_insert(asked) != asked {
            let what = "the features of this function ask for other code than those of the functions before it, which is not \
                        supported within a module";
            return Err((number, what.to_string()));
        }
    }
    let mut requests = CodeRequests { hardening, execute_only, ..requests(FnAttrs(first.unwrap_or_default())) };
    requests.no_floats &= target.features.vector_bytes > 0;
    if requests.no_floats {
        target.features.vector_bytes = 0;
    }
    if target.arch == Arch::Arm {
        // Not all of ARM's processors have vectors, whose absence changes calls: these follow the functions' features,
        // too.
        if no_vectors {
            target.features.vector_bytes = target.features.vector_bytes.min(8);
        }
        if requests.soft_float {
            target.features.vector_bytes = 0;
        }
        // If a function names its processor, but no register for the thread pointer, the library is called for it, as
        // in LLVM.
        if first.is_some() {
            requests.thread.get_or_insert(ThreadRegister::Library);
        }
    }
    Ok(requests)
}

/// What a function requests of all the code of its module.
fn requests(attrs: FnAttrs) -> CodeRequests {
    CodeRequests {
        soft_float: attrs.has(FnAttrs::SOFT_FLOAT),
        no_floats: attrs.has(FnAttrs::NO_FLOATS),
        tagged_globals: attrs.has(FnAttrs::TAGGED_GLOBALS),
        separate_products: attrs.has(FnAttrs::SEPARATE_PRODUCTS),
        long_calls: attrs.has(FnAttrs::LONG_CALLS),
        no_movt: attrs.has(FnAttrs::NO_MOVT),
        execute_only: false,
        thread: ThreadRegister::from_number(attrs.0 >> FnAttrs::THREAD_REGISTER & 7),
        hardening: Hardening::default(),
    }
}
