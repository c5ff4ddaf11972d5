//! Sections about functions that tools read: where basic blocks are (`.llvm_bb_addr_map`), how much stack functions take (`.stack_sizes`),
//! against those of llc.

use std::path::Path;

use gusset_tests::objects::{assemble, differences};
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed, work_folder};

/// Functions whose blocks Gusset and `llc -O0` leave in one order.
const MODULE: &str = r#"
$shared = comdat any
define void @none() {
  ret void
}
define i32 @calls(i32 %a) {
  %r = call i32 @outside(i32 %a)
  ret i32 %r
}
define i32 @diamond(i32 %a) {
  %c = icmp eq i32 %a, 7
  br i1 %c, label %one, label %two
one:
  %r = call i32 @outside(i32 1)
  ret i32 %r
two:
  %s = call i32 @outside(i32 2)
  ret i32 %s
}
define i32 @caught() personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @outside(i32 1) to label %done unwind label %pad
done:
  ret i32 %r
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  %s = call i32 @outside(i32 2)
  ret i32 %s
}
define void @moves(i32 %n) {
  %p = alloca i8, i32 %n
  %r = call i32 @taken(ptr %p)
  ret void
}
define linkonce_odr i32 @shared(i32 %a) comdat {
  %r = call i32 @outside(i32 %a)
  %s = add i32 %r, 1
  ret i32 %s
}
declare i32 @outside(i32)
declare i32 @taken(ptr)
declare i32 @__gxx_personality_v0(...)
"#;

/// What readers see of an object, without the numbers that depend on instructions.
fn seen(object: &Path, bytes: bool) -> Result<String, Failure> {
    let said = succeed(limited(20, "llvm-readobj-19").args(["--bb-addr-map", "--stack-sizes"]).arg(object))?;
    let own = |line: &&str| {
        let line = line.trim();
        let number = ["Offset:", "Size:", "At:", "Base Address:"].iter().any(|head| line.starts_with(head));
        !line.starts_with("File:") && (bytes || !number)
    };
    Ok(said.text().lines().filter(own).map(|line| format!("{line}\n")).collect())
}

#[test]
fn blocks_and_stack_sizes() -> Result<(), Failure> {
    for triple in ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] {
        for more in [&[][..], &["-function-sections"]] {
            let folder = work_folder(&format!("function_tables/{triple}{}", more.concat()));
            let at = |name: &str| folder.join(name);
            std::fs::write(at("m.ll"), MODULE)?;
            let options = ["-mtriple", triple, "-basic-block-sections=labels", "-stack-size-section"];
            for (output, form) in [("ours.o", "obj"), ("ours.s", "asm")] {
                let mut command = limited(20, gusset()?);
                command.arg("llc").args(options).args(more).arg(format!("-filetype={form}"));
                succeed(command.arg(at("m.ll")).arg("-o").arg(at(output)))?;
            }
            let mut judge = limited(20, llc());
            judge.args(options).args(more).args(["-O0", "-global-isel=0", "-filetype=obj"]).arg(at("m.ll"));
            succeed(judge.arg("-o").arg(at("theirs.o")))?;
            assert_eq!(seen(&at("ours.o"), false)?, seen(&at("theirs.o"), false)?, "{triple}");
            let assembled = assemble(triple, &std::fs::read_to_string(at("ours.s"))?)?;
            let found = differences(&std::fs::read(at("ours.o"))?, &assembled)?;
            assert!(found.is_empty(), "{triple}, object against text:\n{}", found.join("\n"));
            // Blocks lie one after another and fill the functions: readers say where each begins and how long it is.
            let sizes = seen(&at("ours.o"), true)?;
            // The reader does not read the blocks' section for 32 bits, neither of llc's objects.
            assert!(sizes.matches("Size: 0x").count() > if triple.starts_with("i686") { 4 } else { 12 }, "{sizes}");
        }
    }
    Ok(())
}
