//! What LLVM IR says about symbols and data, the library's builder can say, too: the objects are equal.

use gusset::abi::{CType, Signature};
use gusset::ir::{IntCc, Type};
use gusset::{
    Body, BuilderOptions, ComdatKind, Data, DllStorage, Error, Features, Func, Linkage, ObjectBuilder, Options, Source,
    Target, TlsModel, Visibility, compile_llvm,
};
use gusset_tests::objects;
use gusset_tests::tools::{Failure, limited, llc, succeed, work_folder};

type Build = fn(&mut ObjectBuilder<'_>) -> Result<(), Error>;

fn nothing() -> Signature {
    Signature::c(CType::Void)
}

fn int() -> Signature {
    Signature::c(CType::I32)
}

/// `void NAME() { }`
fn empty(object: &mut ObjectBuilder<'_>, name: &str, linkage: Linkage) -> Result<Func, Error> {
    let function = object.declare(name, nothing(), linkage)?;
    object.define(function, |b| b.ret(None))?;
    Ok(function)
}

/// A body that calls a function with its parameter and returns the result, with or without a hint.
fn forward(b: &mut Body<'_, '_>, function: Func) {
    let x = b.param(0);
    let result = b.call(function, &[x]);
    b.ret(result);
}

const ROWS: &[(&str, &str, Build)] = &[
    (
        "a stack limit",
        "@limit = external global ptr
         declare void @overflow()
         define void @f() uwtable \"stack-limit\"=\"limit\" \"stack-limit-handler\"=\"overflow\" { call void @f()
            ret void }
         define void @g() uwtable \"stack-limit\"=\"limit\" \"stack-limit-handler\"=\"h\" { call void @g()
            ret void }
         define void @h() uwtable { call void @g()
            ret void }",
        |object| {
            let limit = object.data("limit", Linkage::Import, Data::default())?;
            let overflow = object.declare("overflow", nothing(), Linkage::Import)?;
            let [f, g, h] = ["f", "g", "h"].map(|name| object.declare(name, nothing(), Linkage::Export));
            let (f, g, h) = (f?, g?, h?);
            let calls = |callee: Func| {
                move |b: &mut Body<'_, '_>| {
                    b.call(callee, &[]);
                    b.ret(None);
                }
            };
            object.define(f, |b| {
                b.stack_limit(limit, overflow);
                calls(f)(b);
            })?;
            object.set_stack_limit(Some((limit, h)))?;
            object.define(g, calls(g))?;
            object.define(h, calls(g))
        },
    ),
    (
        "thread-local data",
        "@a = thread_local global i32 7
         @b = internal thread_local(localdynamic) global i32 0
         @c = external thread_local(initialexec) global i32
         @d = thread_local(localexec) global i64 0
         define i32 @f() uwtable { %x = load i32, ptr @a
            %y = load i32, ptr @c
            %s = add i32 %x, %y
            store i32 %s, ptr @b
            ret i32 %s }",
        |object| {
            let a = object.data("a", Linkage::Export, Data::writable(7i32.to_le_bytes()).aligned(4).thread_local(true))?;
            let b = object.data("b", Linkage::Local, Data::zeroed(4, 4).thread_local(true))?;
            let c = object.data("c", Linkage::Import, Data::default().thread_local(true))?;
            let d = object.data("d", Linkage::Export, Data::zeroed(8, 8).thread_local(true))?;
            object.set_tls_model(b, TlsModel::LocalDynamic)?;
            object.set_tls_model(c, TlsModel::InitialExec)?;
            object.set_tls_model(d, TlsModel::LocalExec)?;
            let f = object.declare("f", int(), Linkage::Export)?;
            object.define(f, |body| {
                let a = body.address(a);
                let x = body.load_i32(a, 0);
                let c = body.address(c);
                let y = body.load_i32(c, 0);
                let sum = body.iadd(x, y);
                let b = body.address(b);
                body.store(sum, b, 0);
                body.ret(Some(sum));
            })
        },
    ),
    (
        "sections, alignment, visibility",
        "@a = global i32 1, section \".mine\"
         @b = hidden global i32 2
         @c = protected constant i32 3
         define void @f() uwtable section \".text.far\" align 64 { ret void }
         define hidden void @g() uwtable { ret void }",
        |object| {
            let a = object.data("a", Linkage::Export, Data::writable(1i32.to_le_bytes()).aligned(4))?;
            object.set_section(a, ".mine")?;
            let b = object.data("b", Linkage::Export, Data::writable(2i32.to_le_bytes()).aligned(4))?;
            object.set_visibility(b, Visibility::Hidden)?;
            let c = object.data("c", Linkage::Export, Data::constant(3i32.to_le_bytes()).aligned(4))?;
            object.set_visibility(c, Visibility::Protected)?;
            let f = object.declare("f", nothing(), Linkage::Export)?;
            object.set_section(f, ".text.far")?;
            object.set_alignment(f, 64)?;
            object.define(f, |b| b.ret(None))?;
            let g = object.declare("g", nothing(), Linkage::Export)?;
            object.set_visibility(g, Visibility::Hidden)?;
            object.define(g, |b| b.ret(None))
        },
    ),
    (
        "linkage of every kind",
        "@w = weak global i32 1
         @i = internal global i32 2
         @p = private global i32 3
         @c = common global i32 0
         @e = extern_weak global i32
         define weak void @wf() uwtable { ret void }
         define internal void @if() uwtable { ret void }
         declare extern_weak void @ef()
         define i32 @f() uwtable { %x = icmp eq ptr @ef, null
            %y = icmp eq ptr @e, null
            %z = and i1 %x, %y
            %r = zext i1 %z to i32
            ret i32 %r }",
        |object| {
            let word = |n: i32| Data::writable(n.to_le_bytes()).aligned(4);
            object.data("w", Linkage::Weak, word(1))?;
            object.data("i", Linkage::Local, word(2))?;
            object.data("p", Linkage::Private, word(3))?;
            object.data("c", Linkage::Common, Data::zeroed(4, 4))?;
            let e = object.data("e", Linkage::ImportWeak, Data::default())?;
            empty(object, "wf", Linkage::Weak)?;
            empty(object, "if", Linkage::Local)?;
            let ef = object.declare("ef", nothing(), Linkage::ImportWeak)?;
            let f = object.declare("f", int(), Linkage::Export)?;
            object.define(f, |b| {
                let null = b.ptr_const(0);
                let (x, y) = (b.address(ef), b.address(e));
                let (x, y) = (b.icmp(IntCc::Eq, x, null), b.icmp(IntCc::Eq, y, null));
                let both = b.and(x, y);
                let both = b.zext(both, Type::I32);
                b.ret(Some(both));
            })
        },
    ),
    (
        "groups",
        "$g = comdat any
         $h = comdat nodeduplicate
         @d = linkonce_odr constant i32 5, comdat($g)
         define linkonce_odr void @g() uwtable comdat { ret void }
         define void @h() uwtable comdat { ret void }",
        |object| {
            let (g, h) = (object.comdat("g", ComdatKind::Any), object.comdat("h", ComdatKind::NoDeduplicate));
            let d = object.data("d", Linkage::Weak, Data::constant(5i32.to_le_bytes()).aligned(4))?;
            object.set_comdat(d, g)?;
            for (name, linkage, group) in [("g", Linkage::Weak, g), ("h", Linkage::Export, h)] {
                let f = object.declare(name, nothing(), linkage)?;
                object.set_comdat(f, group)?;
                object.define(f, |b| b.ret(None))?;
            }
            Ok(())
        },
    ),
    (
        "aliases and functions chosen by others",
        "@d = global [2 x i32] [i32 1, i32 2]
         @second = alias i32, getelementptr (i8, ptr @d, i64 4)
         @f_again = weak alias void (), ptr @f
         @chosen = ifunc i32 (), ptr @choose
         define void @f() uwtable { ret void }
         define ptr @choose() uwtable { ret ptr null }
         define i32 @call() uwtable { %x = call i32 @chosen()
            %y = load i32, ptr @second
            %z = add i32 %x, %y
            ret i32 %z }",
        |object| {
            let bytes = [1i32, 2].map(i32::to_le_bytes).concat();
            let d = object.data("d", Linkage::Export, Data::writable(bytes).aligned(4))?;
            let second = object.data_alias("second", d, 4, Linkage::Export)?;
            let f = empty(object, "f", Linkage::Export)?;
            object.alias("f_again", f, Linkage::Weak)?;
            let choose = object.declare("choose", Signature::c(CType::PTR), Linkage::Export)?;
            object.define(choose, |b| {
                let null = b.ptr_const(0);
                b.ret(Some(null));
            })?;
            let chosen = object.ifunc("chosen", int(), Linkage::Export, choose)?;
            let call = object.declare("call", int(), Linkage::Export)?;
            object.define(call, |b| {
                let x = b.call(chosen, &[]).unwrap_or(b.poison(Type::I32));
                let second = b.address(second);
                let y = b.load_i32(second, 0);
                let sum = b.iadd(x, y);
                b.ret(Some(sum));
            })
        },
    ),
    (
        "constructors, destructors, what is kept",
        "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @f, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @g, ptr null }]
         @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 200, ptr @g, ptr null }]
         @kept = internal global i32 0
         @llvm.used = appending global [1 x ptr] [ptr @kept], section \"llvm.metadata\"
         define internal void @f() uwtable { ret void }
         define internal void @g() uwtable { ret void }",
        |object| {
            let kept = object.data("kept", Linkage::Local, Data::zeroed(4, 4))?;
            object.retain(kept)?;
            let f = empty(object, "f", Linkage::Local)?;
            let g = empty(object, "g", Linkage::Local)?;
            object.constructor(f, Some(101))?;
            object.constructor(g, None)?;
            object.destructor(g, Some(200))
        },
    ),
    (
        "addresses, distances, text",
        "@text = private unnamed_addr constant [6 x i8] c\"hello\\00\", align 1
         @table = constant { ptr, ptr, i32, i32 } { ptr @text, ptr getelementptr (i8, ptr @table, i64 8), i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @table to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr getelementptr (i8, ptr @table, i64 20) to i64)) to i32) }, align 8
         declare void @g()
         define void @f() uwtable { ret void }",
        |object| {
            let text = object.data("text", Linkage::Private, Data::constant(*b"hello\0").mergeable(true))?;
            // The table refers to itself, so that it is declared first.
            let g = object.declare("g", nothing(), Linkage::Import)?;
            let f = object.declare("f", nothing(), Linkage::Export)?;
            let table = object.data("table", Linkage::Import, Data::default())?;
            let contents = Data::zeroed(24, 8).read_only(true).address(0, text, 0).address(8, table, 8);
            object.define_data(table, Linkage::Export, contents.difference(16, 4, f, 0, table).relative(20, 4, g, 0))?;
            object.define(f, |b| b.ret(None))
        },
    ),
    (
        "data before functions, calls that replace their caller",
        "define i32 @f(i32 %x) uwtable prefix i32 42 { ret i32 %x }
         declare i32 @g(i32)
         define i32 @h(i32 %x) uwtable { %y = tail call i32 @g(i32 %x)
            ret i32 %y }
         define i32 @i(i32 %x) uwtable { %y = musttail call i32 @g(i32 %x)
            ret i32 %y }
         define i32 @j(i32 %x) uwtable { %y = call i32 @g(i32 %x)
            ret i32 %y }",
        |object| {
            let unary = || int().param(CType::I32);
            let f = object.declare("f", unary(), Linkage::Export)?;
            object.set_prefix_data(f, Data::constant(42i32.to_le_bytes()))?;
            object.define(f, |b| {
                let x = b.param(0);
                b.ret(Some(x));
            })?;
            let g = object.declare("g", unary(), Linkage::Import)?;
            let [h, i, j] = ["h", "i", "j"].map(|name| object.declare(name, unary(), Linkage::Export));
            object.define(h?, |b| {
                let x = b.param(0);
                b.tail_call(g, &[x]);
            })?;
            object.define(i?, |b| {
                let x = b.param(0);
                b.must_tail_call(g, &[x]);
            })?;
            object.define(j?, |b| forward(b, g))
        },
    ),
    (
        "options for linkers",
        "!llvm.ident = !{!0}
         !llvm.linker.options = !{!1}
         !0 = !{!\"front end 1.0\"}
         !1 = !{!\"lib\", !\"m\"}",
        |object| {
            object.producer("front end 1.0");
            object.linker_option("lib");
            object.linker_option("m");
            Ok(())
        },
    ),
];

/// Images on Windows import from each other and export.
const WINDOWS: &[(&str, &str, Build)] = &[(
    "imports and exports",
    "@a = external dllimport global i32
     @b = dllexport global i32 1
     declare dllimport i32 @f(i32)
     define dllexport i32 @g(i32 %x) uwtable { %y = call i32 @f(i32 %x)
        ret i32 %y }
     define i32 @h() uwtable { %x = load i32, ptr @a
        ret i32 %x }",
    |object| {
        let a = object.data("a", Linkage::Import, Data::default())?;
        object.set_dll_storage(a, DllStorage::Import)?;
        let b = object.data("b", Linkage::Export, Data::writable(1i32.to_le_bytes()).aligned(4))?;
        object.set_dll_storage(b, DllStorage::Export)?;
        let f = object.declare("f", int().param(CType::I32), Linkage::Import)?;
        object.set_dll_storage(f, DllStorage::Import)?;
        let g = object.declare("g", int().param(CType::I32), Linkage::Export)?;
        object.set_dll_storage(g, DllStorage::Export)?;
        object.define(g, |b| forward(b, f))?;
        let h = object.declare("h", int(), Linkage::Export)?;
        object.define(h, |b| {
            let a = b.address(a);
            let x = b.load_i32(a, 0);
            b.ret(Some(x));
        })
    },
)];

fn both(triple: &str, text: &str, build: Build) -> Result<[Vec<u8>; 2], Error> {
    let target = Target::from_triple(triple, &Features::default())?;
    let flags = "!llvm.module.flags = !{!9}\n!9 = !{i32 8, !\"PIC Level\", i32 2}\n";
    let text = format!("source_filename = \"x\"\n{text}\n{flags}");
    let source = Source { name: "x.ll", text: text.as_bytes() };
    let compiled = compile_llvm(source, &target, &Options::default(), &mut |_| {})?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    object.source_name("x");
    build(&mut object)?;
    Ok([compiled.bytes.into_vec().unwrap_or_default(), object.finish()?])
}

#[test]
fn objects_are_those_of_llvm_ir() -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for triple in ["x86_64-linux-gnu", "aarch64-linux-gnu"] {
        for (name, text, build) in ROWS {
            let [read, built] = both(triple, text, *build).map_err(|e| Failure::new(format!("{name}: {e}")))?;
            let differences = objects::differences(&read, &built)?;
            wrong.extend(differences.iter().map(|line| format!("{triple}, {name}: {line}")));
        }
    }
    let thread_local = ROWS.iter().find(|row| row.0 == "thread-local data");
    let (name, text, build) = thread_local.ok_or_else(|| Failure::new("there is no thread-local data"))?;
    // A library provides it.
    for triple in ["x86_64-unknown-openbsd", "aarch64-linux-android21", "armv7-linux-androideabi21"] {
        let [read, built] = both(triple, text, *build).map_err(|e| Failure::new(format!("{triple}: {e}")))?;
        let differences = objects::differences(&read, &built)?;
        wrong.extend(differences.iter().map(|line| format!("{triple}, {name}: {line}")));
    }
    for (name, text, build) in WINDOWS {
        let [read, built] = both("x86_64-pc-windows-msvc", text, *build).map_err(|e| Failure::new(e.to_string()))?;
        if read != built {
            wrong.push(format!("Windows, {name}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(wrong.join("\n"))) }
}

/// Names, flags and, in COFF, kinds of selection of the sections with code and data; the code's own ones first.
fn sections(bytes: &[u8]) -> Result<Vec<String>, Failure> {
    use object::{Object, ObjectComdat, ObjectSection};
    let file = object::File::parse(bytes).map_err(|e| Failure::new(e.to_string()))?;
    let kind = |index| file.comdats().find(|c| c.sections().any(|s| s == index)).map(|c| c.kind());
    let named = |name: &str| {
        [".text", ".data", ".rodata", ".rdata", ".bss", ".tdata", ".tls"].iter().any(|s| name.starts_with(s))
    };
    let list = file.sections().filter(|s| s.name().is_ok_and(named) && s.size() > 0);
    let mut list: Vec<String> =
        list.map(|s| format!("{} {:?} {:?}", s.name().unwrap_or_default(), s.flags(), kind(s.index()))).collect();
    list.sort();
    Ok(list)
}

#[test]
fn sections_of_their_own_are_as_by_llc() -> Result<(), Failure> {
    // In COFF, LLVM gives private data a symbol to have it in a section of its own; Gusset leaves it with the others.
    let private =
        "@p = private global i32 3\n@llvm.used = appending global [1 x ptr] [ptr @p], section \"llvm.metadata\"\n";
    let text = "@d = global i32 1\n@z = internal global i32 0\n@r = constant i64 5\n
        @t = thread_local global i32 2\n@c = common global i32 0
        define void @f() { ret void }\ndefine internal void @g() { ret void }\n";
    for triple in ["x86_64-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-w64-mingw32"] {
        let folder = work_folder(&format!("builder-sections/{triple}"));
        let (ir, theirs) = (folder.join("x.ll"), folder.join("x.o"));
        let elf = triple.contains("linux");
        std::fs::write(&ir, if elf { format!("{text}{private}") } else { text.to_string() })?;
        let options = ["-function-sections", "-data-sections", "-filetype=obj", "-relocation-model=pic"];
        succeed(limited(60, llc()).arg(format!("-mtriple={triple}")).args(options).arg(&ir).arg("-o").arg(&theirs))?;
        let failed = |e: Error| Failure::new(e.to_string());
        let target = Target::from_triple(triple, &Features::default()).map_err(failed)?;
        let options = BuilderOptions::new().function_sections(true).data_sections(true);
        let mut object = ObjectBuilder::new(&target, &options);
        let mut build = || {
            let word = |n: i32| Data::writable(n.to_le_bytes()).aligned(4);
            object.data("d", Linkage::Export, word(1))?;
            object.data("z", Linkage::Local, Data::zeroed(4, 4))?;
            object.data("r", Linkage::Export, Data::constant(5i64.to_le_bytes()).aligned(8))?;
            object.data("t", Linkage::Export, word(2).thread_local(true))?;
            object.data("c", Linkage::Common, Data::zeroed(4, 4))?;
            empty(&mut object, "f", Linkage::Export)?;
            empty(&mut object, "g", Linkage::Local)?;
            if elf {
                let p = object.data("p", Linkage::Private, word(3))?;
                object.retain(p)?;
            }
            Ok(())
        };
        build().map_err(failed)?;
        let (ours, theirs) = (sections(&object.finish().map_err(failed)?)?, sections(&std::fs::read(&theirs)?)?);
        assert_eq!(ours, theirs, "{triple}");
    }
    Ok(())
}
