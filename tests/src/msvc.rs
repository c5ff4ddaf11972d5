//! C++ programs with Microsoft's exceptions, without Microsoft's libraries: Wine's DLLs have what looks for handlers, and
//! `programs/microsoft/exceptions.cpp` what Microsoft's C++ library has beside its DLL.
//!
//! | what | whose |
//! |---|---|
//! | `_CxxThrowException`, `__CxxFrameHandler3`, `__std_terminate`, `_except_handler3`, `_local_unwind` and their like | `vcruntime140.dll` |
//! | `longjmp`, `_setjmp`, `_setjmp3`, printing, memory, `atexit` | `msvcrt.dll` |
//! | `WriteFile`, `RaiseException`, memory by the page, threads | `kernel32.dll` |
//! | `start`, `operator new`, the vtable of `type_info`, `_except_handler4`, the security cookie, the TLS directory, the table of safe handlers | `exceptions.cpp` |
//! | `_fltused`, `__chkstk` | [`microsoft::support`] |

use crate::machine::Machine;
use crate::microsoft;
use crate::tools::{Failure, Outcome, clang, gusset, limited, opt, succeed, work_folder};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What is imported: the library, the functions, those of 32-bit Windows alone with the bytes of their arguments where symbols
/// have them, those of the others alone.
const IMPORTS: [(&str, &str, &str, &str); 3] = [
    (
        "vcruntime140",
        "__std_terminate _purecall __RTtypeid __RTDynamicCast __uncaught_exceptions __current_exception",
        // Behind `__CxxFrameHandler3` of our own (`exceptions.cpp`).
        "__CxxFrameHandler _CxxThrowException@8 __CxxLongjmpUnwind@4 _except_handler3 _except_handler4_common \
         _local_unwind2 _local_unwind4 _global_unwind2 _seh_longjmp_unwind@4 _seh_longjmp_unwind4@4",
        "__CxxFrameHandler3 _CxxThrowException __C_specific_handler _local_unwind",
    ),
    (
        "msvcrt",
        "printf puts putchar fflush malloc free exit abort memcpy memset memmove memcmp strcmp strlen _onexit \
         __getmainargs longjmp",
        "_setjmp3",
        "_setjmp _setjmpex",
    ),
    (
        "kernel32",
        "",
        "WriteFile@20 GetStdHandle@4 RaiseException@16 VirtualAlloc@16 VirtualProtect@16 CreateThread@24 \
         WaitForSingleObject@8 ExitThread@4 ExitProcess@4 RtlUnwind@16",
        "WriteFile GetStdHandle RaiseException VirtualAlloc VirtualProtect CreateThread WaitForSingleObject ExitThread \
         ExitProcess RtlUnwind RtlUnwindEx",
    ),
];

/// clang's options for C++ with exceptions, as its driver for Microsoft's command line gives them for `/EHsc`.
pub const EXCEPTIONS: [&str; 4] = ["-fexceptions", "-fcxx-exceptions", "-fms-extensions", "-w"];

/// Who makes an object of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// clang, from beginning to end.
    Clang,
    /// Gusset, of the IR that clang prints.
    Gusset,
}

impl Compiler {
    /// A name for files.
    pub fn name(self) -> &'static str {
        match self {
            Compiler::Clang => "clang",
            Compiler::Gusset => "gusset",
        }
    }

    /// Compiles a C++ or C file to an object. What Gusset makes it of lies beside it, with the ending `.ll`: what clang prints, or what `opt`
    /// makes of that by the passes of `GUSSET_MSVC_PASSES`; `GUSSET_MSVC_OPTIONS` are further options of clang's.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile(self, machine: &Machine, source: &Path, options: &[&str], object: &Path) -> Result<(), Failure> {
        if self == Compiler::Clang {
            return compile(machine, source, options, object);
        }
        let text = object.with_extension("ll");
        let (passes, further) = (std::env::var("GUSSET_MSVC_PASSES"), std::env::var("GUSSET_MSVC_OPTIONS"));
        let further = further.unwrap_or_default();
        // At `-O0` clang asks for no passes at all otherwise.
        let of_passes: &[&str] = if passes.is_ok() { &["-Xclang", "-disable-O0-optnone"] } else { &[] };
        let to_text = [&["-S", "-emit-llvm"], of_passes].concat();
        let further: Vec<&str> = further.split_whitespace().chain(to_text).collect();
        compile(machine, source, &[options, &further].concat(), &text)?;
        if let Ok(passes) = passes {
            let passes = format!("-passes={passes}");
            succeed(limited(60, opt()).args(["-S", &passes, "-o"]).arg(&text).arg(&text))?;
        }
        self.compile_ir(machine, &text, options, object)
    }

    /// Compiles LLVM IR to an object; clang by these options.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile_ir(self, machine: &Machine, text: &Path, options: &[&str], object: &Path) -> Result<(), Failure> {
        if self == Compiler::Clang {
            return compile(machine, text, &[options, &["-Xclang", "-disable-llvm-passes"]].concat(), object);
        }
        succeed(limited(120, gusset()?).args(["compile", "--verify"]).arg(text).arg("-o").arg(object)).map(drop)
    }
}

/// Compiles a C++ or C file by clang, with exceptions, to an object; to IR if `-S -emit-llvm` are among the options.
///
/// # Errors
/// What clang says.
pub fn compile(machine: &Machine, source: &Path, options: &[&str], object: &Path) -> Result<(), Failure> {
    let mut command = limited(120, clang());
    command.arg(format!("--target={}", machine.triple)).args(machine.flags);
    let of_c = source.extension().is_some_and(|end| end == "c");
    command.args(EXCEPTIONS.iter().filter(|option| !(of_c && option.ends_with("exceptions"))));
    command.arg("-c").args(options).arg(source).arg("-o").arg(object);
    succeed(&mut command).map(drop)
}

/// Compiles a C++ or C file, one half of its functions by each of two compilers, to two objects; they and the modules that they are made of lie
/// beside the whole one of LLVM IR.
///
/// # Errors
/// What a compiler says.
pub fn compile_halves(
    machine: &Machine,
    source: &Path,
    options: &[&str],
    compilers: &[Compiler],
    whole: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    compile(machine, source, &[options, &["-S", "-emit-llvm"]].concat(), whole)?;
    let of_half = |(text, compiler): (PathBuf, &Compiler)| {
        let object = text.with_extension("o");
        compiler.compile_ir(machine, &text, options, &object).map(|()| object)
    };
    halves(whole)?.into_iter().zip(compilers).map(of_half).collect()
}

/// What a program prints by the lines of its beginning, `//> TEXT`.
pub fn expected(text: &str) -> String {
    text.lines().filter_map(|line| line.strip_prefix("//> ")).map(|line| format!("{line}\n")).collect()
}

/// Two modules of one in LLVM IR, beside it: the first has every other function, the second the rest with all variables. Filters and blocks
/// of `__finally` are where the function is whose variables they find.
///
/// # Errors
/// What the tool says.
fn halves(text: &Path) -> Result<[PathBuf; 2], Failure> {
    let ir = std::fs::read_to_string(text)?;
    let defined: Vec<String> =
        ir.lines().filter_map(|line| line.strip_prefix("define ")).filter_map(|l| name_in(l, "@")).collect();
    let bodies = ir.split("\ndefine ").skip(1);
    let hosts = bodies.map(|body| {
        name_in(body, "@llvm.localrecover(ptr nonnull @").or_else(|| name_in(body, "@llvm.localrecover(ptr @"))
    });
    let host: HashMap<&str, String> =
        defined.iter().map(String::as_str).zip(hosts).filter_map(|(name, host)| Some((name, host?))).collect();
    let half = |name: &str| {
        // A filter of a filter finds what the outermost one does.
        let name = host.get(name).map_or(name, String::as_str);
        defined.iter().position(|other| other == name).is_some_and(|at| at % 2 == 0)
    };
    let chosen: Vec<String> = defined.iter().filter(|name| half(name)).map(|name| format!("-func={name}")).collect();
    let extract = |end: &str, options: &[&str]| {
        let to = text.with_extension(end);
        succeed(limited(60, "llvm-extract-19").arg("-S").args(options).args(&chosen).arg(text).arg("-o").arg(&to))?;
        Ok::<PathBuf, Failure>(to)
    };
    Ok([extract("0.ll", &[])?, extract("1.ll", &["-delete"])?])
}

/// The symbol that stands after these characters of LLVM IR.
fn name_in(text: &str, before: &str) -> Option<String> {
    let name = text.split_once(before)?.1;
    let Some(quoted) = name.strip_prefix('"') else {
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || "._$-".contains(c)))?;
        return Some(name[..end].into());
    };
    Some(quoted.split_once('"')?.0.replace("\\01", "\x01"))
}

/// Links objects to a program that begins at `main`. On 32-bit Windows the handlers have to be registered (`.safeseh`).
///
/// # Errors
/// What the linker says, a warning too, or what is linked with the objects cannot be made.
pub fn link(machine: &Machine, objects: &[PathBuf], program: &Path) -> Result<(), Failure> {
    let mut command = limited(120, "lld-link-19");
    command.args(["/nologo", "/entry:start", "/subsystem:console", "/nodefaultlib"]);
    command.args(machine.link.iter().filter(|option| **option != "/safeseh:no"));
    command.args((machine.pointer_bytes == 4).then_some("/safeseh"));
    command.arg(format!("/out:{}", program.display())).args(objects).args(support(machine)?);
    let outcome = succeed(&mut command)?;
    let said = outcome.text() + &outcome.errors();
    if said.trim().is_empty() { Ok(()) } else { Err(Failure::new(format!("the linker warns: {said}"))) }
}

/// What programs are linked with: objects, and import libraries. They begin at `start`.
///
/// # Errors
/// Something of it cannot be made.
pub fn support(machine: &Machine) -> Result<Vec<PathBuf>, Failure> {
    let mut all = vec![microsoft::support(machine)?, library(machine)?];
    for which in 0..IMPORTS.len() {
        all.push(imports(machine, which)?);
    }
    Ok(all)
}

/// What is static of the C++ library.
///
/// # Errors
/// It cannot be made.
pub fn library(machine: &Machine) -> Result<PathBuf, Failure> {
    machine.support(&microsoft::headers().join("exceptions.cpp"), &["-fasynchronous-unwind-tables".into()])
}

/// Calls that compilers make by themselves, or may do without. LLVM guards no stack where there are funclets.
const OWN_CALLS: [&str; 12] = [
    "memcpy",
    "memmove",
    "memset",
    "__chkstk",
    "_chkstk",
    "_alldiv",
    "_allrem",
    "_aulldiv",
    "_aullrem",
    "_allmul",
    "__security_check_cookie",
    "@__security_check_cookie@4",
];

/// Says of names which functions of LLVM IR as text exceptions may leave; destructors do not throw. Calls of others may be in any state, and
/// compilers put them into what is nearest.
pub fn throwing(ir: &str) -> impl Fn(&str) -> bool + use<> {
    let unthrowing = unthrowing(ir);
    let known = move |name: &str| OWN_CALLS.contains(&name) || unthrowing.contains(name);
    // Symbols of 32-bit Windows have an underscore more.
    move |name: &str| !name.starts_with("??1") && !known(name) && !name.strip_prefix('_').is_some_and(&known)
}

/// The groups of attributes of LLVM IR as text that have `nounwind`.
fn unthrowing_groups(ir: &str) -> BTreeSet<&str> {
    ir.lines()
        .filter_map(|line| line.strip_prefix("attributes ")?.split_once(" = "))
        .filter(|(_, list)| list.split_whitespace().any(|word| word == "nounwind"))
        .map(|(group, _)| group)
        .collect()
}

/// The functions of LLVM IR as text that no exception leaves; `*`, as calls by pointers are named, if some of those are left by none.
fn unthrowing(ir: &str) -> BTreeSet<String> {
    let groups = unthrowing_groups(ir);
    let function = |line: &str| {
        let rest = line.strip_prefix("define ").or_else(|| line.strip_prefix("declare "))?;
        let name = rest.split_once('@')?.1;
        let (name, rest) = match name.strip_prefix('"') {
            Some(name) => name.split_once('"')?,
            None => name.split_once('(')?,
        };
        let unthrowing = rest.rsplit(')').next()?.split_whitespace().any(|word| groups.contains(word));
        unthrowing.then(|| name.trim_start_matches("\\01").to_string())
    };
    let by_pointer = |line: &str| {
        let call = line
            .split_once("call ")
            .is_some_and(|(_, call)| call.split_once('(').is_some_and(|(to, _)| to.contains('%')));
        call && line.split_whitespace().any(|word| groups.contains(word))
    };
    let pointers = ir.lines().any(by_pointer).then(|| "*".to_string());
    // In front of such calls LLVM stores no state on 32-bit x86, though with `-EHa` code in them may fault.
    let lax = ir.contains("target triple = \"i") && ir.contains("!\"eh-asynch\"");
    let by_call = |line: &str| {
        let (to, rest) = line.split_once(" call ")?.1.split_once('(')?;
        let name = to.split_once('@')?.1.trim_matches('"');
        let unthrowing = rest.rsplit_once(')')?.1.split_whitespace().any(|word| groups.contains(word));
        unthrowing.then(|| name.trim_start_matches("\\01").to_string())
    };
    let calls = ir.lines().filter(|_| lax).filter_map(by_call);
    ir.lines().filter_map(function).chain(pointers).chain(calls).collect()
}

/// Compiles C++ files by clang, links them with these objects, and runs the program to its end, whatever its exit code. What comes
/// of it is below the work folder, in files that begin with `name`.
///
/// # Errors
/// What a tool says, or Wine is not there.
pub fn run(
    machine: &Machine,
    name: &str,
    sources: &[PathBuf],
    objects: &[PathBuf],
    options: &[&str],
) -> Result<Outcome, Failure> {
    let stem = work_folder("msvc").join(format!("{name}-{}", machine.name));
    let mut all = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        let object = stem.with_extension(format!("{i}.o"));
        compile(machine, source, options, &object)?;
        all.push(object);
    }
    all.extend_from_slice(objects);
    let program = stem.with_extension("exe");
    link(machine, &all, &program)?;
    machine.run(&program)
}

fn imports(machine: &Machine, which: usize) -> Result<PathBuf, Failure> {
    static MADE: Mutex<Option<HashMap<(usize, &'static str), PathBuf>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let made = made.get_or_insert_default();
    if let Some(library) = made.get(&(which, machine.name)) {
        return Ok(library.clone());
    }
    let (dll, all, narrow, wide) = IMPORTS[which];
    let names = all.split_whitespace().chain(if machine.pointer_bytes == 4 { narrow } else { wide }.split_whitespace());
    let list: String = names.map(|name| format!("{name}\n")).collect();
    let library =
        microsoft::exports(machine, dll, &format!("cxx-{dll}-{}-{}", machine.name, std::process::id()), &list)?;
    made.insert((which, machine.name), library.clone());
    Ok(library)
}
