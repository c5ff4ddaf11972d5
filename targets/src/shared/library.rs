//! Which functions that back ends call are missing in a system's libraries.

use gusset_abi::Env;
use gusset_codegen::ir::{FloatCc, Function, InstData, Opcode, RmwOp, Value};
use gusset_codegen::libcall::LibCall;

/// The libraries that programs are linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Libraries {
    /// Those of systems like Unix, and GNU's or LLVM's own.
    Unix,
    /// The same, without functions that take or return halves.
    UnixWithoutHalves,
    /// MinGW's on Windows.
    MinGw,
    /// Microsoft's, with LLVM's own for functions that C lacks.
    Microsoft,
    /// Microsoft's for the 32-bit mode of x86.
    Microsoft32,
}

impl Libraries {
    /// Those of Windows with these tools, or of another system.
    pub(crate) fn of(windows: Option<Env>) -> Libraries {
        match windows {
            None => Libraries::Unix,
            Some(Env::Msvc | Env::Itanium) => Libraries::Microsoft,
            // Cygwin has its own C library, and otherwise the same as MinGW.
            Some(_) => Libraries::MinGw,
        }
    }

    /// Does one of them have this function, with the convention that it is called by?
    pub(crate) fn have(self, lib: LibCall) -> bool {
        use LibCall::*;
        match lib {
            // With MinGW they take and return halves in core registers or on the stack, whatever GCC's convention for
            // them becomes.
            Extendhfsf2 | Truncsfhf2 | Truncdfhf2 | Truncxfhf2 | Trunctfhf2 => self == Libraries::Unix,
            Fmodf128 | Fmaf128 | Sqrtf128 | Fminf128 | Fmaxf128 | Floorf128 | Ceilf128 | Truncf128 | Rintf128
            | Nearbyintf128 | Roundf128 | Roundevenf128 => {
                matches!(self, Libraries::Unix | Libraries::UnixWithoutHalves)
            }
            // Microsoft's `long double` is `double`.
            Fmodl | Fmal | Sqrtl | Fminl | Fmaxl | Floorl | Ceill | Truncl | Rintl | Nearbyintl | Roundl => {
                !matches!(self, Libraries::Microsoft | Libraries::Microsoft32)
            }
            // Headers there define them by the functions for `double`.
            Fmodf | Sqrtf | Floorf | Ceilf => self != Libraries::Microsoft32,
            _ => true,
        }
    }
}

/// The library's name of a function where LLVM takes `long double` for binary128.
pub(crate) fn long_double(lib: LibCall) -> LibCall {
    use LibCall as L;
    const NAMES: &[(L, L)] = &[
        (L::Fmodf128, L::Fmodl),
        (L::Fmaf128, L::Fmal),
        (L::Sqrtf128, L::Sqrtl),
        (L::Fminf128, L::Fminl),
        (L::Fmaxf128, L::Fmaxl),
        (L::Floorf128, L::Floorl),
        (L::Ceilf128, L::Ceill),
        (L::Truncf128, L::Truncl),
        (L::Rintf128, L::Rintl),
        (L::Nearbyintf128, L::Nearbyintl),
        (L::Roundf128, L::Roundl),
    ];
    NAMES.iter().find(|row| row.0 == lib).map_or(lib, |row| row.1)
}

/// Is it a division that is a shift or a mask?
pub(crate) fn is_easy_division(f: &Function, d: &InstData) -> bool {
    matches!(d.op, Opcode::Udiv | Opcode::Urem) && f.int_constant(Value(d.b)).is_some_and(u128::is_power_of_two)
}

/// Does it compute with a number, beyond its sign?
pub(crate) fn computes(d: &InstData) -> bool {
    use Opcode::*;
    match d.op {
        Fneg | Fabs | Fcopysign => false,
        Fcmp => !matches!(FloatCc::from_u8(d.flags), Some(FloatCc::False | FloatCc::True) | None),
        Fpext | Fptrunc | Fptosi | Fptoui | Sitofp | Uitofp => true,
        AtomicRmw => matches!(RmwOp::from_u8(d.flags), Some(RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin)),
        op => (Fadd..=Froundeven).contains(&op),
    }
}
