//! The functions of the run-time library, by name.

macro_rules! libcalls {
    ($($name:ident $symbol:literal)*) => {
        /// A function of the C library or of the compiler's run-time library that a back end calls where the machine has
        /// no instruction. It needs no symbol in the module; if the module has one of that name, the two are one.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum LibCall {
            $(#[doc = concat!("`", $symbol, "`.")] $name,)*
        }

        /// Every [`LibCall`] in order of its number.
        pub const LIBCALLS: &[LibCall] = &[$(LibCall::$name,)*];
        const LIBCALL_SYMBOLS: &[&str] = &[$($symbol,)*];
    };
}

// The C library's names are ISO C's; the others are those of libgcc ("The GCC low-level runtime library" in the GCC
// Internals manual), the psABIs and TS 18661-3 (`f128` suffix).
libcalls! {
    Memcpy "memcpy" Memmove "memmove" Memset "memset"
    // What profilers put in front of functions.
    Fentry "__fentry__"
    TlsGetAddr "__tls_get_addr"
    // i386's, which takes its argument in eax ("ELF Handling For Thread-Local Storage", section 4.1.2).
    TlsGetAddrRegister "___tls_get_addr"
    // Emulated TLS (libgcc's `emutls.c`).
    EmutlsGetAddress "__emutls_get_address"
    // No function: the table itself, from which i386 reaches what is not near.
    GlobalOffsetTable "_GLOBAL_OFFSET_TABLE_"
    Abort "abort"
    // Itanium C++ ABI: Exception Handling, section 1.5.3.
    UnwindResume "_Unwind_Resume"
    // Stack guards: what is called when one has changed; Microsoft's gets the word that was found.
    StackChkGuard "__stack_chk_guard"
    StackChkFail "__stack_chk_fail"
    SecurityCookie "__security_cookie"
    SecurityCheckCookie "__security_check_cookie"
    // Windows: probes of the stack, and the index of the image's thread-local storage.
    Chkstk "__chkstk"
    ChkstkMs "___chkstk_ms"
    TlsIndex "_tls_index"
    // 64-bit divisions of Microsoft's library for 32-bit Windows; they remove their arguments.
    Alldiv "_alldiv" Aulldiv "_aulldiv" Allrem "_allrem" Aullrem "_aullrem"
    // 128-bit integers.
    Divti3 "__divti3" Udivti3 "__udivti3" Modti3 "__modti3" Umodti3 "__umodti3"
    Multi3 "__multi3" Muloti4 "__muloti4"
    // 64-bit integers on 32-bit machines.
    Divdi3 "__divdi3" Udivdi3 "__udivdi3" Moddi3 "__moddi3" Umoddi3 "__umoddi3"
    // 32-bit integers on machines without division.
    Divsi3 "__divsi3" Udivsi3 "__udivsi3" Modsi3 "__modsi3" Umodsi3 "__umodsi3"
    // Between integers of 32 and 64 bits and floating point.
    Floatsisf "__floatsisf" Floatsidf "__floatsidf" Floatunsisf "__floatunsisf" Floatunsidf "__floatunsidf"
    Floatdisf "__floatdisf" Floatdidf "__floatdidf" Floatundisf "__floatundisf" Floatundidf "__floatundidf"
    Fixsfsi "__fixsfsi" Fixdfsi "__fixdfsi" Fixunssfsi "__fixunssfsi" Fixunsdfsi "__fixunsdfsi"
    Fixsfdi "__fixsfdi" Fixdfdi "__fixdfdi" Fixunssfdi "__fixunssfdi" Fixunsdfdi "__fixunsdfdi"
    // Single and double precision on machines without floating point.
    Addsf3 "__addsf3" Subsf3 "__subsf3" Mulsf3 "__mulsf3" Divsf3 "__divsf3"
    Adddf3 "__adddf3" Subdf3 "__subdf3" Muldf3 "__muldf3" Divdf3 "__divdf3"
    Eqsf2 "__eqsf2" Nesf2 "__nesf2" Ltsf2 "__ltsf2" Lesf2 "__lesf2" Gtsf2 "__gtsf2" Gesf2 "__gesf2"
    Unordsf2 "__unordsf2"
    Eqdf2 "__eqdf2" Nedf2 "__nedf2" Ltdf2 "__ltdf2" Ledf2 "__ledf2" Gtdf2 "__gtdf2" Gedf2 "__gedf2"
    Unorddf2 "__unorddf2"
    Extendsfdf2 "__extendsfdf2" Truncdfsf2 "__truncdfsf2"
    // The same by the names that the Run-time ABI for the Arm Architecture gives them.
    AeabiIdiv "__aeabi_idiv" AeabiUidiv "__aeabi_uidiv" AeabiLdivmod "__aeabi_ldivmod" AeabiUldivmod "__aeabi_uldivmod"
    AeabiI2f "__aeabi_i2f" AeabiI2d "__aeabi_i2d" AeabiUi2f "__aeabi_ui2f" AeabiUi2d "__aeabi_ui2d"
    AeabiL2f "__aeabi_l2f" AeabiL2d "__aeabi_l2d" AeabiUl2f "__aeabi_ul2f" AeabiUl2d "__aeabi_ul2d"
    AeabiF2iz "__aeabi_f2iz" AeabiD2iz "__aeabi_d2iz" AeabiF2uiz "__aeabi_f2uiz" AeabiD2uiz "__aeabi_d2uiz"
    AeabiF2lz "__aeabi_f2lz" AeabiD2lz "__aeabi_d2lz" AeabiF2ulz "__aeabi_f2ulz" AeabiD2ulz "__aeabi_d2ulz"
    AeabiFadd "__aeabi_fadd" AeabiFsub "__aeabi_fsub" AeabiFmul "__aeabi_fmul" AeabiFdiv "__aeabi_fdiv"
    AeabiDadd "__aeabi_dadd" AeabiDsub "__aeabi_dsub" AeabiDmul "__aeabi_dmul" AeabiDdiv "__aeabi_ddiv"
    AeabiF2d "__aeabi_f2d" AeabiD2f "__aeabi_d2f"
    // Between 128-bit integers and floating point.
    Floattihf "__floattihf" Floattisf "__floattisf" Floattidf "__floattidf" Floattixf "__floattixf"
    Floattitf "__floattitf"
    Floatuntihf "__floatuntihf" Floatuntisf "__floatuntisf" Floatuntidf "__floatuntidf" Floatuntixf "__floatuntixf"
    Floatuntitf "__floatuntitf"
    Fixhfti "__fixhfti" Fixsfti "__fixsfti" Fixdfti "__fixdfti" Fixxfti "__fixxfti" Fixtfti "__fixtfti"
    Fixunshfti "__fixunshfti" Fixunssfti "__fixunssfti" Fixunsdfti "__fixunsdfti" Fixunsxfti "__fixunsxfti"
    Fixunstfti "__fixunstfti"
    // Half precision and bfloat16.
    Extendhfsf2 "__extendhfsf2" Extendhfdf2 "__extendhfdf2" Extendhfxf2 "__extendhfxf2" Extendhftf2 "__extendhftf2"
    Truncsfhf2 "__truncsfhf2" Truncdfhf2 "__truncdfhf2" Truncxfhf2 "__truncxfhf2" Trunctfhf2 "__trunctfhf2"
    Truncsfbf2 "__truncsfbf2" Truncdfbf2 "__truncdfbf2" Truncxfbf2 "__truncxfbf2" Trunctfbf2 "__trunctfbf2"
    // Quadruple precision.
    Addtf3 "__addtf3" Subtf3 "__subtf3" Multf3 "__multf3" Divtf3 "__divtf3"
    Eqtf2 "__eqtf2" Netf2 "__netf2" Lttf2 "__lttf2" Letf2 "__letf2" Gttf2 "__gttf2" Getf2 "__getf2"
    Unordtf2 "__unordtf2"
    Extendsftf2 "__extendsftf2" Extenddftf2 "__extenddftf2" Extendxftf2 "__extendxftf2"
    Trunctfsf2 "__trunctfsf2" Trunctfdf2 "__trunctfdf2" Trunctfxf2 "__trunctfxf2"
    Floatsitf "__floatsitf" Floatditf "__floatditf" Floatunsitf "__floatunsitf" Floatunditf "__floatunditf"
    Fixtfsi "__fixtfsi" Fixtfdi "__fixtfdi" Fixunstfsi "__fixunstfsi" Fixunstfdi "__fixunstfdi"
    // Mathematics.
    Fmodf "fmodf" Fmod "fmod" Fmodl "fmodl" Fmodf128 "fmodf128"
    Fmaf "fmaf" Fma "fma" Fmal "fmal" Fmaf128 "fmaf128"
    Sqrtf "sqrtf" Sqrt "sqrt" Sqrtl "sqrtl" Sqrtf128 "sqrtf128"
    Fminf "fminf" Fmin "fmin" Fminl "fminl" Fminf128 "fminf128"
    Fmaxf "fmaxf" Fmax "fmax" Fmaxl "fmaxl" Fmaxf128 "fmaxf128"
    Floorf "floorf" Floor "floor" Floorl "floorl" Floorf128 "floorf128"
    Ceilf "ceilf" Ceil "ceil" Ceill "ceill" Ceilf128 "ceilf128"
    Truncf "truncf" Trunc "trunc" Truncl "truncl" Truncf128 "truncf128"
    Rintf "rintf" Rint "rint" Rintl "rintl" Rintf128 "rintf128"
    Nearbyintf "nearbyintf" Nearbyint "nearbyint" Nearbyintl "nearbyintl" Nearbyintf128 "nearbyintf128"
    Roundf "roundf" Round "round" Roundl "roundl" Roundf128 "roundf128"
    Roundevenf "roundevenf" Roundeven "roundeven" Roundevenl "roundevenl" Roundevenf128 "roundevenf128"
    // Atomics that the machine or its enabled features cannot do ("Atomic Instructions and Concurrency Guide" of LLVM).
    AtomicLoad16 "__atomic_load_16" AtomicStore16 "__atomic_store_16" AtomicExchange16 "__atomic_exchange_16"
    AtomicCompareExchange16 "__atomic_compare_exchange_16" AtomicFetchAdd16 "__atomic_fetch_add_16"
    AtomicFetchSub16 "__atomic_fetch_sub_16" AtomicFetchAnd16 "__atomic_fetch_and_16"
    AtomicFetchOr16 "__atomic_fetch_or_16" AtomicFetchXor16 "__atomic_fetch_xor_16"
    AtomicFetchNand16 "__atomic_fetch_nand_16"
    AtomicLoad "__atomic_load" AtomicStore "__atomic_store" AtomicExchange "__atomic_exchange"
    AtomicCompareExchange "__atomic_compare_exchange"
}

impl LibCall {
    /// Its name in the object.
    pub fn symbol(self) -> &'static str {
        LIBCALL_SYMBOLS[self as usize]
    }
}
