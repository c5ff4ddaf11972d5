//! Modules that a program makes of C functions by `ModuleBuilder`, in IREE's stock runtime.

use std::path::{Path, PathBuf};

use gusset::iree::{Dim, Entry, Hal, ModuleBuilder, Reflection, Storage};
use gusset::{BuilderOptions, Features, ObjectBuilder, Relocation, Target};
use gusset_tests::iree::{Iree, stock};
use gusset_tests::parallel;
use gusset_tests::runtime::{AARCH64, ARM, ARM_SOFT, PLATFORMS, THUMB};
use gusset_tests::tools::{Failure, cc, limited, root, run, succeed, work_folder};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// An entry of these records, in JSON.
fn entry(name: &str, args: &str, results: &str) -> Result<Entry, gusset::iree::Error> {
    Ok(Entry::new(name, name, Reflection::parse(&format!(r#"{{"a":[{args}],"r":[{results}]}}"#))?))
}

/// All functions of `natives.c`.
fn entries() -> Result<Vec<Entry>, gusset::iree::Error> {
    let vector = r#"["ndarray","f32",1,null]"#;
    let matrix = r#"["ndarray","f32",2,null,null]"#;
    let mut saxpy = entry("saxpy", &format!(r#""f32",{vector},{vector}"#), vector)?;
    let passed = Storage::Passed(vec![Dim::Of { arg: 1, dim: 0 }]);
    saxpy.storages = vec![passed];
    let mut scale = entry("scale", &format!(r#"{vector},"f32""#), vector)?;
    scale.storages = vec![Storage::Argument(0)];
    let mut fixed = entry("iota", r#""i32""#, r#"["ndarray","f32",1,3]"#)?;
    fixed.name = "iota3".into();
    Ok(vec![
        entry("add", r#""i32","i32""#, r#""i32""#)?,
        entry("mix", r#""i32","i64","f32","f64""#, r#""i64","f64","i32","f32""#)?,
        entry(
            "many",
            r#""i32","i32","i64","i32","i64","i32","i64","i32","f32","f64","f64","f32","f64","f64","f64","f32","f64","f32""#,
            r#""f64""#,
        )?,
        entry("flip", r#""i1""#, r#""i1""#)?,
        entry("add8", r#""i8","i8""#, r#""i8""#)?,
        entry("neg16", r#""i16""#, r#""i16""#)?,
        entry("nothing", "", "")?,
        entry("count", "", r#""i32""#)?,
        saxpy,
        entry("transpose", matrix, matrix)?,
        entry("iota", r#""i32""#, vector)?,
        fixed,
        entry("twice", r#""i32""#, &format!(r#"{vector},"i32",{vector}"#))?,
        entry("sum_any", r#"["ndarray","f32",null]"#, r#""f32""#)?,
        scale,
        entry("checked", r#""i32","i32""#, r#""i32""#)?,
        entry("failing", vector, &format!(r#""i32",{vector}"#))?,
    ])
}

/// The object of a module with these entries; `fails`: functions may.
fn object(
    triple: &str,
    source: &str,
    hal: Hal,
    entries: Vec<Entry>,
    fails: bool,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let target = Target::from_triple(triple, &Features::default())?;
    let options = BuilderOptions::new().relocation(Relocation::Pic);
    let mut object = ObjectBuilder::new(&target, &options);
    let mut builder = ModuleBuilder::new(source, hal)?;
    if fails {
        builder.can_fail();
    }
    for entry in entries {
        builder.export(entry)?;
    }
    builder.define(&mut object)?;
    Ok(object.finish()?)
}

/// A shared object of a module with these entries of a file of C.
fn module(name: &str, source: &str, hal: Hal, entries: Vec<Entry>) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let path = work_folder("iree").join(format!("{name}.o"));
    std::fs::write(&path, object("x86_64-unknown-linux-gnu", source, hal, entries, true)?)?;
    let library = path.with_extension("so");
    let mut link = limited(60, cc());
    link.args(["-O1", "-fPIC", "-shared", "-Wl,-z,defs", "-fvisibility=hidden"]);
    link.arg(root().join(format!("tests/iree/{source}.c"))).arg(&path).arg("-o").arg(&library);
    succeed(&mut link)?;
    Ok(library)
}

/// What `iree-run-module` prints after the name of a function of the last of these modules; of failures the last line.
fn call(iree: &Iree, modules: &[&Path], device: &str, function: &str, inputs: &[&str]) -> Result<String, Failure> {
    let mut command = iree.run_module();
    if !device.is_empty() {
        command.arg(format!("--device={device}")).arg("--print_statistics");
    }
    command.args(modules.iter().map(|module| format!("--module={}", module.display())));
    command.arg(format!("--function={function}"));
    command.args(inputs.iter().map(|input| format!("--input={input}")));
    let outcome = run(&mut command)?;
    let (said, errors) = (outcome.text(), outcome.errors());
    if !device.is_empty() {
        let live: Vec<&str> = said.lines().chain(errors.lines()).filter(|line| line.contains(" live")).collect();
        assert!(!live.is_empty(), "{function}: no statistics");
        assert!(live.iter().all(|line| line.contains(" 0B live")), "{function}: {live:?}");
    }
    let values = said.lines().skip_while(|line| !line.starts_with("EXEC")).skip(1);
    let values: Vec<&str> = values.filter(|line| !line.starts_with("[")).collect();
    Ok(match outcome.code {
        0 => values.join("\n"),
        _ => errors.lines().find(|line| line.contains("; ")).unwrap_or(&errors).to_string(),
    })
}

/// Functions, inputs, and what comes back or why not.
const CASES: &[(&str, &[&str], &str)] = &[
    ("add", &["3", "4"], "result[0]: i32=7"),
    ("add", &["2147483647", "1"], "result[0]: i32=-2147483648"),
    (
        "mix",
        &["1", "40", "0.5", "2.25"],
        "result[0]: i64=41\nresult[1]: f64=1.125\nresult[2]: i32=1\nresult[3]: f32=0.25",
    ),
    (
        "many",
        &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18"],
        "result[0]: f64=2109",
    ),
    // The upper bits of what is smaller than 32 bits are anything.
    ("flip", &["3"], "result[0]: i32=0"),
    ("flip", &["256"], "result[0]: i32=1"),
    ("add8", &["100", "100"], "result[0]: i32=-56"),
    ("neg16", &["65537"], "result[0]: i32=-1"),
    ("nothing", &[], ""),
    ("saxpy", &["2", "4xf32=1,2,3,4", "4xf32=10"], "result[0]: hal.buffer_view\n4xf32=12 14 16 18"),
    ("saxpy", &["2", "0xf32=", "0xf32="], "result[0]: hal.buffer_view\n0xf32="),
    ("transpose", &["2x3xf32=1,2,3,4,5,6"], "result[0]: hal.buffer_view\n3x2xf32=[1 4][2 5][3 6]"),
    ("transpose", &["0x3xf32="], "result[0]: hal.buffer_view\n3x0xf32=[][][]"),
    ("iota", &["5"], "result[0]: hal.buffer_view\n5xf32=0 1 2 3 4"),
    ("iota", &["0"], "result[0]: hal.buffer_view\n0xf32="),
    ("iota3", &["3"], "result[0]: hal.buffer_view\n3xf32=0 1 2"),
    ("iota3", &["4"], "INVALID_ARGUMENT; iota3: result 0 has size 4 in dimension 0, not 3;"),
    ("twice", &["2"], "result[0]: hal.buffer_view\n2xf32=0 1\nresult[1]: i32=2\nresult[2]: hal.buffer_view\n2xf32=0 1"),
    ("sum_any", &["2x2x2xf32=1.5"], "result[0]: f32=12"),
    ("sum_any", &["f32=1.5"], "result[0]: f32=1.5"),
    ("sum_any", &["1x1x1x1x1x1x1x2xf32=1 2"], "result[0]: f32=3"),
    ("scale", &["3xf32=1,2,3", "2"], "result[0]: hal.buffer_view\n3xf32=2 4 6"),
    ("checked", &["7", "2"], "result[0]: i32=3"),
    ("checked", &["7", "0"], "FAILED_PRECONDITION; division by zero, 100%;"),
    ("failing", &["3xf32=1"], "FAILED_PRECONDITION; it always fails;"),
    ("transpose", &["2x3x1xf32=1"], "INVALID_ARGUMENT; transpose: argument 0 has rank 3, not 2;"),
    (
        "transpose",
        &["2x3xi32=1"],
        "INVALID_ARGUMENT; transpose: argument 0 has elements of type 0x10000020, not 0x21000020;",
    ),
    ("transpose", &["(null)"], "INVALID_ARGUMENT; transpose: argument 0 is null;"),
    ("transpose", &[], "INVALID_ARGUMENT; input list and function mismatch; expected 1 arguments but passed 0;"),
];

#[test]
fn functions_of_c() -> Outcome {
    let Some(iree) = stock() else { return Ok(()) };
    let library = module("natives", "natives", Hal::Device, entries()?)?;
    let inline = module("inline", "natives", Hal::Inline, entries()?)?;
    for (library, device) in [(&library, "local-sync"), (&library, "local-task"), (&inline, "")] {
        for (function, inputs, expected) in CASES {
            let said = call(iree, &[library], device, function, inputs)?;
            assert!(
                said == *expected || expected.ends_with(';') && said.contains(expected),
                "{function} on {device}: {said}"
            );
        }
    }
    Ok(())
}

/// A module whose functions have no arrays needs nothing of the host's: it runs without any module beside it.
#[test]
fn numbers_need_no_device() -> Outcome {
    let Some(iree) = stock() else { return Ok(()) };
    let numbers = entries()?.into_iter().filter(|entry| matches!(&*entry.name, "add" | "mix" | "checked"));
    let library = module("numbers", "natives", Hal::Device, numbers.collect())?;
    for (function, inputs, expected) in CASES.iter().filter(|case| matches!(case.0, "add" | "mix")) {
        assert_eq!(call(iree, &[&library], "", function, inputs)?, *expected, "{function}");
    }
    Ok(())
}

/// All functions of `lists.c`.
fn lists() -> Result<Vec<Entry>, gusset::iree::Error> {
    let vector = r#"["ndarray","f32",1,null]"#;
    let many = |element: &str| format!(r#"["py_homogeneous_list",{element}]"#);
    let numbers = r#"["sdict",["a","i8"],["b","i64"],["c","f32"],["d","f64"]"#;
    let outer = format!(r#"["slist","i32",["stuple",{vector},{}],["ndarray","f32",null]]"#, many(r#""i32""#));
    Ok(vec![
        entry("sum_numbers", &format!("{numbers}]"), r#""f64""#)?,
        entry("sum_more", &format!(r#"{numbers},["e","i1"]]"#), r#""f64""#)?,
        entry("nested", &outer, r#""f32""#)?,
        entry("length", &format!(r#"{},"i32""#, many(r#""i8""#)), r#""i64""#)?,
        entry("all", &many(vector), r#""f32""#)?,
        entry("last", &many(vector), vector)?,
        // As `Strided::record` of Gusset's invoker has it.
        entry(
            "reach",
            &format!(r#"["stuple","unknown","i64",{},{}]"#, many(r#""i64""#), many(r#""i64""#)),
            r#""i64""#,
        )?,
        entry("table", &many(&many(r#""f64""#)), r#""f64""#)?,
        entry("string_array", &format!(r#"["ndarray",{},2,null,null]"#, many(r#""i8""#)), r#""i64""#)?,
        entry("is_null", r#""unknown""#, r#""i1""#)?,
        entry("nulls", r#"["slist",null,"unknown"]"#, r#""i32""#)?,
        entry("pair", r#""i32","i32""#, r#"["sdict",["sum","i32"],["diff","i32"]]"#)?,
    ])
}

#[test]
fn lists_are_structs() -> Outcome {
    let Some(iree) = stock() else { return Ok(()) };
    let library = module("lists", "lists", Hal::Device, lists()?)?;
    let script = root().join("tests/iree/lists.py");
    assert_eq!(succeed(iree.python().arg(script).arg(&library))?.text().trim(), "done");
    assert_eq!(call(iree, &[&library], "local-sync", "is_null", &["(null)"])?, "result[0]: i32=1");
    assert_eq!(call(iree, &[&library], "local-sync", "is_null", &["f32=1"])?, "result[0]: i32=0");

    // Lists of numbers and of lists are those of compiled modules.
    let caller = library.with_file_name("lists.vmfb");
    let mut compile = iree.compile()?;
    compile.arg("--iree-input-demote-f64-to-f32=false").arg(root().join("tests/iree/lists.mlir"));
    succeed(compile.arg("-o").arg(&caller))?;
    let cases: [(&str, &[&str], &str); 4] = [
        ("text", &["65"], "result[0]: i64=3002"),
        ("text", &["-1"], "result[0]: i64=3001"),
        ("views", &["2xf32=1,2", "3xf32=1"], "result[0]: f32=9"),
        ("rows", &[], "result[0]: f64=16.5"),
    ];
    for (function, inputs, expected) in cases {
        assert_eq!(call(iree, &[&library, &caller], "local-task", function, inputs)?, expected, "{function}");
    }
    Ok(())
}

/// A host of our own, in C, asks a module everything, and makes each of its calls fail once: on every architecture, with the
/// structures that its C compiler makes of declarations of our own.
#[test]
fn hosts_on_all_targets() -> Outcome {
    let platforms: Vec<_> = PLATFORMS.iter().chain([&AARCH64, &ARM, &THUMB, &ARM_SOFT]).collect();
    let results = parallel::map(platforms.len(), |number| -> Result<(), String> {
        let platform = platforms[number];
        let say = |e: &dyn std::fmt::Display| format!("{}: {e}", platform.triple);
        // There is no `setjmp` on Windows that any C library has.
        let fails = !platform.windows;
        let wanted = entries().map_err(|e| say(&e))?.into_iter();
        let wanted = wanted.filter(|entry| fails || !matches!(&*entry.name, "checked" | "failing"));
        let object = object(platform.triple, "natives", Hal::Device, wanted.collect(), fails).map_err(|e| say(&e))?;
        let path = work_folder("iree").join(format!("host-{}.o", platform.triple));
        std::fs::write(&path, object).map_err(|e| say(&e))?;
        let program = path.with_extension("exe");
        let mut link = limited(60, platform.compiler());
        link.args(["-O1", "-g0", "-w"]).args(platform.options()).args((!fails).then_some("-DNO_FAIL"));
        link.args(["host.c", "natives.c"].map(|file| root().join("tests/iree").join(file))).arg(&path);
        link.args(platform.libraries()).arg("-o").arg(&program);
        succeed(&mut link).map_err(|e| say(&e))?;
        let outcome = run(&mut platform.run(60, &program).map_err(|e| say(&e))?).map_err(|e| say(&e))?;
        match (outcome.code, outcome.text().trim()) {
            (0, "done") => Ok(()),
            (code, said) => Err(format!("{}: exit code {code}: {said} {}", platform.triple, outcome.errors())),
        }
    });
    let failed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
