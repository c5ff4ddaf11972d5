//! What the features mean that functions say they are for (`"target-features"`).
//!
//! Most of what they ask for is asked of the code of a whole module: compilers write the same list at all of its functions, and none
//! at those that they make up themselves, which then go along.

use gusset_abi::features::{self, CodeRequests, Meaning, Request, ThreadRegister};
use gusset_abi::{Arch, Target};

use crate::attributes::{FnAttrs, Values};

/// What is asked of all the code of a module.
const OF_MODULE: u64 = FnAttrs::SOFT_FLOAT
    | FnAttrs::TAGGED_GLOBALS
    | FnAttrs::SEPARATE_PRODUCTS
    | FnAttrs::LONG_CALLS
    | FnAttrs::NO_MOVT
    | 7 << FnAttrs::THREAD_REGISTER;

impl FnAttrs {
    /// Takes a list of features. Names that LLVM does not know it passes over.
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

    /// Has the library compute with numbers with a point, which `what` asks for.
    pub(crate) fn soften(&mut self, values: &mut Values, what: &str, (place, arch): (usize, Arch)) {
        match arch {
            Arch::Arm => self.0 |= FnAttrs::SOFT_FLOAT,
            _ => values.refuse(place, format!("the {what} is not supported")),
        }
    }

    /// What a function asks of all the code of its module.
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

/// What of a module's functions is not done: for which of them, and why.
pub type NotDone = (usize, String);

/// What the functions that a module defines ask of all its code, and of how they call.
///
/// # Errors
/// They ask for different things, or for what is not done on this machine.
pub(crate) fn settle(target: &mut Target, functions: impl Iterator<Item = FnAttrs>) -> Result<CodeRequests, NotDone> {
    let mut first = None;
    // Microcontrollers of version 8.1 have them, and others take no harm.
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
        // Of ARM's processors not all have vectors, which then travel otherwise: calls, too, are as the functions ask for it.
        if no_vectors {
            target.features.vector_bytes = target.features.vector_bytes.min(8);
        }
        if requests.soft_float {
            target.features.vector_bytes = 0;
        }
        // Who says which processor it is, and not where the thread pointer is, calls the library for it, as LLVM does.
        if first.is_some() {
            requests.thread.get_or_insert(ThreadRegister::Library);
        }
    }
    Ok(requests)
}
