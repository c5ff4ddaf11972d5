//! Attributes and flags that are refused. A program that asks for protection or for another convention would be wrong
//! without it, so these are errors. `docs/attributes.md` has a row for each.

/// The message about scalable vectors.
pub const SCALABLE: &str =
    "scalable vectors are not supported: `<vscale x …>` takes the feature `sve`, for which no code is made";

/// The message about pointers that are signed constants.
pub const SIGNED: &str = "signed pointers (`ptrauth`) are not supported";

/// The message about what cannot be done in another address space.
pub const SEGMENT: &str = "this is not supported relative to a segment register (`addrspace(256)` to `addrspace(258)`)";

/// Operations of `atomicrmw` of versions after LLVM 19, by the numbers that bitcode gives them.
const ATOMIC_OPERATIONS: [(u64, &str); 4] = [(17, "usub_cond"), (18, "usub_sat"), (19, "fmaximum"), (20, "fminimum")];

/// The message about an operation of `atomicrmw`, if there is one of this name.
pub fn atomic_operation(name: &str) -> Option<String> {
    let known = ATOMIC_OPERATIONS.iter().any(|known| known.1 == name);
    known.then(|| format!("the operation `atomicrmw {name}` is not supported"))
}

/// The message about an operation of `atomicrmw` by its number in bitcode.
pub fn atomic_operation_of_number(number: u64) -> String {
    let name = ATOMIC_OPERATIONS.iter().find(|known| known.0 == number).and_then(|known| atomic_operation(known.1));
    name.unwrap_or_else(|| format!("the operation {number} of `atomicrmw` is not known"))
}

/// The message about parts of a program that linkers write into files of their own.
pub const PARTITION: &str = "the attribute `partition` is not supported";

/// The message about flags of an operation that is not one of numbers with a point.
pub const FAST_MATH: &str = "fast-math flags are on an operation without a floating-point result";

/// `#pragma clang section` of C.
pub const NAMED_SECTION: &str =
    "the attributes `bss-section`, `data-section`, `rodata-section` and `relro-section` are not supported";

/// Why a garbage collector is refused, by its name; none if it is not.
pub fn collector(name: &str) -> Option<String> {
    let why = match name {
        // These have no effect without statepoints.
        "statepoint-example" | "coreclr" => return None,
        "shadow-stack" => "functions do not link their roots into `llvm_gc_root_chain`",
        "erlang" | "ocaml" => "its frame tables are not written",
        _ => "it is none of LLVM's",
    };
    Some(format!("the garbage collection strategy `{name}` is not supported: {why}"))
}

/// Whether module-level metadata of this name is refused: it needs a section that is not written.
pub fn named_metadata(name: &[u8]) -> bool {
    matches!(name, b"llvm.pseudo_probe_desc" | b"llvm.stats")
}

/// The message about metadata.
pub fn metadata(name: &[u8]) -> String {
    format!("the metadata `{}` is not supported", String::from_utf8_lossy(name))
}

/// Whether metadata of this name is refused at a function definition.
pub fn attached(name: &[u8]) -> bool {
    matches!(name, b"pcsections" | b"associated")
}

/// Whether a function's attribute of this word is refused.
pub(crate) fn word(word: &[u8]) -> bool {
    word == b"speculative_load_hardening"
}

/// Why a function's string attribute is refused, if it is.
pub(crate) fn string(name: &[u8], value: &[u8]) -> Option<String> {
    let refused = match name {
        b"save-reg-params" => true,
        // Registers would have to be cleared between ARM's two worlds.
        b"cmse_nonsecure_entry" | b"cmse_nonsecure_call" => true,
        b"implicit-section-name" => true,
        b"function-instrument" => !matches!(value, b"xray-never" | b"xray-always"),
        b"branch-protection-pauth-lr" => value != b"false",
        // Streaming mode and related attributes; functions that may run in either mode are compiled for the normal one.
        b"aarch64_pstate_sm_compatible" => false,
        // Signed pointers.
        _ => name.starts_with(b"aarch64_") || name.starts_with(b"ptrauth-"),
    };
    refused.then(|| unsupported(name))
}

/// Whether an attribute of a variable names its section.
pub(crate) fn names_section(name: &[u8]) -> bool {
    matches!(name, b"bss-section" | b"data-section" | b"rodata-section" | b"relro-section")
}

/// Why a module flag is refused, if it is.
pub fn flag(name: &[u8]) -> Option<String> {
    let refused = matches!(name, b"Objective-C Image Info Section" | b"import-call-optimization");
    refused.then(|| format!("the module flag `{}` is not supported", String::from_utf8_lossy(name)))
}

/// Whether this register gives the address of stack guards.
pub fn is_guard_register(name: &str) -> bool {
    matches!(name, "fs" | "gs" | "tpidr_el0" | "sp_el0" | "tpidrro_el0")
}

/// The message about an attribute.
pub fn unsupported(name: &[u8]) -> String {
    format!("the attribute `{}` is not supported", String::from_utf8_lossy(name))
}
