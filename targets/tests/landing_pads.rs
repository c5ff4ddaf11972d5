//! Tables of landing pads in objects: functions written by hand catch what C++ throws, and assembly text says the same.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use std::path::PathBuf;
use std::process::Command;

use gusset_codegen::asm::AsmWriter;
use gusset_codegen::buffer::{CfiOp, RelocKind, RelocTarget};
use gusset_codegen::compiled::CallSite;
use gusset_codegen::ir::{Comdat, ComdatId, ComdatKind, Exceptions, Linkage, Pad, SymbolId, SymbolKind};
use gusset_codegen::object::{ObjectError, ObjectFormat, ObjectOptions, ObjectWriter};
use gusset_targets::x86::asm::AttPrinter;
use gusset_targets::x86::encode::Asm;
use gusset_targets::x86::object::{I386, I386_MSVC, X86_64};
use gusset_targets::x86::reloc;
use gusset_tests::objects::{assemble, differences};
use support::{Fixture, call};

/// What the functions below catch, they return; what they do not catch, the driver does.
const DRIVER: &str = r#"
#include <cstdio>
#include <exception>
#include <stdexcept>
extern "C" int catch_int(void (*)()), catch_all(void (*)()), only_int(void (*)()), cleanup(void (*)()), plain(void (*)());
extern "C" int in_group(void (*)());
extern "C" int cleanups;
int cleanups;
static void throws_int() { throw 42; }
static void throws_error() { throw std::runtime_error("error"); }
static void throws_nothing() {}
static int attempt(int (*f)(void (*)()), void (*g)()) {
    try { return f(g); }
    catch (int n) { return 1000 + n; }
    catch (std::bad_exception &) { return 1500; }
    catch (std::exception &e) { return 2000 + e.what()[0]; }
}
int main() {
    for (auto f : {catch_int, catch_all, cleanup, plain, in_group})
        for (auto g : {throws_int, throws_error, throws_nothing})
            std::printf("%d ", attempt(f, g));
    std::printf("%d ", attempt(only_int, throws_int));
    std::set_terminate([] { std::printf("terminated, cleanups %d\n", cleanups); std::fflush(stdout); std::_Exit(0); });
    attempt(only_int, throws_error);
    return 1;
}
"#;

const EXPECTED: &str = "42 2101 0 42 101 0 1042 2101 0 1042 2101 0 42 2101 0 1042 terminated, cleanups 2\n";

/// Functions that call their argument; `code` is for x86-64 and only taken apart elsewhere.
fn fixture(personality: &str) -> Fixture {
    let mut f = Fixture::default();
    let import = |f: &mut Fixture, name: &str, kind| f.symbol(name, kind, Linkage::Import);
    let routine = import(&mut f, personality, SymbolKind::Function);
    let begin = import(&mut f, "__cxa_begin_catch", SymbolKind::Function);
    let end = import(&mut f, "__cxa_end_catch", SymbolKind::Function);
    let resume = import(&mut f, "_Unwind_Resume", SymbolKind::Function);
    let unexpected = import(&mut f, "__cxa_call_unexpected", SymbolKind::Function);
    let int = import(&mut f, "_ZTIi", SymbolKind::Data);
    let error = import(&mut f, "_ZTISt9exception", SymbolKind::Data);
    let cleanups = import(&mut f, "cleanups", SymbolKind::Data);
    let sym = |s: SymbolId| RelocTarget::Symbol(s.0);

    // Calls its argument, returns 0 after it and else what the pad makes of it.
    let mut function = |name: &str, pad: &dyn Fn(&mut Asm<'_>)| {
        let symbol = f.symbol(name, SymbolKind::Function, Linkage::Export);
        let compiled = f.code(symbol, |a| {
            a.buf.put_slice(&[0x50]); // push %rax
            a.buf.mark_cfi(CfiOp::DefCfaOffset(16));
            a.buf.put_slice(&[0xff, 0xd7]); // call *%rdi
            a.buf.put_slice(&[0x31, 0xc0]); // xor %eax, %eax
            a.buf.put_slice(&[0x59]); // pop %rcx
            a.buf.mark_cfi(CfiOp::RememberState);
            a.buf.mark_cfi(CfiOp::DefCfaOffset(8));
            a.buf.put_slice(&[0xc3]);
            a.buf.mark_cfi(CfiOp::RestoreState);
            pad(a);
        });
        compiled.exceptions.personality = Some(routine);
        // Exceptions also come from the calls in pads: from `_Unwind_Resume` they go on.
        let len = compiled.code.len() as u32;
        compiled.call_sites.push(CallSite { start: 1, end: 3, landing: None });
        compiled.call_sites.push(CallSite { start: 7, end: len, landing: None });
        (symbol, f.functions.len() - 1)
    };
    // Gives the caught number, or the first letter of what is caught.
    let catch = |low: [u8; 3]| {
        move |a: &mut Asm<'_>| {
            a.buf.put_slice(&[0x48, 0x89, 0xc7]); // mov %rax, %rdi
            call(a, sym(begin));
            a.buf.put_slice(&low);
            a.buf.put_slice(&[0x89, 0x04, 0x24]); // mov %eax, (%rsp)
            call(a, sym(end));
            a.buf.put_slice(&[0x8b, 0x04, 0x24, 0x59, 0xc3]); // mov (%rsp), %eax; pop %rcx; ret
        }
    };
    let number = [0x8b, 0x00, 0x90]; // mov (%rax), %eax; nop
    let catch_int = function("catch_int", &catch(number)).1;
    // Numbers are above 41, addresses of virtual tables are not: their place tells them apart here.
    let catch_all = function("catch_all", &|a| {
        a.buf.put_slice(&[0x89, 0xd1]); // mov %edx, %ecx
        a.buf.put_slice(&[0x83, 0xf9, 0x01]); // cmp $1, %ecx
        a.buf.put_slice(&[0xb8, 42, 0, 0, 0]); // mov $42, %eax
        a.buf.put_slice(&[0x74, 0x05]); // je over
        a.buf.put_slice(&[0xb8, 101, 0, 0, 0]); // mov $101, %eax
        a.buf.put_slice(&[0x59, 0xc3]); // pop %rcx; ret
    })
    .1;
    let only_int = function("only_int", &|a| {
        a.buf.put_slice(&[0x48, 0x89, 0xc7]);
        call(a, sym(unexpected));
        a.buf.put_slice(&[0x0f, 0x0b]);
    })
    .1;
    let resuming = |a: &mut Asm<'_>| {
        a.buf.put_slice(&[0x48, 0x89, 0xc7]);
        call(a, sym(resume));
        a.buf.put_slice(&[0x0f, 0x0b]);
    };
    let cleanup = function("cleanup", &|a| {
        a.buf.put_slice(&[0x48, 0x8b, 0x0d, 0, 0, 0, 0]); // mov cleanups@GOTPCREL(%rip), %rcx
        let at = a.buf.offset() - 4;
        a.buf.reloc(at, RelocKind { field: reloc::RELAXABLE_REX, ..reloc::GOTPCREL }, sym(cleanups), -4);
        a.buf.put_slice(&[0xff, 0x01]); // incl (%rcx)
        resuming(a);
    })
    .1;
    // Has a personality routine but no pad for its call.
    function("plain", &|_| {});
    let (in_group, grouped) = function("in_group", &catch(number));
    f.module.comdats.push(Comdat { name: "in_group".into(), kind: ComdatKind::Any });
    f.module.symbols[in_group.index()].comdat = Some(ComdatId::new(0));
    f.module.symbols[in_group.index()].linkage = Linkage::Weak;

    let mut land = |number: usize, fill: &dyn Fn(&mut Exceptions) -> Pad| {
        let function = &mut f.functions[number];
        let pad = fill(&mut function.exceptions);
        function.call_sites[0].landing = Some((7, pad));
    };
    let int_first = |e: &mut Exceptions| {
        let pad = e.make_pad(true);
        e.append_catch(Some(int));
        pad
    };
    let int_only = |e: &mut Exceptions| {
        let pad = e.make_pad(false);
        e.append_catch(Some(int));
        pad
    };
    land(catch_int, &int_only);
    land(grouped, &int_only);
    land(catch_all, &|e| {
        let pad = int_first(e);
        e.append_catch(Some(error));
        e.append_catch(None);
        pad
    });
    land(only_int, &|e| {
        // Another type has the first number.
        e.type_number(Some(error));
        let pad = e.make_pad(false);
        e.append_filter(&[Some(int)]);
        pad
    });
    land(cleanup, &|e| e.make_pad(true));
    f
}

fn object(machine: &'static ObjectFormat, f: &Fixture, pic: bool) -> Result<Vec<u8>, ObjectError> {
    let mut w = ObjectWriter::new(machine, &f.module, ObjectOptions { pic, ..ObjectOptions::default() });
    for function in &f.functions {
        w.function(function)?;
    }
    w.finish()
}

fn text(machine: &'static ObjectFormat, f: &Fixture, pic: bool) -> String {
    let printer = AttPrinter::with_bits(if machine.is_64 { 64 } else { 32 });
    let mut w =
        AsmWriter::new(machine, &f.module, ObjectOptions { pic, ..ObjectOptions::default() }, Box::new(printer));
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

#[test]
fn text_assembles_to_the_object() {
    for personality in ["__gxx_personality_v0", "another personality"] {
        let mut f = fixture(personality);
        if personality != "__gxx_personality_v0" {
            // Functions of two routines, and one without any.
            let second = f.symbol("__gcc_personality_v0", SymbolKind::Function, Linkage::Import);
            f.functions[0].exceptions.personality = Some(second);
            f.functions[1].exceptions.personality = None;
        }
        for pic in [true, false] {
            let text = text(&X86_64, &f, pic);
            let judge = assemble("x86_64-unknown-linux-gnu", &text).unwrap_or_else(|e| panic!("{e}"));
            let found = differences(&object(&X86_64, &f, pic).unwrap(), &judge).unwrap_or_else(|e| panic!("{e}"));
            assert!(found.is_empty(), "object against text: {}\n{text}", found.join("\n"));
        }
    }
}

#[test]
fn text_assembles_to_the_object_in_32_bits() {
    let mut f = fixture("__gxx_personality_v0");
    // Its bytes mean something else there.
    f.functions.iter_mut().for_each(|f| f.relocs.clear());
    for pic in [true, false] {
        let text = text(&I386, &f, pic);
        let judge = assemble("i686-unknown-linux-gnu", &text).unwrap_or_else(|e| panic!("{e}"));
        let found = differences(&object(&I386, &f, pic).unwrap(), &judge).unwrap_or_else(|e| panic!("{e}"));
        assert!(found.is_empty(), "object against text: {}\n{text}", found.join("\n"));
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn catches_what_is_thrown() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("landing_pads");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("driver.cpp"), DRIVER).unwrap();
    let f = fixture("__gxx_personality_v0");
    for pic in [true, false] {
        std::fs::write(dir.join("functions.o"), object(&X86_64, &f, pic).unwrap()).unwrap();
        for (compiler, linker) in [("g++", "bfd"), ("clang++-19", "lld")] {
            let pie: &[&str] = if pic { &["-pie", "-fPIE"] } else { &["-no-pie", "-fno-pie"] };
            let program = dir.join(format!("program-{linker}-{pic}"));
            let mut link = Command::new(compiler);
            link.args(["-std=c++17", "-Wl,--fatal-warnings"]).arg(format!("-fuse-ld={linker}")).args(pie).arg("-o");
            run(link.arg(&program).args(["driver.cpp", "functions.o"].map(|file| dir.join(file))));
            assert_eq!(run(Command::new("timeout").arg("20").arg(&program)), EXPECTED, "{linker}, pic: {pic}");
        }
    }
}

#[test]
fn microsoft_has_no_landing_pads_on_32_bits() {
    let f = fixture("__gxx_personality_v0");
    let error = object(&I386_MSVC, &f, false).unwrap_err();
    assert_eq!(error, ObjectError::LandingPads { function: "catch_int".into() });
}
