//! The builder: programs of functions from here and from a C compiler, linked and run; and its errors.

use std::process::Command;

use gusset_abi::{CType, Convention, FloatKind, Signature};

use crate::{
    Body, BuilderOptions, Catch, Data, DllStorage, Error, Features, Linkage, ObjectBuilder, Target, Visibility,
};
#[cfg(feature = "mlir")]
use crate::{Emit, Options};
use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

mod builder;

fn target() -> Target {
    Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).unwrap()
}

/// Links an object with a C program, runs it and gives its exit code.
fn run(name: &str, object: &[u8], c: &str) -> i32 {
    run_with("cc", "main.c", name, object, c)
}

fn run_with(compiler: &str, source: &str, name: &str, object: &[u8], text: &str) -> i32 {
    run_files(compiler, (source, "a.o"), name, object, text)
}

/// The same with an object or assembly text, as the ending of `file` says.
#[cfg(feature = "mlir")]
fn run_file(file: &str, name: &str, object: &[u8], c: &str) -> i32 {
    run_files("cc", ("main.c", file), name, object, c)
}

fn run_files(compiler: &str, (source, file): (&str, &str), name: &str, object: &[u8], text: &str) -> i32 {
    let folder = std::env::temp_dir().join(format!("gusset-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |file: &str| folder.join(file);
    std::fs::write(path(file), object).unwrap();
    std::fs::write(path(source), text).unwrap();
    let linked = Command::new(compiler).args(["-O1", "-o"]).args([path("main"), path(source), path(file)]).status();
    assert!(linked.unwrap().success());
    let status = Command::new(path("main")).status().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    status.code().unwrap_or(-1)
}

#[test]
fn calls_agree_with_c() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    object.source_name("calls.pebble");
    // Two registers of different classes; memory; a hidden pointer.
    let mixed = CType::structure([CType::F64, CType::I32, CType::F32]);
    let large = CType::structure([CType::I64, CType::I64, CType::I64]);
    let complex = CType::complex(FloatKind::F64);

    // struct large grow(struct large, struct mixed, char, _Bool): calls `twist` of C on the way.
    let twist = object.declare("twist", Signature::c(mixed.clone()).param(mixed.clone()), Linkage::Import).unwrap();
    let signature =
        Signature::c(large.clone()).param(large.clone()).param(mixed.clone()).param(CType::I8).param(CType::BOOL);
    let grow = object.declare("grow", signature, Linkage::Export).unwrap();
    object
        .define(grow, |b| {
            let (l, m, c, t) = (b.param(0), b.param(1), b.param(2), b.param(3));
            let twisted = b.call(twist, &[m]).unwrap();
            let n = b.load(Type::I32, twisted, 8);
            let n = b.convert(Opcode::Sext, n, Type::I64);
            let c = b.convert(Opcode::Sext, c, Type::I64);
            let t = b.convert(Opcode::Zext, t, Type::I64);
            for (offset, add) in [(0, n), (8, c), (16, t)] {
                let old = b.load(Type::I64, l, offset);
                let new = b.binary(Opcode::Iadd, old, add);
                b.store(new, l, offset);
            }
            b.ret(Some(l));
        })
        .unwrap();

    // double _Complex swap(double _Complex)
    let signature = Signature::c(complex.clone()).param(complex.clone());
    let swap = object.declare("swap", signature, Linkage::Export).unwrap();
    object
        .define(swap, |b| {
            let z = b.param(0);
            let (re, im) = (b.load(Type::F64, z, 0), b.load(Type::F64, z, 8));
            let out = b.local(&complex);
            b.store(im, out, 0);
            b.store(re, out, 8);
            b.ret(Some(out));
        })
        .unwrap();

    // int print(char *buffer): calls sprintf with unnamed arguments of many kinds.
    let signature = Signature::c(CType::I32).param(CType::PTR).param(CType::PTR).ellipsis();
    let sprintf = object.declare("sprintf", signature, Linkage::Import).unwrap();
    let print = object.declare("print", Signature::c(CType::I32).param(CType::PTR), Linkage::Export).unwrap();
    object
        .define(print, |b| {
            let (to, format) = (b.param(0), b.text(b"%d %s %.1f %ld\0"));
            let word = b.text(b"word\0");
            let unnamed: [(CType, Value); 4] = [
                (CType::I32, b.iconst(Type::I32, -5)),
                (CType::PTR, word),
                (CType::F64, b.f64_const(2.5)),
                (CType::I64, b.iconst(Type::I64, 1 << 40)),
            ];
            let n = b.call_variadic(sprintf, &[to, format], &unnamed);
            b.ret(n);
        })
        .unwrap();

    // A table of functions, a local function, and an indirect call: int pick(int i, int x).
    let unary = Signature::c(CType::I32).param(CType::I32);
    let three = object.declare("three", unary.clone(), Linkage::Local).unwrap();
    object
        .define(three, |b| {
            let (x, factor) = (b.param(0), b.iconst(Type::I32, 3));
            let x = b.binary(Opcode::Imul, x, factor);
            b.ret(Some(x));
        })
        .unwrap();
    let c_function = object.declare("seven", unary.clone(), Linkage::Import).unwrap();
    let table = Data::zeroed(16, 8).read_only(true);
    let table = table.address(0, three, 0).address(8, c_function, 0);
    let table = object.data("table", Linkage::Local, table).unwrap();
    let pick =
        object.declare("pick", Signature::c(CType::I32).param(CType::I32).param(CType::I32), Linkage::Export).unwrap();
    object
        .define(pick, |b| {
            let (i, x, base) = (b.param(0), b.param(1), b.address(table));
            let i = b.convert(Opcode::Sext, i, Type::I64);
            let entry = b.index(base, i, 8);
            let f = b.load(Type::I64, entry, 0);
            let result = b.call_address(f, unary.clone(), &[x]);
            b.ret(result);
        })
        .unwrap();

    let c = r#"
        #include <complex.h>
        #include <string.h>
        struct mixed { double d; int i; float f; };
        struct large { long a, b, c; };
        struct large grow(struct large, struct mixed, signed char, _Bool);
        double _Complex swap(double _Complex);
        int print(char *), pick(int, int);
        struct mixed twist(struct mixed m) { m.i = (int)(m.d + m.f) - m.i; return m; }
        int seven(int x) { return 7 * x; }
        int main(void) {
            struct large l = {1, 2, 3}, r = grow(l, (struct mixed){1.5, 10, 2.5f}, -4, 1);
            if (r.a != 1 + 4 - 10 || r.b != -2 || r.c != 4 || l.a != 1) return 1;
            if (swap(1.0 + 2.0 * I) != 2.0 + 1.0 * I) return 2;
            char text[100];
            if (print(text) != 25 || strcmp(text, "-5 word 2.5 1099511627776")) return 3;
            if (pick(0, 5) != 15 || pick(1, 5) != 35) return 5;
            return 0;
        }"#;
    assert_eq!(run("calls", &object.finish().unwrap(), c), 0);
}

/// The error of defining a function `int f(int)` so.
fn error_of(build: impl FnOnce(&mut Body<'_, '_>)) -> String {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let f = object.declare("f", Signature::c(CType::I32).param(CType::I32), Linkage::Export).unwrap();
    object.define(f, build).unwrap_err().to_string()
}

#[test]
fn wrong_bodies_are_errors() {
    assert!(error_of(|_| {}).contains("no terminator"));
    assert!(error_of(|b| b.ret(None)).contains("the function returns a value of type"));
    assert!(
        error_of(|b| {
            let x = b.param(7);
            b.ret(Some(x));
        })
        .contains("no parameter 7")
    );
    let wrong_type = error_of(|b| {
        let x = b.f64_const(1.0);
        b.ret(Some(x));
    });
    assert!(wrong_type.contains("function `f`"), "{wrong_type}");
}

#[test]
fn mistakes_say_what_to_do() {
    type Build = fn(&mut Body<'_, '_>);
    let cases: [(&str, Build); 19] = [
        ("`iadd` stands in no block, after a terminator: `switch_to` a block first", |b| {
            let x = b.param(0);
            b.ret(Some(x));
            b.binary(Opcode::Iadd, x, x);
        }),
        ("the variable var0 holds i32", |b| {
            let (var, x) = (b.declare_var(Type::I32), b.f64_const(1.0));
            b.def_var(var, x);
        }),
        ("no variable var7", |b| _ = b.use_var(gusset_codegen::ir::Variable(7))),
        ("variables are read in block b1, which is not sealed: call `seal` for b1", |b| {
            let (var, x, next) = (b.declare_var(Type::I32), b.param(0), b.create_block());
            b.def_var(var, x);
            b.jump(next, &[]);
            b.switch_to(next);
            let x = b.use_var(var);
            b.ret(Some(x));
        }),
        ("block b1 is sealed and gets another edge", |b| {
            let next = b.create_block();
            b.seal(next);
            b.jump(next, &[]);
        }),
        ("block b0 has no terminator: end it by `jump`, `br`, `ret` or the like before filling b1", |b| {
            let next = b.create_block();
            b.switch_to(next);
        }),
        ("block b0 has no terminator: end it by", |_| {}),
        ("control comes to block b1, which is empty", |b| {
            let next = b.create_block();
            b.jump(next, &[]);
        }),
        ("block b0 is filled already", |b| {
            let (entry, x) = (b.current_block().unwrap(), b.param(0));
            b.ret(Some(x));
            b.switch_to(entry);
        }),
        ("there is no block b9", |b| b.jump(gusset_codegen::ir::Block(9), &[])),
        ("`load` is no operation for the builder's `binary`", |b| {
            let x = b.param(0);
            b.binary(Opcode::Load, x, x);
        }),
        ("`icmp` is no operation for the builder's `binary`", |b| {
            let x = b.param(0);
            b.binary(Opcode::Icmp, x, x);
        }),
        ("`iadd` is no operation for the builder's `overflow`", |b| {
            let x = b.param(0);
            b.overflow(Opcode::Iadd, x, x);
        }),
        ("there is no value v4000", |b| _ = b.unary(Opcode::Iabs, Value(4000))),
        ("an operand is a value that the function does not have", |b| b.ret(Some(Value(4000)))),
        ("operand has type f64 instead of i32", |b| {
            let (x, y) = (b.param(0), b.f64_const(1.0));
            let sum = b.binary(Opcode::Iadd, x, y);
            b.ret(Some(sum));
        }),
        ("does not reach this use", |b| {
            let (other, last, x) = (b.create_block(), b.create_block(), b.param(0));
            let c = b.icmp(IntCc::Eq, x, x);
            b.br(c, other, &[], last, &[]);
            b.switch_to(other);
            let sum = b.binary(Opcode::Iadd, x, x);
            b.jump(last, &[]);
            b.switch_to(last);
            b.ret(Some(sum));
        }),
        ("the edge e0 leaves it, but was made in another", |b| {
            let (x, other, last) = (b.param(0), b.create_block(), b.create_block());
            let edge = b.edge(last, &[]);
            b.jump(other, &[]);
            b.switch_to(other);
            b.switch(x, &[], edge);
            b.switch_to(last);
            b.ret(Some(x));
        }),
        ("has more arguments than", |b| {
            let (var, x, next) = (b.declare_var(Type::I32), b.param(0), b.create_block());
            b.def_var(var, x);
            b.jump(next, &[x]);
            b.switch_to(next);
            let x = b.use_var(var);
            b.seal(next);
            b.ret(Some(x));
        }),
    ];
    for (message, build) in cases {
        let error = error_of(build);
        assert!(error.contains(message) && error.contains("function `f`"), "{message}: {error}");
    }
}

#[test]
fn what_belongs_to_another_object_is_refused() {
    let target = target();
    let int = || Signature::c(CType::I32);
    let mut other = ObjectBuilder::new(&target, &BuilderOptions::new());
    // The same numbers in both.
    let strange = other.declare("strange", int(), Linkage::Export).unwrap();
    let numbers = other.data("numbers", Linkage::Export, Data::zeroed(4, 4)).unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let f = object.declare("f", int(), Linkage::Export).unwrap();
    let table = Data::zeroed(8, 1).address(0, strange, 0);
    assert!(object.data("table", Linkage::Export, table).unwrap_err().to_string().contains("of another object"));
    assert!(object.define(strange, |_| {}).unwrap_err().to_string().contains("of another object"));
    type Build<'a> = &'a dyn Fn(&mut Body<'_, '_>);
    let bodies: [Build<'_>; 6] = [
        &|b| {
            let result = b.call(strange, &[]);
            b.ret(result);
        },
        &|b| _ = b.call_variadic(strange, &[], &[]).unwrap(),
        &|b| _ = b.address(numbers),
        &|b| {
            let mut call = b.open_call(strange);
            let place = b.argument(&mut call, 0);
            b.fill(&mut call, 1, place);
            let result = b.finish_call(call).unwrap();
            b.ret(Some(result));
        },
        &|b| b.personality(strange),
        &|b| _ = b.selector(Some(numbers)),
    ];
    for body in bodies {
        let error = object.define(f, |b| body(b)).unwrap_err().to_string();
        assert!(error.contains("of another object"), "{error}");
    }
    // What failed can be defined in another way.
    let defined = object.define(f, |b| {
        let one = b.iconst(Type::I32, 1);
        b.ret(Some(one));
    });
    assert!(defined.is_ok() && object.finish().is_ok());
}

#[test]
fn wrong_declarations_are_errors() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let int = Signature::c(CType::I32);
    let f = object.declare("f", int.clone(), Linkage::Export).unwrap();
    assert_eq!(object.declare("f", int.clone(), Linkage::Export).unwrap(), f);
    assert!(object.declare("f", Signature::c(CType::I64), Linkage::Export).is_err());
    assert!(object.data("f", Linkage::Export, Data::zeroed(4, 4)).is_err());
    assert!(object.data("d", Linkage::Export, Data::zeroed(4, 3)).is_err());
    assert!(object.data("d", Linkage::Import, Data::constant(*b"d")).unwrap_err().to_string().contains("has contents"));
    assert!(object.data("", Linkage::Export, Data::zeroed(4, 4)).is_err());
    assert!(object.declare("g\0", int.clone(), Linkage::Export).unwrap_err().to_string().contains("zero byte"));
    let linkage = object.declare("f", int.clone(), Linkage::Local).unwrap_err();
    assert!(linkage.to_string().contains("another linkage"));
    let g = object.declare("g", int, Linkage::Import).unwrap();
    assert!(object.define(g, |_| {}).unwrap_err().to_string().contains("import"));
    assert!(matches!(object.finish(), Err(Error::Object { .. })), "`f` has no body");
}

#[test]
fn imports_are_declared_again() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().keep_ir(true));
    let nothing = Signature::c(CType::Void);
    let f = object.declare("f", nothing.clone(), Linkage::Import).unwrap();
    object.set_visibility(f, Visibility::Hidden).unwrap();
    assert_eq!(object.declare("f", nothing.clone(), Linkage::Export).unwrap(), f);
    assert_eq!(object.declare("f", nothing.clone(), Linkage::Import).unwrap(), f);
    let g = object.declare("g", nothing.clone(), Linkage::Import).unwrap();
    object.set_dll_storage(g, DllStorage::Import).unwrap();
    let imported = object.declare("g", nothing, Linkage::Export).unwrap_err();
    assert!(imported.to_string().contains("cannot be imported"), "{imported}");
    object.define(f, |b| b.ret(None)).unwrap();
    let text = object.finish_ir().unwrap();
    assert!(text.contains("hidden"), "{text}");
}

#[test]
fn targets_by_name() {
    let with = |features: Features| Target::from_triple("x86_64-linux-gnu", &features).map_err(|e| e.to_string());
    assert!(with(Features::cpu("x86-64-v2").with("+bmi,-popcnt")).is_ok());
    let with_bmi = |list: &str| with(Features::default().with(list)).map(|t| format!("{:?}", t.machine));
    assert_eq!(with_bmi("bmi"), with_bmi("+bmi"));
    assert_ne!(with_bmi("bmi"), with_bmi("-bmi"));
    assert!(with(Features::default().with("+abc")).unwrap_err().contains("`abc` is not known"));
    assert_eq!(with(Features::default().with("-sse2")).unwrap().abi.features.vector_bytes, 0);
    assert!(with(Features::cpu("z80")).unwrap_err().contains("`z80` is not known"));
    let alike = with(Features::cpu("skylak")).unwrap_err();
    assert!(alike.contains("the closest names are skylake, ") && alike.len() < 150, "{alike}");
    let narrow =
        |features: Features| Target::from_triple("i686-linux-gnu", &features).map(|t| t.abi.features.vector_bytes);
    for old in [Features::cpu("i686"), Features::default().with("-sse2"), Features::default().with("-sse,+sse")] {
        assert_eq!(narrow(old).unwrap(), 0);
    }
    for new in [Features::default(), Features::cpu("i686").with("+sse2"), Features::cpu("i686").with("+sse4.1")] {
        assert_eq!(narrow(new).unwrap(), 16);
    }
    assert!(Target::from_triple("mips-linux-gnu", &Features::default()).is_err());
}

#[test]
fn data_names_are_decorated() {
    let bytes = |triple: &str| {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        object.data("num", Linkage::Export, Data::zeroed(4, 4)).unwrap();
        object.finish().unwrap()
    };
    let has = |object: &[u8], name: &[u8]| object.windows(name.len()).any(|w| w == name);
    assert!(has(&bytes("i686-pc-windows-msvc"), b"_num\0"));
    let target = Target::from_triple("i686-pc-windows-msvc", &Features::default()).unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let method = Signature::c(CType::Void).param(CType::PTR).with_convention(gusset_abi::Convention::Thiscall);
    let names =
        ["?m@S@@QAEXXZ", "\u{1}exact"].map(|name| object.declare(name, method.clone(), Linkage::Export).unwrap());
    object.data("?x@@3HA", Linkage::Export, Data::zeroed(4, 4)).unwrap();
    for f in names {
        object.define(f, |b| b.ret(None)).unwrap();
    }
    let bytes_of = object.finish().unwrap();
    for name in [&b"\0?m@S@@QAEXXZ\0"[..], b"\0?x@@3HA\0", b"exact\0"] {
        assert!(has(&bytes_of, name));
    }
    assert!(!has(&bytes_of, b"_exact"));
    for plain in ["x86_64-pc-windows-msvc", "x86_64-linux-gnu", "i686-linux-gnu"] {
        assert!(!has(&bytes(plain), b"_num"), "{plain}");
    }
}

#[test]
fn trampolines_in_place() {
    use gusset_abi::{Convention, Param, Trampoline, TrampolineOptions, static_chain};
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));

    // int inner(int x) of a host's variable, which the static chain leads to.
    let signature = Signature::c(CType::I32).param(CType::I32).param(Param::chain());
    let inner = object.declare("inner", signature, Linkage::Local).unwrap();
    object
        .define(inner, |b| {
            let (x, chain) = (b.param(0), b.param(1));
            let base = b.load(Type::I32, chain, 0);
            let sum = b.binary(Opcode::Iadd, base, x);
            b.ret(Some(sum));
        })
        .unwrap();

    // int host(void *memory, int (*apply)(int (*)(int), int), int base)
    let signature = Signature::c(CType::I32).param(CType::PTR).param(CType::PTR).param(CType::I32);
    let host = object.declare("host", signature, Linkage::Export).unwrap();
    let apply = Signature::c(CType::I32).param(CType::PTR).param(CType::I32);
    let register = static_chain(target.abi(), Convention::C);
    let form = Trampoline::new(target.abi(), register, TrampolineOptions::default()).unwrap();
    object
        .define(host, |b| {
            let (memory, to, base) = (b.param(0), b.param(1), b.param(2));
            let variable = b.local(&CType::I32);
            b.store(base, variable, 0);
            let callee = b.address(inner);
            b.init_trampoline(&form, memory, callee, variable);
            let pointer = b.adjust_trampoline(&form, memory);
            let two = b.iconst(Type::I32, 2);
            let result = b.call_address(to, apply, &[pointer, two]);
            b.ret(result);
        })
        .unwrap();
    let object = object.finish().unwrap();
    let c = "#include <sys/mman.h>
        int host(void *, int (*)(int (*)(int), int), int);
        static int apply(int (*f)(int), int x) { return f(x) * 10 + f(1); }
        int main(void) {
            char *memory = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            return host(memory + 1, apply, 3) == 54 ? 0 : 1;
        }";
    assert_eq!(run("trampolines", &object, c), 0);
}

#[test]
fn exceptions_are_caught() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
    let int = |n: usize| (0..n).fold(Signature::c(CType::I32), |s, _| s.param(CType::I32));
    let routine = object.declare("__gxx_personality_v0", Signature::c(CType::I32).ellipsis(), Linkage::Import).unwrap();
    let begin = Signature::c(CType::PTR).param(CType::PTR);
    let begin = object.declare("__cxa_begin_catch", begin, Linkage::Import).unwrap();
    let end = object.declare("__cxa_end_catch", Signature::c(CType::Void), Linkage::Import).unwrap();
    let risky = object.declare("risky", int(1), Linkage::Import).unwrap();
    let cleaned = object.declare("cleaned", Signature::c(CType::Void).param(CType::I32), Linkage::Import).unwrap();
    let number = object.data("_ZTIi", Linkage::Import, Data::default()).unwrap();
    let other = object.data("_ZTId", Linkage::Import, Data::default()).unwrap();

    // int guarded(int n): an `int` is caught, anything else goes on after a cleanup.
    let guarded = object.declare("guarded", int(1), Linkage::Export).unwrap();
    object
        .define(guarded, |b| {
            b.personality(routine);
            let n = b.param(0);
            let (pad, here, on) = (b.create_block(), b.create_block(), b.create_block());
            let state = b.declare_var(Type::I32);
            let hundred = b.iconst(Type::I32, 100);
            b.def_var(state, n);
            b.unwind_to(Some(pad));
            let first = b.call(risky, &[n]).unwrap();
            b.def_var(state, hundred);
            let more = b.binary(Opcode::Iadd, first, hundred);
            let second = b.call(risky, &[more]).unwrap();
            b.unwind_to(None);
            b.ret(Some(second));
            b.seal(pad);
            b.switch_to(pad);
            let caught = b.landing_pad(&[Catch::Type(number)], true);
            let (state, wanted) = (b.use_var(state), b.selector(Some(number)));
            let ours = b.icmp(IntCc::Eq, caught.selector, wanted);
            b.br(ours, here, &[], on, &[]);
            b.seal(here);
            b.seal(on);
            b.switch_to(here);
            let thrown = b.call(begin, &[caught.exception]).unwrap();
            let thrown = b.load(Type::I32, thrown, 0);
            b.call(end, &[]);
            let sum = b.binary(Opcode::Iadd, thrown, state);
            b.ret(Some(sum));
            b.switch_to(on);
            b.call(cleaned, &[state]);
            b.resume(caught.exception);
        })
        .unwrap();

    // int strict(int n): nothing but a `double` may leave; else it is -7.
    let strict = object.declare("strict", int(1), Linkage::Export).unwrap();
    object
        .define(strict, |b| {
            b.personality(routine);
            let n = b.param(0);
            let (pad, here, on) = (b.create_block(), b.create_block(), b.create_block());
            b.unwind_to(Some(pad));
            let result = b.call(risky, &[n]);
            b.unwind_to(None);
            b.ret(result);
            b.seal(pad);
            b.switch_to(pad);
            let caught = b.landing_pad(&[Catch::Except(vec![other])], false);
            let zero = b.iconst(Type::I32, 0);
            let ours = b.icmp(IntCc::Slt, caught.selector, zero);
            b.br(ours, here, &[], on, &[]);
            b.seal(here);
            b.seal(on);
            b.switch_to(here);
            b.call(begin, &[caught.exception]);
            b.call(end, &[]);
            let seven = b.iconst(Type::I32, -7);
            b.ret(Some(seven));
            b.switch_to(on);
            b.resume(caught.exception);
        })
        .unwrap();
    let object = object.finish().unwrap();
    let text = "extern \"C\" int guarded(int), strict(int);
        static int last = -1;
        extern \"C\" int risky(int n) {
            if (n == 5 || n == 109) throw 41;
            if (n == 6 || n == 110) throw 2.5;
            return n;
        }
        extern \"C\" void cleaned(int state) { last = state; }
        static int outcome(int (*f)(int), int n) { try { return f(n); } catch (double d) { return -(int)(d * 2); } }
        int main() {
            if (outcome(guarded, 1) != 101 || last != -1) return 1;
            if (outcome(guarded, 5) != 46 || last != -1) return 2;
            if (outcome(guarded, 9) != 141 || last != -1) return 3;
            if (outcome(guarded, 6) != -5 || last != 6) return 4;
            if (outcome(guarded, 10) != -5 || last != 100) return 5;
            if (outcome(strict, 1) != 1) return 6;
            if (outcome(strict, 5) != -7) return 7;
            return outcome(strict, 6) == -5 ? 0 : 8;
        }";
    assert_eq!(run_with("c++", "main.cpp", "exceptions", &object, text), 0);
}

/// The divisor was once read from a place that nothing had been stored to.
#[test]
fn a_value_is_divided_by_itself() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
    let sig = Signature::c(CType::I32).param(CType::PTR);
    let f = object.declare("rest", sig, Linkage::Export).unwrap();
    object
        .define(f, |b| {
            let p = b.param(0);
            let n = b.load(Type::I32, p, 0);
            let rest = b.binary(Opcode::Srem, n, n);
            b.ret(Some(rest));
        })
        .unwrap();
    let c = "int rest(int *); int main(void) { int n = 7; return rest(&n); }";
    assert_eq!(run("rest", &object.finish().unwrap(), c), 0);
}

/// The address of a result was forgotten when the copy into it was a call, so that callers got another one.
#[test]
fn large_results_keep_their_address() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
    let large = CType::structure([CType::array(CType::I32, 5000)]);
    let f = object.declare("copy", Signature::c(large).param(CType::PTR), Linkage::Export).unwrap();
    object
        .define(f, |b| {
            let p = b.param(0);
            b.ret(Some(p));
        })
        .unwrap();
    let c = "struct s { int a[5000]; }; struct s copy(struct s *); struct s x; \
        int main(void) { x.a[4999] = 7; struct s y = copy(&x); return y.a[4999] - 7 + y.a[0]; }";
    assert_eq!(run("large", &object.finish().unwrap(), c), 0);
}

/// Conditions that are masks already, of any number of lanes.
#[test]
fn masks_select() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
    let sig = Signature::c(CType::Void).param(CType::PTR).param(CType::PTR).param(CType::PTR);
    for (name, lanes) in [("few", 4), ("odd", 3), ("many", 1023)] {
        let f = object.declare(name, sig.clone(), Linkage::Export).unwrap();
        object
            .define(f, |b| {
                let ty = Type::vector(Type::I32, lanes).unwrap();
                let (to, mask, from) = (b.param(0), b.param(1), b.param(2));
                let (c, x, y) = (b.load(ty, mask, 0), b.load(ty, from, 0), b.load(ty, to, 0));
                let chosen = b.select(c, x, y);
                b.store(chosen, to, 0);
                b.ret(None);
            })
            .unwrap();
    }
    let c = "void few(int *, int *, int *), odd(int *, int *, int *), many(int *, int *, int *);
        int mask[1024], from[1024], to[1024], again[1024], once[1024];
        int main(void) {
            for (int i = 0; i < 1024; i++) { mask[i] = i % 3 ? -1 : 0; from[i] = i; to[i] = again[i] = once[i] = -1; }
            few(to, mask, from); odd(again, mask, from); many(once, mask, from);
            for (int i = 0; i < 1024; i++) {
                int chosen = i % 3 ? i : -1;
                if (to[i] != (i < 4 ? chosen : -1) || again[i] != (i < 3 ? chosen : -1)) return 1;
                if (once[i] != (i < 1023 ? chosen : -1)) return 2;
            }
            return 0;
        }";
    assert_eq!(run("masks", &object.finish().unwrap(), c), 0);
}

/// Integers of more than two registers, here as numbers that C divides and moves limb by limb.
#[test]
fn integers_of_any_width() {
    let object = |triple: &str| {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
        let sig = || Signature::c(CType::U32).param(CType::PTR).param(CType::PTR);
        for (name, bits) in [("small", 96), ("pair", 128), ("odd", 200), ("large", 448)] {
            let f = object.declare(name, sig(), Linkage::Export).unwrap();
            let ty = Type::int(bits).unwrap();
            let build = |b: &mut Body<'_, '_>| {
                let (p, q) = (b.param(0), b.param(1));
                let (x, y) = (b.load(ty, p, 0), b.load(ty, q, 0));
                let values = [
                    b.binary(Opcode::Udiv, x, y),
                    b.binary(Opcode::Urem, x, y),
                    b.ternary(Opcode::Fshl, x, y, y),
                    b.unary(Opcode::Bitreverse, x),
                ];
                for (k, v) in values.into_iter().enumerate() {
                    b.store(v, p, 64 * (k as i32 + 1));
                }
                let (same, other, large) = (b.create_block(), b.create_block(), b.create_block());
                // 2^70 is more than 64 bits.
                let cases = [(b.iconst(ty, 5), b.edge(same, &[])), (b.wide_const(ty, &[0, 64]), b.edge(large, &[]))];
                let default = b.edge(other, &[]);
                b.switch(x, &cases, default);
                for (n, block) in [same, large, other].into_iter().enumerate() {
                    b.switch_to(block);
                    let n = b.iconst(Type::I32, n as i128);
                    b.ret(Some(n));
                }
            };
            object.define(f, build).unwrap();
        }
        object.finish().unwrap()
    };
    let c = "#include <string.h>
        typedef unsigned u;
        u small(u *, u *), pair(u *, u *), odd(u *, u *), large(u *, u *);
        static int check(u f(u *, u *), u bits, u seed) {
            u x[80] = {0}, y[16] = {0}, n = bits / 32, r = bits % 32, rest = 0;
            for (u i = 0; i < n; i++) x[i] = seed = seed * 1103515245 + 12345;
            if (r) x[n] = 171;
            y[0] = 1000003;
            u was = f(x, y);
            if (was != 2) return 1;
            for (u i = n + !!r; i-- > 0;) {
                unsigned long long t = (unsigned long long)rest << 32 | x[i];
                if (x[16 + i] != (u)(t / y[0])) return 2;
                rest = t % y[0];
            }
            if (x[32] != rest || x[33] || x[34]) return 3;
            for (u i = 0; i < bits; i++) {
                u by = y[0] % bits, from = (i + bits - by) % bits, back = bits - 1 - i;
                u *s = i < by ? y : x;
                if ((x[48 + i / 32] >> i % 32 & 1) != (s[from / 32] >> from % 32 & 1)) return 4;
                if ((x[64 + i / 32] >> i % 32 & 1) != (x[back / 32] >> back % 32 & 1)) return 5;
            }
            u five[80] = {5}, more[80] = {0, 0, 64};
            return f(five, y) == 0 && f(more, y) == 1 ? 0 : 6;
        }
        int main(void) {
            for (u k = 0; k < 20; k++) {
                int bad = check(small, 96, k) | check(pair, 128, k) | check(odd, 200, k) | check(large, 448, k);
                if (bad) return bad;
            }
            return 0;
        }";
    assert_eq!(run("any_width", &object("x86_64-unknown-linux-gnu"), c), 0);
    let compiler = std::env::var("CC_32").unwrap_or_else(|_| "i686-linux-gnu-gcc".into());
    assert_eq!(run_with(&compiler, "main.c", "any_width_32", &object("i686-unknown-linux-gnu"), c), 0);
}

/// What a target has not is refused, and targets of terminators have to be there.
#[test]
fn impossible_bodies_are_refused() {
    let refused = |triple: &str, sig: Signature, build: fn(&mut Body<'_, '_>)| {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        let f = object.declare("f", sig, Linkage::Export).unwrap();
        object.define(f, build).unwrap_err().to_string()
    };
    let named = Signature::c(CType::Void).param(CType::I32).with_convention(Convention::PreserveMost);
    let variadic = Signature { variadic: Some(1), ..named };
    let message = refused("x86_64-pc-windows-msvc", variadic, |b| b.ret(None));
    assert!(message.contains("no home space"), "{message}");
    for (op, words) in [(Opcode::Switch, [0, 9, 0]), (Opcode::IndirectBr, [0, 100, 100])] {
        let message = error_of(|b| _ = b.push1(op, 0, Type::I32, words, Type::I32));
        assert!(message.contains("the targets of its terminator are not there"), "{message}");
    }
}

/// A module read from text, with functions of the builder's in the same object: what is external there is defined here, and what is
/// defined there called.
#[cfg(feature = "mlir")]
#[test]
fn functions_are_added_to_a_module_of_text() {
    let text = "
      func.func private @m.half(memref<?xi32>, index) -> i32
      func.func @sum(%m: memref<?xi32>) -> i32 {
        %c0 = arith.constant 0 : index
        %x = call @m.half(%m, %c0) : (memref<?xi32>, index) -> i32
        %c100 = arith.constant 100 : i32
        %small = arith.cmpi slt, %x, %c100 : i32
        cf.assert %small, \"too large\"
        return %x : i32
      }";
    let target = target();
    let fails = |e: crate::Error| panic!("{e}");
    for (emit, file) in [(Emit::Object, "added.o"), (Emit::Assembly, "added.s")] {
        let mlir = crate::MlirOptions::new().c_values(true);
        let options = Options::new().emit(emit).relocation(crate::Relocation::Pic).mlir(mlir);
        let mut choices = crate::modules::mlir_choices(&target, &options).unwrap();
        choices.wrapped = ["m.half", "sum"].map(String::from).into();
        choices.failure = Some("iree.fail".into());
        let add = |module: gusset_codegen::ir::Module, target: &Target| {
            let mut object = ObjectBuilder::on(module, target, &BuilderOptions::new().relocation(options.relocation));
            // What the text defines is not defined again, but may be called.
            let c = Signature::c(CType::I32).param(CType::PTR);
            let sum = object.declare("_mlir_ciface_sum", c.clone(), Linkage::Import)?;
            assert!(object.define(sum, |b| b.ret(None)).is_err());
            let other = Signature::c(CType::I64).param(CType::PTR);
            assert!(object.declare("_mlir_ciface_sum", other, Linkage::Import).is_err());
            let half = Signature::c(CType::I32).param(CType::PTR).param(CType::I64);
            let half = object.declare("_mlir_ciface_m.half", half, Linkage::Local)?;
            object.define(half, |b| {
                let (descriptor, i) = (b.param(0), b.param(1));
                let data = b.load(Type::I64, descriptor, 8);
                let four = b.ptr_const(4);
                let at = b.binary(Opcode::Imul, i, four);
                let at = b.binary(Opcode::Iadd, data, at);
                let (n, one) = (b.load(Type::I32, at, 0), b.iconst(Type::I32, 1));
                let n = b.binary(Opcode::Lshr, n, one);
                b.ret(Some(n));
            })?;
            let exit = object.declare("exit", Signature::c(CType::Void).param(CType::I32), Linkage::Import)?;
            let fail = object.declare("iree.fail", Signature::c(CType::Void).param(CType::PTR), Linkage::Local)?;
            object.define(fail, |b| {
                let message = b.param(0);
                let first = b.load(Type::I8, message, 0);
                let first = b.convert(Opcode::Zext, first, Type::I32);
                b.call(exit, &[first]);
                b.ret(None);
            })?;
            let entry = object.declare("entry", c, Linkage::Export)?;
            object.define(entry, |b| {
                let m = b.param(0);
                let sum = b.call(sum, &[m]);
                b.ret(sum);
            })?;
            Ok(object.into_parts())
        };
        let source = crate::Source { name: "t.mlir", text: text.as_bytes() };
        let done = crate::modules::compile_mlir_with(source, &target, &options, (choices, Some(&add)), &mut |_| {})
            .unwrap_or_else(fails);
        assert_eq!(done.statistics.functions, 6);
        let main = "
          struct memref { int *allocated, *aligned; long offset, size, stride; };
          int entry(struct memref *);
          int main(int count, char **args) {
            (void)args;
            int number = NUMBER;
            struct memref m = { &number, &number, 0, 1, 1 };
            return entry(&m);
          }";
        for (number, expected) in [("14", 7), ("400", i32::from(b't'))] {
            let name = format!("added-{number}");
            assert_eq!(
                run_file(file, &name, &done.bytes.to_vec().unwrap(), &main.replace("NUMBER", number)),
                expected,
                "{emit:?}"
            );
        }
    }
}

/// An object for which there is no memory is an error: so many bytes are in its file, but not in the builder.
#[cfg(target_os = "linux")]
#[test]
fn no_memory_for_the_object() {
    if std::env::var_os("GUSSET_LITTLE_MEMORY").is_none() {
        let mut command = std::process::Command::new("prlimit");
        command.arg("--as=1500000000").arg(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::no_memory_for_the_object"]).env("GUSSET_LITTLE_MEMORY", "1");
        assert!(command.output().unwrap().status.success());
        return;
    }
    let target = Target::host().unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let data = Data::writable([1]).sized(2_000_000_000).aligned(8);
    object.data("large", Linkage::Export, data).unwrap();
    let error = object.finish().unwrap_err().to_string();
    assert!(error.contains("there is no memory for 2000000"), "{error}");
}
