//! Functions that programs of IREE's dispatch: linked into the program's executable, as its executable, in a plugin. The functions
//! are C's, as clang compiles them; IREE's compiler, tools and runtime for Python judge.

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset::iree::{Loader, Route, Wrapper, embed};
use gusset::{Features, ObjectBuilder, Options, Target};
use gusset_iree::{Dim, Entry, Reflection, ResultDetail, Storage};
use gusset_tests::iree::{self, Iree};
use gusset_tests::tools::{Failure, limited, root, succeed, work_folder};

/// An entry: its symbol is its name with `c_` in front.
fn entry(name: &str, records: &str, storages: &[Storage]) -> Entry {
    let reflection: Reflection = Reflection::parse(records).expect("records of the test");
    let results = storages.iter().map(|storage| ResultDetail { storage: storage.clone(), ..ResultDetail::default() });
    Entry { results: results.collect(), ..Entry::new(name, format!("c_{name}"), reflection) }
}

fn of(arg: usize, dim: usize) -> Dim {
    Dim::Of { arg, dim }
}

/// Functions that need no C library.
fn entries() -> Vec<Entry> {
    use Storage::{Argument, Passed, Returned, Tied};
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

fn build(iree: &Iree, route: Route, loader: Loader) -> Result<Program, Failure> {
    let folder = work_folder("iree_routes").join(format!("{route:?}-{loader:?}"));
    std::fs::create_dir_all(&folder)?;
    let fail = |e: gusset::Error| Failure::new(e.to_string());
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).map_err(fail)?;
    let (entries, hosted) = match loader {
        Loader::Embedded => (entries(), "-ffreestanding"),
        Loader::System => (hosted(), "-DHOSTED"),
    };
    let wrapper = Wrapper { loader, ..Wrapper::new("gus", &entries, route) };
    let pic = Options { relocation: gusset::Relocation::Pic, ..Options::default() };
    let mut object = ObjectBuilder::new(&target, &pic);
    wrapper.define(&mut object).map_err(fail)?;
    std::fs::write(folder.join("shims.o"), object.finish().map_err(fail)?)?;
    let source = root().join("tests/tests/iree_routes/functions.c");
    let mut clang = limited(60, "clang-19");
    clang
        .args(["-O1", "-fPIC", "-Wall", "-Werror", hosted, "-c"])
        .arg(source)
        .arg("-o")
        .arg(folder.join("functions.o"));
    succeed(&mut clang)?;
    let text = wrapper.text(&target, &["shims.o", "functions.o"]).map_err(fail)?;
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
            let text = embed(&std::fs::read_to_string(&first)?, &std::fs::read(&library)?).map_err(fail)?;
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
    ("lower", &["2xi32=1,2", "10"], "result[0] 2xi32=-9 -8"),
    ("flip", &["3xi8=1,0,1", "i16=7"], "result[0] 3xi1=00 01 00\nresult[1] i16=-7"),
];

/// The functions by a route, on both devices.
fn check(route: Route, loader: Loader) -> Result<(), Failure> {
    let Some(iree) = iree::stock() else { return Ok(()) };
    let program = build(iree, route, loader)?;
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
    let script = root().join("tests/tests/iree_routes/calls.py");
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
