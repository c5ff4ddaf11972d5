//! The way into generated code, which checks what every function has to leave as it was.

use std::arch::global_asm;

// extern "C" fn gusset_fuzz_enter(entry, argument, report): calls `entry(argument)` with patterns in every register, then
// stores rbx, rbp, r12 to r15, the flags and MXCSR into the report.
global_asm!(
    ".globl gusset_fuzz_enter",
    ".type gusset_fuzz_enter, @function",
    "gusset_fuzz_enter:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push rdx",
    "mov rax, rdi",
    "mov rdi, rsi",
    "movabs rcx, 0xa5a5a5a5a5a5a5a5",
    "movq xmm0, rcx",
    "punpcklqdq xmm0, xmm0",
    "movaps xmm1, xmm0",
    "movaps xmm2, xmm0",
    "movaps xmm3, xmm0",
    "movaps xmm4, xmm0",
    "movaps xmm5, xmm0",
    "movaps xmm6, xmm0",
    "movaps xmm7, xmm0",
    "movaps xmm8, xmm0",
    "movaps xmm9, xmm0",
    "movaps xmm10, xmm0",
    "movaps xmm11, xmm0",
    "movaps xmm12, xmm0",
    "movaps xmm13, xmm0",
    "movaps xmm14, xmm0",
    "movaps xmm15, xmm0",
    "mov rdx, rcx",
    "mov rsi, rcx",
    "mov r8, rcx",
    "mov r9, rcx",
    "mov r10, rcx",
    "mov r11, rcx",
    "lea rbx, [rcx + 1]",
    "lea rbp, [rcx + 2]",
    "lea r12, [rcx + 3]",
    "lea r13, [rcx + 4]",
    "lea r14, [rcx + 5]",
    "lea r15, [rcx + 6]",
    "call rax",
    "pop rdx",
    "mov [rdx], rbx",
    "mov [rdx + 8], rbp",
    "mov [rdx + 16], r12",
    "mov [rdx + 24], r13",
    "mov [rdx + 32], r14",
    "mov [rdx + 40], r15",
    "pushfq",
    "pop rcx",
    "mov [rdx + 48], rcx",
    "stmxcsr [rdx + 56]",
    "fnstsw word ptr [rdx + 64]",
    "fnstcw word ptr [rdx + 66]",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".size gusset_fuzz_enter, . - gusset_fuzz_enter",
);

unsafe extern "C" {
    fn gusset_fuzz_enter(entry: usize, argument: *mut u8, report: *mut u64);
}

/// Calls `entry(argument)`, a function without result of the C convention.
///
/// # Errors
/// What the function has changed that it must keep.
///
/// # Safety
/// There is such a function, and it does nothing that is undefined.
pub unsafe fn enter(entry: usize, argument: *mut u8) -> Result<(), String> {
    let mut report = [0u64; 9];
    fill_stack();
    // SAFETY: the report has room for what is stored; the rest is the caller's promise.
    unsafe { gusset_fuzz_enter(entry, argument, report.as_mut_ptr()) };
    let pattern = 0xa5a5_a5a5_a5a5_a5a5u64;
    for (k, name) in ["rbx", "rbp", "r12", "r13", "r14", "r15"].iter().enumerate() {
        if report[k] != pattern + k as u64 + 1 {
            return Err(format!("{name} is {:#x} after the call", report[k]));
        }
    }
    // System V ABI, AMD64 supplement, section 3.2.1: direction flag clear, control words kept, x87 stack empty.
    if report[6] & 1 << 10 != 0 {
        return Err("the direction flag is set after the call".into());
    }
    if report[7] & 0xffc0 & !0x3f != 0x1f80 {
        return Err(format!("MXCSR is {:#x} after the call", report[7]));
    }
    if report[8] >> 16 & 0xffff != 0x037f {
        return Err(format!("the x87 control word is {:#x} after the call", report[8] >> 16));
    }
    if report[8] >> 11 & 7 != 0 {
        return Err("the x87 stack is not empty after the call".into());
    }
    Ok(())
}

/// Leaves bytes of no meaning where the functions' frames will be.
#[inline(never)]
fn fill_stack() {
    std::hint::black_box(&mut [0x5au8; 16384]);
}
