//! Debug information of MLIR: what attributes of the dialect `llvm` say is in the object as it is in that of MLIR's own translation to
//! LLVM IR, and locations alone give lines and functions, as MLIR's pass `ensure-debug-info-scope-on-llvm-func` does.

use std::path::{Path, PathBuf};

use gusset_tests::mlir::{opt as mlir_opt, translate as mlir_translate};
use gusset_tests::objects::code_sections;
use gusset_tests::tools::{self, Failure, clang, gusset, limited, root, succeed, work_folder};

const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// MLIR's passes for the upper dialects of `locations.mlir`.
const LOWERING: [&str; 7] = [
    "--convert-scf-to-cf",
    "--convert-index-to-llvm",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
];

/// A file of `debug/`.
fn input(name: &str) -> PathBuf {
    root().join("tests/tests/mlir/debug").join(name)
}

/// The object that Gusset makes of a text.
fn compile(target: &str, options: &[&str], text: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", "--target", target]).args(options).arg(text).arg("-o").arg(object);
    let said = succeed(&mut command)?.errors();
    if said.is_empty() { Ok(()) } else { Err(Failure::new(said)) }
}

/// What `llvm-dwarfdump` says, without the file's name; the object must be well-formed.
fn dumped(object: &Path) -> Result<String, Failure> {
    succeed(limited(60, "llvm-dwarfdump-19").args(["--verify", "--quiet"]).arg(object))?;
    let sections = ["--debug-info", "--debug-line", "--debug-loc", "--debug-loclists"];
    let text = succeed(limited(60, "llvm-dwarfdump-19").args(sections).arg(object))?.text();
    Ok(text.lines().skip(1).collect::<Vec<_>>().join("\n"))
}

/// Checks that a module has the debug information of its translation to LLVM IR, and the code of the stripped module. Gives the former.
fn as_translated(name: &str, module: &Path, translated: &Path) -> Result<String, Failure> {
    let folder = work_folder("mlir_debug_info");
    let mut last = String::new();
    for target in TARGETS {
        let [ours, theirs, stripped] =
            ["mlir", "ll", "stripped"].map(|kind| folder.join(format!("{name}-{target}.{kind}.o")));
        compile(target, &[], module, &ours)?;
        compile(target, &[], translated, &theirs)?;
        compile(target, &["--strip-debug"], module, &stripped)?;
        last = dumped(&ours)?;
        tools::same_lines(&dumped(&theirs)?, &last).map_err(|failure| failure.at(format!("{name} {target}")))?;
        assert!(code_sections(&ours)? == code_sections(&stripped)?, "{name} {target}: the code is another");
        assert!(std::fs::metadata(&ours)?.len() > std::fs::metadata(&stripped)?.len() + 400, "{name}");
    }
    Ok(last)
}

#[test]
fn attributes_are_those_of_the_translation() -> Result<(), Failure> {
    let folder = work_folder("mlir_debug_info");
    let (module, translated) = (input("attributes.mlir"), folder.join("attributes.ll"));
    succeed(limited(60, mlir_translate()).arg("--mlir-to-llvmir").arg(&module).arg("-o").arg(&translated))?;
    let said = as_translated("attributes", &module, &translated)?;
    for tag in ["inlined_subroutine", "string_type", "module", "label", "lexical_block", "subrange_type"] {
        assert!(said.contains(&format!("DW_TAG_{tag}")), "{tag}: {said}");
    }
    // A program in C.
    for level in ["-O1", "-O2"] {
        let [ir, module, translated] = ["in.ll", "mlir", "ll"].map(|end| folder.join(format!("program{level}.{end}")));
        let flags = ["-S", "-emit-llvm", "-g", "-gdwarf-5", "-fno-vectorize", level];
        succeed(limited(60, clang()).args(flags).arg(input("program.c")).arg("-o").arg(&ir))?;
        let import = ["--import-llvm", "--mlir-print-debuginfo"];
        succeed(limited(60, mlir_translate()).args(import).arg(&ir).arg("-o").arg(&module))?;
        succeed(limited(60, mlir_translate()).arg("--mlir-to-llvmir").arg(&module).arg("-o").arg(&translated))?;
        let said = as_translated(&format!("program{level}"), &module, &translated)?;
        assert!(said.contains("DW_TAG_inlined_subroutine") && said.contains("DW_TAG_union_type"), "{said}");
    }
    Ok(())
}

#[test]
fn newer_attributes_are_those_of_our_translation() -> Result<(), Failure> {
    let (module, translated) = (input("newer.mlir"), work_folder("mlir_debug_info").join("newer.ll"));
    succeed(limited(60, gusset()?).arg("translate").arg(&module).arg("-o").arg(&translated))?;
    let said = as_translated("newer", &module, &translated)?;
    for tag in ["imported_module", "common_block", "module"] {
        assert!(said.contains(&format!("DW_TAG_{tag}")), "{tag}: {said}");
    }
    Ok(())
}

/// The rows of a table of lines: address, line, column. Rows for the entries of functions have no column.
fn rows(dump: &str) -> String {
    let row = |line: &str| -> Option<String> {
        let mut words = line.split_whitespace();
        let (address, line, column) = (words.next()?, words.next()?, words.next()?);
        let row = address.starts_with("0x") && line.parse::<u32>().is_ok() && column.parse().is_ok_and(|n: u32| n != 0);
        row.then(|| format!("{address} {line}:{column}\n"))
    };
    dump.lines().filter_map(row).collect()
}

/// The names of functions with their addresses.
fn functions(dump: &str) -> String {
    let value = |text: &str, name: &str| {
        let at = text.find(&format!("DW_AT_{name}\t("))?;
        text[at..].split(['(', ')']).nth(1).map(str::to_string)
    };
    let all = dump.split("DW_TAG_").filter(|text| text.starts_with("subprogram"));
    all.filter_map(|text| Some(format!("{} {}\n", value(text, "name")?, value(text, "low_pc")?))).collect()
}

#[test]
fn locations_alone_give_lines_and_functions() -> Result<(), Failure> {
    let folder = work_folder("mlir_debug_info");
    let [low, scoped, translated] = ["low.mlir", "scoped.mlir", "scoped.ll"].map(|name| folder.join(name));
    let optimize = |passes: &[&str], from: &Path, to: &Path| {
        succeed(limited(60, mlir_opt()).args(passes).arg("--mlir-print-debuginfo").arg(from).arg("-o").arg(to))
    };
    optimize(&LOWERING, &input("locations.mlir"), &low)?;
    optimize(&["--ensure-debug-info-scope-on-llvm-func"], &low, &scoped)?;
    succeed(limited(60, mlir_translate()).arg("--mlir-to-llvmir").arg(&scoped).arg("-o").arg(&translated))?;
    for target in TARGETS {
        let [ours, theirs, stripped] =
            ["ours", "theirs", "stripped"].map(|kind| folder.join(format!("locations-{target}.{kind}.o")));
        compile(target, &[], &low, &ours)?;
        compile(target, &[], &translated, &theirs)?;
        compile(target, &["--strip-debug"], &low, &stripped)?;
        assert!(code_sections(&ours)? == code_sections(&stripped)?, "{target}: the code is another");
        let (ours, theirs) = (dumped(&ours)?, dumped(&theirs)?);
        // MLIR 20 and later have the place in the function that was called, MLIR 19 that of the call.
        tools::same_lines(&rows(&theirs).replace(" 15:7\n", " 44:3\n"), &rows(&ours))?;
        tools::same_lines(&functions(&theirs), &functions(&ours))?;
        assert!(rows(&ours).contains(" 44:3\n") && functions(&ours).contains("\"half\" 0x"), "{ours}");
        // Operations of upper dialects keep their locations.
        let [upper, stripped] = ["upper", "bare"].map(|kind| folder.join(format!("locations-{target}.{kind}.o")));
        compile(target, &[], &input("locations.mlir"), &upper)?;
        compile(target, &["--strip-debug"], &input("locations.mlir"), &stripped)?;
        assert!(code_sections(&upper)? == code_sections(&stripped)?, "{target}: the code is another");
        let said = rows(&dumped(&upper)?);
        for place in ["5:3", "6:10", "7:11", "13:3", "14:7", "44:3", "16:7", "24:3", "25:5", "26:3", "27:3"] {
            assert!(said.contains(&format!(" {place}\n")), "{place}: {said}");
        }
    }
    Ok(())
}

#[test]
fn modules_without_locations_have_no_debug_information() -> Result<(), Failure> {
    let folder = work_folder("mlir_debug_info");
    let [module, with, without] = ["unknown.mlir", "unknown.o", "unknown.stripped.o"].map(|name| folder.join(name));
    let body = "  %m = memref.alloc() : memref<4xi32> loc(unknown)\n  return %m : memref<4xi32> loc(#loc)\n";
    let text = format!("#loc = loc(unknown)\nfunc.func @f() -> memref<4xi32> {{\n{body}}} loc(#loc)\n");
    std::fs::write(&module, text)?;
    compile(TARGETS[0], &[], &module, &with)?;
    compile(TARGETS[0], &["--strip-debug"], &module, &without)?;
    assert!(std::fs::read(with)? == std::fs::read(without)?);
    Ok(())
}

#[test]
fn damaged_attributes_leave_the_code_as_it_is() -> Result<(), Failure> {
    let folder = work_folder("mlir_debug_info");
    let [module, with, without] = ["damaged.mlir", "damaged.o", "damaged.stripped.o"].map(|name| folder.join(name));
    let text = std::fs::read_to_string(input("attributes.mlir"))?;
    std::fs::write(&module, text.replace("#llvm.di_lexical_block<", "#llvm.di_unheard_of<"))?;
    let failure = compile(TARGETS[0], &[], &module, &with).err().map(|failure| failure.to_string());
    let said = failure.unwrap_or_default();
    assert!(said.contains("damaged.mlir:2") && said.contains("debug information"), "{said}");
    compile(TARGETS[0], &["--strip-debug"], &module, &without)?;
    assert!(std::fs::read(with)? == std::fs::read(without)?);
    Ok(())
}

#[test]
fn gdb_stops_at_lines() -> Result<(), Failure> {
    let folder = work_folder("mlir_debug_info");
    let [object, exe] = ["gdb.o", "gdb.exe"].map(|name| folder.join(name));
    compile(TARGETS[0], &[], &input("locations.mlir"), &object)?;
    succeed(limited(60, tools::cc()).arg(&object).arg("-o").arg(&exe))?;
    let mut gdb = limited(60, "gdb");
    gdb.args(["-nx", "-batch"]).env("LC_ALL", "C").current_dir(&folder);
    for command in ["set debuginfod enabled off", "break half.h:26", "run", "backtrace", "up", "info source", "finish"]
    {
        gdb.args(["-ex", command]);
    }
    let said = succeed(gdb.arg(&exe))?.text();
    for text in [
        "Breakpoint 1, half () at half.h:26",
        "#0  half () at half.h:26",
        "in sum () at half.h:44",
        "in main () at main.c:7",
        "Compilation directory is src",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
    Ok(())
}
