//! `gusset compile --iree-module`: what attributes of MLIR's functions make of them, modules that import each other's functions, and the
//! command. Everything runs in IREE's stock runtime.

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset_tests::iree::{Iree, stock};
use gusset_tests::tools::{Failure, gusset, limited, root, run, succeed, work_folder};

/// A run of Gusset's command on a file of the tests'.
fn compile(file: &Path, module: &str, options: &[&str], output: &Path) -> Result<Command, Failure> {
    let mut command = limited(60, gusset()?);
    command.arg("compile").arg(file).args(["--iree-module", module]).args(options).arg("-o").arg(output);
    Ok(command)
}

/// The shared object of a file of the tests', made by the command that `--print-link` prints.
fn module(file: &str, ending: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    let output = work_folder("iree-source").join(format!("{file} of '{ending}'.{ending}"));
    let options: Vec<&str> = options.iter().copied().chain(["--print-link"]).collect();
    let link = succeed(&mut compile(&root().join(format!("tests/iree/{file}.mlir")), file, &options, &output)?)?.text();
    assert!(link.starts_with("cc -shared "), "{link}");
    succeed(limited(60, "sh").arg("-c").arg(link))?;
    Ok(output.with_extension("so"))
}

/// What `iree-run-module` prints after the name of a function; of failures the last line.
fn call(iree: &Iree, modules: &[&Path], function: &str, inputs: &[&str]) -> Result<String, Failure> {
    let mut command = iree.run_module();
    command.args(["--device=local-task", "--print_statistics"]);
    command.args(modules.iter().map(|module| format!("--module={}", module.display())));
    command.arg(format!("--function={function}")).args(inputs.iter().map(|input| format!("--input={input}")));
    let outcome = run(&mut command)?;
    let (said, errors) = (outcome.text(), outcome.errors());
    let live: Vec<&str> = said.lines().chain(errors.lines()).filter(|line| line.contains(" live")).collect();
    assert!(
        live.is_empty() != said.contains("EXEC") && live.iter().all(|line| line.contains(" 0B live")),
        "{function}: {live:?}"
    );
    let values = said.lines().skip_while(|line| !line.starts_with("EXEC")).skip(1);
    let values = values.take_while(|line| !line.starts_with("Device:"));
    Ok(match outcome.code {
        0 => values.collect::<Vec<_>>().join("\n"),
        _ => errors.lines().find(|line| line.contains("; ")).unwrap_or(&errors).to_string(),
    })
}

/// Function, inputs, and what comes back, or what the error has in it.
type Case = (&'static str, &'static [&'static str], &'static str);

fn check(iree: &Iree, modules: &[&Path], cases: &[Case]) {
    for (function, inputs, expected) in cases {
        let got = call(iree, modules, function, inputs).unwrap_or_else(|e| panic!("{function}: {e}"));
        assert!(
            if expected.starts_with("result") { got == *expected } else { got.contains(expected) },
            "{function} {inputs:?}: {got}"
        );
    }
}

const ATTRIBUTES: &[Case] = &[
    ("passed", &["3xf32=1,2,3"], "result[0]: hal.buffer_view\n3xf32=2 4 6\nresult[1]: hal.buffer_view\nf32=3"),
    ("passed", &["0xf32="], "result[0]: hal.buffer_view\n0xf32=\nresult[1]: hal.buffer_view\nf32=0"),
    ("passed", &["f32=1"], "(%input0: tensor<?xf32>) -> (%doubled: tensor<?xf32>, %output1: tensor<f32>)`"),
    ("tied", &["4xi32=1,2,3,4"], "result[0]: hal.buffer_view\n4xi32=42 2 3 4"),
    ("untied", &["4xi32=1,2,3,4"], "untied: result 0 is tied to argument 0, and is other memory"),
    (
        "mixed",
        &["7", "3xf32=1,2,3", "2xi32=5,6"],
        "result[0]: i32=7\nresult[1]: hal.buffer_view\n3xf32=1.5 2 3\nresult[2]: hal.buffer_view\n2xi32=7 6\nresult[3]: \
         hal.buffer_view\n3xf32=1.5 2 3\nresult[4]: hal.buffer_view\nf64=2.5",
    ),
    ("reshaped", &["4xf32=1,2,3,4"], "result[0]: hal.buffer_view\n4x1xf32=[1][3][1][3]"),
    ("reshaped", &["4xi32=1,2,3,4"], "INVALID_ARGUMENT; reshaped: argument 0"),
    (
        "reinterpreted",
        &["2x2xi32=1,2,3,1065353216"],
        "result[0]: f32=1\nresult[1]: i64=2\nresult[2]: hal.buffer_view\n2x2xi32=[1 2][3 1065353216]",
    ),
    ("reinterpreted", &["2x2xf32=1"], "INVALID_ARGUMENT; reinterpreted: argument 0"),
    ("check", &["9"], "result[0]: i32=9"),
    ("check", &["10"], "FAILED_PRECONDITION; n is 100% not below \"ten\";"),
    ("fences", &["4xi32=5,6,7,8"], "result[0]: i32=5"),
    ("sums", &["2x3xi32=1,2,3,4,5,6"], "result[0]: i32=21\nresult[1]: i64=6"),
    ("sums", &["2x2xi32=1"], "`sums of rows of three`"),
    ("vector", &[], "NOT_FOUND"),
];

#[test]
fn attributes() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    check(iree, &[&module("attributes", "o", &[])?], ATTRIBUTES);
    Ok(())
}

/// By way of assembly text, too, and with results that another module gives.
#[test]
fn imports() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let (exporter, importer) =
        (module("attributes", "s", &["--emit", "asm"])?, module("imports", "s", &["--emit", "asm"])?);
    let cases: &[Case] = &[
        ("checked", &["-4"], "result[0]: i32=8"),
        ("checked", &["-40"], "FAILED_PRECONDITION; n is 100% not below \"ten\";"),
        ("marked", &["2xi32=1,2"], "result[0]: hal.buffer_view\n2xi32=42 2"),
        ("doubled", &["2x3xi32=1,2,3,4,5,6"], "result[0]: i64=27"),
        ("doubled", &["3x2xi32=1"], "INVALID_ARGUMENT; sums: argument 0 has size 2"),
        // [1 3 2 4] in a row comes back as its first and third number, twice.
        ("squared", &["2x2xf32=1,2,3,4"], "result[0]: hal.buffer_view\n2x2xf32=[1 2][1 2]\nresult[1]: f32=1"),
        ("waiting", &["4xi32=7"], "result[0]: i32=7"),
        ("waiting", &["4xi32=70"], "FAILED_PRECONDITION; too large, and too late;"),
    ];
    check(iree, &[&exporter, &importer], cases);
    Ok(())
}

/// The page of the documentation: its file, its commands, and what they print.
#[test]
fn the_page_is_true() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    if iree.compile().is_err() {
        eprintln!("left out: this version of IREE has no compiler");
        return Ok(());
    }
    let page = std::fs::read_to_string(root().join("docs/iree.md"))?;
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let file = blocks.iter().find_map(|block| block.strip_prefix("mlir\n"));
    let folder = work_folder("iree-source").join("page");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("k.mlir"), file.ok_or_else(|| Failure::new("the page has no MLIR"))?)?;
    let tools = gusset()?.parent().map(Path::to_path_buf).unwrap_or_default();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", tools.display(), iree.commands().display());
    let mut commands = 0;
    for block in blocks.iter().filter(|block| block.starts_with("\n$ ")) {
        // A line that ends in a backslash goes on.
        for step in block.replace("\\\n", "").trim().split("\n$ ").map(|step| step.trim_start_matches("$ ")) {
            let (command, rest) = step.split_once('\n').unwrap_or((step, ""));
            let typed: String =
                rest.lines().filter_map(|line| line.strip_prefix(">>> ")).map(|line| format!("{line}\n")).collect();
            let expected: Vec<&str> = rest.lines().filter(|line| !line.starts_with(">>> ")).collect();
            let input = folder.join("typed");
            std::fs::write(&input, &typed)?;
            let command = if typed.is_empty() { command.to_string() } else { format!("{command} -i < typed") };
            let mut shell = limited(120, "sh");
            let outcome = succeed(shell.current_dir(&folder).env("PATH", &path).arg("-c").arg(&command))?;
            let (said, errors) = (outcome.text(), outcome.errors());
            let said: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(said, expected, "{command}\n{errors}");
            commands += 1;
        }
    }
    assert!(commands >= 6, "{commands} commands");
    Ok(())
}

/// The loader sees the entry point alone, and the object needs nothing of IREE's.
#[test]
fn symbols() -> Result<(), Failure> {
    let library = module("imports", "o", &[])?;
    let symbols = succeed(limited(60, "nm").args(["-D", "--format=posix"]).arg(&library))?.text();
    let of = |defined: bool| {
        let kind = move |line: &&str| line.split(' ').nth(1).is_some_and(|kind| (kind == "T") == defined);
        symbols.lines().filter(kind).map(|line| line.split(['@', ' ']).next().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(of(true), ["iree_vm_dynamic_module_create"]);
    assert!(of(false).iter().all(|name| !name.contains("iree")), "{symbols}");
    Ok(())
}

/// The options that do not go together, inputs that are no MLIR, and functions that no module can have.
#[test]
fn wrong_usage() -> Result<(), Failure> {
    let folder = work_folder("iree-source");
    let file = |name: &str, text: &str| -> Result<PathBuf, Failure> {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let good = file("good.mlir", "func.func @f() { return }")?;
    let llvm = file("f.ll", "define void @f() { ret void }")?;
    let none = file("none.mlir", "\n// Nothing.\nfunc.func private @f() { return }")?;
    let list = file(
        "list.mlir",
        r#"func.func @f() -> !llvm.ptr attributes {iree.abi = "{\"a\":[],\"r\":[\"unknown\"]}"} {
             %0 = llvm.mlir.zero : !llvm.ptr
             return %0 : !llvm.ptr }"#,
    )?;
    let nested = format!("{}\\22i8\\22{}", "[\\22slist\\22,".repeat(5000), "]".repeat(5000));
    let deep = format!(
        "func.func @f(%p: !llvm.ptr) attributes {{iree.abi = \"{{\\22a\\22:[{nested}],\\22r\\22:[]}}\"}} {{ return }}"
    );
    let deep = file("deep.mlir", &deep)?;
    let second = good.display().to_string();
    let out = folder.join("wrong.o");
    let cases: &[(&Path, &str, &[&str], i32, &str)] = &[
        (&good, "m", &["--no-pic"], 2, "cannot be used with"),
        (&good, "m", &["--bare-pointers"], 2, "cannot be used with"),
        (&good, "m", &["--emit", "ir"], 2, "has no IR"),
        (&good, "m", &[&second], 2, "cannot be used"),
        (&good, "m", &["--iree-hal", "gpu"], 2, "invalid value"),
        (&good, "m", &["--allocation", "generic"], 1, "`malloc` and `free`"),
        (&good, "a.b", &[], 1, "cannot have this name"),
        (&good, "", &[], 1, "cannot have this name"),
        (&good, "hal", &[], 1, "cannot have this name"),
        (&llvm, "m", &[], 1, "f.ll: error: --iree-module makes modules of MLIR's functions"),
        (&none, "m", &[], 1, "none.mlir:1:1: error: there is nothing to export"),
        (&list, "m", &[], 1, "list.mlir:1:1: error: in function `f"),
        (&deep, "m", &[], 1, "lists are in each other, and C's function gets 100 of them at most"),
    ];
    for (file, name, options, code, message) in cases {
        let several = options.first() == Some(&second.as_str());
        let outcome = run(&mut if several {
            let mut command = limited(60, gusset()?);
            command.arg("compile").args([file, &good.as_path()]).args(["--iree-module", name]);
            command
        } else {
            compile(file, name, options, &out)?
        })?;
        let message = if several { "makes a module of one file" } else { message };
        assert!(
            outcome.errors().contains(message) && outcome.code == *code,
            "{name} {options:?}: {}",
            outcome.errors()
        );
        assert!(!out.exists());
    }
    let mut alone = limited(60, gusset()?);
    let alone = run(alone.arg("compile").arg(&good).arg("--print-link"))?;
    assert!(alone.code == 2 && alone.errors().contains("--iree-module"), "{}", alone.errors());
    let unnamed = run(&mut compile(&good, "m", &["--print-link"], Path::new("-"))?)?;
    assert!(unnamed.code == 1 && unnamed.errors().contains("give it one with -o"), "{}", unnamed.errors());
    Ok(())
}
