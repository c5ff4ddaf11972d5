//! The functions of the run-time library, by name.

macro_rules! libcalls {
    ($($name:ident $symbol:literal)*) => {
        /// A function of the C library or of the compiler's run-time library that a back end calls if the machine has
        /// no instruction for it. The module needs no symbol for it; if it has one with that name, the two are the
        /// same.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
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
    // What profilers call at the start of functions.
    Fentry "__fentry__"
    // What tells tools of events (XRay).
    XrayCustomEvent "__xray_CustomEvent" XrayTypedEvent "__xray_TypedEvent"
    // What gives a function with split stacks a piece of stack, and room for a variable (libgcc).
    Morestack "__morestack" MorestackAllocate "__morestack_allocate_stack_space"
    // x86: what is called and jumped to against speculation, by the address in a register; and what returns.
    RetpolineR11 "__llvm_retpoline_r11" RetpolineEax "__llvm_retpoline_eax"
    IndirectThunkR11 "__x86_indirect_thunk_r11" IndirectThunkEax "__x86_indirect_thunk_eax"
    ReturnThunk "__x86_return_thunk"
    // Windows: the variables with the functions that check an address, and that go to it if it is that of a function.
    GuardCheck "__guard_check_icall_fptr" GuardDispatch "__guard_dispatch_icall_fptr"
    // The same for calls on AArch64 and ARM.
    SlsThunkX9 "__llvm_slsblr_thunk_x9"
    SlsThunkArmR10 "__llvm_slsblr_thunk_arm_r10" SlsThunkThumbR10 "__llvm_slsblr_thunk_thumb_r10"
    // AddressSanitizer's checks of accesses, by size, with the address in rdi.
    AsanLoad1 "__asan_check_load_add_1_RDI" AsanLoad2 "__asan_check_load_add_2_RDI" AsanLoad4 "__asan_check_load_add_4_RDI"
    AsanLoad8 "__asan_check_load_add_8_RDI" AsanLoad16 "__asan_check_load_add_16_RDI"
    AsanStore1 "__asan_check_store_add_1_RDI" AsanStore2 "__asan_check_store_add_2_RDI"
    AsanStore4 "__asan_check_store_add_4_RDI" AsanStore8 "__asan_check_store_add_8_RDI"
    AsanStore16 "__asan_check_store_add_16_RDI"
    // What the machine puts in the place of the call.
    SjljSetjmp "llvm.eh.sjlj.setjmp" SjljLongjmp "llvm.eh.sjlj.longjmp"
    UnwindInit "llvm.eh.unwind.init" EhReturn "llvm.eh.return"
    TlsGetAddr "__tls_get_addr"
    // The thread pointer, on ARM.
    AeabiReadTp "__aeabi_read_tp"
    // The profiler on ARM: it takes the return address of its caller from the stack.
    GnuMcount "__gnu_mcount_nc"
    // i386's version, which takes its argument in eax ("ELF Handling For Thread-Local Storage", section 4.1.2).
    TlsGetAddrRegister "___tls_get_addr"
    // Emulated TLS (libgcc's `emutls.c`).
    EmutlsGetAddress "__emutls_get_address"
    // Not a function but the table itself, from which i386 reaches what is not near.
    GlobalOffsetTable "_GLOBAL_OFFSET_TABLE_"
    // Itanium C++ ABI: Exception Handling, section 1.5.3; Exception Handling ABI for the Arm Architecture, sections 9.2 and 8.4.
    UnwindResume "_Unwind_Resume" CxaEndCleanup "__cxa_end_cleanup"
    AeabiUnwindCppPr0 "__aeabi_unwind_cpp_pr0" AeabiUnwindCppPr1 "__aeabi_unwind_cpp_pr1"
    // Stack guards: what is called when one has changed; Microsoft's gets the changed word.
    StackChkGuard "__stack_chk_guard"
    StackChkFail "__stack_chk_fail"
    SecurityCookie "__security_cookie"
    SecurityCheckCookie "__security_check_cookie"
    // 32-bit Windows: how a jump back to `_setjmp3` leaves what has begun since, in C++ and in functions with `__try`.
    CxxLongjmpUnwind "__CxxLongjmpUnwind@4"
    SehLongjmpUnwind "_seh_longjmp_unwind@4"
    SehLongjmpUnwind4 "_seh_longjmp_unwind4@4"
    // Windows: probes of the stack, and the index of the image's thread-local storage.
    Chkstk "__chkstk"
    ChkstkMs "___chkstk_ms"
    TlsIndex "_tls_index"
    // GNU's libraries for Windows: calls constructors, once.
    Main "__main"
    // 64-bit divisions of Microsoft's library for 32-bit Windows; they pop their arguments.
    Alldiv "_alldiv" Aulldiv "_aulldiv" Allrem "_allrem" Aullrem "_aullrem"
    // 128-bit integers.
    Divti3 "__divti3" Udivti3 "__udivti3" Modti3 "__modti3" Umodti3 "__umodti3"
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
    // The same functions by the names of the Run-time ABI for the Arm Architecture.
    AeabiIdiv "__aeabi_idiv" AeabiUidiv "__aeabi_uidiv" AeabiLdivmod "__aeabi_ldivmod" AeabiUldivmod "__aeabi_uldivmod"
    AeabiI2f "__aeabi_i2f" AeabiI2d "__aeabi_i2d" AeabiUi2f "__aeabi_ui2f" AeabiUi2d "__aeabi_ui2d"
    AeabiL2f "__aeabi_l2f" AeabiL2d "__aeabi_l2d" AeabiUl2f "__aeabi_ul2f" AeabiUl2d "__aeabi_ul2d"
    AeabiF2iz "__aeabi_f2iz" AeabiD2iz "__aeabi_d2iz" AeabiF2uiz "__aeabi_f2uiz" AeabiD2uiz "__aeabi_d2uiz"
    AeabiF2lz "__aeabi_f2lz" AeabiD2lz "__aeabi_d2lz" AeabiF2ulz "__aeabi_f2ulz" AeabiD2ulz "__aeabi_d2ulz"
    AeabiFadd "__aeabi_fadd" AeabiFsub "__aeabi_fsub" AeabiFmul "__aeabi_fmul" AeabiFdiv "__aeabi_fdiv"
    AeabiDadd "__aeabi_dadd" AeabiDsub "__aeabi_dsub" AeabiDmul "__aeabi_dmul" AeabiDdiv "__aeabi_ddiv"
    AeabiF2d "__aeabi_f2d" AeabiD2f "__aeabi_d2f"
    GnuH2f "__gnu_h2f_ieee" GnuF2h "__gnu_f2h_ieee" GnuD2h "__gnu_d2h_ieee"
    // Divisions and conversions of Microsoft's library for Windows on ARM; quotients take the divisor first.
    RtSdiv "__rt_sdiv" RtUdiv "__rt_udiv" RtSdiv64 "__rt_sdiv64" RtUdiv64 "__rt_udiv64"
    I64tos "__i64tos" I64tod "__i64tod" U64tos "__u64tos" U64tod "__u64tod"
    Stoi64 "__stoi64" Dtoi64 "__dtoi64" Stou64 "__stou64" Dtou64 "__dtou64"
    // Between 128-bit integers and floating point.
    Floattisf "__floattisf" Floattidf "__floattidf" Floattixf "__floattixf"
    Floattitf "__floattitf"
    Floatuntisf "__floatuntisf" Floatuntidf "__floatuntidf" Floatuntixf "__floatuntixf"
    Floatuntitf "__floatuntitf"
    Fixsfti "__fixsfti" Fixdfti "__fixdfti" Fixxfti "__fixxfti" Fixtfti "__fixtfti"
    Fixunssfti "__fixunssfti" Fixunsdfti "__fixunsdfti" Fixunsxfti "__fixunsxfti"
    Fixunstfti "__fixunstfti"
    // Half precision.
    Extendhfsf2 "__extendhfsf2"
    Truncsfhf2 "__truncsfhf2" Truncdfhf2 "__truncdfhf2" Truncxfhf2 "__truncxfhf2" Trunctfhf2 "__trunctfhf2"
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
    Roundevenf128 "roundevenf128"
    // Atomics by the kernel or by locks, on machines with few or none (`__sync_` functions of the GCC manual).
    SyncSynchronize "__sync_synchronize"
    SyncCompareAndSwap1 "__sync_val_compare_and_swap_1" SyncCompareAndSwap2 "__sync_val_compare_and_swap_2"
    SyncCompareAndSwap4 "__sync_val_compare_and_swap_4" SyncCompareAndSwap8 "__sync_val_compare_and_swap_8"
    SyncTestAndSet1 "__sync_lock_test_and_set_1" SyncTestAndSet2 "__sync_lock_test_and_set_2"
    SyncTestAndSet4 "__sync_lock_test_and_set_4" SyncTestAndSet8 "__sync_lock_test_and_set_8"
    AtomicLoad1 "__atomic_load_1" AtomicLoad2 "__atomic_load_2"
    AtomicLoad4 "__atomic_load_4" AtomicLoad8 "__atomic_load_8"
    AtomicStore1 "__atomic_store_1" AtomicStore2 "__atomic_store_2"
    AtomicStore4 "__atomic_store_4" AtomicStore8 "__atomic_store_8"
    AtomicCompareExchange1 "__atomic_compare_exchange_1" AtomicCompareExchange2 "__atomic_compare_exchange_2"
    AtomicCompareExchange4 "__atomic_compare_exchange_4" AtomicCompareExchange8 "__atomic_compare_exchange_8"
    // Atomics that the machine or its enabled features cannot do (LLVM, "Atomic Instructions and Concurrency Guide").
    AtomicLoad16 "__atomic_load_16" AtomicStore16 "__atomic_store_16" AtomicExchange16 "__atomic_exchange_16"
    AtomicCompareExchange16 "__atomic_compare_exchange_16" AtomicFetchAdd16 "__atomic_fetch_add_16"
    AtomicFetchSub16 "__atomic_fetch_sub_16" AtomicFetchAnd16 "__atomic_fetch_and_16"
    AtomicFetchOr16 "__atomic_fetch_or_16" AtomicFetchXor16 "__atomic_fetch_xor_16"
    AtomicFetchNand16 "__atomic_fetch_nand_16"
    AtomicLoad "__atomic_load" AtomicStore "__atomic_store" AtomicExchange "__atomic_exchange"
    AtomicCompareExchange "__atomic_compare_exchange"
    // AArch64's atomics that look at the processor's features (libgcc's `lse.S`): by operation, size and order.
    Cas1 "__aarch64_cas1_relax" Cas1Acq "__aarch64_cas1_acq" Cas1Rel "__aarch64_cas1_rel" Cas1AcqRel "__aarch64_cas1_acq_rel"
    Cas2 "__aarch64_cas2_relax" Cas2Acq "__aarch64_cas2_acq" Cas2Rel "__aarch64_cas2_rel" Cas2AcqRel "__aarch64_cas2_acq_rel"
    Cas4 "__aarch64_cas4_relax" Cas4Acq "__aarch64_cas4_acq" Cas4Rel "__aarch64_cas4_rel" Cas4AcqRel "__aarch64_cas4_acq_rel"
    Cas8 "__aarch64_cas8_relax" Cas8Acq "__aarch64_cas8_acq" Cas8Rel "__aarch64_cas8_rel" Cas8AcqRel "__aarch64_cas8_acq_rel"
    Cas16 "__aarch64_cas16_relax" Cas16Acq "__aarch64_cas16_acq"
    Cas16Rel "__aarch64_cas16_rel" Cas16AcqRel "__aarch64_cas16_acq_rel"
    Swp1 "__aarch64_swp1_relax" Swp1Acq "__aarch64_swp1_acq" Swp1Rel "__aarch64_swp1_rel" Swp1AcqRel "__aarch64_swp1_acq_rel"
    Swp2 "__aarch64_swp2_relax" Swp2Acq "__aarch64_swp2_acq" Swp2Rel "__aarch64_swp2_rel" Swp2AcqRel "__aarch64_swp2_acq_rel"
    Swp4 "__aarch64_swp4_relax" Swp4Acq "__aarch64_swp4_acq" Swp4Rel "__aarch64_swp4_rel" Swp4AcqRel "__aarch64_swp4_acq_rel"
    Swp8 "__aarch64_swp8_relax" Swp8Acq "__aarch64_swp8_acq" Swp8Rel "__aarch64_swp8_rel" Swp8AcqRel "__aarch64_swp8_acq_rel"
    Ldadd1 "__aarch64_ldadd1_relax" Ldadd1Acq "__aarch64_ldadd1_acq"
    Ldadd1Rel "__aarch64_ldadd1_rel" Ldadd1AcqRel "__aarch64_ldadd1_acq_rel"
    Ldadd2 "__aarch64_ldadd2_relax" Ldadd2Acq "__aarch64_ldadd2_acq"
    Ldadd2Rel "__aarch64_ldadd2_rel" Ldadd2AcqRel "__aarch64_ldadd2_acq_rel"
    Ldadd4 "__aarch64_ldadd4_relax" Ldadd4Acq "__aarch64_ldadd4_acq"
    Ldadd4Rel "__aarch64_ldadd4_rel" Ldadd4AcqRel "__aarch64_ldadd4_acq_rel"
    Ldadd8 "__aarch64_ldadd8_relax" Ldadd8Acq "__aarch64_ldadd8_acq"
    Ldadd8Rel "__aarch64_ldadd8_rel" Ldadd8AcqRel "__aarch64_ldadd8_acq_rel"
    Ldset1 "__aarch64_ldset1_relax" Ldset1Acq "__aarch64_ldset1_acq"
    Ldset1Rel "__aarch64_ldset1_rel" Ldset1AcqRel "__aarch64_ldset1_acq_rel"
    Ldset2 "__aarch64_ldset2_relax" Ldset2Acq "__aarch64_ldset2_acq"
    Ldset2Rel "__aarch64_ldset2_rel" Ldset2AcqRel "__aarch64_ldset2_acq_rel"
    Ldset4 "__aarch64_ldset4_relax" Ldset4Acq "__aarch64_ldset4_acq"
    Ldset4Rel "__aarch64_ldset4_rel" Ldset4AcqRel "__aarch64_ldset4_acq_rel"
    Ldset8 "__aarch64_ldset8_relax" Ldset8Acq "__aarch64_ldset8_acq"
    Ldset8Rel "__aarch64_ldset8_rel" Ldset8AcqRel "__aarch64_ldset8_acq_rel"
    Ldclr1 "__aarch64_ldclr1_relax" Ldclr1Acq "__aarch64_ldclr1_acq"
    Ldclr1Rel "__aarch64_ldclr1_rel" Ldclr1AcqRel "__aarch64_ldclr1_acq_rel"
    Ldclr2 "__aarch64_ldclr2_relax" Ldclr2Acq "__aarch64_ldclr2_acq"
    Ldclr2Rel "__aarch64_ldclr2_rel" Ldclr2AcqRel "__aarch64_ldclr2_acq_rel"
    Ldclr4 "__aarch64_ldclr4_relax" Ldclr4Acq "__aarch64_ldclr4_acq"
    Ldclr4Rel "__aarch64_ldclr4_rel" Ldclr4AcqRel "__aarch64_ldclr4_acq_rel"
    Ldclr8 "__aarch64_ldclr8_relax" Ldclr8Acq "__aarch64_ldclr8_acq"
    Ldclr8Rel "__aarch64_ldclr8_rel" Ldclr8AcqRel "__aarch64_ldclr8_acq_rel"
    Ldeor1 "__aarch64_ldeor1_relax" Ldeor1Acq "__aarch64_ldeor1_acq"
    Ldeor1Rel "__aarch64_ldeor1_rel" Ldeor1AcqRel "__aarch64_ldeor1_acq_rel"
    Ldeor2 "__aarch64_ldeor2_relax" Ldeor2Acq "__aarch64_ldeor2_acq"
    Ldeor2Rel "__aarch64_ldeor2_rel" Ldeor2AcqRel "__aarch64_ldeor2_acq_rel"
    Ldeor4 "__aarch64_ldeor4_relax" Ldeor4Acq "__aarch64_ldeor4_acq"
    Ldeor4Rel "__aarch64_ldeor4_rel" Ldeor4AcqRel "__aarch64_ldeor4_acq_rel"
    Ldeor8 "__aarch64_ldeor8_relax" Ldeor8Acq "__aarch64_ldeor8_acq"
    Ldeor8Rel "__aarch64_ldeor8_rel" Ldeor8AcqRel "__aarch64_ldeor8_acq_rel"
}

impl LibCall {
    /// Is there no such function, but code that the machine puts in the place of the call?
    pub fn is_inline(self) -> bool {
        (LibCall::SjljSetjmp..=LibCall::EhReturn).contains(&self)
    }

    /// Its name in the object.
    pub fn symbol(self) -> &'static str {
        LIBCALL_SYMBOLS[self as usize]
    }

    /// Does it tell tools of an event?
    #[inline]
    pub fn is_event(self) -> bool {
        matches!(self, LibCall::XrayCustomEvent | LibCall::XrayTypedEvent)
    }
}
