//! Texts that say the same in different spellings become the same IR.

use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_codegen::ir::{Function, Printer, verify};
use gusset_llvm::{BodyReader, ReadError, read_module, target_triple};

fn ir(text: &str) -> Result<String, ReadError> {
    let triple = target_triple(text.as_bytes()).unwrap_or_else(|| "i686-pc-windows-msvc".into());
    let target = AbiTarget::from_triple(&triple, AbiFeatures::default()).unwrap();
    let parsed = read_module(text.as_bytes(), "t.ll", &target)?;
    let printer = Printer::new(&parsed.module);
    let mut out = printer.module();
    let (mut reader, mut func) = (BodyReader::new(&parsed), Function::new());
    for body in &parsed.bodies {
        reader.read(body, &mut func)?;
        verify(&parsed.module, &func).unwrap_or_else(|e| panic!("{e}"));
        out.push_str(&printer.function(&func));
    }
    Ok(out)
}

/// What is different in the two texts, or nothing.
fn assert_same(one: &str, other: &str) {
    let (one, other) = (ir(one).unwrap_or_else(|e| panic!("{e}")), ir(other).unwrap_or_else(|e| panic!("{e}")));
    for (a, b) in one.lines().zip(other.lines()) {
        assert_eq!(a, b);
    }
    assert_eq!(one.len(), other.len());
}

#[test]
fn typed_pointers() {
    assert_same(include_str!("spellings/typed.ll"), include_str!("spellings/opaque.ll"));
}

/// Wherever the braces of bodies stand, no function is lost.
#[test]
fn braces_of_bodies() {
    let usual = "target triple = \"x86_64-linux-gnu\"\n
        define i32 @a({ i32 } %0) {\n  %x = alloca { i32 }\n  %y = extractvalue { i32 } %0, 0\n  ret i32 %y\n}
        define void @b() {\n  ret void\n}\ndefine void @c() {\n  ret void\n}\n";
    let usual: String = usual.lines().map(|line| line.trim_start().to_string() + "\n").collect();
    assert_eq!(ir(&usual).unwrap().matches("return").count(), 3);
    for closing in ["\n  }\n", "\n\t}  ; the end }\n", "\n ; }\n } \r\n", " }\n", "}\n", "\n}"] {
        assert_same(&usual.replace("\n}\n", closing), &usual);
    }
    assert_same(&usual.replace(" {\nret void\n}", " { ret void }"), &usual);
    assert_same(&usual.replace("ret void\n}\n", "ret void } "), &usual);
}

/// The examples of LLVM's text about `inalloca`, corrected.
#[test]
fn argument_blocks() {
    assert_same(include_str!("spellings/inalloca-typed.ll"), include_str!("spellings/inalloca-opaque.ll"));
}

/// As that text prints them they say one thing after the other that no LLVM since 3.7 takes.
#[test]
fn argument_blocks_as_printed() {
    let mut text = include_str!("spellings/inalloca-printed.ll").to_string();
    let block = "<{ %struct.Foo, %struct.Foo }>";
    let steps = [
        (
            10,
            "the type that is accessed must stand before the pointer",
            format!("getelementptr {block}*"),
            format!("getelementptr {block}, {block}*"),
        ),
        (16, "expected `label`", "unwind %invoke.unwind".into(), "unwind label %invoke.unwind".into()),
        (19, "must come from an `alloca inalloca`", "alloca <".into(), "alloca inalloca <".into()),
        (21, "expected an instruction", "  ...".into(), "  unreachable".into()),
        (6, "no personality routine", String::new(), String::new()),
    ];
    for (line, message, from, to) in steps {
        let error = ir(&text).expect_err(message);
        assert!(error.line() == line && error.message().contains(message), "{error}");
        text = text.replace(&from, &to);
    }
}

/// Comments and lines may stand between any words, also where only a search through the text sees the block's address.
#[test]
fn comments_in_block_addresses() {
    let usual = "target triple = \"x86_64-linux-gnu\"
@table = constant [2 x ptr] [ptr blockaddress(@f, %b), ptr null]
@text = constant [13 x i8] c\"blockaddress(\"
@f.b = global ptr @f
define void @f() {
  indirectbr ptr blockaddress(@f, %b), [label %b]
b:
  ret void
}
";
    assert!(ir(usual).unwrap().contains("block s"));
    for opening in [
        "blockaddress ; c \n (@f, %b)",
        "blockaddress( ; \"a\n @f ; \"\n , %b)",
        "blockaddress;\n;\n\n ; ;c\n\t( ;(\n; ;\n @f,;\n\t%b)",
    ] {
        assert_same(&usual.replace("blockaddress(@f, %b)", opening), usual);
    }
}

/// What is after a variable and no definition is an error wherever it stands.
#[test]
fn nothing_behind_variables_is_lost() {
    for before in [
        "@x = global i32 0",
        "@x = external global i32",
        "@x = alias i32, ptr @z",
        "@x = alias i32, ptr @z, partition \"p\"",
    ] {
        for text in ["", "@y global i32 1", "  @y global i32 1", "%t i32", "; c\n $c any", "\n  i64", "y = i32 1"] {
            let whole = format!("target triple = \"x86_64-linux-gnu\"\n{before}\n{text}\n@z = global i32 2\n");
            assert_eq!(ir(&whole).is_ok(), text.is_empty() && !before.contains("part"), "{whole}");
        }
    }
}
