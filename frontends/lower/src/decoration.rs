//! Names of functions in objects, as far as they depend on calling conventions.
//!
//! MS, "Decorated names"; LLVM's `Mangler` for the parameters that it counts; LangRef, "Data Layout", `m:x`.

use gusset_abi::{AbiTarget, Arch, Convention, Role};
use gusset_codegen::names::text_of;
use gusset_program::{ParamAttrs, TypeId, TypeTable};

/// The name of a symbol in the object. After a leading byte 1, the name is used unchanged. Otherwise 32-bit Windows
/// adds an underscore, except to the names that Microsoft's C++ makes.
pub fn decorated_name(target: &AbiTarget, name: &[u8]) -> String {
    let underscore = target.is_windows() && target.arch == Arch::X86;
    match name.strip_prefix(&[1]) {
        Some(rest) => text_of(rest).into_owned(),
        None if underscore && !name.starts_with(b"?") => format!("_{}", text_of(name)),
        None => text_of(name).into_owned(),
    }
}

/// Whether the symbol of a function with this convention and name shows the convention. Names with a leading byte 1 do
/// not change, nor do those that Microsoft's C++ makes.
pub fn shows_convention(target: &AbiTarget, convention: Convention, name: &[u8]) -> bool {
    let shows = match convention {
        Convention::Stdcall | Convention::Fastcall => target.is_windows() && target.arch == Arch::X86,
        Convention::Vectorcall => true,
        _ => false,
    };
    shows && !(name.starts_with(&[1]) || target.is_windows() && name.starts_with(b"?"))
}

/// The bytes of a function's parameters, each in whole words: without the address of the result; of parameters in
/// memory, what they point to.
#[derive(Clone, Copy, Default, Debug)]
pub struct ParameterBytes {
    bytes: u64,
    params: usize,
    results: bool,
}

impl ParameterBytes {
    /// Takes the next parameter.
    pub fn take(&mut self, target: &AbiTarget, types: &TypeTable, ty: TypeId, attrs: &ParamAttrs) {
        let word = u64::from(target.pointer_bytes());
        self.results |= attrs.role == Role::StructReturn;
        let size = match attrs.role {
            Role::StructReturn => 0,
            Role::ByVal { size, .. } | Role::InAlloca { size } | Role::Preallocated { size, .. } => size,
            _ => types.get(ty).size,
        };
        self.bytes = self.bytes.saturating_add(size.checked_next_multiple_of(word).unwrap_or(u64::MAX));
        self.params += 1;
    }

    /// The suffix of a function's name; `variadic`: the function takes further arguments.
    pub fn suffix(self, variadic: bool) -> String {
        // Functions that are only variadic have none.
        let none = variadic && self.params > usize::from(self.results);
        if none { String::new() } else { format!("@{}", self.bytes) }
    }
}

/// A name with what its convention adds.
pub fn with_convention(name: &[u8], convention: Convention, suffix: &str) -> String {
    let name = text_of(name);
    match convention {
        Convention::Fastcall => format!("@{name}{suffix}"),
        Convention::Vectorcall if suffix.is_empty() => name.into_owned(),
        Convention::Vectorcall => format!("{name}@{suffix}"),
        _ => format!("_{name}{suffix}"),
    }
}
