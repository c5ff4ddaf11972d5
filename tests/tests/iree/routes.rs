//! Functions that programs of IREE's dispatch: linked into the program's executable, as its executable, in a plugin. The functions
//! are C's, as clang compiles them; IREE's compiler, tools and runtime for Python judge.

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset::iree::{Loader, Route, Wrapper, embed};
use gusset::{BuilderOptions, Features, ObjectBuilder, Target};
use gusset_iree::{Detail, Dim, Entry, Record, Reflection, Shape, Storage};
use gusset_tests::iree::{self, Iree};
use gusset_tests::tools::{Failure, gusset, limited, root, run, succeed, work_folder};

/// An entry: its symbol is its name with `c_` in front.
fn entry(name: &str, records: &str, storages: &[Storage]) -> Entry {
    let reflection: Reflection = Reflection::parse(records).expect("records of the test");
    Entry { storages: storages.to_vec(), ..Entry::new(name, format!("c_{name}"), reflection) }
}

fn of(arg: usize, dim: usize) -> Dim {
    Dim::Of { arg, dim }
}

/// Functions that need no C library.
fn entries() -> Vec<Entry> {
    use Storage::{Argument, Passed, Returned, Tied};
    let row = Record::Ndarray { element: Box::new(Record::Integer(32)), shape: Shape::Ranked(vec![Some(4)]) };
    let known = |sizes: &[u64]| Passed(sizes.iter().map(|&size| Dim::Known(size)).collect());
    vec![
        // Python takes no records of truths.
        Entry {
            reflected: false,
            ..entry("mix", r#"{"a":["i32","i64","f32","f64","i8","i1","i16"],"r":["i64","f64","i8","i1"]}"#, &[])
        },
        entry("dot", r#"{"a":[["ndarray","f32",1,null],["ndarray","f32",1,null]],"r":["f32"]}"#, &[Returned]),
        entry(
            "saxpy",
            r#"{"a":["f32",["ndarray","f32",1,null],["ndarray","f32",1,null]],"r":[["ndarray","f32",1,null]]}"#,
            &[Passed(vec![of(1, 0)])],
        ),
        entry(
            "turn",
            r#"{"a":[["ndarray","f64",3,2,null,4]],"r":[["ndarray","f64",3,4,null,2]]}"#,
            &[Passed(vec![Dim::Known(4), of(0, 1), Dim::Known(2)])],
        ),
        entry(
            "table",
            r#"{"a":[["ndarray","i32",2,null,3]],
                "r":[["sdict",["negated",["ndarray","i32",2,null,3]],["rows","i64"],["sums",["ndarray","i32",1,3]]]]}"#,
            &[Passed(vec![of(0, 0), Dim::Known(3)]), Returned, known(&[3])],
        ),
        entry("raise", r#"{"a":[["ndarray","i32",1,4],"i32"],"r":[["ndarray","i32",1,4]]}"#, &[Argument(0)]),
        entry("lower", r#"{"a":[["ndarray","i32",1,null],"i32"],"r":[["ndarray","i32",1,null]]}"#, &[Tied(0)]),
        entry(
            "flip",
            r#"{"a":[["ndarray","i1",1,null],["ndarray","i16",0]],"r":[["ndarray","i1",1,null],["ndarray","i16",0]]}"#,
            &[Passed(vec![of(0, 0)]), known(&[])],
        ),
        entry(
            "wide",
            r#"{"a":[["ndarray","complex<f64>",1,null],["ndarray","bf16",2,2,null]],
                "r":[["ndarray","complex<f64>",1,null],["ndarray","bf16",2,2,null]]}"#,
            &[Passed(vec![of(0, 0)]), Passed(vec![Dim::Known(2), of(1, 1)])],
        ),
        // The function has the four numbers in a row.
        Entry {
            args: vec![Detail { seen_as: Some(row), ..Detail::default() }],
            symbol: "c_raise".into(),
            ..entry(
                "a \"square\"",
                r#"{"a":[["ndarray","i32",2,2,2],"i32"],"r":[["ndarray","i32",2,2,2]]}"#,
                &[Argument(0)],
            )
        },
        entry("many", r#"{"a":["i32"],"r":[["ndarray","i32",8,2,2,2,2,2,2,2,2]]}"#, &[known(&[2; 8])]),
    ]
}

/// And one that does.
fn hosted() -> Vec<Entry> {
    let array = |n| format!(r#"["ndarray","i32",1,{n}]"#);
    let records = format!(r#"{{"a":[{}],"r":[{},{},{},{}]}}"#, array(4), array(3), array(3), array(4), array(4));
    let mut all = entries();
    all.push(entry("make", &records, &[]));
    all
}

/// A program with these functions.
struct Program {
    module: PathBuf,
    /// Options of the tool that runs it.
    options: Vec<String>,
    /// What else is in the folder.
    folder: PathBuf,
}

/// A failure of Gusset's.
fn said(e: gusset::Error) -> Failure {
    Failure::new(e.to_string())
}

fn build(iree: &Iree, route: Route, loader: Loader, test: &str) -> Result<Program, Failure> {
    let folder = work_folder("iree_routes").join(format!("{test}-{route:?}-{loader:?}"));
    std::fs::create_dir_all(&folder)?;
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).map_err(said)?;
    let (entries, hosted) = match loader {
        Loader::Embedded => (entries(), "-ffreestanding"),
        Loader::System => (hosted(), "-DHOSTED"),
    };
    let wrapper = Wrapper { loader, ..Wrapper::new("gus", &entries, route) };
    let pic = BuilderOptions::new().relocation(gusset::Relocation::Pic);
    let mut object = ObjectBuilder::new(&target, &pic);
    wrapper.define(&mut object).map_err(said)?;
    std::fs::write(folder.join("shims.o"), object.finish().map_err(said)?)?;
    let source = root().join("tests/tests/iree/routes/functions.c");
    let mut clang = limited(60, "clang-19");
    clang
        .args(["-O1", "-fPIC", "-Wall", "-Werror", hosted, "-c"])
        .arg(source)
        .arg("-o")
        .arg(folder.join("functions.o"));
    succeed(&mut clang)?;
    let text = wrapper.text(&target, &["shims.o", "functions.o"]).map_err(said)?;
    let program = folder.join("program.mlir");
    std::fs::write(&program, text)?;
    let library = folder.join("library.so");
    if route != Route::Executable {
        let mut link = limited(60, "ld.lld-19");
        link.arg("-shared").args([folder.join("shims.o"), folder.join("functions.o")]).arg("-o").arg(&library);
        succeed(&mut link)?;
    }
    let module = folder.join("program.vmfb");
    let compile = |input: &Path, output: &Path, options: &[&str]| -> Result<(), Failure> {
        let mut command = iree.compile()?;
        command.arg(input).arg("-o").arg(output).args(options).arg("--iree-input-demote-f64-to-f32=false");
        command.arg(format!("--iree-hal-executable-object-search-path={}", folder.display()));
        succeed(&mut command).map(drop)
    };
    let mut options = Vec::new();
    match route {
        Route::Library => {
            let (first, second) = (folder.join("first.hal.mlir"), folder.join("second.hal.mlir"));
            compile(&program, &first, &["--compile-to=hal"])?;
            let text = embed(&std::fs::read_to_string(&first)?, &std::fs::read(&library)?).map_err(said)?;
            std::fs::write(&second, text)?;
            compile(&second, &module, &["--compile-from=hal"])?;
        }
        _ => compile(&program, &module, &[])?,
    }
    if route == Route::Plugin {
        let how = if loader == Loader::Embedded { "embedded:" } else { "" };
        options.push(format!("--executable_plugin={how}{}", library.display()));
    }
    Ok(Program { module, options, folder })
}

impl Program {
    fn command(&self, iree: &Iree, device: &str) -> Command {
        let mut command = iree.run_module();
        command.arg(format!("--module={}", self.module.display())).arg(format!("--device={device}"));
        command.args(&self.options);
        command
    }

    /// What the tool says of a call, from the first result on.
    fn call(&self, iree: &Iree, device: &str, function: &str, inputs: &[&str]) -> Result<String, Failure> {
        let mut command = self.command(iree, device);
        command.arg(format!("--function={function}")).args(inputs.iter().map(|input| format!("--input={input}")));
        let text = succeed(&mut command)?.text();
        let (_, results) = text.split_once('\n').ok_or_else(|| Failure::new("the tool says nothing"))?;
        Ok(results.replace(": hal.buffer_view\n", " ").trim_end().to_string())
    }
}

/// Calls of the functions, with what comes of them.
const CALLS: &[(&str, &[&str], &str)] = &[
    (
        "mix",
        &["3", "40", "0.5", "2.25", "-128", "0", "-300"],
        "result[0]: i64=-385\nresult[1]: f64=1.125\nresult[2]: i32=127\nresult[3]: i32=1",
    ),
    (
        "mix",
        &["3", "4294967296", "-2", "1e300", "1", "1", "7"],
        "result[0]: i64=4294967308\nresult[1]: f64=-2e+300\nresult[2]: i32=0\nresult[3]: i32=0",
    ),
    ("dot", &["3xf32=1,2,3", "3xf32=4,5,6"], "result[0]: f32=32"),
    ("dot", &["0xf32", "0xf32"], "result[0]: f32=0"),
    ("saxpy", &["2", "4xf32=1,2,3,4", "3xf32=10,20,30"], "result[0] 4xf32=12 24 36 8"),
    ("turn", &["2x1x4xf64=1,2,3,4,5,6,7,8"], "result[0] 4x1x2xf64=[[1 5]][[2 6]][[3 7]][[4 8]]"),
    (
        "table",
        &["2x3xi32=1,2,3,4,5,6"],
        "result[0] 2x3xi32=[-1 -2 -3][-4 -5 -6]\nresult[1]: i64=2\nresult[2] 3xi32=5 7 9",
    ),
    ("raise", &["4xi32=1,2,3,4", "10"], "result[0] 4xi32=11 12 13 14"),
    ("a \"square\"", &["2x2xi32=1,2,3,4", "10"], "result[0] 2x2xi32=[11 12][13 14]"),
    ("lower", &["2xi32=1,2", "10"], "result[0] 2xi32=-9 -8"),
    ("flip", &["3xi8=1,0,1", "i16=7"], "result[0] 3xi1=00 01 00\nresult[1] i16=-7"),
];

/// The functions by a route, on both devices.
fn check(route: Route, loader: Loader) -> Result<(), Failure> {
    let Some(iree) = iree::stock() else { return Ok(()) };
    let program = build(iree, route, loader, "calls")?;
    for (i, (function, inputs, expected)) in CALLS.iter().enumerate() {
        let device = if i % 2 == 0 { "local-sync" } else { "local-task" };
        let got = program.call(iree, device, function, inputs).map_err(|e| e.at(function))?;
        assert_eq!(got, *expected, "{function} on {device}");
    }
    if loader == Loader::System {
        let got = program.call(iree, "local-task", "make", &["4xi32=1,2,3,4"])?;
        let expected =
            "result[0] 3xi32=20 30 40\nresult[1] 3xi32=7 8 9\nresult[2] 4xi32=1 2 3 4\nresult[3] 4xi32=10 20 30 40";
        assert_eq!(got, expected);
    }
    python(iree, &program)
}

/// The functions that the tool cannot give arguments to, with what Python's documented interface has.
fn python(iree: &Iree, program: &Program) -> Result<(), Failure> {
    let script = root().join("tests/tests/iree/routes/calls.py");
    let mut command = iree.python();
    command.arg(script).arg(&program.module).args(&program.options);
    let said = succeed(&mut command)?.text();
    assert_eq!(said.trim(), "fine", "in {}", program.folder.display());
    Ok(())
}

#[test]
fn executables() -> Result<(), Failure> {
    check(Route::Executable, Loader::Embedded)
}

#[test]
fn executables_of_the_system() -> Result<(), Failure> {
    check(Route::Executable, Loader::System)
}

#[test]
fn libraries() -> Result<(), Failure> {
    check(Route::Library, Loader::Embedded)
}

#[test]
fn libraries_of_the_system() -> Result<(), Failure> {
    check(Route::Library, Loader::System)
}

#[test]
fn plugins() -> Result<(), Failure> {
    check(Route::Plugin, Loader::Embedded)
}

#[test]
fn plugins_of_the_system() -> Result<(), Failure> {
    check(Route::Plugin, Loader::System)
}

/// What `iree-benchmark-executable` runs: a library by itself, which prints no values.
#[test]
fn libraries_are_complete() -> Result<(), Failure> {
    let Some(iree) = iree::stock() else { return Ok(()) };
    for (loader, format) in [(Loader::Embedded, "embedded-elf-x86_64"), (Loader::System, "system-elf-x86_64")] {
        let library = build(iree, Route::Library, loader, "benchmark")?.folder.join("library.so");
        let mut command = iree.benchmark_executable();
        command.args(["--device=local-sync", "--workgroup_count=1,1,1", "--entry_point=2", "--benchmark_min_time=1x"]);
        command.arg(format!("--executable_format={format}")).arg(format!("--executable_file={}", library.display()));
        command.args(["--constant=1073741824", "--constant=4", "--constant=0", "--constant=4", "--constant=0"]);
        command.args(["--binding=4xf32=1", "--binding=4xf32=2", "--binding=4xf32=0"]);
        let said = succeed(&mut command)?.text();
        assert!(said.contains("BM_dispatch") && !said.contains("ERROR"), "{said}");
        // One constant too few: the tables say how many there are.
        let args: Vec<_> = command.get_args().map(std::ffi::OsStr::to_os_string).collect();
        let few = args.iter().filter(|arg| *arg != "--constant=1073741824").skip(4);
        let outcome = run(iree.benchmark_executable().args(few))?;
        assert!(outcome.text().contains("expected 5 but was provided 4"), "{}", outcome.text());
    }
    Ok(())
}

/// By the command, of an `.mlir` file: the steps that its documentation has.
fn by_command(route: &str, loader: &str) -> Result<(), Failure> {
    let Some(iree) = iree::stock() else { return Ok(()) };
    let folder = work_folder("iree_routes").join(format!("command-{route}-{loader}"));
    std::fs::create_dir_all(&folder)?;
    let path = |name: &str| folder.join(name);
    let gusset_command = || -> Result<Command, Failure> {
        let mut command = limited(60, gusset()?);
        command.current_dir(&folder);
        Ok(command)
    };
    let compile = |options: &[&str]| -> Result<(), Failure> {
        succeed(iree.compile()?.current_dir(&folder).args(options)).map(drop)
    };
    let mut command = gusset_command()?;
    command.arg("compile").arg(root().join("tests/tests/iree/routes/functions.mlir")).args([
        "--iree-module",
        "k",
        "-o",
        "k.o",
    ]);
    command.args(["--target", "x86_64-unknown-linux-gnu", "--iree-wrapper", "k.iree.mlir"]);
    succeed(command.args([format!("--iree-route={route}"), format!("--iree-loader={loader}")]))?;
    let (module, mut options) = (path("k.vmfb"), Vec::new());
    if route == "executable" {
        compile(&["k.iree.mlir", "--iree-hal-executable-object-search-path=.", "-o", "k.vmfb"])?;
    } else {
        let mut link = limited(60, "ld.lld-19");
        link.current_dir(&folder).args(["-shared", "k.o", "-o", "k.so"]);
        succeed(link.args((loader == "embedded").then_some("--no-undefined")))?;
        if route == "library" {
            compile(&["k.iree.mlir", "--compile-to=hal", "-o", "k.hal.mlir"])?;
            let mut embed = gusset_command()?;
            succeed(embed.args(["translate", "k.hal.mlir", "--iree-library", "k.so", "-o", "k.final.mlir"]))?;
            compile(&["--compile-from=hal", "k.final.mlir", "-o", "k.vmfb"])?;
        } else {
            compile(&["k.iree.mlir", "-o", "k.vmfb"])?;
            let how = if loader == "embedded" { "embedded:" } else { "" };
            options.push(format!("--executable_plugin={how}{}", path("k.so").display()));
        }
    }
    let program = Program { module, options, folder };
    let call = |function: &str, inputs: &[&str]| program.call(iree, "local-task", function, inputs);
    assert_eq!(call("weigh", &["2x3xf32=1,2,3,4,5,6"])?, "result[0] 2x3xf32=[0.5 4 12][2 10 24]");
    // The tool makes the fences.
    assert_eq!(call("later", &["3", "4"])?, "result[0]: i32=7");
    assert_eq!(call("bump", &["4xi64=3"])?, "result[0] 4xi64=7 3 3 3");
    assert_eq!(call("halves", &["48128", "16256"])?, "result[0]: i32=16256\nresult[1]: i32=48128");
    // 1.5: 2.25 + 0.75 + 3; 0.5: 0.25 + 0.25 + 0; -4: 16 - 2 + 14. Thrice 1.0078125 is between two numbers: the even one.
    assert_eq!(
        call("narrow", &["3xf16=1.5,0.5,-4", "3xbf16=-0.9921875,1,-2", "2"])?,
        "result[0] 3xf16=6 0.5 28\nresult[1] 3xbf16=3.03125 9 0"
    );
    assert_eq!(
        call("classes", &["3xui8=1,2,200", "2xf8E4M3FN=0.5,-2", "40000"])?,
        "result[0]: i32=40000\nresult[1] 3xui8=1 2 200\nresult[2] 2xf8E4M3FN=0.5 -2"
    );
    assert_eq!(call("checked", &["3"])?, "result[0]: i32=3");
    // The process ends: dispatches cannot fail.
    let outcome = run(program.command(iree, "local-sync").args(["--function=checked", "--input=-3"]))?;
    assert!(outcome.code >= 128, "{} {}", outcome.code, outcome.text());
    let shown = succeed(iree.dump_module().arg(&program.module))?.text();
    for part in [
        "iree.abi.declaration: async func @later(%first: i32, %input1: i32) -> (%output0: i32)",
        "iree.abi: {\"a\":[[\"ndarray\",\"f32\",2,null,3]],\"r\":[[\"ndarray\",\"f32\",2,null,3]]}",
        "iree.abi.model: coarse-fences",
        "iree.abi.declaration: sync func @classes(%input0: tensor<?xui8>, %input1: tensor<2xf8E4M3FN>, %input2: ui16) -> \
         (%output0: ui16, %output1: tensor<?xui8>, %output2: tensor<2xf8E4M3FN>)",
        "note: a \"quoted\" note",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    Ok(())
}

#[test]
fn executables_by_command() -> Result<(), Failure> {
    by_command("executable", "embedded")
}

#[test]
fn libraries_by_command() -> Result<(), Failure> {
    by_command("library", "embedded")
}

#[test]
fn plugins_by_command() -> Result<(), Failure> {
    by_command("plugin", "system")
}

/// Numbers of 64 bits with a point, which iree-compile makes smaller unless it is told not to, do not become wrong numbers.
#[test]
fn doubles_stay_what_they_are() -> Result<(), Failure> {
    let Some(iree) = iree::stock() else { return Ok(()) };
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).map_err(said)?;
    let folder = work_folder("iree_routes");
    for name in ["mix", "turn", "wide"] {
        let one: Vec<Entry> = entries().into_iter().filter(|entry| entry.name == name).collect();
        let text = Wrapper::new("gus", &one, Route::Plugin).text(&target, &[]).map_err(said)?;
        let file = folder.join(format!("doubles-{name}.mlir"));
        std::fs::write(&file, text)?;
        let outcome = run(iree.compile()?.arg(&file).args(["--compile-to=input", "-o", "-"]))?;
        assert!(outcome.code != 0 && outcome.errors().contains("arith.bitcast"), "{name}: {}", outcome.errors());
    }
    Ok(())
}

/// Objects and programs for other processors than the one at hand, which IREE's compiler links. Nothing runs.
#[test]
fn other_machines() -> Result<(), Failure> {
    let Some(iree) = iree::stock() else { return Ok(()) };
    let folder = work_folder("iree_routes").join("machines");
    std::fs::create_dir_all(&folder)?;
    for triple in ["aarch64-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"] {
        let target = Target::from_triple(triple, &Features::default()).map_err(said)?;
        let entries = entries();
        let wrapper = Wrapper::new("gus", &entries, Route::Executable);
        let pic = BuilderOptions::new().relocation(gusset::Relocation::Pic);
        let mut object = ObjectBuilder::new(&target, &pic);
        wrapper.define(&mut object).map_err(said)?;
        std::fs::write(folder.join("shims.o"), object.finish().map_err(said)?)?;
        let source = root().join("tests/tests/iree/routes/functions.c");
        let mut clang = limited(60, "clang-19");
        clang.args(["-O1", "-fPIC", "-ffreestanding", "-target", triple, "-c"]).arg(source);
        succeed(clang.arg("-o").arg(folder.join("functions.o")))?;
        let program = folder.join("program.mlir");
        std::fs::write(&program, wrapper.text(&target, &["shims.o", "functions.o"]).map_err(said)?)?;
        let mut compile = iree.compile()?;
        compile.arg(program).arg(format!("--iree-hal-executable-object-search-path={}", folder.display()));
        compile.args(["--iree-input-demote-f64-to-f32=false", "-o"]).arg(folder.join("program.vmfb"));
        succeed(&mut compile).map_err(|e| e.at(triple))?;
    }
    Ok(())
}

/// What cannot be dispatched is an error that names the function and says why.
#[test]
fn what_cannot_be_dispatched() {
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).expect("a target");
    let windows = Target::from_triple("x86_64-pc-windows-msvc", &Features::default()).expect("a target");
    let array = r#"["ndarray","f32",1,null]"#;
    let passed = |dims: &[Dim]| vec![Storage::Passed(dims.to_vec())];
    let many = |n: usize| vec![r#""i64""#; n].join(",");
    let cases = [
        (
            r#"{"a":[["slist","i32"]],"r":["i32"]}"#.into(),
            vec![],
            "argument 0: `[\"slist\",\"i32\"]` cannot be dispatched",
        ),
        (r#"{"a":["unknown"],"r":["i32"]}"#.into(), vec![], "argument 0: `\"unknown\"` cannot be dispatched"),
        (r#"{"a":[["ndarray","f32",null]],"r":["i32"]}"#.into(), vec![], "argument 0: an array of any rank"),
        (
            format!(r#"{{"a":[{array}],"r":[{array}]}}"#),
            vec![],
            "result 0: an array that the function allocates has a size",
        ),
        (
            r#"{"a":[],"r":[["ndarray","f32",1,4]]}"#.into(),
            vec![],
            "result 0: the function allocates the array, and an embedded",
        ),
        (
            format!(r#"{{"a":[{array}],"r":[{array}]}}"#),
            passed(&[of(0, 1)]),
            "dimension 1 of argument 0, which there is not",
        ),
        (
            format!(r#"{{"a":["i32"],"r":[{array}]}}"#),
            passed(&[of(0, 0)]),
            "dimension 0 of argument 0, which there is not",
        ),
        (format!(r#"{{"a":[{array}],"r":[{array}]}}"#), passed(&[]), "it has 1 dimensions, and 0 sizes are given"),
        (
            format!(r#"{{"a":[["ndarray","i32",1,null]],"r":[{array}]}}"#),
            vec![Storage::Argument(0)],
            "result 0: it has the memory of argument 0, which is no array of this type",
        ),
        (
            format!(r#"{{"a":[{array}],"r":[{array},{array}]}}"#),
            vec![Storage::Argument(0); 2],
            "result 1: argument 0 is the memory of another result already",
        ),
        (format!(r#"{{"a":[{array}],"r":[]}}"#), vec![], "it has no results"),
        (format!(r#"{{"a":[{}],"r":["i32"]}}"#, many(33)), vec![], "66 constants of 32 bits, and IREE takes 64"),
        (format!(r#"{{"a":[],"r":[{}]}}"#, many(65)), vec![], "65 arrays and results, and IREE takes 64"),
    ];
    for (records, storages, expected) in cases {
        let entries = [entry("f", &records, &storages)];
        for route in [Route::Executable, Route::Library, Route::Plugin] {
            let wrapper = Wrapper::new("gus", &entries, route);
            let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
            let error = wrapper.define(&mut object).expect_err(expected).to_string();
            assert!(error.contains(expected) && error.contains("`f`"), "{error}\n{expected}");
            assert_eq!(wrapper.text(&target, &[]).expect_err(expected).to_string(), error);
        }
    }
    let entries = entries();
    let expect = |wrapper: Wrapper<'_>, target: &Target, expected: &str| {
        let error = wrapper.text(target, &[]).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    expect(Wrapper::new("gus", &entries, Route::Module), &target, "has no wrapper");
    expect(Wrapper::new("gus", &entries, Route::Library), &windows, "use the system's loader");
    expect(
        Wrapper::new("gus", &[entries[0].clone(), entries[0].clone()], Route::Plugin),
        &target,
        "the name is there twice",
    );
}

/// Programs into which no library can be put.
#[test]
fn libraries_have_one_place() {
    let place = "hal.executable private @executable {\n    hal.executable.binary public @code \
                 <format = \"embedded-elf-x86_64\", data = dense<\"0x7F45\"> : vector<2xi8>, mime_type = \"m\">\n  }\n";
    let program = format!("module @m {{\n  {place}}}\n");
    let expected = program.replace("0x7F45", "0x010AFF").replace("<2xi8>", "<3xi8>");
    assert_eq!(embed(&program, &[1, 10, 255]).map_err(|e| e.to_string()), Ok(expected));
    let wrong = [
        (String::new(), "has no executable of the wrapper's"),
        (program.replace("@code", "@other"), "has no binary of the wrapper's"),
        (program.replace("0x7F45", "0x7F4g"), "has a binary of another form"),
        (program.replace("dense<\"", "dense<["), "has a binary of another form"),
        (program.replace("2xi8", "2xi32"), "has a binary of another form"),
        (format!("{program}{program}"), "has another executable"),
    ];
    for (program, expected) in wrong {
        let error = embed(&program, &[1]).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

/// The structures that hosts and libraries share, as C has them on targets of either width. The declarations are written anew.
#[test]
fn structures_are_those_of_c() -> Result<(), Failure> {
    use gusset_iree::device::{
        DispatchAttrs, DispatchState, Exports, Library, LibraryHeader, Plugin, PluginHeader, Resolution,
    };
    let declarations = std::fs::read_to_string(root().join("tests/tests/iree/routes/structures.h"))?;
    for triple in [
        "x86_64-unknown-linux-gnu",
        "i686-unknown-linux-gnu",
        "armv7-unknown-linux-gnueabihf",
        "aarch64-unknown-linux-gnu",
    ] {
        let target = Target::from_triple(triple, &Features::default()).map_err(said)?;
        let mut text = declarations.clone();
        let mut check = |name: &str, size: u32, fields: Vec<(&'static str, i32)>| {
            text += &format!("_Static_assert(sizeof(struct {name}) == {size}, \"{name}\");\n");
            for (field, offset) in fields {
                text += &format!("_Static_assert(offsetof(struct {name}, {field}) == {offset}, \"{name}.{field}\");\n");
            }
        };
        macro_rules! all {
            ($($name:ident)+) => {
                $({
                    let layout = $name::new(target.abi()).map_err(|e| Failure::new(e.to_string()))?;
                    check(stringify!($name), layout.size, layout.fields());
                })+
            };
        }
        all!(Library LibraryHeader Exports DispatchAttrs DispatchState Plugin PluginHeader Resolution);
        let file = work_folder("iree_routes").join(format!("structures-{triple}.c"));
        std::fs::write(&file, text)?;
        let mut clang = limited(60, "clang-19");
        succeed(clang.args(["-fsyntax-only", "-ffreestanding", "-target", triple]).arg(&file))?;
    }
    Ok(())
}
