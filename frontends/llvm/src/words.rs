//! Keywords as integers, to be compared with [`crate::lexer::key`]s.

use crate::lexer::key;

macro_rules! words {
    ($($name:ident $text:literal)*) => { $(pub(crate) const $name: u128 = key($text.as_bytes());)* };
}

words! {
    // Instructions.
    ADD "add" SUB "sub" MUL "mul" UDIV "udiv" SDIV "sdiv" UREM "urem" SREM "srem"
    AND "and" OR "or" XOR "xor" SHL "shl" LSHR "lshr" ASHR "ashr"
    FADD "fadd" FSUB "fsub" FMUL "fmul" FDIV "fdiv" FREM "frem" FNEG "fneg"
    ICMP "icmp" FCMP "fcmp" SELECT "select" PHI "phi" FREEZE "freeze"
    TRUNC "trunc" ZEXT "zext" SEXT "sext" FPTRUNC "fptrunc" FPEXT "fpext" FPTOUI "fptoui" FPTOSI "fptosi"
    UITOFP "uitofp" SITOFP "sitofp" PTRTOINT "ptrtoint" PTRTOADDR "ptrtoaddr" INTTOPTR "inttoptr" BITCAST "bitcast"
    ADDRSPACECAST "addrspacecast"
    ALLOCA "alloca" LOAD "load" STORE "store" GETELEMENTPTR "getelementptr"
    FENCE "fence" CMPXCHG "cmpxchg" ATOMICRMW "atomicrmw" VA_ARG "va_arg"
    EXTRACTVALUE "extractvalue" INSERTVALUE "insertvalue" EXTRACTELEMENT "extractelement"
    INSERTELEMENT "insertelement" SHUFFLEVECTOR "shufflevector"
    CALL "call" TAIL "tail" MUSTTAIL "musttail" NOTAIL "notail"
    RET "ret" BR "br" SWITCH "switch" INDIRECTBR "indirectbr" UNREACHABLE "unreachable"
    INVOKE "invoke" LANDINGPAD "landingpad" RESUME "resume" CALLBR "callbr" CATCHSWITCH "catchswitch"
    CATCHPAD "catchpad" CATCHRET "catchret" CLEANUPPAD "cleanuppad" CLEANUPRET "cleanupret"

    // Flags and small words.
    NUW "nuw" NSW "nsw" EXACT "exact" DISJOINT "disjoint" NNEG "nneg" SAMESIGN "samesign"
    NNAN "nnan" NINF "ninf" NSZ "nsz" ARCP "arcp" CONTRACT "contract" AFN "afn" REASSOC "reassoc" FAST "fast"
    WEAK "weak"
    EQ "eq" NE "ne" ULT "ult" ULE "ule" UGT "ugt" UGE "uge" SLT "slt" SLE "sle" SGT "sgt" SGE "sge"
    FALSE "false" TRUE "true"

    // Constants.
    NULL "null" UNDEF "undef" POISON "poison" ZEROINITIALIZER "zeroinitializer" SPLAT "splat"
    NONE "none" PTRAUTH "ptrauth" BLOCKADDRESS "blockaddress" NO_CFI "no_cfi"

    // Parameter attributes.
    NOUNDEF "noundef" NONNULL "nonnull" NOALIAS "noalias" NOCAPTURE "nocapture" READONLY "readonly"
    READNONE "readnone" WRITEONLY "writeonly" SIGNEXT "signext" ZEROEXT "zeroext" INREG "inreg" ALIGN "align"
    ALIGNSTACK "alignstack" DEREFERENCEABLE "dereferenceable" RETURNED "returned" NEST "nest" SRET "sret" BYVAL "byval"
    BYREF "byref" INALLOCA "inalloca" PREALLOCATED "preallocated" ELEMENTTYPE "elementtype" IMMARG "immarg"
    SWIFTSELF "swiftself" SWIFTERROR "swifterror" SWIFTASYNC "swiftasync" ALLOCALIGN "allocalign" ALLOCPTR "allocptr"
    NOFREE "nofree" NOFPCLASS "nofpclass" RANGE "range" INITIALIZES "initializes" WRITABLE "writable"
    CAPTURES "captures" DEAD_ON_UNWIND "dead_on_unwind" DEAD_ON_RETURN "dead_on_return" NOEXT "noext"

    // Function attributes.
    ALWAYSINLINE "alwaysinline" BUILTIN "builtin" COLD "cold" CONVERGENT "convergent" HOT "hot"
    INLINEHINT "inlinehint" JUMPTABLE "jumptable" MINSIZE "minsize" NAKED "naked" NOBUILTIN "nobuiltin"
    NODUPLICATE "noduplicate" NOIMPLICITFLOAT "noimplicitfloat" NOINLINE "noinline" NONLAZYBIND "nonlazybind"
    NOMERGE "nomerge" NOREDZONE "noredzone" NORETURN "noreturn" NOUNWIND "nounwind" OPTNONE "optnone"
    OPTSIZE "optsize" RETURNS_TWICE "returns_twice" UWTABLE "uwtable" WILLRETURN "willreturn" MUSTPROGRESS "mustprogress"
    MEMORY "memory" ALLOCSIZE "allocsize" ALLOCKIND "allockind" NOSYNC "nosync" NORECURSE "norecurse"
    NOCALLBACK "nocallback" NOPROFILE "noprofile" SKIPPROFILE "skipprofile" SPECULATABLE "speculatable" SSP "ssp"
    SSPREQ "sspreq" SSPSTRONG "sspstrong" STRICTFP "strictfp" SAFESTACK "safestack" ARGMEMONLY "argmemonly"
    SHADOWCALLSTACK "shadowcallstack" NOCF_CHECK "nocf_check"
    VSCALE_RANGE "vscale_range" OPTFORFUZZING "optforfuzzing"
    OPTDEBUG "optdebug"
    SANITIZE_ADDRESS "sanitize_address" SANITIZE_THREAD "sanitize_thread" SANITIZE_MEMORY "sanitize_memory" SANITIZE_MEMTAG "sanitize_memtag" HYBRID_PATCHABLE "hybrid_patchable"

    // Linkage, visibility and other properties of globals.
    PRIVATE "private" INTERNAL "internal" LINKONCE "linkonce" LINKONCE_ODR "linkonce_odr" WEAK_ODR "weak_odr"
    COMMON "common" APPENDING "appending" EXTERN_WEAK "extern_weak" EXTERNAL "external"
    DEFAULT "default" HIDDEN "hidden" PROTECTED "protected" DSO_LOCAL "dso_local" DSO_PREEMPTABLE "dso_preemptable"
    DLLIMPORT "dllimport" DLLEXPORT "dllexport" UNNAMED_ADDR "unnamed_addr" THREAD_LOCAL "thread_local"
    ADDRSPACE "addrspace" GLOBAL "global" CONSTANT "constant" ALIAS "alias" IFUNC "ifunc" SECTION "section"
    PARTITION "partition" COMDAT "comdat" GC "gc" PREFIX "prefix" PROLOGUE "prologue" PERSONALITY "personality"
}
