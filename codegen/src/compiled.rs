//! What the back end hands over for one function: the contract between compiling and writing.
//!
//! A [`CompiledFunction`] owns flat lists only, so that it can travel between threads and serve again for another
//! function: [`CompiledFunction::clear`] keeps the memory.

use std::ops::Range;

use crate::buffer::{CfiOp, CodeBuffer, Mark, Reloc, SehOp};
use crate::ir::{Exceptions, Pad, SymbolId};

/// A read-only constant of a function: 1, 2, 4, 8 or 16 bytes, aligned to its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// The bytes, lowest first.
    pub bits: u128,
    /// How many of them count.
    pub size: u8,
}

/// A call that an exception may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// Offset of the call instruction.
    pub start: u32,
    /// Offset of the instruction behind it: the return address.
    pub end: u32,
    /// Where an exception goes on: the code offset of the landing, and its clauses in [`CompiledFunction::exceptions`].
    /// `None`: it passes through the function.
    pub landing: Option<(u32, Pad)>,
}

/// Instructions without effect that may be replaced at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch {
    /// Bytes of them in front of the function.
    pub before: u32,
    /// Offset of those in it.
    pub at: u32,
}

/// The machine code of one function with everything that an object or an assembly text says about it. All offsets are
/// bytes from the start of the code; all lists of places are sorted.
#[derive(Clone, Debug, Default)]
pub struct CompiledFunction {
    /// Its symbol.
    pub symbol: SymbolId,
    /// The code.
    pub code: Vec<u8>,
    /// Stretches of the code that are data, not instructions.
    pub data: Vec<Range<u32>>,
    /// Where it can be patched.
    pub patch: Option<Patch>,
    /// Alignment of the code in bytes, a power of two; the symbol may ask for more.
    pub align: u32,
    /// What depends on addresses outside the code. Targets that are constants or jump tables mean those below.
    pub relocs: Vec<Reloc>,
    /// Read-only constants, by number.
    pub constants: Vec<Constant>,
    /// For each jump table, the end of its entries in `table_entries`.
    pub table_ends: Vec<u32>,
    /// Code offsets: the entries of all jump tables. An entry is stored in four bytes as the address of its code less the
    /// address of the table.
    pub table_entries: Vec<u32>,
    /// Blocks whose address is taken: symbol and code offset.
    pub block_symbols: Vec<(SymbolId, u32)>,
    /// Whether it computes with floating-point numbers.
    pub uses_float: bool,
    /// Whether the function gets an entry in the unwind table.
    pub unwind: bool,
    /// How the frame's description changes along the code, from the target's initial rules on.
    pub cfi: Vec<Mark<CfiOp>>,
    /// Source locations (indices of the front end's), from each offset on.
    pub lines: Vec<Mark<u32>>,
    /// What it catches; without a personality routine there is nothing to write.
    pub exceptions: Exceptions,
    /// If it has a personality routine, its calls that an exception may leave, in the order of the code. From any other
    /// place none comes.
    pub call_sites: Vec<CallSite>,
}

impl CompiledFunction {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.symbol = SymbolId(0);
        self.code.clear();
        self.data.clear();
        self.patch = None;
        self.align = 1;
        self.relocs.clear();
        self.constants.clear();
        self.table_ends.clear();
        self.table_entries.clear();
        self.block_symbols.clear();
        self.unwind = false;
        self.uses_float = false;
        self.cfi.clear();
        self.lines.clear();
        self.exceptions.clear();
        self.call_sites.clear();
    }

    /// Takes over what a finished buffer holds: code, relocations, constants, jump tables, unwind and line marks. The rest
    /// (symbol, alignment, block symbols, `unwind`) is the caller's to set. A jump table's label that was never bound
    /// cannot occur in a finished buffer.
    pub fn fill_from(&mut self, buffer: &CodeBuffer) {
        self.code.clear();
        self.code.extend_from_slice(buffer.bytes());
        self.data.clear();
        self.data.extend_from_slice(buffer.data());
        self.relocs.clear();
        self.relocs.extend_from_slice(buffer.relocs());
        self.constants.clear();
        let apart = if buffer.has_islands() { 0 } else { usize::MAX };
        self.constants.extend(
            buffer
                .constants()
                .iter()
                .take(apart)
                .map(|(size, bytes)| Constant { bits: u128::from_le_bytes(bytes), size }),
        );
        self.table_ends.clear();
        self.table_entries.clear();
        for table in buffer.jump_tables() {
            self.table_entries.extend(table.iter().filter_map(|&label| buffer.label_offset(label)));
            self.table_ends.push(self.table_entries.len() as u32);
        }
        self.cfi.clear();
        self.cfi.extend_from_slice(buffer.cfi());
        self.lines.clear();
        self.lines.extend_from_slice(buffer.lines());
        self.call_sites.clear();
        self.call_sites.extend(buffer.calls().iter().map(|call| CallSite {
            start: call.offset,
            end: call.offset + call.bytes,
            landing: call.landing.and_then(|(label, pad)| Some((buffer.label_offset(label)?, pad))),
        }));
    }

    /// Has it a frame or landing pads that Windows' unwinder must know of? A function without is unwound by its return address alone.
    pub fn has_function_table(&self) -> bool {
        let frame = |mark: &Mark<CfiOp>| matches!(mark.value, CfiOp::Seh(op) if op != SehOp::EndPrologue);
        self.unwind && (self.cfi.iter().any(frame) || self.has_landing_pads())
    }

    /// Goes an exception on in the function? Otherwise it passes through it like through one without personality routine.
    pub fn has_landing_pads(&self) -> bool {
        self.exceptions.personality.is_some() && self.call_sites.iter().any(|s| s.landing.is_some())
    }

    /// The jump tables in the order of their numbers, each a list of code offsets.
    pub fn jump_tables(&self) -> impl Iterator<Item = &[u32]> + '_ {
        (0..self.table_ends.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.table_ends[i - 1] };
            &self.table_entries[start as usize..self.table_ends[i] as usize]
        })
    }
}

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
    Memcpy "memcpy"
    Memmove "memmove"
    Memset "memset"
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
    Alldiv "_alldiv"
    Aulldiv "_aulldiv"
    Allrem "_allrem"
    Aullrem "_aullrem"
    // 128-bit integers.
    Divti3 "__divti3"
    Udivti3 "__udivti3"
    Modti3 "__modti3"
    Umodti3 "__umodti3"
    Multi3 "__multi3"
    Muloti4 "__muloti4"
    // 64-bit integers on 32-bit machines.
    Divdi3 "__divdi3"
    Udivdi3 "__udivdi3"
    Moddi3 "__moddi3"
    Umoddi3 "__umoddi3"
    // Between 128-bit integers and floating point.
    Floattihf "__floattihf"
    Floattisf "__floattisf"
    Floattidf "__floattidf"
    Floattixf "__floattixf"
    Floattitf "__floattitf"
    Floatuntihf "__floatuntihf"
    Floatuntisf "__floatuntisf"
    Floatuntidf "__floatuntidf"
    Floatuntixf "__floatuntixf"
    Floatuntitf "__floatuntitf"
    Fixhfti "__fixhfti"
    Fixsfti "__fixsfti"
    Fixdfti "__fixdfti"
    Fixxfti "__fixxfti"
    Fixtfti "__fixtfti"
    Fixunshfti "__fixunshfti"
    Fixunssfti "__fixunssfti"
    Fixunsdfti "__fixunsdfti"
    Fixunsxfti "__fixunsxfti"
    Fixunstfti "__fixunstfti"
    // Half precision and bfloat16.
    Extendhfsf2 "__extendhfsf2"
    Extendhfdf2 "__extendhfdf2"
    Extendhfxf2 "__extendhfxf2"
    Extendhftf2 "__extendhftf2"
    Truncsfhf2 "__truncsfhf2"
    Truncdfhf2 "__truncdfhf2"
    Truncxfhf2 "__truncxfhf2"
    Trunctfhf2 "__trunctfhf2"
    Truncsfbf2 "__truncsfbf2"
    Truncdfbf2 "__truncdfbf2"
    Truncxfbf2 "__truncxfbf2"
    Trunctfbf2 "__trunctfbf2"
    // Quadruple precision.
    Addtf3 "__addtf3"
    Subtf3 "__subtf3"
    Multf3 "__multf3"
    Divtf3 "__divtf3"
    Eqtf2 "__eqtf2"
    Netf2 "__netf2"
    Lttf2 "__lttf2"
    Letf2 "__letf2"
    Gttf2 "__gttf2"
    Getf2 "__getf2"
    Unordtf2 "__unordtf2"
    Extendsftf2 "__extendsftf2"
    Extenddftf2 "__extenddftf2"
    Extendxftf2 "__extendxftf2"
    Trunctfsf2 "__trunctfsf2"
    Trunctfdf2 "__trunctfdf2"
    Trunctfxf2 "__trunctfxf2"
    Floatsitf "__floatsitf"
    Floatditf "__floatditf"
    Floatunsitf "__floatunsitf"
    Floatunditf "__floatunditf"
    Fixtfsi "__fixtfsi"
    Fixtfdi "__fixtfdi"
    Fixunstfsi "__fixunstfsi"
    Fixunstfdi "__fixunstfdi"
    // Mathematics.
    Fmodf "fmodf"
    Fmod "fmod"
    Fmodl "fmodl"
    Fmodf128 "fmodf128"
    Fmaf "fmaf"
    Fma "fma"
    Fmal "fmal"
    Fmaf128 "fmaf128"
    Sqrtf "sqrtf"
    Sqrt "sqrt"
    Sqrtl "sqrtl"
    Sqrtf128 "sqrtf128"
    Fminf "fminf"
    Fmin "fmin"
    Fminl "fminl"
    Fminf128 "fminf128"
    Fmaxf "fmaxf"
    Fmax "fmax"
    Fmaxl "fmaxl"
    Fmaxf128 "fmaxf128"
    Floorf "floorf"
    Floor "floor"
    Floorl "floorl"
    Floorf128 "floorf128"
    Ceilf "ceilf"
    Ceil "ceil"
    Ceill "ceill"
    Ceilf128 "ceilf128"
    Truncf "truncf"
    Trunc "trunc"
    Truncl "truncl"
    Truncf128 "truncf128"
    Rintf "rintf"
    Rint "rint"
    Rintl "rintl"
    Rintf128 "rintf128"
    Nearbyintf "nearbyintf"
    Nearbyint "nearbyint"
    Nearbyintl "nearbyintl"
    Nearbyintf128 "nearbyintf128"
    Roundf "roundf"
    Round "round"
    Roundl "roundl"
    Roundf128 "roundf128"
    Roundevenf "roundevenf"
    Roundeven "roundeven"
    Roundevenl "roundevenl"
    Roundevenf128 "roundevenf128"
    // Atomics that the machine or its enabled features cannot do ("Atomic Instructions and Concurrency Guide" of LLVM).
    AtomicLoad16 "__atomic_load_16"
    AtomicStore16 "__atomic_store_16"
    AtomicExchange16 "__atomic_exchange_16"
    AtomicCompareExchange16 "__atomic_compare_exchange_16"
    AtomicFetchAdd16 "__atomic_fetch_add_16"
    AtomicFetchSub16 "__atomic_fetch_sub_16"
    AtomicFetchAnd16 "__atomic_fetch_and_16"
    AtomicFetchOr16 "__atomic_fetch_or_16"
    AtomicFetchXor16 "__atomic_fetch_xor_16"
    AtomicFetchNand16 "__atomic_fetch_nand_16"
    AtomicLoad "__atomic_load"
    AtomicStore "__atomic_store"
    AtomicExchange "__atomic_exchange"
    AtomicCompareExchange "__atomic_compare_exchange"
}

impl LibCall {
    /// Its name in the object.
    pub fn symbol(self) -> &'static str {
        LIBCALL_SYMBOLS[self as usize]
    }
}
