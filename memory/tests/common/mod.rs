//! Modules of LLVM IR for the machine that runs the test.

use gusset_codegen::object::ObjectFormat;
use gusset_compiler::{Emit, Features, Options, Relocation, Source, Target, compile_llvm, host_triple};
use gusset_memory::{Memory, ObjectImage};

fn target() -> Target {
    Target::from_triple(&host_triple(), &Features::default()).unwrap()
}

fn compile(text: &str, options: &Options) -> gusset_compiler::Compilation {
    let source = Source { name: "test.ll", text: text.as_bytes() };
    compile_llvm(source, &target(), options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

/// The image of a module.
pub fn image(text: &str) -> ObjectImage {
    compile(text, &Options::new().emit(Emit::Image)).image.unwrap()
}

/// The format of this machine's objects.
#[allow(dead_code)]
pub fn format() -> &'static ObjectFormat {
    target().object_format()
}

/// The finished object of a module, and its format.
#[allow(dead_code)]
pub fn object(text: &str) -> (&'static ObjectFormat, Vec<u8>) {
    let options = Options::new().relocation(Relocation::Pic);
    (target().object_format(), compile(text, &options).bytes.into_vec().unwrap())
}

/// The module, or the error as the panic's message.
#[allow(dead_code)]
pub fn ok<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

/// A memory in which modules find these functions.
#[allow(dead_code)]
pub fn memory_of(functions: &[(&'static str, *const ())]) -> Memory {
    let functions: Vec<(&str, usize)> = functions.iter().map(|&(name, at)| (name, at as usize)).collect();
    let find = move |name: &str| {
        let bare = if cfg!(all(windows, target_arch = "x86")) { name.strip_prefix('_').unwrap_or(name) } else { name };
        functions.iter().find(|(known, _)| *known == bare).map(|&(_, at)| at as *const ())
    };
    Memory::options().symbols(find).build()
}

/// From now on, the system refuses to make memory executable for this process.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[allow(dead_code)]
pub fn forbid_execution() {
    let insn = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    let (load, equal, any) =
        (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, libc::BPF_JMP | libc::BPF_JEQ, libc::BPF_JMP | libc::BPF_JSET);
    let ret = libc::BPF_RET | libc::BPF_K;
    // The number of the call, then the lower half of its third argument.
    let mut filter = [
        insn(load, 0, 0, 0),
        insn(equal, 1, 0, libc::SYS_mmap as u32),
        insn(equal, 0, 3, libc::SYS_mprotect as u32),
        insn(load, 0, 0, 32),
        insn(any, 0, 1, libc::PROT_EXEC as u32),
        insn(ret, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
        insn(ret, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: a filter of this many instructions.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_TSYNC, &program),
            0
        );
    }
}
