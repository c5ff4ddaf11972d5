//! The builder on several threads, unnamed arguments and alignment.

use std::sync::atomic::{AtomicUsize, Ordering};

use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{IntCc, Opcode, Ordering as Order, Type};

use super::target;
use crate::{
    Body, BuilderOptions, Data, Error, Features, Func, Linkage, ObjectBuilder, Options, Stage, Target, compile_ir,
};

fn int_to_int() -> Signature {
    Signature::c(CType::I32).param(CType::I32)
}

/// Adds up what a text of its own, a helper that the body declares, and the function's number give.
fn numbered(b: &mut Body<'_, '_>, n: usize) {
    let x = b.param(0);
    let helper = b.declare(&format!("helper{}", n % 7), int_to_int(), Linkage::Import).unwrap();
    let own = b.data(&format!("counter{n}"), Linkage::Local, Data::zeroed(4, 4)).unwrap();
    let text = b.text(format!("text {}\0", n % 5).as_bytes());
    let (first, counter) = (b.load(Type::I8, text, 5), b.address(own));
    let first = b.convert(Opcode::Zext, first, Type::I32);
    let old = b.load(Type::I32, counter, 0);
    let sum = b.binary(Opcode::Iadd, old, first);
    b.store(sum, counter, 0);
    let result = b.call(helper, &[x]).unwrap();
    let sum = b.binary(Opcode::Iadd, result, sum);
    b.ret(Some(sum));
}

#[test]
fn threads_define_the_same_object() {
    let target = target();
    let build = |threads: usize, backwards: bool| {
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        let functions: Vec<Func> =
            (0..60).map(|n| object.declare(&format!("f{n}"), int_to_int(), Linkage::Export).unwrap()).collect();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        let n = if backwards { 59usize.wrapping_sub(n) } else { n };
                        let Some(&f) = functions.get(n) else { break };
                        object.define(f, |b| numbered(b, n)).unwrap();
                    }
                });
            }
        });
        object.finish().unwrap()
    };
    let one = build(1, false);
    assert!(one == build(1, true), "the order of definitions shows");
    for _ in 0..10 {
        assert!(one == build(3, false), "the number of threads shows");
    }
}

#[test]
fn bodies_declare_and_define() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let outer = object.declare("outer", int_to_int(), Linkage::Export).unwrap();
    let object = &object;
    object
        .define(outer, |b| {
            // A function that is declared and defined while another body is open.
            let inner = b.declare("inner", int_to_int(), Linkage::Local).unwrap();
            assert!(b.declare("inner", int_to_int(), Linkage::Export).unwrap_err().to_string().contains("linkage"));
            object
                .define(inner, |b| {
                    let (x, two) = (b.param(0), b.iconst(Type::I32, 2));
                    let twice = b.binary(Opcode::Imul, x, two);
                    b.ret(Some(twice));
                })
                .unwrap();
            assert!(object.define(outer, |_| {}).unwrap_err().to_string().contains("open already"));
            assert_eq!(b.layout(&CType::I64).unwrap().size, 8);
            let x = b.param(0);
            let result = b.call(inner, &[x]);
            b.ret(result);
        })
        .unwrap();
}

#[test]
fn bodies_fail_with_errors_of_the_front_end() {
    #[derive(Debug)]
    enum FrontEnd {
        Syntax(u32),
        Gusset(Error),
    }
    impl From<Error> for FrontEnd {
        fn from(error: Error) -> FrontEnd {
            FrontEnd::Gusset(error)
        }
    }
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let f = object.declare("f", int_to_int(), Linkage::Export).unwrap();
    let failed = object.define(f, |_| Err(FrontEnd::Syntax(7)));
    assert!(matches!(failed, Err(FrontEnd::Syntax(7))));
    let wrong = object.define(f, |_| Ok::<_, FrontEnd>(()));
    assert!(matches!(wrong, Err(FrontEnd::Gusset(error)) if error.to_string().contains("no terminator")));
    object
        .define(f, |b| {
            let x = b.param(0);
            b.ret(Some(x));
        })
        .unwrap();
    assert!(object.finish().is_ok());
}

#[test]
fn unnamed_arguments_are_promoted() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let variadic = Signature::c(CType::I32).param(CType::PTR).ellipsis();
    let printf = object.declare("printf", variadic.clone(), Linkage::Import).unwrap();
    let own = object.declare("own", variadic, Linkage::Export).unwrap();
    for (ty, promoted) in [(CType::F32, "double"), (CType::BOOL, "int"), (CType::I16, "int"), (CType::U8, "int")] {
        let wrong = object.define(own, |b| {
            let (format, x) = (b.param(0), b.iconst(Type::I16, 1));
            let result = b.call_variadic(printf, &[format], &[(ty.clone(), x)]);
            b.ret(result);
        });
        let message = wrong.unwrap_err().to_string();
        assert!(message.contains(&format!("convert it to `{promoted}`")), "{message}");
        let wrong = object.define(own, |b| {
            let list = b.va_start();
            let result = b.va_arg(list, &ty);
            b.ret(Some(result));
        });
        assert!(wrong.unwrap_err().to_string().contains("is promoted by C"));
    }
}

#[test]
fn accesses_have_the_alignment_of_their_types() {
    let text = |triple: &str, build: fn(&mut Body<'_, '_>)| {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().stage(Some(Stage::Read)));
        let f = object.declare("f", Signature::c(CType::Void).param(CType::PTR), Linkage::Export).unwrap();
        object.define(f, build).unwrap();
        object.finish_stage().unwrap()
    };
    let natural: fn(&mut Body<'_, '_>) = |b| {
        let p = b.param(0);
        for ty in [Type::I16, Type::I64, Type::F64, Type::vector(Type::F32, 4).unwrap()] {
            let v = b.load(ty, p, 32);
            b.store(v, p, 64);
        }
        b.ret(None);
    };
    for (triple, wide) in
        [("x86_64-linux-gnu", 8), ("i686-linux-gnu", 4), ("i686-windows-msvc", 8), ("armv7-linux-gnueabi", 8)]
    {
        let text = text(triple, natural);
        let count = |align: u32| text.matches(&format!("align {align}")).count();
        assert_eq!([count(2), count(16)], [2, 2], "{triple}: {text}");
        assert_eq!(count(wide), 4, "{triple}: {text}");
    }
    let packed = text("armv7-linux-gnueabi", |b| {
        let p = b.param(0);
        let v = b.load_aligned(Type::I32, p, 1, 1);
        b.store_aligned(v, p, 6, 2);
        b.ret(None);
    });
    assert!(!packed.contains("align 4"), "{packed}");
}

#[test]
fn builders_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<ObjectBuilder<'_>>();
}

#[test]
fn constants_fold_where_they_are_made() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().stage(Some(Stage::Read)));
    let f = object.declare("f", Signature::c(CType::I64).param(CType::PTR), Linkage::Export).unwrap();
    object
        .define(f, |b| {
            let (x, y) = (b.i32_const(-7), b.i32_const(2));
            let (quotient, rest) = (b.sdiv(x, y), b.srem(x, y));
            assert_eq!(b.constant(quotient), Some(u128::from(-3i32 as u32)));
            assert_eq!(b.constant(rest), Some(u128::from(-1i32 as u32)));
            let (wide, less) = (b.sext(quotient, Type::I64), b.icmp(IntCc::Slt, x, y));
            let chosen = b.select(less, wide, wide);
            let half = b.f64_const(0.5);
            let sum = b.fadd(half, half);
            let one = b.f64_const(1.0);
            assert_eq!(sum, one);
            // What has no result stays an instruction.
            let zero = b.i32_const(0);
            let undefined = b.udiv(x, zero);
            assert_eq!(b.constant(undefined), None);
            let p = b.param(0);
            let byte = b.load_u8(Type::I64, p, 3);
            let result = b.iadd(chosen, byte);
            b.ret(Some(result));
        })
        .unwrap();
    let text = object.finish_stage().unwrap();
    assert!(text.contains("iadd -3") || text.contains("-3"), "{text}");
    assert!(!text.contains("sdiv") && !text.contains("fadd") && !text.contains("select"), "{text}");
}

#[cfg(feature = "c")]
#[test]
fn declarations_of_c() {
    let target = Target::from_triple("i686-windows-msvc", &Features::default()).unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let f = object.declare_c("struct P { short x; long y; }; long long __stdcall f(struct P, size_t);").unwrap();
    let signature = object.signature_of(f).unwrap();
    assert_eq!(signature.convention, gusset_abi::Convention::Stdcall);
    assert_eq!(
        object.layout(&object.c_type("struct P { short x; long y; };", Some("struct P")).unwrap()).unwrap().size,
        8
    );
    assert_eq!(object.c_type("unsigned long", None).unwrap(), CType::U32);
    let header = object.declare_c_header("int puts(const char *);\nint exact(void) __asm__(\"other\");").unwrap();
    assert_eq!(header.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["puts", "exact"]);
    let error = object.declare_c("int g(int,, int);").unwrap_err().to_string();
    assert!(error.starts_with("<C>:1:11: error: "), "{error}");
    assert!(matches!(object.declare_c("int x;"), Err(Error::Read(_))));
}

#[test]
fn objects_are_text_of_the_ir() {
    let target = target();
    let options = BuilderOptions::new().keep_ir(true);
    let mut object = ObjectBuilder::new(&target, &options);
    let functions: Vec<Func> =
        (0..9).map(|n| object.declare(&format!("f{n}"), int_to_int(), Linkage::Export).unwrap()).collect();
    // Bodies declare in an order that is not that of the functions.
    for n in [4, 2, 8, 0, 1, 7, 3, 5, 6] {
        object.define(functions[n], |b| numbered(b, n)).unwrap();
    }
    let again = {
        let mut object = ObjectBuilder::new(&target, &options);
        for n in 0..9 {
            object.declare(&format!("f{n}"), int_to_int(), Linkage::Export).unwrap();
        }
        assert!(ObjectBuilder::new(&target, &BuilderOptions::new()).finish_ir().is_err());
        for (n, f) in (0..9)
            .map(|n| (n, object.declare(&format!("f{n}"), int_to_int(), Linkage::Export).unwrap()))
            .collect::<Vec<_>>()
        {
            object.define(f, |b| numbered(b, n)).unwrap();
        }
        object.finish().unwrap()
    };
    let text = object.finish_ir().unwrap();
    assert_eq!(compile_ir("x", &text, &target, &Options::default()).unwrap(), again);
}

#[test]
fn operations_of_the_machine() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().stage(Some(Stage::Code)));
    let f = object.declare("f", Signature::c(CType::Void).param(CType::PTR), Linkage::Export).unwrap();
    let bytes = Type::vector(Type::I8, 16).unwrap();
    let build = |name: &'static str| {
        move |b: &mut Body<'_, '_>| {
            let p = b.param(0);
            let (x, y) = (b.load_aligned(bytes, p, 0, 1), b.load_aligned(bytes, p, 16, 1));
            let average = b.machine_op(name, &[x, y], Some(bytes)).unwrap();
            b.store_aligned(average, p, 0, 1);
            b.ret(None);
        }
    };
    let error = object.define(f, build("x86.sse2.nothing")).unwrap_err();
    assert!(error.to_string().contains("`llvm.x86.sse2.nothing` is not supported"), "{error}");
    object.define(f, build("x86.sse2.pavg.b")).unwrap();
    let text = object.finish_stage().unwrap();
    assert!(text.contains("pavgb"), "{text}");
}

#[test]
fn effects_have_methods() {
    for triple in ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"] {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
        let f = object.declare("f", Signature::c(CType::Void).param(CType::PTR), Linkage::Export).unwrap();
        object
            .define(f, |b| {
                let (p, len, byte) = (b.param(0), b.ptr_const(40), b.iconst(Type::I8, 7));
                let saved = b.stack_save();
                let area = b.stack_alloc(len, 16);
                b.memset(area, byte, len);
                b.memcpy(p, area, len);
                b.memmove(p, area, len);
                b.restore_stack(saved);
                b.fence(Order::SeqCst);
                b.compiler_fence(Order::Acquire);
                b.prefetch(p, true);
                let (frame, ret, sp) = (b.frame_address(0), b.return_address(0), b.entry_stack_pointer());
                for (n, v) in [frame, ret, sp].into_iter().enumerate() {
                    b.store(v, p, 8 * n as i32);
                }
                if !triple.starts_with("arm") {
                    let cycles = b.read_cycles();
                    b.store(cycles, p, 32);
                }
                let (next, stop, zero) = (b.create_block(), b.create_block(), b.ptr_const(0));
                let null = b.icmp(IntCc::Eq, p, zero);
                b.br(null, stop, &[], next, &[]);
                b.switch_to(stop);
                b.debug_trap();
                b.trap();
                b.unreachable();
                b.switch_to(next);
                b.ret(None);
                b.seal(next);
                b.seal(stop);
            })
            .unwrap_or_else(|e| panic!("{triple}: {e}"));
        object.finish().unwrap();
    }
}

#[test]
fn values_of_c_types() {
    for (triple, long) in [("i686-linux-gnu", Type::I32), ("x86_64-linux-gnu", Type::I64)] {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        let c = object.c_types();
        assert_eq!(object.value_type(&c.long).unwrap(), Some(long));
        let pair = CType::structure([CType::I8, c.long.clone()]);
        assert_eq!(object.value_type(&pair).unwrap(), None);
        let text = object.text(b"text\0");
        let pair = CType::structure([CType::I8, c.long.clone()]);
        let signature = Signature::c(c.long.clone()).param(CType::PTR).param(CType::I16);
        let get = object.declare("get", signature, Linkage::Export).unwrap();
        let twice = object.declare("twice", Signature::c(CType::Void), Linkage::Import).unwrap();
        object
            .define(get, |b| {
                let (p, n) = (b.param(0), b.param(1));
                let at = b.index(p, n, 8);
                let small = b.load_c(&CType::I8, at, 0);
                let wide = b.convert_c(small, &CType::I8, long);
                b.store_c(&c.long, wide, at, 4);
                b.store_c(&pair, p, at, 16);
                let inner = b.load_c(&pair, at, 16);
                let read = b.load_c(&c.long, inner, 4);
                assert_eq!(b.text(b"text\0"), b.address(text));
                b.ret(Some(read));
            })
            .unwrap();
        let none = object.declare("none", Signature::c(CType::Void), Linkage::Export).unwrap();
        let wrong = object.define(none, |b| {
            b.call_value(twice, &[]);
            b.ret(None);
        });
        assert!(wrong.unwrap_err().to_string().contains("it has none"));
    }
}

#[test]
fn calls_are_safepoints() {
    for triple in ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"] {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
        let make = object.declare("make", Signature::c(CType::PTR).param(CType::PTR), Linkage::Import).unwrap();
        let pair = Signature::c(CType::PTR).param(CType::PTR).param(CType::PTR);
        let f = object.declare("f", pair, Linkage::Export).unwrap();
        object
            .define(f, |b| {
                let (x, y) = (b.param(0), b.param(1));
                b.reference(x);
                b.reference(y);
                let made = b.call_safepoint(make, &[x], 41).unwrap();
                b.reference(made);
                b.store(y, made, 0);
                let again = b.call_safepoint(make, &[made], 42).unwrap();
                b.store(made, again, 0);
                b.ret(Some(again));
            })
            .unwrap();
        let bytes = object.finish().unwrap();
        assert!(bytes.windows(15).any(|word| word == b".llvm_stackmaps"), "{triple}");
        for id in [41u64, 42] {
            assert!(bytes.windows(8).any(|word| word == id.to_le_bytes()), "{triple}: {id}");
        }
    }
}

#[test]
fn misplaced_bytes_are_errors() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let mut data = Data::zeroed(8, 4);
    data.set(2, &[1, 2]);
    data.append(&[9]);
    assert_eq!(data.size(), 9);
    object.data("good", Linkage::Export, data).unwrap();
    let mut far = Data::zeroed(8, 4);
    far.set(u64::MAX, &[1]);
    let mut large = Data::zeroed(1 << 60, 1);
    large.append(&[1]);
    let mut beyond = Data::constant([1, 2]);
    beyond.set(1, &[3, 4]);
    for (n, wrong) in [far, large, beyond].into_iter().enumerate() {
        let error = object.data(&format!("wrong{n}"), Linkage::Export, wrong).unwrap_err();
        assert!(error.to_string().contains("bytes are more than its size"), "{error}");
    }
    let address = Data::zeroed(8, 8).address(4, object.declare("f", int_to_int(), Linkage::Import).unwrap(), 0);
    assert!(object.data("wrong", Linkage::Export, address).unwrap_err().to_string().contains("beyond its end"));
}

#[test]
fn each_image_has_its_own_operations_of_the_machine() {
    let target = target();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let bytes = Type::vector(Type::I8, 16).unwrap();
    for name in ["x86.sse2.pavg.b", "x86.sse2.psad.bw"] {
        let f = object.declare("f", Signature::c(CType::Void).param(CType::PTR), Linkage::Export).unwrap();
        let result = if name.ends_with("bw") { Type::vector(Type::I64, 2).unwrap() } else { bytes };
        object
            .define(f, |b| {
                let p = b.param(0);
                let (x, y) = (b.load(bytes, p, 0), b.load(bytes, p, 16));
                let made = b.machine_op(name, &[x, y], Some(result)).unwrap();
                b.store(made, p, 0);
                b.ret(None);
            })
            .unwrap();
        object.take_image().unwrap();
        // Nothing of the earlier image is left, with or without operations.
        let g = object.declare("g", Signature::c(CType::Void), Linkage::Export).unwrap();
        object.define(g, |b| b.ret(None)).unwrap();
        object.take_image().unwrap();
    }
}

#[test]
fn routines_of_cxx() {
    for (triple, routine) in [
        ("x86_64-unknown-linux-gnu", "__gxx_personality_v0"),
        ("x86_64-pc-windows-gnu", "__gxx_personality_seh0"),
        ("i686-pc-windows-gnu", "___gxx_personality_v0"),
    ] {
        let target = Target::from_triple(triple, &Features::default()).unwrap();
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        let other = object.declare("other", Signature::c(CType::Void), Linkage::Import).unwrap();
        let f = object.declare("f", Signature::c(CType::Void), Linkage::Export).unwrap();
        let defined = object.define(f, |b| {
            b.cxx_personality();
            let pad = b.create_block();
            b.unwind_to(Some(pad));
            b.call(other, &[]);
            b.ret(None);
            b.seal(pad);
            b.switch_to(pad);
            let caught = b.landing_pad(&[], true);
            b.resume(caught.exception);
        });
        defined.unwrap();
        let bytes = object.finish().unwrap();
        assert!(bytes.windows(routine.len()).any(|word| word == routine.as_bytes()), "{triple}");
    }
}

#[test]
fn microsoft_has_no_landing_pads() {
    let target = Target::from_triple("x86_64-pc-windows-msvc", &Features::default()).unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let f = object.declare("f", Signature::c(CType::Void), Linkage::Export).unwrap();
    let defined = object.define(f, |b| {
        let pad = b.create_block();
        b.ret(None);
        b.switch_to(pad);
        let caught = b.landing_pad(&[], true);
        b.resume(caught.exception);
    });
    let error = defined.unwrap_err().to_string();
    assert!(error.contains("make a `catch_switch` or a `cleanup_pad`"), "{error}");
}
