//! Modules by Gusset used by IREE's stock tools and its runtime for Python: values of every kind, on both local devices, and what
//! goes wrong; nothing stays allocated.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use gusset_tests::iree::{Iree, shared_object, stock};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, root, run, succeed, work_folder};

const DEVICES: [&str; 2] = ["local-sync", "local-task"];

/// Arguments with spaces between them, and results with `; ` between them or, after `!`, what the error says.
type Case = (&'static str, &'static str, &'static str);

/// The module that a file of MLIR is, made once for all tests. It has the file's name.
fn module(file: &'static str, options: &'static [&'static str]) -> Result<PathBuf, Failure> {
    static MADE: Mutex<BTreeMap<String, Result<PathBuf, String>>> = Mutex::new(BTreeMap::new());
    let make = || {
        let name = format!("modules{}", options.join("-"));
        shared_object(&name, &root().join("tests/iree").join(file).with_extension("mlir"), file, options)
    };
    let mut made = MADE.lock().map_err(|e| Failure::new(e.to_string()))?;
    let library = made.entry(format!("{file} {options:?}")).or_insert_with(|| make().map_err(|e| e.to_string()));
    library.clone().map_err(Failure::new)
}

/// Calls a function of the last of these modules; its results, or `!` and the error.
fn call(iree: &Iree, options: &[&str], modules: &[&Path], (function, inputs, _): Case) -> Result<String, Failure> {
    let mut command = iree.run_module();
    command.args(options).arg(format!("--function={function}"));
    if !options.is_empty() {
        command.arg("--print_statistics");
    }
    command.args(modules.iter().map(|module| format!("--module={}", module.display())));
    command.args(inputs.split(' ').filter(|input| !input.is_empty()).map(|input| format!("--input={input}")));
    let outcome = run(&mut command)?;
    let errors = outcome.errors();
    let live = errors.lines().filter_map(|line| line.strip_suffix(" live")?.rsplit("/ ").next());
    let mut counters = 0;
    for bytes in live {
        counters += 1;
        assert_eq!(bytes.trim(), "0B", "{function} {inputs}: memory stays\n{errors}");
    }
    // Modules of numbers alone have no device, whose memory is counted.
    let counted = !options.is_empty() && modules.iter().any(|module| !module.ends_with("modules-scalars.so"));
    assert!(counters > 0 || outcome.code != 0 || !counted, "no statistics\n{errors}");
    if outcome.code != 0 {
        return Ok(format!("!{}: {errors}", outcome.code));
    }
    let mut results: Vec<String> = Vec::new();
    for line in outcome.text().lines().skip(1).filter(|line| !line.is_empty()) {
        match line.strip_prefix("result[").and_then(|rest| rest.split_once("]: ")) {
            Some((_, "hal.buffer_view")) => {}
            Some((_, value)) => results.push(value.into()),
            None => results.push(line.into()),
        }
    }
    Ok(results.join("; "))
}

/// Calls all of them, on each device.
#[track_caller]
fn check(iree: &Iree, devices: &[&str], modules: &[&Path], cases: &[Case]) {
    let count = cases.len() * devices.len();
    let failures = parallel::map(count, |i| {
        let (case, device) = (cases[i / devices.len()], devices[i % devices.len()]);
        let options = if device.is_empty() { vec![] } else { vec![device] };
        let got = call(iree, &options, modules, case).map_err(|e| e.to_string()).unwrap_or_else(|e| e);
        let fine = match case.2.strip_prefix('!') {
            // A code of its own, and not a signal.
            Some(said) => got.starts_with("!1: ") && got.contains(said),
            None => got == case.2,
        };
        (!fine).then(|| format!("{} {} on {device}\n  wanted {}\n  got    {got}", case.0, case.1, case.2))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{} of {count} calls:\n{}", failures.len(), failures.join("\n"));
}

const BOTH: [&str; 2] = ["--device=local-sync", "--device=local-task"];

#[test]
fn numbers() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let cases = [
        ("nothing", "", ""),
        ("mix", "1 40 0.5 2.25", "i64=41; f64=2.75; i32=41; f32=2.75"),
        ("mix", "-1 -9223372036854775808 1e30 -1", "i64=9223372036854775807; f64=1e+30; i32=-1; f32=1e+30"),
        ("many", "1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 11", "i64=123456789; f64=2.34568e+09"),
        ("many", "-1 0 -2 0 -3 0 -4 0 -5 0 -6 0 -7 0 -8 0 -9 0 0.5", "i64=-123456789; f64=0.5"),
        ("spread", "-3", "i32=-3; i64=-3; f32=-3; f64=-3; i32=-3; i32=-3; i32=-3; i64=-3; f32=-3; f64=-3"),
        (
            "spread",
            "65664",
            "i32=65664; i64=65664; f32=65664; f64=65664; i32=-128; i32=128; i32=65664; i64=65664; f32=65664; f64=65664",
        ),
        ("add_i8", "100 100", "i32=-56"),
        ("add_i8", "300 1", "i32=45"),
        ("add_i16", "30000 30000", "i32=-5536"),
        ("half_i8", "-100", "i32=-50; i32=78"),
        ("not", "0", "i32=1"),
        ("not", "1", "i32=0"),
        ("position", "4611686018427387904", "i64=-9223372036854775808"),
        ("divide", "7 -2", "i32=-3"),
        ("divide", "7 0", "!division by zero"),
        ("tell", "7", "!a message of more than two hundred bytes"),
        ("tell", "7", "!and there it ends; "),
        ("divide", "7", "!sync func @divide(%input0: i32, %input1: i32) -> (%output0: i32)"),
        ("divide", "7 2 1", "!"),
        ("missing", "", "!NOT_FOUND"),
    ];
    check(iree, &BOTH, &[&module("scalars", &[])?], &cases);
    Ok(())
}

/// Modules of numbers need nothing of the runtime; their functions look at no more than they are given.
#[test]
fn blocks_of_arguments() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let library = module("scalars", &[])?;
    succeed(iree.python().arg(root().join("tests/iree/direct.py")).arg(&library))?;
    // No device either.
    check(iree, &[""], &[&library], &[("add_i8", "1 2", "i32=3")]);
    Ok(())
}

const ARRAYS: [Case; 53] = [
    ("saxpy", "2 4xf32=1,2,3,4 4xf32=10", "4xf32=12 14 16 18"),
    ("saxpy", "2 1xf32=1 1xf32=0.5", "1xf32=2.5"),
    ("saxpy", "2 0xf32= 0xf32=", "0xf32="),
    ("saxpy", "2 4xf32=1 3xf32=1", "!arrays of two lengths"),
    ("saxpy_into", "2 4xf32=1,2,3,4 4xf32=10", "4xf32=12 14 16 18"),
    ("saxpy_into", "2 0xf32= 0xf32=", "0xf32="),
    ("table", "7", "2x3xi64=[7 7 7][7 7 7]"),
    ("columns", "3x5xi32=1", "i64=5"),
    ("columns", "3x0xi32=", "i64=0"),
    ("columns", "2x5xi32=1", "!INVALID_ARGUMENT"),
    ("columns", "3xi32=1", "!INVALID_ARGUMENT"),
    ("columns", "3x5x1xi32=1", "!INVALID_ARGUMENT"),
    ("columns", "i32=1", "!INVALID_ARGUMENT"),
    // Integers of the same width are the same whatever they are called; others are not.
    ("columns", "3x1xui32=1", "i64=1"),
    ("columns", "3x1xsi32=1", "i64=1"),
    ("columns", "3x1xi64=1", "!INVALID_ARGUMENT"),
    ("columns", "3x1xf32=1", "!INVALID_ARGUMENT"),
    ("columns", "(null)", "!INVALID_ARGUMENT"),
    ("sum", "4xf32=1,2,3,4", "f32=10"),
    ("sum", "0xf32=", "f32=0"),
    ("sum", "4xi32=1", "!INVALID_ARGUMENT"),
    ("sum", "4xf16=1", "!INVALID_ARGUMENT"),
    ("sum", "4xf64=1", "!INVALID_ARGUMENT"),
    ("sum", "&4xf32=1", "!INVALID_ARGUMENT"),
    ("saxpy", "2 4xf32=1 (null)", "!INVALID_ARGUMENT"),
    ("saxpy", "2 (null) 4xf32=1", "!INVALID_ARGUMENT"),
    ("saxpy", "2 4xf32=1 4xf64=1", "!INVALID_ARGUMENT"),
    ("saxpy", "2 4xf32=1", "!"),
    ("rank", "f64=2", "i64=0"),
    ("rank", "1x2x3x1x1x1x1x2xf64=2", "i64=8"),
    ("rank", "0x3xf64=", "i64=2"),
    ("rank", "2xf32=1", "!INVALID_ARGUMENT"),
    ("twice", "3xi16=1,-2,3", "3xi16=1 -2 3; 3xi16=1 -2 3"),
    ("constants", "", "4xi32=2 3 5 7"),
    ("evens", "5xi32=0,1,2,3,4", "3xi32=0 2 4"),
    ("scale", "3xf64=1,2,3 0.5", "3xf64=0.5 1 1.5"),
    ("fill", "7 5xi8=1", "5xi8=7 7 7 7 7"),
    (
        "crowd",
        "1xf32=1 1 1xf32=2 10 1xf32=3 100 1xf32=4 1000 1xf32=5 10000 1xf32=6 100000 1xf32=7 1000000 1xf32=8 10000000 1xf32=9 100000000",
        "f64=9.87654e+08; 1xf32=9; i32=-3; 1xf32=2; f32=3",
    ),
    (
        "crowd",
        "1xf32=1 1 1xf32=2 10 1xf32=3 100 1xf32=4 1000 1xf64=5 10000 1xf32=6 100000 1xf32=7 1000000 1xf32=8 10000000 1xf32=9 100000000",
        "!INVALID_ARGUMENT",
    ),
    ("late_failure", "2xf32=1,2 1", "2xf32=1 2; 4xf32=1 1 1 1"),
    ("late_failure", "2xf32=1,2 0", "!not today"),
    ("late_failure", "2xf32=1,2 2", "!not today"),
    // Elements of results are copied to where they lie without gaps.
    ("turned", "2x3xf32=1,2,3,4,5,6", "3x2xf32=[1 4][2 5][3 6]"),
    ("turned", "0x2xf32=", "2x0xf32=[][]"),
    ("reversed", "4xi16=1,2,3,4", "4xi16=4 3 2 1"),
    ("reversed", "0xi16=", "0xi16="),
    // No size is too large to be refused.
    ("square", "3", "3x3xf64=[1 1 1][1 1 1][1 1 1]"),
    ("square", "0", "0x0xf64="),
    ("square", "-1", "!INVALID_ARGUMENT; square: result 0 has size -1 in dimension 0"),
    ("square", "4294967296", "!INVALID_ARGUMENT; a result has more bytes than 64 bits count"),
    ("square", "3000000000000", "!INVALID_ARGUMENT; a result has more bytes than 64 bits count"),
    ("wide", "4xi8=1,2,3,4", "!RESOURCE_EXHAUSTED"),
    ("wide", "1000000xi8=1", "!INVALID_ARGUMENT; a result has more bytes than 64 bits count"),
];

#[test]
fn arrays() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    check(iree, &BOTH, &[&module("arrays", &[])?], &ARRAYS);
    Ok(())
}

/// Callers give fences, one to wait for and one that is signalled, after failures too.
#[test]
fn fences() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let cases = [
        ("next", "41", "i32=42"),
        ("divide_later", "7 2", "i32=3"),
        ("divide_later", "7 0", "!division by zero"),
        ("three", "2xf32=1,2", "2xf32=3 6"),
        ("three", "2xi32=1,2", "!INVALID_ARGUMENT"),
        ("three", "(null)", "!INVALID_ARGUMENT"),
    ];
    check(iree, &BOTH, &[&module("fences", &[])?], &cases);
    Ok(())
}

/// With the other way to memory, which needs no device.
#[test]
fn arrays_inline() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    check(iree, &[""], &[&module("arrays", &["--iree-hal", "inline"])?], &ARRAYS);
    Ok(())
}

/// MLIR's name of each element type, its name in numpy, and the operation that adds two, or turns a truth over. What nothing computes
/// with is done so as bytes, by the type after it: signs of numbers of 8 bits are turned over.
const ELEMENTS: [(&str, &str, &str); 24] = [
    ("i1", "bool", "arith.xori"),
    ("i8", "int8", "arith.addi"),
    ("i16", "int16", "arith.addi"),
    ("i32", "int32", "arith.addi"),
    ("i64", "int64", "arith.addi"),
    ("f16", "float16", "arith.addf"),
    ("bf16", "bfloat16", "arith.addf"),
    ("f32", "float32", "arith.addf"),
    ("f64", "float64", "arith.addf"),
    ("complex<f32>", "complex64", "complex.add"),
    ("complex<f64>", "complex128", "complex.add"),
    ("si8", "sint8", "arith.addi i8"),
    ("si16", "sint16", "arith.addi i16"),
    ("si32", "sint32", "arith.addi i32"),
    ("si64", "sint64", "arith.addi i64"),
    ("ui8", "uint8", "arith.addi i8"),
    ("ui16", "uint16", "arith.addi i16"),
    ("ui32", "uint32", "arith.addi i32"),
    ("ui64", "uint64", "arith.addi i64"),
    ("f8E5M2", "float8_e5m2", "arith.xori i8"),
    ("f8E4M3FN", "float8_e4m3fn", "arith.xori i8"),
    ("f8E5M2FNUZ", "float8_e5m2fnuz", "arith.xori i8"),
    ("f8E4M3FNUZ", "float8_e4m3fnuz", "arith.xori i8"),
    ("f8E8M0FNU", "float8_e8m0fnu", "arith.xori i8"),
];

/// A module with a function for each element type, and one for each rank.
fn elements() -> Result<PathBuf, Failure> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let make = || {
        let mut text = String::new();
        for (ty, name, operation) in ELEMENTS {
            let (operation, bits) = operation.split_once(' ').unwrap_or((operation, ty));
            let (other, constant) = match (ty, operation) {
                ("i1", _) => ("%o", "true"),
                (_, "arith.xori") => ("%o", "-128 : i8"),
                _ => ("%n0", "true"),
            };
            let cast = |from: &str, to: &str| match bits == ty {
                true => format!("arith.select %yes, %{from}, %{from} : {ty}"),
                false => {
                    let (own, other) = if to == "n0" { (ty, bits) } else { (bits, ty) };
                    format!("builtin.unrealized_conversion_cast %{from} : {own} to {other}")
                }
            };
            write!(
                text,
                "func.func @{name}(%x: memref<?x{ty}>) -> memref<?x{ty}> {{
                   %c0 = arith.constant 0 : index
                   %yes = arith.constant true
                   %o = arith.constant {constant}
                   %n = memref.dim %x, %c0 : memref<?x{ty}>
                   %r = memref.alloc(%n) : memref<?x{ty}>
                   affine.for %i = 0 to %n {{
                     %a = affine.load %x[%i] : memref<?x{ty}>
                     %n0 = {}
                     %s0 = {operation} %n0, {other} : {bits}
                     %b = {}
                     affine.store %b, %r[%i] : memref<?x{ty}>
                   }}
                   return %r : memref<?x{ty}>
                 }}\n",
                cast("a", "n0"),
                cast("s0", "b")
            )
            .map_err(|e| Failure::new(e.to_string()))?;
        }
        for rank in 0..=8 {
            let ty = format!("memref<{}i32>", "?x".repeat(rank));
            let join = |part: &dyn Fn(usize) -> String| (0..rank).map(part).collect::<Vec<_>>().join(", ");
            let sizes: String = (0..rank)
                .map(|d| format!("%c{d} = arith.constant {d} : index\n%n{d} = memref.dim %x, %c{d} : {ty}\n"))
                .collect();
            let opens: String = (0..rank).map(|d| format!("affine.for %i{d} = 0 to %n{d} {{\n")).collect();
            let (ns, is) = (join(&|d| format!("%n{d}")), join(&|d| format!("%i{d}")));
            write!(
                text,
                "func.func @rank{rank}(%x: {ty}) -> {ty} {{
                   %one = arith.constant 1 : i32
                   {sizes}%r = memref.alloc({ns}) : {ty}
                   {opens}%a = affine.load %x[{is}] : {ty}
                   %b = arith.addi %a, %one : i32
                   affine.store %b, %r[{is}] : {ty}
                   {closes}return %r : {ty}
                 }}\n",
                closes = "}\n".repeat(rank)
            )
            .map_err(|e| Failure::new(e.to_string()))?;
        }
        let file = work_folder("iree").join("elements.mlir");
        std::fs::write(&file, text)?;
        shared_object("modules", &file, "elements", &[])
    };
    MADE.get_or_init(|| make().map_err(|e: Failure| e.to_string())).clone().map_err(Failure::new)
}

#[test]
fn element_types_and_ranks() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let cases = [
        ("int8", "3xi8=1,-2,100", "3xi8=2 -4 -56"),
        ("int8", "3xui8=1,2,200", "3xi8=2 4 -112"),
        ("int16", "2xi16=1,20000", "2xi16=2 -25536"),
        ("int32", "2xsi32=1,-2", "2xi32=2 -4"),
        ("int64", "2xi64=1,4611686018427387904", "2xi64=2 -9223372036854775808"),
        ("float16", "3xf16=1,0.5,-2", "3xf16=2 1 -4"),
        ("bfloat16", "3xbf16=1,0.5,-2", "3xbf16=2 1 -4"),
        ("float32", "3xf32=1,0.5,-2", "3xf32=2 1 -4"),
        ("float64", "3xf64=1,0.5,-2", "3xf64=2 1 -4"),
        ("sint8", "3xsi8=1,-2,100", "3xsi8=2 -4 -56"),
        ("sint16", "2xi16=1,20000", "2xsi16=2 -25536"),
        ("sint32", "2xui32=1,2", "2xsi32=2 4"),
        ("sint64", "1xsi64=-3", "1xsi64=-6"),
        ("uint8", "3xui8=1,2,100", "3xui8=2 4 200"),
        ("uint8", "3xi8=1,-2,100", "3xui8=2 252 200"),
        ("uint16", "2xui16=1,20000", "2xui16=2 40000"),
        ("uint32", "2xui32=1,2000000000", "2xui32=2 4000000000"),
        ("uint64", "1xui64=9000000000000000000", "1xui64=18000000000000000000"),
        ("float8_e5m2", "3xf8E5M2=1,-2,0.5", "3xf8E5M2=-1 2 -0.5"),
        ("float8_e4m3fn", "3xf8E4M3FN=1,-2,0.5", "3xf8E4M3FN=-1 2 -0.5"),
        ("float8_e5m2fnuz", "3xf8E5M2FNUZ=1,-2,0.5", "3xf8E5M2FNUZ=-1 2 -0.5"),
        ("float8_e4m3fnuz", "3xf8E4M3FNUZ=1,-2,0.5", "3xf8E4M3FNUZ=-1 2 -0.5"),
        ("float8_e4m3fn", "3xf8E5M2=1", "!INVALID_ARGUMENT"),
        ("float8_e4m3fn", "3xi8=1", "!INVALID_ARGUMENT"),
        ("uint8", "3xf8E5M2=1", "!INVALID_ARGUMENT"),
        // Neither numbers of four bits nor what has no type.
        ("int8", "4xi4=11", "!INVALID_ARGUMENT"),
        ("int8", "2x*8=0101", "!INVALID_ARGUMENT"),
        ("float16", "3xbf16=1", "!INVALID_ARGUMENT"),
        ("bfloat16", "3xf16=1", "!INVALID_ARGUMENT"),
        ("bool", "3xi8=1", "!INVALID_ARGUMENT"),
        ("complex64", "3xf64=1", "!INVALID_ARGUMENT"),
        ("rank0", "i32=5", "i32=6"),
        ("rank1", "3xi32=1,2,3", "3xi32=2 3 4"),
        ("rank2", "2x2xi32=1,2,3,4", "2x2xi32=[2 3][4 5]"),
        ("rank3", "2x1x2xi32=1,2,3,4", "2x1x2xi32=[[2 3]][[4 5]]"),
        ("rank4", "1x2x1x2xi32=1,2,3,4", "1x2x1x2xi32=[[[2 3]][[4 5]]]"),
        ("rank5", "2x1x1x1x2xi32=1,2,3,4", "2x1x1x1x2xi32=[[[[2 3]]]][[[[4 5]]]]"),
        ("rank6", "1x1x2x1x1x2xi32=1,2,3,4", "1x1x2x1x1x2xi32=[[[[[2 3]]][[[4 5]]]]]"),
        ("rank7", "2x1x1x1x1x1x2xi32=1,2,3,4", "2x1x1x1x1x1x2xi32=[[[[[[2 3]]]]]][[[[[[4 5]]]]]]"),
        ("rank8", "1x1x1x2x1x1x1x2xi32=1,2,3,4", "1x1x1x2x1x1x1x2xi32=[[[[[[[2 3]]]][[[[4 5]]]]]]]"),
        ("rank3", "2x0x2xi32=", "2x0x2xi32=[][]"),
        ("rank8", "1x1x1x1x1x1x1x0xi32=", "1x1x1x1x1x1x1x0xi32=[[[[[[[]]]]]]]"),
        ("rank2", "2xi32=1", "!INVALID_ARGUMENT"),
        ("rank0", "1xi32=1", "!INVALID_ARGUMENT"),
    ];
    check(iree, &BOTH, &[&elements()?], &cases);
    Ok(())
}

/// Through Python: numpy's types, results as arguments, errors, two contexts over one module.
#[test]
fn python() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    for device in DEVICES {
        let mut command = iree.python();
        command.arg(root().join("tests/iree/session.py")).arg(module("arrays", &[])?).arg(elements()?).arg(device);
        let text = succeed(&mut command)?.text();
        assert!(text.ends_with("done\n"), "{text}");
    }
    Ok(())
}

/// The compiled module that calls functions of the others, made once for all tests; none without a compiler.
fn caller(iree: &Iree) -> Result<Option<PathBuf>, Failure> {
    static MADE: OnceLock<Result<(), String>> = OnceLock::new();
    let caller = work_folder("iree").join("caller.vmfb");
    let Ok(mut compile) = iree.compile() else {
        eprintln!("left out: this version of IREE has no compiler");
        return Ok(None);
    };
    let made = MADE.get_or_init(|| {
        compile.arg(root().join("tests/iree/caller.mlir")).arg("-o").arg(&caller);
        succeed(&mut compile).map(drop).map_err(|e| e.to_string())
    });
    made.clone().map(|()| Some(caller)).map_err(Failure::new)
}

/// Compiled modules call functions of Gusset's: numbers, arrays, and part of another array, which begins within its memory.
#[test]
fn called_by_a_compiled_module() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let Some(caller) = caller(iree)? else { return Ok(()) };
    let modules = [module("scalars", &[])?, module("arrays", &[])?, caller];
    let cases = [
        ("small", "100 100", "i32=-56"),
        ("small", "7 1", "i32=8"),
        ("small16", "30000", "i32=-5536"),
        ("both", "3 4xf32=1,2,3,4", "f32=110; 4xf32=8 16 24 32"),
        ("part", "8xf32=1,2,3,4,5,6,7,8", "f32=18; 4xf32=9 12 15 18"),
        ("fails", "1", "!division by zero"),
        ("lengths", "4xf32=1 3xf32=1", "!arrays of two lengths"),
    ];
    check(iree, &BOTH, &modules.each_ref().map(PathBuf::as_path), &cases);
    Ok(())
}

/// Without a device nothing counts what is kept: 20,000 calls would keep 800 MB of results, and have 400 MB of memory. IREE 3.10 and
/// 3.11 keep arrays there whose storage is asked for, which is the only way to their bytes, whoever asks; 3.12 and 3.13 keep
/// none of the same module.
#[test]
fn nothing_is_kept_inline() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let mut command = iree.benchmark_module();
    command.args(["--benchmark_min_time=20000x", "--function=saxpy", "--input=2", "--input=10000xf32=1"]);
    command
        .arg("--input=10000xf32=2")
        .arg(format!("--module={}", module("arrays", &["--iree-hal", "inline"])?.display()));
    let mut bounded = std::process::Command::new("prlimit");
    bounded.arg("--as=400000000").arg(command.get_program()).args(command.get_args());
    let outcome = run(&mut bounded)?;
    let version = iree.version().ok_or_else(|| Failure::new("the wheel has no version"))?;
    if version < (3, 12) {
        assert!(outcome.code != 0 && outcome.errors().contains("RESOURCE_EXHAUSTED"), "{}", outcome.text());
    } else {
        assert!(outcome.code == 0 && outcome.text().contains(" 20000 "), "{}{}", outcome.text(), outcome.errors());
    }
    Ok(())
}

/// By IREE's own benchmarks: a function, and a compiled one that calls it.
#[test]
fn benchmarked() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let (scalars, arrays) = (module("scalars", &[])?, module("arrays", &[])?);
    let bench = |modules: &[&Path], function: &str, inputs: &[&str]| -> Result<(), Failure> {
        for device in BOTH {
            let mut command = iree.benchmark_module();
            command.args([device, "--benchmark_min_time=0.01s", "--print_statistics"]);
            command.args(modules.iter().map(|module| format!("--module={}", module.display())));
            command.arg(format!("--function={function}")).args(inputs.iter().map(|input| format!("--input={input}")));
            let outcome = succeed(&mut command)?;
            let said = format!("{}{}", outcome.text(), outcome.errors());
            assert!(said.contains(&format!("BM_{function}")), "{said}");
            assert!(
                said.contains(" 0B live") && said.matches(" live").count() == said.matches(" 0B live").count(),
                "{said}"
            );
        }
        Ok(())
    };
    bench(&[&arrays], "saxpy", &["2", "4xf32=1", "4xf32=2"])?;
    let Some(caller) = caller(iree)? else { return Ok(()) };
    bench(&[&scalars, &arrays, &caller], "both", &["3", "4xf32=1,2,3,4"])
}

/// A runtime before 3.10 packs arguments: `GUSSET_IREE_OLD` has one.
#[test]
#[ignore = "a campaign: GUSSET_IREE_OLD names an environment of Python's with IREE 3.9"]
fn runtimes_that_pack_are_refused() -> Result<(), Failure> {
    let folder = std::env::var_os("GUSSET_IREE_OLD").ok_or_else(|| Failure::new("GUSSET_IREE_OLD is not set"))?;
    let iree = Iree::at(Path::new(&folder))?;
    let cases = [
        ("mix", "1 40 0.5 2.25", "!INCOMPATIBLE"),
        ("mix", "1 40 0.5 2.25", "!3.10"),
        ("many", "1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 11", "!3.10"),
    ];
    check(&iree, &BOTH, &[&module("scalars", &[])?], &cases);
    // Where a function's own blocks are the same, those of what it asks the runtime are not.
    let arrays = [
        ("saxpy", "2 4xf32=1,2,3,4 4xf32=10", "!3.10"),
        ("columns", "3x5xi32=1", "!INCOMPATIBLE"),
        ("sum", "4xf32=1", "!3.10"),
        ("rank", "2x2xf64=1", "!3.10"),
        ("twice", "4xi16=1", "!3.10"),
        ("table", "7", "!3.10"),
        ("constants", "", "!INCOMPATIBLE"),
        ("square", "3", "!3.10"),
    ];
    check(&iree, &BOTH, &[&module("arrays", &[])?], &arrays);
    check(&iree, &[""], &[&module("arrays", &["--iree-hal", "inline"])?], &arrays);
    Ok(())
}
