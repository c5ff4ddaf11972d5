//! Debug information through `gusset translate`, from LLVM IR to MLIR's dialect `llvm` and back. MLIR 19's tools read what comes out
//! and make of it what they make of their own import: the same nodes, of functions, variables, instructions and records. What MLIR has no
//! place for is told. Objects that llc makes of the program that went through MLIR say what those of the program itself say.

use std::path::{Path, PathBuf};

use gusset_tests::debug_graph::{dwarf, lines};
use gusset_tests::mlir;
use gusset_tests::parallel;
use gusset_tests::tools::{
    Failure, clang, gusset, limited, llc, root, run, same_lines, succeed, unpacked, work_folder,
};

fn folder() -> PathBuf {
    work_folder("translate_debug")
}

/// By `gusset translate`; what it notes.
fn translate(input: &Path, output: &Path) -> Result<String, Failure> {
    let outcome = succeed(limited(60, gusset()?).arg("translate").arg(input).arg("-o").arg(output))?;
    Ok(outcome.errors())
}

/// LLVM IR that `mlir-translate` makes of MLIR.
fn exported(file: &Path) -> Result<PathBuf, Failure> {
    let out = file.with_extension("out.ll");
    succeed(limited(60, mlir::translate()).arg("--mlir-to-llvmir").arg(file).arg("-o").arg(&out))?;
    Ok(out)
}

/// What `mlir-translate` imports; none where it refuses to, or to take it back.
fn imported(file: &Path) -> Result<Option<PathBuf>, Failure> {
    let out = file.with_extension("import.mlir");
    let mut command = limited(60, mlir::translate());
    command.args(["--import-llvm", "--mlir-print-debuginfo"]).arg(file).arg("-o").arg(&out);
    if run(&mut command)?.code != 0 {
        return Ok(None);
    }
    Ok(exported(&out).ok())
}

/// Translates a program to MLIR, which is what MLIR's own import is. The result, what was noted, and whether the import was there to
/// compare.
fn there(input: &Path) -> Result<(PathBuf, String, bool), Failure> {
    let output = input.with_extension("mlir");
    let noted = translate(input, &output)?;
    succeed(limited(60, mlir::opt()).arg("--verify-each").arg(&output).arg("-o").arg("/dev/null"))?;
    let import = imported(input)?;
    if let Some(import) = &import {
        let own = lines(&exported(&output)?)?.join("\n");
        same_lines(&lines(import)?.join("\n"), &own).map_err(|f| f.at(input.display()))?;
    }
    Ok((output, noted, import.is_some()))
}

/// The same; and back, which makes of it what MLIR's own tools make of it.
fn there_and_back(input: &Path) -> Result<(String, bool), Failure> {
    let (output, noted, compared) = there(input)?;
    let back = input.with_extension("back.ll");
    translate(&output, &back)?;
    let own = lines(&exported(&output)?)?.join("\n");
    same_lines(&own, &lines(&back)?.join("\n")).map_err(|f| f.at(format!("{}, back", input.display())))?;
    Ok((noted, compared))
}

/// A program of `tests/data/translate_debug` as LLVM IR.
fn compiled(name: &str, level: &str) -> Result<PathBuf, Failure> {
    let source = root().join("tests/data/translate_debug").join(name);
    let output = folder().join(format!("{name}{level}.ll"));
    let mut command = match name.ends_with(".f90") {
        true => limited(60, "flang-new-19"),
        false => limited(60, clang()),
    };
    if !name.ends_with(".f90") {
        // MLIR 19's import knows no `#dbg_assign`.
        command.args(["-Xclang", "-fexperimental-assignment-tracking=disabled"]);
    }
    succeed(command.args(["-g", level, "-S", "-emit-llvm"]).arg(&source).arg("-o").arg(&output).current_dir(folder()))?;
    Ok(output)
}

#[test]
fn programs() -> Result<(), Failure> {
    let all = [
        ("types.c", "-O0"),
        ("types.c", "-O2"),
        ("classes.cpp", "-O0"),
        ("classes.cpp", "-O2"),
        ("module.f90", "-O0"),
        ("module.f90", "-O2"),
    ];
    let done = parallel::map(all.len(), |i| -> Result<(), Failure> {
        let (name, level) = all[i];
        let (noted, compared) = there_and_back(&compiled(name, level)?)?;
        // MLIR 19's import passes arguments of invoked functions twice, which its export refuses.
        assert!(compared || name == "classes.cpp" && level == "-O2", "{name} {level}");
        assert!(noted.lines().count() == 1 && noted.contains("note: MLIR has no place for "), "{noted}");
        Ok(())
    });
    done.into_iter().collect()
}

/// Calls in place of records, fragments, places inlined twice, types that lead to each other through methods, and so on.
#[test]
fn forms() -> Result<(), Failure> {
    let input = folder().join("forms.ll");
    std::fs::copy(root().join("tests/data/translate_debug/forms.ll"), &input)?;
    let (noted, compared) = there_and_back(&input)?;
    assert!(compared);
    for what in [
        "`globals` of `DICompileUnit` without a variable",
        "a record of no value, or of several",
        "all but the first description of a variable",
    ] {
        assert!(noted.contains(what), "{what}: {noted}");
    }
    // MLIR's tools print the aliases of locations after the bodies.
    let (import, back) = (input.with_extension("import.mlir"), input.with_extension("import.back.ll"));
    translate(&import, &back)?;
    same_lines(&lines(&exported(&import)?)?.join("\n"), &lines(&back)?.join("\n"))
}

/// What `rustc` writes, which is of a newer LLVM than MLIR 19's import reads.
#[test]
fn rust() -> Result<(), Failure> {
    let input = folder().join("shapes.ll");
    let source = root().join("tests/data/translate_debug/shapes.rs");
    let mut command = limited(60, "rustc");
    command.args(["-g", "--emit=llvm-ir", "--crate-type=lib", "-Copt-level=1", "-o"]).arg(&input).arg(source);
    succeed(command.current_dir(folder()))?;
    let (noted, _) = there_and_back(&input)?;
    assert!(noted.contains("`discriminator` of `DICompositeType`"), "{noted}");
    Ok(())
}

/// LLVM's own tests of the import.
#[test]
fn of_the_import() -> Result<(), Failure> {
    let tests = unpacked("GUSSET_MLIR_TESTS", "mlir-tests").join("Target/LLVMIR/Import");
    let mut modules = Vec::new();
    for name in ["debug-info", "composite-type-fortran", "global-variables", "metadata-loop"] {
        let text = std::fs::read_to_string(tests.join(name).with_extension("ll"))?;
        for (i, module) in text.split("; // -----").enumerate() {
            let file = folder().join(format!("{name}-{i}.ll"));
            std::fs::write(&file, module)?;
            modules.push(file);
        }
    }
    let done = parallel::map(modules.len(), |i| there(&modules[i]));
    let mut alone = Vec::new();
    for (module, done) in modules.iter().zip(done) {
        if !done?.2 {
            alone.extend(module.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    // MLIR 19 does not read what it writes of a list that is not the last parameter.
    assert_eq!(alone, ["composite-type-fortran-0"]);
    Ok(())
}

/// Objects of programs that went through MLIR say of types, functions, variables and places what those of the programs say.
#[test]
fn objects() -> Result<(), Failure> {
    for (name, level) in [("types.c", "-O0"), ("types.c", "-O2"), ("classes.cpp", "-O0"), ("classes.cpp", "-O2")] {
        let input = compiled(name, level)?;
        let (program, back) = (input.with_extension("dwarf.mlir"), input.with_extension("dwarf.ll"));
        translate(&input, &program)?;
        translate(&program, &back)?;
        // Definitions of methods have their names themselves: there is no place for what declares them, nor for how a variable is artificial.
        let methods: &[&str] =
            if name == "classes.cpp" { &["subprogram", "formal_parameter", "pointer_type"] } else { &[] };
        let entries = |file: &Path| -> Result<_, Failure> {
            let object = file.with_extension("o");
            succeed(limited(60, llc()).args(["-filetype=obj", "-o"]).arg(&object).arg(file))?;
            dwarf(&object)
        };
        let (before, after) = (entries(&input)?, entries(&back)?);
        // Bit-fields are members like others, for whose flags MLIR 19 has no place, and clang's variables that are literals have no scope
        // that leads to a unit.
        let listed = [
            "member, name (\"v\")",
            "member, name (\"w\")",
            "member, name (\"b\")",
            "variable, type char[",
            "array_type, type char",
        ];
        let new =
            after.difference(&before).filter(|entry| !listed.iter().chain(methods).any(|word| entry.starts_with(word)));
        let new: Vec<_> = new.collect();
        assert!(new.is_empty() && after.len() > 20, "{name} {level}: {new:#?}");
        // What is optimized away is known by lists of subprograms alone, what is imported by those of units, and variables of namespaces
        // have no scope that leads to a unit: MLIR 19 has no place for these.
        let gone =
            before.difference(&after).filter(|entry| !listed.iter().chain(methods).any(|word| entry.starts_with(word)));
        let gone: Vec<_> = gone.collect();
        let fewer = name == "classes.cpp" || level == "-O2" && gone.len() * 5 < before.len();
        assert!(gone.is_empty() || fewer, "{name} {level}: {gone:#?}");
    }
    Ok(())
}

/// `#dbg_assign`, for which MLIR has no operation, says which value a variable has.
#[test]
fn assignments() -> Result<(), Failure> {
    let text = "define void @f(i32 %x, ptr %p) !dbg !5 {\n\
        store i32 %x, ptr %p, align 4, !dbg !7, !DIAssignID !8\n\
        #dbg_assign(i32 %x, !6, !DIExpression(), !8, ptr %p, !DIExpression(), !7)\n\
        ret void, !dbg !7\n}\n\
        !llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
        !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)\n\
        !2 = !DIFile(filename: \"f.c\", directory: \"/\")\n!3 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n\
        !4 = !DISubroutineType(types: !{null, !3})\n\
        !5 = distinct !DISubprogram(name: \"f\", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)\n\
        !6 = !DILocalVariable(name: \"v\", scope: !5, file: !2, line: 2, type: !3)\n\
        !7 = !DILocation(line: 3, column: 4, scope: !5)\n!8 = distinct !DIAssignID()\n";
    let input = folder().join("assignments.ll");
    std::fs::write(&input, text)?;
    let (noted, compared) = there_and_back(&input)?;
    assert!(!compared && noted.contains("the stores of `#dbg_assign`"), "{noted}");
    let text = std::fs::read_to_string(input.with_extension("mlir"))?;
    assert!(text.contains("llvm.intr.dbg.value #di_local_variable = %x : i32 loc("), "{text}");
    Ok(())
}

/// A module of `n` structs, each with pointers to those that `points` says, and a variable of each type.
fn structs(n: usize, points: impl Fn(usize) -> Vec<usize>) -> String {
    let mut text = String::from(
        "!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
         !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)\n\
         !2 = !DIFile(filename: \"f.c\", directory: \"/\")\n",
    );
    let mut next = 10 + n * 4;
    for i in 0..n {
        let (own, pointer, variable) = (10 + i * 4, 11 + i * 4, 12 + i * 4);
        let mut members = Vec::new();
        for to in points(i) {
            text += &format!(
                "!{next} = !DIDerivedType(tag: DW_TAG_member, name: \"m\", baseType: !{}, size: 64)\n",
                11 + to * 4
            );
            members.push(format!("!{next}"));
            next += 1;
        }
        text += &format!(
            "!{own} = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s{i}\", file: !2, size: 64, elements: !{{{}}})\n\
             !{pointer} = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !{own}, size: 64)\n\
             !{variable} = !DIGlobalVariableExpression(var: !{}, expr: !DIExpression())\n\
             !{} = distinct !DIGlobalVariable(name: \"v{i}\", scope: !1, file: !2, type: !{pointer}, isLocal: false, isDefinition: true)\n",
            members.join(", "),
            variable + 1,
            variable + 1
        );
        text += &format!("@v{i} = global ptr null, !dbg !{variable}\n");
    }
    text
}

/// Long chains of types take no stack; types that all lead to each other end, and what is written grows with what is read.
#[test]
fn sizes() -> Result<(), Failure> {
    let size = |name: &str, text: &str| -> Result<(u64, String), Failure> {
        let (input, output) = (folder().join(name), folder().join(name).with_extension("mlir"));
        std::fs::write(&input, text)?;
        let noted = translate(&input, &output)?;
        Ok((std::fs::metadata(output)?.len(), noted))
    };
    let chain = |n: usize| structs(n, |i| (i + 1 < n).then_some(i + 1).into_iter().collect());
    let (small, large) = (size("chain-s.ll", &chain(5_000))?.0, size("chain-l.ll", &chain(20_000))?.0);
    assert!(large < 5 * small, "{small} {large}");
    let ring = |n: usize| structs(n, |i| vec![(i + 1) % n, (i + n - 1) % n]);
    let (small, large) = (size("ring-s.ll", &ring(100))?.0, size("ring-l.ll", &ring(400))?.0);
    assert!(large < 20 * small, "{small} {large}");
    let all = structs(20, |_| (0..20).collect());
    let noted = size("all.ll", &all)?.1;
    assert!(noted.contains("members of types that lead to each other"), "{noted}");
    Ok(())
}

/// The data layout, entry by entry.
#[test]
fn layouts() -> Result<(), Failure> {
    let layouts = [
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64",
        "E-m:e-p:32:32-i64:64-n32:64-S128",
        "e-p:64:64-p1:64:64-p3:32:32-i64:64-v16:16-A5-G1-P2-n32:64-S32-ni:7:8",
        "e-p:32:64:128:16-i16:16:32-f32:32:64",
        "",
    ];
    for (i, layout) in layouts.into_iter().enumerate() {
        let input = folder().join(format!("layout-{i}.ll"));
        std::fs::write(&input, format!("target datalayout = \"{layout}\"\n"))?;
        let output = input.with_extension("mlir");
        translate(&input, &output)?;
        let entries = |file: &Path| -> Result<Vec<String>, Failure> {
            let text = succeed(limited(60, mlir::opt()).arg(file))?.text();
            let entry = |part: &str| {
                let part = part.split(", llvm.").next().unwrap_or_default().split(" {").next().unwrap_or_default();
                part.trim_matches([',', ' ', '<', '>', '}']).to_string()
            };
            let mut all: Vec<String> = text.split("#dlti.dl_entry").skip(1).map(entry).collect();
            all.sort();
            Ok(all)
        };
        let import = input.with_extension("import.mlir");
        succeed(limited(60, mlir::translate()).arg("--import-llvm").arg(&input).arg("-o").arg(&import))?;
        assert_eq!(entries(&import)?, entries(&output)?, "{layout}");
    }
    Ok(())
}
