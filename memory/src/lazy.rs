//! Functions that are compiled when they are first called.
//!
//! Such a function's cell first leads to a *thunk*, which puts the address of a [`Record`] into a register that no argument is in, and
//! jumps to this file's entry. That saves the argument registers, has the function compiled, and continues with it.

use std::fmt;
use std::mem::offset_of;
use std::sync::{Mutex, OnceLock, PoisonError, Weak};

use gusset_codegen::object::{
    ImageBinding, ImageSection, ImageSectionKind, ImageSymbol, ImageSymbolKind, ObjectFormat, ObjectImage,
};
use gusset_codegen::sparse::SparseBytes;

use crate::error::MemoryError;
use crate::memory::{Loaded, Module};

/// Compiles a function.
pub(crate) type CompileFn = dyn FnOnce() -> Result<ObjectImage, Box<dyn std::error::Error + Send + Sync>> + Send;

/// What is known about a function that may not be compiled yet.
#[repr(C)]
pub(crate) struct Record {
    /// Where the thunk jumps.
    entry: usize,
    name: String,
    compile: Mutex<Option<Box<CompileFn>>>,
    /// The module with the thunk, which owns this.
    pub owner: OnceLock<Weak<Loaded>>,
    compiled: OnceLock<(usize, Module)>,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("name", &self.name).finish_non_exhaustive()
    }
}

const _: () = assert!(offset_of!(Record, entry) == 0);

impl Record {
    pub fn new(name: &str, compile: Box<CompileFn>) -> Box<Record> {
        Box::new(Record {
            entry: entry as *const () as usize,
            name: name.to_string(),
            compile: Mutex::new(Some(compile)),
            owner: OnceLock::new(),
            compiled: OnceLock::new(),
        })
    }

    /// A module with the thunk.
    pub fn image(&self, format: &'static ObjectFormat) -> ObjectImage {
        let code = thunk(&raw const *self as usize, format.function_bit != 0);
        let section = ImageSection {
            name: ".text".into(),
            kind: ImageSectionKind::Code,
            align: 16,
            bytes: SparseBytes::from(code),
            relocations: Vec::new(),
        };
        let symbol = ImageSymbol {
            name: self.name.clone(),
            kind: ImageSymbolKind::Function,
            binding: ImageBinding::Global,
            place: Some((0, 0)),
            size: section.bytes.len(),
        };
        ObjectImage { format, sections: vec![section], symbols: vec![symbol] }
    }

    /// The function's address. The first thread that asks compiles it, and others wait; without it the program cannot continue.
    fn address(&self) -> usize {
        let compiled = self.compiled.get_or_init(|| {
            self.compile().unwrap_or_else(|why| {
                eprintln!("gusset: function `{}` cannot be compiled at its first call: {why}", self.name);
                std::process::abort();
            })
        });
        compiled.0
    }

    fn compile(&self) -> Result<(usize, Module), Box<dyn std::error::Error + Send + Sync>> {
        let compile = self.compile.lock().unwrap_or_else(PoisonError::into_inner).take();
        let owner = self.owner.get().and_then(Weak::upgrade);
        let (Some(compile), Some(owner)) = (compile, owner) else {
            return Err(MemoryError::NotFound { symbol: self.name.clone() }.into());
        };
        Ok(owner.take_over(&self.name, compile()?)?)
    }
}

/// # Safety
/// A record that is in use.
unsafe extern "C" fn resolve(record: *const Record) -> usize {
    // SAFETY: the caller's word.
    unsafe { &*record }.address()
}

/// Code that passes the address of a record to [`entry`], in `r11`, `eax`, `x16` or `ip`.
fn thunk(record: usize, _thumb: bool) -> Vec<u8> {
    let word = record.to_le_bytes();
    #[cfg(target_arch = "x86_64")]
    // movabs r11, RECORD; jmp [r11]
    return [&[0x49, 0xbb], &word[..], &[0x41, 0xff, 0x23]].concat();
    #[cfg(target_arch = "x86")]
    // mov eax, RECORD; jmp [eax]
    return [&[0xb8], &word[..], &[0xff, 0x20]].concat();
    #[cfg(target_arch = "aarch64")]
    // ldr x16, RECORD; ldr x17, [x16]; br x17; nop
    return [&[0x90, 0, 0, 0x58, 0x11, 0x02, 0x40, 0xf9, 0x20, 0x02, 0x1f, 0xd6, 0x1f, 0x20, 0x03, 0xd5], &word[..]]
        .concat();
    #[cfg(target_arch = "arm")]
    return match _thumb {
        // ldr ip, RECORD; ldr pc, [ip]
        false => [&[0, 0xc0, 0x9f, 0xe5, 0, 0xf0, 0x9c, 0xe5], &word[..]].concat(),
        true => [&[0xdf, 0xf8, 0x04, 0xc0, 0xdc, 0xf8, 0, 0xf0], &word[..]].concat(),
    };
}

/// Saves what may be arguments, and continues with the function.
#[cfg(all(target_arch = "x86_64", not(windows)))]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 192",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "mov [rsp + 48], rax",
        "mov [rsp + 56], r10",
        "movups [rsp + 64], xmm0",
        "movups [rsp + 80], xmm1",
        "movups [rsp + 96], xmm2",
        "movups [rsp + 112], xmm3",
        "movups [rsp + 128], xmm4",
        "movups [rsp + 144], xmm5",
        "movups [rsp + 160], xmm6",
        "movups [rsp + 176], xmm7",
        "mov rdi, r11",
        "call {}",
        "mov r11, rax",
        "mov rdi, [rsp]",
        "mov rsi, [rsp + 8]",
        "mov rdx, [rsp + 16]",
        "mov rcx, [rsp + 24]",
        "mov r8, [rsp + 32]",
        "mov r9, [rsp + 40]",
        "mov rax, [rsp + 48]",
        "mov r10, [rsp + 56]",
        "movups xmm0, [rsp + 64]",
        "movups xmm1, [rsp + 80]",
        "movups xmm2, [rsp + 96]",
        "movups xmm3, [rsp + 112]",
        "movups xmm4, [rsp + 128]",
        "movups xmm5, [rsp + 144]",
        "movups xmm6, [rsp + 160]",
        "movups xmm7, [rsp + 176]",
        "leave",
        "jmp r11",
        sym resolve
    )
}

/// The same on Windows. The callee's room for four arguments comes first.
#[cfg(all(target_arch = "x86_64", windows))]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 176",
        "mov [rsp + 32], rcx",
        "mov [rsp + 40], rdx",
        "mov [rsp + 48], r8",
        "mov [rsp + 56], r9",
        "mov [rsp + 64], rax",
        "mov [rsp + 72], r10",
        "movups [rsp + 80], xmm0",
        "movups [rsp + 96], xmm1",
        "movups [rsp + 112], xmm2",
        "movups [rsp + 128], xmm3",
        "movups [rsp + 144], xmm4",
        "movups [rsp + 160], xmm5",
        "mov rcx, r11",
        "call {}",
        "mov r11, rax",
        "mov rcx, [rsp + 32]",
        "mov rdx, [rsp + 40]",
        "mov r8, [rsp + 48]",
        "mov r9, [rsp + 56]",
        "mov rax, [rsp + 64]",
        "mov r10, [rsp + 72]",
        "movups xmm0, [rsp + 80]",
        "movups xmm1, [rsp + 96]",
        "movups xmm2, [rsp + 112]",
        "movups xmm3, [rsp + 128]",
        "movups xmm4, [rsp + 144]",
        "movups xmm5, [rsp + 160]",
        "leave",
        "jmp r11",
        sym resolve
    )
}

/// The same in 32 bits.
#[cfg(target_arch = "x86")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        "push ebp",
        "mov ebp, esp",
        "push ecx",
        "push edx",
        "sub esp, 64",
        "and esp, -16",
        "movups [esp + 16], xmm0",
        "movups [esp + 32], xmm1",
        "movups [esp + 48], xmm2",
        "mov [esp], eax",
        "call {}",
        "movups xmm0, [esp + 16]",
        "movups xmm1, [esp + 32]",
        "movups xmm2, [esp + 48]",
        "mov edx, [ebp - 8]",
        "mov ecx, [ebp - 4]",
        "leave",
        "jmp eax",
        sym resolve
    )
}

/// The same on AArch64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "mov x29, sp",
        "sub sp, sp, #224",
        "stp x0, x1, [sp]",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "stp x8, x15, [sp, #64]",
        "str x18, [sp, #80]",
        "stp q0, q1, [sp, #96]",
        "stp q2, q3, [sp, #128]",
        "stp q4, q5, [sp, #160]",
        "stp q6, q7, [sp, #192]",
        "mov x0, x16",
        "bl {}",
        "mov x16, x0",
        "ldp x0, x1, [sp]",
        "ldp x2, x3, [sp, #16]",
        "ldp x4, x5, [sp, #32]",
        "ldp x6, x7, [sp, #48]",
        "ldp x8, x15, [sp, #64]",
        "ldr x18, [sp, #80]",
        "ldp q0, q1, [sp, #96]",
        "ldp q2, q3, [sp, #128]",
        "ldp q4, q5, [sp, #160]",
        "ldp q6, q7, [sp, #192]",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        "br x16",
        sym resolve
    )
}

/// The same on ARM whose floating-point arguments are in vector registers.
#[cfg(all(target_arch = "arm", target_abi = "eabihf"))]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        "push {{r0, r1, r2, r3, r4, lr}}",
        "vpush {{d0, d1, d2, d3, d4, d5, d6, d7}}",
        "mov r0, r12",
        "bl {}",
        "mov r12, r0",
        "vpop {{d0, d1, d2, d3, d4, d5, d6, d7}}",
        "pop {{r0, r1, r2, r3, r4, lr}}",
        "bx r12",
        sym resolve
    )
}

/// The same where all arguments are in general registers.
#[cfg(all(target_arch = "arm", not(target_abi = "eabihf")))]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        "push {{r0, r1, r2, r3, r4, lr}}",
        "mov r0, r12",
        "bl {}",
        "mov r12, r0",
        "pop {{r0, r1, r2, r3, r4, lr}}",
        "bx r12",
        sym resolve
    )
}
