//! The meaning of the features of a function (`"target-features"`).
//!
//! Most features concern the code of a whole module: compilers write the same list at all of its functions, and no list
//! at functions that they generate, which then follow the others.

use gusset_abi::features::{self, CodeRequests, Meaning, Request, ThreadRegister};
use gusset_abi::{Arch, Target};

use crate::attributes::{FnAttrs, Values};

/// Attributes that concern all the code of a module.
const OF_MODULE: u64 = FnAttrs::SOFT_FLOAT
    | FnAttrs::TAGGED_GLOBALS
    | FnAttrs::SEPARATE_PRODUCTS
    | FnAttrs::LONG_CALLS
    | FnAttrs::NO_MOVT
    | 7 << FnAttrs::THREAD_REGISTER;

impl FnAttrs {
    /// Takes a list of features, and ignores unknown names, as LLVM does.
    pub(crate) fn features(&mut self, list: &[u8], values: &mut Values, at: (usize, Arch)) {
        self.0 |= FnAttrs::SAYS_FEATURES;
        for (name, on) in features::each(list) {
            match features::meaning(at.1, name, on) {
                Some(Meaning::Refused) => {
                    values.refuse(at.0, format!("the feature `{name}` of a function is not supported"));
                }
                Some(Meaning::Done(request)) => self.request(request),
                _ => {}
            }
        }
    }

    fn request(&mut self, request: Request) {
        self.0 |= match request {
            Request::WideVectors => FnAttrs::AVX,
            Request::NoFloats => FnAttrs::NO_IMPLICIT_FLOAT | FnAttrs::NO_FLOATS,
            Request::ScalarFloats => FnAttrs::NO_IMPLICIT_FLOAT | FnAttrs::SCALAR_FLOATS,
            Request::NoVectors => FnAttrs::NO_VECTORS,
            Request::SoftFloat => FnAttrs::SOFT_FLOAT,
            Request::StrictAlignment => FnAttrs::STRICT_ALIGN,
            Request::ReservePlatformRegister => FnAttrs::PLATFORM_REGISTER,
            Request::OutlineAtomics => FnAttrs::OUTLINE_ATOMICS,
            Request::TaggedGlobals => FnAttrs::TAGGED_GLOBALS,
            Request::SeparateProducts => FnAttrs::SEPARATE_PRODUCTS,
            Request::LongCalls => FnAttrs::LONG_CALLS,
            Request::NoMovt => FnAttrs::NO_MOVT,
            Request::Thread(register) => {
                self.0 &= !(7 << FnAttrs::THREAD_REGISTER);
                (register as u64) << FnAttrs::THREAD_REGISTER
            }
        };
    }

    /// Requests floating point by the library; `what` is the feature.
    pub(crate) fn soften(&mut self, values: &mut Values, what: &str, (place, arch): (usize, Arch)) {
        match arch {
            Arch::Arm => self.0 |= FnAttrs::SOFT_FLOAT,
            _ => values.refuse(place, format!("the {what} is not supported")),
        }
    }

    /// What a function requests of all the code of its module.
    fn requests(self) -> CodeRequests {
        CodeRequests {
            soft_float: self.has(FnAttrs::SOFT_FLOAT),
            tagged_globals: self.has(FnAttrs::TAGGED_GLOBALS),
            separate_products: self.has(FnAttrs::SEPARATE_PRODUCTS),
            long_calls: self.has(FnAttrs::LONG_CALLS),
            no_movt: self.has(FnAttrs::NO_MOVT),
            thread: ThreadRegister::from_number(self.0 >> FnAttrs::THREAD_REGISTER & 7),
        }
    }
}

/// Why a module's functions are refused: the number of a function, and the reason.
pub type NotDone = (usize, String);

/// Combines what the functions that a module defines request of all its code and of its calls.
///
/// # Errors
/// Their requests contradict each other, or are not supported on this machine.
pub(crate) fn settle(target: &mut Target, functions: impl Iterator<Item = FnAttrs>) -> Result<CodeRequests, NotDone> {
    let mut first = None;
    // Microcontrollers of version 8.1 have these features, and others ignore them.
    let protected = FnAttrs::BRANCH_TARGETS | FnAttrs::SIGN_ALL | FnAttrs::SIGN_NON_LEAF;
    let mut no_vectors = false;
    for (number, attrs) in functions.enumerate() {
        if target.arch == Arch::Arm && attrs.has(protected) {
            let what = "signed return addresses and marked branch targets are not supported on 32-bit ARM";
            return Err((number, what.to_string()));
        }
        if target.arch == Arch::Aarch64 && attrs.has(FnAttrs::TAGGED_MEMORY) {
            return Err((number, "the attribute `sanitize_memtag` is not supported".to_string()));
        }
        no_vectors |= attrs.has(FnAttrs::NO_VECTORS);
        if !attrs.has(FnAttrs::SAYS_FEATURES | FnAttrs::SOFT_FLOAT) {
            continue;
        }
        let asked = attrs.0 & OF_MODULE;
        if *first.get_or_insert(asked) != asked {
            let what = "the features of this function ask for other code than those of the functions before it, which is not \
                        supported within a module";
            return Err((number, what.to_string()));
        }
    }
    let mut requests = FnAttrs(first.unwrap_or_default()).requests();
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
