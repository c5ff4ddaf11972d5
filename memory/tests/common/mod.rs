//! Modules of LLVM IR for the machine that runs the test.

use gusset_codegen::object::ObjectFormat;
use gusset_compiler::{Features, Target, host_triple};
use gusset_memory::{Memory, ObjectImage};

#[allow(unused_imports)]
pub use compiler::{image, object};

fn target() -> Target {
    Target::from_triple(&host_triple(), &Features::default()).unwrap()
}

/// The format of this machine's objects.
#[allow(dead_code)]
pub fn format() -> &'static ObjectFormat {
    target().object_format()
}

/// This process compiles its modules.
#[cfg(not(gusset_compiled_elsewhere))]
mod compiler {
    use gusset_compiler::{Compilation, Emit, Options, Relocation, Source, compile_llvm};

    use super::{ObjectFormat, ObjectImage, target};

    fn compile(text: &str, options: &Options) -> Compilation {
        let source = Source { name: "test.ll", text: text.as_bytes() };
        compile_llvm(source, &target(), options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The image of a module.
    pub fn image(text: &str) -> ObjectImage {
        compile(text, &Options::new().emit(Emit::Image)).image.unwrap()
    }

    /// The finished object of a module, and its format.
    #[allow(dead_code)]
    pub fn object(text: &str) -> (&'static ObjectFormat, Vec<u8>) {
        let options = Options::new().relocation(Relocation::Pic);
        (target().object_format(), compile(text, &options).bytes.into_vec().unwrap())
    }
}

/// The command that `GUSSET_COMMAND` names, a program of the machine that emulates this one, compiles them in the folder
/// `GUSSET_FOLDER`. Processes with several threads start it only at their risk: QEMU's copy of such a process may hang.
#[cfg(gusset_compiled_elsewhere)]
mod compiler {
    use std::path::PathBuf;
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{ObjectFormat, ObjectImage, format, host_triple, ok};

    /// The image of a module's finished object.
    pub fn image(text: &str) -> ObjectImage {
        let (format, object) = object(text);
        ok(gusset_memory::read_object(format, &object))
    }

    /// The finished object of a module, and its format.
    pub fn object(text: &str) -> (&'static ObjectFormat, Vec<u8>) {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let [command, folder] = ["GUSSET_COMMAND", "GUSSET_FOLDER"].map(|name| std::env::var_os(name).unwrap());
        let stem = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let [source, object] = ["ll", "o"].map(|extension| format!("{stem}.{extension}"));
        let folder = PathBuf::from(folder);
        std::fs::write(folder.join(&source), text).unwrap();
        let mut compile = Command::new(command);
        compile.args(["compile", "--pic", "--target", &host_triple(), &source, "-o", &object]);
        if cfg!(windows) {
            compile.arg("--emulated-tls");
        }
        assert!(compile.current_dir(&folder).status().unwrap().success());
        (format(), std::fs::read(folder.join(&object)).unwrap())
    }
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

/// Loads the library of C++; whether it is there.
#[cfg(unix)]
#[allow(dead_code)]
pub fn load_library_of_cxx() -> bool {
    // SAFETY: the library's constructors are harmless.
    !unsafe { libc::dlopen(c"libstdc++.so.6".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) }.is_null()
}

/// The same by MinGW's name.
#[cfg(windows)]
#[allow(dead_code)]
pub fn load_library_of_cxx() -> bool {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryA(name: *const std::ffi::c_char) -> *mut std::ffi::c_void;
    }
    // SAFETY: as above.
    !unsafe { LoadLibraryA(c"libstdc++-6.dll".as_ptr()) }.is_null()
}

/// The pages of this process that are writable and executable.
#[cfg(target_os = "linux")]
#[allow(dead_code)]
pub fn writable_and_executable() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let is_both = |line: &&str| line.split(' ').nth(1).is_some_and(|p| p.contains('w') && p.contains('x'));
    maps.lines().filter(is_both).map(str::to_string).collect()
}

/// The same on Windows.
#[cfg(windows)]
#[allow(dead_code)]
pub fn writable_and_executable() -> Vec<String> {
    /// Words of `MEMORY_BASIC_INFORMATION`: the start, the start of the allocation and its protection, the size, state and
    /// protection, and the kind.
    const WORDS: usize = if cfg!(target_arch = "x86") { 7 } else { 6 };
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn VirtualQuery(at: usize, range: *mut usize, bytes: usize) -> usize;
    }
    let (mut at, mut found) = (0, Vec::new());
    loop {
        let mut range = [0usize; WORDS];
        // SAFETY: there is room for the result.
        if unsafe { VirtualQuery(at, range.as_mut_ptr(), size_of_val(&range)) } == 0 {
            return found;
        }
        let (start, size) = (range[0], range[3]);
        let protection = if cfg!(target_arch = "x86") { range[5] } else { (range[4] as u64 >> 32) as usize };
        // `PAGE_EXECUTE_READWRITE`, `PAGE_EXECUTE_WRITECOPY`.
        if protection & 0xc0 != 0 {
            found.push(format!("{start:#x} {size:#x} {protection:#x}"));
        }
        match start.checked_add(size) {
            Some(next) if next > at => at = next,
            _ => return found,
        }
    }
}
