//! Modules in the memory of the machine that runs the test: these tests are also run for other machines, under emulation.

mod common;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{image, memory_of, ok};
use gusset_memory::{Memory, MemoryError, MemoryOptions};

/// A memory in which code takes the place of other code. The emulators that run these tests do not see that through a second mapping.
fn reusing() -> MemoryOptions {
    let options = Memory::options();
    if cfg!(any(target_arch = "aarch64", target_arch = "arm")) { options.own_buffers() } else { options }
}

#[test]
fn a_function_is_called() {
    let memory = Memory::new();
    let module =
        memory.add(image("define i32 @add(i32 %a, i32 %b) {\n %s = add i32 %a, %b\n ret i32 %s\n}\n")).unwrap();
    // SAFETY: the function has this signature.
    let add = unsafe { module.function::<extern "C" fn(i32, i32) -> i32>("add") }.unwrap();
    assert_eq!(add(2, 3), 5);
    // SAFETY: it is not called.
    assert!(unsafe { module.function::<extern "C" fn()>("sub") }.is_err());
}

/// Constants, jump tables, data with addresses, calls of the C library and of the module's own functions.
#[test]
fn all_kinds_of_references_are_resolved() {
    let memory = Memory::new();
    let module = memory.add(image(include_str!("native/references.ll"))).unwrap();
    // SAFETY: the functions have these signatures.
    unsafe {
        let scale = module.function::<extern "C" fn(f64) -> f64>("scale").unwrap();
        assert_eq!(scale(2.0), 2.0 * 1.25 + 3.0);
        let pick = module.function::<extern "C" fn(i32) -> i32>("pick").unwrap();
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|n| pick(n)), [10, 21, 32, 43, 54, 65, -1]);
        let length = module.function::<extern "C" fn() -> usize>("length").unwrap();
        assert_eq!(length(), 5);
        let indirect = module.function::<extern "C" fn(i32) -> i32>("indirect").unwrap();
        assert_eq!((indirect(0), indirect(1)), (7, 8));
        let count = module.function::<extern "C" fn() -> i32>("count").unwrap();
        assert_eq!((count(), count(), count()), (1, 2, 3));
        let divide = module.function::<extern "C" fn(u64, u64) -> u64>("divide").unwrap();
        assert_eq!(divide(1 << 40, 1000), (1 << 40) / 1000);
        let missing = module.function::<extern "C" fn() -> i32>("has_missing").unwrap();
        assert_eq!(missing(), 0);
    }
    assert!(module.address("hidden").is_some() && memory.address("hidden").is_none());
}

#[test]
fn modules_refer_to_each_other_and_stay() {
    let memory = Memory::new();
    let first = memory.add(image(
        "@shared = global i32 5\ndefine i32 @first(i32 %a) {\n %s = add i32 %a, 1\n ret i32 %s\n}\n\
         define weak i32 @both() {\n ret i32 1\n}\n",
    ));
    let second = memory.add(image(
        "@shared = external global i32\ndeclare i32 @first(i32)\ndefine weak i32 @both() {\n ret i32 2\n}\n\
         define i32 @second() {\n %v = load i32, ptr @shared\n %r = call i32 @first(i32 %v)\n %w = call i32 @both()\n\
         %s = add i32 %r, %w\n ret i32 %s\n}\n",
    ));
    let (first, second) = (first.unwrap(), second.unwrap());
    let again = memory.add(image("define i32 @first(i32 %a) {\n ret i32 %a\n}\n"));
    assert!(matches!(again, Err(MemoryError::Defined { symbol }) if symbol.ends_with("first")));
    // The second one keeps it.
    drop(first);
    // SAFETY: the function has this signature.
    assert_eq!(unsafe { second.function::<extern "C" fn() -> i32>("second") }.unwrap()(), 7);
    drop(second);
    assert_eq!(memory.address("first"), None);
    assert_eq!(memory.bytes_in_use(), 0);
    assert!(
        matches!(memory.add(image("declare void @nowhere()\ndefine void @f() {\n call void @nowhere()\n ret void\n}\n")),
        Err(MemoryError::Link(error)) if error.to_string().contains("nowhere"))
    );
}

extern "C" fn twice(n: i32) -> i32 {
    2 * n
}

#[test]
fn symbols_come_from_a_closure_first() {
    let memory = Memory::options().symbols(|name| name.ends_with("abs").then_some(twice as *const ())).build();
    let text = "declare i32 @abs(i32)\ndefine i32 @f(i32 %a) {\n %r = call i32 @abs(i32 %a)\n ret i32 %r\n}\n\
                define ptr @g() {\n ret ptr @abs\n}\n";
    let module = memory.add(image(text)).unwrap();
    // SAFETY: the functions have these signatures.
    unsafe {
        assert_eq!(module.function::<extern "C" fn(i32) -> i32>("f").unwrap()(-4), -8);
        // On 64-bit Windows it is the address of a stub.
        let address = module.function::<extern "C" fn() -> extern "C" fn(i32) -> i32>("g").unwrap()();
        assert_eq!(address(5), 10);
    }
    let alone = Memory::options().without_process().build();
    assert!(alone.add(image(text)).is_err());
}

static ORDER: AtomicU32 = AtomicU32::new(0);

extern "C" fn note(n: u32) {
    ORDER.store(ORDER.load(Ordering::Relaxed) * 10 + n, Ordering::Relaxed);
}

#[test]
fn constructors_and_destructors_run_in_order() {
    let memory = Memory::options().symbols(|name| name.ends_with("note").then_some(note as *const ())).build();
    let module = memory.add(image(include_str!("native/structors.ll"))).unwrap();
    assert_eq!(ORDER.load(Ordering::Relaxed), 12);
    drop(module);
    assert_eq!(ORDER.load(Ordering::Relaxed), 1234);
}

/// Every thread has its own copy, across modules and dynamically.
#[test]
fn thread_local_data_is_each_threads_own() {
    let memory = Memory::new();
    let owner = "@counter = thread_local global i32 40\n@zero = thread_local global [100 x i32] zeroinitializer\n\
                 define i32 @next() {\n %v = load i32, ptr @counter\n %n = add i32 %v, 1\n store i32 %n, ptr @counter\n\
                 %p = getelementptr i32, ptr @zero, i32 99\n %z = load i32, ptr %p\n %s = add i32 %n, %z\n ret i32 %s\n}\n";
    let user = "@counter = external thread_local global i32\ndefine i32 @peek(i32 %a, double %b) {\n\
                %v = load i32, ptr @counter\n %d = fptosi double %b to i32\n %t = add i32 %v, %a\n %s = add i32 %t, %d\n ret i32 %s\n}\n";
    let (owner, user) = (memory.add(image(owner)).unwrap(), memory.add(image(user)).unwrap());
    // SAFETY: the functions have these signatures.
    let (next, peek) = unsafe {
        (
            owner.function::<extern "C" fn() -> i32>("next").unwrap(),
            user.function::<extern "C" fn(i32, f64) -> i32>("peek").unwrap(),
        )
    };
    assert_eq!((next(), next(), peek(100, 1000.0)), (41, 42, 1142));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!((peek(0, 0.0), next(), next(), next(), peek(0, 2.0)), (40, 41, 42, 43, 45)));
        }
    });
    assert_eq!(next(), 43);
    assert!(!owner.address("counter").unwrap().is_null());
}

/// Initial-exec and local-exec are promises that code in memory need not use; the process's libraries have data, too.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn thread_local_data_of_other_models_and_of_libraries() {
    // glibc has it, though not in its headers.
    let text = "@errno = external thread_local(initialexec) global i32\n@own = internal thread_local(localexec) global i32 5\n\
                define i32 @read() {\n %e = load i32, ptr @errno\n %o = load i32, ptr @own\n store i32 %e, ptr @own\n\
                %s = add i32 %e, %o\n ret i32 %s\n}\n";
    let text = if cfg!(gusset_compiled_elsewhere) {
        text.replace("(initialexec)", "").replace("(localexec)", "")
    } else {
        text.into()
    };
    let module = Memory::new().add(image(&text)).unwrap();
    // SAFETY: the function has this signature.
    let read = unsafe { module.function::<extern "C" fn() -> i32>("read") }.unwrap();
    // SAFETY: the calling thread's own.
    let set = |value| unsafe { *libc::__errno_location() = value };
    std::thread::scope(|scope| {
        for n in [100, 200] {
            scope.spawn(move || {
                set(n);
                assert_eq!(read(), n + 5);
                set(n + 1);
                assert_eq!(read(), n + 1 + n);
            });
        }
    });
}

#[test]
#[cfg(unix)]
fn ifuncs_are_chosen_once() {
    let text = "define i32 @one() {\n ret i32 1\n}\ndefine i32 @two() {\n ret i32 2\n}\n@flag = global i32 1\n\
                define ptr @choose() {\n %f = load i32, ptr @flag\n %c = icmp eq i32 %f, 0\n\
                %r = select i1 %c, ptr @one, ptr @two\n ret ptr %r\n}\n@chosen = ifunc i32 (), ptr @choose\n\
                define i32 @f() {\n %r = call i32 @chosen()\n ret i32 %r\n}\n";
    let module = Memory::new().add(image(text)).unwrap();
    // SAFETY: the functions have these signatures.
    unsafe {
        assert_eq!(module.function::<extern "C" fn() -> i32>("f").unwrap()(), 2);
        assert_eq!(module.function::<extern "C" fn() -> i32>("chosen").unwrap()(), 2);
    }
}

#[test]
fn functions_are_replaced() {
    let memory = reusing().replaceable(|name| name.ends_with("version")).build();
    let version = |n: i32| image(&format!("define i32 @version() {{\n ret i32 {n}\n}}\n"));
    let first = memory.add(version(1)).unwrap();
    let user = "declare i32 @version()\ndefine i32 @ask() {\n %r = call i32 @version()\n ret i32 %r\n}\n";
    let user = memory.add(image(user)).unwrap();
    // SAFETY: the function has this signature.
    let ask = unsafe { user.function::<extern "C" fn() -> i32>("ask") }.unwrap();
    // SAFETY: as above.
    let pointer = unsafe { first.function::<extern "C" fn() -> i32>("version") }.unwrap();
    let mut current = None;
    for n in 1..20 {
        assert_eq!((ask(), pointer()), (n, n));
        // SAFETY: the one before stays until the next one is there, and this thread alone calls it.
        current = Some(unsafe { memory.replace(version(n + 1)) }.unwrap());
    }
    assert_eq!((ask(), pointer()), (20, 20));
    drop(current);
    assert!(memory.add(version(3)).is_err());
}

/// A large module has a buffer of its own; data that is aligned more than pages, and tentative definitions.
#[test]
fn large_modules_have_their_own_memory() {
    let memory = Memory::new();
    let text = "@big = global [3000000 x i32] zeroinitializer\n@aligned = global i32 9, align 8192\n\
                @common = common global i64 0\ndefine ptr @place() {\n ret ptr @aligned\n}\n\
                define i32 @last() {\n %p = getelementptr [3000000 x i32], ptr @big, i32 0, i32 2999999\n\
                store i32 7, ptr %p\n store i64 1, ptr @common\n %v = load i32, ptr %p\n\
                %a = load i32, ptr @aligned\n %s = add i32 %v, %a\n ret i32 %s\n}\n";
    let module = memory.add(image(text)).unwrap();
    // SAFETY: the functions have these signatures.
    unsafe {
        assert_eq!(module.function::<extern "C" fn() -> i32>("last").unwrap()(), 16);
        let place = module.function::<extern "C" fn() -> *const i32>("place").unwrap()();
        assert_eq!((place as usize % 8192, *place), (0, 9));
    }
    assert_eq!(memory.bytes_in_use(), 0);
}

/// A Rust panic passes through code in memory, and its cleanups run.
#[test]
fn panics_pass_through() {
    extern "C-unwind" fn fail() {
        std::panic::panic_any(17);
    }
    unsafe extern "C" {
        // The standard library's; only its address is used.
        fn rust_eh_personality();
    }
    let memory = memory_of(&[
        ("fail", fail as *const ()),
        ("note_cleanup", note_cleanup as *const ()),
        ("rust_eh_personality", rust_eh_personality as *const ()),
    ]);
    let module = memory.add(image(include_str!("native/unwind.ll"))).unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    for (name, cleanups) in [("plain", 0), ("cleanup", 1)] {
        // SAFETY: the function has this signature.
        let function = unsafe { module.function::<extern "C-unwind" fn()>(name) }.unwrap();
        let before = CLEANUPS.load(Ordering::Relaxed);
        let caught = std::panic::catch_unwind(AssertUnwindSafe(|| function()));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&17), "{name}");
        assert_eq!(CLEANUPS.load(Ordering::Relaxed), before + cleanups, "{name}");
    }
    let _ = std::panic::take_hook();
}

static CLEANUPS: AtomicU32 = AtomicU32::new(0);

extern "C" fn note_cleanup() {
    CLEANUPS.fetch_add(1, Ordering::Relaxed);
}

/// A finished object does what the image of the same module does.
#[test]
fn finished_objects_are_placed() {
    let (format, object) = common::object(include_str!("native/references.ll"));
    let module = ok(Memory::new().add_object(format, &object));
    // SAFETY: the functions have these signatures.
    unsafe {
        assert_eq!(module.function::<extern "C" fn(f64) -> f64>("scale").unwrap()(2.0), 5.5);
        assert_eq!(module.function::<extern "C" fn(i32) -> i32>("pick").unwrap()(4), 54);
        assert_eq!(module.function::<extern "C" fn() -> usize>("length").unwrap()(), 5);
        assert_eq!(module.function::<extern "C" fn(i32) -> i32>("indirect").unwrap()(1), 8);
        assert_eq!(
            module.function::<extern "C" fn(u64, u64) -> u64>("divide").unwrap()(1 << 40, 1000),
            (1 << 40) / 1000
        );
    }
}

/// Nothing grows while small modules come and go.
#[test]
fn memory_is_used_again() {
    let memory = reusing().build();
    let image = image("define i32 @add(i32 %a, i32 %b) {\n %s = add i32 %a, %b\n ret i32 %s\n}\n@v = global i32 0\n");
    for n in 0..2000 {
        let module = memory.add(image.clone()).unwrap();
        // SAFETY: the function has this signature.
        assert_eq!(unsafe { module.function::<extern "C" fn(i32, i32) -> i32>("add") }.unwrap()(n, 1), n + 1);
        assert!(memory.bytes_in_use() > 0 || cfg!(any(target_arch = "aarch64", target_arch = "arm")));
        // SAFETY: it is no longer used.
        unsafe { module.free() };
    }
    assert_eq!(memory.bytes_in_use(), 0);
}

/// A function is compiled at its first call, once, from whichever thread, and gets its arguments.
#[test]
fn functions_are_compiled_at_their_first_call() {
    static COMPILED: AtomicU32 = AtomicU32::new(0);
    let memory = Memory::new();
    let text = "declare double @lazy(i32, double, ptr, i64, float)\n\
                define double @user(i32 %a, double %b, ptr %c, i64 %d, float %e) {\n\
                %r = call double @lazy(i32 %a, double %b, ptr %c, i64 %d, float %e)\n ret double %r\n}\n";
    let lazy = "define double @lazy(i32 %a, double %b, ptr %c, i64 %d, float %e) {\n\
                %f = sitofp i32 %a to double\n %g = fpext float %e to double\n %v = load i32, ptr %c\n\
                %h = sitofp i32 %v to double\n %i = sitofp i64 %d to double\n %s = fadd double %f, %b\n\
                %t = fadd double %g, %h\n %u = fadd double %s, %t\n %w = fadd double %u, %i\n ret double %w\n}\n";
    let name = if cfg!(all(windows, target_arch = "x86")) { "_lazy" } else { "lazy" };
    let lazy = image(lazy);
    let compile = || {
        COMPILED.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(20));
        Ok(lazy)
    };
    let module = memory.add_lazy(common::format(), name, compile).unwrap();
    let user = memory.add(image(text)).unwrap();
    type Lazy = extern "C" fn(i32, f64, *const i32, i64, f32) -> f64;
    // SAFETY: the function has this signature.
    let function = unsafe { user.function::<Lazy>("user") }.unwrap();
    assert_eq!(COMPILED.load(Ordering::Relaxed), 0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(function(1, 0.5, &100, 1000, 0.25), 1101.75));
        }
    });
    assert_eq!(COMPILED.load(Ordering::Relaxed), 1);
    drop(module);
    assert_eq!(function(2, 0.5, &100, 1000, 0.25), 1102.75);
    drop(user);
    assert_eq!(memory.bytes_in_use(), 0);
}

/// Threads add, call, replace and free, while the system's map is looked at: no page is ever writable and executable.
/// `GUSSET_MEMORY_SECONDS=60` is the full count.
#[test]
#[cfg(any(target_os = "linux", windows))]
fn no_page_is_writable_and_executable() {
    use std::time::{Duration, Instant};
    let before = common::writable_and_executable();
    let seconds = std::env::var("GUSSET_MEMORY_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let memory = reusing().replaceable(|name| name.trim_start_matches('_').starts_with("shared")).build();
    let version = |n: usize, value: usize| image(&format!("define i32 @shared{n}() {{\n ret i32 {value}\n}}\n"));
    let first: Vec<_> = (0..8).map(|n| memory.add(version(n, 1000 * n)).unwrap()).collect();
    let user =
        memory.add(image("declare i32 @shared0()\ndefine i32 @user() {\n %r = call i32 @shared0()\n ret i32 %r\n}\n"));
    let user = user.unwrap();
    let versions: Vec<Vec<_>> = (0..8).map(|n| (0..4).map(|k| version(n, 1000 * n + k)).collect()).collect();
    let small = |n: usize| image(&format!("define i32 @small{n}(i32 %a) {{\n %s = add i32 %a, {n}\n ret i32 %s\n}}\n"));
    let small: Vec<_> = (0..8).map(small).collect();
    // Held while functions of other threads are called, and for writing by who frees such.
    let calls = std::sync::RwLock::new(());
    let end = Instant::now() + Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for (n, versions) in versions.iter().enumerate() {
            let (memory, first, user, small, calls) = (&memory, &first[n], &user, &small[n], &calls);
            scope.spawn(move || {
                // SAFETY: the functions have these signatures.
                let (own, user) = unsafe {
                    (
                        first.function::<extern "C" fn() -> i32>(&format!("shared{n}")).unwrap(),
                        user.function::<extern "C" fn() -> i32>("user").unwrap(),
                    )
                };
                let mut current = Vec::new();
                for round in 0.. {
                    let module = memory.add(small.clone()).unwrap();
                    // SAFETY: as above.
                    let add = unsafe { module.function::<extern "C" fn(i32) -> i32>(&format!("small{n}")) }.unwrap();
                    assert_eq!(add(round), round + n as i32);
                    let value = round as usize % 4;
                    // SAFETY: other threads may still be in the version before, which stays.
                    current.push(unsafe { memory.replace(versions[value].clone()) }.unwrap());
                    assert_eq!(own() as usize, 1000 * n + value);
                    let running = calls.read().unwrap();
                    assert!(user() < 4);
                    drop(running);
                    if current.len() > 100 {
                        // A thread that the system has stopped may be in any of them.
                        #[allow(clippy::readonly_write_lock, reason = "it keeps others out")]
                        let _nobody = calls.write().unwrap();
                        current.drain(..50);
                    }
                    if Instant::now() > end {
                        break;
                    }
                }
                // SAFETY: as above. The first version comes back before the others go.
                std::mem::forget(unsafe { memory.replace(versions[0].clone()) }.unwrap());
            });
        }
        while Instant::now() < end {
            assert_eq!(common::writable_and_executable(), before);
        }
    });
}

/// What MinGW's programs get from static libraries, Windows' `dllimport`, and frames that are probed.
#[test]
#[cfg(windows)]
fn windows_code_finds_its_libraries() {
    let module = ok(Memory::new().add(image(include_str!("native/windows.ll"))));
    // SAFETY: the functions have these signatures.
    unsafe {
        assert_eq!(module.function::<extern "C" fn(f64) -> f64>("fused").unwrap()(3.0), 10.0);
        assert_eq!(module.function::<extern "C" fn(i32) -> i32>("imported").unwrap()(-7), 7);
        assert_eq!(module.function::<extern "C" fn(i32) -> i32>("pointed").unwrap()(-8), 8);
        assert_eq!(module.function::<extern "C" fn(i32) -> i32>("large").unwrap()(5), 5);
        assert_eq!(module.function::<extern "C" fn(u64) -> u64>("wide").unwrap()(1 << 50), (1 << 50) / 7);
        assert_ne!(module.function::<extern "C" fn() -> u32>("popped").unwrap()(), 0);
    }
}

/// `perf`'s files name the functions.
#[test]
#[cfg(target_os = "linux")]
fn profilers_are_told() {
    let memory = Memory::new();
    memory.write_perf_map().unwrap();
    let folder = std::env::temp_dir();
    memory.write_jit_dump(&folder).unwrap();
    memory.tell_gdb();
    let module = memory.add(image("define i32 @profiled() {\n ret i32 1\n}\n")).unwrap();
    let map = format!("/tmp/perf-{}.map", std::process::id());
    let text = std::fs::read_to_string(&map).unwrap();
    let line = text.lines().find(|line| line.ends_with(" profiled")).unwrap();
    let start = usize::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
    let bit = usize::from(common::format().function_bit);
    assert_eq!(start | bit, module.address("profiled").unwrap() as usize);
    let dump = folder.join(format!("jit-{}.dump", std::process::id()));
    let bytes = std::fs::read(&dump).unwrap();
    assert!(bytes.windows(9).any(|window| window == b"profiled\0"));
    drop(module);
    std::fs::remove_file(map).unwrap();
    std::fs::remove_file(dump).unwrap();
}

/// A function with a line of its own, one of a function that was inlined, and its own again.
const LINES: &str = "\
define i32 @lined(i32 %a, i32 %b) !dbg !5 {
 %x = mul i32 %a, %b, !dbg !10
 %y = sub i32 %x, %b, !dbg !11
 %z = mul i32 %y, %a, !dbg !13
 ret i32 %z, !dbg !13
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: \"outer.c\", directory: \"/source\")
!2 = !DIFile(filename: \"inner.h\", directory: \"/source/include\")
!3 = !{i32 2, !\"Dwarf Version\", i32 VERSION}
!4 = !{i32 2, !\"Debug Info Version\", i32 3}
!5 = distinct !DISubprogram(name: \"lined\", file: !1, line: 10, type: !6, scopeLine: 10, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = distinct !DISubprogram(name: \"inner\", file: !2, line: 2, type: !6, scopeLine: 2, spFlags: DISPFlagDefinition, unit: !0)
!10 = !DILocation(line: 11, column: 3, scope: !5)
!11 = !DILocation(line: 3, column: 3, scope: !8, inlinedAt: !12)
!12 = distinct !DILocation(line: 12, column: 3, scope: !5)
!13 = !DILocation(line: 13, column: 3, scope: !5)
";

/// `perf`'s dump has the lines of functions before their code, those of inlined functions where their code is.
#[test]
#[cfg(target_os = "linux")]
fn lines_are_told() {
    let number = |bytes: &[u8], at: usize, size: usize| {
        bytes[at..at + size].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    for (version, is_object) in [("4", false), ("5", false), ("4", true), ("5", true)] {
        let text = LINES.replace("VERSION", version);
        let folder = std::env::temp_dir().join(format!("gusset-lines-{}-{version}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let memory = Memory::new();
        memory.write_jit_dump(&folder).unwrap();
        memory.tell_gdb();
        let module = match is_object {
            true => {
                let (format, object) = common::object(&text);
                memory.add_object(format, &object).unwrap()
            }
            false => memory.add(image(&text)).unwrap(),
        };
        // SAFETY: the function has this signature.
        let lined = unsafe { module.function::<extern "C" fn(i32, i32) -> i32>("lined") }.unwrap();
        assert_eq!(lined(3, 4), 24);
        let dump = std::fs::read(folder.join(format!("jit-{}.dump", std::process::id()))).unwrap();
        let (mut at, mut records) = (40, Vec::new());
        while at < dump.len() {
            let (id, size) = (number(&dump, at, 4), number(&dump, at + 4, 4) as usize);
            records.push((id, &dump[at + 16..at + size]));
            at += size;
        }
        let [(2, lines), (0, code)] = records[..] else { panic!("other records: {records:?}") };
        let (start, count) = (number(lines, 0, 8), number(lines, 8, 8));
        assert_eq!((start, number(code, 8, 8)), (number(code, 16, 8), start));
        let bit = u64::from(common::format().function_bit);
        assert_eq!(start | bit, module.address("lined").unwrap() as u64);
        let (mut at, mut found, mut last) = (16, Vec::new(), start);
        for _ in 0..count {
            let (address, line) = (number(lines, at, 8), number(lines, at + 8, 4));
            assert!(address >= last && address < start + number(code, 24, 8), "{address:#x}");
            let name: Vec<u8> = lines[at + 16..].iter().copied().take_while(|&byte| byte != 0).collect();
            at += 17 + name.len();
            last = address;
            found.push((String::from_utf8(name).unwrap(), line));
        }
        assert_eq!(at, lines.len());
        found.dedup();
        let expected = [("outer.c", 10), ("outer.c", 11), ("include/inner.h", 3), ("outer.c", 13)];
        let expected: Vec<_> = expected.iter().map(|(name, line)| (format!("/source/{name}"), *line)).collect();
        assert_eq!(found, expected);
        std::fs::remove_dir_all(folder).unwrap();
    }
}

/// An exception of C++ is thrown and caught by code in memory, and passes from one module to another.
#[test]
fn exceptions_of_cxx_are_caught() {
    if !common::load_library_of_cxx() {
        eprintln!("left out: no library of C++");
        return;
    }
    let memory = Memory::new();
    let thrower = memory.add(image(include_str!("native/throws.ll"))).unwrap();
    let mut text = include_str!("native/catches.ll").to_string();
    if cfg!(all(windows, target_arch = "x86_64")) {
        text = text.replace("__gxx_personality_v0", "__gxx_personality_seh0");
    }
    let catcher = memory.add(image(&text)).unwrap();
    // SAFETY: the function has this signature.
    let catches = unsafe { catcher.function::<extern "C" fn(i32) -> i32>("catches") }.unwrap();
    assert_eq!([1, 2, 3].map(|n| catches(n)), [101, 102, 103]);
    drop(thrower);
    assert_eq!(catches(4), 104);
}

/// Where the system forbids executable memory, that is an error.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn forbidden_memory_is_an_error() {
    const CHILD: &str = "GUSSET_MEMORY_FORBIDDEN";
    if std::env::var_os(CHILD).is_none() {
        let program = std::env::current_exe().unwrap();
        let child = std::process::Command::new(program)
            .args(["--exact", "forbidden_memory_is_an_error"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        return;
    }
    let image = image("define void @f() {\n ret void\n}\n");
    common::forbid_execution();
    match Memory::new().add(image) {
        Err(error @ MemoryError::ExecutionForbidden(_)) => {
            assert!(error.to_string().starts_with("the system forbids executable memory"));
        }
        other => panic!("{other:?}"),
    }
}

/// Its address is null, and a call that never runs need not reach it.
#[test]
fn a_weak_function_that_is_nowhere() {
    let memory = memory_of(&[]);
    let text = "declare extern_weak hidden i32 @nowhere()\ndefine i32 @f() {\n %c = icmp eq ptr @nowhere, null\n br i1 %c, label %a, label %b\n\
                a:\n ret i32 7\nb:\n %r = call i32 @nowhere()\n ret i32 %r\n}\n";
    let module = memory.add(image(text)).unwrap();
    // SAFETY: the function has this signature.
    let f = unsafe { module.function::<extern "C" fn() -> i32>("f") }.unwrap();
    assert_eq!(f(), 7);
}
