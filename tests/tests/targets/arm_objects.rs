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
