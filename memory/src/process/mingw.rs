//! Functions of MinGW's static libraries, which no library of the process shows: programs for MinGW have their own.

macro_rules! library {
    ($($name:ident)*) => {
        /// The address of one of them, by its name in C.
        fn address(name: &str) -> Option<*const ()> {
            // Only the addresses are used.
            unsafe extern "C" {
                $(fn $name();)*
            }
            Some(match name {
                $(stringify!($name) => $name as *const (),)*
                _ => return None,
            })
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod width {
    library! {
        ___chkstk_ms
        __floattixf __floatuntixf __fixxfti __fixunsxfti
    }

    pub(super) fn function(name: &str) -> Option<*const ()> {
        address(name)
    }
}

#[cfg(target_arch = "x86")]
mod width {
    library! {
        __chkstk_ms
        __divdi3 __udivdi3 __moddi3 __umoddi3
        __floatdisf __floatdidf __floatundisf __floatundidf __fixsfdi __fixdfdi __fixunssfdi __fixunsdfdi
        __floatdixf __floatundixf __fixxfdi __fixunsxfdi
    }

    pub(super) fn function(name: &str) -> Option<*const ()> {
        address(name)
    }
}

// The compiler's run-time library, the mathematics that Windows' C library lacks, and what MinGW's headers put in the place of C's
// input and output.
library! {
    _Unwind_Resume
    __divti3 __udivti3 __modti3 __umodti3
    __floattisf __floattidf __floatuntisf __floatuntidf __fixsfti __fixdfti __fixunssfti __fixunsdfti
    __extendhfsf2 __truncsfhf2 __truncdfhf2 __truncxfhf2
    __addtf3 __subtf3 __multf3 __divtf3 __eqtf2 __netf2 __lttf2 __letf2 __gttf2 __getf2 __unordtf2
    __extendsftf2 __extenddftf2 __extendxftf2 __trunctfsf2 __trunctfdf2 __trunctfxf2 __trunctfhf2
    __floatsitf __floatditf __floatunsitf __floatunditf __fixtfsi __fixtfdi __fixunstfsi __fixunstfdi
    __powisf2 __powidf2 __powixf2 __mulsc3 __muldc3 __mulxc3 __divsc3 __divdc3 __divxc3
    fmaf fma fmal fminf fmin fminl fmaxf fmax fmaxl floorf floorl ceilf ceill truncf trunc truncl rintf rint rintl
    nearbyintf nearbyint nearbyintl roundf round roundl sqrtf sqrtl fmodf fmodl fabsf fabsl
    sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf expf logf log10f powf
    sinl cosl tanl expl logl log10l powl exp2f exp2 log2f log2 log2l expm1f expm1 log1pf log1p cbrtf cbrt
    hypotf hypot copysignf copysign copysignl lroundf lround llroundf llround lrintf lrint llrintf llrint
    erff erf erfc tgamma lgamma remainder fdim asinh acosh atanh nextafter scalbn logb ilogb ldexpf frexpf modff
    __mingw_printf __mingw_fprintf __mingw_sprintf __mingw_snprintf __mingw_sscanf
    __mingw_vprintf __mingw_vfprintf __mingw_vsprintf __mingw_vsnprintf __mingw_vsscanf
    __acrt_iob_func snprintf vsnprintf strtof strtold strtoll strtoull gettimeofday usleep
}

/// What a program's `main` calls for its constructors, which run when a module is added.
extern "C" fn constructors_have_run() {}

/// The function of that name in C.
pub(super) fn function(name: &str) -> Option<*const ()> {
    if name == "__main" {
        return Some(constructors_have_run as *const ());
    }
    address(name).or_else(|| width::function(name))
}
