//! Intrinsics that the library's builder makes by name: objects are those that the same calls in LLVM IR give.

use std::fmt::Write;

use gusset::abi::{CType, LlvmScalar, LlvmType, Signature};
use gusset::ir::Type;
use gusset::{BuilderOptions, Error, Features, Linkage, ObjectBuilder, Options, Source, Target, compile_llvm};
use gusset_tests::objects;
use gusset_tests::tools::Failure;

/// An argument: a value of a type, one of the function's two pointers, or a constant with its bits.
enum Arg {
    V(LlvmType),
    P,
    Q,
    C(u32, i64),
}
use Arg::{C, P, Q, V};

const X86: &str = "x86_64-linux-gnu";
const A64: &str = "aarch64-linux-gnu";
const ARM: &str = "armv7-linux-gnueabihf";

fn i(bits: u32) -> LlvmType {
    LlvmType::int(bits)
}

const F32: LlvmType = LlvmType::Scalar(LlvmScalar::Float);
const F64: LlvmType = LlvmType::Scalar(LlvmScalar::Double);

fn vec(lanes: u32, lane: LlvmScalar) -> LlvmType {
    LlvmType::Vector { lane, lanes }
}

fn ints(lanes: u32, bits: u32) -> LlvmType {
    vec(lanes, LlvmScalar::Int(bits))
}

/// The name without `llvm.`, the results, the arguments.
type Row = (&'static str, Vec<LlvmType>, Vec<Arg>);

/// The same results and arguments for each name.
fn alike(rows: &mut Vec<Row>, names: &[&'static str], result: &LlvmType, args: usize) {
    let of = |&name: &&'static str| (name, vec![result.clone()], (0..args).map(|_| V(result.clone())).collect());
    rows.extend(names.iter().map(of));
}

fn general() -> Vec<Row> {
    let mut rows = Vec::new();
    alike(&mut rows, &["ctpop.i32", "bswap.i32", "bitreverse.i32"], &i(32), 1);
    alike(&mut rows, &["uadd.sat.i32", "sadd.sat.i32", "usub.sat.i32", "ssub.sat.i32", "smax.i32"], &i(32), 2);
    alike(&mut rows, &["fshl.i32", "fshr.i32"], &i(32), 3);
    alike(&mut rows, &["smax.v4i32", "umin.v4i32", "uadd.sat.v4i32"], &ints(4, 32), 2);
    alike(&mut rows, &["vector.reverse.v4i32", "ctpop.v4i32"], &ints(4, 32), 1);
    alike(&mut rows, &["sqrt.f64", "fabs.f64", "floor.f64", "canonicalize.f64"], &F64, 1);
    alike(&mut rows, &["copysign.f64", "maxnum.f64", "minimum.f64"], &F64, 2);
    alike(&mut rows, &["fmuladd.f64", "fma.f64"], &F64, 3);
    let lanes = || V(ints(4, 32));
    rows.extend([
        ("ctlz.i64", vec![i(64)], vec![V(i(64)), C(1, 0)]),
        ("cttz.i16", vec![i(16)], vec![V(i(16)), C(1, 1)]),
        ("abs.i32", vec![i(32)], vec![V(i(32)), C(1, 0)]),
        ("uadd.with.overflow.i32", vec![i(32), i(1)], vec![V(i(32)), V(i(32))]),
        ("smul.with.overflow.i64", vec![i(64), i(1)], vec![V(i(64)), V(i(64))]),
        ("vector.reduce.add.v4i32", vec![i(32)], vec![lanes()]),
        ("vector.reduce.umax.v8i16", vec![i(16)], vec![V(ints(8, 16))]),
        ("vector.reduce.fadd.v4f32", vec![F32], vec![V(F32), V(vec(4, LlvmScalar::Float))]),
        ("fptosi.sat.i32.f64", vec![i(32)], vec![V(F64)]),
        ("fptoui.sat.i8.f32", vec![i(8)], vec![V(F32)]),
        ("is.fpclass.f32", vec![i(1)], vec![V(F32), C(32, 3)]),
        ("get.rounding", vec![i(32)], vec![]),
        ("expect.i64", vec![i(64)], vec![V(i(64)), C(64, 1)]),
        ("objectsize.i64.p0", vec![i(64)], vec![P, C(1, 0), C(1, 0), C(1, 0)]),
        ("memcpy.p0.p0.i64", vec![], vec![P, Q, V(i(64)), C(1, 0)]),
        ("memcpy.p0.p0.i64", vec![], vec![P, Q, C(64, 40), C(1, 0)]),
        ("memmove.p0.p0.i64", vec![], vec![P, Q, V(i(64)), C(1, 0)]),
        ("memset.p0.i64", vec![], vec![P, V(i(8)), V(i(64)), C(1, 0)]),
        ("prefetch.p0", vec![], vec![P, C(32, 0), C(32, 3), C(32, 1)]),
        ("masked.load.v4i32.p0", vec![ints(4, 32)], vec![P, C(32, 4), V(ints(4, 1)), lanes()]),
        ("masked.store.v4i32.p0", vec![], vec![lanes(), Q, C(32, 4), V(ints(4, 1))]),
        ("masked.expandload.v4i32.p0", vec![ints(4, 32)], vec![P, V(ints(4, 1)), lanes()]),
        ("smul.fix.i32", vec![i(32)], vec![V(i(32)), V(i(32)), C(32, 4)]),
        ("scmp.i8.i32", vec![i(8)], vec![V(i(32)), V(i(32))]),
        ("ptrmask.p0.i64", vec![LlvmType::PTR], vec![P, V(i(64))]),
        ("load.relative.i64", vec![LlvmType::PTR], vec![P, V(i(64))]),
        ("vector.interleave2.v8i32", vec![ints(8, 32)], vec![lanes(), lanes()]),
        ("vector.deinterleave2.v8i32", vec![ints(4, 32), ints(4, 32)], vec![V(ints(8, 32))]),
        ("stacksave.p0", vec![LlvmType::PTR], vec![]),
        ("debugtrap", vec![], vec![]),
    ]);
    rows
}

/// Those of a machine.
fn own(triple: &str) -> Vec<Row> {
    let (lanes, halves) = (|| V(ints(4, 32)), ints(8, 16));
    match triple {
        X86 => vec![
            ("x86.sse2.pavg.b", vec![ints(16, 8)], vec![V(ints(16, 8)), V(ints(16, 8))]),
            ("x86.sse2.pmadd.wd", vec![ints(4, 32)], vec![V(halves.clone()), V(halves)]),
            ("x86.sse2.pmovmskb.128", vec![i(32)], vec![V(ints(16, 8))]),
            ("x86.addcarry.32", vec![i(8), i(32)], vec![V(i(8)), V(i(32)), V(i(32))]),
            ("x86.sse2.mfence", vec![], vec![]),
        ],
        A64 => vec![
            ("aarch64.neon.ld2.v4i32.p0", vec![ints(4, 32); 2], vec![P]),
            ("aarch64.neon.ld3lane.v4i32.p0", vec![ints(4, 32); 3], vec![lanes(), lanes(), lanes(), C(64, 2), P]),
            ("aarch64.neon.ld4r.v4i32.p0", vec![ints(4, 32); 4], vec![P]),
            ("aarch64.neon.st2.v4i32.p0", vec![], vec![lanes(), lanes(), Q]),
            ("aarch64.neon.sqdmulh.v8i16", vec![halves.clone()], vec![V(halves.clone()), V(halves)]),
            ("aarch64.neon.tbl2.v16i8", vec![ints(16, 8)], vec![V(ints(16, 8)), V(ints(16, 8)), V(ints(16, 8))]),
        ],
        _ => vec![
            ("arm.neon.vld2.v4i32.p0", vec![ints(4, 32); 2], vec![P, C(32, 4)]),
            ("arm.neon.vst2.p0.v4i32", vec![], vec![Q, lanes(), lanes(), C(32, 4)]),
            ("arm.neon.vqdmulh.v8i16", vec![halves.clone()], vec![V(halves.clone()), V(halves)]),
        ],
    }
}

fn scalar_text(ty: LlvmScalar) -> String {
    match ty {
        LlvmScalar::Int(bits) => format!("i{bits}"),
        LlvmScalar::Float => "float".into(),
        LlvmScalar::Double => "double".into(),
        _ => "ptr".into(),
    }
}

fn text(ty: &LlvmType) -> String {
    match ty {
        LlvmType::Vector { lane, lanes } => format!("<{lanes} x {}>", scalar_text(*lane)),
        LlvmType::Scalar(ty) => scalar_text(*ty),
        _ => "void".into(),
    }
}

fn ir(ty: &LlvmType, pointer: Type) -> Type {
    let scalar = |ty: &LlvmScalar| match ty {
        LlvmScalar::Int(bits) => Type::int(*bits).unwrap_or(Type::I64),
        LlvmScalar::Float => Type::F32,
        LlvmScalar::Double => Type::F64,
        _ => pointer,
    };
    match ty {
        LlvmType::Vector { lane, lanes } => Type::vector(scalar(lane), *lanes).unwrap_or(Type::I64),
        LlvmType::Scalar(ty) => scalar(ty),
        _ => Type::VOID,
    }
}

/// Bytes between values in memory.
const STEP: i32 = 64;

/// A function that loads the arguments and stores the results, as LLVM IR.
fn written((name, results, args): &Row) -> String {
    let mut body = String::new();
    let mut call = Vec::new();
    for (k, arg) in args.iter().enumerate() {
        call.push(match arg {
            V(ty) => {
                let (ty, at) = (text(ty), STEP * k as i32);
                let _ = writeln!(body, "  %p{k} = getelementptr i8, ptr %p, i32 {at}");
                let _ = writeln!(body, "  %a{k} = load {ty}, ptr %p{k}, align 1");
                format!("{ty} %a{k}")
            }
            P => "ptr %p".into(),
            Q => "ptr %q".into(),
            C(1, n) => format!("i1 {}", n != &0),
            C(bits, n) => format!("i{bits} {n}"),
        });
    }
    let types: Vec<String> = results.iter().map(text).collect();
    let ret = match &types[..] {
        [] => "void".to_string(),
        [only] => only.clone(),
        _ => format!("{{ {} }}", types.join(", ")),
    };
    let value = if results.is_empty() { "" } else { "%r = " };
    let _ = writeln!(body, "  {value}call {ret} @llvm.{name}({})", call.join(", "));
    for (k, ty) in types.iter().enumerate() {
        if types.len() > 1 {
            let _ = writeln!(body, "  %r{k} = extractvalue {ret} %r, {k}");
        }
        let r = if types.len() > 1 { format!("%r{k}") } else { "%r".into() };
        let _ = writeln!(body, "  %q{k} = getelementptr i8, ptr %q, i32 {}", STEP * k as i32);
        let _ = writeln!(body, "  store {ty} {r}, ptr %q{k}, align 1");
    }
    let params: Vec<String> =
        call.iter().map(|arg| arg.split(' ').take(ty_words(arg)).collect::<Vec<_>>().join(" ")).collect();
    let declared = format!("declare {ret} @llvm.{name}({})\n", params.join(", "));
    format!("{declared}define void @f(ptr %p, ptr %q) uwtable {{\n{body}  ret void\n}}\n")
}

/// Words of an argument's type.
fn ty_words(arg: &str) -> usize {
    if arg.starts_with('<') { 3 } else { 1 }
}

fn built(target: &Target, (name, results, args): &Row) -> Result<Vec<u8>, Error> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    object.source_name("x");
    let f = object.declare("f", Signature::c(CType::Void).param(CType::PTR).param(CType::PTR), Linkage::Export)?;
    object.define(f, |b| {
        let (p, q, pointer) = (b.param(0), b.param(1), b.ptr_type());
        let mut values = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            values.push(match arg {
                V(ty) => (ty.clone(), b.load_aligned(ir(ty, pointer), p, STEP * k as i32, 1)),
                P => (LlvmType::PTR, p),
                Q => (LlvmType::PTR, q),
                C(bits, n) => (i(*bits), b.iconst(ir(&i(*bits), pointer), (*n).into())),
            });
        }
        let made = b.intrinsic(&format!("llvm.{name}"), results, &values);
        for (k, v) in made.into_iter().enumerate() {
            b.store_aligned(v, q, STEP * k as i32, 1);
        }
        b.ret(None);
    })?;
    object.finish()
}

fn read(target: &Target, row: &Row) -> Result<Vec<u8>, Error> {
    let flags = "!llvm.module.flags = !{!9}\n!9 = !{i32 8, !\"PIC Level\", i32 2}\n";
    let text = format!("source_filename = \"x\"\n{}{flags}", written(row));
    let source = Source { name: "x.ll", text: text.as_bytes() };
    let compiled = compile_llvm(source, target, &Options::default(), &mut |_| {})?;
    Ok(compiled.bytes.into_vec().unwrap_or_default())
}

#[test]
fn objects_are_those_of_the_reader() -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for triple in [X86, A64, ARM] {
        let target = Target::from_triple(triple, &Features::default()).map_err(|e| Failure::new(e.to_string()))?;
        let general = if triple == ARM { Vec::new() } else { general() };
        for row in general.into_iter().chain(own(triple)) {
            match (read(&target, &row), built(&target, &row)) {
                (Ok(read), Ok(built)) => {
                    let differences = objects::differences(&read, &built)?;
                    wrong.extend(differences.iter().map(|line| format!("{triple}, {}: {line}", row.0)));
                }
                (Err(e), _) => wrong.push(format!("{triple}, {}, read: {e}", row.0)),
                (_, Err(e)) => wrong.push(format!("{triple}, {}, built: {e}", row.0)),
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(wrong.join("\n"))) }
}

/// Variables have their values also where an intrinsic has made blocks, and mistakes are errors.
#[test]
fn blocks_and_mistakes() -> Result<(), Failure> {
    let target = Target::from_triple(X86, &Features::default()).map_err(|e| Failure::new(e.to_string()))?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let signature = || Signature::c(CType::I32).param(CType::PTR);
    let mut declare = |name: &str| object.declare(name, signature(), Linkage::Export);
    let failed = |e: Error| Failure::new(e.to_string());
    let (good, bad, types) =
        (declare("good").map_err(failed)?, declare("bad").map_err(failed)?, declare("types").map_err(failed)?);
    let lanes = ints(4, 32);
    let good = object.define(good, |b| {
        let (p, var) = (b.param(0), b.declare_var(Type::I32));
        let n = b.load_i32(p, 0);
        b.def_var(var, n);
        let (mask, old) =
            (b.load_aligned(ir(&ints(4, 1), Type::I64), p, 0, 1), b.load_aligned(ir(&lanes, Type::I64), p, 0, 1));
        let align = b.i32_const(4);
        let args = [(LlvmType::PTR, p), (i(32), align), (ints(4, 1), mask), (lanes.clone(), old)];
        b.intrinsic("llvm.masked.load.v4i32.p0", std::slice::from_ref(&lanes), &args);
        let (next, n) = (b.create_block(), b.use_var(var));
        b.jump(next, &[]);
        b.switch_to(next);
        b.seal(next);
        let again = b.use_var(var);
        let sum = b.iadd(n, again);
        b.ret(Some(sum));
    });
    good.map_err(failed)?;
    for (f, name, ty, why) in [
        (bad, "llvm.sin.f64", F64, "declare the C library's function"),
        (types, "llvm.ctpop.i32", i(64), "`llvm.ctpop.i32`: "),
    ] {
        let made = object.define(f, |b| {
            let p = b.param(0);
            let v = b.load_aligned(Type::I32, p, 0, 1);
            b.intrinsic(name, std::slice::from_ref(&ty), &[(ty.clone(), v)]);
            b.ret(Some(v));
        });
        let error = made.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(why), "{name}: {error}");
    }
    Ok(())
}
