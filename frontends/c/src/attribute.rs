//! The attributes that the reader knows, and what each means to an ABI.

/// What the reader does with an attribute of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Kept with the declaration, because it affects its ABI.
    Abi,
    /// Dropped: it affects neither layouts nor calls.
    Harmless,
    /// An error: it would affect layouts or calls in a way that is not supported.
    Unsupported,
    /// Nobody knows.
    Unknown,
}

/// Attributes that are kept, without the underscores that may surround their names.
const ABI: &str = "
    aarch64_vector_pcs aligned cdecl cxx_class cxx_constructor cxx_destructor cxx_method cxx_nonaggregate
    cxx_nontrivial ext_vector_type fastcall mode ms_abi neon_polyvector_type neon_vector_type packed pcs
    preserve_all preserve_most preserve_none regparm sseregparm stdcall swiftasynccall swiftcall sysv_abi thiscall
    trivial_abi vector_size vectorcall
";

/// Attributes that affect neither layouts nor calls.
const HARMLESS: &str = "
    access alias align_value alloc_align alloc_size allocate allocator always_inline analyzer_noreturn annotate
    appdomain artificial assume assume_aligned availability callback carries_dependency cleanup code_seg cold common
    const constructor convergent counted_by deprecated designated_init destructor diagnose_if disable_tail_calls
    dllexport dllimport enable_if enum_extensibility error externally_visible fallthrough fd_arg
    flag_enum flatten force_align_arg_pointer format format_arg gnu_inline guard guarded_by hot hybrid_patchable
    ifunc internal_linkage intrin_type jitintrinsic leaf lifetimebound likely malloc may_alias maybe_unused
    min_vector_width minsize naked no_address_safety_analysis no_builtin no_icf no_init_all no_instrument_function
    no_profile_instrument_function no_reorder no_sanitize no_sanitize_address no_sanitize_thread
    no_sanitize_undefined no_split_stack no_stack_protector noalias nocf_check noclone nocommon nodebug nodiscard
    noduplicate noescape noinline noipa nonnull nonstring noplt noreturn nothrow novtable ns_returns_retained
    objc_root_class optimize optnone overloadable ownership_holds ownership_returns ownership_takes
    patchable_function_entry preferred_type process property pure reproducible restrict retain returns_nonnull
    returns_twice safebuffers section selectany sentinel spectre stack_protect swift_name swift_private symver
    target target_clones thread tls_model type_visibility unavailable uninitialized unlikely unsequenced unused used
    uuid vec_type_hint visibility warn_if_not_aligned warn_unused warn_unused_result warning weak weakref
    zero_call_used_regs
";

/// Attributes that would affect layouts or calls, and are not supported.
const UNSUPPORTED: &str = "
    address_space amdgpu_kernel arm_in arm_inout arm_new arm_out arm_preserves arm_streaming arm_sve_vector_bits
    btf_decl_tag empty_bases gcc_struct intel_ocl_bicc interrupt m68k_rtd matrix_type ms_hook_prologue ms_struct
    no_callee_saved_registers no_caller_saved_registers no_unique_address pascal pass_dynamic_object_size
    pass_object_size regcall riscv_vector_cc scalar_storage_order swift_async_context swift_context
    swift_error_result swift_indirect_result transparent_union
";

/// An attribute's name without the underscores that may surround it.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).filter(|n| !n.is_empty()).unwrap_or(name)
}

/// The phrase on which attribute may be meant by one that is not known.
#[cold]
pub(crate) fn meant(name: &str) -> String {
    gusset_text::did_you_mean(name, [ABI, HARMLESS].into_iter().flat_map(str::split_ascii_whitespace))
}

/// What to do with the attribute of this plain name; none if it is unknown.
pub(crate) fn known(name: &str) -> Known {
    let lists = [(ABI, Known::Abi), (HARMLESS, Known::Harmless), (UNSUPPORTED, Known::Unsupported)];
    let found = lists.into_iter().find(|(words, _)| words.split_ascii_whitespace().any(|word| word == name));
    found.map_or(Known::Unknown, |(_, known)| known)
}
