//! Messages: all errors of a file at once, other positions that they are about, the form for programs, colours.

use std::path::PathBuf;
use std::process::Command;

use gusset_tests::tools::{Failure, Outcome, gusset, limited, llvm_as, run, succeed, work_folder};
use serde_json::Value;

/// Errors in two of three functions.
const FUNCTIONS: &str = "define i32 @first(i32 %a) {\n  %x = add i32 %a, %nowhere\n  ret i32 %x\n}\n\ndefine i32 @good(i32 %a) {\n  ret i32 %a\n}\n\n\
                         define i32 @second(i32 %a) {\n  %y = frobnicate i32 %a\n  ret i32 %y\n}\n";

/// Functions that are refused for what is read, for what cannot be compiled, and for an attribute.
const REFUSED: &str = "declare i32 @llvm.frob.i32(i32)\ndefine i32 @first(i32 %a) {\n  %x = call i32 @llvm.frob.i32(i32 %a)\n  ret i32 %x\n}\n\n\
                       define i32 @good(i32 %a) {\n  ret i32 %a\n}\n\ndefine void @shadowed(ptr %p) shadowcallstack {\n  %m = alloca i8\n  \
                       store volatile ptr %m, ptr %p\n  ret void\n}\n\ndefine i32 @last(i32 %a) #0 {\n  ret i32 %a\n}\n\n\
                       attributes #0 = { speculative_load_hardening }\n";

/// A name that has two definitions.
const TWICE: &str = "@x = global i32 1\n\ndefine void @f() {\n  ret void\n}\n\n@x = global i32 2\n";

fn file(name: &str, text: &str) -> Result<PathBuf, Failure> {
    let path = work_folder("messages").join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

fn compile(name: &str, text: &str, options: &[&str]) -> Result<Outcome, Failure> {
    let path = file(name, text)?;
    let command = if options.contains(&"-o") { "translate" } else { "compile" };
    let output = if command == "compile" { &["-o", "/dev/null"][..] } else { &[] };
    run(limited(20, gusset()?).arg(command).arg(path).args(options).args(output))
}

#[test]
fn every_function_has_its_error() -> Result<(), Failure> {
    for options in [&[][..], &["--threads", "1"], &["-o", "/dev/null", "--emit", "mlir"]] {
        let outcome = compile("functions.ll", FUNCTIONS, options)?;
        let errors = outcome.errors();
        assert!(outcome.code == 1 && errors.matches(": error: ").count() == 2, "{options:?}: {errors}");
        assert!(errors.contains("functions.ll:2:") && errors.contains("functions.ll:11:"), "{errors}");
    }
    // Only one function was asked for.
    let outcome = compile("functions.ll", FUNCTIONS, &["--dump", "read:second"])?;
    assert_eq!(outcome.errors().matches(": error: ").count(), 1, "{}", outcome.errors());
    let one = |i: usize| format!("define i32 @f{i}(i32 %a) {{\n  %x = add i32 %a, %nowhere\n  ret i32 %x\n}}\n");
    let many: String = (0..130).map(one).collect();
    let outcome = compile("many.ll", &many, &[])?;
    assert!(outcome.errors().ends_with("many.ll: and 30 more errors\n"), "{}", outcome.errors());
    Ok(())
}

/// Refusals of every kind are told at once, and name their functions, whatever the form of the file and the number of threads.
#[test]
fn every_refusal_is_told() -> Result<(), Failure> {
    let bitcode = work_folder("messages").join("refused.bc");
    let text = file("refused.ll", REFUSED)?;
    succeed(Command::new(llvm_as()).args(["-disable-verify", "-o"]).arg(&bitcode).arg(&text))?;
    let expected = [
        ("refused.ll:3:17: ", "in function `@first`: the intrinsic `llvm.frob.i32` is not supported"),
        ("refused.ll:11:8: ", "in function `@shadowed`: the attribute `shadowcallstack` is not supported"),
        ("refused.ll:21:19: ", "in function `@last`: the attribute `speculative_load_hardening` is not supported"),
    ];
    for path in [&text, &bitcode] {
        for options in [&[][..], &["--threads", "1"], &["--emit", "asm"]] {
            let outcome = run(limited(20, gusset()?).arg("compile").arg(path).args(options).args(["-o", "/dev/null"]))?;
            let errors = outcome.errors();
            assert!(outcome.code == 1 && errors.matches("error: ").count() == 3, "{options:?}: {errors}");
            let mut rest = &errors[..];
            for (place, message) in expected {
                let place = if path == &text { place } else { "refused.bc: " };
                let at = rest.find(message).unwrap_or_else(|| panic!("{message} is not in {rest}"));
                assert!(rest[..at].ends_with(&format!("{place}error: ")), "{errors}");
                rest = &rest[at..];
            }
        }
    }
    Ok(())
}

#[test]
fn other_positions_are_notes() -> Result<(), Failure> {
    let errors = compile("twice.ll", TWICE, &[])?.errors();
    let parts = [
        "twice.ll:7:1: error: the name is defined twice\n 7 | @x",
        "twice.ll:1:1: note: first here\n 1 | @x = global i32 1\n   | ^\n",
    ];
    assert!(parts.iter().all(|part| errors.contains(part)), "{errors}");
    let twice =
        "func.func @f(%a: i32) {\n  %b = arith.addi %a, %a : i32\n  %b = arith.addi %a, %a : i32\n  return\n}\n";
    let errors = compile("twice.mlir", twice, &[])?.errors();
    assert!(
        errors.contains("twice.mlir:3:3: error: `%b` is defined twice")
            && errors.contains("twice.mlir:2:3: note: first here"),
        "{errors}"
    );
    let outcome = run(limited(20, gusset()?).args(["abi", "int f(\n  int x]"]))?;
    let errors = outcome.errors();
    assert!(errors.contains("2:8: error: `]` does not close") && errors.contains("1:6: note: this one"), "{errors}");
    Ok(())
}

#[test]
fn messages_for_programs() -> Result<(), Failure> {
    let outcome = compile("functions.ll", FUNCTIONS, &["--message-format", "json"])?;
    let errors = outcome.errors();
    let lines: Vec<Value> = errors.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(outcome.code == 1 && lines.len() == 2, "{errors}");
    let span = &lines[1]["spans"][0];
    assert_eq!(lines[1]["level"], "error");
    assert!(lines[1]["message"].as_str().is_some_and(|message| message.contains("frobnicate")), "{errors}");
    assert_eq!((&span["line_start"], &span["text"][0]["text"]), (&11.into(), &"  %y = frobnicate i32 %a".into()));
    assert!(span["file_name"].as_str().is_some_and(|file| file.ends_with("functions.ll")), "{errors}");
    let rendered = lines[1]["rendered"].as_str().unwrap_or_default();
    assert!(rendered.contains("functions.ll:11:") && rendered.ends_with("^\n"), "{rendered}");

    let errors = compile("twice.ll", TWICE, &["--message-format", "json"])?.errors();
    let message: Value = serde_json::from_str(&errors).map_err(|error| Failure::new(error.to_string()))?;
    assert_eq!(
        (&message["children"][0]["level"], &message["children"][0]["spans"][0]["line_start"]),
        (&"note".into(), &1.into())
    );

    let outcome = run(limited(20, gusset()?).args(["compile", "/nowhere/\u{1}\".ll", "--message-format=json"]))?;
    let message: Value = serde_json::from_str(&outcome.errors()).map_err(|error| Failure::new(error.to_string()))?;
    assert!(message["message"].as_str().is_some_and(|text| text.starts_with("cannot read")), "{message}");

    let short = compile("functions.ll", FUNCTIONS, &["--message-format", "short"])?.errors();
    assert!(short.lines().count() == 2 && short.lines().all(|line| line.contains(": error: ")), "{short}");
    Ok(())
}

#[test]
fn colours_on_request() -> Result<(), Failure> {
    let plain = compile("twice.ll", TWICE, &[])?.errors();
    let colored = compile("twice.ll", TWICE, &["--color", "always"])?.errors();
    assert!(
        !plain.contains('\x1b') && colored.contains("\x1b[1;31merror:\x1b[0m") && colored.contains("\x1b[1;36mnote:"),
        "{colored}"
    );
    let mut stripped = colored.clone();
    while let Some(start) = stripped.find('\x1b') {
        let end = start + stripped[start..].find('m').unwrap_or(0);
        stripped.replace_range(start..=end, "");
    }
    assert_eq!(stripped, plain);
    Ok(())
}
