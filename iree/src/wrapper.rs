//! Functions for programs that `iree-compile` compiles: IREE's devices dispatch them, and the program around them is
//! MLIR.
//!
//! A [`Wrapper`] makes two things from the same entries: functions in an object, which IREE's dispatches call, and MLIR
//! text for `iree-compile`, in which each entry is a public function of tensors and numbers.

use std::collections::HashSet;

use crate::Entry;
use gusset_abi::CType;
use gusset_abi::memref::{Allocation, TypeConverter};

use super::dispatch::Dispatch;
use gusset_compiler::{Error, Target};

/// How functions get into a program of IREE's. An example is at [the crate's page](crate).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Route {
    /// As a module of its virtual machine, a shared object that the runtime loads. It needs no wrapper.
    #[default]
    Module,
    /// In an object that `iree-compile` links into its own executable (`hal.executable.objects`).
    Executable,
    /// As an executable library, a shared object that replaces the program's executable (`hal.executable.binary`).
    Library,
    /// As an executable plugin, a shared object that the runtime loads (`--executable_plugin`).
    Plugin,
}

/// Who loads the program's executable. An example is at [the crate's page](crate).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Loader {
    /// IREE's own loader of ELF files, which offers neither a C library nor anything else of the system.
    #[default]
    Embedded,
    /// The system's.
    System,
}

/// Functions that are dispatched. An example is at [the crate's page](crate).
#[derive(Clone, Copy, Debug)]
pub struct Wrapper<'e> {
    /// The name of the program.
    pub module: &'e str,
    /// The functions.
    pub entries: &'e [Entry],
    /// How the functions get into the program.
    pub route: Route,
    /// Who loads its executable.
    pub loader: Loader,
    /// Whose function frees arrays that functions allocate.
    pub allocation: Allocation,
    /// Bits of the sizes and strides in descriptors of memrefs, as of MLIR's `index`; by default those of pointers.
    pub index_bits: Option<u32>,
}

impl<'e> Wrapper<'e> {
    /// A wrapper of functions that are dispatched by this route, with the embedded loader and memory from C's
    /// functions.
    pub fn new(module: &'e str, entries: &'e [Entry], route: Route) -> Wrapper<'e> {
        Wrapper {
            module,
            entries,
            route,
            loader: Loader::Embedded,
            allocation: Allocation::default(),
            index_bits: None,
        }
    }

    pub(super) fn dispatches(&self, converter: &TypeConverter) -> Result<Vec<Dispatch<'e>>, Error> {
        let mut names = HashSet::new();
        for entry in self.entries {
            if !names.insert(&entry.name) {
                return Err(Error::unsupported(&entry.name, "the name is there twice"));
            }
            if entry.name.contains('\0') {
                return Err(Error::unsupported(&entry.name, "a name cannot have a zero byte in it"));
            }
        }
        let freestanding = self.loader == Loader::Embedded;
        self.entries.iter().map(|entry| Dispatch::new(entry, converter, freestanding)).collect()
    }

    /// The name, in objects and in plugins, of the function that a dispatch calls.
    pub(super) fn symbol(&self, dispatch: &Dispatch<'_>) -> String {
        format!("{}.{}", self.module, dispatch.entry.name)
    }
}

/// What converts types for a target, with an `index` of these bits, or of those of pointers.
pub(super) fn converter(target: &Target, index_bits: Option<u32>) -> Result<TypeConverter, Error> {
    Ok(match index_bits {
        Some(bits) => TypeConverter::with_index_bits(target.abi(), bits)?,
        None => TypeConverter::new(target.abi()),
    })
}

/// The C types that a dispatch passes to a function that its executable calls: the constants, then for each binding an
/// address and an offset in bytes.
pub(super) fn parameters(dispatch: &Dispatch<'_>) -> Vec<CType> {
    let words = dispatch.words.iter().map(|word| if word.wide { CType::U64 } else { CType::U32 });
    words.chain(dispatch.bindings.iter().flat_map(|_| [CType::PTR, CType::U64])).collect()
}

pub(super) fn no_wrapper() -> Error {
    Error::unsupported("", "a module of the virtual machine has no wrapper")
}

/// The symbols in the text: the library's executable, which with a number appended is that of each function; and the
/// library's only variant.
pub(super) const EXECUTABLE: &str = "executable";
pub(super) const VARIANT: &str = "code";
