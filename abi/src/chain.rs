//! Static chains: the register in which a nested function finds its enclosing function's frame (`nest` in LLVM IR).
//!
//! One table for callers, callees and trampolines. LLVM and GCC agree on x86. Elsewhere:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | AArch64 | LLVM 21 and later: x15; x18 if [`AbiFeatures::chain_in_x18`] says so | GCC, LLVM up to 20: x18, which Darwin and Windows reserve; GCC: x16 on Darwin, x17 on Windows |
//! | ARM, VFP variant | GCC: r12 | LLVM ignores `nest` there and passes the chain like an argument, in r0 |
//! | i386 thiscall | GCC: eax | LLVM uses ecx, which holds `this`, while its trampolines load eax |

use crate::prelude::*;
use crate::reg::{aarch64, arm, x86};

/// The static chain register of a convention. On 32-bit x86 a function that uses it for an argument (`regparm(3)`) has none:
/// [`FnAbi::static_chain`](crate::FnAbi::static_chain) says so.
///
/// Sources: psABI x86-64, figure 3.4; GCC, `ix86_static_chain`; LLVM, X86CallingConv.td and AArch64CallingConvention.td;
/// AAPCS32, section 6.1.1 (r12 as scratch at calls).
pub fn static_chain(target: &AbiTarget, convention: Convention) -> Reg {
    match target.arch {
        Arch::X86_64 => x86::R10,
        Arch::X86 => match convention {
            Convention::Fastcall
            | Convention::Thiscall
            | Convention::Vectorcall
            | Convention::Fast
            | Convention::Tail => x86::RAX,
            _ => x86::RCX,
        },
        Arch::Aarch64 if target.features.chain_in_x18 && !matches!(target.os, Os::Darwin | Os::Windows) => aarch64::X18,
        Arch::Aarch64 => aarch64::X15,
        Arch::Arm => arm::R12,
    }
}
