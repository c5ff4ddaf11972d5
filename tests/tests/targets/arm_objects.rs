//! What objects for ARM say to linkers: attributes as llc writes them, calls between instruction sets and compilers.

use std::path::{Path, PathBuf};

use gusset_tests::tools::{Failure, clang, gusset, limited, root, run, same_lines, succeed, work_folder};

/// A triple, features, and what LLVM has to be told beside: there vectors are asked for, here they are the baseline's.
const ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("armv7-unknown-linux-gnueabihf", "", "+neon"),
    ("armv7-unknown-linux-gnueabihf", "-neon", ""),
    ("armv7-unknown-linux-gnueabihf", "+vfp4", "+neon"),
    ("armv7-unknown-linux-gnueabi", "", "+neon"),
    ("armv7-unknown-linux-gnueabi", "+hwdiv,+hwdiv-arm", "+neon"),
    ("armv7-unknown-linux-gnueabi", "+strict-align", "+neon"),
    ("thumbv7-unknown-linux-gnueabihf", "", "+neon"),
    ("armv6-unknown-linux-gnueabihf", "", "+vfp2"),
    ("armv5te-unknown-linux-gnueabi", "+strict-align", ""),
    ("thumbv7m-none-eabi", "", ""),
    ("thumbv7em-none-eabihf", "", "+vfp4d16sp"),
    ("thumbv8m.main-none-eabi", "", ""),
    ("thumbv8m.main-none-eabihf", "", "+fp-armv8d16sp"),
];

const MODULE: &str = r#"
define i32 @f(i32 %a) nounwind { ret i32 %a }
!llvm.module.flags = !{!0, !1}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 1, !"min_enum_size", i32 4}
"#;

/// The attributes of an object as the reader shows them, save for what the front end's optimizations aimed at.
fn attributes(object: &Path) -> Result<String, Failure> {
    let shown = succeed(limited(60, "llvm-readobj-19").arg("-A").arg(object))?.text();
    let rows = shown.split("Attribute {").skip(1).map(|row| row.split('}').next().unwrap_or_default());
    let mut rows: Vec<String> = rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    rows.retain(|row| !row.contains("ABI_optimization_goals"));
    assert!(rows.len() > 10, "{shown}");
    Ok(rows.join("\n"))
}

#[test]
fn attributes_as_llc_writes_them() -> Result<(), Failure> {
    let folder = work_folder("arm_objects/attributes");
    let (module, ours, llcs) = (folder.join("f.ll"), folder.join("ours.o"), folder.join("llcs.o"));
    std::fs::write(&module, MODULE)?;
    for &(triple, features, more) in ATTRIBUTES {
        for pic in [false, true] {
            let mut compiler = limited(60, gusset()?);
            compiler.args(["compile", "--target", triple, if pic { "--pic" } else { "--no-pic" }]);
            compiler.arg(format!("--attr={features}")).arg(&module).arg("-o").arg(&ours);
            succeed(&mut compiler)?;
            let mut llc = limited(60, "llc-19");
            llc.args(["-O0", "-filetype=obj", if pic { "-relocation-model=pic" } else { "-relocation-model=static" }]);
            llc.arg(format!("-mtriple={triple}")).arg(format!("-mattr={features},{more}"));
            succeed(llc.arg(&module).arg("-o").arg(&llcs))?;
            same_lines(&attributes(&llcs)?, &attributes(&ours)?).map_err(|f| f.at(format!("{triple} {features}")))?;
        }
    }
    Ok(())
}

/// Who makes an object, in which instruction set.
#[derive(Clone, Copy, Debug)]
enum Maker {
    Gusset(&'static str),
    Clang(&'static str),
    Gcc(&'static str),
}

fn object(folder: &Path, file: &str, maker: Maker) -> Result<PathBuf, Failure> {
    let source = root().join("tests/programs").join(format!("{file}.c"));
    let object = folder.join(format!("{file}-{maker:?}.o").replace(['"', '(', ')'], "-"));
    let target = "--target=armv7-linux-gnueabihf";
    match maker {
        Maker::Gusset(mode) => {
            let text = object.with_extension("ll");
            succeed(
                limited(60, clang()).args([target, mode, "-O2", "-S", "-emit-llvm"]).arg(source).arg("-o").arg(&text),
            )?;
            succeed(limited(60, gusset()?).arg("compile").arg(text).arg("-o").arg(&object))?;
        }
        Maker::Clang(mode) => {
            succeed(limited(60, clang()).args([target, mode, "-O2", "-c"]).arg(source).arg("-o").arg(&object))?;
        }
        Maker::Gcc(mode) => {
            let mut gcc = limited(60, "arm-linux-gnueabihf-gcc");
            succeed(gcc.args([mode, "-O2", "-c"]).arg(source).arg("-o").arg(&object))?;
        }
    }
    Ok(object)
}

/// Calls, jumps, pointers and aliases between A32 and T32, linked by both linkers without a word.
#[test]
fn instruction_sets_mix() -> Result<(), Failure> {
    use Maker::*;
    let (a32, t32) = ("-marm", "-mthumb");
    let folder = work_folder("arm_objects/mixed");
    let pairs = [
        (Gusset(a32), Gusset(t32)),
        (Gusset(t32), Gusset(a32)),
        (Gusset(a32), Clang(t32)),
        (Clang(a32), Gusset(t32)),
        (Gusset(t32), Gcc(a32)),
        (Gcc(t32), Gusset(a32)),
    ];
    let main = object(&folder, "interwork_main", Clang(a32))?;
    let printed = |a: Maker, b: Maker, linker: &str| -> Result<String, Failure> {
        let objects = [object(&folder, "interwork_a", a)?, object(&folder, "interwork_b", b)?, main.clone()];
        let program = folder.join("program");
        let mut driver = limited(60, clang());
        driver.args(["--target=armv7-linux-gnueabihf", "-static", "-Wl,--fatal-warnings", linker]);
        let said = succeed(driver.args(objects).arg("-o").arg(&program))?;
        assert!(said.errors().is_empty(), "{}", said.errors());
        Ok(succeed(limited(60, "qemu-arm").arg(&program))?.text())
    };
    let expected = printed(Clang(a32), Clang(a32), "-fuse-ld=bfd")?;
    for (a, b) in pairs {
        for linker in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
            let got = printed(a, b, linker).map_err(|f| f.at(format!("{a:?} {b:?} {linker}")))?;
            same_lines(&expected, &got).map_err(|f| f.at(format!("{a:?} {b:?} {linker}")))?;
        }
    }
    Ok(())
}

/// Linkers do not put together what passes numbers in registers of its own with what does not.
#[test]
fn calls_of_other_kinds_are_refused() -> Result<(), Failure> {
    let folder = work_folder("arm_objects/kinds");
    let module = folder.join("f.ll");
    std::fs::write(&module, "define double @f(double %a) { ret double %a }\n")?;
    let ours = |triple: &str, name: &str| -> Result<PathBuf, Failure> {
        let object = folder.join(name);
        let mut compiler = limited(60, gusset()?);
        succeed(compiler.args(["compile", "--target", triple]).arg(&module).arg("-o").arg(&object))?;
        Ok(object)
    };
    let main = folder.join("main.o");
    let source = folder.join("main.c");
    std::fs::write(&source, "double f(double); int main(void) { return (int)f(1.5); }\n")?;
    succeed(limited(60, "arm-linux-gnueabihf-gcc").arg("-c").arg(&source).arg("-o").arg(&main))?;
    let hard = ours("armv7-unknown-linux-gnueabihf", "hard.o")?;
    let soft = ours("armv7-unknown-linux-gnueabi", "soft.o")?;
    let link = |object: &Path| {
        run(limited(60, "arm-linux-gnueabihf-ld").args(["-r", "-o"]).arg(folder.join("all.o")).arg(&main).arg(object))
    };
    let (taken, refused) = (link(&hard)?, link(&soft)?);
    assert!(taken.code == 0 && taken.errors().is_empty(), "{}", taken.errors());
    assert!(refused.code != 0 && refused.errors().contains("VFP register arguments"), "{}", refused.errors());
    Ok(())
}

/// GNU's and LLVM's readers find every function in the index, and know every opcode.
#[test]
fn readers_understand_the_index() -> Result<(), Failure> {
    let folder = work_folder("arm_objects/index");
    let source = root().join("tests/tests/runtime/exceptions/frames.cpp");
    for mode in ["-marm", "-mthumb"] {
        let (text, object) = (folder.join("frames.ll"), folder.join("frames.o"));
        let mut front = limited(60, clang());
        front.args(["--target=armv7-linux-gnueabihf", mode, "-O1", "-w", "-S", "-emit-llvm"]);
        succeed(front.arg(&source).arg("-o").arg(&text))?;
        succeed(limited(60, gusset()?).arg("compile").arg(&text).arg("-o").arg(&object))?;
        let symbols = succeed(limited(60, "llvm-readelf-19").arg("-s").arg(&object))?.text();
        let functions = symbols.lines().filter(|line| line.contains(" FUNC ") && !line.contains("UND")).count();
        let said = succeed(limited(60, "arm-linux-gnueabihf-readelf").arg("-u").arg(&object))?;
        let entries = said.text().lines().filter(|line| line.starts_with("0x")).count();
        assert!(functions > 12 && entries == functions, "{entries} entries for {functions} functions");
        let shown = succeed(limited(60, "llvm-readobj-19").arg("--unwind").arg(&object))?.text();
        assert_eq!(shown.matches("Entry {").count(), functions, "{shown}");
        let all = format!("{}{}{shown}", said.text(), said.errors()).to_lowercase();
        for complaint in ["reserved", "spare", "corrupt", "unsupported", "warning", "error"] {
            assert!(!all.contains(complaint), "{mode}: {complaint} in {all}");
        }
    }
    Ok(())
}

/// The instructions of a function in the text that `gusset llc` makes, without sizes and spaces.
fn instructions(folder: &Path, source: &str, options: &[&str]) -> Result<Vec<String>, Failure> {
    let file = folder.join("f.ll");
    std::fs::write(&file, source)?;
    let text = succeed(limited(60, gusset()?).arg("llc").args(options).arg(&file).args(["-o", "-"]))?.text();
    let lines = text.lines().filter(|line| line.starts_with('\t') && !line.starts_with("\t."));
    Ok(lines.map(|line| line.replace(".w\t", "\t").trim().replace('\t', " ")).collect())
}

#[test]
fn functions_with_split_stacks_ask_for_room() -> Result<(), Failure> {
    let folder = work_folder("arm_objects/split");
    let source = "declare void @g(ptr)\n\
        define void @f([5 x i32] %a) \"split-stack\" {\n  %b = alloca [SIZE x i8], align 4\n  call void @g(ptr %b)\n  ret void\n}\n";
    // LLVM's code, from `push` to the function's own; `__morestack` counts instructions after its call.
    for (triple, slot) in [("armv7-linux-gnueabi", 4), ("thumbv7-linux-androideabi", 252)] {
        let code = instructions(&folder, &source.replace("SIZE", "40"), &["-mtriple", triple])?.join("; ");
        let start = format!(
            "push {{r4, r5}}; mov r5, sp; mrc p15, #0, r4, c13, c0, #3; ldr r4, [r4, #{slot}]; cmp r4, r5; bls"
        );
        let code = code.replace("stmdb sp!, {r4, r5}", "push {r4, r5}").replace("ldm sp!, {r4, r5}", "pop {r4, r5}");
        assert!(code.starts_with(&start), "{code}");
        let end = "; mov r5, #4; push {lr}; bl __morestack; ldr lr, [sp], #4; pop {r4, r5}; bx lr; pop {r4, r5}; ";
        assert!(code.replace("str lr, [sp, #-4]!; bl", "push {lr}; bl").contains(end), "{code}");
        let large = instructions(&folder, &source.replace("SIZE", "4000"), &["-mtriple", triple])?.join("; ");
        assert!(large.contains("; sub r5, sp, r4; mrc"), "{large}");
    }
    let other = run(limited(60, gusset()?).args(["llc", "-mtriple=armv7-none-eabi"]).arg(folder.join("f.ll")))?;
    assert!(other.errors().contains("`split-stack` is not supported"), "{}", other.errors());
    Ok(())
}

#[test]
fn code_that_is_never_read_has_no_data() -> Result<(), Failure> {
    let folder = work_folder("arm_objects/execute_only");
    let source = r#"
@table = global i32 7
define double @number(i32 %n) {
  switch i32 %n, label %d [ i32 0, label %a  i32 1, label %b  i32 2, label %c  i32 3, label %d  i32 4, label %a ]
a:
  ret double 1.234e+56
b:
  %x = load i32, ptr @table
  %y = sitofp i32 %x to double
  ret double %y
c:
  ret double 3.14159
d:
  ret double 0.0
}
define <4 x i32> @lanes(<4 x i32> %a) {
  %b = add <4 x i32> %a, <i32 123456, i32 -7654321, i32 99, i32 1048577>
  ret <4 x i32> %b
}
"#;
    std::fs::write(folder.join("f.ll"), source)?;
    for triple in ["armv7-linux-gnueabihf", "thumbv7-linux-gnueabihf"] {
        let object = folder.join("f.o");
        let mut compiler = limited(60, gusset()?);
        compiler.args(["llc", "-filetype=obj", "-mattr=+neon,+execute-only", "-mtriple", triple]);
        succeed(compiler.arg(folder.join("f.ll")).arg("-o").arg(&object))?;
        let shown = succeed(limited(60, "llvm-readelf-19").args(["-S", "-s"]).arg(&object))?.text();
        // The flag is `y`, and no symbol says that data begins in the code.
        let code = shown.lines().find(|line| line.contains(" .text ")).unwrap_or_default();
        assert!(code.contains(" AXy "), "{shown}");
        let number = code.split(['[', ']']).nth(1).unwrap_or_default().trim();
        let marks = |line: &&str| line.ends_with(" $d") && line.split_whitespace().nth(6) == Some(number);
        assert!(shown.contains("$") && !shown.lines().any(|line| marks(&line)), "{shown}");
    }
    // Position-independent code would have data.
    let mut pic = limited(60, gusset()?);
    pic.args(["llc", "-relocation-model=pic", "-mattr=+execute-only", "-mtriple=thumbv7-linux-gnueabi"]);
    let refused = run(pic.arg(folder.join("f.ll")).args(["-o", "/dev/null"]))?;
    assert!(refused.errors().contains("which `execute-only` forbids"), "{}", refused.errors());
    Ok(())
}

#[test]
fn naked_functions_have_no_frame() -> Result<(), Failure> {
    let folder = work_folder("arm_objects/naked");
    let source = "declare void @g(i32)\ndefine void @f(i32 %a) naked {\n  call void @g(i32 5)\n  ret void\n}\n";
    let code = instructions(&folder, source, &["-mtriple=armv7-linux-gnueabi"])?;
    assert_eq!(code, ["mov r0, #5", "bl g", "bx lr"]);
    let source = source.replace("ret void", "call void @g(i32 %a)\n  ret void");
    std::fs::write(folder.join("f.ll"), source)?;
    for triple in ["armv7-linux-gnueabi", "x86_64-linux-gnu", "aarch64-linux-gnu"] {
        let refused = run(limited(60, gusset()?).args(["llc", "-mtriple", triple]).arg(folder.join("f.ll")))?;
        assert!(refused.errors().contains("a `naked` function that needs a frame"), "{}", refused.errors());
    }
    Ok(())
}
