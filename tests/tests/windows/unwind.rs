//! Unwinding through Gusset's frames on 64-bit Windows: by the unwinder of the system (Wine's here), at every single
//! instruction.

use gusset_tests::build::compile;
use gusset_tests::corpus::drivers;
use gusset_tests::tools::{Failure, clang, limited, run, succeed, work_folder};
use gusset_tests::wine;

fn check(level: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("windows/unwind{level}"));
    std::fs::create_dir_all(&folder)?;
    let by_clang = |source: &str, flags: &[&str], out: &std::path::Path| {
        let mut command = limited(60, clang());
        command.args(["--target=x86_64-w64-mingw32", "-w"]).args(flags);
        succeed(command.arg(drivers().join(source)).arg("-o").arg(out)).map(drop)
    };
    let file = |name: &str| folder.join(name);
    by_clang("seh_walk.c", &["-O1", "-c"], &file("walk.o"))?;
    by_clang("seh_walked.c", &[level, "-c"], &file("clang.o"))?;
    by_clang("seh_walked.c", &[level, "-S", "-emit-llvm"], &file("walked.ll"))?;
    compile(&file("walked.ll"), &file("gusset.o"))?;
    // The same, where every function calls a handler first that does nothing.
    let limited_text = std::fs::read_to_string(file("walked.ll"))?.replace(
        "\nattributes #0 = {",
        "\n@limit = internal global i64 -1\ndefine internal void @go_on() {\n  ret void\n}\n\
         attributes #0 = { \"stack-limit\"=\"limit\" \"stack-limit-handler\"=\"go_on\"",
    );
    assert!(limited_text.contains("go_on"));
    std::fs::write(file("limited.ll"), limited_text)?;
    compile(&file("limited.ll"), &file("limited.o"))?;
    let mut texts = Vec::new();
    for object in ["clang.o", "gusset.o", "limited.o"] {
        let program = file(object).with_extension("exe");
        let mut link = limited(60, "x86_64-w64-mingw32-gcc");
        succeed(link.arg(file("walk.o")).arg(file(object)).arg("-o").arg(&program))?;
        let outcome = run(wine::command(300)?.arg(&program))?;
        if outcome.code != 0 {
            return Err(Failure::new(format!("{}: exit code {}\n{}", program.display(), outcome.code, outcome.text())));
        }
        texts.push(outcome.text());
    }
    for other in &texts[1..] {
        if texts[0] != *other {
            return Err(Failure::new(format!("by clang:\n{}by Gusset:\n{other}", texts[0])));
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn every_instruction_at_o0() -> Result<(), Failure> {
    check("-O0")
}

#[test]
fn every_instruction_at_o1() -> Result<(), Failure> {
    check("-O1")
}
