//! Functions that are called instead of traps (`trap-func-name`, `-trap-func`): llc says which calls there are, and programs get the numbers.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::objects;
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed, work_folder};

const MODULE: &str = r#"
declare void @llvm.trap()
declare void @llvm.ubsantrap(i8 immarg)
declare void @llvm.debugtrap() "trap-func-name"="of_declarations"
declare void @exit(i32)
@sum = internal global i32 0
define void @plain(i8 %n) {
  %known = load i32, ptr @sum
  %kind = zext i8 %n to i32
  %more = add i32 %known, %kind
  store i32 %more, ptr @sum
  ret void
}
define void @last() {
  %known = load i32, ptr @sum
  %code = sub i32 %known, 255
  call void @exit(i32 %code)
  unreachable
}
define i32 @main() nounwind {
  call void @llvm.ubsantrap(i8 13) #0 ; in a group
  call void @llvm.ubsantrap(i8 -14) nounwind "trap-func-name"="plain"
  call void @llvm.trap()
    nounwind
    "trap-func-name"="last"
  ret i32 1
}
define void @others() nounwind {
  call void @llvm.debugtrap() "trap-func-name"="undeclared"
  call void @llvm.trap() "trap-func-name"=""
  call void @llvm.trap() #1
  call void @llvm.debugtrap()
  ret void
}
attributes #0 = { "trap-func-name"="plain" }
attributes #1 = { nounwind "trap-func-name"="by.group" }
"#;

/// The functions that each function calls, and its traps.
fn calls(object: &Path) -> Result<String, Failure> {
    let mut dump = limited(20, "llvm-objdump-19");
    dump.args(["-dr", "--no-show-raw-insn", "--no-leading-addr"]).arg(object);
    let mut found = String::new();
    for line in succeed(&mut dump)?.text().lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [name] if name.ends_with(">:") => found.push_str(name),
            ["ud2" | "int3" | "brk" | "bkpt", ..] => found.push_str(words[0]),
            // One of several numbers of the same instruction has a name of its own.
            ["trap" | "udf", ..] => found.push_str("udf"),
            [kind, name] if kind.contains("PLT") || kind.contains("CALL") || kind.contains("REL32") => {
                found.push_str(name.trim_end_matches("-0x4"));
            }
            [_, kind, name] if kind.starts_with("R_") || kind.starts_with("IMAGE_REL") => found.push_str(name),
            _ => continue,
        }
        found.push('\n');
    }
    Ok(found)
}

#[test]
fn are_called() -> Result<(), Failure> {
    let folder = work_folder("trap_functions");
    let path = |end: &str| folder.join(format!("module.{end}"));
    let (ir, bitcode, by_llc, by_gusset, program) = (path("ll"), path("bc"), path("llc.o"), path("o"), path("exe"));
    std::fs::write(&ir, MODULE)?;
    succeed(limited(20, "llvm-as-19").arg(&ir).arg("-o").arg(&bitcode))?;
    for triple in
        ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "i686-pc-windows-msvc"]
    {
        for options in [&[][..], &["-trap-func=all"]] {
            let triple = format!("-mtriple={triple}");
            let made = |mut command: std::process::Command, input: &Path, out: &Path| {
                command.args(["-filetype=obj", "-O0", "-relocation-model=pic", &triple]).args(options);
                succeed(command.arg(input).arg("-o").arg(out))
            };
            made(limited(20, llc()), &ir, &by_llc)?;
            let ours = || {
                let mut command = limited(20, gusset()?);
                command.arg("llc");
                Ok::<_, Failure>(command)
            };
            made(ours()?, &ir, &by_gusset)?;
            let text = std::fs::read(&by_gusset)?;
            let of_function = |name: &str, text: &str| {
                text.split(&format!("<{name}>:\n")).nth(1).unwrap_or("").split('<').next().unwrap_or("").to_string()
            };
            let (expected, got) = (calls(&by_llc)?, calls(&by_gusset)?);
            let decoration = if triple.contains("windows") { "_" } else { "" };
            for function in ["main", "others"] {
                let function = format!("{decoration}{function}");
                let expected = of_function(&function, &expected);
                assert!(expected.lines().count() > 2, "{triple} {function}: {expected}");
                assert_eq!(of_function(&function, &got), expected, "{triple} {options:?} {function}");
            }
            made(ours()?, &bitcode, &by_gusset)?;
            if triple.contains("windows") {
                assert_eq!(calls(&by_gusset)?, got, "{triple} {options:?}: bitcode");
                continue;
            }
            let differences = objects::differences(&text, &std::fs::read(&by_gusset)?)?;
            assert!(differences.is_empty(), "{triple} {options:?}: {differences:?}");
        }
    }
    std::fs::write(
        &ir,
        MODULE.split("define void @others").next().unwrap_or_default().to_string()
            + "attributes #0 = { \"trap-func-name\"=\"plain\" }\n",
    )?;
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let mut compile = limited(20, gusset()?);
        compile.args(["compile", "--verify", "--target", mode.triple()]).arg(&ir).arg("-o").arg(&by_gusset);
        succeed(&mut compile)?;
        mode.link(std::slice::from_ref(&by_gusset), &["-no-pie"], &program)?;
        succeed(&mut mode.runner(20, &program))?;
    }
    Ok(())
}
