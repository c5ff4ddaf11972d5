//! The library that compiled programs link to, made for a target: a pool of trampolines, and memory for MLIR's generic
//! allocation.
//!
//! It is LLVM IR in `runtime/*.ll`, with words that begin with a dollar sign for what differs: sizes, and the code of
//! trampolines, which the ABI layer gives. `@name = text "…"` stands for a constant string. The pool does the same as
//! that of the crate `gusset-runtime`, which is for programs in Rust; the tests run on both.

use std::fmt::Write;

use gusset_abi::{
    self as abi, Arch, Convention, Env, Hole, Os, PoolStub, SlotRef, Trampoline, TrampolineOptions, static_chain,
};

use crate::{ArchiveMember, Error, Options, Relocation, Source, Target, compile_llvm, write_archive};

/// A file of the runtime library.
///
/// ```
/// # #[cfg(feature = "x86")] {
/// use gusset_compiler::{Features, Target, runtime_library};
///
/// let files = runtime_library(&Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?)?;
/// assert!(files.iter().any(|file| file.name == "gusset_runtime.h"));
/// # }
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeFile {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub contents: Vec<u8>,
}

const HEADER: &str = include_str!("runtime/gusset_runtime.h");
const POOL: &str = include_str!("runtime/pool.ll");
const REPORT: &str = include_str!("runtime/report.ll");
const UNIX: &str = include_str!("runtime/unix.ll");
const WINDOWS: &str = include_str!("runtime/windows.ll");
const EAX: &str = include_str!("runtime/eax.ll");

/// The runtime library for a target: the static library, its header for C, and its file for `pkg-config`, which belong
/// into one folder. Programs need it if they have trampolines (`llvm.init.trampoline`) in the pool, or MLIR with
/// generic functions of allocation. It needs the C library, on Windows `kernel32`. The file for `pkg-config` says how a C compiler
/// makes a shared library of it.
///
/// # Errors
/// The pool does not know the target.
pub fn runtime_library(target: &Target) -> Result<Vec<RuntimeFile>, Error> {
    let machine = target.abi();
    let (system, known) = match (machine.os, machine.arch) {
        (Os::Linux, _) => (UNIX, true),
        (Os::Windows, arch) => (WINDOWS, arch != Arch::Arm),
        _ => ("", false),
    };
    if !known {
        let m = format!("the runtime library has no pool of trampolines for target `{}`", target.triple());
        return Err(Error::Target(m));
    }
    let pool = pool(machine, system)?;
    let members = std::iter::once(("trampolines", pool)).chain(memory(machine));
    let mut objects = Vec::new();
    for (name, text) in members {
        let name = format!("{name}.o");
        let options = Options { relocation: Relocation::Pic, ..Options::default() };
        let source = Source { name: &name, text: text.as_bytes() };
        let made = compile_llvm(source, target, &options, &mut |_| {})?;
        let object = written(&|out| made.bytes.write_to(out))?;
        objects.push((name, exported(machine, &text), object));
    }
    let members: Vec<ArchiveMember<'_>> = objects
        .iter()
        .map(|(name, symbols, object)| ArchiveMember {
            symbols: symbols.iter().map(String::as_bytes).collect(),
            ..ArchiveMember::new(name.as_bytes(), object)
        })
        .collect();
    let library = if machine.env == Env::Msvc { "gusset_runtime.lib" } else { "libgusset_runtime.a" };
    Ok(vec![
        RuntimeFile { name: library, contents: written(&|out| write_archive(&members, out))? },
        RuntimeFile { name: "gusset_runtime.h", contents: HEADER.into() },
        RuntimeFile { name: "gusset-runtime.pc", contents: package(machine).into() },
    ])
}

/// What is written, in memory.
fn written(contents: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    contents(&mut bytes).map_err(|e| Error::unsupported("", e.to_string()))?;
    Ok(bytes)
}

/// The number in the SONAME of the shared library: it changes when programs have to be built again.
const SONAME: &str = "libgusset_runtime.so.0";

/// The file for `pkg-config`, for a folder that has the other files too. Its variable `shared` has what a C compiler of the target is
/// given to make the shared library of the static one: that takes a linker, which Gusset is not.
fn package(machine: &abi::AbiTarget) -> String {
    let (system, form) = match (machine.is_windows(), machine.env) {
        (true, Env::Msvc) => ("-lkernel32", None),
        (true, _) => {
            let library = "-o ${libdir}/gusset_runtime.dll -Wl,--out-implib,${libdir}/libgusset_runtime.dll.a";
            ("-lkernel32", Some(format!("{library} -Wl,--export-all-symbols")))
        }
        (false, _) => ("-pthread", Some(format!("-o ${{libdir}}/{SONAME} -Wl,-soname,{SONAME}"))),
    };
    let whole = "-Wl,--whole-archive ${libdir}/libgusset_runtime.a -Wl,--no-whole-archive";
    let shared = form.map(|form| format!("shared=-shared {form} {whole} {system}\n")).unwrap_or_default();
    format!(
        "libdir=${{pcfiledir}}\nincludedir=${{pcfiledir}}\n{shared}\nName: gusset-runtime\nDescription: Trampolines without \
         executable stacks, and MLIR's memory, for programs compiled by Gusset\nVersion: {}\n\
         Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -lgusset_runtime {system}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The module with the pool.
fn pool(machine: &abi::AbiTarget, system: &str) -> Result<String, Error> {
    let words = words(machine)?;
    // Code that may be the target of an indirect branch says so.
    let marker = match (machine.os, machine.arch) {
        (Os::Windows, _) | (_, Arch::Arm) => None,
        (_, Arch::X86 | Arch::X86_64) => Some("cf-protection-branch"),
        (_, Arch::Aarch64) => Some("branch-target-enforcement"),
    };
    let flags = marker.map(|name| format!("\n!llvm.module.flags = !{{!0}}\n!0 = !{{i32 8, !\"{name}\", i32 1}}\n"));
    let flags = flags.unwrap_or_default();
    let flush = match (machine.os, machine.arch) {
        (Os::Windows, _) => "",
        (_, Arch::X86 | Arch::X86_64) => FLUSH_NOTHING,
        _ => FLUSH,
    };
    let eax = if machine.arch == Arch::X86 { EAX } else { "" };
    let mut text = String::new();
    for line in [POOL, REPORT, system, flush, eax, &flags].iter().flat_map(|part| part.lines()) {
        fill_in(&mut text, line, &words)?;
    }
    Ok(text)
}

/// Makes instruction caches see the code that was written to these bytes; on x86 they always do.
const FLUSH_NOTHING: &str = "
define internal i1 @flush(ptr %at, $word %bytes) {
  ret i1 true
}";
const FLUSH: &str = "
define internal i1 @flush(ptr %at, $word %bytes) {
  %end = getelementptr i8, ptr %at, $word %bytes
  call void @__clear_cache(ptr %at, ptr %end)
  ret i1 true
}

declare void @__clear_cache(ptr, ptr)";

/// Appends a line of the text with its words filled in.
fn fill_in(text: &mut String, line: &str, words: &[(&str, String)]) -> Result<(), Error> {
    let line = match line.split_once(" = text \"") {
        Some((name, rest)) => {
            let string = rest.trim_end_matches('"');
            let bytes = string.len() - 2 * string.matches('\\').count() + 1;
            format!("{name} = internal constant [{bytes} x i8] c\"{string}\\00\"")
        }
        None => line.to_string(),
    };
    let mut parts = line.split('$');
    text.extend(parts.next());
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let word = words.iter().find(|word| word.0 == name);
        let (_, value) =
            word.ok_or_else(|| Error::unsupported("", format!("no word ${name} in the runtime library")))?;
        text.push_str(value);
        text.push_str(rest);
    }
    text.push('\n');
    Ok(())
}

/// Bytes as in a string of LLVM IR.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "\\{byte:02X}");
        text
    })
}

/// What stands for the words in the text.
fn words(machine: &abi::AbiTarget) -> Result<Vec<(&'static str, String)>, Error> {
    // As far as stubs reach and a multiple of the system's pages, which have up to 64 KiB on AArch64.
    let unit: u32 = match machine.arch {
        Arch::Arm => 4 << 10,
        Arch::Aarch64 => 64 << 10,
        Arch::X86 | Arch::X86_64 => 32 << 10,
    };
    let (bytes, arm) = (machine.pointer_bytes(), machine.arch == Arch::Arm);
    // Every stub begins with a landing pad: the program may have modules that ask for it.
    let options = TrampolineOptions { landing_pad: !arm, ..TrampolineOptions::default() };
    let forms = |convention| -> Result<_, Error> {
        let chain = static_chain(machine, convention);
        let stub = PoolStub::new(machine, chain, options).map_err(Error::Abi)?;
        let trap = if matches!(machine.arch, Arch::X86 | Arch::X86_64) { 0xcc } else { 0 };
        let mut code = vec![trap; stub.stride as usize];
        // For a stub at address 0; only those of 32-bit x86 depend on their address.
        stub.write(&mut code, 0, unit.into()).map_err(Error::Abi)?;
        Ok((stub, code, Trampoline::new(machine, chain, options).map_err(Error::Abi)?))
    };
    let (stub, code, in_place) = forms(Convention::C)?;
    let (_, code_eax, in_place_eax) =
        forms(if machine.arch == Arch::X86 { Convention::Fastcall } else { Convention::C })?;
    let absolute = [stub.callee, stub.chain].into_iter().filter_map(|field| match field {
        SlotRef::Absolute32 { offset } => Some(offset as i32),
        _ => None,
    });
    let mut absolutes: Vec<String> = absolute.map(|offset| format!("i32 {offset}")).collect();
    absolutes.resize(3, "i32 -1".into());
    let (callee_at, after, relative) = match in_place.callee {
        Hole::Absolute { offset, .. } => (offset, 0, false),
        Hole::Relative { offset } => (offset, offset + 4, true),
    };
    let Hole::Absolute { offset: chain_at, .. } = in_place.chain else {
        return Err(Error::unsupported("", "the static chain of a trampoline is an address"));
    };
    let record = 8 * bytes;
    let count = unit / stub.stride;
    let records = count * record;
    let parts = records / (64 << 10) + 2;
    let windows = machine.is_windows();
    let i386 = machine.arch == Arch::X86;
    let number = |n: u32| n.to_string();
    Ok(vec![
        ("word", format!("i{}", 8 * bytes)),
        ("bytes", number(bytes)),
        ("code_number", if bytes == 8 { "zext i32 %code to i64" } else { "add i32 %code, 0" }.into()),
        ("word_mask", number(bytes - 1)),
        ("callee", number(arm.into())),
        ("chain", number((!arm).into())),
        ("unit", number(unit)),
        ("stride", number(stub.stride)),
        ("count", number(count)),
        ("record_mask", number(record - 1)),
        ("records", number(records)),
        ("last_record_byte", number(records - 1)),
        ("block_bytes", number(2 * unit + records + parts * 2 * bytes)),
        ("stub_c", escaped(&code)),
        ("stub_eax", escaped(&code_eax)),
        ("absolutes", absolutes.join(", ")),
        ("in_place_bytes", number(in_place.code.len() as u32)),
        ("in_place_c", escaped(&in_place.code)),
        ("in_place_eax", escaped(&in_place_eax.code)),
        ("in_place_callee", number(callee_at)),
        ("in_place_chain", number(chain_at)),
        ("in_place_after", number(after)),
        ("in_place_relative", relative.to_string()),
        ("in_place_flush", number(in_place.flush.end)),
        ("dead_eax", if i386 { "@dead_eax" } else { "@dead" }.into()),
        ("stdcall", if windows && i386 { "x86_stdcallcc" } else { "ccc" }.into()),
        (
            "thread",
            match windows {
                true => "call ptr @known_part()".into(),
                false => "call ptr @llvm.threadlocal.address.p0(ptr @thread)".into(),
            },
        ),
    ])
}

/// The modules with the functions that MLIR's generic allocation calls: C's own, on Windows the `_aligned_malloc`
/// family. A program may define each itself: in ELF they are weak, and each is a member of its own, which linkers use
/// only if nothing before it has defined the function.
fn memory(machine: &abi::AbiTarget) -> [(&'static str, String); 3] {
    let word = format!("i{}", 8 * machine.pointer_bytes());
    let function = |head: &str, call: &str, declared: &str| {
        let (weak, head) = (if machine.is_windows() { "" } else { "weak " }, head.replace('$', &word));
        let returned = if head.starts_with("void") { "ret void" } else { "ret ptr %memory" };
        let (call, declared) = (call.replace('$', &word), declared.replace('$', &word));
        format!("define {weak}{head} {{\n  {call}\n  {returned}\n}}\n\ndeclare {declared}\n")
    };
    let heads = [
        ("alloc", "ptr @_mlir_memref_to_llvm_alloc($ %size)"),
        ("aligned_alloc", "ptr @_mlir_memref_to_llvm_aligned_alloc($ %alignment, $ %size)"),
        ("free", "void @_mlir_memref_to_llvm_free(ptr %memory)"),
    ];
    let bodies = match machine.is_windows() {
        true => [
            ("%memory = call ptr @_aligned_malloc($ %size, $ 16)", "ptr @_aligned_malloc($, $)"),
            ("%memory = call ptr @_aligned_malloc($ %size, $ %alignment)", "ptr @_aligned_malloc($, $)"),
            ("call void @_aligned_free(ptr %memory)", "void @_aligned_free(ptr)"),
        ],
        false => [
            ("%memory = call ptr @malloc($ %size)", "ptr @malloc($)"),
            ("%memory = call ptr @aligned_alloc($ %alignment, $ %size)", "ptr @aligned_alloc($, $)"),
            ("call void @free(ptr %memory)", "void @free(ptr)"),
        ],
    };
    [0, 1, 2].map(|i| (heads[i].0, function(heads[i].1, bodies[i].0, bodies[i].1)))
}

/// The symbols that a module defines for others, as they are in the object.
fn exported(machine: &abi::AbiTarget, text: &str) -> Vec<String> {
    let prefix = if machine.is_windows() && machine.arch == Arch::X86 { "_" } else { "" };
    let defined = text.lines().filter(|line| match line.starts_with('@') {
        true => line.contains(" = alias "),
        false => line.starts_with("define ") && !line.starts_with("define internal "),
    });
    let name = |line: &str| {
        let name = line.split_once('@')?.1;
        Some(format!("{prefix}{}", &name[..name.find(['(', ' '])?]))
    };
    defined.filter_map(name).collect()
}
