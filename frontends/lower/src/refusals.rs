//! Attributes and flags that ask for what is not done here. Who asks for protection, or for another convention, and does not get
//! it has a program that is wrong: these are errors. `docs/attributes.md` has a row for each.

/// Parts of a program that linkers write into files of their own.
pub const PARTITION: &str = "the attribute `partition` is not supported";

/// What is refused of a garbage collector by its name, if it is.
pub fn collector(name: &str) -> Option<String> {
    // These do nothing but where code has statepoints.
    let nothing = matches!(name, "statepoint-example" | "coreclr");
    (!nothing).then(|| format!("the garbage collection strategy `{name}` is not supported"))
}

/// Whether metadata of this name, at module level, is refused: it wants a section that is not written.
pub fn named_metadata(name: &[u8]) -> bool {
    matches!(name, b"llvm.pseudo_probe_desc" | b"llvm.stats")
}

/// The message about metadata.
pub fn metadata(name: &[u8]) -> String {
    format!("the metadata `{}` is not supported", String::from_utf8_lossy(name))
}

/// Whether metadata of this name is refused where it is attached to a function that is defined.
pub fn attached(name: &[u8]) -> bool {
    matches!(name, b"pcsections" | b"associated")
}

/// Whether an attribute of this word, of a function, is refused.
pub(crate) fn word(word: &[u8]) -> bool {
    matches!(
        word,
        b"naked" | b"safestack" | b"shadowcallstack" | b"speculative_load_hardening" | b"fn_ret_thunk_extern"
    )
}

/// What is refused of a function's attribute that is a string, if anything is.
pub(crate) fn string(name: &[u8], value: &[u8]) -> Option<String> {
    let refused = match name {
        b"split-stack" | b"no_caller_saved_registers" | b"no_callee_saved_registers" | b"save-reg-params" => true,
        b"xray-instruction-threshold" | b"implicit-section-name" | b"interrupt" => true,
        b"function-instrument" => value != b"xray-never",
        b"branch-protection-pauth-lr" => value != b"false",
        // Streaming mode and what belongs to it; functions of either mode are compiled for the usual one.
        b"aarch64_pstate_sm_compatible" => false,
        _ => name.starts_with(b"aarch64_"),
    };
    refused.then(|| unsupported(name))
}

/// Whether an attribute, of a variable, names its section.
pub(crate) fn names_section(name: &[u8]) -> bool {
    matches!(name, b"bss-section" | b"data-section" | b"rodata-section" | b"relro-section")
}

/// What is refused of a module flag with this number, if anything is.
pub fn flag(name: &[u8], value: i64) -> Option<String> {
    let refused = match name {
        b"kcfi" | b"cfguard" | b"NumRegisterParameters" => value != 0,
        // Sixteen bytes are what calls have in any case.
        b"override-stack-alignment" => value > 16,
        b"Objective-C Image Info Section" | b"import-call-optimization" => true,
        _ => false,
    };
    refused.then(|| format!("the module flag `{}` is not supported", String::from_utf8_lossy(name)))
}

/// Whether stack guards are found by way of this register.
pub fn is_guard_register(name: &str) -> bool {
    matches!(name, "fs" | "gs" | "tpidr_el0" | "sp_el0" | "tpidrro_el0")
}

/// The message about an attribute.
pub fn unsupported(name: &[u8]) -> String {
    format!("the attribute `{}` is not supported", String::from_utf8_lossy(name))
}
