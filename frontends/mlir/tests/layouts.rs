//! However a text is laid out, it is read as it would be by its braces alone: functions that are measured by their lines end where
//! their braces say, or there is an error.

mod as_ir;

use as_ir::ir;
use gusset_abi::AbiTarget;
use gusset_mlir::{Choices, read_module, read_printed_module};

/// By braces, and by lines.
fn both(source: &str) -> [Result<String, String>; 2] {
    let (text, name, target) = (source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX);
    [
        ir(read_module(text, name, target, Choices::default())),
        ir(read_printed_module(text, name, target, Choices::default())),
    ]
}

/// As it is printed.
const PRINTED: &str = r#"module {
  llvm.func available_externally @other() -> i32 {
    %0 = llvm.mlir.constant(5 : i32) : i32
    llvm.return %0 : i32
  }
  func.func @choose(%arg0: i1) -> i32 attributes {a = "}", b = {c = 1 : i32}} {
    %0 = scf.if %arg0 -> (i32) {
      %c1 = arith.constant 1 : i32
      scf.yield %c1 : i32
    } else {
      %c2 = arith.constant 2 : i32
      scf.yield %c2 : i32
    }
    return %0 : i32
  } loc(unknown)
  func.func private @declared(i32)
  llvm.func @jumps(%arg0: i1) {
    llvm.cond_br %arg0, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    llvm.return
  ^bb2:  // pred: ^bb0
    llvm.return
  }
}
"#;

#[test]
fn printed() {
    let [exact, printed] = both(PRINTED);
    assert_eq!(exact.as_ref().map(String::len).ok(), printed.as_ref().map(String::len).ok());
    assert_eq!(exact.unwrap(), printed.unwrap());
}

/// Layouts that tools do not print. Those whose functions end elsewhere than their lines say are errors for who measures so.
#[test]
fn by_hand() {
    let body = "%r = scf.if %a -> (i32) {\n %0 = arith.constant 1 : i32\n scf.yield %0 : i32\nINNER} else {\n\
        %1 = arith.constant 2 : i32\nscf.yield %1 : i32\nINNER}\nreturn %r : i32\nOUTER}";
    let next = "func.func @next() { return }";
    for (before, inner, outer, between, same) in [
        ("", " ", "", "\n", true),
        ("  ", "   ", "  ", "\n  ", true),
        // The first brace below the function is that of a choice.
        ("", "", "", "\n", false),
        ("  ", "  ", "  ", "\n  ", false),
        ("  ", "  ", "", "\n", false),
        // No brace, or one of another function.
        ("  ", " ", "", "\n", true),
        ("", "  ", " ", "\n", false),
        // More after the brace.
        ("", "  ", "", " ", true),
        ("    ", " ", "    ", "// }\n    ", true),
    ] {
        let text = format!("{before}func.func @f(%a: i1) -> i32 {{\n{body}{between}{next}\n");
        let text = text.replace("INNER", inner).replace("OUTER", outer);
        let [exact, printed] = both(&text);
        let exact = exact.unwrap();
        match printed {
            Ok(printed) => assert_eq!(exact, printed, "{text}"),
            Err(error) => assert!(!same, "{error}\n{text}"),
        }
    }
}

/// Texts with lines moved, cut and doubled: what is read by lines is what is read by braces.
#[test]
fn damaged() {
    let lines: Vec<&str> = PRINTED.lines().collect();
    let (mut state, mut read, mut refused) = (1u32, 0, 0);
    let mut below = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n
    };
    for _ in 0..4000 {
        let mut damaged: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
        for _ in 0..1 + below(3) {
            let at = below(damaged.len());
            match below(4) {
                0 => damaged[at] = damaged[at].trim_start().to_string(),
                1 => damaged[at].insert_str(0, ["  ", "    ", "}", "{"][below(4)]),
                2 => {
                    let next = damaged.remove(at);
                    let before = at.saturating_sub(1).min(damaged.len() - 1);
                    damaged[before].push_str(&next);
                }
                _ => {
                    let line = damaged[at].clone();
                    damaged.insert(below(lines.len()), line);
                }
            }
        }
        let text = damaged.join("\n");
        match both(&text) {
            [exact, Ok(printed)] => {
                assert_eq!(exact.as_ref(), Ok(&printed), "{text}");
                read += 1;
            }
            [_, Err(_)] => refused += 1,
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}
