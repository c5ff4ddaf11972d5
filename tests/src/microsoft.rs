//! Programs for Microsoft's targets, without Microsoft's C library: import libraries of what Windows has itself, and headers that
//! declare it.

use crate::corpus::drivers;
use crate::machine::{Machine, Runner};
use crate::tools::{Failure, clang, limited, succeed, work_folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Functions of Windows' libraries that programs use, with the bytes of their arguments where their names tell them on 32-bit
/// Windows.
const IMPORTS: [(&str, &[(&str, u32)]); 3] = [
    (
        "kernel32",
        &[
            ("WriteFile", 20),
            ("GetStdHandle", 4),
            ("ExitProcess", 4),
            ("CreateThread", 24),
            ("WaitForSingleObject", 8),
            ("TerminateThread", 8),
        ],
    ),
    ("msvcrt", &[]),
    ("ntdll", &[]),
];
/// The C library's.
const C_FUNCTIONS: [&str; 12] = [
    "printf",
    "fflush",
    "strcmp",
    "strlen",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "atoi",
    "abort",
    "exit",
    "__getmainargs",
];
/// Divisions of 64-bit numbers on 32-bit Windows.
const DIVISIONS: [&str; 4] = ["_alldiv", "_allrem", "_aulldiv", "_aullrem"];
/// What ARM lacks.
const ARM: [&str; 12] = [
    "__rt_sdiv",
    "__rt_udiv",
    "__rt_sdiv64",
    "__rt_udiv64",
    "__i64tos",
    "__i64tod",
    "__u64tos",
    "__u64tod",
    "__stoi64",
    "__dtoi64",
    "__stou64",
    "__dtou64",
];

/// The import library of the functions of `kernel32.dll` that programs use.
///
/// # Errors
/// The library cannot be made.
pub fn import_library(machine: &Machine) -> Result<PathBuf, Failure> {
    imports(machine, 0)
}

/// Links objects for one of Arm's processors to a program that imports from the C library whatever it lacks: from Wine's, or from the loader's.
///
/// # Errors
/// What the linker says, or one of the libraries cannot be made.
pub fn link_arm(machine: &Machine, objects: &[PathBuf], program: &Path) -> Result<(), Failure> {
    let (start, processor) = match machine.runner {
        Runner::LoaderArm => ("start_arm.c", "arm"),
        _ => ("start_arm64.c", "arm64"),
    };
    let own = [machine.support(&headers().join(start), &[])?, support(machine)?];
    let lacking = succeed(limited(60, "llvm-nm-19").args(["-u", "-j"]).args(objects).args(&own))?.text();
    let names = lacking.lines().filter(|line| !line.is_empty() && !line.contains([':', ' ']));
    let names: BTreeSet<&str> = names.map(|name| name.strip_prefix("__imp_").unwrap_or(name)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let (definition, library) = (program.with_extension("def"), program.with_extension("lib"));
    std::fs::write(&definition, format!("LIBRARY msvcrt.dll\nEXPORTS\n{}\n", names.join("\n")))?;
    succeed(limited(60, "llvm-dlltool-19").args(["-m", processor, "-d"]).arg(&definition).arg("-l").arg(&library))?;
    let mut command = limited(120, "lld-link-19");
    command.args(["/nologo", "/entry:start", "/subsystem:console", "/nodefaultlib"]).args(machine.link);
    command.arg(format!("/out:{}", program.display())).args(objects).args(own).arg(library);
    let said = succeed(&mut command)?;
    let said = said.text() + &said.errors();
    if said.trim().is_empty() { Ok(()) } else { Err(Failure::new(format!("the linker warns: {said}"))) }
}

/// The import library of what the compiler has done by functions, on ARM.
///
/// # Errors
/// The library cannot be made.
pub fn helpers(machine: &Machine) -> Result<Option<PathBuf>, Failure> {
    if machine.runner == Runner::LoaderArm { imports(machine, 2).map(Some) } else { Ok(None) }
}

/// Links objects to a program that begins at `main` and uses the C library of the system.
///
/// # Errors
/// What the linker says, or one of the libraries cannot be made.
pub fn link(machine: &Machine, objects: &[PathBuf], program: &Path) -> Result<(), Failure> {
    let mut command = limited(120, "lld-link-19");
    command.args(["/nologo", "/entry:start", "/subsystem:console", "/nodefaultlib"]).args(machine.link);
    command.arg(format!("/out:{}", program.display())).args(objects).arg(support(machine)?);
    command.arg(machine.support(&headers().join("start.c"), &[])?);
    for which in (0..IMPORTS.len()).filter(|&i| i < 2 || machine.pointer_bytes == 4) {
        command.arg(imports(machine, which)?);
    }
    succeed(&mut command).map(drop)
}

/// The folder with headers for such programs.
pub fn headers() -> PathBuf {
    drivers().join("microsoft")
}

/// Which of the processors with Windows it is.
fn number(machine: &Machine) -> usize {
    match machine.runner {
        Runner::WineArm64 => 2,
        Runner::LoaderArm => 3,
        _ => usize::from(machine.pointer_bytes == 4),
    }
}

fn imports(machine: &Machine, which: usize) -> Result<PathBuf, Failure> {
    static MADE: [OnceLock<Result<PathBuf, String>>; 12] = [const { OnceLock::new() }; 12];
    let narrow = number(machine) == 1;
    let made = MADE[4 * which + number(machine)].get_or_init(|| {
        let (dll, functions) = IMPORTS[which];
        let divisions = if narrow { &DIVISIONS[..] } else { &ARM };
        let undecorated: &[&str] = [&[][..], &C_FUNCTIONS, divisions][which];
        let list = functions.iter().map(|(f, bytes)| if narrow { format!("{f}@{bytes}\n") } else { format!("{f}\n") });
        let list: String = list.chain(undecorated.iter().map(|f| format!("{f}\n"))).collect();
        exports(machine, dll, &format!("{dll}-{}-{}", machine.name, std::process::id()), &list)
            .map_err(|f| f.to_string())
    });
    made.clone().map_err(Failure::new)
}

/// The import library, in a file of this name, of what one of Windows' libraries exports: a name a line, on 32-bit Windows with `@` and
/// the bytes of the arguments where symbols have them.
///
/// # Errors
/// The library cannot be made.
pub fn exports(machine: &Machine, dll: &str, name: &str, list: &str) -> Result<PathBuf, Failure> {
    let stem = work_folder("support").join(name);
    let (definition, library) = (stem.with_extension("def"), stem.with_extension("lib"));
    std::fs::write(&definition, format!("LIBRARY {dll}.dll\nEXPORTS\n{list}"))?;
    let mut command = limited(60, "llvm-dlltool-19");
    command.args(["-m", ["i386:x86-64", "i386", "arm64", "arm"][number(machine)]]);
    command.args((number(machine) == 1).then_some("-k")).arg("-d").arg(&definition).arg("-l").arg(&library);
    succeed(&mut command)?;
    Ok(library)
}

const PROBE_64: &str = ".globl __chkstk\n__chkstk:\n pushq %rcx\n pushq %rax\n leaq 24(%rsp), %rcx\n\
     1: cmpq $4096, %rax\n jb 2f\n subq $4096, %rcx\n orl $0, (%rcx)\n subq $4096, %rax\n jmp 1b\n\
     2: subq %rax, %rcx\n orl $0, (%rcx)\n popq %rax\n popq %rcx\n ret\n";
const PROBE_32: &str = ".globl __chkstk\n__chkstk:\n pushl %ecx\n leal 8(%esp), %ecx\n\
     1: cmpl $4096, %eax\n jb 2f\n subl $4096, %ecx\n testl %eax, (%ecx)\n subl $4096, %eax\n jmp 1b\n\
     2: subl %eax, %ecx\n testl %eax, (%ecx)\n movl %esp, %eax\n movl %ecx, %esp\n movl (%eax), %ecx\n\
     movl 4(%eax), %eax\n jmpl *%eax\n";
const PROBE_ARM64: &str = ".globl __chkstk\n__chkstk:\n lsl x16, x15, #4\n mov x17, sp\n\
     1: subs x16, x16, #4096\n b.lo 2f\n sub x17, x17, #4096\n ldr xzr, [x17]\n b 1b\n2: ret\n";

const PROBE_ARM: &str = ".syntax unified\n.globl __chkstk\n.def __chkstk\n.type 32\n.endef\n.thumb_func\n__chkstk:\n\
     lsl r4, r4, #2\n push {r5}\n add r12, sp, #4\n sub r5, r12, r4\n\
     1: sub r12, r12, #4096\n cmp r12, r5\n bls 2f\n str r12, [r12]\n b 1b\n2: pop {r5}\n bx lr\n";

/// The program that runs those for 32-bit ARM.
///
/// # Errors
/// It cannot be made.
pub fn loader_arm() -> Result<&'static Path, Failure> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let program = work_folder("support").join(format!("loader-arm-{}", std::process::id()));
        let mut command = limited(60, "arm-linux-gnueabihf-gcc");
        command.args(["-O1", "-w"]).arg(headers().join("loader_arm.c")).args(["-lm", "-ldl", "-o"]).arg(&program);
        succeed(&mut command).map_err(|f| f.to_string())?;
        Ok(program)
    });
    made.as_deref().map_err(|m| Failure::new(m.clone()))
}

/// An object of what Microsoft's C library has beside functions: the symbol that brings floating point, and the function that
/// touches every page of as many bytes as `rax` or `eax` says (which on 32-bit Windows takes them, too), on AArch64 of 16 times as many as
/// `x15`, on ARM of 4 times as many as `r4`.
///
/// # Errors
/// The object cannot be made.
pub fn support(machine: &Machine) -> Result<PathBuf, Failure> {
    static MADE: [OnceLock<Result<PathBuf, String>>; 4] = [const { OnceLock::new() }; 4];
    let made = MADE[number(machine)].get_or_init(|| {
        let stem = work_folder("support").join(format!("msvc-{}-{}", machine.name, std::process::id()));
        let (text, object) = (stem.with_extension("s"), stem.with_extension("o"));
        let p = machine.prefix;
        let mut code = format!(".globl {p}_fltused\n.set {p}_fltused, 1\n.text\n");
        if machine.runner != Runner::LoaderArm {
            code += ".globl @feat.00\n.set @feat.00, 1\n";
        }
        code += [PROBE_64, PROBE_32, PROBE_ARM64, PROBE_ARM][number(machine)];
        std::fs::write(&text, code).map_err(|e| e.to_string())?;
        let mut assemble = limited(60, clang());
        assemble.arg(format!("--target={}", machine.triple)).arg("-c").arg(&text).arg("-o").arg(&object);
        succeed(&mut assemble).map_err(|f| f.to_string())?;
        Ok(object)
    });
    made.clone().map_err(Failure::new)
}
